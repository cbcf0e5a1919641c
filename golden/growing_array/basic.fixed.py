"""Arrays that loops make longer, in all spellings."""

import sys

import jax.numpy as jnp
import numpy as np
from jax.numpy import concatenate


def several_parts(model, batches):
    found = jnp.zeros((0, 2))
    found_parts = [found]
    for batch in batches:
        found_parts += [jnp.copy(model(batch)), jnp.ones((1, 2))]
    found = concatenate(found_parts, axis=0)
    return found


def two_that_are_made_together(step, loader):
    losses, accuracies = jnp.array([]), jnp.array([])
    losses_parts = [losses]
    accuracies_parts = [accuracies]
    for batch in loader:
        loss, accuracy = step(batch)
        losses_parts.append(jnp.ravel(loss))
        if accuracy is not None:
            accuracies_parts.append(jnp.ravel(accuracy))
    accuracies = jnp.concatenate(accuracies_parts)
    losses = jnp.concatenate(losses_parts)
    return jnp.mean(losses), jnp.mean(accuracies)


def in_branches(values, limit):
    small = jnp.zeros(1, dtype=jnp.int32)
    small_parts = [small]
    # the loop goes over the values
    for value in values:
        if value < limit:
            small_parts.append(jnp.ravel(value))
        else:
            small_parts.append(jnp.ravel(limit))
    small = jnp.concatenate(small_parts)
    return small


def over_both_loops(epochs, batches):
    norms = jnp.array([])
    norms_parts = [norms]
    for _ in range(epochs):
        for batch in batches:
            norms_parts.append(jnp.ravel(jnp.linalg.norm(batch)))
    norms = jnp.concatenate(norms_parts)
    return norms


def once_an_epoch(epochs, batches):
    for epoch in range(epochs):
        norms = jnp.array([])
        norms_parts = [norms]
        for batch in batches:
            norms_parts.append(jnp.ravel(jnp.linalg.norm(batch)))
        norms = jnp.concatenate(norms_parts)
        print(epoch, norms.mean())


def inside_and_behind(epochs, batches):
    norms = jnp.array([])
    for _ in range(epochs):
        norms_parts = [jnp.ravel(norms)]
        for batch in batches:
            norms_parts.append(jnp.ravel(jnp.linalg.norm(batch)))
        if len(norms_parts) > 1:
            norms = jnp.concatenate(norms_parts)
        norms = jnp.append(norms, 0.0)
        print(norms.shape)
    return norms


def start_of_a_caller(rows, steps):
    rows_parts = [rows]
    for i in range(steps):
        rows_parts.append(jnp.full(3, i))
    if len(rows_parts) > 1:
        rows = jnp.vstack(rows_parts)
    return rows


def buffer_that_is_filled_in_place(read, n):
    buffer = np.zeros(3)
    seen = jnp.zeros((0, 3))
    seen_parts = [seen]
    while n > 0:
        read(buffer)
        seen_parts.append(jnp.copy(buffer[None]))
        n -= 1
    seen = jnp.concatenate(seen_parts, axis=0)
    return seen


def surely_some_rounds(x):
    line = x
    line_parts = [line]
    for i in range(20):
        line_parts.append(jnp.sin(x + i))
    line = jnp.hstack(line_parts)
    return line


def behind_what_lets_errors_out(path, read):
    values = jnp.array([0.0])
    with open(path) as lines:
        values_parts = [values]
        for line in lines:
            values_parts.append(jnp.ravel(float(line)))
        values = jnp.concatenate(values_parts)
    return values


if __name__ == "__main__":
    squares = jnp.array([], dtype=jnp.int32)
    squares_parts = [squares]
    for i in range(int(sys.argv[1])):
        squares_parts.append(jnp.ravel(i * i))
    squares = jnp.concatenate(squares_parts)
    print(squares)
