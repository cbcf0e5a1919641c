"""Loops over what only a run knows to be arrays."""

import jax
import jax.numpy as jnp


@jax.jit
def rnn(params, inputs):
    h = jnp.zeros(4)
    outputs = []
    for x in inputs:  # want: unrolled-loop
        h = jnp.tanh(params["w"] @ h + params["u"] @ x)
        outputs.append(params["o"] @ h)
    return outputs[-1], outputs[0], h


@jax.jit
def pairs(xs, ys, w):
    losses = []
    for x, y in zip(xs, ys):  # want: unrolled-loop
        losses.append((w @ x - y) ** 2)
    return jnp.mean(jnp.array(losses))


@jax.jit
def numbered(xs, w):
    h = jnp.zeros(4)
    for t, x in enumerate(xs):  # want: unrolled-loop (no fix): as a Python number
        h = jnp.tanh(w @ h + x + t)
    return h


@jax.jit
def network(weights, x):
    """A list of layers, whose rows nothing takes."""
    for weight in weights:
        x = jnp.tanh(weight @ x)
    return x


@jax.jit
def changing(inputs):
    outputs = []
    h = jnp.zeros(4)
    for x in inputs:  # want: unrolled-loop (no fix): side effect
        h = jnp.tanh(h + x)
        outputs.append(h)
        if len(outputs) > 3:
            outputs[0] = h
    return outputs[-1]


@jax.jit
def few(inputs):
    h = jnp.zeros(4)
    for x in inputs:  # want: unrolled-loop
        h = jnp.tanh(h + x)
    return h


def main():
    keys = jax.random.split(jax.random.PRNGKey(0), 2)
    xs = jax.random.normal(keys[0], (40, 4))
    w = jax.random.normal(keys[1], (4, 4))
    print(rnn({"w": w, "u": w, "o": w}, xs))
    print(pairs(xs, xs[:, 0], w[0]))
    print(numbered(xs, w))
    print(network([w] * 20, xs[0]))
    print(changing(xs))
    print(few(xs[:3]))


main()
