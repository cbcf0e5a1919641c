"""Which arguments of a jitted step are dead after its call."""

import ast
from collections.abc import Callable, Iterator, Sequence

from jaxfix.api import (
    Code,
    Declined,
    Function,
    Jitted,
    Module,
    Reason,
    Runs,
    Staging,
    arguments_of,
    frozen,
    jitted_by_decorator,
    jittings,
    returned,
    walk,
)
from jaxfix.api.analysis import (
    KEY_PARAMETERS,
    Callers,
    Use,
    Values,
    binds_again,
    callers,
    default_of,
    family,
    instance_state,
    is_in_loop,
    is_of_others,
    outside_arguments,
    own_class,
    runs_of,
    stored_users,
    surely_repeats_at,
    value_at,
    why_live_after,
)
from jaxfix.api.library import Identity, Result, Transform, short_names, where
from jaxfix_codemods.undonated_state.handles import Wrapped, handles, stored, wrapped
from jaxfix_codemods.undonated_state.sizes import MOST, elements, has_narrow_layers, is_network


@frozen
class Step:
    """A jitted function of this file.

    Attributes:
      named: the `def`, the variable or the attribute that it is called by; what makes it where a factory returns it.
      bound: it is called of an object, which its parameters count.
    """

    jitted: Jitted
    function: Function
    named: ast.FunctionDef | ast.Name | ast.Attribute | ast.Call
    name: str
    bound: bool
    uses: Callers


@frozen
class Looped:
    """A call in a loop, of this file or another one, and the parameters whose argument its statement rebinds.

    Attributes:
      few: those that are a few numbers, and not worth it.
      is_unsized: nothing in the text says that one of them is large.
    """

    wanted: tuple[str, ...]
    certain: bool
    few: tuple[str, ...] = ()
    is_unsized: bool = False


def steps(module: Module, may_donate: Callable[[Jitted], bool]) -> Iterator[Step]:
    """The jitted functions that have a name, and whose function can be read, of those that `may_donate`."""
    for function in module.functions:
        found = jitted_by_decorator(module, function)
        if isinstance(function, ast.FunctionDef) and found is not None and may_donate(found):
            bound = isinstance(module.parent(function), ast.ClassDef) and not _is_static(function)
            inside = handles(module, function) or (stored(module, function) if not bound else None)
            uses = inside or instance_state.users(module, function)
            yield Step(found, function, function, function.name, bound, uses)
    for call, found in jittings(module):
        inner = wrapped(module, call, found) if may_donate(found) else None
        if inner is not None:
            yield from _named(module, call, inner)


def _named(module: Module, call: ast.Call, inner: Wrapped) -> Iterator[Step]:
    """What a transformation made, by the name that it has: one of its own, or that of what a factory returns."""
    match module.parent(call):
        case ast.Assign(targets=[ast.Name() as target], value=value) if value is call:
            scope = module.scope_of(target.id, target)
            if len(module.bindings(target.id, scope)) == 1:
                uses = callers(module, target)
                yield Step(inner.jitted, inner.function, target, target.id, inner.bound, uses)
        case ast.Assign(targets=[ast.Attribute() as stored], value=value) if value is call:
            if uses_of_stored := stored_users(module, stored):
                yield Step(inner.jitted, inner.function, stored, stored.attr, inner.bound, uses_of_stored)
        case ast.Return() if (uses_of_made := handles(module, call)) is not None:
            name = getattr(inner.function, "name", "the step")
            yield Step(inner.jitted, inner.function, call, name, inner.bound, uses_of_made)


def may_be_callers(module: Module, step: Step, donated: Sequence[str]) -> bool:
    """Whether a donated state comes from an optimizer that other code created, and may hold its arrays."""
    origins = module.get(Values).origins
    for call in step.uses.calls:
        passed = arguments_of(step.function, call, bound=step.bound) or {}
        for given in (value for name, value in passed.items() if value is not None and name in donated):
            for source in origins.of(given):
                match source:
                    case ast.Call(func=ast.Attribute(value=maker, attr="init")):
                        if not all(isinstance(each, ast.Call) for each in origins.of(maker)):
                            return True
    return False


def _is_static(function: ast.FunctionDef) -> bool:
    return any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in function.decorator_list)


def looped(module: Module, step: Step) -> Looped | None:
    """What a loop rebinds, of one that certainly goes on repeatedly if there is one; None without any."""
    found = [*_looped_here(module, step), *_looped_elsewhere(module, step)]
    return next((each for each in found if each.certain), found[0] if found else None)


def _looped_here(module: Module, step: Step) -> Iterator[Looped]:
    for call in step.uses.calls:
        if not module.get(Staging).is_staged(call):
            passed = arguments_of(step.function, call, bound=step.bound) or {}
            given = {name: value for name, value in passed.items() if value is not None and _is_dynamic(step, name)}
            bound = tuple(name for name, value in given.items() if binds_again(module, call, value))
            amounts = _Few(module, step)
            few = tuple(name for name in bound if amounts.are_in(given[name]))
            chosen = tuple(name for name in bound if name not in few)
            if not is_in_loop(module, call):  # what an object holds comes again with the next call of its method
                chosen = tuple(name for name in chosen if isinstance(given[name], ast.Attribute))
            if chosen:
                surely = module.get(Staging).surely_repeats(call)
                is_unsized = not any(map(amounts.may_be_large, _passed(step, chosen)))
                yield Looped(chosen, surely and module.get(Staging).is_eager(call), few, is_unsized)


def _passed(step: Step, names: Sequence[str]) -> Iterator[ast.expr]:
    """What parameters stand for at first: what calls of the step pass, also before a loop, and their defaults."""
    yield from (value for name in names if (value := default_of(step.function, name)) is not None)
    for call in step.uses.calls:
        passed = arguments_of(step.function, call, bound=step.bound) or {}
        yield from (value for name in names if (value := passed.get(name)) is not None)


def _looped_elsewhere(module: Module, step: Step) -> Iterator[Looped]:
    project = module.surroundings.project
    for use in step.uses.outside if step.uses.is_looped_outside else ():
        runs = runs_of(project, use)
        if use.call is not None and use.call.looped and runs is not Runs.TRACED:
            passed = outside_arguments(step.function, use.call) or {}
            given = {name: value for name, value in passed.items() if value is not None and _is_dynamic(step, name)}
            few = tuple(name for name, value in given.items() if value.again and value.value.scalar)
            chosen = tuple(name for name, value in given.items() if value.again and name not in few)
            if chosen:
                yield Looped(chosen, runs is Runs.EAGER and surely_repeats_at(project, use), few)


_KEYS = where(Result.KEY)
_OPTIMIZERS = where(Identity.STATIC)
_REDUCING = short_names(Result.REDUCED)
_CALLING = where(Transform.SAME_RESULT) | where(Transform.BATCHES)


class _Few:
    """Tells states that are a few numbers, or a random key: to hold them twice costs nothing."""

    def __init__(self, module: Module, step: Step) -> None:
        self._module, self._step, self._values = module, step, module.get(Values)
        self._asked = set[ast.AST]()

    def are_in(self, passed: ast.expr) -> bool:
        """Whether all that `passed` began as is numbers: what the step makes of it has the same shapes."""
        if self._values.of(passed).scalar:
            return True
        began = self._began(passed)
        return bool(began) and all(self._is_of_numbers(source) for source in began)

    def may_be_large(self, passed: ast.expr) -> bool:
        """Whether `passed` began as a network, or as an array that the text makes large, or is made of one."""
        pending = [passed]
        while pending:
            for source in self._began(pending.pop()):
                if source not in self._asked and not self._is_of_numbers(source):
                    self._asked.add(source)
                    if self._is_large(source):
                        return True
                    pending += self._parts(source)
        return False

    def _began(self, passed: ast.expr) -> list[ast.AST]:
        """What `passed` stands for before the step has made any of it."""
        made = {*self._step.uses.calls, *walk(self._step.function)}.difference(self._step.function.args.defaults)
        begun = [*self._values.origins.of(passed)]
        if isinstance(passed, ast.Attribute) and (owner := own_class(self._module, passed.value)) is not None:
            begun = [*self._held(passed.attr, owner)]
        return [source for source in begun if source not in made]

    def _held(self, attribute: str, owner: ast.ClassDef) -> Iterator[ast.AST]:
        """What the objects of a class hold in an attribute, wherever the file binds it; of several results the call."""
        module, classes = self._module, family(self._module, owner)
        for node in module.attributes(attribute):
            if isinstance(node.ctx, ast.Store) and not is_of_others(module, node, classes):
                value = value_at(module, node) or getattr(module.statement(node), "value", None)
                yield from self._values.origins.of(value) if isinstance(value, ast.expr) else (node,)

    def _is_large(self, source: ast.AST) -> bool:
        """Whether what is more than some numbers is large by itself, whatever it is made of."""
        match source:
            case ast.Call(func=ast.Attribute(attr="init"), args=[only], keywords=[]) if not self._is_key(only):
                return False  # the state of an optimizer
            case ast.Call(func=ast.Attribute(attr="init")):
                return True
            case ast.Call():
                return elements(self._module, source) is not None or is_network(self._module, source)
        return False

    def _parts(self, source: ast.AST) -> Sequence[ast.expr]:
        """What `source` holds, or is computed from: it is large if one of these is."""
        match source:
            case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Dict(values=parts):
                return parts
            case (
                ast.ListComp(elt=part) | ast.DictComp(value=part) | ast.UnaryOp(operand=part) | ast.Starred(value=part)
            ):
                return (part,)
            case ast.BinOp(left=left, right=right):
                return left, right
            case ast.Attribute(attr="at", value=part) | ast.Subscript(value=ast.Attribute(attr="at") as part):
                return (part,)
            case ast.Call(func=ast.Attribute(attr=name)) if name in _REDUCING:
                return ()
            case ast.Call(func=func, args=args, keywords=keywords):
                if (function := self._function(source)) is not None:
                    return returned(function)
                receiver = [func.value] if isinstance(func, ast.Attribute) and not self._is_network(func.value) else []
                return [*receiver, *args, *(keyword.value for keyword in keywords)]
        return ()

    def _function(self, call: ast.Call) -> Function | None:
        """The function of this file whose result `call` gives, perhaps of several calls at once."""
        module, func = self._module, call.func
        made = module.only_value(func) if isinstance(func, ast.Name) else func
        if isinstance(made, ast.Call) and made.args and module.qualname(made.func) in _CALLING:
            return module.definition(made.args[0])
        return self._values.origins.called(call)

    def _is_network(self, receiver: ast.expr) -> bool:
        """Whether methods of it may give anything, however large it is."""
        sources = (source for source in self._began(receiver) if isinstance(source, ast.Call))
        return any(is_network(self._module, source) for source in sources)

    def _is_key(self, passed: ast.expr) -> bool:
        return (isinstance(passed, ast.Name) and _names_keys(passed.id)) or self._is_of_numbers(passed)

    def _is_optimizer(self, maker: ast.expr) -> bool:
        """Whether its state is as large as the parameters that it is made of."""
        sources = self._values.origins.of(maker)
        made = (self._module.qualname(source.func) for source in sources if isinstance(source, ast.Call))
        return bool(sources) and len(names := [*made]) == len(sources) and all(name in _OPTIMIZERS for name in names)

    def _is_of_numbers(self, source: ast.AST) -> bool:
        match source:
            case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Dict(values=parts):
                return all(map(self.are_in, parts))
            case ast.Call(func=func) if self._module.qualname(func) in _KEYS:
                return True
            case ast.Call(func=ast.Attribute(attr="init")) if has_narrow_layers(self._module):
                return True
            case ast.Call(func=ast.Attribute(value=maker, attr="init"), args=[only], keywords=[]):
                return self._is_optimizer(maker) and self.are_in(only)
            case ast.Call() if (found := elements(self._module, source)) is not None:
                return found <= MOST
            case ast.Call(func=ast.Attribute(attr="create"), args=[], keywords=keywords):
                given = [keyword.value for keyword in keywords if keyword.arg == "params"]
                return bool(given) and all(map(self.are_in, given))  # all else of a training state is made of these
            case ast.Call(func=ast.Name(id=name) as func, args=args, keywords=keywords) if self._is_record(name, func):
                return all(map(self.are_in, (*args, *(keyword.value for keyword in keywords))))
        return self._values.any_of([source]).scalar

    def _is_record(self, name: str, func: ast.Name) -> bool:
        found = [binding.node for binding in self._module.bindings(name, self._module.scope_of(name, func))]
        if len(found) != 1 or not isinstance(found[0], ast.ClassDef):
            return False
        members = (member.name for member in found[0].body if isinstance(member, ast.FunctionDef))
        return "__init__" not in members  # which may make anything of what it is passed


def _is_dynamic(step: Step, name: str) -> bool:
    return step.jitted.jit.is_static(name) is False


def spare(module: Module, step: Step, few: Sequence[str]) -> tuple[str, ...]:
    """Which of `few` can be donated with the others, where a transformation donates all arguments or none."""
    try:
        return judge(module, step, few) if few else ()
    except Declined:
        return ()


def judge(module: Module, step: Step, wanted: Sequence[str]) -> tuple[str, ...]:
    """Which of the `wanted` parameters can be donated.

    Raises:
      Declined: none.
    """
    _check_uses(module, step)
    reasons, chosen = [], []
    for name in wanted:
        reason = _why_live(module, step, name)
        if reason is None:
            chosen.append(name)
        else:
            reasons.append(reason)
    if not chosen:
        raise Declined(reasons[0])
    if reasons and all(_names_keys(name) for name in chosen):
        raise Declined(reasons[0])  # the state stays, and what is left is random keys
    return tuple(chosen)


def _names_keys(parameter: str) -> bool:
    """Whether a parameter is called as random keys are: a few bytes, whatever they were made of."""
    return parameter.rpartition("_")[2] in KEY_PARAMETERS


def _why_unsure(module: Module, step: Step, use: ast.expr) -> Reason | None:
    """That a use is one of the method only if its object is one of its class, where nothing says so."""
    if not step.bound or not isinstance(use, ast.Attribute) or own_class(module, use.value) is not None:
        return None
    text = f"`{module.text(use)}` in line {use.lineno}"
    return Reason(Code.UNREAD, f"{text} may be `{step.name}`, and its object is unknown", use.lineno)


def _check_uses(module: Module, step: Step) -> None:
    for use in step.uses.others:
        handed = f"`{step.name}` is passed on in line {use.lineno}, to code that may reuse what it passes"
        raise Declined(_why_unsure(module, step, use) or Reason(Code.ESCAPES, handed, use.lineno))
    for outside in step.uses.outside:
        _check_outside(step, outside)
    if not step.uses.is_closed():
        raise Declined(Reason(Code.ESCAPES, f"other files may call `{step.name}`, and reuse what they passed"))
    if step.jitted.jit.static is None or step.jitted.jit.parameters is None:
        raise Declined(Reason(Code.UNREAD, "its options are not in the text"))
    for call in step.uses.calls:
        if arguments_of(step.function, call, bound=step.bound) is None:
            starred = f"line {call.lineno} calls it with `*` or `**`"
            reason = Reason(Code.STAR_ARGUMENTS, starred, call.lineno)
            raise Declined(_why_unsure(module, step, call.func) or reason)


def _check_outside(step: Step, use: Use) -> None:
    if use.call is None:
        raise Declined(
            Reason(Code.ESCAPES, f"`{step.name}` is passed on in {use.at}, to code that may reuse what it passes")
        )
    if outside_arguments(step.function, use.call) is None:
        raise Declined(Reason(Code.STAR_ARGUMENTS, f"{use.at} calls it with `*` or `**`"))


def _why_live(module: Module, step: Step, parameter: str) -> Reason | None:
    """Why what some call passes for `parameter` may be needed afterwards."""
    for call in step.uses.calls:
        passed = (arguments_of(step.function, call, bound=step.bound) or {}).get(parameter)
        if passed is None:
            continue  # a default is not an argument of the call, and not donated
        reason = why_live_after(module, step.uses.calls, call, passed)
        if reason is not None:
            return _why_unsure(module, step, call.func) or reason
    for use in step.uses.outside:
        passed_there = (
            (outside_arguments(step.function, use.call) or {}).get(parameter) if use.call is not None else None
        )
        if passed_there is not None and passed_there.why_live is not None:
            return passed_there.why_live
    return None
