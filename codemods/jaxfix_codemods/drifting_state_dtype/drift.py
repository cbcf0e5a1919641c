"""Which parts of a state come back with another dtype than they went in with."""

import ast
from collections.abc import Callable, Iterator

from jaxfix.api import Module, frozen
from jaxfix.api.analysis import HALVES, WHOLE, Carried, DtypeOrigins, Dtypes, Form, Key, Kind, Origins, Values
from jaxfix_codemods.drifting_state_dtype.bodies import BRANCHES, LOOPS, Body, bodies, start


@frozen
class Drift:
    """A loop, or branches, whose state may change its dtypes.

    Attributes:
      keys: the parts of the state that do, in order.
      rounded: one of them that starts in half precision and would be rounded to it by a cast; None if there is none.
      bodies: the functions that return the new state.
    """

    call: ast.Call
    primitive: str
    keys: tuple[Key, ...]
    rounded: Key | None
    bodies: tuple[Body, ...]


def drifts(module: Module, values: Values) -> Iterator[Drift]:
    for call in module.calls(*LOOPS, *BRANCHES):
        primitive = module.qualname(call.func) or ""
        shape = LOOPS.get(primitive) or BRANCHES[primitive]
        found = list(bodies(module, call, shape))
        read = tuple(body for body in found if body is not None)
        if not read or len(read) < len(found):
            continue
        first = _Start(module, values, call, start(call, shape), read)
        choose = _of_branches if primitive in BRANCHES else _of_loop
        keys = tuple(dict.fromkeys(choose(module, first, read)))
        if keys:
            halves = (key for key in keys if first.dtypes(key).own & HALVES)
            yield Drift(call, primitive.rpartition(".")[2], keys, next(halves, None), read)


class _Start:
    """The first state of a loop, or what its branches are passed."""

    def __init__(
        self, module: Module, values: Values, call: ast.Call, expr: ast.expr | None, read: tuple[Body, ...]
    ) -> None:
        self._module, self._values, self._call, self._expr = module, values, call, expr
        self._origins, self._dtypes = module.get(Origins), module.get(DtypeOrigins)
        self._owner = next((body.owner for body in read if body.owner is not None), None)
        self._inside = {body.function for body in read}

    def sources(self, key: Key) -> tuple[ast.AST, ...]:
        """What the part `key` of it may be; empty where that is unknown."""
        found: tuple[ast.AST, ...] = ()
        if self._expr is not None:
            found = self._origins.of(self._expr) if key == WHOLE else self._origins.items(self._expr, key)
            # In a loop of Python the state is also what came back the last time.
            found = self._origins.starts(tuple(source for source in found if not self._came_back(source)))
        if found and not any(isinstance(source, ast.arg | ast.Pass) for source in found):
            return found
        return tuple(self._constructed(key))

    def _came_back(self, source: ast.AST) -> bool:
        return source is self._call or (isinstance(source, Carried) and source.call is self._call)

    def _constructed(self, key: Key) -> Iterator[ast.AST]:
        for made in self._origins.constructions(self._owner) if self._owner is not None else ():
            if self._inside.isdisjoint(self._module.functions_around(made)):
                yield from self._origins.item(made, key)

    def dtypes(self, key: Key) -> Dtypes:
        return self._dtypes.of_any(self.sources(key)) if self.sources(key) else Dtypes(known=False)

    def is_fixed_float(self, key: Key, *, strong: bool) -> bool:
        """Whether the code alone says its floating dtype; with `strong`, not through weakly typed numbers."""
        value = self._values.any_of(self.sources(key))
        forms = (Form.STRONG,) if strong else (Form.STRONG, Form.WEAK, Form.PYTHON)
        return value.kind is Kind.FLOAT and value.form in forms and self.dtypes(key).is_fixed


def _of_loop(module: Module, first: _Start, read: tuple[Body, ...]) -> Iterator[Key]:
    """Parts that a loop refuses: weakly typed ones are given the dtype of what the body returns by the loop itself."""
    for body in read:
        ask = _asker(module, first, body.state)
        for parts in body.parts:
            for key, sources in parts.items():
                if not first.is_fixed_float(key, strong=True):
                    continue
                after = ask(sources)
                if after.known and _changes(first.dtypes(key), after):
                    yield key


def _of_branches(module: Module, first: _Start, read: tuple[Body, ...]) -> Iterator[Key]:
    """Parts that keep their dtype through one branch, and get that of what a caller passes through another one."""
    asked = [(_asker(module, first, body.state), parts) for body in read for parts in body.parts]
    for key in dict.fromkeys(key for _, parts in asked for key in parts):
        if key == WHOLE and any(set(parts) != {WHOLE} for _, parts in asked):
            continue
        before = first.dtypes(key)
        changed = [_changes(before, ask(parts[key])) if key in parts else False for ask, parts in asked]
        if any(changed) and not all(changed) and first.is_fixed_float(key, strong=False):
            yield key


def _asker(module: Module, first: _Start, state: ast.arg) -> Callable[[tuple[ast.AST, ...]], Dtypes]:
    return DtypeOrigins(module, frozenset({state}), first.dtypes).of_any


def _changes(before: Dtypes, after: Dtypes) -> bool:
    """Whether the dtype is that of an argument, or another of those that the code names."""
    if after.own <= HALVES:  # nothing of full precision takes part, to which all else would be promoted
        return bool(after.given) or not after.own <= before.own
    return bool(before.own) and before.own <= HALVES
