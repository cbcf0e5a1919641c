"""Steps whose functions collect in lists of their own: each call makes them, so that a trace does too."""

import jax
import jax.numpy as jnp


def predicted(w, xs):
    state, found = jnp.zeros(3), []
    for x in xs:
        state = jnp.tanh(w * state + x)
        found.append(state)
    return jnp.stack(found)


def loss_of(w, xs):
    return jnp.mean(predicted(w, xs) ** 2)


def noted(w, xs, log):
    log.append(w)
    return jnp.mean(w * xs)


def kept(w, xs, seen=[]):
    seen.append(w)
    return jnp.mean(w * xs)


@jax.jit
def advance(first, xs):
    gradients = jax.grad(loss_of)(first, xs)
    return first - 0.1 * gradients


def main(xs):
    first, second, third, log = jnp.ones(3), jnp.ones(3), jnp.ones(3), []
    for _ in range(8):
        first = advance(first, xs)
    for _ in range(8):
        gradients = jax.grad(noted)(second, xs, log)
        second = second - 0.1 * gradients
    for _ in range(8):
        gradients = jax.grad(kept)(third, xs)
        third = third - 0.1 * gradients
    return first, second, third


if __name__ == "__main__":
    main(jnp.ones((4, 3)))
