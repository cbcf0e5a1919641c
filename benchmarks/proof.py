"""Writes `docs/evidence/proof.md`, part by part: `python -m benchmarks.proof [PART ...]`.

Parts: the diffs by other hands, what proofs cost, a cluster with a killed worker, a killed proof that resumes, Slurm.
All of them take about half an hour on a quiet machine with two processors. A part that fails, as Slurm does where it is
not installed, leaves its section unchanged; the others are written.
"""

import argparse
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PARTS = {
    "changes": "benchmarks.prover.changes",
    "cost": "benchmarks.proof_cost",
    "fleet": "benchmarks.fleet",
    "resumed": "benchmarks.proof_resumed",
    "slurm": "benchmarks.slurm",
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("parts", nargs="*", default=list(PARTS), choices=[*PARTS, []])
    failed = [part for part in parser.parse_args().parts if not is_written(part)]
    if failed:
        print(f"unchanged, as they failed: {', '.join(failed)}", file=sys.stderr)
    return int(bool(failed))


def is_written(part: str) -> bool:
    """Whether the command of the part ended well."""
    return subprocess.run([sys.executable, "-m", PARTS[part]], cwd=ROOT, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
