"""Statements of a loop that become a jitted function of their own."""

import ast
from collections.abc import Collection, Iterable, Iterator, Sequence

from jaxfix.api import Code, Declined, Identifiers, Module, Reason, Rewriter, frozen, jitted_by_decorator, walk
from jaxfix.api.analysis import Passing, Values, demands, demands_of_statements, positional_of, why_unstable
from jaxfix.api.library import Effect, Transform, short_names, unfiltered, where
from jaxfix_codemods.jitting.traced import is_no_tree, overflows, picks
from jaxfix_codemods.jitting.whole import (
    LOOPS,
    check_made_once,
    has_sorted_keys,
    leaves,
    plain_value,
    uses_equinox,
)

_PLAIN = (
    *(ast.Name, ast.Attribute, ast.Call, ast.keyword, ast.BinOp, ast.UnaryOp, ast.Tuple, ast.Dict, ast.Constant),
    *(ast.Subscript, ast.operator, ast.unaryop, ast.expr_context, ast.Assign, ast.AnnAssign, ast.AugAssign),
    *(ast.Lambda, ast.arguments, ast.arg),
)
_TRANSFORMING = unfiltered(where(Transform.ONLY_VALUES)) | short_names(Transform.SAME_RESULT, "jax")
_SEE_NAMES = short_names(Effect.SEES_NAMES)


@frozen
class Extraction:
    """Statements in a row that become a function.

    Attributes:
      statements: of one block, in order.
      before: the statement that the function is to stand before, the outermost loop around them.
      parameters: what they read and the loop changes, or what is data.
      results: what they bind and other code reads, or the next round.
    """

    statements: tuple[ast.stmt, ...]
    before: ast.stmt
    name: str
    parameters: tuple[str, ...]
    results: tuple[str, ...]
    filtered: bool = False


def judge(module: Module, values: Values, loop: ast.stmt, work: Sequence[ast.Call]) -> Extraction:
    """How to extract the statements of `loop` that hold `work`.

    Raises:
      Declined: they cannot be a function of their own.
    """
    statements = _row(module, loop, work)
    scope = module.function(loop) or module.tree
    if isinstance(scope, ast.Lambda | ast.AsyncFunctionDef) or isinstance(module.parent(loop), ast.ClassDef):
        raise Declined(Reason(Code.NO_PLACE, "the loop stands where no function can be defined"))
    _check_texts(module, statements)
    found = demands_of_statements(module, statements)
    if found.reason is not None:
        raise Declined(found.reason.restated(f"the step cannot be traced: {found.reason}"))
    _check_called(module, statements)
    captured = {
        name for name in _read_first(module, statements, scope) if _is_kept_function(module, name, scope, statements)
    }
    parameters = tuple(name for name in _read_first(module, statements, scope) if name not in captured)
    written = _written(statements)
    _check_names(module, statements, scope)
    for name in parameters:
        if name in found.values:
            raise Declined(Reason(Code.NEEDS_VALUE, f"the step {found.values[name]}"))
        _check_parameter(module, values, statements, scope, name)
    for name in sorted(set(found.values) & set(written)):
        raise Declined(Reason(Code.NEEDS_VALUE, f"the step {found.values[name]}"))
    outside = _read_outside(module, statements, scope)
    for name in _defined(statements):
        if name in outside:
            raise Declined(Reason(Code.OTHER_USES, f"the function `{name}` of the step is used outside of it too"))
    state = tuple(name for name in parameters if name in written)
    parameters = (*state, *(name for name in parameters if name not in state))
    results = (*state, *(name for name in written if name in outside and name not in state))
    if not results:
        raise Declined(Reason(Code.LIVE, "nothing that the step computes is read"))
    _check_results(module, values, statements, scope, results)
    filtered = uses_equinox(module, statements)
    if filtered and any(Passing(module, values).counts(node) for node in _first_loads(statements, parameters)):
        raise Declined(Reason(Code.RECOMPILES, "`equinox.filter_jit` compiles for each Python number, and one counts"))
    return Extraction(
        statements,
        _place(module, loop, statements, scope, captured),
        module.get(Identifiers).unused("train_step"),
        parameters,
        results,
        filtered,
    )


def extract(module: Module, found: Extraction, edit: Rewriter) -> None:
    """Puts the statements into a function before the loop, and a call in their place."""
    package, name = ("equinox", "filter_jit") if found.filtered else ("jax", "jit")
    local = edit.imported(package, prefer={"equinox": "eqx"}.get(package, package), at=found.before)
    body = "\n".join(_indented(_lines_of(module, s)) for s in found.statements)
    results = ", ".join(found.results)
    given = ", ".join(found.parameters)
    head = f"@{local}.{name}\ndef {found.name}({given}):"
    edit.insert_before(found.before, f"{head}\n{body}\n    return {results}")
    first, *others = found.statements
    edit.replace(first, f"{results} = {found.name}({given})")
    for statement in others:
        edit.delete(statement)


def _lines_of(module: Module, statement: ast.stmt) -> str:
    text = _dedented(module.text(statement), statement.col_offset)
    return f"{text}\n" if isinstance(statement, ast.FunctionDef) else text


def _dedented(text: str, columns: int) -> str:
    first, *others = text.splitlines()
    return "\n".join((first, *(line[min(columns, len(line) - len(line.lstrip())) :] for line in others)))


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" if line else line for line in text.split("\n"))


# --- which statements ---------------------------------------------------------------------------------------------


def _row(module: Module, loop: ast.stmt, work: Sequence[ast.Call]) -> tuple[ast.stmt, ...]:
    """The statements from the first that works to the last that needs what they compute."""
    block = _block_of(module, module.statement(work[0]))
    places = []
    for call in work:
        statement = module.statement(call)
        if statement not in block:
            raise Declined(Reason(Code.LAYOUT, "its parts stand in several blocks of the loop"))
        places.append(block.index(statement))
    first, last = min(places), max(places)
    while first > 0 and _defines_used(module, block[first - 1], block[first : last + 1]):
        first -= 1
    while last + 1 < len(block) and _continues(module, block[last + 1], block[first : last + 1]):
        last += 1
    row = tuple(block[first : last + 1])
    for statement in row:
        if not _is_assignment(statement) and not isinstance(statement, ast.FunctionDef):
            raise Declined(
                Reason(
                    Code.LAYOUT,
                    f"line {statement.lineno} stands between its parts, and is no assignment to names",
                    statement.lineno,
                )
            )
    return row


def _block_of(module: Module, statement: ast.stmt) -> list[ast.stmt]:
    parent = module.parent(statement)
    for name in ("body", "orelse", "finalbody"):
        block = getattr(parent, name, None)
        if isinstance(block, list) and statement in block:
            return block
    raise Declined(Reason(Code.LAYOUT, "it stands in no block"))


def _is_assignment(statement: ast.stmt) -> bool:
    """Whether `statement` binds names, and nothing else."""
    match statement:
        case ast.Assign(targets=[target]):
            return _binds_names(target)
        case ast.AnnAssign(target=ast.Name(), value=value):
            return value is not None
        case ast.AugAssign(target=ast.Name()):
            return True
    return False


def _binds_names(target: ast.expr) -> bool:
    if isinstance(target, ast.Tuple | ast.List):
        return all(_binds_names(element) for element in target.elts)
    return isinstance(target, ast.Name)


def _defines_used(module: Module, statement: ast.stmt, row: Sequence[ast.stmt]) -> bool:
    """Whether `statement` defines a function that the row uses."""
    match statement:
        case ast.FunctionDef(name=name, decorator_list=[]):
            return name in _loads(row)
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda()):
            return name in _loads(row)
    return False


def _continues(module: Module, statement: ast.stmt, row: Sequence[ast.stmt]) -> bool:
    """Whether `statement` goes on computing with what the row binds, in a way that a trace can follow."""
    if not _is_assignment(statement) or not _loads([statement]) & set(_written(row)):
        return False
    if not all(isinstance(node, _PLAIN) for node in walk(statement)):
        return False
    calls = [node for node in walk(statement) if isinstance(node, ast.Call)]
    return (
        all(_is_library_call(module, call) for call in calls)
        and demands_of_statements(module, [statement]).reason is None
    )


def _is_library_call(module: Module, call: ast.Call) -> bool:
    function = module.definition(call.func)
    if function is not None:
        return jitted_by_decorator(module, function) is None and demands(module, function).reason is None
    qualname = module.qualname(call.func)
    return qualname is not None and "." in qualname


def _place(
    module: Module, loop: ast.stmt, row: Sequence[ast.stmt], scope: ast.AST, captured: Collection[str]
) -> ast.stmt:
    """The statement before which the function is made once: one of the module, or else the outermost loop.

    Raises:
      Declined: there it would be made, and compiled, at every call of the function around.
    """
    if isinstance(scope, ast.FunctionDef):
        if not captured and not _reads_enclosing(module, row, scope):
            return _top(module, scope)
        check_made_once(module, row[0])
    return _outermost_loop(module, loop, scope)


def _reads_enclosing(module: Module, row: Sequence[ast.stmt], scope: ast.AST) -> bool:
    """Whether the row reads variables of functions around its own."""
    inside = {node for statement in row for node in walk(statement)}
    owners = (module.scope_of(n.id, n) for n in inside if isinstance(n, ast.Name))
    return any(owner not in (None, module.tree, scope) and owner not in inside for owner in owners)


def _top(module: Module, scope: ast.stmt) -> ast.stmt:
    found = scope
    for outer in module.ancestors(scope):
        if isinstance(outer, ast.stmt):
            found = outer
    return found


def _outermost_loop(module: Module, loop: ast.stmt, scope: ast.AST) -> ast.stmt:
    found = loop
    for outer in module.ancestors(loop):
        if outer is scope:
            break
        if isinstance(outer, LOOPS):
            found = outer
    return found


def carries(module: Module, loop: ast.stmt, work: Sequence[ast.Call]) -> bool:
    """Whether the loop binds anew, at or after the work, what the work reads: it goes on from its own results."""
    read = _loads(module.statement(call) for call in work)
    first = min(module.statement(call).lineno for call in work)
    stored = (n for n in walk(loop) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    return any(node.id in read and module.statement(node).lineno >= first for node in stored)


# --- what it reads and binds --------------------------------------------------------------------------------------


def _loads(row: Iterable[ast.AST]) -> set[str]:
    return {n.id for s in row for n in walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def _first_loads(row: Iterable[ast.AST], names: Collection[str]) -> Iterator[ast.Name]:
    return (n for s in row for n in walk(s) if isinstance(n, ast.Name) and n.id in names)


def _written(row: Iterable[ast.stmt]) -> tuple[str, ...]:
    """The names that the row binds, in order; functions that it defines are its own."""
    found: dict[str, None] = {}
    for statement in row:
        match statement:
            case ast.Assign(targets=targets, value=value) if not isinstance(value, ast.Lambda):
                found.update(dict.fromkeys(n.id for t in targets for n in walk(t) if isinstance(n, ast.Name)))
            case ast.AugAssign(target=ast.Name(id=name)) | ast.AnnAssign(target=ast.Name(id=name)):
                found[name] = None
    found.pop("_", None)
    return tuple(found)


def _defined(row: Iterable[ast.stmt]) -> Iterator[str]:
    """The functions that the row gives names to."""
    for statement in row:
        match statement:
            case ast.FunctionDef(name=name) | ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda()):
                yield name


def _read_first(module: Module, row: Sequence[ast.stmt], scope: ast.AST) -> tuple[str, ...]:
    """The variables of `scope` that the row reads before it binds them, in order."""
    found: dict[str, None] = {}
    bound: set[str] = set()
    for statement in row:
        inside = set(walk(statement))
        nodes = [n for n in walk(statement) if isinstance(n, ast.Name)]
        loads = [n for n in nodes if isinstance(n.ctx, ast.Load)]
        if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            loads.insert(0, statement.target)
        for node in sorted(loads, key=lambda n: (n.lineno, n.col_offset)):
            owner = module.scope_of(node.id, node)
            if node.id in bound or owner is None or owner in inside or owner is not scope:
                continue
            found[node.id] = None
        bound |= {n.id for n in nodes if isinstance(n.ctx, ast.Store) and module.scope_of(n.id, n) is scope}
        bound |= {statement.name} if isinstance(statement, ast.FunctionDef) else set()
    return tuple(found)


def _is_kept_function(module: Module, name: str, scope: ast.AST, row: Sequence[ast.stmt]) -> bool:
    """Whether `name` is a function, a module or an object that stays what it is, and is no data."""
    bindings = module.bindings(name, scope)
    if bindings and all(isinstance(b.node, ast.Import | ast.ImportFrom | ast.ClassDef) for b in bindings):
        return True
    uses = [n for s in row for n in walk(s) if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)]
    as_function = [_is_used_as_function(module, use) for use in uses]
    if not any(as_function):
        return False
    reason = why_unstable(module, name, scope)
    if reason is not None:
        raise Declined(reason.restated(f"the step calls `{name}`: {reason}"))
    if not all(as_function):
        raise Declined(Reason(Code.OTHER_USES, f"the step uses `{name}` as a function and as data"))
    return True


def _is_used_as_function(module: Module, use: ast.Name) -> bool:
    match module.parent(use):
        case ast.Call(func=func) as call:
            if func is use:
                return True
            return module.definition(use) is not None or (
                bool(call.args) and call.args[0] is use and _transforms(module, call)
            )
        case ast.keyword():
            return module.definition(use) is not None
        case ast.Attribute() as attribute:
            call_ = module.parent(attribute)
            return isinstance(call_, ast.Call) and call_.func is attribute and module.qualname(attribute) is None
    return False


def _transforms(module: Module, call: ast.Call) -> bool:
    last = (module.qualname(call.func) or "").rpartition(".")[2].removeprefix("filter_")
    return last in _TRANSFORMING


def _read_outside(module: Module, row: Sequence[ast.stmt], scope: ast.AST) -> set[str]:
    """The variables of `scope` that anything but the row reads."""
    inside = {node for statement in row for node in walk(statement)}
    names = {node.id for node in inside if isinstance(node, ast.Name)} | {*_defined(row), *_written(row)}
    return {
        name
        for name in names
        for node in module.uses(name, scope)
        if not isinstance(node.ctx, ast.Store) and node not in inside
    }


# --- whether it may -----------------------------------------------------------------------------------------------


def _check_texts(module: Module, row: Sequence[ast.stmt]) -> None:
    for node in (n for s in row for n in walk(s) if isinstance(n, ast.expr)):
        is_text = isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
        if is_text and node.lineno != node.end_lineno:
            raise Declined(Reason(Code.MULTILINE_STRING, "the step holds a string of several lines"))
        if isinstance(node, ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom):
            raise Declined(
                Reason(Code.SIDE_EFFECT, f"line {node.lineno} binds or waits inside of an expression", node.lineno)
            )
        if isinstance(node, ast.Name) and node.id.startswith("__") and not node.id.endswith("__"):
            raise Declined(Reason(Code.SEES_SCOPE, f"`{node.id}` means another name elsewhere"))
        if isinstance(node, ast.List) and isinstance(module.parent(node), ast.BinOp | ast.AugAssign):
            raise Declined(
                Reason(Code.RECOMPILES, "the step makes a list longer, which would be compiled for every length")
            )
    if not all(module.has_exact_spans(s) for s in row):
        raise Declined(Reason(Code.FORMAT_STRING, "the step stands inside a format string"))


def _check_names(module: Module, row: Sequence[ast.stmt], scope: ast.AST) -> None:
    for node in (n for s in row for n in walk(s)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            owner = module.scope_of(node.id, node)
            if owner is not scope and (owner is module.tree or owner in set(module.ancestors(scope))):
                raise Declined(Reason(Code.NAME_CLASH, f"the step binds `{node.id}`, which belongs to code around it"))
    for node in walk(scope):
        if isinstance(node, ast.Name) and node.id in _SEE_NAMES and module.scope_of(node.id, node) is None:
            raise Declined(Reason(Code.SEES_SCOPE, f"`{node.id}` sees the names of the loop"))


def _check_called(module: Module, row: Sequence[ast.stmt]) -> None:
    """Nothing but functions that compute may be called."""
    for call in (n for s in row for n in walk(s) if isinstance(n, ast.Call)):
        match call.func:
            case ast.Name(id=name) if module.scope_of(name, call) is None:
                continue
            case ast.Attribute(value=value, attr=attr) if module.qualname(call.func) is None:
                root = value
                while isinstance(root, ast.Attribute | ast.Subscript | ast.Call):
                    root = root.func if isinstance(root, ast.Call) else root.value
                if isinstance(root, ast.Name) and _is_own(module, root):
                    raise Declined(
                        Reason(
                            Code.SIDE_EFFECT,
                            f"the step calls `{module.text(call.func)}`, and what that changes would be lost",
                        )
                    )
                if attr in ("append", "pop", "write", "log", "add_scalar", "record"):
                    raise Declined(
                        Reason(
                            Code.SIDE_EFFECT, f"the step calls `{module.text(call.func)}`, which happens at every trace"
                        )
                    )


def _is_own(module: Module, root: ast.Name) -> bool:
    around = module.functions_around(root)
    if not around or module.method_of(around[-1]) is None:
        return False
    parameters = positional_of(around[-1].args)
    return bool(parameters) and parameters[0].arg == root.id


def _check_parameter(module: Module, values: Values, row: Sequence[ast.stmt], scope: ast.AST, name: str) -> None:
    for statement in row:
        for node in walk(statement):
            if not (isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)):
                continue
            if _is_own(module, node):
                raise Declined(Reason(Code.UNSTABLE, f"the step reads attributes of `{name}`, which can change"))
            if Passing(module, values).is_filled(node):
                raise Declined(
                    Reason(Code.MUTATED, f"`{name}` is changed in place, perhaps while the jitted step still reads it")
                )
            if module.definition(node) is not None:
                raise Declined(Reason(Code.ESCAPES, f"the step hands on the function `{name}`"))
            match module.parent(node):
                case ast.BinOp(op=ast.Pow(), right=right) if right is node:
                    raise Declined(
                        Reason(Code.NEEDS_VALUE, f"the step raises to the power `{name}`, which a trace does not know")
                    )
                case ast.Attribute(attr=attr) if _is_setting(module, name, scope):
                    raise Declined(
                        Reason(
                            Code.NO_ARRAY,
                            f"the step reads `{name}.{attr}`, and whether `jit` takes `{name}` is not certain",
                        )
                    )
            if overflows(module, values, node):
                raise Declined(
                    Reason(Code.OVERFLOW, f"`{name}` is a Python integer without bounds, which a traced one would have")
                )
            sources = values.origins.of(node)
            if any(_holds_plain_value(source) or is_no_tree(module, source) for source in sources):
                raise Declined(Reason(Code.NO_ARRAY, f"the step reads `{name}`, which is no array"))
            if (
                isinstance(item := module.parent(node), ast.Subscript)
                and item.slice is node
                and picks(module, values, item)
            ):
                raise Declined(
                    Reason(
                        Code.NEEDS_VALUE,
                        f"`{module.text(item)}` picks from a sequence by a number that a trace does not know",
                    )
                )


def _is_setting(module: Module, name: str, scope: ast.AST) -> bool:
    """Whether `name` is bound once, and outside of all loops: no state, and no data of a round."""
    match module.bindings(name, scope):
        case (binding,):
            return not any(isinstance(outer, LOOPS) for outer in module.ancestors(binding.node))
    return False


def _holds_plain_value(source: ast.AST) -> bool:
    if isinstance(source, ast.Dict | ast.Tuple | ast.List):
        return any(_holds_plain_value(part) for part in leaves(source))
    is_text = isinstance(source, ast.Constant) and isinstance(source.value, str | bytes)
    return is_text or isinstance(source, ast.JoinedStr | ast.Lambda | ast.FunctionDef | ast.ClassDef)


def _check_results(
    module: Module, values: Values, row: Sequence[ast.stmt], scope: ast.AST, results: Sequence[str]
) -> None:
    for statement in row:
        if not isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign) or statement.value is None:
            continue
        targets = [n for n in walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        if not any(target.id in results for target in targets):
            continue
        for leaf in leaves(statement.value):
            what = plain_value(module, values, leaf) if not isinstance(statement, ast.AugAssign) else None
            if what is not None:
                raise Declined(Reason(Code.NO_ARRAY, f"the step binds {what}, which `jit` would turn into an array"))
        for display in (n for n in walk(statement.value) if isinstance(n, ast.Dict)):
            if not has_sorted_keys(display):
                raise Declined(
                    Reason(
                        Code.STRUCTURE,
                        "the step binds a dictionary, which comes back from `jit` with its keys in another order",
                    )
                )
        if isinstance(statement, ast.AugAssign) and values.of(statement.target).form.value in ("Python", "NumPy"):
            raise Declined(Reason(Code.NO_ARRAY, f"`{module.text(statement.target)}` is a counter that is no array"))
