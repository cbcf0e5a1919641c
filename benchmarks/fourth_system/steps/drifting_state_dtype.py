"""An average that is made in half precision and comes back in single precision."""

import jax
import jax.numpy as jnp


@jax.jit
def update(state, inputs):
    average, count = state
    gradient = jnp.mean(inputs.astype(jnp.float32), axis=0)
    return average + (gradient - average) / 8, count + 1


state = (jnp.zeros(16384, jnp.bfloat16), 0)
inputs = jax.random.normal(jax.random.key(0), (256, 16384), jnp.bfloat16)
for number in range(60):
    state = update(state, inputs)
    print(f"step {number}: {float(state[0][0])}")
