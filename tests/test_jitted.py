"""Which expressions are jitted functions, and what their arguments are to them."""

import ast
import textwrap

import pytest

from jaxfix.semantic.module import Module
from jaxfix.semantic.project.summary_types import Jit
from jaxfix.source.source_file import SourceFile
from jaxfix.staging.jit import Jitted, jitted_of

IMPORTS = """\
import functools
from functools import partial
import equinox as eqx
import jax
from flax import nnx
from jax import jit
"""


def asked(text: str) -> Jitted | None:
    """What is known of the function that the one call of something with a keyword `ask` calls."""
    module = Module.parse(SourceFile.decode("example.py", (IMPORTS + textwrap.dedent(text)).encode()))
    (call,) = (c for c in module.nodes(ast.Call) if any(k.arg == "ask" for k in c.keywords))
    return jitted_of(module, call.func)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("jax.jit(f)(x, ask=1)", Jit("jax.jit", None)),
        ("jit(lambda a, b: a)(x, ask=1)", Jit("jax.jit", ("a", "b"))),
        ("partial(jax.jit, static_argnums=1)(lambda a, b: a)(x, ask=1)", Jit("jax.jit", ("a", "b"), (1,))),
        ("jax.jit(static_argnames='n')(lambda a, n: a)(x, ask=1)", Jit("jax.jit", ("a", "n"), ("n",))),
        ("jax.jit(jax.vmap(f), donate_argnums=(0, 1))(x, ask=1)", Jit("jax.jit", None, (), (0, 1))),
        ("@jit\ndef f(a): ...\nf(x, ask=1)", Jit("jax.jit", ("a",))),
        ("@partial(jit, static_argnames=('n',))\ndef f(a, n): ...\nf(x, ask=1)", Jit("jax.jit", ("a", "n"), ("n",))),
        ("@eqx.filter_jit\ndef f(a): ...\nf(x, ask=1)", Jit("equinox.filter_jit", ("a",))),
        (
            "@eqx.filter_jit(donate='all')\ndef f(a): ...\nf(x, ask=1)",
            Jit("equinox.filter_jit", ("a",), (), ("all",)),
        ),
        ("def f(a): ...\nf = jax.jit(f)\nf(x, ask=1)", Jit("jax.jit", ("a",))),
        ("def f(a): ...\ng = jax.jit(f, static_argnums=(0,))\ng(x, ask=1)", Jit("jax.jit", ("a",), (0,))),
        ("N = (0,)\ng = jax.jit(f, static_argnums=N)\ng(x, ask=1)", Jit("jax.jit", None, (0,))),
        ("g = jax.jit(f, static_argnums=numbers())\ng(x, ask=1)", Jit("jax.jit", None, None)),
        ("g = jax.jit(f, **options)\ng(x, ask=1)", Jit("jax.jit", None, None, None)),
        ("nnx.jit(f, static_argnums=1)(x, ask=1)", Jit("flax.nnx.jit", None, (1,))),
    ],
)
def test_a_jitted_function_is_known(text: str, expected: Jit) -> None:
    found = asked(text)
    assert found is not None
    assert found.jit == expected


@pytest.mark.parametrize(
    "text",
    [
        "jax.jit(f)(x)(y, ask=1)",  # what the jitted function returns is not jitted
        "jax.jit(f, ask=1)",
        "partial(jax.jit, static_argnums=1)(ask=1)",
        "jax.vmap(f)(x, ask=1)",
        "def f(a): ...\nf(x, ask=1)\nf = jax.jit(f)",  # not yet
        "f = jax.jit(g)\nf = h\nf(x, ask=1)",
        "@jax.vmap\ndef f(a): ...\nf(x, ask=1)",
        "def f(a): ...\ndef g(a): ...\nf = jax.jit(g)\nf(x, ask=1)",
    ],
)
def test_what_is_not_a_jitted_function(text: str) -> None:
    assert asked(text) is None


CLASSES = """
class Base:
    @partial(jax.jit, static_argnums=(0, 2))
    def inherited(self, x, n): ...

class Model(Base):
    def __init__(self):
        self.made = jax.jit(self.plain, static_argnums=1)

    def plain(self, x, n): ...

    @partial(jax.jit, static_argnums=(0, 2))
    def own(self, x, n): ...

    def run(self, x):
        self.{name}(x, 3, ask=1)
"""


@pytest.mark.parametrize("name", ["own", "inherited", "made"])
def test_a_method_counts_its_arguments_without_self(name: str) -> None:
    found = asked(CLASSES.format(name=name))
    assert found is not None
    assert found.jit == Jit("jax.jit", ("x", "n"), (1,))
    assert isinstance(found.function, ast.FunctionDef)


def test_a_method_that_may_be_replaced_is_not_known() -> None:
    replaced = CLASSES.format(name="own") + "\n    def change(self):\n        self.own = print\n"
    assert asked(replaced) is None


def test_a_class_that_is_its_own_base_ends() -> None:
    assert asked("class A(A):\n    def run(self):\n        self.step(ask=1)\n") is None


@pytest.mark.parametrize(
    ("jit", "argument", "static"),
    [
        (Jit("jax.jit", ("a", "n"), (1,)), 1, True),
        (Jit("jax.jit", ("a", "n"), (1,)), "n", True),
        (Jit("jax.jit", ("a", "n"), ("n",)), 1, True),
        (Jit("jax.jit", ("a", "n"), ("n",)), 0, False),
        (Jit("jax.jit", None, ("n",)), 1, None),
        (Jit("jax.jit", None, None), 1, None),
    ],
)
def test_a_position_and_a_name_are_the_same_argument(jit: Jit, argument: int | str, static: bool | None) -> None:
    assert jit.is_static(argument) is static
