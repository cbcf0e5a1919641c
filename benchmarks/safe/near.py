"""What the generated training loops print of a value: its structure, and all numbers.

Not the order of keys: of a comprehension it is not analysed, and a proof compares it.
"""

from collections.abc import Iterator

import jax
import numpy as np


def near(name: str, value: object) -> None:
    """Prints a value."""
    print(name, *_lines(value), sep="\n  ", flush=True)


def _lines(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        yield f"keys {sorted(value)}"
        for name in sorted(value):
            yield from _lines(value[name])
    elif isinstance(value, list | tuple):
        yield f"{type(value).__name__} of {len(value)}"
        for item in value:
            yield from _lines(item)
    elif isinstance(value, jax.Array):
        yield f"jax {value.dtype} {value.shape} {np.asarray(value).ravel().tolist()}"
    elif isinstance(value, np.ndarray | np.generic):
        yield f"numpy {value.dtype} {value.shape} {np.asarray(value).ravel().tolist()}"
    else:
        yield f"{type(value).__name__} {value!r}"
