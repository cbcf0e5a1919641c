"""Whether code can run under a trace that ran eagerly, and what it asks of the values that it is given."""

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeGuard

from jaxfix.dataflow.solver import Lattice, Solver
from jaxfix.effects.arrays import computes
from jaxfix.effects.counted import is_counted
from jaxfix.effects.demands import Demands, RequiredValues, is_item, is_length, is_of_jax, maker_of, makes_data
from jaxfix.effects.invariance import is_impure
from jaxfix.effects.masks import selecting
from jaxfix.effects.remembering import makes_arrays
from jaxfix.effects.side_effects import effects, fills_own, is_own_method, ties
from jaxfix.effects.stability import During, why_attribute_unstable, why_free_unstable, why_unstable
from jaxfix.effects.wrapping import wrappers
from jaxfix.library.arguments import shapes, shapes_of_method, takes_function
from jaxfix.library.facets import Effect, Member, Package, Takes
from jaxfix.library.table import short_names, where
from jaxfix.report.reason import Code, Reason
from jaxfix.semantic.calls import arguments_passed
from jaxfix.semantic.classes import family, methods, own_parameter
from jaxfix.semantic.module import Module
from jaxfix.semantic.mutations import MUTATORS, is_own_object
from jaxfix.semantic.receivers import called_methods, functions_held
from jaxfix.staging.jit import jit_of, jitted_by_decorator, owner_of
from jaxfix.staging.visibility import is_memoised
from jaxfix.syntax.bindings import Binding
from jaxfix.syntax.nodes import FUNCTIONS, Function, walk
from jaxfix.syntax.signatures import argument_values, parameters_of

_CONCRETE = short_names(Member.CONCRETE)
_HOSTS = where(Package.HOST)
_VALUE_TAKERS = short_names(Takes.VALUE, "builtins")
_WAITERS = where(Effect.WAITS)
_COUNTING = where(Takes.LENGTH)
_UNREAD = Reason(Code.UNREAD, "it calls too many functions to be followed")


def _either(one: Demands, other: Demands) -> Demands:
    return Demands(
        one.reason or other.reason,
        {**other.values, **one.values},
        {**other.called, **one.called},
        {**other.methods, **one.methods},
        {**other.attributes, **one.attributes},
        {**other.parts, **one.parts},
    )


_DEMANDS = Lattice(Demands(), _either, Demands(_UNREAD))


def demands(module: Module, function: Function) -> Demands:
    """What `function`, with what it calls in its own file, asks of its parameters and its surroundings."""
    reader = _Reader(module, function)
    found = reader.of(function)
    if (
        found.reason is None
        and isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        and function.decorator_list
    ):
        reason = Reason(Code.DECORATED, f"it is decorated with `{module.text(function.decorator_list[0])}`")
        return replace(found, reason=reason)
    return found


def demands_of_statements(
    module: Module, statements: Sequence[ast.stmt | ast.expr], during: During | None = None, *, own: bool | None = None
) -> Demands:
    """The same of statements that stand in a row, of the names that they read.

    Args:
      during: under a trace already: what changes before or after it is the same of all of its iterations.
      own: whether what methods bind of their object is no effect; unless it is None, what is read of it is not asked.
    """
    around = module.function(statements[0]) or module.tree
    return _Reader(module, around, during, own=own).of_statements(statements)


class _Reader:
    """Reads the function `outermost`, or statements that stand in it, and what they call."""

    def __init__(
        self, module: Module, outermost: ast.AST, during: During | None = None, *, own: bool | None = None
    ) -> None:
        self._module, self._outermost, self._during, self._own = module, outermost, during, own
        self._row: set[ast.AST] = set()
        self._required = RequiredValues(module, outermost)
        self.of: Solver[Function, Demands] = Solver(self._asked_by, _DEMANDS)

    def _asked_by(self, function: Function) -> Demands:
        """What a function asks of its parameters."""
        found = Demands()
        found.reason = next(ties(self._module, function), None)
        found.reason = found.reason or next(effects(self._module, function, own=bool(self._own)), None)
        captures = self._module.captures(function)
        if captures is None:
            found.reason = found.reason or Reason(Code.LAYOUT, "it shares its line with another function")
        elif captures.rebinds:
            text = f"it rebinds `{min(captures.rebinds)}` outside of itself"
            found.reason = found.reason or Reason(Code.SIDE_EFFECT, text)
        if found.reason is None:
            body = [function.body] if isinstance(function, ast.Lambda) else function.body
            self._read(body, function, found)
        return found

    def of_statements(self, statements: Sequence[ast.stmt | ast.expr]) -> Demands:
        found = Demands()
        self._required.around, self._required.inside = self._outermost, {*statements}
        self._row = {node for part in statements for node in walk(part)} if self._own is not None else set()
        self._read(statements, self._outermost, found)
        return found

    def _read(self, parts: Sequence[ast.AST], scope: ast.AST, found: Demands) -> None:
        inside = set(parts)
        for part in parts:
            for node in walk(part):
                inside.add(node)
        for part in parts:
            for node in walk(part):
                if found.reason is not None:
                    return
                self._node(node, scope, found)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                    self._load(node, scope, inside, found)
                elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                    self._own_methods(node, found)
                if isinstance(node, ast.Name | ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Load):
                    self._methods(node, found)

    # --- what is read -----------------------------------------------------------------------------------------

    def _load(self, node: ast.Name, scope: ast.AST, inside: set[ast.AST], found: Demands) -> None:
        owner = self._module.scope_of(node.id, node)
        if owner is None:
            found.reason = why_free_unstable(self._module, node)
            return
        if owner is scope and isinstance(scope, FUNCTIONS):
            bound = self._module.bindings(node.id, scope)
            for binding in bound:
                if isinstance(binding.node, FUNCTIONS) and binding.node not in inside:
                    self._function(node, binding.node, found)
            return
        if owner in inside or (isinstance(owner, ast.expr) and owner in inside):
            return
        bindings = self._module.bindings(node.id, owner)
        if owner is scope and all(binding.node in inside for binding in bindings):
            return
        if owner is scope:
            if len(bindings) == 1:
                self._behind(node, bindings[0], found)
            return
        if node in self._row and is_own_object(self._module, node):
            return  # its caller asks what is read of it
        reason = why_unstable(self._module, node.id, owner, around=scope if isinstance(scope, FUNCTIONS) else None)
        if reason is not None and self._during is not None:
            reason = why_unstable(self._module, node.id, owner, during=self._during)
        reason = reason or why_attribute_unstable(self._module, node)
        if reason is not None:
            found.reason = reason.restated(f"it reads `{node.id}`: {reason}")
            return
        for binding in bindings:
            self._behind(node, binding, found)

    def _behind(self, node: ast.Name, binding: Binding, found: Demands) -> None:
        match binding.node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() as function:
                self._function(node, function, found)
            case ast.Name() as target if (value := self._module.value_of(target)) is not None:
                if jit_of(self._module, node) is not None or self._is_data(node):
                    return
                for inner in walk(value):
                    function_ = inner if isinstance(inner, ast.Lambda) else self._module.definition(inner)
                    if function_ is not None and not makes_data(value, inner, function_):
                        self._function(node, function_, found)

    def _is_data(self, node: ast.Name) -> bool:
        """Whether no function that `node` may stand for is called here: it is unpacked, or computed with."""
        parent = self._module.parent(node)
        is_argument = isinstance(parent, ast.Call) and isinstance(parent.func, ast.Call)
        return is_argument or isinstance(parent, ast.Starred | ast.BinOp | ast.Compare)

    def _own_methods(self, node: ast.Attribute, found: Demands) -> None:
        """The methods that `self.name` may be in a method, those of subclasses in this file among them."""
        owner = owner_of(self._module, node)
        for each in methods(family(self._module, owner), node.attr) if owner is not None else ():
            is_static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in each.decorator_list)
            self._function(node, each, found, bound=not is_static)
            found.attributes = {**(self.of(each).attributes if not is_static else {}), **found.attributes}

    def _methods(self, node: ast.Name | ast.Attribute | ast.Subscript, found: Demands) -> None:
        """The methods of other objects of classes of this file that `node` may be."""
        own = owner_of(self._module, node) if isinstance(node, ast.Attribute) else None
        for each in called_methods(self._module, node) if own is None else ():
            self._function(node, each, found, bound=True)
        for held in functions_held(self._module, node):
            self._function(node, held, found)

    def _function(
        self, node: ast.Name | ast.Attribute | ast.Subscript, function: Function, found: Demands, *, bound: bool = False
    ) -> None:
        """A function of this file that is called, or passed on."""
        if jitted_by_decorator(self._module, function) is not None:
            return
        inner = self.of(function)
        name = "a lambda" if isinstance(function, ast.Lambda) else f"`{function.name}`"
        for each in (inner, *map(self.of, wrappers(self._module, function))):
            if each.reason is not None:
                found.reason = each.reason.restated(f"{name}, which it uses: {each.reason}")
        arguments = arguments_passed(self._module, node, function, bound=bound)
        if getattr(function, "decorator_list", None) and is_memoised(self._module, function):
            if found.reason is None and makes_arrays(self._module, function):
                found.reason = Reason(Code.SIDE_EFFECT, f"{name}, which it uses, would keep tracers that it returns")
            for passed in filter(None, arguments.values()):
                self._required.of(passed, f"passes `{self._module.text(passed)}` to {name}, which hashes it", found)
        for parameter, what in inner.values.items():
            if bound and parameter == own_parameter(function):
                continue
            argument = arguments.get(parameter)
            if argument is None and parameter in arguments:
                continue  # its default
            if argument is None and self._is_captured(function, parameter):
                found.values.setdefault(parameter, what)
                asked = {part: words for part, words in inner.parts.items() if part.partition(".")[0] == parameter}
                found.parts = {**asked, **found.parts}
                continue
            if argument is None:
                found.reason = found.reason or Reason(Code.NEEDS_VALUE, f"{name}, which it uses, {what}")
                continue
            self._required.of(argument, f"passes `{self._module.text(argument)}` to {name}, which {what}", found)

    def _is_captured(self, function: Function, name: str) -> bool:
        """Whether it is no parameter, but a variable of the function whose statements are read."""
        return self._required.around is not None and name not in {each.arg for each in parameters_of(function.args)}

    # --- what is done -----------------------------------------------------------------------------------------

    def _node(self, node: ast.AST, scope: ast.AST, found: Demands) -> None:
        match node:
            case ast.Try() | ast.AsyncFor() | ast.AsyncWith() | ast.Global() | ast.Nonlocal():
                found.reason = Reason(Code.SIDE_EFFECT, f"it has a `{_word(node)}`, which runs only at trace time")
            case ast.With(items=items) if not all(is_of_jax(self._module, i.context_expr) for i in items):
                entered = self._module.text(items[0].context_expr)
                found.reason = Reason(Code.SIDE_EFFECT, f"it enters `{entered}`, which happens only at trace time")
            case ast.If(test=test) | ast.IfExp(test=test) | ast.Assert(test=test) | ast.UnaryOp(ast.Not(), test):
                self._required.of(test, f"branches on `{_line(self._module, test)}`", found)
            case ast.While(test=test):
                self._required.of(test, f"loops on `{_line(self._module, test)}`", found)
            case ast.Match(subject=subject):
                self._required.of(subject, f"branches on `{_line(self._module, subject)}`", found)
            case ast.comprehension(ifs=ifs):
                for test in ifs:
                    self._required.of(test, f"branches on `{_line(self._module, test)}`", found)
            case ast.BoolOp(values=values):
                for value in values[:-1]:
                    self._required.of(value, f"branches on `{_line(self._module, value)}`", found)
            case ast.FormattedValue(value=value):
                self._required.of(value, f"formats `{_line(self._module, value)}` into a string", found)
            case ast.Slice(lower=lower, upper=upper, step=step):
                for bound in (lower, upper, step):
                    if bound is not None:
                        self._required.of(bound, f"slices by `{_line(self._module, bound)}`", found)
            case ast.Subscript(slice=index) if (by := selecting(self._module, node)) is not None:
                self._required.of(by, f"selects by `{_line(self._module, index)}`", found)
            case ast.Subscript(slice=ast.Name() | ast.BinOp() as index) if scope is not self._outermost and is_item(
                self._module, node
            ):
                self._required.of(index, f"picks `{_line(self._module, node)}` of a Python sequence", found)
            case ast.Compare(left=left, ops=ops, comparators=others):
                self._comparison((left, *others), ops, found)
            case ast.Attribute(attr=attr, value=value) if attr in _CONCRETE and self._module.qualname(node) is None:
                found.reason = Reason(
                    Code.NEEDS_VALUE, f"it asks for `{_line(self._module, node)}`, which a traced array does not have"
                )
            case ast.Call():
                self._call(node, scope, found)

    def _comparison(self, sides: Sequence[ast.expr], ops: Sequence[ast.cmpop], found: Demands) -> None:
        texts = any(isinstance(s, ast.Constant) and isinstance(s.value, str) for s in sides)
        if texts or any(isinstance(op, ast.In | ast.NotIn) for op in ops):
            for side in sides:
                self._required.of(side, f"compares `{_line(self._module, side)}`", found)

    def _call(self, call: ast.Call, scope: ast.AST, found: Demands) -> None:
        qualname = self._module.qualname(call.func) or ""
        if is_impure(qualname):
            found.reason = Reason(
                Code.SIDE_EFFECT, f"it calls `{self._module.text(call.func)}`, which happens only at trace time"
            )
        elif qualname in _WAITERS:
            found.reason = Reason(
                Code.NEEDS_VALUE, f"it calls `{self._module.text(call.func)}`, which waits for values"
            )
        elif is_counted(self._module, call):
            found.reason = Reason(
                Code.NEEDS_VALUE, f"the number of elements of `{_line(self._module, call)}` depends on values"
            )
        elif qualname.split(".")[0] in _HOSTS:
            for argument in argument_values(call):
                self._required.of(argument, f"passes `{_line(self._module, argument)}` to `{qualname}`", found)
        elif not qualname and isinstance(call.func, ast.Name) and self._module.scope_of(call.func.id, call) is None:
            self._builtin(call, call.func.id, found)
        self._callee(call, scope, found)
        if not qualname or qualname.startswith("jax."):
            for argument in shapes(call, qualname.rpartition(".")[2]) if qualname else shapes_of_method(call):
                self._required.of(argument, f"uses as a shape `{_line(self._module, argument)}`", found)
        if qualname in _COUNTING and len(call.args) > 1 and is_length(self._module, call.args[1]):
            self._required.of(call.args[1], f"counts to `{_line(self._module, call.args[1])}`", found)
        if qualname.startswith(("jax.", "equinox.", "flax.")):
            for argument in call.args[:1]:
                if not takes_function(qualname):
                    continue
                match argument:
                    case ast.Name(id=name):
                        found.called.setdefault(name, argument)
                    case ast.Attribute(value=ast.Name(id=name) as owner, attr=attr):
                        if self._module.scope_of(name, owner) is scope:
                            found.methods.setdefault(name, attr)

    def _builtin(self, call: ast.Call, name: str, found: Demands) -> None:
        if name == "isinstance" and call.args:
            self._required.of(call.args[0], f"checks the type of `{_line(self._module, call.args[0])}`", found)
        if name in _VALUE_TAKERS:
            for argument in call.args:
                self._required.of(argument, f"passes `{_line(self._module, argument)}` to `{name}`", found)

    def _callee(self, call: ast.Call, scope: ast.AST, found: Demands) -> None:
        func = call.func
        self._foreign_method(call, scope, found)
        match func:
            case ast.Name(id=name) if self._module.scope_of(name, func) is scope:
                found.called.setdefault(name, func)
            case ast.Attribute(value=ast.Name(id=name) as owner, attr=attr):
                if self._module.scope_of(name, owner) is scope and self._module.qualname(func) is None:
                    found.methods.setdefault(name, attr)
                    is_own = self._is_within(scope) and fills_own(self._module, func, scope)
                    if attr in MUTATORS - {"update", "add", "sort"} and not is_own:
                        words = f"it calls `{self._module.text(func)}`, which changes `{name}` at trace time only"
                        found.reason = Reason(Code.SIDE_EFFECT, words)

    def _is_within(self, scope: ast.AST) -> TypeGuard[Function]:
        """Whether a function is read, and not statements that stand in one."""
        return isinstance(scope, FUNCTIONS) and scope is not self._required.around

    def _foreign_method(self, call: ast.Call, scope: ast.AST, found: Demands) -> None:
        """A method of an object from around: what it gives is known only by what it is given."""
        match call.func:
            case ast.Attribute(value=ast.Name() as owner) if self._module.qualname(call.func) is None:
                if self._own and is_own_method(self._module, call.func):
                    return
                around = self._module.scope_of(owner.id, owner)
            case _:
                return
        if around is None or (around is scope and around is not self._required.around):
            return
        if around is not self._module.tree and around is not scope and around not in self._module.ancestors(scope):
            return  # a parameter or a variable of a function inside
        made_by = maker_of(self._module, owner, around)
        if self._is_own(owner, around) and not is_impure(made_by):
            return
        if computes(self._module, call.func):
            return
        if is_impure(made_by):
            found.reason = Reason(
                Code.IMPURE, f"it calls `{self._module.text(call.func)}`, which returns a different value at every call"
            )
            return
        given = (n for a in argument_values(call) for n in walk(a))
        if not any(isinstance(n, ast.Name) and self._varies(n, scope) for n in given):
            found.reason = Reason(
                Code.IMPURE,
                f"it calls `{self._module.text(call.func)}`, which may return a different value at every call",
            )

    def _is_own(self, owner: ast.Name, scope: ast.AST) -> bool:
        """Whether the iteration that is read has made the object itself, by what it computes."""
        if self._during is None:
            return False
        bindings = self._module.bindings(owner.id, scope)
        return bool(bindings) and all(self._during.node in self._module.ancestors(b.node) for b in bindings)

    def _varies(self, name: ast.Name, scope: ast.AST) -> bool:
        """Whether `name` is a variable of the code that is read, and no function."""
        owner = self._module.scope_of(name.id, name)
        if owner is None or (owner is self._module.tree and owner is not self._required.around):
            return False
        bindings = self._module.bindings(name.id, owner)
        if any(isinstance(b.node, (*FUNCTIONS, ast.ClassDef, ast.Import, ast.ImportFrom)) for b in bindings):
            return False
        return owner is scope or isinstance(owner, FUNCTIONS)


def _line(module: Module, node: ast.AST) -> str:
    return " ".join(module.text(node).split())


def _word(node: ast.AST) -> str:
    return {"AsyncFor": "async for", "AsyncWith": "async with"}.get(type(node).__name__, type(node).__name__.lower())
