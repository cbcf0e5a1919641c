"""What an expression is said to be: never more than the file tells."""

import ast

import pytest

from jaxfix.dataflow.types import Values
from jaxfix.report.abstract_value import UNKNOWN, Form, Kind, Value
from jaxfix.semantic.module import Module
from jaxfix.source.source_file import SourceFile

PREAMBLE = """\
import math
from dataclasses import dataclass, replace
from typing import NamedTuple
import jax
import jax.numpy as jnp
import numpy as np
import optax
from optax import numerics
"""


def value(text: str, name: str = "asked") -> Value:
    """The value of the expression that is bound to `name` in `text`, wherever that is."""
    module = Module.parse(SourceFile.decode("values.py", (PREAMBLE + text).encode()))
    (expr,) = [
        node.value
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == name
    ]
    return Values(module).of(expr)


def sort(text: str) -> tuple[Form, Kind]:
    found = value(text)
    return found.form, found.kind


# Each was measured on jax 0.10.2 and 0.12.
@pytest.mark.parametrize(
    ("expression", "form", "kind"),
    [
        ("jnp.array(1.0)", Form.WEAK, Kind.FLOAT),
        ("jnp.asarray(0)", Form.WEAK, Kind.INT),
        ("jnp.asarray(-1)", Form.WEAK, Kind.INT),
        ("jnp.asarray(jnp.inf)", Form.WEAK, Kind.FLOAT),
        ("jnp.asarray(math.pi)", Form.WEAK, Kind.FLOAT),
        ("jnp.asarray(float('inf'))", Form.WEAK, Kind.FLOAT),
        ("jnp.full((3,), 0.0)", Form.WEAK, Kind.FLOAT),
        ("jnp.full_like(jnp.asarray(1.0), 0.0)", Form.WEAK, Kind.FLOAT),
        ("jnp.zeros_like(jnp.asarray(0))", Form.WEAK, Kind.INT),
        ("jnp.sqrt(2.0)", Form.WEAK, Kind.FLOAT),
        ("jnp.maximum(1.0, 2.0)", Form.WEAK, Kind.FLOAT),
        ("jnp.where(True, jnp.asarray(0), 1)", Form.WEAK, Kind.INT),
        ("jnp.asarray(0) + 1", Form.WEAK, Kind.INT),
        ("jnp.asarray(0) / 2", Form.WEAK, Kind.FLOAT),
        ("jnp.zeros([], jnp.int32) * 1.0", Form.WEAK, Kind.FLOAT),
        ("jnp.zeros([], jnp.int32) + jnp.asarray(1.0)", Form.WEAK, Kind.FLOAT),
        ("jnp.zeros(())", Form.STRONG, Kind.FLOAT),
        ("jnp.asarray(True)", Form.STRONG, Kind.BOOL),
        ("jnp.asarray(0, dtype=int)", Form.STRONG, Kind.INT),
        ("jnp.asarray(0, 'int8')", Form.STRONG, Kind.INT),
        ("jnp.int32(0)", Form.STRONG, Kind.INT),
        ("jnp.asarray(0).astype(jnp.float32)", Form.STRONG, Kind.FLOAT),
        ("jnp.zeros([], jnp.int32) + 1", Form.STRONG, Kind.INT),
        ("jnp.zeros([], jnp.int32) / 2", Form.STRONG, Kind.FLOAT),
        ("jnp.minimum(jnp.asarray(1.0), jnp.float32(1))", Form.STRONG, Kind.FLOAT),
        ("jnp.sum(jnp.asarray(1.0))", Form.STRONG, Kind.FLOAT),
        ("jnp.mean(jnp.asarray(1))", Form.STRONG, Kind.FLOAT),
        ("optax.safe_increment(jnp.asarray(0))", Form.STRONG, Kind.INT),
        ("numerics.safe_increment(jnp.zeros([], jnp.int32))", Form.STRONG, Kind.INT),
        ("jnp.asarray(np.float32(1))", Form.STRONG, Kind.FLOAT),
        ("np.float32(1)", Form.NUMPY, Kind.FLOAT),
        ("np.float32(1) * 2", Form.NUMPY, Kind.FLOAT),
        ("0.9", Form.PYTHON, Kind.FLOAT),
        ("len('a') - 1", Form.PYTHON, Kind.INT),
        ("1 / 2", Form.PYTHON, Kind.FLOAT),
    ],
)
def test_constructors_and_arithmetic(expression: str, form: Form, kind: Kind) -> None:
    assert sort(f"asked = {expression}\n") == (form, kind)


@pytest.mark.parametrize(
    "expression",
    [
        "unknown",
        "unknown + 1",
        "unknown.field",
        "jnp.asarray(*unknown)",
        "jnp.asarray(0, **unknown)",
        "jax.lax.cond(True, lambda: 0, unknown)",
        "jax.lax.while_loop(unknown, unknown, 0)",
        "jax.lax.scan(lambda c, x: (c, c), 0, jnp.ones(3))[1]",
        "[1, 2]",
        "lambda: 1",
        "1 < 2",
        "x if x else y",
        "(1, 2)[5]",
        "{'a': 1}['b']",
    ],
)
def test_what_is_not_known_is_unknown(expression: str) -> None:
    assert value(f"asked = {expression}\n").form in (Form.UNKNOWN, Form.ARRAY)


def test_a_scalar_is_known_by_its_shape() -> None:
    assert value("asked = jnp.zeros([], jnp.int32)\n").scalar
    assert value("asked = jnp.asarray(0) + 1\n").scalar
    assert not value("asked = jnp.zeros((3,), jnp.int32)\n").scalar
    assert not value("asked = jnp.arange(3) + jnp.asarray(0)\n").scalar


def test_a_constant_does_not_vary_and_a_counter_does() -> None:
    assert not value("n = jnp.asarray(3)\nasked = n + 1\n").varies
    assert value("n = jnp.asarray(3)\nfor _ in x:\n    n = n + 1\nasked = n\n").varies
    assert value("n = jnp.asarray(3)\nfor _ in x:\n    n += 1\nasked = n\n").varies


def test_what_goes_from_one_call_to_the_next_varies() -> None:
    step = "def step(state):\n    asked = state['n'] + 1\n    return {'n': asked}\n"
    assert value(step + "state = {'n': jnp.asarray(3)}\nfor _ in x:\n    state = step(state)\n").varies


def test_a_parameter_is_what_its_default_says() -> None:
    text = "def f(decay: jax.typing.ArrayLike = 0.9):\n    asked = decay\n"
    assert sort(text) == (Form.PYTHON, Kind.FLOAT)


def test_a_parameter_is_what_its_annotation_says() -> None:
    assert sort("def f(decay: float):\n    asked = decay\n") == (Form.PYTHON, Kind.FLOAT)
    assert sort("def f(x: jax.Array):\n    asked = x\n") == (Form.ARRAY, Kind.UNKNOWN)


def test_a_parameter_is_also_what_a_caller_passes() -> None:
    text = "def f(decay=0.9):\n    asked = decay\n\nf(jnp.float32(0.5))\n"
    assert sort(text) == (Form.UNKNOWN, Kind.FLOAT)


def test_parts_of_a_tuple_are_followed() -> None:
    text = "def f(betas=(0.9, 1)):\n    first, second = betas\n    asked = second\n"
    assert sort(text) == (Form.PYTHON, Kind.INT)


STATE = """\
class State(NamedTuple):
    count: object
    mean: object

def init_fn(params):
    return State(jnp.zeros([], jnp.int32), mean=params)

def update_fn(updates, state):
    count = optax.safe_increment(state.count)
    asked = count
    return updates, state._replace(count=count)

opt = optax.GradientTransformation(init_fn, update_fn)
"""


def test_a_field_of_a_state_is_what_init_makes() -> None:
    found = value(STATE)
    assert (found.form, found.kind, found.scalar, found.varies) == (Form.STRONG, Kind.INT, True, True)


def test_a_field_that_two_constructions_make_differently_is_unknown() -> None:
    other = (
        STATE.replace("opt =", "other = State(0.5, mean=None)\nopt =")
        .replace("update_fn", "advance")
        .replace("init_fn, advance)", "None)")
    )
    assert value(other).kind is Kind.UNKNOWN


def test_a_key_of_a_state_is_what_init_makes() -> None:
    text = """\
def init(params):
    return {"count": jnp.asarray(0)}

def update(updates, state):
    asked = state["count"]
    return {"count": asked + 1}
"""
    assert sort(text) == (Form.WEAK, Kind.INT)


def test_the_result_of_a_function_of_the_module_is_followed() -> None:
    assert sort("def f(x):\n    return x + 1\n\nasked = f(jnp.asarray(0))\n") == (Form.WEAK, Kind.INT)
    assert sort("f = jax.jit(lambda x: x + 1)\nasked = f(0)\n") == (Form.WEAK, Kind.INT)


def test_cast_like_makes_strong() -> None:
    assert sort("asked = optax.tree.cast_like(new, old)\n")[0] is Form.STRONG


@pytest.mark.parametrize(
    "text",
    [
        "asked = asked\n",
        "def f(x):\n    asked = f(x)\n    return asked\n",
        "def f(x):\n    return g(x)\ndef g(x):\n    return f(x)\nasked = f(1)\n",
        "a = b\nb = a\nasked = a + b\n",
        "asked = " + " + ".join(["x"] * 120) + "\n",
        "x = 1\n" + "".join(f"x = x * {i} + x / x\n" for i in range(60)) + "asked = x\n",
        "def init(p):\n    return init(p)\ndef update(state):\n    asked = state.a.b.c\n    return state\n",
    ],
)
def test_odd_programs_end_and_raise_nothing(text: str) -> None:
    assert isinstance(value(text), Value)


def test_unknown_says_nothing() -> None:
    assert not UNKNOWN.is_array and not UNKNOWN.scalar


HALF = "lambda c: jnp.float32(0.5)"


# Each was measured on jax 0.4.30, 0.10.2 and 0.12.
@pytest.mark.parametrize(
    ("expression", "form", "kind"),
    [
        ("jax.lax.while_loop(lambda c: c < 3, lambda c: c + 1, 0)", Form.WEAK, Kind.INT),
        ("jax.lax.while_loop(lambda c: c < 3, lambda c: 2.0 * c, 1.0)", Form.WEAK, Kind.FLOAT),
        (f"jax.lax.while_loop(lambda c: c > 1, {HALF}, 1.0)", Form.STRONG, Kind.FLOAT),
        ("jax.lax.while_loop(lambda c: c < 3, lambda c: 2.0 * c, jnp.float32(1))", Form.STRONG, Kind.FLOAT),
        ("jax.lax.while_loop(lambda c: c < 3, lambda c: 4.0, jnp.float32(1))", Form.WEAK, Kind.FLOAT),
        ("jax.lax.fori_loop(0, 3, lambda i, c: c * 2, 1)", Form.WEAK, Kind.INT),
        ("jax.lax.fori_loop(0, 3, body_fun=lambda i, c: c * 2, init_val=jnp.int32(1))", Form.STRONG, Kind.INT),
        ("jax.lax.scan(lambda c, x: (c + jnp.mean(x), c), 0.0, jnp.ones(3))[0]", Form.STRONG, Kind.FLOAT),
        ("jax.lax.scan(lambda c, x: ((c[0], c[1] + 1), x), (0.0, 0), jnp.ones(3))[0][1]", Form.WEAK, Kind.INT),
        ("jax.lax.cond(True, lambda: 0, lambda: 1)", Form.WEAK, Kind.INT),
        ("jax.lax.cond(True, lambda: jnp.float32(1), lambda: 1.0)", Form.WEAK, Kind.FLOAT),
        ("jax.lax.cond(True, lambda: 1.0, lambda: jnp.float32(1))", Form.STRONG, Kind.FLOAT),
        (f"jax.lax.cond(True, lambda c: c, {HALF}, 1.0)", Form.STRONG, Kind.FLOAT),
        (f"jax.lax.cond(True, {HALF}, lambda c: 2 * c, 1.0)", Form.WEAK, Kind.FLOAT),
        (f"jax.lax.switch(0, [lambda c: c, {HALF}], 1.0)", Form.WEAK, Kind.FLOAT),
        (f"jax.lax.switch(0, ({HALF}, lambda c: c), 1.0)", Form.STRONG, Kind.FLOAT),
    ],
)
def test_what_comes_out_of_a_loop_or_a_branch(expression: str, form: Form, kind: Kind) -> None:
    assert sort(f"asked = {expression}\n") == (form, kind)


LOOP = """\
class State(NamedTuple):
    rate: jax.Array
    error: jax.Array
    count: jax.Array

def search(f, x):
    def going(state):
        return state.count < 5

    def step(options, state):
        rate = jnp.where(state.count > 0, 0.5 * state.rate, state.rate)
        state = State(rate=rate, error=jnp.float32(rate), count=state.count + 1)
        return state

    state = State(rate=1.0, error=jnp.inf, count=0)
    state = jax.lax.while_loop(going, functools.partial(step, {}), state)
    asked = state.FIELD
"""


@pytest.mark.parametrize(
    ("field", "form", "kind"),
    [("rate", Form.WEAK, Kind.FLOAT), ("error", Form.STRONG, Kind.FLOAT), ("count", Form.WEAK, Kind.INT)],
)
def test_parts_of_a_state_that_a_loop_carries(field: str, form: Form, kind: Kind) -> None:
    assert sort("import functools\n" + LOOP.replace("FIELD", field)) == (form, kind)


@pytest.mark.parametrize(
    ("lines", "form"),
    [
        (("x = 1.0", "asked = x", "x = unknown()"), Form.PYTHON),
        (("x = unknown()", "x = 1.0", "asked = x"), Form.PYTHON),
        (("x = 1.0", "if unknown():", "    x = jnp.ones(())", "asked = x"), Form.UNKNOWN),
        (("x = 1.0", "for _ in range(3):", "    asked = x", "    x = jnp.ones(())"), Form.UNKNOWN),
        (("for _ in range(3):", "    x = 1.0", "    asked = x", "    x = jnp.ones(())"), Form.PYTHON),
        (("x = 1.0", "try:", "    x = jnp.ones(())", "finally:", "    asked = x"), Form.UNKNOWN),
        (("x = jnp.ones(())", "x = 1.0", "def late():", "    asked = x", "x = jnp.ones(())"), Form.UNKNOWN),
    ],
)
def test_the_last_value_that_a_variable_can_have(lines: tuple[str, ...], form: Form) -> None:
    text = "\n    ".join(("def update():", *lines)) + "\n"
    assert value(text).form in ((form, Form.ARRAY) if form is Form.UNKNOWN else (form,))
