"""What a trace says of the same programs under several versions of jax.

`python benchmarks/trace_versions.py PYTHON...` prints a page in Markdown: for each program how many compiles each
interpreter had, of which lines, with which causes, and every difference by name, with its reason where it has one.
`--write FILE` writes it instead. `--only WORD` takes the programs whose path holds WORD.
"""

import argparse
import os
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from jaxfix.evidence.trace import trace
from jaxfix.report.measurement import Compile, Measurement

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = (
    *sorted(ROOT.glob("golden/*/program.py")),
    ROOT / "examples/train.py",
    ROOT / "benchmarks/trace/every_cause.py",
)
# Names that versions of jax give to one thing.
_ALIKE = (
    ("<unnamed wrapped function>", "<lambda>"),
    ("jit(<unnamed function>)", "jit(<lambda>)"),
    (", memory_kind=device", ""),
    (", memory_kind=unpinned_host", ""),
)

Event = tuple[int, str, str]
"""The line, the program and the cause of a compile, in words that versions of jax share."""


@dataclass(frozen=True, slots=True)
class Ran:
    """A program under one interpreter; `again` are its compiles of what had compiled before."""

    version: str
    events: tuple[Event, ...]

    @property
    def again(self) -> Counter[Event]:
        return Counter(event for event in self.events if not event[2].startswith("first compile"))


def ran(python: str, program: Path) -> Ran:
    """One trace of a copy of the program."""
    with tempfile.TemporaryDirectory() as name:
        shutil.copy(program, Path(name) / program.name)
        silent = os.dup(1)
        with open(os.devnull, "w", encoding="utf-8") as nothing:
            os.dup2(nothing.fileno(), 1)
            try:
                measured = trace((python, program.name), Path(name))
            finally:
                os.dup2(silent, 1)
                os.close(silent)
    if measured.failure is not None:
        raise SystemExit(f"{program} under {python}: {measured.failure}")
    return Ran(_version(measured), tuple(_event(entry) for entry in measured.compiles))


def _version(measured: Measurement) -> str:
    machine = measured.environment
    return f"jax {machine.jax}, Python {machine.python}" if machine else "nothing compiled"


def _event(entry: Compile) -> Event:
    words = entry.cause.words if entry.cause else ""
    program = entry.program
    for theirs, ours in _ALIKE:
        program, words = program.replace(theirs, ours), words.replace(theirs, ours)
    return entry.line, program, re.sub(r", and \d+ more$", "", words)


def page(pythons: list[str], programs: list[Path]) -> Iterator[str]:
    """The lines of the page."""
    found = {program: [ran(python, program) for python in pythons] for program in programs}
    versions = [one.version for one in next(iter(found.values()))]
    yield "# What a trace says under several versions of jax"
    yield ""
    yield "Written by `benchmarks/trace_versions.py`. A compile is the same where its line, its program and the words"
    yield "of its cause are; names that jax has changed are taken for one, and how much else differs is left out."
    yield "In parentheses: compiles of what had compiled before, the ones that a cure can save."
    yield ""
    yield f"| compiles (again) | {' | '.join(versions)} | lines with a second compile | their causes |"
    yield f"|---|{'---|' * (len(versions) + 2)}"
    for program, runs in found.items():
        counts = " | ".join(f"{len(one.events)} ({one.again.total()})" for one in runs)
        lines = {frozenset(line for line, _, _ in one.again) for one in runs}
        same = len({frozenset(one.again.items()) for one in runs}) == 1
        told = [
            program.relative_to(ROOT).as_posix(),
            *("the same" if one else "differ" for one in (len(lines) == 1, same)),
        ]
        yield f"| `{told[0]}` | {counts} | {told[1]} | {told[2]} |"
    yield ""
    yield "## Differences"
    yield ""
    yield f"| where | program | cause | {' | '.join(versions)} | reason |"
    yield f"|---|---|---|{'---|' * (len(versions) + 1)}"
    for program, runs in found.items():
        yield from _differences(program.relative_to(ROOT).as_posix(), [Counter(one.events) for one in runs])


def _differences(place: str, runs: list[Counter[Event]]) -> Iterator[str]:
    """A row for each compile that the versions do not share."""
    for line, name, words in sorted(set().union(*runs)):
        counts = [one[line, name, words] for one in runs]
        if len(set(counts)) > 1:
            numbers = " | ".join(map(str, counts))
            yield f"| `{place}:{line}` | `{name}` | {words} | {numbers} | {_reason(name, words)} |"


def _reason(name: str, words: str) -> str:
    """Why versions differ, where that is known."""
    if name == "jit(_fun)" or words.startswith("shape of argument"):
        return "`pmap` is a jit in one, and has a compiler of its own in the other"
    if words.startswith("first compile"):
        return "jax runs another operation of its own"
    return ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("pythons", nargs="*", metavar="PYTHON", default=[sys.executable])
    parser.add_argument("--write", type=Path)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    programs = [program for program in PROGRAMS if options.only in program.as_posix()]
    text = "\n".join(page(options.pythons, programs)) + "\n"
    if options.write is None:
        print(text, end="")
    else:
        options.write.write_text(text)


if __name__ == "__main__":
    main()
