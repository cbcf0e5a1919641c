"""Two draws from one key: jax's own checker raises where the second is made."""

import jax

jax.config.update("jax_debug_key_reuse", True)


def data(key, n):
    inputs = jax.random.normal(key, (n,))
    noise = jax.random.uniform(key, (n,))  # want: key-reuse (no fix): line 9 uses it first
    return inputs, noise


data(jax.random.key(0), 3)
