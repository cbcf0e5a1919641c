"""Items of lists and dictionaries, picked by the variable of a loop: passed as they are."""

import jax.numpy as jnp
import numpy as np


def init(rng, sizes):
    return [(jnp.asarray(rng.normal(size=pair)), jnp.zeros(pair[1])) for pair in zip(sizes[:-1], sizes[1:])]


def layer(params, x):
    w, b = params
    return jnp.tanh(x @ w + b)


def apply(params, x):
    for i in range(len(params)):
        x = layer(params[i], x)
        x = x - jnp.mean(x, axis=-1, keepdims=True)  # want: unjitted-update
        x = x / jnp.sqrt(jnp.mean(x**2, axis=-1, keepdims=True) + 1e-6)
    return x


def decayed(weights, moments, names):
    for name in names:
        moment = 0.9 * moments[name] + 0.1 * jnp.sin(weights[name])
        weights[name] = weights[name] - 0.1 * moment / (jnp.sqrt(jnp.mean(moment**2)) + 1e-8)
    return weights


class Filter:
    """Rows of NumPy, one an iteration."""

    def __init__(self, rows):
        self.rows = np.asarray(rows)
        self.mean = jnp.zeros(3)

    def run(self, count):
        for k in range(count):
            gain = jnp.exp(-jnp.abs(self.rows[k] - self.mean))  # want: unjitted-update
            self.mean = self.mean + gain * (self.rows[k] - self.mean)
        return self.mean


def composed(blocks, x):
    for i in range(len(blocks)):
        x = blocks[i](x)
        x = x - jnp.mean(x, axis=-1, keepdims=True)  # want: unjitted-update
        x = x / jnp.sqrt(jnp.mean(x**2, axis=-1, keepdims=True) + 1e-6)
    return x


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    params = init(rng, [4] * 20)
    print(apply(params, jnp.ones((2, 4))))
    names = [f"w{i}" for i in range(30)]
    print(decayed({name: jnp.ones(3) for name in names}, {name: jnp.zeros(3) for name in names}, names)["w3"])
    print(Filter(rng.normal(size=(40, 3))).run(40))
    print(composed([jnp.sin, jnp.tanh] * 10, jnp.ones((2, 4))))
