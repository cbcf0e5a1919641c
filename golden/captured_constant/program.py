import jax
import jax.numpy as jnp

table = jnp.sin(jnp.arange(1000.0 * 1000.0)).reshape(1000, 1000)


@jax.jit
def advance(x):
    return jnp.tanh(x + table)  # want: captured-constant


x = jnp.zeros((1000, 1000))
for step in range(4):
    x = advance(x)
    print(x.sum())
