"""Lists that one statement begins, and rows of what the calls pass."""

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def rollout(weights, x):
    states, costs = [], []
    for _ in range(60):  # want: unrolled-loop
        x = jnp.tanh(weights @ x)
        states.append(x)
        costs.append(jnp.sum(x**2))
    return jnp.stack(states), jnp.stack(costs)


@jax.jit
def half(weights, x):
    states, names = [], []
    for number in range(60):  # want: unrolled-loop (no fix): takes `number` as a Python number
        x = jnp.tanh(weights @ x)
        states.append(x)
        names.append(number)
    return jnp.stack(states), len(names)


def loss(params, rows, target):
    state = jnp.zeros(3)
    for row in rows:  # want: unrolled-loop
        state = jnp.tanh(row + state @ params)
    return jnp.mean((state - target) ** 2)


step = jax.jit(jax.value_and_grad(loss))


def main():
    print(*rollout(jnp.eye(3) * 0.9, jnp.ones(3)), half(jnp.eye(3), jnp.ones(3))[0])
    print(*step(jnp.eye(3), np.ones((40, 3), np.float32), jnp.ones(3)))


if __name__ == "__main__":
    main()
