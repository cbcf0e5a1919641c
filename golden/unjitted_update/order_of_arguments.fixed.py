"""Dictionaries that a step goes over: `jit` passes them with their keys sorted."""

import jax
import jax.numpy as jnp

NAMES = ["in", "hidden", "out"]


def network(layers, x):
    for w in layers.values():
        x = jnp.tanh(x @ w)
    return x


def loss_of(layers, x):
    return jnp.mean(network(layers, x) ** 2)


def train(x):
    layers = {"in": jnp.ones((3, 3)), "hidden": jnp.eye(3), "out": jnp.ones((3, 3)) * 2}
    for _ in range(100):
        slopes = jax.grad(loss_of)(layers, x)
        layers = jax.tree.map(lambda w, d: w - 0.1 * d, layers, slopes)
    return layers


def update(layers, x):
    slopes = jax.grad(loss_of)(layers, x)
    return {name: layers[name] - 0.1 * slopes[name] for name in layers}


def train_listed(x):
    layers = dict(zip(NAMES, [jnp.ones((3, 3))] * 3))
    for _ in range(100):
        layers = update(layers, x)
    return layers


@jax.jit
def averaged_of_step(last, value):
    return 0.9 * last + 0.1 * jnp.tanh(value)


def averaged_of(params, x):
    last = x
    for name, value in params.items():
        last = averaged_of_step(last, value)
    return jnp.sum(last**2)


def averaged(x):
    params = {}
    for number in range(3):
        params[f"w{number}"] = jnp.ones((3, 3))
        params[f"b{number}"] = jnp.ones(3)
    for _ in range(100):
        slopes = jax.grad(averaged_of)(params, x)
        params = jax.tree.map(lambda p, d: p - 0.1 * d, params, slopes)
    return params


def first_of(x, parts):
    first, *rest = parts.values()
    return jnp.mean(jnp.tanh(x @ first) * sum(rest)) + jnp.mean(jnp.stack(list(parts.values()))[0])


def unpacked(x):
    parts = {name: jnp.ones((3, 3)) for name in ("out", "in")}
    for _ in range(100):
        x = x - 0.1 * jax.grad(first_of)(x, parts)
        parts = {name: part * 0.9 for name, part in parts.items()}
    return x


def of_blocks(blocks, x):
    for block in blocks:
        for w in block.values():
            x = jnp.tanh(x @ w)
    return jnp.mean(x**2)


def of_layers(layers, x):
    for layer in layers:
        x = jnp.tanh(x @ layer["w"] + layer["b"])
    return jnp.mean(x**2)


@jax.jit
def train_step(layers, x):
    slopes = jax.grad(of_layers)(layers, x)
    return jax.tree.map(lambda p, d: p - 0.1 * d, layers, slopes)


def train_lists(x):
    blocks = [{"w": jnp.ones((3, 3)), "b": jnp.eye(3)}, {"w": jnp.eye(3), "b": jnp.eye(3)}]
    for _ in range(100):
        slopes = jax.grad(of_blocks)(blocks, x)
        blocks = jax.tree.map(lambda p, d: p - 0.1 * d, blocks, slopes)
    layers = [{"w": jnp.ones((3, 3)), "b": jnp.ones(3)}, {"w": jnp.eye(3), "b": jnp.ones(3)}]
    for _ in range(100):
        layers = train_step(layers, x)
    return blocks, layers


class Model:
    def __init__(self):
        self.layers, self.nets = {"in": jnp.ones((3, 3)), "hidden": jnp.eye(3)}, 0
        self.nets = {}
        self.nets["w"] = jnp.ones((3, 3))
        self.nets["b"] = jnp.eye(3)

    def train(self, x):
        for _ in range(100):
            self.layers = moved(self.layers, x)

    def train_nets(self, x):
        for _ in range(100):
            slopes = jax.grad(loss_of)(self.nets, x)
            self.nets = jax.tree.map(lambda p, d: p - 0.1 * d, self.nets, slopes)


def moved(layers, x):
    slopes = jax.grad(loss_of)(layers, x)
    return jax.tree.map(lambda p, d: p - 0.1 * d, layers, slopes)


# Where no iteration reads what another one has computed, or the keys are sorted, the order makes no difference.


def penalty(params, x):
    total = 0.0
    for name, value in params.items():
        scaled = value * 2.0
        total += jnp.sum(scaled**2)
    return total + sum(jnp.sum(jnp.abs(value)) for value in params.values()) + jnp.mean(x @ params["w"])


grad_penalty = jax.jit(jax.grad(penalty))


def shrunk(x):
    params = {"w": jnp.ones((3, 3)), "b": jnp.ones(3)}
    for _ in range(100):
        slopes = grad_penalty(params, x)
        params = {name: params[name] - 0.1 * slopes[name] for name in sorted(params)}
    return params["w"]


@jax.jit
def train_sorted_step(layers, x):
    slopes = jax.grad(loss_of)(layers, x)
    return jax.tree.map(lambda w, d: w - 0.1 * d, layers, slopes)


def train_sorted(x):
    layers = {"a": jnp.ones((3, 3)), "b": jnp.eye(3)}
    for _ in range(100):
        layers = train_sorted_step(layers, x)
    return layers


if __name__ == "__main__":
    data = jnp.ones((3, 3))
    print(train(data), train_listed(data), averaged(data), unpacked(data))
    model = Model()
    model.train(data)
    model.train_nets(data)
    print(shrunk(data), train_sorted(data), train_lists(data))
