"""What the last statement of a step computes and fetches is part of it; the value is read outside."""

import jax
import jax.numpy as jnp
import numpy as np

from data import batches, open_clock, rounds


def model(params, x):
    return jax.nn.log_softmax(jnp.tanh(x @ params["w"] + params["b"]) @ params["v"] + params["c"])


def evaluate(params):
    total, seen = 0.0, []
    for x, y in batches():
        logits = model(params, x)  # want: unjitted-update
        hits = jnp.argmax(logits, axis=1) == y
        total += float(jnp.mean(hits))
    for x, y in batches():
        logits = model(params, x) - jnp.max(x)  # want: unjitted-update
        seen.append(jnp.mean((logits - jnp.mean(logits)) ** 2).item())
    return total, seen


def sample(params, key, x):
    kept = []
    while len(kept) < 100:
        key, draw = jax.random.split(key)  # want: unjitted-update
        logits = model(params, x) / jnp.max(x)
        x = jnp.roll(x, 1, axis=0) * jnp.tanh(jax.random.normal(draw, x.shape))
        kept.append(np.asarray(jnp.argmax(logits, axis=-1)))
    return kept


def walk(key, x):
    path = []
    for _ in range(200):
        key, draw = jax.random.split(key)  # want: unjitted-update
        x = x + 0.1 * jnp.sin(x) * jax.random.normal(draw, x.shape)
        path.append(x**2 - jnp.mean(x))
    return jnp.stack(path)


# Numbers that meet before an array does have 64 bits outside of a step.
def phased(clock, x):
    phases = []
    for number in range(100):
        t = clock.read()
        y = jnp.tanh(x) * jnp.sin(x) + jnp.exp(-x)  # want: unjitted-update
        x = y * jnp.cos(y)
        phases.append(float(jnp.mean(x * jnp.cos(y)) + (t * t) % 1000) / (number + 1))
        phases.append(float(jnp.mean(x * jnp.cos(y)) + (t * t) % 1000))
    return phases


class Search:
    def __init__(self, params):
        self.params, self.best = params, float("inf")

    def run(self, x):
        for _ in range(200):
            self.params = jax.tree.map(lambda p: p * 0.9 + jnp.sin(p) * 0.1, self.params)  # want: unjitted-update
            self.best = min(self.best, float(jnp.mean(model(self.params, x) ** 2)))  # want: unjitted-update
        return self.best


def schedule(params, x):
    rate = 1.0
    for _ in range(rounds):
        logits = model(params, x) * jnp.tanh(x.sum()) - jnp.mean(x)  # want: unjitted-update
        rate = float(jnp.mean(jnp.abs(logits - jnp.max(logits))))
        x = x + rate * jnp.sin(x) * jnp.cos(x)
    return x


if __name__ == "__main__":
    weights = {"b": jnp.zeros(32), "c": jnp.zeros(2), "v": jnp.ones((32, 2)), "w": jnp.ones((4, 32))}
    data = jnp.ones((8, 4))
    print(evaluate(weights), sample(weights, jax.random.PRNGKey(0), data), schedule(weights, data))
    print(Search(weights).run(data), walk(jax.random.PRNGKey(1), data))
    print(phased(open_clock(), data))
