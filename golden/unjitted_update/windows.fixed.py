"""Windows cut out of arrays along several axes: taken outside of the step, and passed; a loss of an iteration appended."""

import functools

import jax
import jax.numpy as jnp
import numpy as np


def gradients(image):
    across = image[:, 1:] - image[:, :-1]
    down = image[1:, :] - image[:-1, :]
    return across[:-1], down[:, :-1]


@jax.jit
def compute_value(across_slice, down_slice, change_slice):
    dx = across_slice.ravel()
    dy = down_slice.ravel()
    dt = change_slice.ravel()
    matrix = jnp.stack([dx, dy], axis=1)
    return jnp.linalg.lstsq(matrix, -dt)[0]


def flows(image, later, points, half=2):
    across, down = gradients(image)
    change = (later - image)[:-1, :-1]
    found = []
    for y, x in points:
        found.append(compute_value(across[y - half : y + half + 1, x - half : x + half + 1], down[y - half : y + half + 1, x - half : x + half + 1], change[y - half : y + half + 1, x - half : x + half + 1]))
    return jnp.stack(found)


@functools.partial(jax.jit, static_argnames="border")
def distance(one, other, border=2):
    inner = (one - other)[border:-border, border:-border]
    return jnp.sqrt((inner**2).mean() + 1e-6)


def distances(image, others):
    found = []
    for other in others:
        found.append(distance(image, other))
    return jnp.stack(found)


if __name__ == "__main__":
    numbers = np.random.default_rng(0)
    image = jnp.asarray(numbers.random((16, 16)))
    print(flows(image, jnp.roll(image, 1, axis=1), [(4, 5), (8, 8), (6, 9), (7, 4), (9, 6)]))
    print(distances(image, [jnp.roll(image, step, axis=0) for step in range(8)]))
