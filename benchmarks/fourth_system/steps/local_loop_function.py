"""A filter whose body is defined at each call."""

import jax
import jax.numpy as jnp


def smooth(signal, gain):
    def body(state, x):
        state = state + gain * (x - state)
        return state, state

    return jax.lax.scan(body, jnp.zeros(256), signal)[1]


signal = jax.random.normal(jax.random.key(0), (128, 256))
for number in range(60):
    signal = smooth(signal, 0.1 + 0.001 * number)
    print(f"step {number}: {float(signal[0, 0])}")
