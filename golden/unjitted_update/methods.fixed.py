"""Steps that are methods, of objects that stay what they were made to be."""

import functools

import jax
import jax.numpy as jnp
import optax


def loss_of(params, batch):
    return jnp.mean((batch * params) ** 2)


class Trainer:
    """Keeps what never changes: an optimizer, numbers, functions."""

    momentum = 0.9

    def __init__(self, loss, rate=0.1, clipped=False):
        self.loss = loss
        self.rate = rate
        if clipped:
            self.opt = optax.chain(optax.clip(1.0), optax.adam(rate))
        else:
            self.opt = optax.adam(rate)
        self.history = []

    @functools.partial(jax.jit, static_argnums=0)
    def train_step(self, params, state, batch):
        value, gradients = jax.value_and_grad(self.loss)(params, batch)
        updates, state = self.opt.update(gradients, state, params)
        return optax.apply_updates(params, updates), state, self.rate * self.momentum * value

    def fit(self, params, batches):
        state = self.opt.init(params)
        for batch in batches:
            params, state, value = self.train_step(params, state, batch)
            self.history.append(float(value))
        return params


class Regression:
    """Its loss is a method too, which a subclass replaces."""

    def __init__(self):
        self.weight = 0.5

    def loss(self, params, batch, penalised=True):
        value = loss_of(params, batch)
        return value + self.weight * jnp.sum(params**2) if penalised else value

    @functools.partial(jax.jit, static_argnums=0)
    def step(self, params, batch):
        return params - jax.grad(lambda p: self.loss(p, batch))(params)


class Robust(Regression):
    def loss(self, params, batch, penalised=True):
        return jnp.mean(jnp.abs(batch * params)) * self.weight


def run(params, batches):
    model = Robust()
    for batch in batches:
        params = model.step(params, batch)
    return params


class Scheduled:
    @functools.partial(jax.jit, static_argnames=("self", "kind"))
    def scaled(self, params, batch, kind):
        gradients = jax.grad(loss_of)(params, batch)
        return params - (gradients if kind == "plain" else jnp.sign(gradients))

    def fit(self, params, batches):
        for batch in batches:
            params = self.scaled(params, batch, "sign")
        return params


class Environment:
    def __init__(self, rounds=5):
        self.rounds = rounds
        self.width = 0.1

    def step(self, state, action):
        state = state + self.width * action
        return state, -jnp.sum(state**2)


class Agent:
    """Rolls its environment out, which has a `step` of its own; `init` and `update` are no optimizer's."""

    def __init__(self, environment):
        self.environment = environment
        self.opt = optax.adam(0.1)

    def init(self):
        params = jnp.ones(3)
        return params, self.opt.init(params)

    def loss(self, params, start):
        def body(state, _):
            return self.environment.step(state, jnp.tanh(state * params))

        return -jnp.sum(jax.lax.scan(body, start, None, length=self.environment.rounds)[1])

    @functools.partial(jax.jit, static_argnums=0)
    def update(self, params, state, start):
        value, gradients = jax.value_and_grad(self.loss)(params, start)
        updates, state = self.opt.update(gradients, state)
        return optax.apply_updates(params, updates), state, value

    def train(self, starts):
        params, state = self.init()
        for start in starts:
            params, state, value = self.update(params, state, start)
        return params, value


if __name__ == "__main__":
    batches = [jnp.ones(3)] * 4
    Trainer(loss_of).fit(jnp.ones(3), batches)
    run(jnp.ones(3), batches)
    Scheduled().fit(jnp.ones(3), batches)
    Agent(Environment()).train(batches)
