"""Writes `docs/evidence/trust.md` and `docs/evidence/prover.md`: whether SAFE and PROVEN hold.

python -m benchmarks.trust                     all that the sources of today have not been judged by, which takes hours
python -m benchmarks.trust rounding prover     these parts of it: rounding, prover, safe, fixes, strangers
python -m benchmarks.trust prover --only WORD  what has one of these words in its name, judged again
python -m benchmarks.trust --pages             judges nothing, and writes the pages from what is known

From the root of a clone, with `.[prove]`, pytest and optax installed. What was judged is in
`docs/evidence/trust.jsonl`, so that a run that was cut off goes on where it stopped. Programs run on the processor,
if `JAX_PLATFORMS` does not say otherwise.
"""

import argparse
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path

os.environ["JAXFIX_WORKERS"] = "1"
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jaxfix_codemods
from benchmarks.trust import page
from benchmarks.trust.ledger import ROOT, Entry, Ledger, build
from benchmarks.trust.parts import PARTS, Part, judged

if not Path(jaxfix_codemods.__file__).is_relative_to(ROOT):
    sys.exit(f"the codemods are those of {jaxfix_codemods.__file__}: put those of this clone first in PYTHONPATH")
LEDGER = ROOT / "docs" / "evidence" / "trust.jsonl"
_AT_ONCE = 20
"""What one process judges: what is imported and compiled for it stays in its memory."""


def main() -> None:
    options = _options()
    ledger = Ledger(LEDGER)
    chosen = [part for part in PARTS if part.name in options.parts or not options.parts]
    work = [] if options.pages else [(part.name, name) for part in chosen for name in _left(part, ledger, options.only)]
    builds = {part.name: build(*part.decided_by) for part in PARTS}
    for number, ((part, name), found) in enumerate(_judged(work, options.workers), 1):
        ledger.add(Entry(part, name, builds[part], found, datetime.now(UTC).date().isoformat()))
        print(f"{number}/{len(work)} {part}: {name}: {found.get('verdict', '')}", file=sys.stderr, flush=True)
        page.write(ledger, builds)
    ledger.compact()
    page.write(ledger, builds)
    sys.exit(not page.is_as_expected(ledger))


def _left(part: Part, ledger: Ledger, words: list[str]) -> Iterator[str]:
    """What is to be judged: the named, else what the sources of today have not been judged by."""
    names = part.names()
    known = ledger.of(part.name, names)
    today = build(*part.decided_by)
    for name in names:
        is_known = name in known and known[name].build == today
        if any(word in name for word in words) or (not words and not is_known):
            yield name


def _judged(work: list[tuple[str, str]], workers: int) -> Iterator[tuple[tuple[str, str], dict[str, object]]]:
    """Each with what came of it, in new processes after some: `max_tasks_per_child` waits for ever on Python 3.11.

    In processes and not in threads: the processor time of a proof is that of the children of its process.
    """
    for start in range(0, len(work), workers * _AT_ONCE):
        some = work[start : start + workers * _AT_ONCE]
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            try:
                yield from zip(some, pool.map(judged, some), strict=True)
            finally:  # a run that is cut off waits for no more than what it is at
                pool.shutdown(wait=False, cancel_futures=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", choices=[*(part.name for part in PARTS), []])
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD")
    parser.add_argument("--pages", action="store_true", help="judge nothing")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
