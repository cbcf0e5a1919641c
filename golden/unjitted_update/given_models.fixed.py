"""A trainer is given its model, whose method it differentiates: no step where that does more than compute."""

import functools
import random

import jax
import jax.numpy as jnp

SCALE = 1.0
OPTIONS = {"scale": 1.0}
SEEN = []


class Scaled:
    def __init__(self, width):
        self.width = width

    def init(self, key):
        return jax.random.normal(key, (self.width, self.width))

    def loss(self, params, x):
        return jnp.mean((jnp.tanh(x @ params) * SCALE - x) ** 2)


class OfScaled:
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
                print(self.train_step(x))


class Optional:
    def __init__(self, width):
        self.width = width

    def init(self, key):
        return jax.random.normal(key, (self.width, self.width))

    def loss(self, params, x):
        return jnp.mean((jnp.tanh(x @ params) * OPTIONS["scale"] - x) ** 2)


class OfOptional:
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
                print(self.train_step(x))


class Noisy:
    def __init__(self, width):
        self.width = width

    def init(self, key):
        return jax.random.normal(key, (self.width, self.width))

    def loss(self, params, x):
        return jnp.mean((jnp.tanh(x @ params) * random.random() - x) ** 2)


class OfNoisy:
    def __init__(self, net, key):
        self.net = net
        self.params = net.init(key)

    def train_step(self, x):
        loss, grads = jax.value_and_grad(lambda p: self.net.loss(p, x))(self.params)
        self.params = jax.tree.map(lambda p, g: p - 0.1 * g, self.params, grads)
        return loss

    def fit(self, xs):
        for epoch in range(10):
            for x in xs:
                print(self.train_step(x))


class Telling:
    def __init__(self, width):
        self.width = width

    def init(self, key):
        return jax.random.normal(key, (self.width, self.width))

    def loss(self, params, x):
        print(x.shape)
        return jnp.mean((jnp.tanh(x @ params) - x) ** 2)


class OfTelling:
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
                print(self.train_step(x))


class Keeping:
    def __init__(self, width):
        self.width = width

    def init(self, key):
        return jax.random.normal(key, (self.width, self.width))

    def loss(self, params, x):
        SEEN.append(x)
        return jnp.mean((jnp.tanh(x @ params) - x) ** 2)


class OfKeeping:
    def __init__(self, net, key):
        self.net = net
        self.params = net.init(key)

    def train_step(self, x):
        loss, grads = jax.value_and_grad(lambda p: self.net.loss(p, x))(self.params)
        self.params = jax.tree.map(lambda p, g: p - 0.1 * g, self.params, grads)
        return loss

    def fit(self, xs):
        for epoch in range(10):
            for x in xs:
                print(self.train_step(x))


class Choosing:
    def __init__(self, width):
        self.width = width

    def init(self, key):
        return jax.random.normal(key, (self.width, self.width))

    def loss(self, params, x):
        if x.sum() > 3:
            x = x - 1
        return jnp.mean((jnp.tanh(x @ params) - x) ** 2)


class OfChoosing:
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
                print(self.train_step(x))


class Annealed:
    rate = 1.0

    def __init__(self, width):
        self.width = width

    def init(self, key):
        return jax.random.normal(key, (self.width, self.width))

    def anneal(self):
        self.rate = 0.5 * self.rate

    def loss(self, params, x):
        return jnp.mean((jnp.tanh(x @ params) * self.rate - x) ** 2)


class OfAnnealed:
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
                print(self.train_step(x))


class Damped:
    def __init__(self, width):
        self.width, self.damping = width, 1.0

    def init(self, key):
        return jax.random.normal(key, (self.width, self.width))

    def loss(self, params, x):
        return jnp.mean((jnp.tanh(x @ params) * self.damping - x) ** 2)


class OfDamped:
    def __init__(self, net, key):
        self.net = net
        self.params = net.init(key)

    def train_step(self, x):
        loss, grads = jax.value_and_grad(lambda p: self.net.loss(p, x))(self.params)
        self.params = jax.tree.map(lambda p, g: p - 0.1 * g, self.params, grads)
        return loss

    def fit(self, xs):
        for epoch in range(10):
            for x in xs:
                print(self.train_step(x))


class Steady:
    def __init__(self, width):
        self.width = width

    def init(self, key):
        return jax.random.normal(key, (self.width, self.width))

    def loss(self, params, x):
        return jnp.mean((jnp.tanh(x @ params) - x) ** 2)


class OfSteady:
    def __init__(self, net, key):
        self.net = net
        self.params = net.init(key)

    @functools.partial(jax.jit, static_argnums=0)
    def _train_step(self, params, x):
        loss, grads = jax.value_and_grad(lambda p: self.net.loss(p, x))(params)
        params = jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)
        return params, loss

    def train_step(self, x):
        self.params, loss = self._train_step(self.params, x)
        return loss

    def fit(self, xs):
        for epoch in range(10):
            for x in xs:
                print(self.train_step(x))


class OfListed:
    def __init__(self, net, key):
        self.nets = [net]
        self.params = net.init(key)

    def train_step(self, x):
        loss, grads = jax.value_and_grad(self.nets[0].loss)(self.params, x)
        self.params = jax.tree.map(lambda p, g: p - 0.1 * g, self.params, grads)
        return loss

    def fit(self, xs):
        for epoch in range(10):
            for x in xs:
                print(self.train_step(x))


if __name__ == "__main__":
    xs = [jnp.ones((3, 4)) * i for i in range(20)]
    key, damped = jax.random.key(0), Damped(4)
    OfScaled(Scaled(4), key).fit(xs)
    OfOptional(Optional(4), key).fit(xs)
    OfNoisy(Noisy(4), key).fit(xs)
    OfTelling(Telling(4), key).fit(xs)
    OfKeeping(Keeping(4), key).fit(xs)
    OfChoosing(Choosing(4), key).fit(xs)
    OfAnnealed(Annealed(4), key).fit(xs)
    OfDamped(damped, key).fit(xs)
    OfSteady(Steady(4), key).fit(xs)
    OfListed(Steady(4), key).fit(xs)
    SCALE = OPTIONS["scale"] = damped.damping = 0.5
    OfScaled(Scaled(4), key).fit(xs)
    OfOptional(Optional(4), key).fit(xs)
    OfDamped(damped, key).fit(xs)
