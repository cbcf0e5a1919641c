"""Programs that a careless rewrite breaks: each is left alone, or rewritten to the same results.

A trap is a module with a function `out()`; `naive` is what a careless rewrite makes of it. One that says `sound` can
be rewritten and has to be, so that declining everything fails here. One that says `doubt` is rewritten with a proof
only: what all fixes make of it is the careless rewrite. One that says `safe` has to be rewritten without a proof.
"""

import json
import os
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from jaxfix.engine.plan import plan
from jaxfix.report.reason import Reason
from jaxfix.report.report import Patch
from jaxfix.semantic.codemod import Codemod
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.source.source_file import SourceFile
from jaxfix.testing import BESIDE, HELPERS, SEEN, asked
from jaxfix_codemods import CODEMODS

TRAPS = Path(__file__).resolve().parents[1] / "golden" / "_traps"
"""Of each codemod a file: a list of traps, each with a name, the lines of `source`, and in words what it is there for:
`guard`, `sound`, `doubt` or `safe`. `before` is the Python from which on the careless rewrite does no harm."""

PREAMBLE = (TRAPS / "preamble.txt").read_text()

RUN = """\
import json, sys
results = []
for source in json.load(sys.stdin):
    try:
        module = {"__name__": "trap"}
        exec(compile(source, "trap.py", "exec"), module)
        results.append(repr(module["out"]()))
    except Exception as error:
        results.append(f"raises {type(error).__name__}")
json.dump(results, sys.stdout)
"""


@dataclass(frozen=True)
class Trap:
    name: str
    codemod: str
    source: str
    naive: str | None
    sound: bool
    doubt: bool
    safe: bool

    @property
    def whole(self) -> Patch:
        """Every fix."""
        return plan(SourceFile.decode(self.name, self.source.encode()), CODEMODS, lambda fix: None, self.surroundings)

    @property
    def unproven(self) -> Patch:
        """What is written without a proof."""
        source = SourceFile.decode(self.name, self.source.encode())
        return plan(
            source,
            CODEMODS,
            lambda fix: None if fix.is_safe else Reason("no-evidence", "it needs a proof"),
            self.surroundings,
        )

    @property
    def surroundings(self) -> Surroundings:
        """A codemod that needs a run takes every array for one that the run has shown."""
        around = SEEN if any(each.id == self.codemod and each.notes for each in CODEMODS) else BESIDE
        return replace(around, asked=(*around.asked, *asked(self.source.encode())))

    @property
    def patch(self) -> Patch:
        return self.unproven if self.doubt else self.whole

    @property
    def careless(self) -> str | None:
        return self.whole.after.decode() if self.doubt else self.naive


def traps() -> tuple[Trap, ...]:
    found = []
    for path in sorted(TRAPS.glob("*.json")):
        codemod = path.stem.replace("_", "-")
        for trap in json.loads(path.read_text()):
            source, naive = (
                PREAMBLE + "\n".join([*trap[key], ""]) if key in trap else None for key in ("source", "naive")
            )
            if "before" in trap and sys.version_info >= tuple(trap["before"]):
                naive = None
            kinds = ("sound" in trap, "doubt" in trap, "safe" in trap)
            found.append(Trap(trap["name"], codemod, source or "", naive, *kinds))
    return tuple(found)


ALL = traps()
REWRITING = [c for c in CODEMODS if c.triggers and c.equality]  # those that runs alone feed only report


def run(sources: list[str], devices: int = 1) -> list[str]:
    """What `out()` of each module gives, all in one process that has so many devices."""
    flags = {"XLA_FLAGS": f"--xla_force_host_platform_device_count={devices}"}
    env = os.environ | {"JAX_PLATFORMS": "cpu", "PYTHONPATH": str(HELPERS.parent)} | flags
    done = subprocess.run(
        [sys.executable, "-c", RUN], input=json.dumps(sources), capture_output=True, text=True, env=env, check=True
    )
    results: list[str] = json.loads(done.stdout)
    return results


@pytest.mark.evidence
@pytest.mark.parametrize("codemod", REWRITING, ids=lambda codemod: codemod.id)
def test_traps_give_the_same_results_after_all_fixes_and_others_after_careless_rewrites(codemod: Codemod) -> None:
    own = [trap for trap in ALL if trap.codemod == codemod.id]
    careless = {trap.name: text for trap in own if (text := trap.careless) is not None}
    fixed = {trap.name: trap.patch.after.decode() for trap in own}
    sources = list(dict.fromkeys([*(t.source for t in own), *fixed.values(), *careless.values()]))
    devices = 8 if codemod.id == "legacy-parallelism" else 1
    gives = dict(zip(sources, run(sources, devices), strict=True))
    assert [trap.name for trap in own if gives[trap.source].startswith("raises")] == []
    assert {trap.name: gives[fixed[trap.name]] for trap in own} == {trap.name: gives[trap.source] for trap in own}
    assert [t.name for t in own if t.name in careless and gives[careless[t.name]] == gives[t.source]] == []


@pytest.mark.parametrize("trap", [trap for trap in ALL if trap.sound], ids=lambda trap: trap.name)
def test_what_is_sound_is_fixed(trap: Trap) -> None:
    assert trap.codemod in [fix.codemod for fix in trap.patch.applied]  # others may have something to mend too


@pytest.mark.parametrize("trap", [trap for trap in ALL if trap.safe], ids=lambda trap: trap.name)
def test_what_is_safe_is_fixed_without_a_proof(trap: Trap) -> None:
    assert trap.codemod in [fix.codemod for fix in trap.unproven.applied]


@pytest.mark.parametrize("codemod", REWRITING, ids=lambda codemod: codemod.id)
def test_every_codemod_that_rewrites_has_traps_and_sound_variants(codemod: Codemod) -> None:
    own = [trap for trap in ALL if trap.codemod == codemod.id]
    assert sum(trap.sound for trap in own) >= 2
    assert sum(not trap.sound for trap in own) >= 2
