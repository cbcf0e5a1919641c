"""Steps that are one call of a derivative: that is jitted itself, with no function around it."""

import jax
import jax.numpy as jnp


def loss_fn(params, x, y):
    return jnp.mean((jnp.tanh(x @ params["w"]) @ params["v"] - y) ** 2)


@jax.jit
def compute_norm(params, x, y):
    grads = jax.grad(loss_fn)(params, x, y)
    norm = jnp.sqrt(sum(jnp.sum(a ** 2) for a in jax.tree.leaves(grads)))
    return grads, norm


def fit(params, xs, ys, limit=None):
    norms = []
    for x, y in zip(xs, ys):
        grads, norm = compute_norm(params, x, y)
        if limit is not None and norm > limit:
            grads = {name: a * limit / norm for name, a in grads.items()}
        params = {name: a - 0.1 * grads[name] for name, a in params.items()}
        norms.append(norm)
    return params, norms


value_and_grad_loss_fn = jax.jit(jax.value_and_grad(loss_fn, argnums=(0, 1)))


def both(params, xs, ys):
    for x, y in zip(xs, ys):
        loss, grads = value_and_grad_loss_fn(params, x, y)
        if loss < 1e-3:
            break
        params = {name: a - 0.1 * grads[0][name] for name, a in params.items()}
    return params


def energy(w, x):
    return jnp.sum(jnp.prod(x * w) + jnp.sin(w))


def search(w, x):
    slope = jax.jit(jax.grad(energy))
    for _ in range(40):
        g = slope(w, x)
        t = 1.0
        while energy(w - t * g, x) > 0.5 * t:
            t *= 0.5
        w = w - t * g
    return w


# The derivative is read twice, and the other one may be given what `jit` does not accept.
def twice(w, x, check):
    slope = jax.grad(energy)
    check(slope)

    @jax.jit
    def compute_g(w, x):
        return slope(w, x)

    for _ in range(40):
        g = compute_g(w, x)
        if g.sum() > 3:
            break
        w = w - 0.1 * g
    return w


@jax.jit
def compute_g_2(w):
    return jax.grad(energy)(w, 2)


# What it is given is computed, or a constant, which `jit` would trace.
def of_constants(w):
    for _ in range(40):
        g = compute_g_2(w)
        if g.sum() > 3:
            break
        w = w - 0.1 * g
    return w


@jax.jit
def compute_g_3(w, x):
    return jax.grad(late)(w, x)


# The function is bound below.
def early(w, x):
    for _ in range(40):
        g = compute_g_3(w, x)
        if g.sum() > 3:
            break
        w = w - 0.1 * g
    return w


def late(w, x):
    return jnp.sum(jnp.prod(x * w) + jnp.cos(w))


w = jnp.ones(3)
params = {"w": jnp.ones((3, 4)), "v": jnp.ones(4)}
xs, ys = jnp.ones((9, 5, 3)), jnp.ones((9, 5))
print(fit(params, xs, ys), both(params, xs, ys), search(w, w), twice(w, w, print), of_constants(w), early(w, w))
