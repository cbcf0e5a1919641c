"""Jits that take something along: it is passed at each call."""

import functools

import jax
import jax.numpy as jnp


def over_a_loop(x, rates):
    total = 0.0
    for rate in rates:
        total += jax.jit(lambda v: jnp.sum(v * rate))(x)  # want: local-jit
    return total


def over_rebound_params(params, batches):
    for batch in batches:
        step = jax.jit(lambda x: params - 0.1 * x)  # want: local-jit
        params = step(batch)
    return params


def in_a_comprehension(x, rates):
    return [jax.jit(lambda v: v * rate)(x) for rate in rates]  # want: local-jit


def of_a_gradient(params, x, y):
    # The loss.
    def mse(p):
        return jnp.mean((x @ p - y) ** 2)  # over the batch

    value, gradient = jax.jit(jax.value_and_grad(mse))(params)  # want: local-jit
    return value, params - gradient


def with_options(x, rate, n):
    @functools.partial(jax.jit, static_argnums=1, donate_argnums=(0,))  # want: local-jit
    def grow(v: jax.Array, times: int) -> jax.Array:
        return jnp.concatenate([v * rate] * times)

    return grow(x, n)


def by_keyword(x, rate):
    scale = jax.jit(lambda v, w: v * rate + w)  # want: local-jit
    return scale(w=x, v=x)


def of_a_dictionary(x, params):
    return jax.jit(lambda v: v @ params["w"] + params["b"])(x)  # want: local-jit


def with_a_random_key(key, x):
    return jax.jit(lambda v: v + jax.random.normal(key, (3,)))(x)  # want: local-jit


def over_a_batch(model, x, y):
    loss = jax.jit(lambda m: jnp.mean((jax.vmap(m.dot)(x) - y) ** 2))  # want: local-jit
    return loss(model)


class Model:
    def __init__(self, scale):
        self.scale = scale
        self.name = "model"

    def predict(self, x):
        return jax.jit(lambda v: v * self.scale)(x)  # want: local-jit


def linear(weight, x):
    return weight @ x


def applied(weight, x):
    return jax.jit(functools.partial(linear, weight))(x)  # want: local-jit


def named(weight, xs):
    step = jax.jit(functools.partial(linear, weight))  # want: local-jit
    return [step(x) for x in xs]


def descended(weight, x):
    for _ in range(8):
        step = jax.jit(functools.partial(linear, x=x))  # want: local-jit
        weight = step(weight)
    return weight


class Layer:
    def __init__(self, weight):
        self.weight = weight

    def __call__(self, x):
        apply = jax.jit(functools.partial(linear, self.weight))  # want: local-jit
        return apply(x)


def with_a_length(xs, n: int):
    for x in xs:
        padded = jax.jit(lambda v: jnp.concatenate([v, jnp.zeros(n)]))  # want: local-jit
        yield padded(x)


def make_solver(tolerance: float):
    def solve(x):
        return jax.jit(lambda v: jnp.where(v < tolerance, 0.0, v))(x)  # want: local-jit

    return solve


for rate in (0.1, 0.2, 0.3, 0.4):
    print(jax.jit(lambda v: v * rate)(jnp.ones(2)))  # want: local-jit
