"""A filter whose body is made by a factory at every call."""

import jax
import jax.numpy as jnp


class Filter:
    def __init__(self, gain):
        self.gain = gain

    def body(self, state, x):
        state = state + self.gain * (x - state)
        return state, state


def run(body, signal):
    return jax.lax.scan(body, 0.0, signal)[1]  # want: fresh-function (no fix): is unknown


def main():
    signal = jnp.ones(8)
    for step in range(6):
        signal = run(Filter(0.5).body, signal)
    print(signal)


main()
