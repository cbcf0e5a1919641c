"""An old name of a type: where only readers of types see it, and where code asks objects for it."""

import ast
import builtins

from jaxfix.api import Module
from jaxfix.api.analysis import ASKS_TYPE
from jaxfix.api.library import NAMED, Way

_SAME = {name: row.new for row in NAMED.values() if row.way is Way.TYPE for name in (row.old, row.older, row.new)}
"""By the names that a type has had, today's."""


def is_type(module: Module, node: ast.AST) -> bool:
    """Whether nothing but a reader of types asks for it: in an annotation, or between the brackets of `Union`."""
    return _reader(module, node) is not None


def is_plain_type(module: Module, node: ast.AST) -> bool:
    """As `is_type`; not in a `Union` of which the new name leaves one member: that has no `__args__`."""
    reader = _reader(module, node)
    match reader:
        case ast.Subscript(slice=ast.Tuple(elts=[_, _, *_] as parts)):
            types = {_SAME.get(_named(module, part) or "") for part in parts}
            return len(types) > 1 or None in types
    return reader is not None


def _named(module: Module, part: ast.expr) -> str | None:
    """The canonical name of a type, in quotes or not."""
    if not isinstance(part, ast.Constant):
        return module.qualname(part)
    inner = parsed_type(part)
    return None if inner is None else full_name(module, part, inner)


def parsed_type(quoted: ast.Constant) -> ast.expr | None:
    """The expression in a string, a tree of its own; None where it is none."""
    try:
        return ast.parse(str(quoted.value), mode="eval").body
    except SyntaxError:
        return None


def full_name(module: Module, at: ast.Constant, node: ast.expr) -> str | None:
    """The canonical name that `node` in the string `at` has, where an import at the top of the file tells it."""
    inner, rest = node, ""
    while isinstance(inner, ast.Attribute):
        rest, inner = f".{inner.attr}{rest}", inner.value
    if not isinstance(inner, ast.Name) or module.scope_of(inner.id, at) is not module.tree:
        return None
    origin = module.names.imports.get(inner.id)
    return origin and origin + rest


def is_quoted_type(module: Module, node: ast.Constant) -> bool:
    """Whether a string is a type: an annotation or a part of one, of a generic type, or what `cast` and the like take.

    A string between other brackets may mean anything, as in `Literal["a"]` or `Float[Array, "n"]`.
    """
    inner: ast.AST = node
    is_part = False
    for outer in module.ancestors(node):
        match outer:
            case ast.arg() | ast.AnnAssign() if getattr(outer, "annotation", None) is inner:
                return True
            case ast.FunctionDef(returns=returns) | ast.AsyncFunctionDef(returns=returns) if returns is inner:
                return True
            case ast.Subscript(value=value) if value is not inner:
                if not _has_types(module, outer, node):
                    return False
                is_part = True
            case ast.Call():
                return is_part or _takes_type(module, outer, inner)
            case ast.Tuple() | ast.List() | ast.BinOp(op=ast.BitOr()) | ast.keyword(arg="bound"):
                pass
            case _:
                return is_part
        inner = outer
    return False


def _has_types(module: Module, generic: ast.Subscript, node: ast.Constant) -> bool:
    """Whether `node` between the brackets is a type."""
    if isinstance(generic.value, ast.Name) and isinstance(vars(builtins).get(generic.value.id), type):
        return module.scope_of(generic.value.id, generic) is None
    name = module.qualname(generic.value) or ""
    last = name.rpartition(".")[2]
    if last == "Annotated" and isinstance(generic.slice, ast.Tuple) and node is not generic.slice.elts[0]:
        return False
    return name.startswith(("typing", "collections.")) and last != "Literal"


def _takes_type(module: Module, call: ast.Call, arg: ast.AST) -> bool:
    """Whether a function of `typing` takes the argument as a type."""
    if not _is_typing(module, call.func):
        return False
    last = (module.qualname(call.func) or "").rpartition(".")[2]
    return arg in call.args[:1] if last == "cast" else last == "TypeVar" and arg not in call.args[:1]


def is_asked_for(module: Module, node: ast.AST) -> bool:
    """Whether code may ask objects for the type that is named: in `isinstance`, by `is`, in a registry, as a base.

    An alias that only annotations read asks for nothing, of a `Union` neither. Beside `jax.core.Tracer`, `isinstance`
    answers alike for `jax.Array`, of all but keys.
    """
    if _is_beside_tracers(module, node):
        return False
    reader = _reader(module, node)
    value = node if reader is None else reader
    match module.parent(value):
        case ast.Assign(targets=[ast.Name(id=name) as target], value=whole) if whole is value:
            return is_asked_elsewhere(module, name, target) or any(
                not is_type(module, use) for use in module.names.reads(name, module.scope_of(name, target))
            )
    return reader is None


def _is_beside_tracers(module: Module, node: ast.AST) -> bool:
    match module.parent(node):
        case ast.Tuple(elts=parts) as types:
            names = [module.qualname(part) or "" for part in parts]
            is_beside = "jax.core.Tracer" in names and not (module.qualname(node) or "").endswith("KeyArray")
            return is_beside and _is_for_isinstance(module, types)
    return False


def _is_for_isinstance(module: Module, types: ast.expr) -> bool:
    """Whether nothing but `isinstance` takes the types, as they are or by the name that they are bound to."""
    match module.parent(types):
        case ast.Assign(targets=[ast.Name(id=name) as target]) if not is_asked_elsewhere(module, name, target):
            reads = module.names.reads(name, module.scope_of(name, target))
            return bool(reads) and all(_is_given_to_isinstance(module, each) for each in reads)
    return _is_given_to_isinstance(module, types)


def _is_given_to_isinstance(module: Module, types: ast.expr) -> bool:
    match module.parent(types):
        case ast.Tuple() as whole:
            return _is_given_to_isinstance(module, whole)
        case ast.Call(func=ast.Name(id="isinstance" as name), args=[_, second]) as call:
            return second is types and module.scope_of(name, call) is None
    return False


def is_asked_elsewhere(module: Module, name: str, at: ast.AST) -> bool:
    """Whether another file asks objects for the type that the top of this one binds at `at`, or lists its members."""
    own = module.surroundings.name
    is_seen = own is not None and module.is_top_level(at)
    return is_seen and module.surroundings.project.ask(ASKS_TYPE, f"{own}.{name}")


def is_never_run(module: Module, node: ast.AST) -> bool:
    """Whether Python never evaluates it: an annotation that stays text, or what is for type checkers alone."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and is_quoted_type(module, node):
        return True
    reader = _reader(module, node)
    if isinstance(reader, ast.arg | ast.AnnAssign | ast.FunctionDef | ast.AsyncFunctionDef):
        is_local = isinstance(reader, ast.AnnAssign) and module.function(reader) is not None
        if is_local or _has_lazy_annotations(module):
            return True
    return is_for_checkers(module, node)


def is_for_checkers(module: Module, node: ast.AST) -> bool:
    """Whether it is below `if TYPE_CHECKING:`."""
    inner = node
    for outer in module.ancestors(node):
        match outer:
            case ast.If(test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING"), body=body):
                if inner in body:
                    return True
        inner = outer
    return False


def _has_lazy_annotations(module: Module) -> bool:
    return any(
        each.module == "__future__" and any(alias.name == "annotations" for alias in each.names)
        for each in module.nodes(ast.ImportFrom)
    )


def _reader(module: Module, node: ast.AST) -> ast.AST | None:
    """What reads the type: that which it annotates, or the brackets that it is between; None for other code."""
    inner = node
    for outer in module.ancestors(node):
        match outer:
            case ast.arg() | ast.AnnAssign(annotation=ast.AST()) if getattr(outer, "annotation", None) is inner:
                return outer
            case ast.FunctionDef(returns=returns) | ast.AsyncFunctionDef(returns=returns):
                return outer if returns is inner else None
            case ast.Subscript(value=value) if value is not inner and _is_typing(module, value):
                return _reader(module, outer) or outer
            case ast.Subscript() | ast.Tuple() | ast.List() | ast.BinOp(op=ast.BitOr()):
                pass
            case _:
                return None
        inner = outer
    return None


def _is_typing(module: Module, expr: ast.expr) -> bool:
    return (module.qualname(expr) or "").startswith("typing")
