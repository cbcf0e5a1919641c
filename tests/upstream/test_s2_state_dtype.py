"""S2: L-BFGS, whose state and whose branches had different dtypes."""

import pytest

from benchmarks.five_systems.systems import STATE_DTYPE
from benchmarks.five_systems.workshop import difference

pytestmark = [pytest.mark.slow, pytest.mark.evidence]
PRECISIONS = ("float16", "bfloat16", "x64")


@pytest.mark.parametrize("precision", PRECISIONS)
def test_what_raised_a_type_error_runs_as_it_does_upstream(measured, precision: str) -> None:
    case = f"{precision}, while_loop"
    assert measured(STATE_DTYPE, "optax 0.2.4", case).failure.startswith("TypeError")
    repaired = measured(STATE_DTYPE, "optax 0.2.4, jaxfix", case)
    assert repaired.failure is None
    assert difference(repaired, measured(STATE_DTYPE, "optax 0.2.8", case)) < 1e-2


@pytest.mark.parametrize("precision", ("float32", *PRECISIONS))
def test_the_jitted_step_compiles_once(measured, precision: str) -> None:
    repaired = measured(STATE_DTYPE, "optax 0.2.4, jaxfix", f"{precision}, jit")
    assert (repaired.failure, repaired.second, repaired.steady) == (None, 0, 0)


def test_upstream_compiles_it_twice(measured) -> None:
    assert measured(STATE_DTYPE, "optax 0.2.8", "float32, jit").second == 1
    repaired = measured(STATE_DTYPE, "optax 0.2.8, jaxfix", "float32, jit")
    assert (repaired.second, repaired.steady) == (0, 0)
