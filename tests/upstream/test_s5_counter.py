"""S5: a Python counter that `eqx.filter_jit` takes for a part of the program."""

import pytest

from benchmarks.five_systems.systems import COUNTER, FLOW, System
from benchmarks.five_systems.workshop import difference

pytestmark = [pytest.mark.slow, pytest.mark.evidence]


@pytest.mark.parametrize("system", [FLOW, COUNTER], ids=["passed", "returned"])
def test_the_step_is_compiled_once(measured, system: System) -> None:
    written, repaired, by_hand = (measured(system, name, "training") for name in ("as written", "jaxfix", "by hand"))
    assert written.steady >= 1
    assert (repaired.failure, repaired.steady) == (None, 0)
    assert repaired.compiles == by_hand.compiles  # of a returned counter, that of its comparison comes a step later
    assert repaired.rss_bytes < 100_000
    assert difference(repaired, written) == 0
