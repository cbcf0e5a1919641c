import random
from functools import partial

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def drawn(x):
    generator = np.random.default_rng(0)
    total = x * 0
    for i in range(64):  # want: unrolled-loop (no fix): an iteration cannot be traced once
        total = total + x * generator.normal()
    return total


@jax.jit
def shifted(x):
    for i in range(64):  # want: unrolled-loop (no fix): line 23 reads the last `i`
        x = x + 1
    return x * i


@jax.jit
def decayed(x):
    for i in range(50):  # want: unrolled-loop (no fix): takes `i` as a Python number
        x = x * (1.0 - 0.001 * i) + i / 3
    return x


@jax.jit
def special(values):
    last = jnp.zeros(())
    for t in reversed(range(64)):  # want: unrolled-loop (no fix): one iteration computes with `9.0` in Python
        following = 9.0 if t == 63 else values[t + 1]
        last = values[t] + 0.9 * following + 0.5 * last
    return last


@jax.jit
def counted(x):
    time = 0.0
    for i in range(64):  # want: unrolled-loop (no fix): nothing says that an iteration makes an array of it
        x = x + jnp.sin(time)
        time = time + 0.1
    return x


@jax.jit
def told(x):
    for i in range(64):  # want: unrolled-loop (no fix): line 55 has a side effect in each iteration
        x = jnp.sin(x)
        print("a round")
    return x


@jax.jit
def collected(x):
    seen = {}
    for i in range(64):  # want: unrolled-loop (no fix): takes `i` as a Python number
        x = jnp.sin(x)
        seen[i] = x
    return seen


@jax.jit
def early(x, limit=3):
    for i in range(64):  # want: unrolled-loop (no fix): a `break` in line 72 ends an iteration early
        if limit < 2:
            break
        x = jnp.sin(x)
    return x


@jax.jit
def skipped(x, flag=None):
    for i in range(64):  # want: unrolled-loop (no fix): a `continue` in line 81 ends an iteration early
        if flag is None:
            continue
        x = jnp.sin(x)
    return x


@jax.jit
def sized(x):
    for i in range(64):  # want: unrolled-loop (no fix): takes `i` as a Python number
        x = x + jnp.sum(jnp.ones(i + 1))
    return x


@jax.jit
def cut(x):
    for i in range(64):  # want: unrolled-loop (no fix): takes `i` as a Python number
        x = x + jnp.sum(x[:i])
    return x


@jax.jit
def powers(x):
    for i in range(64):  # want: unrolled-loop (no fix): takes `i` as a Python number
        x = x + jnp.sin(x) ** i
    return x


@jax.jit
def layers(x):
    weights = [jnp.ones((3, 3)) for _ in range(64)]
    for i in range(64):  # want: unrolled-loop (no fix): takes `i` as a Python number
        x = jnp.tanh(x @ weights[i])
    return x


@jax.jit
def tabled(x):
    table = np.linspace(0.0, 1.0, 64)
    for i in range(64):  # want: unrolled-loop (no fix): takes `i` as a Python number
        x = x + table[i] * jnp.sin(x)
    return x


@jax.jit
def deep(x):
    for i in range(64):  # want: unrolled-loop (no fix): may create a layer, or use the state of one
        x = nn.Dense(8)(x)
    return x




@jax.jit
def named(x):
    state = None
    for i in range(64):  # want: unrolled-loop (no fix): `state` begins as `None`, which is not an array
        state = x if state is None else jnp.sin(state)
    return state


@jax.jit
def last_number(x):
    for i in range(64):  # want: unrolled-loop (no fix): its last `rate` is read after it, and may be no array
        rate = 0.1 * 3
        x = x + rate * jnp.sin(x)
    return x / rate


@jax.jit
def last_of_some(x, flag=None):
    for i in range(64):  # want: unrolled-loop (no fix): its last `y` is read after it, and some iterations do not bind it
        if flag is None:
            y = jnp.sin(x)
        x = 0.5 * x
    return x, y


@jax.jit
def divided(x):
    for i in range(64):  # want: unrolled-loop (no fix): takes `i` as a Python number
        scale = x if i == 0 else x / x[i - 1]
        x = x + scale
    return x


@jax.jit
def fraction(x):
    part = 0.1 * 30
    for i in range(64):  # want: unrolled-loop (no fix): takes `i` as a Python number
        step = x if i < part else 2 * x
        x = x + step * x[0]
    return x


@partial(jax.jit, static_argnames=("rate", "other"))
def weighed(x, rate=0.1, other=0.2):
    for i in range(64):  # want: unrolled-loop (no fix): `step` may be a number, with which Python computes
        step = rate if i < 32 else other
        x = x + step * x[0]
    return x


def bounded(x, limit):
    for i in range(64):  # want: unrolled-loop (no fix): takes `i` as a Python number
        x = x + jnp.where(i < limit, x, 0.0)
    return x


@jax.jit
def twice_bounded(x, y):
    return bounded(x, y) + bounded(x, 0.1 * 30)


@jax.jit
def watched(x):
    def now():
        return x

    for i in range(64):  # want: unrolled-loop (no fix): a function of line 196 uses `x`, which the loop binds
        x = jnp.sin(x)
    return now()


@jax.jit
def double(x):
    factor = 0.1
    for i in range(64):  # want: unrolled-loop (no fix): `factor` begins as the number `0.1`
        factor = factor * 0.5 + jnp.sum(x)
    return factor


@jax.jit
def buffered(x):
    total = np.zeros(3)
    for i in range(64):  # want: unrolled-loop (no fix): computes `total` with NumPy
        total = total + x[i]
    return total


@jax.jit
def shuffled(x):
    for i in range(64):  # want: unrolled-loop (no fix): an iteration cannot be traced once
        x = x + random.random() * jnp.sin(x)
    return x


class Counter:
    def __init__(self):
        self.count = 0


COUNTER = Counter()


@jax.jit
def counting(x):
    for i in range(64):  # want: unrolled-loop (no fix): line 237 changes `COUNTER.count`
        COUNTER.count += 1
        x = jnp.sin(x) * COUNTER.count
    return x


@jax.jit
def labelled(x):
    for i in range(64):  # want: unrolled-loop (no fix): takes `i` as a Python number
        with jax.named_scope(f"round {i}"):
            x = jnp.sin(x)
    return x


@jax.jit
def rebound(x):
    for i in range(64):  # want: unrolled-loop (no fix): an iteration binds `i` again
        i = i * 2
        x = x + x[i]
    return x


@jax.jit
def branching(x):
    for i in range(64):  # want: unrolled-loop (no fix): branches on `x > 0`
        x = jnp.sin(x) if x > 0 else x
    return x


@jax.jit
def listed(x):
    seen = []
    for i in range(64):  # want: unrolled-loop (no fix): has a side effect in each iteration, which would happen once
        x = jnp.sin(x)
        seen.append(x)
    return seen


@jax.jit
def pairs(x):
    seen = []
    for i in range(64):  # want: unrolled-loop (no fix): has a side effect in each iteration, which would happen once
        x = jnp.sin(x)
        seen.append((x, 2 * x))
    return jnp.array(seen)


@jax.jit
def summed(x):
    seen = []
    for i in range(64):  # want: unrolled-loop (no fix): has a side effect in each iteration, which would happen once
        x = jnp.sin(x)
        seen.append(x)
        if len(seen) > 3:
            x = x + seen[-3]
    return jnp.stack(seen)


@jax.jit
def maker(x):
    for i in range(64):  # want: unrolled-loop (no fix): the last `twice` that it defines is called after it

        def twice(y):
            return 2 * y

        x = twice(x)
    return twice(x)


@jax.jit
def modelled(x, parts):
    for i in range(64):  # want: unrolled-loop (no fix): takes `i` as a Python number
        x = jnp.sin(parts[i].potential(x))
    return x


@jax.jit
def applied(x, layers):
    for i in range(64):  # want: unrolled-loop (no fix): takes `i` as a Python number
        x = jnp.sin(layers[i](x))
    return x


@jax.jit
def unpacked(x):
    total, weight = jnp.zeros(()), 0.7
    for i in range(64):  # want: unrolled-loop (no fix): `weight` begins as the number `0.7`
        total = total + weight * jnp.sin(x[i])
        weight = weight * 0.9
    return total


@partial(jax.jit, static_argnames=("time", "step"))
def integrated(x, time=0.0, step=0.1):
    for i in range(64):  # want: unrolled-loop (no fix): `time` may be a number, with which Python computes
        x = x + step * jnp.sin(time)
        time = time + step
    return x


def share(x, i):
    return x * (i / 3)


@jax.jit
def shared(x):
    for i in range(64):  # want: unrolled-loop (no fix): `i / 3` in line
        x = x + share(x, i)
    return x


def drawn_by(random, x):
    return x * random.normal()


@jax.jit
def drawn_apart(x):
    for i in range(64):  # want: unrolled-loop (no fix): an iteration cannot be traced once
        random = np.random.default_rng()
        x = x + random.normal() * x
    return x
