"""Values and gradients of the same function, in all spellings."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import grad, jit


def loss_fn(params, x):
    return jnp.mean((x @ params) ** 2)


def in_either_order(params, batches, optimizer, state):
    for x in batches:
        loss, grads = jax.value_and_grad(loss_fn)(params, x)
        updates, state = optimizer.update(grads, state, params)
        moved = optax.apply_updates(params, updates)
        # the loss before the step
        print(f"loss {loss}")
        params = moved
    return params


def named(params, batches):
    grad_fn = jax.value_and_grad(loss_fn)
    losses = []
    for x in batches:
        loss, gradient = grad_fn(params, x)
        losses.append(float(loss))
        print("loss", loss)
        params = params - 0.1 * gradient
    return params, losses


def used_elsewhere_too(params, batches):
    grad_fn = jax.grad(loss_fn, argnums=(0, 1))
    for x in batches:
        loss, (down, across) = jax.value_and_grad(loss_fn, argnums=(0, 1))(params, x)
        params = params - 0.1 * (down + across) / loss
    return params, grad_fn(params, x)


def under_jit(params, xs):
    value_of, gradient_of = None, None
    slope_of = jax.jit(jax.value_and_grad(loss_fn))
    for x in xs:
        value, gradient = slope_of(params, x)
        v = float(value)
        g = np.asarray(gradient)
        params = params - v * g
    return params, value_of, gradient_of


@jit
def squares(p):
    return jnp.sum(p**2)


slope = jit(grad(squares))
value_and_slope = jit(jax.value_and_grad(squares))


def of_a_decorated_one(p):
    for _ in range(100):
        size, g = value_and_slope(p)
        p = p - 0.1 * g / size
    return p


def of_a_local_function(params, xs, target):
    for x in xs:

        def inner(p, x=x):
            terms = []
            terms.append(jnp.sum((x - p) ** 2))
            return sum(terms) + target

        value_2, gradient = jax.value_and_grad(inner)(params)
        value, slope = value_2, gradient
        params = params - slope / value
    return params


def with_more(params, x):
    def both(p):
        y = x @ p
        return jnp.mean(y**2), y

    value, gradient = jax.value_and_grad(both, has_aux=True)(params)
    loss, y = value
    slope, _ = (gradient, value[1])
    return loss, y, slope


def of_a_module(model, xs):
    def loss_of(model, x):
        return jnp.mean(jax.vmap(model)(x) ** 2)

    for x in xs:
        loss, slopes = eqx.filter_value_and_grad(loss_of)(model, x)
        print(loss)
        model = eqx.apply_updates(model, slopes)
    return model


class Fit:
    def loss(self, w, b):
        return jnp.sum((w - b) ** 2)

    def fit(self, w, b):
        slopes = jax.value_and_grad(self.loss, argnums=(0, 1))
        for _ in range(50):
            size, (gw, gb) = slopes(w, b)
            w, b = w - gw / size, b - gb
        return w, b


def returned(p):
    value, gradient = jax.value_and_grad(loss_fn)(p, p)
    return value, gradient


def scaled(params, scale):
    return scale * jnp.sum(params**2)


def with_a_number(params):
    for _ in range(100):
        loss, gradient = jax.value_and_grad(scaled)(params, 0.5)
        params = params - gradient / loss
    return params


def objective(loss):
    value_of, slope_of = None, jax.jit(jax.grad(loss))
    loss_of = jax.jit(loss)
    gradient_of = jax.jit(jax.grad(loss))

    def both(point):
        value = float(loss_of(point))
        slope = np.array(gradient_of(point))
        if not np.isfinite(value):
            slope = np.zeros_like(slope)
        return value, slope

    return both, value_of, slope_of


def log_density(x):
    return -0.5 * jnp.sum(x**2) - jnp.sum(jnp.cos(3 * x))


def langevin(x, noises):
    for noise in noises:
        value, gradient = jax.value_and_grad(log_density)(x)
        other = jax.grad(log_density)(noise + 1)
        sums = log_density(noise) + other
        x = x + noise + gradient * value * sums
    return x
