"""Methods that bind what their object holds: its interface stays, the work is done by a function of values."""

import copy
import functools

import jax
import jax.numpy as jnp
import optax


def loss_of(params, batch):
    return jnp.mean((batch * params) ** 2)


@jax.jit
def train_step(params, batch):
    gradients = jax.grad(loss_of)(params, batch)
    return params - gradients


@jax.jit
def _step(params, batch):
    return params - jax.grad(loss_of)(params, batch)


class Trainer:
    def __init__(self, params):
        self.params = params

    def step(self, batch):
        self.params = _step(self.params, batch)
        return self.params

    def fit(self, batches):
        for batch in batches:
            self.params = train_step(self.params, batch)


class Stateful:
    def __init__(self, params):
        self.opt = optax.adam(0.1)
        self.params = params
        self.state = self.opt.init(params)

    @functools.partial(jax.jit, static_argnums=0)
    def _step_2(self, params, state, batch):
        gradients = jax.grad(loss_of)(params, batch)
        updates, state = self.opt.update(gradients, state)
        params = optax.apply_updates(params, updates)
        return params, state

    def step(self, batch):
        self.params, self.state = self._step_2(self.params, self.state, batch)

    def fit(self, batches):
        for batch in batches:
            self.step(batch)


class Behind:
    """Another method changes it, which the step calls."""

    def note(self, value):
        self.last = value
        return value

    @functools.partial(jax.jit, static_argnums=0)
    def _step_behind(self, params, batch):
        new = copy.copy(self)
        value, gradients = jax.value_and_grad(loss_of)(params, batch)
        result = params - gradients * new.note(value)
        return new.last, result

    def step_behind(self, params, batch):
        self.last, result = self._step_behind(params, batch)
        return result

    def fit(self, params, batches):
        for batch in batches:
            params = self.step_behind(params, batch)
        return params


class Agent:
    """Keeps its network, its average, its key and its count."""

    def __init__(self, params, rate=0.1):
        self.params = params
        self._average = params
        self.opt = optax.adam(rate)
        self.state = self.opt.init(params)
        self.key = jax.random.PRNGKey(0)
        self.decay = 0.99
        self.steps = 0

    def loss(self, params, batch, noise):
        return jnp.mean((batch * params + noise) ** 2)

    @functools.partial(jax.jit, static_argnums=0)
    def _learn(self, own_key, params, state, average, batch, decay):
        own_key, key = jax.random.split(own_key)
        noise = 0.1 * jax.random.normal(key, batch.shape)
        loss, gradients = jax.value_and_grad(self.loss)(params, batch, noise)
        updates, state = self.opt.update(gradients, state)
        # Towards the batch.
        params = optax.apply_updates(params, updates)
        average = jax.tree.map(lambda a, p: decay * a + (1 - decay) * p, average, params)
        return own_key, params, state, average, loss

    # Draws, updates and averages; counts in Python.
    def learn(self, batch):
        self.key, self.params, self.state, self._average, loss = self._learn(
            self.key, self.params, self.state, self._average, batch, self.decay
        )
        self.steps += 1
        return loss

    def run(self, batches):
        for batch in batches:
            loss = self.learn(batch)
            if self.steps % 100 == 0:
                print(self.steps, float(loss))


# An object of another function, whose parameters are bound from outside.
class Model:
    def __init__(self):
        self.params = jnp.ones(3)

    def loss(self, params, batch):
        return jnp.mean((batch * params) ** 2)


def fit(batches):
    model = Model()
    model.gradient = jax.jit(jax.grad(model.loss))
    tx = optax.adam(0.1)
    state = tx.init(model.params)

    @jax.jit
    def fit_step(params, state, batch):
        gradients = model.gradient(params, batch)
        updates, state = tx.update(gradients, state)
        params = optax.apply_updates(params, updates)
        return params, state

    for batch in batches:
        model.params, state = fit_step(model.params, state, batch)
    return model


if __name__ == "__main__":
    batches = [jnp.ones(3)] * 4
    trainer = Trainer(jnp.ones(3))
    trainer.fit(batches)
    for batch in batches:
        trainer.step(batch)
    Stateful(jnp.ones(3)).fit(batches)
    Behind().fit(jnp.ones(3), batches)
    Agent(jnp.ones(3)).run(batches)
    fit(batches)
