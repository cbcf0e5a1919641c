# A restart begins with a state, and then steps under `jit`: what is eager runs once in each.
import jax
import jax.numpy as jnp
import optax

tx = optax.adam(1e-2)


def loss(x):
    return jnp.sum((x - 3.0) ** 2)


def fit(x):
    state = tx.init(x)

    @jax.jit
    def step(x, state):
        grads = jax.grad(loss)(x)
        updates, state = tx.update(grads, state)
        return optax.apply_updates(x, updates), state

    for _ in range(1000):
        x, state = step(x, state)
    return x


for start in range(20):
    print(fit(jnp.full((2,), float(start))))
