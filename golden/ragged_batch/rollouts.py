"""Episodes, each of its own length."""

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def update(params, observations, rewards):
    return params + 0.1 * (observations * rewards[:, None]).mean(axis=0)


def episode(env, params):
    observations, rewards = [], []
    observation, done = env.reset(), False
    while not done:
        observations.append(observation)
        observation, reward, done = env.step(int(np.argmax(observation @ params)))
        rewards.append(reward)
    return np.array(observations), np.array(rewards)


def train(env, params):
    for _ in range(1000):
        observations, rewards = episode(env, params)
        params = update(params, observations, rewards)  # want: ragged-batch (no fix): pad to it
    return params


def train_at_once(env, params):
    for _ in range(1000):
        observations, rewards = [], []
        observation = env.reset()
        for _ in range(200):
            observation, reward, done = env.step(0)
            observations.append(observation)
            rewards.append(reward)
            if done:
                break
        batch = jnp.stack(observations)
        params = update(params, batch, jnp.array(rewards))  # want: ragged-batch (no fix): its greatest length
    return params


def train_on_steps(env, params):
    """As many steps each time."""
    for _ in range(1000):
        observations, rewards = [], []
        for _ in range(200):
            observation, reward, done = env.step(0)
            observations.append(observation)
            rewards.append(reward)
        while len(rewards) < 256:
            observations.append(env.reset())
            rewards.append(0.0)
        params = update(params, jnp.array(observations), jnp.array(rewards))
    return params


def train_padded(env, params):
    for _ in range(1000):
        observations, rewards, done = [], [], False
        while not done:
            observation, reward, done = env.step(0)
            observations.append(observation)
            rewards.append(reward)
        observations += [observation] * (200 - len(observations))
        padded = np.zeros(200)
        padded[: len(rewards)] = rewards
        params = update(params, np.array(observations), padded)
    return params


if __name__ == "__main__":
    from games import Game

    for run in (train, train_at_once, train_on_steps, train_padded):
        print(run(Game(), jnp.ones(4)))
