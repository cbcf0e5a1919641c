"""Functions that are passed to `vmap` with what no `jit` takes, or that start too little: they are left as they are."""

import jax
import jax.numpy as jnp


class Config:
    def __init__(self, scale):
        self.scale = scale


def scaled(config, x):
    return jnp.tanh(jax.nn.relu(x @ x.T + 1) @ x.T) * 2


def named(kind, x):
    return jnp.tanh(jax.nn.relu(x @ x.T + 1) @ x.T) * 2


def handed(x, y):
    return jnp.tanh(jax.nn.relu(x @ x.T + 1) @ x.T) * y


def small(x):
    return jnp.tanh(x)


def asked(x, many):
    return [jnp.zeros(many).at[each].set(1.0) for each in x]


def apply(function, *args):
    return function(*args)


def run(rounds, xs):
    mapped = jax.vmap(handed, in_axes=(None, 0))
    found = []
    for number in range(rounds):
        found.append(jax.vmap(scaled, in_axes=(None, 0))(Config(2.0), xs))
        found.append(scaled(None, xs[0]))
        found.append(jax.vmap(named, in_axes=(None, 0))("max", xs))
        found.append(named(xs, xs[0]))
        found.append(apply(mapped, xs[0], xs))
        found.append(handed(xs[0], xs[0]))  # want: unjitted-update (no fix)
        found.append([small(x) for x in xs])
        found.append(asked([1, 2, 3], number))  # want: unjitted-update (no fix)
    return found


if __name__ == "__main__":
    print(len(run(10, jnp.ones((5, 3, 3)))))
