"""Methods of the leaves of trees that hold arrays alone."""

import jax
import jax.numpy as jnp
from jax.tree_util import tree_map

weights = {"w": jnp.ones((8, 3)), "b": (jnp.zeros(3), jnp.arange(3.0))}


def loss(params, x):
    return jnp.mean((x @ params["w"] + params["b"][0]) ** 2)


@jax.jit
def step(params, x):
    value, grads = jax.value_and_grad(loss)(params, x)
    return jax.tree_util.tree_map(lambda p, g: p - 0.1 * g, params, grads), value


def place(leaf):
    return leaf.device()  # want: removed-api


def train(params, batches):
    for x in batches:
        params, value = step(params, x)
    grads = jax.grad(loss)(weights, x)
    first = tree_map(lambda x: x[0].device_buffer, jax.device_put(weights))  # want: removed-api
    sizes = jax.tree_util.tree_map(lambda x, w: x.device_buffers[0].size / w.size, grads, weights)  # want: removed-api
    doubled = tree_map(lambda g: 2 * g, grads)
    return first, sizes, jax.tree_util.tree_map(place, doubled["b"]), tree_map(lambda v: v.to_py(), step(grads, x)[1])  # want: removed-api


class Shard:
    def device(self):
        return "shard"


mixed = {"w": jnp.ones(3)}
mixed["s"] = Shard()
devices = tree_map(lambda x: x.device(), mixed)
of_text = tree_map(lambda name, x: name.split(x), {"w": "a b"}, {"w": " "})
given = [tree_map(lambda s: s.device(), [Shard(), jnp.ones(2)]), tree_map(lambda x: x.device(), train.__doc__)]


def of_others(tree, map_all):
    whole = tree_map(lambda t: t.device(), weights, is_leaf=lambda t: isinstance(t, tuple))
    return tree_map(lambda x: x.device(), tree), map_all(lambda x: x.device(), weights), whole
