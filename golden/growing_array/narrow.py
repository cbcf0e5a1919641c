"""Numbers of any type, joined to an array of a narrow one: what overflowed then may fit into the wider result."""

import jax.numpy as jnp


def collected(values):
    out = jnp.array([], jnp.int8)
    for value in values:
        out = jnp.append(out, value)  # want: growing-array (no fix): may be a number that is too large
    return out


def in_floats(values):
    out = jnp.array([])
    for value in values:
        out = jnp.append(out, value)  # want: growing-array
    return out


if __name__ == "__main__":
    print(collected([300, jnp.int16(1)] * 5), in_floats([300, 1] * 5))
