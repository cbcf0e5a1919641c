"""Rewrites of programs, and what the prover says of them."""

import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.prover.cases import cases
from benchmarks.prover.changes import diff_of, proved
from benchmarks.rounding.judging import Timed
from jaxfix.drivers.workflow.change_proof import CHANGE
from jaxfix.engine.plan import plan
from jaxfix.evidence.changed import MODULE, differences
from jaxfix.evidence.program import ProgramRunner
from jaxfix.evidence.prove import prove
from jaxfix.report.evidence import Evidence, Level, Verdict
from jaxfix.report.finding import Equality, Fix, Safety
from jaxfix.source.edits import Edit, Span
from jaxfix.source.source_file import SourceFile
from jaxfix.testing import BESIDE, HELPERS
from jaxfix_codemods import CODEMODS

ROOT = Path(__file__).resolve().parents[2]
TRAPS = ROOT / "golden" / "_traps"
PROGRAMS = Path(__file__).with_name("programs.json")
HEAD = ["import jax", "import jax.numpy as jnp", "import numpy as np", "import trap"]
OWN = "\n".join([*HEAD, "print(trap.out())", ""])
"""The program of a trap, which shows what a careless rewrite breaks."""
BY_CLASS = (
    *("effects", "inputs", "contexts", "returned", "strangers", "later", "after", "right_after"),
    *("doubts", "right_doubts", "doubts_later", "own_changes", "own_right", "hidden"),
    *("hurried", "right_hurried", "integers"),
)
"""Files of rewrites that say what each breaks, or that nothing is broken."""
_PROMISED = {"drifting-state-dtype": Equality.CONVERGED.name}
"""What the fix of a program promises where the codemod promises other things for other fixes."""
_OTHERWISE = ("key-reuse", "legacy-parallelism", "python-counter", "ragged-batch", "removed-api", "undonated-state")
"""Of whose programs the fix alone says what it proves: the end of an error, less memory, or what the user asked for.

Their receipts are beside the goldens, and `tests/test_program_evidence.py` makes them again.
"""


@dataclass(frozen=True, slots=True)
class Trial:
    """A rewrite to be judged by the run of a program.

    Attributes:
      source: the module `trap`, and `rewritten` the same after the rewrite.
      program: what is run; imports `trap`.
      kind: `own`, `plain`, `silent` or `right`; of others the class of what they break.
      others: the other files of the project, name and text.
      function: the rewritten one, where the two texts do not tell.
      promise: the name of an `Equality`, where it is not that of the codemod.
    """

    name: str
    codemod: str
    kind: str
    source: str
    rewritten: str
    program: str
    others: tuple[tuple[str, str], ...] = ()
    function: str = ""
    promise: str = ""


@dataclass(frozen=True, slots=True)
class Proof:
    """What the prover said of a rewrite; `functions` are those that it changes.

    Attributes:
      multiple: the processor time of the proof, in runs of the unchanged program.
    """

    name: str
    codemod: str
    kind: str
    functions: tuple[str, ...]
    verdict: Verdict
    reason: str
    level: Level | None
    multiple: float


def trials() -> Iterator[Trial]:
    """Every careless rewrite with its own program and with a plain one, then every right rewrite."""
    programs, preamble = json.loads(PROGRAMS.read_text()), (TRAPS / "preamble.txt").read_text()
    every = [(path, trap) for path in sorted(TRAPS.glob("*.json")) for trap in json.loads(path.read_text())]
    for path, trap in every:
        codemod = path.stem.replace("_", "-")
        source, naive = (preamble + "\n".join([*trap[p], ""]) if p in trap else "" for p in ("source", "naive"))
        if naive:
            yield Trial(trap["name"], codemod, "own", source, naive, OWN)
        if trap["name"] in programs:
            plain = "\n".join([*HEAD, *programs[trap["name"]], ""])
            yield Trial(trap["name"], codemod, "plain", source, naive, plain)
        if "sound" in trap:
            trap_py = SourceFile.decode("trap.py", source.encode())
            right = plan(trap_py, CODEMODS, lambda fix: None, BESIDE).after.decode()
            yield Trial(trap["name"], codemod, "right", source, right, OWN)
    for program in sorted(ROOT.glob("golden/[!_]*/program.py")):
        fixed = program.with_name("program.fixed.py")
        codemod = program.parent.name.replace("_", "-")
        if not fixed.exists() or codemod in _OTHERWISE:
            continue
        run, texts = (
            "import runpy\nrunpy.run_module('trap', run_name='__main__')\n",
            (program.read_text(), fixed.read_text()),
        )
        yield Trial(f"{codemod}, program", codemod, "right", *texts, run, promise=_PROMISED.get(codemod, ""))
    for kind, file in (("silent", "wrong"), *((file, file) for file in BY_CLASS), ("right", "right")):
        for case in cases(file):
            texts = case.source, case.rewritten, case.program
            yield Trial(case.name, case.codemod, case.kind or kind, *texts, case.others, case.function, case.promise)


def judge(trial: Trial) -> Proof:
    """What the prover says of the rewrite, as if a codemod had made it; of a change what `jaxfix prove` says."""
    if trial.codemod == CHANGE:
        return _judged_as_change(trial)
    functions = (trial.function,) if trial.function else changed(trial.source, trial.rewritten)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, HELPERS.name).write_bytes(HELPERS.read_bytes())
        Path(folder, "trap.py").write_text(trial.source)
        for file, text in (("main.py", trial.program), *trial.others):
            Path(folder, file).write_text(text)
        runner = Timed(Path(folder), f"{sys.executable} main.py", [("trap.py", functions[0])])
        (receipt,) = receipts(trial, functions[0], runner)
    reason = receipt.reason.replace(f"{sys.executable} main.py: ", "").replace(f"{Path(folder).resolve()}{os.sep}", "")
    level = next((entry.level for entry in receipt.comparisons if entry.level), None)
    return Proof(trial.name, trial.codemod, trial.kind, functions, receipt.verdict, reason, level, runner.multiple)


def _judged_as_change(trial: Trial) -> Proof:
    texts = {"trap.py": trial.source, "main.py": trial.program, **dict(trial.others)}
    more = ("--rounding",) if trial.promise == Equality.ROUNDING.name else ()
    found = proved(texts, diff_of(trial.source, trial.rewritten), *more)
    level = Level(found["level"]) if found["level"] else None
    functions = tuple(entry["key"].partition(":")[2] for entry in found["evidence"])
    reason = found["reason"].replace(f"{sys.executable} main.py: ", "")
    return Proof(trial.name, CHANGE, trial.kind, functions, Verdict(found["verdict"]), reason, level, 0.0)


def receipts(trial: Trial, function: str, runner: ProgramRunner) -> tuple[Evidence, ...]:
    own = next((codemod for codemod in CODEMODS if codemod.id == trial.codemod), None)
    equality = (Equality[trial.promise] if trial.promise else own and own.equality) or Equality.BITWISE
    whole = Edit(Span(0, len(trial.source.encode())), trial.rewritten)
    fix = Fix(
        trial.name, trial.codemod, "Rewrite", whole.span, (whole,), Safety.NEEDS_EVIDENCE, equality, None, function
    )
    if own is not None:
        fix = replace(fix, raises=own.raises, proves=own.proves)

    def patched(fixes: frozenset[tuple[str, str]]) -> Mapping[str, bytes]:
        return {"trap.py": trial.rewritten.encode()} if fixes else {}

    return prove([("trap.py", fix, 1)], patched, runner, lambda phrase: None).receipts


def changed(before: str, after: str) -> tuple[str, ...]:
    """The qualified names of the functions that both texts define and define differently; the outermost first."""
    found = differences("trap.py", before, after).changed
    return tuple(name for name in found if name != MODULE) or (MODULE,)
