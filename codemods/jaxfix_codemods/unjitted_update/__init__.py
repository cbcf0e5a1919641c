"""Device work in an eager loop: a training step, an update by hand, draws, averages.

Outside `jit` each operation is dispatched separately: hundreds of programs per iteration in place of one. If the loop
calls a function that does all of it, that is put under `jit`. Otherwise the traceable statements are extracted into a
new jitted function: those of a loop, jitted calls included, or those of a method that assigns `self.params`, whose
attributes become arguments and results. Statements that need concrete values stay in the loop: a `print`, a Python
counter, a draw from NumPy. Of `float(jnp.mean(errors))` at the end of the step, the step computes the mean, and the
loop reads it. If such a statement has to run between two parts, the part with more work is jitted, and the other one
too if it is worth a program. An array made of a list that the loop fills, and a slice by a variable of the loop
(`images[i : i + size]`), is made outside, and passed. A sum that starts as a Python number also stays outside: `jit`
would compile the step for the number, and again for the array that it becomes.

An array that the loop unpacks, as in `x, v = state`, is unpacked in the step. A method that only returns a result
becomes a function that is passed what it reads of its object. What an epoch starts beside a loop over its batches is
worth a step from sixteen programs on.

A derivative that `jax.vmap` maps over rows counts as one. The result of `jax.vmap`, called in each iteration, is traced
again each time: it is put under `jit` where it is created. So is a function that dispatches several operations in a
loop of another file, and one of at least two operations that an iteration calls for each item of a list.

A gradient and its update that are jitted apart are two programs per iteration, with the gradients stored between them:
they become one function, if only the update reads the gradients. The `init` of an optimizer of a library, called once
for parameters of at least three shapes, compiles a program for each: it is put under `jit` where it is called.

Before:
    import jax
    import jax.numpy as jnp
    import optax

    def loss_of(params, batch):
        return jnp.mean((batch @ params) ** 2)

    def train(params, batches):
        optimizer = optax.sgd(0.1)
        state = optimizer.init(params)
        for batch in batches:
            gradients = jax.grad(loss_of)(params, batch)
            updates, state = optimizer.update(gradients, state)
            params = optax.apply_updates(params, updates)
        return params

After:
    import jax
    import jax.numpy as jnp
    import optax

    def loss_of(params, batch):
        return jnp.mean((batch @ params) ** 2)

    def train(params, batches):
        optimizer = optax.sgd(0.1)
        state = optimizer.init(params)

        @jax.jit
        def train_step(params, state, batch):
            gradients = jax.grad(loss_of)(params, batch)
            updates, state = optimizer.update(gradients, state)
            params = optax.apply_updates(params, updates)
            return params, state

        for batch in batches:
            params, state = train_step(params, state, batch)
        return params

Safety: needs a rerun. A jitted function reads everything but its arguments once, at its trace: a step that reads a
batch which the loop rebinds would silently continue with the first batch. So all data become arguments.

Declined are steps that capture something that changes (a variable, or a list, dictionary or NumPy array that other code
may refill); that branch on values, print, convert to Python numbers before their end, or draw from NumPy; that change
their arguments, or return strings, Python numbers, or a dictionary whose order matters (`jit` sorts the keys); that go
over a passed dictionary in its order, if the file makes it with unsorted keys, and an iteration depends on the one
before; arguments that some caller passes as a string, function or object; and NumPy buffers, also in dictionaries and
lists, that are refilled while an asynchronous step may still read them, or that a method of the file fills and returns.
Functions are static arguments only if each call passes the same one. A function that the file creates or picks from a
dictionary is followed to what it may be; it is declined if that counts, draws, prints, is a method of an object that
changes, or cannot be followed. The contents of a list, dictionary or NumPy array are captured only if no file of the
project fills it, aliases it or passes it to unknown code.

Fused operations round in other places: results move, within a tolerance, to those of the original under `jit`. Python
numbers that are passed to the step become arrays: division by zero then gives infinity, and the sum of two booleans is
a boolean, where Python raises or counts. They and NumPy arrays are double, and single in the step: if two large
numbers are subtracted there, few digits remain. A number that starts beyond 2**24 and meets another in a sum or a
difference is declined, and a run in which half of the digits are lost refuses the fix; if only another run passes such
numbers, nothing says so.

Methods: the object becomes a static argument. `jit` finds the program by the identity of the object, and reads its
attributes once. So every attribute that the method reads, through other methods too, must be set where the object is
created and nowhere else: not by another method, subclass, file or `setattr`, nor in place. It must be a function, an
optimizer or a Python constant; arrays and other data become arguments. A class with its own comparison (`__eq__`, a
dataclass, an unknown base) is declined. The program keeps its object alive, so methods of objects that a loop creates
are left alone. If a called method reads or sets what the step changes, the step works on a copy, `new =
copy.copy(self)`: changing attributes and data become arguments, and the attributes that it sets are returned. That is
declined if the class defines how it is copied, if an attribute was made from the object (`self.gradient =
jax.grad(self.loss)`), or if a Python count would become an array. An attribute whose reads or assignments run code of
its class (a descriptor, a property, `__setattr__`) is left alone: a step would run that once in place of several times.

Errors: a step that raises, as for a batch of another shape, leaves all attributes unchanged, where the original has
set some. So a step ends with its first attribute if a file of the project catches errors of its calls and continues.
The same holds for variables inside a `try`.

Order: statements between those of a step run before or after all of them, and only if neither reads what the other
binds, and no clock is read.

Place: a step of a function that is called repeatedly is defined at the top of the file. If it only calls a
derivative, that is put under `jit`, `grad_loss = jax.jit(jax.grad(loss))`, and no function is written. An optimizer
that the function makes of constants moves there too, if nothing rebinds its parts; functions that a caller passes
become static arguments, and so do a model and the method that applies it, as in `evaluate(params, batches,
model.apply)`: declined if a field of the model cannot be hashed, or if it reads what changes between two calls.

Lengths: a length whose value the step needs, as in `u[1:n]`, is captured if it is a Python number that stays unchanged
while the loop runs. So are options of plain values in a dictionary or an object of declared fields
(`options["layers"]`), if no code that the loop runs can reach them: another name, a method, a callback, the data. A
length of an array that the step reads, as in `n = x.shape[0]`, is bound in the step, if nothing else reads it.

Dictionaries: an entry with a written key, as `params["d"]`, is a variable of its own if a statement computes it from
itself, the function around creates the dictionary before its loops, and no other name, function or code reaches it.

A step of `flax.nnx` changes its model and optimizer in place: `nnx.jit` propagates the changes of its arguments. A
step that returns such an object, or changes one that it captures, is left alone. A model of `flax.nnx` or equinox that
a step calls becomes an argument, under the `jit` of its library. Loops over functions, loops of up to three iterations,
loops that start fewer than four programs, and tests are left alone: compiling a step costs more than it saves there.

Evidence: fewer compiles, one program instead of one per operation; results bitwise equal to the original under jit,
and within a tolerance of the eager original.

Source: https://docs.jax.dev/en/latest/jit-compilation.html
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial

from jaxfix.api import (
    Codemod,
    Confidence,
    Declined,
    Equality,
    Finding,
    Module,
    Reason,
    Recipe,
    Safety,
    Staging,
    Work,
    frozen,
    walk,
)
from jaxfix.api.analysis import (
    Use,
    Values,
    argument_values,
    binds_again,
    instance_state,
    is_eager_at,
    stores_of,
    surely_repeats_at,
)
from jaxfix_codemods.jitting import whole
from jaxfix_codemods.jitting.whole import listed
from jaxfix_codemods.unjitted_update import inline, nnx
from jaxfix_codemods.unjitted_update.apart import Apart, apart
from jaxfix_codemods.unjitted_update.begun import begun, put_under_jit
from jaxfix_codemods.unjitted_update.device import COMPREHENSIONS, ENOUGH, FEWEST, Device, callee, likely_callee
from jaxfix_codemods.unjitted_update.extracting import Extraction, extract
from jaxfix_codemods.unjitted_update.glue import (
    Glue,
    calls_in,
    calls_of,
    draws,
    has_loops_at_work,
    hot_loops,
    is_seen,
    is_short,
    is_smaller_part,
    least_beside,
    looped_elsewhere,
    loose,
    seen,
    started_each,
    work_of,
    works_of,
)
from jaxfix_codemods.unjitted_update.mapped import Mapped, cure, every_mapped
from jaxfix_codemods.unjitted_update.work import Way, shortest, site, ways

_TITLE = "Move the step into a function under `jax.jit`"
_LEAST = 0.5
"""Programs of an iteration, on average, that are worth a word: one in two iterations."""


def find(module: Module) -> Iterator[Finding]:
    if not _uses_jax(module) or _turns_jit_off(module) or module.source.holds_tests:
        return
    values = module.get(Values)
    called: dict[ast.FunctionDef, list[Way]] = {}
    inside: dict[ast.For | ast.While, list[ast.Call]] = {}
    for way in ways(module):
        if way.calls:
            called.setdefault(way.calls[0][1], []).append(way)
        elif way.loop is not None:
            inside.setdefault(way.loop, []).append(way.work)
    for several in called.values():
        yield _of_function(module, values, shortest(module, several))
    taken = _Taken(set(called))
    steps = [
        (loop, _of_statements(module, values, loop, list(dict.fromkeys(work)), taken)) for loop, work in inside.items()
    ]
    for loop, glue in sorted(loose(module, called, inside), key=lambda each: len(module.loops(each[0]))):
        # a short loop may be part of the step of the one around it
        if taken.nodes.isdisjoint(glue.statements) and not taken.traces(module, loop):
            yield from _of_glue(module, values, loop, glue, taken)
    working = (loop for loop in module.get(hot_loops) if not draws(module, loop))
    for repeating in sorted(working, key=partial(site, module)):
        for call, function in calls_in(module, repeating):
            is_taken = call in taken.nodes or taken.traces(module, call) or taken.holds(module, function)
            if not is_taken:
                yield from _of_round(module, values, call, function, taken)
    for function, use in looped_elsewhere(module):
        if function not in taken.functions:
            yield from _of_elsewhere(module, values, function, use, taken)
    for function in seen(module):
        is_taken = function in taken.functions or not taken.nodes.isdisjoint(function.body)
        if not is_taken and not taken.holds(module, function) and not taken.traces(module, function.body[0]):
            yield from _of_seen(module, values, function, taken)
    yield from (found for loop, found in steps if taken.whole.isdisjoint(module.functions_around(loop)))
    for mapped in every_mapped(module):
        yield from _of_mapped(module, values, mapped, taken)
    for programs in apart(module):
        if programs.loop not in inside and taken.nodes.isdisjoint(programs.statements):
            yield from _of_apart(module, values, programs)
    for call in begun(module):
        yield _of_begun(module, call)
    of_nnx: dict[ast.AST, list[Way]] = {}
    for way in (each for each in nnx.nnx_ways(module) if each.loop is None or not is_short(module, each.loop)):
        of_nnx.setdefault(way.calls[0][1] if way.calls else way.work, []).append(way)
    for several in of_nnx.values():
        yield _of_nnx(module, values, shortest(module, several))


def _of_function(module: Module, values: Values, way: Way) -> Finding:
    """The function that the loop calls; where it cannot be traced, one that it calls in turn, or the most of that."""
    looped, outermost = way.calls[0]
    certain = _goes_on(module, looped) if looped is not None else _goes_on_elsewhere(module, way.outside)
    where = "a loop" if way.outside is None else _loop_at(way.outside)
    first = None
    for call, function in way.calls:
        title = f"Put `{function.name}` under `jax.jit`"
        try:
            step = whole.judge(module, values, function)
        except Declined as declined:
            first = first or declined.reason
            continue
        recipe = partial(whole.decorate, step)
        eager = _Eager(call or function, f"`{function.name}` runs", where)
        return _finding(eager, title, recipe, certain=certain, shows=function)
    refused = None
    for call, function in reversed(way.calls):
        is_innermost = function is way.calls[-1][1]
        work = [module.statement(way.work)] if is_innermost else work_of(module, function)
        try:
            found = inline.judge(module, values, function, work)
        except Declined as declined:
            changes = module.method_of(function) is not None and stores_of(module, function)
            refused = refused or (declined.reason if changes else None)
            continue
        if is_smaller_part(module, found.row.statements, function):
            continue
        at = call or function
        certain = certain or (found.goes_on and _is_certain(module, at))
        eager = _Eager(at, f"`{function.name}` runs", where)
        recipe = partial(extract, module, found)
        return _finding(eager, _title(module, found), recipe, certain=certain, shows=found.row.at)
    eager = _Eager(looped or outermost, f"`{outermost.name}` runs", where)
    return _finding(eager, f"Put `{outermost.name}` under `jax.jit`", refused or first, certain=certain)


def _of_statements(module: Module, values: Values, loop: ast.stmt, work: list[ast.Call], taken: "_Taken") -> Finding:
    shown = list(dict.fromkeys(f"`{_short(module, call)}`" for call in work))
    certain = inline.carries(module, loop, work) and _is_certain(module, work[0])
    eager = _Eager(work[0], f"{listed(shown)} {'runs' if len(shown) == 1 else 'run'}")
    try:
        found = inline.judge(module, values, loop, [module.statement(call) for call in work])
    except Declined as declined:
        return _finding(eager, _TITLE, declined.reason, certain=certain)
    taken.traced.update(node for statement in found.row.statements for node in walk(statement))
    certain = certain or (found.goes_on and _is_certain(module, eager.at))
    return _finding(eager, _title(module, found), partial(extract, module, found), certain=certain)


def _of_round(
    module: Module, values: Values, call: ast.Call, function: ast.FunctionDef, taken: "_Taken"
) -> Iterator[Finding]:
    """What is called in each iteration: as a whole, or the most of it, then what it calls besides."""
    starts = module.get(Device).starts
    if function in taken.functions or module.get(Staging).is_seldom(call):
        return
    is_worth_it = _is_enough(module, call) and started_each(module, call) >= _LEAST
    if not (is_worth_it or is_seen(module, call, function)):
        return
    taken.functions.add(function)
    eager = _Eager(call, f"`{function.name}` runs")
    certain = _is_certain(module, call)
    title = f"Put `{function.name}` under `jax.jit`"
    refused = None
    try:
        if not has_loops_at_work(module, function):
            step = whole.judge(module, values, function)
            taken.whole.add(function)
            yield _finding(eager, title, partial(whole.decorate, step), certain=certain, shows=function)
            return
    except Declined as declined:
        refused = declined.reason
    found = _most_of(module, values, function)
    if found is not None:
        taken.add(found)
        recipe = partial(extract, module, found)
        yield _finding(eager, _title(module, found), recipe, certain=certain, shows=found.row.at)
        refused = None
    for inner, called in calls_in(module, function):
        if inner in taken.nodes:
            continue
        for each in _of_round(module, values, inner, called, taken):
            yield each
            refused = None
    if refused is not None and starts(call) >= 2 * ENOUGH:
        yield _finding(eager, title, refused, certain=False)


def _only_begins(found: Extraction) -> bool:
    """Whether all that it moves makes states, as each restart of a loop within does once."""
    return all(
        isinstance(statement, ast.Assign)
        and isinstance(statement.value, ast.Call)
        and isinstance(statement.value.func, ast.Attribute)
        and statement.value.func.attr == "init"
        for statement in found.row.statements
    )


def _is_enough(module: Module, call: ast.Call) -> bool:
    """Whether `call` starts enough in an iteration; one in a comprehension does it for each of its items."""
    started = module.get(Device).starts(call)
    around = (each for each in module.loops(call) if isinstance(each, COMPREHENSIONS))
    return started >= (ENOUGH if next(around, None) is None else FEWEST)


def _loop_at(use: Use) -> str:
    """The loop that a call of another file is in, or that calls the function around it."""
    is_there = use.call is not None and use.call.looped
    return f"the loop around {use.at}" if is_there else f"a loop that leads to {use.at}"


def _of_elsewhere(
    module: Module, values: Values, function: ast.FunctionDef, use: Use, taken: "_Taken"
) -> Iterator[Finding]:
    """What a loop of another file calls in each iteration, as a whole; of a method else the most of it."""
    taken.functions.add(function)
    eager = _Eager(function, f"`{function.name}` runs", _loop_at(use))
    title = f"Put `{function.name}` under `jax.jit`"
    certain = _goes_on_elsewhere(module, use)
    try:
        step = whole.judge(module, values, function)
    except Declined as declined:
        found = _most_of(module, values, function) if module.method_of(function) is not None else None
        if found is not None:
            taken.add(found)
            yield _finding(eager, _title(module, found), partial(extract, module, found), certain=False)
        elif module.get(Device).of_function(function) >= 2 * ENOUGH:
            yield _finding(eager, title, declined.reason, certain=False)
        return
    yield _finding(eager, title, partial(whole.decorate, step), certain=certain)


def _of_seen(module: Module, values: Values, function: ast.FunctionDef, taken: "_Taken") -> Iterator[Finding]:
    """What a run has called often: as a whole, or the most of it."""
    taken.functions.add(function)
    eager = _Eager(function, f"`{function.name}` runs")
    try:
        if not has_loops_at_work(module, function):
            step = whole.judge(module, values, function)
            title = f"Put `{function.name}` under `jax.jit`"
            yield _finding(eager, title, partial(whole.decorate, step), certain=False)
            return
    except Declined:
        pass
    found = _most_of(module, values, function, FEWEST)
    if found is not None:
        taken.add(found)
        yield _finding(eager, _title(module, found), partial(extract, module, found), certain=False)


def _most_of(module: Module, values: Values, function: ast.FunctionDef, fewest: int = ENOUGH) -> Extraction | None:
    """The statements of a function, or of a branch in it, that can be traced together, where they start enough."""
    starts = module.get(Device).starts
    for work in works_of(module, function):
        try:
            found = inline.judge(module, values, function, work) if work else None
        except Declined:
            continue
        is_enough = found is not None and sum(map(starts, found.row.statements)) >= fewest
        is_worth_it = found is not None and is_enough and not _only_begins(found)
        if found is not None and is_worth_it and not is_smaller_part(module, found.row.statements, function):
            return found
    return None


def _of_glue(module: Module, values: Values, loop: ast.stmt, glue: Glue, taken: "_Taken") -> Iterator[Finding]:
    """What is left of the work where no gradient or update is: nothing where too little of it can be traced."""
    shown = [f"`{_short(module, call)}`" for call in glue.shown]
    eager = _Eager(glue.at, f"{listed(shown)} {'runs' if len(shown) == 1 else 'run'}")
    certain = _is_certain(module, glue.at)
    starts = module.get(Device).starts
    try:
        found = inline.judge(module, values, loop, glue.statements)
    except Declined as declined:
        loose_ones = (each for each in glue.statements if not any(map(partial(likely_callee, module), calls_of(each))))
        if sum(map(starts, loose_ones)) >= 2 * ENOUGH:
            yield _finding(eager, _TITLE, declined.reason, certain=False)
        return
    if sum(map(starts, found.row.statements)) >= least_beside(module, loop) and not _only_begins(found):
        taken.add(found)
        certain = certain and found.goes_on
        yield _only_called(module, values, found, eager, taken, certain=certain) or _finding(
            eager, _title(module, found), partial(extract, module, found), certain=certain
        )


def _only_called(
    module: Module, values: Values, found: Extraction, eager: "_Eager", taken: "_Taken", *, certain: bool
) -> Finding | None:
    """The function of this file that is all that a step calls, as a whole; None where it cannot be."""
    match found.row.parts:
        case [ast.Assign(value=ast.Call() as call) | ast.AugAssign(value=ast.Call() as call) | (ast.Call() as call)]:
            function = callee(module, call)
        case _:
            return None
    if not isinstance(function, ast.FunctionDef):
        return None
    try:
        step = whole.judge(module, values, function)
    except Declined:
        return None
    taken.whole.add(function)
    title = f"Put `{function.name}` under `jax.jit`"
    return _finding(eager, title, partial(whole.decorate, step), certain=certain, shows=function)


def _of_mapped(module: Module, values: Values, mapped: Mapped, taken: "_Taken") -> Iterator[Finding]:
    """A function that `vmap` has made, where calls of it are not part of a step that is found already."""
    at = mapped.looped(module)
    if at is None or at in taken.nodes or not mapped.is_worth_it(module):
        return
    title = f"Put `{mapped.name}` under `jax.jit`"
    eager = _Eager(at, f"`{mapped.name}`, which is mapped again at each call, runs")
    certain = isinstance(at, ast.Call) and _is_certain(module, at)
    try:
        yield _finding(eager, title, cure(module, values, mapped), certain=certain)
    except Declined as declined:
        yield _finding(eager, title, declined.reason, certain=certain)


def _of_apart(module: Module, values: Values, programs: Apart) -> Iterator[Finding]:
    """Programs of an iteration that can be one; nothing where they cannot."""
    try:
        found = inline.judge(module, values, programs.loop, programs.statements)
    except Declined:
        return
    if not set(programs.statements) <= set(found.row.statements):
        return
    shown = listed([f"`{_short(module, call)}`" for call in programs.calls])
    passed = listed([f"`{name}`" for name in dict.fromkeys(programs.passed)])
    yield Finding(
        at=programs.calls[0],
        message=f"{shown} are separate programs: each is dispatched by itself, and {passed} is stored between them",
        title="Move the calls into one function under `jax.jit`",
        recipe=partial(extract, module, found),
        guess=True,
        certain_if="this loop runs eagerly, and often",
    )


def _of_begun(module: Module, call: ast.Call) -> Finding:
    """What makes the state of an optimizer, once."""
    called = module.text(call.func)
    return Finding(
        at=call,
        message=f"`{called}` runs eagerly: each shape of the state compiles its own program",
        title=f"Put `{called}` under `jax.jit`",
        recipe=partial(put_under_jit, module, call),
        guess=True,
        equality=Equality.BITWISE,
        certain_if="the parameters have arrays of several shapes",
    )


def _of_nnx(module: Module, values: Values, way: Way) -> Finding:
    """A step that changes its model in place: a function as a whole; of statements it is said what to do."""
    where = "a loop" if way.outside is None else _loop_at(way.outside)
    call, function = way.calls[0] if way.calls else (way.work, None)
    what = f"`{function.name}`" if function is not None else f"`{_short(module, way.work)}`"
    place = what if function is not None else "a function of the step"
    advice = f"put `nnx.jit` above {place}: it propagates the changes of the model and the optimizer"
    at = call or function or way.work
    eager = _Eager(at, f"{what} runs", where)
    certain = isinstance(at, ast.Call) and _is_certain(module, at)
    try:
        if function is not None:
            step = nnx.judge(module, values, function)
            title, recipe = f"Put {what} under `nnx.jit`", partial(whole.decorate, step)
            return _finding(eager, title, recipe, certain=certain, shows=function)
        assert way.loop is not None
        found = nnx.judge_statements(module, values, way.loop, way.work)
        title = "Move the step into a function under `nnx.jit`"
        return _finding(eager, title, partial(extract, module, found), certain=certain)
    except Declined as declined:
        return _finding(eager, _TITLE, declined.reason.restated(f"{declined.reason}: {advice}"), certain=certain)


def _goes_on(module: Module, call: ast.Call) -> bool:
    """Whether a loop certainly goes on from what `call` returns: its statement rebinds something that it passes."""
    given = argument_values(call)
    return any(binds_again(module, call, value) for value in given) and _is_certain(module, call)


def _goes_on_elsewhere(module: Module, use: Use | None) -> bool:
    if use is None or use.call is None or not any(passed.again for passed in use.call.arguments or ()):
        return False
    project = module.surroundings.project
    return is_eager_at(project, use) and surely_repeats_at(project, use)


def _is_certain(module: Module, looped: ast.AST) -> bool:
    if isinstance(looped, ast.Call) and callee(module, looped) is not likely_callee(module, looped):
        return False
    return module.get(Staging).is_eager(looped) and module.get(Staging).surely_repeats(looped)


@frozen
class _Eager:
    """What runs eagerly, where it is shown, and what repeats it, in words."""

    at: ast.AST
    what: str
    where: str = "a loop"


@dataclass(slots=True)
class _Taken:
    """What is found already: functions, and the nodes of statements that go into one.

    Attributes:
      traced: the nodes of those around a gradient or an update.
      whole: functions that are put under `jit`, so that a loop in one of them needs no step of its own.
    """

    functions: set[ast.FunctionDef]
    nodes: set[ast.AST] = field(default_factory=set)
    traced: set[ast.AST] = field(default_factory=set)
    whole: set[ast.AST] = field(default_factory=set)

    def add(self, found: Extraction) -> None:
        self.nodes.update(node for statement in found.row.statements for node in walk(statement))

    def holds(self, module: Module, function: ast.FunctionDef) -> bool:
        """Whether such statements alone call a function: their programs hold what it does."""
        uses = instance_state.users(module, function)
        every = (*uses.calls, *uses.others)
        if not every or uses.outside or uses.through_objects:
            return False
        return all(use in self.traced or use in self.nodes for use in every)

    def traces(self, module: Module, node: ast.AST) -> bool:
        """Whether `node` is in a function that such statements alone use: a trace of these comes to it."""
        around, seen = module.function(node), set[ast.AST]()
        pending = [around] if self.traced else []
        while pending:
            function = pending.pop()
            if not isinstance(function, ast.FunctionDef):
                return False
            uses = instance_state.users(module, function)
            every = (*uses.calls, *uses.others)
            if not every or uses.outside or uses.through_objects:
                return False
            seen.add(function)
            callers = [module.function(use) for use in every if use not in self.traced]
            pending += [each for each in callers if each not in seen]
        return bool(self.traced)


def _finding(
    eager: _Eager, title: str, cure: Recipe | Reason | None, *, certain: bool, shows: ast.AST | None = None
) -> Finding:
    """`shows` is the function that is rewritten, or code of it, where that is another one than the loop's."""
    return Finding(
        at=eager.at,
        message=f"{eager.what} eagerly in {eager.where}: each operation is dispatched separately, in every iteration",
        title=title,
        recipe=None if isinstance(cure, Reason) else cure,
        declined=cure if isinstance(cure, Reason) else None,
        confidence=Confidence.CERTAIN if certain else Confidence.POSSIBLE,
        guess=True,
        certain_if="this loop runs eagerly, and often",
        shows=shows,
    )


def _title(module: Module, found: Extraction) -> str:
    return _TITLE if found.derived is None else f"Put `{module.text(found.derived.made)}` under `jax.jit`"


def _short(module: Module, work: ast.expr) -> str:
    whole = " ".join(module.text(work.func if isinstance(work, ast.Call) else work).split())
    return f"{whole}(...)" if isinstance(work, ast.Call) else whole


def _uses_jax(module: Module) -> bool:
    return any(qualname.split(".")[0] == "jax" for qualname in module.names.imports.values())


def _turns_jit_off(module: Module) -> bool:
    if any(True for _ in module.calls("jax.disable_jit")):
        return True
    for call in module.calls("jax.config.update"):
        match call.args:
            case [ast.Constant(value="jax_disable_jit"), *_]:
                return True
    return False


CODEMOD = Codemod(
    id="unjitted-update",
    triggers=("jax",),
    safety=Safety.NEEDS_EVIDENCE,
    equality=Equality.ROUNDING,
    find=find,
    relieves=(Work.EAGER,),
    # what is longer in each iteration would be compiled for in each; of what the others make, more can be traced
    after=("growing-array", "legacy-parallelism", "boolean-mask", "mapped-loop", "separate-value-and-grad"),
)
