"""S3: RAdam, which compiled a program for every step number; upstream's own fix left half of that."""

import pytest

from benchmarks.five_systems.systems import RADAM
from benchmarks.five_systems.workshop import difference

pytestmark = [pytest.mark.slow, pytest.mark.evidence]


def test_upstream_has_mended_half_of_it(measured) -> None:
    assert measured(RADAM, "optax 0.2.2", "eager").steady == 2
    assert measured(RADAM, "optax 0.2.4", "eager").steady == 1
    assert measured(RADAM, "optax 0.2.8", "eager").steady == 1


@pytest.mark.parametrize("release", ["optax 0.2.2", "optax 0.2.8"])
def test_a_steady_eager_step_compiles_nothing(measured, release: str) -> None:
    repaired = measured(RADAM, f"{release}, jaxfix", "eager")
    assert (repaired.failure, repaired.second, repaired.steady) == (None, 0, 0)
    assert repaired.rss_bytes < 100_000
    assert difference(repaired, measured(RADAM, release, "jit")) < 1e-5


@pytest.mark.parametrize("release", ["optax 0.2.2", "optax 0.2.8"])
def test_the_jitted_step_stays_what_it_was(measured, release: str) -> None:
    repaired, shipped = (measured(RADAM, name, "jit") for name in (f"{release}, jaxfix", release))
    assert difference(repaired, shipped) == 0
    assert repaired.steps == shipped.steps
