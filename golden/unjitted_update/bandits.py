"""Agents of which a loop makes many: a step of what they hold, and their constants as static arguments."""

import jax
import jax.numpy as jnp


class Greedy:
    def __init__(self, arms, chance, key):
        self.arms = arms
        self.chance = chance
        self.key = key
        self.values = jnp.zeros(arms)
        self.counts = jnp.zeros(arms)

    def act(self):
        self.key, first, second = jax.random.split(self.key, 3)
        explores = jax.random.uniform(first) < self.chance
        return jnp.where(explores, jax.random.randint(second, (), 0, self.arms), jnp.argmax(self.values))

    def probabilities(self):
        scaled = jnp.exp(self.values - jnp.max(self.values)) / jnp.sum(jnp.exp(self.values))
        return scaled * jnp.ones((self.arms, self.arms))

    def learn(self, arm, reward):
        self.counts = self.counts.at[arm].add(1)
        self.values = self.values.at[arm].add((reward - self.values[arm]) / self.counts[arm])


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
        one.move(0.1 * seed)  # want: unjitted-update (no fix)
        other.move(0.2 * seed)
    return one.place + other.place


def run(chance, seed):
    key = jax.random.PRNGKey(seed)
    agent = Greedy(10, chance, key)
    rewards = []
    for step in range(100):
        arm = agent.act()  # want: unjitted-update
        chances = agent.probabilities()  # want: unjitted-update
        reward = float(arm) + float(chances[0, 0]) + step
        agent.learn(arm, reward)  # want: unjitted-update
        rewards.append(reward)
    return sum(rewards)


for chance in (0.0, 0.01, 0.1):
    print(chance, [run(chance, seed) for seed in range(5)])
print([walk(seed) for seed in range(3)])
