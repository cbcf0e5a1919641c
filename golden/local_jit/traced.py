# Made where a trace runs it: once for each compile. Nothing that was read calls it outside of a trace.
import jax
import jax.numpy as jnp


def fixed_point(operator, start):
    return jax.lax.while_loop(lambda x: jnp.sum(x) > 1.0, operator, start)


fixed_point = jax.jit(fixed_point, static_argnums=0)


# Public, so that others may call it too.
def update(rates, start):
    shrink = lambda x: 0.5 * rates * x
    return fixed_point(shrink, start) + 1.0  # want: local-jit (no fix)


@jax.jit
def step(rates, start):
    return update(rates, start).sum()


# Eager in a loop.
def solve(rates, start):
    shrink = lambda x: 0.5 * rates * x
    return fixed_point(shrink, start)  # want: local-jit (no fix)


@jax.jit
def both(rates, start):
    return solve(rates, start) + step(rates, start)


def report(rates, starts):
    for start in starts:
        print(solve(rates, start), both(rates, start))
