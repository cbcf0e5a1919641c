"""How a generator hands its batches to the one loop that takes them: what a mask has to go along with."""

import ast

from jaxfix.api import Code, Declined, Module, Reason, direct_calls, walk
from jaxfix.api.analysis import USERS
from jaxfix_codemods.ragged_batch.loops import Batches
from jaxfix_codemods.ragged_batch.steps import Step


def handed_by(module: Module, found: Batches, taken: tuple[Step, ...]) -> tuple[ast.expr, ...]:
    """What the generator yields and what the loop over it binds, to which a mask is added.

    Returns:
      Nothing where the loop over the rows calls the steps itself.

    Raises:
      Declined: the batches go elsewhere too, or are read by more than the steps.
    """
    loop = taken[0].loop
    if any(step.loop is not loop for step in taken):
        raise Declined(Reason(Code.OTHER_USES, "more than one place takes its batches"))
    if loop is found.loop:
        return ()
    _check_generator(module, found, loop)
    _check_reads(module, loop, taken)
    (given,) = (node for node in walk(found.loop) if isinstance(node, ast.Yield))
    assert given.value is not None
    return (given.value, loop.target)


def _check_generator(module: Module, found: Batches, loop: ast.For) -> None:
    """Raises `Declined` unless all that it yields are batches, and one loop over them is all that knows of it."""
    function = module.function(found.loop)
    assert isinstance(function, ast.FunctionDef)
    yields = [node for node in walk(function) if isinstance(node, ast.Yield | ast.YieldFrom)]
    inside = set(walk(found.loop))
    if len(yields) != 1 or yields[0] not in inside or isinstance(yields[0], ast.YieldFrom):
        raise Declined(Reason(Code.OTHER_USES, f"`{function.name}` yields in several places"))
    reads = module.reads(function.name, module.function(function) or module.tree)
    calls = direct_calls(module, function)
    if len(reads) != 1 or [call.func for call in calls] != list(reads) or loop.iter is not calls[0]:
        raise Declined(Reason(Code.OTHER_USES, "more than one place takes its batches"))
    name, project = module.surroundings.name, module.surroundings.project
    if name is not None and project.ask(USERS, f"{name}.{function.name}"):
        raise Declined(Reason(Code.OTHER_USES, "another file takes its batches"))


def _check_reads(module: Module, loop: ast.For, taken: tuple[Step, ...]) -> None:
    """Raises `Declined` where what the loop binds is read by anything but the steps, as they are passed it."""
    targets = loop.target.elts if isinstance(loop.target, ast.Tuple) else [loop.target]
    if not all(isinstance(each, ast.Name) for each in targets):
        raise Declined(Reason(Code.STRUCTURE, f"line {loop.lineno} unpacks batches", loop.lineno))
    names = {each.id for each in targets if isinstance(each, ast.Name)}
    given = {arg for step in taken for arg in (*step.call.args, *(each.value for each in step.call.keywords))}
    around = module.function(loop) or module.tree
    for name in sorted(names):
        for read in module.reads(name, around):
            if read not in given:
                text = f"line {read.lineno} reads a batch, which may ask for its size"
                raise Declined(Reason(Code.OTHER_USES, text, read.lineno))
