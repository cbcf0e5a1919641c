"""Which names a function binds, and which it takes from outside: `symtable`, joined to `ast`."""

import ast
import symtable
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclass(frozen=True, slots=True)
class Captures:
    """The names that a function, with the functions inside it, takes from outside.

    Attributes:
      free: bound in an enclosing function.
      globals: bound in the module, or builtin.
      rebinds: declared `nonlocal` or `global` and bound there: the function changes its surroundings.
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
            if s.is_assigned() and (s.is_declared_global() or (s.is_nonlocal() and s.get_name() in free))
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


def bindings(tree: ast.Module) -> Iterator[Binding]:
    """Every binding of the module, in the order of the text, each in the scope that it binds in."""
    yield from _Binder(tree).bindings


class _Binder(ast.NodeVisitor):
    """Collects bindings; comprehensions bind their own targets, a walrus inside them the function's."""

    def __init__(self, tree: ast.Module) -> None:
        self.bindings: list[Binding] = []
        self._scopes: list[ast.AST] = [tree]
        self._declared: list[dict[str, ast.AST]] = [{}]
        self.visit(tree)

    def _bind(self, name: str, node: ast.AST) -> None:
        scope = self._declared[-1].get(name, self._scopes[-1])
        self.bindings.append(Binding(name, node, scope))

    def _inside(self, scope: ast.AST, parts: list[ast.AST]) -> None:
        self._scopes.append(scope)
        self._declared.append({})
        for part in parts:
            self.visit(part)
        self._scopes.pop()
        self._declared.pop()

    def _visit_function(self, node: Function, body: list[ast.AST]) -> None:
        outside = [*node.args.defaults, *(d for d in node.args.kw_defaults if d)]
        if not isinstance(node, ast.Lambda):
            self._bind(node.name, node)
            outside += [*node.decorator_list, *([node.returns] if node.returns else [])]
        for part in outside:
            self.visit(part)
        self._inside(node, [node.args, *body])

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._visit_function(node, list(node.body))

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._visit_function(node, list(node.body))

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._visit_function(node, [node.body])

    def visit_arguments(self, node: ast.arguments) -> None:
        for arg in [*node.posonlyargs, *node.args, *node.kwonlyargs, node.vararg, node.kwarg]:
            if arg is not None:
                self._bind(arg.arg, arg)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._bind(node.name, node)
        for part in [*node.decorator_list, *node.bases, *node.keywords]:
            self.visit(part)
        self._inside(node, list(node.body))

    def _visit_comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> None:
        values = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        self._inside(node, [*node.generators, *values])

    visit_ListComp = visit_SetComp = visit_GeneratorExp = visit_DictComp = _visit_comprehension

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        level = next(
            i
            for i in reversed(range(len(self._scopes)))
            if not isinstance(self._scopes[i], ast.expr) or isinstance(self._scopes[i], ast.Lambda)
        )
        name = node.target.id
        self.bindings.append(Binding(name, node.target, self._declared[level].get(name, self._scopes[level])))
        self.visit(node.value)

    def visit_Global(self, node: ast.Global) -> None:
        self._declared[-1].update(dict.fromkeys(node.names, self._scopes[0]))

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        for name in node.names:
            outer = (s for s in reversed(self._scopes[:-1]) if isinstance(s, FUNCTIONS))
            owner = next((s for s in outer if any(b.name == name and b.scope is s for b in self.bindings)), None)
            self._declared[-1][name] = owner or self._scopes[-1]

    def visit_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load):
            self._bind(node.id, node)

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self._bind(alias.asname or alias.name.partition(".")[0], node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            self._bind(alias.asname or alias.name, node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self._bind(node.name, node)
        self.generic_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        if node.name:
            self._bind(node.name, node)
        self.generic_visit(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        if node.name:
            self._bind(node.name, node)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        if node.rest:
            self._bind(node.rest, node)
        self.generic_visit(node)
