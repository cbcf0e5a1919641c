"""Calls that the program does not make: other kinds of arguments, transformations, functions that are returned."""

from pathlib import Path

import pytest
from beside_program import differing, measured

from jaxfix.evidence.outputs import allowed, beside_alike
from jaxfix.report.finding import Equality

pytestmark = pytest.mark.evidence


def test_other_kinds_of_arguments_are_given(tmp_path: Path) -> None:
    before = """
    def ranked(v):
        return v.sum(-1)
    def optional(v, mask=None):
        return v if mask is None else jnp.where(mask > 0, v, 0.0)
    def named(v, reduction=None):
        return v.mean() if reduction == "mean" else v
    def converted(v):
        return jnp.asarray(v).at[0].add(1.0)
    def conjugated(v):
        return v * jnp.conj(v)
    def divided(v):
        return v.sum() / max(v.shape[0], 1)
    def patient(v, patience=3):
        return v if patience < 50 else v / patience
    def refused(v):
        if v.ndim != 1:
            raise ValueError("one-dimensional data alone")
        return v
    def warming(v, step=3, warmup=300):
        return v if step < warmup else v / 2
    def restarted(v, state={"count": 1}):
        return jnp.where(state["count"] % 90 == 0, 0.0, v)
    def blocked(v):
        return v if v.size > 5000 else v + 1
    def optioned(v, options={"rate": 2.0}):
        return v * options.get("rate", 1.0)
    def stepped(params):
        return {name: param * 2 for name, param in params.items()}
    def worded(v, count=3):
        if count < 0:
            raise ValueError(f"{count} is negative")
        return v * count
    for f in (ranked, optional, named, converted, conjugated, divided, patient, refused, warming, restarted, blocked,
              optioned, worded):
        f(x)
    stepped({"w": x})
    """
    after = before
    for old, new in (
        ("v.sum(-1)", "v.sum(0)"),
        ("v if mask is None else jnp.where(mask > 0, v, 0.0)", "v"),
        ('v.mean() if reduction == "mean" else v', "v"),
        ("jnp.asarray(v).at", "v.at"),
        ("v * jnp.conj(v)", "v * v"),
        ("max(v.shape[0], 1)", "v.shape[0]"),
        ("v if patience < 50 else v / patience", "v"),
        ("v.ndim != 1", "v.ndim == 9"),
        ("step < warmup", "step <= warmup"),
        ('jnp.where(state["count"] % 90 == 0, 0.0, v)', "v * 1.0"),
        ("v if v.size > 5000 else v + 1", "v + 1"),
        ('options.get("rate", 1.0)', 'options["rate"]'),
        ("{name: param * 2 for name, param in params.items()}", '{"w": params["w"] * 2}'),
        ("{count} is negative", "bad count"),
    ):
        after = after.replace(old, new)
    names = ("ranked", "optional", "named", "converted", "conjugated", "divided", "patient", "refused")
    names = (*names, "warming", "restarted", "blocked", "optioned", "stepped", "worded")
    found = differing(measured(tmp_path, before, after, *names))
    assert "given one axis more" in found["ranked"]
    assert "given `mask` as an array" in found["optional"]
    assert "given `reduction` as 'mean'" in found["named"]
    assert "given NumPy arrays" in found["converted"]
    assert "given complex numbers" in found["conjugated"]
    assert "given no rows" in found["divided"]
    assert "perturbed, 3 as 50" in found["patient"]
    assert "given one axis more" in found["refused"]
    assert "perturbed, 3 as 300" in found["warming"]
    assert "perturbed, 1 as 90" in found["restarted"]
    assert "given 5001 rows" in found["blocked"]
    assert "given `options` without 'rate'" in found["optioned"]
    assert "given `params` with another key" in found["stepped"]
    assert "perturbed, 3 as -1" in found["worded"]


@pytest.mark.slow
def test_callers_do_what_the_program_does_not(tmp_path: Path) -> None:
    (tmp_path / "rate.txt").write_text("0.5")
    before = """
    def quiet(v):
        pass
    def cased(v, mode="double"):
        return v * 2 if mode.lower() == "double" else v
    def last(v, terms):
        return v + terms[-1]
    def middle(a, b):
        return a + (b - a) // 2
    def nested(v, hook=quiet):
        low = v.min()
        hook(v)
        return v + low
    def called(v, first=quiet, second=quiet):
        first(v), second(v)
        return v
    def sorted_(v):
        return {"w": v * 2, "b": v}
    def filed(v):
        with open("rate.txt") as file:
            return v * float(file.read())
    def promoted(v, n=2):
        return v + n
    def emptied(v):
        return v.max(), v.min()
    def noisy(v, key):
        return v + jax.random.normal(key, v.shape)
    STATE = {"rate": 0.5}
    whole = jnp.arange(3)
    for f in (cased, nested, called, sorted_, filed, promoted, emptied):
        f(x)
    noisy(x, jax.random.PRNGKey(0)), last(x, [x, x * 2, x * 3]), middle(whole, whole + 2)
    """
    after = before
    for old, new in (
        ("mode.lower()", "mode"),
        ("terms[-1]", "terms[2]"),
        ("a + (b - a) // 2", "(a + b) // 2"),
        ("low = v.min()\n        hook(v)", 'STATE["low"] = v.min()\n        hook(v)'),
        ("return v + low", 'return v + STATE.pop("low", 0.0)'),
        ("first(v), second(v)", "second(v), first(v)"),
        ('{"w": v * 2, "b": v}', '{"b": v, "w": v * 2}'),
        ('with open("rate.txt") as file:\n            return v * float(file.read())', 'return v * STATE["rate"]'),
        ("return v + n", "return v + jnp.int32(n)"),
        ("jax.random.normal(key", "jax.random.normal(jax.random.wrap_key_data(key)"),
        ("return v.max(), v.min()", "low = v.min()\n        return v.max(), low"),
    ):
        assert old in after, old
        after = after.replace(old, new)
    names = ("cased", "last", "middle", "nested", "called", "sorted_", "filed", "promoted", "emptied", "noisy")
    found = differing(measured(tmp_path, before, after, *names))
    assert "perturbed, 'double' as 'DOUBLE'" in found["cased"]
    assert found["last"] == {"given `terms` with one item more"}
    assert found["middle"] == {"given integers as large as their type"}
    assert "given `hook` that calls it again" in found["nested"]
    assert "given callables that note their order" in found["called"]
    assert "as called" in found["sorted_"]
    assert "given other numbers in the files that it reads" in found["filed"]
    assert "under strict promotion of dtypes" in found["promoted"]
    assert "given keys of the other kind" in found["noisy"]
    assert "emptied" not in found


def test_transformations_are_put_around_and_hooks_overridden(tmp_path: Path) -> None:
    before = """
    class Model:
        def rate(self):
            return 2.0
        def run(self, v):
            return v * self.rate()
    def concrete(v):
        return v * v[0]
    def looped(v):
        return lax.fori_loop(0, 3, lambda i, c: c * 0.5, v)
    def stopped(v):
        return v * 2
    def told(v):
        return v * 2
    @jax.tree_util.register_pytree_node_class
    class Layer:
        def __init__(self, w, residual=False):
            self.w, self.residual = w, residual
        def tree_flatten(self):
            return (self.w,), None
        @classmethod
        def tree_unflatten(cls, aux, children):
            return cls(*children)
    def applied(layer, v):
        return v * layer.w + (v if layer.residual else 0.0)
    def passed(layer):
        return layer, 2.0
    Model().run(x), concrete(x), looped(x), stopped(x), told(x), applied(Layer(x), x), passed(Layer(x))
    """
    after = (
        before.replace("v * self.rate()", "v * 2.0")
        .replace("v * v[0]", "v * float(v[0])")
        .replace("fori_loop(0, 3", "fori_loop(0, jnp.int32(3)")
        .replace("return v * 2\n    def told", "return lax.stop_gradient(v) * 2\n    def told")
        .replace("v * 2\n    @jax", "v * (2 if isinstance(jnp.sin(0.0), jax.Array) else 3)\n    @jax")
        .replace("v * layer.w + (v if layer.residual else 0.0)", "v * jax.tree.map(jnp.asarray, layer).w")
        .replace("return layer, 2.0", "return jax.tree.map(lambda w: w, layer), 2.0")
    )
    names = ("Model.run", "concrete", "looped", "stopped", "told", "applied", "passed")
    found = differing(measured(tmp_path, before, after, *names))
    assert found["Model.run"] == {"given an object of a subclass with another `rate`"}
    assert "under jit" in found["concrete"]
    assert found["looped"] == {"under reverse derivatives and jit"}
    assert {"under forward derivatives and jit", "under reverse derivatives and jit"} <= found["stopped"]
    assert "told" not in found
    assert "given another `layer.residual`" in found["applied"]
    assert "given another `layer.residual`" in found["passed"]


def test_what_is_returned_is_called_and_updated(tmp_path: Path) -> None:
    before = """
    def make(rate):
        return jax.jit(lambda v: jnp.abs(v) * rate), jax.jit(lambda v: v + rate)
    def same(rate):
        return {"step": lambda v: v * rate}
    def init(params):
        return {"m": jnp.zeros_like(params), "best": jnp.asarray(0.0)}
    def update(grads, state):
        best = jnp.maximum(state["best"], jnp.max(grads))
        return {"m": state["m"] + grads * best, "best": best}
    make(2.0)[0](x), same(2.0)["step"](x), jax.jit(update)(x, init(x))
    """
    after = (
        before.replace("jnp.abs(v) * rate", "v * rate")
        .replace("v + rate", "v - rate")
        .replace("lambda v: v * rate}", "functools.partial(lambda rate, v: v * rate, rate)}")
        .replace("asarray(0.0)", "asarray(0.0, jnp.float32)")
    )
    run = measured(tmp_path, before, after, "make", "same", "init")
    found = differing(run)
    assert {"returned[0], as called", "given 1 made-up arguments, returned[1]"} <= found["make"]
    assert "same" not in found
    assert "under half precision, updated once" in found["init"]
    mine = [pair for pair in run.beside if pair.function.endswith(":init")]
    for promise in (Equality.STRONGER_TYPES, Equality.CONVERGED):
        assert "updated once" in str(beside_alike(mine, allowed(promise, "", "program.py:init")).difference)


def test_lengths_and_functions_of_other_lists_are_compared(tmp_path: Path) -> None:
    before = """
    def split(state):
        mean, count = state
        return mean + 1.0, count
    def kept(state):
        mean, count = state
        return mean - 1.0, count
    def scales(numbers):
        return [functools.partial(lambda n, v: v * n, n) for n in numbers]
    def shifts(numbers):
        return [lambda v, n=n: v + n for n in numbers]
    split((x, 1)), kept((x, 1))
    scales([2.0])[0](x), shifts([2.0])[0](x)
    """
    after = before
    for old, new in (
        ("mean, count = state\n        return mean + 1.0, count", "return state[0] + 1.0, state[1]"),
        ("mean, count = state\n        return mean - 1.0, count", "(mean, count) = state; return (mean - 1.0, count)"),
        ("functools.partial(lambda n, v: v * n, n) for n in numbers", "lambda v: v * n for n in numbers"),
        ("lambda v, n=n: v + n for n in numbers", "lambda v, n=n: n + v for n in numbers"),
    ):
        assert old in after
        after = after.replace(old, new)
    found = differing(measured(tmp_path, before, after, "split", "kept", "scales", "shifts"))
    assert "given `state` with one item more" in found["split"]
    assert any("another item at its end" in how and "returned[0]" in how for how in found["scales"])
    assert found.keys() == {"split", "scales"}
