"""A loss that a step differentiates under `jit`, its loop unrolled, and that reports compute eagerly."""

import jax
import jax.numpy as jnp

points = jnp.linspace(0.0, 1.0, 20)[:, None]
conditions = [points[:5], points[5:10], points[10:]]
params = [{"w": jnp.ones((1, 8)), "b": jnp.zeros(8)}, {"w": jnp.ones((8, 1)), "b": jnp.zeros(1)}]


def forward(params, x):
    for layer in params:
        x = jnp.tanh(x @ layer["w"] + layer["b"])
    return x


def loss_of(params, points, conditions):
    loss = jnp.mean(forward(params, points) ** 2)
    for part in conditions:
        loss += jnp.mean((forward(params, part) - 1.0) ** 2)
    return loss


@jax.jit
def update(params, points, conditions):
    gradients = jax.grad(loss_of)(params, points, conditions)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients)


for turn in range(400):
    params = update(params, points, conditions)
    if turn % 10 == 0:
        print(f"{turn} {loss_of(params, points, conditions):.3e}")  # want: unjitted-update
