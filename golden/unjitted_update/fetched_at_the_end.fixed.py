"""What the last statement of a step computes and fetches is part of it; the value is read outside."""

import jax
import jax.numpy as jnp
import numpy as np

from data import batches, open_clock, rounds


@jax.jit
def model(params, x):
    return jax.nn.log_softmax(jnp.tanh(x @ params["w"] + params["b"]) @ params["v"] + params["c"])


@jax.jit
def compute_value(params, x, y):
    logits = model(params, x)
    hits = jnp.argmax(logits, axis=1) == y
    return jnp.mean(hits)


@jax.jit
def compute_value_2(params, x):
    logits = model(params, x) - jnp.max(x)
    return jnp.mean((logits - jnp.mean(logits)) ** 2)


def evaluate(params):
    total, seen = 0.0, []
    for x, y in batches():
        total += float(compute_value(params, x, y))
    for x, y in batches():
        seen.append(compute_value_2(params, x).item())
    return total, seen


@jax.jit
def sample_step(key, x, params):
    key, draw = jax.random.split(key)
    logits = model(params, x) / jnp.max(x)
    x = jnp.roll(x, 1, axis=0) * jnp.tanh(jax.random.normal(draw, x.shape))
    return key, x, jnp.argmax(logits, axis=-1)


def sample(params, key, x):
    kept = []
    while len(kept) < 100:
        key, x, value = sample_step(key, x, params)
        kept.append(np.asarray(value))
    return kept


@jax.jit
def walk_step(key, x):
    key, draw = jax.random.split(key)
    x = x + 0.1 * jnp.sin(x) * jax.random.normal(draw, x.shape)
    return key, x, x**2 - jnp.mean(x)


def walk(key, x):
    path = []
    for _ in range(200):
        key, x, value = walk_step(key, x)
        path.append(value)
    return jnp.stack(path)


@jax.jit
def phased_step(x):
    y = jnp.tanh(x) * jnp.sin(x) + jnp.exp(-x)
    x = y * jnp.cos(y)
    return x, y


# Numbers that meet before an array does have 64 bits outside of a step.
def phased(clock, x):
    phases = []
    for number in range(100):
        t = clock.read()
        x, y = phased_step(x)
        phases.append(float(jnp.mean(x * jnp.cos(y)) + (t * t) % 1000) / (number + 1))
        phases.append(float(jnp.mean(x * jnp.cos(y)) + (t * t) % 1000))
    return phases


@jax.jit
def run_step(params):
    return jax.tree.map(lambda p: p * 0.9 + jnp.sin(p) * 0.1, params)


class Search:
    def __init__(self, params):
        self.params, self.best = params, float("inf")

    def run(self, x):
        for _ in range(200):
            self.params = run_step(self.params)
            self.best = min(self.best, float(jnp.mean(model(self.params, x) ** 2)))
        return self.best


@jax.jit
def compute_rate(params, x):
    logits = model(params, x) * jnp.tanh(x.sum()) - jnp.mean(x)
    return jnp.mean(jnp.abs(logits - jnp.max(logits)))


@jax.jit
def schedule_step(x, rate):
    return x + rate * jnp.sin(x) * jnp.cos(x)


def schedule(params, x):
    rate = 1.0
    for _ in range(rounds):
        rate = float(compute_rate(params, x))
        x = schedule_step(x, rate)
    return x


if __name__ == "__main__":
    weights = {"b": jnp.zeros(32), "c": jnp.zeros(2), "v": jnp.ones((32, 2)), "w": jnp.ones((4, 32))}
    data = jnp.ones((8, 4))
    print(evaluate(weights), sample(weights, jax.random.PRNGKey(0), data), schedule(weights, data))
    print(Search(weights).run(data), walk(jax.random.PRNGKey(1), data))
    print(phased(open_clock(), data))
