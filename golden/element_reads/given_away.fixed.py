"""Arrays that a loop hands on, or that a function of the caller may have too: a copy would go on where it is deleted."""

import jax
import jax.numpy as jnp
import numpy as np

give = jax.jit(lambda v: v * 2.0, donate_argnums=0)


def told(key, tell):
    v = jax.random.normal(key, (32,))
    for i in range(32):
        if v[i] > 0:
            print(i)
        tell(v, i)


def donated(key):
    v = jax.random.normal(key, (32,))
    for i in range(32):
        if v[i] > 0:
            print(i)
        if i == 7:
            give(v)


def held(v: jax.Array, tell):
    for i in range(v.shape[0]):
        if v[i] > 0:
            print(i)
        tell(i)


def given_before(key, tell, keep):
    v = jax.random.normal(key, (32,))
    keep.append(v)
    for i in range(32):
        if v[i] > 0:
            print(i)
        tell(i)


def own(key, tell):
    v = jax.random.normal(key, (32,))
    print(jnp.max(v))
    v_on_host = np.asarray(v)
    for i in range(32):
        if v_on_host[i] > 0:
            tell(i)


told(jax.random.key(0), print)
donated(jax.random.key(0))
held(jnp.ones(8), print)
given_before(jax.random.key(0), print, [])
own(jax.random.key(0), print)
