"""Objects whose methods read what a step would bind, or that a program cannot be kept for."""

import copy
import functools

import jax
import jax.numpy as jnp
import optax


def loss_of(params, batch):
    return jnp.mean((batch * params) ** 2)


class Model:
    def __init__(self):
        self.params = jnp.ones(3)
        self.scale = jnp.ones(3)

    def penalty(self, batch):
        return jnp.sum(self.params**2) * batch

    def slopes(self, batch):
        return jax.grad(loss_of)(self.params, batch)


grad_loss_of = jax.jit(jax.grad(loss_of))


# The method reads the parameters of its object, not those that a step would be passed: the gradient alone.
def fit(batches):
    model = Model()
    for batch in batches:
        slopes = grad_loss_of(model.params, batch)
        model.params = model.params - 0.1 * (slopes + model.penalty(batch))
    return model


class Reader:
    """Its gradient is taken at what another method binds."""

    def __init__(self):
        self.params = jnp.ones(3)
        self.opt = optax.sgd(0.1)
        self.state = self.opt.init(self.params)

    def slopes(self, batch):
        return jax.grad(loss_of)(self.params, batch)  # the part of it that is one program

    @functools.partial(jax.jit, static_argnums=0)
    def _learn(self, state, params, batch):
        new = copy.copy(self)
        new.state = state
        new.params = params
        slopes = new.slopes(batch)
        updates, new.state = self.opt.update(slopes, new.state)
        new.params = optax.apply_updates(new.params, updates)
        return new.state, new.params

    def learn(self, batch):
        self.state, self.params = self._learn(self.state, self.params, batch)

    def run(self, batches):
        for batch in batches:
            self.learn(batch)


if __name__ == "__main__":
    batches = [jnp.ones(3)] * 5
    fit(batches)
    Reader().run(batches)
