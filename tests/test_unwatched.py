"""Which functions a profiler on Python 3.11 need not look at."""

import sys
from pathlib import Path

import jax
import numpy
import pytest

from jaxfix.evidence.probe.unwatched import Unwatched
from jaxfix.evidence.program import ProgramRunner

PROGRAM = """\
import sys
import jax, jax.numpy as jnp

def step(x):
    return jnp.tanh(x * 2.0 + 1.0).sum()

asked = 0

def audited(event, args):
    global asked
    asked += event == "object.__getattr__" and args[1] == "f_code"

step(jnp.ones(3))
jax.make_jaxpr(step)(jnp.ones(4))
sys.addaudithook(audited)
for n in range(5, 25):
    jax.make_jaxpr(step)(jnp.ones(n))
print(asked)
"""


def test_libraries_are_unwatched_but_for_files_that_are() -> None:
    files = {module: str(module.__file__) for module in (jax, numpy)}
    found = Unwatched(lambda file: file == str(Path(files[numpy]).resolve()))
    for file in (*files.values(), __file__, "train.py"):
        found.note(file, file)
    assert found.files == {files[jax]}


def test_a_function_that_was_read_elsewhere_or_whose_file_is_no_text_says_nothing_of_its_globals() -> None:
    found = Unwatched(lambda file: False)
    found.note(jax.__file__, __file__)
    found.note([], "")
    assert found.files == set()
    found.note(jax.__file__, str(jax.__file__))
    assert found.files == {jax.__file__}


def test_a_file_that_is_watched_later_stays_watched() -> None:
    found = Unwatched(lambda file: False)
    found.note(jax.__file__, str(jax.__file__))
    found.watch(str(jax.__file__))
    assert found.files == set()
    found.note(jax.__file__, str(jax.__file__))
    assert found.files == set()


@pytest.mark.evidence
@pytest.mark.skipif(sys.version_info >= (3, 12), reason="`sys.monitoring` tells calls")
def test_calls_within_jax_are_recognized_without_an_audited_attribute(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)
    (run,) = ProgramRunner(tmp_path, "python train.py", [("train.py", "step")]).measure({})
    assert run.failure is None and run.functions == ("train.py:step",)
    assert int(run.stdout) < 30_000  # of 280,000 that one for each call and return would be; jax reads some itself
