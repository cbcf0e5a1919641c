"""Steps of objects that read sizes and flags of theirs: numbers that the constructor binds, and nothing else."""

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

    def train_step(self, x):
        self.key, key = jax.random.split(self.key)
        z = jax.random.normal(key, (x.shape[0], self.latent))
        if_centred = z - z.mean() if self.centred else z
        gradients = jax.grad(loss_of)(self.params, x, if_centred)
        self.params = jax.tree.map(lambda p, g: p - 0.1 * g, self.params, gradients)


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
        gradients = jax.grad(loss_of)(self.params, x, z)
        self.params = jax.tree.map(lambda p, g: p - 0.1 * g, self.params, gradients)


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
        gradients = jax.grad(loss_of)(self.params, x, z)
        self.params = jax.tree.map(lambda p, g: p - 0.1 * g, self.params, gradients)


def main(batches):
    sampling = Sampling()
    for x in batches:
        sampling.train_step(x)  # want: unjitted-update
    growing = Growing()
    for x in batches:
        growing.train_step(x)  # want: unjitted-update
        growing.grow()
    counting = Counting()
    for x in batches:
        counting.train_step(x)  # want: unjitted-update
    return sampling.params, growing.params, counting.params


if __name__ == "__main__":
    main([jnp.ones((3, 4)) for _ in range(8)])
