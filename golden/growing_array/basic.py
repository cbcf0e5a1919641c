"""Arrays that loops make longer, in all spellings."""

import sys

import jax.numpy as jnp
import numpy as np
from jax.numpy import concatenate


def several_parts(model, batches):
    found = jnp.zeros((0, 2))
    for batch in batches:
        found = concatenate((found, model(batch), jnp.ones((1, 2))), 0)  # want: growing-array
    return found


def two_that_are_made_together(step, loader):
    losses, accuracies = jnp.array([]), jnp.array([])
    for batch in loader:
        loss, accuracy = step(batch)
        losses = jnp.append(losses, loss)  # want: growing-array
        if accuracy is not None:
            accuracies = jnp.append(accuracies, accuracy)  # want: growing-array
    return jnp.mean(losses), jnp.mean(accuracies)


def in_branches(values, limit):
    small = jnp.zeros(1, dtype=jnp.int32)
    # the loop goes over the values
    for value in values:
        if value < limit:
            small = jnp.append(small, value)  # want: growing-array
        else:
            small = jnp.append(small, limit)
    return small


def over_both_loops(epochs, batches):
    norms = jnp.array([])
    for _ in range(epochs):
        for batch in batches:
            norms = jnp.append(norms, jnp.linalg.norm(batch))  # want: growing-array
    return norms


def once_an_epoch(epochs, batches):
    for epoch in range(epochs):
        norms = jnp.array([])
        for batch in batches:
            norms = jnp.append(norms, jnp.linalg.norm(batch))  # want: growing-array
        print(epoch, norms.mean())


def inside_and_behind(epochs, batches):
    norms = jnp.array([])
    for _ in range(epochs):
        for batch in batches:
            norms = jnp.append(norms, jnp.linalg.norm(batch))  # want: growing-array
        norms = jnp.append(norms, 0.0)
        print(norms.shape)
    return norms


def start_of_a_caller(rows, steps):
    for i in range(steps):
        rows = jnp.vstack([rows, jnp.full(3, i)])  # want: growing-array
    return rows


def buffer_that_is_filled_in_place(read, n):
    buffer = np.zeros(3)
    seen = jnp.zeros((0, 3))
    while n > 0:
        read(buffer)
        seen = jnp.append(seen, buffer[None], axis=0)  # want: growing-array
        n -= 1
    return seen


def surely_some_rounds(x):
    line = x
    for i in range(20):
        line = jnp.hstack([line, jnp.sin(x + i)])  # want: growing-array
    return line


def behind_what_lets_errors_out(path, read):
    values = jnp.array([0.0])
    with open(path) as lines:
        for line in lines:
            values = jnp.append(values, float(line))  # want: growing-array
    return values


if __name__ == "__main__":
    squares = jnp.array([], dtype=jnp.int32)
    for i in range(int(sys.argv[1])):
        squares = jnp.append(squares, i * i)  # want: growing-array
    print(squares)
