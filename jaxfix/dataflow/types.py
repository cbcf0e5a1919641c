"""What an expression is, as far as one file tells: a Python number, or an array that is weakly or strongly typed.

The tables say what `jax.numpy` of 0.4.30 to 0.12 does; they were measured, not read.
"""

import ast
from collections.abc import Iterable
from dataclasses import replace
from functools import reduce
from typing import NamedTuple

from jaxfix.dataflow.call_graph import values_elsewhere
from jaxfix.dataflow.decorated import kept_results
from jaxfix.dataflow.def_use import Origins
from jaxfix.dataflow.loop_carry import Carried
from jaxfix.dataflow.promotion import as_array, as_carry, as_quotient, as_traced, joined, least, promoted
from jaxfix.dataflow.solver import Lattice, Solver
from jaxfix.dataflow.sources import CastLike
from jaxfix.library.facets import Class, Dtype, Package, Result, Scalar, WeakType
from jaxfix.library.table import dtype_positions, short_names, where
from jaxfix.report.abstract_value import UNKNOWN, Form, Kind, Value
from jaxfix.semantic.module import Module
from jaxfix.syntax.nodes import Function

_KINDS = ((Scalar.INT, Kind.INT), (Scalar.FLOAT, Kind.FLOAT), (Scalar.BOOL, Kind.BOOL))
_TYPES = {name: kind for scalar, kind in _KINDS for name in short_names(scalar)}
_CONVERTERS = short_names(Result.CONVERTED)
_FILLED = dtype_positions(Result.FILLED)
_ALIKE = dtype_positions(Result.ALIKE)
_PROMOTING = short_names(Dtype.PROMOTED)
_KEEPING = short_names(Dtype.KEPT, "jax.numpy")
_REDUCING = short_names(Result.REDUCED, "jax.numpy")
_REDUCING_METHODS = short_names(Result.REDUCED, "jax.Array")
_FLOATING = short_names(Dtype.FLOAT) - _REDUCING
_AVERAGES = short_names(Dtype.FLOAT) & _REDUCING
_ARRAYS = where(Class.ARRAY)
_NUMPY, _CONSTANTS = where(Package.NUMPY), where(Package.CONSTANTS)
_PYTHON_FLOATS = short_names(Result.PYTHON_FLOAT)
_INCREMENTS = short_names(Result.INCREMENT)
_STRENGTHENING = where(WeakType.LOST)
_CASTS = short_names(Dtype.LIKE) | short_names(Dtype.CAST)
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod, ast.Pow)


class _Found(NamedTuple):
    """A value, None where nothing is known of it yet, and whether it lies in another call."""

    value: Value | None
    crossed: bool = False


def _either(one: _Found, other: _Found) -> _Found:
    a, b = one.value, other.value
    return _Found(least(a, b) if a is not None and b is not None else a or b, one.crossed or other.crossed)


_FOUND = Lattice(_Found(None), _either, _Found(UNKNOWN))


class Values:
    """Answers for one module. Never raises; `UNKNOWN` is an answer.

    Args:
      opaque: parameters of which nothing is looked up.
    """

    def __init__(self, module: Module, opaque: frozenset[ast.arg] = frozenset()) -> None:
        self._module = module
        self.origins = Origins(module, opaque)
        self._solve: Solver[ast.AST, _Found] = Solver(self._transfer, _FOUND)

    def of(self, expr: ast.AST) -> Value:
        """What `expr` is, whichever of the expressions that it may stand for is taken."""
        self.origins.crossed = False
        value = self.any_of(self.origins.of(expr))
        return replace(value, varies=True) if self.origins.crossed else value

    def any_of(self, sources: Iterable[ast.AST]) -> Value:
        """What one of `sources` is, not knowing which."""
        value = self._join(sources) or UNKNOWN
        return replace(value, kind=Kind.UNKNOWN) if value.kind is Kind.NUMBER else value

    def _join(self, sources: Iterable[ast.AST]) -> Value | None:
        found = [value for source in sources if (value := self._one(source)) is not None]
        return reduce(joined, found) if found else None

    def _one(self, source: ast.AST) -> Value | None:
        """The value of one source; None while nothing is known of it but that it refers back to itself."""
        found = self._solve(source)
        self.origins.crossed = self.origins.crossed or found.crossed
        return found.value

    def _transfer(self, source: ast.AST) -> _Found:
        before, self.origins.crossed = self.origins.crossed, False
        try:
            return _Found(self._evaluate(source), self.origins.crossed)
        finally:
            self.origins.crossed = before

    def _inner(self, expr: ast.AST) -> Value | None:
        """As `of`, within a question: None where all that is known refers back to it so far."""
        return self._join(self.origins.of(expr))

    def _evaluate(self, source: ast.AST) -> Value | None:
        match source:
            case ast.Constant(value=value):
                return _constant(value)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
                return self._inner(operand)
            case ast.BinOp(left=left, op=op, right=right):
                return self._operation(op, left, right)
            case ast.AugAssign(target=target, op=op, value=value):
                result = self._operation(op, target, value)
                return replace(result, varies=True) if result is not None else None
            case ast.Compare():
                return UNKNOWN
            case ast.Name() | ast.Attribute():
                return self._imported(source)
            case ast.arg():
                return self._from_elsewhere(source) or _annotated(source, self._module)
            case ast.Call():
                return self._call(source)
            case Carried():
                return self._carried(source)
            case CastLike() if self.origins.keeps_weak(source):
                return self._traced(self.origins.cast(source))
            case CastLike():
                return Value(Form.STRONG, varies=True)
        return UNKNOWN

    def _carried(self, source: Carried) -> Value | None:
        first = self._traced(self.origins.at_first(source))
        if first is None or not source.flow.loops:
            return first  # measured: the result of branches is as weak as the one says, whatever the others do
        again = self._traced(self.origins.again(source))
        return as_carry(first, again) if again is not None else first

    def _traced(self, sources: Iterable[ast.AST]) -> Value | None:
        """What a loop or a branch makes of one of `sources`: of a number an array."""
        found = [as_traced(value) for source in sources if (value := self._one(source)) is not None]
        return replace(reduce(joined, found), varies=True) if found else None

    def _from_elsewhere(self, parameter: ast.arg) -> Value | None:
        """What the calls in other files pass, if there are any, and it is known of all of them."""
        found = values_elsewhere(self._module, parameter)
        known = reduce(joined, found) if found else UNKNOWN
        return None if known.form is Form.UNKNOWN else known

    def _imported(self, expr: ast.expr) -> Value:
        module, _, last = (self._module.qualname(expr) or "").rpartition(".")
        if last in _PYTHON_FLOATS and module in _CONSTANTS:
            return Value(Form.PYTHON, Kind.FLOAT, scalar=True)
        return UNKNOWN

    # --- operations -------------------------------------------------------------------------------------------

    def _operation(self, op: ast.operator, left: ast.expr, right: ast.expr) -> Value | None:
        operands = self._operands((left, right))
        if operands is None:
            return None
        if isinstance(op, ast.Div):
            return as_quotient(promoted(operands))
        return promoted(operands) if isinstance(op, _ARITHMETIC) else UNKNOWN

    def _operands(self, exprs: Iterable[ast.expr]) -> list[Value] | None:
        """The values of all of `exprs`; None while one is missing."""
        found = [self._inner(expr) for expr in exprs]
        known = [value for value in found if value is not None]
        return known if len(known) == len(found) else None

    # --- calls ------------------------------------------------------------------------------------------------

    def _call(self, call: ast.Call) -> Value | None:
        qualname = self._module.qualname(call.func)
        module, _, last = (qualname or "").rpartition(".")
        if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
            return UNKNOWN
        if isinstance(call.func, ast.Attribute) and call.func.attr == "astype" and call.args:
            return self._cast(call, call.func.value, call.args[0])
        if isinstance(call.func, ast.Attribute) and qualname is None and call.func.attr in _REDUCING_METHODS:
            return self._reduced(call, call.func.value, call.func.attr)
        mapped = self.origins.mapped(call)
        if mapped is not None:
            return self._leaf(mapped)
        if qualname in _STRENGTHENING:
            return Value(Form.STRONG, varies=True)
        if module in _NUMPY:
            made = self._numpy(call, last)
            return replace(made, form=Form.NUMPY) if module == "numpy" and made is not None else made
        if last in _INCREMENTS and len(call.args) == 1:
            count = self._inner(call.args[0])
            # Measured: `where(count < max, count + one, max)` with a typed `one` is strong, even of a weak count.
            return replace(count, form=Form.STRONG, varies=True) if count is not None else None
        if last in _CASTS:
            return Value(Form.STRONG, varies=True)
        result = self.origins.result(call)
        if result is not None:
            return self._one(result)
        return self._builtin(call) if qualname is None else UNKNOWN

    def _builtin(self, call: ast.Call) -> Value | None:
        function = self.origins.called(call)
        if function is not None:
            return self._result(call)
        match call.func:
            case ast.Name(id="float" | "int" | "len" | "range" as name) if self._module.scope_of(name, call) is None:
                kind = Kind.FLOAT if name == "float" else Kind.INT
                argument = self._inner(call.args[0]) if len(call.args) == 1 and name != "range" else UNKNOWN
                if argument is None:
                    return None
                varies = name == "range" or argument.varies
                return Value(Form.PYTHON, kind, scalar=True, varies=varies)
        return UNKNOWN

    def _result(self, call: ast.Call) -> Value | None:
        function = self.origins.called(call)
        found = [self._inner(expr) for expr in kept_results(self._module, function)] if function is not None else []
        known = [value for value in found if value is not None]
        if not known:
            return None if found else UNKNOWN
        result = reduce(joined, known)
        # Through a transformation or a decorator, numbers come back as arrays.
        is_plain = self.origins.jitted(call) is None and not getattr(function, "decorator_list", ())
        return result if is_plain else as_array(result)

    def _leaf(self, mapped: Function) -> Value | None:
        """What a function makes of the leaves of trees."""
        found = [self._inner(expr) for expr in kept_results(self._module, mapped)]
        known = [value for value in found if value is not None]
        if not known:
            return None if found else UNKNOWN
        return replace(reduce(joined, known), scalar=False)

    def _cast(self, call: ast.Call, value: ast.expr, dtype: ast.expr) -> Value | None:
        before = self._inner(value)
        if before is None:
            return None
        scalar = before.scalar and before.is_array
        form = Form.NUMPY if before.form is Form.NUMPY else Form.STRONG
        return Value(form, self._kind(dtype), scalar, varies=before.varies or before == UNKNOWN)

    def _numpy(self, call: ast.Call, name: str) -> Value | None:
        if name in _TYPES:
            operands = self._operands(call.args)
            if operands is None:
                return None
            varies = any(operand.varies or operand == UNKNOWN for operand in operands)
            return Value(Form.STRONG, _TYPES[name], scalar=bool(operands) and operands[0].scalar, varies=varies)
        if name in _CONVERTERS and call.args:
            return self._converted(call)
        if name in _FILLED and call.args:
            return self._filled(call, name)
        if name in _ALIKE and call.args:
            return self._alike(call, name)
        if name in _PROMOTING and call.args:
            args = call.args[1:] if name == "where" else call.args
            operands = self._operands(args)
            return None if operands is None else promoted([*operands, Value(Form.WEAK, Kind.BOOL, scalar=True)])
        if name in _KEEPING and len(call.args) == 1:
            return self._inner(call.args[0])
        if name in _FLOATING and len(call.args) == 1:
            operand = self._inner(call.args[0])
            return as_quotient(as_array(operand)) if operand is not None else None
        if name in _REDUCING and call.args:
            return self._reduced(call, call.args[0], name)
        return UNKNOWN

    def _reduced(self, call: ast.Call, reduced: ast.expr, name: str) -> Value | None:
        """Measured: strong, even of a weak array; a method may be that of something else."""
        operand = self._inner(reduced)
        if operand is None:
            return None
        is_method = not any(argument is reduced for argument in call.args)
        if is_method and not operand.is_array:
            return UNKNOWN
        kind = Kind.FLOAT if name in _AVERAGES else operand.kind
        is_whole = len(call.args) == int(not is_method) and not call.keywords
        return Value(Form.STRONG, kind, scalar=is_whole, varies=True)

    def _converted(self, call: ast.Call) -> Value | None:
        value = self._inner(call.args[0])
        dtype = _argument(call, 1, "dtype")
        if value is None or dtype is None:
            return as_array(value) if value is not None else None
        return Value(Form.STRONG, self._kind(dtype), value.scalar, varies=value.varies or value == UNKNOWN)

    def _filled(self, call: ast.Call, name: str) -> Value | None:
        dtype = _argument(call, _FILLED[name], "dtype")
        scalar = isinstance(call.args[0], ast.Tuple | ast.List) and not call.args[0].elts
        if dtype is not None:
            return Value(Form.STRONG, self._kind(dtype), scalar)
        if name != "full":
            return Value(Form.STRONG, Kind.FLOAT, scalar)
        fill = self._inner(call.args[1]) if len(call.args) > 1 else UNKNOWN
        return replace(as_array(fill), scalar=scalar) if fill is not None else None

    def _alike(self, call: ast.Call, name: str) -> Value | None:
        model = self._inner(call.args[0])
        dtype = _argument(call, _ALIKE[name], "dtype")
        if model is None:
            return None
        if dtype is not None:
            return Value(Form.STRONG, self._kind(dtype), model.scalar)
        return replace(as_array(model), varies=False)

    def _kind(self, dtype: ast.expr) -> Kind:
        match dtype:
            case ast.Constant(value=str(name)):
                return _TYPES.get(name, Kind.UNKNOWN)
            case ast.Name(id="int" | "float" | "bool" as name) if self._module.scope_of(name, dtype) is None:
                return _TYPES[name]
        module, _, last = (self._module.qualname(dtype) or "").rpartition(".")
        return _TYPES.get(last, Kind.UNKNOWN) if module in _NUMPY else Kind.UNKNOWN


def _constant(value: object) -> Value:
    kinds = {bool: Kind.BOOL, int: Kind.INT, float: Kind.FLOAT}
    kind = kinds.get(type(value))
    return UNKNOWN if kind is None else Value(Form.PYTHON, kind, scalar=True)


def _annotated(parameter: ast.arg, module: Module) -> Value:
    """The type that an annotation promises for a parameter without known arguments."""
    kind = _promised_number(parameter.annotation, module) if parameter.annotation is not None else None
    if kind is not None:
        return Value(Form.PYTHON, kind, scalar=True, varies=True, assumed=True)
    match parameter.annotation:
        case ast.Name() | ast.Attribute() as annotation:
            if module.qualname(annotation) in _ARRAYS:
                return Value(Form.ARRAY, varies=True, assumed=True)
    return UNKNOWN


def _promised_number(annotation: ast.expr, module: Module) -> Kind | None:
    """The kind of Python number that an annotation promises, where there is one: `Optional[float]` too."""
    match annotation:
        case ast.Name(id="int" | "float" as name) if module.scope_of(name, annotation) is None:
            return _TYPES[name]
        case ast.Subscript(value=value, slice=inner) if module.qualname(value) == "typing.Optional":
            return _promised_number(inner, module)
        case ast.BinOp(left=inner, op=ast.BitOr(), right=ast.Constant(value=None)):
            return _promised_number(inner, module)
    return None


def _argument(call: ast.Call, position: int, name: str) -> ast.expr | None:
    for keyword in call.keywords:
        if keyword.arg == name:
            return None if isinstance(keyword.value, ast.Constant) and keyword.value.value is None else keyword.value
    return call.args[position] if len(call.args) > position else None
