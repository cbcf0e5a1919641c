import jax
import jax.numpy as jnp
import numpy as np

table = jnp.linspace(0.0, 1.0, 600 * 600).reshape(600, 600)
host = np.linspace(0.0, 1.0, 600 * 600, dtype=np.float32).reshape(600, 600)
moving = table * 2.0
mixed = {"table": table, "scale": 3}


@jax.jit
def on_the_host(x):
    return x @ host  # want: captured-constant (no fix): `host` is host data


@jax.jit
def keeps_the_first(x):
    return x @ moving  # want: captured-constant (no fix): the program keeps the array of its first call


@jax.jit
def holds_a_number(x):
    return x @ mixed["table"] * mixed["scale"]  # want: captured-constant (no fix): holds other things than arrays


@jax.jit
def computes_once(x):
    return x @ jnp.exp(table)  # want: captured-constant (no fix): `exp` of it is computed once


def helper(x):
    return x @ table  # want: captured-constant (no fix): another function reads it


@jax.jit
def through_a_helper(x):
    return helper(x)


@jax.jit
def with_a_default(x, scale=2.0):
    return scale * x @ table  # want: captured-constant (no fix): `scale` has a default


@jax.jit
def with_a_star(*x):
    return x[0] @ table  # want: captured-constant (no fix): its parameters have a `*`


@jax.jit
def asks_what_it_is(x):
    return x @ table if isinstance(table, jax.Array) else x  # want: captured-constant (no fix): checks its type


@jax.jit
def is_lowered(x):
    return x @ table  # want: captured-constant (no fix): uses `is_lowered.lower`


def plain(x):
    return x @ table  # want: captured-constant (no fix): with `jit` as its only decorator


compiled = jax.jit(plain)


shifted = jnp.zeros((600, 600))
shifted += 1.0


@jax.jit
def shift(x):
    return x + shifted  # want: captured-constant (no fix): `shifted` is bound more than once


mask = jnp.ones((1200, 1200)) > 0.5


@jax.jit
def selects(x):
    return x.at[mask].set(0.0)  # want: captured-constant (no fix): which variable holds it


class Model:
    @jax.jit
    def __call__(self, x):
        return x @ table  # want: captured-constant (no fix): it is a method


jax.tree_util.register_pytree_node(Model, lambda model: ((), None), lambda _, __: Model())

for _ in range(2):
    x = jnp.ones(600)
    print(on_the_host(x).sum(), keeps_the_first(x).sum(), holds_a_number(x).sum(), computes_once(x).sum())
    print(through_a_helper(x).sum(), with_a_default(x).sum(), with_a_star(x).sum(), asks_what_it_is(x).sum())
    print(is_lowered(x).sum(), compiled(x).sum(), Model()(x).sum())
    moving = moving + 1.0
    print(shift(x).sum(), selects(jnp.ones((1200, 1200))).sum())
print(is_lowered.lower(jnp.ones(600)).as_text()[:6])
