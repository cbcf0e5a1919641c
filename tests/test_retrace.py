"""The generated helper file, as a user runs it: beside the code, without jaxfix."""

import gc
import importlib.util
import os
import re
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")
np = pytest.importorskip("numpy")
lax = jax.lax

TEXT = Path(__file__).resolve().parents[1] / "jaxfix" / "rewrite" / "helpers" / "jaxfix_helpers.py"
COMPILE = "/jax/core/compile/backend_compile_duration"

pytestmark = pytest.mark.evidence
compiles: list[str] = []


def listen(name: str, *_: object, **__: object) -> None:
    if name == COMPILE:
        compiles.append(name)


jax.monitoring.register_event_duration_secs_listener(listen)


@pytest.fixture
def helpers(tmp_path: Path) -> ModuleType:
    """The file as it lands in a project, fresh for each test."""
    (tmp_path / "jaxfix_helpers.py").write_bytes(TEXT.read_bytes())
    spec = importlib.util.spec_from_file_location("jaxfix_helpers", tmp_path / "jaxfix_helpers.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True, scope="module")
def nothing_is_left_compiled() -> Iterator[None]:
    yield
    jax.clear_caches()


def plain(function: Any) -> Any:
    """What is in the place of `retrace` in the original."""
    return function


def compiled(run: Callable[[], object]) -> int:
    before = len(compiles)
    jax.block_until_ready(run())
    return len(compiles) - before


def assert_same(ours: Any, original: Any) -> None:
    """Structure, types and every bit, as far as a program can tell."""
    leaves, structure = jax.tree_util.tree_flatten(ours)
    expected, expected_structure = jax.tree_util.tree_flatten(original)
    assert structure == expected_structure
    for leaf, other in zip(leaves, expected, strict=True):
        assert described(leaf) == described(other)


def described(leaf: Any) -> object:
    if not hasattr(leaf, "dtype"):
        return type(leaf), leaf
    is_key = jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)
    bits = np.asarray(jax.random.key_data(leaf) if is_key else leaf).tobytes()
    committed = getattr(leaf, "committed", None)
    return type(leaf), leaf.shape, leaf.dtype, getattr(leaf, "weak_type", None), committed, bits


# --- programs whose functions are new at every call ---------------------------------------------------------------

X = jnp.arange(1.0, 5.0)
W = jnp.ones((4, 4)) * 0.1
HOST = np.arange(4.0, dtype=np.float32)


@jax.custom_vjp
def sevenfold(x: Any) -> Any:
    return jnp.sin(x)


sevenfold.defvjp(lambda x: (sevenfold(x), x), lambda x, cotangent: (cotangent * 7,))


@jax.custom_jvp
def threefold(x: Any) -> Any:
    return jnp.cos(x)


threefold.defjvp(lambda primals, tangents: (threefold(*primals), tangents[0] * 3))


@jax.jit
def with_constants(x: Any) -> Any:
    return x @ W + HOST


def doubled(x: Any) -> Any:
    return np.asarray(x) * 2


def looped(x: Any) -> Any:
    return lax.scan(lambda c, y: (c * y + x.sum(), c), 1.0, x)[0]


def repeated(body: Callable[[Any], Any]) -> Callable[..., Any]:
    """A loop of `body`."""
    return lambda retrace, step: retrace(lax.fori_loop)(0, 3, lambda i, v: body(v) * X, X + step)


def differentiated(body: Callable[[Any], Any]) -> Callable[..., Any]:
    def total(x: Any) -> Any:
        return lax.scan(lambda v, _: (body(v) * X, None), x, None, length=3)[0].sum()

    return lambda retrace, step: retrace(jax.grad(lambda x: total(x)))(X + step)


class Model:
    def __init__(self, step: int) -> None:
        self.gain = X * step

    def advance(self, value: Any) -> Any:
        return value * self.gain

    def run(self, retrace: Any) -> Any:
        return retrace(lax.while_loop)(lambda v: v.sum() < 100, self.advance, X)


class Unhashable:
    __hash__ = None  # type: ignore[assignment]

    def __call__(self, index: Any, value: Any) -> Any:
        return value * 2


def objective(scale: Any, x: Any) -> Any:
    return jnp.sum(scale * x**2)


PROGRAMS: dict[str, Callable[..., Any]] = {
    "while": lambda r, i: r(lax.while_loop)(
        lambda s: s[1] < 3, lambda s: (jnp.tanh(W @ s[0]) + X, s[1] + 1), (X + i, 0)
    ),
    "while-of-numbers": lambda r, i: r(lax.while_loop)(lambda v: v < 100.0 + 0 * i, lambda v: v * 2 + 1, i + 1),
    "scan": lambda r, i: r(lax.scan)(lambda c, x: (c + x * X[0], c), jnp.zeros(()) + i, xs=X),
    "scan-of-nothing": lambda r, i: r(lax.scan)(lambda c, _: (c * X, {"a": c, "b": None}), X + i, None, length=3),
    "scan-backwards": lambda r, i: r(lax.scan)(lambda c, x: (c + x, c), 0.5, X + i, reverse=True, unroll=2),
    "fori": lambda r, i: r(lax.fori_loop)(0, 3, lambda k, v: v * X + k, X + i),
    "fori-of-arrays": lambda r, i: r(lax.fori_loop)(jnp.int32(0), jnp.int32(3), lambda k, v: v * X + k, X + i),
    "cond": lambda r, i: r(lax.cond)(i % 2 == 0, lambda v: v + X, lambda v: jnp.where(v > 0, v, -v), X + i),
    "cond-of-array": lambda r, i: r(lax.cond)(X.sum() > i, lambda: {"a": X * 2}, lambda: {"a": X + HOST}),
    "switch": lambda r, i: r(lax.switch)(i % 3, [lambda v: v + X, lambda v: -v, lambda v: v * X], X + i),
    "switch-of-one": lambda r, i: r(lax.switch)(0, [lambda v: v + X], X + i),
    "map": lambda r, i: r(lax.map)(lambda row: row * X, W + i),
    "map-of-module-level": lambda r, i: r(lax.map)(looped, W + i),
    "associative-scan": lambda r, i: r(lax.associative_scan)(lambda a, b: a * b, X + i),
    "nested": lambda r, i: r(lax.scan)(lambda c, x: (lax.fori_loop(0, 2, lambda k, v: v * x + c, c), x), X[0], X + i),
    "partial": lambda r, i: r(lax.fori_loop)(0, 3, partial(lambda gain, k, v: gain * v, X + i), X),
    "bound-method": lambda r, i: Model(i + 2).run(r),
    "unhashable": lambda r, i: r(lax.fori_loop)(0, 3, lambda k, v: Unhashable()(k, v), X + i),
    "relu": repeated(jax.nn.relu),
    "logsumexp": repeated(lambda v: v - jax.scipy.special.logsumexp(v)),
    "custom-jvp": repeated(threefold),
    "custom-vjp": repeated(sevenfold),
    "jit-with-constants": repeated(with_constants),
    "fresh-jit": repeated(lambda v: jax.jit(lambda u: u @ W)(v)),
    "linear-solve": repeated(lambda v: jax.scipy.sparse.linalg.cg(lambda u: W @ u + u, v)[0]),
    "linear-algebra": repeated(lambda v: jnp.linalg.solve(W + jnp.diag(X), v)),
    "sort": repeated(lambda v: jnp.sort(v)[::-1]),
    "remat": repeated(jax.checkpoint(lambda v: jnp.sin(v) * X)),
    "callback": repeated(lambda v: jax.pure_callback(doubled, jax.ShapeDtypeStruct((4,), jnp.float32), v)),
    "numpy": lambda r, i: r(lax.while_loop)(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] * HOST), (0, HOST * i)),
    "bfloat16": lambda r, i: r(lax.fori_loop)(0, 3, lambda k, v: v * 1.5, (X + i).astype(jnp.bfloat16)),
    "float16": lambda r, i: r(lax.scan)(lambda c, x: (c + x, c), jnp.float16(0), (X + i).astype(jnp.float16)),
    "complex": lambda r, i: r(lax.fori_loop)(0, 3, lambda k, v: v * (1 + 2j), (X + i).astype(jnp.complex64)),
    "typed-key": lambda r, i: r(lax.fori_loop)(
        0, 3, lambda k, s: (jax.random.split(s[0])[0], s[1] + jax.random.normal(s[0], (4,))), (jax.random.key(i), X)
    ),
    "raw-key": lambda r, i: r(lax.scan)(
        lambda key, _: (jax.random.split(key)[0], jax.random.normal(key, (4,))), jax.random.PRNGKey(i), None, length=3
    ),
    "text": lambda r, i: r(lax.fori_loop)(
        0, 3, lambda k, v, mode="twice": v * 2 if mode == "twice" and isinstance(mode, str) else v, X + i
    ),
    "grad": lambda r, i: r(jax.grad(looped))(X + i),
    "grad-of-lambda": lambda r, i: r(jax.grad(lambda x, k: looped(x) * k))(X, X[0] + i),
    "grad-of-relu": differentiated(jax.nn.relu),
    "grad-of-logsumexp": differentiated(lambda v: v - jax.scipy.special.logsumexp(v)),
    "grad-of-custom-jvp": differentiated(threefold),
    "grad-of-custom-vjp": differentiated(sevenfold),
    "grad-of-remat": differentiated(jax.checkpoint(lambda v: jnp.sin(v) * X)),
    "grad-of-jit": differentiated(with_constants),
    "value-and-grad": lambda r, i: r(
        jax.value_and_grad(lambda x, tag: (looped(x), {"tag": tag, "twice": 2 * x, "none": None, "n": i}), has_aux=True)
    )(X + i, "text"),
    "grad-of-integers": lambda r, i: r(jax.grad(lambda x, n: looped(x) * n, argnums=(0, 1), allow_int=True))(X + i, 2),
    "grad-of-constant": lambda r, i: r(jax.value_and_grad(lambda x: lax.fori_loop(0, 2, lambda k, v: v / 2, 1.0)))(
        X[0] + i
    ),
    "grad-of-constant-array": lambda r, i: r(jax.grad(lambda x: lax.cond(True, lambda: X[0], lambda: X[1])))(X + i),
    "vmap-of-constant": lambda r, i: r(
        jax.vmap(lambda x: (1.0, HOST, lax.map(lambda v: v * x, X)), out_axes=(None, 0, 0))
    )(X + i),
    "hessian": lambda r, i: r(jax.hessian(looped))(X + i),
    "jacobian": lambda r, i: r(jax.jacfwd(lambda x: lax.map(lambda v: v * x.sum(), x)))(X + i),
    "jvp": lambda r, i: r(jax.jvp)(lambda x: lax.map(lambda v: v * x.sum(), x), (X + i,), (X,)),
    "vmap": lambda r, i: r(jax.vmap(looped))(W + i),
    "vmap-of-custom-vjp": lambda r, i: r(jax.vmap(lambda x: lax.fori_loop(0, 3, lambda k, v: sevenfold(v) * X, x)))(
        W + i
    ),
    "vmap-of-grad": lambda r, i: r(jax.vmap(jax.grad(looped), in_axes=1, out_axes=1))(W + i),
    "objective-in-grad": lambda r, i: r(lax.fori_loop)(
        0, 3, lambda k, v: v - jax.grad(partial(objective, X))(v), X + i
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_gives_the_same_and_compiles_once(name: str, helpers: ModuleType) -> None:
    program = PROGRAMS[name]
    for step in range(3):  # once through the branches of those that take turns
        original = program(plain, step)
        assert_same(program(helpers.retrace, step), original)
    assert [compiled(partial(program, helpers.retrace, step)) for step in range(5)] == [0] * 5


LOOPS = ("while", "scan", "fori", "cond", "switch", "map", "grad", "hessian", "vmap", "partial", "bound-method")


@pytest.mark.parametrize("name", LOOPS)
def test_the_original_compiles_at_every_call(name: str) -> None:
    PROGRAMS[name](plain, 0)
    PROGRAMS[name](plain, 0)
    assert compiled(lambda: PROGRAMS[name](plain, 0)) > 0


# --- what a memo of the functions would break ---------------------------------------------------------------------


def test_a_batch_that_the_same_function_reads_may_be_bound_anew(helpers: ModuleType) -> None:
    batch = X

    def loss(x: Any) -> Any:
        return jnp.sum((x - batch) ** 2)

    def search(retrace: Any) -> Any:
        return retrace(lax.while_loop)(lambda x: loss(x) > 1e-3, lambda x: x - 0.25 * jax.grad(loss)(x), X * 0)

    search(helpers.retrace)
    for step in range(1, 4):
        batch = X * step
        original = search(plain)
        assert compiled(lambda: search(helpers.retrace)) == 0
        assert_same(search(helpers.retrace), original)


def test_a_changed_captured_number_is_seen(helpers: ModuleType) -> None:
    for rate in (1, 2, 1.0, True, 2.0, -0.0, 0.0):
        original, ours = (
            retrace(lax.fori_loop)(0, 2, lambda i, v: v * rate, X)  # noqa: B023
            for retrace in (plain, helpers.retrace)
        )
        assert_same(ours, original)


@pytest.mark.parametrize("tolerance", [X * 0.1, 0.1, np.float32(0.1), jnp.float32(0.1)])
def test_a_tolerance_may_be_an_array(tolerance: Any, helpers: ModuleType) -> None:
    def search(retrace: Any) -> Any:
        return retrace(lax.while_loop)(lambda x: jnp.any(x > tolerance), lambda x: x / 2, X)

    assert_same(search(helpers.retrace), search(plain))


def test_effects_at_trace_time_happen_at_every_call(helpers: ModuleType) -> None:
    def noted(retrace: Any) -> int:
        log: list[int] = []
        for _ in range(3):
            retrace(lax.fori_loop)(0, 2, lambda i, v: (log.append(1), v)[1], X)
        return len(log)

    assert noted(helpers.retrace) == noted(plain) == 3


def test_numbers_drawn_at_trace_time_are_drawn_at_every_call(helpers: ModuleType) -> None:
    generator = np.random.default_rng(0)
    drawn = [helpers.retrace(lax.fori_loop)(0, 1, lambda i, v: v * generator.random(), X) for _ in range(3)]
    assert len({np.asarray(each).tobytes() for each in drawn}) == 3


def test_callbacks_are_called_and_told_apart(helpers: ModuleType) -> None:
    told: list[tuple[int, float]] = []

    def report(step: int, value: Any) -> None:
        told.append((step, float(value)))

    for step in range(200):
        helpers.retrace(lax.fori_loop)(
            0, 1, lambda i, v, step=step: (jax.debug.callback(partial(report, step), v), v)[1], jnp.float32(step)
        )
    jax.effects_barrier()
    assert told == [(step, step) for step in range(200)]


class Alike:
    """Says that it equals anything, as a careless `__eq__` does."""

    def __init__(self, gain: float) -> None:
        self.gain = gain

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Alike)

    def __hash__(self) -> int:
        return 0

    def __call__(self, value: Any) -> Any:
        return np.asarray(value) * np.float32(self.gain)

    def scaled(self, value: Any) -> Any:
        return self(value)


@pytest.mark.parametrize(
    "called",
    [
        lambda gain: Alike(gain),
        lambda gain: Alike(gain).scaled,
        lambda gain: partial(lambda owner, value: owner(value), Alike(gain)),
        lambda gain: lambda value: np.asarray(value) * np.float32(gain),
    ],
    ids=["object", "method", "partial", "closure"],
)
def test_a_callback_is_known_by_its_identity(called: Any, helpers: ModuleType) -> None:
    def run(retrace: Any, gain: float) -> Any:
        function = called(gain)
        return retrace(lax.fori_loop)(0, 1, lambda i, v: jax.pure_callback(function, X, v), X)

    for gain in (2.0, 3.0, 2.0):
        assert_same(run(helpers.retrace, gain), run(plain, gain))


@pytest.mark.skipif(not hasattr(jax.tree_util, "register_dataclass"), reason="an older jax")
def test_static_data_is_known_by_its_identity(helpers: ModuleType) -> None:
    @jax.tree_util.register_pytree_node_class
    @dataclass(frozen=True)
    class Scaled:
        value: Any
        scale: float
        note: str = field(default="", compare=False)

        def tree_flatten(self) -> Any:
            return (self.value,), (Alike(self.scale), self.scale, self.note)

        @classmethod
        def tree_unflatten(cls, static: Any, leaves: Any) -> Any:
            return cls(leaves[0], *static[1:])

    def out(scaled: Any) -> Any:
        return np.asarray(scaled.value) * np.float32(np.copysign(1, scaled.scale)) + np.float32(len(scaled.note))

    for scale, note in ((0.0, ""), (-0.0, ""), (0.0, "a"), (0.0, "ab")):
        original, ours = (
            retrace(lax.fori_loop)(0, 1, lambda i, v: jax.pure_callback(out, X, Scaled(v, scale, note)), X)  # noqa: B023
            for retrace in (plain, helpers.retrace)
        )
        assert_same(ours, original)


def test_a_set_is_known_by_its_members(helpers: ModuleType) -> None:
    """jax 0.12 keeps one beside each operation."""
    one, same, other = (helpers._known(frozenset(of), [])[0] for of in ((1, "a"), ("a", 1), (True, "a")))
    assert one == same != other
    with pytest.raises(TypeError, match="nothing tells it from others"):
        helpers._known(frozenset({Alike(1.0)}), [])


def test_a_flat_tree_is_known_by_what_it_holds(helpers: ModuleType) -> None:
    """jax 0.12 keeps two beside each `scan`."""
    flat = pytest.importorskip("jax._src.flattree", reason="an older jax")

    def key(value: Any) -> Any:
        return helpers._known(value, [])[0]

    def places(number: int) -> Any:
        return flat.pack((flat.nones(2), flat.flatten({"a": number}), flat.FTStatic(number)))

    read = places(1)
    assert read.vals
    assert key(read) == key(places(1)) == key(read.map(lambda part: part))
    assert len({key(places(number)) for number in (1, True, 2, 1.0)}) == 4
    for held in (flat.FTStatic(Alike(1.0)), flat.flatten(jax.tree_util.Partial(Alike(1.0)))):
        with pytest.raises(TypeError, match="nothing tells it from others"):
            key(flat.pack((held,)))


@pytest.mark.parametrize("guard", ["allow", "log", "disallow", "disallow_explicit"])
def test_a_guard_of_transfers_lets_it_pass(guard: str, helpers: ModuleType) -> None:
    start, stop = jnp.zeros(4), jnp.ones((), jnp.int32) * 3

    def run(retrace: Any) -> Any:
        return retrace(lax.while_loop)(
            lambda s: s[1] < stop, lambda s: (s[0] + s[1], s[1] + stop), (start, stop - stop)
        )

    ours = None
    original = run(plain)
    with jax.transfer_guard(guard):
        ours = run(helpers.retrace)
    assert_same(ours, original)


def test_ordered_effects_keep_their_order(helpers: ModuleType) -> None:
    from jax.experimental import io_callback

    told: list[float] = []

    def body(index: Any, value: Any) -> Any:
        io_callback(lambda v: told.append(float(v)), None, value, ordered=True)
        return value + 1

    for start in (0.0, 10.0):
        helpers.retrace(lax.fori_loop)(0, 3, body, start)
    jax.effects_barrier()
    assert told == [0, 1, 2, 10, 11, 12]


# --- under transformations and settings ---------------------------------------------------------------------------


def captured(retrace: Any, x: Any) -> Any:
    """The loop takes no tracer: its functions do."""
    return retrace(lax.fori_loop)(0, 3, lambda i, v: threefold(v) * jax.nn.relu(x), X)


def handed_over(retrace: Any, x: Any) -> Any:
    return retrace(lax.scan)(lambda c, y: (c * threefold(y), c), x.sum(), x)[0]


def with_own_rule(retrace: Any, x: Any) -> Any:
    return retrace(jax.vmap(lambda v: lax.fori_loop(0, 2, lambda i, c: sevenfold(c) * v, x.sum())))(X)


def of_constants(retrace: Any, x: Any) -> Any:
    return retrace(lax.fori_loop)(0, 2, lambda i, v: jax.nn.relu(threefold(v)), X) * x


TRANSFORMS: dict[str, Callable[..., Any]] = {
    "jit": lambda f: jax.jit(f)(X),
    "grad": lambda f: jax.grad(lambda x: f(x).sum())(X),
    "jit-of-grad": lambda f: jax.jit(jax.grad(lambda x: f(x).sum()))(X),
    "grad-of-jit": lambda f: jax.grad(lambda x: jax.jit(f)(x).sum())(X),
    "grad-of-scan": lambda f: jax.grad(
        lambda x: lax.scan(lambda c, _: (c + f(c).sum(), None), x, None, length=2)[0][0]
    )(X),
    "vmap": lambda f: jax.vmap(f)(W),
    "jit-of-vmap": lambda f: jax.jit(jax.vmap(f))(W),
    "scan": lambda f: lax.scan(lambda c, x: (c + f(x).sum(), None), 0.0, W)[0],
    "checkpoint": lambda f: jax.grad(lambda x: jax.checkpoint(f)(x).sum())(X),
}


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("program", [captured, handed_over, with_own_rule, of_constants])
def test_a_transformation_around_it_sees_the_same(transform: str, program: Any, helpers: ModuleType) -> None:
    original = TRANSFORMS[transform](partial(program, plain))
    assert_same(TRANSFORMS[transform](partial(program, helpers.retrace)), original)


def test_two_jits_around_one_function_do_not_share_a_tracer(helpers: ModuleType) -> None:
    held: dict[str, Any] = {}

    def value_fn(value: Any) -> Any:
        return value * held["x"]

    def outer(x: Any) -> Any:
        held["x"] = x
        return helpers.retrace(lax.fori_loop)(0, 2, lambda i, v: value_fn(v), X)

    for jitted in (jax.jit(lambda x: outer(x)), jax.jit(lambda x: outer(x) + 1)):
        jitted(X)
    assert_same(outer(X), X**3)


def test_under_a_jit_the_original_is_called(helpers: ModuleType) -> None:
    def program(retrace: Any) -> list[str]:
        lines = str(jax.make_jaxpr(lambda: of_constants(retrace, 2.0))()).splitlines()
        return [re.sub(r"\b[a-z]{1,2}:| at 0x\w+", "", line) for line in lines if "device_put" not in line]

    jax.block_until_ready(of_constants(helpers.retrace, 2.0))
    assert program(helpers.retrace) == program(plain)


def test_the_body_is_traced_once_under_a_jit(helpers: ModuleType) -> None:
    traces: list[int] = []

    def program(retrace: Any, x: Any) -> Any:
        def body(index: Any, value: Any) -> Any:
            traces.append(1)
            return value * x

        return retrace(lax.fori_loop)(0, 2, body, X)

    jax.jit(partial(program, plain))(X)
    expected = len(traces)
    jax.jit(partial(program, helpers.retrace))(X)
    assert len(traces) == 2 * expected


def test_without_jit_the_functions_see_values(helpers: ModuleType) -> None:
    with jax.disable_jit():
        result = helpers.retrace(lax.while_loop)(
            lambda v: bool(v < 5), lambda v: v + (1 if v > 0 else 2), jnp.float32(0)
        )
    assert result == 5


def test_a_nan_check_still_checks(helpers: ModuleType) -> None:
    with jax.debug_nans(True), pytest.raises(FloatingPointError):
        helpers.retrace(lax.fori_loop)(0, 2, lambda i, v: v / (v - v), X)


def test_a_function_that_asks_for_values_still_gets_them(helpers: ModuleType) -> None:
    def loss(x: Any) -> Any:
        return looped(x) if x[0] > 0 else -looped(x)

    for sign in (1, -1):
        assert_same(helpers.retrace(jax.grad(loss))(sign * X), jax.grad(loss)(sign * X))


@pytest.mark.parametrize(
    "wrong",
    [
        lambda r: r(lax.while_loop)(lambda v: v < 5, lambda v: (v, v), 0.0),
        lambda r: r(lax.while_loop)(lambda v: v < 5, lambda v: v + 1 if v > 1 else v, 0.0),
        lambda r: r(lax.fori_loop)(0, 3, lambda i, v: {}["key"], X),
        lambda r: r(lax.scan)(lambda c, x: (c, x), 0.0, (X, X[:2])),
        lambda r: r(lax.fori_loop)(0),
        lambda r: r(jax.grad(lambda x: x))(X),
        lambda r: r(jax.vmap(lambda x: 1 if x > 0 else 0))(X),
    ],
)
def test_an_error_is_the_same_error(wrong: Any, helpers: ModuleType) -> None:
    with pytest.raises(Exception) as original:
        wrong(plain)
    with pytest.raises(Exception) as ours:
        wrong(helpers.retrace)
    assert type(ours.value) is type(original.value)
    assert str(ours.value).splitlines()[:1] == str(original.value).splitlines()[:1]


def test_other_number_settings_are_other_programs(helpers: ModuleType) -> None:
    def program(retrace: Any) -> Any:
        return retrace(lax.fori_loop)(0, 3, lambda i, v: W @ v * 1.1, np.arange(4.0))

    for wide in (False, True, False):
        jax.config.update("jax_enable_x64", wide)
        try:
            assert_same(program(helpers.retrace), program(plain))
        finally:
            jax.config.update("jax_enable_x64", False)
    with jax.default_matmul_precision("float32"):
        assert_same(program(helpers.retrace), program(plain))


def test_threads_share_it(helpers: ModuleType) -> None:
    results: list[Any] = []

    def work(step: int) -> None:
        results.extend((step, PROGRAMS["while"](helpers.retrace, step % 2)) for _ in range(5))

    threads = [threading.Thread(target=work, args=(step,)) for step in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 40
    for step, result in results:
        assert_same(result, PROGRAMS["while"](plain, step % 2))


DEVICES = """
import jax, jax.numpy as jnp
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from jaxfix_helpers import retrace

one, two = jax.devices()
mesh = Mesh(jax.devices(), ("x",))
split = NamedSharding(mesh, PartitionSpec("x"))
places = (None, one, two, split)
for _ in range(2):
    for place in places:
        x = jnp.arange(4.0) if place is None else jax.device_put(jnp.arange(4.0), place)
        ours, original = (r(lax.fori_loop)(0, 3, lambda i, v: v * x, x) for r in (retrace, lambda f: f))
        assert ours.sharding == original.sharding, (ours.sharding, original.sharding)
        assert getattr(ours, "committed", 0) == getattr(original, "committed", 0)
        assert (ours == original).all()
print("done")
"""


def test_arrays_stay_on_their_devices(tmp_path: Path) -> None:
    (tmp_path / "jaxfix_helpers.py").write_bytes(TEXT.read_bytes())
    flags = {"XLA_FLAGS": "--xla_force_host_platform_device_count=2", "JAX_PLATFORMS": "cpu"}
    command = [sys.executable, "-c", DEVICES]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | flags, cwd=tmp_path)
    assert done.stdout == "done\n", done.stderr


# --- memory -------------------------------------------------------------------------------------------------------


class Owner:
    """What a closure holds."""

    gain = 2.0


def test_nothing_of_the_caller_is_kept_alive(helpers: ModuleType) -> None:
    def run() -> list[weakref.ref[Any]]:
        owner, big = Owner(), jnp.ones(1000)

        def loss(x: Any) -> Any:
            return jnp.sum(jax.nn.relu(x) * sevenfold(x) * owner.gain) + big.sum()

        helpers.retrace(lax.fori_loop)(0, 2, lambda i, v: v - jax.grad(loss)(v), X)
        helpers.retrace(jax.grad(lambda x: lax.fori_loop(0, 2, lambda i, v: v * owner.gain, x).sum() + loss(x)))(X)
        return [weakref.ref(owner), weakref.ref(big), weakref.ref(loss)]

    alive = run()
    gc.collect()
    assert [each() for each in alive] == [None, None, None]


@pytest.mark.parametrize("kind", ["array", "host array", "callback", "callback of a partial", "in a lambda"])
def test_what_a_nested_program_captures_is_not_kept_alive(kind: str, helpers: ModuleType) -> None:
    def run() -> Any:
        big = np.ones(1 << 20, np.float32) if kind == "host array" else jnp.ones(1 << 20)
        told = {
            "callback": lambda v: np.asarray(v) + np.asarray(big[0]),
            "callback of a partial": partial(lambda b, v: np.asarray(v) + np.asarray(b[0]), big),
        }.get(kind)

        @jax.jit
        def inner(x: Any) -> Any:
            return x + big[:4] if told is None else jax.pure_callback(told, X, x)

        for _ in range(4):  # once compiled, and found again
            if kind == "in a lambda":
                helpers.retrace(lax.fori_loop)(0, 2, lambda i, v: jax.jit(lambda x: x + big[:4])(v), X)
            else:
                helpers.retrace(lax.fori_loop)(0, 2, lambda i, v: inner(v), X)
        return weakref.ref(big)

    alive = run()
    jax.clear_caches()  # jax itself keeps it, as without `retrace`
    gc.collect()
    assert alive() is None


@pytest.mark.skipif(jax.__version_info__ < (0, 6), reason="jax itself keeps the rule")
def test_nothing_of_a_derivative_rule_is_kept_alive(helpers: ModuleType) -> None:
    def run() -> weakref.ref[Any]:
        owner = Owner()

        @jax.custom_jvp
        def own(x: Any) -> Any:
            return x * owner.gain

        own.defjvp(lambda primals, tangents: (own(*primals), tangents[0] * owner.gain))
        helpers.retrace(lax.fori_loop)(0, 2, lambda i, v: own(v), X)
        helpers.retrace(jax.grad(lambda x: lax.fori_loop(0, 2, lambda i, v: own(v), x).sum()))(X)
        return weakref.ref(owner)

    alive = run()
    gc.collect()
    assert alive() is None


def test_what_is_remembered_is_bounded(helpers: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(helpers, "_MOST_PROGRAMS", 5)
    for step in range(20):
        helpers.retrace(lax.fori_loop)(0, 2, lambda i, v, step=step: v + step, X)
    assert len(helpers._programs) == 5


def test_it_can_be_jitted_and_named_like_the_function(helpers: ModuleType) -> None:
    wrapped = helpers.retrace(jax.grad(looped))
    assert wrapped.__name__ == jax.grad(looped).__name__
    assert_same(jax.jit(wrapped)(X), jax.jit(jax.grad(looped))(X))
    assert_same(helpers.retrace(partial(lax.fori_loop, 0, 3))(lambda i, v: v * X, X), X**4)


# --- cast_like ----------------------------------------------------------------------------------------------------


def test_floating_leaves_are_cast(helpers: ModuleType) -> None:
    like = {"a": jnp.ones(2, jnp.bfloat16), "b": (np.ones(1, np.float16), jnp.ones(1, jnp.complex64))}
    tree = {"a": X, "b": (HOST, np.ones(1, np.complex128))}
    cast = helpers.cast_like(tree, like)
    assert [leaf.dtype for leaf in jax.tree_util.tree_leaves(cast)] == ["bfloat16", "float16", "complex64"]
    assert jax.tree_util.tree_structure(cast) == jax.tree_util.tree_structure(tree)


@pytest.mark.parametrize(
    ("leaf", "like"),
    [
        (X, jnp.ones(4, jnp.int32)),
        (jnp.ones(4, jnp.int32), X),
        (X, X + 1),
        (X, X.astype(jnp.complex64)),
        (X.astype(jnp.complex64), X),
        (jax.random.key(0), X),
        (X, jax.random.key(0)),
        (1.5, X.astype(jnp.float16)),
        (X, 1.5),
        (None, X),
        (X, None),
        (X > 0, X),
        ("text", X),
        (np.zeros(2, jax.dtypes.float0), X),
        ({"a": X}, [X.astype(jnp.float16)]),
        (jnp.asarray(1.0), jnp.float32(2)),
    ],
)
def test_all_else_is_left_as_it_is(leaf: Any, like: Any, helpers: ModuleType) -> None:
    assert helpers.cast_like((leaf,), (like,))[0] is leaf or isinstance(leaf, dict)
    assert_same(helpers.cast_like((leaf,), (like,)), (leaf,)) if not isinstance(leaf, np.ndarray) else None


def test_cast_like_works_under_jit(helpers: ModuleType) -> None:
    cast = jax.jit(helpers.cast_like)({"a": X, "none": None}, {"a": X.astype(jnp.float16), "none": None})
    assert cast["a"].dtype == jnp.float16
