"""Prints as JSON what the prover says of rewrites; `benchmarks.trust` writes that down.

python -m benchmarks.prover --json default-of-a-body  the judgements of the named rewrites, or of all

From the root of a clone, with `.[prove]` installed.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from benchmarks.prover.judging import Proof, Trial, judge, trials
from jaxfix.report.wire import to_json


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.prover", description=str(__doc__).partition("\n")[0])
    parser.add_argument("--json", nargs="*", metavar="NAME", required=True, help="rewrites; none named are all")
    names: list[str] = parser.parse_args().json
    every = list(trials())
    for unknown in sorted(set(names) - {trial.name for trial in every}):
        parser.error(f"there is no rewrite named `{unknown}`")
    judgements = judged([trial for trial in every if trial.name in names or not names])
    json.dump(to_json(tuple(judgements)), sys.stdout)


def judged(chosen: Sequence[Trial]) -> list[Proof]:
    with ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        found = []
        for number, judgement in enumerate(pool.map(judge, chosen), 1):
            found.append(judgement)
            print(f"{number}/{len(chosen)} {judgement.name}: {judgement.verdict.value}", file=sys.stderr, flush=True)
        return found


if __name__ == "__main__":
    main()
