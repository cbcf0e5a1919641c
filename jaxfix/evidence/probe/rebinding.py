"""What a function reads and its program may rebind between two calls, and how to bind it to something else."""

import functools
import math
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

from .alter import Alter, in_place
from .constructed import given
from .effects import Reach
from .fields import fields
from .files import is_user, real
from .near import smaller
from .originals import nested
from .perturb import is_plain
from .stores import Stores
from .surroundings import variables

_MOST_ENTRIES, _DEEPEST = 8, 3
_ABSENT = object()


class Slot:
    """A place that may hold something else, such as a global, an attribute or an entry of a dictionary."""

    def __init__(self, label: str, other: Any, write: Callable[[Any], object], restore: Callable[[], object]) -> None:
        self.label, self.other, self._write, self._restore = label, other, write, restore

    @contextmanager
    def rebound(self) -> Iterator[None]:
        """Holds something else in the block."""
        self._write(self.other)
        try:
            yield
        finally:
            self._restore()


class Slots:
    """Finds what some functions read and what may be rebound.

    Args:
      given: functions that came as arguments from callers who were not read: what they capture may change at any time.
      moved: the file that the program runs, by the file of the original text.
      numbers: that an integer may be as well, besides those near it; None where a loop might not end.
      bounds: that numbers are compared with.
    """

    def __init__(
        self,
        reach: Reach,
        stores: Stores,
        given: list[FunctionType],
        moved: dict[str, str],
        numbers: Sequence[int] | None = (),
        bounds: Sequence[float] = (),
    ) -> None:
        self.reach, self.stores, self.given = reach, stores, given
        self.moved, self.numbers, self.bounds = moved, numbers, bounds
        self.mentioned = reach.names
        self.alter = Alter(reach.is_mine, reach.texts)
        self._containers = stores.changed | stores.foreign | {bound for _, bound in stores.names}
        self._seen: set[Any] = set()
        self.files: dict[int, set[str]] = {}
        for code, globals_ in reach.codes:
            self.files.setdefault(id(getattr(globals_, "live", globals_)), set()).add(self._file(code))

    def _file(self, code: CodeType) -> str:
        return real(self.moved.get(code.co_filename, code.co_filename))

    def of(self, arguments: dict[str, Any], cells: dict[str, CellType]) -> Iterator[Slot]:
        for function in self.given:
            yield from self._cells(function, always=True)
        for name, cell in cells.items():
            owners = ((code.co_qualname, self._file(code)) for code, _ in self.reach.codes)
            may = any(self.stores.may_rebind_local(qualname, file, name) for qualname, file in owners)
            yield from self._cell(name, cell, may)
        for code, globals_ in self.reach.codes:
            for name in sorted({name for part in nested(code) for name in part.co_names}):
                if name in globals_:
                    yield from self._global(name, globals_)
        for function in self.reach.functions:
            if function not in self.given:
                yield from self._cells(function, always=False)
        for name, value in arguments.items():
            yield from self._inside(name, name, value)
            yield from self._public(name, value)
        yield from self._environment()

    def _public(self, label: str, owner: Any) -> Iterator[Slot]:
        """The attributes of an object of the user's that is passed: anyone who passes it may assign to them."""
        if not self.alter.is_object(owner):
            return
        names, free = self.mentioned.intersection(fields(owner)), given(owner)
        for attribute in sorted(name for name in names if not name.startswith("_") or name in free):
            yield from self._attribute(f"{label}.{attribute}", owner, attribute, getattr(owner, attribute))

    def _cells(self, function: FunctionType, always: bool) -> Iterator[Slot]:
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            yield from self._cell(name, cell, always or self._may_rebind(function, name))

    def _may_rebind(self, function: FunctionType, name: str) -> bool:
        code = function.__code__
        return self.stores.may_rebind_local(code.co_qualname, self._file(code), name)

    def _cell(self, name: str, cell: CellType, may: bool) -> Iterator[Slot]:
        try:
            value = cell.cell_contents
        except ValueError:
            return
        if may:
            yield from self._slot(("cell", id(cell)), name, value, lambda new: _put(cell, new))
        yield from self._inside(name, name, value)

    def _global(self, name: str, globals_: dict[str, Any]) -> Iterator[Slot]:
        value = globals_[name]
        globals_ = getattr(globals_, "live", globals_)
        files = self.files.get(id(globals_), ())
        bound = self.stores.names if is_plain(value) else self.stores.late
        is_foreign = name in self.stores.foreign or (self.stores.anywhere and is_plain(value))
        if is_foreign or any((file, name) in bound for file in files):
            yield from self._entry(name, globals_, name, value)
        yield from self._inside(name, name, value)

    def _environment(self) -> Iterator[Slot]:
        """Variables that are asked for at each call: the caller may have set them in between, as tests do."""
        for name, default in variables(self.reach.codes).items():
            held = os.environ.get(name)
            write, restore = functools.partial(_set, name), functools.partial(_set, name, held)
            yield Slot(f"environ[{name!r}]", self.alter(held or default or "1"), write, restore)

    def _inside(self, label: str, name: str, value: Any, depth: int = 0) -> Iterator[Slot]:
        """What a value holds that may be something else: entries, attributes, the values of an array.

        Args:
          name: the last one on the way to it, by which the sources change it.
        """
        if in_place(value):
            if name in self.stores.written:
                yield from self._array(label, value)
        elif isinstance(value, ContextVar):
            yield from self._context(label, value)
        elif isinstance(value, dict | list):
            keys = list(value)[:_MOST_ENTRIES] if isinstance(value, dict) else range(min(len(value), _MOST_ENTRIES))
            for key in keys:
                if name in self._containers:
                    yield from self._entry(f"{label}[{key!r}]", value, key, value[key])
                if depth < _DEEPEST:
                    yield from self._inside(f"{label}[{key!r}]", name, value[key], depth + 1)
        elif isinstance(value, ModuleType | type) or self._has_attributes(value):
            yield from self._attributes(label, name, value, depth)

    def _array(self, label: str, value: Any) -> Iterator[Slot]:
        held = value.copy()
        yield from self._slot(("array", id(value)), label, held, lambda new: _fill(value, new))

    def _context(self, label: str, variable: ContextVar[Any]) -> Iterator[Slot]:
        try:
            value = variable.get()
        except LookupError:
            return
        yield from self._slot(("context", id(variable)), label, value, variable.set)

    def _attributes(self, label: str, name: str, owner: Any, depth: int) -> Iterator[Slot]:
        file = getattr(owner, "__file__", None) if isinstance(owner, ModuleType) else None
        if isinstance(owner, ModuleType) and not is_user(str(file or "<"), self.reach.user):
            return
        for attribute in sorted(self.mentioned & self._assigned(name, owner, file)):
            try:
                value = getattr(owner, attribute, _ABSENT)
            except Exception:  # a property of the user's
                continue
            if value is not _ABSENT and (is_plain(value) or not isinstance(owner, type)):
                yield from self._attribute(f"{label}.{attribute}", owner, attribute, value)
        if depth < _DEEPEST and not isinstance(owner, ModuleType):
            for attribute in sorted(self.mentioned.intersection([*fields(owner), *_shared(owner)])):
                value = getattr(owner, attribute)
                yield from self._inside(f"{label}.{attribute}", attribute, value, depth + 1)

    def _assigned(self, name: str, owner: Any, file: str | None) -> set[str]:
        """The attributes that may be assigned of an object, which has that name, or of the module of that file."""
        found = self.stores.attributes | self.stores.foreign
        if isinstance(owner, ModuleType):
            found |= {name for path, name in self.stores.names if file and path == real(file)}
            return found | {name for name, held in vars(owner).items() if self.stores.anywhere and is_plain(held)}
        return found | (self.mentioned & {*fields(owner)} if self.stores.may_assign_any(name) else set())

    def _attribute(self, label: str, owner: Any, attribute: str, value: Any) -> Iterator[Slot]:
        for at, other in self._others(label, (id(owner), attribute), value):
            slot = _attribute_slot(at, owner, attribute, value, other)
            if slot is not None:
                yield slot

    def _entry(self, label: str, container: Any, key: Any, value: Any) -> Iterator[Slot]:
        def write(new: Any) -> None:
            container[key] = new

        yield from self._slot((id(container), key), label, value, write)

    def _slot(self, key: Any, label: str, value: Any, write: Callable[[Any], object]) -> Iterator[Slot]:
        for at, other in self._others(label, key, value):
            yield Slot(at, other, write, lambda: write(value))

    def _others(self, label: str, key: Any, value: Any) -> Iterator[tuple[str, Any]]:
        """What else the place may hold, by label; nothing if none is known, or the place is known already."""
        if key in self._seen:
            return
        other = self.alter(value)
        if other is value:
            return
        self._seen.add(key)
        yield label, other
        if self.numbers is None:
            return
        if value is None:
            yield f"{label} = 0", 0  # whether zero counts as something is easily missed
        if type(value) in (int, float):
            floats = 0.0, *self.bounds, math.nan
            near = dict.fromkeys((*smaller(value), 0, *self.numbers) if type(value) is int else floats)
            yield from ((f"{label} = {number}", number) for number in near if number not in (value, other))
            return
        for alter in self.alter.smaller():
            if (less := alter(value)) is not value:
                yield f"{label} with smaller numbers", less

    def _has_attributes(self, value: Any) -> bool:
        module = type(value).__module__.partition(".")[0]
        held = hasattr(value, "__dict__") and module not in ("jax", "jaxlib", "numpy", "builtins", "functools")
        return held or self.alter.is_object(value)


def _attribute_slot(label: str, owner: Any, attribute: str, value: Any, other: Any) -> Slot | None:
    own = isinstance(owner, type | ModuleType) or attribute in fields(owner)
    own = own and (not isinstance(owner, type) or attribute in vars(owner))

    def restore() -> None:
        if own:
            setattr(owner, attribute, value)
        else:
            delattr(owner, attribute)

    try:
        setattr(owner, attribute, value)
        restore()
    except Exception:  # frozen, read-only, or a property of the user's
        return None
    return Slot(label, other, lambda new: setattr(owner, attribute, new), restore)


def _shared(owner: Any) -> list[str]:
    """The containers and arrays among the attributes of the class of an instance."""
    kinds = type(owner).__mro__ if not isinstance(owner, type) else ()
    held = (item for kind in kinds for item in vars(kind).items() if not item[0].startswith("__"))
    return [name for name, value in held if isinstance(value, dict | list) or in_place(value)]


def _set(name: str, value: str | None) -> None:
    """Sets a variable of the environment, or takes it away."""
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value


def _put(cell: CellType, value: Any) -> None:
    cell.cell_contents = value


def _fill(array: Any, values: Any) -> None:
    array[...] = values
