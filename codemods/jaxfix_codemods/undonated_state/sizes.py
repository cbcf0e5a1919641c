"""Whether the weights of a network, or the elements of an array, are so few that their memory does not matter."""

import ast
from collections.abc import Iterator
from math import prod

from jaxfix.api import Module
from jaxfix.api.analysis import class_of, integer
from jaxfix.api.library import Class, Package, Result, shapes, where

_CONVERTING = where(Result.CONVERTED)
_FRESH, _FILLED = where(Result.FRESH), where(Result.FILLED)
_RANDOM = "jax.random."
_ARRAYS = frozenset(name.partition(".")[0] for name in where(Package.NUMPY))
_DENSE, _EMPTY, _LAYERS = where(Class.DENSE), where(Class.EMPTY), where(Package.LAYERS)
_MODELS = where(Class.MODEL)
_OF_MODELS = tuple(f"{name.rpartition('.')[0]}." for name in _MODELS)
MOST = 300_000
"""Numbers: with the state of an optimizer some megabytes, less than what a run can show."""

_REPEATED = 2
"""How often a layer of a class of the file is made in one place, as in a loop over layers, to be on the safe side."""


def elements(module: Module, call: ast.Call) -> int | None:
    """How many elements an array has that `call` makes, as far as the text says; None for any other call."""
    name = module.qualname(call.func) or ""
    name = f"jax.{name}" if name.startswith("numpy.") else name
    if name in _CONVERTING and call.args:
        return _written(call.args[0])
    if name not in _FRESH and not name.startswith(_RANDOM):
        return None
    shaping = (each for each in shapes(call, name.rpartition(".")[2]) if not _is_dtype(module, each))
    sizes = [integer(module, size) for shape in shaping for size in _sizes(shape)]
    known = [size for size in sizes if size is not None]
    if not known or len(known) < len(sizes):
        return None
    return prod(known) ** (2 if name not in _FILLED and len(known) == 1 else 1)  # a number alone may be that of rows


def is_network(module: Module, call: ast.Call) -> bool:
    """Whether `call` makes a network, one of a library or of a class of the file."""
    owner = class_of(module, call.func)
    if owner is not None:
        return any(_is_base(module, base) or module.qualname(base) in _MODELS for base in owner.bases)
    name = module.qualname(call.func) or ""
    return _is_layer(name) or (name.rpartition(".")[2][:1].isupper() and name.startswith(_OF_MODELS))


def _is_dtype(module: Module, argument: ast.expr) -> bool:
    if isinstance(argument, ast.Name) and module.scope_of(argument.id, argument) is None:
        return True  # a builtin type
    return (module.qualname(argument) or "").partition(".")[0] in _ARRAYS


def _sizes(shape: ast.expr) -> list[ast.expr]:
    return [*shape.elts] if isinstance(shape, ast.Tuple | ast.List) else [shape]


def _written(value: ast.expr) -> int | None:
    """The numbers that a display holds."""
    match value:
        case ast.Constant(value=int() | float() | complex()):
            return 1
        case ast.UnaryOp(operand=operand):
            return _written(operand)
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            counted = [_written(part) for part in parts]
            known = [each for each in counted if each is not None]
            return sum(known) if known and len(known) == len(counted) else None
    return None


def has_narrow_layers(module: Module) -> bool:
    """Whether the layers that the file makes are all dense, few and narrow, as far as its text has their widths."""
    return module.get(_narrow)


def _narrow(module: Module) -> bool:
    widths, own = list[int | None](), list[int | None]()
    for call in module.nodes(ast.Call):
        name = module.qualname(call.func) or ""
        if name in _DENSE:
            width = call.args[0] if call.args else next((k.value for k in call.keywords if k.arg == "features"), None)
            widths.append(None if width is None else integer(module, width))
        elif _is_own_layer(module, call.func):
            sizes = [*call.args, *(keyword.value for keyword in call.keywords)]
            if not all(_is_told(module, size) for size in sizes):
                return False
            own += [integer(module, size) for size in sizes]
        elif name not in _EMPTY and _is_layer(name):
            return False
    own += [integer(module, default) for default in _defaults(module)] if own else []
    known = [width for width in (*widths, *own) if width is not None]
    layers = len(widths) + (_REPEATED * len(own) if own else 0)
    return bool(known) and layers * max(known) ** 2 <= MOST


def _is_own_layer(module: Module, func: ast.expr) -> bool:
    """Whether `func` is a class of this file that is made as layers are."""
    owner = class_of(module, func)
    return owner is not None and any(_is_base(module, base) for base in owner.bases)


def _is_base(module: Module, base: ast.expr) -> bool:
    return (module.qualname(base) or "").rpartition(".")[0] in _LAYERS


def _is_told(module: Module, size: ast.expr) -> bool:
    """Whether what a layer is made with is no size, a number of the text, or what its owner was made with."""
    match size:
        case ast.Constant() | ast.Attribute(value=ast.Name(id="self")):
            return True
        case ast.Subscript(value=ast.Attribute(attr="shape")):
            return True
        case ast.Name():
            only = module.names.only_binding(size)
            is_given = only is not None and isinstance(only.node, ast.arg)
            return is_given or integer(module, size) is not None or module.definition(size) is not None
    return module.qualname(size) is not None


def _defaults(module: Module) -> Iterator[ast.expr]:
    """What fields and parameters of the own layers are unless they are given."""
    for owner in module.nodes(ast.ClassDef):
        if any(_is_base(module, base) for base in owner.bases):
            for member in owner.body:
                if isinstance(member, ast.AnnAssign) and member.value is not None:
                    yield member.value
                elif isinstance(member, ast.FunctionDef):
                    yield from member.args.defaults


def _is_layer(name: str) -> bool:
    package, _, last = name.rpartition(".")
    return last[:1].isupper() and any(package == each or package.startswith(f"{each}.nets") for each in _LAYERS)
