"""Elements of what only a run knows to be an array."""

import jax
import jax.numpy as jnp


@jax.jit
def summed(params, xs):
    return sum(jnp.sum((x @ params) ** 2) for x in xs)  # want: mapped-loop


@jax.jit
def counted(params, xs):
    return sum([jnp.sum((xs[i] @ params) ** 2) for i in range(40)])  # want: mapped-loop


@jax.jit
def listed(params, xs, ys):
    losses = jnp.array([jnp.sum((x @ params - y) ** 2) for x, y in zip(xs, ys)])  # want: mapped-loop
    return jnp.mean(losses)


@jax.jit
def of_layers(weights, x):
    return sum(jnp.sum(w @ x) for w in weights)  # want: mapped-loop (no fix): may be a list


@jax.jit
def lengths(parts):
    return jnp.ones(3) * sum(len(part) for part in parts)


def eager(xs):
    return sum(jnp.sum(x**2) for x in xs)


def main():
    keys = jax.random.split(jax.random.PRNGKey(0), 2)
    xs = jax.random.normal(keys[0], (40, 4))
    w = jax.random.normal(keys[1], (4, 4))
    print(summed(w, xs), counted(w, xs), listed(w, xs, xs))
    print(of_layers([w] * 40, xs[0]))
    print(lengths([xs, xs]), eager(xs))


main()
