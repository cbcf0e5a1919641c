"""Which functions are made anew, what becomes of them, and which numbers change."""

import ast
import json
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from jaxfix.dataflow import induction
from jaxfix.effects.escape import local_uses
from jaxfix.semantic.module import Module
from jaxfix.source.source_file import SourceFile
from jaxfix.staging import function_identity

IMPORTS = """\
import functools
import itertools
import equinox as eqx
import jax
from flax import nnx
"""

GOLDEN = Path(__file__).parent.parent / "golden"


def module_of(text: str) -> Module:
    return Module.parse(SourceFile.decode("example.py", (IMPORTS + textwrap.dedent(text)).encode()))


def marked(module: Module) -> ast.Call:
    """The one call of `mark`."""
    (call,) = (c for c in module.nodes(ast.Call) if isinstance(c.func, ast.Name) and c.func.id == "mark")
    return call


@pytest.mark.parametrize(
    ("text", "by", "new"),
    [
        ("mark(lambda v: v)", "jax.jit", True),
        ("mark(functools.partial(g, 1))", "jax.jit", True),
        ("mark(jax.vmap(g))", "jax.jit", True),
        ("mark(g)", "jax.jit", False),
        ("mark(g)", "flax.nnx.jit", True),
        ("def h(v): ...\n    mark(h)", "jax.jit", True),
        ("h = g\n    mark(h)", "jax.jit", False),
        ("h = jax.grad(g)\n    mark(h)", "jax.jit", True),
        ("mark(make())", "jax.jit", True),
        ("mark(cached())", "jax.jit", False),
        ("mark(unknown())", "jax.jit", False),
        ("mark(o.m)", "jax.jit", True),
        ("mark(o.s)", "jax.jit", False),
        ("mark(o.m)", "equinox.filter_jit", False),
        ("mark(jax.vmap(g))", "equinox.filter_jit", True),
        ("mark(eqx.filter_vmap(g))", "equinox.filter_jit", False),
        ("mark(eqx.filter_vmap(lambda v: v))", "equinox.filter_jit", True),
    ],
)
def test_a_new_function_is_known(text: str, by: str, new: bool) -> None:
    module = module_of(
        f"""
def g(v): ...
def make():
    def inner(v): ...
    return inner
@functools.cache
def cached():
    return lambda v: v
class O:
    def m(self, v): ...
    @staticmethod
    def s(v): ...
o = O()
def f():
    {text}
"""
    )
    assert (function_identity.made_anew(module, marked(module).args[0], by) is not None) is new


@pytest.mark.parametrize(
    ("text", "calls", "handed"),
    [
        ("mark(g)(x)", 1, 0),
        ("h = mark(g)\n    h(x) + h(y)", 2, 0),
        ("jax.grad(mark(g))(x)", 0, 2),
        ("jax.lax.scan(mark(g), x, y)", 0, 1),
        ("h = mark(g)\n    def k(v): return h(v)\n    k(x)", 1, 0),
        ("[mark(g)(v) for v in x]", 1, 0),
    ],
)
def test_a_function_that_stays(text: str, calls: int, handed: int) -> None:
    module = module_of(f"def f(x, y):\n    {text}\n")
    found = local_uses(module, marked(module))
    assert found is not None
    assert (len(found.calls), len(found.handed)) == (calls, handed)


@pytest.mark.parametrize(
    "text",
    [
        "return mark(g)",
        "h = mark(g)\n    return h",
        "self.h = mark(g)",
        "return [mark(g)]",
        "run(mark(g))",
        "mark(g).lower(x)",
        "h = mark(g)\n    def k(v): return h(v)\n    return k",
        "h = mark(g)\n    return lambda v: h(v)",
        "global h\n    h = mark(g)",
        "yield mark(g)",
    ],
)
def test_a_function_that_is_given_away(text: str) -> None:
    module = module_of(f"def f(self, x):\n    {text}\n")
    assert local_uses(module, marked(module)) is None


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("for i in range(9): mark(i)", True),
        ("for i in range(9): mark(0.5 / (i + 1))", True),
        ("for i, _ in enumerate(x): mark(i)", True),
        ("for i in itertools.count(): mark(float(i))", True),
        ("[mark(i) for i in range(3)]", True),
        ("n = 0\nwhile x:\n    mark(n)\n    n += 1", True),
        ("n, m = 0, 1\nwhile x:\n    mark(n)\n    n = n + 1", True),
        ("n = 0\nwhile x:\n    mark(n)\n    m = n + 1\n    n = m", True),
        (
            "for i in range(9):\n    a = i\n    b = a\n    c = b\n    d = c\n    e = d\n    g = e\n    mark(g + 1)",
            True,
        ),
        ("a = 0\nb = a\nwhile x:\n    mark(b)\n    a += 1", False),
        ("n = 3\nwhile x: mark(n)", False),
        ("for i in range(9): ...\nmark(i)", False),
        ("for i in range(9): mark(7)", False),
        ("for i in range(9): mark(i % 7)", True),
        ("for i in range(9): mark(i % 2)", False),
        ("n = {'t': 0}\nwhile x:\n    mark(n['t'])\n    n['t'] += 1", True),
        ("n = {'t': 0}\nwhile x:\n    mark(n['t'])", False),
    ],
)
def test_a_number_that_changes(text: str, changes: bool) -> None:
    module = module_of(text)
    found = induction.number(module, marked(module).args[0], marked(module))
    assert found is not None
    assert found.changes is changes


@pytest.mark.parametrize(
    "text",
    [
        "for i in x: mark(i)",
        "for i in range(9): mark(i > 2)",
        "for i in range(9): mark(schedule(i))",
        "n = 0\nwhile x:\n    mark(n)\n    n = update(n)",
        "n = jax.numpy.asarray(0)\nwhile x:\n    mark(n)\n    n += 1",
        "n = True\nmark(n)",
        "n = 0\nn = 'a'\nmark(n)",
        "n = 0\nwhile x:\n    mark(n)\n    m = n + y\n    n = m",
        "n = n + 1\nmark(n)",
        "n = m\nm = n\nmark(n)",
        "n = {'t': 0}\nwhile x:\n    mark(n['t'])\n    n['t'] = x",
        "n = {'t': 0, **x}\nmark(n['t'])",
        "mark(unknown)",
    ],
)
def test_what_is_perhaps_no_number(text: str) -> None:
    module = module_of(text)
    assert induction.number(module, marked(module).args[0], marked(module)) is None


def programs() -> Iterator[str]:
    """Every golden, and every trap."""
    yield from (path.read_text() for path in GOLDEN.glob("*/*.py"))
    preamble = (GOLDEN / "_traps" / "preamble.txt").read_text()
    for path in sorted((GOLDEN / "_traps").glob("*.json")):
        yield from ("\n".join((preamble, *trap["source"])) for trap in json.loads(path.read_text()))


def test_no_call_that_is_given_a_new_function_is_passed_over() -> None:
    given = 0
    for text in programs():
        module = Module.parse(SourceFile.decode("example.py", text.encode()))
        found = function_identity.given_anew(module)
        for call in module.nodes(ast.Call):
            arguments = (*call.args, *(keyword.value for keyword in call.keywords))
            kinds = ("jax.jit", "equinox.filter_jit")
            if any(
                function_identity.made_anew(module, argument, by) is not None for argument in arguments for by in kinds
            ):
                assert call in found, ast.unparse(call)
                given += 1
    assert given > 200
