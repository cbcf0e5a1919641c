"""Where an attribute of the objects of a class is bound, and what binds or fills it later."""

import ast
from collections.abc import Iterator

from jaxfix.effects.aliases import is_fillable
from jaxfix.report.reason import Code, Reason
from jaxfix.semantic.classes import class_of, family, is_of_others, methods, own_parameter
from jaxfix.semantic.module import Module
from jaxfix.semantic.mutations import INITIALISERS, MUTATORS, SETTERS, changes_of
from jaxfix.semantic.project.query import FILLS, STORES
from jaxfix.semantic.project.summary_types import ANY_NAME
from jaxfix.semantic.receivers import PASSES_ITEMS
from jaxfix.source.frozen import frozen
from jaxfix.syntax.nodes import walk


def stores_of(module: Module, function: ast.FunctionDef) -> tuple[str, ...]:
    """The attributes of its own object that a method, or one that it calls, binds.

    Returns:
      As the code has them, such as `self.params`; each once.
    """
    found: dict[str, None] = {}
    for each, own in with_called(module, function):
        for node in walk(each):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del) and _is(node.value, own):
                found[f"{own}.{node.attr}"] = None
    return tuple(found)


def reads_of(module: Module, function: ast.FunctionDef) -> frozenset[str]:
    """The attributes of its own object that a method, or one that it calls, reads or binds.

    Returns:
      Their names; methods that it calls are among them, and it is empty where it takes no object.
    """
    return frozenset(
        node.attr
        for each, own in with_called(module, function)
        for node in walk(each)
        if isinstance(node, ast.Attribute) and _is(node.value, own)
    )


def with_called(module: Module, function: ast.FunctionDef) -> Iterator[tuple[ast.FunctionDef, str]]:
    """A method and the methods that it calls of its own object, each with the name that the object has in it."""
    owner = module.method_of(function)
    classes = family(module, owner) if owner is not None else ()
    pending, met = [function], {function}
    while pending:
        each = pending.pop()
        own = own_parameter(each)
        if own is None:
            continue
        yield each, own
        for node in walk(each):
            if isinstance(node, ast.Attribute) and _is(node.value, own):
                new = [method for method in methods(classes, node.attr) if method not in met]
                met.update(new)
                pending += new


@frozen
class InstanceAttribute:
    """The attribute `name` of the objects of `classes`."""

    module: Module
    name: str
    classes: tuple[ast.ClassDef, ...]

    def bound(self) -> Iterator[ast.AST]:
        """The places that bind it when an object is made, in the order of the text, then those in its classes."""
        for node in self.module.attributes(self.name):
            if isinstance(node.ctx, ast.Store) and self._makes(node):
                yield node
        for each in self.classes:
            for binding in self.module.bindings(self.name, each):
                yield binding.node

    def _makes(self, node: ast.Attribute) -> bool:
        """Whether `node` stands for an attribute of the object that an initialiser of the classes makes."""
        function = self.module.function(node)
        if not isinstance(function, ast.FunctionDef) or function.name not in INITIALISERS:
            return False
        return self.module.method_of(function) in self.classes and _is(node.value, own_parameter(function) or "")

    def why_rebound(self) -> Reason | None:
        """Why it may be bound again after its object is made; None where it is not."""
        module = self.module
        for node in module.attributes(self.name):
            if isinstance(node.ctx, ast.Load) or self._makes(node) or is_of_others(module, node, self.classes):
                continue
            return Reason(Code.REBOUND, f"line {node.lineno} rebinds `{module.text(node)}`", node.lineno)
        for text in module.nodes(ast.Constant):
            if text.value == self.name and _is_set_by_name(module, text):
                return Reason(Code.REBOUND, f"line {text.lineno} rebinds `{self.name}`, by its name", text.lineno)
        if module.surroundings.project.ask(STORES, self.name):
            return Reason(Code.CHANGED_ELSEWHERE, f"another file rebinds an attribute `{self.name}`")
        if changes_of(module).any_attribute or ANY_NAME in changes_of(module).perhaps_rebound:
            return Reason(Code.REBOUND, "attributes are set by computed names")
        if module.surroundings.project.ask(STORES, ANY_NAME):
            return Reason(
                Code.CHANGED_ELSEWHERE, f"another file sets attributes by computed names, perhaps `{self.name}`"
            )
        for node in module.attributes("__init__"):
            if not _makes_a_base(module, node):
                return Reason(
                    Code.REBOUND, f"line {node.lineno} may make an object again by `{module.text(node)}`", node.lineno
                )
        return None

    def why_filled(self) -> Reason | None:
        """Why the object behind it, or a part of that, changes in place; None where nothing changes it."""
        module = self.module
        values = (value_at(module, place) for place in self.bound())
        if any(is_fillable(module, value) for value in values) and module.surroundings.project.ask(FILLS, self.name):
            return Reason(Code.CHANGED_ELSEWHERE, f"another file may change what an attribute `{self.name}` holds")
        for node in module.attributes(self.name):
            if is_of_others(module, node, self.classes):
                continue
            part: ast.AST = node
            while isinstance(outer := module.parent(part), ast.Attribute | ast.Subscript) and outer.value is part:
                if isinstance(outer, ast.Attribute) and outer.attr == "at":
                    break
                part = outer
                if isinstance(part.ctx, ast.Store | ast.Del) or _is_mutation(module, part):
                    return Reason(
                        Code.MUTATED, f"line {node.lineno} changes `{module.text(node)}` in place", node.lineno
                    )
            if any(_is_changed(module, name) for name in _iterated(module, part)):
                text = f"line {node.lineno} changes what `{module.text(node)}` holds in place"
                return Reason(Code.MUTATED, text, node.lineno)
        return None


def why_object_changes(module: Module, method: ast.FunctionDef) -> Reason | None:
    """Why an attribute may change, after its object was made, that a method reads of it.

    Returns:
      None if each of them stays.
    """
    owner = module.method_of(method)
    classes = family(module, owner) if owner is not None else ()
    read = (name for name in sorted(reads_of(module, method)) if not methods(classes, name))
    attributes = [InstanceAttribute(module, name, classes) for name in read]
    return next(filter(None, (each.why_rebound() or each.why_filled() for each in attributes)), None)


def value_at(module: Module, place: ast.AST) -> ast.expr | None:
    """The expression that is bound to an attribute at `place`, of several that are bound at once its own.

    Returns:
      None where that is not in the text, as where a call returns several.
    """
    return module.value_of(place) if isinstance(place, ast.Name | ast.Attribute) else None


def _is_mutation(module: Module, method: ast.Attribute | ast.Subscript) -> bool:
    call = module.parent(method)
    if not isinstance(method, ast.Attribute) or not isinstance(call, ast.Call) or call.func is not method:
        return False
    is_dropped = isinstance(module.parent(call), ast.Expr)
    return method.attr in MUTATORS and (is_dropped or method.attr != "update")


def _iterated(module: Module, expr: ast.AST) -> Iterator[ast.Name]:
    """The variables that a loop over `expr`, or over builtin functions of it, binds to its items."""
    outer = module.parent(expr)
    while isinstance(outer, ast.Call) and isinstance(outer.func, ast.Name) and outer.func.id in PASSES_ITEMS:
        expr, outer = outer, module.parent(outer)
    if isinstance(outer, ast.For | ast.comprehension) and outer.iter is expr:
        yield from (node for node in walk(outer.target) if isinstance(node, ast.Name))


def _is_changed(module: Module, name: ast.Name) -> bool:
    """Whether some code stores into the object of that variable, or calls a method of it that changes it."""
    scope = module.scope_of(name.id, name)
    return any(module.scope_of(name.id, root) is scope for root in changes_of(module).roots.get(name.id, ()))


def _is(node: ast.AST, own: str) -> bool:
    return isinstance(node, ast.Name) and node.id == own


def _is_set_by_name(module: Module, text: ast.Constant) -> bool:
    """Whether `text` names an attribute that is bound: `setattr(trainer, "rate", 1)`, `vars(trainer)["rate"] = 1`."""
    match module.parent(text):
        case ast.Call() as call:
            return any(_names_setter(part) for part in (call.func, *call.args) if part is not text)
        case ast.Subscript(value=value, ctx=ast.Store() | ast.Del()):
            called = value.func if isinstance(value, ast.Call) else value
            return (isinstance(called, ast.Name) and called.id == "vars") or (
                isinstance(called, ast.Attribute) and called.attr == "__dict__"
            )
    return False


def _names_setter(part: ast.expr) -> bool:
    """Whether `part` of a call says that it binds attributes: `setattr`, `model.__setattr__`, `"__setattr__"`."""
    match part:
        case ast.Name(id=by) | ast.Attribute(attr=by) | ast.Constant(value=str(by)):
            return by in SETTERS
    return False


def _makes_a_base(module: Module, node: ast.Attribute) -> bool:
    """Whether `node` is the initialiser of a base, used in one: `super().__init__`, `Base.__init__`."""
    function = module.function(node)
    if not isinstance(function, ast.FunctionDef) or function.name not in INITIALISERS:
        return False
    is_super = isinstance(node.value, ast.Call) and _is(node.value.func, "super")
    return is_super or class_of(module, node.value) is not None or module.qualname(node.value) is not None
