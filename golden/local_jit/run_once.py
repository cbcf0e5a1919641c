"""A program whose `main` is handed to what runs it: once."""

import jax
import jax.numpy as jnp
from absl import app


def main(unused_argv):
    scale = 2.0
    step = jax.jit(lambda x: x * scale)
    x = jnp.ones(3)
    for _ in range(9):
        x = step(x)
    print(x)


if __name__ == "__main__":
    app.run(main)
