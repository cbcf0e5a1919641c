# The type of a parameter says whose method a loop calls.
import jax
import jax.numpy as jnp
import numpy as np


def policy(params, obs):
    h = jnp.tanh(obs @ params["w1"] + params["b1"])
    return h @ params["w2"] + params["b2"]


class Walk:
    """An environment on the host."""

    def reset(self):
        self.place = np.zeros(4)
        return self.place

    def step(self, action):
        self.place = self.place + 0.1 * (2 * action - 1) + 0.05
        return self.place, 1.0, bool(abs(self.place[0]) > 2), {}


@jax.jit
def _act(params, obs):
    logits = policy(params, jnp.asarray(obs))
    return jnp.argmax(logits)


class Agent:
    def __init__(self, params):
        self.params = params

    def act(self, obs):
        return int(_act(self.params, obs))


def rollout(env, agent: Agent, episodes):
    for _ in range(episodes):
        obs, done = env.reset(), False
        while not done:
            action = agent.act(obs)
            obs, reward, done, _ = env.step(action)


if __name__ == "__main__":
    params = {"w1": jnp.ones((4, 64)), "b1": jnp.zeros(64), "w2": jnp.ones((64, 2)), "b2": jnp.zeros(2)}
    rollout(Walk(), Agent(params), 100)
