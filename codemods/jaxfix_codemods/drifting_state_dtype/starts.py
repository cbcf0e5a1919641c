"""Initial states in half precision that a jitted step returns in full precision."""

import ast
from collections.abc import Iterator

from jaxfix.api import Code, Identifiers, Module, Reason, Rewriter, frozen, returned
from jaxfix.api.analysis import (
    DEFAULT,
    HALVES,
    MOST_PARTS,
    DtypeOrigins,
    Dtypes,
    Key,
    Lattice,
    Rebinding,
    Solver,
    Values,
    rebindings,
)
from jaxfix.api.library import Result, dtype_positions

_MAKERS = {
    **dtype_positions(Result.FILLED),
    **dtype_positions(Result.ALIKE),
    **dtype_positions(Result.CONVERTED),
}


@frozen
class NarrowStart:
    """A part of an initial state, made in half precision.

    Attributes:
      name: of the part, or of the state.
      step: the function that returns it otherwise, as it is shown.
      start: the dtype at first.
      dtype: the dtype from the first update on; None where that is not certain.
      spelled: the expression of the first dtype; None where it cannot be replaced.
    """

    made_by: ast.expr
    name: str
    step: str
    call: ast.Call
    start: str
    dtype: str | None
    spelled: ast.expr | None

    @property
    def declined(self) -> Reason | None:
        if self.dtype is None:
            return Reason(Code.DTYPE, f"what dtype `{self.name}` has after an update depends on what is passed")
        return None if self.spelled is not None else Reason(Code.DTYPE, "its dtype is not spelled out where it is made")


def narrow_starts(module: Module, values: Values) -> Iterator[NarrowStart]:
    seen: set[ast.AST] = set()
    for loop in module.get(rebindings) if module.get(Identifiers).mentions_any(HALVES) else ():
        for first in loop.firsts:
            for place, made_by in module.get(_Leaves).of((first, ())):
                narrow = _judged(module, loop, place, made_by)
                if narrow is not None and made_by not in seen:
                    seen.add(made_by)
                    yield narrow


def widen(module: Module, narrow: NarrowStart, edit: Rewriter) -> None:
    assert narrow.spelled is not None and narrow.dtype is not None
    edit.replace(narrow.spelled, _spelling(module, narrow.spelled, narrow.dtype))


class _Leaves:
    """The expressions that make the parts of states, with their places."""

    def __init__(self, module: Module) -> None:
        self._origins = module.get(Values).origins
        self.of: Solver[tuple[ast.AST, _Path], tuple[_Leaf, ...]] = Solver(self._found, _LEAVES)

    def _found(self, part: "tuple[ast.AST, _Path]") -> "tuple[_Leaf, ...]":
        expr, place = part
        return tuple(leaf for source in self._origins.of(expr) for leaf in self._of_source(source, place))

    def _of_source(self, source: ast.AST, place: "_Path") -> "Iterator[_Leaf]":
        parts = self._origins.parts(source)
        if parts and len(place) < MOST_PARTS:
            for key, part in parts:
                yield from self.of((part, (*place, key)))
        elif isinstance(source, ast.Call):
            function = self._origins.called(source) if not place else None
            results = returned(function) if function is not None else ()
            if any(map(self._is_made, results)):
                for result in results:
                    yield from self.of((result, place))
            else:
                yield place, source

    def _is_made(self, expr: ast.expr) -> bool:
        """Whether it may stand for a call or a construction."""
        return any(isinstance(source, ast.Call) or self._origins.parts(source) for source in self._origins.of(expr))


_Path = tuple[Key, ...]
_Leaf = tuple[_Path, ast.expr]
_LEAVES: Lattice[tuple[_Leaf, ...]] = Lattice((), lambda one, other: tuple(dict.fromkeys((*one, *other))), ())


def _judged(module: Module, loop: Rebinding, place: tuple[Key, ...], made_by: ast.expr) -> NarrowStart | None:
    dtypes = module.get(DtypeOrigins)
    before = dtypes.of(made_by)
    if not before.known or before.given or len(before.own) != 1 or not before.own <= HALVES:
        return None
    sources: tuple[ast.AST, ...] = (loop.call,)
    for key in (*loop.place, *place):
        sources = tuple(item for source in sources for item in dtypes.origins.item(source, key))
    after = dtypes.of_any(sources)
    full = after.own - HALVES
    if not full:
        return None
    named = [key for key in (loop.name, *place) if isinstance(key, str)]
    (start,) = before.own
    spelled = _spelled(module, dtypes, made_by)
    step = f"`{module.text(loop.call.func)}`"
    return NarrowStart(made_by, named[-1], step, loop.call, start, _converged(after), spelled)


def _converged(after: Dtypes) -> str | None:
    """The dtype that all of it is promoted to, whatever is passed."""
    full = after.own - HALVES
    if len(full) > 1 or not after.known or after.given:
        return None
    (only,) = full
    return "float" if only == DEFAULT else only


def _spelled(module: Module, dtypes: DtypeOrigins, made_by: ast.expr) -> ast.expr | None:
    """The expression of the dtype in the call that makes the value."""
    match made_by:
        case ast.Call(func=ast.Attribute(attr="astype"), args=[dtype], keywords=[]) if _is_dtype(module, dtype):
            return dtype
        case ast.Call(func=func, args=args, keywords=keywords):
            maker = (module.qualname(func) or "").removeprefix("jax.numpy.")
            named = [keyword.value for keyword in keywords if keyword.arg == "dtype"]
            position = _MAKERS.get(maker)
            found = named or ([args[position]] if position is not None and position < len(args) else [])
            known = position is not None and found and _is_dtype(module, found[0])
            return found[0] if known and module.has_exact_spans(made_by) else None
    return None


def _is_dtype(module: Module, expr: ast.expr) -> bool:
    match expr:
        case ast.Constant(value=str(name)):
            return name in HALVES
        case ast.Attribute(attr=name):
            return name in HALVES and module.qualname(expr) in (f"jax.numpy.{name}", f"numpy.{name}")
    return False


def _spelling(module: Module, old: ast.expr, dtype: str) -> str:
    if dtype == "float":
        return "float"
    return f"{module.text(old.value)}.{dtype}" if isinstance(old, ast.Attribute) else f'"{dtype}"'
