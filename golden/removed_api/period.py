"""A training script of 2023: what it needs, jax 0.4.13 has."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import random
from jax.config import config  # want: removed-api

config.update("jax_enable_x64", False)
KeyArray = random.KeyArray  # want: removed-api


def init(key: KeyArray, sizes):
    params = []
    for fan_in, fan_out in zip(sizes[:-1], sizes[1:]):
        key, sub = random.split(key)
        params.append({"w": random.normal(sub, (fan_in, fan_out)) / jnp.sqrt(fan_in), "b": jnp.zeros(fan_out)})
    return params


def apply(params, x):
    for layer in params[:-1]:
        x = jnp.maximum(x @ layer["w"] + layer["b"], 0)
    return x @ params[-1]["w"] + params[-1]["b"]


def loss(params, x, y):
    logp = jax.nn.log_softmax(apply(params, x))
    return -jnp.mean(jnp.take_along_axis(logp, y[:, None], axis=1))


@jax.jit
def step(params, momentum, x, y):
    value, grads = jax.value_and_grad(loss)(params, x, y)
    grads = jax.tree_map(lambda g: jnp.clip(g, a_max=1.0, a_min=-1.0), grads)  # want: removed-api  # want: removed-api
    momentum = jax.tree_map(lambda m, g: 0.9 * m + g, momentum, grads)  # want: removed-api
    return jax.tree_map(lambda p, m: p - 0.1 * m, params, momentum), momentum, value  # want: removed-api


def shuffled(key, x, y):
    order = random.shuffle(key, jnp.arange(len(x)))  # want: removed-api
    return x[order], y[order]


key = random.PRNGKey(0)
x = random.normal(random.PRNGKey(1), (64, 2))
y = (jnp.product(x, axis=1) > 0).astype(jnp.int32)  # want: removed-api
params = init(key, (2, 16, 2))
momentum = jax.tree_map(jnp.zeros_like, params)  # want: removed-api
losses = jnp.zeros(5)
for epoch in range(5):
    x, y = shuffled(random.fold_in(key, epoch), x, y)
    for _ in range(10):
        params, momentum, value = step(params, momentum, x, y)
    losses = losses.at[epoch].set(value)
if jax.host_id() == 0:
    print(np.asarray(losses).round(4))
    print(sum(leaf.size for leaf in jax.tree_leaves(params)))  # want: removed-api
    print("least", float(jnp.NINF))  # want: removed-api
np.savetxt("losses.txt", np.asarray(losses))
