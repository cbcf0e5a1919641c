"""Functions that come from where this file does not tell."""

import jax
import solvers


def solve(objective, start):
    return solvers.minimise(objective, start)  # want: fresh-function (no fix): the line that makes it


def fit(data):
    solve_all = jax.vmap(solvers.step_of(data))
    return solve_all(data)  # want: fresh-function (no fix)


def schedule(step, rate):
    for number in range(9):
        step = step(lambda: number)  # want: fresh-function (no fix)
    return step
