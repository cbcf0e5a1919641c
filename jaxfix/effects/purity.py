"""Whether a function says the same at every trace: what it reads that can change, what it does besides returning."""

import ast
import builtins
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from unicodedata import is_normalized

from jaxfix.effects.aliases import is_fillable, why_aliased
from jaxfix.effects.deletion import may_be_deleted, may_hold_arrays
from jaxfix.effects.invariance import (
    Constancy,
    constancy,
    constancy_of_value,
    is_bound_by_a_cell,
    is_changed_elsewhere,
    is_pure,
)
from jaxfix.effects.library_names import is_perhaps_rebound, is_perhaps_stored
from jaxfix.effects.side_effects import body_of, effects, ties
from jaxfix.effects.trace_warnings import may_warn
from jaxfix.library.facets import Class, Effect, Result, Setting, Transform
from jaxfix.library.table import short_names, where
from jaxfix.report.reason import Code, Reason
from jaxfix.semantic.module import Module
from jaxfix.semantic.mutations import changes_of, is_stored, root
from jaxfix.semantic.project.query import REBINDS
from jaxfix.semantic.project.summary_types import ANY_NAME
from jaxfix.staging.visibility import RULES
from jaxfix.syntax.nodes import Function, walk

_JITS = where(Transform.TRACES)
_KEYED_SETTINGS = where(Setting.KEYED)
_PURE_BASES = where(Class.PURE)
_PURE_BUILTINS = short_names(Effect.PURE, "builtins")
_PURE_DECORATORS = where(Effect.PURE_DECORATOR)
_SETTINGS = where(Setting.PRNG_IMPL) | where(Setting.GUMBEL_RANGE)
_GROWING = where(Effect.GROWS)
_MEMOS = where(Effect.MEMOISES)
_GROWING_ATTRIBUTES = short_names(Result.GROWS)
_REGISTERING = where(Class.REGISTERS)
_DUNDERS = frozenset({"__name__", "__file__", "__doc__", "__debug__"})


@dataclass(slots=True)
class Purity:
    """Why a function may not be traced once for many calls.

    Attributes:
      doubts: what other code could spoil.
      unasked: whether other files do; they are asked only where all else holds.
    """

    reason: Reason | None = None
    doubts: list[str] = field(default_factory=list)
    unasked: list[Callable[[], bool]] = field(default_factory=list)

    @property
    def is_doubted(self) -> bool:
        return bool(self.doubts) or any(ask() for ask in self.unasked)


def purity(module: Module, function: Function, apart: frozenset[str] = frozenset()) -> Purity:
    """What keeps `function` from being traced once for many calls; names free in it are not judged here.

    Args:
      apart: globals that `function` itself reads, and that are not judged here either.
    """
    found = Purity(reason=next(ties(module, function), None))
    found.unasked.append(partial(_is_open, module))
    if changes_of(module).any_global or changes_of(module).lists_names:
        found.doubts.append("a name that is not in the text")
    if any(star.lineno > function.lineno for star in module.names.star_imports):
        found.doubts.append("*")
    if found.reason is None:
        _Closure(module, found).judge(function, apart)
    return found


def reads_setting(module: Module, node: ast.expr) -> bool:
    """Whether `node` is a function, or a package of them, whose result depends on a setting that is in no key."""
    qualname = module.qualname(node)
    return qualname is not None and (qualname in _SETTINGS or qualname.rpartition(".")[0] in _SETTINGS)


def _is_open(module: Module) -> bool:
    """Whether another file can reach the module as a whole: it may bind any of its names, or list them."""
    return module.surroundings.project.ask(REBINDS, f"{module.surroundings.name or '?'}.{ANY_NAME}")


def _is_perhaps_shadowed(module: Module, name: str) -> bool:
    """Whether something binds a global of this name, which no statement of the module does."""
    is_bound = name in changes_of(module).rebound or is_changed_elsewhere(module, name)
    return is_bound or is_perhaps_stored(module, name)


class _Closure:
    """A function and all the module's functions and classes that it may run."""

    def __init__(self, module: Module, found: Purity) -> None:
        self._module = module
        self._found = found
        self._functions: set[Function] = set()
        self._classes: set[ast.ClassDef] = set()
        self._values: set[ast.AST] = set()
        self._attributes: set[str] = set()

    def judge(self, function: Function, apart: frozenset[str]) -> None:
        self._function(function, apart)
        while self._found.reason is None and (methods := self._methods()):
            for method in methods:
                self._function(method)

    def _methods(self) -> list[Function]:
        """The methods of the classes that were met which the code that was read may call."""
        found = (f for c in self._classes for f in self._members(c) if isinstance(f, ast.FunctionDef))
        return [
            f for f in found if f not in self._functions and (f.name in self._attributes or f.name.startswith("__"))
        ]

    def _members(self, node: ast.ClassDef) -> Iterator[ast.AST]:
        """The members that the class itself defines, anywhere in its body."""
        outside = self._module.function(node)
        return (member for member in walk(node) if member is not node and self._module.function(member) is outside)

    def _stop(self, reason: Reason | None) -> None:
        self._found.reason = self._found.reason or reason

    def _function(self, function: Function, apart: frozenset[str] = frozenset()) -> None:
        if function in self._functions or self._found.reason is not None:
            return
        self._functions.add(function)
        captures = self._module.captures(function)
        if captures is None:
            return self._stop(Reason(Code.LAYOUT, "it shares its line with another function"))
        if self._is_spelled_otherwise(function):
            return self._stop(Reason(Code.LAYOUT, "its names are spelled with characters that Python normalises"))
        if captures.rebinds:
            return self._stop(Reason(Code.SIDE_EFFECT, f"it rebinds `{min(captures.rebinds)}` outside of itself"))
        self._stop(next(effects(self._module, function), None))
        self._traced(body_of(self._module, function))
        for node in body_of(self._module, function):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                self._attribute(node)
            elif isinstance(node, ast.Import | ast.ImportFrom):
                self._local_import(node)
        for name in sorted(captures.globals - apart):
            if self._found.reason is None:
                self._global(name)
        for default in (*function.args.defaults, *(d for d in function.args.kw_defaults if d)):
            self._default(default)
        for decorator in [] if isinstance(function, ast.Lambda) else function.decorator_list:
            self._decorator(decorator)

    def _traced(self, nodes: Iterable[ast.AST]) -> None:
        """What a trace evaluates: it may warn there, and depend on settings."""
        for node in (read := list(nodes)):
            if isinstance(node, ast.Name | ast.Attribute) and reads_setting(self._module, node):
                self._found.doubts.append(self._module.text(node))
        self._found.doubts += may_warn(self._module, read)

    def _attribute(self, node: ast.Attribute) -> None:
        """Reads `node`: of something that the module made, it must not be stored anywhere."""
        self._attributes.add(node.attr)
        if node.attr in _GROWING_ATTRIBUTES:
            self._found.doubts.append(self._module.text(node))
        name = root(node)
        if name is None or self._module.scope_of(name.id, name) is not self._module.tree:
            return
        if name.id in self._module.names.imports:
            return self._library(node)
        if is_stored(self._module, node.attr):
            self._stop(Reason(Code.UNSTABLE, f"it reads `{self._module.text(node)}`, which can change between calls"))
        elif changes_of(self._module).any_attribute:
            self._found.doubts.append(node.attr)

    def _library(self, node: ast.Attribute) -> None:
        """Reads `node` of a module: a setting of JAX, or something that other code has put there."""
        qualname = self._module.qualname(node) or ""
        if qualname.startswith("jax.config.") and qualname not in _KEYED_SETTINGS:
            self._stop(Reason(Code.UNSTABLE, f"it reads `{self._module.text(node)}`, which can change between calls"))
        self._found.unasked.append(partial(is_perhaps_stored, self._module, node.attr))
        self._found.unasked.append(partial(is_perhaps_rebound, self._module, qualname))

    def _local_import(self, node: ast.Import | ast.ImportFrom) -> None:
        package = node.module if isinstance(node, ast.ImportFrom) and not node.level else None
        for alias in node.names:
            qualname = f"{package}.{alias.name}" if isinstance(node, ast.ImportFrom) else alias.name
            if not is_pure(qualname):
                self._found.doubts.append(alias.name)

    def _global(self, name: str) -> None:
        bindings = self._module.bindings(name)
        if not bindings:
            return self._builtin(name)
        if hasattr(builtins, name):
            self._found.doubts.append(name)  # another one until the module binds it
        match constancy(self._module, name, self._module.tree):
            case Constancy.CHANGES:
                self._stop(self._why_changing(name))
            case Constancy.UNSURE:
                self._found.doubts.append(name)
                self._stop(self._why_filled(name))
        self._found.unasked.append(partial(may_be_deleted, self._module, name))
        for binding in bindings:
            self._behind(binding.node)
        for part in self._parts_given_to(name) if name not in self._module.names.imports else ():
            self._value(part)

    def _why_changing(self, name: str) -> Reason:
        reads = f"it reads `{name}`, which"
        if not is_bound_by_a_cell(self._module, name):
            return Reason(Code.UNSTABLE, f"{reads} can change between calls")
        if name in self._module.names.imports:
            return Reason(Code.CELL_RERUN, f"{reads} may be reloaded")
        return Reason(Code.CELL_RERUN, f"{reads} another cell binds and may rebind")

    def _why_filled(self, name: str) -> Reason | None:
        """Why a list, a dictionary or a numpy array may be refilled under another name."""
        values = (self._module.value_of(b.node) for b in self._module.bindings(name) if isinstance(b.node, ast.Name))
        if not any(is_fillable(self._module, value) for value in values):
            return None
        reason = why_aliased(self._module, name, self._module.tree)
        return reason.restated(f"it reads `{name}`, and {reason}") if reason is not None else None

    def _parts_given_to(self, name: str) -> Iterator[ast.expr]:
        """What the module passes to the function `name`, such as the rule in `name.defjvp(rule)`."""
        for read in self._module.reads(name, self._module.tree):
            method = self._module.parent(read)
            call = self._module.parent(method) if isinstance(method, ast.Attribute) else None
            if isinstance(call, ast.Call) and call.func is method and self._module.function(call) is None:
                yield from (a for a in call.args if isinstance(a, ast.Name | ast.Lambda))

    def _is_spelled_otherwise(self, function: Function) -> bool:
        """Whether the text has other characters than the identifiers, which Python normalises (NFKC)."""
        if is_normalized("NFKC", self._module.text(function)):
            return False
        named = (node for node in (function, *walk(function)) if isinstance(node, ast.FunctionDef | ast.Name))
        return any(not _has_its_name(self._module.text(node), node) for node in named)

    def _builtin(self, name: str) -> None:
        if self._module.names.star_imports:
            self._found.doubts.append(name)
        self._found.unasked.append(partial(_is_perhaps_shadowed, self._module, name))
        if name not in _PURE_BUILTINS and name not in _DUNDERS:
            known = hasattr(builtins, name)
            self._stop(
                Reason(Code.SIDE_EFFECT, f"it calls `{name}`, at trace time only")
                if known
                else Reason(Code.UNREAD, f"`{name}` is not defined in this file")
            )

    def _behind(self, node: ast.AST) -> None:
        """Judges what a name of the module stands for: a function, a class, or a value made of them."""
        match node:
            case ast.FunctionDef(name=name):
                self._function(node)
                if self._gets_other_rules(name):
                    self._found.doubts.append(name)
                for rule in self._rules(name):
                    self._function(rule)
            case ast.AsyncFunctionDef() | ast.Lambda():
                self._function(node)
            case ast.ClassDef():
                self._class(node)
            case ast.Name() as target if (value := self._module.value_of(target)) is not None:
                self._value(value)

    def _gets_other_rules(self, name: str) -> bool:
        """Whether the derivative of the function `name` is said more than once, or when something is called."""
        reads = self._module.reads(name, self._module.tree)
        methods = [parent for read in reads if isinstance(parent := self._module.parent(read), ast.Attribute)]
        said = [method for method in methods if method.attr in RULES]
        return len({method.attr for method in said}) < len(said) or any(map(self._module.function, said))

    def _rules(self, name: str) -> Iterator[Function]:
        """The functions that are decorated with a part of the function `name`, such as `@name.defjvp`."""
        yield from self._module.get(_decorated_by_parts).get(name, ())

    def _value(self, value: ast.expr) -> None:
        """Judges the functions and classes that `value` is made of, such as that of `jax.vmap(f)`."""
        if value in self._values:
            return
        self._values.add(value)
        self._traced(node for node in walk(value) if self._module.function(node) is None)
        for node in walk(value):
            if isinstance(node, ast.Lambda):
                self._function(node)
            elif isinstance(node, ast.Name) and self._module.scope_of(node.id, node) is self._module.tree:
                for binding in self._module.bindings(node.id):
                    self._behind(binding.node)

    def _default(self, default: ast.expr) -> None:
        """A default is evaluated where the function is made, and kept from then on."""
        names = (n for n in walk(default) if isinstance(n, ast.Name))
        if any(self._module.scope_of(n.id, n) not in (None, self._module.tree) for n in names):
            return  # of an enclosing function, which decides whether the definition can move
        self._constant(
            default, Reason(Code.UNSTABLE, f"its default `{self._module.text(default)}` can change between calls")
        )
        self._value(default)
        kept = (n.id for n in walk(default) if isinstance(n, ast.Name))
        self._found.unasked += (partial(may_be_deleted, self._module, name) for name in kept)

    def _constant(self, value: ast.expr, reason: Reason) -> None:
        match constancy_of_value(self._module, value):
            case Constancy.CHANGES:
                self._stop(reason)
            case Constancy.UNSURE:
                self._found.doubts.append(self._module.text(value))

    def _decorator(self, decorator: ast.expr) -> None:
        named = decorator.func if isinstance(decorator, ast.Call) else decorator
        self._part(decorator, named, _PURE_DECORATORS | _JITS)

    def _part(self, part: ast.expr, named: ast.expr, known: frozenset[str]) -> None:
        """Judges a decorator or a base: one of this module, one that is known, or a doubt."""
        self._value(part)
        own = isinstance(named, ast.Name) and any(
            isinstance(b.node, ast.FunctionDef | ast.ClassDef) for b in self._module.bindings(named.id)
        )
        qualname = self._module.qualname(named) or (named.id if isinstance(named, ast.Name) else "")
        changes = qualname in _GROWING | _MEMOS  # a memo that a trace fills holds its tracers from then on
        if changes or not (own or qualname in known or is_pure(qualname)):
            self._found.doubts.append(self._module.text(part))

    def _class(self, node: ast.ClassDef) -> None:
        if node in self._classes:
            return
        self._classes.add(node)
        for base in (*node.bases, *(k.value for k in node.keywords)):
            if self._module.qualname(base) in _REGISTERING:
                self._found.doubts.append(node.name)  # `isinstance` says what was registered by then
            self._part(base, base.value if isinstance(base, ast.Subscript) else base, _PURE_BASES)
        for decorator in node.decorator_list:
            self._decorator(decorator)
        stored = [name for name in sorted(self._module.names.bound_in(node)) if is_stored(self._module, name)]
        if stored:
            self._stop(Reason(Code.UNSTABLE, f"it reads `{node.name}`, whose `{stored[0]}` can change between calls"))
        for member in self._members(node):
            if isinstance(member, ast.Assign | ast.AnnAssign) and member.value is not None:
                self._constant(
                    member.value, Reason(Code.UNSTABLE, f"it reads `{node.name}`, which can change between calls")
                )
                self._value(member.value)
                if may_hold_arrays(member.value):
                    self._found.doubts.append(self._module.text(member.value))
            elif isinstance(member, ast.ClassDef):
                self._class(member)


def _decorated_by_parts(module: Module) -> dict[str, list[Function]]:
    """The functions that are decorated with a part of a variable, by the name of the variable."""
    found: dict[str, list[Function]] = {}
    for function in module.functions:
        for decorator in [] if isinstance(function, ast.Lambda) else function.decorator_list:
            named = decorator.func if isinstance(decorator, ast.Call) else decorator
            if isinstance(named, ast.Attribute) and isinstance(named.value, ast.Name):
                found.setdefault(named.value.id, []).append(function)
    return found


def _has_its_name(text: str, node: ast.FunctionDef | ast.Name) -> bool:
    return text == node.id if isinstance(node, ast.Name) else re.search(rf"def\s+{node.name}\b", text) is not None
