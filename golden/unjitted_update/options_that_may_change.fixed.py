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


@jax.jit
def under_another_name_step(v, w, xs, ys, rate):
    g = jax.grad(loss)(w, xs, ys)
    return 0.9 * v - 0.1 * g * rate


def under_another_name(xs, ys, args):
    options = args
    w, v = jnp.zeros(3), jnp.zeros(3)
    for i in range(100):
        v = under_another_name_step(v, w, xs, ys, args.rate)
        options.rate = 0.1 / (i + 1)
        w = w + v * args.rate
    return w


grad_loss = jax.jit(jax.grad(loss))


def beyond_32_bits(xs, ys, args):
    w, v = jnp.zeros(3), jnp.zeros(3)
    for _ in range(100):
        g = grad_loss(w, xs, ys)
        v = 0.9 * v - g / (args.count * args.count)
        w = w + v
    return w


grad_loss_2 = jax.jit(jax.grad(loss))


def computed_at_each_read(xs, ys, schedule):
    w, v = jnp.zeros(3), jnp.zeros(3)
    for _ in range(100):
        g = grad_loss_2(w, xs, ys)
        v = 0.9 * v - schedule.fading * g
        w = w + v - schedule.fading * w
    return w


grad_loss_3 = jax.jit(jax.grad(loss))


def filled_again(xs, ys, args):
    w, v = jnp.zeros(3), jnp.zeros(3)
    for i in range(100):
        args.buffer.fill(i)
        g = grad_loss_3(w, xs, ys)
        v = 0.9 * v - args.buffer * g
        w = w + v
    return w


grad_loss_4 = jax.jit(jax.grad(loss))


def picked_from_a_list(xs, ys, args):
    w, v = jnp.zeros(3), jnp.zeros(3)
    for i in range(100):
        g = grad_loss_4(w, xs, ys)
        v = 0.9 * v - args.table[i % 3] * g
        w = w + v
    return w
