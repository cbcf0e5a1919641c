"""Methods that bind what their object holds: its interface stays, the work is done by a function of values."""

import jax
import jax.numpy as jnp
import optax


def loss_of(params, batch):
    return jnp.mean((batch * params) ** 2)


class Trainer:
    def __init__(self, params):
        self.params = params

    def step(self, batch):
        self.params = self.params - jax.grad(loss_of)(self.params, batch)
        return self.params

    def fit(self, batches):
        for batch in batches:
            gradients = jax.grad(loss_of)(self.params, batch)  # want: unjitted-update
            self.params = self.params - gradients


class Stateful:
    def __init__(self, params):
        self.opt = optax.adam(0.1)
        self.params = params
        self.state = self.opt.init(params)

    def step(self, batch):
        gradients = jax.grad(loss_of)(self.params, batch)
        updates, self.state = self.opt.update(gradients, self.state)
        self.params = optax.apply_updates(self.params, updates)

    def fit(self, batches):
        for batch in batches:
            self.step(batch)  # want: unjitted-update


class Behind:
    """Another method changes it, which the step calls."""

    def note(self, value):
        self.last = value
        return value

    def step_behind(self, params, batch):
        value, gradients = jax.value_and_grad(loss_of)(params, batch)
        return params - gradients * self.note(value)

    def fit(self, params, batches):
        for batch in batches:
            params = self.step_behind(params, batch)  # want: unjitted-update
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

    # Draws, updates and averages; counts in Python.
    def learn(self, batch):
        self.key, key = jax.random.split(self.key)
        noise = 0.1 * jax.random.normal(key, batch.shape)
        loss, gradients = jax.value_and_grad(self.loss)(self.params, batch, noise)
        self.steps += 1
        updates, self.state = self.opt.update(gradients, self.state)
        # Towards the batch.
        self.params = optax.apply_updates(self.params, updates)
        self._average = jax.tree.map(lambda a, p: self.decay * a + (1 - self.decay) * p, self._average, self.params)
        return loss

    def run(self, batches):
        for batch in batches:
            loss = self.learn(batch)  # want: unjitted-update
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
    for batch in batches:
        gradients = model.gradient(model.params, batch)
        updates, state = tx.update(gradients, state)  # want: unjitted-update
        model.params = optax.apply_updates(model.params, updates)
    return model


if __name__ == "__main__":
    batches = [jnp.ones(3)] * 4
    trainer = Trainer(jnp.ones(3))
    trainer.fit(batches)
    for batch in batches:
        trainer.step(batch)  # want: unjitted-update
    Stateful(jnp.ones(3)).fit(batches)
    Behind().fit(jnp.ones(3), batches)
    Agent(jnp.ones(3)).run(batches)
    fit(batches)
