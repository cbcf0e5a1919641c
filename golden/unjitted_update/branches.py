# Functions that work on the device in one of their branches: that branch is a step.
import jax
import jax.numpy as jnp
import numpy as np


def network(params, x):
    hidden = jnp.tanh(x @ params["w"] + params["b"])
    return hidden @ params["v"]


class Agent:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.params = {"w": jnp.ones((4, 16)), "b": jnp.zeros(16), "v": jnp.ones((16, 3))}
        self.epsilon = 0.3

    def select(self, state):
        if self.rng.uniform() < self.epsilon:
            action = self.rng.integers(3)
        else:
            values = network(self.params, state)
            action = jnp.argmax(jax.nn.softmax(values))
        return int(action)

    def learn(self):
        self.params = jax.tree.map(lambda p: 0.99 * p, self.params)


def explore(params, state, rng):
    if rng.uniform() < 0.2:
        return 0
    elif len(state) > 3:
        values = network(params, state)
        best = jnp.argmax(jax.nn.softmax(values - values.max()))
        return int(best)
    return 1


# What the branch binds is read after it.
def score(params, state, is_long):
    bonus = jnp.zeros(())
    if is_long:
        values = network(params, state)
        bonus = jnp.tanh(values).sum() - jnp.mean(values)
    return float(bonus)


# The branch prints between its parts: after the step.
def talk(params, state, is_long):
    if is_long:
        values = network(params, state)
        print(values)
        return float(jnp.sum(jnp.tanh(values)))
    return 0.0


def main():
    agent, state, rng = Agent(0), np.zeros(4, np.float32), np.random.default_rng(1)
    for number in range(300):
        action = agent.select(state)  # want: unjitted-update
        other = explore(agent.params, state, rng)  # want: unjitted-update
        other += score(agent.params, state, number % 2 == 0)  # want: unjitted-update
        other += talk(agent.params, state, number % 100 == 0)  # want: unjitted-update
        state = np.roll(state, action) * 0.9 + other
        agent.learn()
    print(state)


main()
