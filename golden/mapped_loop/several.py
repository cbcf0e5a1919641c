"""Lists over several arrays at once, or over numbered rows: the element takes them as one."""

import jax
import jax.numpy as jnp


@jax.jit
def paired(weights, rows: jax.Array, shifts: jax.Array):
    return jnp.stack([jnp.tanh(row @ weights) + shift for row, shift in zip(rows, shifts)])  # want: mapped-loop


@jax.jit
def numbered(weights, rows: jax.Array, shifts: jax.Array):
    moved = jnp.stack([jnp.tanh(row @ weights) + shifts[i] for i, row in enumerate(rows)], axis=0)  # want: mapped-loop
    return moved * 2.0


@jax.jit
def numbered_pairs(weights, rows: jax.Array, shifts: jax.Array):
    row = weights[0]
    added = jnp.stack([jnp.tanh(r) * shifts[i] + row[0] for i, r in enumerate(rows)])  # want: mapped-loop
    return added


@jax.jit
def numbered_together(weights, rows: jax.Array, shifts: jax.Array):
    return jnp.stack([jnp.tanh(row @ weights) + s for i, (row, s) in enumerate(zip(rows, shifts))])  # want: mapped-loop


@jax.jit
def twice_in_one_statement(rows: jax.Array, shifts: jax.Array):
    return (
        jnp.stack([jnp.tanh(row) + shift for row, shift in zip(rows, shifts)])  # want: mapped-loop (no fix): around the list
        - jnp.stack([jnp.sin(row) + shift for row, shift in zip(rows, shifts)])  # want: mapped-loop (no fix): around the list
    )


def total(rows: jax.Array, shifts: jax.Array):
    return jax.jit(lambda: jnp.stack([jnp.tanh(row) + shift for row, shift in zip(rows, shifts)]).sum())()  # want: mapped-loop (no fix): around the list


@jax.jit
def project(weights, rows):
    return jnp.tanh(rows @ weights)


def differences(weights, rows):
    rows = project(weights, rows)
    others = project(-weights, rows @ weights.T)
    return jnp.stack([jnp.tanh(row) - jnp.tanh(other) for row, other in zip(rows, others)])  # want: mapped-loop


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
