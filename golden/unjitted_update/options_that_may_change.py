"""Options that a trace would see otherwise stay where they are read: outside of the step."""

import jax
import jax.numpy as jnp


def loss(w, x, y):
    return jnp.mean((x @ w - y) ** 2)


class Schedule:
    reads = 0

    @property
    def fading(self):
        self.reads += 1
        return 0.1 / self.reads


def under_another_name(xs, ys, args):
    options = args
    w, v = jnp.zeros(3), jnp.zeros(3)
    for i in range(100):
        g = jax.grad(loss)(w, xs, ys)  # want: unjitted-update
        v = 0.9 * v - 0.1 * g * args.rate
        options.rate = 0.1 / (i + 1)
        w = w + v * args.rate
    return w


def beyond_32_bits(xs, ys, args):
    w, v = jnp.zeros(3), jnp.zeros(3)
    for _ in range(100):
        g = jax.grad(loss)(w, xs, ys)  # want: unjitted-update
        v = 0.9 * v - g / (args.count * args.count)
        w = w + v
    return w


def computed_at_each_read(xs, ys, schedule):
    w, v = jnp.zeros(3), jnp.zeros(3)
    for _ in range(100):
        g = jax.grad(loss)(w, xs, ys)  # want: unjitted-update
        v = 0.9 * v - schedule.fading * g
        w = w + v - schedule.fading * w
    return w


def filled_again(xs, ys, args):
    w, v = jnp.zeros(3), jnp.zeros(3)
    for i in range(100):
        args.buffer.fill(i)
        g = jax.grad(loss)(w, xs, ys)  # want: unjitted-update
        v = 0.9 * v - args.buffer * g
        w = w + v
    return w


def picked_from_a_list(xs, ys, args):
    w, v = jnp.zeros(3), jnp.zeros(3)
    for i in range(100):
        g = jax.grad(loss)(w, xs, ys)  # want: unjitted-update
        v = 0.9 * v - args.table[i % 3] * g
        w = w + v
    return w
