import jax
import jax.numpy as jnp


@jax.jit
def advantages(rewards, values, bootstrap):
    last, following = jnp.zeros_like(bootstrap), bootstrap
    out = jnp.zeros_like(rewards)
    for t in reversed(range(96)):  # want: unrolled-loop
        delta = rewards[t] + 0.99 * following - values[t]
        last = delta + 0.95 * last
        following = values[t]
        out = out.at[t].set(last)
    return out


def loss(weights, samples):
    hidden = jnp.zeros(weights.shape[0])
    for i in range(40):  # want: unrolled-loop
        hidden = jnp.tanh(weights @ hidden + samples[i])
    return jnp.sum(hidden**2)


slope = jax.jit(jax.grad(loss))


def main():
    weights = jnp.linspace(-0.5, 0.5, 16).reshape(4, 4)
    for step in range(4):
        samples = jnp.sin(jnp.arange(160.0) + step).reshape(40, 4)
        weights = weights - 0.01 * slope(weights, samples)
        out = advantages(jnp.cos(jnp.arange(96.0) + step), jnp.arange(96.0), jnp.float32(step))
        print(step, float(jnp.sum(weights)), float(jnp.sum(out)))


main()
