"""What a caller of a rewritten function may notice that no result of the program shows."""

from pathlib import Path

import pytest
from beside_program import differing, measured

pytestmark = pytest.mark.evidence


def _swapped(before: str, pairs: tuple[tuple[str, str], ...]) -> str:
    for old, new in pairs:
        assert old in before, old
        before = before.replace(old, new)
    return before


def test_what_a_trace_stores_is_put_back(tmp_path: Path) -> None:
    """A state that held a tracer would make every later call raise, of both: they would agree."""
    before = """
    class Sums:
        def __init__(self):
            self.total, self.seen = jnp.zeros(4), []
        def add(self, v):
            self.total = self.total + jnp.where(v > 100.0, 0.0, v)
            self.seen = self.seen + [v.shape]
            return self.total
    def on_host(v):
        return np.array(v)
    sums = Sums()
    sums.add(x), on_host(x)
    """
    after = _swapped(
        before,
        (
            ("jnp.where(v > 100.0, 0.0, v)", "v"),
            ("self.seen = self.seen + [v.shape]", "self.seen.append(v.shape)"),
            ("np.array(v)", "np.asarray(v)"),
        ),
    )
    run = measured(tmp_path, before, after, "Sums.add", "on_host")
    found = differing(run)
    assert {"as called", "perturbed, near what it is compared with"} <= found["Sums.add"]
    assert "as called" in found["on_host"]
    assert not any("UnexpectedTracerError" in pair.before.treedef for pair in run.beside)


def test_callers_stop_generators_and_change_what_these_read(tmp_path: Path) -> None:
    before = """
    class Model:
        rate = 0.5
    def evaluating(model):
        before, model.rate = model.rate, 1.0
        try:
            yield model
        finally:
            model.rate = before
    def decayed(model, batches):
        for batch in batches:
            yield batch * model.rate
    def added(batches):
        for batch in batches:
            yield batch + 1
    model = Model()
    model.rate = 0.5
    list(evaluating(model)), list(decayed(model, [x, x])), list(added([x, x]))
    """
    after = _swapped(
        before,
        (
            ("try:\n            yield model\n        finally:\n            model", "yield model\n        model"),
            ("for batch in batches:\n            yield batch * model.rate", "rate = model.rate\n        RATED"),
            ("RATED", "for batch in batches:\n            yield batch * rate"),
            ("            yield batch + 1", "            yield 1 + batch"),
        ),
    )
    found = differing(measured(tmp_path, before, after, "evaluating", "decayed", "added"))
    assert "as called, and an error thrown into it" in found["evaluating"]
    assert "as called, and what it reads changed after its first value" in found["decayed"]
    assert "added" not in found


@pytest.mark.slow
def test_items_keywords_and_kinds_that_the_program_never_passes(tmp_path: Path) -> None:
    before = """
    import collections.abc
    def mask(params):
        return {name: not ("bias" in name or "norm" in name) for name in params}
    def grouped(flat):
        return {path.split("/")[1]: value for path, value in flat.items()}
    def scaled(v, rate):
        return v * rate if isinstance(rate, (int, float)) else v
    def updated(p, g, rate=0.1, clip=None):
        return p - rate * (g if clip is None else jnp.clip(g, -clip, clip))
    def step(p, g, **options):
        return updated(p, g * 0.5, **options)
    def total(*terms):
        return sum(terms[1:], terms[0])
    def frozen(params, grads):
        return jax.tree.map(lambda g, p: p if g is None else p - g, grads, params, is_leaf=lambda g: g is None)
    def blocked(v, n: int):
        return v * len(range(n))
    def mean(losses):
        return sum(losses) / max(len(losses), 1)
    def mapped(params):
        return isinstance(params, collections.abc.Mapping) and len(params) * 0.5
    def named(v, mode):
        return v.mean() if mode == "mean" else v
    mask({"bias": x, "kernel": x}), grouped({"e/w": x}), scaled(x, 0.5), step(x, x, rate=0.5), total(x, x * 0)
    frozen({"w": x}, {"w": x}), blocked(x, 12), mean([0.5, 1.0]), named(x, "mean"), mapped({"w": x})
    """
    after = _swapped(
        before,
        (
            ('not ("bias" in name or "norm" in name)', '"bias" not in name'),
            ('.split("/")[1]', '.split("/")[-1]'),
            ("isinstance(rate, (int, float))", "type(rate) in (int, float)"),
            ("g * 0.5, **options", 'g * 0.5, options.get("rate", 0.1)'),
            ("sum(terms[1:], terms[0])", "terms[0] + terms[-1]"),
            ("p if g is None else p - g, grads, params, is_leaf=lambda g: g is None", "p - g, grads, params"),
            ("max(len(losses), 1)", "len(losses)"),
            ("collections.abc.Mapping)", "dict)"),
            ('mode == "mean"', "mode is MEAN"),
            ("def named", 'MEAN = "mean"\n    def named'),
            ("len(range(n))", "len({None: range(n), n: range(n)}[n])"),
        ),
    )
    names = ("mask", "grouped", "scaled", "step", "total", "frozen", "blocked", "mean", "named", "mapped")
    run = measured(tmp_path, before, after, *names)
    assert differing(run) == {
        "mask": {"given `params` with keys like 'norm'"},
        "grouped": {"given `flat` with keys of more parts between '/'"},
        "scaled": {"given NumPy numbers"},
        "step": {"given the keyword `clip`"},
        "total": {"given `terms` with one item more"},
        "frozen": {"given `grads` with None for 'w'"},
        "mean": {"given `losses` with no items"},
        "mapped": {"given `params` as a mapping that is not a dict"},
        "named": {"perturbed, 'mean' as another object"},
    }
    assert "arrays for what is declared a number" in run.untried["program.py:blocked"]


@pytest.mark.slow
def test_classes_that_the_program_does_not_have(tmp_path: Path) -> None:
    before = """
    import dataclasses
    import typing
    class Layer:
        def apply(self, v):
            return v * 2.0
    class Dense(Layer):
        def apply(self, v):
            return super().apply(v) + 1.0
    @dataclasses.dataclass
    class State:
        p: jax.Array
        count: int = 0
    class Pair(typing.NamedTuple):
        a: jax.Array
    def step(state, g):
        return dataclasses.replace(state, p=state.p - g)
    def half(pair, g):
        return pair._replace(a=pair.a - g)
    class Model:
        def __init__(self, w):
            self.w = w
        @classmethod
        def create(cls, size):
            return cls(jnp.linspace(0.0, 1.0, size))
    Dense().apply(x), step(State(x), x), half(Pair(x), x), Model.create(3)
    """
    after = _swapped(
        before,
        (
            ("super().apply(v)", "Layer.apply(self, v)"),
            ("dataclasses.replace(state, p=state.p - g)", "State(state.p - g, state.count)"),
            ("pair._replace(a=pair.a - g)", "Pair(pair.a - g)"),
            ("cls(jnp", "Model(jnp"),
        ),
    )
    assert differing(measured(tmp_path, before, after, "Dense.apply", "step", "half", "Model.create")) == {
        "Dense.apply": {"given an object of a subclass with another class before `Layer`"},
        "step": {"given `state` of a subclass"},
        "half": {"given `pair` of a subclass"},
        "Model.create": {"given `cls` of a subclass"},
    }


@pytest.mark.slow
def test_settings_that_the_program_does_not_choose(tmp_path: Path) -> None:
    before = """
    GRID = jnp.linspace(0.0, 1.0, 4)
    def noisy(v, key):
        return v + jax.random.normal(key, (2 * v.size,))[: v.size]
    def shifted(m, v):
        return m + v[None, :]
    def product(v, w):
        return jnp.matmul(v, w, precision="highest")
    def sampled(v):
        return jnp.interp(v, jnp.linspace(0.0, 1.0, 4), jnp.arange(4.0))
    def mean(g, axis_name=None):
        return g if axis_name is None else lax.pmean(g, axis_name)
    noisy(x, jax.random.key(0)), shifted(jnp.ones((3, 4)), x), product(x, jnp.eye(4)), sampled(x * 0.1), mean(x * 0)
    """
    after = _swapped(
        before,
        (
            ("(2 * v.size,))[: v.size]", "v.shape)"),
            ("v[None, :]", "v"),
            ('jnp.matmul(v, w, precision="highest")', "v @ w"),
            ("v, jnp.linspace(0.0, 1.0, 4)", "v, GRID"),
            ("lax.pmean", "lax.psum"),
        ),
    )
    found = differing(measured(tmp_path, before, after, "noisy", "shifted", "product", "sampled", "mean"))
    assert "under the other way to draw random numbers" in found["noisy"]
    assert "under no promotion of ranks" in found["shifted"]
    assert "what precision it asks for" in found["product"]
    assert "given double precision" in found["sampled"]
    assert found["mean"] == {"under vmap over an axis that `axis_name` names"}


@pytest.mark.slow
def test_what_is_shared_locked_read_and_remembered(tmp_path: Path) -> None:
    (tmp_path / "options.txt").write_text("mode=fast\nrate=0.5\n")
    before = """
    import threading
    LOCK, current, windows, options = threading.Lock(), [], {}, {"size": 4}
    def copied(params):
        return jax.tree.map(jnp.copy, params)
    def moments(params):
        return {"m": jnp.zeros_like(params), "v": jnp.zeros_like(params)}
    def locked(v):
        with LOCK:
            return v * 2
    def read(path):
        return dict(line.split("=", 1) for line in open(path))
    @functools.lru_cache
    def body(f):
        current[:] = [f]
        return lambda i, c: current[0](c)
    def iterate(f, v):
        return lax.fori_loop(0, 3, lambda i, c: f(c), v)
    def window(options, v):
        return v * jnp.hanning(options["size"])
    def half(v):
        return v * 0.5
    copied({"w": x}), moments(x), locked(x), read("options.txt"), iterate(half, x), window(options, x)
    """
    after = _swapped(
        before,
        (
            ("jax.tree.map(jnp.copy, params)", "dict(params)"),
            ('{"m": jnp.zeros_like(params), "v": jnp.zeros_like(params)}', 'dict.fromkeys("mv", params * 0)'),
            ("with LOCK:\n            return v * 2", "return v * 2"),
            ('line.split("=", 1)', 'line.split("=")'),
            ("lambda i, c: f(c)", "body(f)"),
            ('jnp.hanning(options["size"])', 'windows.setdefault(id(options), jnp.hanning(options["size"]))'),
        ),
    )
    found = differing(measured(tmp_path, before, after, "copied", "moments", "locked", "read", "iterate", "window"))
    assert "as called" in found["copied"]
    assert "as called" in found["moments"]
    assert found["locked"] == {"given `LOCK` that is watched"}
    assert found["read"] == {"given files whose values hold the mark before them"}
    assert found["iterate"] == {"given two axes more, after calls with other data"}
    assert "as called, with objects where others were" in found["window"]
