"""Counters that are passed to what takes everything but arrays as it is, or that are static."""

import functools
import itertools

import equinox as eqx
import jax
import jax.numpy as jnp


@eqx.filter_jit
def make_step(params, step):
    return params - 0.1 * params / (step + 1)


def train(params):
    for step in range(10):
        params = make_step(params, jnp.asarray(step))
    for step, _ in enumerate(range(10)):
        params = make_step(
            params,
            step=jnp.asarray(step * 0.5),  # of the round
        )
    for step in itertools.count():
        params = make_step(params, jnp.asarray(step))
    for step, (_, batch) in zip(range(10), enumerate(params)):
        params = make_step(params * batch, jnp.asarray(step))
    return [make_step(params, jnp.asarray(step)) for step in range(3)]


@eqx.filter_jit
def advance(state, step):
    return state * jnp.where(step > 3, 2.0, 1.0), step + 1


def comes_back(state):
    step = 0
    while step < 10:
        state, step = advance(state, jnp.asarray(step))
        if step % 5 == 0:
            print(step)
    return state


@jax.jit
def sample(logits, temperature):
    return jax.nn.softmax(logits / temperature)


def schedule(logits):
    temperature = 1.0
    while temperature > 0.01:
        logits = sample(logits, temperature=temperature)
        temperature *= 0.9
    return sample(logits, 0.01)


@functools.partial(jax.jit, static_argnums=(2,), donate_argnums=0)
def scale(x, rate, axis):
    shift = rate * 0.5
    return jnp.sum(x * rate - shift, axis)


accumulate = jax.jit(lambda x, n: x + n)


def over_epochs(x, epochs):
    seen = {}
    for epoch in range(epochs):
        scale(x, 0.1 / (epoch + 1), 0)
        x = accumulate(x, epoch)
        seen[epoch] = x
    return seen


class Trainer:
    @functools.partial(jax.jit, static_argnums=(0,))
    def step(self, x, count):
        return halved(x, count)

    def run(self, x):
        count = 0
        while count < 10:
            x = self.step(x, count)
            count = count + 1
        return x


def halved(x, count):
    return x * 0.5 + count
