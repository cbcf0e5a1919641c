"""Drives cases once and as they are: `python -m benchmarks.plain_pass CASES.json PROCESSORS`.

What a proof of optimizers costs is a multiple of this: importing jax and the package, and in a child for each case the
same steps on the same data. Nothing is observed, compared or written; the children share a compilation cache that is
empty at first, as those of a proof do.
"""

import importlib
import json
import os
import sys
import tempfile
from pathlib import Path

from jaxfix.evidence.optimizers import STEPS
from jaxfix.evidence.probe import settled
from jaxfix.evidence.probe.solvers import driven, set_up


def drive(package: str, factory: str, mode: str, dtype: str, way: str) -> None:
    """Runs a case in this process."""
    jax = importlib.import_module("jax")
    dtype, _, is_wide = dtype.partition(" under ")
    if is_wide:
        jax.config.update("jax_enable_x64", True)
    what = driven(factory, set_up(package, way, dtype, jitted=mode != "eager", looped=mode == "loop"))
    what.start()
    for _ in range(STEPS):
        what.draw()
        returned = what.step()
        jax.block_until_ready(returned)
        what.settle(returned)


def _child(package: str, case: list[str]) -> int:
    pid = os.fork()
    if pid == 0:
        sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115
        try:
            drive(package, *case)
        finally:
            os._exit(0)  # a case that raises has run as far as it does in a proof
    return pid


def main() -> None:
    asked, processors = json.loads(Path(sys.argv[1]).read_text()), int(sys.argv[2])
    settled.settle()
    with tempfile.TemporaryDirectory() as cache:
        os.environ |= {
            "JAX_ENABLE_COMPILATION_CACHE": "true",
            "JAX_COMPILATION_CACHE_DIR": cache,
            "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
            "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
        }
        importlib.import_module(asked["package"])
        waiting, running = list(asked["cases"]), set[int]()
        while waiting or running:
            while waiting and len(running) < processors:
                running.add(_child(asked["package"], waiting.pop(0)))
            running.discard(os.wait()[0])


if __name__ == "__main__":
    main()
