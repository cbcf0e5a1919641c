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


def rollout(actor, obs, key, steps):
    total = 0.0
    for _ in range(steps):
        key, own = jax.random.split(key)  # want: unjitted-update
        mean = jax.vmap(actor)(obs)
        action = mean + 0.1 * jax.random.normal(own, mean.shape)
        obs = obs + 0.1 * jnp.pad(action, ((0, 0), (0, 2)))
        total = total + jnp.sum(obs**2)
    return total


def annotated(critic: nnx.Module, obs, steps):
    for _ in range(steps):
        value = jax.vmap(critic)(obs)  # want: unjitted-update
        slope = jnp.tanh(value) - jnp.mean(value)
        obs = obs + 0.1 * jnp.sum(slope) * jnp.cos(obs)
    return obs


def denoise(model, x, steps):
    for _ in range(steps):
        noise = jax.vmap(model)(x)  # want: unjitted-update
        x = x - 0.1 * jnp.tanh(noise) + 0.01 * jnp.sin(x)
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
        noise = jax.vmap(talking)(x)  # want: unjitted-update (no fix)
        x = x - 0.1 * jnp.tanh(noise) + 0.01 * jnp.sin(x)
    return x


# What a caller passes may be anything.
def unknown(model, x, steps):
    for _ in range(steps):
        noise = jax.vmap(model)(x)  # want: unjitted-update (no fix): a caller may pass anything
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
