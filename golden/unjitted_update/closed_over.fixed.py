"""Sizes and lists of numbers that functions of a step read of the function around: they stay while the loop runs."""

import jax
import jax.numpy as jnp


def initial(sites):
    return jnp.zeros((2,) * sites).at[(0,) * sites].set(1.0)


@jax.jit
def _turned(angle):
    return jnp.stack([jnp.stack([jnp.cos(angle), -jnp.sin(angle)]), jnp.stack([jnp.sin(angle), jnp.cos(angle)])])


def turned(state, angle, site):
    gate = _turned(angle)
    return jnp.moveaxis(jnp.tensordot(gate, state, axes=[[1], [site]]), 0, site)


def bonds(state, edges):
    total = 0.0
    for one, other in edges:
        total = total + jnp.sum(jnp.moveaxis(state, (one, other), (0, 1))[0, 1] ** 2)
    return total


def energy(angles, edges, sites):
    state = initial(sites)
    for site in range(sites):
        state = turned(state, angles[site], site)
    return bonds(state, edges)


def chain(sites):
    return [(site, site + 1) for site in range(sites - 1)]


def fitted(sites, steps, rate):
    edges = chain(sites)
    angles = jnp.full(sites, 0.3)

    def cost(angles):
        return energy(angles, edges, sites)

    @jax.jit
    def fitted_step(angles, rate):
        value, slope = jax.value_and_grad(cost)(angles)
        angles = angles - rate * slope
        return angles, value

    for _ in range(steps):
        angles, value = fitted_step(angles, rate)
    return angles, value


def fitted_with_lambda(edges, sites, steps, rate):
    angles = jnp.full(sites, 0.3)

    @jax.jit
    def fitted_with_lambda_step(angles, rate):
        loss = lambda angles: energy(angles, edges, sites)
        value, slope = jax.value_and_grad(loss)(angles)
        angles = angles - rate * slope
        return angles, value

    for _ in range(steps):
        angles, value = fitted_with_lambda_step(angles, rate)
    return angles, value


# A trace would read the bonds once, and the loop adds one in each iteration.
def grown(sites, steps, rate):
    edges = chain(sites)
    angles = jnp.full(sites, 0.3)
    for step in range(steps):
        slope = jax.grad(lambda angles: energy(angles, edges, sites))(angles)
        angles = angles - rate * slope
        edges.append((0, step % (sites - 1) + 1))
    return angles


def grown_by_another_name(sites, steps, rate):
    edges = chain(sites)
    same = edges
    angles = jnp.full(sites, 0.3)

    def cost(angles):
        return energy(angles, edges, sites)

    for step in range(steps):
        angles = angles - rate * jax.grad(cost)(angles)
        same.append((0, step % (sites - 1) + 1))
    return angles


def add(edges, step, sites):
    edges.append((0, step % (sites - 1) + 1))


def grown_by_a_function(sites, steps, rate):
    edges = chain(sites)
    angles = jnp.full(sites, 0.3)

    def cost(angles):
        return energy(angles, edges, sites)

    for step in range(steps):
        angles = angles - rate * jax.grad(cost)(angles)
        add(edges, step, sites)
    return angles


KNOWN = [(0, 1), (1, 2)]


def known(_):
    return KNOWN


# What the function returns is held by the module, through which the loop changes it.
def held_by_the_module(sites, steps, rate):
    edges = known(sites)
    angles = jnp.full(sites, 0.3)
    for step in range(steps):
        slope = jax.grad(lambda angles: energy(angles, edges, sites))(angles)
        angles = angles - rate * slope
        KNOWN[0] = (0, step % (sites - 1) + 1)
    return angles


# Each size would be compiled for.
def widened(steps, rate):
    sites = 2
    total = 0.0
    for _ in range(steps):

        def cost(angles):
            return energy(angles, [(0, 1)], sites)

        slope = jax.grad(cost)(jnp.full(sites, 0.3))
        total = total + rate * jnp.sum(slope)
        sites += 1
    return total


if __name__ == "__main__":
    print(fitted(4, 30, 0.1))
    print(fitted_with_lambda(chain(4), 4, 30, 0.1))
    print(grown(4, 30, 0.1))
    print(grown_by_another_name(4, 30, 0.1))
    print(grown_by_a_function(4, 30, 0.1))
    print(held_by_the_module(4, 30, 0.1))
    print(widened(5, 0.1))
