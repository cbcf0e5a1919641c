"""The dtype that makes a weakly typed scalar strongly typed, and why there may be none."""

import ast

from jaxfix.api import Code, Equality, Function, Module, Reason, walk
from jaxfix.api.analysis import Kind, positional_of
from jaxfix_codemods.weak_state.leaves import Leaf, is_number

_DTYPES = {Kind.INT: "int", Kind.FLOAT: "float"}
_CONSTRUCTORS = ("jax.numpy.array", "jax.numpy.asarray", "jax.numpy.full", "jax.numpy.full_like")


def dtype(module: Module, leaf: Leaf) -> str:
    """The expression of the dtype that the leaf has after an update, with the names of modules in braces.

    A number is typed as JAX types Python numbers, a count as the update that spells out another dtype for it. One
    whose dtype the caller of the update decides gets that of the parameters, which under half precision is another
    one, and which inside of a loop it has to have from the start.
    """
    if leaf.kind is Kind.INT and leaf.after is not None and leaf.after.integer is not None:
        return f"{{jnp}}.{leaf.after.integer.rpartition('.')[2]}"
    if leaf.kind is not Kind.FLOAT or leaf.after is None or not leaf.after.is_given or leaf.loop is not None:
        return _DTYPES[leaf.kind]
    if leaf.mapped is not None:
        name = _only_parameter(leaf.mapped)
        return _DTYPES[leaf.kind] if name is None else f"{{jnp}}.result_type(float, {name})"
    name = _only_parameter(leaf.init) if leaf.init is not None and leaf.told else None
    if name is None or module.scope_of(name, leaf.made_by) is not leaf.init:
        return _DTYPES[leaf.kind]
    return f"{{jnp}}.finfo({{jnp}}.result_type(float, *{{jax}}.tree.leaves({name}))).dtype"


def equality(module: Module, leaves: list[Leaf]) -> Equality | None:
    """Whether the first state may get other dtypes; None where it only becomes strongly typed."""
    as_python = all(dtype(module, leaf) in _DTYPES.values() for leaf in leaves)
    return None if as_python else Equality.CONVERGED


def _only_parameter(function: Function) -> str | None:
    """The parameter of a function that takes nothing else, except a `self`."""
    arguments = function.args
    positional = [a.arg for a in positional_of(arguments) if a.arg != "self"]
    return positional[0] if len(positional) == 1 and not arguments.kwonlyargs else None


def why_not_typed(module: Module, leaf: Leaf) -> Reason | None:
    """Why what makes the leaf cannot be given a dtype."""
    call = leaf.made_by
    text = " ".join(module.text(call).split())
    is_made = isinstance(call, ast.Call) and module.qualname(call.func) in _CONSTRUCTORS
    if not is_made and not is_number(call):
        return Reason(Code.SIGNATURE, f"`{text}` takes no dtype")
    if leaf.after is not None and leaf.after.kind is Kind.FLOAT and leaf.kind is Kind.INT:
        return Reason(
            Code.DTYPE,
            f"`{text}` is an integer and becomes floating: an integer dtype gains nothing, a floating one changes it",
        )
    if not module.has_exact_spans(call):
        return Reason(Code.FORMAT_STRING, f"`{text}` is inside an f-string")
    if leaf.init is not None and _is_shared(module, call, leaf.init):
        return Reason(Code.OTHER_USES, f"`{text}` is used for something else too")
    name = _DTYPES[leaf.kind]
    if module.scope_of(name, call) is not None or bool(module.names.star_imports):
        return Reason(Code.NAME_CLASH, f"`{name}` may not be the builtin here")
    return _unknown_type(module, call) if isinstance(call, ast.Call) else None


def _is_shared(module: Module, call: ast.expr, init: Function) -> bool:
    """Whether what `call` makes may serve for more than the state: made outside of `init`, or read twice."""
    if init not in module.functions_around(call):
        return True
    match module.parent(call):
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            reads = [n for n in walk(init) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
            return sum(n.id == name for n in reads) > 1
    return False


def _unknown_type(module: Module, call: ast.Call) -> Reason | None:
    """Names an argument whose dtype a caller decides: an explicit one would change it."""
    filled = call.args[-1] if call.args else None
    for name in walk(filled) if filled is not None else ():
        if isinstance(name, ast.Name) and module.qualname(name) is None:
            scope = module.scope_of(name.id, name)
            if scope is not None and any(isinstance(b.node, ast.arg) for b in module.bindings(name.id, scope)):
                return Reason(Code.DTYPE, f"the type of `{name.id}` is decided by the caller")
    return None
