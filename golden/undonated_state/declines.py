"""States that something else may still need."""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import tables
from tables import TABLE


def make():
    @jax.jit  # want: undonated-state (no fix): `p` may still be needed after `best = p`
    def step(p, b):
        return p * 0.9 + b

    p = jnp.ones((1000, 1000))
    best = p
    for number in range(3):
        p = step(p, number)
        best = p if number == 0 else best
    return best


def from_the_caller(p):
    @jax.jit  # want: undonated-state (no fix): `p` comes from the caller
    def step(p):
        return p * 0.9

    for _ in range(3):
        p = step(p)
    return p


def with_keys(init, propose, size):
    @jax.jit  # want: undonated-state (no fix): after `history.append(state)`
    def step(i, state, keys):
        state, keys = propose(i, state, keys)
        return state, keys

    params = jnp.ones((1000, 1000))
    state, keys = init(params)
    history = []
    for i in range(100):
        state, keys = step(i, state, keys)
        history.append(state)
    return history


def with_history():
    step = jax.jit(lambda p: p * 0.9)  # want: undonated-state (no fix): after `history.append(p)`
    p, history = jnp.ones((1000, 1000)), []
    for _ in range(3):
        p = step(p)
        history.append(p)
    return history


def from_another_name(first):
    step = jax.jit(lambda p: p * 0.9)  # want: undonated-state (no fix): `p` starts as `first`
    p = first
    for _ in range(3):
        p = step(p)
    return p


def from_another_file():
    step = jax.jit(lambda p: p * 0.9)  # want: undonated-state (no fix): `p` may hold `table`
    table = TABLE
    p = jnp.asarray(table)
    for _ in range(3):
        p = step(p)
    return p


def from_another_file_in_another_shape():
    step = jax.jit(lambda p: p * 0.9)  # want: undonated-state (no fix): `p` may hold `TABLE`
    p = TABLE.reshape(3)
    for _ in range(3):
        p = step(p)
    return p


def from_another_file_by_a_type():
    step = jax.jit(lambda p: p * 0.9)  # want: undonated-state (no fix): `p` may hold `TABLE`
    p = jnp.float32(TABLE)
    for _ in range(3):
        p = step(p)
    return p


def from_another_file_without_a_copy():
    step = jax.jit(lambda p: p * 0.9)  # want: undonated-state (no fix): `p` may hold `TABLE`
    p = jnp.array(TABLE, copy=False)
    for _ in range(3):
        p = step(p)
    return p


def from_this_module():
    step = jax.jit(lambda p: p * 0.9)  # want: undonated-state (no fix): `p` may hold `SHARED`
    p = jnp.asarray(SHARED)
    for _ in range(3):
        p = step(p)
    return p


def leaves_of_this_module():
    step = jax.jit(lambda p: p * 0.9)  # want: undonated-state (no fix): `p` may hold `SHARED`
    p = jax.tree.map(lambda leaf: leaf.astype(jnp.float32), SHARED)
    for _ in range(3):
        p = step(p)
    return p


def from_a_module_elsewhere():
    step = jax.jit(lambda p: p * 0.9)  # want: undonated-state (no fix): `p` may hold `tables`
    p = {"w": jnp.asarray(tables.TABLE)}
    for _ in range(3):
        p = step(p)
    return p


def benchmark():
    step = jax.jit(lambda p: p * 0.9)  # want: undonated-state (no fix): passes `p` and uses it afterwards
    p = jnp.ones((1000, 1000))
    step(p).block_until_ready()
    for _ in range(3):
        p = step(p)
    return p


def with_average():
    @jax.jit  # want: undonated-state (no fix): after `average = jax.tree.map(lambda leaf: leaf, p)`
    def step(p, average):
        return p * 0.9, average * 0.5 + p

    p = {"w": jnp.ones((1000, 1000))}["w"] + 0
    average = jax.tree.map(lambda leaf: leaf, p)
    for _ in range(3):
        p, average = step(p, average)
    return average


def saving(save):
    step = jax.jit(lambda p: p * 0.9)  # want: undonated-state (no fix): after `save(p)`
    p = jnp.ones((1000, 1000))
    for _ in range(3):
        p = step(p)
        save(p)
    return p


def closing_over():
    step = jax.jit(lambda p: p * 0.9)  # want: undonated-state (no fix): a function reads `p`
    p = jnp.ones((1000, 1000))
    for _ in range(3):
        p = step(p)
    return lambda: p


def trying():
    step = jax.jit(lambda p: p * 0.9)  # want: undonated-state (no fix): after an exception
    p = jnp.ones((1000, 1000))
    for _ in range(3):
        try:
            p = step(p)
        except FloatingPointError:
            p = p * 0
    return p


def twice():
    step = jax.jit(lambda p, q: p * q)  # want: undonated-state (no fix): passed twice
    p = jnp.ones((1000, 1000))
    for _ in range(3):
        p = step(p, p)
    return p


def handed_on(run):
    step = jax.jit(lambda p: p * 0.9)  # want: undonated-state (no fix): passed on in line
    p = jnp.ones((1000, 1000))
    for _ in range(3):
        p = step(p)
    return run(step)


def starred(more):
    step = jax.jit(lambda p, q: p * q)  # want: undonated-state (no fix): with `*` or `**`
    p = jnp.ones((1000, 1000))
    for _ in range(3):
        p = step(p, *more) if more else p
    for _ in range(3):
        p = step(p, 1.0)
    return p


class Owner:
    def __init__(self):
        self.p = jnp.ones((1000, 1000))

    @jax.jit  # want: undonated-state (no fix): other files may hold `self.p`
    def _double(self, p):
        return p * 2

    def run(self):
        for _ in range(3):
            self.p = self._double(self.p)


@eqx.filter_jit  # want: undonated-state (no fix): and `batch` may be needed
def _filtered(p, batch):
    return p + batch


def filtered(batch):
    p = jnp.ones((1000, 1000))
    for _ in range(3):
        p = _filtered(p, batch)
    return p + batch


@jax.jit  # want: undonated-state (no fix): other files may call `public`
def public(p):
    return p * 0.9


def use_public():
    p = jnp.ones((1000, 1000))
    for _ in range(3):
        p = public(p)
    return p


def of_the_module():
    return SHARED


SHARED = jnp.ones((1000, 1000))


def shared():
    step = jax.jit(lambda p: p * 0.9)  # want: undonated-state (no fix): the module's `SHARED`
    p = of_the_module()
    for _ in range(3):
        p = step(p)
    return p


def holding(pack):
    step = jax.jit(lambda s: s)  # want: undonated-state (no fix): `state` may hold `w`
    w = jnp.ones((1000, 1000))
    state = pack(w)
    for _ in range(3):
        state = step(state)
    return state, w


@jax.pmap  # want: undonated-state (no fix): `p` may still be needed
def _mapped(p):
    return p * 0.9


def mapped():
    p = jnp.ones((1, 1000, 1000))
    kept = {"first": p}
    for _ in range(3):
        p = _mapped(p)
    return kept


def copied(tree):
    return jax.tree.map(copied, tree) if isinstance(tree, list) else tree


def of_a_function_that_maps_itself(raw):
    @jax.jit  # want: undonated-state (no fix): `p` may hold `raw`
    def step(p, b):
        return jax.tree.map(lambda x: x * 0.9 + b, p)

    p = jax.tree.map(copied, raw)
    for number in range(3):
        p = step(p, number)
    return p


@functools.cache
def remembered(size):
    return jnp.ones((size, size))


def from_a_memo(size):
    step = jax.jit(lambda s: s * 0.9)  # want: undonated-state (no fix): `state` is made by `remembered`
    state = remembered(size)
    for _ in range(4):
        state = step(state)
    return state


STATES = {"small": jnp.ones(3000), "large": jnp.ones((3000, 3000))}


def looked_up(name):
    return STATES[name]


def from_a_table(name):
    step = jax.jit(lambda s: s * 0.9)  # want: undonated-state (no fix): `state` starts as the module's `STATES`
    state = looked_up(name)
    for _ in range(4):
        state = step(state)
    return state
