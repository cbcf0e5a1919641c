"""`jaxfix new`: what a codemod begins with, that it fails until it is written, and where it is refused."""

import runpy
import sys
from pathlib import Path

import pytest

import jaxfix_codemods
from jaxfix import testing
from jaxfix.drivers.cli.start import run as run_cli
from jaxfix.drivers.new_codemod import registered
from jaxfix.engine.registry import validated

PROJECT = '[project.entry-points."jaxfix.codemods"]\nmine = "mine:CODEMODS"\n'


@pytest.fixture
def pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project of a pack that has no codemod yet; it is the folder that jaxfix is run in."""
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    (tmp_path / "src" / "mine").mkdir(parents=True)
    (tmp_path / "src" / "mine" / "__init__.py").write_text("CODEMODS = ()\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path / "src")
    return tmp_path


def test_what_is_written_is_a_codemod_whose_goldens_say_what_to_write(
    pack: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run_cli(["new", "slow-thing"]) == 0
    told = capfd.readouterr()
    assert "golden/slow_thing/quiet.py" in told.out and "src/mine/slow_thing.py" in told.out
    assert "-k 'slow_thing or slow-thing'" in told.err

    (codemod,) = validated("mine", runpy.run_path(str(pack / "src" / "mine" / "__init__.py"))["CODEMODS"])
    sys.modules.pop("mine.slow_thing"), sys.modules.pop("mine")
    assert codemod.id == "slow-thing"
    cases = testing.cases(pack / "golden", (codemod,))
    assert [case.path.stem for case in cases] == ["basic", "declines", "program", "quiet"]
    for case in cases:
        with pytest.raises(testing.GoldenError, match=r":\d+: write .*`slow-thing`"):
            testing.verify(case)


def test_the_second_stands_beside_the_first(pack: Path) -> None:
    assert [run_cli(["new", name]) for name in ("slow-thing", "slow-other")] == [0, 0]
    text = (pack / "src" / "mine" / "__init__.py").read_text()
    assert text == ("from mine import slow_other, slow_thing\n\nCODEMODS = (slow_thing.CODEMOD, slow_other.CODEMOD,)\n")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Slow", "`Slow` is not an id"),
        ("slow_thing", "`slow_thing` is not an id"),
        ("slow--thing", "`slow--thing` is not an id"),
        ("../slow", "`../slow` is not an id"),
        ("local-jit", "there is a codemod `local-jit`"),
        ("is-there", "golden/is_there exists already"),
    ],
)
def test_a_name_that_cannot_be_taken_is_refused(
    pack: Path, capfd: pytest.CaptureFixture[str], name: str, said: str
) -> None:
    (pack / "golden" / "is_there").mkdir(parents=True)
    assert run_cli(["new", name]) == 2
    assert f"error: {said}" in capfd.readouterr().err
    assert sorted(path.name for path in (pack / "src" / "mine").iterdir()) == ["__init__.py"]


@pytest.mark.parametrize(
    ("project", "said"),
    [
        ("", "pyproject.toml declares no pack of codemods"),
        (PROJECT + 'other = "other:CODEMODS"\n', "pyproject.toml declares several packs of codemods"),
        (PROJECT.replace('"mine:', '"yours:'), "pyproject.toml: the package `yours` is not found"),
        ("[", "pyproject.toml: "),
    ],
)
def test_a_project_without_a_pack_is_refused(
    pack: Path, capfd: pytest.CaptureFixture[str], project: str, said: str
) -> None:
    (pack / "pyproject.toml").write_text(project)
    assert run_cli(["new", "slow-thing"]) == 2
    assert f"error: {said}" in capfd.readouterr().err


def test_a_tuple_that_is_made_is_left_alone(pack: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (pack / "src" / "mine" / "__init__.py").write_text("CODEMODS = tuple([])\n")
    assert run_cli(["new", "slow-thing"]) == 2
    assert "there is no tuple `CODEMODS = (...)` to add `slow-thing` to" in capfd.readouterr().err
    assert not (pack / "golden").exists()


LISTED = """\
from mine import (
    alpha,
    gamma,
)

CODEMODS: tuple[Codemod, ...] = (
    gamma.CODEMOD,  # first
    alpha.CODEMOD,
)
"""


@pytest.mark.parametrize(
    ("name", "names", "before"),
    [
        ("beta", "    alpha,\n    beta,\n    gamma,\n", LISTED),
        ("delta", "    alpha,\n    delta,\n    gamma,\n", LISTED),
        ("zeta", "    alpha,\n    gamma,\n    zeta,\n", LISTED),
        ("zeta", "    alpha,\r\n    gamma,\r\n    zeta,\r\n", LISTED.replace("\n", "\r\n")),
    ],
)
def test_names_stay_in_order_and_the_tuple_grows_at_its_end(name: str, names: str, before: str) -> None:
    after = registered(before, "mine", name)
    assert after is not None and names in after
    assert [line.strip() for line in after.splitlines()][-3:] == ["alpha.CODEMOD,", f"{name}.CODEMOD,", ")"]
    assert after.count("\r") == (after.count("\n") if "\r" in before else 0)


def test_a_pack_without_imports_gets_one() -> None:
    assert registered("CODEMODS = ()\n", "mine", "a") == "from mine import a\n\nCODEMODS = (a.CODEMOD,)\n"
    assert registered("import os\n\nCODEMODS = ()\n", "mine", "a") == (
        "import os\nfrom mine import a\n\nCODEMODS = (a.CODEMOD,)\n"
    )


def test_a_pack_that_names_its_modules_grows_by_one_line() -> None:
    before = 'MODULES = (\n    "gamma",  # first\n    "alpha",\n)\nCODEMODS = tuple(map(made, MODULES))\n'
    after = registered(before, "mine", "beta")
    assert after == before.replace('    "alpha",\n', '    "alpha",\n    "beta",\n')


def test_a_codemod_of_jaxfix_itself_is_one_line() -> None:
    before = Path(jaxfix_codemods.__file__).read_text()
    after = registered(before, "jaxfix_codemods", "a_new_one")
    assert after is not None
    assert set(after.splitlines()) - set(before.splitlines()) == {'    "a_new_one",'}
    assert len(after.splitlines()) == len(before.splitlines()) + 1
