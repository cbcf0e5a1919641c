"""Agents of which a loop makes many: a step of what they hold, and their constants as static arguments."""

import functools

import jax
import jax.numpy as jnp


@jax.jit
def _act(key, chance, arms, values):
    key, first, second = jax.random.split(key, 3)
    explores = jax.random.uniform(first) < chance
    return (key, jnp.where(explores, jax.random.randint(second, (), 0, arms), jnp.argmax(values)))


@functools.partial(jax.jit, static_argnums=0)
def _probabilities(arms, values):
    scaled = jnp.exp(values - jnp.max(values)) / jnp.sum(jnp.exp(values))
    return scaled * jnp.ones((arms, arms))


@jax.jit
def _learn(counts, values, arm, reward):
    counts = counts.at[arm].add(1)
    values = values.at[arm].add((reward - values[arm]) / counts[arm])
    return counts, values


class Greedy:
    def __init__(self, arms, chance, key):
        self.arms = arms
        self.chance = chance
        self.key = key
        self.values = jnp.zeros(arms)
        self.counts = jnp.zeros(arms)

    def act(self):
        self.key, value = _act(self.key, self.chance, self.arms, self.values)
        return value

    def probabilities(self):
        return _probabilities(self.arms, self.values)

    def learn(self, arm, reward):
        self.counts, self.values = _learn(self.counts, self.values, arm, reward)


class Walk:
    """Made with 1 and with `True`, which are equal static arguments: one program would do for both."""

    def __init__(self, sides):
        self.sides = sides
        self.place = jnp.zeros(2)

    def move(self, push):
        scaled = jnp.tanh(self.place + push) * jnp.full((2,), 0.5) - jnp.cos(push)
        self.place = scaled / jnp.sqrt(jnp.sum(scaled**2) + jnp.ones(self.sides)) + jnp.mean(scaled)


def walk(seed):
    one, other = Walk(1), Walk(True)
    for step in range(50):
        one.move(0.1 * seed)
        other.move(0.2 * seed)
    return one.place + other.place


def run(chance, seed):
    key = jax.random.PRNGKey(seed)
    agent = Greedy(10, chance, key)
    rewards = []
    for step in range(100):
        arm = agent.act()
        chances = agent.probabilities()
        reward = float(arm) + float(chances[0, 0]) + step
        agent.learn(arm, reward)
        rewards.append(reward)
    return sum(rewards)


for chance in (0.0, 0.01, 0.1):
    print(chance, [run(chance, seed) for seed in range(5)])
print([walk(seed) for seed in range(3)])
