"""What takes the place of `jax.pmap`: `jit` of `shard_map`, which keeps the axis and its leading dimension."""

import ast

from jaxfix.api import Module, Rewriter
from jaxfix_codemods.legacy_parallelism.mapped import PMAP, Mapped

_TOP_LEVEL = (0, 6, 1)
"""The jax that has `jax.shard_map` with `check_vma`."""
_TREES = (0, 4, 25)
_AXIS = '"devices"'


def write(module: Module, each: Mapped, edit: Rewriter) -> None:
    """Replaces the call, or the decorator, and the import of `pmap` if nothing else needs it."""
    edit.replace(each.whole, _text(module, each, edit))
    for alias in module.names.imports_of(PMAP):
        edit.remove_import(alias)


def _text(module: Module, each: Mapped, edit: Rewriter) -> str:
    jax = edit.imported("jax", prefer="jax", at=each.at)
    name = _name(each, {jax})
    bound = f", {name}={module.text(each.function)}" if each.function is not None else ""
    donated = each.option("donate_argnums")
    last = f"    donate_argnums={module.text(donated)},\n" if donated is not None else ""
    mapped = _mapped(module, each, name, jax, edit).replace("\n", "\n    ")
    made = f"{jax}.jit(\n    lambda *shards{bound}: {mapped}(*shards),\n{last})"
    return f"lambda {name}: {made}" if each.decorated is not None else made


def _mapped(module: Module, each: Mapped, name: str, jax: str, edit: Rewriter) -> str:
    """`shard_map` of the function between the loss of the leading axis and its return."""
    jnp, np = edit.imported("jax.numpy", prefer="jnp", at=each.at), edit.imported("numpy", prefer="np", at=each.at)
    tree_map = f"{jax}.tree_util.tree_map" if module.surroundings.may_be_before(_TREES) else f"{jax}.tree.map"
    less = f"{tree_map}(lambda x: {jnp}.squeeze(x, 0), %s)"
    if each.is_all_first:
        parameters, given = "*shard", f"*{less % 'shard'}"
    else:
        names = [f"shard{number}" for number in range(len(each.axes))]
        parameters = ", ".join(names)
        parts = [less % one if is_first else one for one, is_first in zip(names, each.axes, strict=True)]
        given = "".join(f"\n        {part}," for part in parts) + "\n    "
    called = f"{name}({given})"
    result = called if each.keeps_results else f"{tree_map}(\n    lambda x: {jnp}.expand_dims(x, 0), {called}\n)"
    axis, devices = each.option("axis_name"), each.option("devices")
    over = module.text(axis) if axis is not None else _AXIS
    there = module.text(devices) if devices is not None else f"{jax}.devices()"
    spec = f"{jax}.sharding.PartitionSpec"
    in_specs = f"{spec}({over})"
    if not each.is_all_first:
        parts = [f"{spec}({over if is_first else ''})" for is_first in each.axes]
        in_specs = "(" + "".join(f"\n        {part}," for part in parts) + "\n    )"
    shard_map, checks = f"{jax}.shard_map", "check_vma"
    if module.surroundings.may_be_before(_TOP_LEVEL):
        old = edit.imported("jax.experimental.shard_map", prefer="shard_map", at=each.at)
        shard_map, checks = f"{old}.shard_map", "check_rep"
    inner = result.replace("\n", "\n    ") if each.is_all_first or not each.keeps_results else result
    return (
        f"{shard_map}(\n"
        f"    lambda {parameters}: {inner},\n"
        f"    mesh={jax}.sharding.Mesh({np}.array({there}), ({over},)),\n"
        f"    in_specs={in_specs},\n"
        f"    out_specs={spec}({'' if each.keeps_results else over}),\n"
        f"    {checks}=False,\n"
        ")"
    )


def _name(each: Mapped, taken: set[str]) -> str:
    """What the function is called inside of the lambda that is given it."""
    match each:
        case Mapped(decorated=ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name)):
            found = name
        case Mapped(function=ast.Name(id=name) | ast.Attribute(attr=name)):
            found = name
        case _:
            found = "function"
    return "function" if found in {*taken, "jnp", "np", "x", "shard", "shards"} else found
