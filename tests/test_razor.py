"""How far two functions are apart in double precision, where their code asks for dtypes of its own."""

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest

from jaxfix.evidence.probe import digits, razor

jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")
np = pytest.importorskip("numpy")
lax = jax.lax

pytestmark = pytest.mark.evidence
ROWS = jax.random.normal(jax.random.PRNGKey(0), (32, 3))
Function = Callable[[list[Any]], Any]


def original(start: Any, decay: float, leaves: list[Any]) -> Any:
    """A moving average whose weights are Python numbers."""
    return lax.scan(lambda c, r: (decay * c + (1 - decay) * used(r), c), start(), leaves[0])


def used(row: Any) -> Any:
    return jnp.tanh(row.astype(jnp.float32))


def lifted(start: Any, decay: float, slip: Callable[[Any], Any], leaves: list[Any]) -> Any:
    """The same with its number in the carry, and with a slip in what is read."""

    def body(carry: Any, row: Any) -> Any:
        decay, c = carry
        return (decay, decay * c + (1 - decay) * slip(used(row))), c

    (_, c), rows = lax.scan(body, (decay, start()), leaves[0])
    return c, rows


STARTS = {
    "of the dtype that it asks for": lambda: jnp.zeros(3, jnp.float32),
    "of a dtype that follows the data": lambda: jnp.zeros_like(ROWS[0]) + 0.0,
    "of the usual dtype": lambda: jnp.zeros(3),
}
SLIPS = {
    "times 1 + 1e-6": lambda row: row * (1 + 1e-6),
    "rounded to bfloat16": lambda row: row.astype(jnp.bfloat16).astype(row.dtype),
    "plus 1e-7": lambda row: row + 1e-7,
}


@pytest.mark.slow
@pytest.mark.parametrize("start", STARTS)
def test_what_only_rounds_is_not_apart(start: str) -> None:
    one, other = partial(original, STARTS[start], 0.9), partial(lifted, STARTS[start], 0.9, lambda row: row)
    found = razor.apart(one, other, [ROWS], eagerly=True)
    assert found.double is not None and found.double <= razor.LIMIT


@pytest.mark.slow
@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("slip", SLIPS)
def test_what_differs_by_more_is(start: str, slip: str) -> None:
    one, other = partial(original, STARTS[start], 0.9), partial(lifted, STARTS[start], 0.9, SLIPS[slip])
    found = razor.apart(one, other, [ROWS], eagerly=True)
    assert found.double is None or found.double > 100 * razor.LIMIT


def step(slip: float, leaves: list[Any]) -> Any:
    """Many operations in single precision, which XLA rounds as it likes where it compiles them together."""
    rows = leaves[0].astype(jnp.float32)
    for _ in range(4):
        rows = jnp.sin(rows * 1.3 + rows.mean(0)) / (1.0 + slip + rows * rows).astype(jnp.float32)
    return rows, rows.sum()


@pytest.mark.parametrize(("slip", "is_right"), [(0.0, True), (1e-6, False)])
def test_what_xla_rounds_is_told_by_widened_programs(slip: float, is_right: bool) -> None:
    compiled = jax.jit(lambda rows: step(slip, [rows]))
    found = razor.apart(partial(step, 0.0), lambda leaves: compiled(leaves[0]), [ROWS], eagerly=True)
    assert found.double is not None and found.is_widened
    assert (found.double <= razor.LIMIT) is is_right
    assert is_right or found.double > 100 * razor.LIMIT


def test_what_is_done_eagerly_alone_is_not_told_by_a_trace() -> None:
    def asking(leaves: list[Any]) -> Any:
        row = used(leaves[0])
        return row if isinstance(row, jax.core.Tracer) else row * (1 + 1e-6)

    found = razor.apart(lambda leaves: used(leaves[0]), asking, [ROWS], eagerly=True)
    assert found.double is None or found.double > 100 * razor.LIMIT


@pytest.mark.parametrize("read", [float, np.asarray], ids=["a float", "a NumPy array"])
@pytest.mark.parametrize("slip", [1.0, 1 + 1e-6], ids=["only rounds", "differs by more"])
def test_a_result_that_was_read_on_the_host_is_compared_in_double_precision(read: Any, slip: float) -> None:
    def selected(leaves: list[Any]) -> Any:
        rows = jnp.exp(3 * leaves[0])
        return read(rows[rows > 1].mean()), 3, "mean"

    def masked(leaves: list[Any]) -> Any:
        rows = jnp.exp(3 * leaves[0])
        chosen = jnp.where(rows > 1, rows, 0).ravel()
        return read(jnp.cumsum(chosen[::-1])[-1] / (rows > 1).sum() * slip), 3, "mean"

    double = razor.apart(selected, masked, [jax.random.normal(jax.random.PRNGKey(1), (64, 64))], eagerly=True).double
    assert double is not None
    assert (double <= razor.LIMIT) is (slip == 1.0)


def test_whole_numbers_of_numpy_are_compared_in_full() -> None:
    def counted(shift: int) -> Function:
        return lambda leaves: np.arange(4096) + shift * (np.arange(4096) == 2048)

    assert razor.apart(counted(0), counted(0), [ROWS], eagerly=True).double == 0.0
    assert razor.apart(counted(0), counted(1), [ROWS], eagerly=True).double is None


def a_sum(rows: Any, gain: Any) -> Any:
    """A loop with a constant, a carry and rows."""
    return lax.scan(lambda c, row: (c * jnp.float32(0.9) + gain * jnp.sin(gain * row), c), rows[0, 0], rows[:, 1])


def everything(rows: Any) -> Any:
    """Operations of each kind that a program is made of."""
    rows = rows.astype(jnp.float32)
    noise = jax.random.normal(jax.random.PRNGKey(1), (3,), jnp.float32)
    turned = lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * jnp.float32(1.1)), (0, rows.sum()))[1]
    chosen = lax.cond(turned > 0, lambda x: x * 2, lambda x: x, turned)
    small = rows.astype(jnp.bfloat16).astype(jnp.float32)
    product = jnp.dot(rows, rows.T, preferred_element_type=jnp.float32)
    summed = jax.grad(partial(a_sum, rows), has_aux=True)(jnp.float32(0.5))
    return noise, chosen, small, product, jnp.argmax(rows), jnp.sort(rows, axis=0), jax.nn.relu(rows), *summed


def test_every_float_is_widened_and_all_else_as_it_is() -> None:
    plain = everything(ROWS)
    program = jax.make_jaxpr(everything)(ROWS)
    with razor.double_precision():
        wide = razor.Wide().closed(program, [ROWS])
    for old, new in zip(map(np.asarray, plain), map(np.asarray, wide), strict=True):
        assert str(new.dtype) == ("float64" if old.dtype.kind == "f" else str(old.dtype))
        assert np.allclose(old, new, rtol=1e-5, atol=1e-5)
    assert np.array_equal(plain[2], wide[2]), "what is rounded on purpose is rounded to the same value"


@dataclass
class State:
    step: int
    params: Any


jax.tree_util.register_dataclass(State)


def advanced(state: State) -> State:
    return State(state.step + 1, state.params - 1.0)


def test_a_count_of_a_state_may_become_an_array() -> None:
    state = State(4, ROWS)
    found = razor.compared((advanced(state), ROWS), (jax.jit(advanced)(state), ROWS))
    assert (found.difference, found.counted) == (None, ("[0].step",))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (State(5, ROWS), State(6, ROWS)),  # another count
        (State(True, ROWS), State(1, ROWS)),
        ((5, ROWS), (5, ROWS)),  # a number that the function returns by itself
        ({"step": 5}, {"step": 5}),
    ],
)
def test_no_other_number_may(old: object, new: object) -> None:
    found = razor.compared(old, jax.jit(lambda given: given)(new))
    assert found.difference is not None and "became" in found.difference


@pytest.mark.parametrize(("slip", "is_right"), [(0.0, True), (1e-6, False)])
def test_an_array_of_numpy_that_a_program_captures_in_single_precision(slip: float, is_right: bool) -> None:
    """jax 0.10.2 keeps what it made of it, and then calls a program of double precision with that: it raises."""
    table = np.random.default_rng(0).standard_normal((50, 3))

    def plain(row: Any, slip: float = 0.0) -> Any:
        return jnp.tanh(jnp.dot(table, row) * (1 + slip)).sum()

    jitted, row = jax.jit(partial(plain, slip=slip)), jnp.ones(3)
    returned = plain(row)
    found = razor.stepped(plain, jitted, razor.Call((row,), {}), returned)
    assert (found.difference is None) is is_right, found
    double = razor.apart(lambda leaves: plain(*leaves), lambda leaves: jitted(*leaves), [row], eagerly=True).double
    assert double is not None
    assert (double <= razor.LIMIT) is is_right


def off_balance(slip: float, leaves: list[Any]) -> Any:
    """How far a mean is from one, where it nearly is one."""
    return jnp.abs(leaves[0].sum() * (1.0 + slip) / len(leaves[0]) - 1.0)


def off_balance_apart(slip: float, leaves: list[Any]) -> Any:
    """The same, with each part rounded by itself."""
    return jnp.abs((leaves[0] * (1.0 + slip) / len(leaves[0])).sum() - 1.0)


@pytest.mark.parametrize(("slip", "is_right"), [(0.0, True), (1e-7, False)])
def test_what_nearly_cancels_is_held_to_what_it_was_computed_from(slip: float, is_right: bool) -> None:
    """A change of the data by one unit in the last place is often lost in the mean."""
    random = np.random.default_rng(0)
    for _ in range(10):
        parts = random.uniform(0.5, 1.5, 3001)
        with razor.double_precision():
            leaves = [jnp.asarray(parts / parts.mean())]
            found = razor.apart(partial(off_balance, 0.0), partial(off_balance_apart, slip), leaves, eagerly=False)
        assert found.double is not None
        assert (found.double <= razor.LIMIT) is is_right


BEGUN = 1.7e9


def since(time: Any, leaves: list[Any]) -> Any:
    """Numbers of Python, or arrays, that nearly cancel."""
    return leaves[0] * 0.9 + jnp.sin(time - BEGUN)


@pytest.mark.parametrize(("time", "is_kept"), [(BEGUN, True), (BEGUN + 0.5, False)], ids=["nothing", "half a second"])
def test_digits_that_single_precision_loses_are_told(time: float, is_kept: bool) -> None:
    def original(rows: Any, time: Any) -> Any:
        return since(time, [rows])

    call = razor.Call((ROWS, time), {})
    found = razor.stepped(original, jax.jit(original), call, original(ROWS, time))
    assert (found.difference is None) is is_kept
    as_array = razor.apart(
        lambda leaves: since(time, leaves), lambda leaves: since(jnp.asarray(time), leaves), [ROWS], eagerly=True
    )
    assert bool(as_array.lost) is not is_kept


def test_digits_that_the_original_loses_itself_are_not_missed() -> None:
    def one(leaves: list[Any]) -> Any:
        return (1e6 + leaves[0]) - 1e6

    def other(leaves: list[Any]) -> Any:
        return (leaves[0] + 2e6) - 2e6

    assert not razor.apart(one, other, [ROWS], eagerly=True).lost


def test_results_in_half_precision_keep_fewer_digits() -> None:
    rows = ROWS.astype(jnp.bfloat16)
    assert not digits.lost(rows, rows * (1 + 2**-6), lambda leaves: leaves[0], [rows], lambda: rows)
    assert digits.lost(ROWS, ROWS * (1 + 2**-6), lambda leaves: leaves[0], [ROWS], lambda: ROWS)


def drawing(row: Any) -> Any:
    return jnp.tanh(row * random.random())


def drawing_from_numpy(row: Any) -> Any:
    return jnp.tanh(row + np.random.normal(size=row.shape))


def drawing_from_its_own(row: Any) -> Any:
    return jnp.tanh(row * np.random.default_rng().uniform())


def reading_a_clock(row: Any) -> Any:
    return jnp.tanh(row * (time.time() % 2))


def counting() -> Function:
    rates = iter(range(1, 1000))
    return lambda row: jnp.tanh(row * next(rates))


DRAWS = "only when it is traced"


@pytest.mark.parametrize(
    ("original", "why"),
    [
        (drawing, DRAWS),
        (drawing_from_numpy, DRAWS),
        (lambda row: row * 2.0 if random.random() > 1e-9 else row, DRAWS),  # which no results show
        (drawing_from_its_own, razor.DIFFERS),
        (reading_a_clock, "reads `time.time` only when it is traced"),
        (lambda row: row * int(time.time() // 1000), "reads `time.time`"),
        (lambda row: row * datetime.now(UTC).year, "reads `datetime.datetime.now`"),
        (counting(), razor.DIFFERS),
    ],
)
def test_what_jit_freezes_is_no_rounding(original: Callable[[Any], Any], why: str) -> None:
    """A random original moves by itself, so that a nudge of its arguments would excuse every difference."""
    jitted = jax.jit(original)
    for _ in range(3):
        found = razor.stepped(original, jitted, razor.Call((ROWS,), {}), original(ROWS))
        assert found.difference is not None and why in found.difference
        time.sleep(0.01)


class Net:
    """A model whose loss draws or reads a clock, as a trainer that holds it differentiates it."""

    def drawn(self, params: Any, x: Any) -> Any:
        return jnp.mean((jnp.tanh(x @ params) * random.random() - x) ** 2)

    def timed(self, params: Any, x: Any) -> Any:
        return jnp.mean((jnp.tanh(x @ params) * (time.time() % 2) - x) ** 2)


@pytest.mark.parametrize(
    ("gradient", "why"),
    [
        (jax.value_and_grad(Net().drawn), DRAWS),
        (jax.value_and_grad(Net().timed), "reads `time.time`"),
        (lambda params, x: jax.value_and_grad(lambda p: Net().drawn(p, x))(params), DRAWS),
    ],
    ids=["of a method that draws", "of a method that reads a clock", "of a lambda that draws"],
)
def test_a_step_of_a_model_whose_loss_varies(gradient: Callable[..., Any], why: str) -> None:
    def step(params: Any, mean: Any, x: Any) -> Any:
        loss, grads = gradient(params, x)
        mean = 0.9 * mean + 0.1 * grads
        return params - 0.1 * mean, mean, loss

    passed = (jnp.eye(3), jnp.zeros((3, 3)), ROWS)
    found = razor.stepped(step, jax.jit(step), razor.Call(passed, {}), step(*passed))
    assert found.difference is not None and why in found.difference


@pytest.mark.parametrize(
    "original",
    [
        lambda row: row * time.strptime("2020", "%Y").tm_year,
        lambda row: row * datetime.fromtimestamp(1e9, UTC).year,
        lambda row: (time.sleep(1e-4), row * 2.0)[1],
    ],
)
def test_a_time_that_is_converted_is_no_clock(original: Callable[[Any], Any]) -> None:
    assert razor.stepped(original, jax.jit(original), razor.Call((ROWS,), {}), original(ROWS)).difference is None


def test_draws_of_another_thread_or_by_a_key_are_not_those_of_a_step() -> None:
    def original(row: Any, key: Any) -> Any:
        return jnp.where(jax.random.bernoulli(key, 0.5, row.shape), jnp.tanh(row), 0.0)

    def draw() -> None:
        while not ended.wait(1e-4):
            random.random(), np.random.rand()

    ended, passed = threading.Event(), (ROWS, jax.random.key(0))
    thread = threading.Thread(target=draw)
    thread.start()
    try:
        found = razor.stepped(original, jax.jit(original), razor.Call(passed, {}), original(*passed))
    finally:
        ended.set()
        thread.join()
    assert found.difference is None and found.double <= razor.LIMIT


def layered(x: Any, layers: dict[str, Any], *, others: Any = ()) -> Any:
    for weights in (*layers.values(), *(each for some in others for each in some["w"].values())):
        x = jnp.tanh(x @ weights)
    return x


@pytest.mark.parametrize("names", [("a", "b", "c"), ("in", "hidden", "out")])
def test_a_step_that_goes_over_a_dictionary_in_order_is_no_other_under_jit(names: tuple[str, ...]) -> None:
    """Under `jit` the keys are sorted."""
    layers = dict(zip(names, jax.random.normal(jax.random.PRNGKey(1), (3, 3, 3)), strict=True))
    for keywords in ({}, {"others": [{"w": {name: layers[name] for name in names}, "b": 1.0}]}):
        call = razor.Call((ROWS, layers if not keywords else {}), keywords)
        step = razor.stepped(layered, jax.jit(layered), call, layered(ROWS, layers if not keywords else {}, **keywords))
        is_sorted = list(names) == sorted(names)
        assert (step.difference is None) == is_sorted, step
        (_, given), passed = call.passed(razor.copied)
        assert list(given) == list(names if not keywords else ())
        assert [list(each["w"]) for each in passed.get("others", ())] == [list(names)] * len(keywords)
