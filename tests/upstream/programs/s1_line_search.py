"""Minimises a loss by line search. Called eagerly, the loss reads a batch that is drawn anew for every step."""

import sys

import jax
import jax.numpy as jnp
import numpy as np
import optax

kind, mode, steps = sys.argv[1], sys.argv[2], int(sys.argv[3])
random = np.random.default_rng(0)
truth = random.normal(size=8)


def draw():
    x = random.normal(size=(64, 8))
    return jnp.asarray(x, jnp.float32), jnp.asarray(x @ truth, jnp.float32)


def loss(params):
    x, y = batch
    away = x @ params["weight"] + params["bias"] - y
    return jnp.mean(away**2) + 0.1 * jnp.sum(jnp.abs(params["weight"]) ** 3)


if kind == "lbfgs":
    opt = optax.lbfgs()
else:
    opt = optax.chain(optax.sgd(1.0), optax.scale_by_backtracking_linesearch(max_backtracking_steps=15))
update = opt.update if mode == "eager" else jax.jit(opt.update, static_argnames="value_fn")

batch = draw()
params = {"weight": jnp.zeros(8), "bias": jnp.zeros(())}
state = opt.init(params)
value_and_grad = jax.value_and_grad(loss)
for step in range(steps):
    value, grads = value_and_grad(params)
    updates, state = update(grads, state, params, value=value, grad=grads, value_fn=loss)
    params = optax.apply_updates(params, updates)
    print(f"step {step}: {float(value)!r} {float(params['weight'][0])!r}")
    if mode == "eager":
        batch = draw()
