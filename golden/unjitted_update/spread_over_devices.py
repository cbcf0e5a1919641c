"""What is put on several devices is of concrete values: no trace goes through it."""

import jax
import jax.numpy as jnp
from flax import jax_utils


def features(params, batch):
    copies = jax_utils.replicate(jnp.cos(batch) * 2.0)
    return jnp.tanh(batch @ params) * 0.5 + jnp.sin(batch @ params) + copies[0].mean()


def spread(params, batch):
    copies = jax.device_put_replicated(jnp.cos(batch) * 2.0, jax.devices())
    return jnp.tanh(batch @ params) * 0.5 + jnp.sin(batch @ params) + copies.mean()


def statistics(params, batches):
    total = jnp.zeros(8)
    for batch in batches:
        total = total + features(params, batch).sum(0)  # want: unjitted-update (no fix): `jax_utils.replicate`, which waits for values
        total = total + spread(params, batch).sum(0)  # want: unjitted-update (no fix): `jax.device_put_replicated`, which waits for values
    return total


if __name__ == "__main__":
    print(statistics(jnp.ones((4, 8)), [jnp.ones((3, 4))] * 30))
