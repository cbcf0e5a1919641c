"""What a proof costs beside the runs of the program: `python benchmarks/proof_cost.py`.

Prints how often the program is run, and processor time as multiples of one plain run of it: of `jaxfix apply --run` as
a whole, and of what is left when its runs are taken away. Processor time of all children, the best of several rounds.
"""

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = Path(__file__).parents[1] / "golden" / "local_loop_function" / "program.py"
COUNTER = "import pathlib, os\npathlib.Path(os.environ['COUNT_RUNS']).open('a').write('x')\n"


def cpu_s(words: list[str], cwd: Path, environment: dict[str, str]) -> float:
    """Processor seconds of a command and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, cwd=cwd, env=environment, check=False, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measured(rounds: int) -> tuple[float, float, int]:
    """Seconds of the program, seconds of the apply, and how often the apply ran the program."""
    with tempfile.TemporaryDirectory() as name:
        folder, count = Path(name) / "project", Path(name) / "runs"
        folder.mkdir()
        (folder / "train.py").write_text(COUNTER + PROGRAM.read_text())
        environment = {**os.environ, "COUNT_RUNS": str(count), "JAX_ENABLE_COMPILATION_CACHE": "false"}
        command = f"{shutil.which(sys.executable)} train.py"
        apply = [sys.executable, "-m", "jaxfix", "apply", "train.py", "--run", command, "--diff"]
        plain = min(cpu_s([sys.executable, "train.py"], folder, environment) for _ in range(rounds))
        count.unlink()
        whole = min(cpu_s(apply, folder, environment) for _ in range(rounds))
        return plain, whole, len(count.read_text()) // rounds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    plain, whole, runs = measured(parser.parse_args().rounds)
    print(f"one file, one fix: the program is run {runs} times")
    print(f"apply --run / one plain run of the program: {whole / plain:.2f}")
    print(f"beside its {runs} runs: {(whole - runs * plain) / plain:.2f} of one run, {whole - runs * plain:.2f} s here")


if __name__ == "__main__":
    main()
