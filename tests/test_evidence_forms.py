"""Every way to start a program sees the patched source: scripts, modules, tests, children, notebooks, data."""

import json
import sys
from pathlib import Path

import pytest

from jaxfix.evidence.program import ProgramRunner
from jaxfix.report.measurement import Measurement

pytestmark = pytest.mark.evidence

ORIGINAL = "def answer():\n    return 'original'\n"
PATCHED = ORIGINAL.replace("original", "patched")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "pkg" / "data").mkdir(parents=True)
    (root / "space" / "inner").mkdir(parents=True)
    (root / "pkg" / "__init__.py").write_text("")
    (root / "pkg" / "model.py").write_text(ORIGINAL)
    (root / "space" / "inner" / "model.py").write_text(ORIGINAL)
    (root / "pkg" / "data" / "words.txt").write_text("data of the package\n")
    return root


def measured(project: Path, command: str, patched: str = "pkg/model.py") -> Measurement:
    runner = ProgramRunner(project, f"{sys.executable} {command}", ((patched, "answer"),))
    (measurement,) = runner.measure({patched: PATCHED.encode()})
    assert measurement.failure is None, measurement.failure
    return measurement


def sees_the_patch(measurement: Measurement, patched: str = "pkg/model.py") -> bool:
    called = f"{patched}:answer" in measurement.functions
    return "patched" in measurement.stdout and called and patched in measurement.loaded


def test_a_script_with_arguments(project: Path) -> None:
    (project / "run.py").write_text("import sys\nfrom pkg.model import answer\nprint(answer(), sys.argv[1:])\n")
    found = measured(project, "run.py --rate 0.1")
    assert sees_the_patch(found) and found.stdout == "patched ['--rate', '0.1']\n"


def test_a_script_that_is_patched_itself(project: Path) -> None:
    (project / "run.py").write_text(ORIGINAL)
    runner = ProgramRunner(project, f"{sys.executable} run.py", (("run.py", "answer"),))
    (found,) = runner.measure({"run.py": (PATCHED + "print(answer())\n").encode()})
    assert sees_the_patch(found, "run.py")


def test_a_module_run_by_name(project: Path) -> None:
    (project / "pkg" / "__main__.py").write_text("from .model import answer\nprint(answer(), __package__)\n")
    found = measured(project, "-m pkg")
    assert sees_the_patch(found) and found.stdout == "patched pkg\n"


def test_a_namespace_package(project: Path) -> None:
    (project / "run.py").write_text("from space.inner.model import answer\nprint(answer())\n")
    assert sees_the_patch(measured(project, "run.py", "space/inner/model.py"), "space/inner/model.py")


def test_tests_that_pytest_collects(project: Path) -> None:
    (project / "test_model.py").write_text(
        "from pkg.model import answer\n\ndef test_answer():\n    print(answer())\n    assert answer() == 'patched'\n"
    )
    assert sees_the_patch(measured(project, "-m pytest -s -q -p no:cacheprovider test_model.py"))


@pytest.mark.parametrize("method", ["spawn", "fork", "forkserver"])
def test_children_of_multiprocessing(project: Path, method: str) -> None:
    (project / "run.py").write_text(
        "import multiprocessing\nfrom pkg.model import answer\n\nif __name__ == '__main__':\n"
        f"    with multiprocessing.get_context('{method}').Pool(1) as pool:\n        print(pool.apply(answer))\n"
    )
    assert sees_the_patch(measured(project, "run.py"))


def test_a_child_of_another_folder_and_a_clean_path(project: Path) -> None:
    (project / "run.py").write_text(
        "import os, subprocess, sys\nhere = os.path.dirname(os.path.abspath(__file__))\n"
        "code = f'import sys; sys.path.insert(0, {here!r}); from pkg.model import answer; print(answer())'\n"
        "subprocess.run([sys.executable, '-c', code], cwd=os.sep, check=True)\n"
    )
    assert sees_the_patch(measured(project, "run.py"))


def test_what_a_program_reads_of_itself_is_patched(project: Path) -> None:
    (project / "run.py").write_text(
        "import inspect, traceback\nfrom pkg import model\n"
        "print('patched' in inspect.getsource(model.answer), 'patched' in open(model.__file__).read())\n"
        "print(model.answer())\n"
    )
    found = measured(project, "run.py")
    assert sees_the_patch(found) and found.stdout.startswith("True True\n")


def test_a_traceback_shows_the_patched_line_at_the_place_that_the_user_knows(project: Path) -> None:
    (project / "run.py").write_text(
        "import sys, traceback\nfrom pkg import model\ntry:\n    model.answer(1)\n"
        "except TypeError:\n    traceback.print_exc(file=sys.stdout)\nprint(model.answer())\n"
    )
    assert f'File "{project}/run.py", line 4' in measured(project, "run.py").stdout


def test_data_of_a_package_come_along(project: Path) -> None:
    (project / "run.py").write_text(
        "from importlib import resources\nfrom pkg.model import answer\n"
        "print(answer(), resources.files('pkg').joinpath('data/words.txt').read_text())\n"
    )
    assert "data of the package" in measured(project, "run.py").stdout


def test_what_a_program_writes_stays_in_its_copy(project: Path) -> None:
    (project / "run.py").write_text(
        "from pkg.model import answer\nopen('out.txt', 'w').write(answer())\nprint(open('out.txt').read())\n"
        "open('pkg/data/words.txt', 'a').write('more')\n"
    )
    assert sees_the_patch(measured(project, "run.py"))
    assert not (project / "out.txt").exists()
    assert (project / "pkg" / "data" / "words.txt").read_text() == "data of the package\n"


def test_the_cells_of_a_notebook(project: Path) -> None:
    cells = ["from pkg.model import answer", "print(answer())"]
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    document = {"cells": [cell | {"source": [text]} for text in cells], "metadata": {}, "nbformat": 4}
    (project / "run.ipynb").write_text(json.dumps(document | {"nbformat_minor": 5}))
    runner = ProgramRunner(project, "run.ipynb", (("pkg/model.py", "answer"),))
    (found,) = runner.measure({"pkg/model.py": PATCHED.encode()})
    assert sees_the_patch(found)
