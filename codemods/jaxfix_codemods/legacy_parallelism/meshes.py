"""The mesh that a file enters with `with mesh:`, and what is placed on it by a `PartitionSpec`."""

import ast
from collections.abc import Container, Iterator

from jaxfix.api import Code, Declined, Module, Reason, frozen
from jaxfix.api.analysis import is_bound_before

MESHES = frozenset({"jax.sharding.Mesh", "jax.experimental.maps.Mesh", "jax.interpreters.pxla.Mesh", "jax.make_mesh"})
SPECS = frozenset(
    {
        *("jax.sharding.PartitionSpec", "jax.P", "jax.experimental.PartitionSpec"),
        *("jax.experimental.pjit.PartitionSpec", "jax.interpreters.pxla.PartitionSpec"),
    }
)
SHARDINGS = frozenset({"jax.sharding.NamedSharding", "jax.NamedSharding"})


@frozen
class Entered:
    """A `with` statement that enters a mesh; `made` is the call that makes it, `name` the variable that holds it."""

    item: ast.withitem
    statement: ast.With
    made: ast.Call
    name: ast.Name | None


def entered(module: Module) -> tuple[Entered, ...]:
    """Every mesh that the file enters, as far as it shows how it is made."""
    found = (_entered(module, item, statement) for statement in module.nodes(ast.With) for item in statement.items)
    return tuple(each for each in found if each is not None)


def _entered(module: Module, item: ast.withitem, statement: ast.With) -> Entered | None:
    named = item.context_expr
    made = module.names.only_value(named) if isinstance(named, ast.Name) else named
    if not isinstance(made, ast.Call) or module.qualname(made.func) not in MESHES:
        return None
    bound = named if isinstance(named, ast.Name) else item.optional_vars
    return Entered(item, statement, made, bound if isinstance(bound, ast.Name) else None)


def the_mesh(module: Module, at: ast.expr) -> str:
    """The name of the one mesh of the file, as the code at `at` sees it.

    Raises:
      Declined: there are none or several, or its name is not bound before `at`.
    """
    found = entered(module)
    names = {(each.name.id, module.scope_of(each.name.id, each.name)) for each in found if each.name is not None}
    if len(names) != 1 or any(each.name is None for each in found):
        text = "the file shows no mesh, or several: write `NamedSharding(mesh, spec)` with the one that it runs under"
        raise Declined(Reason(Code.BY_HAND, text))
    ((name, scope),) = names
    bindings = module.bindings(name, scope)
    if len(bindings) != 1 or module.scope_of(name, at) is not scope:
        raise Declined(Reason(Code.REBOUND, f"`{name}` means something else there, or is bound more than once"))
    bound = bindings[0].node
    if not isinstance(bound, ast.arg) and not _is_before(module, bound, at):
        raise Declined(Reason(Code.BY_HAND, f"`{name}` is made later: make it before"))
    return name


def _is_before(module: Module, bound: ast.AST, at: ast.expr) -> bool:
    statement = module.statement(bound)
    inside = statement in (*module.ancestors(at),)  # `with Mesh(...) as mesh:`
    return inside or is_bound_before(module, statement, at)


def leaves(module: Module, value: ast.expr) -> Iterator[ast.expr]:
    """The parts of a value that say where an array is placed, each a `PartitionSpec` or None.

    Raises:
      Declined: it may be something else.
    """
    match value:
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for part in parts:
                yield from leaves(module, part)
        case ast.Dict(keys=keys, values=parts) if None not in keys:
            for part in parts:
                yield from leaves(module, part)
        case ast.Call(func=func) if module.qualname(func) in SHARDINGS:
            return
        case ast.Constant(value=None) | ast.Call() | ast.Name() if _is_spec(module, value):
            yield value
        case _:
            text = f"`{module.text(value)}` may be no `PartitionSpec`: write `NamedSharding(mesh, spec)`"
            raise Declined(Reason(Code.BY_HAND, text))


def _is_spec(module: Module, value: ast.expr) -> bool:
    known = module.names.only_value(value) if isinstance(value, ast.Name) else value
    match known:
        case ast.Constant(value=None):
            return known is value
        case ast.Call(func=func):
            return module.qualname(func) in SPECS
    return False


def spelled(module: Module, at: ast.AST, qualnames: Container[str], otherwise: str) -> str:
    """The name that the file has at `at` for one of the qualified names."""
    names = (name for name, meaning in module.names.imports.items() if meaning in qualnames)
    return next((name for name in names if module.scope_of(name, at) is module.tree), otherwise)
