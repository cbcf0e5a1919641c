# The number of an iteration, passed on through functions, also through one that calls itself.
import jax
import jax.numpy as jnp


def one(x, i):
    return x[i] + 1.0


def two(x, i):
    return one(x, i)


def three(x, i):
    return two(x, i)


def four(x, i):
    return three(x, i)


def five(x, i):
    return four(x, i)


def row(x, i):
    return jnp.sin(x[i]) if x.ndim == 1 else row(x.sum(-1), i)


@jax.jit
def of_rows(x):
    s = jnp.zeros(())
    for i in range(64):  # want: unrolled-loop
        s = s + row(x, i) * jnp.cos(s)
    return s


@jax.jit
def total(x):
    s = jnp.zeros(())
    for i in range(64):  # want: unrolled-loop
        s = s + jnp.sin(five(x, i)) * jnp.cos(s)
    return s


print(total(jnp.arange(64.0)))
print(of_rows(jnp.ones((64, 2, 2))))
