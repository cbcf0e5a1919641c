"""Two draws from one key: jax's own checker raises where the second is made."""
# asked: --split-keys

import jax


def data(key, n):
    key, key_for_inputs = jax.random.split(key)
    inputs = jax.random.normal(key_for_inputs, (n,))
    noise = jax.random.uniform(key, (n,))
    return inputs, noise


inputs, noise = data(jax.random.key(0), 3)
print(inputs.shape, noise.dtype)
