"""What a trace costs a program: `python benchmarks/trace_cost.py PYTHON...`.

Under each interpreter the same program runs with the trace and without, in turns, the best of several rounds: what a
compile costs by the number of leaves of its arguments, and what a call of a compiled function costs. Prints a page in
Markdown; `--write FILE` writes it instead.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jaxfix.evidence.trace import trace

PROGRAM = Path(__file__).resolve().parent / "trace" / "cost.py"
_EACH = (
    ("alone_s", "call of a compiled function, outside of a loop of steps"),
    ("in_its_loop_s", "call of a compiled function, in a loop of steps"),
    ("eager_s", "eager `x + x`"),
    ("element_s", "eager `x[1]`"),
    ("read_s", "`float(x)`"),
    ("put_s", "`jax.device_put(x)`"),
    ("python_s", "10,000 rounds of a loop in Python, in all threads"),
)
LEAVES = ("1", "10", "100", "1000")
# keeps its output in a file, for a trace leaves the standard output to the program
_RUNNER = "import contextlib, runpy, sys\nwith open(sys.argv.pop(1), 'w') as out, contextlib.redirect_stdout(out):\n"
_RUNNER += "    sys.argv.pop(0)\n    runpy.run_path(sys.argv[0], run_name='__main__')\n"


def measured(python: str, folder: Path, *, traced: bool) -> dict[str, Any]:
    """One run of the program, as it prints it."""
    (folder / "run.py").write_text(_RUNNER)
    words = (python, "run.py", "out.json", str(PROGRAM), *LEAVES)
    if traced:
        failure = trace(words, folder).failure
        if failure is not None:
            raise SystemExit(f"{python}: {failure}")
    else:
        subprocess.run(words, cwd=folder, check=True)
    found: dict[str, Any] = json.loads((folder / "out.json").read_text())
    return found


def best(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Each figure's least."""
    first = runs[0]
    return {
        name: best([run[name] for run in runs])
        if isinstance(value, dict)
        else None
        if value is None
        else min(run[name] for run in runs)
        for name, value in first.items()
    }


def section(python: str, rounds: int) -> Iterator[str]:
    """What it costs under one interpreter."""
    with tempfile.TemporaryDirectory() as name:
        runs = [[measured(python, Path(name), traced=traced) for traced in (False, True)] for _ in range(rounds)]
    plain, traced = (best([pair[index] for pair in runs]) for index in (0, 1))
    asked = "import sys, jax; print(f'jax {jax.__version__}, Python {sys.version.split()[0]}')"
    yield f"## {subprocess.run([python, '-c', asked], check=True, capture_output=True, text=True).stdout.strip()}"
    yield ""
    yield "| leaves | compile, ms | traced, ms | traced / plain | of it the handler, ms |"
    yield "|---|---|---|---|---|"
    for leaves in LEAVES:
        before, after = plain["leaves"][leaves], traced["leaves"][leaves]
        times = [1000 * value for value in (before["compile_s"], after["compile_s"], after["handler_s"])]
        yield f"| {leaves} | {times[0]:.1f} | {times[1]:.1f} | {times[1] / times[0]:.2f} | {times[2]:.2f} |"
    yield ""
    yield "| one of many | plain, us | traced, us | traced / plain |"
    yield "|---|---|---|---|"
    for name, told in _EACH:
        times = [1e6 * run["calls"][name] for run in (plain, traced)]
        yield f"| {told} | {times[0]:.2f} | {times[1]:.2f} | {times[1] / times[0]:.2f} |"
    yield ""


def page(pythons: list[str], rounds: int) -> Iterator[str]:
    """The lines of the page."""
    yield "# What a trace costs"
    yield ""
    yield "Written by `benchmarks/trace_cost.py`: the same program with the trace and without, in turns, the best"
    yield f"of {rounds}, in processor time of its thread, on a machine that others use too: trust ratios of a table."
    yield "A compile is the median of 15 of one line. The handler is what the probe does at a compile. In a loop"
    yield "of steps the time of an iteration is given, in which the trace notes time, memory and live arrays. The last"
    yield "line is of pure Python, with the thread that looks where the main thread is. On Python 3.11 all of the"
    yield "second table but its first line is under `sys.settrace`, which follows the loop that ran before."
    yield ""
    for python in pythons:
        yield from section(python, rounds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("pythons", nargs="*", metavar="PYTHON", default=[sys.executable])
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    text = "\n".join(page(options.pythons, options.rounds)).rstrip() + "\n"
    if options.write is None:
        print(text, end="")
    else:
        options.write.write_text(text)


if __name__ == "__main__":
    main()
