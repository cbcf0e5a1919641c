"""A program whose finding is behind a tab and an astral character, and what it becomes."""

TEXT = """\
import jax
import jax.numpy as jnp


def step(x, i):
\tname = "𝔘é"; return jax.lax.cond(i > 2, lambda v: v * 2.0, lambda v: v - 1.0, x)


x = jnp.ones(3)
for i in range(8):
    x = step(x, i)
"""
FIXED = """\
import jax
import jax.numpy as jnp


def _step_true(v):
\treturn v * 2.0


def _step_false(v):
\treturn v - 1.0


def step(x, i):
\tname = "𝔘é"; return jax.lax.cond(i > 2, _step_true, _step_false, x)


x = jnp.ones(3)
for i in range(8):
    x = step(x, i)
"""
LINE = 6
BEFORE = TEXT.splitlines()[LINE - 1].partition("jax.")[0]
