"""Runs a program and counts what compiles between the lines that it prints, each of which ends a step.

python measure.py RESULT PROGRAM ARGUMENT...

Stands alone: it is run by the interpreter that the program needs.
"""

import builtins
import json
import os
import runpy
import sys
import time
from typing import Any

COMPILE = "/jax/core/compile/backend_compile_duration"


def resident_bytes() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def peak_bytes() -> int:
    """The high-water mark of this process; `ru_maxrss` would start at that of the one that started it."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM:"))


def run(program: str, arguments: list[str]) -> dict[str, Any]:
    import jax
    from jax import monitoring

    compiled: list[str] = []
    lines: list[dict[str, Any]] = []

    def count(name: str, seconds: float, **about: Any) -> None:
        if name == COMPILE:
            compiled.append(str(about.get("fun_name", "")))

    def step(*words: Any, **options: Any) -> None:
        said = {"text": " ".join(map(str, words)), "compiles": len(compiled), "rss": resident_bytes()}
        lines.append(said | {"time": time.perf_counter()})

    monitoring.register_event_duration_secs_listener(count)
    jax.clear_caches()
    failure, shown = None, builtins.print
    sys.argv = [program, *arguments]
    sys.path[0] = os.path.dirname(os.path.abspath(program))
    builtins.print = step
    try:
        runpy.run_path(program, run_name="__main__")
    except Exception as error:  # what the program raises is what is asked for
        failure = f"{type(error).__name__}: {error}"
    finally:
        builtins.print = shown
    peak = peak_bytes()
    return {"lines": lines, "compiled": compiled, "peak": peak, "failure": failure, "jax": jax.__version__}


def main() -> None:
    result, program, *arguments = sys.argv[1:]
    found = run(program, arguments)
    with open(result, "w") as file:
        json.dump(found, file)


if __name__ == "__main__":
    main()
