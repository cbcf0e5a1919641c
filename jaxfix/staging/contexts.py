"""Where code runs: eagerly, only under a trace, or as someone outside of the module decides."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from jaxfix.library.facets import Effect, Transform
from jaxfix.library.generated import is_retrace
from jaxfix.library.table import short_names, where
from jaxfix.semantic.calls import made_by
from jaxfix.semantic.dominance import always_runs
from jaxfix.semantic.module import Module
from jaxfix.semantic.project.project import Project
from jaxfix.semantic.project.summary_types import UNKNOWN_CONTEXTS, CallerPath, Contexts, Runs, Wrapping
from jaxfix.semantic.trip_count import may_iterate_twice
from jaxfix.staging.control_flow_calls import function_arguments
from jaxfix.staging.decorators import wrapping
from jaxfix.staging.jit import jitted_of, transform_of
from jaxfix.staging.replaced import is_replaced
from jaxfix.staging.tracer_guards import is_for_tracers
from jaxfix.syntax.nodes import Function

_JITS = where(Transform.TRACES)
_DERIVATIVES = where(Transform.DIFFERENTIATES)

_MAPS = where(Transform.BATCHES) | where(Transform.PASSES_ON)
_CALL_AT_ONCE = where(Transform.CALLS_AT_ONCE)
_MEMOS = where(Effect.MEMOISES)
_PLAIN_DECORATORS = where(Transform.TRANSPARENT)
_RUN_BY_TEST_RUNNERS = ("test", "setUp", "tearDown")
_RULES = short_names(Transform.DERIVATIVE_RULE)
"""What takes the rules of a function whose derivative is written by hand."""
_TRANSPARENT_DECORATORS = short_names(Transform.TRANSPARENT, "builtins", "abc", "typing_extensions")


@dataclass(frozen=True, slots=True)
class UseSummary:
    """What becomes of a function of another file at one place: the call that it comes to, if any, and how that runs."""

    call: ast.Call | None
    ways: Contexts
    through: tuple[CallerPath, ...] = ()
    repeats: bool = False
    surely: bool = False
    differentiated: bool = False


@dataclass(frozen=True, slots=True)
class _Use:
    """One use of a function: what becomes of it there, and whether a derivative is taken on the way.

    Attributes:
      given: the call that hands it to code which was not read.
    """

    runs: Runs
    call: ast.Call | None
    differentiated: bool
    given: ast.Call | None = None


_TRACED = Contexts(frozenset({Runs.TRACED}))


def is_private(attribute: str) -> bool:
    """Whether an attribute belongs to its class, and to those below it."""
    return attribute.startswith("_") and not attribute.endswith("__")


def is_private_name(function: Function) -> bool:
    return not isinstance(function, ast.Lambda) and is_private(function.name)


class Staging:
    """Answers for one module, by following decorators, calls and references: in it, and in the files around it."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._ways: dict[Function, Contexts] = {}
        self._uses: dict[Function, tuple[_Use, ...]] = {}
        self._under_way: set[tuple[str, ast.AST]] = set()

    def runs(self, node: ast.AST) -> Runs:
        """Whether `node` runs eagerly, only under a trace, or as the callers of the module decide."""
        found = self.ways(node)
        for name in found.open:
            found |= self._project.runs(name)
        return found.runs

    @property
    def _project(self) -> Project:
        return self._module.surroundings.project

    def ways(self, node: ast.AST) -> Contexts:
        """How this file reaches `node`; the functions that others may call are left open."""
        function = self._module.function(node)
        if function is None:
            return Contexts(frozenset({Runs.EAGER}))
        return _TRACED if is_for_tracers(self._module, node) else self._ways_of(function)

    def repeats(self, node: ast.AST) -> bool:
        """Whether the code that was read runs `node` eagerly again and again."""
        if self.runs(node) is not Runs.EAGER:
            return False
        if self._module.loops(node):
            return True
        function = self._module.function(node)
        if function is None:
            return False
        name = self.name_for_others(function)
        if name is not None and self._project.repeats(name):
            return True
        return self._asked_once("repeats", function, lambda use: use.call is not None and self.repeats(use.call))

    def may_repeat(self, node: ast.AST) -> bool:
        """Whether `node` runs more than once, as far as the code that was read tells."""
        is_program = is_script(self._module) or self._module.source.holds_tests
        once = self.runs(node) is Runs.EAGER and (is_program or self._module.function(node) is None)
        return not once or self.repeats(node)

    def round_about(self, node: ast.AST) -> tuple[ast.AST, ...]:
        """What of this file runs `node` again and again: the calls that lead to it, the nearest first, then the loop.

        Nothing where it is no loop of this file.
        """
        waiting: list[tuple[ast.AST, tuple[ast.AST, ...]]] = [(node, ())]
        met = set()
        for at, way in waiting:  # grows: the shortest way is found first
            loop = next((loop for loop in self._module.loops(at) if may_iterate_twice(self._module, loop)), None)
            if loop is not None:
                return (*way, loop)
            function = self._module.function(at)
            if function is not None and function not in met:
                met.add(function)
                calls = (use.call for use in self._uses_of(function) if use.call is not None)
                waiting += [(call, (*way, call)) for call in calls]
        return ()

    def surely_repeats(self, node: ast.AST) -> bool:
        """Whether `repeats`, and nothing on the way says that it happens at times only, or once."""
        if self._module.source.holds_tests:
            return False  # how a test runs something is no sign of how a program does
        if self.runs(node) is not Runs.EAGER or self._is_uncompiled(node):
            return False
        if self._goes_around(node):
            return True
        function = self._module.function(node)
        if function is None or not self._always_runs(node, function):
            return False
        name = self.name_for_others(function)
        if name is not None and self._project.surely_repeats(name):
            return True
        return self._asked_once("surely", function, lambda use: use.call is not None and self.surely_repeats(use.call))

    def _is_uncompiled(self, node: ast.AST) -> bool:
        """Whether nothing is compiled where `node` stands: it is under `jax.disable_jit`."""
        return any(
            isinstance(item.context_expr, ast.Call)
            and self._module.qualname(item.context_expr.func) == "jax.disable_jit"
            for outer in self._module.ancestors(node)
            if isinstance(outer, ast.With)
            for item in outer.items
        )

    def through(self, node: ast.AST) -> tuple[CallerPath, ...]:
        """The functions that others may call to get to `node`."""
        function = self._module.function(node)
        if function is None or ("through", function) in self._under_way:
            return ()
        repeats, again = bool(self._module.loops(node)), self._goes_around(node)
        always = self._always_runs(node, function)
        names = (self.name_for_others(function), self.attribute_for_others(function))
        found = [CallerPath(name, repeats, always, again) for name in names if name is not None]
        self._under_way.add(("through", function))
        for use in self._uses_of(function):
            for way in self.through(use.call) if use.call is not None else ():
                around = again or (always and way.again)
                found.append(CallerPath(way.name, way.repeats or repeats, way.always and always, around))
        self._under_way.discard(("through", function))
        return tuple(dict.fromkeys(found))

    def _goes_around(self, node: ast.AST) -> bool:
        module = self._module
        return any(may_iterate_twice(module, loop) and always_runs(module, node, loop) for loop in module.loops(node))

    def _always_runs(self, node: ast.AST, function: Function) -> bool:
        return not self._is_memoised(function) and always_runs(self._module, node, function)

    def _is_memoised(self, function: Function) -> bool:
        return any(transform_of(self._module, decorator) in _MEMOS for decorator in _decorators(function))

    def differentiated(self, node: ast.AST, *, eagerly: bool = False) -> bool:
        """Whether a derivative of a function around `node` is taken; `eagerly`, outside of any trace."""
        return any(self._is_differentiated(function, eagerly) for function in self._module.functions_around(node))

    def _is_differentiated(self, function: Function, eagerly: bool) -> bool:
        def is_so(use: _Use) -> bool:
            if use.call is None:
                return use.differentiated
            if eagerly and self.ways(use.call) == _TRACED:
                return False
            return use.differentiated or self.differentiated(use.call, eagerly=eagerly)

        name = self.name_for_others(function)
        question = "differentiated eagerly" if eagerly else "differentiated"
        return (name is not None and self._project.differentiated(name)) or self._asked_once(question, function, is_so)

    def _asked_once(self, question: str, function: Function, answer: Callable[[_Use], bool]) -> bool:
        """Whether `answer` holds of a use of `function`; no where the question led back to itself."""
        if (question, function) in self._under_way:
            return False
        self._under_way.add((question, function))
        try:
            return any(answer(use) for use in self._uses_of(function))
        finally:
            self._under_way.discard((question, function))

    def _ways_of(self, function: Function) -> Contexts:
        if self._is_called_by_a_runner(function):
            return Contexts(frozenset({Runs.EAGER}))
        if function in self._ways:
            return self._ways[function]
        if ("ways", function) in self._under_way:
            return UNKNOWN_CONTEXTS
        ruled = self._is_rule_of(function)
        if ruled is not None:
            return self._ways_of(ruled)
        self._under_way.add(("ways", function))
        found = Contexts()
        is_strange = self._has_strange_decorator(function)
        is_other = is_strange or is_replaced(self._module, function)
        for use in self._uses_of(function):
            if self._is_recursion(use, function) or self._is_own_rule(use, function):
                continue
            if is_strange and use.call is not None and self.ways(use.call) != _TRACED:
                found |= UNKNOWN_CONTEXTS  # what is called there may be something that was made of it
            else:
                ways = self._ways_of_use(use) if use.call is None else self.ways(use.call)
                found |= UNKNOWN_CONTEXTS if is_other and ways != _TRACED else ways
        self._under_way.discard(("ways", function))
        if self._is_jitted(function):
            found = Contexts(frozenset({Runs.TRACED}))
        else:
            if is_strange and not (is_private_name(function) and found == _TRACED):
                found |= UNKNOWN_CONTEXTS
            name = self.name_for_others(function)
            if is_other and name is not None and self._project.is_used(name):
                found |= UNKNOWN_CONTEXTS
            elif name is not None and (self._is_public(function) or self._project.is_used(name)):
                found |= Contexts(open=frozenset({name}))
            # A method is called on objects too, and where they come from is not always read.
            is_method = self._module.method_of(function) is not None and not _is_static(function)
            if self._is_public(function) and (name is None or is_method):
                found |= UNKNOWN_CONTEXTS
            attribute = self.attribute_for_others(function)
            if attribute is not None and not is_strange:
                found |= Contexts(open=frozenset({attribute}))
        self._ways[function] = found
        return found

    def name_for_others(self, function: Function) -> str | None:
        """The dotted name by which other files know `function`; None for one inside a function, or of a script."""
        own = self._module.surroundings.name
        if own is None or isinstance(function, ast.Lambda) or self._module.function(function) is not None:
            return None
        return f"{own}.{self._module.path(function)}"

    def attribute_for_others(self, function: Function) -> str | None:
        """`.name` for a private method that nothing in its file calls: it is for the bases of its class, elsewhere."""
        owner = self._module.method_of(function)
        if owner is None or not owner.bases or isinstance(function, ast.Lambda) or self._uses_of(function):
            return None
        return f".{function.name}" if is_private(function.name) else None

    def _is_recursion(self, use: _Use, function: Function) -> bool:
        return use.call is not None and function in self._module.functions_around(use.call)

    def _is_rule_of(self, function: Function) -> Function | None:
        """The function whose derivative `function` says, by its decorator: it runs where that does."""
        for decorator in _decorators(function):
            if isinstance(decorator, ast.Attribute) and decorator.attr in _RULES:
                return self._module.definition(decorator.value)
        return None

    def _is_own_rule(self, use: _Use, function: Function) -> bool:
        """Whether a rule for the derivative of `function` calls it."""
        around = self._module.functions_around(use.call) if use.call is not None else ()
        return any(self._is_rule_of(outer) is function for outer in around)

    def _is_called_by_a_runner(self, function: Function) -> bool:
        """Whether it is a test, or prepares one: whatever its decorators, one call is one case."""
        if not self._module.source.holds_tests or isinstance(function, ast.Lambda):
            return False
        return self._module.function(function) is None and function.name.startswith(_RUN_BY_TEST_RUNNERS)

    def _is_jitted(self, function: Function) -> bool:
        module = self._module
        return any(
            transform_of(module, decorator) in _JITS or wrapping(module, decorator) is Wrapping.STAGES
            for decorator in _decorators(function)
        )

    def _has_strange_decorator(self, function: Function) -> bool:
        for decorator in _decorators(function):
            known = transform_of(self._module, decorator)
            plain = decorator.id if isinstance(decorator, ast.Name) else getattr(decorator, "attr", None)
            is_known = known in _JITS | _MAPS | _DERIVATIVES | _MEMOS | _PLAIN_DECORATORS
            if is_known or plain in _TRANSPARENT_DECORATORS:
                continue
            if wrapping(self._module, decorator) is not Wrapping.CALLS:
                return True
        return False

    def _is_public(self, function: Function) -> bool:
        if isinstance(function, ast.Lambda) or is_script(self._module) or self._module.source.holds_tests:
            return False
        owner = self._module.parent(function)
        if self._module.function(function) is not None:
            return isinstance(owner, ast.ClassDef)
        private = function.name.startswith("_") and not function.name.endswith("__")
        return not private

    # --- uses -------------------------------------------------------------------------------------------------

    def _uses_of(self, function: Function) -> tuple[_Use, ...]:
        if function not in self._uses:
            self._uses[function] = ()  # a function that refers to itself through a name ends here
            self._uses[function] = tuple(self._find_uses(function))
        return self._uses[function]

    def _find_uses(self, function: Function) -> Iterator[_Use]:
        if any(transform_of(self._module, d) in _DERIVATIVES for d in _decorators(function)):
            yield _Use(Runs.UNKNOWN, None, True)
        if isinstance(function, ast.Lambda):
            yield from self._use(function, False)
            return
        owner = self._module.parent(function)
        if isinstance(owner, ast.ClassDef):
            yield from self._method_uses(function, owner)
            return
        scope = self._module.scope_of(function.name, function) or self._module.tree
        for name in self._module.reads(function.name, scope):
            found = jitted_of(self._module, name) if self._module.definition(name) is None else None
            if found is not None and found.function is function:
                yield _Use(Runs.TRACED, None, False)  # `step = jax.jit(step)` stands above
            else:
                yield from self._use(name, False)

    def _method_uses(self, method: ast.FunctionDef | ast.AsyncFunctionDef, owner: ast.ClassDef) -> Iterator[_Use]:
        for attribute in self._module.attributes(method.name):
            around = self._module.functions_around(attribute)
            outermost = around[-1] if around else None
            first = outermost.args.args[0].arg if outermost is not None and outermost.args.args else None
            receiver = attribute.value.id if isinstance(attribute.value, ast.Name) else None
            in_class = outermost is not None and self._module.parent(outermost) is owner
            if receiver == owner.name or (in_class and receiver == first) or self._is_object_of(attribute.value, owner):
                yield from self._use(attribute, False)
            else:
                yield _Use(Runs.UNKNOWN, None, False)  # perhaps of another object, perhaps of this class

    def _is_object_of(self, receiver: ast.expr, owner: ast.ClassDef) -> bool:
        """Whether `receiver` is a name that is bound once, to `Owner(...)`."""
        made = made_by(self._module, receiver)
        scope = self._module.scope_of(made.id, made) if isinstance(made, ast.Name) else None
        found = self._module.bindings(made.id, scope) if isinstance(made, ast.Name) and scope is not None else ()
        return [binding.node for binding in found] == [owner]

    def uses_of_expression(self, node: ast.expr) -> Iterator[UseSummary]:
        """What becomes of a function that `node` stands for."""
        for use in self._use(node, False):
            if use.call is None:
                yield UseSummary(None, self._ways_of_use(use), differentiated=use.differentiated)
            else:
                derived = use.differentiated or self.differentiated(use.call)
                ways = self.ways(use.call)
                again, surely = self.repeats(use.call), self.surely_repeats(use.call)
                yield UseSummary(use.call, ways, self.through(use.call), again, surely, derived)

    def calls_of_expression(self, node: ast.expr) -> Iterator[UseSummary]:
        """As `uses_of_expression`, for less: of the calls it does not say how they run."""
        for use in self._use(node, False):
            yield UseSummary(use.call, Contexts(), differentiated=use.differentiated)

    def _use(self, node: ast.AST, differentiated: bool) -> Iterator[_Use]:
        """What becomes of the function that `node` stands for."""
        parent = self._module.parent(node)
        if isinstance(parent, ast.keyword | ast.Starred):
            node, parent = parent, self._module.parent(parent)
        match parent:
            case ast.Call(func=func) if func is node:
                yield _Use(Runs.UNKNOWN, parent, differentiated)
            case ast.Call():
                yield from self._argument(node, parent, differentiated)
            case ast.List() | ast.Tuple() if isinstance(self._module.parent(parent), ast.Call):
                yield from self._use(parent, differentiated)
            case ast.Assign(targets=[ast.Name() as target]) | ast.NamedExpr(target=target):
                yield from self._uses_of_name(target, differentiated)
            case ast.IfExp():
                for use in self._use(parent, differentiated):
                    yield use if use.call is None else _Use(Runs.UNKNOWN, None, use.differentiated)
            case ast.Expr():
                return
            case ast.Attribute(attr=attr) if attr in _RULES and self._is_decorator(parent):
                return
            case _:
                yield _Use(Runs.UNKNOWN, None, differentiated)

    def _is_decorator(self, node: ast.AST) -> bool:
        function = self._module.parent(node)
        return isinstance(function, ast.FunctionDef) and node in function.decorator_list

    def _uses_of_name(self, target: ast.Name, differentiated: bool) -> Iterator[_Use]:
        scope = self._module.scope_of(target.id, target)
        if scope is None or isinstance(scope, ast.ClassDef):
            yield _Use(Runs.UNKNOWN, None, differentiated)
            return
        key = ("name", target)
        if key in self._under_way:
            return
        self._under_way.add(key)
        if scope is self._module.tree and not is_script(self._module) and not target.id.startswith("_"):
            yield _Use(Runs.UNKNOWN, None, differentiated)
        for name in self._module.reads(target.id, scope):
            yield from self._use(name, differentiated)
        self._under_way.discard(key)

    def _argument(self, node: ast.AST, call: ast.Call, differentiated: bool) -> Iterator[_Use]:
        """A function handed to `call`: transformed, traced, called there and then, or gone."""
        transform = transform_of(self._module, call.func) or ""
        if transform in _JITS or self._is_run_by_control_flow(node, call):
            yield _Use(Runs.TRACED, None, differentiated)
        elif transform in _CALL_AT_ONCE:
            yield _Use(Runs.UNKNOWN, call, differentiated or transform in _DERIVATIVES)
        elif transform in _MAPS | _DERIVATIVES | {"functools.partial"} or self._is_retrace(transform):
            yield from self._use(call, differentiated or transform in _DERIVATIVES)
        elif self._is_entry(node, call):
            yield _Use(Runs.UNKNOWN, call, differentiated)
        else:
            yield _Use(Runs.UNKNOWN, None, differentiated, given=call)

    def _is_entry(self, node: ast.AST, call: ast.Call) -> bool:
        """Whether `call` runs the program that `node` is, once: `app.run(main)` as a statement, under `__main__`."""
        module = self._module
        statement = module.parent(call)
        if call.args != [node] or not isinstance(statement, ast.Expr) or not is_script(module):
            return False
        around = module.parent(statement)
        return around is module.tree or (isinstance(around, ast.If) and module.parent(around) is module.tree)

    def _ways_of_use(self, use: _Use) -> Contexts:
        """How a function runs that is not called: whoever gets it under a trace runs it there."""
        if use.given is not None and self.ways(use.given) == _TRACED:
            return _TRACED
        return Contexts(frozenset({use.runs}))

    def _is_run_by_control_flow(self, node: ast.AST, call: ast.Call) -> bool:
        handed_over = node.value if isinstance(node, ast.keyword) else node
        return any(taken is handed_over for taken, _ in function_arguments(self._module, call))

    def _is_retrace(self, transform: str) -> bool:
        return is_retrace(transform, self._module.surroundings.helpers)


def _is_static(function: Function) -> bool:
    return any(isinstance(name, ast.Name) and name.id == "staticmethod" for name in _decorators(function))


def _decorators(function: Function) -> list[ast.expr]:
    return [] if isinstance(function, ast.Lambda) else function.decorator_list


def is_script(module: Module) -> bool:
    """Whether the module does its work when it is run: it has a `__main__` guard, or loops or runs its `main`.

    A notebook always does.
    """
    return module.get(_is_script)


def _is_script(module: Module) -> bool:
    if module.source.notebook is not None:
        return True
    return any(_is_main_guard(s) or isinstance(s, ast.For | ast.While) or _runs_main(s) for s in module.tree.body)


def _is_main_guard(statement: ast.stmt) -> bool:
    match statement:
        case ast.If(test=ast.Compare(left=ast.Name(id="__name__"))):
            return True
    return False


def _runs_main(statement: ast.stmt) -> bool:
    """Whether it is `main()`, or hands `main` to what runs it."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Name(id="main"))) | ast.Expr(value=ast.Call(args=[ast.Name(id="main")])):
            return True
    return False
