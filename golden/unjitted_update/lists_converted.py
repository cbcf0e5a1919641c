"""Arrays of lists that the loop fills are made outside, and passed."""

import jax
import jax.numpy as jnp
import optax

from cart import Cart


def policy(params, places):
    return jnp.tanh(places @ params["w"] + params["b"]) @ params["v"]


def loss_of(params, places, actions, returns):
    logits = jax.nn.log_softmax(policy(params, places))
    return -jnp.mean(logits[jnp.arange(actions.shape[0]), actions] * returns)


params = {"b": jnp.zeros(32), "v": jnp.ones((32, 2)), "w": jnp.ones((4, 32))}
optimizer = optax.adam(1e-2)
state = optimizer.init(params)
cart = Cart()
for _ in range(100):
    places, actions, rewards = [], [], []
    for _ in range(20):
        places.append(cart.place)
        actions.append(cart.act())
        rewards.append(cart.reward)
    value, gradients = jax.value_and_grad(loss_of)(  # want: unjitted-update
        params, jnp.array(places), jnp.asarray(actions, dtype=jnp.int32), jnp.array(rewards)
    )
    updates, state = optimizer.update(gradients, state, params)
    params = optax.apply_updates(params, updates)
    print(value)


class Agent:
    def __init__(self, params):
        self.optimizer = optax.sgd(0.1)
        self.params, self.state = params, self.optimizer.init(params)
        self.places, self.actions, self.rewards = [], [], []

    def remember(self, place, action, reward):
        self.places.append(place)
        self.actions.append(action)
        self.rewards.append(reward)

    def learn(self):
        gradients = jax.grad(loss_of)(
            self.params, jnp.array(self.places), jnp.array(self.actions), jnp.array(self.rewards)
        )
        updates, self.state = self.optimizer.update(gradients, self.state)
        self.params = optax.apply_updates(self.params, updates)
        self.places, self.actions, self.rewards = [], [], []


agent = Agent(params)
for _ in range(100):
    agent.remember(cart.place, cart.act(), cart.reward)
    agent.learn()  # want: unjitted-update


kept = []
for _ in range(100):
    kept.append(cart.place)
    gradients = jax.grad(loss_of)(  # want: unjitted-update (no fix)
        params, jnp.array(kept), jnp.array([0]), jnp.array([1.0])
    )
    updates, state = optimizer.update(gradients, state, params)
    params = optax.apply_updates(params, updates)


for _ in range(100):
    places = [cart.place]
    gradients = jax.grad(loss_of)(  # want: unjitted-update
        params, jnp.array(places), jnp.array([0]), jnp.array([1.0])
    )
    places.append(cart.place)
    updates, state = optimizer.update(gradients, state, params)
    params = optax.apply_updates(params, updates)
    params = jax.tree.map(lambda p: p * jnp.array(places).mean(), params)


class Restarted:
    """The list is another one before the step reads it again."""

    def __init__(self, params):
        self.params, self.places = params, []

    def learn(self):
        gradients = jax.grad(loss_of)(self.params, jnp.array(self.places), jnp.array([0]), jnp.array([1.0]))
        self.params = jax.tree.map(lambda p, g: p - 0.1 * g, self.params, gradients)
        self.places = [cart.place]
        gradients = jax.grad(loss_of)(self.params, jnp.array(self.places), jnp.array([0]), jnp.array([1.0]))
        self.params = jax.tree.map(lambda p, g: p - 0.1 * g, self.params, gradients)


restarted = Restarted(params)
for _ in range(100):
    restarted.places.append(cart.place)
    restarted.learn()  # want: unjitted-update
