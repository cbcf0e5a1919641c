"""Whether random programs differ from themselves with SAFE fixes; `benchmarks.trust` writes that down.

python -m benchmarks.safe --programs 2000 --seed 1    runs them, and prints what came of it
python -m benchmarks.safe --seed 1 --show 87          one of them, its fixes, and what both print
python -m benchmarks.safe --into FOLDER               keeps the smallest program of each breach there

From the root of a clone, with `.[prove]` and pytest installed.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

os.environ["JAXFIX_WORKERS"] = "1"
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jaxfix_codemods
from benchmarks.safe import page
from benchmarks.safe.grammar import generated
from benchmarks.safe.law import judged, smallest
from benchmarks.safe.shards import Shard, ranges, shard
from benchmarks.safe.tally import Tally, some_programs

if not Path(jaxfix_codemods.__file__).is_relative_to(Path.cwd()):
    sys.exit(f"the codemods are those of {jaxfix_codemods.__file__}: put those of this clone first in PYTHONPATH")
SHARDS_PER_PROCESS = 8
Work = tuple[int, range]


def main() -> None:
    options = _options()
    if options.show is not None:
        _show(options.seed, options.show)
        return
    shards: list[Shard] = []
    for each, some in _judged(ranges(options.seed, options.first, options.programs), options.workers):
        shards.append(shard(*each, some))
        for number, breach in some.breaches:
            print(f"{number}: {', '.join(breach.program.marks)}", file=sys.stderr, flush=True)
            if options.into is not None:
                page.keep(options.into / f"{options.seed}-{number}", breach)
    print("\n".join(page.lines(shards)))
    sys.exit(any(each.broken for each in shards))


def _judged(shards: list[Work], workers: int) -> Iterator[tuple[Work, Tally]]:
    """What came of each shard, in new processes after some: `max_tasks_per_child` waits for ever on Python 3.11."""
    at_once = workers * SHARDS_PER_PROCESS
    for start in range(0, len(shards), at_once):
        some = shards[start : start + at_once]
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            yield from zip(some, pool.map(some_programs, some), strict=True)


def _show(seed: int, number: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        found = judged(generated(seed, number), Path(folder))
        shown = smallest(found.program.choices, Path(folder)) if found.is_breach else found
    print(page.told(shown))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number of the first program")
    parser.add_argument("--show", type=int, help="the number of a program")
    parser.add_argument("--into", type=Path, help="a folder for what breaks the law")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
