"""Arrays that somebody may see grow."""

from contextlib import suppress

import jax.numpy as jnp


def tokens_of(model, start, n):
    tokens = start
    for _ in range(n):
        tokens = jnp.append(tokens, jnp.argmax(model(tokens)))  # want: growing-array (no fix): write `size, tokens = len(tokens), jnp.pad(tokens, (0, n))` before the loop
    return tokens


def printed(values):
    found = jnp.array([])
    for value in values:
        found = jnp.append(found, value)  # want: growing-array (no fix): uses `found` while it grows
        if len(found) % 100 == 0:
            print(found[-1])
    return found


def captured(values, report):
    found = jnp.array([])

    def show():
        report(found)

    for value in values:
        found = jnp.append(found, value)  # want: growing-array (no fix): may see it grow
        show()
    return found


def until_interrupted(step):
    found = jnp.array([])
    try:
        while True:
            found = jnp.append(found, step())  # want: growing-array (no fix): after an error
    except KeyboardInterrupt:
        pass
    return found


def until_exhausted(values):
    found = jnp.array([])
    with suppress(StopIteration):
        while True:
            found = jnp.append(found, next(values))  # want: growing-array (no fix): after an error
    return found


def misfits_left_out(rows):
    found = jnp.zeros((0, 3))
    for row in rows:
        try:
            found = jnp.vstack([found, row])  # want: growing-array (no fix): after an error
        except TypeError:
            continue
    return found


def one_of_two_left_out(rows):
    found = jnp.zeros((0, 3))
    for row in rows:
        found = jnp.vstack([found, jnp.zeros(3)])  # want: growing-array (no fix): after an error
        try:
            found = jnp.vstack([found, row])
        except TypeError:
            continue
    return found


def within_own_manager(meter, values):
    found = jnp.array([])
    with meter:
        for value in values:
            found = jnp.append(found, value)  # want: growing-array (no fix): after an error
    return found


def looked_at_by_name(values):
    found = jnp.array([])
    for value in values:
        found = jnp.append(found, value)  # want: growing-array (no fix): may look at all variables
        print(locals())
    return found


def perhaps_bound(values, some):
    if some:
        found = jnp.array([])
    for value in values:
        found = jnp.append(found, value)  # want: growing-array (no fix): bound before the loop
    return found


def shown_at_the_end_of_the_loop(values):
    found = jnp.array([])
    for value in values:
        found = jnp.append(found, value)  # want: growing-array (no fix): uses `found` while it grows
    else:
        print(found)
    return found


def of_the_module(values):
    global history
    history = jnp.array([])
    for value in values:
        history = jnp.append(history, value)  # want: growing-array (no fix): belongs to an enclosing scope


def given_up(values):
    found = jnp.array([])
    for value in values:
        found = jnp.append(found, value)  # want: growing-array (no fix): uses `found` while it grows
        if value is None:
            return found
    return None
