"""A step in a script: its gradient is jitted under its own name, its updates are not."""

import jax
import jax.numpy as jnp

ROUNDS = 200
RATE = 0.1

inputs = jnp.linspace(0.0, 1.0, 20)[:, None]
targets = jnp.sin(inputs)
weights = [jnp.ones((1, 8)), jnp.ones((8, 1))]
biases = [jnp.zeros(8), jnp.zeros(1)]


def predicted(weights, biases):
    hidden = jnp.tanh(inputs @ weights[0] + biases[0])
    return hidden @ weights[1] + biases[1]


loss_and_slopes = jax.value_and_grad(
    lambda weights, biases: jnp.mean((predicted(weights, biases) - targets) ** 2),
    argnums=(0, 1),
)
first_loss, _ = loss_and_slopes(weights, biases)
loss_and_slopes = jax.jit(loss_and_slopes)

losses = []
for epoch in range(ROUNDS):
    loss, (weight_slopes, bias_slopes) = loss_and_slopes(
        weights,
        biases,
    )

    weights = jax.tree.map(  # want: unjitted-update
        lambda w, slope: w - RATE * slope,
        weights,
        weight_slopes,
    )
    biases = jax.tree.map(
        lambda b, slope: b - RATE * slope,
        biases,
        bias_slopes,
    )

    if epoch % 100 == 0:
        print(f"epoch: {epoch}, loss: {loss}")

    losses.append(loss)

print(losses[-1])
