"""What `jaxfix --version` and `jaxfix --help` cost, as a ratio of the CPU time of `python -c pass`.

`python benchmarks/startup.py [RUNS]` prints the ratios of the best of RUNS (20 by default), the commands taking turns.
"""

import resource
import subprocess
import sys
from pathlib import Path

JAXFIX = str(Path(sys.executable).with_name("jaxfix"))
COMMANDS = {
    "python -c pass": (sys.executable, "-c", "pass"),
    "jaxfix --version": (JAXFIX, "--version"),
    "jaxfix --help": (JAXFIX, "--help"),
}


def cpu_seconds(command: tuple[str, ...]) -> float:
    """User and system time of one run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)  # `os.times` counts in hundredths of a second
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main(runs: int) -> None:
    best = dict.fromkeys(COMMANDS, float("inf"))
    for _ in range(runs):
        for name, command in COMMANDS.items():
            best[name] = min(best[name], cpu_seconds(command))
    floor = best["python -c pass"]
    for name, seconds in best.items():
        print(f"{name:16}  {1000 * seconds:6.1f} ms  {seconds / floor:5.2f} x")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
