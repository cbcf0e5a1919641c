"""How large a program is that jax has just compiled."""

from types import FrameType
from typing import Any

_SHOWN = 16
"""Elements of a constant that are printed: of more only that they are there."""


def program_size(frame: FrameType | None) -> dict[str, int | None]:
    """Lines of the lowered program, one for each operation, and bytes of temporaries; nothing where jax has neither.

    Args:
      frame: where jax tells that it has compiled; further out it holds the program and what became of it.
    """
    while frame is not None:
        values = frame.f_locals
        if "xla_executable" in values and "computation" in values:
            return {
                "operations": _operations(values["computation"]),
                "temporary_bytes": _temporary_bytes(values["xla_executable"]),
            }
        frame = frame.f_back
    return {}


def _operations(computation: Any) -> int | None:
    try:
        text: str = computation.operation.get_asm(large_elements_limit=_SHOWN)
    except Exception:  # of another version of jax
        return None
    return sum(" = " in line or "return" in line for line in text.splitlines())


def _temporary_bytes(executable: Any) -> int | None:
    try:
        return int(executable.get_compiled_memory_stats().temp_size_in_bytes)
    except Exception:  # a backend that does not tell
        return None
