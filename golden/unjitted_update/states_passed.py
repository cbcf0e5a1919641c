"""A training state that a function only reads."""

import dataclasses

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax.training.train_state import TrainState


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(2)(nn.tanh(nn.Dense(64)(x)))


def select(state, obs, key, eps):
    scores = state.apply_fn(state.params, obs)
    greedy = jnp.argmax(scores, axis=-1)
    one, other = jax.random.split(key)
    drawn = jax.random.randint(one, greedy.shape, 0, 2)
    return jnp.where(jax.random.uniform(other) < eps, drawn, greedy)


@dataclasses.dataclass
class Agent:
    params: dict
    apply_fn: object


def chosen(agent, obs):
    scores = agent.apply_fn(agent.params, obs)
    return jnp.argmax(jnp.where(scores > 0.0, scores, 0.0), axis=-1)


def main(steps=1000):
    net = Net()
    params = net.init(jax.random.key(0), jnp.ones((1, 4)))
    state = TrainState.create(apply_fn=net.apply, params=params, tx=optax.adam(1e-3))
    agent = Agent(params, net.apply)
    rng, obs = np.random.default_rng(0), np.zeros((1, 4))
    for step in range(steps):
        action = int(select(state, obs, jax.random.key(step), 0.1)[0])  # want: unjitted-update
        action += int(chosen(agent, obs)[0])  # want: unjitted-update (no fix): which `jit` does not take
        obs = rng.normal(size=(1, 4)) + action
    print(obs)


main()
