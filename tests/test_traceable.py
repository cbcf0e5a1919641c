"""What a trace would ask of code that ran eagerly."""

import ast

import pytest

from jaxfix.effects.stability import why_unstable
from jaxfix.effects.traceability import demands
from jaxfix.semantic.calls import arguments_of
from jaxfix.semantic.module import Module
from jaxfix.source.source_file import SourceFile

IMPORTS = "import random\nimport jax\nimport jax.numpy as jnp\nimport numpy as np\n"


def parsed(text: str) -> Module:
    return Module.parse(SourceFile.decode("a.py", (IMPORTS + text).encode()))


def function(module: Module, name: str = "step") -> ast.FunctionDef:
    return next(f for f in module.functions if isinstance(f, ast.FunctionDef) and f.name == name)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("print(p)", "calls `print` for its side effect"),
        ("seen.append(p)", "calls `seen.append` for its side effect"),
        ("return p * random.random()", "may return a different value at every trace"),
        ("return p.item()", "which a traced array does not have"),
        ("loss = jnp.sum(p)\n    return 1 if loss < 2 else p", "branches on `loss < 2`"),
        ("return float(jnp.sum(p))", "passes `jnp.sum(p)` to `float`"),
        ("return np.mean(jnp.sum(p))", "to `numpy.mean`"),
        ("p['w'] = 1", "changes `p['w']`"),
        ("with open('x') as file: return file", "it enters `open('x')`"),
        ("try:\n        return p\n    except ValueError:\n        return 0", "has a `try`"),
        ("return p * rate", "`rate` is bound more than once"),
        ("return p * noise.normal()", "returns a different value at every call"),
        ("return p * loader.batch()", "may return a different value at every call"),
        ("global rate\n    rate = 3", "rebinds `rate`"),
        ("return jax.device_get(p)", "waits for values"),
        ("while jnp.sum(p) > 1:\n        p = p / 2\n    return p", "loops on `jnp.sum(p) > 1`"),
        ("return helper(p)", "`helper`, which it uses: it calls `print` for its side effect"),
        ("yield p", "generator"),
    ],
)
def test_what_cannot_run_under_a_trace_is_said(body: str, reason: str) -> None:
    around = (
        "seen = []\nrate = 1\nrate = 2\nnoise = np.random.default_rng(0)\nloader = make()\n"
        "def helper(p):\n    print(p)\n    return p\n"
    )
    module = parsed(f"{around}def step(p):\n    {body}\n")
    assert reason in str(demands(module, function(module)).reason)


@pytest.mark.parametrize(
    "body",
    [
        "return p * 2",
        "return p if p.ndim == 2 else p[0]",
        "return p if mask is None else p * mask",
        "for i in range(p.shape[0]):\n        p = p + i\n    return p",
        "loss = jnp.sum(p)\n    return jnp.where(loss < 2, p, 0)",
        "new = {}\n    new['w'] = p\n    return new",
        "return optimizer.update(p, mask)",
        "return jax.tree.map(lambda a: a.conj(), p)",
        "jax.debug.print('{}', p)\n    return p",
        "return p * SCALE + jnp.zeros(len(p))",
    ],
)
def test_what_can_run_under_a_trace_has_no_reason(body: str) -> None:
    module = parsed(f"optimizer = make()\nSCALE = 2.0\ndef step(p, mask=None):\n    {body}\n")
    found = demands(module, function(module))
    assert (found.reason, found.values) == (None, {})


def test_what_has_to_be_known_is_named() -> None:
    module = parsed("def step(p, kind, n, f):\n    if kind == 'a':\n        p = f(p)\n    return p[:n] + jnp.ones(n)\n")
    found = demands(module, function(module))
    assert set(found.values) == {"kind", "n"}
    assert set(found.called) == {"f"}


@pytest.mark.parametrize(
    ("call", "known"),
    [
        ("jnp.arange(0, n)", {"n"}),
        ("jnp.arange(p, n, k)", {"p", "n", "k"}),
        ("jnp.linspace(p, k, n)", {"n"}),
        ("jnp.linspace(p, k, num=n)", {"n"}),
        ("jnp.full((n,), k)", {"n"}),
        ("jnp.full(shape=(n,), fill_value=k)", {"n"}),
        ("jnp.full(fill_value=k, shape=n, dtype=p.dtype)", {"n"}),
    ],
)
def test_what_shapes_an_array_has_to_be_known(call: str, known: set[str]) -> None:
    module = parsed(f"def step(p, n, k):\n    return p + {call}\n")
    assert set(demands(module, function(module)).values) == known


def test_a_method_that_is_transformed_is_one_that_is_called() -> None:
    module = parsed("import jax\ndef step(p, tx, f):\n    return jax.jit(tx.update)(jax.grad(f)(p), p)\n")
    found = demands(module, function(module))
    assert (found.methods, set(found.called)) == ({"tx": "update"}, {"f"})


def test_what_a_called_function_has_to_know_is_asked_of_its_caller() -> None:
    module = parsed("def rate(i):\n    return 1.0 if i < 3 else 0.1\ndef step(p, i):\n    return p * rate(i)\n")
    assert "`rate`, which branches on `i < 3`" in demands(module, function(module)).values["i"]


def test_a_name_bound_in_a_loop_is_not_kept() -> None:
    module = parsed("for i in range(3):\n    batch = i\nonce = 1\n")
    assert why_unstable(module, "once", module.tree) is None
    assert "at every iteration" in str(why_unstable(module, "batch", module.tree))


@pytest.mark.parametrize(
    ("store", "read", "is_kept"),
    [
        ("settings.rate = i", "settings.rate", False),
        ("settings.rates['a'] = i", "settings.rates['a']", False),
        ("settings.rates.append(i)", "settings.rates[0]", False),
        ("setattr(settings, 'rate', i)", "settings.rate", False),
        ("again.rate = i", "settings.rate", False),
        ("settings.train.rate = i", "settings.train", False),
        ("settings.step = i", "settings.rate", True),
        ("settings.train = i", "settings.training", True),
        ("jax.config.jax_enable_x64 = True", "jnp.sum(p)", True),
    ],
)
def test_what_a_file_changes_of_a_module_is_not_kept(store: str, read: str, is_kept: bool) -> None:
    imports = "import settings\nimport settings as again\n"
    module = parsed(f"{imports}def step(p):\n    return p * {read}\nfor i in range(3):\n    {store}\n    step(1.0)\n")
    reason = demands(module, function(module)).reason
    assert (reason is None) if is_kept else str(reason).startswith("it reads `settings`: line 10 changes")


def test_the_update_of_an_optimizer_changes_nothing() -> None:
    module = parsed("tx = make()\nsettings = {}\nupdates, state = tx.update(1, 2)\nsettings.update({})\n")
    assert why_unstable(module, "tx", module.tree) is None
    assert str(why_unstable(module, "settings", module.tree)) == "`settings` is changed in place"


def test_arguments_are_matched_to_parameters() -> None:
    module = parsed("def step(self, a, b=1, *, c=2): ...\nx.step(1, c=3)\n")
    (call,) = module.nodes(ast.Call)
    found = arguments_of(function(module), call, bound=True)
    assert found is not None
    assert {name: value and module.text(value) for name, value in found.items()} == {"a": "1", "b": None, "c": "3"}
