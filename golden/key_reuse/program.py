"""Two draws from one key: jax's own checker raises where the second is made."""
# asked: --split-keys

import jax


def data(key, n):
    inputs = jax.random.normal(key, (n,))
    noise = jax.random.uniform(key, (n,))  # want: key-reuse
    return inputs, noise


inputs, noise = data(jax.random.key(0), 3)
print(inputs.shape, noise.dtype)
