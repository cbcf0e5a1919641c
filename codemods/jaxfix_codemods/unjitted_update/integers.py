"""What a step reads that may be a Python integer of any size, and what it makes of that."""

import ast

from jaxfix.api import FUNCTIONS, Code, Declined, Module, Reason
from jaxfix.api.analysis import Form, Kind, Sources, Values, class_of, family, own_class
from jaxfix.api.library import Dtype, Result, short_names
from jaxfix_codemods.jitting.traced import (
    integer_fields,
    is_integer,
    is_integer_field,
    may_yield_integer,
    overflows,
    reads_of_parameter,
)
from jaxfix_codemods.unjitted_update.binding import counts_iterations
from jaxfix_codemods.unjitted_update.device import Device
from jaxfix_codemods.unjitted_update.keyed import entry_text, is_entry, is_spelled, values_of_entry

_AVERAGES = short_names(Dtype.FLOAT, "jax.numpy") & short_names(Result.REDUCED, "jax.Array")


class Integers:
    """Answers for one module."""

    def __init__(self, module: Module) -> None:
        self._module = module

    def overflows(self, read: ast.expr) -> bool:
        """Whether `read` may be an integer that is multiplied or raised with others.

        A traced one has 32 bits. A variable must be known to be an integer, an entry or an option may be one.
        """
        is_known = self._is_known(read)
        if not is_known and isinstance(read, ast.Name):
            return bool(integer_fields(self._module)) and self._has_wide_field(read)
        if not is_known and not self._may_be(read):
            return False
        return overflows(self._module, read, self._may_be, is_known=is_known)

    def _has_wide_field(self, read: ast.Name) -> bool:
        """Whether it is an object with a field that is an integer, which is multiplied or raised where it is passed."""
        module = self._module
        pending, seen = list[ast.expr]([read]), set[ast.expr]([read])
        while pending:
            inner = pending.pop()
            outer = module.parent(inner)
            if isinstance(outer, ast.Attribute) and is_integer_field(module, outer) and self.overflows(outer):
                return True
            call = module.parent(outer) if isinstance(outer, ast.keyword) else outer
            if isinstance(call, ast.Call) and call.func is not inner:
                after = [each for each in reads_of_parameter(module, inner, call) if each not in seen]
                seen |= {*after}
                pending += after
        return False

    def _is_known(self, expr: ast.expr) -> bool:
        module = self._module
        if is_integer(module.get(Values), expr):
            return True
        if is_spelled(expr) and is_entry(module, expr):
            made = values_of_entry(module, expr)
            return any(isinstance(each, ast.expr) and is_integer(module.get(Values), each) for each in made)
        if isinstance(expr, ast.Attribute):
            return is_integer_field(module, expr) or self._is_counter(expr)
        bound = module.bindings(expr.id, module.scope_of(expr.id, expr)) if isinstance(expr, ast.Name) else ()
        return any(counts_iterations(module, each.node) for each in bound)

    def _is_counter(self, attribute: ast.Attribute) -> bool:
        """Whether its object counts there: it is bound to one more than it was."""
        module, owner = self._module, own_class(self._module, attribute.value)
        if owner is None or module.get(Device).is_array(attribute):
            return False
        classes = family(module, owner)
        bound = (each for each in module.attributes(attribute.attr) if isinstance(each.ctx, ast.Store))
        return any(_counts(module, each) and own_class(module, each.value) in classes for each in bound)

    def _may_be(self, expr: ast.expr) -> bool:
        """Whether it may be an integer: neither an array nor a float, as far as is known."""
        module, values = self._module, self._module.get(Values)
        if self._is_known(expr):
            return True
        if is_spelled(expr) and is_entry(module, expr):
            return self._may_enter(expr)
        value = values.of(expr)
        if value.is_array or (value.form is not Form.UNKNOWN and value.kind is Kind.FLOAT):
            return False
        if module.get(Device).is_array(expr) or _is_leaf(module, expr):
            return False
        return not isinstance(expr, ast.Attribute) or not (self._holds_float(expr) or self._is_declared_float(expr))

    def _may_enter(self, entry: ast.Subscript) -> bool:
        """Whether the dictionary is made with an integer there, or is given one that is not made of the entry."""
        bound = values_of_entry(self._module, entry)
        text = entry_text(entry)

        def may_be(expr: ast.expr) -> bool:
            return not (is_spelled(expr) and entry_text(expr) == text) and self._may_be(expr)

        return not bound or any(each is None or may_yield_integer(each, may_be) for each in bound)

    def _holds_float(self, attribute: ast.Attribute) -> bool:
        """Whether the own object holds nothing but floats and arrays there."""
        module, values = self._module, self._module.get(Values)
        owner = own_class(module, attribute.value)
        held = Sources(module, values).held(attribute.attr, family(module, owner)) if owner is not None else []
        return bool(held) and all(self._is_float(each) for each in held)

    def _is_declared_float(self, option: ast.Attribute) -> bool:
        """Whether the class of its object declares it as `float`, and nothing of this file gives it another value."""
        module, name = self._module, option.attr
        owners = self._classes(option.value)
        fields = [each for each in module.nodes(ast.AnnAssign) if _is_field(module, each, name)]
        if len(fields) != 1 or owners != {module.parent(fields[0])}:
            return False
        if any(not isinstance(each.ctx, ast.Load) for each in module.attributes(name)):
            return False
        (field,) = fields
        is_float = isinstance(field.annotation, ast.Name) and field.annotation.id == "float"
        given = [*([field.value] if field.value is not None else []), *self._given(field, name)]
        return is_float and all(each is not None and self._is_float(each) for each in given)

    def _classes(self, holder: ast.expr) -> set[ast.AST | None]:
        """The classes of this file that the object may be of; None among them where one is not known."""
        module, values = self._module, self._module.get(Values)
        if (own := own_class(module, holder)) is not None:
            return {own}
        sources: list[ast.AST] = list(values.origins.of(holder))
        if isinstance(holder, ast.Attribute) and (owner := own_class(module, holder.value)) is not None:
            sources = Sources(module, values).held(holder.attr, family(module, owner))
        return {_class_of(module, source) for source in sources}

    def _given(self, field: ast.AnnAssign, name: str) -> list[ast.expr | None]:
        """What calls pass for the field by its name, or constructors by position; None where that is not known."""
        module, owner = self._module, self._module.parent(field)
        assert isinstance(owner, ast.ClassDef)
        order = [each for each in owner.body if isinstance(each, ast.AnnAssign)]
        found: list[ast.expr | None] = []
        for call in module.nodes(ast.Call):
            found += [each.value for each in call.keywords if each.arg == name]
            if class_of(module, call.func) is not owner:
                continue
            is_hidden = bool(owner.bases and call.args) or any(each.arg is None for each in call.keywords)
            if is_hidden or any(isinstance(each, ast.Starred) for each in call.args):
                found.append(None)
            else:
                found += call.args[order.index(field) :][:1]
        return found

    def _is_float(self, expr: ast.AST) -> bool:
        match expr:
            case ast.Call(func=ast.Attribute(attr=attr)) if attr in _AVERAGES - self._module.names.defining:
                return True
        value = self._module.get(Values).of(expr)
        return value.is_array or (value.kind is Kind.FLOAT and not value.assumed)


def check_width(module: Module, read: ast.expr, name: str) -> None:
    """Refuses to pass a Python integer, called `name`, to a step that multiplies or raises it.

    Raises:
      Declined: it does.
    """
    if module.get(Integers).overflows(read):
        text = f"`{name}` may be an unbounded Python int, and a traced one has a fixed width"
        raise Declined(Reason(Code.OVERFLOW, text))


def _class_of(module: Module, source: ast.AST) -> ast.ClassDef | None:
    match source:
        case ast.Call(func=func) | ast.arg(annotation=ast.expr() as func):
            return class_of(module, func)
    return None


def _counts(module: Module, place: ast.AST) -> bool:
    """Whether an attribute is bound there to itself and an integer."""
    match module.parent(place), place:
        case ast.AugAssign(op=ast.Add() | ast.Sub(), value=ast.Constant(value=int())), _:
            return True
        case ast.Assign(value=ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right)), ast.Attribute(attr=attr):
            own, other = (right, left) if isinstance(left, ast.Constant) else (left, right)
            is_own = isinstance(own, ast.Attribute) and own.attr == attr
            return is_own and isinstance(other, ast.Constant) and isinstance(other.value, int)
    return False


def _is_field(module: Module, field: ast.AnnAssign, name: str) -> bool:
    is_named = isinstance(field.target, ast.Name) and field.target.id == name
    return is_named and isinstance(module.parent(field), ast.ClassDef)


def _is_leaf(module: Module, expr: ast.expr) -> bool:
    """Whether it is a parameter of a function inside another one, as of what maps a tree."""
    only = module.names.only_binding(expr) if isinstance(expr, ast.Name) else None
    function = module.function(expr) if only is not None and isinstance(only.node, ast.arg) else None
    return isinstance(function, FUNCTIONS) and module.function(function) is not None
