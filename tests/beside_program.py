"""A program that is run with another text than that on the disk: how its functions were called beside the originals."""

import sys
from pathlib import Path
from textwrap import dedent

from jaxfix.evidence.program import ProgramRunner
from jaxfix.report.measurement import Beside, Measurement

HEAD = """\
import functools
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
x = jnp.arange(1.0, 5.0)
"""


def measured(folder: Path, before: str, after: str, *functions: str, head: str = HEAD) -> Measurement:
    """A run of `after` where `before` is on the disk, both below `head`."""
    (folder / "program.py").write_text(head + dedent(before))
    runner = ProgramRunner(folder, f"{sys.executable} program.py", [("program.py", name) for name in functions])
    (measurement,) = runner.measure({"program.py": (head + dedent(after)).encode()})
    assert measurement.failure is None
    return measurement


def differs(pair: Beside) -> bool:
    return (pair.before.treedef, pair.before.leaves) != (pair.after.treedef, pair.after.leaves)


def differing(measurement: Measurement) -> dict[str, set[str]]:
    """How each function was called where it differed from its original."""
    found: dict[str, set[str]] = {}
    for pair in filter(differs, measurement.beside):
        found.setdefault(pair.function.rpartition(":")[2], set()).add(pair.how)
    return found
