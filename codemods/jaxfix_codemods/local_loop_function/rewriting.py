"""The move itself, as text."""

import ast

from jaxfix.api import Function, Identifiers, Module, Rewriter, frozen
from jaxfix.api.analysis import hoisting
from jaxfix.api.library import CONTROL_FLOW
from jaxfix_codemods.local_loop_function.judging import CARRY, Local, Move, initial_carry, results, taker
from jaxfix_codemods.local_loop_function.naming import around, is_docstring


@frozen
class Moved:
    """A function on its way: `name` is its new one, `lifted` what it calls the variables that it is passed."""

    function: Function
    role: str
    name: str
    lifted: tuple[str, ...]


def rewrite(module: Module, move: Move, edit: Rewriter) -> None:
    handed_over: dict[ast.AST, str] = {}
    names: dict[Function, str] = {}
    for local in move.locals:
        if local.function not in names:
            moved = _moved(module, move, local)
            names[local.function] = moved.name
            _put(module, move, moved, edit)
        handed_over[local.use] = names[local.function]
        if isinstance(local.function, ast.FunctionDef):
            for use in hoisting.reads(module, local.function):
                handed_over.setdefault(use, names[local.function])
    _pass_lifted(module, move, handed_over, edit)
    if move.primitive == "jax.lax.scan" and move.lifted and isinstance(module.parent(move.call), ast.Return):
        _spell_out(module, move, handed_over, edit)
        return
    for node, text in handed_over.items():
        edit.replace(node, text)
    if move.lifted and move.primitive in CARRY:
        _take_carry_out(module, move, edit)


def _put(module: Module, move: Move, moved: Moved, edit: Rewriter) -> None:
    if isinstance(moved.function, ast.Lambda):
        edit.insert_before(move.before, _as_def(module, move, moved, moved.function))
    elif isinstance(moved.function, ast.FunctionDef):
        edit.hoist(moved.function, move.before, moved.name, _operands(move, moved))
        _unpack(module, move, moved, moved.function, edit)


def _moved(module: Module, move: Move, local: Local) -> Moved:
    caller = around(module, move.call).rpartition(".")[2].strip("_<>")
    own = local.role if isinstance(local.function, ast.Lambda) else local.function.name.strip("_")
    name = module.get(Identifiers).unused("_" + ("_".join(part for part in (caller, own) if part) or local.role))
    # Lifted for another one of the functions, and here the name of something else.
    taken = hoisting.names_in(module, local.function) - set(hoisting.free_names(module, local.function))
    lifted = tuple(module.get(Identifiers).unused(f"{name}_") if name in taken else name for name in move.lifted)
    return Moved(local.function, local.role, name, lifted)


def _operands(move: Move, moved: Moved) -> tuple[str, ...]:
    """The parameters that a branch gets in front of its own; a loop body gets its variables in the carry."""
    return () if move.primitive in CARRY else moved.lifted


def _pass_lifted(module: Module, move: Move, handed_over: dict[ast.AST, str], edit: Rewriter) -> None:
    """Adds the lifted variables to the call: before the operands, or to the initial carry."""
    if move.primitive not in CARRY:
        operands = len(CONTROL_FLOW[move.primitive].calls) + 1
        for name in move.lifted:
            edit.insert_argument(move.call, name, before=operands)
        return
    init = initial_carry(move.call, move.primitive)
    if move.lifted and init is not None:
        handed_over[init] = f"({module.text(init)}, {', '.join(move.lifted)})"


def _as_def(module: Module, move: Move, moved: Moved, function: ast.Lambda) -> str:
    body = function.body
    if not move.lifted or move.primitive not in CARRY:
        parameters = ", ".join((*_operands(move, moved), ast.unparse(function.args))).removesuffix(", ")
        return f"def {moved.name}({parameters}):\n    return {_result_text(module, body)}\n"
    names = [a.arg for a in function.args.args]
    carry = _carry_name(module, function)
    unpacking = _unpacking(module, move, moved, carry)
    names[_carry_index(move, moved.role)] = carry
    rest = ", ".join(moved.lifted)
    match body:
        case _ if moved.role == "cond":
            result = _result_text(module, body)
        case ast.Tuple(elts=[inner, other]) if move.primitive == "jax.lax.scan":
            result = f"({module.text(inner)}, {rest}), {module.text(other)}"
        case _:
            result = f"{_result_text(module, body)}, {rest}"
    return f"def {moved.name}({', '.join(names)}):\n    {unpacking}\n    return {result}\n"


def _result_text(module: Module, body: ast.expr) -> str:
    """The text of `body` as it can follow `return`: in parentheses if a line of it ends outside of brackets."""
    text = hoisting.dedented(module.text(body), hoisting.indentation(module, body)).replace("\n", "\n    ")
    try:
        ast.parse(text, mode="eval")
    except SyntaxError:
        return f"({text})"
    return text


def _carry_index(move: Move, role: str) -> int:
    return 0 if role == "cond" else CARRY[move.primitive].index


def _unpack(module: Module, move: Move, moved: Moved, function: ast.FunctionDef, edit: Rewriter) -> None:
    """Makes the carry of a moved loop function hold the lifted variables, and every result too."""
    if not move.lifted or move.primitive not in CARRY:
        return
    carry = _carry_name(module, function)
    first = next((s for s in function.body if not is_docstring(s)), function.body[0])
    edit.insert_before(first, _unpacking(module, move, moved, carry))
    edit.replace(function.args.args[_carry_index(move, moved.role)], carry)
    rest = ", ".join(moved.lifted)
    for value in results(module, function) if moved.role != "cond" else ():
        if move.primitive == "jax.lax.scan" and isinstance(value, ast.Tuple):
            edit.wrap(value.elts[0], "(", f", {rest})")
        else:
            edit.wrap(value, "", f", {rest}")


def _unpacking(module: Module, move: Move, moved: Moved, carry: str) -> str:
    inner = moved.function.args.args[_carry_index(move, moved.role)].arg
    if moved.role != "cond" or set(hoisting.free_names(module, moved.function)) & set(move.lifted):
        return f"{inner}, {', '.join(moved.lifted)} = {carry}"
    is_free = "_" not in hoisting.names_in(module, moved.function)
    rest = "_" if is_free else module.get(Identifiers).unused("_rest")
    return f"{inner}, {_several(move)}{rest} = {carry}"


def _several(move: Move) -> str:
    """A star where more than one name is carried beside what was."""
    return "" if len(move.lifted) == 1 else "*"


def _carry_name(module: Module, function: Function) -> str:
    used = hoisting.names_in(module, function)
    return next(n for n in ("carry", "state", "carried", module.get(Identifiers).unused("loop_state")) if n not in used)


def _rest(module: Module, call: ast.Call) -> str:
    """A name in the caller for what is not needed: `_`, unless that is read."""
    scope = module.function(call) or module.tree
    is_read = any(scope in module.ancestors(name) for name in module.loads("_"))
    return module.get(Identifiers).unused("_rest") if is_read else "_"


def _take_carry_out(module: Module, move: Move, edit: Rewriter) -> None:
    """Leaves in the result only what was there before."""
    match taker(module, move.call):
        case ast.Tuple(elts=[carry, _]) if move.primitive == "jax.lax.scan":
            rest = _rest(module, move.call)
            if rest != "_" or not _is_unread(carry):
                edit.wrap(carry, "(", f", {_several(move)}{rest})")
            elif not isinstance(carry, ast.Name):
                edit.replace(carry, "_")
        case ast.Subscript(slice=ast.Constant(value=1)) if move.primitive == "jax.lax.scan":
            return
        case _:
            edit.wrap(move.call, "", "[0]")


def _is_unread(target: ast.expr) -> bool:
    """Whether a target binds nothing but `_`."""
    match target:
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return all(map(_is_unread, parts))
        case _:
            return isinstance(target, ast.Name) and target.id == "_"


def _spell_out(module: Module, move: Move, handed_over: dict[ast.AST, str], edit: Rewriter) -> None:
    """`return scan(...)` becomes two statements, since its first result is to be taken apart."""
    statement = module.statement(move.call)
    function = module.function(move.call)
    used = module.names.bound_in(function) if function is not None else frozenset[str]()
    carry, stacked = (
        name if name not in used else module.get(Identifiers).unused(name) for name in ("carry", "stacked")
    )
    outside = {node: text for node, text in handed_over.items() if move.call not in module.ancestors(node)}
    inside = {node: text for node, text in handed_over.items() if node not in outside}
    call = hoisting.dedented(module.substitute(move.call, inside), statement.col_offset)
    edit.replace(
        statement,
        f"({carry}, {_several(move)}{_rest(module, move.call)}), {stacked} = {call}\nreturn {carry}, {stacked}",
    )
    for node, text in outside.items():
        edit.replace(node, text)
