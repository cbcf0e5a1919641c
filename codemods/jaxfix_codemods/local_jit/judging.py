"""Whether a jitted function can be hoisted, and what has to be passed to it then."""

import ast
from collections.abc import Callable, Iterator

from jaxfix.api import Code, Declined, Function, Jit, Module, Reason, frozen, jitted_by_decorator, jitted_of, walk
from jaxfix.api.analysis import (
    Argument,
    Constancy,
    argument_values,
    constancy,
    function_identity,
    hidden_operands,
    hoisting,
    import_time,
    is_bound_before,
    purity,
    replaced_names,
    traced_uses,
    transform_of,
    varies_by_callers,
)
from jaxfix.api.library import Package, Result, where
from jaxfix_codemods.local_jit import lengthening
from jaxfix_codemods.local_jit.sites import Site

_MAKING = ("equinox.filter_", *(f"{name}." for name in where(Package.MAKES)), *where(Result.DESCRIPTION))
"""Beside transformations, what makes something of its arguments alone, without asking for a device."""
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


@frozen
class Shared:
    """What several places of a file make, each by itself.

    Attributes:
      name: what it is called.
      first: the place whose text makes it for all.
    """

    name: str
    first: Site


@frozen
class Plan:
    """What is to be done.

    Attributes:
      function: the lambda or local `def` that moves along; None where there is none, or it stays.
      lifted: what it is passed as further arguments.
      at, is_before: the statement to stand before, or after.
      in_module: whether that is at the top level.
      stays: whether it stays in its function, and leaves the loop alone.
      doubts: what only a rerun can settle.
      unasked: whether other files give more reasons for one; they are asked only where all else holds.
      keeps_variable: its variable is bound to other things too, and stays.
      shared: where other places of the file make the same.
    """

    site: Site
    function: Function | None
    lifted: tuple[hoisting.Taken, ...]
    at: ast.stmt
    is_before: bool
    in_module: bool
    stays: bool
    doubts: tuple[str, ...]
    unasked: tuple[Callable[[], bool], ...]
    keeps_variable: bool = False
    shared: Shared | None = None

    @property
    def is_doubted(self) -> bool:
        return bool(self.doubts) or any(ask() for ask in self.unasked)


def judge(module: Module, site: Site) -> Plan:
    """What to do about `site`.

    Raises:
      Declined: nothing, and why.
    """
    return _Judge(module, site).plan()


def varies_by_design(module: Module, site: Site) -> bool:
    """Whether each iteration of the loop makes another program: it reads what the loop binds as more than an array."""
    loops = set(module.loops(site.made))
    for function in _functions_of(module, site):
        for name in hoisting.outer_names(module, function, module.function(site.made)):
            scope = module.scope_of(name, function)
            bound = [b.node for b in module.bindings(name, scope)] if scope is not None else []
            if any(loops & set(module.ancestors(node)) for node in bound):
                taken = hoisting.taken(module, function, name)
                if any(_use(module, use) is not None for one in taken for use in one.uses):
                    return True
    parts: list[ast.AST] = [site.at] if site.function is None else [*site.function.decorator_list]
    for node in hoisting.names_early(module, parts):
        scope = module.scope_of(node.id, node)
        bound = [b.node for b in module.bindings(node.id, scope)] if scope is not None else []
        if any(loops & set(module.ancestors(b)) and not isinstance(b, ast.FunctionDef) for b in bound):
            return True
    return False


def is_made_for_each(module: Module, site: Site) -> bool:
    """As `varies_by_design`, of a loop around a call."""
    return any(varies_by_callers(module, function, site.made) for function in _functions_of(module, site))


def _functions_of(module: Module, site: Site) -> Iterator[Function]:
    found = core(module, site)
    if isinstance(found, ast.FunctionDef | ast.Lambda):
        yield found


def core(module: Module, site: Site) -> Function | ast.expr:
    """The function that is jitted in the end, below transformations and partial applications."""
    if site.function is not None:
        return site.function
    expr = site.inner
    for _ in range(8):
        match expr:
            case ast.Call(func=func, args=[inner, *_]) if module.qualname(func) is not None:
                expr = inner
            case ast.Name():
                value = module.only_value(expr)
                if not isinstance(value, ast.Call):
                    break
                expr = value
            case _:
                break
    return module.definition(expr) or expr


def _use(module: Module, use: ast.expr) -> Reason | None:
    return traced_uses.concrete_use(module, use)


class _Judge:
    def __init__(self, module: Module, site: Site) -> None:
        self.module, self.site = module, site
        self.around = module.function(site.made)
        self.places: list[ast.AST] = [module.tree]
        self.lifted: list[hoisting.Taken] = []
        self.kept: list[str] = []
        self.doubts: list[str] = []
        self.unasked: list[Callable[[], bool]] = []
        self.is_rebound: str | None = None

    def plan(self) -> Plan:
        module = self.module
        hoisting.check_text(module, self.site.at, "it")
        self._check_uses()
        self._doubt_uses()
        function = self._function()
        if function is not None:
            self._check_function(function)
        needed = self._check_early(function)
        stays = bool(self.kept)
        if stays and self.lifted and isinstance(function, ast.FunctionDef) and not module.loops(function):
            raise Declined(Reason(Code.SIGNATURE, f"`{function.name}` needs the argument `{self.lifted[0].text}`"))
        scope = self.around if stays and self.around is not None else hoisting.deepest(self.module, self.places)
        at, is_before = self._place(scope, needed, stays=stays, moves_along=function is not None)
        if self.is_rebound is not None:
            self._check_rebound(self.is_rebound, stays=stays)
        if self.lifted and function is not None:
            lengthening.check(module, self.site, function, self.lifted)
        is_above = isinstance(function, ast.FunctionDef) and not module.loops(function)
        moves = None if stays and is_above else function
        in_module = scope is self.module.tree
        if in_module:
            self.doubts += hoisting.examples(function) if function is not None else ()
            self._doubt_import(function, at, is_before=is_before)
        return Plan(
            self.site,
            moves,
            tuple(self.lifted),
            at,
            is_before,
            in_module,
            stays,
            tuple(self.doubts),
            tuple(self.unasked),
            self.is_rebound is not None,
        )

    def _check_uses(self) -> None:
        if self.site.taker is not None:
            return
        targets = self.site.stay.targets
        if len(targets) > 1:
            raise Declined(Reason(Code.REBOUND, f"it is bound to `{targets[0].id}` and to `{targets[1].id}`"))
        for target in targets:
            bound = self.module.bindings(target.id, self.module.scope_of(target.id, target))
            if len(bound) > 1:
                self.is_rebound = target.id
            if self.module.value_of(target) is not self.site.at:
                raise Declined(Reason(Code.CONDITIONAL, f"the value of `{target.id}` depends on a condition"))
            if not isinstance(self.module.parent(target), ast.Assign):
                raise Declined(Reason(Code.LAYOUT, f"`{target.id}` is bound inside another statement"))
        function = self.site.function
        if self.site.renamed is not None:
            if self.site.renamed.lineno != self.site.renamed.end_lineno:
                raise Declined(
                    Reason(
                        Code.LAYOUT, f"`{self.module.text(self.site.renamed.targets[0])}` is bound over several lines"
                    )
                )
        elif function is not None:
            if len(self.module.bindings(function.name, self.module.scope_of(function.name, function))) > 1:
                raise Declined(Reason(Code.REBOUND, f"`{function.name}` is bound more than once"))
        elif not targets and not isinstance(self.module.parent(self.site.at), ast.Call | ast.keyword):
            raise Declined(Reason(Code.CONDITIONAL, "which function is meant depends on a condition"))

    def _check_rebound(self, name: str, *, stays: bool) -> None:
        """A variable with other bindings stays, and is bound to the hoisted function."""
        if self.lifted:
            taken = self.lifted[0].text
            raise Declined(
                Reason(
                    Code.REBOUND, f"`{name}` is bound more than once, and this function would have to take `{taken}`"
                )
            )
        if stays:
            raise Declined(
                Reason(
                    Code.REBOUND, f"`{name}` is bound more than once, and this function belongs to the enclosing one"
                )
            )

    def _doubt_uses(self) -> None:
        """What one jit for many calls may distinguish less well than a new one for each."""
        module, site = self.module, self.site
        for use in site.stay.names:
            bound = [module.statement(target) for target in site.stay.targets]
            bound += [site.function] if site.function is not None else []
            if not all(is_bound_before(module, each, use) for each in bound):
                self.doubts.append(use.id)  # perhaps it is not defined
        handed = (use.value if isinstance(use, ast.keyword) else use for use in site.stay.handed)
        operands = [*(use for use in handed if isinstance(use, ast.expr))]
        given = [each for call in site.stay.calls for each in argument_values(call)]
        self.unasked.append(lambda: any(hidden_operands(module, [*given, *operands])))
        self.doubts += hoisting.listed(module)
        made: list[ast.AST] = [site.at] if site.function is None or site.renamed is not None else []
        made += site.function.decorator_list if site.function is not None else []
        self.unasked.append(lambda: any(replaced_names(module, made)))
        is_decorated = site.function is not None and site.renamed is None
        jitted = (
            jitted_by_decorator(module, site.function) if is_decorated and site.function else jitted_of(module, site.at)
        )
        if site.taker is None and (jitted is None or jitted.jit.donated != ()):
            self.doubts.append(site.by)  # what cannot be donated is warned of by each compile
        if site.taker is not None or (jitted is not None and self._compares(jitted.jit)):
            self.doubts.append(site.by)

    def _compares(self, jit: Jit) -> bool:
        """Whether it compares arguments by `==`, to which `1`, `1.0` and `True` are one, and an object that changed."""
        if not jit.by.startswith("jax.") or jit.static is None:
            return True
        return bool(jit.static) and not all(are_constants(jit, call) for call in self.site.stay.calls)

    # --- the function -----------------------------------------------------------------------------------------

    def _function(self) -> Function | None:
        """The local function inside; None where it is one of the module, or of another one."""
        module, site = self.module, self.site
        found = core(module, site)
        if isinstance(found, ast.Lambda | ast.FunctionDef):
            if site.function is None:
                self._check_wrapping(found)
            if module.function(found) is None and isinstance(found, ast.FunctionDef) and not module.loops(found):
                self._check_pure(found)
                return None
            return found
        if isinstance(found, ast.AsyncFunctionDef):
            raise Declined(Reason(Code.COROUTINE, f"`{found.name}` is a coroutine"))
        self._check_elsewhere(found)
        return None

    def _check_elsewhere(self, found: ast.expr) -> None:
        module = self.module
        qualname = module.qualname(found)
        if qualname is not None:
            if not qualname.startswith("jax."):
                self.doubts.append(qualname)
            return
        if isinstance(found, ast.Attribute):
            bound = f"`{module.text(found)}` is a bound method and reads its object at each trace"
            raise Declined(Reason(Code.UNSTABLE, f"{bound}: where nothing of that changes, jit it once in `__init__`"))
        if isinstance(found, ast.Call):
            raise Declined(Reason(Code.UNREAD, f"what `{module.text(found.func)}` returns is unknown"))
        name = " ".join(module.text(found).split())
        raise Declined(Reason(Code.UNREAD, f"the definition of `{name}` is unknown"))

    def _check_wrapping(self, found: Function) -> None:
        """Everything between the jit and its function is spelled in the expression itself."""
        expr = self.site.inner
        while isinstance(expr, ast.Call) and expr.args:
            if self.module.qualname(expr.func) is None:
                raise Declined(Reason(Code.UNREAD, f"what `{self.module.text(expr.func)}` returns is unknown"))
            expr = expr.args[0]
        if expr is not found and self.module.definition(expr) is not found:
            raise Declined(Reason(Code.UNREAD, f"`{self.module.text(expr)}` is itself made by a call"))

    def _check_pure(self, function: Function, apart: frozenset[str] = frozenset()) -> None:
        found = purity(self.module, function, apart)
        if found.reason is not None:
            raise Declined(found.reason.restated(f"it cannot be traced once: {found.reason}"))
        self.doubts += found.doubts
        self.unasked += found.unasked

    def _check_function(self, function: Function) -> None:
        names = hoisting.outer_names(self.module, function, self.around)
        self._check_pure(function, frozenset(names) if self.around is None else frozenset())
        if isinstance(function, ast.FunctionDef) and function is not self.site.function:
            if function.decorator_list:
                raise Declined(Reason(Code.DECORATED, f"`{function.name}` is decorated"))
            if len(self.module.bindings(function.name, self.module.scope_of(function.name, function))) > 1:
                raise Declined(Reason(Code.REBOUND, f"`{function.name}` is bound more than once"))
        for name in names:
            self._check_free(function, name)

    def _check_free(self, function: Function, name: str) -> None:
        module = self.module
        scope = module.scope_of(name, function)
        if scope is None:
            raise Declined(Reason(Code.UNREAD, f"the origin of `{name}` is unknown"))
        if not hoisting.is_in_scope(scope, self.around or module.tree):
            self._check_outer(function, name, scope)
            return
        taken = hoisting.taken(module, function, name)
        reasons = [(t, reason) for t in taken for use in t.uses if (reason := _use(module, use)) is not None]
        may_stay = bool(module.loops(self.site.made)) and scope is self.around is not None
        if (reasons or self.site.taker is not None) and may_stay and self._is_kept(name, scope):
            self.kept.append(name)
            return
        if not reasons:
            self.lifted += taken
            return
        what, reason = reasons[0]
        raise Declined(reason.restated(f"it uses `{what.text}` {reason}; an array is not accepted there"))

    def _is_kept(self, name: str, scope: ast.AST | None) -> bool:
        """Whether the variable stays unchanged while the loop runs."""
        if scope is None or not hoisting.is_plain(self.module, name, scope):
            return False
        (binding,) = self.module.bindings(name, scope)
        loops = self.module.loops(self.site.made)
        return not any(outer in loops for outer in self.module.ancestors(binding.node))

    def _check_outer(self, function: Function, name: str, scope: ast.AST) -> None:
        """A variable of a factory: it stays captured, so it must stay what it is."""
        hoisting.check_captured(self.module, function, name, scope, "it")
        self.places.append(scope)

    # --- where it goes ----------------------------------------------------------------------------------------

    def _check_early(self, function: Function | None) -> list[str]:
        """What is read when the jit is made: it must mean the same at the new place. Returns the module's names."""
        module, site = self.module, self.site
        parts: list[ast.AST] = [site.at] if site.function is None or site.renamed is not None else []
        if function is not None:
            parts += hoisting.evaluated_early(function)
        needed: list[str] = []
        for node in hoisting.names_early(module, parts):
            scope = module.scope_of(node.id, node)
            if scope is None or (function is not None and node.id == getattr(function, "name", None)):
                continue
            if scope is module.tree:
                self._check_global(node.id)
                needed.append(node.id)
            elif hoisting.is_in_scope(scope, self.around):
                if module.loops(site.made) and self._is_kept(node.id, scope):
                    self.kept.append(node.id)
                    continue
                raise Declined(
                    Reason(Code.UNSTABLE, f"it is created with `{node.id}`, which belongs to the enclosing function")
                )
            else:
                if constancy(module, node.id, scope) is not Constancy.CONSTANT:
                    raise Declined(
                        Reason(Code.UNSTABLE, f"it is created with `{node.id}`, which can change between calls")
                    )
                self.places.append(scope)
        self._check_calls(parts)
        return needed

    def _doubt_import(self, function: Function | None, at: ast.stmt, *, is_before: bool) -> None:
        """What may fail when evaluated although the function around it is not called."""
        module, site = self.module, self.site
        made: list[ast.AST] = [site.at] if site.function is None or site.renamed is not None else []
        parts = [*made, *(import_time.signature(module, function) if function is not None else ())]
        body = module.tree.body
        above = body[: body.index(at) + (0 if is_before else 1)] if at in body else []
        self.doubts += import_time.may_fail(module, parts, above, function)

    def _check_global(self, name: str) -> None:
        if all(self.module.enclosing(binding.node, ast.If) is not None for binding in self.module.bindings(name)):
            raise Declined(Reason(Code.CONDITIONAL, f"`{name}` is defined only under a condition"))
        match constancy(self.module, name, self.module.tree):
            case Constancy.CHANGES if not self._is_loop_function(name):
                raise Declined(Reason(Code.UNSTABLE, f"it reads `{name}`, which can change between calls"))
            case Constancy.UNSURE if self.module.names.imports.get(name) is None:
                self.doubts.append(name)

    def _is_loop_function(self, name: str) -> bool:
        return all(isinstance(b.node, ast.FunctionDef) for b in self.module.bindings(name))

    def _check_calls(self, parts: list[ast.AST]) -> None:
        """What is called when the jit is made makes functions, and does nothing else."""
        for part in parts:
            for call in (n for n in walk(part) if isinstance(n, ast.Call)):
                if any(isinstance(o, ast.Lambda) and o in walk(part) for o in self.module.ancestors(call)):
                    continue
                name = transform_of(self.module, call.func) or ""
                if name not in function_identity.RENEWING and not name.startswith(_MAKING):
                    raise Declined(
                        Reason(Code.UNSTABLE, f"it is created with the result of `{self.module.text(call.func)}`")
                    )

    def _place(self, scope: ast.AST, needed: list[str], *, stays: bool, moves_along: bool) -> tuple[ast.stmt, bool]:
        module, site = self.module, self.site
        if stays:
            loops = [loop for loop in module.loops(site.made) if isinstance(loop, _LOOPS)]
            if not loops:
                return module.statement(site.made), True
            (outermost,) = loops[-1:]
            assert isinstance(outermost, ast.stmt)
            self._check_bound_above(outermost)
            return outermost, True
        before = hoisting.statement_in(module, site.at if site.function is None else site.function, scope)
        if scope is not module.tree:
            return before, True
        at, is_before = hoisting.place(module, before, needed)
        if not is_before and isinstance(core(module, site), ast.FunctionDef) and moves_along:
            raise Declined(Reason(Code.NO_PLACE, f"`{needed[-1]}` is defined later in the file"))
        return at, is_before

    def _check_bound_above(self, loop: ast.stmt) -> None:
        for name in self.kept:
            for binding in self.module.bindings(name, self.around):
                if getattr(binding.node, "lineno", loop.lineno) >= loop.lineno:
                    raise Declined(Reason(Code.NO_PLACE, f"`{name}` is bound too late"))


def are_constants(jit: Jit, call: ast.Call) -> bool:
    """Whether what is static in the call is written there."""
    arguments: list[tuple[Argument, ast.expr]] = list(enumerate(call.args))
    arguments += [(keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg is not None]
    is_spread = any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords)
    return not is_spread and all(
        isinstance(value, ast.Constant) or jit.is_static(key) is False for key, value in arguments
    )
