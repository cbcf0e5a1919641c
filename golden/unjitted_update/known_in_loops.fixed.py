"""A trace unrolls loops over layers, and knows their numbers and keys; of a power of a float, the exponent is traced."""

import jax
import jax.numpy as jnp


def network(layers, x):
    for number, (w, b) in enumerate(layers):
        x = x @ w + b
        if number < len(layers) - 1:
            x = jax.nn.relu(x)
    return x


def loss_of(layers, x):
    return jnp.mean(network(layers, x) ** 2)


def penalty(params):
    total = 0.0
    for name, value in params.items():
        if name.endswith("w"):
            total += jnp.sum(value**2)
    for name in params.keys():
        if name != "b":
            total += jnp.sum(jnp.abs(params[name]))
    return total


@jax.jit
def train_step(layers, m, v, x, b1, rate, t):
    gradients = jax.grad(loss_of)(layers, x)
    m = jax.tree.map(lambda a, g: b1 * a + (1 - b1) * g, m, gradients)
    v = jax.tree.map(lambda a, g: 0.999 * a + 0.001 * g**2, v, gradients)
    layers = jax.tree.map(
        lambda p, a, b: p - rate * (a / (1 - b1**t)) / (jnp.sqrt(b / (1 - 0.999**t)) + 1e-8), layers, m, v
    )
    return layers, m, v


def adam(layers, x, b1=0.9, rate=1e-3):
    m = jax.tree.map(jnp.zeros_like, layers)
    v = jax.tree.map(jnp.zeros_like, layers)
    for t in range(1, 200):
        layers, m, v = train_step(layers, m, v, x, b1, rate, t)
    return layers


grad_penalty = jax.jit(jax.grad(penalty))


def shrunk(params):
    for _ in range(100):
        gradients = grad_penalty(params)
        params = {name: params[name] - 0.1 * gradients[name] for name in sorted(params)}
    return params


# Of an array with a traced exponent other derivatives would be taken, of an integer few digits counted.
def powers(x):
    for t in range(1, 100):
        x = x - 0.1 * jax.grad(lambda x: jnp.sum(x**t))(x)
    for t in range(1, 100):
        x = x - 0.1 * jax.grad(lambda x: jnp.sum(jnp.sin(x)))(x) / (1 - 0.99999**t)
    for t in range(1, 100):
        x = x - 0.1 / 2**t * jax.grad(lambda x: jnp.sum(jnp.sin(x)))(x)
    return x


# Values decide, not a number or a key.
def branched(layers, x):
    for w, b in layers:
        x = x @ w + b
        if b.sum() > 0:
            x = jax.nn.relu(x)
    return jnp.mean(x**2)


if __name__ == "__main__":
    start = [(jnp.ones((4, 4)), jnp.zeros(4)) for _ in range(3)]
    data = jnp.ones((8, 4))
    print(adam(start, data), shrunk({"b": jnp.ones(3), "w": jnp.ones(3)}), powers(jnp.ones(3)))
    for _ in range(100):
        slopes = jax.grad(branched)(start, data)
        start = jax.tree.map(lambda p, g: p - 0.1 * g, start, slopes)
