"""Who uses a function: every place that calls it, or does something else with it, in its own file and in others."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from jaxfix.report.abstract_value import UNKNOWN, Value
from jaxfix.semantic.classes import family, is_of_others, own_class
from jaxfix.semantic.module import Module
from jaxfix.semantic.project.query import (
    IS_NAMED_AROUND,
    IS_READ,
    LOOPED,
    PLAIN,
    USERS,
    VALUES,
    Answering,
    Query,
    is_eager_at,
)
from jaxfix.semantic.project.summary_types import ArgumentSummary, CallSite, ParameterPlace, Use
from jaxfix.staging.contexts import Staging
from jaxfix.staging.scripts import is_script
from jaxfix.staging.visibility import is_private, plain_method
from jaxfix.syntax.nodes import FUNCTIONS, Function, in_order
from jaxfix.syntax.signatures import is_enough, positional_of

Named = ast.FunctionDef | ast.AsyncFunctionDef | ast.Name | ast.Attribute
"""What gives a function its name: its `def`, or the target that it is bound to."""


@dataclass(frozen=True)
class Callers:
    """The uses of a function, or of what a name is bound to, in the order of the text.

    Attributes:
      calls: the calls of it in its own file.
      others: what else is done with it there, such as handing it on.
      is_private: whether it is a method of classes whose names are private.
    """

    module: Module
    named: Named
    calls: tuple[ast.Call, ...]
    others: tuple[ast.expr, ...]
    is_private: bool = False

    @cached_property
    def outside(self) -> tuple[Use, ...]:
        """What other files do with it, tests among them."""
        return tuple(use for name in self._names for use in self._project.ask(USERS, name))

    @cached_property
    def through_objects(self) -> tuple[Use, ...]:
        """The calls of other files that may be of the method, of whatever object, as far as their arguments tell."""
        name = self._through_objects
        every = self._project.ask(USERS, name) if name is not None and self._project.ask(LOOPED, name) else ()
        return tuple(use for use in every if use.call is not None and not use.is_test and self._takes(use.call))

    @property
    def _through_objects(self) -> str | None:
        """How it is asked for; None in a package, whose methods have too many readers to be followed."""
        if "." in (self.module.surroundings.name or "."):
            return None
        return plain_method(self.module, self.named) if isinstance(self.named, FUNCTIONS) else None

    def _takes(self, called: CallSite) -> bool:
        """Whether the method can be called with so many arguments, and all that it needs is passed."""
        if not isinstance(self.named, FUNCTIONS) or isinstance(self.named, ast.Lambda):
            return False
        given = outside_arguments(self.named, called)
        return given is not None and is_enough(self.named, given)

    @property
    def is_looped_outside(self) -> bool:
        """Whether one of those is a call that repeats: needing only these asks for less."""
        return any(self._project.ask(LOOPED, name) for name in self._names)

    def is_closed(self) -> bool:
        """Whether no unknown code can call it, as far as its name, its file and the project tell."""
        if self.is_private or isinstance(self.named, ast.Attribute):
            return self.is_private
        module, name = self.module, _name(self.named)
        if is_script(module):
            return module.source.notebook is None or not module.source.notebook.may_use(name)
        scope = module.parent(self.named) if _is_method(module, self.named) else module.scope_of(name, self.named)
        private = name.startswith("_") and not name.endswith("__")
        if isinstance(scope, ast.ClassDef):
            return private
        return private or (scope is not None and scope is not module.tree) or self._is_of_program()

    def are_all_here(self) -> bool:
        """Whether `calls` are all that there are, as far as its name and the files of the project tell."""
        if self.others or not self.is_closed() or self.outside:
            return False
        own = self._names[:1]  # one that a function keeps to itself has none
        return self.is_private or not any(self._project.ask(IS_NAMED_AROUND, name) for name in own)

    def _is_of_program(self) -> bool:
        """Whether the files of the run use it as their own program: one of the ways to a call ends in one of them.

        A function without known callers belongs to a library, whose callers are elsewhere.
        """
        if self.module.surroundings.name is None or not self._project.ask(IS_READ, ""):
            return False
        if any(self.module.get(Staging).is_eager(call) for call in self.calls):
            return True
        return any(use.call is not None and is_eager_at(self._project, use) for use in self.outside)

    @property
    def _project(self) -> Answering:
        return self.module.surroundings.project

    @cached_property
    def _names(self) -> tuple[str, ...]:
        """The dotted names of it, and of the whole module, from which anyone who has that may take it."""
        own, named = self.module.surroundings.name, self.named
        if isinstance(named, ast.Attribute):
            return ()
        is_method = _is_method(self.module, named)
        scope = None if is_method else self.module.scope_of(_name(named), named)
        if own is None or not (is_method or scope is self.module.tree):
            return ()
        path = self.module.path(named) if isinstance(named, FUNCTIONS) else named.id
        return f"{own}.{path}", own


def callers(module: Module, named: Named) -> Callers:
    """The uses of what `named` names; of a method those through any object, `self` or not."""
    calls: list[ast.Call] = []
    others: list[ast.expr] = []
    for use in in_order([*_uses(module, named)]):
        parent = module.parent(use)
        if isinstance(parent, ast.Call) and parent.func is use:
            calls.append(parent)
        else:
            others.append(use)
    return Callers(module, named, tuple(calls), tuple(others))


def stored_users(module: Module, stored: ast.Attribute) -> Callers | None:
    """The uses of what is stored in an attribute of `self`.

    Returns:
      None where another thing may be stored there too.
    """
    owner = own_class(module, stored.value)
    if owner is None:
        return None
    classes = family(module, owner)
    every = [node for node in module.attributes(stored.attr) if not is_of_others(module, node, classes)]
    if any(node is not stored and not isinstance(node.ctx, ast.Load) for node in every):
        return None
    loads = in_order([node for node in every if node is not stored])
    parents = [(node, module.parent(node)) for node in loads]
    calls = tuple(parent for node, parent in parents if isinstance(parent, ast.Call) and parent.func is node)
    called = {call.func for call in calls}
    others = tuple(node for node in loads if node not in called)
    return Callers(module, stored, calls, others, is_private(stored.attr) or is_script(module))


def outside_arguments(function: Function, called: CallSite) -> dict[str, ArgumentSummary | None] | None:
    """The argument that a call in another file passes to each parameter.

    Returns:
      By the name of the parameter; the value is None where the default is taken. None instead of all that where it
      cannot be determined.
    """
    arguments = function.args
    if called.arguments is None or arguments.vararg or arguments.kwarg:
        return None
    positional = [a.arg for a in positional_of(arguments)][1 if called.bound else 0 :]
    found: dict[str, ArgumentSummary | None] = dict.fromkeys([*positional, *(a.arg for a in arguments.kwonlyargs)])
    for passed in called.arguments:
        if isinstance(passed.to, str):
            found[passed.to] = passed
        elif passed.to < len(positional):
            found[positional[passed.to]] = passed
        else:
            return None
    return found


def values_elsewhere(module: Module, parameter: ast.arg) -> tuple[Value, ...]:
    """What the programs of other files pass for a parameter of a function of this module.

    Nothing where they pass nothing, or nothing is known of it at all.
    """
    passed = _passed_elsewhere(module, parameter, VALUES)
    found = tuple(each.value if each is not None else UNKNOWN for each in passed)
    return found if any(value != UNKNOWN for value in found) else ()


def plain_elsewhere(module: Module, parameter: ast.arg) -> tuple[ArgumentSummary, ...]:
    """The arguments that programs of other files pass for a parameter of a function of this module, where read.

    Nothing where none of them holds what is not an array.
    """
    return tuple(each for each in _passed_elsewhere(module, parameter, PLAIN) if each is not None)


def _passed_elsewhere(
    module: Module, parameter: ast.arg, query: Query[tuple[Use, ...]]
) -> Iterator[ArgumentSummary | None]:
    """None where it cannot be determined what is passed; where a call keeps the default there is nothing."""
    arguments = module.parent(parameter)
    function = module.parent(arguments) if arguments is not None else None
    if not isinstance(function, ast.FunctionDef) or module.parent(function) is not module.tree:
        return
    if function.args.vararg or function.args.kwarg:
        return  # of no call it can be determined
    name = module.get(Staging).name_for_others(function)
    positional = positional_of(function.args)
    position = positional.index(parameter) if parameter in positional else None
    about = str(ParameterPlace(name, position, parameter.arg)) if name is not None else None
    for use in module.surroundings.project.ask(query, about) if about is not None else ():
        given = outside_arguments(function, use.call) if use.call is not None else None
        if given is None or parameter.arg not in given:
            yield None
        elif (passed := given[parameter.arg]) is not None:
            yield passed


def _uses(module: Module, named: Named) -> Iterator[ast.expr]:
    name = _name(named)
    is_method = _is_method(module, named)
    scope = module.scope_of(name, named)
    if is_method:
        yield from (node for node in module.attributes(name) if isinstance(node.ctx, ast.Load))
    else:
        yield from module.reads(name, scope)


def _name(named: Named) -> str:
    match named:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return named.name


def _is_method(module: Module, named: Named) -> bool:
    return not isinstance(named, ast.Name | ast.Attribute) and isinstance(module.parent(named), ast.ClassDef)
