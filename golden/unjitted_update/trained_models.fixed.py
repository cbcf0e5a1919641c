"""Models of equinox that a loop trains, evaluates and samples from: passed as data, and counters as arrays."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax


class Net(eqx.Module):
    first: eqx.nn.Linear
    second: eqx.nn.Linear

    def __init__(self, key):
        one, two = jax.random.split(key)
        self.first = eqx.nn.Linear(3, 8, key=one)
        self.second = eqx.nn.Linear(8, 3, key=two)

    def __call__(self, x):
        return self.second(jnp.tanh(self.first(x)))


def loss_of(model, x, y):
    return jnp.mean((jax.vmap(model)(x) - y) ** 2)


@eqx.filter_jit
def accuracy(model, x, y):
    return jnp.mean(jnp.argmax(jax.vmap(model)(x), axis=1) == jnp.argmax(y, axis=1))


# The sum begins as a Python number, which stays outside: the function is put under `jit`.
def evaluate(model, batches):
    total, count = 0.0, 0
    for x, y in batches:
        total += accuracy(model, x, y)
        count += 1
    return total / count


@eqx.filter_jit
def sample_step(key, x, model, t, steps):
    key, own = jax.random.split(key)
    drift = jax.vmap(model)(x) * t / steps
    x = x - 0.1 * drift + 0.01 * jax.random.normal(own, x.shape)
    return key, x


def sample(model, key, steps):
    x = jax.random.normal(key, (8, 3))
    for t in reversed(range(steps)):
        key, x = sample_step(key, x, model, jnp.asarray(t), steps)
    return x


@eqx.filter_jit
def worst_step(x, model, y):
    errors = (jax.vmap(model)(x) - y) ** 2
    x = x + 0.01 * jnp.sin(errors) - 0.01 * jnp.mean(errors)
    return x, errors


# Callers pass what is after a star, and the model before it.
def worst(model, x, y):
    most = []
    for _ in range(100):
        x, errors = worst_step(x, model, y)
        most.append(float(errors.max()))
    return most


def train(x, y, key):
    model = Net(key)
    optim = optax.adam(1e-2)
    state = optim.init(eqx.filter(model, eqx.is_inexact_array))
    average = model

    @eqx.filter_jit
    def train_step(model, state, x, y):
        loss, slopes = eqx.filter_value_and_grad(loss_of)(model, x, y)
        updates, state = optim.update(slopes, state, model)
        model = eqx.apply_updates(model, updates)
        return model, state, loss

    for step in range(60):
        model, state, loss = train_step(model, state, x, y)
        average = jax.tree.map(lambda a, m: 0.9 * a + 0.1 * m if eqx.is_array(m) else m, average, model)
        if step % 20 == 0:
            print(step, float(loss), float(evaluate(model, [(x, y)] * 10)))
    return average


if __name__ == "__main__":
    rows = np.random.default_rng(0)
    data = (jnp.asarray(rows.normal(size=(16, 3)), jnp.float32), jnp.asarray(rows.normal(size=(16, 3)), jnp.float32))
    average = train(*data, jax.random.PRNGKey(0))
    print(sample(average, jax.random.PRNGKey(1), 50).sum())
    print(worst(average, *data)[-1])
