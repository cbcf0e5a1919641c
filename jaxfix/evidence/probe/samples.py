"""Arguments of a call, kept for later calls without keeping arrays alive that the program may donate or change."""

import copy
import functools
import importlib
import sys
from collections.abc import Callable, Iterator
from types import CodeType, FrameType
from typing import Any

from . import fingerprint
from .hiding import hidden, others, put
from .memory import free_bytes
from .values import host_of

MOST_BYTES = 256 << 20
Maker = Callable[[], Any]
_ROOM = 4
_DIFFERENTIATING = ("JVPTracer", "LinearizeTracer")


class Unkept(Exception):
    """Why the arguments of a call cannot be kept, in words."""


class Sample:
    """One call: its function and how to make its arguments again.

    Attributes:
      values: by parameter, in order, as a flat list of makers and how to put what they make together.
      seed: of the data that are made up.
      is_large: whether these are so large that calls are few.
      traced: the leaves, by index, that jax had traced without values.
      differentiated: whether the program took derivatives through the call.
      captured: what its free variables held.
      hidden: by parameter, what objects among the arguments lose where jax takes them apart.
    """

    def __init__(self, frame: FrameType) -> None:
        self.code: CodeType = frame.f_code
        self.globals: dict[str, Any] = frame.f_globals
        names = parameters(self.code)
        held = frame.f_locals
        arguments = {name: held[name] for name in names if name in held}
        self.captured = {name: held[name] for name in self.code.co_freevars if name in held}
        if any(is_tracer(leaf) for value in self.captured.values() for leaf in leaves_of(value)):
            raise Unkept("what it captures is traced")
        self.makers: list[Maker] = []
        self.traced: set[int] = set()
        self.differentiated = False
        self.seed, self.is_large = 0, False
        self._bytes = self._made_bytes = 0
        tree = _tree()
        self.trees: dict[str, tuple[Any, int]] = {}
        self.hidden: dict[str, list[Any]] = {}
        for name, value in arguments.items():
            treedef: Any
            try:
                leaves, treedef = tree.tree_flatten(value)
            except (TypeError, ValueError):
                leaves, treedef = [value], None
            self.trees[name] = treedef, len(leaves)
            self.makers += [self._keep(leaf) for leaf in leaves]
            if treedef is not None and (lost := [getattr(owner, at) for _, owner, at in hidden(value)]):
                self.hidden[name] = lost

    @property
    def objects(self) -> list[Any]:
        """The arguments that are neither data nor containers, such as `self`."""
        return [leaf for leaf in self.others() if hasattr(leaf, "__dict__")]

    @property
    def own(self) -> list[Any]:
        """The arguments that calls get as the program had them: neither copied data nor plain values."""
        numpy = sys.modules.get("numpy")
        copied = (set, bytearray, str, bytes, int, float, complex, *((numpy.ndarray,) if numpy is not None else ()))
        return [leaf for leaf in self.others() if not isinstance(leaf, copied)]

    @property
    def kind(self) -> tuple[bool, bool]:
        return bool(self.traced), self.differentiated

    def leaves(self) -> list[Any]:
        return [make() for make in self.makers]

    def others(self) -> list[Any]:
        """The leaves that are not jax arrays."""
        made = (make() for number, make in enumerate(self.makers) if number not in self.traced)
        return [leaf for leaf in made if not is_array(leaf)]

    def arguments(self, leaves: list[Any]) -> dict[str, Any]:
        """The arguments by parameter, made of these leaves."""
        tree, place, made = _tree(), 0, {}
        for name, (treedef, count) in self.trees.items():
            mine = leaves[place : place + count]
            made[name] = mine[0] if treedef is None else tree.tree_unflatten(treedef, mine)
            if name in self.hidden:
                put(made[name], self.hidden[name])
            place += count
        return made

    def alone(self) -> Iterator[tuple[str, int]]:
        """The parameters whose argument is a single leaf, and where that is among the leaves."""
        place = 0
        for name, (_, count) in self.trees.items():
            if count == 1:
                yield name, place
            place += count

    def names(self) -> list[str]:
        """The parameter of each leaf."""
        return [name for name, (_, count) in self.trees.items() for _ in range(count)]

    def replaced(self, name: str, value: Any) -> "Sample":
        """The same call with another argument."""
        names = list(self.trees)
        start = sum(self.trees[other][1] for other in names[: names.index(name)])
        end = start + self.trees[name][1]
        made = copy.copy(self)
        made.trees = {**self.trees, name: (None, 1)}
        made.hidden = {other: held for other, held in self.hidden.items() if other != name}
        made.makers = [*self.makers[:start], lambda: value, *self.makers[end:]]
        before, after = ({place for place in self.traced if place < start}, {p for p in self.traced if p >= end})
        made.traced = before | {place - end + start + 1 for place in after}
        return made

    def with_other_hidden(self) -> Iterator[tuple[str, "Sample"]]:
        """The same call with objects that hold something else where jax does not look, and where that is."""
        for parameter, value in self.arguments(self.leaves()).items() if self.hidden else ():
            for number, (path, owner, name) in enumerate(hidden(value)):
                for other in others(getattr(owner, name)):
                    made = copy.copy(self)
                    held = list(self.hidden[parameter])
                    held[number] = other
                    made.hidden = self.hidden | {parameter: held}
                    yield f"{parameter}{path}", made

    def _keep(self, leaf: Any) -> Maker:
        numpy = sys.modules.get("numpy")
        if is_tracer(leaf):
            return self._keep_traced(leaf)
        if is_array(leaf):
            if is_key(leaf):
                return lambda: leaf
            if leaf.is_deleted():
                raise Unkept("an argument has been deleted")
            self._count(leaf.nbytes)
            host = host_of(leaf).copy()
            weak = bool(getattr(leaf, "weak_type", False))
            sharding = placed(leaf)
            return lambda: array(host, weak, sharding)
        if numpy is not None and isinstance(leaf, numpy.ndarray):
            self._count(leaf.nbytes)
            kept = leaf.copy()
            return lambda: kept.copy()
        if isinstance(leaf, int | float | complex) and type(leaf).__module__.partition(".")[0] == "jax":
            number = leaf + 0  # jax has classes of its own for Python numbers under a derivative
            return lambda: number
        if isinstance(leaf, set | bytearray):
            held = copy.copy(leaf)
            return lambda: copy.copy(held)
        return lambda: leaf

    def _keep_traced(self, leaf: Any) -> Maker:
        self.differentiated = self.differentiated or type(leaf).__name__ in _DIFFERENTIATING
        if type(leaf).__name__ in _DIFFERENTIATING:
            return self._keep(leaf.primal)
        aval, number = leaf.aval, len(self.makers)
        self.traced.add(number)
        shape, dtype, weak = tuple(aval.shape), aval.dtype, bool(getattr(aval, "weak_type", False))
        if not all(isinstance(size, int) for size in shape):
            raise Unkept("an argument has a symbolic shape")
        self._count_made(_size(shape) * getattr(dtype, "itemsize", 8))
        return lambda: made_up(shape, dtype, weak, number + self.seed)

    def _count_made(self, size: int) -> None:
        self._made_bytes += size
        self.is_large = self._made_bytes > MOST_BYTES
        if self.is_large and self._made_bytes > (most := free_bytes() // _ROOM):
            told = f"{self._made_bytes >> 20} MB, and {most >> 20} MB is a quarter of what is free"
            raise Unkept(f"its arguments hold {told}")

    def _count(self, size: int) -> None:
        self._bytes += size
        if self._bytes > MOST_BYTES:
            raise Unkept(f"its arguments hold more than {MOST_BYTES >> 20} MB")


def parameters(code: CodeType) -> tuple[str, ...]:
    """All parameters, `*args` and `**kwargs` last."""
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)
    return code.co_varnames[:count]


def passed(code: CodeType, arguments: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Arguments by parameter as positional and keyword arguments of a function with this code.

    Raises:
      Unkept: a parameter has none.
    """
    names = parameters(code)
    positional, keyword = names[: code.co_argcount], names[code.co_argcount :][: code.co_kwonlyargcount]
    rest = list(names[code.co_argcount + code.co_kwonlyargcount :])
    missing = [name for name in (*positional, *keyword) if name not in arguments]
    if missing:
        raise Unkept(f"the rewritten function has no parameter `{missing[0]}`")
    args = [arguments[name] for name in positional]
    if code.co_flags & 0x04:
        args += arguments.get(rest.pop(0), ())
    keywords = {name: arguments[name] for name in keyword}
    return args, keywords | (arguments.get(rest[0], {}) if rest else {})


def is_tracer(value: Any) -> bool:
    jax = sys.modules.get("jax")
    return jax is not None and isinstance(value, jax.core.Tracer)


def is_array(value: Any) -> bool:
    jax = sys.modules.get("jax")
    return jax is not None and hasattr(jax, "Array") and isinstance(value, jax.Array)


def is_key(value: Any) -> bool:
    jax = sys.modules["jax"]
    return bool(jax.dtypes.issubdtype(value.dtype, jax.dtypes.prng_key))


def is_deleted(value: Any) -> bool:
    """Whether a jax array among the leaves of the value has given its memory away."""
    return any(is_array(leaf) and not is_tracer(leaf) and leaf.is_deleted() for leaf in leaves_of(value))


def array(host: Any, weak: bool, sharding: Any = None) -> Any:
    """A new jax array with these values, weakly typed if it was."""
    jax = sys.modules["jax"]
    value = jax.numpy.array(host) if sharding is None else jax.device_put(host.copy(), sharding)
    if weak:
        lax = importlib.import_module("jax._src.lax.lax")
        value = lax._convert_element_type(value, value.dtype, weak_type=True)
    return value


def fresh(leaf: Any) -> Any:
    """The leaf, or a copy of it if a call may change or delete it."""
    numpy = sys.modules.get("numpy")
    if type(leaf) in (list, tuple):  # in the place of an argument
        return type(leaf)(map(fresh, leaf))
    if type(leaf) is dict:
        return {key: fresh(held) for key, held in leaf.items()}
    if is_tracer(leaf) or not is_array(leaf):
        copied = isinstance(leaf, set | bytearray) or (numpy is not None and isinstance(leaf, numpy.ndarray))
        return leaf.copy() if copied else leaf
    if is_key(leaf):
        return leaf
    return array(host_of(leaf), bool(getattr(leaf, "weak_type", False)), placed(leaf))


def written(after: dict[str, Any], before: dict[str, Any], original: dict[str, Any]) -> dict[str, Any]:
    """The arguments that a call has changed in place.

    Args:
      before: the same leaves in other containers, which the call has not seen.
      original: what the call was given copies of.
    """
    return {name: value for name, value in after.items() if _is_written(value, before[name], original[name])}


def _is_written(after: Any, before: Any, original: Any) -> bool:
    numpy, tree = sys.modules.get("numpy"), _tree()
    try:
        (new, shape), (old, structure) = tree.tree_flatten(after), tree.tree_flatten(before)
        given, form = tree.tree_flatten(original)
    except (TypeError, ValueError):
        return False
    if shape != structure or shape != form or any(one is not other for one, other in zip(new, old, strict=True)):
        return True
    pairs = zip(new, given, strict=True)
    return numpy is not None and any(_bytes(one) != _bytes(other) for one, other in pairs)


def _bytes(leaf: Any) -> object:
    numpy = sys.modules["numpy"]
    if isinstance(leaf, numpy.ndarray) and leaf.dtype != object:
        return leaf.tobytes()
    return leaf if isinstance(leaf, set | bytearray) else None


def spoil(value: Any) -> list[Callable[[], None]]:
    """Changes in place what can be of a result; returns how to undo it."""
    numpy, undo = sys.modules.get("numpy"), list[Callable[[], None]]()
    for leaf in leaves_of(value):
        if numpy is not None and isinstance(leaf, numpy.ndarray) and leaf.flags.writeable and leaf.dtype.kind in "fiuc":
            undo.append(functools.partial(_copy_back, leaf, leaf.copy()))
            leaf += 1
    for holder in _holders(value):
        undo.append(functools.partial(_refill, holder, holder.copy()))
        holder.clear()
    return undo


def _holders(value: Any, depth: int = 0) -> list[Any]:
    """The dictionaries and lists in a value, the outer ones first."""
    if depth > 4 or not isinstance(value, dict | list | tuple):
        return []
    inner = value.values() if isinstance(value, dict) else value
    found = [value] if type(value) in (dict, list) else []
    return found + [holder for item in inner for holder in _holders(item, depth + 1)]


def _copy_back(array: Any, values: Any) -> None:
    array[...] = values


def _refill(holder: Any, contents: Any) -> None:
    holder.clear()
    holder.update(contents) if isinstance(holder, dict) else holder.extend(contents)


def placed(leaf: Any) -> Any:
    """Where the array was put by its owner; None if jax chose."""
    return leaf.sharding if getattr(leaf, "committed", getattr(leaf, "_committed", False)) else None


def made_up(shape: tuple[int, ...], dtype: Any, weak: bool, seed: int) -> Any:
    """Data for an argument of which only the type is known."""
    jax, np = sys.modules["jax"], importlib.import_module("numpy")
    random = np.random.default_rng(seed)
    if jax.dtypes.issubdtype(dtype, jax.dtypes.prng_key):
        keys = jax.random.split(jax.random.key(seed), shape) if shape else jax.random.key(seed)
        if keys.dtype != dtype:
            raise Unkept("its keys are of another generator than the usual one")
        return keys
    if _size(shape) * np.dtype(dtype).itemsize >= fingerprint.LEAST_BYTES and not weak:
        return _made_there(shape, dtype, seed)
    if jax.dtypes.issubdtype(dtype, np.inexact):
        host = random.standard_normal(shape)
    elif jax.dtypes.issubdtype(dtype, np.unsignedinteger):
        host = random.integers(0, 4 if _size(shape) != 2 else 1 << 30, shape)
    elif jax.dtypes.issubdtype(dtype, np.integer):
        host = random.integers(0, 4, shape)
    elif jax.dtypes.issubdtype(dtype, np.bool_):
        host = random.integers(0, 2, shape)
    else:
        raise Unkept(f"no data can be made up for {dtype}")
    return array(np.asarray(host).astype(dtype), weak)


def _made_there(shape: tuple[int, ...], dtype: Any, seed: int) -> Any:
    """Data for a large argument, made on the device."""
    jax, np = sys.modules["jax"], importlib.import_module("numpy")
    key = jax.random.key(seed)
    if jax.dtypes.issubdtype(dtype, np.inexact):
        is_common = np.dtype(dtype).kind in "fc" or np.dtype(dtype).name == "bfloat16"
        return jax.random.normal(key, shape, dtype if is_common else np.float32).astype(dtype)
    return jax.random.randint(key, shape, 0, 2 if dtype == np.bool_ else 4).astype(dtype)


def _size(shape: tuple[int, ...]) -> int:
    size = 1
    for length in shape:
        size *= length
    return size


def leaves_of(value: Any) -> list[Any]:
    """The leaves of a tree; the value itself where it is none."""
    try:
        return list(_tree().tree_leaves(value))
    except (TypeError, ValueError):
        return [value]


def _tree() -> Any:
    return importlib.import_module("jax").tree_util
