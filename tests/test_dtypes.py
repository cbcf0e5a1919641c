"""Where the dtype of a value comes from, what a state's parts stand for, and what loops rebind."""

import ast

import pytest

from jaxfix.dataflow.def_use import Origins
from jaxfix.dataflow.dtypes import DEFAULT, KEPT, DtypeOrigins, Dtypes
from jaxfix.dataflow.rebound_states import rebindings
from jaxfix.dataflow.sources import WHOLE, Part
from jaxfix.semantic.module import Module
from jaxfix.source.source_file import SourceFile

PREAMBLE = """\
import functools
from dataclasses import dataclass, replace
from typing import NamedTuple, Optional
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax
"""


def parsed(text: str) -> Module:
    return Module.parse(SourceFile.decode("dtypes.py", (PREAMBLE + text).encode()))


def asked(module: Module) -> ast.expr:
    """The expression that is bound to `asked`, wherever that is."""
    (expr,) = [
        node.value
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "asked"
    ]
    return expr


def dtypes(text: str) -> Dtypes:
    module = parsed(text)
    return DtypeOrigins(module).of(asked(module))


def given(found: Dtypes) -> set[str]:
    return {node.arg for node in found.given if isinstance(node, ast.arg)}


@pytest.mark.parametrize(
    ("expression", "weak", "own"),
    [
        ("1.0", True, set()),
        ("2", False, set()),
        ("True", False, set()),
        ("jnp.asarray(0.0)", True, set()),
        ("jnp.inf", True, set()),
        ("jnp.asarray(0)", False, set()),
        ("jnp.zeros(3)", False, {DEFAULT}),
        ("jnp.zeros(3, int)", False, set()),
        ("jnp.zeros(3, float)", False, {DEFAULT}),
        ("jnp.zeros(3, dtype='bfloat16')", False, {"bfloat16"}),
        ("jnp.zeros(3, dtype=None)", False, {DEFAULT}),
        ("jnp.full((), 0.5)", True, set()),
        ("jnp.ones(3, jnp.float16) * 2.0", True, {"float16"}),
        ("jnp.ones(3, jnp.float16) + jnp.zeros(3, np.float32)", False, {"float16", "float32"}),
        ("jnp.float32(1) > 0", False, set()),
        ("jnp.isnan(jnp.float32(1))", False, set()),
        ("jnp.where(jnp.float32(1) > 0, jnp.float16(1), 0.0)", True, {"float16"}),
        ("jnp.zeros_like(jnp.bfloat16(1))", False, {"bfloat16"}),
        ("jnp.zeros(3).astype(jnp.bfloat16)", False, {"bfloat16"}),
        ("jnp.bfloat16(1).sum()", False, {"bfloat16"}),
        ("jnp.zeros(3, jnp.bfloat16)[0]", False, {"bfloat16"}),
        ("jnp.stack([jnp.bfloat16(1), jnp.bfloat16(2)])", False, {"bfloat16"}),
        ("jax.tree.map(lambda p: jnp.zeros(p.shape, jnp.bfloat16), tree)", False, {"bfloat16"}),
        ("float('inf')", True, set()),
        ("optax.tree.cast_like(a, b)", False, {KEPT}),
    ],
)
def test_what_the_code_decides(expression: str, weak: bool, own: set[str]) -> None:
    found = dtypes(f"asked = {expression}\n")
    assert (found.weak, set(found.own), found.known, given(found)) == (weak, own, True, set())


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("asked = x", {"x"}),
        ("asked = f(x)", {"f"}),
        ("asked = f(x) + x", {"f", "x"}),
        ("g = functools.partial(f, x)\n    asked = g(x)", {"f"}),
        ("asked, slope = jax.value_and_grad(f)(x)\n    asked = slope", {"f"}),
        ("asked = jnp.sum(x**2)", {"x"}),
        ("asked = rate * x", {"x"}),
        ("asked = jnp.zeros(3, x.dtype)", set()),
    ],
)
def test_what_a_caller_decides(body: str, names: set[str]) -> None:
    assert given(dtypes(f"def run(f, x, rate: Optional[float] = None):\n    {body}\n")) == names


@pytest.mark.parametrize(
    "expression",
    ["unknown", "library(1)", "jnp.zeros(3, kind)", "jnp.array(*a)", "jnp.arange(3)"],
)
def test_what_is_not_known(expression: str) -> None:
    assert not dtypes(f"asked = {expression}\n").known


@pytest.mark.parametrize(
    "text",
    [
        "asked = asked + 1.0\n",
        "def f(x):\n    return f(x) * 2.0\nasked = f(1.0)\n",
        "def f(x):\n    return g(x)\ndef g(x):\n    return f(x)\nasked = f(1)\n",
        "asked = " + " + ".join(["x"] * 150) + "\n",
        "x = 1\n" + "".join(f"x = x * {i} + x / x\n" for i in range(60)) + "asked = x\n",
    ],
)
def test_odd_programs_end_and_raise_nothing(text: str) -> None:
    assert isinstance(dtypes(text), Dtypes)


STATE = """\
class State(NamedTuple):
    low: jax.Array
    high: jax.Array

def body(state: State):
    {line}
    asked = {asked}
    return asked
"""


@pytest.mark.parametrize(
    ("line", "expression", "key"),
    [
        ("pass", "state", WHOLE),
        ("pass", "state.low", "low"),
        ("pass", "state['low']", "low"),
        ("pass", "state[1]", 1),
        ("low, high = state", "high", 1),
        ("low = state.low", "low", "low"),
        ("(low, mid), high = state[0], 1", "mid", None),
        ("state = state._replace(low=state.low)", "state.high", "high"),
    ],
)
def test_the_parts_of_an_opaque_state(line: str, expression: str, key: object) -> None:
    module = parsed(STATE.format(line=line, asked=expression))
    (state,) = [node for node in ast.walk(module.tree) if isinstance(node, ast.arg)]
    found = Origins(module, frozenset({state})).of(asked(module))
    keys = [part.key for part in found if isinstance(part, Part)]
    assert keys == ([] if key is None else [key])


def test_a_name_that_is_bound_anew_is_the_state_until_then() -> None:
    module = parsed(STATE.format(line="state = replace(state, low=state.high)", asked="1"))
    (call,) = module.calls("dataclasses.replace")
    (state,) = [node for node in ast.walk(module.tree) if isinstance(node, ast.arg)]
    (high,) = Origins(module, frozenset({state})).of(call.keywords[0].value)
    assert isinstance(high, Part) and high.key == "high"


def test_both_names_of_a_nested_tuple_are_unpacked() -> None:
    found = dtypes("(a, b), c = (jnp.bfloat16(1), jnp.float16(1)), 2\nasked = b\n")
    assert set(found.own) == {"float16"}


LOOP = """\
@jax.jit
def step(state, x):
    return state + x, x

def train(batches):
    {before}
    for batch in batches:
        {line}
"""


@pytest.mark.parametrize(
    ("before", "line", "places"),
    [
        ("state = 1.0", "state, out = step(state, batch)", [(0,)]),
        ("state = 1.0", "state = step(state, batch)", [()]),
        ("state = 1.0", "(state, size), out = step((state, 1), batch)", [(0, 0)]),
        ("state = 1.0", "state, out = step(x=batch, state=state)", [(0,)]),
        ("state = 1.0", "other, out = step(state, batch)", []),
        ("state = step", "state, out = state(batch)", []),
        ("pass", "state, out = step(state, batch)", []),
        ("state = 1.0", "state, *rest = step(state, batch)", []),
    ],
)
def test_what_a_loop_binds_anew(before: str, line: str, places: list[tuple[int, ...]]) -> None:
    module = parsed(LOOP.format(before=before, line=line))
    assert [found.place for found in module.get(rebindings)] == places


def test_only_a_jitted_function_counts() -> None:
    module = parsed(LOOP.format(before="state = 1", line="state = step(state, batch)").replace("@jax.jit\n", ""))
    assert not list(module.get(rebindings))


PAIR = """\
class Chain(NamedTuple):
    position: jax.Array
    accepted: jax.Array

def init(position):
    {made}

def build():
    def kernel(key, state: Chain) -> Chain:
        new = state._replace(accepted=state.accepted + 1)
        return new, key
    return kernel
"""


def test_a_pair_is_told_by_the_class_of_its_state() -> None:
    module = parsed(PAIR.format(made="return Chain(position, 0.0)"))
    (pair,) = Origins(module).pairs
    assert isinstance(pair.update, ast.FunctionDef) and pair.update.name == "kernel"
    assert pair.state is not None and pair.state.arg == "state"


@pytest.mark.parametrize("made", ["return position", "return None", "def inner():\n        return Chain(1, 2)"])
def test_what_makes_no_state_starts_no_pair(made: str) -> None:
    assert not Origins(parsed(PAIR.format(made=made))).pairs


def test_a_state_that_both_branches_of_a_loop_cast_to_has_the_dtype_that_it_starts_with() -> None:
    branch = "    def {}(s):\n        return optax.tree.cast_like((s[0] * steps, s[1]), s)\n"
    found = dtypes(
        f"def f(params, steps):\n{branch.format('yes')}{branch.format('no')}"
        "    def body(s):\n        return lax.cond(s[1] > 1, yes, no, s)\n"
        "    state = (jnp.zeros_like(params), 0)\n"
        "    out = lax.while_loop(lambda s: s[1] < 3, body, state)\n"
        "    asked = out[0]\n"
    )
    assert given(found) == {"params"} and not found.own
