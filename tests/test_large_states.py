"""A state whose size is in the code is told without a run, however it is written; others wait for one."""

import pytest

from jaxfix.engine.analyze import analyze
from jaxfix.source.source_file import SourceFile
from jaxfix_codemods.undonated_state import CODEMOD

PROGRAM = """\
import jax
import jax.numpy as jnp
import numpy as np
from elsewhere import initial
from typing import NamedTuple


class State(NamedTuple):
    p: jax.Array
    n: int


def draw(key):
    return jax.random.normal(key, SIZE)


def loss(params, x):
    return sum(jnp.mean((x @ p) ** 2) for p in jax.tree.leaves(params))


@jax.jit
def step(params, x):
    grads = jax.grad(loss)(params, x)
    return jax.tree.map(lambda a, b: a - b, params, grads)


def main(x):
    key = jax.random.key(0)
    keys = jax.random.split(key, 8)
    params = STATE
    for _ in range(100):
        params = step(params, x)
    print(loss(params, x))


main(jnp.ones((8, 4000)))
"""
STATES = (
    "jnp.zeros(SIZE)",
    "0.01 * jax.random.normal(key, SIZE)",
    "-jax.random.normal(key, SIZE) / 3 + jnp.zeros(SIZE[1:])",
    '{"w": 0.01 * jax.random.normal(key, SIZE), "b": jnp.zeros(3)}',
    "jnp.zeros(SIZE) + 1",
    "jnp.zeros(SIZE).astype(jnp.bfloat16)",
    "jnp.zeros(SIZE).at[0].set(1.0)",
    "jax.device_put(jnp.zeros(SIZE))",
    "jnp.asarray(np.zeros(SIZE, np.float32))",
    "jnp.concatenate([jnp.zeros(SIZE), jnp.ones(SIZE)])",
    'jax.tree.map(jnp.zeros_like, {"a": jnp.zeros(SIZE)})',
    "State(jnp.zeros(SIZE), 0)",
    "State(p=jnp.zeros(SIZE), n=0)",
    "jax.vmap(lambda k: jax.random.normal(k, SIZE))(keys)",
    "jax.vmap(draw)(keys)",
    "jnp.stack([jax.random.normal(k, SIZE) for k in keys])",
    "jax.jit(draw)(key)",
    "State(initial(key), {'n': jnp.zeros(SIZE)})",
    " + ".join(["jnp.ones(3)"] * 400 + ["jnp.zeros(SIZE)"]),
)


def is_told(state: str, size: str) -> bool:
    text = PROGRAM.replace("STATE", state).replace("SIZE", size)
    found = analyze(SourceFile.decode("train.py", text.encode()), (CODEMOD,)).found
    return any(not each.finding.moot for each in found)


@pytest.mark.parametrize("state", STATES, ids=lambda state: state[:60])
def test_a_state_is_large_if_any_part_of_what_it_is_made_of_is(state: str) -> None:
    assert is_told(state, "(4000, 4000)") and not is_told(state, "(40, 40)")


@pytest.mark.parametrize(
    "state",
    [
        "initial(key)",
        "0.01 * initial(key)",
        "jnp.mean(jnp.zeros(SIZE), axis=0)",
        "jnp.zeros(SIZE).sum(axis=0)",
        "jax.device_put(x[0])",
        "x.shape[0] * jnp.ones(3)",
        'State(initial(key), {"n": 0})',
        "jax.vmap(initial)(keys)",
    ],
)
def test_what_the_code_makes_small_or_leaves_open_waits_for_a_run(state: str) -> None:
    assert not is_told(state, "(4000, 4000)")
