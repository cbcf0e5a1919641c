"""Which names a function binds, and which it takes from outside: `symtable`, joined to `ast`."""

import ast
import symtable
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclass(frozen=True, slots=True)
class Captures:
    """The names that a function, with the functions inside it, takes from outside.

    Attributes:
      free: bound in an enclosing function.
      globals: bound in the module, or builtin.
      rebinds: declared `nonlocal`, or `global` and bound there: the function changes its surroundings.
    """

    free: frozenset[str]
    globals: frozenset[str]
    rebinds: frozenset[str]


class Scopes:
    """The captures of every function of one module.

    `symtable` and `ast` meet at (name, line). Lambdas that share a line are told apart by their order, and only
    if names and parameters agree: where they do not, there is no answer.
    """

    def __init__(self, text: str, path: str) -> None:
        self._tables: dict[tuple[str, int], list[symtable.Function]] = {}
        for table in _functions(symtable.symtable(text, path, "exec")):
            self._tables.setdefault((table.get_name(), table.get_lineno()), []).append(table)

    def captures(self, function: Function, neighbours: Sequence[Function] = ()) -> Captures | None:
        """What `function` takes from outside; None if `symtable` cannot tell it from another one.

        Args:
          neighbours: the functions of its kind and name that begin on its line, in the order of the text.
        """
        name = "lambda" if isinstance(function, ast.Lambda) else function.name
        tables = self._tables.get((name, function.lineno), [])
        neighbours = neighbours or (function,)
        if len(tables) != len(neighbours) or function not in neighbours:
            return None
        table = tables[list(neighbours).index(function)]
        if len(tables) > 1 and not _is_table_of(table, function):
            return None
        inside = list(_with_children(table))
        # Free in an inner scope and bound in this function: not taken from outside.
        free = {s.get_name() for s in table.get_symbols() if s.is_free()}
        global_ = {s.get_name() for t in inside for s in t.get_symbols() if s.is_global() and s.is_referenced()}
        rebinds = {
            s.get_name()
            for t in inside
            for s in t.get_symbols()
            if (s.is_assigned() and s.is_declared_global()) or (s.is_nonlocal() and s.get_name() in free)
        }
        return Captures(frozenset(free), frozenset(global_), frozenset(rebinds))


def _is_table_of(table: symtable.Function, function: Function) -> bool:
    parameters = [node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)]
    parts = [function.body] if isinstance(function, ast.Lambda) else function.body
    names = {n.id for part in parts for n in ast.walk(part) if isinstance(n, ast.Name)}
    known = {s.get_name() for t in _with_children(table) for s in t.get_symbols()}
    return (
        sorted(parameters) == sorted(table.get_parameters())
        and names <= known
        and known <= names | set(parameters) | {".0"} | _inner_parameters(parts)
    )


def _inner_parameters(parts: Sequence[ast.AST]) -> set[str]:
    return {n.arg for part in parts for n in ast.walk(part) if isinstance(n, ast.arg)}


def _with_children(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for child in table.get_children():
        yield from _with_children(child)


def _functions(table: symtable.SymbolTable) -> Iterator[symtable.Function]:
    # On 3.12 and later `def f[T]` gives two tables of one name: the type tells them apart.
    return (t for t in _with_children(table) if isinstance(t, symtable.Function) and t.get_type() == "function")


@dataclass(frozen=True, slots=True)
class Binding:
    """One place that binds `name`: `node` is the def, import, argument or target; `scope` its function or module."""

    name: str
    node: ast.AST
    scope: ast.AST


def bindings(
    nodes: Iterable[ast.AST], parent: Callable[[ast.AST], ast.AST | None], scope: Callable[[ast.AST], ast.AST | None]
) -> Iterator[Binding]:
    """Every binding of a module, in the order of the text, each in the scope that it binds in.

    Comprehensions bind their own targets, a walrus inside them the function's.

    Args:
      nodes: all of the module, in the order of the text.
      scope: the innermost scope that a node is evaluated in; None for the module itself.
    """
    found = [
        node for node in nodes if node.__class__ in _BINDING and getattr(node, "ctx", None).__class__ is not ast.Load
    ]
    raw = [Binding(name, node, _home(node, parent, scope)) for node in found for name in _bound(node)]
    declared = _declared(found, raw, scope)
    for binding in raw:
        owner = declared.get((binding.name, binding.scope)) if declared else None
        yield binding if owner is None else replace(binding, scope=owner)


_BINDING = frozenset(
    {
        *(ast.Name, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.arg, ast.Import, ast.ImportFrom),
        *(ast.ExceptHandler, ast.MatchAs, ast.MatchStar, ast.MatchMapping, ast.Global, ast.Nonlocal),
    }
)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def _bound(node: ast.AST) -> Iterable[str]:
    """The names that `node` itself binds."""
    match node:
        case ast.Name(id=name, ctx=context):
            return () if context.__class__ is ast.Load else (name,)
        case ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return (name,)
        case ast.Import(names=aliases):
            return [alias.asname or alias.name.partition(".")[0] for alias in aliases]
        case ast.ImportFrom(names=aliases):
            return [alias.asname or alias.name for alias in aliases]
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return (name,)
        case ast.MatchMapping(rest=str(name)):
            return (name,)
    return ()


def _home(
    node: ast.AST, parent: Callable[[ast.AST], ast.AST | None], scope: Callable[[ast.AST], ast.AST | None]
) -> ast.AST:
    """The scope that `node` binds its names in, if nothing declares otherwise."""
    around = parent(node)
    if isinstance(node, ast.arg):
        function = parent(around) if around is not None else None
        assert function is not None
        return function
    found = scope(node)
    if isinstance(around, ast.NamedExpr) and around.target is node:
        while isinstance(found, _COMPREHENSIONS):
            found = scope(found)
    assert found is not None
    return found


def _declared(
    found: Sequence[ast.AST], raw: Iterable[Binding], scope: Callable[[ast.AST], ast.AST | None]
) -> dict[tuple[str, ast.AST], ast.AST]:
    """The scopes that `global` and `nonlocal` name for the names of other scopes."""
    statements = [node for node in found if isinstance(node, ast.Global | ast.Nonlocal)]
    bound = {(binding.name, binding.scope) for binding in raw} if statements else set()
    declared: dict[tuple[str, ast.AST], ast.AST] = {}
    for node in statements:
        inner, *outer = _outwards(node, scope)
        for name in node.names:
            if isinstance(node, ast.Global):
                declared[name, inner] = outer[-1] if outer else inner
            else:
                owners = (s for s in outer if isinstance(s, FUNCTIONS) and (name, s) in bound - declared.keys())
                declared[name, inner] = next(owners, inner)
    return declared


def _outwards(node: ast.AST, scope: Callable[[ast.AST], ast.AST | None]) -> Iterator[ast.AST]:
    """The scopes around `node`, from the inside out, the module last."""
    found = scope(node)
    while found is not None:
        yield found
        found = scope(found)
