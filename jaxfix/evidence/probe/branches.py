"""Conditionals that `vmap` has turned into a selection: both branches run, for every item."""

from collections.abc import Iterator
from typing import Any

from .noted import parts_of

_RULE, _COND, _FILE = "_cond_batching_rule", {"cond", "_cond", "switch"}, "conditionals.py"
_SELECTING = "select_n"
_DEAR = {
    *("dot_general", "conv_general_dilated", "sort", "fft", "scan", "while"),
    *("lu", "cholesky", "triangular_solve", "eigh", "eig", "svd", "qr", "householder_product", "schur"),
}
"""Operations whose needless runs are worth a report: elementwise ones are best left to a selection."""


def both(jaxpr: Any) -> Iterator[tuple[Any, str]]:
    """The selections of one level of a program, each with the operations of its branches, and an expensive one.

    The rule of `vmap` computes the branches between the first operation of its own and the selection.
    """
    own: dict[tuple[str, int], list[int]] = {}
    for number, equation in enumerate(jaxpr.eqns):
        place = _mapped_at(equation)
        if place is not None:
            own.setdefault(place, []).append(number)
    for numbers in own.values():
        last = jaxpr.eqns[numbers[-1]]
        between = [jaxpr.eqns[number] for number in range(numbers[0], numbers[-1]) if number not in numbers]
        names = [name for equation in between for name in _operations(equation)]
        dear = next((name for name in names if name in _DEAR), None)
        if last.primitive.name == _SELECTING and dear is not None:
            yield last, f"{len(names)} operations, `{dear}` among them"


def _mapped_at(equation: Any) -> tuple[str, int] | None:
    """The line of the conditional of which the rule has made an operation; None where it has not."""
    return _line_of_cond(equation) if any(frame.function_name == _RULE for frame in _frames(equation)) else None


def _line_of_cond(equation: Any) -> tuple[str, int] | None:
    """Where the innermost conditional was called from, outside of jax."""
    is_inside = False
    for frame in _frames(equation):
        if frame.file_name.endswith(_FILE) and frame.function_name in _COND:
            is_inside = True
        elif is_inside and "/jax/_src/" not in frame.file_name.replace("\\", "/"):
            return frame.file_name, frame.line_num
    return None


def _frames(equation: Any) -> list[Any]:
    traceback = getattr(getattr(equation, "source_info", None), "traceback", None)
    return list(getattr(traceback, "frames", None) or ())


def _operations(equation: Any) -> list[str]:
    """The names of an operation and of those that it holds."""
    inner = [getattr(part, "jaxpr", part) for part in parts_of(equation)]
    names = [] if equation.primitive.name in ("jit", "pjit") else [equation.primitive.name]
    return names + [name for part in inner for each in part.eqns for name in _operations(each)]
