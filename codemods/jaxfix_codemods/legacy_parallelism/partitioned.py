"""`pjit`, which is `jax.jit` whose shardings name the mesh that is entered when it is called."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from jaxfix.api import Code, Confidence, Declined, Finding, Module, Reason, Recipe, Rewriter, frozen
from jaxfix.api.library import Fate
from jaxfix_codemods.legacy_parallelism.meshes import SHARDINGS, SPECS, leaves, spelled, the_mesh

PJIT = "jax.experimental.pjit.pjit"
WARNS = (0, 8, 0)
_SINCE = (0, 4, 7)
"""The jax whose `jit` takes shardings."""
_PARTIAL = "functools.partial"
_PLACED = {
    name: f"{name.partition('_')[0]}_shardings"
    for name in ("in_shardings", "out_shardings", "in_axis_resources", "out_axis_resources")
}
_ORDER = ("fun", "in_shardings", "out_shardings")
_KEPT = frozenset({"static_argnums", "static_argnames", "donate_argnums", "donate_argnames", "keep_unused", "inline"})


@frozen
class Partitioned:
    """A use of `pjit`: the call that gives its options, None where it is a decorator by itself.

    Attributes:
      placed: the arguments that place arrays, each with the keyword that `jax.jit` has for it.
    """

    at: ast.Name | ast.Attribute
    call: ast.Call | None
    placed: Mapping[ast.expr | ast.keyword, str]


def find(module: Module) -> Iterator[Finding]:
    """The uses of `pjit`: one finding for all where all can be rewritten, so that the import goes with them."""
    jax = module.surroundings.jax
    if not module.surroundings.admits("jax", WARNS) or (jax is not None and jax < WARNS):
        return
    found = [_finding(module, at) for at in module.references(PJIT)]
    written = [recipe for each in found if (recipe := each.recipe) is not None]
    if found and len(written) == len(found):
        yield replace(found[0], recipe=partial(_every, written))
    else:
        yield from found


def _finding(module: Module, at: ast.Name | ast.Attribute) -> Finding:
    found = partial(
        Finding,
        at=at,
        message="`pjit` is deprecated since jax 0.8.0: `jax.jit` takes its shardings, each with its mesh",
        title="Use `jax.jit`",
        fate=Fate("jax", warns="0.8.0"),
    )
    try:
        each = _used(module, at)
        shardings = _shardings(module, each)
    except Declined as declined:
        return found(declined=declined.reason, confidence=Confidence.POSSIBLE)
    return found(recipe=partial(_write, module, each, shardings))


def _used(module: Module, at: ast.Name | ast.Attribute) -> Partitioned:
    """How it is used.

    Raises:
      Declined: in a way that `jax.jit` may not know.
    """
    if not module.has_exact_spans(at):
        raise Declined(Reason(Code.FORMAT_STRING, "it is inside an f-string"))
    if module.surroundings.may_be_before(_SINCE):
        raise Declined(Reason(Code.OLDER_VERSION, "`jax.jit` takes shardings since jax 0.4.7"))
    parent = module.parent(at)
    if isinstance(parent, ast.FunctionDef | ast.AsyncFunctionDef) and at in parent.decorator_list:
        return Partitioned(at, None, {})
    match parent:
        case ast.Call(func=func, args=args) if func is at:
            names = dict(zip(args, _ORDER, strict=False))
        case ast.Call(args=[first, *args]) if first is at and module.qualname(parent.func) == _PARTIAL and not args:
            names = {}
        case _:
            raise Declined(Reason(Code.OTHER_USES, "it is passed on, to code that may call it with a `PartitionSpec`"))
    if any(isinstance(arg, ast.Starred) for arg in args) or any(k.arg is None for k in parent.keywords):
        raise Declined(Reason(Code.STAR_ARGUMENTS, "`*` or `**` hides its arguments"))
    other = next((k.arg for k in parent.keywords if k.arg not in {*_PLACED, *_KEPT}), None)
    if other is not None or len(args) > len(_ORDER):
        raise Declined(Reason(Code.SIGNATURE, f"it is called with `{other or 'further arguments'}`"))
    placed: dict[ast.expr | ast.keyword, str] = {arg: name for arg, name in names.items() if name != "fun"}
    placed |= {k: _PLACED[k.arg] for k in parent.keywords if k.arg in _PLACED}
    return Partitioned(at, parent, placed)


def _shardings(module: Module, each: Partitioned) -> Mapping[ast.expr, str]:
    """The parts of the options that become shardings, each with the name of the mesh.

    Raises:
      Declined: a part is not known, or the mesh is not.
    """
    values = [where.value if isinstance(where, ast.keyword) else where for where in each.placed]
    parts = [part for value in values for part in leaves(module, value)]
    return dict.fromkeys(parts, the_mesh(module, each.at)) if parts else {}


def _every(recipes: Sequence[Recipe], edit: Rewriter) -> None:
    for recipe in recipes:
        recipe(edit)


def _write(module: Module, each: Partitioned, shardings: Mapping[ast.expr, str], edit: Rewriter) -> None:
    jax = edit.imported("jax", prefer="jax", at=each.at)
    edit.replace(each.at, f"{jax}.jit")
    named = spelled(module, each.at, SHARDINGS, f"{jax}.sharding.NamedSharding")
    for part, mesh in shardings.items():
        none = f"{spelled(module, each.at, SPECS, f'{jax}.sharding.PartitionSpec')}()"
        edit.replace(part, f"{named}({mesh}, {none if isinstance(part, ast.Constant) else module.text(part)})")
    for argument, name in each.placed.items():
        if each.call is not None and getattr(argument, "arg", None) != name:
            edit.name_argument(each.call, argument, name)
    for alias in module.names.imports_of(PJIT):
        edit.remove_import(alias)
