import jax
import jax.numpy as jnp


def loss(weights, samples):
    hidden = weights @ samples[0]

    def loop_body(hidden, row):
        _, samples_i = row
        hidden = jnp.tanh(weights @ hidden + samples_i)
        return hidden, None

    hidden, _ = jax.lax.scan(loop_body, hidden, (jnp.arange(32), samples[:32]))
    return jnp.sum(hidden**2)


slope = jax.jit(jax.grad(loss))


def main():
    weights = jnp.linspace(-0.5, 0.5, 16).reshape(4, 4)
    for step in range(4):
        samples = jnp.sin(jnp.arange(128.0) + step).reshape(32, 4)
        weights = weights - 0.01 * slope(weights, samples)
        print(step, round(float(jnp.sum(weights)), 4))


main()
