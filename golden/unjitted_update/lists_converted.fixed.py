"""Arrays of lists that the loop fills are made outside, and passed."""

import functools

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


@jax.jit
def train_step(params, state, places_array, actions_array, rewards_array):
    value, gradients = jax.value_and_grad(loss_of)(
        params, places_array, actions_array, rewards_array
    )
    updates, state = optimizer.update(gradients, state, params)
    params = optax.apply_updates(params, updates)
    return params, state, value


for _ in range(100):
    places, actions, rewards = [], [], []
    for _ in range(20):
        places.append(cart.place)
        actions.append(cart.act())
        rewards.append(cart.reward)
    params, state, value = train_step(
        params, state, jnp.array(places), jnp.asarray(actions, dtype=jnp.int32), jnp.array(rewards)
    )
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

    @functools.partial(jax.jit, static_argnums=0)
    def _learn(self, params, state, places_array, actions_array, rewards_array):
        gradients = jax.grad(loss_of)(
            params, places_array, actions_array, rewards_array
        )
        updates, state = self.optimizer.update(gradients, state)
        params = optax.apply_updates(params, updates)
        return params, state

    def learn(self):
        self.params, self.state = self._learn(
            self.params, self.state, jnp.array(self.places), jnp.array(self.actions), jnp.array(self.rewards)
        )
        self.places, self.actions, self.rewards = [], [], []


agent = Agent(params)
for _ in range(100):
    agent.remember(cart.place, cart.act(), cart.reward)
    agent.learn()


kept = []
for _ in range(100):
    kept.append(cart.place)
    gradients = jax.grad(loss_of)(
        params, jnp.array(kept), jnp.array([0]), jnp.array([1.0])
    )
    updates, state = optimizer.update(gradients, state, params)
    params = optax.apply_updates(params, updates)


@jax.jit
def update_step(params, state, places_array):
    gradients = jax.grad(loss_of)(
        params, places_array, jnp.array([0]), jnp.array([1.0])
    )
    updates, state = optimizer.update(gradients, state, params)
    params = optax.apply_updates(params, updates)
    return params, state


for _ in range(100):
    places = [cart.place]
    params, state = update_step(params, state, jnp.array(places))
    places.append(cart.place)
    params = jax.tree.map(lambda p: p * jnp.array(places).mean(), params)


@jax.jit
def _learn_2(params, places_array):
    gradients = jax.grad(loss_of)(params, places_array, jnp.array([0]), jnp.array([1.0]))
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients)


@jax.jit
def _learn_3(params, places_array):
    gradients = jax.grad(loss_of)(params, places_array, jnp.array([0]), jnp.array([1.0]))
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients)


class Restarted:
    """The list is another one before the step reads it again."""

    def __init__(self, params):
        self.params, self.places = params, []

    def learn(self):
        self.params = _learn_2(self.params, jnp.array(self.places))
        self.places = [cart.place]
        self.params = _learn_3(self.params, jnp.array(self.places))


restarted = Restarted(params)
for _ in range(100):
    restarted.places.append(cart.place)
    restarted.learn()
