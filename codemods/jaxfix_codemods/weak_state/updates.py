"""What an update returns for a part of its state."""

import ast
from collections.abc import Iterable, Sequence
from enum import Enum, IntEnum

from jaxfix.api import Module, frozen, returned
from jaxfix.api.analysis import (
    HALVES,
    MAY,
    Carried,
    CastLike,
    DtypeOrigins,
    Dtypes,
    Form,
    Key,
    Kind,
    Lattice,
    Solver,
    Values,
)
from jaxfix.api.library import Dtype, Result, Scalar, Transform, dtype_positions, short_names, where

_HANDING_ON = where(Transform.DIFFERENTIATES) | where(Transform.SAME_RESULT)
_GRADIENTS = where(Transform.GRADIENT)
_PROMOTING = where(Dtype.PROMOTED)
_MAKERS = {**dtype_positions(Result.FILLED), **dtype_positions(Result.CONVERTED)}
_INCREMENTS = short_names(Result.INCREMENT)
_INTEGERS = where(Scalar.INT)
_KEEPING = where(Dtype.KEPT) | where(Dtype.FLOAT)
_REDUCING_METHODS = short_names(Result.REDUCED, "jax.Array")
_WEAK = (Form.PYTHON, Form.WEAK)


@frozen
class Updated:
    """The strongly typed value of a part of a state after an update.

    Attributes:
      dtypes: what decides its dtype.
      integer: the dtype of integers that the update spells out for it, in full; None for that of Python numbers.
    """

    kind: Kind
    dtypes: Dtypes
    integer: str | None = None

    @property
    def is_given(self) -> bool:
        """Whether the caller of the update decides the dtype: nothing of full precision of its own takes part."""
        return self.dtypes.own <= HALVES


def shape(module: Module, source: ast.AST) -> str:
    """What tells the construction of a state from other things: its class, or its keys."""
    match source:
        case ast.Call(func=func):
            return module.text(func)
        case ast.Dict(keys=keys):
            return ",".join(sorted(module.text(key) for key in keys if key is not None))
    return ""


def is_state(module: Module, source: ast.AST, shapes: set[str]) -> bool:
    """Whether the construction is one of those that make the state, or changes one."""
    match source:
        case ast.Call(func=ast.Attribute(attr="_replace" | "replace"), args=[]):
            return True
        case ast.Dict(keys=keys) if None in keys:
            return True
    found = shape(module, source)
    return bool(found) and found in shapes


class Guess(Enum):
    """What is taken for strongly typed though no value is known."""

    NOTHING = "nothing"
    SHOWN = "what is computed of something that is strongly typed"
    SPELLED_OUT = "what hardly stays weak, as the file spells out all of it"


def strengthened(
    module: Module, values: Values, state: ast.AST, path: tuple[Key, ...], kind: Kind, guess: Guess
) -> Updated | None:
    """What the update returns strongly typed for the part at `path`, at first a `kind`; None if it returns it weak."""
    sources = spread(values, values.origins.of(state))
    for key in path:
        sources = spread(values, tuple(item for source in sources for item in values.origins.item(source, key)))
    if all(values.any_of((source,)).form in _WEAK for source in sources):
        return None
    value = values.any_of(sources)
    is_open = value.form in (Form.ARRAY, Form.UNKNOWN)
    if value.form is Form.STRONG or (is_open and _Reading(module, values, kind).suggests(sources, guess)):
        integer = _integer(module, values, sources) if kind is Kind.INT else None
        return Updated(value.kind, module.get(DtypeOrigins).of_any(sources), integer)
    return None


def _integer(module: Module, values: Values, sources: Iterable[ast.AST]) -> str | None:
    """The integer dtype that the code spells out for what is one of `sources`, where it is one."""
    pending, seen, found = list(sources), set[ast.AST](), set[str | None]()
    while pending:
        source = pending.pop()
        if source in seen:
            continue
        seen.add(source)
        if values.any_of((source,)).form in _WEAK:
            continue  # it takes the dtype of what it meets
        match source:
            case Carried():
                pending += [*values.origins.at_first(source), *values.origins.again(source)]
            case CastLike():
                pending += values.origins.cast(source)
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult(), right=right):
                pending += [*values.origins.of(left), *values.origins.of(right)]
            case ast.Call(func=func, args=[counted], keywords=[]) if _is_increment(module, func):
                pending += values.origins.of(counted)
            case ast.Call():
                found.add(_integer_of_call(module, source))
            case _:
                found.add(None)
    return found.pop() if len(found) == 1 else None


def _is_increment(module: Module, function: ast.expr) -> bool:
    return (module.qualname(function) or "").rpartition(".")[2] in _INCREMENTS


def _integer_of_call(module: Module, call: ast.Call) -> str | None:
    """As `jnp.zeros([], jnp.int32)`, and `jnp.int32(0)`."""
    package, _, name = (module.qualname(call.func) or "").rpartition(".")
    named = (
        [k.value for k in call.keywords if k.arg == "dtype"] or call.args[_MAKERS[name] :][:1]
        if name in _MAKERS
        else []
    )
    dtypes = [module.qualname(dtype) or "" for dtype in named] or [f"{package}.{name}"]
    return dtypes[0] if package == "jax.numpy" and dtypes[0] in _INTEGERS else None


def spread(values: Values, sources: tuple[ast.AST, ...]) -> tuple[ast.AST, ...]:
    """`sources`, with what functions of the module return in the place of their calls."""
    found: list[ast.AST] = []
    for source in sources:
        function = values.origins.called(source) if isinstance(source, ast.Call) else None
        results = returned(function) if function is not None else ()
        found += [inner for result in results for inner in values.origins.of(result)] if results else [source]
    return tuple(found)


class _Strength(IntEnum):
    """What is known of a value: NOTHING where all that is known refers back to it."""

    NOTHING = 0
    STRONG = 1
    PERHAPS_WEAK = 2


_STRENGTH = Lattice(_Strength.NOTHING, max, _Strength.PERHAPS_WEAK)


class _Reading:
    """How far the file tells how the new value of what is a `kind` at first is computed."""

    def __init__(self, module: Module, values: Values, kind: Kind) -> None:
        self._module, self._values, self._kind = module, values, kind
        self._may_be_unread: Solver[ast.AST, bool] = Solver(self._is_unread, MAY)
        self._strength: Solver[ast.AST, _Strength] = Solver(self._strength_of, _STRENGTH)
        self._may_be_own: Solver[ast.expr, bool] = Solver(self._is_own, MAY)

    def suggests(self, sources: Sequence[ast.AST], guess: Guess) -> bool:
        match guess:
            case Guess.NOTHING:
                return False
            case Guess.SHOWN:
                return bool(sources) and all(self._strength(source) is _Strength.STRONG for source in sources)
        return self.spells_out(sources)

    def spells_out(self, sources: Iterable[ast.AST]) -> bool:
        """Whether the file says it of all of `sources`: other functions, as `tree.where`, may keep it weak."""
        return not any(map(self._may_be_unread, sources))

    def _is_unread(self, source: ast.AST) -> bool:
        if self._values.any_of((source,)).form not in (Form.UNKNOWN, Form.ARRAY):
            return False
        origins = self._values.origins
        if isinstance(source, Carried):
            rounds = origins.again(source) if source.flow.loops else ()
            return not self.spells_out((*origins.at_first(source), *rounds))
        if isinstance(source, CastLike):
            return not self.spells_out(origins.cast(source))
        if self._strength(source) is _Strength.STRONG:
            return False
        parts = self._parts(source)
        if parts is None:
            return not isinstance(source, ast.arg)
        return not parts or not self.spells_out(inner for part in parts for inner in origins.of(part))

    def _parts(self, source: ast.AST) -> Sequence[ast.expr] | None:
        """The operands that decide the type of `source`, none of which is known of other files; None if it has none."""
        match source:
            case ast.Call(args=args, func=func) if (self._module.qualname(func) or "").startswith("jax.numpy."):
                return args[1:] if self._module.qualname(func) == "jax.numpy.where" else args
            case ast.Call(func=func, args=[first, *_]) if self._is_gradient(func):
                return (first,)  # typed as what it is taken by, as far as one parameter goes
            case ast.Call():
                function = self._values.origins.mapped(source) or self._values.origins.called(source)
                return returned(function) if function is not None else ()
            case ast.BinOp(left=left, right=right):
                return (left, right)
            case ast.UnaryOp(operand=operand):
                return (operand,)
            case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Dict(values=parts):
                return parts  # a tree, which `tree.map` passes to a function of leaves
        return None

    def _is_gradient(self, func: ast.expr) -> bool:
        """Whether it is `jax.grad(loss)`, or a name for that."""
        made = self._module.only_value(func) if isinstance(func, ast.Name) else func
        return isinstance(made, ast.Call) and self._module.qualname(made.func) in _GRADIENTS

    # --- strongly typed, whatever else there is ---------------------------------------------------------------

    def _part(self, part: ast.expr) -> _Strength:
        """Whether it is what a caller's function makes of arrays, or is computed from that: no weak number."""
        sources = self._values.origins.of(part)
        return max(map(self._strength, sources), default=_Strength.PERHAPS_WEAK)

    def _any(self, parts: Iterable[ast.expr]) -> _Strength:
        found = [*map(self._part, parts)]
        return _Strength.STRONG if _Strength.STRONG in found else min(found, default=_Strength.PERHAPS_WEAK)

    def _all(self, parts: Iterable[ast.expr]) -> _Strength:
        found = [*map(self._part, parts)]
        return _Strength.PERHAPS_WEAK if _Strength.PERHAPS_WEAK in found else min(found, default=_Strength.STRONG)

    def _strength_of(self, source: ast.AST) -> _Strength:
        if self._values.any_of((source,)).form is Form.STRONG:
            return _Strength.STRONG
        match source:
            case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div(), left=left, right=right):
                return self._any((left, right))
            case ast.Call(func=func) if self._module.qualname(func) in _PROMOTING:
                return self._any(self._parts(source) or ())
            case ast.Call(func=func) if self._module.qualname(func) in _KEEPING:
                return self._all(source.args)
            case ast.Call(func=ast.Attribute(attr=name) as func) if self._is_reduction(func, name):
                return _Strength.STRONG
            case ast.Call(func=func):
                function = self._values.origins.called(source)
                if function is not None:
                    results = returned(function)
                    return self._all(results) if results else _Strength.PERHAPS_WEAK
                if not self._may_be_own(func) or self._is_made_of_passed(source):
                    return _Strength.STRONG
                return self._reduced(source)
        return _Strength.PERHAPS_WEAK

    def _is_reduction(self, method: ast.Attribute, name: str) -> bool:
        """As `losses.mean()`, which is strongly typed whatever the array is."""
        return name in _REDUCING_METHODS and self._module.qualname(method) is None

    def _reduced(self, call: ast.Call) -> _Strength:
        """What another file's function makes a float of nothing but what callers pass and what their functions make.

        An integer may be a size, which is a Python number.
        """
        if self._kind is not Kind.FLOAT or not call.args or call.keywords or self._module.qualname(call.func) is None:
            return _Strength.PERHAPS_WEAK
        made = [argument for argument in call.args if not self._is_parameter(argument)]
        return self._all(made) if made else _Strength.PERHAPS_WEAK

    def _is_parameter(self, expr: ast.expr) -> bool:
        starts = self._values.origins.starts(self._values.origins.of(expr))
        return all(isinstance(source, ast.arg) for source in starts)

    def _is_own(self, function: ast.expr) -> bool:
        """Whether another than who calls makes the function: no derivative of what is passed, nor with arguments."""
        sources = self._values.origins.of(function)
        return not sources or not all(
            isinstance(source, ast.arg) or (isinstance(source, ast.Call) and self._is_made_of_passed(source))
            for source in sources
        )

    def _is_made_of_passed(self, call: ast.Call) -> bool:
        makes = self._module.qualname(call.func) in _HANDING_ON
        return makes and bool(call.args) and not self._may_be_own(call.args[0])
