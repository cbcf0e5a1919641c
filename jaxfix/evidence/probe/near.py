"""Integers near others."""


def smaller(value: int) -> tuple[int, ...]:
    """Integers below this one: by one, and halfway to zero."""
    return tuple(dict.fromkeys((value - 1, value // 2))) if value > 0 else (value - 1,)
