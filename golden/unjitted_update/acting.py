"""An agent whose method returns the number of the action that it draws, and whose sizes are bound several at once."""

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

    def act(self, seen, key):
        return int(jax.random.categorical(key, policy(self.params, seen)[: self.actions]))

    def learn(self, seen, actions, returns):
        loss, slope = jax.value_and_grad(loss_of)(self.params, seen, actions, returns)
        updates, self.state = self.optimizer.update(slope, self.state)
        self.params = optax.apply_updates(self.params, updates)
        return loss


def main():
    key = jax.random.PRNGKey(0)
    agent = Agent(key, 16, 2)
    for episode in range(50):
        seen, actions = [], []
        for step in range(20):
            key, own = jax.random.split(key)
            place = jnp.ones(4) * step
            action = agent.act(place, own)  # want: unjitted-update
            seen.append(place)
            actions.append(action)
        loss = agent.learn(jnp.stack(seen), jnp.array(actions), jnp.ones(20))  # want: unjitted-update
        print(episode, loss)


if __name__ == "__main__":
    main()
