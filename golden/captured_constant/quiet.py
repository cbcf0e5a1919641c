import jax
import jax.numpy as jnp

small = jnp.ones((100, 100))
table = jnp.linspace(0.0, 1.0, 600 * 600).reshape(600, 600)


@jax.jit
def is_small(x):
    return x @ small


@jax.jit
def takes_it(x, table):
    return x @ table


def runs_eagerly(x):
    return x @ table


@jax.jit
def knows_its_shape(x):
    return x / table.shape[0]


@jax.jit
def makes_it(x):
    return x @ jnp.ones((600, 600))


print(is_small(jnp.ones(100)).sum(), takes_it(jnp.ones(600), table).sum(), runs_eagerly(jnp.ones(600)).sum())
print(knows_its_shape(jnp.ones(600)).sum(), makes_it(jnp.ones(600)).sum())
