"""The part of the page that tells of generated programs, and what is kept of a breach."""

import difflib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks.safe.law import Judged
from benchmarks.safe.running import write
from benchmarks.safe.shards import Shard, summed


def lines(shards: Sequence[Shard]) -> list[str]:
    """What is said of the programs of these."""
    programs, fixed, by_codemod, tried, found, broken = summed(shards)
    seeds = Counter[int]()
    for each in shards:
        seeds[each.seed] += each.programs
    runs = " and ".join(f"`--programs {count} --seed {seed}`" for seed, count in sorted(seeds.items()))
    fixes = ", ".join(f"{count} of `{name}`" for name, count in sorted(by_codemod.items()))
    breaches = sum(len(each.broken) for each in shards)
    return [
        "## What is called safe",
        "",
        f"`python -m benchmarks.safe` with {runs}: random",
        "programs, run unchanged and after `apply --no-prove`: equal values, bits, dtypes, weak types, exceptions,",
        "standard output and error, or the law is broken. Of a program that breaks it, the classes of its smallest",
        "form are counted. Line numbers, names of functions and their source are not compared: a function that moves",
        "has others.",
        "",
        f"* programs generated: **{programs}**",
        f"* with a SAFE fix: **{fixed}** ({fixes})",
        f"* that can be distinguished from their original: **{breaches}**",
        "",
        "| what is unusual about the program | programs | with a SAFE fix | breaches |",
        "|---|---|---|---|",
        *(f"| {name} | {count} | {found[name]} | {broken[name]} |" for name, count in sorted(tried.items())),
        "",
        "*Newest codemods*: a function of the program is one that `removed-api`, `growing-array`, `boolean-mask`,",
        "`separate-value-and-grad`, `element-reads`, `unrolled-loop`, `legacy-parallelism`, `key-reuse`, `host-sync`,",
        "`mapped-loop` or `captured-constant` finds. None of them claims that a fix is safe, and their finding has to",
        "leave the program unchanged.",
    ]


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
    write(breach.program.files, folder / "before")
    write(breach.fixed.files, folder / "after")
    (folder / "told").write_text(told(breach) + "\n")
