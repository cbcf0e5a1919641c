"""Each codemod's program, repaired through the command line and proved by a rerun, as a user would do it."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jaxfix.drivers import installed
from jaxfix.drivers.cli.start import run
from jaxfix.report.evidence import Comparison, Counts, Evidence, Verdict
from jaxfix.report.finding import Proves
from jaxfix.report.wire import from_json, to_json
from jaxfix.testing import UPDATE, asked, unmarked
from jaxfix_codemods import CODEMODS

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
JAX = installed.version("jax", installed.search_path(None)) or ()
RERUN = {codemod.id.replace("-", "_"): codemod for codemod in CODEMODS if codemod.equality is not None}
NAMES = sorted(name for name in RERUN if (GOLDEN / name / "program.fixed.py").exists())

pytestmark = pytest.mark.evidence


LONG = frozenset({"boolean_mask", "host_sync", "legacy_parallelism"})
"""Those that take longest: their proofs are met in other tests."""


def programs() -> Iterator[Any]:
    """The program of each codemod; of those that prove the same, all but the smallest are slow, and the longest."""
    met = set[Proves]()
    for name in sorted(NAMES, key=lambda name: (GOLDEN / name / "program.py").stat().st_size):
        kind = RERUN[name].proves
        yield pytest.param(
            GOLDEN / name / "program.py", id=name, marks=[pytest.mark.slow] if kind in met or name in LONG else []
        )
        met.add(kind)


def git(*arguments: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *identity, *arguments], check=True, capture_output=True)


@pytest.mark.parametrize("program", list(programs()))
def test_the_program_is_repaired_proved_and_restored(
    program: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    if program.parent.name == "local_loop_function" and JAX < (0, 6, 1):
        pytest.skip("before jax 0.6.1 nothing is lifted into the carry of a loop that may be differentiated")
    monkeypatch.chdir(tmp_path)
    shutil.copy(program, "program.py")
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "start")

    own = program.parent.name.replace("_", "-")
    wished = [word for change in asked(program.read_bytes()) for word in change.value.split()]
    command = ["--run", f"{sys.executable} program.py", "--output-format", "json", *wished]
    code = run(["apply", "program.py", "--select", own, *command])

    document = json.loads(capfd.readouterr().out)
    assert code == 0, (document["errors"], [(e["line"], e["verdict"], e["reason"]) for e in document["evidence"]])
    assert unmarked(Path("program.py").read_bytes()) == program.with_name("program.fixed.py").read_bytes()
    found = [_counted(from_json(Evidence, entry)) for entry in document["evidence"]]  # the dearest first
    receipts = tuple(sorted(found, key=lambda entry: (entry.line, entry.codemod)))
    stored = program.with_name("program.evidence.json")
    if request.config.getoption(UPDATE):
        stored.write_text(json.dumps(to_json(receipts), indent=2) + "\n")
    expected = from_json(tuple[Evidence, ...], json.loads(stored.read_text()))
    assert [_shown(entry) for entry in receipts] == [_shown(entry) for entry in expected]
    assert {entry.verdict for entry in receipts} == {Verdict.PROVEN}

    assert run(["apply", "program.py", "--select", own, "--no-prove", "--allow-dirty"]) == 0
    assert unmarked(Path("program.py").read_bytes()) == program.with_name("program.fixed.py").read_bytes()
    assert run(["undo"]) == 0
    assert Path("program.py").read_bytes() == program.read_bytes()


def _placeless(reason: str) -> str:
    """Without the file that Python names where an import fails."""
    return re.sub(r" \(\S+\.py\)", "", reason)


def _counted(evidence: Evidence) -> Evidence:
    """The counts and the verdict: neither memory, which is noisy, nor the interpreter of this machine."""
    comparisons = tuple(
        replace(c, case="python program.py", before=_bare(c.before), after=_bare(c.after), reason=_placeless(c.reason))
        for c in evidence.comparisons
    )
    reason = _placeless(evidence.reason.replace(evidence.command, "python program.py"))
    known = evidence.environment
    ran = replace(known, interpreter=None) if known is not None else None  # none of a run that raises at once
    return replace(evidence, command="python program.py", comparisons=comparisons, reason=reason, environment=ran)


def _bare(counts: Counts) -> Counts:
    return replace(counts, rss_bytes=0.0, peak_bytes=0)


def _shown(evidence: Evidence) -> tuple[object, ...]:
    """What every version of jax agrees on: how many programs start-up compiles is not among it."""
    return (
        evidence.codemod,
        evidence.line,
        evidence.verdict,
        evidence.source_sha256,
        *(_drop(comparison, evidence.codemod in EAGER) for comparison in evidence.comparisons),
    )


EAGER = ("unjitted-update",)
"""What saves the programs of eager operations, of which versions of jax have more or less."""


def _drop(comparison: Comparison, by_operations: bool) -> tuple[int, int, int]:
    before, after = comparison.before, comparison.after
    saved = before.compiles - after.compiles
    return before.steady_compiles, after.steady_compiles, int(saved > 0) if by_operations else saved
