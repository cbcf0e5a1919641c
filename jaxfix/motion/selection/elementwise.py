"""Whether an expression is an elementwise value that is cheap and harmless where it is not needed.

Computed beside the value that is chosen, it must not change that one's bits, nor its gradient's. The table of what
may stand in it was measured on `jax.numpy` of 0.4.30 to 0.12, with infinities and NaNs, values and gradients.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from math import frexp, isfinite

from jaxfix.dataflow.substitution import Names, occurrences, substitute, text_of
from jaxfix.dataflow.types import Values
from jaxfix.library.facets import Member, Slope
from jaxfix.library.table import short_names
from jaxfix.report.abstract_value import Form, Kind, Value
from jaxfix.report.reason import Code, Declined, Reason
from jaxfix.semantic.module import Module
from jaxfix.source.frozen import frozen
from jaxfix.syntax.nodes import walk

_ONE = short_names(Slope.FINITE)
_LIKE = short_names(Slope.ZERO)
_OPERATIONS: Mapping[str, type[ast.operator]] = {"add": ast.Add, "subtract": ast.Sub, "multiply": ast.Mult}
_CHOOSING = short_names(Slope.ARGUMENT)
_INFINITE = short_names(Slope.INFINITE)
"""Functions of `jax.numpy` that are cheap, and may be infinite or have an infinite slope."""
_STATIC = short_names(Member.ABSTRACT) | {"at"}
_COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
_HARMFUL = "`{}` may be infinite where it is not chosen, and make the gradient NaN"
_MOST = 8
"""Operations that are cheaper run one by one than compiled together and called."""


@frozen
class Elementwise:
    """What is known of an elementwise value.

    Attributes:
      types: the arrays that its dtype and weak type come from, by their text.
      shapes: the arrays that its shape comes from.
      slopes: the arrays that its gradient flows to.
      negated: those that it may flow to with the other sign.
      numbers: the kinds of Python numbers in it.
      arrays: those of `types` which it uses as only an array or a number can be used.
      rounded: how many operations that round follow one another.
      operations: how many there are.
      is_condition: it is the result of a comparison.
    """

    types: frozenset[str] = frozenset()
    shapes: frozenset[str] = frozenset()
    slopes: frozenset[str] = frozenset()
    negated: frozenset[str] = frozenset()
    numbers: frozenset[Kind] = frozenset()
    arrays: frozenset[str] = frozenset()
    rounded: int = 0
    operations: int = 0
    is_condition: bool = False

    @property
    def is_number(self) -> bool:
        return not self.shapes


class Reader:
    """Reads expressions of one module; `values` says what their parts are."""

    def __init__(self, module: Module, values: Values) -> None:
        self._module = module
        self._values = values
        self._known: dict[str, Value] = {}
        self.converted: set[ast.AST] = set()
        """Uses of parameters which Python would compute with in its own way, were they not arrays."""

    def read(self, expr: ast.expr, names: Names) -> Elementwise:
        """What `expr` is, its parameters standing for `names`.

        Raises:
          Declined: it may be costly, harmful or unknown.
        """
        found = self._read(expr, names)
        if found.operations > _MOST:
            raise Declined(
                Reason(Code.COST, f"it has {found.operations} operations, each of which would run by itself")
            )
        return found

    def value(self, text: str) -> Value:
        """What one of the arrays of an `Elementwise` is."""
        return self._known[text]

    # --- expressions ------------------------------------------------------------------------------------------

    def _read(self, expr: ast.expr, names: Names) -> Elementwise:
        match expr:
            case ast.Constant(value=value):
                return self._constant(expr, value)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return _negated(self._read(operand, names))
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self._read(operand, names)
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() as op, right=right):
                return self._arithmetic(expr, type(op), left, right, names)
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                return self._halved(expr, left, right, names)
            case ast.BinOp(op=ast.FloorDiv() | ast.Mod() | ast.Pow()):
                raise self._harmful(expr)
            case ast.Compare(ops=[op]) if isinstance(op, _COMPARISONS):
                return self._comparison(expr, names)
            case ast.Call():
                return self._call(expr, names)
            case ast.Name() | ast.Attribute() | ast.Subscript():
                return self._leaf(expr, names)
        raise Declined(Reason(Code.NOT_ELEMENTWISE, f"`{self._line(expr)}` is not elementwise arithmetic"))

    def _constant(self, expr: ast.expr, value: object) -> Elementwise:
        match value:
            case bool():
                return Elementwise(numbers=frozenset({Kind.BOOL}))
            case int():
                return Elementwise(numbers=frozenset({Kind.INT}))
            case float() if isfinite(value):
                return Elementwise(numbers=frozenset({Kind.FLOAT}))
        raise Declined(Reason(Code.GRADIENT, f"`{self._line(expr)}` is not a finite number"))

    def _arithmetic(
        self, expr: ast.expr, op: type[ast.operator], left: ast.expr, right: ast.expr, names: Names
    ) -> Elementwise:
        one, other = self._read(left, names), self._read(right, names)
        found = _together((one, other))
        if found.is_condition:
            raise Declined(Reason(Code.DTYPE, f"`{self._line(expr)}` computes with a condition"))
        exact = found.is_number or self._is_integer(found)
        if op is ast.Sub:
            found = replace(found, negated=one.negated | other.slopes)
        elif op is ast.Mult and not exact:
            factor = self._finite_factor(
                expr, left if one.is_number else right, is_number=one.is_number or other.is_number
            )
            found = replace(found, negated=found.negated if factor > 0 else found.slopes)
            exact = abs(frexp(factor)[0]) == 0.5
        if not exact and found.rounded:
            raise Declined(
                Reason(
                    Code.ROUNDING,
                    f"`{self._line(expr)}` rounds more than once: compiled as one program, it may round once",
                )
            )
        if not exact:
            self._check_numbers(left, right)
            self._convert(expr, left, right, names=names)
        return replace(
            found,
            operations=found.operations + 1,
            arrays=found.arrays | _no_lists(op, found, with_number=one.is_number or other.is_number),
            rounded=max(found.rounded, 1 - exact),
        )

    def _halved(self, expr: ast.expr, left: ast.expr, right: ast.expr, names: Names) -> Elementwise:
        divisor = self._factor(right)
        if divisor is None or divisor == 0:
            raise self._harmful(expr)
        if abs(frexp(divisor)[0]) != 0.5:
            # Measured: 0.4.30 compiles `x / 3.0` as a product.
            raise Declined(
                Reason(Code.ROUNDING, f"`{self._line(expr)}` may be compiled as a product, which rounds differently")
            )
        found = _together((self._read(left, names), self._read(right, names)))
        if found.is_condition:
            raise Declined(Reason(Code.DTYPE, f"`{self._line(expr)}` computes with a condition"))
        numbers = found.numbers | {Kind.FLOAT}
        negated = found.negated if divisor > 0 else found.slopes
        arrays = found.arrays | found.types
        return replace(found, numbers=numbers, negated=negated, arrays=arrays, operations=found.operations + 1)

    def _finite_factor(self, product: ast.expr, factor: ast.expr, *, is_number: bool) -> float:
        """The number that an array is multiplied by.

        Raises:
          Declined: it may be infinite, and zero times it is not a number.
        """
        if not is_number:
            raise Declined(
                Reason(
                    Code.GRADIENT,
                    f"`{self._line(product)}` multiplies arrays: where one is infinite and the other branch is chosen, "
                    "the gradient would be NaN",
                )
            )
        found = self._factor(factor)
        if found is None:
            raise Declined(Reason(Code.GRADIENT, f"`{self._line(product)}` multiplies by what may be infinite"))
        return found

    def _convert(self, whole: ast.expr, *sides: ast.expr, names: Names) -> None:
        """Notes what has to be an array before Python computes with it; `jax.numpy` converts its arguments itself."""
        for side in sides:
            if isinstance(whole, ast.Call) and not isinstance(side, ast.BinOp | ast.UnaryOp | ast.Compare):
                continue
            self.converted.update(self._uses(side, names))

    def _check_numbers(self, *sides: ast.expr) -> None:
        # Measured: 0.4.30 keeps the digits of `0.9` that a bfloat16 has not, where it compiles `x * 0.9` as a program.
        for side in sides:
            number = self._factor(side)
            if isinstance(number, float) and not _is_short(number):
                text = self._line(side)
                raise Declined(
                    Reason(
                        Code.ROUNDING, f"`{text}` is not bfloat16, and old versions of jax round it late in a branch"
                    )
                )

    def _factor(self, expr: ast.expr) -> float | None:
        """The number that `expr` is, if it can be read."""
        match expr:
            case ast.Constant(value=int() | float() as value):
                return value
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                inner = self._factor(operand)
                return None if inner is None else -inner
            case ast.Name():
                sources = self._values.origins.of(expr)
                return self._factor(sources[0]) if len(sources) == 1 and isinstance(sources[0], ast.Constant) else None
        return None

    def _comparison(self, expr: ast.Compare, names: Names) -> Elementwise:
        left, right = expr.left, expr.comparators[0]
        found = _together((self._read(left, names), self._read(right, names)))
        self._check_numbers(left, right)
        self._convert(expr, left, right, names=names)
        operations = found.operations + 1
        return replace(found, slopes=frozenset(), negated=frozenset(), operations=operations, is_condition=True)

    def _call(self, call: ast.Call, names: Names) -> Elementwise:
        package, _, name = (self._module.qualname(call.func) or "").rpartition(".")
        args = call.args
        if package == "jax.lax" and name == "stop_gradient" and len(args) == 1 and not call.keywords:
            return replace(self._read(args[0], names), slopes=frozenset(), negated=frozenset())
        if package != "jax.numpy" or call.keywords or any(isinstance(a, ast.Starred) for a in args):
            raise self._unknown(call.func)
        if name in _OPERATIONS and len(args) == 2:
            return _used(self._arithmetic(call, _OPERATIONS[name], args[0], args[1], names))
        if name == "where" and len(args) == 3:
            return self._choice(args, names)
        if not _is_known(name, len(args)):
            raise self._unknown(call.func)
        return self._function(name, [self._read(arg, names) for arg in args])

    def applied(self, function: ast.expr, operands: tuple[ast.expr, ...]) -> Elementwise:
        """What the library's `function` makes of `operands`.

        Raises:
          Declined: it may be costly, harmful or unknown.
        """
        package, _, name = (self._module.qualname(function) or "").rpartition(".")
        if package != "jax.numpy" or not _is_known(name, len(operands)):
            raise self._unknown(function)
        names = {f"operand {index}": operand for index, operand in enumerate(operands)}
        return self._function(name, [self._leaf(ast.Name(name), names) for name in names])

    def _unknown(self, function: ast.expr) -> Declined:
        package, _, name = (self._module.qualname(function) or "").rpartition(".")
        if package == "jax.numpy" and name in _INFINITE:
            return self._harmful(function)
        called = f"it calls `{self._line(function)}`"
        return Declined(Reason(Code.NOT_ELEMENTWISE, f"{called}, which is not known to be cheap and harmless"))

    def _harmful(self, expr: ast.expr) -> Declined:
        return Declined(Reason(Code.GRADIENT, _HARMFUL.format(self._line(expr))))

    def _function(self, name: str, arguments: list[Elementwise]) -> Elementwise:
        found = _together(arguments)
        if found.is_condition:
            raise Declined(Reason(Code.DTYPE, f"it computes `{name}` of a condition"))
        if name in _LIKE:
            found = replace(found, slopes=frozenset(), negated=frozenset(), rounded=0)
        elif name in _ONE:
            found = replace(found, negated=found.slopes)
        return _used(replace(found, operations=found.operations + 1))

    def _choice(self, args: list[ast.expr], names: Names) -> Elementwise:
        condition, yes, no = (self._read(arg, names) for arg in args)
        found = _together((yes, no))
        return _used(
            replace(
                found,
                shapes=found.shapes | condition.shapes,
                operations=found.operations + condition.operations + 1,
                rounded=max(found.rounded, condition.rounded),
            )
        )

    # --- leaves -----------------------------------------------------------------------------------------------

    def _leaf(self, expr: ast.expr, names: Names) -> Elementwise:
        parameter = _root(expr)
        if parameter is None:
            raise Declined(Reason(Code.NOT_ELEMENTWISE, f"`{self._line(expr)}` is not elementwise arithmetic"))
        self._check_path(expr)
        found = substitute(expr, names)
        if found is None:
            raise Declined(Reason(Code.UNREAD, f"`{self._line(expr)}` is unknown"))
        if isinstance(found, ast.Tuple | ast.List | ast.Dict) or _is_none(found):
            raise Declined(Reason(Code.STRUCTURE, f"`{self._line(expr)}` is a pytree"))
        known = self._values.of(found)
        if parameter.id not in names and known.form is Form.PYTHON and not known.assumed:
            return Elementwise(numbers=frozenset({known.kind}))
        text = text_of(self._module, expr, names)
        self._known[text] = known
        one = frozenset({text})
        return Elementwise(one, one, one, arrays=one if known.is_array else frozenset())

    def _check_path(self, expr: ast.expr) -> None:
        """A part of something is an attribute that is not a property of arrays, or a fixed entry."""
        for node in walk(expr):
            if isinstance(node, ast.Attribute) and node.attr in _STATIC:
                raise Declined(Reason(Code.NO_ARRAY, f"`{self._line(expr)}` is not an array"))
            if isinstance(node, ast.Subscript) and not _is_entry(node.slice):
                raise Declined(Reason(Code.COST, f"`{self._line(expr)}` gathers"))

    def _uses(self, expr: ast.expr, names: Names) -> Iterator[ast.AST]:
        """The uses of parameters in `expr`, outside of calls, that are not known to be arrays."""
        in_calls = {node for call in walk(expr) if isinstance(call, ast.Call) for node in walk(call)}
        for place in occurrences(expr, names):
            known = self._known.get(text_of(self._module, place.whole, names))
            if place.whole not in in_calls and not (known is not None and known.is_array and not known.assumed):
                yield place.whole

    def _is_integer(self, found: Elementwise) -> bool:
        kinds = {self._known[text].kind for text in found.types} | found.numbers
        return kinds <= {Kind.INT, Kind.BOOL}

    def _line(self, node: ast.AST) -> str:
        return " ".join(self._module.text(node).split())


def _root(expr: ast.AST) -> ast.Name | None:
    while isinstance(expr, ast.Attribute | ast.Subscript):
        expr = expr.value
    return expr if isinstance(expr, ast.Name) else None


def _is_entry(index: ast.expr) -> bool:
    """Whether `index` is a number or a key, as of a tuple or a dictionary."""
    match index:
        case ast.Constant(value=str() | int()) | ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int())):
            return True
    return False


def _is_short(number: float) -> bool:
    """Whether `number` has no more than the eight binary digits of a bfloat16."""
    return frexp(number)[0] * 256 % 1 == 0


def _is_none(expr: ast.expr) -> bool:
    return isinstance(expr, ast.Constant) and expr.value is None


def _is_known(name: str, arguments: int) -> bool:
    return (name in _ONE | _LIKE and arguments == 1) or (name in _CHOOSING and arguments in (2, 3))


def _no_lists(op: type[ast.operator], found: Elementwise, *, with_number: bool) -> frozenset[str]:
    """The operands that `op` would refuse if they were lists or tuples."""
    refuses = op is ast.Sub or (with_number and (op is ast.Add or Kind.FLOAT in found.numbers))
    return found.types if refuses else frozenset()


def _negated(value: Elementwise) -> Elementwise:
    if value.is_condition:
        raise Declined(Reason(Code.DTYPE, "it computes with a condition"))
    return replace(value, negated=value.slopes, arrays=value.arrays | value.types, operations=value.operations + 1)


def _used(value: Elementwise) -> Elementwise:
    """`value` as the result of a function of `jax.numpy`, which refuses anything but arrays and numbers."""
    return replace(value, arrays=value.arrays | value.types)


def _together(values: Iterable[Elementwise]) -> Elementwise:
    parts = tuple(values)

    def union(sets: Iterable[frozenset[str]]) -> frozenset[str]:
        return frozenset[str]().union(*sets)

    return Elementwise(
        union(p.types for p in parts),
        union(p.shapes for p in parts),
        union(p.slopes for p in parts),
        union(p.negated for p in parts),
        frozenset[Kind]().union(*(p.numbers for p in parts)),
        union(p.arrays for p in parts),
        max((p.rounded for p in parts), default=0),
        sum(p.operations for p in parts),
        any(p.is_condition for p in parts),
    )
