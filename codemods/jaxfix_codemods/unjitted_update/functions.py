"""Functions, and objects whose methods it calls, that a row uses and is not passed: they stay what they are."""

import ast

from jaxfix.api import Code, Declined, Module, Reason, arguments_of, jit_of
from jaxfix.api.analysis import (
    During,
    Values,
    demands,
    family,
    instance_state,
    methods,
    own_class,
    reads_of,
    why_unstable,
)
from jaxfix_codemods.jitting.applied import applied, check_applied, holds_model, is_method
from jaxfix_codemods.unjitted_update import kept
from jaxfix_codemods.unjitted_update.derivatives import functions_behind, objects_behind
from jaxfix_codemods.unjitted_update.device import is_made_by_library
from jaxfix_codemods.unjitted_update.made import check_made
from jaxfix_codemods.unjitted_update.passed import check_callers, takes_one_object, unknown_caller
from jaxfix_codemods.unjitted_update.reading import Variables
from jaxfix_codemods.unjitted_update.variables import is_of_data, transforms


class Functions:
    """What a row calls."""

    def __init__(self, module: Module, values: Values, scope: ast.AST, variables: Variables) -> None:
        self._module, self._values, self._scope, self._variables = module, values, scope, variables

    def is_kept(self, name: str, during: During) -> bool:
        """Whether `name` is a function, a module or an object that stays what it is, and is not data.

        Args:
          during: what runs between two calls of the step.

        Raises:
          Declined: it is one, and may change, or a trace would not do what it does.
        """
        module, scope = self._module, self._scope
        if "." in name:
            return False
        bindings = module.bindings(name, scope)
        if bindings and all(isinstance(b.node, ast.Import | ast.ImportFrom | ast.ClassDef) for b in bindings):
            return True
        uses = [
            node
            for node in self._variables.inside
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
        ]
        uses = [
            use
            for use in uses
            if not (self._variables.is_in_attribute(use) or self._variables.is_entry_variable(module.parent(use)))
        ]
        as_function = [_is_used_as_function(module, use) for use in uses]
        if not any(as_function):
            return False
        reason = why_unstable(module, name, scope, during=during)
        if reason is not None:
            raise Declined(reason.restated(f"the step calls `{name}`: {reason}"))
        if not all(as_function):
            raise Declined(Reason(Code.OTHER_USES, f"the step uses `{name}` as a function and as data"))
        for use in uses:
            self._check_apart(use)
            self._check_behind(use)
        return True

    def _check_behind(self, use: ast.Name) -> None:
        """Refuses a function that a caller passes on, and that a trace does not do as often as the calls."""
        item = kept.item_of(self._module, use)
        if item is not None:
            kept.check_item(self._module, self._values, item)
            return
        binding = self._module.names.only_binding(use)
        if binding is not None and isinstance(binding.node, ast.arg):
            models = applied(self._module, use)
            for method in models:
                check_applied(self._module, self._values, method)
            is_one = takes_one_object(self._module, use)
            is_known = bool(models) or is_one or self._applies_model(use)
            for source in () if is_known else self._values.origins.of(use):
                is_read = isinstance(source, ast.FunctionDef | ast.Lambda)
                is_read |= is_made_by_library(self._module, source)
                is_read |= isinstance(source, ast.expr) and self._module.qualname(source) is not None
                if not is_read:
                    raise unknown_caller(use.id)
            if not is_one:
                check_callers(self._module, use.id, self._module.scope_of(use.id, use))
        for name in objects_behind(self._module, self._values, use):
            reason = instance_state.why_read_unstable(self._module, self._values, name)
            if reason is not None:
                raise Declined(reason.restated(f"the step calls `{use.id}`, which reads its object: {reason}"))
        if not isinstance(self._module.parent(use), ast.Attribute):
            check_made(self._module, self._values, use)
        for function in functions_behind(self._module, self._values, use):
            reason = demands(self._module, function).reason
            is_read = reason is not None and reason.code is not Code.DECORATED
            if reason is not None and is_read and function not in self._variables.inside:
                raise Declined(reason.restated(f"the step calls `{use.id}`, which cannot be traced: {reason}"))

    def _applies_model(self, use: ast.Name) -> bool:
        """Whether it is of a parameter for which callers pass models, and applies them."""
        method = self._module.parent(use)
        is_applied = isinstance(method, ast.Attribute) and is_method(self._module, method)
        return is_applied and holds_model(self._module, self._values, use)

    def _check_apart(self, use: ast.Name) -> None:
        """Refuses a method that reads an attribute which the step is passed: under a trace it would stay unchanged."""
        module, called = self._module, self._module.parent(use)
        passed = {dot.partition(".")[2] for dot in self._variables.attributes if dot.startswith(f"{use.id}.")}
        if not passed or not isinstance(called, ast.Attribute) or jit_of(module, called) is not None:
            return
        owner = own_class(module, use)
        found = methods(family(module, owner), called.attr) if owner is not None else ()
        if not found or any(reads_of(module, method) & passed for method in found):
            raise Declined(Reason(Code.UNSTABLE, f"`{module.text(called)}` may read what the step binds"))


def _is_used_as_function(module: Module, use: ast.Name) -> bool:
    match module.parent(use):
        case ast.Call(func=func) as call:
            if func is use:
                return True
            is_transformed = bool(call.args) and call.args[0] is use and transforms(module, call)
            return module.definition(use) is not None or is_transformed or _is_taken_as_function(module, call, use)
        case ast.keyword() as keyword_:
            around = module.parent(keyword_)
            is_taken = isinstance(around, ast.Call) and _is_taken_as_function(module, around, use)
            return module.definition(use) is not None or is_taken
        case ast.Attribute() as attribute:
            call_ = module.parent(attribute)
            is_called_ = isinstance(call_, ast.Call) and (
                call_.func is attribute or (call_.args[:1] == [attribute] and transforms(module, call_))
            )
            return is_called_ and module.qualname(attribute) is None and not is_of_data(module, use, attribute.attr)
        case ast.Subscript():
            return kept.item_of(module, use) is not None
    return False


def _is_taken_as_function(module: Module, call: ast.Call, use: ast.Name) -> bool:
    """Whether a function of this file calls what it is passed, or a method of it."""
    function, jitted = module.definition(call.func), jit_of(module, call.func)
    if function is None or (jitted is not None and jitted.static == ()):
        return False  # what is traced is data
    asked = demands(module, function)
    given = arguments_of(function, call) or {}
    owners = (name for name, method in asked.methods.items() if not is_of_data(module, use, method))
    return any(given.get(name) is use for name in (*asked.called, *owners))
