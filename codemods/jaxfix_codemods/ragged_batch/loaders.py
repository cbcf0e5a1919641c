"""Batches of another library, or of `array_split`, of which some are shorter than the others."""

import ast
from collections.abc import Iterator

from jaxfix.api import Module, Staging, frozen, in_order, jit_of, walk

_SPLITS = ("numpy.array_split", "jax.numpy.array_split")
_LOADERS = {"torch.utils.data.DataLoader": "drop_last", "torch.utils.data.dataloader.DataLoader": "drop_last"}
"""What makes batches, and the option that leaves a shorter one out."""
_DATASETS, _REMAINDER = ("tensorflow", "tensorflow_datasets"), "drop_remainder"
_PASSING = frozenset(
    {"zip", "enumerate", "tqdm", "iter", "as_numpy", "as_numpy_iterator", "prefetch", "cache", "repeat"}
)
_STEPS = 3
"""Conversions between what a loop binds and what a step is passed."""


@frozen
class Loader:
    """What makes batches for a loop, and the first jitted call that is passed them.

    Attributes:
      option: what leaves a shorter batch out; None for `array_split`, which has parts of two lengths.
    """

    made: ast.Call
    step: ast.Call
    option: str | None


def loaders(module: Module) -> Iterator[Loader]:
    """Each of them that a loop goes over, in the order of the text."""
    met: set[ast.Call] = set()
    staging = module.get(Staging)
    for loop in in_order([each for each in module.nodes(ast.For) if isinstance(each, ast.For)]):
        made, option = next(_behind(module, loop.iter), (None, None))
        step = _step(module, loop) if made is not None and made not in met else None
        if made is not None and step is not None and not staging.is_staged(step):
            met.add(made)
            yield Loader(made, step, option)


def _behind(module: Module, expr: ast.expr) -> Iterator[tuple[ast.Call, str | None]]:
    """What makes the batches that a loop goes over, through variables and what passes them on."""
    waiting, met = [expr], set[ast.expr]()
    while waiting:
        each = waiting.pop()
        if each not in met:
            met.add(each)
            yield from _makes(module, each) if isinstance(each, ast.Call) else ()
            waiting += reversed(_passed(module, each))


def _passed(module: Module, expr: ast.expr) -> list[ast.expr]:
    """What a variable stands for, or is given to a function that passes batches on."""
    match expr:
        case ast.Name():
            value = module.only_value(expr)
            return [value] if value is not None else []
        case ast.Call(func=ast.Attribute(value=value, attr=name), args=args) if name in _PASSING:
            return [*args, value]
        case ast.Call(func=ast.Name(id=name), args=args) if name in _PASSING:
            return args
    return []


def _makes(module: Module, call: ast.Call) -> Iterator[tuple[ast.Call, str | None]]:
    """The call, if it makes batches, and the option that leaves a shorter one out."""
    qualname, args = module.qualname(call.func) or "", call.args
    if qualname in _SPLITS:
        if len(args) == 2 and not _is_list(module, args[1]):
            yield call, None
    elif qualname in _LOADERS:
        if _has_batches(call) and not _says(call, _LOADERS[qualname]):
            yield call, _LOADERS[qualname]
    elif _is_batched(module, call) and not _says(call, _REMAINDER):
        yield call, _REMAINDER


def _is_batched(module: Module, call: ast.Call) -> bool:
    """Whether it is `dataset.batch(size)`, as far as names say."""
    is_named = isinstance(call.func, ast.Attribute) and call.func.attr == "batch"
    return is_named and len(call.args) == 1 and _reads_datasets(module)


def _is_list(module: Module, given: ast.expr) -> bool:
    """Whether it gives the places to split at, and no number of parts."""
    value = module.only_value(given) if isinstance(given, ast.Name) else given
    return isinstance(value, ast.List | ast.Tuple | ast.ListComp)


def _has_batches(made: ast.Call) -> bool:
    size = next((each.value for each in made.keywords if each.arg == "batch_size"), None)
    size = made.args[1] if size is None and len(made.args) > 1 else size
    is_one = isinstance(size, ast.Constant) and size.value in (None, 1)
    return size is not None and not is_one and not _says(made, "batch_sampler") and not _says(made, None)


def _says(made: ast.Call, option: str | None) -> bool:
    return any(each.arg == option for each in made.keywords)


def _reads_datasets(module: Module) -> bool:
    return any(name.partition(".")[0] in _DATASETS for name in module.names.imports.values())


def _step(module: Module, loop: ast.For) -> ast.Call | None:
    """The first call of a jitted function in the loop that is passed a batch."""
    names = {each.id for each in ast.walk(loop.target) if isinstance(each, ast.Name)}
    for _ in range(_STEPS):
        for node in walk(loop):
            if isinstance(node, ast.Assign) and _is_converted(node.value, names):
                names |= {each.id for each in ast.walk(node.targets[0]) if isinstance(each, ast.Name)}
    calls = in_order([node for node in walk(loop) if isinstance(node, ast.Call)])
    for call in calls:
        given = [*call.args, *(each.value for each in call.keywords)]
        if any(_is_converted(each, names) for each in given):
            jitted = jit_of(module, call.func)
            if jitted is not None and jitted.static == ():
                return call
    return None


def _is_converted(value: ast.expr, names: set[str]) -> bool:
    """Whether it is a batch, or one in another type or container: as many rows."""
    match value:
        case ast.Name(id=name):
            return name in names
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Dict(values=parts):
            return any(_is_converted(part, names) for part in parts)
        case ast.Subscript(value=of, slice=ast.Constant(value=str() | int())):
            return _is_converted(of, names)
        case ast.Call(func=ast.Attribute(attr="numpy" | "astype" | "copy", value=of)):
            return _is_converted(of, names)
        case ast.Call(func=ast.Attribute(attr="asarray" | "array"), args=[of, *_]):
            return _is_converted(of, names)
        case ast.Call(func=ast.Name(id="map"), args=[ast.Attribute(attr="asarray" | "array" | "device_put"), of]):
            return _is_converted(of, names)
        case ast.Call(func=ast.Name(id="tuple" | "list"), args=[of]):
            return _is_converted(of, names)
    return False
