"""Functions that return what they return themselves: every codemod comes to an end, and raises nothing."""

import pytest

from jaxfix.semantic.codemod import Codemod
from jaxfix.semantic.module import Module
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.source.source_file import SourceFile
from jaxfix.testing import BESIDE
from jaxfix_codemods import CODEMODS

HEAD = """\
from functools import partial
from typing import NamedTuple
import jax
import jax.numpy as jnp
from jax import lax


class State(NamedTuple):
    count: jax.Array
    inner: "State"


"""

PROGRAMS = {
    "a state that is made of itself": """\
def init(n):
    return init(n - 1)

@jax.jit
def step(state, x):
    return step(state, x)

def train(xs):
    state = init(3)
    for x in xs:
        state = step(state, x)
    return state
""",
    "two that make one another": """\
def even(n):
    return State(jnp.asarray(0), odd(n - 1))

def odd(n):
    return even(n - 1)

@jax.jit
def step(state, x):
    return halved(state, x)

def halved(state, x):
    return step(state, x)

def train(xs):
    state = odd(3)
    for x in xs:
        state = step(state, x)
    return state
""",
    "a state that holds itself": """\
def init(params):
    return State(jnp.asarray(0), init(params))

def update(grads, state):
    updates, inner = update(grads, state.inner)
    return updates, State(state.count + 1, inner)

tx = optimizer(init, update)
""",
    "a function that is differentiated repeatedly": """\
def make(f):
    def init(x):
        return State(jnp.asarray(0.0), None)

    def update(x, state):
        g = f
        while x > 0:
            g = jax.grad(g)
        return x, State(g(state.count), None)

    return init, update
""",
    "constants that stand for one another": """\
rate = decay
decay = rate
rounds = again
again = rounds

def run(x):
    def body(carry, _):
        return carry * rate, None

    return lax.scan(body, x, None, 3)

for i in range(rounds):
    if i > again:
        break
    run(1.0)
""",
    "names that stand for one another": """\
first = second
second = first
step = jax.jit(step)
state = (state, state)
for x in range(3):
    state = step(state, first(x), second)
""",
    "names that are bound to themselves": """\
chosen = (chosen,)
step = jax.jit(jnp.sin, static_argnums=chosen)

def rounds(data, rows, w):
    count = count
    for start in range(0, count, 32):
        w = step(w, data[start : start + 32])
    for start in range(0, rows, 32):
        end = end
        w = step(w, data[start:end])
    for start in range(0, rows, 32):
        last = min(last, rows)
        w = step(w, data[start:last])
    each = each
    for x in each:
        w = step(w, x)
    pairs = enumerate(pairs)
    for i, x in pairs:
        w = step(w, x)
    return w

def placed(x):
    devices = devices.reshape(-1)
    grid = devices[:2]
    with jax.sharding.Mesh(grid, ("i",)):
        grad = jax.jit(grad)
        return jax.device_put(grad(x), jax.sharding.PositionalSharding(devices).reshape(2, 1))

def masks(x, array):
    mask, kept = mask, array.astype(int)
    other = ~other
    array = array.astype(int)
    for i in range(1000):
        step(jnp.sum(array[array > 0]), jnp.sum(kept[other]), x[other].sum(), jnp.sum(x[mask]))
    return x
""",
    "leaves that are made of leaves": """\
def leaf(p):
    return jax.tree.map(leaf, p)

def init(params):
    return jax.tree.map(leaf, params)

@partial(jax.jit, static_argnums=1)
def step(state, n):
    return jax.tree.map(lambda s: s ** n, step(state, n - 1))

def train(params):
    state = init(params)
    n = 0
    while True:
        n += 1
        state = step(state, n)
""",
    "bodies that call themselves": """\
def run(x, n):
    def body(i, v):
        return run(body(i, v), n - 1)

    def pick(v):
        return lax.cond(v.sum() > 0, pick, body, v)

    x = lax.fori_loop(0, n, body, x)
    return lax.cond(x.sum() > 0, x, pick, run(x, n), lambda v: pick(run(v, n)))

for n in range(3):
    x = jax.grad(lambda v: run(v, n).sum())(run(x, n))
""",
    "jits that make themselves": """\
def make(n):
    @jax.jit
    def inner(v):
        return make(n - 1)(v) + inner(v)
    return inner

def train(xs):
    for x in xs:
        y = make(3)(x)
        f = jax.jit(lambda v: f(v) + make(2)(v))
        y = f(y)
    return y
""",
}


@pytest.mark.parametrize("beside", [BESIDE, Surroundings()], ids=["with helpers", "without"])
@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
@pytest.mark.parametrize("codemod", CODEMODS, ids=lambda codemod: codemod.id)
def test_recursion_ends(codemod: Codemod, program: str, beside: Surroundings) -> None:
    module = Module.parse(SourceFile.decode("a.py", (HEAD + program).encode()), beside)
    assert all(finding.message for finding in codemod.find(module))
