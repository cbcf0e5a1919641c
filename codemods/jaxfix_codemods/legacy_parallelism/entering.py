"""`with mesh:`, which `jax.set_mesh` takes the place of where nothing in its block makes an array."""

import ast
import sys
from collections.abc import Iterator
from functools import partial

from jaxfix.api import FUNCTIONS, Code, Confidence, Declined, Finding, Module, Reason, Rewriter, jit_of
from jaxfix.api.library import Fate, Package, where
from jaxfix_codemods.legacy_parallelism.meshes import Entered, entered
from jaxfix_codemods.legacy_parallelism.partitioned import PJIT

WARNS = (0, 10, 1)
_SINCE = (0, 7, 0)
_MADE = "jax.make_mesh"
_HARMLESS = ("numpy.", "time.", "os.", "math.", "logging.")
_BLIND = where(Package.WITHOUT_MESH)
"""Packages that read no mesh by themselves, beside those of Python itself."""
_PLACES = ("jax.device_put", "jax.device_get", "jax.block_until_ready")


def find(module: Module) -> Iterator[Finding]:
    """The `with` statements that enter a mesh by itself."""
    jax = module.surroundings.jax
    if not module.surroundings.admits("jax", WARNS) or (jax is not None and jax < WARNS):
        return
    for each in entered(module):
        yield _finding(module, each)


def _finding(module: Module, each: Entered) -> Finding:
    found = partial(
        Finding,
        at=each.item.context_expr,
        message="`with` of a mesh is deprecated since jax 0.10.1: `jax.set_mesh` enters it",
        title="Use `jax.set_mesh`",
        fate=Fate("jax", warns="0.10.1"),
    )
    try:
        _check(module, each)
    except Declined as declined:
        return found(declined=declined.reason, confidence=Confidence.POSSIBLE)
    return found(recipe=partial(_write, each))


def _write(each: Entered, edit: Rewriter) -> None:
    jax = edit.imported("jax", prefer="jax", at=each.statement)
    edit.wrap(each.item.context_expr, f"{jax}.set_mesh(", ")")


def _check(module: Module, each: Entered) -> None:
    """Holds what can be rewritten.

    Raises:
      Declined: the block may make arrays, which lie on all devices under `jax.set_mesh`; or what it enters is another.
    """
    if module.surroundings.may_be_before(_SINCE):
        raise Declined(Reason(Code.OLDER_VERSION, "`jax.set_mesh` came with jax 0.7.0"))
    if each.item.optional_vars is not None:
        raise Declined(Reason(Code.BY_HAND, "`with` names the mesh, and `jax.set_mesh` returns none: name it before"))
    if module.qualname(each.made.func) == _MADE:
        text = "`jax.make_mesh` makes axes of the type `Explicit`: `axis_types=(jax.sharding.AxisType.Auto,) * n` first"
        raise Declined(Reason(Code.BY_HAND, text))
    if module.references(PJIT):
        raise Declined(Reason(Code.BY_HAND, "`pjit` reads the mesh that is entered by itself: rewrite it first"))
    other = next((top for top in _imported(module) if top not in _BLIND and top not in sys.stdlib_module_names), None)
    if other is not None:
        text = (
            f"`{other}` may read the mesh of `with` itself, as flax before 0.12 does, and sees none of `jax.set_mesh`"
        )
        raise Declined(Reason(Code.BY_HAND, text))
    for node in (inner for statement in each.statement.body for inner in ast.walk(statement)):
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            raise Declined(Reason(Code.BY_HAND, "its block defines a function, which may make arrays"))
        if isinstance(node, ast.Call) and not _is_harmless(module, node):
            text = f"`{module.text(node.func)}` in line {node.lineno} may make arrays, which would lie on all devices"
            raise Declined(Reason(Code.BY_HAND, f"{text}: make them before"))


def _imported(module: Module) -> Iterator[str]:
    """The packages that the file imports from, in the order of the text."""
    for node in module.nodes(ast.Import, ast.ImportFrom):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0] if not node.level else "a module of the project"


def _is_harmless(module: Module, call: ast.Call) -> bool:
    """Whether the call makes no jax array, but by a jitted function, whose results lie where they lay."""
    if jit_of(module, call.func) is not None:
        return True
    name = module.qualname(call.func)
    if name is not None:
        return name.startswith(_HARMLESS) or name in _PLACES
    return isinstance(call.func, ast.Name) and module.scope_of(call.func.id, call) is None
