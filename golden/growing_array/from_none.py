"""Arrays that are None until the first iteration."""

import jax
import jax.numpy as jnp


@jax.jit
def step(x):
    return x * 0.5


def by_rows(x, steps):
    history = None
    for i in range(steps):
        row = step(x + i)
        if history is None:
            history = row[None]
        else:
            history = jnp.concatenate([history, row[None]], axis=0)  # want: growing-array
    return history


def of_another_part(batches):
    outputs = None
    for batch in batches:
        out = step(batch)
        if outputs is None:
            outputs = 2 * out
        else:
            outputs = jnp.vstack((outputs, out))
    return outputs


def of_the_host(batches):
    outputs = None
    for batch in batches:
        if outputs is None:
            outputs = batch
        else:
            outputs = jnp.concatenate([outputs, batch])  # want: growing-array (no fix): may be a NumPy array
    return outputs


def from_a_caller(batches, outputs=None):
    for batch in batches:
        out = step(batch)
        if outputs is None:
            outputs = out
        else:
            outputs = jnp.concatenate([outputs, out])  # want: growing-array (no fix): to an array as well
    return outputs


def read_in_between(batches):
    outputs = None
    for batch in batches:
        out = step(batch)
        if outputs is None:
            outputs = out
        else:
            outputs = jnp.concatenate([outputs, out])  # want: growing-array (no fix): while it grows
        print(outputs.shape)
    return outputs


def flat(batches):
    outputs = None
    for batch in batches:
        out = step(batch)
        if outputs is None:
            outputs = out
        else:
            outputs = jnp.append(outputs, out)  # want: growing-array (no fix): in several ways
    return outputs


def main():
    print(by_rows(jnp.ones(3), 5).shape, by_rows(jnp.ones(3), 0))


if __name__ == "__main__":
    main()
