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
        grads = jax.grad(loss_fn)(params, x)
        updates, state = optimizer.update(grads, state, params)
        moved = optax.apply_updates(params, updates)
        # the loss before the step
        loss = loss_fn(params, x)  # want: separate-value-and-grad
        print(f"loss {loss}")
        params = moved
    return params


def named(params, batches):
    grad_fn = jax.grad(loss_fn)
    losses = []
    for x in batches:
        loss = loss_fn(params, x)
        losses.append(float(loss))
        print("loss", loss)
        params = params - 0.1 * grad_fn(params, x)  # want: separate-value-and-grad
    return params, losses


def used_elsewhere_too(params, batches):
    grad_fn = jax.grad(loss_fn, argnums=(0, 1))
    for x in batches:
        loss = loss_fn(params, x)
        down, across = grad_fn(params, x)  # want: separate-value-and-grad
        params = params - 0.1 * (down + across) / loss
    return params, grad_fn(params, x)


def under_jit(params, xs):
    value_of, gradient_of = None, None
    loss_of = jax.jit(loss_fn)
    slope_of = jax.jit(jax.grad(loss_fn))
    for x in xs:
        v = float(loss_of(params, x))
        g = np.asarray(slope_of(params, x))  # want: separate-value-and-grad
        params = params - v * g
    return params, value_of, gradient_of


@jit
def squares(p):
    return jnp.sum(p**2)


slope = jit(grad(squares))


def of_a_decorated_one(p):
    for _ in range(100):
        size = squares(p)
        g = slope(p)  # want: separate-value-and-grad
        p = p - 0.1 * g / size
    return p


def of_a_local_function(params, xs, target):
    for x in xs:

        def inner(p, x=x):
            terms = []
            terms.append(jnp.sum((x - p) ** 2))
            return sum(terms) + target

        value, slope = inner(params), jax.grad(inner)(params)  # want: separate-value-and-grad
        params = params - slope / value
    return params


def with_more(params, x):
    def both(p):
        y = x @ p
        return jnp.mean(y**2), y

    loss, y = both(params)
    slope, _ = jax.grad(both, has_aux=True)(params)  # want: separate-value-and-grad
    return loss, y, slope


def of_a_module(model, xs):
    def loss_of(model, x):
        return jnp.mean(jax.vmap(model)(x) ** 2)

    for x in xs:
        loss = loss_of(model, x)
        slopes = eqx.filter_grad(loss_of)(model, x)  # want: separate-value-and-grad
        print(loss)
        model = eqx.apply_updates(model, slopes)
    return model


class Fit:
    def loss(self, w, b):
        return jnp.sum((w - b) ** 2)

    def fit(self, w, b):
        slopes = jax.grad(self.loss, argnums=(0, 1))
        for _ in range(50):
            size = self.loss(w, b)
            gw, gb = slopes(w, b)  # want: separate-value-and-grad
            w, b = w - gw / size, b - gb
        return w, b


def returned(p):
    return loss_fn(p, p), jax.grad(loss_fn)(p, p)  # want: separate-value-and-grad


def scaled(params, scale):
    return scale * jnp.sum(params**2)


def with_a_number(params):
    for _ in range(100):
        loss = scaled(params, 0.5)
        params = params - jax.grad(scaled)(params, 0.5) / loss  # want: separate-value-and-grad
    return params


def objective(loss):
    value_of, slope_of = None, jax.jit(jax.grad(loss))
    loss_of = jax.jit(loss)
    gradient_of = jax.jit(jax.grad(loss))

    def both(point):
        value = float(loss_of(point))
        slope = np.array(gradient_of(point))  # want: separate-value-and-grad (no fix)
        if not np.isfinite(value):
            slope = np.zeros_like(slope)
        return value, slope

    return both, value_of, slope_of


def log_density(x):
    return -0.5 * jnp.sum(x**2) - jnp.sum(jnp.cos(3 * x))


def langevin(x, noises):
    for noise in noises:
        value = log_density(x)
        other = jax.grad(log_density)(noise + 1)
        sums = log_density(noise) + other
        x = x + noise + jax.grad(log_density)(x) * value * sums  # want: separate-value-and-grad
    return x
