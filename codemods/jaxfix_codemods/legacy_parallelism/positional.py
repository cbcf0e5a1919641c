"""`PositionalSharding`, which counts axes: `NamedSharding` of a mesh of the same devices names them."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from jaxfix.api import Code, Declined, Finding, Module, Proves, Reason, Recipe, Rewriter, frozen
from jaxfix.api.analysis import is_alike
from jaxfix.api.library import Fate
from jaxfix_codemods.legacy_parallelism.layouts import CONSTRAINTS, Layout, device_rank, is_array, stepped, taker_of
from jaxfix_codemods.legacy_parallelism.meshes import MESHES, SHARDINGS, SPECS, spelled

OLD = "jax.sharding.PositionalSharding"
WARNS, _GONE = (0, 6, 0), (0, 7, 0)
_SINCE = (0, 4, 7)
_MESH = frozenset({"jax.sharding.Mesh"})
_FATE = Fate("jax", warns="0.6.0", raises="0.7.0")
_MOST = 4
_NAMES = ("x", "y", "z", "w")


@frozen
class _Base:
    """What a sharding is made of.

    Attributes:
      name: the variable that holds it; empty for the devices themselves.
      devices: the expression of the devices.
      mesh: the text of the shape that the devices have.
    """

    name: str
    devices: ast.expr
    mesh: str = ""


@frozen
class _Use:
    """An expression of a sharding.

    Attributes:
      is_written: whether it is more than the name of a variable.
      taker: the function that places arrays by it; empty where it is bound to a variable.
    """

    node: ast.expr
    base: _Base
    layout: Layout
    is_written: bool
    taker: str = ""

    @property
    def mesh(self) -> str:
        shape = self.layout.shape
        return self.base.mesh if shape is None else ", ".join(map(ast.unparse, shape))


def find(module: Module) -> Iterator[Finding]:
    """The uses: one finding for all where all can be rewritten, so that the import goes with them."""
    jax = module.surroundings.jax
    if not module.surroundings.admits("jax", WARNS) or (jax is not None and jax < WARNS):
        return
    places: Sequence[ast.AST] = module.references(OLD) or module.names.imports_of(OLD)
    try:
        uses = [use for at in places for use in _plan(module, at)]
        _check_meshes(module, uses)
    except Declined as declined:
        yield from (_finding(module, at, declined=declined.reason) for at in places)
        return
    if places:
        yield _finding(module, places[0], recipe=partial(_write, module, [use for use in uses if use.is_written]))


def _finding(module: Module, at: ast.AST, recipe: Recipe | None = None, declined: Reason | None = None) -> Finding:
    jax = module.surroundings.jax
    is_gone = module.surroundings.admits("jax", _GONE) and (jax is None or jax >= _GONE)
    what = "gone since jax 0.7.0: the line raises" if is_gone else "deprecated since jax 0.6.0, and gone since 0.7.0"
    return Finding(
        at,
        f"`{OLD}` is {what}",
        "Use `NamedSharding` with named mesh axes",
        recipe,
        declined=declined,
        deprecated=True,
        proves=Proves.CURED_ON_DEVICES if is_gone else Proves.SAME_ON_DEVICES,
        fate=_FATE,
    )


def _plan(module: Module, at: ast.AST) -> Iterator[_Use]:
    """What it comes to, and all that is made of it.

    Raises:
      Declined: a person has to do it.
    """
    if isinstance(at, ast.alias):
        raise Declined(Reason(Code.BY_HAND, "nothing here reads it: delete the import"))
    if module.surroundings.may_be_before(_SINCE):
        raise Declined(Reason(Code.OLDER_VERSION, "`jax.jit` takes a `NamedSharding` since jax 0.4.7"))
    call = module.parent(at)
    if not isinstance(call, ast.Call) or call.func is not at:
        raise Declined(Reason(Code.OTHER_USES, "it is passed on, or used as a type"))
    if len(call.args) != 1 or call.keywords or isinstance(call.args[0], ast.Starred):
        raise Declined(Reason(Code.SIGNATURE, "it is called with more than devices"))
    if not module.has_exact_spans(call):
        raise Declined(Reason(Code.FORMAT_STRING, "it is inside an f-string"))
    rank = device_rank(module, call.args[0])
    yield from _grown(module, call, _Base("", call.args[0]), Layout(rank, tuple(range(rank or 0))))


def _check_meshes(module: Module, uses: Sequence[_Use]) -> None:
    """That what is constrained in traced code lies on the one mesh that there is.

    Raises:
      Declined: jax 0.10 loses a constraint to a mesh of another shape than that of the arguments, or raises.
    """
    taken = [(use.base.devices, use.mesh) for use in uses if use.taker]
    is_one = all(is_alike(devices, taken[0][0]) and mesh == taken[0][1] for devices, mesh in taken)
    others = any(module.references(name) for name in (*MESHES, *SHARDINGS))
    if (not is_one or others) and any(use.taker in CONSTRAINTS for use in uses):
        text = "a constraint between meshes of several shapes is lost by jax 0.10: use one mesh"
        raise Declined(Reason(Code.BY_HAND, text))


def _grown(module: Module, start: ast.expr, base: _Base, layout: Layout) -> Iterator[_Use]:
    """The expression with the methods that are called on it, and those of the variable that it is bound to."""
    node = start
    while isinstance(outer := module.parent(node), ast.Attribute):
        call = module.parent(outer)
        call = call if isinstance(call, ast.Call) and call.func is outer else None
        step = stepped(layout, outer.attr, call)
        if step is None:
            break
        layout, node = step, call or outer
    if (layout.rank or 0) > _MOST:
        raise Declined(Reason(Code.BY_HAND, f"it has more than {_MOST} axes"))
    if layout.is_unknown:
        raise Declined(Reason(Code.NEEDS_VALUE, "how many axes it has is not known here"))
    use = _Use(node, base, layout, node is not start or not base.name)
    taker = taker_of(module, node)
    yield replace(use, taker=taker)
    if not taker:
        yield from _through(module, use)


def _through(module: Module, use: _Use) -> Iterator[_Use]:
    """What is made of the variable that the sharding is bound to.

    Raises:
      Declined: it goes where it may be asked for what no `NamedSharding` has.
    """
    match module.parent(use.node):
        case ast.Assign(targets=[ast.Name() as target]) if len(_bindings(module, target)) == 1:
            known = replace(use.layout, rank=use.layout.rank or 1, shape=None)
            base = _Base(target.id, use.base.devices, use.mesh)
            for read in module.names.reads(target.id, module.scope_of(target.id, target)):
                yield from _grown(module, read, base, known)
        case ast.Attribute(attr="device_set" | "is_fully_replicated"):
            return
        case _:
            text = f"`{module.text(use.node)}` in line {use.node.lineno} goes to code that may read its axes"
            raise Declined(Reason(Code.OTHER_USES, text))


def _bindings(module: Module, target: ast.Name) -> Sequence[object]:
    return module.bindings(target.id, module.scope_of(target.id, target))


def _write(module: Module, uses: Sequence[_Use], edit: Rewriter) -> None:
    for use in uses:
        edit.replace(use.node, _text(module, use, edit))
    for alias in module.names.imports_of(OLD):
        edit.remove_import(alias)


def _text(module: Module, use: _Use, edit: Rewriter) -> str:
    jax = edit.imported("jax", prefer="jax", at=use.node)
    named = spelled(module, use.node, SHARDINGS, f"{jax}.sharding.NamedSharding")
    spec = spelled(module, use.node, SPECS, f"{jax}.sharding.PartitionSpec")
    names = ("None" if axis is None else f'"{_NAMES[axis]}"' for axis in use.layout.axes)
    axes = ", ".join(names) if use.layout.is_split else ""
    return f"{named}({_mesh(module, use, edit, jax)}, {spec}({axes}))"


def _mesh(module: Module, use: _Use, edit: Rewriter, jax: str) -> str:
    """The mesh of the base, or one of its devices in the shape of the layout."""
    base, layout = use.base, use.layout
    if base.name and layout.shape is None:
        return f"{base.name}.mesh"
    devices = f"{base.name}.mesh.devices" if base.name else _devices(module, base.devices, edit)
    if layout.shape is not None:
        devices += f".reshape({', '.join(map(module.text, layout.shape))})"
    elif layout.rank is None:
        devices += ".reshape(-1)"
    names = [f'"{name}"' for name in _NAMES[: layout.rank or 1]]
    made = f"{', '.join(names)}{',' if len(names) == 1 else ''}"
    return f"{spelled(module, use.node, _MESH, f'{jax}.sharding.Mesh')}({devices}, ({made}))"


def _devices(module: Module, devices: ast.expr, edit: Rewriter) -> str:
    """The devices in a NumPy array, as they are where they are in one."""
    text = module.text(devices)
    return text if is_array(module, devices) else f"{edit.imported('numpy', prefer='np', at=devices)}.array({text})"
