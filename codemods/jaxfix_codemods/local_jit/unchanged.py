"""Whether what a factory is made with is the same thing in every iteration of a loop."""

import ast

from jaxfix.api import Code, Declined, Function, Module, Reason, arguments_of, walk
from jaxfix.api.analysis import (
    Values,
    argument_values,
    changes_of,
    function_identity,
    is_stored,
    purity,
    transform_of,
    why_unstable,
)
from jaxfix.api.library import Effect, short_names
from jaxfix_codemods.local_jit.given import Given, is_functional, is_method, methods, names

_FUNCTIONAL = short_names(Effect.FUNCTIONAL)


def check(module: Module, call: ast.Call, factory: ast.FunctionDef, loop: ast.For | ast.While, made: str) -> None:
    """Refuses a call that is made with something else in another iteration.

    Args:
      made: what it makes, as it is called.

    Raises:
      Declined: what changes.
    """
    _Check(module, call, factory, loop, made).run()


class _Check:
    def __init__(
        self, module: Module, call: ast.Call, factory: ast.FunctionDef, loop: ast.For | ast.While, made: str
    ) -> None:
        self._module, self._call, self._factory, self._loop, self._made = module, call, factory, loop, made
        self._values = module.get(Values)
        self._given = Given(module, factory, call, loop)
        self._arguments = argument_values(call)

    def run(self) -> None:
        self._check_parts()
        for argument in self._arguments:
            for name in names(argument):
                self._check_name(name)
        self._check_attributes()
        for parameter, given in (arguments_of(self._factory, self._call) or {}).items():
            self._given.check_argument(parameter, given)
        self._given.check_own()

    # --- what the call spells out -----------------------------------------------------------------------------

    def _check_parts(self) -> None:
        module = self._module
        for part in walk(self._call):
            if isinstance(part, ast.Lambda | ast.NamedExpr | ast.Await):
                raise Declined(Reason(Code.UNREAD, "it is created with expressions, not only names"))
            if isinstance(part, ast.Call) and part is not self._call:
                made_by = transform_of(module, part.func) or ""
                if made_by not in function_identity.RENEWING and not made_by.startswith("jax."):
                    raise Declined(
                        Reason(
                            Code.UNSTABLE, f"it is created with a new result of `{module.text(part.func)}` each time"
                        )
                    )
            if self._may_differ(part):
                raise Declined(
                    Reason(
                        Code.UNSTABLE, f"it is created with `{module.text(part)}`, which can change between iterations"
                    )
                )

    def _may_differ(self, part: ast.AST) -> bool:
        match part:
            case ast.Attribute(attr=attr) if self._module.qualname(part) is None:
                return is_stored(self._module, attr) or self._is_computed(attr)
            case ast.Subscript():
                return any(methods(self._module, "__getitem__"))
        return False

    def _is_computed(self, attribute: str) -> bool:
        """Whether some class of this file computes the attribute whenever it is read."""
        return any(method.decorator_list for method in methods(self._module, attribute)) or any(
            methods(self._module, "__getattr__")
        )

    # --- variables --------------------------------------------------------------------------------------------

    def _check_name(self, name: ast.Name) -> None:
        module = self._module
        scope = module.scope_of(name.id, name)
        if scope is None:
            return
        bound = [binding.node for binding in module.bindings(name.id, scope)]
        if any(self._loop in module.ancestors(node) for node in bound):
            raise Declined(
                Reason(
                    Code.REBOUND,
                    f"it is created with `{name.id}`, which the loop rebinds: pass that to {self._made} instead",
                )
            )
        if scope is module.tree and name.id not in module.names.imports:
            reason = why_unstable(module, name.id, scope, around=self._loop)
            if reason is not None:
                raise Declined(reason.restated(f"it is created with `{name.id}`: {reason}"))
        for node in bound:
            if isinstance(node, ast.Name) and module.function(node) not in (scope, None):
                raise Declined(
                    Reason(
                        Code.REBOUND, f"it is created with `{name.id}`, which line {node.lineno} rebinds", node.lineno
                    )
                )
        function = module.definition(name)
        if function is not None:
            self._given.check_function(function)
        for alias in self._aliases(name):
            self._check_changes(alias)

    def _aliases(self, name: ast.Name) -> list[ast.Name]:
        """The variables that stand for the same object, as far as they are bound by their names; `name` is first."""
        module = self._module
        found = {(name.id, module.scope_of(name.id, name)): name}
        pending = [name]
        for each in pending:
            scope = module.scope_of(each.id, each)
            bound = (module.value_of(b.node) for b in module.bindings(each.id, scope) if isinstance(b.node, ast.Name))
            taken = (
                parent.targets[0]
                for use in module.reads(each.id, scope)
                if isinstance(parent := module.parent(use), ast.Assign) and parent.value is use
            )
            others = (other for other in (*bound, *taken) if isinstance(other, ast.Name))
            for other in others:
                key = other.id, module.scope_of(other.id, other)
                if key not in found:
                    found[key] = other
                    pending.append(other)
        return pending

    def _check_changes(self, name: ast.Name) -> None:
        """Refuses where code in the loop, or another function, may change the object behind `name`."""
        module = self._module
        scope = module.scope_of(name.id, name)
        for root in changes_of(module).roots.get(name.id, ()):
            if module.scope_of(name.id, root) is not scope or is_functional(module, root):
                continue
            if self._loop in module.ancestors(root):
                raise Declined(Reason(Code.MUTATED, f"it is created with `{name.id}`, which the loop changes in place"))
            if module.function(root) is not module.function(self._loop):
                raise Declined(
                    Reason(
                        Code.MUTATED,
                        f"it is created with `{name.id}`, which line {root.lineno} changes in place",
                        root.lineno,
                    )
                )
        if scope is None or module.definition(name) is not None or module.qualname(name) is not None:
            return
        for use in module.reads(name.id, scope):
            if self._loop in module.ancestors(use) and not self._is_in_call(use):
                self._check_use(use, name)

    def _check_use(self, use: ast.Name, name: ast.Name) -> None:
        module, taker = self._module, self._module.parent(use)
        is_jax = isinstance(taker, ast.Call) and (module.qualname(taker.func) or "").startswith("jax.")
        if isinstance(taker, ast.Call | ast.keyword | ast.Starred) and not is_jax:
            raise Declined(
                Reason(Code.ESCAPES, f"line {use.lineno} passes `{name.id}` to code that may change it", use.lineno)
            )
        if isinstance(taker, ast.Attribute) and is_method(module, taker) and taker.attr not in _FUNCTIONAL:
            raise Declined(Reason(Code.ESCAPES, f"`{module.text(taker)}` may change `{name.id}` between iterations"))

    def _is_in_call(self, use: ast.Name) -> bool:
        return self._call in self._module.ancestors(use)

    # --- what the function that is made reads of them ---------------------------------------------------------

    def _check_attributes(self) -> None:
        """Refuses attributes that some code stores: the object that they are read from is seldom known."""
        module = self._module
        taken = (module.definition(argument) for argument in self._arguments)
        is_own = self._takes_own_objects()
        pending: list[Function] = [self._factory, *(function for function in taken if function is not None)]
        met = set(pending)
        for function in pending:
            for node in walk(function):
                if not isinstance(node, ast.Attribute) or module.qualname(node) is not None:
                    continue
                if isinstance(node.ctx, ast.Load):
                    self._given.check_attribute(node.attr, module.text(node))
                for method in methods(self._module, node.attr) if is_own else ():
                    reason = purity(module, method).reason
                    if reason is not None:
                        raise Declined(
                            reason.restated(f"`{module.text(node)}` may differ between iterations: {reason}")
                        )
                    if method not in met:
                        met.add(method)
                        pending.append(method)

    def _takes_own_objects(self) -> bool:
        """Whether an argument may be an object of a class of this file, as what a library makes is not."""
        return any(
            not isinstance(source, ast.Call) or self._module.qualname(source.func) is None
            for argument in self._arguments
            if not isinstance(argument, ast.Constant)
            for source in self._values.origins.of(argument) or (argument,)
        )
