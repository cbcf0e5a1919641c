"""Writes a part of `docs/evidence/trust.md`: whether random programs can be told from themselves with SAFE fixes.

python -m benchmarks.safe --programs 2000 --seed 1    runs them, and writes the page
python -m benchmarks.safe --ledger FILE               goes on where a run was cut off, and adds up what FILE holds
python -m benchmarks.safe --seed 1 --show 87          one of them, its fixes, and what both print
python -m benchmarks.safe --into FOLDER               keeps the smallest program of each breach there

From the root of a clone, with `.[prove]` and pytest installed.
"""

import argparse
import os
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

os.environ["JAXFIX_WORKERS"] = "1"
os.environ.setdefault("JAX_PLATFORMS", "cpu")

from benchmarks.safe import page
from benchmarks.safe.grammar import generated
from benchmarks.safe.law import judged, smallest
from benchmarks.safe.ledger import Ledger, shard
from benchmarks.safe.tally import some_programs

AT_ONCE = 25


def main() -> None:
    options = _options()
    if options.show is not None:
        _show(options.seed, options.show)
        return
    ledger = Ledger(options.ledger)
    numbers = range(options.first, options.first + options.programs)
    shards = [(options.seed, numbers[start : start + AT_ONCE]) for start in range(0, len(numbers), AT_ONCE)]
    shards = [each for each in shards if not ledger.has(*each)]
    with ProcessPoolExecutor(options.workers, mp_context=get_context("spawn"), max_tasks_per_child=8) as pool:
        for each, some in zip(shards, pool.map(some_programs, shards), strict=True):
            ledger.add(shard(*each, some))
            for number, breach in some.breaches:
                print(f"{number}: {', '.join(breach.program.marks)}", file=sys.stderr, flush=True)
                if options.into is not None:
                    page.keep(options.into / f"{options.seed}-{number}", breach)
    lines = page.lines(ledger)
    print("\n".join(lines))
    if not options.first and options.into is None:
        page.write(lines)
    sys.exit(any(each.broken for each in ledger.of_this_build()))


def _show(seed: int, number: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        found = judged(generated(seed, number), Path(folder))
        shown = smallest(found.program.choices, Path(folder)) if found.is_breach else found
    print(page.told(shown))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number of the first program; the page is not written")
    parser.add_argument("--show", type=int, help="the number of a program")
    parser.add_argument("--into", type=Path, help="a folder for what breaks the law; the page is not written")
    parser.add_argument("--ledger", type=Path, help="a file of what was judged, which is not judged again")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
