"""The part of the page that tells of generated programs, and what is kept of a breach."""

import difflib
from collections import Counter
from pathlib import Path

from benchmarks.safe.law import Judged
from benchmarks.safe.running import write as write_program
from benchmarks.safe.tally import Tally, classes

PAGE = Path(__file__).resolve().parents[2] / "docs" / "evidence" / "trust.md"
BEGINS, ENDS = "<!-- benchmarks.safe begins -->", "<!-- benchmarks.safe ends -->"


def lines(tally: Tally, seed: int, seconds: int) -> list[str]:
    """The part of the page, without its markers."""
    broken = Counter(name for _, breach in tally.breaches for name in classes(breach))
    fixes = ", ".join(f"{count} of `{name}`" for name, count in sorted(tally.fixes.items()))
    return [
        "## What is called safe",
        "",
        f"Written by `python -m benchmarks.safe --programs {tally.programs} --seed {seed}`, in {seconds} s. Random",
        "programs, run as they are and after `apply --no-prove`: equal values, bits, dtypes, weak types, exceptions,",
        "standard output and error, or the law is broken. Of a program that breaks it, the classes of its smallest",
        "form are counted. Line numbers, names of functions and their source are not compared: a function that moves",
        "has others.",
        "",
        f"* programs generated: **{tally.programs}**",
        f"* with a SAFE fix: **{tally.fixed}** ({fixes})",
        f"* that can be told from their original: **{len(tally.breaches)}**",
        "",
        "| what is unusual about the program | with a fix | breaches |",
        "|---|---|---|",
        *(f"| {name} | {count} | {broken[name]} |" for name, count in sorted(tally.classes.items())),
    ]


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
