import jax
import jax.numpy as jnp


@jax.jit
def few(x):
    for i in range(3):
        x = jnp.sin(x)
    return x


def eager(x):
    for i in range(1000):
        x = jnp.sin(x)
    return x


print(eager(jnp.ones(3)))


@jax.jit
def shapes(x):
    size = 1
    for axis in range(x.ndim):
        size *= x.shape[axis]
    return x / size


@jax.jit
def strings(x):
    name = ""
    for i in range(100):
        name = name + str(i)
    return x * len(name)


@jax.jit
def apart(x):
    for i in range(64):
        y = jnp.sin(x)
    return x


@jax.jit
def by_layer(x, layers):
    for weights in layers:
        x = jnp.tanh(x @ weights)
    return x


@jax.jit
def looped(x):
    return jax.lax.fori_loop(0, 64, lambda i, x: jnp.sin(x), x)
