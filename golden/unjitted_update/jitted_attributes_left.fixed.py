"""Jitted functions of objects that no identity tells apart: they stay outside of the step."""

import jax
import jax.numpy as jnp


@jax.jit
def _measured_3(rows):
    centred = rows - jnp.mean(rows)
    spread = jnp.sqrt(jnp.mean(centred**2))
    return centred / spread


@jax.tree_util.register_pytree_node_class
class Scaled:
    """Its method is traced for what the object holds, which changes."""

    def __init__(self, scale):
        self.scale = scale
        self.params = jnp.ones(3)

    def __eq__(self, other):
        return isinstance(other, Scaled)

    def tree_flatten(self):
        return (self.scale, self.params), None

    @classmethod
    def tree_unflatten(cls, aux, parts):
        made = cls(parts[0])
        made.params = parts[1]
        return made

    @jax.jit
    def scaled(self, batch):
        return batch * self.scale

    def measured(self, batch):
        rows = self.scaled(batch)
        return _measured_3(rows)

    def run(self, batches):
        for batch in batches:
            print(self.measured(batch))
            self.scale = self.scale + 1


@jax.jit
def _measured(rows):
    centred = rows - jnp.mean(rows)
    spread = jnp.sqrt(jnp.mean(centred**2))
    return centred / spread


class Powers:
    """Its function takes a static argument, which the step would trace."""

    def __init__(self):
        self.power = jax.jit(lambda x, n: x**n, static_argnums=1)

    def __eq__(self, other):
        return isinstance(other, Powers)

    def measured(self, batch, n):
        rows = self.power(batch, n)
        return _measured(rows)

    def run(self, batches):
        for number, batch in enumerate(batches):
            print(self.measured(batch, number))


@jax.jit
def _measured_2(centred, rows):
    spread = jnp.sqrt(jnp.mean(centred**2) + jnp.mean(rows))
    return centred / spread


class Rates:
    """What else the step reads of its object changes."""

    def __init__(self):
        self.twice = jax.jit(lambda x: 2 * x)
        self.norm = jnp.mean

    def __eq__(self, other):
        return isinstance(other, Rates)

    def measured(self, batch):
        rows = self.twice(batch)
        centred = rows - self.norm(rows)
        return _measured_2(centred, rows)

    def run(self, batches):
        for batch in batches:
            print(self.measured(batch))
            self.norm = jnp.sum


if __name__ == "__main__":
    batches = [jnp.arange(3.0)] * 4
    Scaled(1.0).run(batches)
    Powers().run(batches)
    Rates().run(batches)
