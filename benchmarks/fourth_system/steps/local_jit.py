"""A step whose gradient is jitted at each iteration."""

import jax
import jax.numpy as jnp


def predict(params, x):
    return jnp.tanh(x @ params["w"]) @ params["v"]


def main():
    keys = jax.random.split(jax.random.key(0), 3)
    params = {"w": jax.random.normal(keys[0], (256, 128)), "v": jax.random.normal(keys[1], (128,))}
    x = jax.random.normal(keys[2], (64, 256))
    for number in range(60):
        targets = jnp.sin(x[:, 0] + 0.1 * number)

        def loss(p):
            return jnp.mean((predict(p, x) - targets) ** 2)  # noqa: B023

        value, gradients = jax.jit(jax.value_and_grad(loss))(params)
        params = jax.tree_util.tree_map(lambda p, g: p - 0.01 * g, params, gradients)
        print(f"step {number}: {float(value)}")


if __name__ == "__main__":
    main()
