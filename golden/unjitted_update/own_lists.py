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


def main(xs):
    first, second, third, log = jnp.ones(3), jnp.ones(3), jnp.ones(3), []
    for _ in range(8):
        gradients = jax.grad(loss_of)(first, xs)  # want: unjitted-update
        first = first - 0.1 * gradients
    for _ in range(8):
        gradients = jax.grad(noted)(second, xs, log)  # want: unjitted-update (no fix): calls `log.append` for its side effect
        second = second - 0.1 * gradients
    for _ in range(8):
        gradients = jax.grad(kept)(third, xs)  # want: unjitted-update (no fix): calls `seen.append` for its side effect
        third = third - 0.1 * gradients
    return first, second, third


if __name__ == "__main__":
    main(jnp.ones((4, 3)))
