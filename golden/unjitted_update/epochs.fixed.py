# What runs once for each pass of a loop over batches is worth little; the step of a batch is worth it.
import jax
import jax.numpy as jnp
import numpy as np

args = [] if "__file__" in globals() else None


@jax.jit
def train_step(weights, batch):
    return weights - 0.1 * jax.grad(lambda w: jnp.mean((batch @ w) ** 2))(weights)


@jax.jit
def noisy_step(key, weights, batch):
    key, own = jax.random.split(key)
    weights = train_step(weights, jnp.clip(batch + 0.1 * jax.random.normal(own, batch.shape), -1, 1))
    return key, weights


def noisy(key, weights, batches):
    for _ in range(10):
        for batch in batches:
            key, weights = noisy_step(key, weights, batch)
        spread = jnp.sqrt(jnp.mean(weights**2) - jnp.mean(weights) ** 2)
        print(spread)
    return weights


@jax.jit
def alone_step(weights, batch):
    weights = train_step(weights, batch)
    spread = jnp.sqrt(jnp.mean(weights**2) - jnp.mean(weights) ** 2)
    return weights, spread


# Without the inner loop it is all that there is.
def alone(weights, batches):
    for batch in batches:
        weights, spread = alone_step(weights, batch)
        print(spread)
    return weights


if __name__ == "__main__":
    batches = np.ones((20, 4, 3), np.float32)
    print(args, noisy(jax.random.key(0), jnp.ones(3), batches), alone(jnp.ones(3), batches))
