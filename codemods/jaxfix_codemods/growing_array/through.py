"""An array that a function makes longer, and that the loop which calls it passes on from call to call."""

import ast
from collections.abc import Iterator

from jaxfix.api import Code, Confidence, Finding, Module, Reason, Staging, arguments_of, returned
from jaxfix.api.analysis import instance_state, parameters_of
from jaxfix_codemods.growing_array.parts import TITLE, operands


def grown_by_function(module: Module, call: ast.Call) -> Iterator[Finding]:
    """What is found of loops that call the function around `call`, if that makes a parameter longer and returns it."""
    function, grown = module.function(call), _grown(module, call)
    if not isinstance(function, ast.FunctionDef) or grown is None or module.loops(call):
        return
    places = [place for result in returned(function) if (place := _place(result, call, grown)) is not None]
    staging, owner = module.get(Staging), module.method_of(function)
    for use in instance_state.users(module, function).calls if places else ():
        is_bound = owner is not None and not (isinstance(use.func, ast.Attribute) and _is_class(use.func.value, owner))
        passed = (arguments_of(function, use, bound=is_bound) or {}).get(grown)
        bound = _bound(module, use, places[0])
        is_same = isinstance(passed, ast.Name) and isinstance(bound, ast.Name) and passed.id == bound.id
        if is_same and module.loops(use) and not (staging.is_only_traced(use) or staging.is_seldom(use)):
            is_sure = staging.is_eager(use) and staging.surely_repeats(use)
            name = module.text(use.func)
            how = f"`{name}` makes it longer: give it its final length before the loop, or collect the parts in a list"
            yield Finding(
                at=use,
                message=f"`{grown if passed is None else module.text(passed)}` grows in each iteration: "
                "each length compiles again, and all of it is copied",
                title=TITLE,
                confidence=Confidence.CERTAIN if is_sure else Confidence.POSSIBLE,
                declined=Reason(Code.LIVE, how),
            )


def _is_class(receiver: ast.expr, owner: ast.ClassDef) -> bool:
    return isinstance(receiver, ast.Name) and receiver.id == owner.name


def _grown(module: Module, call: ast.Call) -> str | None:
    """The parameter of the function around that `call` makes longer, where nothing else binds it."""
    found, function = operands(module, call), module.function(call)
    if found is None or not isinstance(found.old, ast.Name) or not isinstance(function, ast.FunctionDef):
        return None
    if found.old.id not in {each.arg for each in parameters_of(function.args)}:
        return None
    bound = [each.node for each in module.bindings(found.old.id, function) if not isinstance(each.node, ast.arg)]
    match module.parent(call):
        case ast.Assign(targets=[ast.Name(id=name) as target]) if name == found.old.id and bound == [target]:
            return name
        case ast.Return() | ast.Tuple() if not bound:
            return found.old.id
    return None


def _place(result: ast.expr, call: ast.Call, grown: str) -> int | None:
    """Which of the results of the function the longer array is; 0 where it is the only one too."""
    parts = result.elts if isinstance(result, ast.Tuple) else [result]
    same = (at for at, each in enumerate(parts) if each is call or (isinstance(each, ast.Name) and each.id == grown))
    return next(same, None)


def _bound(module: Module, use: ast.Call, place: int) -> ast.expr | None:
    match module.parent(use):
        case ast.Assign(targets=[ast.Tuple(elts=elts)]) if place < len(elts):
            return elts[place]
        case ast.Assign(targets=[target]) if place == 0:
            return target
    return None
