"""Methods of the leaves of trees that hold arrays alone."""

import copy

import jax
import jax.numpy as jnp
import numpy
from jax.tree_util import tree_map

weights = {"w": jnp.ones((8, 3)), "b": (jnp.zeros(3), jnp.arange(3.0))}


def loss(params, x):
    return jnp.mean((x @ params["w"] + params["b"][0]) ** 2)


@jax.jit
def step(params, x):
    value, grads = jax.value_and_grad(loss)(params, x)
    return jax.tree_util.tree_map(lambda p, g: p - 0.1 * g, params, grads), value


def _place(leaf):
    return next(iter(leaf.devices()))


def train(params, batches):
    for x in batches:
        params, value = step(params, x)
    grads = jax.grad(loss)(weights, x)
    first = tree_map(lambda x: x[0].addressable_data(0), jax.device_put(weights))
    sizes = jax.tree_util.tree_map(lambda x, w: [shard.data for shard in x.addressable_shards][0].size / w.size, grads, weights)
    doubled = tree_map(lambda g: 2 * g, grads)
    return first, sizes, jax.tree_util.tree_map(_place, doubled["b"]), tree_map(lambda v: numpy.asarray(v), step(grads, x)[1])


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


def with_aux(w):
    return jnp.sum(w["w"]), {"k": Shard()}


def of_gradients(w):
    grads, aux = jax.grad(with_aux, has_aux=True)(w)
    (value, last), _ = jax.value_and_grad(with_aux, has_aux=True)(w)
    whole = jax.value_and_grad(with_aux, has_aux=True)(w)
    value, other = jax.value_and_grad(loss)(weights, w)
    copied = tree_map(lambda g: next(iter(g.devices())), copy.deepcopy(other))
    return copied, [tree_map(lambda a: a.device(), each) for each in (aux, last)], tree_map(lambda a: a.device(), whole[0][1])


def of_copies(tree):
    return tree_map(lambda x: x.device(), copy.deepcopy(tree)), tree_map(lambda x: x.device(), copy.deepcopy({"w": Shard()}))


def _positional(w, /, s):
    return s.device()


tree_map(_positional, weights, {"w": Shard()})
named = _also_named = lambda x: x.device()
tree_map(named, weights)
_also_named(Shard())


def public(leaf):
    return leaf.device()


tree_map(public, weights)


class State:
    def __init__(self, w, placed):
        self.w, self.placed = w, placed

    def place(self, w):
        return self.device(), tree_map(self.place, weights)

    def device(self):
        return "state"


jax.tree_util.register_pytree_node(State, lambda s: ((s.w,), s.placed), lambda placed, w: State(*w, placed))


@jax.jit
def moved(state):
    return State(state.w + 1, state.placed)


@jax.jit
def by_name(x):
    return {"a b": x}


state = moved(State(jnp.ones(3), (Shard(),)))
(key,) = by_name(jnp.ones(3))
statics = tree_map(lambda x: x.device(), state.placed), tree_map(lambda k: k.split(" "), key)
prefixed = tree_map(lambda n, s: s.device(), "s", state)


def fill(tree):
    tree["w"] = Shard()


def of_aliases(holder):
    tree = {"w": jnp.ones(3)}
    alias = tree
    alias["w"] = Shard()
    passed = {"w": jnp.ones(3)}
    fill(passed)
    holder.tree = stored = {"w": jnp.ones(3)}
    holder.tree["w"] = Shard()
    inner = {"w": {"v": jnp.ones(3)}}
    for part in inner.values():
        part["v"] = Shard()
    outer = {"w": {"v": jnp.ones(3)}}
    fill(outer["w"])
    set_all = {"w": jnp.ones(3)}
    [set_all.__setitem__(k, Shard()) for k in list(set_all)]
    only_read = {"w": jnp.ones(3)}
    print(only_read["w"].sum(), loss(only_read, 1.0), tree_map(jnp.sum, only_read))
    told = tree_map(lambda x: next(iter(x.devices())), only_read)
    devices = tree_map(lambda x: x.device(), tree), tree_map(lambda x: x.device(), passed)
    also = tree_map(lambda x: x.device(), inner), tree_map(lambda x: x.device(), outer)
    return only_read, told, devices, also, tree_map(lambda x: x.device(), stored), tree_map(lambda x: x.device(), set_all)


def to_shards(function):
    return lambda *args: {"w": Shard()}


@to_shards
@jax.jit
def twice(x):
    return {"w": x * 2}


def later():
    made = {"w": jnp.ones(3)}

    def read():
        return tree_map(lambda x: x.device(), made)

    return made, read


print(tree_map(lambda x: x.device(), twice(jnp.ones(3))), later())
