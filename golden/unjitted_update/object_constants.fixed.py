"""Steps of objects that read sizes and flags of theirs: numbers that the constructor binds, and nothing else."""

import functools

import jax
import jax.numpy as jnp


def loss_of(params, x, z):
    return jnp.mean((x @ params["w"] + z.sum(1)) ** 2)


class Sampling:
    def __init__(self, seed=0, latent=8, centred=True):
        self.key = jax.random.key(seed)
        self.latent = latent
        self.centred = centred
        self.params = {"w": jnp.ones(4)}

    @functools.partial(jax.jit, static_argnums=0)
    def _train_step(self, own_key, params, x):
        own_key, key = jax.random.split(own_key)
        z = jax.random.normal(key, (x.shape[0], self.latent))
        if_centred = z - z.mean() if self.centred else z
        gradients = jax.grad(loss_of)(params, x, if_centred)
        params = jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients)
        return own_key, params

    def train_step(self, x):
        self.key, self.params = self._train_step(self.key, self.params, x)


@jax.jit
def _train_step_2(params, x, z):
    gradients = jax.grad(loss_of)(params, x, z)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients)


class Growing:
    """Its size changes between the steps."""

    def __init__(self):
        self.key = jax.random.key(0)
        self.latent = 2
        self.params = {"w": jnp.ones(4)}

    def grow(self):
        self.latent += 1

    def train_step(self, x):
        self.key, key = jax.random.split(self.key)
        z = jax.random.normal(key, (x.shape[0], self.latent))
        self.params = _train_step_2(self.params, x, z)


@jax.jit
def _train_step_3(params, x, z):
    gradients = jax.grad(loss_of)(params, x, z)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients)


class Counting:
    """The step itself counts."""

    def __init__(self):
        self.key = jax.random.key(0)
        self.count = 1
        self.params = {"w": jnp.ones(4)}

    def train_step(self, x):
        self.key, key = jax.random.split(self.key)
        self.count = self.count + 1
        z = jax.random.normal(key, (x.shape[0], self.count))
        self.params = _train_step_3(self.params, x, z)


def main(batches):
    sampling = Sampling()
    for x in batches:
        sampling.train_step(x)
    growing = Growing()
    for x in batches:
        growing.train_step(x)
        growing.grow()
    counting = Counting()
    for x in batches:
        counting.train_step(x)
    return sampling.params, growing.params, counting.params


if __name__ == "__main__":
    main([jnp.ones((3, 4)) for _ in range(8)])
