"""What is shipped: the contents of the wheel, and that `codemods` is nobody's name."""

import ast
import subprocess
import sys
import zipfile
from configparser import ConfigParser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

pytest.importorskip("hatchling")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel of this tree, built without the network."""
    target = tmp_path_factory.mktemp("wheel")
    build = "import sys, hatchling.build as build; print(build.build_wheel(sys.argv[1]))"
    done = subprocess.run([sys.executable, "-c", build, str(target)], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (path,) = target.glob("jaxfix-*-py3-none-any.whl")
    return zipfile.ZipFile(path)


def information(wheel: zipfile.ZipFile, name: str) -> str:
    (path,) = (entry for entry in wheel.namelist() if entry.endswith(f".dist-info/{name}"))
    return wheel.read(path).decode()


def test_the_wheel_holds_two_packages_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    tops = {name.partition("/")[0] for name in wheel.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"jaxfix", "jaxfix_codemods"}
    assert len(tops) == 3


def test_the_wheel_holds_every_source_and_both_are_typed(wheel: zipfile.ZipFile) -> None:
    shipped = {name for name in wheel.namelist() if name.endswith((".py", "py.typed"))}
    packages = (ROOT / "jaxfix", ROOT / "codemods" / "jaxfix_codemods")
    assert shipped == {
        path.relative_to(package.parent).as_posix()
        for package in packages
        for pattern in ("*.py", "py.typed")
        for path in package.rglob(pattern)
    }
    assert {"jaxfix/py.typed", "jaxfix_codemods/py.typed"} <= shipped


def test_the_wheel_holds_what_the_page_of_a_trace_is_made_of(wheel: zipfile.ZipFile) -> None:
    folder = ROOT / "jaxfix" / "render" / "assets"
    shipped = {name for name in wheel.namelist() if name.startswith("jaxfix/render/assets/")}
    assert shipped == {path.relative_to(ROOT).as_posix() for path in folder.iterdir()}
    assert "MIT" in wheel.read("jaxfix/render/assets/uplot.LICENSE").decode()


def test_the_wheel_brings_its_licence_and_its_entry_points(wheel: zipfile.ZipFile) -> None:
    for name in ("LICENSE", "jaxfix/render/assets/uplot.LICENSE"):
        assert information(wheel, f"licenses/{name}") == (ROOT / name).read_text()
    points = ConfigParser()
    points.read_string(information(wheel, "entry_points.txt"))
    assert dict(points["console_scripts"]) == {"jaxfix": "jaxfix.__main__:script"}
    assert dict(points["pytest11"]) == {"jaxfix": "jaxfix.pytest_plugin"}
    assert dict(points["jaxfix.codemods"]) == {"jaxfix": "jaxfix_codemods:CODEMODS"}


def test_jax_is_not_among_the_core_dependencies(wheel: zipfile.ZipFile) -> None:
    needs = [line for line in information(wheel, "METADATA").splitlines() if line.startswith("Requires-Dist: ")]
    core = {line.split()[1].partition(">")[0] for line in needs if "extra ==" not in line}
    assert core == {"libcst", "typer", "rich", "pathspec", "platformdirs"}


def test_nothing_imports_the_source_root_as_a_package() -> None:
    folders = ("jaxfix", "codemods", "tests", "benchmarks", "examples")
    sources = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    assert len(sources) > 50
    assert [path for path in sources if "codemods" in imported(path)] == []
    assert not (ROOT / "codemods" / "__init__.py").exists()


def imported(path: Path) -> set[str]:
    """The top-level names that the source imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    return names
