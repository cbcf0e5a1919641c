"""Elements that loops read one by one, and that go to the host at once."""

import jax
import jax.numpy as jnp
import numpy as np


# By index, in nested loops; nothing else is done with the variable, so it is bound to the copy.
def board(key):
    cells = np.asarray(jax.random.normal(key, (8, 8)))
    for row in range(cells.shape[0]):
        print("".join("x" if cells[row, i] > 0 else "." for i in range(cells.shape[1])))


# The variable is used on the device too: a copy beside it.
def total(n):
    values = jnp.arange(n) * 0.5
    found = 0.0
    values_on_host = np.asarray(values)
    for i in range(len(values)):
        found += float(values_on_host[i])
    return found, values * 2


# A loop over the array itself.
def likely(key):
    for i, p in enumerate(np.asarray(jax.nn.softmax(jax.random.normal(key, (6,))))):
        if p > 0.25:
            print(i, f"{p:.3f}", float(p))


def listed(x):
    return [float(v) for v in np.asarray(jnp.sum(x * x, axis=1))]


def points(key):
    places = jax.random.uniform(key, (10, 2))
    return [(float(x), float(y)) for x, y in np.asarray(places)], places.sum()


# An element is compared with another one of the same array; indices are shifted within it.
def falls(x: jax.Array):
    found = []
    x_on_host = np.asarray(x)
    for i in range(len(x) - 1):
        if x_on_host[i] > x_on_host[i + 1]:
            found.append(x_on_host[i].item())
    return found, x


# A parameter that is bound anew before the loop; the outermost loop in which it stays what it is.
def counts(x, n):
    x = jnp.asarray(x)
    found = []
    x_on_host = np.asarray(x)
    for k in range(n):
        for i in range(x.shape[0]):
            if int(x_on_host[i]) == k:
                found.append(k)
    return found, x + 1


# Made anew in each round of the outer loop, and copied in each.
def rounds(n):
    for epoch in range(n):
        values = jnp.zeros(8) + epoch
        values_on_host = np.asarray(values)
        for i in range(len(values)):
            print(float(values_on_host[i]))
        yield values


# The length is named, and so is that of each axis.
def table(m):
    scores = jnp.sin(jnp.outer(jnp.arange(m), jnp.arange(m)))
    height, width = scores.shape
    scores_on_host = np.asarray(scores)
    for i in range(height):
        print(" ".join("%.2f" % scores_on_host[i, j] for j in range(width)))
    return scores.max()


# What takes an element does nothing else with it.
def mark(cell):
    if cell == 1:
        return "x"
    return " "


def marks(n):
    cells = jnp.zeros((n,))
    cells_on_host = np.asarray(cells)
    return "".join([mark(cells_on_host[i]) for i in range(n)]), cells.sum()


# Beyond the end JAX takes the last element: so does an index that is clamped.
def too_far(n):
    values = jnp.arange(n)
    values_on_host = np.asarray(values)
    for i in range(len(values)):
        print(
            int(values_on_host[min(i + 1, values_on_host.shape[0] - 1)]),
            int(values_on_host[max(min(i - 2, values_on_host.shape[0] - 1), -values_on_host.shape[0])]),
        )
    return values + 1


def drawn(side):
    cells = np.asarray(jnp.zeros((side * side, 1)))
    print(
        "\n".join("".join(mark(cells[min(i * side + j, cells.shape[0] - 1)][0]) for j in range(side)) for i in range(side))
    )


def rows(n, k):
    for row in np.asarray(jnp.zeros((n, 4))):
        print([float(row[min(j, row.shape[0] - 1)]) for j in range(k)])
