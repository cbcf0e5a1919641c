"""How a `PositionalSharding` lays out an array, as its expression shows it, and who takes one."""

import ast

from jaxfix.api import Code, Declined, Module, Reason, frozen
from jaxfix.api.analysis import EXISTS, Solver, optional

_PLACES = {
    "jax.device_put": "device",
    "jax.lax.with_sharding_constraint": "shardings",
    "jax.make_array_from_callback": "sharding",
    "jax.make_array_from_single_device_arrays": "sharding",
    "equinox.filter_shard": "device_or_shardings",
}
"""Functions that place arrays, with the name of the second parameter, which says where."""
CONSTRAINTS = ("jax.lax.with_sharding_constraint", "equinox.filter_shard")
"""The arguments that place traced values."""
_JIT = ("in_shardings", "out_shardings")
_PARTIAL = "functools.partial"
_FLAT = ("jax.devices", "jax.local_devices")
_ARRAYS = ("numpy.array", "numpy.asarray")
_GRID = "jax.experimental.mesh_utils.create_device_mesh"


@frozen
class Layout:
    """Which axis of the devices each axis of an array is split over.

    Attributes:
      rank: of the devices; None where it is not known.
      axes: of an array, None for one that is not split; those of the devices in their order at first.
      shape: what the devices are reshaped to; None where they are not.
      is_whole: whether every device has all of the array, by a `replicate()`.
    """

    rank: int | None
    axes: tuple[int | None, ...]
    shape: tuple[ast.expr, ...] | None = None
    is_whole: bool = False

    @property
    def is_split(self) -> bool:
        """Whether an axis is."""
        return not self.is_whole and any(axis is not None for axis in self.axes)

    @property
    def is_unknown(self) -> bool:
        """Whether nothing says how an array is split."""
        return self.rank is None and not self.is_whole


def stepped(layout: Layout, name: str, call: ast.Call | None) -> Layout | None:
    """What a method or a property makes of a layout.

    Returns:
      None for what leaves it and asks something of it.

    Raises:
      Declined: it is called in a way that is not followed.
    """
    match name, call:
        case "reshape", ast.Call(args=args, keywords=[]):
            return _reshaped(layout, args)
        case "replicate", ast.Call():
            return _replicated(layout, call)
        case ("T", None) | ("transpose", ast.Call(args=[], keywords=[])):
            if layout.is_unknown:
                raise Declined(Reason(Code.NEEDS_VALUE, "how many axes it has is not known here"))
            return Layout(layout.rank, layout.axes[::-1], layout.shape, layout.is_whole)
        case "reshape" | "transpose" | "T", _:
            raise Declined(Reason(Code.SIGNATURE, f"`{name}` is called in another way than by the sizes of axes"))
    return None


def _reshaped(layout: Layout, args: list[ast.expr]) -> Layout:
    if layout.is_whole or layout.axes != tuple(range(layout.rank or 0)):
        raise Declined(Reason(Code.BY_HAND, "a replicated or transposed sharding is reshaped"))
    sizes = args[0].elts if len(args) == 1 and isinstance(args[0], ast.Tuple | ast.List) else args
    is_number = len(args) != 1 or sizes is not args or _number(args[0]) is not None
    if not is_number or any(isinstance(each, ast.Starred) for each in sizes) or not sizes:
        raise Declined(Reason(Code.NEEDS_VALUE, "how many axes it has is not known here"))
    return Layout(len(sizes), tuple(range(len(sizes))), tuple(sizes))


def _replicated(layout: Layout, call: ast.Call) -> Layout:
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    given |= dict(zip(("axis", "keepdims"), call.args, strict=False))
    kept, axis = given.pop("keepdims", None), given.pop("axis", None)
    if given or not (kept is None or (isinstance(kept, ast.Constant) and kept.value is True)):
        raise Declined(Reason(Code.SIGNATURE, "`replicate` is called with more than an axis"))
    if axis is None or (isinstance(axis, ast.Constant) and axis.value is None):
        return Layout(layout.rank, layout.axes, layout.shape, is_whole=True)
    numbers = [_number(each) for each in (axis.elts if isinstance(axis, ast.Tuple) else [axis])]
    if layout.is_unknown or any(n is None or not -len(layout.axes) <= n < len(layout.axes) for n in numbers):
        raise Declined(Reason(Code.NEEDS_VALUE, "which axis is replicated is not known here"))
    whole = {n % len(layout.axes) for n in numbers if n is not None}
    axes = tuple(None if at in whole else each for at, each in enumerate(layout.axes))
    return Layout(layout.rank, axes, layout.shape, layout.is_whole)


def _number(expr: ast.expr) -> int | None:
    match expr:
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as value)):
            return -value
    return None


def device_rank(module: Module, expr: ast.expr) -> int | None:
    """How many axes an expression of devices has; None where that is not known."""
    return module.get(_ranks)(expr)


def _ranks(module: Module) -> Solver[ast.expr, int | None]:
    return Solver(lambda expr: _rank(module, expr), optional())


def _rank(module: Module, expr: ast.expr) -> int | None:
    match _meant(module, expr):
        case ast.List() | ast.ListComp():
            return 1
        case ast.Subscript(value=value, slice=ast.Slice()):
            return 1 if device_rank(module, value) == 1 else None
        case ast.Call(func=func, args=[first, *_]) if module.qualname(func) in _ARRAYS:
            return device_rank(module, first)
        case ast.Call(func=func) if module.qualname(func) in _FLAT:
            return 1
        case ast.Call(func=func, args=[ast.Tuple(elts=sizes) | ast.List(elts=sizes), *_]) if _is_shaping(module, func):
            return len(sizes)
        case ast.Call(func=ast.Attribute(attr="reshape"), args=[_, _, *_] as sizes):
            return len(sizes)
    return None


def is_array(module: Module, expr: ast.expr) -> bool:
    """Whether devices are held by a NumPy array."""
    return module.get(_arrays)(expr)


def _arrays(module: Module) -> Solver[ast.expr, bool]:
    return Solver(lambda expr: _is_made_array(module, expr), EXISTS)


def _is_made_array(module: Module, expr: ast.expr) -> bool:
    match _meant(module, expr):
        case ast.Call(func=func) if module.qualname(func) in (*_ARRAYS, _GRID):
            return True
        case ast.Call(func=ast.Attribute(value=value, attr="reshape")):
            return is_array(module, value)
    return False


def _meant(module: Module, expr: ast.expr) -> ast.expr:
    return module.names.only_value(expr) or expr if isinstance(expr, ast.Name) else expr


def _is_shaping(module: Module, func: ast.expr) -> bool:
    return module.qualname(func) == _GRID or (isinstance(func, ast.Attribute) and func.attr == "reshape")


def taker_of(module: Module, node: ast.expr) -> str:
    """The function that places arrays by a sharding, whatever its kind, and takes `node` for one; empty for none."""
    inner: ast.AST = node
    outer = module.parent(node)
    while isinstance(outer, ast.Tuple | ast.List | ast.Dict):
        inner, outer = outer, module.parent(outer)
    word = outer.arg if isinstance(outer, ast.keyword) else None
    call = module.parent(outer) if isinstance(outer, ast.keyword) else outer
    if not isinstance(call, ast.Call) or inner is call.func:
        return ""
    is_bound = module.qualname(call.func) == _PARTIAL and bool(call.args)
    name = module.qualname(call.args[0] if is_bound else call.func) or ""
    if word is not None:
        is_one = word in _JIT if name == "jax.jit" else word == _PLACES.get(name)
        return name if is_one or (word == "device" and name.startswith("jax.numpy.")) else ""
    is_second = not is_bound and len(call.args) > 1 and inner is call.args[1]
    return name if name in _PLACES and is_second else ""
