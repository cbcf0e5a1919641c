"""States that are compiled for twice, and other programs of one cause each: it is found whatever its names are."""

import subprocess
import sys

import pytest

from benchmarks.states.finding import expected, found
from benchmarks.states.programs import PROGRAMS, Program


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_the_cause_is_found(program: Program) -> None:
    assert expected(program) in found(program)


@pytest.mark.slow
def test_each_program_compiles_twice() -> None:
    """Two minutes: each is run."""
    subprocess.run([sys.executable, "-m", "benchmarks.states"], check=True)
