"""A program whose `main` a decorator hands its options: it runs once, and so does what it makes."""

import hydra
import jax
import jax.numpy as jnp


@hydra.main(version_base=None, config_path="settings", config_name="train")
def main(options):
    step = jax.jit(lambda x: x * 2.0)
    x = jnp.ones(3)
    for _ in range(30):
        x = step(x)
    print(x, options)


_several_step = jax.jit(lambda x: x * 3.0)


# Each call of it makes a `jit`.
@hydra.main(version_base=None, config_path="settings", config_name="rates")
def several(options):
    print(_several_step(jnp.ones(3)), options)


if __name__ == "__main__":
    main()
    for _ in range(10):
        several()
