"""States that keep their dtypes, and those of which it is not known."""

import jax
import jax.numpy as jnp
from jax import lax
from library import cast_like, step


def promoted(f, x):
    """What is added to a float32 is one."""
    return lax.fori_loop(0, 3, lambda i, total: total + f(x), jnp.zeros(()))


def weakly(f, x):
    """The loop itself gives a weakly typed start the dtype of what comes back."""
    return lax.while_loop(lambda best: best > 0, lambda best: f(x), 1.0)


def alike(f, x):
    """Both branches change it in the same way, and no other one is left."""
    return lax.cond(x.sum() > 1, lambda best: f(x), lambda best: f(x + 1), 1.0)


def started_alike(f, x):
    return lax.fori_loop(0, 3, lambda i, best: f(x) * i, f(x))


def typed_by_the_data(f, x):
    return lax.fori_loop(0, 3, lambda i, best: f(x) * i, jnp.zeros((), x.dtype))


def cast_already(f, x):
    def body(state, y):
        return cast_like({"best": f(y)}, state), y

    return lax.scan(body, {"best": jnp.zeros(())}, x)


def kept_by_hand(f, x):
    return lax.fori_loop(0, 3, lambda i, best: f(x).astype(jnp.float32), jnp.zeros(()))


def integers(f, x):
    return lax.fori_loop(0, 3, lambda i, n: n + 1, jnp.zeros((), jnp.int32))


def truths(f, x):
    return lax.fori_loop(0, 3, lambda i, seen: f(x) > 0, jnp.zeros((), bool))


def unknown(x):
    return lax.fori_loop(0, 3, step, jnp.zeros(())), lax.scan(lambda c, y: (step(c, y), y), jnp.zeros(()), x)


def annotated(x, rate: float = 0.5):
    return lax.cond(x.sum() > 1, lambda best: best * rate, lambda best: best, 1.0)


@jax.jit
def eager(state, gradient):
    return 0.9 * state + gradient


def no_loop(x):
    state = step(x)
    return eager(state, x)


@jax.jit
def halve(total):
    return total / 2


def stays_in_half_precision(steps):
    total = jnp.ones(3, jnp.bfloat16)
    for _ in range(steps):
        total = halve(total)
    return total


@jax.jit
def measure(total, scale):
    return total + scale * jnp.ones(3)


def constant_in_half_precision(steps):
    """What a loop only passes is no state."""
    scale, total = jnp.ones(3, jnp.bfloat16), jnp.zeros(3)
    for _ in range(steps):
        total = measure(total, scale)
    return total


@jax.jit
def again(total):
    return again(total) if total.ndim else total


def made_of_itself(n):
    return made_of_itself(n - 1)


def recursive(steps):
    """A function that returns what it returns itself."""
    total = made_of_itself(3)
    for _ in range(steps):
        total = again(total)
    return total
