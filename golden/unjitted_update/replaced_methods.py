"""The method of a model that a trainer differentiates is another one later."""

import jax
import jax.numpy as jnp


class Net:
    def __init__(self, width):
        self.width = width

    def init(self, key):
        return jax.random.normal(key, (self.width, self.width))

    def loss(self, params, x):
        return jnp.mean((jnp.tanh(x @ params) - x) ** 2)

    def other(self, params, x):
        return jnp.mean((x @ params - x) ** 2)

    def last(self, params, x):
        return jnp.mean((jnp.tanh(x @ params) + x) ** 2)


class OfGiven:
    def __init__(self, net, key):
        self.net = net
        self.params = net.init(key)

    def train_step(self, x):
        loss, grads = jax.value_and_grad(self.net.loss)(self.params, x)
        self.params = jax.tree.map(lambda p, g: p - 0.1 * g, self.params, grads)
        return loss

    def fit(self, xs):
        for epoch in range(10):
            for x in xs:
                print(self.train_step(x))  # want: unjitted-update (no fix): rebinds `Net.loss`


class OfKnown:
    def __init__(self, key):
        self.net = Net(4)
        self.params = self.net.init(key)

    def train_step(self, x):
        loss, grads = jax.value_and_grad(self.net.loss)(self.params, x)
        self.params = jax.tree.map(lambda p, g: p - 0.1 * g, self.params, grads)
        return loss

    def fit(self, xs):
        for epoch in range(10):
            for x in xs:
                print(self.train_step(x))  # want: unjitted-update (no fix): rebinds `Net.loss`


class OfLast:
    def __init__(self, net, key):
        self.net = net
        self.params = net.init(key)

    def train_step(self, x):
        loss, grads = jax.value_and_grad(lambda p: self.net.last(p, x))(self.params)
        self.params = jax.tree.map(lambda p, g: p - 0.1 * g, self.params, grads)
        return loss

    def fit(self, xs):
        for epoch in range(10):
            for x in xs:
                print(self.train_step(x))  # want: unjitted-update (no fix): rebinds `net.last`


if __name__ == "__main__":
    xs = [jnp.ones((3, 4)) * i for i in range(20)]
    key, net = jax.random.key(0), Net(4)
    given, known, last = OfGiven(net, key), OfKnown(key), OfLast(net, key)
    given.fit(xs)
    known.fit(xs)
    last.fit(xs)
    Net.loss, net.last = Net.other, net.other
    given.fit(xs)
    known.fit(xs)
    last.fit(xs)
