"""An array that an object fills at each call may not be read by a step that is still running then."""

import jax
import jax.numpy as jnp
import numpy as np


class Cart:
    def __init__(self, size):
        self.place = np.zeros(size, np.float32)
        self.speed = jnp.zeros(size)

    def step(self, action):
        self.place[:] = self.place * 0.9 - action
        return self.place, float(-abs(self.place[0]))

    def pushed(self, action):
        self.speed += 0.1 * action
        return self.speed


def loss_of(params, place):
    return jnp.mean((jnp.tanh(params["w"] * place) - params["v"]) ** 2)


params = {"v": jnp.ones(64), "w": jnp.ones(64)}
cart = Cart(64)
for _ in range(100):
    place, _ = cart.step(0.3)
    gradients = jax.grad(loss_of)(params, place)
    params = jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients)


@jax.jit
def train_step(params, speed):
    gradients = jax.grad(loss_of)(params, speed)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients)


for _ in range(100):
    speed = cart.pushed(0.3)
    params = train_step(params, speed)

# The value is waited for before the next call.
key = jax.random.PRNGKey(0)


@jax.jit
def advance(key, params, place):
    key, draw = jax.random.split(key)
    logits = jnp.tanh(params["w"] * place) - params["v"] + jnp.sin(place) * jnp.cos(place)
    return key, jax.random.categorical(draw, logits)


for _ in range(100):
    place, _ = cart.step(0.3)
    key, value = advance(key, params, place)
    action = int(value)
print(action)
