"""The original and the rewritten function of one call."""

import ast
import functools
from collections.abc import Callable
from types import CellType, CodeType, FunctionType
from typing import Any

from . import scratch
from .effects import Reach, calls_back, effect, loops
from .originals import Namespace, Text, Unmade, cells_of, is_jit, live_object, plain, same_code, text_of
from .samples import Sample
from .state import State, assigns_globals, unplaced

_SORTING = {"jit", "filter_jit", "pjit", "pmap", "vmap", "scan", "map", "tree_map", "unflatten", "tree_unflatten"}


class Sides:
    """The original and the rewritten function of one call.

    Args:
      others: the other functions of the file, by qualified name, that fixes rewrite.

    Attributes:
      may_sort: whether the rewritten one may sort the keys of dictionaries, as what jax puts together again is.
      writes: whether they write files, and may anyway.
      calls_back: whether jax calls Python functions for them, at some time.

    Raises:
      Unmade: the original cannot be made.
    """

    def __init__(
        self,
        sample: Sample,
        function: FunctionType | None,
        text: Text,
        user: list[str],
        others: frozenset[str] = frozenset(),
    ) -> None:
        self.sample, self.text = sample, text
        code = sample.code
        self.original = text.code_of(code.co_qualname)
        patched = text_of(code.co_filename)
        old, new = (kind.decorators(code.co_qualname) for kind in (text, patched))
        same = [*map(ast.dump, old)] == [*map(ast.dump, new)]
        self.unchanged = same and same_code(self.original, code)
        if self.unchanged:
            return
        self.namespace = Namespace(sample.globals, text, patched, others)
        self.namespace.prepare(self.original)
        self.cells = cells_of([function] if function is not None else [])
        for name, value in sample.captured.items():
            self.cells.setdefault(name, CellType(value))
        self.given = [leaf for leaf in sample.others() if isinstance(leaf, FunctionType)]
        before = self.before_reach = Reach(user)
        self.reach = Reach(user)
        for reach in (before, self.reach):
            reach.add(self.original, self.namespace)
            for value in (*sample.captured.values(), *self.given):
                reach.add_value(value)
            for value in sample.objects:
                reach.add_value(value)
        self.reach.add(code, sample.globals)
        before.settle()
        self.reach.settle()
        added = self.reach.names - before.names
        jitted = (not isinstance(value := sample.globals.get(name), str) and hasattr(value, "lower") for name in added)
        self.may_sort = not same or bool(added & _SORTING) or any(jitted)
        self.plain_after = FunctionType(code, sample.globals, code.co_name, None, self._closure(code))
        self.plain_before = FunctionType(
            self.original, self._globals(), code.co_name, None, self._closure(self.original)
        )
        values = [*sample.captured.values(), *self.given, *sample.objects]
        self.calls_back = calls_back(before.names | self.reach.names)
        writes = effect([*before.codes, *self.reach.codes]) is not None and not self.calls_back
        self.writes = writes and scratch.are_opened_within(before.codes, values)
        allowed = scratch.HARMLESS if self.writes else frozenset[str]()
        self.effect = effect(before.codes, allowed) or unplaced(before, self.cells)
        self.state = State(before, sample.captured, self.cells, sample.own)
        self.before: Callable[..., Any] = self.plain_before
        self.after: Callable[..., Any] = self.plain_after
        if not same:
            self._decorate(old, new, function)

    def _decorate(self, old: list[Any], new: list[Any], function: FunctionType | None) -> None:
        """Takes the functions with their decorators, where the patch has changed these."""
        qualname = self.sample.code.co_qualname
        if not all(map(is_jit, old)):
            raise Unmade("the patch has changed its decorators")
        self.before = self.namespace.decorated(self.plain_before, old, qualname)
        live = live_object(self.sample.globals, qualname)
        if callable(live) and not isinstance(live, staticmethod | classmethod) and plain(live) is not None:
            self.after = live
        elif all(map(is_jit, new)):
            self.after = Namespace(self.sample.globals, self.text, self.text).decorated(self.plain_after, new, qualname)
        else:
            raise Unmade("the patch has changed its decorators")

    def _globals(self) -> dict[str, Any]:
        """The globals of the original: the live ones where it assigns to them, as others must see that."""
        if not assigns_globals(self.original):
            return self.namespace
        if self.namespace.made:
            raise Unmade("it assigns to globals, and calls what the patch has changed")
        return self.sample.globals

    def _closure(self, code: CodeType) -> tuple[CellType, ...]:
        return tuple(self._cell(name, code) for name in code.co_freevars)

    def _cell(self, name: str, code: CodeType) -> CellType:
        if name in self.cells:
            return self.cells[name]
        scope = code.co_qualname.rpartition(".")[0]
        if name == "__class__":
            made: Any = _class_of(self.sample.globals, scope)
        else:
            inner = self.text.codes.get(f"{scope}.{name}", [])
            if len(inner) != 1 or self.text.decorators(f"{scope}.{name}"):
                raise Unmade(f"it captures `{name}`, which only the original has")
            self.cells[name] = CellType()  # it may capture itself
            made = FunctionType(inner[0], self.namespace, name, None, self._closure(inner[0]))
        cell = self.cells.setdefault(name, CellType())
        cell.cell_contents = made
        return cell

    def over(self, cells: dict[str, CellType]) -> "tuple[FunctionType, FunctionType] | None":
        """Both functions over other cells, as if created again; None where the rewritten one captures more."""
        code = self.sample.code
        if not code.co_freevars or not set(code.co_freevars) <= set(self.original.co_freevars):
            return None
        if self.before is not self.plain_before or self.after is not self.plain_after:
            return None
        made = []
        for old in (self.plain_before, self.plain_after):
            closure = tuple(cells.get(name) or self.cells[name] for name in old.__code__.co_freevars)
            made.append(FunctionType(old.__code__, old.__globals__, old.__name__, None, closure))
        return made[0], made[1]

    @functools.cached_property
    def hazardous(self) -> bool:
        """Whether a value may decide how long a loop runs."""
        return loops(self.reach.codes)


def _class_of(globals_: dict[str, Any], qualname: str) -> type:
    found = live_object(globals_, qualname) if "." in qualname else globals_.get(qualname)
    if not isinstance(found, type):
        raise Unmade(f"its class `{qualname}` cannot be found")
    return found


def is_bound(cell: CellType) -> bool:
    """Whether the cell holds anything yet."""
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True
