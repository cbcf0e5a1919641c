"""Functions that a library wraps, methods that a transformation takes, and data that functions of the file made."""

import haiku as hk
import jax
import jax.numpy as jnp
import numpy as np
import optax


def net(x, is_training):
    h = jax.nn.relu(hk.Linear(8)(x))
    if is_training:
        h = hk.dropout(hk.next_rng_key(), 0.1, h)
    return hk.Linear(1)(h)


network = hk.transform(net)
optimizer = optax.adam(1e-3)


def loss_of(params, rng, x):
    return jnp.mean(network.apply(params, rng, x, True) ** 2)


@jax.jit
def update(params, state, rng, x):
    slopes = jax.grad(loss_of)(params, rng, x)
    updates, state = optimizer.update(slopes, state)
    return optax.apply_updates(params, updates), state


def averaged(old, new):
    return jax.tree.map(lambda a, b: 0.99 * a + 0.01 * b, old, new)


@jax.jit
def advance(rng, params, state, average, x):
    rng, key = jax.random.split(rng)
    params, state = update(params, state, key, x)
    average = averaged(average, params)
    return rng, params, state, average


def train(params, state, batches):
    rng, average = jax.random.PRNGKey(0), params
    for x in batches:
        rng, params, state, average = advance(rng, params, state, average, x)
        print(x)
    return average


def loss_unless(params, rng, x, flag):
    return jnp.mean(network.apply(params, rng, x, flag) ** 2)


def update_unless(params, state, rng, x, flag):
    slopes = jax.grad(loss_unless)(params, rng, x, flag > 0)
    updates, state = optimizer.update(slopes, state)
    return optax.apply_updates(params, updates), state


def train_unless(params, state, batches):
    for x in batches:
        params, state = update_unless(params, state, jax.random.PRNGKey(1), x, x.sum())
    return params


class Model:
    def __init__(self, width):
        self.width = width

    def loss(self, w, x):
        return jnp.mean((x @ w) ** 2) / self.width


def train_model(w, batches):
    model = Model(3)

    @jax.jit
    def train_step(w, x):
        loss, slope = jax.value_and_grad(model.loss)(w, x)
        w = jax.tree.map(lambda a, b: a - 0.1 * b, w, slope)
        return w, loss

    for x in batches:
        w, loss = train_step(w, x)
        print(loss)
    return w


class Counted:
    def __init__(self):
        self.count = 1

    def loss(self, w, x):
        return jnp.mean((x @ w) ** 2) / self.count


def train_changing(w, batches):
    model = Counted()
    for x in batches:
        loss, slope = jax.value_and_grad(model.loss)(w, x)
        w = jax.tree.map(lambda a, b: a - 0.1 * b, w, slope)
        model.count += 1
        print(loss)
    return w


def task(random):
    x = random.uniform(-5, 5, (8, 3))
    return x, np.sin(x.sum(1))


def loss_of_task(w, x, y):
    return jnp.mean((x @ w - y) ** 2)


@jax.jit
def meta_step(w, drawn):
    loss, slope = jax.value_and_grad(loss_of_task)(w, *drawn)
    w = jax.tree.map(lambda a, b: a - 0.01 * b, w, slope)
    return w, loss


def meta(w, random):
    for _ in range(20):
        drawn = task(random)
        w, loss = meta_step(w, drawn)
        print(loss)
    return w


if __name__ == "__main__":
    batches = [jnp.ones((4, 3)) * i for i in range(6)]
    params = network.init(jax.random.PRNGKey(0), batches[0], True)
    train(params, optimizer.init(params), batches)
    train_unless(params, optimizer.init(params), batches)
    print(train_model(jnp.ones(3), batches), train_changing(jnp.ones(3), batches))
    print(meta(jnp.ones(3), np.random.default_rng(0)))
