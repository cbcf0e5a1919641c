"""What `check` says of findings that depend on callers, and in which order it says it."""

import json
from pathlib import Path

import pytest
from command_line import Cli

from jaxfix.render import text
from jaxfix.render.paint import plain
from jaxfix.report.finding import Confidence
from jaxfix.report.report import Diagnostic, Seen
from jaxfix.report.wire import from_json

SOLVER = """\
import jax


def solve(x, rate):
    def body(i, value):
        return value * rate

    return jax.lax.fori_loop(0, 10, body, x)
"""
LOOP = "\n\nfor step in range(9):\n    x = solve(1.0, step)\n"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package below `src`, of which nothing in the project calls anything."""
    folder = tmp_path / "src" / "solvers"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "fixed.py").write_text(SOLVER)
    monkeypatch.chdir(tmp_path)
    return folder


def test_a_possible_finding_says_what_would_make_it_certain(package: Path, cli: Cli) -> None:
    line, *_ = cli("check", "--all").out.splitlines()
    assert line.endswith("; certain if `solve` is called eagerly, again and again")
    document = json.loads(cli("check", "--all", "--output-format", "json").out)
    assert [entry["certain_if"] for entry in document["findings"]] == ["`solve` is called eagerly, again and again"]


def test_a_certain_one_does_not(package: Path, cli: Cli) -> None:
    (package / "fixed.py").write_text(SOLVER + LOOP)
    done = cli("check")
    assert done.code == 1 and "local-loop-function" in done.out and "certain if" not in done.out


def test_a_library_sees_what_depends_on_callers_and_does_not_fail(package: Path, cli: Cli) -> None:
    assert cli("check").out == ""
    (package.parents[1] / "pyproject.toml").write_text('[build-system]\nrequires = ["hatchling"]\n')
    done = cli("check", "--no-cache")
    assert "certain if `solve` is called eagerly" in done.out
    assert done.code == 0 and "--all" not in done.err
    assert cli("check", "--all").code == 1


def test_scripts_of_a_project_that_is_built_are_no_library(package: Path, cli: Cli) -> None:
    (package.parents[1] / "pyproject.toml").write_text('[build-system]\nrequires = ["hatchling"]\n')
    (package.parents[1] / "script.py").write_text(SOLVER)
    assert "script.py" not in cli("check", "--no-cache").out


def test_the_dearest_comes_first_then_what_is_certain(package: Path, cli: Cli) -> None:
    found = json.loads(cli("check", "--all", "--output-format", "json").out)["findings"][0]
    base = from_json(Diagnostic, {**_blank(), "id": found["id"], "path": "a.py"})
    several = [
        _at(base, 1, Confidence.POSSIBLE, None),
        _at(base, 2, Confidence.CERTAIN, None),
        _at(base, 3, Confidence.SEEN, 1.0),
        _at(base, 4, Confidence.SEEN, 9.0),
    ]
    told = text.findings(several, plain).splitlines()
    assert [line.split(":")[1] for line in told] == ["4", "3", "2", "1"]


def _at(base: Diagnostic, line: int, confidence: Confidence, seconds: float | None) -> Diagnostic:
    from dataclasses import replace

    return replace(base, line=line, confidence=confidence, seen=None if seconds is None else Seen(1, seconds))


def _blank() -> dict[str, object]:
    anchor = {"function": "f", "text": "x", "digest": "0"}
    places = dict.fromkeys(("line", "column", "end_line", "end_column"), 1)
    words = {"message": "m", "title": "t", "key": "k", "confidence": "certain", "safety": "safe"}
    return {**places, **words, "fixable": True, "declined": None, "anchor": anchor}
