"""Elements that loops read one by one, and that go to the host at once."""

import jax
import jax.numpy as jnp


# By index, in nested loops; nothing else is done with the variable, so it is bound to the copy.
def board(key):
    cells = jax.random.normal(key, (8, 8))
    for row in range(cells.shape[0]):
        print("".join("x" if cells[row, i] > 0 else "." for i in range(cells.shape[1])))  # want: element-reads


# The variable is used on the device too: a copy beside it.
def total(n):
    values = jnp.arange(n) * 0.5
    found = 0.0
    for i in range(len(values)):
        found += float(values[i])  # want: element-reads
    return found, values * 2


# A loop over the array itself.
def likely(key):
    for i, p in enumerate(jax.nn.softmax(jax.random.normal(key, (6,)))):  # want: element-reads
        if p > 0.25:
            print(i, f"{p:.3f}", float(p))


def listed(x):
    return [float(v) for v in jnp.sum(x * x, axis=1)]  # want: element-reads


def points(key):
    places = jax.random.uniform(key, (10, 2))
    return [(float(x), float(y)) for x, y in places], places.sum()  # want: element-reads


# An element is compared with another one of the same array; indices are shifted within it.
def falls(x: jax.Array):
    found = []
    for i in range(len(x) - 1):
        if x[i] > x[i + 1]:  # want: element-reads
            found.append(x[i].item())
    return found, x


# A parameter that is bound anew before the loop; the outermost loop in which it stays what it is.
def counts(x, n):
    x = jnp.asarray(x)
    found = []
    for k in range(n):
        for i in range(x.shape[0]):
            if int(x[i]) == k:  # want: element-reads
                found.append(k)
    return found, x + 1


# Made anew in each round of the outer loop, and copied in each.
def rounds(n):
    for epoch in range(n):
        values = jnp.zeros(8) + epoch
        for i in range(len(values)):
            print(float(values[i]))  # want: element-reads
        yield values


# The length is named, and so is that of each axis.
def table(m):
    scores = jnp.sin(jnp.outer(jnp.arange(m), jnp.arange(m)))
    height, width = scores.shape
    for i in range(height):
        print(" ".join("%.2f" % scores[i, j] for j in range(width)))  # want: element-reads
    return scores.max()


# What takes an element does nothing else with it.
def mark(cell):
    if cell == 1:
        return "x"
    return " "


def marks(n):
    cells = jnp.zeros((n,))
    return "".join([mark(cells[i]) for i in range(n)]), cells.sum()  # want: element-reads


# Beyond the end JAX takes the last element: so does an index that is clamped.
def too_far(n):
    values = jnp.arange(n)
    for i in range(len(values)):
        print(int(values[i + 1]), int(values[i - 2]))  # want: element-reads
    return values + 1


def drawn(side):
    cells = jnp.zeros((side * side, 1))
    print("\n".join("".join(mark(cells[i * side + j][0]) for j in range(side)) for i in range(side)))  # want: element-reads


def rows(n, k):
    for row in jnp.zeros((n, 4)):  # want: element-reads
        print([float(row[j]) for j in range(k)])
