"""Arrays that programs have written as `.npy` and `.npz`, read and compared by value, without NumPy."""

import ast
import math
import struct
import zipfile
from collections.abc import Mapping
from io import BytesIO

from jaxfix.source.frozen import frozen

RELATIVE = 1e-5
"""Of the larger one of two numbers: what two versions of XLA may round apart."""
ABSOLUTE = 1e-6
_HALF = 2e-3
"""As `RELATIVE`, for numbers of sixteen bits."""
_MAGIC = b"\x93NUMPY"
_REAL = {"f2": "e", "f4": "f", "f8": "d", "c8": "f", "c16": "d"}


@frozen
class Array:
    """An array of a file; `numbers` is the code of its numbers for `struct`, None where they are exact."""

    kind: str
    shape: tuple[int, ...]
    numbers: str | None
    raw: bytes


def arrays(name: str, content: bytes) -> Mapping[str, Array] | None:
    """The arrays in a file by name; None for another file, and for one that holds Python objects."""
    if content.startswith(_MAGIC):
        found = _array(content)
        return None if found is None else {name: found}
    if not name.endswith(".npz"):
        return None
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            members = {f"{name}/{each}": _array(archive.read(each)) for each in archive.namelist()}
    except (zipfile.BadZipFile, OSError, NotImplementedError):
        return None
    whole = {each: array for each, array in members.items() if array is not None}
    return whole if len(whole) == len(members) else None


def difference(one: Array, other: Array) -> float | str:
    """The largest difference of the numbers; what differs, as a clause, where that is not rounding."""
    if (one.kind, one.shape) != (other.kind, other.shape):
        return f"{_typed(one)} became {_typed(other)}"
    if one.raw == other.raw:
        return 0.0
    if one.numbers is None or len(one.raw) != len(other.raw):
        return "other values"
    pairs = zip(*(struct.iter_unpack(one.numbers, each.raw) for each in (one, other)), strict=True)
    relative = _HALF if one.numbers.endswith("e") else RELATIVE
    largest = 0.0
    for place, ((old,), (new,)) in enumerate(pairs):
        if old == new or (math.isnan(old) and math.isnan(new)):
            continue
        if not is_rounded(old, new, relative):
            return f"number {place}: {old:g} became {new:g}"
        largest = max(largest, abs(old - new))
    return largest


def is_rounded(old: float, new: float, relative: float = RELATIVE) -> bool:
    """Whether two versions of XLA may round so differently."""
    return abs(old - new) <= max(ABSOLUTE, relative * max(abs(old), abs(new))) and math.isfinite(old - new)


def _array(content: bytes) -> Array | None:
    try:
        length, start = (
            struct.unpack_from("<H" if content[6] == 1 else "<I", content, 8)[0],
            10 if content[6] == 1 else 12,
        )
        header = ast.literal_eval(content[start : start + length].decode("latin-1"))
        kind, shape = header["descr"], tuple(header["shape"])
    except (IndexError, KeyError, SyntaxError, TypeError, ValueError, struct.error):
        return None
    if not isinstance(kind, str) or "O" in kind:
        return None
    order = " (Fortran order)" if header.get("fortran_order") and len(shape) > 1 else ""
    code = _REAL.get(kind[1:])
    numbers = f"{'>' if kind[0] == '>' else '<'}{code}" if code else None
    return Array(kind + order, shape, numbers, content[start + length :])


def _typed(array: Array) -> str:
    return f"{array.kind}[{','.join(map(str, array.shape))}]"
