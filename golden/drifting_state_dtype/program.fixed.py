"""A moving average that is made in half precision and comes back in single precision from each update."""

import jax
import jax.numpy as jnp


@jax.jit
def update(state, inputs):
    average, count = state
    gradient = jnp.mean(inputs.astype(jnp.float32), axis=0)
    average = average + (gradient - average) / 8
    return average, count + 1


def train(steps):
    key = jax.random.PRNGKey(0)
    state = (jnp.zeros(4, jnp.float32), 0)
    for _ in range(steps):
        key, subkey = jax.random.split(key)
        state = update(state, jax.random.normal(subkey, (8, 4), jnp.bfloat16))
    return state


if __name__ == "__main__":
    average, count = train(20)
    print(average.tolist(), average.dtype, int(count))
