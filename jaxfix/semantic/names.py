"""What the names of a file mean: scopes, bindings, imports, qualified names, and what is called by them."""

import ast
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from functools import cache, cached_property
from typing import Any, TypeVar, cast

from jaxfix.dataflow.solver import Lattice, Solver, optional
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.semantic.stars import Stars
from jaxfix.syntax.bindings import Binding, Bindings, value_beside
from jaxfix.syntax.index import Index, Scope
from jaxfix.syntax.nodes import Function, in_order, tail

N = TypeVar("N", bound=ast.AST)
_MEANING: Lattice[str | None] = optional()


class Names:
    """The names of one file; `by_id` has its variables by name, bound and read, each in the order of the text."""

    def __init__(self, tree: ast.Module, index: Index, surroundings: Surroundings) -> None:
        self.tree = tree
        self.by_id: Mapping[str, Sequence[ast.Name]] = index.names
        self._index = index
        self._parents = index.parents
        self._around = index.around
        self._surroundings = surroundings
        self._by_scope = Bindings(index)
        self._bound = self._by_scope.known
        self._seen_from: dict[tuple[str, Scope | None], Scope | None] = {}
        self._meaning: Solver[tuple[str, Scope], str | None] = Solver(self._means, _MEANING)
        self._qualnames: dict[ast.AST, str | None] = {}
        self._uses: dict[str, dict[Scope | None, tuple[ast.Name, ...]]] = {}
        self._reads: dict[tuple[str, Scope | None], tuple[ast.Name, ...]] = {}
        self._called: dict[tuple[str, ...], tuple[ast.Call, ...]] = {}
        self._calls_by_name: dict[str, Sequence[ast.Call]] = {}

    def _nodes(self, kind: type[N]) -> list[N]:
        return cast(list[N], self._index.kinds.get(kind, []))

    def loads(self, name: str) -> tuple[ast.Name, ...]:
        """Every read of a variable of this name, whatever its scope.

        Returns:
          In the order of the text.
        """
        return tuple([node for node in self.by_id.get(name, ()) if node.ctx.__class__ is ast.Load])

    def uses(self, name: str, scope: Scope | None) -> tuple[ast.Name, ...]:
        """Every place that binds, reads or deletes the variable `name` of `scope`.

        Returns:
          In the order of the text.
        """
        if name not in self._uses:
            found: dict[Scope | None, list[ast.Name]] = {}
            for node in self.by_id.get(name, ()):
                found.setdefault(self.scope_of(name, node), []).append(node)
            self._uses[name] = {home: tuple(nodes) for home, nodes in found.items()}
        return self._uses[name].get(scope, ())

    def reads(self, name: str, scope: Scope | None) -> tuple[ast.Name, ...]:
        """Every read of the variable `name` of `scope`.

        Returns:
          In the order of the text.
        """
        key = name, scope
        if key not in self._reads:
            self._reads[key] = tuple([node for node in self.uses(name, scope) if node.ctx.__class__ is ast.Load])
        return self._reads[key]

    def bindings(self, name: str, scope: Scope | None = None) -> tuple[Binding, ...]:
        """The places that bind `name` in `scope`.

        Args:
          scope: the module itself where it is None.

        Returns:
          Empty for a name that `scope` does not bind.
        """
        key = name, scope or self.tree
        try:
            return self._bound[key]
        except KeyError:
            return self._by_scope.of(*key)

    def bound_in(self, scope: Scope | None = None) -> frozenset[str]:
        """The names that `scope` itself binds.

        Args:
          scope: the module itself where it is None.

        Returns:
          Those of functions inside it are not among them.
        """
        return self._by_scope.names.get(scope or self.tree, frozenset())

    def scope_of(self, name: str, node: ast.AST) -> Scope | None:
        """The scope whose `name` the code at `node` sees.

        Returns:
          None for a builtin, or a name that is bound nowhere.
        """
        try:
            key = name, self._around[node]
        except KeyError:
            key = name, None  # not of this file
        try:
            return self._seen_from[key]
        except KeyError:
            scope, homes = key[1], self._by_scope.homes(name)
            found = self._seen_from[key] = scope if scope in homes else self._find_scope(homes, scope)
            return found

    def _find_scope(self, homes: Container[Scope | None], scope: Scope | None) -> Scope | None:
        around = self._around
        while scope is not None and (scope not in homes or scope.__class__ is ast.ClassDef):
            scope = around[scope]
        return scope

    @cached_property
    def star_imports(self) -> tuple[ast.ImportFrom, ...]:
        """The `from module import *` of the file."""
        return tuple(node for node in self._nodes(ast.ImportFrom) if node.names[0].name == "*")

    @cached_property
    def stars(self) -> Stars:
        """What they bring."""
        return Stars(self.star_imports, self._surroundings)

    @cached_property
    def imports(self) -> Mapping[str, str]:
        """The module's own names for modules and what it imports from them, such as `jnp` for `jax.numpy`."""
        found = {}
        for name in self._imports:
            match self._index.binding[name]:
                case [only]:
                    qualname = self.absolute(self.imported[only, name]) if self._around.get(only) is self.tree else None
                case _:
                    is_gone = any(map(_is_deletion, self.bindings(name)))
                    qualname = None if is_gone else self._imported(name, self.tree)
            if qualname is not None:
                found[name] = qualname
        return found

    @cached_property
    def imported(self) -> Mapping[tuple[ast.AST, str], str]:
        """What imports bind, in whatever scope: the node and the name that it binds, to the name that it imports."""
        found: dict[tuple[ast.AST, str], str] = {}
        for node in in_order([*self._nodes(ast.Import), *self._nodes(ast.ImportFrom)]):
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
        return frozenset(self._imports).union(*self._renamings.values())

    def qualname(self, expr: ast.AST) -> str | None:
        """The canonical name, such as `jax.lax.scan`, of a name or attribute that is imported.

        Follows imports in any scope, and names bound once to such an expression. Names that are bound more
        than once mean something only if every binding imports the same thing.

        Returns:
          None where `expr` is not imported, or stands for several things.
        """
        root: Any = expr
        while root.__class__ is ast.Attribute:  # no other question is asked as often
            root = root.value
        if root.__class__ is not ast.Name or root.id not in self._standing:
            is_free = self.star_imports and root.__class__ is ast.Name and self.scope_of(root.id, root) is None
            return self.stars.qualname(expr, root.id) if is_free else None
        try:
            return self._qualnames[expr]
        except KeyError:
            scope = self.scope_of(root.id, root)
            found = self._meaning((root.id, scope)) if scope is not None else None
            found = self._qualnames[expr] = found if found is None or root is expr else found + tail(expr)
            return found

    def _means(self, variable: tuple[str, Scope]) -> str | None:
        name, scope = variable
        imported = self._imported(name, scope)
        if imported is not None:
            return imported
        match self.bindings(name, scope):
            case (Binding(node=ast.Name() as target),):
                value = self.value_of(target)
                return self.qualname(value) if isinstance(value, ast.Name | ast.Attribute) else None
        return None

    def _imported(self, name: str, scope: Scope) -> str | None:
        # Where a name that is deleted later means something, it is what was imported.
        nodes = [binding.node for binding in self.bindings(name, scope) if not _is_deletion(binding)]
        found = {self.imported.get((node, name)) for node in nodes}
        only = found.pop() if len(found) == 1 else None
        if only and self.star_imports and scope is self.tree and (starred := self.stars.bringing(name, after=nodes)):
            return starred[0] if len(starred) == 1 else None
        return None if only is None else self.absolute(only)

    def absolute(self, qualname: str) -> str:
        """`qualname` with a relative import resolved, as far as the name of this module tells."""
        return self._surroundings.absolute(qualname) if qualname[:1] == "." else qualname

    def value_of(self, target: ast.Name | ast.Attribute) -> ast.expr | None:
        """The expression that a plain `target = value`, `target: T = value` or `target := value` binds.

        Of `one, other = value, another` each target is bound to the expression at its place.

        Returns:
          None where `target` is bound in another way.
        """
        match parent := self._parents.get(target):
            case ast.Assign(targets=[only], value=value) if only is target:
                return value
            case ast.Tuple() | ast.List():
                return value_beside(target, parent, self._parents.get(parent))
            case ast.AnnAssign(value=value) | ast.NamedExpr(value=value):
                return value
        return None

    def only_binding(self, name: ast.Name) -> Binding | None:
        """The one place that binds the variable that `name` reads or binds.

        Returns:
          None where there is none, or several.
        """
        scope = self.scope_of(name.id, name)
        match self.bindings(name.id, scope) if scope is not None else ():
            case (only,):
                return only
        return None

    def only_value(self, expr: ast.AST) -> ast.expr | None:
        """The expression that the variable is bound to, if it is bound once, and plainly.

        Returns:
          None where `expr` is no such variable.
        """
        match self.only_binding(expr) if type(expr) is ast.Name else None:
            case Binding(node=ast.Name() as target):
                return self.value_of(target)
        return None

    def references(self, qualname: str) -> tuple[ast.Name | ast.Attribute, ...]:
        """Every expression that reads what `qualname` names.

        Returns:
          In the order of the text; imports are not among them.
        """
        last = qualname.rpartition(".")[2]
        named = (node for name in self.spellings({last}) for node in self.loads(name))
        parts = (node for node in self._index.attributes.get(last, ()) if node.ctx.__class__ is ast.Load)
        every: list[ast.Name | ast.Attribute] = [*named, *parts]
        return tuple(node for node in in_order(every) if self.qualname(node) == qualname)

    def imports_of(self, qualname: str) -> tuple[ast.alias, ...]:
        """Every import, in whatever scope, that takes `qualname` from its module, in the order of the text."""
        origin, _, last = qualname.rpartition(".")
        statements = in_order(self._nodes(ast.ImportFrom))
        named = [(node, alias) for node in statements for alias in node.names if alias.name == last]
        return tuple(alias for node, alias in named if self.absolute("." * node.level + (node.module or "")) == origin)

    def calls(self, *qualnames: str) -> tuple[ast.Call, ...]:
        """The calls of any of `qualnames`.

        Args:
          qualnames: canonical names, such as `jax.lax.scan`.

        Returns:
          In the order of the text.
        """
        if qualnames not in self._called:
            self._called[qualnames] = tuple(self._find_calls(qualnames))
        return self._called[qualnames]

    def _find_calls(self, qualnames: tuple[str, ...]) -> list[ast.Call]:
        # By how it is spelled first: resolving a name costs more than looking at one.
        wanted = frozenset(qualnames)
        spelled = self.spelled_calls(self.spellings(_last_parts(wanted)))
        return [call for call in spelled if self.qualname(call.func) in wanted] if spelled else []

    def may_name(self, qualnames: frozenset[str]) -> bool:
        """Whether an expression may stand for one of `qualnames`, by its last part alone."""
        return not self._spelled.isdisjoint(self.spellings(_last_parts(qualnames)))

    def spelled_calls(self, names: Iterable[str]) -> list[ast.Call]:
        """The calls of variables and attributes spelled as one of `names`, in the order of the text, unresolved."""
        here = self._spelled.intersection(names)
        return in_order([call for name in here for call in self._calls_of(name)]) if here else []

    @cached_property
    def _spelled(self) -> frozenset[str]:
        """The names of variables and attributes here."""
        return frozenset((*self._index.names, *self._index.attributes))

    def _calls_of(self, name: str) -> Sequence[ast.Call]:
        found = self._calls_by_name.get(name)
        if found is None:
            nodes = (*self._index.names.get(name, ()), *self._index.attributes.get(name, ()))
            parents = self._parents
            calls = [call for node in nodes if type(call := parents[node]) is ast.Call and call.func is node]
            found = self._calls_by_name[name] = calls
        return found

    def spellings(self, names: Collection[str]) -> frozenset[str]:
        """`names`, and the variables that may stand for something whose qualified name ends in one of them.

        Returns:
          Each once, in no order; empty for no names.
        """
        renamed = self._renamings.keys() & names
        if not renamed:
            return frozenset(names)
        found = set(names)
        pending = list(renamed)
        for name in pending:
            new = self._renamings.get(name, frozenset()) - found
            found |= new
            pending += new
        return frozenset(found)

    @cached_property
    def _renamings(self) -> Mapping[str, frozenset[str]]:
        """The variables bound by an import or by `other = module.name`, keyed by the last part of their meaning."""
        found: dict[str, set[str]] = {}
        for alias in self._nodes(ast.alias):
            if alias.asname:
                found.setdefault(alias.name.rpartition(".")[2], set()).add(alias.asname)
        for target, value in self.assigned:
            last = value.id if type(value) is ast.Name else value.attr if type(value) is ast.Attribute else None
            if last is not None:
                found.setdefault(last, set()).add(target.id)
        return {last: frozenset(names) for last, names in found.items()}

    @cached_property
    def assigned(self) -> tuple[tuple[ast.Name, ast.expr], ...]:
        """The variables that `value_of` has an answer for, each with it."""
        plain = [(node.targets[0], node.value) for node in self._nodes(ast.Assign) if len(node.targets) == 1]
        typed = [(node.target, node.value) for node in self._nodes(ast.AnnAssign) if node.value is not None]
        inside = [(node.target, node.value) for node in self._nodes(ast.NamedExpr)]
        beside = [
            (target, value)
            for display, values in plain
            if (type(display) is ast.Tuple or type(display) is ast.List) and isinstance(values, ast.Tuple | ast.List)
            for target in display.elts
            if isinstance(target, ast.Name) and (value := self.value_of(target)) is not None
        ]
        every = (*plain, *beside, *typed, *inside)
        return tuple([(name, value) for name, value in every if type(name) is ast.Name])

    @cached_property
    def defining(self) -> frozenset[str]:
        """The names that some scope binds to a function of this file."""
        lambdas = [target.id for target, value in self.assigned if type(value) is ast.Lambda]
        functions = [each.name for each in self._nodes(ast.FunctionDef)]
        return frozenset([*lambdas, *functions, *[each.name for each in self._nodes(ast.AsyncFunctionDef)]])

    def definition(self, expr: ast.AST) -> Function | None:
        """The function that `expr` names or is: a lambda, or a name bound once, to a `def` or a lambda.

        Returns:
          None where it stands for no function of this file, or may stand for several.
        """
        if type(expr) is ast.Lambda:
            return expr
        if type(expr) is not ast.Name or expr.id not in self.defining:
            return None
        match self.only_binding(expr):
            case Binding(node=ast.FunctionDef() | ast.AsyncFunctionDef() as function):
                return function
            case Binding(node=ast.Name() as target):
                value = self.value_of(target)
                return value if isinstance(value, ast.Lambda) else None
        return None


@cache
def _last_parts(qualnames: frozenset[str]) -> frozenset[str]:
    """Every file is asked for the same names."""
    return frozenset(name.rpartition(".")[2] for name in qualnames)


def _is_deletion(binding: Binding) -> bool:
    return isinstance(binding.node, ast.Name) and isinstance(binding.node.ctx, ast.Del)
