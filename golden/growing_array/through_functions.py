"""A function makes an array longer, and the loop that calls it passes it on from call to call."""

import functools

import jax
import jax.numpy as jnp


@jax.jit
def next_token(weights, tokens):
    logits = jnp.tanh(weights[tokens].sum(axis=0)) @ weights.T
    return jnp.concatenate([tokens, jnp.argmax(logits)[None]])


def generate(weights, tokens, length):
    for _ in range(length):
        tokens = next_token(weights, tokens)  # want: growing-array (no fix): `next_token` makes it longer
    return tokens


class System:
    def __init__(self, gain):
        self.gain = gain

    @functools.partial(jax.jit, static_argnums=0)
    def step(self, state, errors, noise):
        signal = self.gain * errors[-1] + 0.1 * jnp.sum(errors)
        state = state + signal + noise
        errors = jnp.append(errors, 1.0 - state)
        return state, errors

    def run(self, noise):
        state, errors = 0.0, jnp.zeros(2)
        for each in noise:
            state, errors = self.step(state, errors, each)  # want: growing-array (no fix): `self.step` makes it longer
        return errors


# As long at each call, another array, called once, or unrolled by a trace.
@jax.jit
def window(values, new):
    values = jnp.append(values, new)
    return values[1:]


@jax.jit
def padded(values):
    return jnp.append(values, 0.0)


def slide(values, steps):
    for step in range(steps):
        values = window(values, step)
        longer = padded(values)
    return values, longer


@jax.jit
def traced(weights, tokens):
    for _ in range(8):
        tokens = next_token(weights, tokens)
    return tokens


if __name__ == "__main__":
    weights = jnp.ones((7, 4))
    print(generate(weights, jnp.array([1, 2]), 20), traced(weights, jnp.array([1])), padded(jnp.ones(3)))
    print(System(0.3).run(jnp.ones(40)), slide(jnp.ones(5), 30))
