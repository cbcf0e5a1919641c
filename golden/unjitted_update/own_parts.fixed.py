"""A step of a method over what its object holds: a tree of arrays goes into it, the object itself is no argument."""

import jax.numpy as jnp
from jax import jit, random, vmap
from jax.tree_util import tree_map, tree_structure, tree_unflatten


def keys_like(key, tree, structure=None):
    if structure is None:
        structure = tree_structure(tree)
    return tree_unflatten(structure, random.split(key, structure.num_leaves))


def moved(key, tree, spread):
    return tree_map(lambda leaf, each: leaf + spread * random.normal(each, leaf.shape), tree, keys_like(key, tree))


def begun(key):
    return [(random.normal(key, (2, 3)), jnp.zeros(3)), (random.normal(key, (3, 1)), jnp.zeros(1))]


class Ensemble:
    def __init__(self, count, key):
        self.params = vmap(begun)(random.split(key, count))
        self.spread = jnp.ones(3)

    def train(self, key, rounds, spread=0.02):
        shaken = lambda key, spread, params: moved(key, params, spread)
        params = self.params

        @jit
        def train_step(key, params, spread):
            key, key_of_params, _ = random.split(key, 3)
            params = shaken(key_of_params, spread, params)
            return key, params

        for _ in range(rounds):
            key, params = train_step(key, params, spread)
            print(len(params))
        self.params = params

    def compare(self, key, rounds):
        twin = Ensemble(4, key)
        total = jnp.zeros(3)
        for _ in range(rounds):
            total = jnp.sin(total) + weight(twin) * jnp.cos(total)
        return total

    def sum(self, rounds):
        whole = self
        total = jnp.zeros(3)
        for _ in range(rounds):
            total = jnp.sin(total) + weight(whole) * jnp.cos(total)
        return total


def weight(ensemble):
    return jnp.tanh(ensemble.spread) * 2 + jnp.exp(ensemble.spread) + jnp.sqrt(ensemble.spread)


ensemble = Ensemble(5, random.PRNGKey(0))
ensemble.train(random.PRNGKey(1), 20)
print(ensemble.compare(random.PRNGKey(2), 20), ensemble.sum(20))
