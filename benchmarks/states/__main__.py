"""Runs the controlled programs: how often each compiles its step, and whether jaxfix finds why.

    python -m benchmarks.states [WORD ...]   a table, of the programs whose name has a word; exit status 1 where one of
                                             them does not compile twice

Each program is run once, in a process of its own.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.states.finding import expected, found
from benchmarks.states.programs import PROGRAMS, Program


def compiles(program: Program, folder: Path) -> int:
    """How often the program compiles its step."""
    for name, text in program.files.items():
        (folder / name).write_text(text)
    environ = {**os.environ, "JAX_LOG_COMPILES": "1", "JAX_PLATFORMS": "cpu"}
    command = [sys.executable, "main.py"]
    run = subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, check=True, timeout=120)
    return sum(f"Compiling jit({program.compiled})" in line for line in run.stderr.splitlines())


def main() -> int:
    chosen = [program for program in PROGRAMS if not sys.argv[1:] or any(word in program.name for word in sys.argv[1:])]
    wrong = hits = 0
    for program in chosen:
        with tempfile.TemporaryDirectory() as folder:
            count = compiles(program, Path(folder))
        is_found = expected(program) in found(program)
        hits += is_found
        wrong += count < 2
        print(f"{count:3} compiles  {'found' if is_found else '-':6}  {program.name}")
    print(f"{hits} of {len(chosen)} found; {wrong} compile once")
    return int(bool(wrong))


sys.exit(main())
