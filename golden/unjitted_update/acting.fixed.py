"""An agent whose method returns the number of the action that it draws, and whose sizes are bound several at once."""

import functools

import jax
import jax.numpy as jnp
import optax


def policy(params, seen):
    hidden = jax.nn.relu(seen @ params["w1"])
    return hidden @ params["w2"]


def loss_of(params, seen, actions, returns):
    chances = jax.nn.log_softmax(policy(params, seen))
    return -jnp.mean(chances[jnp.arange(len(actions)), actions] * returns)


class Agent:
    def __init__(self, key, size, actions):
        self.size, self.actions = size, actions
        first, second = jax.random.split(key)
        self.params = {"w1": jax.random.normal(first, (4, size)), "w2": jax.random.normal(second, (size, actions))}
        self.optimizer = optax.adam(0.01)
        self.state = self.optimizer.init(self.params)

    @functools.partial(jax.jit, static_argnums=0)
    def _act(self, key, params, seen):
        return jax.random.categorical(key, policy(params, seen)[: self.actions])

    def act(self, seen, key):
        return int(self._act(key, self.params, seen))

    @functools.partial(jax.jit, static_argnums=0)
    def _learn(self, params, state, seen, actions, returns):
        loss, slope = jax.value_and_grad(loss_of)(params, seen, actions, returns)
        updates, state = self.optimizer.update(slope, state)
        params = optax.apply_updates(params, updates)
        return params, state, loss

    def learn(self, seen, actions, returns):
        self.params, self.state, loss = self._learn(self.params, self.state, seen, actions, returns)
        return loss


def main():
    key = jax.random.PRNGKey(0)
    agent = Agent(key, 16, 2)
    for episode in range(50):
        seen, actions = [], []
        for step in range(20):
            key, own = jax.random.split(key)
            place = jnp.ones(4) * step
            action = agent.act(place, own)
            seen.append(place)
            actions.append(action)
        loss = agent.learn(jnp.stack(seen), jnp.array(actions), jnp.ones(20))
        print(episode, loss)


if __name__ == "__main__":
    main()
