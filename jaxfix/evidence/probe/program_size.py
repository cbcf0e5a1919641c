"""How large a program is that jax has just compiled."""

import hashlib
from types import FrameType
from typing import Any

from .outward import holding

_SHOWN = 16
"""Elements of a constant that are printed: of more only that they are there."""
_DIGITS = 16


def program_size(frame: FrameType | None) -> dict[str, int | float | str | None]:
    """Lines of the lowered program (one for each operation), digest, bytes of memory, flops; nothing if unknown.

    Args:
      frame: where jax tells that it has compiled; further out it holds the program and what became of it.
    """
    for variables in holding(frame, "xla_executable", "computation"):
        if "xla_executable" in variables and "computation" in variables:
            text = _text(variables["computation"])
            return {
                "operations": None if text is None else _operations(text),
                "digest": None if text is None else hashlib.sha256(text.encode()).hexdigest()[:_DIGITS],
                **_memory(variables["xla_executable"]),
                "flops": _flops(variables["xla_executable"]),
            }
    return {}


def _text(computation: Any) -> str | None:
    """The lowered program, its larger constants left out."""
    try:
        return str(computation.operation.get_asm(large_elements_limit=_SHOWN))
    except Exception:  # of another version of jax
        return None


def _operations(text: str) -> int:
    return sum(" = " in line or "return" in line for line in text.splitlines())


def _memory(executable: Any) -> dict[str, int | None]:
    """What it needs while it runs, and what of its arguments it writes its results to: these are donated."""
    try:
        told = executable.get_compiled_memory_stats()
        return {"temporary_bytes": int(told.temp_size_in_bytes), "donated_bytes": int(told.alias_size_in_bytes)}
    except Exception:  # a backend that does not tell
        return {"temporary_bytes": None, "donated_bytes": None}


def _flops(executable: Any) -> float | None:
    try:
        return float(executable.cost_analysis()["flops"])
    except Exception:  # a backend that does not tell
        return None
