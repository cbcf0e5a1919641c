"""Where the time of real programs goes: dispatches, reads and puts by line, with none of it per compiled call."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from jaxfix.evidence.trace import trace
from jaxfix.report.measurement import Kind, Measurement, Spent

pytestmark = pytest.mark.evidence

PROGRAM = """\
import os, sys, threading, time
import jax, jax.numpy as jnp, numpy as np
assert threading.active_count() == 1
child = os.fork()
if child == 0: os._exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
grads = jax.jit(lambda w, x: 2 * x.T @ (x @ w))
host = np.ones((4, 8), "float32")
w = jnp.ones((8,))

def update(w, g):
    scaled = 0.1 * g
    return w - scaled

def report(w):
    jax.device_get([w, w, {"w": w}])
    return float(w[0]), np.asarray(w), w.sum().item()

x = jnp.asarray(host)
for step in range(50):
    w = update(w, grads(w, x))
    if step % 10 == 0:
        report(w)
    y = jnp.asarray(host)
    jax.block_until_ready(w)
    time.sleep(0.01)
"""


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Measurement:
    folder = tmp_path_factory.mktemp("spending")
    (folder / "program.py").write_text(PROGRAM)
    found = trace((sys.executable, "program.py"), folder)
    assert found.failure is None
    return found


def at(measured: Measurement, kind: Kind, text: str) -> list[Spent]:
    """What the line that begins with `text` has spent on `kind`."""
    line = next(number for number, each in enumerate(PROGRAM.splitlines(), 1) if each.strip().startswith(text))
    return [entry for entry in measured.spent if entry.kind is kind and entry.line == line]


def test_dispatches_are_counted_by_line(measured: Measurement) -> None:
    for text in ("scaled =", "return w -"):
        (entry,) = at(measured, Kind.EAGER, text)
        assert 48 <= entry.in_steps == entry.count <= 50  # what compiles is not dispatched
        assert entry.function == "update"
        assert [each.rpartition(" in ")[2] for each in entry.chain] == ["update", "<module>"]
    assert at(measured, Kind.EAGER, "scaled =")[0].names == ("multiply",)


def test_calls_of_what_the_user_compiled_are_not(measured: Measurement) -> None:
    assert not any(entry.count for entry in at(measured, Kind.EAGER, "w = update("))


def test_reads_puts_and_waits_are_measured(measured: Measurement) -> None:
    (read,) = at(measured, Kind.READ, "return float")
    assert read.in_steps == 5 * 2 + 5 * ("np.asarray" in read.names)  # on a CPU numpy reads the memory itself
    assert {"float", ".item"} <= set(read.names)
    assert 0 < read.waited_s <= read.seconds
    (together,) = at(measured, Kind.READ, "jax.device_get")
    assert (together.count, together.names) == (5, ("jax.device_get",))  # once, of however many arrays
    assert 0 < together.waited_s <= together.seconds
    (waited,) = at(measured, Kind.WAIT, "jax.block")
    assert waited.count == 50 and waited.waited_s == waited.seconds
    (put,) = at(measured, Kind.PUT, "y =")
    assert 49 <= put.in_steps <= 50


def test_what_is_neither_is_the_users_own_and_all_adds_up(measured: Measurement) -> None:
    (slept,) = at(measured, Kind.OWN, "time.sleep")
    assert slept.seconds > 0.2  # of half a second; a busy machine sleeps longer
    assert sum(entry.seconds for entry in measured.spent) <= measured.seconds


@pytest.fixture
def run(tmp_path: Path) -> Callable[[str], Measurement]:
    def runs(program: str) -> Measurement:
        (tmp_path / "program.py").write_text(program)
        found = trace((sys.executable, "program.py"), tmp_path)
        assert found.failure is None, found.failure
        return found

    return runs


def test_counting_stops_where_all_is_compiled_and_begins_again(run: Callable[[str], Measurement]) -> None:
    program = """\
import time
import jax, jax.numpy as jnp
from jaxfix_probe.start import PROBE
step = jax.jit(lambda x: x * 2)
x = jnp.ones(3)
counts = PROBE.time_spent.dispatches
for _ in range(5000): step(x)
assert not counts.is_on
jax.vmap(step)(jnp.ones((2, 3)))  # jax sets its own hook to nothing as it goes
began = time.monotonic()
while time.monotonic() - began < 0.5: x = x + 1
assert counts.is_on
"""
    (entry,) = [entry for entry in run(program).spent if entry.line == 11 and entry.kind is Kind.EAGER]
    assert entry.count > 1000


def test_the_debugging_of_nans_keeps_its_place(run: Callable[[str], Measurement]) -> None:
    program = """\
import jax, jax.numpy as jnp
jax.config.update("jax_debug_nans", True)
zero = jnp.zeros(3)
step = jax.jit(lambda x: x / x)
for _ in range(2):
    try: step(zero)
    except FloatingPointError: pass
    else: raise SystemExit("not found")
jax.config.update("jax_debug_nans", False)
one = jnp.ones(3)
for _ in range(20): one = one + 1
"""
    assert any(entry.line == 11 and entry.count >= 19 for entry in run(program).spent)


def test_what_a_library_does_while_it_is_imported_is_no_dispatch(run: Callable[[str], Measurement]) -> None:
    """It runs functions of jax, such as `jax.jit` as a decorator, and no program."""
    measured = run("""\
import jax
import jax.experimental.sparse, jax.example_libraries.stax, jax.experimental.pallas, jax.scipy.stats
jax.block_until_ready(jax.numpy.ones(3) + 1)
""")
    at_import = [entry for entry in measured.spent if entry.line == 2]
    assert [entry.kind for entry in at_import if not entry.count] == [Kind.OWN]
