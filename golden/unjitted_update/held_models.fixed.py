"""A trainer that holds its model, whose method it differentiates: read by the trace while it stays what it is."""

import functools

import jax
import jax.numpy as jnp


class Net:
    def __init__(self, width):
        self.width, self.scale = width, 1.0

    def init(self, key):
        return jax.random.normal(key, (self.width, self.width))

    def loss(self, params, x):
        h = jnp.tanh(x @ params)
        return jnp.mean((h * self.scale - x) ** 2) + 1e-3 * jnp.sum(params**2)


class Trainer:
    def __init__(self, net, key):
        self.net = net
        self.params = net.init(key)
        self.mean = jax.tree.map(jnp.zeros_like, self.params)

    @functools.partial(jax.jit, static_argnums=0)
    def _train_step(self, params, mean, x):
        loss, grads = jax.value_and_grad(self.net.loss)(params, x)
        mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, grads)
        params = jax.tree.map(lambda p, m: p - 0.1 * m, params, mean)
        return params, mean, loss

    def train_step(self, x):
        self.params, self.mean, loss = self._train_step(self.params, self.mean, x)
        return float(loss)

    def fit(self, xs):
        for epoch in range(10):
            losses = []
            for x in xs:
                losses.append(self.train_step(x))
            print(epoch, sum(losses))


class Replaced:
    def __init__(self, net, key):
        self.model = net
        self.params = net.init(key)

    def train_step(self, x):
        loss, grads = jax.value_and_grad(self.model.loss)(self.params, x)
        self.params = jax.tree.map(lambda p, g: p - 0.1 * g, self.params, grads)
        return loss

    def grow(self):
        self.model = Net(2 * self.model.width)

    def fit(self, xs):
        for epoch in range(10):
            for x in xs:
                print(self.train_step(x))


class Counting:
    def __init__(self, width):
        self.width, self.calls = width, 0

    def init(self, key):
        return jax.random.normal(key, (self.width, self.width))

    def loss(self, params, x):
        self.calls += 1
        return jnp.mean((jnp.tanh(x @ params) - x) ** 2 / self.calls)


class OfCounting:
    def __init__(self, key):
        self.core = Counting(4)
        self.params = self.core.init(key)

    def train_step(self, x):
        loss, grads = jax.value_and_grad(self.core.loss)(self.params, x)
        self.params = jax.tree.map(lambda p, g: p - 0.1 * g, self.params, grads)
        return loss

    def fit(self, xs):
        for epoch in range(10):
            for x in xs:
                print(self.train_step(x))


if __name__ == "__main__":
    xs = [jnp.ones((3, 4)) * i for i in range(20)]
    Trainer(Net(4), jax.random.key(0)).fit(xs)
    Replaced(Net(4), jax.random.key(0)).fit(xs)
    OfCounting(jax.random.key(0)).fit(xs)
