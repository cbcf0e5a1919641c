"""Digests of values: what they are, without keeping them."""

import enum
import hashlib
import importlib
import re
import sys
from collections.abc import Iterator
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

from .fields import fields
from .files import is_user
from .fingerprint import every, fingerprint, is_large
from .hiding import hidden
from .record import Record
from .settings import Settings, shown

SAMPLE = 4096
_DEEPEST = 3
_CLOCK = re.compile(r"time|second|elapsed|duration|start|clock|stamp|_at$")
_ADDRESS = re.compile(r"(?<=\bat )0x[0-9a-f]+")
PLAIN = (bool, int, float, complex, str, bytes, type, enum.Enum, range, slice)


class Values:
    """Turns what a function returned into an `Output`."""

    def __init__(self, settings: Settings, record: Record) -> None:
        self.settings, self.record = settings, record

    def output(self, label: str, value: Any, attached: bool) -> dict[str, Any]:
        """What `value` is; keeps nothing of it alive. Only once jax was `attached` are there arrays of its own."""
        leaves, treedef = flatten(value)
        opened = [part for pair in leaves for part in self._opened(*pair)]
        opened += [(path, getattr(owner, name)) for path, owner, name in hidden(value) if not _CLOCK.search(name)]
        digested = [self._leaf(path, leaf, attached) for path, leaf in opened]
        return {"label": label, "treedef": self._stable(treedef), "leaves": digested}

    def _opened(self, path: str, leaf: Any, depth: int = 0) -> Iterator[tuple[str, Any]]:
        """The leaf, and after it what it holds if it is an object of the user's; not how long things took."""
        yield path, leaf
        if depth >= _DEEPEST or isinstance(leaf, type | enum.Enum) or not self._is_mine(type(leaf)):
            return
        for name in sorted(fields(leaf)):
            held = getattr(leaf, name)
            if isinstance(held, float) and _CLOCK.search(name):
                continue
            for where, inner in flatten(held)[0]:
                yield from self._opened(f"{path}.{name}{where}", inner, depth + 1)

    def _is_mine(self, kind: type) -> bool:
        file = getattr(sys.modules.get(kind.__module__), "__file__", None)
        # `__main__` has forgotten its file when the program has ended.
        return kind.__module__ == "__main__" or (isinstance(file, str) and is_user(file, self.settings.user))

    def _stable(self, text: str) -> str:
        return _ADDRESS.sub("0x", shown(text, self.settings))

    def _leaf(self, path: str, leaf: Any, attached: bool) -> dict[str, Any]:
        jax = sys.modules.get("jax")
        if jax is not None and attached and isinstance(leaf, jax.Array):
            return self._jax_leaf(path, leaf, jax)
        numpy = sys.modules.get("numpy")
        if numpy is not None and isinstance(leaf, numpy.ndarray | numpy.generic) and leaf.dtype != object:
            array, kind, mask = _opened(leaf, numpy)
            bits = self._bits(array, f"{array.dtype}{mask}")
            sealed = "" if isinstance(leaf, numpy.generic) or leaf.flags.writeable else "read-only "
            return _facts(path, f"{sealed}numpy {array.dtype}{kind}", array.shape, False) | bits
        if is_function(leaf):
            return _facts(path, "<function>", (), False)  # it is what it does
        # The `repr` of other types is the user's code, and need not tell what they hold.
        plain = isinstance(leaf, PLAIN)
        digest = _sha(self._stable(repr(leaf)).encode()) if plain else None
        number = (float(leaf),) if isinstance(leaf, int | float) and abs(leaf) < 1e300 else ()
        return _facts(path, f"<{type(leaf).__qualname__}>", (), False) | {"digest": digest, "sample": number}

    def _jax_leaf(self, path: str, leaf: Any, jax: ModuleType) -> dict[str, Any]:
        weak = bool(getattr(leaf, "weak_type", False))
        facts = _facts(path, str(leaf.dtype), leaf.shape, weak)
        if isinstance(leaf, jax.core.Tracer) or leaf.is_deleted():
            return facts
        facts["placed"] = _placed(leaf)
        if jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
            leaf = jax.random.key_data(leaf)
        if is_large(leaf):
            return facts | self._bits_there(leaf, str(facts["dtype"]))
        return facts | self._bits(host_of(leaf), str(facts["dtype"]))

    def _bits_there(self, array: Any, dtype: str) -> dict[str, Any]:
        """As `_bits`, of a jax array that stays where it is."""
        sums, nans = fingerprint(array)
        digest = _sha(f"{dtype}{array.shape}{sums}{nans}".encode())
        sample = every(array, stride(array.size, self._room))
        return {"digest": digest, "sample": self._values(sample), "nans": nans}

    def _bits(self, array: Any, dtype: str | None = None) -> dict[str, Any]:
        """Digest, sample and NaNs of a numpy array. All NaNs are one: their sign and payload mean nothing."""
        np = importlib.import_module("numpy")
        custom = array.dtype.kind == "V" and array.dtype.names is None and not array.dtype.name.startswith("void")
        numeric = array.dtype.kind in "fiubc" or custom
        inexact = array.dtype.kind in "fc" or (custom and "float" in array.dtype.name)
        mask = np.isnan(array) if inexact else None
        nans = int(mask.sum()) if mask is not None else 0
        if nans:
            array = np.where(mask, np.array(np.nan, array.dtype), array)
        head = f"{dtype or array.dtype}{array.shape}".encode()
        sample = self._sample(array) if numeric else []
        return {"digest": _sha(head + array.tobytes()), "sample": sample, "nans": nans}

    def _sample(self, array: Any) -> list[float]:
        return self._values(array.reshape(-1)[:: stride(array.size, self._room)])

    @property
    def _room(self) -> int:
        return SAMPLE if self.record.budget > 0 else 64

    def _values(self, flat: Any) -> list[float]:
        np = importlib.import_module("numpy")
        parts = [flat.real, flat.imag] if flat.dtype.kind == "c" else [flat]
        values = [float(value) for part in parts for value in part.astype(np.float64)]
        self.record.budget -= len(values)
        return values


def _opened(leaf: Any, numpy: ModuleType) -> tuple[Any, str, str]:
    """The values of a NumPy array, its class if that is not the usual one, and its mask if it has one."""
    kind = type(leaf)
    if kind is numpy.ndarray or isinstance(leaf, numpy.generic):
        return numpy.asarray(leaf), "", ""
    if not isinstance(leaf, numpy.ma.MaskedArray):
        return numpy.asarray(leaf), f" {kind.__name__}", ""
    mask = numpy.packbits(numpy.ma.getmaskarray(leaf)).tobytes().hex()
    return leaf.filled(0), f" {kind.__name__}", mask  # what a mask hides is left over from something else


def _placed(array: Any) -> str | None:
    """Where the array was put by its owner; None if jax chose."""
    if not getattr(array, "committed", getattr(array, "_committed", False)):
        return None
    try:
        parts = array.sharding.devices_indices_map(array.shape)
        where = sorted(f"{device}: {part}" for device, part in parts.items())
    except Exception:  # a kind of sharding that has no parts
        where = [str(array.sharding)]
    kind = getattr(array.sharding, "memory_kind", None)
    return f"{'; '.join(where)}{f' in {kind}' if kind else ''}"[:400]


def is_function(value: Any) -> bool:
    """Whether the value is a function, a method, or one that jax or `functools` has wrapped; no class and no object."""
    if isinstance(value, FunctionType | BuiltinFunctionType | MethodType):
        return True
    module = type(value).__module__.partition(".")[0]
    return callable(value) and not isinstance(value, type) and module in ("jax", "jaxlib", "functools")


def stride(size: int, room: int = SAMPLE) -> int:
    """How far apart the sampled values of an array of `size` values lie."""
    return max(1, -(-size // room))


def raised_output(label: str) -> dict[str, Any]:
    """The output of a call that an exception left."""
    return {"label": label, "treedef": "raised", "leaves": []}


def _facts(path: str, dtype: str, shape: Any, weak: bool) -> dict[str, Any]:
    place = {"path": path, "dtype": dtype, "shape": list(shape), "weak_type": weak}
    return place | {"digest": None, "sample": [], "nans": 0}


def flatten(value: Any) -> tuple[list[tuple[str, Any]], str]:
    """The leaves with their paths, and the structure; dictionaries whose keys have no order are opened, too."""
    jax = sys.modules.get("jax")
    if jax is None or not hasattr(jax, "tree_util"):
        return [("", value)], "*"
    try:
        pairs, treedef = jax.tree_util.tree_flatten_with_path(value)
    except (TypeError, ValueError):
        try:
            return _flatten_unordered(jax.tree_util, value)
        except (TypeError, ValueError):  # a class of the user's that cannot be opened
            return [("", value)], "*"
    return [(jax.tree_util.keystr(path), leaf) for path, leaf in pairs], str(treedef)


def _flatten_unordered(tree_util: Any, value: Any) -> tuple[list[tuple[str, Any]], str]:
    pairs, treedef = tree_util.tree_flatten_with_path(value, is_leaf=_is_unordered)
    leaves: list[tuple[str, Any]] = []
    structure = str(treedef)
    for path, part in pairs:
        if not _is_unordered(part):
            leaves.append((tree_util.keystr(path), part))
            continue
        for name, item in sorted(((_named(key), part[key]) for key in part), key=lambda pair: pair[0]):
            inner, below = flatten(item)
            leaves += [(f"{tree_util.keystr(path)}[{name}]{rest}", leaf) for rest, leaf in inner]
            structure += f" {name}: {below}"
    return leaves, structure


def _is_unordered(part: Any) -> bool:
    """Whether it is a dictionary whose keys cannot be sorted, as `0` and `"a"`."""
    if not isinstance(part, dict):
        return False
    try:
        sorted(part)
    except TypeError:
        return True
    return False


def _named(key: Any) -> str:
    """A key as another process would show it."""
    return _ADDRESS.sub("", repr(key))


def host_of(leaf: Any) -> Any:
    """The values as numpy, through a view that dies: one kept by the array would forbid its donation."""
    np = importlib.import_module("numpy")
    if leaf.is_fully_addressable and len(leaf.sharding.device_set) == 1:
        return np.asarray(leaf.addressable_data(0))
    if leaf.is_fully_addressable:
        return np.asarray(leaf)
    return np.concatenate([np.asarray(shard.data).reshape(-1) for shard in leaf.addressable_shards])


def _sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
