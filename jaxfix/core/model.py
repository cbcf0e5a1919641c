"""The semantic model of one file: one parse, one walk, and answers on demand."""

import ast
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeVar, cast

from jaxfix.core.binding import Binding, Bindings
from jaxfix.core.blame import blamed
from jaxfix.core.cause import Cause, Why
from jaxfix.core.changes import Changes, changes
from jaxfix.core.compiled import Compiled
from jaxfix.core.conditions import leaving
from jaxfix.core.errors import SourceError
from jaxfix.core.index import Index, Scope, is_inside
from jaxfix.core.jax_names import is_retrace
from jaxfix.core.jitted import COMPILING, Jit, Jitted, decorated, jit, jitted
from jaxfix.core.project import ALONE, Surroundings
from jaxfix.core.reach import Reach, Runs
from jaxfix.core.scopes import FUNCTIONS, Captures, Function, Scopes
from jaxfix.core.source import SourceFile
from jaxfix.core.text import Edit, Span, apply_edits
from jaxfix.core.tree import FORMAT_STRINGS, in_order, walk

__all__ = ["Function", "Module", "Runs"]

N = TypeVar("N", bound=ast.AST)
T = TypeVar("T")
_LOOPS = (ast.For, ast.AsyncFor, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Module:
    """One source file, parsed; everything that codemods ask about it.

    Nodes are those of `tree`. Spans are bytes of `source.text`.

    Attributes:
      surroundings: its name, and what the other files of the project tell.
      spelled: the variables by their name, bound and read, each in the order of the text.
      seen: what a traced run compiled again in this file and no other finding explains; empty where none was read.
    """

    def __init__(self, source: SourceFile, tree: ast.Module, surroundings: Surroundings = ALONE) -> None:
        self.source = source
        self.tree = tree
        self.surroundings = surroundings
        self.seen: tuple[Compiled, ...] = ()
        index = self._index = Index(tree)
        self.spelled: Mapping[str, Sequence[ast.Name]] = index.names
        self._parents = index.parents
        self._around = index.around
        self._bindings = Bindings(index)
        self._seen_from: dict[tuple[str, Scope | None], Scope | None] = {}
        self._qualnames: dict[tuple[str, Scope, int], str | None] = {}
        self._uses: dict[str, dict[Scope | None, list[ast.Name]]] = {}
        self._called: dict[tuple[str, ...], tuple[ast.Call, ...]] = {}
        self._calls_by_name: dict[str, Sequence[ast.Call]] = {}
        self._numbers: dict[str, int] = {}
        self._made: dict[object, object] = {}
        self._leaves: dict[ast.AST, tuple[ast.stmt, ...]] = {}
        self._scopes: dict[ast.AST, Scopes] = {}
        self._captures: dict[Function, Captures | None] = {}

    @classmethod
    def parse(cls, source: SourceFile, surroundings: Surroundings = ALONE) -> "Module":
        """Parses `source`.

        Raises:
          SourceError: it is not valid Python for the running interpreter.
        """
        return cls(source, parsed(source), surroundings)

    def forget(self) -> None:
        """Lets go of the tree and of all that was found in it: answers refer to the module that refers to them."""
        vars(self).clear()

    # --- the tree ---------------------------------------------------------------------------------------------

    def of(self, kind: type[N]) -> list[N]:
        """The nodes of one class other than `ast.Name`, in the order of the text."""
        return cast(list[N], self._index.kinds.get(kind, []))

    def among(self, *kinds: type[ast.AST]) -> list[ast.AST]:
        """The nodes of several classes other than `ast.Name` that have a place, in the order of the text."""
        return in_order([node for kind in kinds for node in self.of(kind)])

    @cached_property
    def functions(self) -> list[Function]:
        """All of them, in the order of the text."""
        return cast(list[Function], self.among(*FUNCTIONS))

    def loads(self, name: str) -> tuple[ast.Name, ...]:
        """Every read of a variable of this name, in the order of the text."""
        return tuple(node for node in self.spelled.get(name, ()) if node.ctx.__class__ is ast.Load)

    def uses(self, name: str, scope: Scope | None) -> tuple[ast.Name, ...]:
        """Every place that binds, reads or deletes the variable `name` of `scope`, in the order of the text."""
        found = self._uses.get(name)
        if found is None:
            found = self._uses[name] = {}
            for node in self.spelled.get(name, ()):
                found.setdefault(self.scope_of(name, node), []).append(node)
        return tuple(found.get(scope, ()))

    def reads(self, name: str, scope: Scope | None) -> tuple[ast.Name, ...]:
        """Every read of the variable `name` of `scope`, in the order of the text."""
        return tuple(node for node in self.uses(name, scope) if node.ctx.__class__ is ast.Load)

    def attributes(self, name: str) -> tuple[ast.Attribute, ...]:
        """Every attribute of this name, in the order of the text."""
        return tuple(self._index.attributes.get(name, ()))

    @cached_property
    def stored_attributes(self) -> list[ast.Attribute]:
        """Every attribute that is bound or deleted, of whatever object, in the order of the text."""
        return [node for node in self.of(ast.Attribute) if node.ctx.__class__ is not ast.Load]

    @property
    def attribute_names(self) -> Collection[str]:
        """The names of all attributes that are read, stored or deleted, of whatever object."""
        return self._index.attributes.keys()

    def once(self, make: Callable[["Module"], T]) -> T:
        """What `make` tells of this module, asked for once: for analyses that several codemods share."""
        if make not in self._made:
            self._made[make] = make(self)
        return cast(T, self._made[make])

    def parent(self, node: ast.AST) -> ast.AST | None:
        return self._parents.get(node)

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around `node`, from the inside out, the module last."""
        parent = self._parents.get(node)
        while parent is not None:
            yield parent
            parent = self._parents.get(parent)

    def enclosing(self, node: ast.AST, kind: type[N] | tuple[type[N], ...]) -> N | None:
        """The innermost node of `kind` around `node`."""
        for ancestor in self.ancestors(node):
            if isinstance(ancestor, kind):
                return ancestor
        return None

    def function(self, node: ast.AST) -> Function | None:
        """The innermost function in whose calls `node` runs: not the one whose default or decorator it is."""
        scope = self._around.get(node)
        while scope is not None and not isinstance(scope, FUNCTIONS):
            scope = self._around[scope]
        return scope

    def is_top_level(self, node: ast.AST) -> bool:
        """Whether `node` is evaluated by the module itself, in no function, class or comprehension."""
        return self._around.get(node) is self.tree

    def functions_around(self, node: ast.AST) -> tuple[Function, ...]:
        """The functions in whose calls `node` runs, from the inside out."""
        found = []
        function = self.function(node)
        while function is not None:
            found.append(function)
            function = self.function(function)
        return tuple(found)

    def method_of(self, function: Function) -> ast.ClassDef | None:
        """The class that `function` is a method of."""
        parent = self._parents.get(function)
        return parent if isinstance(parent, ast.ClassDef) else None

    def statement(self, node: ast.AST) -> ast.stmt:
        """The innermost statement that holds `node`, or is it."""
        if isinstance(node, ast.stmt):
            return node
        found = self.enclosing(node, ast.stmt)
        assert found is not None
        return found

    def statement_at(self, line: int) -> ast.stmt | None:
        """The innermost statement that stands on `line`, decorators included; None for a line without code."""
        found = None
        for node in walk(self.tree):
            if isinstance(node, ast.stmt) and self._first_line(node) <= line <= (node.end_lineno or node.lineno):
                found = node  # breadth first: what comes later is further inside
        return found

    def recompiled(self, *causes: Why) -> Iterator[tuple[ast.AST, Compiled, Cause]]:
        """What of `seen` has one of these causes: the node to report, the entry and its cause.

        The node is what stands on the line: the call of the program, another call, or the statement, of one with a
        block only what stands before the block. What is on a line without code is left out.
        """
        for entry in self.seen:
            at = blamed(self, entry)
            if at is not None and entry.cause is not None and entry.why in causes:
                yield at, entry, entry.cause

    def _first_line(self, statement: ast.stmt) -> int:
        decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
        return min([statement.lineno, *(decorator.lineno for decorator in decorators)])

    def loops(self, node: ast.AST) -> tuple[ast.AST, ...]:
        """The loops around `node` within its function that run it again and again, from the inside out."""
        if self.function(node) not in self._looping:
            return ()
        found = []
        inner = node
        for outer in self.ancestors(node):
            if isinstance(outer, FUNCTIONS):
                break
            if isinstance(outer, _LOOPS) and not _runs_once(outer, inner):
                found.append(outer)
            inner = outer
        return tuple(found)

    @cached_property
    def _looping(self) -> frozenset[Function | None]:
        """The functions that have a loop; None for the module itself."""
        return frozenset(map(self.function, self.among(*_LOOPS)))

    def leaves(self, around: ast.AST) -> tuple[ast.stmt, ...]:
        """The statements that leave `around`, a function or a loop, or a round of it, before its end."""
        if around not in self._leaves:
            self._leaves[around] = tuple(leaving(around))
        return self._leaves[around]

    def path(self, node: ast.AST) -> str:
        """The `__qualname__` of the function that `node` is or runs in; `<module>` for none."""
        function = node if isinstance(node, FUNCTIONS) else self.function(node)
        if function is None:
            return "<module>"
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
        """Where `node` stands; a decorated definition begins at its first decorator's `@`."""
        lines = self.source.lines
        first = node
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.decorator_list:
            first = node.decorator_list[0]
        start = lines.offset(*_position(first))
        if first is not node:
            start = self.source.text.rindex(b"@", 0, start)
        return Span(start, lines.offset(*_end(node)))

    def text(self, node: ast.AST) -> str:
        """The text of `node` as it stands; of a part without a place, as a comprehension's `for`, that around it."""
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
        """Whether `node` stands for itself: before Python 3.12 the positions in f-strings cannot be trusted, and what a
        template string holds as a value, it holds as text too.
        """
        return not any(isinstance(outer, FORMAT_STRINGS) for outer in (node, *self.ancestors(node)))

    # --- names ------------------------------------------------------------------------------------------------

    def captures(self, function: Function) -> Captures | None:
        """What `function` takes from outside; None where that is not certain."""
        if function not in self._captures:
            same_line = self._lambdas_by_line[function.lineno] if isinstance(function, ast.Lambda) else ()
            self._captures[function] = self._scopes_around(function).captures(function, same_line)
        return self._captures[function]

    def _scopes_around(self, function: Function) -> Scopes:
        """The scopes of the statement of the module that `function` stands in: few of them are ever asked for."""
        top = next(node for node in (function, *self.ancestors(function)) if self._parents.get(node) is self.tree)
        if top not in self._scopes:
            before = self.source.lines.line(self.span(top).start) - 1
            future = "from __future__ import annotations" if self._is_future and before else ""
            self._scopes[top] = Scopes(f"{future}{chr(10) * before}{self.text(top)}", self.source.path)
        return self._scopes[top]

    @cached_property
    def _is_future(self) -> bool:
        """Whether annotations are never evaluated."""
        found = (node for node in self.of(ast.ImportFrom) if node.module == "__future__")
        return any(alias.name == "annotations" for node in found for alias in node.names)

    @cached_property
    def _lambdas_by_line(self) -> dict[int, list[ast.Lambda]]:
        found: dict[int, list[ast.Lambda]] = {}
        for function in self.functions:
            if isinstance(function, ast.Lambda):
                found.setdefault(function.lineno, []).append(function)
        return found

    def bindings(self, name: str, scope: Scope | None = None) -> tuple[Binding, ...]:
        """The places that bind `name` in `scope`, by default in the module itself."""
        return self._bindings.of(name, scope or self.tree)

    def names(self, scope: Scope | None = None) -> frozenset[str]:
        """All names that `scope` itself binds."""
        return self._bindings.names.get(scope or self.tree, frozenset())

    def scope_of(self, name: str, node: ast.AST) -> Scope | None:
        """The scope whose `name` the code at `node` sees; None for a builtin or a name bound nowhere."""
        key = (name, self._around.get(node))
        try:
            return self._seen_from[key]
        except KeyError:
            found = self._seen_from[key] = self._find_scope(*key)
            return found

    def _find_scope(self, name: str, scope: Scope | None) -> Scope | None:
        homes, around = self._bindings.homes(name), self._around
        if scope.__class__ is ast.ClassDef and scope in homes:
            return scope
        while scope is not None and (scope not in homes or scope.__class__ is ast.ClassDef):
            scope = around[scope]
        return scope

    def shadowed(self, name: str, node: ast.AST) -> bool:
        """Whether `name` at `node` is another thing than the module's `name`."""
        return self.scope_of(name, node) not in (None, self.tree)

    @cached_property
    def bound(self) -> frozenset[str]:
        """The names that some scope binds to something else than an import."""
        found = {f.name for f in self.functions if not isinstance(f, ast.Lambda)}
        stores = (node for nodes in self._index.binding.values() for node in nodes if isinstance(node, ast.Name))
        return frozenset(found.union(node.id for node in stores if node.ctx.__class__ is ast.Store))

    def fresh(self, name: str) -> str:
        """`name`, or `name` with a number, that occurs nowhere in the file and was not given out before."""
        number = self._numbers.get(name, 0) + 1
        candidate = name if number == 1 else f"{name}_{number}"
        while candidate in self._identifiers or self.surroundings.project.stores(candidate):  # in this very module
            number += 1
            candidate = f"{name}_{number}"
        self._identifiers.add(candidate)
        self._numbers[name] = number
        return candidate

    @cached_property
    def _identifiers(self) -> set[str]:
        return set(self.words)

    def mentions(self, word: str) -> bool:
        """Whether the identifier occurs in the code, and not just in a comment or a text of several words."""
        index = self._index
        return word in index.names or word in index.attributes or word in index.binding or word in self._other_words

    @property
    def words(self) -> frozenset[str]:
        """Every identifier of the code, also one that is all of a string, such as an entry of `__all__`."""
        index = self._index
        return self._other_words.union(index.names, index.attributes, index.binding)

    @cached_property
    def _other_words(self) -> frozenset[str]:
        """The identifiers that are parts of imports, names of arguments, or all of a string."""
        imported = {part for alias in self.of(ast.alias) for part in alias.name.split(".")}
        keywords = {keyword.arg for keyword in self.of(ast.keyword) if keyword.arg is not None}
        texts = (constant.value for constant in self.of(ast.Constant))
        quoted = {text for text in texts if isinstance(text, str) and text.isidentifier()}
        return frozenset({*imported, *keywords, *quoted})

    @cached_property
    def has_star_import(self) -> bool:
        return bool(self.star_imports)

    @cached_property
    def star_imports(self) -> tuple[ast.ImportFrom, ...]:
        return tuple(node for node in self.of(ast.ImportFrom) if node.names[0].name == "*")

    @cached_property
    def imports(self) -> Mapping[str, str]:
        """The module's own names for modules and what it imports from them, such as `jnp` for `jax.numpy`."""
        found = {}
        for name in self._imports:
            match self._index.binding[name]:
                case [only]:
                    qualname = self.absolute(self.imported[only, name]) if self.is_top_level(only) else None
                case _:
                    is_gone = any(map(_is_deletion, self.bindings(name)))
                    qualname = None if is_gone else self._imported(name, self.tree)
            if qualname is not None:
                found[name] = qualname
        return found

    @cached_property
    def imported(self) -> Mapping[tuple[ast.AST, str], str]:
        """What the names stand for that imports bind, in whatever scope, as the imports have it: by both."""
        found: dict[tuple[ast.AST, str], str] = {}
        for node in self.among(ast.Import, ast.ImportFrom):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    name = alias.asname or alias.name.partition(".")[0]
                    found.setdefault((node, name), alias.name if alias.asname else name)
            elif isinstance(node, ast.ImportFrom):
                of = "." * node.level + (f"{node.module}." if node.module else "")
                for alias in node.names:
                    found.setdefault((node, alias.asname or alias.name), f"{of}{alias.name}")
        return found

    @cached_property
    def _imports(self) -> tuple[str, ...]:
        """The names that imports bind, in whatever scope."""
        return tuple(dict.fromkeys(name for _, name in self.imported))

    @cached_property
    def _standing(self) -> frozenset[str]:
        """The names that may stand for something with another name, by an import or by `name = other.name`."""
        return self._aliases.union(self._imports)

    def qualname(self, expr: ast.AST, *, depth: int = 4) -> str | None:
        """The canonical name, such as `jax.lax.scan`, of a name or attribute that is imported; None otherwise.

        Follows imports in any scope, and names bound once to such an expression. Names that are bound more
        than once mean something only if every binding imports the same thing.
        """
        root = expr
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name) or root.id not in self._standing:
            return None
        scope = self.scope_of(root.id, root)
        found = self._qualname_of(root.id, scope, depth) if scope is not None else None
        return found if found is None or root is expr else found + _tail(expr)

    def _qualname_of(self, name: str, scope: Scope, depth: int) -> str | None:
        key = (name, scope, depth)
        if key not in self._qualnames:
            self._qualnames[key] = self._find_qualname(name, scope, depth)
        return self._qualnames[key]

    def _find_qualname(self, name: str, scope: Scope, depth: int) -> str | None:
        imported = self._imported(name, scope)
        if imported is not None or depth == 0:
            return imported
        match self.bindings(name, scope):
            case (Binding(node=ast.Name() as target),):
                value = self.value_of(target)
                return self.qualname(value, depth=depth - 1) if isinstance(value, ast.Name | ast.Attribute) else None
        return None

    def _imported(self, name: str, scope: Scope) -> str | None:
        # Where a name that is deleted later means something, it is what was imported.
        found = {self.imported.get((b.node, name)) for b in self.bindings(name, scope) if not _is_deletion(b)}
        only = found.pop() if len(found) == 1 else None
        return None if only is None else self.absolute(only)

    def absolute(self, qualname: str) -> str:
        """`qualname` with a relative import resolved, as far as the name of this module tells."""
        own = self.surroundings.name
        if own is None or not qualname.startswith("."):
            return qualname
        rest = qualname.lstrip(".")
        level = len(qualname) - len(rest) - self.surroundings.is_package
        parts = own.split(".")
        kept = parts[: len(parts) - level] if 0 <= level < len(parts) else []
        return ".".join((*kept, rest)).rstrip(".") if kept else qualname

    def value_of(self, target: ast.Name) -> ast.expr | None:
        """The expression that a plain `target = value` (or `target: T = value`, `target := value`) binds; else None."""
        match self.parent(target):
            case ast.Assign(targets=[only], value=value) if only is target:
                return value
            case ast.AnnAssign(value=value) | ast.NamedExpr(value=value):
                return value
        return None

    def only_value(self, expr: ast.AST) -> ast.expr | None:
        """What the variable that `expr` reads is bound to, if it is bound once, and plainly; else None."""
        scope = self.scope_of(expr.id, expr) if isinstance(expr, ast.Name) else None
        match self.bindings(expr.id, scope) if isinstance(expr, ast.Name) and scope is not None else ():
            case (Binding(node=ast.Name() as target),):
                return self.value_of(target)
        return None

    def made_by(self, expr: ast.AST) -> ast.expr | None:
        """What was called to make the object that `expr`, a name bound once, stands for."""
        value = self.only_value(expr)
        return value.func if isinstance(value, ast.Call) else None

    def transform(self, expr: ast.AST) -> str | None:
        """The canonical name behind `jax.jit`, `jax.jit(...)`, `partial(jax.jit, ...)` or `retrace(lax.scan)`."""
        if isinstance(expr, ast.Call):
            name = self.qualname(expr.func) or ""
            is_around = name == "functools.partial" or is_retrace(name, self.surroundings.helpers)
            return self.transform(expr.args[0] if is_around and expr.args else expr.func)
        return self.qualname(expr)

    def calls(self, *qualnames: str) -> tuple[ast.Call, ...]:
        """The calls of any of `qualnames`, in the order of the text."""
        if qualnames not in self._called:
            self._called[qualnames] = tuple(self._find_calls(qualnames))
        return self._called[qualnames]

    def _find_calls(self, qualnames: tuple[str, ...]) -> list[ast.Call]:
        # By how it is spelled first: resolving a name costs more than looking at one.
        spelled = {name.rpartition(".")[2] for name in qualnames} | self._aliases
        return [call for call in self.spelled_calls(spelled) if self.qualname(call.func) in qualnames]

    def spelled_calls(self, names: Iterable[str]) -> list[ast.Call]:
        """The calls of whatever ends in one of `names`, be it a variable or an attribute, in the order of the text."""
        return in_order([call for name in names for call in self._calls_of(name)])

    def _calls_of(self, name: str) -> Sequence[ast.Call]:
        found = self._calls_by_name.get(name)
        if found is None:
            nodes = (*self._index.names.get(name, ()), *self._index.attributes.get(name, ()))
            around = ((node, self._parents[node]) for node in nodes)
            calls = [call for node, call in around if isinstance(call, ast.Call) and call.func is node]
            found = self._calls_by_name[name] = calls
        return found

    @cached_property
    def _aliases(self) -> frozenset[str]:
        """The names that may be bound to what has another name where it is defined."""
        found = {alias.asname for alias in self.of(ast.alias) if alias.asname}
        found.update(target.id for target, value in self.assigned if isinstance(value, ast.Name | ast.Attribute))
        return frozenset(found)

    @cached_property
    def assigned(self) -> tuple[tuple[ast.Name, ast.expr], ...]:
        """The variables that have a value of their own, each with it: those that `value_of` has an answer for."""
        plain = ((node.targets[0], node.value) for node in self.of(ast.Assign) if len(node.targets) == 1)
        typed = ((node.target, node.value) for node in self.of(ast.AnnAssign) if node.value is not None)
        inside = ((node.target, node.value) for node in self.of(ast.NamedExpr))
        every = (*plain, *typed, *inside)
        return tuple((target, value) for target, value in every if isinstance(target, ast.Name))

    def definition(self, expr: ast.AST) -> Function | None:
        """The function that `expr` names or is: a lambda, or a name bound once, to a `def` or a lambda."""
        if isinstance(expr, ast.Lambda):
            return expr
        if not isinstance(expr, ast.Name):
            return None
        scope = self.scope_of(expr.id, expr)
        if scope is None:
            return None
        match self.bindings(expr.id, scope):
            case (Binding(node=ast.FunctionDef() | ast.AsyncFunctionDef() as function),):
                return function
            case (Binding(node=ast.Name() as target),):
                value = self.value_of(target)
                return value if isinstance(value, ast.Lambda) else None
        return None

    # --- what is jitted ---------------------------------------------------------------------------------------

    def jitted(self, expr: ast.expr) -> Jitted | None:
        """The jitted function of this file that `expr` stands for: a call of the transformation, a name, `self.f`."""
        return jitted(self, expr)

    def jit(self, expr: ast.expr) -> Jit | None:
        """As `jitted`, of another file of the project too: only what callers see of it."""
        return jit(self, expr)

    @cached_property
    def perhaps_jitted(self) -> frozenset[str]:
        """The variables and attributes of this file, by their name, that may be bound to what a transformation made."""
        decorated = (f.name for f in self.functions if not isinstance(f, ast.Lambda) and f.decorator_list)
        stored = (node.attr for node in self.stored_attributes)
        kinds = (ast.Call, ast.Name, ast.Attribute)
        return frozenset(
            (*decorated, *stored, *(target.id for target, value in self.assigned if isinstance(value, kinds)))
        )

    def may_be_jitted(self, expr: ast.expr) -> bool:
        """Whether `jit` may tell anything of `expr`; costs little, and asks nobody."""
        name = expr.id if isinstance(expr, ast.Name) else getattr(expr, "attr", None)
        return name is None or name in self.perhaps_jitted or self.qualname(expr) is not None

    @cached_property
    def jittings(self) -> tuple[tuple[ast.Call, Jitted], ...]:
        """The calls that make a jitted function, as `jax.jit(f)`."""
        by_name = self.calls(*COMPILING)
        by_call = (call for call in self.of(ast.Call) if isinstance(call.func, ast.Call))
        found = ((call, self.jitted(call)) for call in in_order([*by_name, *by_call]))
        return tuple((call, made) for call, made in found if made is not None and made.at is call)

    def decorated(self, function: Function) -> Jitted | None:
        """The jitted function that the decorators of `function` make of it; its `self` counts as an argument."""
        return decorated(self, function)

    @cached_property
    def changes(self) -> Changes:
        """What the code of the module changes after it was made."""
        return changes(self)

    def is_stored(self, attribute: str) -> bool:
        """Whether it is stored after its object was made: here, or on a strange object in another file."""
        return attribute in self.changes.attributes or self.surroundings.project.stores(attribute)

    # --- where code runs --------------------------------------------------------------------------------------

    @cached_property
    def reach(self) -> Reach:
        """How lines are reached, in more words than the questions below need."""
        return Reach(self)

    def runs(self, node: ast.AST) -> Runs:
        """Whether `node` runs eagerly, only under a trace, or as the callers of the module decide."""
        return self.reach.runs(node)

    def repeats(self, node: ast.AST) -> bool:
        """Whether the code that was read runs `node` eagerly again and again."""
        return self.reach.repeats(node)

    def may_repeat(self, node: ast.AST) -> bool:
        """Whether `node` runs more than once, as far as the code that was read tells."""
        is_program = self.is_script or self.source.holds_tests
        once = self.runs(node) is Runs.EAGER and (is_program or self.function(node) is None)
        return not once or self.repeats(node)

    def surely_repeats(self, node: ast.AST) -> bool:
        """Whether `repeats`, and nothing on the way says that it happens at times only, or once."""
        return self.reach.surely_repeats(node)

    def differentiated(self, node: ast.AST) -> bool:
        """Whether this module passes a function around `node`, or a caller of it, to `grad` or its kin."""
        return self.reach.differentiated(node)

    @cached_property
    def is_script(self) -> bool:
        """Whether the module does its work when it is run: it has a `__main__` guard, or loops or runs its `main`.

        A notebook always does.
        """
        if self.source.notebook is not None:
            return True
        return any(_is_main_guard(s) or isinstance(s, ast.For | ast.While) or _runs_main(s) for s in self.tree.body)


def parsed(source: SourceFile) -> ast.Module:
    """The syntax tree of `source`.

    Raises:
      SourceError: it is not valid Python for the running interpreter.
    """
    try:
        # As text: `ast` would read the bytes, UTF-8 by now, in the encoding that the file declares.
        tree = ast.parse(source.text.decode())
    except SyntaxError as error:
        told = source.notebook.fault() if source.notebook is not None else None
        told = told or f"line {error.lineno or 1}: syntax error: {error.msg}"
        raise SourceError(source.path, source.placed(told)) from error
    except (RecursionError, MemoryError) as error:
        raise SourceError(source.path, "nested too deeply to be parsed") from error
    except ValueError as error:
        raise SourceError(source.path, f"cannot be parsed: {error}") from error
    if source.notebook is not None:
        source.notebook.check(tree, source.path)
    return tree


def _tail(expr: ast.AST) -> str:
    """The attributes that `expr` reads of what it begins with, such as `.lax.scan`."""
    found = ""
    while isinstance(expr, ast.Attribute):
        found = f".{expr.attr}{found}"
        expr = expr.value
    return found


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


def _is_main_guard(statement: ast.stmt) -> bool:
    match statement:
        case ast.If(test=ast.Compare(left=ast.Name(id="__name__"))):
            return True
    return False


def _is_outside(scope: ast.AST, part: ast.AST, parents: Mapping[ast.AST, ast.AST]) -> bool:
    """Whether `part`, a node below `scope`, is evaluated around it: a default, a decorator, an annotation, a base."""
    while parents.get(part) is not scope:
        part = parents[part]
    return not is_inside(scope, part)


def _runs_main(statement: ast.stmt) -> bool:
    """Whether it is `main()`, or hands `main` to what runs it."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Name(id="main"))) | ast.Expr(value=ast.Call(args=[ast.Name(id="main")])):
            return True
    return False


def _is_deletion(binding: Binding) -> bool:
    return isinstance(binding.node, ast.Name) and isinstance(binding.node.ctx, ast.Del)


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
