"""How much a function computes, counted in its program: operations that run, and values that they make."""

import importlib
from collections import Counter
from collections.abc import Callable
from math import prod
from typing import Any, NamedTuple

from .jaxprs import inner

_DECOMPOSING = {
    *("eig", "eigh", "svd", "qr", "geqrf", "householder_product", "cholesky", "lu", "schur", "hessenberg"),
    *("tridiagonal", "triangular_solve", "custom_linear_solve"),
}
_DEAR = {
    *_DECOMPOSING,
    *("while", "scan", "dot_general", "conv_general_dilated", "fft", "sort", "pure_callback", "io_callback"),
}


class Work(NamedTuple):
    """Of one call, unused results included.

    A loop of known length counts for each iteration, one of unknown length once, of branches the most expensive.
    """

    operations: int
    values: int

    def times(self, rounds: int) -> "Work":
        return Work(self.operations * rounds, self.values * rounds)

    def and_also(self, other: "Work") -> "Work":
        return Work(self.operations + other.operations, self.values + other.values)


def program(function: Callable[..., Any], arrays: list[Any]) -> Any:
    """The jaxpr of one call with arrays like these; whatever tracing it raises."""
    return importlib.import_module("jax").make_jaxpr(function)(*arrays).jaxpr


def freed(before: Any, after: Any) -> list[str]:
    """Expensive operations that run at every call of the second program, and in the first only where a branch is taken.

    Of decompositions also those that the first one has nowhere: a condition in Python, perhaps, has left them out.
    """
    least, most, now = _dear(before, always=True), _dear(before, always=False), _dear(after, always=True)
    return [name for name in sorted(now) if now[name] > least[name] and _is_held_back(name, least, most)]


def _is_held_back(name: str, least: Counter[str], most: Counter[str]) -> bool:
    return most[name] > least[name] or (name in _DECOMPOSING and not any(most[other] for other in _DECOMPOSING))


def _dear(program: Any, *, always: bool) -> Counter[str]:
    """The number of expensive operations in a program: all, or those that run whichever branch is taken."""
    found = Counter[str]()
    for equation in program.eqns:
        name = equation.primitive.name
        parts = [_dear(part, always=always) for part in inner(equation)]
        if name == "cond" and parts and always:
            shared = parts[0]
            for part in parts[1:]:
                shared &= part
            parts = [shared]
        for part in parts:
            found += part
        found[name] += name in _DEAR
    return found


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
