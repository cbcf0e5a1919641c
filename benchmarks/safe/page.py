"""The part of the page that tells of generated programs, and what is kept of a breach."""

import difflib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks.safe.law import Judged
from benchmarks.safe.ledger import Ledger, summed
from benchmarks.safe.running import write as write_program

PAGE = Path(__file__).resolve().parents[2] / "docs" / "evidence" / "trust.md"
BEGINS, ENDS = "<!-- benchmarks.safe begins -->", "<!-- benchmarks.safe ends -->"


def lines(ledger: Ledger) -> list[str]:
    """The part of the page, without its markers."""
    programs, fixed, by_codemod, found, broken = summed(ledger.of_this_build())
    seeds = Counter[int]()
    for each in ledger.of_this_build():
        seeds[each.seed] += each.programs
    runs = " and ".join(f"`--programs {count} --seed {seed}`" for seed, count in sorted(seeds.items()))
    fixes = ", ".join(f"{count} of `{name}`" for name, count in sorted(by_codemod.items()))
    breaches = sum(len(each.broken) for each in ledger.of_this_build())
    return [
        "## What is called safe",
        "",
        f"Written by `python -m benchmarks.safe`, {runs}. Random",
        "programs, run as they are and after `apply --no-prove`: equal values, bits, dtypes, weak types, exceptions,",
        "standard output and error, or the law is broken. Of a program that breaks it, the classes of its smallest",
        "form are counted. Line numbers, names of functions and their source are not compared: a function that moves",
        "has others.",
        "",
        f"* programs generated: **{programs}**",
        f"* with a SAFE fix: **{fixed}** ({fixes})",
        f"* that can be told from their original: **{breaches}**",
        *_earlier(ledger),
        "",
        "| what is unusual about the program | with a fix | breaches |",
        "|---|---|---|",
        *(f"| {name} | {count} | {broken[name]} |" for name, count in sorted(found.items())),
    ]


def _earlier(ledger: Ledger) -> Iterator[str]:
    others = [*ledger.of_others()]
    if others:
        told = sum(len(each.broken) for each in others)
        programs, fixed, *_ = summed(iter(others))
        yield f"* generated for earlier states of the sources: {programs}, {fixed} with a SAFE fix, {told} told"


def write(found: list[str]) -> None:
    """Puts the part into the page, in place of what stood there."""
    text = PAGE.read_text()
    before, _, rest = text.partition(BEGINS)
    after = rest.partition(ENDS)[2] or "\n"
    PAGE.write_text(f"{before.rstrip()}\n\n{BEGINS}\n" + "\n".join(found) + f"\n{ENDS}{after}")


def told(judged: Judged) -> str:
    """A program, its fixes, and what both print, if they were run."""
    parts = [", ".join((*judged.program.marks, f"targets {' '.join(judged.program.targets)}"))]
    for name, text in judged.program.files.items():
        if name == "showing.py":
            continue
        fixed = judged.fixed.files[name]
        change = difflib.unified_diff(text.splitlines(), fixed.splitlines(), name, "fixed", lineterm="")
        parts += [f"--- {name}\n{text}", "\n".join(change)]
    if judged.after is not None:
        differ = difflib.unified_diff(
            judged.before.splitlines(), judged.after.splitlines(), "before", "after", lineterm=""
        )
        parts.append("\n".join(differ) or judged.before)
    return "\n".join(parts)


def keep(folder: Path, breach: Judged) -> None:
    """Writes a breach to a folder: both programs, and what they print."""
    write_program(breach.program.files, folder / "before")
    write_program(breach.fixed.files, folder / "after")
    (folder / "told").write_text(told(breach) + "\n")
