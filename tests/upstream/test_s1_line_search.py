"""S1: line searches, whose eager update compiles at every step, and whose jitted one compiles twice."""

import pytest

from benchmarks.five_systems.systems import LINE_SEARCH
from benchmarks.five_systems.workshop import Run, difference

pytestmark = [pytest.mark.slow, pytest.mark.evidence]
RELEASES = ("optax 0.2.4", "optax 0.2.8")
GROWTH = 100_000
"""Bytes per step."""


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("kind", ["backtracking", "lbfgs"])
def test_a_steady_eager_step_compiles_nothing_and_keeps_no_memory(measured, release: str, kind: str) -> None:
    shipped = measured(LINE_SEARCH, release, f"{kind}, eager")
    repaired = measured(LINE_SEARCH, f"{release}, jaxfix", f"{kind}, eager")
    assert shipped.steady > 0
    assert (repaired.failure, repaired.steady) == (None, 0)
    assert repaired.rss_bytes < GROWTH
    assert difference(repaired, shipped) == 0


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("kind", ["backtracking", "lbfgs"])
def test_the_jitted_step_compiles_once(measured, release: str, kind: str) -> None:
    shipped = measured(LINE_SEARCH, release, f"{kind}, jit")
    repaired = measured(LINE_SEARCH, f"{release}, jaxfix", f"{kind}, jit")
    assert (repaired.failure, repaired.second, repaired.steady) == (None, 0, 0)
    assert repaired.compiles < shipped.compiles
    assert difference(repaired, shipped) == 0


def test_upstream_has_not_mended_the_eager_step(measured) -> None:
    newest: Run = measured(LINE_SEARCH, "optax 0.2.8", "backtracking, eager")
    assert newest.steady == 1
