"""Runs the controlled programs, as they are and fixed: how often each compiles its step, and whether jaxfix finds why.

    python -m benchmarks.states [WORD ...]   a table, of the programs whose name has a word; exit status 1 where one of
                                             them does not compile twice

Each run is a process of its own.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from benchmarks.states.finding import expected, fixed, found
from benchmarks.states.programs import PROGRAMS, Program
from benchmarks.states.seen import SEEN


def compiles(program: Program, files: Mapping[str, str]) -> int:
    """How often the program compiles its step, with these files."""
    environ = {**os.environ, "JAX_LOG_COMPILES": "1", "JAX_PLATFORMS": "cpu"}
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            (Path(folder) / name).write_text(text)
        command = [sys.executable, "main.py"]
        run = subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, timeout=120)
    if run.returncode:
        raise SystemExit(f"{program.name}: {run.stderr[-2000:]}")
    return sum(f"Compiling jit({program.compiled})" in line for line in run.stderr.splitlines())


def main() -> int:
    words = sys.argv[1:]
    chosen = [program for program in (*PROGRAMS, *SEEN) if not words or any(word in program.name for word in words)]
    wrong = hits = cured = 0
    for program in chosen:
        is_found = expected(program) in found(program)
        before, after = compiles(program, program.files), compiles(program, fixed(program))
        hits += is_found
        cured += after < before
        wrong += before < 2
        print(f"{before:3} -> {after} compiles  {'found' if is_found else '-':6}  {program.name}", flush=True)
    print(f"{hits} of {len(chosen)} found, {cured} compile less when fixed; {wrong} compile once")
    return int(bool(wrong))


sys.exit(main())
