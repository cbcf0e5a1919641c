"""A training step makes a shape of what its caller passes: each size compiles anyway, so it is static."""

import jax
import jax.numpy as jnp
import numpy as np
import optax


def q_values(params, states):
    return jnp.tanh(states @ params["w"]) @ params["v"]


class Agent:
    def __init__(self, rate=1e-3, gamma=0.9):
        self.params = {"w": jnp.ones((4, 8)) * 0.1, "v": jnp.ones((8, 2)) * 0.1}
        self.optimizer = optax.adam(rate)
        self.state = self.optimizer.init(self.params)
        self.gamma = gamma
        self.rows = np.random.default_rng(0)

    def learn(self, batch_size=32):
        states = jnp.asarray(self.rows.normal(size=(batch_size, 4)), jnp.float32)
        actions = jnp.asarray(self.rows.integers(0, 2, batch_size))
        rewards = jnp.asarray(self.rows.normal(size=batch_size), jnp.float32)

        def loss_of(params):
            chosen = q_values(params, states)[jnp.arange(batch_size), actions]
            target = rewards + self.gamma * jnp.max(q_values(params, states), axis=1)
            return jnp.mean((chosen - target) ** 2)

        loss, slope = jax.value_and_grad(loss_of)(self.params)
        updates, self.state = self.optimizer.update(slope, self.state)
        self.params = optax.apply_updates(self.params, updates)
        return loss


# What is bound again, may be None, or is a truth value, which to `jit` is the number 1.
class Others(Agent):
    def shrink(self, states, size=8):
        size = size // 2
        slope = jax.grad(lambda params: jnp.sum(q_values(params, states)[jnp.arange(size)]))(self.params)
        self.params = jax.tree.map(lambda p, g: p - 0.1 * g, self.params, slope)

    def perhaps(self, states, size=None):
        slope = jax.grad(lambda params: jnp.sum(q_values(params, states)[jnp.arange(size)]))(self.params)
        self.params = jax.tree.map(lambda p, g: p - 0.1 * g, self.params, slope)

    def told(self, states, flag=False):
        slope = jax.grad(lambda params: jnp.sum(q_values(params, states)[jnp.arange(flag)]))(self.params)
        self.params = jax.tree.map(lambda p, g: p - 0.1 * g, self.params, slope)


def declined(states, size):
    agent = Others()
    for _ in range(100):
        agent.shrink(states)  # want: unjitted-update (no fix): uses as a shape `size`
        agent.perhaps(states, size)  # want: unjitted-update (no fix): uses as a shape `size`
        agent.told(states)  # want: unjitted-update (no fix): uses as a shape `flag`


def main():
    agent = Agent()
    for step in range(200):
        loss = agent.learn(batch_size=16)  # want: unjitted-update
        if step % 50 == 0:
            print(step, loss)


if __name__ == "__main__":
    main()
