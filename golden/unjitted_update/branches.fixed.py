# Functions that work on the device in one of their branches: that branch is a step.
import jax
import jax.numpy as jnp
import numpy as np


def network(params, x):
    hidden = jnp.tanh(x @ params["w"] + params["b"])
    return hidden @ params["v"]


@jax.jit
def _select(params, state):
    values = network(params, state)
    return jnp.argmax(jax.nn.softmax(values))


class Agent:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.params = {"w": jnp.ones((4, 16)), "b": jnp.zeros(16), "v": jnp.ones((16, 3))}
        self.epsilon = 0.3

    def select(self, state):
        if self.rng.uniform() < self.epsilon:
            action = self.rng.integers(3)
        else:
            action = _select(self.params, state)
        return int(action)

    def learn(self):
        self.params = jax.tree.map(lambda p: 0.99 * p, self.params)


@jax.jit
def _explore(params, state):
    values = network(params, state)
    return jnp.argmax(jax.nn.softmax(values - values.max()))


def explore(params, state, rng):
    if rng.uniform() < 0.2:
        return 0
    elif len(state) > 3:
        best = _explore(params, state)
        return int(best)
    return 1


@jax.jit
def _score_2(params, state):
    values = network(params, state)
    return jnp.tanh(values).sum() - jnp.mean(values)


# What the branch binds is read after it.
def score(params, state, is_long):
    bonus = jnp.zeros(())
    if is_long:
        bonus = _score_2(params, state)
    return float(bonus)


@jax.jit
def _talk(params, state):
    values = network(params, state)
    return values, jnp.sum(jnp.tanh(values))


# The branch prints between its parts: after the step.
def talk(params, state, is_long):
    if is_long:
        values, value = _talk(params, state)
        print(values)
        return float(value)
    return 0.0


def main():
    agent, state, rng = Agent(0), np.zeros(4, np.float32), np.random.default_rng(1)
    for number in range(300):
        action = agent.select(state)
        other = explore(agent.params, state, rng)
        other += score(agent.params, state, number % 2 == 0)
        other += talk(agent.params, state, number % 100 == 0)
        state = np.roll(state, action) * 0.9 + other
        agent.learn()
    print(state)


main()
