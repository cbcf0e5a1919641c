"""Throws programs at jaxfix that nobody meant for it, and writes down what comes of it.

python -m benchmarks.reliability                     a short run of everything, printed
python -m benchmarks.reliability --minutes 60        an hour of random programs, all corpora; writes the page
python -m benchmarks.reliability --only mutants --seed 7000 --minutes 5
python -m benchmarks.reliability --corpus PATH       other sources beside those of this Python; may be repeated
python -m benchmarks.reliability --show 12345        the mutant of that number, and the laws that it breaks
python -m benchmarks.reliability --only libraries --show 12345      the same of the sources that are installed

From the root of a clone. What is measured is kept in `docs/evidence/reliability.json`, part by part.
"""

import argparse
import itertools
import json
import os
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.reliability import corpus, growth, kill, page, programs, tasks
from benchmarks.reliability.crew import outcomes
from benchmarks.reliability.laws import examine
from benchmarks.reliability.tally import tallied
from jaxfix.report.wire import to_json
from jaxfix_codemods import CODEMODS

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "evidence" / "reliability.md"
_LIMIT_S = 300.0
"""For one task; what takes longer is a breach."""
_SHORT_S = 15.0


def main() -> None:
    options = _options()
    if options.show is not None:
        _show(options.show, of_libraries=options.only == ["libraries"])
        return
    kept = PAGE.with_suffix(".json")
    found: dict[str, object] = json.loads(kept.read_text()) if kept.exists() else {}
    for part in options.only:
        before = time.monotonic()
        result = PARTS[part](options)
        measured = {"seconds": round(time.monotonic() - before), "of": to_json(result)}
        found[part] = measured
        print("\n".join(page.PARTS[part](measured)))
        if options.minutes:
            kept.write_text(json.dumps(found, indent=1) + "\n")
    if options.minutes:
        PAGE.write_text("\n".join([*page.lines(found), "", *kill.section(), ""]))
        print(PAGE.relative_to(ROOT))


# --- random programs ----------------------------------------------------------------------------------------------


def _mutants(options: argparse.Namespace) -> object:
    numbers = _until(options, itertools.count(options.seed, tasks.AT_ONCE))
    return tallied("mutants", outcomes(tasks.some_mutants, numbers, workers=options.workers, limit_s=_LIMIT_S), _tell)


def _libraries(options: argparse.Namespace) -> object:
    numbers = _until(options, itertools.count(options.seed, tasks.AT_ONCE))
    done = outcomes(tasks.some_of_libraries, numbers, workers=options.workers, limit_s=_LIMIT_S)
    return tallied("torn and mutated", done, _tell)


def _strangers(options: argparse.Namespace) -> object:
    numbers = _until(options, itertools.count(options.seed))
    return tallied(
        "strangers", outcomes(tasks.some_strangers, numbers, workers=options.workers, limit_s=_LIMIT_S), _tell
    )


def _show(seed: int, *, of_libraries: bool) -> None:
    if of_libraries:
        path, raw = programs.torn_or_mutated(seed, programs.installed())
        said = str(path)
    else:
        raw, done = programs.mutant(seed, programs.own())
        said = ", ".join(done)
    sys.stdout.buffer.write(raw)
    examined = examine("mutant.py", raw, CODEMODS, variants=not of_libraries)
    print("", said, *examined.breaches, sep="\n", file=sys.stderr)


def _until(options: argparse.Namespace, numbers: Iterator[int]) -> Iterator[int]:
    """The numbers until the time is over."""
    end = time.monotonic() + (60 * options.minutes if options.minutes else _SHORT_S)
    return itertools.takewhile(lambda _: time.monotonic() < end, numbers)


# --- other people's files -----------------------------------------------------------------------------------------


def _corpora(options: argparse.Namespace) -> object:
    folders = [*corpus.here(), *options.corpus]
    found = []
    for folder in folders:
        paths = corpus.sources(folder, folders)
        done = outcomes(partial(tasks.a_file, folder), paths, workers=options.workers, limit_s=_LIMIT_S)
        tally = tallied(corpus.called(folder), done, _tell)
        command = corpus.commanded(folder) if options.minutes else None
        found.append({"files": tally, "command": command})
        for broken in command.broken if command else ():
            _tell(f"{tally.name}: {broken}")
    return [{name: to_json(part) for name, part in entry.items()} for entry in found]


# --- sizes --------------------------------------------------------------------------------------------------------


def _sizes(options: argparse.Namespace) -> object:
    return growth.measured(CODEMODS)


PARTS = {
    "sizes": _sizes,
    "corpora": _corpora,
    "libraries": _libraries,
    "mutants": _mutants,
    "strangers": _strangers,
}


def _tell(breach: str) -> None:
    print(breach, file=sys.stderr, flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, help="how long each kind of random programs is tried")
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(PARTS), help=", ".join(PARTS))
    parser.add_argument("--seed", type=int, default=0, help="the number of the first random program")
    parser.add_argument("--corpus", type=Path, action="append", default=[], help="a folder of sources")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--show", type=int, help="the number of a mutant")
    return parser.parse_args()


if __name__ == "__main__":
    main()
