"""Loops over what only a run knows to be arrays."""

import jax
import jax.numpy as jnp


@jax.jit
def rnn(params, inputs):
    h = jnp.zeros(4)

    def loop_body(h, x):
        h = jnp.tanh(params["w"] @ h + params["u"] @ x)
        return h, params["o"] @ h

    h, outputs = jax.lax.scan(loop_body, h, inputs)
    return outputs[-1], outputs[0], h


@jax.jit
def pairs(xs, ys, w):

    def loop_body(row):
        x, y = row
        losses_row = (w @ x - y) ** 2
        return losses_row

    losses = jax.lax.map(loop_body, (xs, ys))
    return jnp.mean(jnp.array(losses))


@jax.jit
def numbered(xs, w):
    h = jnp.zeros(4)
    for t, x in enumerate(xs):
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
    for x in inputs:
        h = jnp.tanh(h + x)
        outputs.append(h)
        if len(outputs) > 3:
            outputs[0] = h
    return outputs[-1]


@jax.jit
def few(inputs):
    h = jnp.zeros(4)

    def loop_body(h, x):
        h = jnp.tanh(h + x)
        return h, None

    h, _ = jax.lax.scan(loop_body, h, inputs)
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
