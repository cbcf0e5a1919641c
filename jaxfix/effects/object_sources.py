"""What the attributes of an object are bound to, through the constructors of classes of a file."""

import ast
from collections.abc import Iterator

from jaxfix.dataflow.solver import EXISTS, Lattice, Solver
from jaxfix.dataflow.sources import UNREAD, in_text
from jaxfix.dataflow.sources import Sources as Expressions
from jaxfix.dataflow.types import Values
from jaxfix.effects.attributes import InstanceAttribute, value_at
from jaxfix.library.facets import Result
from jaxfix.library.table import short_names
from jaxfix.report.abstract_value import Form
from jaxfix.semantic.calls import arguments_of
from jaxfix.semantic.classes import class_of, family
from jaxfix.semantic.module import Module
from jaxfix.semantic.project.query import USERS
from jaxfix.syntax.nodes import FUNCTIONS
from jaxfix.syntax.signatures import default_of

_PLAIN_TYPES = short_names(Result.IMMUTABLE, "builtins")
_EXPRESSIONS: Lattice[Expressions] = Lattice((), lambda one, other: in_text((*one, *other)), (UNREAD,))
_Question = tuple[ast.AST, bool]
"""An expression or a parameter; or an attribute, of which the fields behind it are meant."""


class Sources:
    """The expressions behind attributes of objects, and which of them are Python constants.

    An object may be made of itself, as `Rates(self.first)`. So these are relations, each with the answers of those
    before it as constants: what an expression stands for; whether that may be something else than a constant; and what
    it stands for where a field that holds a constant stands for itself.
    """

    def __init__(self, module: Module, values: Values) -> None:
        self._module, self._values = module, values
        self._behind: Solver[ast.AST, Expressions] = Solver(self._all_behind, _EXPRESSIONS)
        self._may_vary: Solver[_Question, bool] = Solver(self._varies, EXISTS)
        self._up_to_fields: Solver[ast.AST, Expressions] = Solver(self._behind_up_to_fields, _EXPRESSIONS)

    def held(self, attribute: str, classes: tuple[ast.ClassDef, ...]) -> list[ast.AST]:
        """What the attribute of such an object is bound to.

        Returns:
          In the order of the text; empty where that is not certain.
        """
        return [source for place in self._places(attribute, classes) for source in self.at(place)]

    def _places(self, attribute: str, classes: tuple[ast.ClassDef, ...]) -> list[ast.AST]:
        found = InstanceAttribute(self._module, attribute, classes)
        return [] if found.why_rebound() is not None else list(found.bound())

    def at(self, place: ast.AST) -> Iterator[ast.AST]:
        """What an attribute is bound to at `place`; of a parameter, what the objects of this file are made with.

        Returns:
          In the order of the text.
        """
        value = value_at(self._module, place)
        if value is None:
            yield place
        else:
            yield from self.followed(value)

    def is_given_elsewhere(self, attribute: str, classes: tuple[ast.ClassDef, ...]) -> bool:
        """Whether the attribute is bound to an argument of a constructor that another file may call."""
        module, surroundings = self._module, self._module.surroundings
        bound = InstanceAttribute(module, attribute, classes).bound()
        values = [value for place in bound if (value := value_at(module, place)) is not None]
        behind = (source for value in values for source in self._values.origins.of(value))
        if surroundings.name is None or not any(isinstance(source, ast.arg) for source in behind):
            return False
        names = (f"{surroundings.name}.{each.name}" for each in classes if module.function(each) is None)
        return any(surroundings.project.ask(USERS, name) for name in names)

    def followed(self, value: ast.expr) -> Expressions:
        """What `value` may be; a field that holds a constant stands for itself."""
        return self._up_to_fields(value)

    def _all_behind(self, node: ast.AST) -> Expressions:
        return in_text(each for source in self._next(node) for each in self._ends(source, self._behind))

    def _behind_up_to_fields(self, node: ast.AST) -> Expressions:
        if isinstance(node, ast.Attribute) and not self._may_vary((node, True)):
            return (node,)
        return in_text(each for source in self._next(node) for each in self._ends(source, self._up_to_fields))

    def _ends(self, source: tuple[ast.AST, bool], behind: Solver[ast.AST, Expressions]) -> Expressions:
        node, goes_on = source
        return behind(node) if goes_on else (node,)

    def _next(self, node: ast.AST) -> Iterator[tuple[ast.AST, bool]]:
        """What an expression or a parameter stands for at once, and whether that stands for something else."""
        if isinstance(node, ast.arg):
            yield from self._given(node)
        else:
            yield from ((source, isinstance(source, ast.arg)) for source in self._values.origins.of(node))

    def _given(self, parameter: ast.arg) -> Iterator[tuple[ast.AST, bool]]:
        module = self._module
        function = next((f for f in module.ancestors(parameter) if isinstance(f, FUNCTIONS)), None)
        owner = module.method_of(function) if function is not None else None
        if not isinstance(function, ast.FunctionDef) or owner is None or function.name != "__init__":
            yield parameter, False
            return
        default, is_given = default_of(function, parameter.arg), False
        for call in (use for use in module.nodes(ast.Call) if class_of(module, use.func) in family(module, owner)):
            arguments = arguments_of(function, call, bound=True)
            argument = arguments.get(parameter.arg) if arguments is not None else parameter
            if argument is not None:
                is_given = True
                yield argument, argument is not parameter
        if default is not None or not is_given:
            yield default or parameter, False

    # --- whether it is a constant -----------------------------------------------------------------------------

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
            case ast.Attribute() if not self._may_vary((source, True)):
                return True
            case ast.Compare(left=left, comparators=others):
                return all(self.is_constant(each) for each in (left, *others))
            case ast.BinOp(left=left, right=right):
                return self.is_constant(left) and self.is_constant(right)
            case ast.Name() if self._counts(source):
                return True
        return isinstance(source, ast.expr) and self._values.of(source).form is Form.PYTHON

    def _varies(self, question: _Question) -> bool:
        """Whether an expression, or the fields behind an attribute, may be something else than constants."""
        node, is_field = question
        if is_field and isinstance(node, ast.Attribute):
            return self._field_varies(node)
        if isinstance(node, ast.Attribute) and not self._may_vary((node, True)):
            return False
        sources = self._next(node)
        return any(
            self._may_vary((each, False)) if goes_on else not self.is_constant(each) for each, goes_on in sources
        )

    def _field_varies(self, node: ast.Attribute) -> bool:
        """Unless all objects that the attribute may be of are of this file, and hold a constant there."""
        makers = [source.func if isinstance(source, ast.Call) else source for source in self._behind(node.value)]
        owners = [class_of(self._module, each) if isinstance(each, ast.expr) else None for each in makers]
        classes = tuple(owner for owner in owners if owner is not None)
        if not classes or len(classes) < len(owners):
            return True
        whole = dict.fromkeys(each for owner in classes for each in family(self._module, owner))
        found = self._places(node.attr, tuple(whole))
        return not found or any(map(self._place_varies, found))

    def _place_varies(self, place: ast.AST) -> bool:
        value = value_at(self._module, place)
        return not self.is_constant(place) if value is None else self._may_vary((value, False))

    def _counts(self, name: ast.Name) -> bool:
        """Whether `name` is the variable of a comprehension over a `range`."""
        binding = self._module.names.only_binding(name)
        match self._module.parent(binding.node) if binding is not None else None:
            case ast.comprehension(iter=ast.Call(func=ast.Name(id="range") as func)):
                return self._module.scope_of("range", func) is None
        return False

    def _is_held_alone(self, display: ast.List) -> bool:
        """Whether a list is written where its object is made, so that nothing else has it."""
        holder = self._module.parent(display)
        if isinstance(holder, ast.keyword):
            holder = self._module.parent(holder)
        is_bound = isinstance(holder, ast.Assign) and isinstance(holder.targets[0], ast.Attribute)
        return is_bound or (isinstance(holder, ast.Call) and class_of(self._module, holder.func) is not None)
