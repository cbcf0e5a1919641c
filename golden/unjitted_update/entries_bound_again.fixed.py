"""Dictionaries and lists whose entries a loop rebinds: `jit` takes them apart when it is called."""

import jax
import jax.numpy as jnp
import numpy as np


def loss_of(theta, x):
    return jnp.mean((x @ theta["w"] + theta["b"]) ** 2)


@jax.jit
def compute_slopes(theta, x, k):
    return jax.grad(loss_of)(theta, x * k)


def train(x):
    theta = {"b": jnp.zeros(3), "w": jnp.ones((3, 3))}
    for k in range(100):
        slopes = compute_slopes(theta, x, k)
        for name in theta:
            theta[name] -= 0.1 * slopes[name]
    return theta


@jax.jit
def compute_slopes_2(x, params):
    return jax.grad(lambda p: jnp.mean((x @ p[0] + p[1]) ** 2))(params)


def train_lists(x):
    params, moments = [jnp.ones((3, 3)), jnp.ones(3)], [jnp.zeros((3, 3)), jnp.zeros(3)]
    for k in range(100):
        slopes = compute_slopes_2(x, params)
        for i in range(len(params)):
            moments[i] = 0.9 * moments[i] + 0.1 * slopes[i]
            params[i] = params[i] - 0.1 * moments[i]
    return params


@jax.jit
def compute_slopes_3(x, k, theta):
    return jax.grad(lambda t: loss_of(t["layer"], x * k))(theta)


def train_nested(x):
    theta = {"layer": {"b": jnp.zeros(3), "w": jnp.ones((3, 3))}}
    for k in range(100):
        slopes = compute_slopes_3(x, k, theta)
        theta["layer"]["w"] = theta["layer"]["w"] - 0.1 * slopes["layer"]["w"]
        theta["layer"]["b"] = theta["layer"]["b"] - 0.1 * slopes["layer"]["b"]
    return theta


grad_loss_of = jax.jit(jax.grad(loss_of))


@jax.jit
def aliased_step(x, kept):
    loss = loss_of(kept, x)
    return jnp.sin(x) + loss


# Another name of the same dictionary shows what is bound in between.
def aliased(x):
    theta = {"b": jnp.zeros(3), "w": jnp.ones((3, 3))}
    kept = theta
    for _ in range(100):
        slopes = grad_loss_of(theta, x)
        theta["w"] = theta["w"] - 0.1 * slopes["w"]
        x = aliased_step(x, kept)
    return theta, x


@jax.jit
def aliased_part_step(x, layers):
    y = jnp.tanh(x) * jnp.sin(x)
    return jnp.sin(x) + loss_of(layers[0], x) + y


def aliased_part(x):
    layers = [{"b": jnp.zeros(3), "w": jnp.ones((3, 3))}]
    first = layers[0]
    for _ in range(100):
        first["w"] = first["w"] * 0.9
        x = aliased_part_step(x, layers)
    return x


@jax.jit
def compute_slopes_4(x, own_w):
    return jax.grad(lambda w: jnp.mean((x @ w[0] @ w[1]) ** 2))(own_w)


@jax.jit
def train_step(x, w):
    return jnp.sin(x @ w[0]) + jnp.mean(jnp.tanh(x))


class Model:
    def __init__(self):
        self.w = [jnp.eye(3) * 0.7, jnp.ones((3, 3)) * 0.4]

    def train(self, x):
        kept, others = self.w, [x]
        for _ in range(100):
            slopes = compute_slopes_4(x, self.w)
            kept[0] = kept[0] - 0.1 * slopes[0]
            x = train_step(x, self.w)
        return x, others


# An array of NumPy is changed in place, perhaps while a step reads it.
def train_numpy(x):
    theta = {"b": np.zeros(3), "w": np.ones((3, 3))}
    for k in range(100):
        slopes = jax.grad(loss_of)(theta, x * k)
        for name in theta:
            theta[name] -= 0.1 * slopes[name]
    return theta


def refilled(theta):
    batch = {"x": np.ones((2, 3), np.float32)}
    for k in range(100):
        batch["x"][:] = k
        slopes = jax.grad(lambda t, b: loss_of(t, b["x"]))(theta, batch)
        theta = jax.tree.map(lambda p, d: p - 0.1 * d, theta, slopes)
    return theta


def refilled_rows(theta):
    batches = [np.ones((2, 3), np.float32)]
    for k in range(100):
        batches[0][1] = k
        slopes = jax.grad(lambda t, b: loss_of(t, b[0]))(theta, batches)
        theta = jax.tree.map(lambda p, d: p - 0.1 * d, theta, slopes)
    return theta


if __name__ == "__main__":
    data = jnp.ones((2, 3)) * 0.1
    start = {"b": jnp.zeros(3), "w": jnp.ones((3, 3))}
    print(train(data), train_lists(data), train_nested(data), aliased(data), aliased_part(data))
    print(Model().train(data))
    print(train_numpy(data), refilled(start), refilled_rows(start))
