"""Loops that call a model: it is passed to the step, under the `jit` of its library."""

import equinox as eqx
import jax
import jax.numpy as jnp
from flax import nnx


class Actor(nnx.Module):
    def __init__(self, rngs):
        self.first = nnx.Linear(4, 8, rngs=rngs)
        self.second = nnx.Linear(8, 2, rngs=rngs)

    def __call__(self, x):
        return self.second(jnp.tanh(self.first(x)))


@nnx.jit
def rollout_step(key, obs, actor):
    key, own = jax.random.split(key)
    mean = jax.vmap(actor)(obs)
    action = mean + 0.1 * jax.random.normal(own, mean.shape)
    obs = obs + 0.1 * jnp.pad(action, ((0, 0), (0, 2)))
    return key, obs


def rollout(actor, obs, key, steps):
    total = 0.0
    for _ in range(steps):
        key, obs = rollout_step(key, obs, actor)
        total = total + jnp.sum(obs**2)
    return total


@nnx.jit
def annotated_step(obs, critic):
    value = jax.vmap(critic)(obs)
    slope = jnp.tanh(value) - jnp.mean(value)
    return obs + 0.1 * jnp.sum(slope) * jnp.cos(obs)


def annotated(critic: nnx.Module, obs, steps):
    for _ in range(steps):
        obs = annotated_step(obs, critic)
    return obs


@eqx.filter_jit
def denoise_step(x, model):
    noise = jax.vmap(model)(x)
    return x - 0.1 * jnp.tanh(noise) + 0.01 * jnp.sin(x)


def denoise(model, x, steps):
    for _ in range(steps):
        x = denoise_step(x, model)
    return x


# One that prints: under a trace it would do that once.
class Talking(nnx.Module):
    def __init__(self, rngs):
        self.layer = nnx.Linear(4, 4, rngs=rngs)

    def __call__(self, x):
        print("called")
        return self.layer(x)


def talk(talking, x):
    for _ in range(100):
        noise = jax.vmap(talking)(x)
        x = x - 0.1 * jnp.tanh(noise) + 0.01 * jnp.sin(x)
    return x


# What a caller passes may be anything.
def unknown(model, x, steps):
    for _ in range(steps):
        noise = jax.vmap(model)(x)
        x = x - 0.1 * jnp.tanh(noise) + 0.01 * jnp.sin(x)
    return x


def given(models, x):
    for model in models:
        x = unknown(model, x, 100)
    return x


if __name__ == "__main__":
    actor = Actor(nnx.Rngs(0))
    print(rollout(actor, jnp.ones((8, 4)), jax.random.key(0), 100))
    print(annotated(nnx.Linear(4, 1, rngs=nnx.Rngs(1)), jnp.ones((8, 4)), 100))
    model = eqx.nn.MLP(4, 4, 8, 2, key=jax.random.key(0))
    print(denoise(model, jnp.ones((8, 4)), 100))
    print(talk(Talking(nnx.Rngs(2)), jnp.ones((8, 4))))
    print(given([model, jnp.tanh], jnp.ones((8, 4))))
