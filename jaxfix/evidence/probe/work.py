"""How much a function computes, counted in its program: operations that run, and values that they make."""

import importlib
from collections.abc import Callable
from math import prod
from typing import Any, NamedTuple

from .jaxprs import inner


class Work(NamedTuple):
    """Of one call, what nobody uses included.

    A loop of known length counts for each round, one of unknown length once, of branches the dearest.
    """

    operations: int
    values: int

    def times(self, rounds: int) -> "Work":
        return Work(self.operations * rounds, self.values * rounds)

    def and_also(self, other: "Work") -> "Work":
        return Work(self.operations + other.operations, self.values + other.values)


def work(function: Callable[..., Any], arrays: list[Any]) -> Work:
    """The work of one call with arrays like these; whatever tracing it raises."""
    return work_of(importlib.import_module("jax").make_jaxpr(function)(*arrays).jaxpr)


def work_of(program: Any) -> Work:
    """The work of one run of a program."""
    whole = Work(0, 0)
    for equation in program.eqns:
        parts = [work_of(part) for part in inner(equation)]
        if equation.primitive.name == "cond":
            whole = whole.and_also(max(parts, default=Work(0, 0)))
        elif parts:
            rounds = equation.params.get("length", 1) if equation.primitive.name == "scan" else 1
            for part in parts:
                whole = whole.and_also(part.times(rounds if isinstance(rounds, int) else 1))
        else:
            sizes = (getattr(var.aval, "shape", ()) for var in equation.outvars)
            made = sum(prod(shape) for shape in sizes if all(isinstance(size, int) for size in shape))
            whole = whole.and_also(Work(1, made))
    return whole
