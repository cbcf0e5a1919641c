"""Whether an original and its rewritten function, traced, are the same program: then they are so for every value."""

from collections.abc import Callable
from typing import Any

from .jaxprs import Untraced, same_program
from .sizes import Sizes, of_any_size
from .work import program

ASKING = {"Tracer", "is_tracer", "is_concrete", "trace_state_clean", "eval_context", "ensure_compile_time_eval"}
"""What code asks for to do something else under a trace than eagerly."""
Side = Callable[..., Any]


def compared(before: Side, after: Side, arrays: list[Any]) -> dict[str, Any]:
    """What tracing both with arrays like these has shown, as a `Traced`."""
    return {
        "arrays": list(map(_shown, arrays)),
        "is_same": (is_same := _is_same(before, after, arrays)),
        "computes": not is_same or bool(program(before, arrays).eqns),
        "any_size": is_same and _is_of_any_size(before, after, arrays),
    }


def _is_same(before: Side, after: Side, arrays: list[Any]) -> bool:
    try:
        return same_program(before, after, arrays)
    except Untraced:
        return False


def _is_of_any_size(before: Side, after: Side, arrays: list[Any]) -> bool:
    """Whether they are the same program of arrays of all sizes, as far as jax can trace such."""
    try:
        made = of_any_size(arrays)
    except Exception:  # an older jax may have no such sizes
        return False
    if made is None:
        return False
    sizes = Sizes()
    with sizes.watched(made):
        return _is_same(before, after, made) and not sizes.were_told_apart


def _shown(leaf: Any) -> str:
    weak = "weak " if getattr(leaf, "weak_type", False) else ""
    return f"{weak}{leaf.dtype}[{','.join(map(str, leaf.shape))}]"
