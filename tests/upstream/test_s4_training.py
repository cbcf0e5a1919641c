"""S4: training loops that jit the wrong things and donate nothing."""

import pytest

from benchmarks.five_systems.systems import MEMORY, TRAINING
from benchmarks.five_systems.workshop import difference

pytestmark = [pytest.mark.slow, pytest.mark.evidence]
STATE_BYTES = 3 * 250_000 * 32 * 4
"""Of the parameters and Adam's two moments in `s4_memory.py`."""


def test_the_training_loop_compiles_its_step_once(measured) -> None:
    written, repaired, by_hand = (measured(TRAINING, name, "training") for name in ("as written", "jaxfix", "by hand"))
    assert written.steady == 1
    assert (repaired.failure, repaired.second, repaired.steady) == (None, 0, 0)
    assert repaired.compiles < written.compiles
    assert difference(repaired, written) < 1e-5
    assert by_hand.steady == 0


def test_the_step_no_longer_holds_the_old_state(measured) -> None:
    written, repaired = (measured(MEMORY, name, "training") for name in ("as written", "jaxfix"))
    assert repaired.failure is None
    assert written.peak_bytes - repaired.peak_bytes > STATE_BYTES / 2
    assert difference(repaired, written) == 0
