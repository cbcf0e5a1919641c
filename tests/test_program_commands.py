"""The command that would give the evidence which is missing, found by imports."""

import ast
import json
from pathlib import Path

import pytest
from command_line import Cli

from jaxfix.drivers.workflow.agenda import root_of
from jaxfix.drivers.workflow.programs import commands

MAIN = 'if __name__ == "__main__":\n    pass\n'
SLOW = "import jax\n\nz = jax.tiny_risky(2)\n"


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user of their own, who has the codemods of the tests."""
    monkeypatch.syspath_prepend(Path(__file__).parent / "pack")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))


@pytest.mark.parametrize(
    ("source", "others", "command"),
    [
        ("train.py", {"train.py": MAIN}, "python train.py"),
        ("a b.py", {"a b.py": MAIN}, "python 'a b.py'"),
        ("model.py", {"train.py": f"import model\n{MAIN}"}, "python train.py"),
        ("pkg/model.py", {"pkg/train.py": f"from .model import f\n{MAIN}"}, "python -m pkg.train"),
        ("pkg/model.py", {"pkg/__main__.py": "from pkg import model\n" + MAIN}, "python -m pkg"),
        ("pkg/model.py", {"pkg/sub/go.py": f"from ..model import f\n{MAIN}"}, "python -m pkg.sub.go"),
        ("pkg/model.py", {"pkg/mid.py": "import pkg.model\n", "go.py": f"import pkg.mid\n{MAIN}"}, "python go.py"),
        ("src/pkg/model.py", {"src/pkg/go.py": f"from pkg.model import f\n{MAIN}"}, "PYTHONPATH=src python -m pkg.go"),
        (
            "pkg/model.py",
            {"tests/test_model.py": "from pkg.model import f\n\ndef test_f():\n    f()\n"},
            "python -m pytest tests/test_model.py",
        ),
        (
            "model.py",
            {"test_model.py": f"import model\n\ndef test():\n    pass\n\n{MAIN}", "go.py": f"import model\n{MAIN}"},
            "python go.py",
        ),
        ("pkg/__init__.py", {"pkg/train.py": f"from . import f\n{MAIN}"}, "python -m pkg.train"),
        ("go.py", {"go.py": "import jax\nfor step in range(3):\n    print(step)\n"}, "python go.py"),
        ("go.py", {"go.py": "def main():\n    pass\n\nmain()\n"}, "python go.py"),
        ("model.py", {"model.py": "import jax\njax.config.update('jax_enable_x64', True)\n"}, None),
        ("model.py", {"go.py": "from model import f\nprint(f())\n"}, "python go.py"),
        ("model.py", {"train.py": MAIN, "broken.py": f"import model\ndef (:\n{MAIN}"}, None),
    ],
)
def test_the_nearest_program_is_named(
    source: str, others: dict[str, str], command: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text("")
    for name in ("pkg", "pkg/sub", "src/pkg"):
        if any(path.startswith(f"{name}/") for path in (source, *others)):
            others = {f"{name}/__init__.py": "", **others}
    for name, text in {source: "def f(): ...\n", **others}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    found = commands([tmp_path / source])
    assert found == ({} if command is None else {command: (tmp_path / source,)})


def test_what_cannot_import_it_is_not_parsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    texts = {"model.py": "", "train.py": f"import model\n{MAIN}", "other.py": f"import json\n{MAIN}"}
    for name, text in {"pyproject.toml": "", **texts}.items():
        (tmp_path / name).write_text(text)
    parsed = []
    monkeypatch.setattr("ast.parse", lambda text, parse=ast.parse: parsed.append(text) or parse(text))
    assert commands([tmp_path / "model.py"]) == {"python train.py": (tmp_path / "model.py",)}
    assert parsed == [texts["train.py"].encode()]


def test_an_apply_without_evidence_ends_with_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "model.py").write_text(SLOW)
    (tmp_path / "train.py").write_text(f"import model\n{MAIN}")
    done = cli("apply", "model.py", "--allow-no-vcs")
    assert "note: to prove them: `jaxfix apply model.py --allow-no-vcs --run 'python train.py'`" in done.err
    json.loads(cli("apply", "model.py", "--allow-no-vcs", "--output-format", "json").out)


def test_a_file_that_nothing_runs_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "model.py").write_text(SLOW)
    said = "note: no program or test here runs model.py: write one, and name it with `--run CMD`"
    assert said in cli("apply", "model.py", "--allow-no-vcs").err
    assert said in cli("apply", "model.py", "--allow-no-vcs", "--prove").err
    (tmp_path / "train.py").write_text(f"import model\n{MAIN}")
    assert "no program or test" not in cli("apply", "model.py", "--allow-no-vcs").err


def test_what_was_driven_in_vain_is_not_said_to_be_drivable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    """A package with a class that could be a solver, and is none."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pkg").mkdir()
    texts = {"__init__.py": "", "model.py": SLOW, "runner.py": "class Runner:\n    def run(self):\n        return 1\n"}
    for name, text in texts.items():
        (tmp_path / "pkg" / name).write_text(text)
    (tmp_path / "pyproject.toml").write_text("")
    offered = cli("apply", "pkg", "--allow-no-vcs").err
    assert "lets `jaxfix apply` drive the optimizers of `pkg`" in offered and "no program or test" not in offered
    driven = cli("apply", "pkg", "--allow-no-vcs", "--prove")
    assert "note: no program or test here runs pkg/model.py: write one, and name it with `--run CMD`" in driven.err


def test_a_folder_without_a_mark_is_the_project_of_the_files_below_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "model.py").write_text(SLOW)
    (tmp_path / "train.py").write_text(f"import pkg.model\n{MAIN}")
    assert commands([tmp_path / "pkg" / "model.py"]) == {"python train.py": (tmp_path / "pkg" / "model.py",)}
    assert root_of([tmp_path / "pkg" / "model.py"]) == tmp_path
    monkeypatch.setenv("HOME", str(tmp_path / "pkg"))
    assert root_of([tmp_path / "pkg" / "model.py"]) == tmp_path / "pkg"


def test_a_package_without_optimizers_has_nothing_to_drive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text("")
    for name, more in (("plain", "def run(): ...\n"), ("solving", "class Solver:\n    def init_state(self, x): ...\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("")
        (tmp_path / name / "slow.py").write_text(SLOW)
        (tmp_path / name / "more.py").write_text(more)
    refused = cli("trust", "plain", "--yes")
    assert refused.code == 2 and "error: there is nothing to rerun" in refused.err
    assert "no program or test here runs these files: write one, and pass it as `--run CMD`" in refused.err
    (tmp_path / "test_slow.py").write_text("from plain import slow\n\ndef test_slow():\n    pass\n")
    assert '`--run "python -m pytest test_slow.py"`' in cli("trust", "plain", "--yes").err
    (tmp_path / "plain" / "fit.py").write_text(f"from plain import slow\n{MAIN}")
    assert '`--run "python -m plain.fit"`' in cli("trust", "plain", "--yes").err
    assert "lets `jaxfix apply` drive" not in cli("apply", "plain", "--diff").err
    assert "lets `jaxfix apply` drive the optimizers of `solving`" in cli("apply", "solving", "--diff").err
