"""Dictionaries and lists whose entries a loop rebinds: `jit` takes them apart when it is called."""

import jax
import jax.numpy as jnp
import numpy as np


def loss_of(theta, x):
    return jnp.mean((x @ theta["w"] + theta["b"]) ** 2)


def train(x):
    theta = {"b": jnp.zeros(3), "w": jnp.ones((3, 3))}
    for k in range(100):
        slopes = jax.grad(loss_of)(theta, x * k)  # want: unjitted-update
        for name in theta:
            theta[name] -= 0.1 * slopes[name]
    return theta


def train_lists(x):
    params, moments = [jnp.ones((3, 3)), jnp.ones(3)], [jnp.zeros((3, 3)), jnp.zeros(3)]
    for k in range(100):
        slopes = jax.grad(lambda p: jnp.mean((x @ p[0] + p[1]) ** 2))(params)  # want: unjitted-update
        for i in range(len(params)):
            moments[i] = 0.9 * moments[i] + 0.1 * slopes[i]
            params[i] = params[i] - 0.1 * moments[i]
    return params


def train_nested(x):
    theta = {"layer": {"b": jnp.zeros(3), "w": jnp.ones((3, 3))}}
    for k in range(100):
        slopes = jax.grad(lambda t: loss_of(t["layer"], x * k))(theta)  # want: unjitted-update
        theta["layer"]["w"] = theta["layer"]["w"] - 0.1 * slopes["layer"]["w"]
        theta["layer"]["b"] = theta["layer"]["b"] - 0.1 * slopes["layer"]["b"]
    return theta


# Another name of the same dictionary shows what is bound in between.
def aliased(x):
    theta = {"b": jnp.zeros(3), "w": jnp.ones((3, 3))}
    kept = theta
    for _ in range(100):
        slopes = jax.grad(loss_of)(theta, x)  # want: unjitted-update
        theta["w"] = theta["w"] - 0.1 * slopes["w"]
        loss = loss_of(kept, x)
        x = jnp.sin(x) + loss
    return theta, x


def aliased_part(x):
    layers = [{"b": jnp.zeros(3), "w": jnp.ones((3, 3))}]
    first = layers[0]
    for _ in range(100):
        y = jnp.tanh(x) * jnp.sin(x)  # want: unjitted-update
        first["w"] = first["w"] * 0.9
        x = jnp.sin(x) + loss_of(layers[0], x) + y
    return x


class Model:
    def __init__(self):
        self.w = [jnp.eye(3) * 0.7, jnp.ones((3, 3)) * 0.4]

    def train(self, x):
        kept, others = self.w, [x]
        for _ in range(100):
            slopes = jax.grad(lambda w: jnp.mean((x @ w[0] @ w[1]) ** 2))(self.w)  # want: unjitted-update
            kept[0] = kept[0] - 0.1 * slopes[0]
            x = jnp.sin(x @ self.w[0]) + jnp.mean(jnp.tanh(x))
        return x, others


# An array of NumPy is changed in place, perhaps while a step reads it.
def train_numpy(x):
    theta = {"b": np.zeros(3), "w": np.ones((3, 3))}
    for k in range(100):
        slopes = jax.grad(loss_of)(theta, x * k)  # want: unjitted-update (no fix)
        for name in theta:
            theta[name] -= 0.1 * slopes[name]
    return theta


def refilled(theta):
    batch = {"x": np.ones((2, 3), np.float32)}
    for k in range(100):
        batch["x"][:] = k
        slopes = jax.grad(lambda t, b: loss_of(t, b["x"]))(theta, batch)  # want: unjitted-update (no fix)
        theta = jax.tree.map(lambda p, d: p - 0.1 * d, theta, slopes)
    return theta


def refilled_rows(theta):
    batches = [np.ones((2, 3), np.float32)]
    for k in range(100):
        batches[0][1] = k
        slopes = jax.grad(lambda t, b: loss_of(t, b[0]))(theta, batches)  # want: unjitted-update (no fix)
        theta = jax.tree.map(lambda p, d: p - 0.1 * d, theta, slopes)
    return theta


if __name__ == "__main__":
    data = jnp.ones((2, 3)) * 0.1
    start = {"b": jnp.zeros(3), "w": jnp.ones((3, 3))}
    print(train(data), train_lists(data), train_nested(data), aliased(data), aliased_part(data))
    print(Model().train(data))
    print(train_numpy(data), refilled(start), refilled_rows(start))
