"""Other options than a program passes: objects of the user's whose attributes nobody can assign to."""

import copy
import importlib
from collections.abc import Collection, Iterator
from typing import Any

from .alter import Alter
from .constructed import given
from .fields import fields
from .pairing import Leaves
from .samples import Sample

_NUMBERS = (1.0, 0)
"""In the place of None: whether zero counts as something is easily missed."""


def others(sample: Sample, leaves: Leaves, alter: Alter, mentioned: Collection[str]) -> Iterator[tuple[str, Sample]]:
    """The same call with another value in one attribute of such an object, and which it is.

    Args:
      mentioned: the names that the functions read.
    """
    tree = importlib.import_module("jax").tree_util
    for parameter, value in sample.arguments(leaves).items():
        if not alter.is_object(value) or not tree.all_leaves([value]):
            continue
        for name in sorted({*fields(value)}.intersection(mentioned)):
            held = getattr(value, name)
            new = _NUMBERS if held is None else [change(held) for change in (alter, *alter.smaller())]
            for other in new if not name.startswith("_") or name in given(value) else ():
                made = _with_another(value, name, other)
                if made is not None:
                    yield f"{parameter}.{name}", sample.replaced(parameter, made)


def _with_another(value: Any, name: str, new: Any) -> Any:
    """A copy with something else there; None where it can be assigned to, as `rebinding` does, or it is the same."""
    held = getattr(value, name)
    if new is held:
        return None
    try:
        setattr(value, name, held)
    except Exception:  # whatever the class raises
        made = copy.copy(value)
        object.__setattr__(made, name, new)
        return made
    return None
