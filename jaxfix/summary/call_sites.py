"""The arguments of a call and the use of its results, as far as the called function depends on them."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

from jaxfix.dataflow.types import Values
from jaxfix.effects.liveness import LOOPS, Place, binds_again, is_in_loop, why_live_after
from jaxfix.effects.made_functions import why_captures_unstable
from jaxfix.effects.plain_parts import plain_parts
from jaxfix.effects.stability import During, why_unstable
from jaxfix.effects.traceability import demands
from jaxfix.library.facets import Effect
from jaxfix.library.table import short_names
from jaxfix.report.abstract_value import UNKNOWN, Form, Value
from jaxfix.report.reason import Code, Reason
from jaxfix.semantic.calls import function_made_by
from jaxfix.semantic.module import Module
from jaxfix.semantic.mutations import changes_of
from jaxfix.semantic.project.summary_types import Argument, ArgumentKind, ArgumentSummary, CallSite
from jaxfix.staging.jit import jit_of
from jaxfix.staging.scripts import is_script
from jaxfix.summary.by_key import only_keys_are_read
from jaxfix.syntax.nodes import Function

_FILLING = short_names(Effect.MUTATES, "builtins.list", "numpy.ndarray")
_CONTAINERS = (ast.Dict, ast.DictComp, ast.List, ast.ListComp)


class Passing:
    """Answers for one module: for its own calls, and for those of functions of other files."""

    def __init__(self, module: Module, values: Values) -> None:
        self._module, self._values = module, values

    def called(
        self,
        calls: Sequence[ast.Call],
        call: ast.Call,
        place: Place,
        *,
        bound: bool,
        values: bool = True,
    ) -> CallSite:
        """What `call` tells the file that defines what it calls.

        Args:
          calls: all of the same function.
          place: how a line of this file is named elsewhere.
          bound: it is a method, called of an object.
          values: which numbers are passed matters too.
        """
        arguments = None if _is_hidden(call) else tuple(self._passed(calls, call, place, values=values))
        return CallSite(arguments, bound, is_in_loop(self._module, call), tuple(self._read_by_key(call)))

    def of_method(self, call: ast.Call, *, repeats: bool) -> CallSite:
        """As `called`, of a method of whatever object: only how many arguments it is passed is of use."""
        keywords = ((each.arg, each.value) for each in call.keywords if each.arg is not None)
        given: list[tuple[Argument, ast.expr]] = [*enumerate(call.args), *keywords]
        arguments = tuple(ArgumentSummary(to, self._module.text(value)) for to, value in given)
        return CallSite(None if _is_hidden(call) else arguments, True, repeats or is_in_loop(self._module, call))

    def _passed(
        self, calls: Sequence[ast.Call], call: ast.Call, place: Place, *, values: bool
    ) -> Iterator[ArgumentSummary]:
        keywords = ((k.arg, k.value) for k in call.keywords if k.arg is not None)
        given: list[tuple[Argument, ast.expr]] = [*enumerate(call.args), *keywords]
        for to, value in given:
            again = binds_again(self._module, call, value)
            is_given_up = again or isinstance(value, ast.Call | ast.BinOp)
            live = why_live_after(self._module, calls, call, value, place) if is_given_up else None
            text = " ".join(self._module.text(value).split())
            if not is_given_up:
                live = Reason(Code.LIVE, f"{place(call)} passes `{text}` and uses it afterwards")
            yield self._summarized(ArgumentSummary(to, text, again=again, why_live=live), value, values=values)

    def of_default(self, to: Argument, value: ast.expr) -> ArgumentSummary:
        """What a default is, which no call passes."""
        return self._summarized(ArgumentSummary(to, " ".join(self._module.text(value).split())), value, values=True)

    def _summarized(self, passed: ArgumentSummary, value: ast.expr, *, values: bool) -> ArgumentSummary:
        sort = self.sort(value)
        is_number = values and not passed.again and sort not in (ArgumentKind.TEXT, ArgumentKind.FUNCTION)
        return replace(
            passed,
            sort=sort,
            value=self._values.of(value) if is_number else UNKNOWN,
            why_unstable=None if passed.again else self.why_unstable(value),
            filled=isinstance(value, ast.Name) and self.is_filled(value),
            plain=tuple(sorted(plain_parts(self._module, value))) if values and sort is ArgumentKind.DATA else (),
        )

    def sort(self, value: ast.expr) -> ArgumentKind:
        """The kind of an argument, as its text tells: a constant, a text, a function, or data."""
        match self._constant(value):
            case ast.Constant(value=str()):
                return ArgumentKind.TEXT
            case ast.Constant():
                return ArgumentKind.CONSTANT
            case ast.Lambda():
                return ArgumentKind.FUNCTION
        is_function = self._function(value) is not None or jit_of(self._module, value) is not None
        return ArgumentKind.FUNCTION if is_function else ArgumentKind.DATA

    def _function(self, value: ast.expr) -> Function | None:
        """The function of this file that `value` is, or that a function of this file has made for it."""
        return self._module.definition(value) or function_made_by(self._module, value)

    def _constant(self, value: ast.expr) -> ast.expr:
        """The constant that `value` surely stands for, a variable, or a parameter of a script.

        Returns:
          `value` itself where it stands for none, or for several kinds.
        """
        found = self._module.only_value(value) if isinstance(value, ast.Name) else None
        if isinstance(found, ast.Constant) or not isinstance(value, ast.Name):
            return found if isinstance(found, ast.Constant) else value
        if not is_script(self._module):
            return value  # others may pass anything
        sources = self._values.origins.of(value)
        kinds = {type(source.value) if isinstance(source, ast.Constant) else None for source in sources}
        first = next(iter(sources), None)
        return first if isinstance(first, ast.Constant) and len(kinds) == 1 else value

    def why_unstable(self, value: ast.expr) -> Reason | None:
        """Why the object that is passed may be another one at another call, or do another thing.

        Returns:
          None if it stays.
        """
        if isinstance(value, ast.Constant):
            return None
        if not isinstance(value, ast.Name):
            thing = "a new function" if isinstance(value, ast.Lambda) else "perhaps another object"
            return Reason(Code.UNSTABLE, f"it is {thing} at every call, which would compile each time")
        scope = self._module.scope_of(value.id, value)
        if scope is None:
            return Reason(Code.UNREAD, f"`{value.id}` is bound nowhere in the file")
        reason = why_unstable(self._module, value.id, scope)
        function = self._function(value)
        if reason is not None or function is None:
            return reason
        call = self._module.only_value(value)
        if isinstance(call, ast.Call):
            reason = why_captures_unstable(self._module, function, call)
            return reason or demands(self._module, function).reason
        if any(isinstance(outer, LOOPS) for outer in _within(self._module, function)):
            return Reason(Code.REBOUND, f"`{value.id}` is defined in every iteration")
        return demands(self._module, function).reason

    def is_filled(self, name: ast.Name, during: During | None = None) -> bool:
        """Whether code stores into what `name` stands for; `during` a run, if that alone counts."""
        scope = self._module.scope_of(name.id, name)
        for root in changes_of(self._module).roots.get(name.id, ()):
            is_meant = during is None or not during.leaves(self._module, root)
            if is_meant and self._module.scope_of(name.id, root) is scope and self._fills(name, root):
                return True
        return False

    def _fills(self, name: ast.Name, root: ast.Name) -> bool:
        """Whether a change of what `root` is, or holds, writes into an array, and not an entry of a container."""
        item: ast.expr = root
        while isinstance(part := self._module.parent(item), ast.Subscript) and isinstance(part.ctx, ast.Load):
            item = part
        match part:
            case ast.Subscript(slice=ast.Slice()):
                return True
            case ast.Subscript(ctx=ast.Store()) if item is not root:
                return self._values.of(item).form is Form.NUMPY and not self._is_container(item)
            case ast.Subscript(ctx=ast.Store()):
                is_added = isinstance(self._module.parent(part), ast.AugAssign)
                return not self._is_container(name) or (is_added and self._may_hold_buffers(name))
            case ast.AugAssign() if item is root:
                return self._may_be_buffer(name)
            case ast.Attribute(attr=attr):
                return attr in _FILLING and (item is root or self._values.of(item).form is Form.NUMPY)
        return False

    def _is_container(self, value: ast.expr) -> bool:
        """Whether it is surely a dictionary or a list: passed to `jit`, it is taken apart at once."""
        sources = self._values.origins.of(value)
        return bool(sources) and all(isinstance(each, _CONTAINERS) for each in sources)

    def _may_hold_buffers(self, name: ast.Name) -> bool:
        """Whether an item of a container may be a NumPy array, which `-=` changes in place."""
        displays = self._values.origins.of(name)
        return any(self._is_numpy(self._values.of(part)) for each in displays for part in _parts(each))

    def _may_be_buffer(self, name: ast.Name) -> bool:
        """Whether `name` may be a NumPy array, which `-=` changes in place, judged by its bindings."""
        for binding in self._module.bindings(name.id, self._module.scope_of(name.id, name)):
            if isinstance(self._module.parent(binding.node), ast.AugAssign):
                continue
            value = self._module.value_of(binding.node) if isinstance(binding.node, ast.Name) else None
            made_by = self._module.qualname(value.func) if isinstance(value, ast.Call) else None
            if value is None or (self._is_numpy(self._values.of(value)) and not (made_by or "").startswith("jax.")):
                return True
        return False

    def _is_numpy(self, value: Value) -> bool:
        return value.form in (Form.NUMPY, Form.UNKNOWN)

    def counts(self, value: ast.expr) -> bool:
        """Whether a Python number is passed that can be another one at the next iteration."""
        if isinstance(value, ast.Constant):
            return False
        sources = self._values.origins.of(value)
        ranged = any(isinstance(s, ast.Call) and isinstance(s.func, ast.Name) and s.func.id == "range" for s in sources)
        return ranged or (self._values.of(value).form is Form.PYTHON and len(sources) != 1)

    # --- results ----------------------------------------------------------------------------------------------

    def is_read_by_key(self, call: ast.Call, path: tuple[int, ...]) -> bool:
        """Whether only single keys are read of a part of what `call` returns: `path` is empty for all of it."""
        match self._module.parent(call), path:
            case ast.Assign(targets=[ast.Name() as target]), ():
                return only_keys_are_read(self._module, target)
            case ast.Assign(targets=[ast.Tuple(elts=elts)]), (index,) if index < len(elts):
                element = elts[index]
                return isinstance(element, ast.Name) and only_keys_are_read(self._module, element)
        return False

    def _read_by_key(self, call: ast.Call) -> Iterator[tuple[int, ...]]:
        paths: list[tuple[int, ...]] = [()]
        match self._module.parent(call):
            case ast.Assign(targets=[ast.Tuple(elts=elts)]):
                paths += [(index,) for index in range(len(elts))]
        return (path for path in paths if self.is_read_by_key(call, path))


def _is_hidden(call: ast.Call) -> bool:
    return any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords)


def _parts(display: ast.AST) -> list[ast.expr]:
    match display:
        case ast.Dict(values=parts) | ast.List(elts=parts):
            return parts
        case ast.DictComp(value=part) | ast.ListComp(elt=part):
            return [part]
    return []


def _within(module: Module, node: ast.AST) -> Iterator[ast.AST]:
    """The nodes around `node` up to the function that it is in."""
    for outer in module.ancestors(node):
        if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            return
        yield outer
