"""Hoists a definition out of a function: what moves along, and where it can go."""

import ast
from collections.abc import Iterator

from jaxfix.effects.invariance import Constancy, constancy
from jaxfix.library.facets import Effect, Member, Result
from jaxfix.library.table import short_names
from jaxfix.report.reason import Code, Declined, Reason
from jaxfix.semantic.module import Module
from jaxfix.source.frozen import frozen
from jaxfix.staging import traced_uses
from jaxfix.syntax.nodes import FORMAT_STRINGS, FUNCTIONS, Function, walk

_ARRAY_ATTRIBUTES = short_names(Member.USUAL) | short_names(Member.STATIC)
_PLAIN_TYPES = short_names(Result.IMMUTABLE, "builtins") | short_names(Result.FROZEN, "builtins")
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
_SEES_NAMES = short_names(Effect.SEES_NAMES)
_RUNS_TEXT = short_names(Effect.BINDS_NAMES) - short_names(Effect.REFLECTS)
_STRINGS: tuple[type[ast.expr], ...] = (ast.Constant, *FORMAT_STRINGS)


@frozen
class Taken:
    """Something that a function takes from the function around it: a variable, or an attribute of one.

    Attributes:
      text: as the caller writes it, such as `rate`, `self.rate` or `params["w"]`.
      uses: the expressions inside the function that read it.
    """

    text: str
    name: str
    uses: tuple[ast.expr, ...]


def free_names(module: Module, function: Function) -> list[str]:
    """The variables that `function` takes from functions around it; its own name apart.

    Returns:
      In the order of the text; empty where that is not certain.
    """
    captures = module.captures(function)
    own = {function.name} if not isinstance(function, ast.Lambda) else set()
    free = captures.free - own if captures else frozenset[str]()
    order: dict[str, tuple[int, int]] = {}
    for node in walk(function):
        if isinstance(node, ast.Name) and node.id in free:
            at = (node.lineno, node.col_offset)
            order[node.id] = min(at, order.get(node.id, at))
    return sorted(free, key=lambda name: order.get(name, (0, 0)))


def taken(module: Module, function: Function, name: str) -> tuple[Taken, ...]:
    """What `function` reads of the captured variable: its attributes and items where it reads no more than these.

    Returns:
      In the order of the text; the variable as a whole where some read takes all of it.
    """
    chains: dict[str, list[ast.expr]] = {}
    for use in traced_uses.uses(module, function, name):
        chain = _chain(module, use)
        chains.setdefault(module.text(chain), []).append(chain)
    texts = sorted(chains, key=lambda text: module.span(chains[text][0]))
    if any(other.startswith((f"{text}.", f"{text}[")) for text in texts for other in texts):
        uses = tuple(traced_uses.uses(module, function, name))
        return (Taken(name, name, uses),)
    return tuple(Taken(text, name, tuple(chains[text])) for text in texts)


def outer_names(module: Module, function: Function, around: Function | None) -> list[str]:
    """The variables that a function made in `around` captures: those of functions, and at the top level of loops.

    Returns:
      In the order of the text within a function, sorted at the top level.
    """
    if around is not None:
        return free_names(module, function)
    captures = module.captures(function)
    changing = sorted(captures.globals) if captures else []
    return [name for name in changing if _is_bound_in_loop(module, name)]


def _is_bound_in_loop(module: Module, name: str) -> bool:
    """Whether the module's variable is bound at its top level only, and there by a loop."""
    found = [binding.node for binding in module.bindings(name)]
    if not all(isinstance(node, ast.Name) and module.function(node) is None for node in found):
        return False
    return any(isinstance(outer, ast.For | ast.While) for node in found for outer in module.ancestors(node))


def _chain(module: Module, use: ast.Name) -> ast.expr:
    """`self.rate` of the `self` in it; an array's own attributes do not count."""
    node: ast.expr = use
    while True:
        match module.parent(node):
            case ast.Attribute(attr=attr, ctx=ast.Load()) as outer if attr not in _ARRAY_ATTRIBUTES:
                node = outer
            case ast.Subscript(value=value, slice=ast.Constant(value=str()), ctx=ast.Load()) as outer if value is node:
                node = outer
            case _:
                return node


def statement_in(module: Module, node: ast.AST, scope: ast.AST) -> ast.stmt:
    """The statement of the body of `scope` that holds `node`.

    Raises:
      Declined: `scope` is a lambda.
    """
    inner = node
    for outer in module.ancestors(node):
        if outer is scope:
            break
        inner = outer
    if not isinstance(inner, ast.stmt):
        raise Declined(Reason(Code.NO_PLACE, "the enclosing function is a lambda"))
    return inner


def deepest(module: Module, scopes: list[ast.AST]) -> ast.AST:
    """The innermost of scopes that lie in one another."""
    return max(scopes, key=lambda scope: len(list(module.ancestors(scope))))


def is_plain(module: Module, name: str, scope: ast.AST) -> bool:
    """Whether the variable is bound once, to a number, a text, a shape or a JAX array: nothing that can change."""
    if constancy(module, name, scope) is not Constancy.CONSTANT:
        return False
    (binding,) = module.bindings(name, scope)
    match binding.node:
        case ast.arg(annotation=ast.Name(id=kind)):
            return kind in _PLAIN_TYPES
        case ast.arg(annotation=ast.expr() as annotation):
            return module.qualname(annotation) == "jax.Array"
        case ast.Name() as target:
            value = module.value_of(target)
            return value is not None and _is_plain_value(module, value)
    return False


def _is_plain_value(module: Module, value: ast.expr) -> bool:
    match value:
        case ast.Constant():
            return True
        case ast.Attribute(attr="shape" | "ndim" | "size" | "dtype"):
            return True
        case ast.Subscript(value=ast.Attribute(attr="shape")):
            return True
        case ast.Tuple(elts=elts):
            return all(_is_plain_value(module, element) for element in elts)
        case ast.UnaryOp(operand=operand):
            return _is_plain_value(module, operand)
        case ast.BinOp(left=left, right=right):
            return _is_plain_value(module, left) and _is_plain_value(module, right)
        case ast.Name(id=name) if (scope := module.scope_of(name, value)) is not None:
            return is_plain(module, name, scope)
        case ast.Call(func=ast.Name(id="len" | "int" | "float")):
            return True
        case ast.Call(func=func):
            return (module.qualname(func) or "").startswith(("jax.numpy.", "jax.random."))
    return False


def evaluated_early(function: Function) -> Iterator[ast.AST]:
    """The parts of a definition that are evaluated where it is: decorators, defaults, annotations.

    Returns:
      Defaults first, then annotations and decorators.
    """
    arguments = function.args
    yield from (*arguments.defaults, *(d for d in arguments.kw_defaults if d))
    if not isinstance(function, ast.Lambda):
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        yield from (a.annotation for a in every if a is not None and a.annotation is not None)
        yield from function.decorator_list
        if function.returns:
            yield function.returns


def names_early(module: Module, parts: list[ast.AST]) -> Iterator[ast.Name]:
    """The names in expressions that are read when these are evaluated.

    Returns:
      Those in the body of a lambda, and those of comprehensions, are left out.
    """
    for part in parts:
        lambdas = [n for n in walk(part) if isinstance(n, ast.Lambda)]
        for node in walk(part):
            if isinstance(node, ast.Name) and not any(
                inner.body is node or inner.body in module.ancestors(node) for inner in lambdas
            ):
                owner = module.scope_of(node.id, node)
                if not (isinstance(owner, ast.expr) and (owner is part or part in module.ancestors(owner))):
                    yield node


def place(module: Module, before: ast.stmt, needed: list[str]) -> tuple[ast.stmt, bool]:
    """The place at the top level for a statement that reads the module's `needed`.

    Returns:
      A statement, and whether the place is before it or after it.

    Raises:
      Declined: what it reads is defined too late.
    """
    if before not in module.tree.body:
        return before, True
    body = module.tree.body
    at = body.index(before)
    last = at - 1
    for name in needed:
        defined = [statement_in(module, b.node, module.tree) for b in module.bindings(name)]
        if defined:
            last = max(last, min(body.index(statement) for statement in defined))
    if last < at:
        return before, True
    if all(isinstance(statement, _DEFINITIONS) and not _acts(statement) for statement in body[at : last + 1]):
        return body[last], False
    late = next(
        n for n in needed if any(statement_in(module, b.node, module.tree) in body[at:] for b in module.bindings(n))
    )
    raise Declined(Reason(Code.NO_PLACE, f"`{late}` is defined later in the file"))


def _acts(statement: ast.stmt) -> bool:
    """Whether running a definition runs code of the file beside decorators of libraries."""
    return isinstance(statement, ast.ClassDef) and any(
        isinstance(s, ast.Expr | ast.For | ast.While) for s in statement.body
    )


def check_text(module: Module, node: ast.expr, what: str) -> None:
    """Refuses an expression whose text cannot be moved.

    Raises:
      Declined: it is in an f-string, or a string in it has lines of its own.
    """
    if not module.has_exact_spans(node):
        raise Declined(Reason(Code.FORMAT_STRING, f"{what} is inside an f-string"))
    if any(isinstance(n, _STRINGS) and n.lineno != n.end_lineno for n in walk(node)):
        raise Declined(Reason(Code.MULTILINE_STRING, f"{what} holds a multi-line string"))


def check_captured(module: Module, function: Function, name: str, scope: ast.AST, what: str) -> None:
    """Refuses a variable of a function around that stays captured, unless it stays what it is.

    Raises:
      Declined: it can change between calls.
    """
    if constancy(module, name, scope) is not Constancy.CONSTANT:
        raise Declined(Reason(Code.UNSTABLE, f"{what} reads `{name}`, which can change between calls"))
    for use in traced_uses.uses(module, function, name):
        parent = module.parent(use)
        if isinstance(parent, ast.If | ast.IfExp) and parent.test is use:
            continue
        if isinstance(parent, ast.Attribute | ast.Subscript) or traced_uses.concrete_use(module, use) is not None:
            raise Declined(
                Reason(Code.NO_ARRAY, f"{what} uses `{name}` of the enclosing function as more than a number")
            )


def reads(module: Module, function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.Name]:
    """The reads of the function by its name, outside its own body.

    Returns:
      In the order of the text.
    """
    scope = module.scope_of(function.name, function)
    return [name for name in module.reads(function.name, scope) if function not in module.ancestors(name)]


def names_in(module: Module, function: Function) -> frozenset[str]:
    """The names that a further variable of `function` must not take.

    Returns:
      Those that it binds, and those that it reads.
    """
    return module.names.bound_in(function) | {n.id for n in walk(function) if isinstance(n, ast.Name)}


def indentation(module: Module, node: ast.expr) -> int:
    """The columns that stand before the line on which `node` begins."""
    start = module.source.lines.line_start(node.lineno)
    line = module.source.text[start : module.span(node).start].decode()
    return len(line) - len(line.lstrip())


def dedented(text: str, columns: int) -> str:
    """`text`, whose first line has no indentation, with the other lines that many columns to the left."""
    first, *others = text.splitlines()
    return "\n".join((first, *(line[min(columns, len(line) - len(line.lstrip())) :] for line in others)))


def is_in_scope(scope: ast.AST | None, around: ast.AST | None) -> bool:
    """Whether `scope` is that of `around` itself, or a comprehension."""
    return scope is around or (isinstance(scope, ast.expr) and not isinstance(scope, FUNCTIONS))


def examples(function: ast.AST) -> Iterator[str]:
    """The name of a function whose docstring holds examples, which `doctest` runs at the top level; else empty."""
    if isinstance(function, ast.FunctionDef) and ">>>" in (ast.get_docstring(function) or ""):
        yield function.name


def listed(module: Module) -> Iterator[str]:
    """The calls in the file, in order, that see which names there are, such as `locals()`: they would see a move."""
    for call in module.spelled_calls(_SEES_NAMES):
        match call.func:
            case ast.Name(id=name) if module.scope_of(name, call) is None and (not call.args or name in _RUNS_TEXT):
                yield module.text(call)
