"""Writes `docs/evidence/prover.md`: whether the prover refuses wrong rewrites, and only those.

python -m benchmarks.prover                         all of it, which takes some minutes
python -m benchmarks.prover --json default-of-a-body  the judgements of the named rewrites, or of all, printed

From the root of a clone, with `.[prove]` installed.
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from benchmarks.prover.cases import cases
from jaxfix.engine.plan import plan
from jaxfix.evidence.changed import MODULE, differences
from jaxfix.evidence.program import ProgramRunner
from jaxfix.evidence.prove import prove
from jaxfix.report.evidence import Evidence, Verdict
from jaxfix.report.finding import Equality, Fix, Safety
from jaxfix.report.wire import to_json
from jaxfix.source.edits import Edit, Span
from jaxfix.source.source_file import SourceFile
from jaxfix.testing import BESIDE, HELPERS
from jaxfix_codemods import CODEMODS

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "evidence" / "prover.md"
TRAPS = ROOT / "golden" / "_traps"
PROGRAMS = Path(__file__).with_name("programs.json")
HEAD = ["import jax", "import jax.numpy as jnp", "import numpy as np", "import trap"]
REFUSED = tuple(verdict for verdict in Verdict if verdict.is_refuted)
BY_CLASS = ("effects", "inputs", "contexts", "returned", "strangers", "later")
"""Files of wrong rewrites that say what each breaks."""


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
class Judgement:
    """What the prover said of a rewrite; `functions` are those that it changes."""

    name: str
    codemod: str
    kind: str
    functions: tuple[str, ...]
    verdict: Verdict
    reason: str


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.prover", description=str(__doc__).partition("\n")[0])
    parser.add_argument(
        "--json", nargs="*", metavar="NAME", help="print the judgements of the named rewrites, or of all; write nothing"
    )
    names: list[str] | None = parser.parse_args().json
    if names is not None:
        every = list(trials())
        for unknown in sorted(set(names) - {trial.name for trial in every}):
            parser.error(f"there is no rewrite named `{unknown}`")
        chosen = [trial for trial in every if trial.name in names or not names]
        json.dump(to_json(tuple(judged(chosen))), sys.stdout)
        return
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text("\n".join([*lines(judged(list(trials()))), ""]))
    print(PAGE.relative_to(ROOT))


def judged(chosen: Sequence[Trial]) -> list[Judgement]:
    with ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        found = []
        for number, judgement in enumerate(pool.map(judge, chosen), 1):
            found.append(judgement)
            print(f"{number}/{len(chosen)} {judgement.name}: {judgement.verdict.value}", file=sys.stderr, flush=True)
        return found


def trials() -> Iterator[Trial]:
    """Every careless rewrite with its own program and with a plain one, then every right rewrite."""
    programs, preamble = json.loads(PROGRAMS.read_text()), (TRAPS / "preamble.txt").read_text()
    every = [(path, trap) for path in sorted(TRAPS.glob("*.json")) for trap in json.loads(path.read_text())]
    for path, trap in every:
        codemod = path.stem.replace("_", "-")
        source, naive = (preamble + "\n".join([*trap[p], ""]) if p in trap else "" for p in ("source", "naive"))
        own = "\n".join([*HEAD, "print(trap.out())", ""])
        if naive:
            yield Trial(trap["name"], codemod, "own", source, naive, own)
        if trap["name"] in programs:
            plain = "\n".join([*HEAD, *programs[trap["name"]], ""])
            yield Trial(trap["name"], codemod, "plain", source, naive, plain)
        if "sound" in trap:
            trap_py = SourceFile.decode("trap.py", source.encode())
            right = plan(trap_py, CODEMODS, lambda fix: None, BESIDE).after.decode()
            yield Trial(trap["name"], codemod, "right", source, right, own)
    for program in sorted(ROOT.glob("golden/[!_]*/program.py")):
        fixed = program.with_name("program.fixed.py")
        if not fixed.exists():
            continue
        codemod = program.parent.name.replace("_", "-")
        run = "import runpy\nrunpy.run_module('trap', run_name='__main__')\n"
        yield Trial(f"{codemod}, program", codemod, "right", program.read_text(), fixed.read_text(), run)
    for kind, file in (("silent", "wrong"), *((file, file) for file in BY_CLASS), ("right", "right")):
        for case in cases(file):
            texts = case.source, case.rewritten, case.program
            yield Trial(case.name, case.codemod, case.kind or kind, *texts, case.others, case.function, case.promise)


def judge(trial: Trial) -> Judgement:
    """What the prover says of the rewrite, as if a codemod had made it."""
    functions = (trial.function,) if trial.function else changed(trial.source, trial.rewritten)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, HELPERS.name).write_bytes(HELPERS.read_bytes())
        Path(folder, "trap.py").write_text(trial.source)
        for file, text in (("main.py", trial.program), *trial.others):
            Path(folder, file).write_text(text)
        runner = ProgramRunner(Path(folder), f"{sys.executable} main.py", [("trap.py", functions[0])])
        (receipt,) = receipts(trial, functions[0], runner)
    reason = receipt.reason.replace(f"{sys.executable} main.py: ", "").replace(f"{Path(folder).resolve()}{os.sep}", "")
    return Judgement(trial.name, trial.codemod, trial.kind, functions, receipt.verdict, reason)


def receipts(trial: Trial, function: str, runner: ProgramRunner) -> tuple[Evidence, ...]:
    own = (codemod.equality for codemod in CODEMODS if codemod.id == trial.codemod)
    equality = Equality[trial.promise] if trial.promise else next(own, None) or Equality.BITWISE
    whole = Edit(Span(0, len(trial.source.encode())), trial.rewritten)
    fix = Fix(
        trial.name, trial.codemod, "Rewrite", whole.span, (whole,), Safety.NEEDS_EVIDENCE, equality, None, function
    )

    def patched(fixes: frozenset[tuple[str, str]]) -> Mapping[str, bytes]:
        return {"trap.py": trial.rewritten.encode()} if fixes else {}

    return prove([("trap.py", fix, 1)], patched, runner, lambda phrase: None).receipts


def changed(before: str, after: str) -> tuple[str, ...]:
    """The qualified names of the functions that both texts define and define differently; the outermost first."""
    found = differences("trap.py", before, after).changed
    return tuple(name for name in found if name != MODULE) or (MODULE,)


def lines(judgements: Sequence[Judgement]) -> Iterator[str]:
    named = {(entry.name, entry.kind): entry for entry in judgements}
    wrong = [entry for entry in judgements if entry.kind in ("own", "plain", "silent")]  # others are told by class
    right = [entry for entry in judgements if entry.kind == "right"]
    kinds = ("own", "plain", "silent")
    own, plain, silent = ([entry for entry in wrong if entry.kind == kind] for kind in kinds)
    proven = sum(entry.verdict is Verdict.PROVEN for entry in wrong)
    yield "# The prover, judged"
    yield ""
    yield "Written by `python -m benchmarks.prover`. A wrong rewrite is what a careless codemod makes of a program"
    yield "that was written to break it (`golden/_traps`). The prover sees each with its own program, made to show the"
    yield "difference, and with a plain one: it calls the function again and again with the same data, so that only the"
    yield "original beside it can tell. Others (`benchmarks/prover/wrong.txt`) have a plain program alone: what they"
    yield "break is state that the program never changes, data that it never has, or something that it never looks at."
    yield ""
    yield f"* wrong rewrites called proven: **{proven}** of {len(wrong)}"
    yield f"* refused as different or failed: {_refused(own)} of {len(own)} with their own program,"
    yield f"  {_refused(plain)} of {len(plain)} with a plain one; {_refused(silent)} of {len(silent)} of the others"
    yield f"* right rewrites refused: **{_refused(right)}** of {len(right)}"
    yield ""
    yield "## Wrong rewrites"
    yield ""
    yield "| trap | codemod | its own program | a plain program | what gave it away in the plain one |"
    yield "|---|---|---|---|---|"
    for entry in own:
        yield _row(entry, named.get((entry.name, "plain")))
    yield ""
    yield "## Wrong rewrites that their program does not show"
    yield ""
    yield "| rewrite | codemod | verdict | what gave it away |"
    yield "|---|---|---|---|"
    for entry in silent:
        yield f"| {entry.name} | `{entry.codemod}` | {entry.verdict.value} | {_cell(entry.reason)} |"
    yield ""
    yield "## Right rewrites"
    yield ""
    yield "| rewrite | codemod | verdict | reason |"
    yield "|---|---|---|---|"
    for entry in right:
        yield f"| {entry.name} | `{entry.codemod}` | {entry.verdict.value} | {_cell(entry.reason)} |"


def _row(own: Judgement, plain: Judgement | None) -> str:
    head = f"| {own.name} | `{own.codemod}` | {own.verdict.value}"
    if plain is None:
        function = "no function is rewritten" if own.functions == ("<module>",) else "the function takes no data"
        return f"{head} | | {function} |"
    return f"{head} | {plain.verdict.value} | {_cell(plain.reason)} |"


def _refused(entries: Sequence[Judgement]) -> int:
    return sum(entry.verdict in REFUSED for entry in entries)


def _cell(text: str) -> str:
    short = text if len(text) <= 140 else f"{text[:137]}..."
    return short.replace("|", "\\|")


if __name__ == "__main__":
    main()
