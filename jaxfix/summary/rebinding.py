"""What a file rebinds, or changes, of other files: by names in its text, and by names that it computes."""

import ast
import re
from collections.abc import Container, Iterator
from textwrap import dedent

from jaxfix.effects.aliases import taken_by_name
from jaxfix.library.facets import Effect, Result, Takes, Transform
from jaxfix.library.table import short_names, where
from jaxfix.semantic.module import Module
from jaxfix.semantic.mutations import MUTATORS, SETTERS, changes_of, is_function_of_arrays, stored_attributes
from jaxfix.semantic.project.summary_types import (
    ANY_NAME,
    CHANGES,
    CHANGES_OWN,
    FILLS,
    HANDS_MODULES_ON,
    LISTS_NAMES,
    SETS_ANY_NAME,
    Facts,
)
from jaxfix.semantic.project.surroundings import ALONE
from jaxfix.source.errors import SourceError
from jaxfix.source.source_file import SourceFile
from jaxfix.summary.apart import done_apart
from jaxfix.summary.asked import asked_types
from jaxfix.summary.borrowed import Borrowed
from jaxfix.summary.changed_later import changed_later
from jaxfix.summary.own_objects import is_own
from jaxfix.syntax.nodes import last_name

_DELETING = short_names(Effect.DELETES)
_RULES = short_names(Transform.DERIVATIVE_RULE)
_CHANGING = MUTATORS | _RULES
_LISTING = short_names(Effect.SEES_NAMES) - short_names(Effect.RUNS_APART)
_PATCHERS = short_names(Effect.PATCHES)
_BY_NAME = short_names(Takes.ATTRIBUTE_NAME)
_READERS = where(Effect.READS) | where(Takes.ATTRIBUTE_NAME)
_FINDERS = where(Result.MODULE)
_RUNNERS = where(Effect.RUNS_TEXT)
_SPECIFYING = short_names(Result.SPECIFICATION)
_IMPORTING = "import "
_STATEMENTS = re.compile(r"\b(?:import|from)\b.*?[\n;].*(?:=|\(|\bdel\b)", re.DOTALL)
_MODULES = "sys.modules"
_PATCH = "unittest.mock.patch"


def rebinding(module: Module, packages: Container[str]) -> Facts:
    """The facts of `module` about what it changes of others; `packages` as for `facts`."""
    others, stored = Borrowed(module, packages), tuple(sorted(changes_of(module).perhaps_rebound))
    return Facts("", rebinds=rebinds(others), stored=stored, asks=asked_types(others))


def rebinds(others: Borrowed) -> tuple[str, ...]:
    """The dotted names that the file binds in others, or whose object it changes; `ANY_NAME` for all of a module."""
    return tuple(dict.fromkeys(_Rebinding(others).rebinds()))


class _Rebinding:
    def __init__(self, others: Borrowed) -> None:
        self.others, self.module = others, others.module

    def rebinds(self) -> Iterator[str]:
        yield from self._by_name()
        yield from self._patched()
        yield from self._computed()

    def _by_name(self) -> Iterator[str]:
        for node in self._changed_nodes():
            if self.others.may_be_theirs(node) and not self.others.goes_on(node):
                for of in self.others.named(node):
                    yield from self._changed(node, of)
        for node in self._opening_nodes():
            if not self.others.goes_on(node):
                for of in self.others.named(node):
                    yield from (f"{name}.{ANY_NAME}" for name in self._opened(node, of))

    def _changed_nodes(self) -> Iterator[ast.expr]:
        """What is rebound, or whose object is changed."""
        for attribute in stored_attributes(self.module):
            yield from (attribute, attribute.value)
        for subscript in self.module.nodes(ast.Subscript):
            if subscript.ctx.__class__ is not ast.Load:
                yield subscript.value
        yield from (node.target for node in self.module.nodes(ast.AugAssign))
        yield from (
            call.func
            for call in self.module.spelled_calls(_CHANGING | _DELETING)
            if isinstance(call.func, ast.Attribute)
        )
        yield from (call.args[0] for call in self.module.spelled_calls(_BY_NAME) if _names_a_part(call))

    def _opening_nodes(self) -> Iterator[ast.expr]:
        """What may give all names of something of another file away."""
        spelled, parents = self.module.names.by_id, self.module.index.parents
        for name in spelled if self.others.stars else self.others.theirs.keys() & spelled.keys():
            if name in self.others.theirs or name not in self.others.borrowed:
                whole = [node for node in spelled[name] if type(parents[node]) is not ast.Attribute]
                yield from (node for node in whole if isinstance(node.ctx, ast.Load) and self._is_handed_on(node))
        for node in (*self.module.attributes("__dict__"), *self.module.attributes("__globals__")):
            top: ast.expr = node
            while isinstance(parent := self.module.parent(top), ast.Attribute):
                top = parent
            yield top

    def _patched(self) -> Iterator[str]:
        """The names that calls such as `mock.patch("module.name")` spell as a text."""
        for call in self.module.spelled_calls(_PATCHERS):
            match call:
                case ast.Call(func=ast.Attribute(attr="multiple"), args=[ast.Constant(value=str(name))]):
                    yield from (f"{name}.{keyword.arg or ANY_NAME}" for keyword in call.keywords)
                case ast.Call(args=[ast.Constant(value=str(name)), *_]):
                    yield from [name] if "." in name else []
                case ast.Call(func=func, args=[target, *_]) if self.module.qualname(func) == _PATCH:
                    yield from _spelled(target)

    def _opened(self, node: ast.expr, of: str) -> Iterator[str]:
        """The modules, or other things, of which any name may be listed or bound: by anyone who gets them."""
        before, namespace, _ = of.partition(".__dict__")
        function, globals_, _ = of.partition(".__globals__")
        if namespace:
            yield before
        if globals_:
            yield function.rpartition(".")[0]
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and self._is_handed_on(node):
            yield of

    def _is_handed_on(self, node: ast.Name) -> bool:
        match self.module.parent(node):
            case ast.Attribute():
                return False
            case ast.Call(func=func, args=[first, *more]) if first is node:
                is_named = bool(more) and isinstance(more[0], ast.Constant)
                return not (is_named and last_name(func) in _BY_NAME)
            case ast.Call(func=func):
                return func is not node
        return True

    def _changed(self, node: ast.expr, of: str) -> Iterator[str]:
        """What of `of` and the modules and objects around it this reference rebinds or changes."""
        parent, owner = self.module.parent(node), of.rpartition(".")[0]
        match node, parent:
            case ast.Attribute(ctx=ast.Store() | ast.Del()), _:
                yield from (of, *_objects(owner))
            case _, ast.Subscript(value=value, ctx=ast.Store() | ast.Del()) if value is node:
                yield from _objects(of)
            case _, ast.AugAssign(target=target) if target is node:
                yield from _objects(of)
            case _, ast.Attribute(value=value, ctx=ast.Store() | ast.Del()) if value is node:
                yield from _objects(of)
            case ast.Attribute(attr=attr), ast.Call(func=func) if func is node and attr in _DELETING:
                yield from _objects(of)
            case ast.Attribute(attr=attr), ast.Call(func=func) if func is node and attr in _CHANGING:
                yield from () if is_function_of_arrays(self.module, parent) else _objects(owner)
            case _, ast.Call(func=func, args=[first, ast.Constant(value=str(name)), *_]) if first is node:
                if last_name(func) in ("setattr", "delattr", "object"):  # of `monkeypatch` and `mock.patch` too
                    yield f"{of}.{name}"

    # --- names that are not in the text -----------------------------------------------------------------------

    def _computed(self) -> Iterator[str]:
        for call in self.module.spelled_calls(SETTERS):
            yield from self._set(call)
        for found, name in self._found_modules():
            for use in self._uses_of(found):
                yield from self._done(use, name)
        for node in (*self.module.attributes("__dict__"), *self.module.spelled_calls(frozenset({"vars"}))):
            yield from self._namespace(node)
        for call in self.module.spelled_calls(frozenset(name.rpartition(".")[2] for name in _RUNNERS)):
            yield from self._run(call)
        yield from self._put_in_place()
        yield from (f"{of}.{ANY_NAME}" for of, call in self.others.given() if not self._only_reads(call.func))
        yield from self._in_texts()
        yield from done_apart(self.module)
        yield from (f"{FILLS}{name}" for name in taken_by_name(self.module))
        yield from (f"{CHANGES_OWN}{name}" for name in changed_later(self.module))
        if any(call.args and not is_own(self.module, call.args[0]) for call in self.module.spelled_calls(_LISTING)):
            yield LISTS_NAMES

    def _only_reads(self, func: ast.expr) -> bool:
        return (self.module.qualname(func) or last_name(func)) in _READERS

    def _set(self, call: ast.Call) -> Iterator[str]:
        """What a call such as `setattr(owner, name, value)` sets, whose name is not in the text."""
        match call.args:
            case [target, ast.Constant(value=str())] | [target, ast.Constant(value=str()), *_]:
                return
            case [_, _] if isinstance(call.func, ast.Attribute) and call.func.attr == "__setattr__":
                owner = self.module.qualname(call.func.value)
                if owner is not None:
                    yield f"{self.module.names.absolute(owner)}.{_literal(call.args[0]) or ANY_NAME}"
                elif not is_own(self.module, call.func.value):
                    yield SETS_ANY_NAME
            case [_, _] if isinstance(call.func, ast.Attribute):  # `monkeypatch.setattr("module.name", value)`
                yield from _spelled(call.args[0])
            case [target, _, *_] if (name := self.module.qualname(target)) is not None:
                yield f"{self.module.names.absolute(name)}.{ANY_NAME}"
            case [ast.Name() as target, _, *_] if not is_own(self.module, target):
                yield SETS_ANY_NAME

    def _in_texts(self) -> Iterator[str]:
        """What the statements bind that stand in a text, for another process or `timeit`; docstrings are for none."""
        nodes = self.module.nodes(ast.Constant)
        telling = [each for each in nodes if each.value.__class__ is str and _IMPORTING in str(each.value)]
        if not telling:
            return  # the parts of f-strings are among them
        plain = (str(each.value) for each in telling if not isinstance(self.module.parent(each), ast.Expr))
        filled = (_with_gaps(each) for each in self.module.nodes(ast.JoinedStr))
        for text in (*plain, *filled):
            if _IMPORTING in text and _STATEMENTS.search(text := dedent(text)):
                try:
                    inside = Module.parse(SourceFile.decode(self.module.source.path, text.encode()), ALONE)
                except (SourceError, RecursionError, ValueError):
                    continue  # prose
                yield from rebinds(self.others.of(inside))

    def _put_in_place(self) -> Iterator[str]:
        """The modules that others are put in the place of, by their names in `sys.modules`."""
        for node in (*self.module.attributes("modules"), *self.module.names.by_id.get("modules", ())):
            parent = self.module.parent(node)
            if self.module.qualname(node) != _MODULES:
                continue
            if isinstance(parent, ast.Subscript) and isinstance(parent.ctx, ast.Store):
                yield from self._in_place_of(parent.slice)
            elif isinstance(parent, ast.Attribute) and parent.attr in ("update", "setdefault"):
                yield ANY_NAME
            elif isinstance(parent, ast.Call) and last_name(parent.func) in ("dict", "setitem"):
                yield from self._in_place_of(parent.args[1]) if len(parent.args) > 1 else ()

    def _in_place_of(self, key: ast.expr) -> Iterator[str]:
        """All names of the module of this name; of any where it is computed, except one that is being imported."""
        match key:
            case ast.Dict(keys=keys):
                for each in keys:
                    yield from self._in_place_of(each) if each is not None else [ANY_NAME]
            case ast.Constant(value=str(name)):
                yield f"{name}.{ANY_NAME}"
            case ast.Attribute(attr="name" | "__name__") | ast.Name(id="__name__"):
                return  # of a specification, or of the module itself
            case ast.Name() if self._is_imported_from_a_file(key):
                return
            case _:
                yield ANY_NAME

    def _is_imported_from_a_file(self, name: ast.Name) -> bool:
        """Whether the name goes to what makes a new module of a file too."""
        uses = self.module.reads(name.id, self.module.scope_of(name.id, name))
        around = (self.module.parent(use) for use in uses)
        return any(isinstance(call, ast.Call) and last_name(call.func) in _SPECIFYING for call in around)

    def _found_modules(self) -> Iterator[tuple[ast.expr, str | None]]:
        """The expressions that find a module by its name, each with that name where it is in the text."""
        for call in self.module.spelled_calls(frozenset(name.rpartition(".")[2] for name in _FINDERS)):
            if (self.module.qualname(call.func) or last_name(call.func)) in _FINDERS:
                yield call, _literal(call.args[0]) if call.args else None
        for node in (*self.module.attributes("modules"), *self.module.names.by_id.get("modules", ())):
            if self.module.qualname(node) == _MODULES:
                yield from self._of_table(node)

    def _of_table(self, table: ast.expr) -> Iterator[tuple[ast.expr, str | None]]:
        match self.module.parent(table):
            case ast.Subscript(value=value, slice=key, ctx=ast.Load()) as found if value is table:
                if not (isinstance(key, ast.Name) and key.id == "__name__"):  # this very module
                    yield found, _literal(key)
            case ast.Attribute(attr="get" | "pop") as method:
                call = self.module.parent(method)
                if isinstance(call, ast.Call) and call.args:
                    yield call, _literal(call.args[0])
            case ast.Attribute(attr="values" | "items" | "copy") as method:
                yield method, None

    def _uses_of(self, found: ast.expr) -> Iterator[ast.expr]:
        """Where a module goes that was found, through variables too."""
        match self.module.parent(found):
            case ast.Assign(targets=[ast.Name(id=name) as target], value=value) if value is found:
                yield from self.module.reads(name, self.module.scope_of(name, target))
            case ast.NamedExpr(target=target):
                yield from self.module.reads(target.id, self.module.scope_of(target.id, target))
                yield found
            case _:
                yield found

    def _done(self, use: ast.expr, name: str | None) -> Iterator[str]:
        """What is bound where a module is used that was found by its name."""
        opened = f"{name}.{ANY_NAME}" if name is not None else HANDS_MODULES_ON
        match self.module.parent(use):
            case ast.Attribute(attr=attr, ctx=ast.Store() | ast.Del()) if name is not None:
                yield f"{name}.{attr}"
            case ast.Attribute(attr="__dict__" | "__globals__"):
                yield opened if name is not None else ANY_NAME
            case ast.Attribute() | ast.Expr() | ast.Compare() | ast.BoolOp() | ast.If() | ast.UnaryOp():
                return
            case ast.Call(func=func, args=[first, *more]) if first is use and last_name(func) in SETTERS:
                attribute = _literal(more[0]) if more else None
                if attribute is None:
                    yield opened if name is not None else ANY_NAME
                elif name is not None:
                    yield f"{name}.{attribute}"
            case ast.Call(func=func) if func is not use and self._only_reads(func):
                return
            case _:
                yield opened

    def _namespace(self, node: ast.expr) -> Iterator[str]:
        """What is bound in the dictionary of names of a library."""
        match node:
            case ast.Attribute(value=owner) | ast.Call(args=[owner]):
                of = self.module.qualname(owner)
            case _:
                return
        parent = self.module.parent(node)
        if of is None:
            is_open = isinstance(node, ast.Attribute) and isinstance(owner, ast.Name) and owner.id in ("self", "cls")
            if not is_open and _is_store(parent, node) and _key(parent) is None:
                yield SETS_ANY_NAME
        elif _is_store(parent, node):
            yield f"{of}.{_key(parent) or ANY_NAME}"

    def _run(self, call: ast.Call) -> Iterator[str]:
        """What code may bind that is a text: of all modules that this file knows by name."""
        if (self.module.qualname(call.func) or last_name(call.func)) not in _RUNNERS or not call.args:
            return
        namespace = call.args[1] if len(call.args) > 1 else None
        if namespace is not None and not (isinstance(namespace, ast.Call) and last_name(namespace.func) == "globals"):
            return
        text = _literal(call.args[0])
        known = {name: [of] for name, of in self.module.names.imports.items()} | self.others.theirs
        for name, dotted in known.items():
            if text is None or name in text:
                yield from (f"{of}.{ANY_NAME}" for of in dotted)


def _objects(name: str) -> tuple[str, ...]:
    return (name, f"{CHANGES}{name}") if name else ()  # the second for those who read it by another name


def _with_gaps(formatted: ast.expr) -> str:
    """A text, with a number in the place of each value that is put into it."""
    match formatted:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            return "".join(_with_gaps(value) or "0" for value in values)
    return ""


def _names_a_part(call: ast.Call) -> bool:
    """Whether it is a call such as `setattr(module, "name", ...)`."""
    match call.args:
        case [_, ast.Constant(value=str()), *_]:
            return True
    return False


def _literal(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _is_store(parent: ast.AST | None, namespace: ast.AST) -> bool:
    """Whether names are bound in a namespace."""
    match parent:
        case ast.Subscript(value=value, ctx=ast.Store() | ast.Del()):
            return value is namespace
        case ast.Attribute(attr=attr):
            return attr in MUTATORS
        case ast.Call(func=ast.Attribute(), args=[first, *_]):  # `mock.patch.dict`, `operator.setitem`
            return first is namespace
    return False


def _key(parent: ast.AST | None) -> str | None:
    return _literal(parent.slice) if isinstance(parent, ast.Subscript) else None


def _spelled(target: ast.expr) -> Iterator[str]:
    """The meaning of a computed name: any name of a module, where it begins with the module's."""
    match target:
        case ast.Constant(value=str()):
            return
        case (
            ast.JoinedStr(values=[ast.Constant(value=str(start)), *_]) | ast.BinOp(left=ast.Constant(value=str(start)))
        ):
            yield f"{start.rpartition('.')[0]}.{ANY_NAME}" if "." in start else ANY_NAME
        case ast.Attribute() | ast.Subscript() | ast.Lambda():
            return
        case _:
            yield ANY_NAME
