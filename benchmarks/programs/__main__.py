"""Measures programs by other hands: as written, as a person made them faster, and by `jaxfix apply --run`.

python -m benchmarks.programs                        all of them: `docs/evidence/programs.md`
python -m benchmarks.programs sine dqn               a part, printed
python -m benchmarks.programs --mirror DIR           repositories from DIR/OWNER+NAME, bare, before any is fetched
python -m benchmarks.programs --known                measures nothing, shows what is known

From the root of a clone, with `.[bench]` and `benchmarks/programs/requirements.txt` installed, and with network. Takes
hours. What was measured is kept under `--work`, so a run that was ended goes on where it was; another jaxfix measures
again. There too stands `NAME/jaxfix.diff`, what jaxfix changed: it holds code of others, the page does not.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

import platformdirs

from benchmarks.ecosystem import own
from benchmarks.programs import page
from benchmarks.programs.catalogue import DATA, FRESH, Program, programs
from benchmarks.programs.measuring import Bench, Result
from jaxfix.report.wire import from_json, to_json

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "evidence" / "programs.md"
CACHE = platformdirs.user_cache_path("jaxfix-benchmarks")


def main() -> None:
    options = _options()
    first, second = (
        [program for program in programs(folder) if not options.names or program.name in options.names]
        for folder in (DATA, FRESH)
    )
    bench = Bench(options.work, options.mirror, _commit(), own.digest(), options.rounds, options.limit)
    results = [found for program in (*first, *second) if (found := _result(program, bench, options)) is not None]
    chosen_last = {program.name for program in second}
    known = [result for result in results if result.name not in chosen_last]
    fresh = [result for result in results if result.name in chosen_last]
    judged = page.judged()
    text = "\n".join([*page.lines(first, known, judged), *page.chosen_last(second, fresh, judged), ""])
    if options.names:
        print(text)
    else:
        PAGE.write_text(text)
        print(PAGE.relative_to(ROOT))


def _result(program: Program, bench: Bench, options: argparse.Namespace) -> Result | None:
    """What is known of a program, measured first where that is from another jaxfix."""
    place = bench.work / program.name / "result.json"
    known = from_json(Result, json.loads(place.read_text())) if place.exists() else None
    if options.known or (known is not None and known.digest == bench.digest and not options.again):
        return known
    print(program.name, file=sys.stderr, flush=True)
    found = bench.measure(program, say=lambda line: print(f"  {line}", file=sys.stderr, flush=True))
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps(to_json(found)))
    return found


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
    parser.add_argument("--known", action="store_true", help="measure nothing, show what is known")
    parser.add_argument("--again", action="store_true", help="measure what is known, too")
    return parser.parse_args()


if __name__ == "__main__":
    main()
