"""What takes the place of `jax.pmap`: `jit` of `shard_map`, which keeps the axis and its leading dimension."""

import ast

from jaxfix.api import Identifiers, Module, Rewriter, frozen
from jaxfix_codemods.legacy_parallelism.mapped import PMAP, Mapped, mapped

_TOP_LEVEL = (0, 6, 1)
"""The jax that has `jax.shard_map` with `check_vma`."""
_TREES = (0, 4, 25)
_AXIS = '"devices"'
_DONATED = "donate_argnums"


@frozen
class _Names:
    """What the function that maps is written with, as the file names it."""

    jax: str
    jnp: str
    np: str
    functools: str
    shard_map: str
    checks: str
    tree_map: str


def write(module: Module, each: Mapped, edit: Rewriter) -> None:
    """Replaces the call, or the decorator, and the import of `pmap` if nothing else needs it."""
    mapping = _mapping(module, each, edit)
    options = _options(module, each)
    if each.function is not None:
        given = (
            module.text(each.function),
            *(text if name != _DONATED else f"{name}={text}" for name, text in options.items()),
        )
        edit.replace(each.whole, f"{mapping}({', '.join(given)})")
    else:
        partial = f"{edit.imported('functools', prefer='functools', at=each.at)}.partial"
        edit.replace(
            each.whole, f"{partial}({mapping}, {', '.join(f'{name}={text}' for name, text in options.items())})"
        )
    for alias in module.names.imports_of(PMAP):
        edit.remove_import(alias)


def _options(module: Module, each: Mapped) -> dict[str, str]:
    """What the function that maps is called with beside the mapped one, in the order of its parameters."""
    axis, axes, devices, donated = (each.option(name) for name in ("axis_name", "in_axes", "devices", _DONATED))
    found = {"axis": module.text(axis) if axis is not None else _AXIS}
    if not each.is_all_first and axes is not None:
        found["in_axes"] = module.text(axes)
    if devices is not None:
        found["devices"] = module.text(devices)
    if donated is not None:
        found[_DONATED] = module.text(donated)
    return found


def _mapping(module: Module, each: Mapped, edit: Rewriter) -> str:
    """The name of the function that maps, which is written before the first statement of the file that needs one."""
    name = "map_rows" if each.is_all_first else "map_axes"
    name += "_to_one" if each.keeps_results else ""
    name += "_on" if each.option("devices") is not None else ""
    first = min((_outermost(module, place) for place in module.references(PMAP)), key=lambda node: node.lineno)
    names = _names(module, first, edit)
    donates = any(mapped(module, place).option(_DONATED) is not None for place in module.references(PMAP))
    own = [node for node in module.tree.body if isinstance(node, ast.FunctionDef) and node.name == name]
    usable = [_definition(each, name, names, donates=more) for more in {True, each.option(_DONATED) is not None}]
    if any(ast.dump(node) == ast.dump(ast.parse(text).body[0]) for node in own for text in usable):
        return name
    if module.get(Identifiers).among(frozenset({name})):
        name = module.get(Identifiers).unused(name)
    edit.insert_before(first, _definition(each, name, names, donates=donates))
    return name


def _outermost(module: Module, node: ast.AST) -> ast.stmt:
    """The statement of the file itself that holds the node."""
    return next(
        outer for outer in (node, *module.ancestors(node)) if isinstance(outer, ast.stmt) and outer in module.tree.body
    )


def _names(module: Module, at: ast.stmt, edit: Rewriter) -> _Names:
    jax = edit.imported("jax", prefer="jax", at=at)
    jnp, np = edit.imported("jax.numpy", prefer="jnp", at=at), edit.imported("numpy", prefer="np", at=at)
    functools = edit.imported("functools", prefer="functools", at=at)
    shard_map, checks = f"{jax}.shard_map", "check_vma"
    if module.surroundings.may_be_before(_TOP_LEVEL):
        old = edit.imported("jax.experimental.shard_map", prefer="shard_map", at=at)
        shard_map, checks = f"{old}.shard_map", "check_rep"
    tree_map = f"{jax}.tree_util.tree_map" if module.surroundings.may_be_before(_TREES) else f"{jax}.tree.map"
    return _Names(jax, jnp, np, functools, shard_map, checks, tree_map)


def _definition(each: Mapped, name: str, names: _Names, *, donates: bool) -> str:
    """The function that maps another one over the rows of its arguments, and donates some if one of the file does."""
    less, more = (f"lambda x: {names.jnp}.{verb}(x, 0)" for verb in ("squeeze", "expand_dims"))
    result = "function(*rows)" if each.keeps_results else f"{names.tree_map}({more}, function(*rows))"
    spec = f"{names.jax}.sharding.PartitionSpec"
    has_devices = each.option("devices") is not None
    parameters = [
        "function",
        "axis",
        *([] if each.is_all_first else ["in_axes"]),
        *(["devices"] * has_devices),
        *(["donate_argnums=()"] * donates),
    ]
    rows, specs, what = f"{names.tree_map}({less}, shards)", "", "its arguments"
    if not each.is_all_first:
        row = f"{names.tree_map}({less}, shard)"
        several = ("[", f"    shard if one is None else {row}", "    for one, shard in zip(in_axes, shards)", "]")
        rows = "\n        ".join(several)
        specs = f"in_specs = tuple({spec}() if one is None else spec for one in in_axes)"
        what = "what `in_axes` says 0 of"
    out, given = f"{spec}()" if each.keeps_results else "spec", "in_specs" if specs else "spec"
    devices = "devices" if has_devices else f"{names.jax}.devices()"
    given = f"mesh=mesh, in_specs={given}, out_specs={out}, {names.checks}=False"
    lines = (
        f"def {name}({', '.join(parameters)}):",
        f'    """Maps `function` over the rows of {what}, one for each device."""',
        "",
        "    def on_device(*shards):",
        f"        rows = {rows}",
        f"        return {result}",
        "",
        f"    @{names.functools}.partial({names.jax}.jit, donate_argnums=donate_argnums)"
        if donates
        else f"    @{names.jax}.jit",
        f"    @{names.functools}.wraps(function)",
        "    def mapped(*args):",
        f"        mesh = {names.jax}.sharding.Mesh({names.np}.array({devices}), (axis,))",
        f"        spec = {spec}(axis)",
        *([f"        {specs}"] if specs else []),
        f"        call = {names.shard_map}(on_device, {given})",
        "        return call(*args)",
        "",
        "    return mapped",
    )
    return "\n".join(lines)
