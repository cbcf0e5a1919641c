"""What a step reads or binds otherwise than the loop did: items that others change, counts beyond single precision."""

import jax
import jax.numpy as jnp

BEGUN = 1.7e9


def halves(u):
    return jnp.tanh(u) * 0.5, jnp.sum(u) / 3.0


def thrown_away(u, rounds=40):
    total = 0.0
    for _ in range(rounds):
        w = jnp.sin(u) * 0.5 + jnp.cos(u) * 0.5  # want: unjitted-update
        u, _ = halves(w)
        u = u / (1.0 + jnp.mean(u**2))
        total += float(_)
    return u, total


def filled_between(u, table, other):
    for k in range(len(table)):
        u = jnp.tanh(u + table[k]) + 0.1 * jnp.roll(u, 1)  # want: unjitted-update (no fix)
        other[k] = other[k] * 2.0
        u = u / (1.0 + jnp.mean(u**2))
        u = u - 0.1 * jnp.sin(table[k])
    return u


def read_in_one_case(u, table, names, gain=None):
    for name in names:
        u = jnp.tanh(u) + 0.1 * jnp.roll(u, 1)  # want: unjitted-update (no fix)
        u = u / (1.0 + jnp.mean(u**2))
        u = u - 0.1 * jnp.sin(u if gain is None else table[name])
    return u


def by_number(table, w, batches, k):
    for x in batches:
        g = jnp.tanh(x @ w).mean() * 2 + 1  # want: unjitted-update
        w = w - 0.01 * g * jnp.cos(w) * table[k]
    return w


def timed(u, t):
    for _ in range(60):
        u = u + 0.05 * jnp.sin(u * 0.1 + (t - BEGUN))  # want: unjitted-update (no fix)
        u = jnp.tanh(u) + 0.1 * jnp.roll(u, 1)
        u = u / (1.0 + jnp.mean(u**2))
        t = t + 0.01
    return u


# What is multiplied keeps its digits.
def falling(x, v, mass=1.989e30, constant=6.674e-11):
    for _ in range(60):
        pull = -constant * mass * x / jnp.sum(x**2) ** 1.5  # want: unjitted-update
        v = v + 3600.0 * pull
        x = x + 3600.0 * v
    return x, v


def last_of_them(u, rounds=40):
    last = None
    for _ in range(rounds):
        u = jnp.tanh(u) + 0.1 * jnp.roll(u, 1)  # want: unjitted-update (no fix)
        for gain in (0.5, 0.25, 0.125):
            last = gain
            u = u * 0.9 + gain * jnp.sin(u)  # want: unjitted-update
        u = u / (1.0 + jnp.mean(u**2))
    return u, last


if __name__ == "__main__":
    print(thrown_away(jnp.arange(4.0)))
    print(filled_between(jnp.arange(4.0), [jnp.ones(4)] * 30, [jnp.ones(4)] * 30))
    print(read_in_one_case(jnp.arange(4.0), {}, [f"n{k}" for k in range(30)]))
    print(by_number([0.1, 0.2], jnp.ones(3), [jnp.ones((4, 3))] * 12, 1))
    print(timed(jnp.arange(4.0), BEGUN))
    print(falling(jnp.asarray([1.5e11, 0.0]), jnp.asarray([0.0, 3.0e4])))
    print(last_of_them(jnp.arange(4.0)))
