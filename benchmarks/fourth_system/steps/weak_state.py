"""A state that starts weakly typed: its second step compiles again."""

import jax
import jax.numpy as jnp


def init(params):
    return {"velocity": jnp.zeros_like(params), "best": jnp.asarray(jnp.inf)}


@jax.jit
def update(params, state, x):
    loss, gradient = jax.value_and_grad(lambda p: jnp.mean((x @ p) ** 2))(params)
    velocity = 0.5 * state["velocity"] - 0.1 * gradient
    return params + velocity, {"velocity": velocity, "best": jnp.minimum(state["best"], jnp.mean(loss))}


params = jnp.ones((512, 256))
state = init(params)
x = jax.random.normal(jax.random.key(0), (64, 512))
for number in range(60):
    params, state = update(params, state, x)
    print(f"step {number}: {float(state['best'])}")
