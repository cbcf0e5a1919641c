"""Which transformations run eagerly, are the outermost ones, and have control flow inside."""

import ast
import textwrap

import pytest

from jaxfix.semantic.module import Module
from jaxfix.semantic.project.summary_types import Runs
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.source.source_file import SourceFile
from jaxfix.staging.contexts import Staging
from jaxfix.staging.control_flow_calls import function_arguments
from jaxfix.staging.eager_transforms import Transformed, eager_transformations
from jaxfix.staging.jit import transform_of

LOOPS = """
import jax
from jax import lax
from functools import partial
from jaxfix_helpers import retrace

def energy(x):
    return lax.scan(lambda c, v: (c + v, None), 0.0, x)[0]

def twice(x):
    return _inner(x) * 2

def _inner(x):
    return energy(x) + lax.fori_loop(0, 3, lambda i, v: v, x).sum()

def plain(x):
    return x.sum()

@jax.jit
def jitted(x):
    return lax.cond(x.sum() > 0, plain, plain, x)

"""


def parsed(text: str, surroundings: Surroundings | None = None) -> Module:
    source = SourceFile.decode("a.py", (LOOPS + textwrap.dedent(text)).encode())
    return Module.parse(source, surroundings or Surroundings())


def found(text: str) -> list[tuple[str, int]]:
    """The outermost transformations as text, and how many calls of control flow are inside."""
    module = parsed(text)
    return [(module.text(each.at), len(each.control_flow)) for each in eager_transformations(module)]


def only(text: str) -> Transformed:
    (each,) = eager_transformations(parsed(text))
    return each


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f(x): return jax.grad(energy)(x)", [("jax.grad(energy)", 1)]),
        ("def f(x): return jax.grad(twice)(x)", [("jax.grad(twice)", 2)]),
        ("def f(x): return jax.vmap(jax.grad(energy))(x)", [("jax.vmap(jax.grad(energy))", 1)]),
        ("def f(x): return jax.jvp(energy, (x,), (x,))", [("jax.jvp(energy, (x,), (x,))", 1)]),
        ("def f(x): return jax.grad(partial(energy))(x)", [("jax.grad(partial(energy))", 1)]),
        ("def f(x): return jax.grad(lambda y: energy(y))(x)", [("jax.grad(lambda y: energy(y))", 1)]),
        ("def f(x):\n    g = jax.grad(energy)\n    return g(x) + g(x)", [("jax.grad(energy)", 1)]),
        ("def f(x): return jax.grad(plain)(x)", []),
        ("def f(x): return jax.grad(jitted)(x)", []),
        ("def f(x): return jax.grad(jax.jit(energy))(x)", []),
        ("def f(x): return jax.jit(jax.grad(energy))(x)", []),
        ("@jax.jit\ndef f(x): return jax.grad(energy)(x)", []),
        ("def f(): return jax.grad(energy)", []),
        ("def f(g, x): return jax.grad(g)(x)", []),
        ("def f(x): return lax.scan(lambda c, v: (jax.grad(energy)(c), v), x, x)", []),
    ],
)
def test_what_is_outermost_and_eager(text: str, expected: list[tuple[str, int]]) -> None:
    assert found(text) == expected


def test_what_is_transformed_inside_belongs_to_the_outermost() -> None:
    text = "def _slope(x): return jax.grad(energy)(x)\ndef f(xs): return jax.vmap(_slope)(xs)"
    assert found(text) == [("jax.vmap(_slope)", 1)]
    assert only(text).is_derivative


def test_what_is_also_called_beside_counts_of_its_own() -> None:
    text = "def slope(x): return jax.grad(energy)(x)\ndef f(xs): return jax.vmap(slope)(xs), slope(xs)"
    assert found(text) == [("jax.grad(energy)", 1), ("jax.vmap(slope)", 1)]


def test_a_function_that_runs_without_the_transformation_too_is_bypassed() -> None:
    beside = only("def f(x): return jax.grad(twice)(x), twice(x)")
    assert beside.bypassed == beside.functions
    assert not only("def f(x): return jax.grad(_inner)(x), plain(x)").bypassed & {beside.function}


def test_only_what_is_reached_beside_is_bypassed() -> None:
    inner = only("def f(x): return jax.grad(_alone)(x), energy(x)\ndef _alone(x): return energy(x)")
    assert sorted(getattr(function, "name", "lambda") for function in inner.bypassed) == ["energy", "lambda"]


def test_a_map_without_a_derivative_is_none() -> None:
    assert not only("def f(x): return jax.vmap(energy)(x)").is_derivative


def test_a_method_is_found_through_its_object() -> None:
    text = """
    class Model:
        def loss(self, x):
            return energy(x)

        def step(self, x):
            return jax.grad(self.loss)(x)
    """
    assert found(text) == [("jax.grad(self.loss)", 1)]


@pytest.mark.parametrize("call", ["retrace(jax.grad(energy))(x)", "retrace(jax.jvp)(energy, (x,), (x,))"])
def test_what_is_retraced_is_known_to_be(call: str) -> None:
    found = eager_transformations(parsed(f"def f(x): return {call}"))
    assert [each.is_retraced for each in found] in ([True], [])


def test_a_function_is_followed_through_retrace() -> None:
    module = parsed(
        """
        def _body(c, v):
            return c, v

        def f(x):
            return mine(lax.scan)(_body, x, x)
        """.replace("mine", "retrace")
    )
    body = next(function for function in module.functions if getattr(function, "name", "") == "_body")
    assert module.get(Staging).runs(body.body[0]) is Runs.TRACED  # type: ignore[union-attr,index]


@pytest.mark.parametrize("named", ["loop = partial(lax.scan, _body)\n    return loop(_init, xs)", ""])
def test_a_partial_that_binds_the_function_of_a_loop_traces_it_and_no_other(named: str) -> None:
    run = named or "return partial(lax.scan, _body)(_init, xs)"
    module = parsed(
        "from functools import partial\nfrom jax import lax\n\n"
        "def _init(c, v):\n    return c, v\n\ndef _body(c, v):\n    return c, v\n\n"
        f"def f(xs):\n    {run}\n\nfor i in range(3): f(i)\n"
    )
    runs = {f.name: module.get(Staging).runs(f.body[0]) for f in module.functions if isinstance(f, ast.FunctionDef)}
    assert (runs["_init"], runs["_body"]) == (Runs.UNKNOWN, Runs.TRACED)
    taken = [taken for call in module.nodes(ast.Call) for taken, _ in function_arguments(module, call)]
    assert not {"_init", "_body"} & {module.text(each) for each in taken}


@pytest.mark.parametrize("maker", ["solver", "unread.solver"])
def test_what_a_partial_binds_to_an_unknown_function_is_not_called_by_it(maker: str) -> None:
    module = parsed(
        "from functools import partial\nimport unread\n\ndef _part(c):\n    return c\n\n"
        f"def f(x):\n    return partial({maker}, _part)(x)\n\nfor i in range(3): f(i)\n"
    )
    part = next(f for f in module.functions if isinstance(f, ast.FunctionDef) and f.name == "_part")
    assert module.get(Staging).runs(part.body[0]) is Runs.UNKNOWN


def test_the_helper_may_stand_elsewhere() -> None:
    text = "from own.compat import retrace as again\ndef f(x): return again(lax.scan)(energy, x)"
    module = parsed(text, Surroundings(helpers="own.compat"))
    call = next(call for call in module.nodes(ast.Call) if module.text(call).startswith("again(lax.scan)(energy"))
    assert transform_of(module, call.func) == "jax.lax.scan"
    unknown = parsed(text)
    called = [transform_of(unknown, call.func) for call in unknown.nodes(ast.Call)]
    assert called.count("own.compat.retrace") == 2  # `again`, and what it gives
