"""Summarizes a file for the other files of its project."""

import ast
from collections.abc import Collection, Container, Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from itertools import islice

from jaxfix.dataflow.types import Values
from jaxfix.effects.pytree_classes import hiding
from jaxfix.semantic.calls import calls_of_calls
from jaxfix.semantic.module import Module
from jaxfix.semantic.mutations import changes_of
from jaxfix.semantic.project.summary_types import (
    PASSED,
    RETURNED,
    CallSite,
    Factory,
    Facts,
    Jit,
    Runs,
    Use,
    Wrapping,
)
from jaxfix.semantic.records import Records
from jaxfix.staging.contexts import Staging, UseSummary
from jaxfix.staging.decorators import is_decorator, staging_names, wrapping_of
from jaxfix.staging.function_identity import factory
from jaxfix.staging.jit import COMPILING, jit_of, jitted_by_decorator
from jaxfix.summary.asked import asked_types
from jaxfix.summary.borrowed import Borrowed, root_of
from jaxfix.summary.call_sites import Passing
from jaxfix.summary.rebinding import rebinds
from jaxfix.summary.receivers import may_be_of_others
from jaxfix.syntax.nodes import Function, in_order

_NAMED = frozenset({ast.Name, ast.Attribute})
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_PERHAPS_JITTED = _NAMED | {ast.Call}


def facts(module: Module, name: str, packages: Container[str], *, is_test: bool = False) -> Facts:
    """The facts of `module`, except its uses of others' functions.

    Args:
      name: the dotted name that others know it by; of a script any name that is no other file's.
      packages: the first parts of the names of the project's files: what else is imported is not theirs.
    """
    return _Summarizer(module, packages, is_test=is_test).facts(name)


def uses(
    module: Module, packages: Container[str], names: frozenset[str], passed: Container[str], *, is_test: bool = False
) -> tuple[Use, ...]:
    """How `module` uses the functions of others that it knows by `names`, a part of its mentions.

    Args:
      passed: has `name()` where it matters what calls pass.
    """
    return _Summarizer(module, packages, is_test=is_test).uses(names, passed)


class _Summarizer:
    def __init__(self, module: Module, packages: Container[str], *, is_test: bool) -> None:
        self.module, self.packages, self.is_test = module, packages, is_test
        self.passing = Passing(module, module.get(Values))
        self.others = Borrowed(module, packages)
        self.stars, self.theirs, self.borrowed = self.others.stars, self.others.theirs, self.others.borrowed
        self.aliases = dict(self._aliases())

    def facts(self, name: str) -> Facts:
        return Facts(
            name,
            self.is_test,
            self.aliases,
            self.stars,
            dict(self._jits()),
            rebinds=rebinds(self.others),
            stored=tuple(sorted(changes_of(self.module).perhaps_rebound)),
            own=tuple(sorted(self._own())),
            wraps=dict(self._wraps()),
            mentions=tuple(sorted(self._mentions())),
            factories=dict(self._factories()),
            records=dict(self._records()),
            hides=tuple(islice(hiding(self.module, self.packages), 1)),
            attributes=tuple(sorted(self.module.index.attributes)),
            asks=asked_types(self.others),
        )

    def _own(self) -> Collection[str]:
        """The names that the file binds itself: all if others may stand beside them, else definitions and variables."""
        names = self.module.names
        if self.stars:
            return names.bound_in() - names.imports.keys()
        defined = (each.name for each in self.module.tree.body if isinstance(each, _DEFINITIONS))
        around, tree = self.module.index.around, self.module.tree
        return {*defined, *(target.id for target, _ in names.assigned if around[target] is tree)}

    def uses(self, names: frozenset[str], passed: Container[str]) -> tuple[Use, ...]:
        made = frozenset(name.removesuffix(RETURNED) for name in names if name.endswith(RETURNED))
        return (
            *self._uses(tuple(self._references(names)), passed),
            *self._uses_of_methods(names, passed),
            *(self._uses_of_results(made) if made else ()),
        )

    def _mentions(self) -> set[str]:
        """What `uses` may be asked for: read off the names alone, so that some may stand for something else here."""
        spelled, parents = self.module.names.by_id, self.module.index.parents
        found = {f".{name}" for name in self.module.index.attributes if name.startswith("_")}
        for name, dotted in self.theirs.items():
            tails = self._tails(spelled.get(name, ()))
            found |= {of + tail for of in dotted for tail in tails}
        starred = spelled.keys() - self.theirs.keys() - self.borrowed if self.stars else set()
        found |= {f"{star}.{name}" for star in self.stars for name in starred}
        for name in self._objects.keys() - self.theirs.keys() - starred:
            around = [parents[node] for node in spelled[name]]
            attributes = {parent.attr for parent in around if type(parent) is ast.Attribute}
            found |= {f"{of}.{attribute}" for of in self._objects[name] for attribute in attributes}
        return found

    def _tails(self, roots: Iterable[ast.Name]) -> set[str]:
        """The attributes read from the objects of `roots`, such as `.lax.scan`."""
        parents, found = self.module.index.parents, set()
        for root in roots:
            tail, node = "", parents[root]
            while type(node) is ast.Attribute:
                tail += f".{node.attr}"
                node = parents[node]
            found.add(tail)
        return found

    @cached_property
    def _objects(self) -> dict[str, set[str]]:
        """The names that may stand for an object of a class of another file, with the names of such classes."""
        found: dict[str, set[str]] = {}
        for target, value in self.module.names.assigned:
            root = root_of(value.func) if type(value) is ast.Call else None
            if root is not None and root.id in self.theirs:
                made = {of + tail for of in self.theirs[root.id] for tail in self._tails((root,))}
                found.setdefault(target.id, set()).update(made)
        return found

    def _wraps(self) -> Iterator[tuple[str, Wrapping]]:
        yield from ((name, Wrapping.STAGES) for name in staging_names(self.module))
        for function in self._perhaps_decorators:
            if isinstance(function, ast.FunctionDef) and self.module.parent(function) is self.module.tree:
                found = wrapping_of(self.module, function)
                if found is Wrapping.STAGES or (found is Wrapping.CALLS and is_decorator(self.module, function)):
                    yield function.name, found

    def _factories(self) -> Iterator[tuple[str, Factory]]:
        around = (f for call in self.module.calls(*COMPILING) for f in self.module.functions_around(call))
        for function in dict.fromkeys((*self._perhaps_decorators, *around)):
            if isinstance(function, ast.FunctionDef) and self._is_only(function):
                found = factory(self.module, function)
                if found is not None:
                    yield function.name, found

    def _records(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        for owner, fields in self.module.get(Records).fields.items():
            if self.module.parent(owner) is self.module.tree and len(self.module.bindings(owner.name)) == 1:
                yield owner.name, fields

    @cached_property
    def _perhaps_decorators(self) -> list[Function]:
        """The functions that return one that they define, or put something with a name under `jit`."""
        inner = {f.name for f in self.module.functions if not isinstance(f, ast.Lambda)}
        returns = (n for n in self.module.nodes(ast.Return) if isinstance(n.value, ast.Name) and n.value.id in inner)
        calls = (*self.module.calls(*COMPILING), *calls_of_calls(self.module))
        staging = (call for call in calls if call.args and isinstance(call.args[0], ast.Name))
        inside = (*returns, *staging)
        return list({function: None for node in inside for function in self.module.functions_around(node)})

    def _aliases(self) -> Iterator[tuple[str, str]]:
        """The names of the module for what is imported, through `name = other.name` too."""
        imports = self.module.names.imports
        yield from ((name, of) for name, of in imports.items() if name != "*" and not of.startswith("."))
        yield from self._imported_again()
        for target, value in self.module.names.assigned:
            if value.__class__ in _NAMED and target.id not in imports and self._is_only(target):
                found = self.module.qualname(value)
                if found is not None and not found.startswith("."):
                    yield target.id, found

    def _imported_again(self) -> Iterator[tuple[str, str]]:
        """The names that several imports alone bind, one after the other, for what the last one imports."""
        names, top = self.module.names, {*self.module.tree.body}
        last = {name: of for (node, name), of in names.imported.items() if node in top}
        for name in sorted(last.keys() - names.imports.keys() - {"*"}):
            nodes = [binding.node for binding in names.bindings(name)]
            if len(nodes) > 1 and all(node in top and (node, name) in names.imported for node in nodes):
                yield name, names.absolute(last[name])

    def _is_only(self, node: ast.Name | ast.FunctionDef) -> bool:
        """Whether nothing else binds this name of the module."""
        if not self.module.is_top_level(node):
            return False
        name = node.id if isinstance(node, ast.Name) else node.name
        return [binding.node for binding in self.module.bindings(name)] == [node]

    def _is_alias(self, node: ast.expr, of: str) -> bool:
        """Whether `node` is all that a name of the module is bound to: those who use that name say what they do."""
        match self.module.parent(node):
            case ast.Assign(targets=[ast.Name(id=name) as target], value=value) if value is node:
                is_own = self.module.scope_of(name, target) is self.module.tree
                return is_own and self.aliases.get(name) == of
        return False

    def _jits(self) -> Iterator[tuple[str, Jit]]:
        for target, value in self.module.names.assigned:
            is_perhaps = value.__class__ in _PERHAPS_JITTED and self._is_only(target)
            found = jit_of(self.module, value) if is_perhaps else None
            if found is not None:
                yield target.id, found
        for function in self.module.nodes(ast.FunctionDef):
            decorated = jitted_by_decorator(self.module, function) if function.decorator_list else None
            if decorated is not None and self._is_known(function):
                yield self.module.path(function), decorated.jit

    def _is_known(self, function: ast.FunctionDef) -> bool:
        """Whether others know it by its name: a function of the module, or a method."""
        owner = self.module.method_of(function)
        return self._is_only(function) if owner is None else self.module.function(owner) is None

    # --- uses of others' things -------------------------------------------------------------------------------

    def _references(self, names: frozenset[str]) -> Iterator[tuple[ast.expr, str]]:
        """The names and attributes that stand for something of `names`, each with that name."""
        words = {name.rpartition(".")[2] for name in names}
        variables = {name for name, dotted in self.theirs.items() if not names.isdisjoint(dotted)}
        spelled = self.module.names.by_id
        chosen: set[ast.Name | ast.Attribute] = {node for word in words for node in self.module.attributes(word)}
        chosen.update(node for name in variables | (words if self.stars else set()) for node in spelled.get(name, ()))
        for node in in_order([*chosen]):
            if not self.others.goes_on(node):
                yield from ((node, of) for of in self.others.named(node) if of in names)

    def _uses(self, references: tuple[tuple[ast.expr, str], ...], passed: Container[str]) -> Iterator[Use]:
        every = ((node, of, outcome) for node, of in references for outcome in self._outcomes(node, of))
        found = [(of, self._direct(node, outcome, of), outcome, node) for node, of, outcome in every]
        calls: dict[str, list[ast.Call]] = {}
        for of, call, _, _ in found:
            if call is not None:
                calls.setdefault(of, []).append(call)
        for of, call, outcome, node in found:
            told = None if call is None else self._called(calls[of], call, of, passed=of + PASSED in passed)
            yield replace(self._placed(of, outcome, call or node), call=told)

    def _uses_of_methods(self, names: frozenset[str], passed: Container[str]) -> Iterator[Use]:
        """What becomes of methods that may be those of a class in another file, through any object."""
        found: dict[Use, None] = {}
        for name in sorted(name for name in names if name.startswith(".")):
            for node in self.module.attributes(name[1:]):
                for outcome in self._outcomes(node, name):
                    use = self._use_of(name, outcome)
                    found[self._with_call(use, node, outcome) if name + PASSED in passed else use] = None
        yield from found

    def _with_call(self, use: Use, method: ast.Attribute, outcome: UseSummary) -> Use:
        """The use with its call, where the object may be one of another file."""
        call = outcome.call
        if call is None or call.func is not method or not may_be_of_others(self.module, method, self.packages):
            return use
        return replace(use, at=self._place(call), call=self.passing.of_method(call, repeats=outcome.repeats))

    def _uses_of_results(self, makers: frozenset[str]) -> Iterator[Use]:
        """What becomes of the functions that others' functions return to this file."""
        for node, of in self._references(makers):
            for outcome in self._outcomes(node, of):
                if outcome.call is None:
                    yield Use(of + RETURNED, (Runs.UNKNOWN,))
                for made in self._outcomes(outcome.call, of) if outcome.call is not None else ():
                    yield self._placed(of + RETURNED, made, made.call or outcome.call or node)

    def _placed(self, of: str, outcome: UseSummary, node: ast.expr) -> Use:
        """The use at `node`, with how often it runs; a test does not show how a program runs something."""
        if self.is_test:
            return Use(of, (), at=self._place(node))
        repeats, surely, derived = outcome.repeats, outcome.surely, outcome.differentiated
        told = self._use_of(of, outcome)
        return replace(told, repeats=repeats, surely=surely, differentiated=derived, at=self._place(node))

    def _use_of(self, of: str, outcome: UseSummary) -> Use:
        if self.is_test:
            return Use(of, ())
        known = tuple(sorted(outcome.ways.known, key=lambda way: way.value))
        # A function under `jit` is the only way there.
        return Use(of, known, tuple(way for way in outcome.through if way.name in outcome.ways.open))

    def _outcomes(self, node: ast.expr, of: str) -> Iterator[UseSummary]:
        if not isinstance(getattr(node, "ctx", None), ast.Load) and not isinstance(node, ast.Call):
            return
        is_alias = self._is_alias(node, of)
        found = self.module.get(Staging).uses_of_expression(node)
        yield from (outcome for outcome in found if outcome.call is not None or not is_alias)

    def _direct(self, node: ast.expr, outcome: UseSummary, of: str) -> ast.Call | None:
        """The call that `node` comes to, if it is what is called there, under whatever name."""
        call = outcome.call
        if call is None or call.func is node or self._is_name_of(call.func, of):
            return call
        return None

    def _is_name_of(self, func: ast.expr, of: str) -> bool:
        return isinstance(func, ast.Name) and self.module.qualname(func) == of

    def _called(self, calls: list[ast.Call], call: ast.Call, of: str, *, passed: bool) -> CallSite:
        bound = isinstance(call.func, ast.Attribute) and self.module.qualname(call.func) is None
        if not passed:
            return CallSite(None, bound)
        return self.passing.called(calls, call, self._place, bound=bound, values=not self.is_test)

    def _place(self, node: ast.AST) -> str:
        return self.module.source.shown(getattr(node, "lineno", 1))
