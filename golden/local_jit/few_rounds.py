"""A jit that the text of a loop runs a few times: nothing would be saved."""

import jax
import jax.numpy as jnp


def train(name, x):
    step = jax.jit(lambda v: v * 2)
    for _ in range(100):
        x = step(x)
    return name, x


def main():
    names = ["small", "large"]
    for name in names:
        print(train(name, jnp.ones(3)))
    print({key: train(key, value) for key, value in {"a": jnp.ones(2), "b": jnp.ones(4)}.items()})


if __name__ == "__main__":
    main()
