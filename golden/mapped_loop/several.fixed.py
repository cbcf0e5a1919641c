"""Lists over several arrays at once, or over numbered rows: the element takes them as one."""

import jax
import jax.numpy as jnp


@jax.jit
def paired(weights, rows: jax.Array, shifts: jax.Array):
    def element(pair):
        row, shift = pair
        return jnp.tanh(row @ weights) + shift

    return jax.lax.map(element, (rows, shifts))


@jax.jit
def numbered(weights, rows: jax.Array, shifts: jax.Array):
    def element(pair):
        i, row = pair
        return jnp.tanh(row @ weights) + shifts[i]

    moved = jax.lax.map(element, (jnp.arange(len(rows)), rows))
    return moved * 2.0


@jax.jit
def numbered_pairs(weights, rows: jax.Array, shifts: jax.Array):
    row = weights[0]

    def element(pair):
        i, r = pair
        return jnp.tanh(r) * shifts[i] + row[0]

    added = jax.lax.map(element, (jnp.arange(len(rows)), rows))
    return added


@jax.jit
def numbered_together(weights, rows: jax.Array, shifts: jax.Array):
    def element(item):
        i, (row, s) = item
        return jnp.tanh(row @ weights) + s

    return jax.lax.map(element, (jnp.arange(len(rows)), (rows, shifts)))


@jax.jit
def twice_in_one_statement(rows: jax.Array, shifts: jax.Array):
    return (
        jnp.stack([jnp.tanh(row) + shift for row, shift in zip(rows, shifts)])
        - jnp.stack([jnp.sin(row) + shift for row, shift in zip(rows, shifts)])
    )


def total(rows: jax.Array, shifts: jax.Array):
    return jax.jit(lambda: jnp.stack([jnp.tanh(row) + shift for row, shift in zip(rows, shifts)]).sum())()


@jax.jit
def project(weights, rows):
    return jnp.tanh(rows @ weights)


def differences(weights, rows):
    rows = project(weights, rows)
    others = project(-weights, rows @ weights.T)
    return jax.vmap(lambda row, other: jnp.tanh(row) - jnp.tanh(other))(rows, others)


def main():
    weights, rows = jnp.ones((3, 2)), jnp.linspace(-1.0, 1.0, 120).reshape(40, 3)
    shifts = jnp.linspace(0.0, 1.0, 40)
    for run in (paired, numbered, numbered_together):
        print(run(weights, rows, shifts).sum())
    print(numbered_pairs(weights, rows, shifts).sum(), twice_in_one_statement(rows, shifts).sum(), total(rows, shifts))
    for _ in range(6):
        print(differences(weights, rows).sum())


if __name__ == "__main__":
    main()
