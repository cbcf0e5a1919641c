"""The numbers at which a program may do something else, as its sources and its jaxprs have them."""

import pytest

from jaxfix.evidence.probe.limits import EXACT, Limits, limits, numbers_of, of_program

WARM = 30
SIZE = 1 << 13


class Options:
    def __init__(self) -> None:
        self.restart, self.name = 90, "restart"


def compared(step: int, options: Options, warmup: int = 1000, *, period: int = 500) -> bool:
    late = step < warmup or step >= WARM
    return late and step % period == 0 and divmod(step, 7)[1] == 0 and step % options.restart == 0


def sized(values: list[float]) -> bool:
    count = len(values)
    return count > SIZE and count < 5 * 60 and values[0] > 0.5


def test_constants_defaults_and_what_names_hold_are_read() -> None:
    found = limits([(compared.__code__, globals())], numbers_of({"step": 3, "options": Options()}))
    assert set(found.bounds) >= {1000, WARM}
    assert set(found.periods) == {500, 7, 90}
    sizes = limits([(sized.__code__, globals())], {})
    assert sizes.sizes == (SIZE, 300)
    assert 0.5 in sizes.bounds


def test_numbers_beyond_single_precision_are_multiples_of_a_period() -> None:
    np = pytest.importorskip("numpy")
    for period in (2, 3, 7, 500, 1000, 999_983):
        first, second = Limits(periods=(period,)).beyond()
        assert first == EXACT + 1
        assert second % period == 0
        assert int(np.float32(second)) != second
    assert list(Limits(bounds=(4.0, 0.5), periods=(3,)).near()) == [4, 5, 3, 6]


@pytest.mark.evidence
def test_a_jaxpr_tells_what_it_compares_with_and_divides_by() -> None:
    jax = pytest.importorskip("jax")

    @jax.jit
    def scheduled(count: int) -> int:
        turned = jax.lax.cond(count < 640, lambda: count, lambda: -count)
        return turned // 40 + count % 50 + jax.lax.while_loop(lambda c: c < 9, lambda c: c + 1, count)

    found = of_program(jax.make_jaxpr(scheduled)(3).jaxpr)
    assert {640} <= set(found.bounds)
    assert 9 not in found.bounds
    assert {40, 50} <= set(found.periods)


@pytest.mark.evidence
def test_a_random_key_that_a_jaxpr_holds_is_no_number() -> None:
    jax = pytest.importorskip("jax")
    key = jax.random.key(0)
    drawn = jax.jit(lambda x: jax.lax.max(x, 2.5) + jax.random.uniform(key))
    assert 2.5 in of_program(jax.make_jaxpr(drawn)(1.0).jaxpr).bounds
