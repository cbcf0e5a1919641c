"""Methods that call others which read, or bind, what a step changes: they run on a copy of their object."""

import copy
import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax


class Agent:
    """Its losses read the networks that the step trains."""

    def __init__(self, actor, critic, rate=0.01):
        self.actor, self.critic = actor, critic
        self.target = critic
        self.opt = optax.adam(rate)
        self.actor_state = self.opt.init(actor)
        self.critic_state = self.opt.init(critic)
        self.key = jax.random.PRNGKey(0)
        self.tau = 0.01
        self.steps = 0

    def next_key(self):
        self.key, key = jax.random.split(self.key)
        return key

    def actor_loss(self, actor, batch):
        return -jnp.mean(self.critic * jnp.tanh(actor * batch))

    @functools.partial(jax.jit, static_argnums=0)
    def _learn(self, actor, actor_state, critic, critic_state, target, key, batch):
        new = copy.copy(self)
        new.actor = actor
        new.actor_state = actor_state
        new.critic = critic
        new.critic_state = critic_state
        new.target = target
        new.key = key
        slopes = jax.grad(new.actor_loss)(new.actor, batch)
        updates, new.actor_state = self.opt.update(slopes, new.actor_state)
        new.actor = optax.apply_updates(new.actor, updates)
        noise = jax.random.normal(new.next_key(), batch.shape)
        slopes = jax.grad(new.actor_loss)(new.critic, batch + noise)
        updates, new.critic_state = self.opt.update(slopes, new.critic_state)
        new.critic = optax.apply_updates(new.critic, updates)
        new.target = jax.tree.map(lambda t, c: (1 - self.tau) * t + self.tau * c, new.target, new.critic)
        value = new.actor_loss(new.actor, batch)
        return (new.actor, new.actor_state, new.critic, new.critic_state, new.target, new.key, value)

    def learn(self, batch):
        (
            self.actor,
            self.actor_state,
            self.critic,
            self.critic_state,
            self.target,
            self.key,
            value,
        ) = self._learn(
            self.actor,
            self.actor_state,
            self.critic,
            self.critic_state,
            self.target,
            self.key,
            batch,
        )
        self.steps += 1
        return float(value)


@jax.jit
def _error(seen, state, cov):
    away = seen - state
    scaled = jnp.linalg.inv(cov) @ away
    return away @ scaled


class Filter:
    """Its steps are methods that return nothing, and one that returns a number."""

    def __init__(self, gain, state):
        self.gain = gain
        self.state = state
        self.cov = jnp.eye(3)

    def predict(self):
        self.state = self.gain @ self.state
        self.cov = self.gain @ self.cov @ self.gain.T

    def update(self, seen):
        k = self.cov @ jnp.linalg.inv(self.cov + jnp.eye(3))
        self.state = self.state + k @ (seen - self.state)
        self.cov = (jnp.eye(3) - k) @ self.cov

    @functools.partial(jax.jit, static_argnums=0)
    def _step(self, state, cov, seen, gain):
        new = copy.copy(self)
        new.state = state
        new.cov = cov
        new.gain = gain
        new.predict()
        new.update(seen)
        return new.state, new.cov

    def step(self, seen):
        self.state, self.cov = self._step(self.state, self.cov, seen, self.gain)

    def error(self, seen):
        return float(_error(seen, self.state, self.cov))


class Kernel:
    """Its optimizer is a variable of the method: the step stands in there."""

    def __init__(self):
        self.params = jnp.ones(3)
        self.noise = jnp.ones(())

    def loss(self, params, x):
        return jnp.sum((params * x) ** 2) + self.noise

    def fit(self, x, rounds):
        opt = optax.adam(0.1)
        state = opt.init(self.params)

        @jax.jit
        def fit_step(state, params, x, noise):
            new = copy.copy(self)
            new.params = params
            new.noise = noise
            loss, slopes = jax.value_and_grad(new.loss)(new.params, x)
            updates, state = opt.update(slopes, state)
            new.params = optax.apply_updates(new.params, updates)
            return state, new.params, loss

        for number in range(rounds):
            state, self.params, loss = fit_step(state, self.params, x, self.noise)
            if number % 10 == 0:
                print(loss)


class State(NamedTuple):
    params: jax.Array
    opt_state: tuple


class Denoiser:
    """Its state comes and goes, and its loss reads a table of the object."""

    def __init__(self):
        self.table = jnp.linspace(0.1, 1.0, 10)
        self.opt = optax.adam(0.1)
        self.state = State(jnp.ones(3), self.opt.init(jnp.ones(3)))

    def loss(self, params, x):
        return jnp.mean((params * self.table[:3] - x) ** 2)

    @functools.partial(jax.jit, static_argnums=0)
    def _train_step(self, state, x, table):
        new = copy.copy(self)
        new.table = table
        loss, slopes = jax.value_and_grad(new.loss)(state.params, x)
        updates, opt_state = self.opt.update(slopes, state.opt_state)
        return loss, updates, opt_state

    def train_step(self, state, x):
        loss, updates, opt_state = self._train_step(state, x, self.table)
        return State(optax.apply_updates(state.params, updates), opt_state), loss

    def fit(self, x):
        for _ in range(20):
            self.state, loss = self.train_step(self.state, x)
        print(loss)


@jax.jit
def _learn_2(params, x, rate):
    slopes = jax.grad(lambda p: jnp.sum((p - x) ** 2))(params)
    return jax.tree.map(lambda p, g: p - rate * g, params, slopes)


class Counter:
    """A method that counts in Python stays outside."""

    def __init__(self):
        self.params = jnp.ones(3)
        self.calls = 0

    def rate(self):
        self.calls += 1
        return 0.5**self.calls

    def learn(self, x):
        rate = self.rate()
        self.params = _learn_2(self.params, x, rate)


if __name__ == "__main__":
    agent = Agent(jnp.ones(3), jnp.ones(3))
    tracker = Filter(jnp.eye(3), jnp.zeros(3))
    counter = Counter()
    for number in range(20):
        agent.learn(jnp.ones(3) * number)
        tracker.step(jnp.ones(3))
        if tracker.error(jnp.ones(3)) < 0.1:
            print(number)
        counter.learn(jnp.ones(3))
    Kernel().fit(jnp.ones(3), 30)
    Denoiser().fit(jnp.ones(3))
