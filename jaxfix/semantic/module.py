"""The semantic model of one file: one parse, one walk, and answers on demand."""

import ast
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar, cast, overload

from jaxfix.report.trace.compiles import Compiled
from jaxfix.report.trace.held import Held
from jaxfix.report.trace.hot import Hot
from jaxfix.semantic.names import Names
from jaxfix.semantic.project.surroundings import ALONE, Surroundings
from jaxfix.source.edits import Edit, Span, apply_edits
from jaxfix.source.errors import DepthError, SourceError, no_python
from jaxfix.source.source_file import SourceFile
from jaxfix.syntax.captures import Captures, Scopes
from jaxfix.syntax.index import Index, is_inside
from jaxfix.syntax.kept import KEPT
from jaxfix.syntax.nodes import FORMAT_STRINGS, FUNCTIONS, Function, in_order, walk

N = TypeVar("N", bound=ast.AST)
T = TypeVar("T")
_FUNCTIONS = frozenset(FUNCTIONS)
_LOOPS = (ast.For, ast.AsyncFor, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LOOPING = frozenset(_LOOPS)


class Module:
    """One parsed source file; answers the questions of codemods about it.

    Nodes are those of `tree`. Spans are bytes of `source.text`.

    Attributes:
      surroundings: its name, and what the other files of the project tell.
      index: its nodes by class, name and attribute.
      parent: gives the node right above another one; None for the module itself.
      names: what its names mean; the queries that everybody needs stand on the module too, such as `qualname`.
      recompiles: what a traced run compiled again in this file and no other finding explains; empty without a
        trace.
      hot: regions in which a traced run spent time besides compiling, where they are now; empty without a trace.
      held: what programs of a traced run hold that was put there by lines of this file, where they are now.
    """

    def __init__(
        self, source: SourceFile, tree: ast.Module, surroundings: Surroundings = ALONE, index: Index | None = None
    ) -> None:
        self.source = source
        self.tree = tree
        self.surroundings = surroundings
        self.recompiles: tuple[Compiled, ...] = ()
        self.hot: tuple[Hot, ...] = surroundings.hot
        self.held: tuple[Held, ...] = surroundings.held
        self.index = index = index or Index(tree)
        self._parents = index.parents
        self.parent: Callable[[ast.AST], ast.AST | None] = index.parents.get
        self._around = index.around
        names = self.names = Names(tree, index, surroundings)
        self.bindings, self.only_binding, self.scope_of = names.bindings, names.only_binding, names.scope_of
        self.uses, self.reads, self.loads = names.uses, names.reads, names.loads
        self.value_of, self.only_value, self.definition = names.value_of, names.only_value, names.definition
        self.qualname, self.references, self.imports_of = names.qualname, names.references, names.imports_of
        self.calls, self.spelled_calls = names.calls, names.spelled_calls
        self._results: dict[object, Any] = {}  # of what type, its key says
        self._nodes: dict[tuple[type[ast.AST], ...], Sequence[ast.AST]] = {}
        self._scopes: dict[ast.AST, Scopes] = {}
        self._paths: dict[Function, str] = {}
        self._captures: dict[Function, Captures | None] = {}

    @classmethod
    def parse(cls, source: SourceFile, surroundings: Surroundings = ALONE) -> "Module":
        """Parses `source`.

        Raises:
          SourceError: it is not valid Python for the running interpreter.
        """
        known = KEPT.find(source.text) if source.notebook is None else None
        tree, index = known or (parsed(source), None)
        return cls(source, tree, surroundings, index)

    def keep(self) -> None:
        """Has the tree and its index kept in this process: the text is soon read again."""
        if self.source.notebook is None:
            KEPT.keep(self.source.text, self.tree, self.index)

    def forget(self) -> None:
        """Releases the tree and all that was found in it: answers refer to the module that refers to them."""
        vars(self).clear()

    # --- the tree ---------------------------------------------------------------------------------------------

    @overload
    def nodes(self, kind: type[N], /) -> list[N]: ...

    @overload
    def nodes(self, *kinds: type[ast.AST]) -> Sequence[ast.AST]: ...

    def nodes(self, *kinds: type[ast.AST]) -> Sequence[ast.AST]:
        """The nodes of some classes.

        Args:
          kinds: classes of nodes other than `ast.Name`.

        Returns:
          Those of exactly these classes, in the order of the text. None of `ast.Name`, which `names.by_id` has.
        """
        if len(kinds) == 1:
            return self.index.kinds.get(kinds[0], [])
        if kinds not in self._nodes:
            self._nodes[kinds] = in_order([node for kind in kinds for node in self.index.kinds.get(kind, ())])
        return self._nodes[kinds]

    @cached_property
    def functions(self) -> list[Function]:
        """All functions, lambdas too, in the order of the text."""
        return cast(list[Function], self.nodes(*FUNCTIONS))

    def attributes(self, name: str) -> tuple[ast.Attribute, ...]:
        """The attributes of this name, whatever they are read from.

        Returns:
          In the order of the text; read, bound and deleted ones.
        """
        return tuple(self.index.attributes.get(name, ()))

    def get(self, analysis: Callable[["Module"], T]) -> T:
        """The result of `analysis` on this module, computed once and shared by all who ask.

        Args:
          analysis: a class or function of the module alone, such as `Staging` or `Values`: its identity is the key.

        Returns:
          What `analysis(module)` returned the first time.
        """
        found: T
        try:
            found = self._results[analysis]
        except KeyError:
            found = self._results[analysis] = analysis(self)
        return found

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around `node`.

        Returns:
          From the inside out, the module last; `node` is not among them.
        """
        parents, tree = self._parents, self.tree
        parent = parents.get(node)
        while parent is not None:
            yield parent
            parent = parents[parent] if parent is not tree else None

    def enclosing(self, node: ast.AST, kind: type[N] | tuple[type[N], ...]) -> N | None:
        """The innermost node of `kind` around `node`.

        Returns:
          None where there is no such node; never `node` itself.
        """
        for ancestor in self.ancestors(node):
            if isinstance(ancestor, kind):
                return ancestor
        return None

    def function(self, node: ast.AST) -> Function | None:
        """The innermost function in whose calls `node` runs: not the one whose default or decorator it is.

        Returns:
          None for code that the module runs itself, in classes too.
        """
        scope = self._around.get(node)
        while scope is not None and scope.__class__ not in _FUNCTIONS:
            scope = self._around[scope]
        return scope  # type: ignore[return-value]  # of one of these classes

    def is_top_level(self, node: ast.AST) -> bool:
        """Whether `node` is evaluated by the module itself, in no function, class or comprehension."""
        return self._around.get(node) is self.tree

    def functions_around(self, node: ast.AST) -> tuple[Function, ...]:
        """The functions in whose calls `node` runs.

        Returns:
          From the inside out; empty for code that the module runs itself.
        """
        around, scope = self._around, self._around.get(node)
        found: list[Any] = []
        while scope is not None:
            if scope.__class__ in _FUNCTIONS:
                found.append(scope)
            scope = around[scope]
        return tuple(found)

    def method_of(self, function: Function) -> ast.ClassDef | None:
        """The class that `function` is a method of.

        Returns:
          None where it does not stand right in the body of a class.
        """
        parent = self._parents.get(function)
        return parent if type(parent) is ast.ClassDef else None

    def statement(self, node: ast.AST) -> ast.stmt:
        """The innermost statement that holds `node`, or is it."""
        return node if isinstance(node, ast.stmt) else cast(ast.stmt, self.enclosing(node, ast.stmt))

    def loops(self, node: ast.AST) -> tuple[ast.AST, ...]:
        """The loops around `node` within its function that run it repeatedly.

        Returns:
          Statements and comprehensions, from the inside out. A loop does not count for what it runs once, such as its
          iterable.
        """
        if self.function(node) not in self._looping:
            return ()
        found = []
        parents, tree, inner = self._parents, self.tree, node
        outer = parents.get(node, tree)
        while outer is not tree and outer.__class__ not in _FUNCTIONS:
            if outer.__class__ in _LOOPING and not _runs_once(outer, inner):
                found.append(outer)
            inner, outer = outer, parents[outer]
        return tuple(found)

    @cached_property
    def _looping(self) -> frozenset[Function | None]:
        """The functions that have a loop; None for the module itself."""
        return frozenset(map(self.function, self.nodes(*_LOOPS)))

    def path(self, node: ast.AST) -> str:
        """The `__qualname__` of the function that `node` is or runs in; `<module>` for none."""
        function = node if isinstance(node, FUNCTIONS) else self.function(node)
        if function is None:
            return "<module>"
        if function not in self._paths:
            self._paths[function] = self._path(function)
        return self._paths[function]

    def _path(self, function: Function) -> str:
        name = "<lambda>" if isinstance(function, ast.Lambda) else function.name
        parts = [name]
        for outer in self.ancestors(function):
            if isinstance(outer, ast.ClassDef):
                parts.insert(0, outer.name)
            elif isinstance(outer, FUNCTIONS) and not _is_outside(outer, function, self._parents):
                parts[:0] = ["<lambda>" if isinstance(outer, ast.Lambda) else outer.name, "<locals>"]
        return ".".join(parts)

    # --- the text ---------------------------------------------------------------------------------------------

    def span(self, node: ast.AST) -> Span:
        """Where `node` is; a decorated definition begins at its first decorator's `@`."""
        lines = self.source.lines
        first = node
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.decorator_list:
            first = node.decorator_list[0]
        start = lines.offset(*_position(first))
        if first is not node:
            start = self.source.text.rindex(b"@", 0, start)
        return Span(start, lines.offset(*_end(node)))

    def text(self, node: ast.AST) -> str:
        """The text of `node` as it is; of a part without a place, as a comprehension's `for`, that around it."""
        while not hasattr(node, "lineno") and (parent := self._parents.get(node)) is not None:
            node = parent
        span = self.span(node)
        return self.source.text[span.start : span.end].decode()

    def render(self, node: ast.expr, names: Mapping[str, str]) -> str:
        """The text of `node` with the variables in `names` replaced by expressions, in parentheses where needed."""
        found = (n for n in walk(node) if isinstance(n, ast.Name) and n.id in names)
        return self.substitute(node, {name: _atom(names[name.id]) for name in found})

    def substitute(self, node: ast.AST, replacements: Mapping[ast.AST, str]) -> str:
        """The text of `node` with nodes inside it replaced by other text."""
        span = self.span(node)
        edits = []
        for inner, text in replacements.items():
            at = self.span(inner)
            edits.append(Edit(Span(at.start - span.start, at.end - span.start), text))
        return apply_edits(self.source.text[span.start : span.end], edits).decode()

    def has_exact_spans(self, node: ast.AST) -> bool:
        """Whether the span of `node` holds its text and nothing else, so that it can be replaced.

        Before Python 3.12 the positions in f-strings cannot be trusted, and what a template string holds as a value, it
        holds as text too.
        """
        return not any(isinstance(outer, FORMAT_STRINGS) for outer in (node, *self.ancestors(node)))

    # --- names ------------------------------------------------------------------------------------------------

    def captures(self, function: Function) -> Captures | None:
        """The variables that `function` takes from outside.

        Returns:
          None where that is not certain, as of several lambdas on one line.
        """
        if function not in self._captures:
            same_line = self._lambdas_by_line[function.lineno] if isinstance(function, ast.Lambda) else ()
            self._captures[function] = self._scopes_around(function).captures(function, same_line)
        return self._captures[function]

    def _scopes_around(self, function: Function) -> Scopes:
        """The scopes of the statement of the module that `function` is in: few of them are ever asked for."""
        top = next(node for node in (function, *self.ancestors(function)) if self._parents.get(node) is self.tree)
        if top not in self._scopes:
            before = self.source.lines.line(self.span(top).start) - 1
            future = "from __future__ import annotations" if self.puts_off_annotations and before else ""
            self._scopes[top] = Scopes(f"{future}{chr(10) * before}{self.text(top)}", self.source.path)
        return self._scopes[top]

    @cached_property
    def puts_off_annotations(self) -> bool:
        """Whether annotations are never evaluated."""
        found = (node for node in self.nodes(ast.ImportFrom) if node.module == "__future__")
        return any(alias.name == "annotations" for node in found for alias in node.names)

    @cached_property
    def _lambdas_by_line(self) -> dict[int, list[ast.Lambda]]:
        found: dict[int, list[ast.Lambda]] = {}
        for function in self.functions:
            if isinstance(function, ast.Lambda):
                found.setdefault(function.lineno, []).append(function)
        return found


def parsed(source: SourceFile) -> ast.Module:
    """The syntax tree of `source`.

    Raises:
      SourceError: it is not valid Python for the running interpreter.
      DepthError: it is nested too deeply.
    """
    try:
        # As text: `ast` would read the bytes, UTF-8 by now, in the encoding that the file declares.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python warns when the file is run
            tree = ast.parse(source.text.decode())
    except SyntaxError as error:
        told = source.notebook.fault() if source.notebook is not None else None
        told = told or no_python(error)
        raise SourceError(source.path, source.placed(told)) from error
    except (RecursionError, MemoryError) as error:
        raise DepthError(source.path, "nested too deeply to be parsed") from error
    except ValueError as error:
        raise SourceError(source.path, f"cannot be parsed: {error}") from error
    if source.notebook is not None:
        source.notebook.check(tree, source.path)
    return tree


def _runs_once(loop: ast.AST, part: ast.AST) -> bool:
    """Whether `part` is the part of `loop` that runs once: its iterable, or its `else`."""
    match loop:
        case ast.For(iter=once, orelse=orelse) | ast.AsyncFor(iter=once, orelse=orelse):
            return part is once or part in orelse
        case ast.While(orelse=orelse):
            return part in orelse
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return part is loop.generators[0]
    return False


def _is_outside(scope: ast.AST, part: ast.AST, parents: Mapping[ast.AST, ast.AST]) -> bool:
    """Whether `part`, a node below `scope`, is evaluated around it: a default, a decorator, an annotation, a base."""
    while parents.get(part) is not scope:
        part = parents[part]
    return not is_inside(scope, part)


def _position(node: ast.AST) -> tuple[int, int]:
    line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
    return int(line), int(column)


def _end(node: ast.AST) -> tuple[int, int]:
    line, column = getattr(node, "end_lineno", 1), getattr(node, "end_col_offset", 0)
    return int(line), int(column)


def _atom(expression: str) -> str:
    """`expression` in parentheses unless it is a name, a literal, a call, an attribute or in brackets already."""
    tree = ast.parse(expression, mode="eval").body
    atoms = (ast.Name, ast.Constant, ast.Call, ast.Attribute, ast.Subscript, ast.List, ast.Dict, ast.Set)
    return (
        expression
        if isinstance(tree, atoms) or (expression.startswith("(") and _is_wrapped(expression))
        else f"({expression})"
    )


def _is_wrapped(expression: str) -> bool:
    depth = 0
    for index, character in enumerate(expression):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return index == len(expression) - 1
    return False
