"""States that are plain objects, new at each step: the step is passed what it reads of them."""

from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp
import optax


@dataclass
class State:
    params: Any
    opt_state: Any
    step: int

    def updated(self, grads, tx):
        updates, opt_state = tx.update(grads, self.opt_state, self.params)
        return replace(self, params=optax.apply_updates(self.params, updates), opt_state=opt_state, step=self.step + 1)


def loss_fn(params, x):
    return jnp.mean((jnp.tanh(x @ params) - x) ** 2) + 1e-3 * jnp.sum(params**2)


def train_step(state, tx, x):
    loss, grads = jax.value_and_grad(loss_fn)(state.params, x)
    norm = jnp.sqrt(jnp.sum(grads**2))
    return state.updated(grads, tx), loss, norm


def train(key, xs):
    tx = optax.adam(1e-3)
    params = jax.random.normal(key, (4, 4))
    state = State(params, tx.init(params), 0)
    for x in xs:
        state, loss, norm = train_step(state, tx, x)  # want: unjitted-update
        print(state.step, loss, norm)


class Held:
    def __init__(self, params):
        self.weights = params

    def shrink(self):
        self.weights = 0.5 * self.weights


def shrinking_step(held, x):
    loss, grads = jax.value_and_grad(loss_fn)(held.weights, x)
    held.shrink()
    norm = jnp.sqrt(jnp.sum(grads**2)) + jnp.sum(jnp.abs(held.weights))
    return Held(held.weights - 0.1 * jnp.tanh(grads)), loss, norm


def train_shrinking(key, xs):
    held = Held(jax.random.normal(key, (4, 4)))
    for x in xs:
        held, loss, norm = shrinking_step(held, x)  # want: unjitted-update (no fix)
        print(loss, norm)


def setting_step(held, x):
    loss, grads = jax.value_and_grad(loss_fn)(held.weights, x)
    held.weights = held.weights - 0.1 * jnp.tanh(grads)
    return held, loss


def train_setting(key, xs):
    held = Held(jax.random.normal(key, (4, 4)))
    for x in xs:
        held, loss = setting_step(held, x)  # want: unjitted-update
        print(loss)


if __name__ == "__main__":
    xs = [jnp.ones((3, 4)) * i for i in range(20)]
    train(jax.random.key(0), xs)
    train_shrinking(jax.random.key(1), xs)
    train_setting(jax.random.key(2), xs)
