"""Lists whose elements a trace cannot take for one."""

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def counts(weights, rows):
    return jnp.stack([jnp.tanh(rows[0] @ weights) * i / 3 for i in range(40)])  # want: mapped-loop (no fix): as a Python number


@jax.jit
def drawn(weights, rows):
    return jnp.stack([rows[i] @ weights + np.random.normal() for i in range(40)])  # want: mapped-loop (no fix): cannot be traced once


def noisy(row):
    return jnp.tanh(row) + np.random.normal()


@jax.jit
def drawn_by_another(rows):
    return jnp.stack([noisy(rows[i]) for i in range(40)])  # want: mapped-loop (no fix): cannot be traced once


def half(row, small=True):
    if small:
        return
    return jnp.tanh(row)


def one_by_one(row):
    yield row
    return jnp.tanh(row)


@jax.jit
def of_no_array(rows):
    return jnp.stack([half(rows[i]) for i in range(40)]), jnp.stack([one_by_one(rows[i]) for i in range(40)])


@jax.jit
def printed(weights, rows):
    return jnp.stack([jnp.tanh(rows[i] @ weights + print("row")) for i in range(40)])  # want: mapped-loop (no fix): uses `print`


@jax.jit
def pairs(weights, rows):
    return jnp.stack([jnp.tanh(jnp.dot(rows[i], weights)) for i in reversed(range(40))])  # want: mapped-loop (no fix): goes backwards


@jax.jit
def of_a_list(weights, layers):
    return jnp.stack([jnp.tanh(layer @ weights) for layer in layers])  # want: mapped-loop (no fix): may be a list


@jax.jit
def weak(rows):
    return jnp.array([jnp.exp(2.0) + 0 * i for i in range(40)])  # want: mapped-loop (no fix): as a Python number


@jax.jit
def below(key):
    return jnp.stack([jax.random.normal(jax.random.fold_in(key, i)) for i in range(-8, 40)])  # want: mapped-loop (no fix): may be negative


@jax.jit
def before(key):
    return jnp.stack([jax.random.normal(jax.random.fold_in(key, i - 8)) for i in range(40)])  # want: mapped-loop (no fix): may be negative


def keyed(key, number):
    return jax.random.fold_in(key, number)


@jax.jit
def before_in_another(key):
    return jnp.stack([jax.random.normal(keyed(key, i - 8)) for i in range(40)])  # want: mapped-loop (no fix): may be negative


@jax.jit
def many_or_none(weights, rows: jax.Array):
    return jnp.concatenate([jnp.ones((1, 2)), jnp.stack([jnp.tanh(row @ weights) for row in rows[:32]])])  # want: mapped-loop


def main():
    weights, rows = jnp.ones((3, 2)), jax.random.normal(jax.random.key(1), (64, 3))
    for run in (counts, drawn, pairs, of_a_list, many_or_none):
        print(run(weights, rows))
    print(weak(rows), printed)


if __name__ == "__main__":
    main()
