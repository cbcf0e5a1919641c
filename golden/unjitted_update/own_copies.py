"""Methods that call others which read, or bind, what a step changes: they run on a copy of their object."""

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

    def learn(self, batch):
        slopes = jax.grad(self.actor_loss)(self.actor, batch)
        updates, self.actor_state = self.opt.update(slopes, self.actor_state)
        self.actor = optax.apply_updates(self.actor, updates)
        noise = jax.random.normal(self.next_key(), batch.shape)
        slopes = jax.grad(self.actor_loss)(self.critic, batch + noise)
        updates, self.critic_state = self.opt.update(slopes, self.critic_state)
        self.critic = optax.apply_updates(self.critic, updates)
        self.target = jax.tree.map(lambda t, c: (1 - self.tau) * t + self.tau * c, self.target, self.critic)
        self.steps += 1
        return float(self.actor_loss(self.actor, batch))


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

    def step(self, seen):
        self.predict()
        self.update(seen)

    def error(self, seen):
        away = seen - self.state
        scaled = jnp.linalg.inv(self.cov) @ away
        return float(away @ scaled)


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
        for number in range(rounds):
            loss, slopes = jax.value_and_grad(self.loss)(self.params, x)  # want: unjitted-update
            updates, state = opt.update(slopes, state)
            self.params = optax.apply_updates(self.params, updates)
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

    def train_step(self, state, x):
        loss, slopes = jax.value_and_grad(self.loss)(state.params, x)
        updates, opt_state = self.opt.update(slopes, state.opt_state)
        return State(optax.apply_updates(state.params, updates), opt_state), loss

    def fit(self, x):
        for _ in range(20):
            self.state, loss = self.train_step(self.state, x)  # want: unjitted-update
        print(loss)


class Counter:
    """A method that counts in Python stays outside."""

    def __init__(self):
        self.params = jnp.ones(3)
        self.calls = 0

    def rate(self):
        self.calls += 1
        return 0.5**self.calls

    def learn(self, x):
        slopes = jax.grad(lambda p: jnp.sum((p - x) ** 2))(self.params)
        rate = self.rate()
        self.params = jax.tree.map(lambda p, g: p - rate * g, self.params, slopes)


if __name__ == "__main__":
    agent = Agent(jnp.ones(3), jnp.ones(3))
    tracker = Filter(jnp.eye(3), jnp.zeros(3))
    counter = Counter()
    for number in range(20):
        agent.learn(jnp.ones(3) * number)  # want: unjitted-update
        tracker.step(jnp.ones(3))  # want: unjitted-update
        if tracker.error(jnp.ones(3)) < 0.1:  # want: unjitted-update
            print(number)
        counter.learn(jnp.ones(3))  # want: unjitted-update
    Kernel().fit(jnp.ones(3), 30)
    Denoiser().fit(jnp.ones(3))
