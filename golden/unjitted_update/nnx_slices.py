"""A step of flax.nnx is passed a slice by a variable of the loop."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


def loss_of(model, x):
    return jnp.mean((model(x) - x) ** 2)


model = nnx.Linear(16, 16, rngs=nnx.Rngs(0))
optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)
images = jax.random.normal(jax.random.key(0), (512, 16))
for epoch in range(3):
    total = 0
    for i in range(0, 512, 64):
        loss, gradients = nnx.value_and_grad(loss_of)(model, images[i : i + 64])  # want: unjitted-update
        optimizer.update(model, gradients)
        total += loss
    print(epoch, total)
