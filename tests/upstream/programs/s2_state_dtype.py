"""Minimises by lbfgs inside of `lax.while_loop`, or step by step under `jit`, in the precision that is asked for."""

import sys

import jax
import jax.numpy as jnp
import optax
from jax import lax

precision, mode, steps = sys.argv[1], sys.argv[2], int(sys.argv[3])
jax.config.update("jax_enable_x64", precision == "x64")
dtype = jnp.dtype("float32" if precision == "x64" else precision)
scale = jnp.array([1, 2, 4, 8], dtype)
target = jnp.arange(1, 5).astype(dtype) / 4


def loss(params):
    return jnp.sum(scale * (params - target) ** 2)


opt = optax.lbfgs()


def advance(params, state):
    value, grads = jax.value_and_grad(loss)(params)
    updates, state = opt.update(grads, state, params, value=value, grad=grads, value_fn=loss)
    return optax.apply_updates(params, updates), state


def unfinished(carry):
    number, _, _ = carry
    return number < steps


def body(carry):
    number, params, state = carry
    params, state = advance(params, state)
    return number + 1, params, state


params = jnp.zeros(4, dtype)
state = opt.init(params)
if mode == "while":
    _, params, _ = lax.while_loop(unfinished, body, (jnp.zeros((), jnp.int32), params, state))
    print(f"{params.dtype}: {[float(value) for value in params]}")
else:
    jitted = jax.jit(advance)
    for step in range(steps):
        params, state = jitted(params, state)
        print(f"step {step}: {params.dtype} {[float(value) for value in params]}")
