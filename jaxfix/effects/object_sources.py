"""What the attributes of an object are bound to, through the constructors of classes of a file."""

import ast
from collections.abc import Iterator

from jaxfix.dataflow.types import Values
from jaxfix.effects.attributes import InstanceAttribute, value_at
from jaxfix.library.facets import Result
from jaxfix.library.table import short_names
from jaxfix.report.abstract_value import Form
from jaxfix.semantic.calls import arguments_of
from jaxfix.semantic.classes import class_of, family
from jaxfix.semantic.module import Module
from jaxfix.syntax.nodes import FUNCTIONS
from jaxfix.syntax.signatures import default_of

_PLAIN_TYPES = short_names(Result.IMMUTABLE, "builtins")


class Sources:
    """The expressions behind attributes of objects, and which of them are Python constants."""

    def __init__(self, module: Module, values: Values) -> None:
        self._module, self._values = module, values

    def held(self, attribute: str, classes: tuple[ast.ClassDef, ...]) -> list[ast.AST]:
        """What the attribute of such an object is bound to; nothing where that is not certain."""
        found = InstanceAttribute(self._module, attribute, classes)
        if found.why_rebound() is not None:
            return []
        return [source for place in found.bound() for source in self.at(place)]

    def at(self, place: ast.AST) -> Iterator[ast.AST]:
        """What an attribute is bound to at `place`; of a parameter, what the objects of this file are made with."""
        value = value_at(self._module, place)
        if value is None:
            yield place
        else:
            yield from self.followed(value)

    def followed(self, value: ast.expr) -> Iterator[ast.AST]:
        """What `value` may be; a field that holds a constant stands for itself."""
        if isinstance(value, ast.Attribute) and self._is_field(value.value, value.attr):
            yield value
            return
        for source in self._values.origins.of(value):
            yield from self._given(source) if isinstance(source, ast.arg) else (source,)

    def _given(self, parameter: ast.arg) -> Iterator[ast.AST]:
        module = self._module
        function = next((f for f in module.ancestors(parameter) if isinstance(f, FUNCTIONS)), None)
        owner = module.method_of(function) if function is not None else None
        if not isinstance(function, ast.FunctionDef) or owner is None or function.name != "__init__":
            yield parameter
            return
        calls = [use for use in module.nodes(ast.Call) if class_of(module, use.func) in family(module, owner)]
        found: list[ast.AST] = []
        for call in calls:
            arguments = arguments_of(function, call, bound=True)
            argument = arguments.get(parameter.arg) if arguments is not None else parameter
            if argument is not None:
                found += (argument,) if isinstance(argument, ast.arg) else self.followed(argument)
        default = default_of(function, parameter.arg)
        yield from [*found, *([default] if default is not None else [])] or [parameter]

    def is_constant(self, source: ast.AST) -> bool:
        """Whether it is a Python number or a text, or a display of these that nobody else has."""
        match source:
            case ast.Constant():
                return True
            case ast.Tuple(elts=elts):
                return all(self.is_constant(element) for element in elts)
            case ast.List(elts=elts) if self._is_held_alone(source):
                return all(self.is_constant(element) for element in elts)
            case ast.arg(annotation=ast.Name(id=name)):
                return name in _PLAIN_TYPES
            case ast.Attribute(value=holder, attr=attr) if self._is_field(holder, attr):
                return True
        return isinstance(source, ast.expr) and self._values.of(source).form is Form.PYTHON

    def _is_field(self, holder: ast.expr, attribute: str) -> bool:
        """Whether all objects that `holder` may be are of this file, and hold a constant there."""
        makers = [source.func if isinstance(source, ast.Call) else source for source in self.followed(holder)]
        owners = [class_of(self._module, each) if isinstance(each, ast.expr) else None for each in makers]
        classes = tuple(owner for owner in owners if owner is not None)
        if not classes or len(classes) < len(owners):
            return False
        held = self.held(
            attribute, tuple(dict.fromkeys(each for owner in classes for each in family(self._module, owner)))
        )
        return bool(held) and all(self.is_constant(source) for source in held)

    def _is_held_alone(self, display: ast.List) -> bool:
        """Whether a list is written where its object is made, so that nothing else has it."""
        holder = self._module.parent(display)
        if isinstance(holder, ast.keyword):
            holder = self._module.parent(holder)
        is_bound = isinstance(holder, ast.Assign) and isinstance(holder.targets[0], ast.Attribute)
        return is_bound or (isinstance(holder, ast.Call) and class_of(self._module, holder.func) is not None)
