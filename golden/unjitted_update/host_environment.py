"""What a plain object of the file returns is no object itself: its methods set what they return."""

import jax
import jax.numpy as jnp
import numpy as np


class Cart:
    def reset(self):
        self.place = np.zeros(4, np.float32)
        return self.place

    def step(self, action):
        self.place = (self.place + np.array([action - 0.5, 0.1, -0.1, 0.05], np.float32)) * 0.9
        return self.place, float(-abs(self.place[0])), abs(self.place[0]) > 2


def policy(params, place):
    return jax.nn.log_softmax(jnp.tanh(place @ params["w"] + params["b"]) @ params["v"] + params["c"])


params = {"b": jnp.zeros(32), "c": jnp.zeros(2), "v": jnp.ones((32, 2)), "w": jnp.ones((4, 32))}
key = jax.random.PRNGKey(0)
cart = Cart()
for _ in range(10):
    place, done = cart.reset(), False
    while not done:
        key, draw = jax.random.split(key)  # want: unjitted-update
        logits = policy(params, place)
        action = int(jax.random.categorical(draw, logits))
        place, _, done = cart.step(action)


class Simulator:
    """Returns itself, which `jit` does not accept."""

    def __init__(self):
        self.w = jnp.ones(4)

    def step(self):
        return self


simulator = Simulator()
x = jnp.ones(4)
for _ in range(100):
    simulator = simulator.step()
    x = jnp.cos(x) * jnp.tanh(x) + jnp.sin(x) * jnp.exp(x)  # want: unjitted-update (no fix)
    x = jnp.tanh(simulator.w * x) * jnp.sin(x) + jnp.exp(x) * simulator.w
