"""Takes steps of RAdam, past the one in which it rectifies for the first time."""

import sys

import jax
import jax.numpy as jnp
import optax

mode, steps = sys.argv[1], int(sys.argv[2])
opt = optax.radam(1e-2)
update = opt.update if mode == "eager" else jax.jit(opt.update)
params = {"weight": jnp.linspace(-1.0, 1.0, 12).reshape(4, 3), "bias": jnp.ones(3)}
state = opt.init(params)
for step in range(steps):
    grads = jax.tree_util.tree_map(lambda leaf: 2 * leaf, params)
    updates, state = update(grads, state, params)
    params = optax.apply_updates(params, updates)
    print(f"step {step}: {float(params['weight'][0, 0])!r} {float(params['bias'][0])!r}")
