"""States that are compiled for twice, and other programs of one cause each: it is found whatever its names are."""

import subprocess
import sys
from dataclasses import replace

import pytest

from benchmarks.states.finding import expected, found
from benchmarks.states.programs import PROGRAMS, Program
from benchmarks.states.seen import SEEN
from jaxfix.engine.analyze import analyze
from jaxfix.report.trace.drifts import ANY_PART, Drift
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


PARTS = """
import jax.numpy as jnp

def bounds():
    return {"best": jnp.asarray(jnp.inf)}

def averages():
    return {"ema": jnp.asarray(0.0)}

def counts():
    count, level = levels()
    return {"count": count}

def levels():
    return jnp.zeros(()), jnp.asarray(1.0)
"""


def test_parts_of_one_state_that_a_run_has_seen_are_typed_by_one_fix() -> None:
    def typed(*drifts: Drift) -> list[tuple[str, ...]]:
        source, around = SourceFile.decode("begin.py", PARTS.encode()), Surroundings("begin", drifts=drifts)
        return [each.finding.leaves for each in analyze(source, CODEMODS, surroundings=around).found]

    best, ema = (
        Drift(f"state['{name}']", "float32", is_here=False, beside="state['best']") for name in ("best", "ema")
    )
    assert typed(best, ema) == [("state['best']", "state['ema']")]
    apart = replace(ema, beside="other['ema']")
    assert typed(best, apart) == [("state['best']",), ("state['ema']",)]


def test_a_variable_that_a_call_unpacks_is_followed_into_the_function() -> None:
    around = Surroundings("begin", drifts=(Drift("level", "float32", is_here=True),))
    told = analyze(SourceFile.decode("begin.py", PARTS.encode()), CODEMODS, surroundings=around).diagnostics
    assert [(each.id, each.line) for each in told] == [("weak-state", 15)]


def test_a_run_is_asked_where_some_part_of_a_state_could_drift() -> None:
    around = Surroundings("begin", drifts=(ANY_PART,))
    found = analyze(SourceFile.decode("begin.py", PARTS.encode()), CODEMODS, surroundings=around).found
    assert any(each.codemod.id == "weak-state" and each.finding.recipe is not None for each in found)
    strong = PARTS.replace("jnp.inf)", "jnp.inf, jnp.float32)").replace("(0.0)", "(0.0, jnp.float32)")
    strong = strong.replace("asarray(1.0)", "ones(())")
    assert not analyze(SourceFile.decode("begin.py", strong.encode()), CODEMODS, surroundings=around).found


@pytest.mark.slow
def test_each_program_compiles_twice() -> None:
    """Three minutes: each is run."""
    subprocess.run([sys.executable, "-m", "benchmarks.states"], check=True)
