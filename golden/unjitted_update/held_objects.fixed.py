"""Objects that a list holds, and lists within lists: what their methods do, and whether they stay what they are."""

import functools

import jax
import jax.numpy as jnp


class Layer:
    def __init__(self, flip):
        self.flip = flip

    def forward(self, w, x):
        return jnp.tanh(x * w) if self.flip else jnp.sin(x * w)


class Net:
    def __init__(self, count):
        self.layers = [Layer(i % 2 == 0) for i in range(count)]

    def loss(self, ws, x):
        total = 0.0
        for layer, w in zip(self.layers, ws):
            x = layer.forward(w, x)
            total = total + x.sum()
        return total


net = Net(3)


@jax.jit
def step(ws, x):
    slopes = jax.grad(net.loss)(ws, x)
    return [w - 0.1 * slope for w, slope in zip(ws, slopes)]


def train(ws, batches):
    for x in batches:
        ws = step(ws, x)
    return ws


class Telling:
    def __call__(self, w, x):
        print(x.shape)
        return jnp.tanh(x * w)


class TellingNet:
    def __init__(self):
        self.layers = [Telling(), Telling()]

    def loss(self, w, x):
        for layer in self.layers:
            x = layer(w, x)
        return x.sum()


telling = TellingNet()


def told(w, x):
    return w - 0.1 * jax.grad(telling.loss)(w, x) + 0.001 * jnp.tanh(w)


def train_told(w, batches):
    for x in batches:
        w = told(w, x)
    return w


class Switched:
    def __init__(self):
        self.on = True

    def forward(self, w, x):
        return jnp.tanh(x * w) if self.on else jnp.sin(x * w)


class SwitchedNet:
    def __init__(self):
        self.parts = [Switched(), Switched()]

    def loss(self, w, x):
        for part in self.parts:
            x = part.forward(w, x)
        return x.sum()


switched = SwitchedNet()


def turned(w, x):
    return w - 0.1 * jax.grad(switched.loss)(w, x) + 0.001 * jnp.tanh(w)


def train_turned(w, batches):
    for count, x in enumerate(batches):
        w = turned(w, x)
        if count == 5:
            for part in switched.parts:
                part.on = False
    return w


class Scaled:
    def __init__(self):
        self.scales = [[1.0], [2.0]]

    def grow(self):
        for scale in self.scales:
            scale.append(3.0)

    def loss(self, w, x):
        return (x * w * len(self.scales[0])).sum()


scaled = Scaled()


def grown(w, x):
    return w - 0.1 * jax.grad(scaled.loss)(w, x) + 0.001 * jnp.tanh(w)


def train_grown(w, batches):
    for count, x in enumerate(batches):
        w = grown(w, x)
        if count == 5:
            scaled.grow()
    return w


class Trainer:
    def __init__(self):
        self.layers = [Layer(True), Layer(False)]
        self.parts = [Switched(), Switched()]
        self.w = jnp.ones(3)
        self.v = jnp.ones(3)

    def loss(self, w, x):
        for layer in self.layers:
            x = layer.forward(w, x)
        return jnp.sum(x**2)

    def loss_of_parts(self, w, x):
        for part in self.parts:
            x = part.forward(w, x)
        return jnp.sum(x**2)

    @functools.partial(jax.jit, static_argnums=0)
    def _step(self, w, x):
        slope = jax.grad(self.loss)(w, x)
        return w - 0.1 * slope + jnp.tanh(slope) * 0.01

    def step(self, x):
        self.w = self._step(self.w, x)

    def step_of_parts(self, x):
        slope = jax.grad(self.loss_of_parts)(self.v, x)
        self.v = self.v - 0.1 * slope + jnp.tanh(slope) * 0.01

    def turn(self):
        for part in self.parts:
            part.on = not part.on


def train_objects(batches):
    trainer = Trainer()
    for count, x in enumerate(batches):
        trainer.step(x)
        trainer.step_of_parts(x)
        if count == 5:
            trainer.turn()
    return trainer.w, trainer.v


if __name__ == "__main__":
    batches = [jnp.ones(3) * i for i in range(20)]
    print(train([jnp.ones(3)] * 3, batches), train_told(jnp.ones(3), batches[:4]))
    print(train_turned(jnp.ones(3), batches), train_grown(jnp.ones(3), batches), train_objects(batches))
