"""Jits that take something along: it is passed at each call."""

import functools

import jax
import jax.numpy as jnp


_over_a_loop_jitted = jax.jit(lambda v, rate: jnp.sum(v * rate))


def over_a_loop(x, rates):
    total = 0.0
    for rate in rates:
        total += _over_a_loop_jitted(x, rate)
    return total


_over_rebound_params_step = jax.jit(lambda x, params: params - 0.1 * x)


def over_rebound_params(params, batches):
    for batch in batches:
        params = _over_rebound_params_step(batch, params)
    return params


_in_a_comprehension_jitted = jax.jit(lambda v, rate: v * rate)


def in_a_comprehension(x, rates):
    return [_in_a_comprehension_jitted(x, rate) for rate in rates]


# The loss.
def _of_a_gradient_mse(p, x, y):
    return jnp.mean((x @ p - y) ** 2)  # over the batch


_of_a_gradient_value_and_grad_mse = jax.jit(jax.value_and_grad(_of_a_gradient_mse))


def of_a_gradient(params, x, y):
    value, gradient = _of_a_gradient_value_and_grad_mse(params, x, y)
    return value, params - gradient


@functools.partial(jax.jit, static_argnums=1, donate_argnums=(0,))
def _with_options_grow(v: jax.Array, times: int, rate) -> jax.Array:
    return jnp.concatenate([v * rate] * times)


def with_options(x, rate, n):
    return _with_options_grow(x, n, rate)


_by_keyword_scale = jax.jit(lambda v, w, rate: v * rate + w)


def by_keyword(x, rate):
    return _by_keyword_scale(w=x, v=x, rate=rate)


_of_a_dictionary_jitted = jax.jit(lambda v, w, b: v @ w + b)


def of_a_dictionary(x, params):
    return _of_a_dictionary_jitted(x, params["w"], params["b"])


_with_a_random_key_jitted = jax.jit(lambda v, key: v + jax.random.normal(key, (3,)))


def with_a_random_key(key, x):
    return _with_a_random_key_jitted(x, key)


_over_a_batch_loss = jax.jit(lambda m, x, y: jnp.mean((jax.vmap(m.dot)(x) - y) ** 2))


def over_a_batch(model, x, y):
    return _over_a_batch_loss(model, x, y)


_predict_jitted = jax.jit(lambda v, scale: v * scale)


class Model:
    def __init__(self, scale):
        self.scale = scale
        self.name = "model"

    def predict(self, x):
        return _predict_jitted(x, self.scale)


def linear(weight, x):
    return weight @ x


def applied(weight, x):
    return jax.jit(linear)(weight, x)


def named(weight, xs):
    step = jax.jit(linear)
    return [step(weight, x) for x in xs]


def descended(weight, x):
    for _ in range(8):
        step = jax.jit(linear)
        weight = step(weight, x=x)
    return weight


class Layer:
    def __init__(self, weight):
        self.weight = weight

    def __call__(self, x):
        apply = jax.jit(linear)
        return apply(self.weight, x)


def with_a_length(xs, n: int):
    padded = jax.jit(lambda v: jnp.concatenate([v, jnp.zeros(n)]))
    for x in xs:
        yield padded(x)


def make_solver(tolerance: float):
    _solve_jitted = jax.jit(lambda v: jnp.where(v < tolerance, 0.0, v))

    def solve(x):
        return _solve_jitted(x)

    return solve


_jitted = jax.jit(lambda v, rate: v * rate)
for rate in (0.1, 0.2, 0.3, 0.4):
    print(_jitted(jnp.ones(2), rate))
