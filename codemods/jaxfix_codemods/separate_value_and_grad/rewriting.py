"""One call of the value and the gradient in place of two."""

import ast

from jaxfix.api import Identifiers, Module, Rewriter, walk
from jaxfix_codemods.separate_value_and_grad.pairs import GRADIENTS, Pair, uses_of


def join(module: Module, pair: Pair, edit: Rewriter) -> None:
    """Computes both where the first of them stood."""
    names, has_aux = module.get(Identifiers), pair.derivative.has_aux
    value = None if has_aux else _target(module, pair, pair.value)
    gradient = None if has_aux else _target(module, pair, pair.gradient)
    value_name = value or names.unused_at("value", pair.value)
    gradient_name = gradient or names.unused_at("gradient", pair.value)
    taken = {pair.value: value, pair.gradient: gradient}
    used = {pair.value: value_name, pair.gradient: f"({gradient_name}, {value_name}[1])" if has_aux else gradient_name}
    both = f"{value_name}, {gradient_name} = {_call(module, pair, edit)}"
    if taken[pair.first] is None:
        edit.insert_before(pair.block[0], both)
        edit.replace(pair.first, used[pair.first])
    else:
        edit.replace(pair.block[0], both)
    if taken[pair.last] is None:
        edit.replace(pair.last, used[pair.last])
    else:
        edit.delete(pair.block[-1])
    _drop_compiled_value(module, pair, edit)


def _drop_compiled_value(module: Module, pair: Pair, edit: Rewriter) -> None:
    """Removes a local `jax.jit(f)` that nothing calls any more."""
    func = pair.value.func
    only = module.names.only_binding(func) if isinstance(func, ast.Name) else None
    if not isinstance(func, ast.Name) or only is None or only.scope is not module.function(pair.value):
        return
    made = module.only_value(func)
    if isinstance(made, ast.Call) and len(module.reads(func.id, only.scope)) == 1:
        edit.delete(module.statement(made))


def _call(module: Module, pair: Pair, edit: Rewriter) -> str:
    """The call of both, whose function is made where that of the gradient was."""
    made, whole = pair.derivative.made, pair.derivative.whole
    maker = _maker(module, made, edit)
    given = module.text(pair.gradient)[len(module.text(pair.gradient.func)) :]
    if pair.derivative.target is None:
        _drop_import(module, made, edit)
        return f"{module.substitute(pair.gradient.func, {made.func: maker})}{given}"
    if isinstance(pair.derivative.target, ast.FunctionDef):
        return f"{_beside(module, pair.derivative.target, made, maker, edit)}{given}"
    both = module.substitute(whole, {made.func: maker})
    own = pair.gradient.func
    if _is_bound_here(module, pair):
        if any(use is not own for use in uses_of(module, pair.derivative)):
            return f"{both}{given}"
        edit.replace(made.func, maker)
        _drop_import(module, made, edit)
        return module.text(pair.gradient)
    name = module.get(Identifiers).unused(f"value_and_{pair.derivative.name}")
    edit.insert_after(module.statement(whole), f"{name} = {both}")
    return f"{name}{given}"


def _beside(module: Module, wrapper: ast.FunctionDef, made: ast.Call, maker: str, edit: Rewriter) -> str:
    """What computes both, where a function of its own returns the gradient: that stays for its other callers."""
    both = module.substitute(made, {made.func: maker})
    if not wrapper.decorator_list:
        return both
    name = module.get(Identifiers).unused(f"value_and_{wrapper.name}")
    edit.insert_after(wrapper, f"\n\n{name} = {module.text(wrapper.decorator_list[0])}({both})")
    return name


def _is_bound_here(module: Module, pair: Pair) -> bool:
    """Whether the gradient is bound by the function that calls it, not by an enclosing scope, which others may read."""
    return module.function(pair.derivative.whole) is module.function(pair.gradient) is not None


def _maker(module: Module, made: ast.Call, edit: Rewriter) -> str:
    """What makes both, spelled as what makes the gradient."""
    both = GRADIENTS[module.qualname(made.func) or ""]
    package, _, name = both.rpartition(".")
    if isinstance(made.func, ast.Attribute):
        return f"{module.text(made.func.value)}.{name}"
    return f"{edit.imported(package, prefer=package.rpartition('.')[2], at=made)}.{name}"


def _drop_import(module: Module, made: ast.Call, edit: Rewriter) -> None:
    for alias in module.imports_of(module.qualname(made.func) or ""):
        edit.remove_import(alias)


def _target(module: Module, pair: Pair, call: ast.Call) -> str | None:
    """The name that a statement binds to the result of a call, where it does no more and nothing reads that between."""
    match module.parent(call):
        case ast.Assign(targets=[ast.Name() | ast.Tuple() as target]) if pair.block[0] is not pair.block[-1]:
            names = {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}
        case _:
            return None
    if not all(isinstance(node, ast.Name | ast.Tuple | ast.expr_context) for node in ast.walk(target)):
        return None
    own = set(ast.walk(target))
    read = (
        node.id
        for statement in pair.block
        for node in walk(statement)
        if node not in own and isinstance(node, ast.Name)
    )
    is_first = call is pair.first
    if not is_first and not names.isdisjoint(read):
        return None
    text = module.text(target)
    return f"({text})" if isinstance(target, ast.Tuple) and not text.startswith("(") else text
