"""What an instance holds itself."""

from typing import Any


def fields(value: Any) -> list[str]:
    """The attributes that an instance holds itself, in its dictionary or in slots."""
    slots = (getattr(kind, "__slots__", ()) for kind in type(value).__mro__)
    named = (name for names in slots for name in ((names,) if isinstance(names, str) else names))
    held = [name for name in named if name not in ("__dict__", "__weakref__") and hasattr(value, name)]
    return [*getattr(value, "__dict__", {}), *held]
