"""Elements that loops read one by one, where a copy may not do the same."""

import jax.numpy as jnp


def beyond(n, order):
    values = jnp.zeros(n)
    for i in order:
        print(float(values[i]))  # want: element-reads (no fix): an index of `values[i]` may lie beyond the end, where NumPy raises
    return values + 1


def part(n):
    values = jnp.zeros((n, 4))
    for i in range(len(values)):
        print(float(values[i, 1:][i + 1]))  # want: element-reads (no fix): an index of `values[i, 1:][i + 1]` may lie beyond the end, where NumPy raises
    return values + 1


def of_itself(n):
    parents = jnp.arange(n) // 2
    for i in range(50):
        print(int(parents[int(parents[i])]))  # want: element-reads (no fix): an index of `parents[int(parents[i])]` may lie beyond the end, where NumPy raises
    return parents + 1


def in_format(n):
    values = jnp.arange(n)
    for i in range(len(values)):
        print(f"{values[i]}")  # want: element-reads (no fix): an element is read inside an f-string
    return values + 1


def under_a_trace(x, verbose):
    values = jnp.sin(x)
    for i in range(values.shape[0]):
        if verbose:
            print(float(values[i]))  # want: element-reads (no fix): under a trace it would fail, where some iterations read nothing and run today
    return values + 1


def after_a_test(x, verbose):
    for v in jnp.sin(x):  # want: element-reads (no fix): under a trace it would fail, where some iterations read nothing and run today
        if not verbose:
            continue
        print(float(v))
