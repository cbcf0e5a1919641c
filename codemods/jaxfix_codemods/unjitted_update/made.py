"""Functions that a step calls by a variable: which code of the file makes them, and whether what they read stays."""

import ast
from collections.abc import Iterable, Iterator, Sequence

from jaxfix.api import Code, Declined, Module, Reason, jit_of, returned
from jaxfix.api.analysis import (
    Values,
    class_of,
    demands,
    family,
    methods,
    why_captures_unstable,
    why_object_changes,
)
from jaxfix_codemods.unjitted_update.derivatives import makes_gradient, unpacked_from


def check_made(module: Module, values: Values, use: ast.Name) -> None:
    """Refuses a function that code of this file makes or picks, where it may do another thing at a later call.

    What comes from elsewhere is not read: that takes evidence.

    Raises:
      Declined: what it reads may change, it does more than compute, or the file does not say which it is.
    """
    maker = _Maker(module, values)
    for source in maker.sources(use):
        reason = maker.why_unstable(source)
        if reason is not None:
            raise Declined(reason.restated(f"the step calls `{use.id}`: {reason}"))


class _Maker:
    def __init__(self, module: Module, values: Values) -> None:
        self._module, self._values = module, values

    # --- what it is bound to ----------------------------------------------------------------------------------

    def sources(self, use: ast.expr) -> Iterator[ast.AST]:
        """What `use` is bound to, or a derivative of."""
        pending, met = [use], set[ast.AST]()
        while pending:
            for source in self._bound(pending.pop()):
                if source in met:
                    continue
                met.add(source)
                if isinstance(source, ast.Call) and makes_gradient(self._module, source):
                    pending += source.args[:1]
                elif isinstance(source, ast.Name):
                    pending.append(source)
                elif isinstance(source, ast.Subscript) and (held := self._held(source)):
                    pending += held
                else:
                    yield source

    def _bound(self, expr: ast.expr) -> Sequence[ast.AST]:
        if not isinstance(expr, ast.Name):
            return (expr,)
        unpacked = unpacked_from(self._module, expr)
        if unpacked:
            return unpacked
        only = self._module.names.only_binding(expr)
        value = self._module.only_value(expr)
        if value is None and only is not None and isinstance(self._module.parent(only.node), ast.Tuple):
            statement = self._module.statement(only.node)
            value = statement.value if isinstance(statement, ast.Assign) else None
        return (value,) if value is not None else self._values.origins.of(expr)

    def _held(self, item: ast.Subscript) -> list[ast.expr]:
        """What the dictionaries hold that are written out, and of which `item` is one."""
        displays = [each for each in self._values.origins.of(item.value) if isinstance(each, ast.Dict)]
        return [part for display in displays for part in display.values]

    # --- whether it stays -------------------------------------------------------------------------------------

    def why_unstable(self, source: ast.AST) -> Reason | None:
        """Why it may do another thing at a later call; None also where no code of this file makes it."""
        module = self._module
        match source:
            case ast.Call(func=ast.Name(id="getattr"), args=[holder, *_]):
                every = (each for owner in self._classes(holder) for each in owner.body)
                return self._of_methods(each for each in every if isinstance(each, ast.FunctionDef))
            case ast.Call(func=func) if isinstance(factory := module.definition(func), ast.FunctionDef):
                return self._of_results(factory, source)
            case ast.Call(func=ast.Attribute(value=holder, attr=attr)):
                makers = methods(self._classes(holder), attr)
                reasons = (self._of_results(each, source) for each in makers)
                return next(filter(None, reasons), None) or self._of_methods(makers)
            case ast.Attribute(value=holder, attr=attr):
                return self._of_methods(methods(self._classes(holder), attr))
            case ast.Subscript(value=ast.Name() as table) if self._is_filled_here(table):
                return self._unknown(source)
        return None

    def _classes(self, holder: ast.expr) -> tuple[ast.ClassDef, ...]:
        """The classes of this file that the object may be of."""
        made = (each for each in self._values.origins.of(holder) if isinstance(each, ast.Call))
        owners = [class_of(self._module, each.func) for each in made]
        found = [each for owner in owners if owner is not None for each in family(self._module, owner)]
        return tuple(dict.fromkeys(found))

    def _of_results(self, factory: ast.FunctionDef, call: ast.Call) -> Reason | None:
        """As `why_unstable`, of what a function of this file returns."""
        if jit_of(self._module, call) is not None:
            return None
        for result in returned(factory):
            made = self._module.definition(result)
            if made is None:
                by = result.func if isinstance(result, ast.Call) else result
                if self._module.qualname(by) is None and jit_of(self._module, result) is None:
                    return self._unknown(call)
            elif factory in self._module.functions_around(made):
                is_method = self._module.method_of(factory) is not None
                reason = None if is_method else why_captures_unstable(self._module, made, call)
                reason = reason or demands(self._module, made).reason
                if reason is not None:
                    return reason
        return None

    def _of_methods(self, found: Iterable[ast.FunctionDef]) -> Reason | None:
        reasons = (demands(self._module, each).reason or why_object_changes(self._module, each) for each in found)
        return next(filter(None, reasons), None)

    def _is_filled_here(self, table: ast.Name) -> bool:
        """Whether it is a dictionary of this file that begins empty, or without all that it holds later."""
        value = self._module.only_value(table)
        is_empty = isinstance(value, ast.Call) and self._module.text(value.func) == "dict"
        return is_empty or (isinstance(value, ast.Dict) and not value.values)

    def _unknown(self, source: ast.expr) -> Reason:
        return Reason(Code.UNREAD, f"the result of `{self._module.text(source)}` is unknown")
