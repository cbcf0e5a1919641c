"""Objects whose methods read what a step would bind, or that a program cannot be kept for."""

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


# The method reads the parameters of its object, not those that a step would be passed: the gradient alone.
def fit(batches):
    model = Model()
    for batch in batches:
        slopes = jax.grad(loss_of)(model.params, batch)  # want: unjitted-update
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

    def learn(self, batch):
        slopes = self.slopes(batch)
        updates, self.state = self.opt.update(slopes, self.state)
        self.params = optax.apply_updates(self.params, updates)

    def run(self, batches):
        for batch in batches:
            self.learn(batch)  # want: unjitted-update


if __name__ == "__main__":
    batches = [jnp.ones(3)] * 5
    fit(batches)
    Reader().run(batches)
