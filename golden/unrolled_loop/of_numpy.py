"""A NumPy array that a caller passes, indexed by the number of the iteration."""

import jax
import jax.numpy as jnp
import numpy as np

data = np.linspace(0.0, 1.0, 120, dtype=np.float32).reshape(40, 3)


def forward(params, rows):
    state = jnp.zeros(3)
    for t in range(40):  # want: unrolled-loop
        state = jnp.tanh(rows[t] + state @ params)
    return state


@jax.jit
def step(params):
    return params - 0.1 * jax.grad(lambda p: jnp.sum(forward(p, data) ** 2))(params)


def main():
    params = jnp.eye(3)
    for _ in range(3):
        params = step(params)
    print(params)


if __name__ == "__main__":
    main()
