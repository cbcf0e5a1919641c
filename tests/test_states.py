"""States that are compiled for twice, and other programs of one cause each: it is found whatever its names are."""

import subprocess
import sys
from dataclasses import replace

import pytest

from benchmarks.states.finding import expected, found
from benchmarks.states.programs import PROGRAMS, Program
from benchmarks.states.seen import SEEN
from jaxfix.engine.analyze import analyze
from jaxfix.report.trace.drifts import Drift
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.source.source_file import SourceFile
from jaxfix_codemods import CODEMODS


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_the_cause_is_found(program: Program) -> None:
    assert expected(program) in found(program)


@pytest.mark.parametrize("program", SEEN, ids=lambda program: program.name)
def test_what_a_run_has_seen_is_found_where_it_starts(program: Program) -> None:
    assert expected(program) in found(program)
    if program.drift is not None:
        assert expected(program) not in found(replace(program, drift=None))


TWO = """
import jax.numpy as jnp

def start(x):
    return {"mean": x, "best": jnp.asarray(jnp.inf), "low": jnp.zeros(()), "step": 0, "pair": (1.0, x)}

def other(x):
    return {"mean": x, "best": jnp.asarray(0.0), "lowest": jnp.asarray(0.0)}
"""


@pytest.mark.parametrize(
    ("name", "dtype", "is_found"),
    [
        ("state['lowest']", "float32", True),
        ("state[0][1]['lowest']", "float32", True),
        ("state.lowest", "float32", True),
        ("state['lowest']", "int32", False),
        ("state['best']", "float32", False),  # two places make one
        ("state['low']", "float32", False),  # strongly typed
        ("state['step']", "float32", False),
        ("state['gone']", "float32", False),
        ("state<lowest>", "float32", False),
        ("lowest", "float32", False),
        ("", "float32", False),
    ],
)
def test_a_part_that_a_run_names_is_found_where_one_place_makes_it(name: str, dtype: str, is_found: bool) -> None:
    around = Surroundings("begin", drifts=(Drift(name, dtype, is_here=True),))
    told = analyze(SourceFile.decode("begin.py", TWO.encode()), CODEMODS, surroundings=around).found
    assert [each.codemod.id for each in told] == ["weak-state"] * is_found


@pytest.mark.slow
def test_each_program_compiles_twice() -> None:
    """Three minutes: each is run."""
    subprocess.run([sys.executable, "-m", "benchmarks.states"], check=True)
