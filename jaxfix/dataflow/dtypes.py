"""Where the dtype of a float comes from: an explicit one, the default of Python numbers, or the caller."""

import ast
from collections.abc import Callable, Iterable
from functools import cached_property, reduce

from jaxfix.dataflow.decorated import kept_results
from jaxfix.dataflow.def_use import Origins
from jaxfix.dataflow.loop_carry import Carried
from jaxfix.dataflow.solver import Lattice, Solver
from jaxfix.dataflow.sources import CASTS, CastLike, Part
from jaxfix.library.facets import Class, Dtype, Member, Package, Result, Scalar, Transform
from jaxfix.library.table import dtype_positions, short_names, where
from jaxfix.semantic.module import Module
from jaxfix.semantic.records import Key
from jaxfix.source.frozen import frozen
from jaxfix.syntax.nodes import Function, walk

DEFAULT = "default"
"""The dtype that jax gives Python floats: float32, or float64 under x64."""
KEPT = "kept"
"""The dtype of the value before: the new one was cast to it."""
HALVES = short_names(Scalar.HALF)


@frozen
class Dtypes:
    """What takes part in the promotion that gives a value its dtype; integers and booleans do not.

    Attributes:
      weak: weakly typed numbers do, at the default dtype of floats.
      own: explicit dtypes that do, by name, `DEFAULT` for an implicit one.
      given: parameters do of which no argument is known, and functions among them whose results are used.
      known: every part of the expression was understood.
    """

    weak: bool = False
    own: frozenset[str] = frozenset()
    given: frozenset[ast.AST] = frozenset()
    known: bool = True

    def __or__(self, other: "Dtypes") -> "Dtypes":
        known = self.known and other.known
        return Dtypes(self.weak or other.weak, self.own | other.own, self.given | other.given, known)

    @property
    def is_fixed(self) -> bool:
        """Whether the code alone decides the dtype."""
        return self.known and not self.given and (self.weak or bool(self.own))


UNKNOWN = Dtypes(known=False)
NOTHING = Dtypes()
_FLOATS = short_names(Scalar.FLOAT, "jax.numpy") | short_names(Scalar.COMPLEX, "jax.numpy")
_INTEGERS = short_names(Scalar.INT) | short_names(Scalar.BOOL)
_FILLED = dtype_positions(Result.FILLED)
_ALIKE = dtype_positions(Result.ALIKE)
_DTYPE_AT = {**_FILLED, **_ALIKE, **dtype_positions(Result.CONVERTED)}
_TRUTHS = short_names(Dtype.BOOL, "jax.numpy") | short_names(Dtype.INTEGER, "jax.numpy")
_STRANGE = short_names(Dtype.UNRELATED, "jax.numpy")
_KEEPING_METHODS = short_names(Dtype.KEPT, "jax.Array") - short_names(Member.ATTRIBUTE)
_KEEPING_ATTRIBUTES = short_names(Dtype.KEPT, "jax.Array") & short_names(Member.ATTRIBUTE)
_NUMPY = where(Package.NUMPY)
_CONSTANTS = where(Package.CONSTANTS)
_ELEMENTWISE = where(Package.ELEMENTWISE)
_BUILTIN_NUMBERS = (
    short_names(Scalar.FLOAT, "builtins") | short_names(Scalar.INT, "builtins") | short_names(Scalar.BOOL, "builtins")
)
_NUMBERS = _BUILTIN_NUMBERS | short_names(Class.WRAPS)
_PYTHON_FLOATS = short_names(Result.PYTHON_FLOAT)
_GRADS = where(Transform.GRADIENT)


_LATTICE = Lattice(NOTHING, Dtypes.__or__, UNKNOWN)


class DtypeOrigins:
    """Answers for one module. Never raises; `UNKNOWN` is an answer.

    Args:
      opaque: the parameters that take a state.
      field: what decides the dtype of a field or item of such a state, or of all of it (`WHOLE`).
      through_casts: a cast has just what decides the dtype of what it is cast like.
    """

    def __init__(
        self,
        module: Module,
        opaque: frozenset[ast.arg] = frozenset(),
        field: Callable[[Key], Dtypes] | None = None,
        *,
        through_casts: bool = False,
    ) -> None:
        self._module, self._through_casts = module, through_casts
        self.origins = Origins(module, opaque)
        self._field = field or (lambda key: UNKNOWN)
        self._solve: Solver[ast.AST, Dtypes] = Solver(self._evaluate, _LATTICE)

    def of(self, expr: ast.AST) -> Dtypes:
        """What decides the dtype of `expr`."""
        return self._inner(expr)

    def of_any(self, sources: Iterable[ast.AST]) -> Dtypes:
        """The sources that decide the dtype of a value."""
        return self._join(sources)

    def _join(self, sources: Iterable[ast.AST]) -> Dtypes:
        return reduce(Dtypes.__or__, map(self._solve, sources), NOTHING)

    def _inner(self, expr: ast.AST) -> Dtypes:
        if isinstance(expr, ast.Name) and self._module.scope_of(expr.id, expr) is None:
            return UNKNOWN  # a builtin, or nothing
        return self._join(self.origins.of(expr))

    def _all(self, exprs: Iterable[ast.AST]) -> Dtypes:
        return reduce(Dtypes.__or__, map(self._inner, exprs), NOTHING)

    def _evaluate(self, source: ast.AST) -> Dtypes:
        match source:
            case ast.Constant(value=bool() | int()) | ast.Compare() | ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
                return NOTHING
            case ast.Constant(value=float()):
                return Dtypes(weak=True)
            case ast.UnaryOp(operand=operand):
                return self._inner(operand)
            case ast.BinOp(op=ast.BitAnd() | ast.BitOr() | ast.BitXor() | ast.LShift() | ast.RShift()):
                return NOTHING
            case ast.BinOp(left=left, right=right):
                return self._all((left, right))
            case ast.AugAssign(target=target, value=value):
                return self._all((target, value))
            case ast.List(elts=elts) | ast.Tuple(elts=elts):
                return self._all(elts)
            case ast.arg():
                return self._parameter(source)
            case Part(key=key):
                return self._field(key)
            case ast.Attribute(value=value, attr=attr):
                return self._attribute(source, value, attr)
            case ast.Subscript(value=value):
                return self._inner(value)
            case ast.Call():
                return self._call(source)
            case CastLike():
                return self._cast(source)
            case Carried():
                return self._join((*self.origins.at_first(source), *self.origins.again(source)))
        return UNKNOWN

    def _cast(self, source: CastLike) -> Dtypes:
        """As what it is cast like; a weakly typed number there has its dtype for good."""
        like = self.origins.like(source)
        before = UNKNOWN if self._through_casts else self._casts.of_any(like)
        if before in (NOTHING, Dtypes(weak=True)):
            return Dtypes(own=frozenset({DEFAULT if before.weak else KEPT}))
        return self._join(like)

    @cached_property
    def _casts(self) -> "DtypeOrigins":
        """What a cast decides on: solved before, since what a cast does with that is not monotone."""
        return DtypeOrigins(self._module, self.origins.opaque, self._field, through_casts=True)

    def _parameter(self, parameter: ast.arg) -> Dtypes:
        """Whatever is passed; a number where the annotation says so, as `float` and `Optional[float]` do."""
        annotation = parameter.annotation
        words = {n.id for n in walk(annotation) if isinstance(n, ast.Name)} if annotation is not None else set()
        is_number = bool(words & _BUILTIN_NUMBERS) and words <= _NUMBERS
        return Dtypes(weak="float" in words) if is_number else Dtypes(given=frozenset({parameter}))

    def _attribute(self, source: ast.Attribute, value: ast.expr, attr: str) -> Dtypes:
        if attr in _KEEPING_ATTRIBUTES and self._module.qualname(source) is None:
            return self._inner(value)
        module, _, last = (self._module.qualname(source) or "").rpartition(".")
        is_number = module in _CONSTANTS and last in _PYTHON_FLOATS
        return Dtypes(weak=True) if is_number else UNKNOWN

    # --- calls ------------------------------------------------------------------------------------------------

    def _call(self, call: ast.Call) -> Dtypes:
        if any(isinstance(argument, ast.Starred) for argument in call.args):
            return UNKNOWN
        qualname = self._module.qualname(call.func)
        module, _, last = (qualname or "").rpartition(".")
        match call.func:
            case ast.Attribute(attr="astype") if qualname is None:
                return self.named(call.args[0]) if call.args else UNKNOWN
            case ast.Attribute(value=value, attr=attr) if qualname is None and attr in _KEEPING_METHODS:
                return self._typed(call) or self._inner(value)
            case ast.Call() as inner if self._module.qualname(inner.func) in _GRADS:
                return self._given(inner.args[0]) if inner.args else UNKNOWN
        mapped = self.origins.mapped(call)
        if mapped is not None:
            return self._results(mapped)
        if module in _ELEMENTWISE:
            return self._numpy(call, last)
        if last in CASTS:
            return Dtypes(own=frozenset({KEPT}))
        result = self.origins.result(call)
        if result is not None:
            return self._solve(result)
        if qualname is not None:
            return UNKNOWN
        function = self.origins.called(call)
        if function is not None and self._module.definition(call.func) is function:
            return self._results(function)
        return self._builtin(call) or self._given(call.func)

    def _results(self, function: Function) -> Dtypes:
        found = kept_results(self._module, function)
        return self._all(found) if found else UNKNOWN

    def _builtin(self, call: ast.Call) -> Dtypes | None:
        match call.func:
            case ast.Name(id="float" | "int" | "len" | "abs" as name) if self._module.scope_of(name, call) is None:
                return Dtypes(weak=True) if name == "float" else self._all(call.args) if name == "abs" else NOTHING
        return None

    def _given(self, function: ast.expr) -> Dtypes:
        """The result of a function that is passed as an argument."""
        sources = self.origins.of(function)
        parameters = frozenset(source for source in sources if isinstance(source, ast.arg))
        if parameters and len(parameters) == len(sources):
            return Dtypes(given=parameters)
        match sources:
            case (ast.Call(func=func, args=[inner, *_]),) if self._module.qualname(func) in _HANDING_ON:
                return self._given(inner)
        return UNKNOWN

    def _numpy(self, call: ast.Call, name: str) -> Dtypes:
        if name in _FLOATS:
            return Dtypes(own=frozenset({name}))
        if name in _INTEGERS or name in _TRUTHS:
            return NOTHING
        if name in _STRANGE or not call.args:
            return UNKNOWN
        position = _DTYPE_AT.get(name)
        typed = self._typed(call, position)
        if typed is not None:
            return typed
        if name in _FILLED:
            filled = call.args[1] if name == "full" and len(call.args) > 1 else None
            return Dtypes(own=frozenset({DEFAULT})) if filled is None else self._inner(filled)
        arguments = call.args[:1] if name in _ALIKE else call.args[1:] if name == "where" else call.args
        return self._all(arguments)

    def _typed(self, call: ast.Call, position: int | None = None) -> Dtypes | None:
        for keyword in call.keywords:
            if keyword.arg == "dtype":
                is_none = isinstance(keyword.value, ast.Constant) and keyword.value.value is None
                return None if is_none else self.named(keyword.value)
        return self.named(call.args[position]) if position is not None and len(call.args) > position else None

    def named(self, dtype: ast.expr) -> Dtypes:
        """What the expression of a dtype says."""
        match dtype:
            case ast.Constant(value=str(name)) if name in _FLOATS | _INTEGERS:
                return Dtypes(own=frozenset({name} & _FLOATS))
            case ast.Name(id="float" | "int" | "bool" as name) if self._module.scope_of(name, dtype) is None:
                return Dtypes(own=frozenset({DEFAULT})) if name == "float" else NOTHING
        module, _, last = (self._module.qualname(dtype) or "").rpartition(".")
        if module in _NUMPY and last in _FLOATS | _INTEGERS:
            return Dtypes(own=frozenset({last} & _FLOATS))
        return UNKNOWN


_HANDING_ON = _GRADS | where(Transform.SAME_RESULT)
