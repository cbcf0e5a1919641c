"""A training state is a pytree: a step may be passed one that stays the same."""

from typing import Callable, NamedTuple

import jax
import jax.numpy as jnp
import optax
from flax import linen as nn
from flax.training.train_state import TrainState

from fields import open_field


class Denoiser(nn.Module):
    @nn.compact
    def __call__(self, x, t):
        return nn.Dense(2)(nn.silu(nn.Dense(32)(jnp.concatenate([x, jnp.sin(t)[:, None]], -1))))


@jax.jit
def sample_step(key, x, state):
    key, draw = jax.random.split(key)
    noise = state.apply_fn({"params": state.params}, x, jnp.full((x.shape[0],), 0.01))
    x = (x - 0.1 * noise) / jnp.sqrt(0.9) + 0.1 * jax.random.normal(draw, x.shape)
    return key, x


def sample(state, key, x):
    for t in reversed(range(100)):
        key, x = sample_step(key, x, state)
    return x


# Nothing says what it is.
def relax(field, x):
    for _ in range(100):
        x = x + 0.1 * jnp.sin(field.scale * x) * jnp.cos(field.shift * x)
        x = x - 0.1 * jnp.mean(x) * jnp.tanh(x) * field.solve(x)
    return x


class Net(NamedTuple):
    """A pytree whose function would be a leaf."""

    apply_fn: Callable
    params: dict


def apply(params, x):
    return jnp.tanh(x @ params["w"]) @ params["v"]


def drift(net, x):
    for _ in range(100):
        y = net.apply_fn(net.params, x)
        x = x + 0.1 * jnp.sin(y) * jnp.cos(x) - jnp.mean(y) * jnp.tanh(x) * jnp.exp(-y)
    return x


if __name__ == "__main__":
    model = Denoiser()
    params = model.init(jax.random.PRNGKey(0), jnp.ones((1, 2)), jnp.ones(1))["params"]
    state = TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(1e-3))
    print(sample(state, jax.random.PRNGKey(1), jnp.ones((64, 2))).std())
    print(relax(open_field(), jnp.ones((64, 2))))
    net = Net(apply, {"v": jnp.ones((8, 2)), "w": jnp.ones((2, 8))})
    print(drift(net, jnp.ones((64, 2))))
