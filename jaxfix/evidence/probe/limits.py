"""Numbers at which a program may do something else: read in its sources, in what these name, and in its jaxprs."""

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from types import CodeType
from typing import Any, TypeGuard

from .effects import definitions
from .fields import fields
from .jaxprs import CALLED, CALLS, inner
from .originals import nested

_BOUNDING = {"maximum", "minimum", "clip", "clamp"}
_DIVIDING = {"mod", "remainder", "fmod", "divmod", "floor_divide", "rem"}
_SIZES = {"shape", "size", "nbytes", "len"}
_COMPARING = {"lt", "le", "gt", "ge", "eq", "ne", "lt_to", "le_to", "eq_to", "max", "min", "clamp"}
_MOST = 8
EXACT = 2**24


@dataclass(frozen=True, slots=True)
class Limits:
    """Numbers that some functions ask for.

    Attributes:
      bounds: that something is compared with, or kept within.
      periods: integers that something is divided by for what is left, or for how often.
      sizes: integers that the size of an array is compared with.
    """

    bounds: tuple[float, ...] = ()
    periods: tuple[int, ...] = ()
    sizes: tuple[int, ...] = ()

    def and_also(self, other: "Limits") -> "Limits":
        """Both, each number once, as far as there is room."""
        return Limits(
            _few((*self.bounds, *other.bounds)),
            _few((*self.periods, *other.periods)),
            _few((*self.sizes, *other.sizes)),
        )

    def near(self) -> Iterator[int]:
        """Whole numbers at and around the bounds and the periods, those at them first."""
        whole = [int(number) for number in self.bounds if _is_whole(number)]
        yield from dict.fromkeys(
            (
                *(value for number in whole for value in (number, number + 1, number - 1)),
                *(value for period in self.periods for value in (period, 2 * period, period + 1)),
            )
        )

    def beyond(self) -> Iterator[int]:
        """Whole numbers that single precision does not hold, multiples of the periods among them."""
        yield EXACT + 1
        for period in self.periods:
            power = period & -period  # an odd multiple beyond it has a digit more than single precision holds
            yield period * ((EXACT * power // period + 1) | 1)


def limits(codes: Iterable[tuple[CodeType, Any]], given: Mapping[str, Any]) -> Limits:
    """What the sources of these codes say.

    Args:
      given: what names and attributes hold beside the constants of modules and the defaults of parameters.
    """
    codes = list(codes)
    nodes = [part for code, _ in codes for node in definitions(code) for part in ast.walk(node)]
    known = {name: value for name, value in chain(_held(codes), _defaults(nodes), given.items()) if _is_number(value)}
    known |= {name: value for name, value in _assigned(nodes, known) if name not in known}
    counted = {name for node in nodes for name in _of_sizes(node)}
    found = Limits()
    for node in nodes:
        found = found.and_also(_asked(node, lambda part: _numbers(part, known), counted))
    return found


def numbers_of(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The numbers among arguments and in the attributes of objects among them, and the lengths of others, by name."""
    held = dict(arguments)
    for owner in arguments.values():
        names = fields(owner) if hasattr(owner, "__dict__") and not isinstance(owner, type) else ()
        held |= {name: getattr(owner, name, None) for name in names}
    found = {name: value for name, value in held.items() if _is_number(value)}
    return found | {_length(name): length for name, value in held.items() if (length := _length_of(value))}


def _length(name: str) -> str:
    """What the length of what has that name is known by."""
    return f"len({name})"


def _length_of(value: Any) -> int:
    """How many items a value has; 0 where it has none, or is not counted by items."""
    if isinstance(value, str | bytes) or not hasattr(value, "__len__"):
        return 0
    try:
        return len(value)
    except Exception:  # a scalar, or whatever the class of a user raises
        return 0


def of_program(program: Any) -> Limits:
    """What a traced program compares with and divides by, calls and loops included; not the trip counts of loops."""
    return _walked(program, {})[0]


def _walked(program: Any, known: dict[Any, Any]) -> tuple[Limits, list[float | None]]:
    """What a program asks for, and what is known of its results, where so much is known of its variables."""
    found = Limits()

    def read(atom: Any) -> float | None:
        return _scalar(atom.val if hasattr(atom, "val") else known.get(atom))

    for equation in program.eqns:
        name, values = equation.primitive.name, list(map(read, equation.invars))
        found = found.and_also(_of_equation(equation, values))
        called = next((equation.params[key] for key in CALLED if key in equation.params), None)
        if name in CALLS and called is not None:
            inside = getattr(called, "jaxpr", called)
            given = dict(zip(inside.invars[::-1], values[::-1], strict=False)) | _constants_of(called)
            asked, returned = _walked(inside, given)
            known.update(zip(equation.outvars, returned, strict=True))
            found = found.and_also(asked)
        else:
            parts = [equation.params["body_jaxpr"].jaxpr] if name == "while" else list(inner(equation))
            for part in parts:
                found = found.and_also(_walked(part, {})[0])
        if name in ("convert_element_type", "select_n"):
            known[equation.outvars[0]] = values[-2:][0]
    return found, list(map(read, program.outvars))


def _of_equation(equation: Any, values: list[float | None]) -> Limits:
    name, numbers = equation.primitive.name, [value for value in values if value]
    if name in _COMPARING:
        return Limits(bounds=tuple(numbers))
    is_division = name == "rem" or (name == "div" and equation.outvars[0].aval.dtype.kind in "iu")
    return Limits(periods=_periods(numbers[-1:] if values[-1] else ())) if is_division else Limits()


def _constants_of(program: Any) -> dict[Any, Any]:
    consts = getattr(program, "consts", ())
    return dict(zip(program.jaxpr.constvars, consts, strict=True)) if consts else {}


def _scalar(value: Any) -> float | None:
    """The value of a scalar; None for other objects, or if unknown."""
    if _is_number(value):
        return float(value) if isinstance(value, float) else int(value)
    if getattr(value, "shape", None) == () and getattr(value.dtype, "kind", None) in ("i", "u", "f"):
        number = value.item()
        return number if _is_number(number) else None
    return None


def _asked(node: ast.AST, numbers: Callable[[ast.expr], Iterable[float]], counted: set[str]) -> Limits:
    """What one expression compares with or divides by."""
    match node:
        case ast.Compare(left=left, comparators=others):
            sides = (left, *others)
            found = tuple(value for side in sides for value in numbers(side))
            if any(_mentioned(side) & (_SIZES | counted) for side in sides):
                return Limits(found, (), tuple(int(value) for value in found if _is_whole(value)))
            return Limits(found)
        case ast.MatchValue(value=value):
            return Limits(tuple(numbers(value)))
        case ast.BinOp(op=ast.Mod() | ast.FloorDiv(), right=right):
            return Limits(periods=_periods(numbers(right)))
        case ast.Call(func=function, args=[_, right]) if _last(function) in _DIVIDING:
            return Limits(periods=_periods(numbers(right)))
        case ast.Call(func=ast.Attribute(attr=name), args=arguments, keywords=keywords) if name in _BOUNDING:
            parts = (*arguments, *(keyword.value for keyword in keywords))
            return Limits(tuple(value for part in parts for value in numbers(part)))
    return Limits()


def _numbers(node: ast.expr, known: Mapping[str, Any]) -> Iterator[float]:
    match node:
        case ast.Constant(value=value) if _is_number(value):
            yield value
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            yield from (-value for value in _numbers(operand, known))
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            yield from (value for part in parts for value in _numbers(part, known))
        case ast.BinOp() if isinstance(value := _folded(node), int | float):
            yield value
        case ast.BinOp(left=left, right=right):
            yield from (number for side in (left, right) if _last(side) for number in _numbers(side, known))
        case ast.Name() | ast.Attribute() if _last(node) in known:
            yield known[_last(node)]
        case (
            ast.Call(func=ast.Name(id="len"), args=[of])
            | ast.Subscript(value=ast.Attribute(value=of, attr="shape"), slice=ast.Constant(value=0))
        ) if _length(_last(of)) in known:
            yield known[_length(_last(of))]


def _folded(node: ast.BinOp) -> float | None:
    """The value of what is written out of numbers alone, such as `1 << 20`."""
    if not all(isinstance(part, ast.BinOp | ast.Constant | ast.operator) for part in ast.walk(node)):
        return None
    numbers = [part.value for part in ast.walk(node) if isinstance(part, ast.Constant)]
    if len(numbers) > 2 or not all(_is_number(number) and abs(number) < 1 << 12 for number in numbers):
        return None  # a power of powers takes its time
    try:
        value = eval(compile(ast.fix_missing_locations(ast.Expression(node)), "<numbers>", "eval"), {})
    except Exception:
        return None
    return value if _is_number(value) and abs(value) < 1 << 62 else None


def _held(codes: list[tuple[CodeType, Any]]) -> Iterator[tuple[str, Any]]:
    """What the modules of these codes hold under the names that they mention."""
    for code, globals_ in codes:
        names = (name for part in nested(code) for name in part.co_names)
        yield from ((name, globals_[name]) for name in names if name in globals_)


def _defaults(nodes: list[ast.AST]) -> Iterator[tuple[str, Any]]:
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            args = node.args
            optional = zip([*args.posonlyargs, *args.args][::-1], args.defaults[::-1], strict=False)
            for arg, default in (*optional, *zip(args.kwonlyargs, args.kw_defaults, strict=True)):
                yield from ((arg.arg, value) for value in (_numbers(default, {}) if default is not None else ()))


def _assigned(nodes: list[ast.AST], known: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Local variables that are one of the known numbers."""
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield from ((name, number) for number in _numbers(value, known))


def _of_sizes(node: ast.AST) -> Iterator[str]:
    """Variables that are made of the size of an array."""
    match node:
        case ast.Assign(targets=targets, value=value) if _mentioned(value) & _SIZES:
            yield from (part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name))


def _mentioned(node: ast.expr) -> set[str]:
    return {_last(part) for part in ast.walk(node) if isinstance(part, ast.expr)}


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _periods(values: Iterable[float]) -> tuple[int, ...]:
    return tuple(int(value) for value in values if _is_whole(value) and value > 1)


def _is_whole(value: float) -> bool:
    return isinstance(value, int) or value.is_integer()


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < float("inf")


def _few(values: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(values))[:_MOST]
