"""A step that a function makes, and that keeps its old state beside the new one."""

import jax
import jax.numpy as jnp


def _make_step(rate):
    @jax.jit
    def step(weights, x):
        return weights - rate * jax.grad(lambda w: jnp.mean((x @ w) ** 2))(weights)

    return step


def main():
    step = _make_step(0.1)
    weights = jnp.ones((1024, 512)) + 0.0
    x = jax.random.normal(jax.random.key(0), (64, 1024))
    for number in range(60):
        weights = step(weights, x)
        print(f"step {number}: {float(weights[0, 0])}")


if __name__ == "__main__":
    main()
