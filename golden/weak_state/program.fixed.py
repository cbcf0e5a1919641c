"""A jitted training step whose state starts weakly typed, so that its second call compiles it again."""

import jax
import jax.numpy as jnp


def init(params):
    return {
        "velocity": jnp.zeros_like(params),
        "best": jnp.asarray(jnp.inf, dtype=jnp.finfo(jnp.result_type(float, *jax.tree.leaves(params))).dtype),
        "worst": jnp.asarray(0.0, dtype=jnp.finfo(jnp.result_type(float, *jax.tree.leaves(params))).dtype),
        "count": jnp.asarray(0),
    }


@jax.jit
def update(params, state, inputs):
    targets = 3.0 * inputs + 1.0
    loss, gradient = jax.value_and_grad(lambda p: jnp.mean((p[0] * inputs + p[1] - targets) ** 2))(params)
    velocity = 0.5 * state["velocity"] - 0.1 * gradient
    return params + velocity, {
        "velocity": velocity,
        "best": jnp.minimum(state["best"], jnp.mean(loss)),
        "worst": jnp.maximum(state["worst"], jnp.mean(loss)),
        "count": state["count"] + 1,
    }


def train(steps):
    key = jax.random.PRNGKey(0)
    params = jnp.zeros(2)
    state = init(params)
    for _ in range(steps):
        key, subkey = jax.random.split(key)
        params, state = update(params, state, jax.random.normal(subkey, (16,)))
    return params, state


if __name__ == "__main__":
    final, state = train(20)
    print(final.tolist(), float(state["best"]), float(state["worst"]), int(state["count"]))
