"""Measures programs by other hands: as written, as a person made them faster, and by `jaxfix apply --run`.

python -m benchmarks.programs                        all of them: `docs/evidence/programs.md`
python -m benchmarks.programs sine dqn               a part, printed
python -m benchmarks.programs --mirror DIR           repositories from DIR/OWNER+NAME, bare, before any is fetched
python -m benchmarks.programs --known                measures nothing, writes the page from what is known
python -m benchmarks.programs learned --keep         a part, written into the page beside what is known of the others

From the root of a clone, with `.[bench]` and `benchmarks/programs/requirements.txt` installed, and with network. Takes
hours. What was measured is kept under `--work`, so a run that was ended goes on where it was; another jaxfix measures
again. There too stands `NAME/jaxfix.diff`, what jaxfix changed: it holds code of others, the page does not.
`docs/evidence/programs.json` has what the page shows, each program with the jaxfix that it was measured with.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import platformdirs

from benchmarks.ecosystem import own
from benchmarks.programs import page
from benchmarks.programs.catalogue import DATA, FRESH, Program, programs
from benchmarks.programs.measuring import Bench, Result, keep, known
from jaxfix.report.wire import from_json, to_json

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "evidence" / "programs.md"
KEPT = PAGE.with_suffix(".json")
CACHE = platformdirs.user_cache_path("jaxfix-benchmarks")

Section = Callable[[Sequence[Program], Sequence[Result], Mapping[tuple[str, str], page.Judgement]], Iterator[str]]


def main() -> None:
    options = _options()
    first, second = programs(DATA), programs(FRESH)
    bench = Bench(options.work, options.mirror, _commit(), own.digest(), options.rounds, options.limit)
    shown = known(KEPT)
    for program in (*first, *second):
        if not options.names or program.name in options.names:
            found = _measured(program, bench) if options.known else _result(program, bench, again=options.again)
            shown |= {program.name: found} if found is not None else {}
    if options.names and not options.keep:
        first, second = (tuple(one for one in some if one.name in options.names) for some in (first, second))
    text = "\n".join([*_lines(first, shown, page.lines), *_lines(second, shown, page.chosen_last), ""])
    if options.names and not options.keep:
        print(text)
        return
    PAGE.write_text(text)
    keep(KEPT, shown)
    print(PAGE.relative_to(ROOT))


def _lines(some: Sequence[Program], shown: Mapping[str, Result], section: Section) -> Iterator[str]:
    return section(some, [shown[program.name] for program in some if program.name in shown], page.judged())


def _result(program: Program, bench: Bench, *, again: bool) -> Result:
    """What is known of a program under `--work`, measured first where that is from another jaxfix."""
    found = _measured(program, bench)
    if found is not None and found.digest == bench.digest and not again:
        return found
    print(program.name, file=sys.stderr, flush=True)
    found = bench.measure(program, say=lambda line: print(f"  {line}", file=sys.stderr, flush=True))
    place = _place(program, bench)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps(to_json(found)))
    return found


def _measured(program: Program, bench: Bench) -> Result | None:
    """What is known of it under `--work`."""
    place = _place(program, bench)
    return from_json(Result, json.loads(place.read_text())) if place.exists() else None


def _place(program: Program, bench: Bench) -> Path:
    return bench.work / program.name / "result.json"


def _commit() -> str:
    done = subprocess.run(["git", "rev-parse", "--short=10", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.programs", description=str(__doc__).partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="measure these alone, and print")
    parser.add_argument("--mirror", type=Path, help="a folder of bare repositories, OWNER+NAME each")
    parser.add_argument("--work", type=Path, default=CACHE / "programs", help="where results are kept")
    parser.add_argument("--rounds", type=int, default=3, help="timed runs of each side, in turns")
    parser.add_argument("--limit", type=float, default=300, help="seconds for a run of a program")
    parser.add_argument("--known", action="store_true", help="measure nothing, write what is known")
    parser.add_argument("--keep", action="store_true", help="write the page, with what is known of the others")
    parser.add_argument("--again", action="store_true", help="measure what is known, too")
    return parser.parse_args()


if __name__ == "__main__":
    main()
