"""Device work in an eager loop: a training step, an update by hand, draws, averages.

Outside `jit` each operation is dispatched separately: hundreds of small programs per iteration in place of one. If the
loop calls a function that does all of the work, that function is put under `jit`. Otherwise the traceable statements
are extracted into a new jitted function: those of a loop, jitted calls included, or those of a method that assigns
`self.params`, whose attributes become arguments and results. Statements that need concrete values stay in the loop: a
`print`, a `float`, a Python counter. If such a statement has to run between two parts, the part with more work is
jitted, and the other one too if it is worth a program. A sum that starts as a Python number also stays outside: `jit`
would compile the step for the number, and again for the array that it becomes.

The result of `jax.vmap`, called in each iteration, is traced again each time: it is put under `jit` where it is
created. So is a function that dispatches several operations in a loop of another file, and one of at least two
operations that an iteration calls for each item of a list.

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

Safety: needs a rerun. What a jitted function reads beside its arguments is
read once: a step over a batch that the loop rebinds would go on with the
first one for ever, silently. So all data are arguments, and a step that
captures what changes is declined, as is one that captures a list, a dictionary
or a NumPy array which other code gets hold of, and may refill; so is one that branches on values, prints,
converts to Python numbers, draws from NumPy, changes its arguments, returns
texts or Python numbers, or a dictionary whose order matters (`jit`
sorts the keys). A buffer that is refilled in place may be read by a jitted
step after it was overwritten: declined too. So is an argument that some caller,
here or in another file, evidently gives a text, a function or an object in, as a
batch with a name; where only another run gives one, it raises. Functions are
static only where each call passes the same one. A function that the file makes, or picks from
a dictionary, is followed to what it may be: one that counts, draws or prints, a method of an
object whose attributes are rebound, and what cannot be followed are declined; so is a function
of another file of the project that does one of these, as far as that file is among the targets.
What a list, a dictionary or an array of NumPy holds, in a variable of the file or an attribute, is
captured only where no file of the project fills it, takes another name for it, or gives it to code that
is unknown; objects in a list only where no file sets attributes by computed names, and their classes
have no base in another file of the project.
Fused operations round in other places: results move within a tolerance onto
those of the original under `jit`.

Of a method the object becomes static: `jit` looks a program up by which object
it is, reads its attributes once, and would go on with `self.rate` as it was at
the first step when something rebinds it. So every attribute that the method
reads, through the methods that it calls too, must be bound where the object is
made and nowhere else: no other method, subclass, file or `setattr` binds it, no other
file sets attributes by computed names, and nothing changes it in place. It must be a function, an optimizer or a Python
constant: arrays and other data have to be arguments. A class that compares its
objects in its own way (`__eq__`, a dataclass, a base that is unknown) is
declined, as is a method that changes its object: pass in what it changes, and
return it. The cache of the program keeps the object alive, with all that it
holds: where objects are made in a loop, the method is left alone.

Where a method that the step calls reads or binds what the step changes, the
step works on a copy of the object, `new = copy.copy(self)`, which is given the
attributes that change, or are data, as arguments; those that it binds come back. Declined
where the class says itself how its objects are copied, where an attribute was made of
the object and keeps reading it (`self.gradient = jax.grad(self.loss)`), where a
count in Python would become an array, and where a value of it is asked for.

A step of a function that is called repeatedly stands at the top of the file:
an optimizer that the function makes of constants is made there, once, if no file
rebinds what it is made by or of and only its methods are used, and functions that a caller passes are
static arguments, if they are made once and each call says which. A file that imports all names of this
one by a star gets the new ones too, under names that it has not.
A variable of a program that another file reads comes back from the step.

Where the object cannot be static, the jitted functions that it holds are, each
for itself: a step finds them by their identity.

A step that raises, as on a batch of another shape, leaves all attributes as they
were before it, where the original has bound some. So a step ends with the first
attribute that it binds, or is declined, where a file of the project takes errors
of a call by its name, or by that of a function which leads to it in its own file,
and goes on. Errors that other code takes are not known. Variables of a function are
held to the same within a `try` of it; where an iterator may end between its
statements, within any `try` that has a handler.

What is between the statements of a step runs before or after all of them,
only where neither reads or binds what the other binds, and no clock is read. A
method is static as said above where the step calls functions of its object;
its data are arguments. A name that is bound in several branches is a function
of the step if nothing binds it while the loop runs.

Of a function that `jax.vmap` has made the mapped arguments are traced already;
one that is passed on unchanged must not be asked for its value, nor be a function
or a text, and what a `partial` binds must not change.

A step of `flax.nnx` changes its model and its optimizer in place: `nnx.jit` carries
that out for what the step is passed. One that returns such an object, or changes one from
around, is left alone.

Numbers of Python that the step is passed become arrays. Where another run passes one,
a division by zero gives an infinity and an index out of bounds of a NumPy array the last
element, where Python raises; and two truth values are added to a truth value.

A length that the step needs the value of, as in `u[1:n]`, is read of the function
around where it is a number of Python that stays while the loop runs. One of an array
that the step reads, as `n = x.shape[0]`, is bound in the step, where nothing else reads it.

A loop over functions, such as the members of a chain, is not a training loop:
under `jit` it would be unrolled. So are loops of up to three iterations, and loops
that start fewer than four programs. Tests are left unchanged: to compile a step
costs more than the few iterations of a test, and some run eagerly on purpose.

Evidence: fewer compiles, one program instead of one per operation; the
results of the original under jit bit for bit, those of the eager original
within a tolerance.

Source: https://docs.jax.dev/en/latest/jit-compilation.html
"""

import ast
from collections.abc import Iterator, Sequence
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
from jaxfix.api.analysis import Use, Values, argument_values, binds_again, is_eager_at, stores_of, surely_repeats_at
from jaxfix_codemods.jitting import whole
from jaxfix_codemods.jitting.whole import listed
from jaxfix_codemods.unjitted_update import inline, nnx
from jaxfix_codemods.unjitted_update.device import COMPREHENSIONS, ENOUGH, FEWEST, Device, callee, likely_callee
from jaxfix_codemods.unjitted_update.extracting import Extraction, extract
from jaxfix_codemods.unjitted_update.glue import (
    Glue,
    calls_in,
    calls_of,
    has_loops_at_work,
    hot_loops,
    is_short,
    looped_elsewhere,
    loose,
    started_each,
    work_of,
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
    for loop, work in inside.items():
        yield _of_statements(module, values, loop, list(dict.fromkeys(work)))
    taken = _Taken(set(called))
    for loop, glue in sorted(loose(module, called, inside), key=lambda each: len(module.loops(each[0]))):
        if taken.nodes.isdisjoint(glue.statements):  # a short loop may be part of the step of the one around it
            yield from _of_glue(module, values, loop, glue, taken)
    for repeating in sorted(module.get(hot_loops), key=partial(site, module)):
        for call, function in calls_in(module, repeating):
            if call not in taken.nodes:
                yield from _of_round(module, values, call, function, taken)
    for function, use in looped_elsewhere(module):
        if function not in taken.functions:
            yield from _of_elsewhere(module, values, function, use, taken)
    for mapped in every_mapped(module):
        yield from _of_mapped(module, values, mapped, taken)
    of_nnx: dict[ast.AST, list[Way]] = {}
    for way in (each for each in nnx.nnx_ways(module) if each.loop is None or not is_short(module, each.loop)):
        of_nnx.setdefault(way.calls[0][1] if way.calls else way.work, []).append(way)
    for several in of_nnx.values():
        yield _of_nnx(module, values, shortest(module, several))


def _of_function(module: Module, values: Values, way: Way) -> Finding:
    """The function that the loop calls; where it cannot be traced, one that it calls in turn, or the most of that."""
    looped, outermost = way.calls[0]
    certain = _goes_on(module, looped) if looped is not None else _goes_on_elsewhere(module, way.outside)
    where = "a loop" if way.outside is None else f"the loop around {way.outside.at}"
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
        return _finding(eager, title, recipe, certain=certain)
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
        at = call or function
        certain = certain or (found.goes_on and _is_certain(module, at))
        eager = _Eager(at, f"`{function.name}` runs", where)
        return _finding(eager, _TITLE, partial(extract, module, found), certain=certain)
    eager = _Eager(looped or outermost, f"`{outermost.name}` runs", where)
    return _finding(eager, f"Put `{outermost.name}` under `jax.jit`", refused or first, certain=certain)


def _of_statements(module: Module, values: Values, loop: ast.stmt, work: list[ast.Call]) -> Finding:
    shown = list(dict.fromkeys(f"`{_short(module, call)}`" for call in work))
    certain = inline.carries(module, loop, work) and _is_certain(module, work[0])
    eager = _Eager(work[0], f"{listed(shown)} {'runs' if len(shown) == 1 else 'run'}")
    return _extracted(module, values, loop, [module.statement(call) for call in work], eager, certain=certain)


def _of_round(
    module: Module,
    values: Values,
    call: ast.Call,
    function: ast.FunctionDef,
    taken: "_Taken",
    *,
    outermost: bool = True,
) -> Iterator[Finding]:
    """What is called in each iteration: as a whole, or the most of it, then what it calls besides."""
    starts = module.get(Device).starts
    if function in taken.functions or module.get(Staging).is_seldom(call) or not _is_enough(module, call):
        return
    if started_each(module, call) < _LEAST:
        return
    taken.functions.add(function)
    eager = _Eager(call, f"`{function.name}` runs")
    certain = _is_certain(module, call)
    title = f"Put `{function.name}` under `jax.jit`"
    refused = None
    try:
        if not has_loops_at_work(module, function):
            step = whole.judge(module, values, function)
            yield _finding(eager, title, partial(whole.decorate, step), certain=certain)
            return
    except Declined as declined:
        refused = declined.reason
    try:
        work = work_of(module, function)
        found = inline.judge(module, values, function, work) if work else None
    except Declined:
        found = None
    if found is not None and sum(map(starts, found.row.statements)) >= ENOUGH and not _only_begins(found):
        taken.add(found)
        yield _finding(eager, _TITLE, partial(extract, module, found), certain=certain)
        refused = None
    for inner, called in calls_in(module, function):
        if inner in taken.nodes:
            continue
        for each in _of_round(module, values, inner, called, taken, outermost=False):
            yield each
            refused = None
    if outermost and refused is not None and starts(call) >= 2 * ENOUGH:
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


def _of_elsewhere(
    module: Module, values: Values, function: ast.FunctionDef, use: Use, taken: "_Taken"
) -> Iterator[Finding]:
    """What a loop of another file calls in each iteration, as a whole."""
    taken.functions.add(function)
    eager = _Eager(function, f"`{function.name}` runs", f"the loop around {use.at}")
    title = f"Put `{function.name}` under `jax.jit`"
    certain = _goes_on_elsewhere(module, use)
    try:
        step = whole.judge(module, values, function)
    except Declined as declined:
        if module.get(Device).of_function(function) >= 2 * ENOUGH:
            yield _finding(eager, title, declined.reason, certain=False)
        return
    yield _finding(eager, title, partial(whole.decorate, step), certain=certain)


def _of_glue(module: Module, values: Values, loop: ast.stmt, glue: Glue, taken: "_Taken") -> Iterator[Finding]:
    """What is left of the work where no gradient or update is: nothing where too little of it can be traced."""
    shown = [f"`{_short(module, call)}`" for call in glue.shown]
    eager = _Eager(glue.at, f"{listed(shown)} {'runs' if len(shown) == 1 else 'run'}")
    certain = _is_certain(module, glue.at)
    starts = module.get(Device).starts
    try:
        found = inline.judge(module, values, loop, glue.statements)
    except Declined as declined:
        loose_ones = (each for each in glue.statements if not any(map(partial(callee, module), calls_of(each))))
        if sum(map(starts, loose_ones)) >= 2 * ENOUGH:
            yield _finding(eager, _TITLE, declined.reason, certain=False)
        return
    if sum(map(starts, found.row.statements)) >= ENOUGH and not _only_begins(found):
        taken.add(found)
        certain = certain and found.goes_on
        yield _only_called(module, values, found, eager, certain=certain) or _finding(
            eager, _TITLE, partial(extract, module, found), certain=certain
        )


def _only_called(
    module: Module, values: Values, found: Extraction, eager: "_Eager", *, certain: bool
) -> Finding | None:
    """The function of this file that is all that a step calls, as a whole; None where it cannot be."""
    match found.row.statements:
        case [ast.Assign(value=ast.Call() as call)] if isinstance(function := callee(module, call), ast.FunctionDef):
            try:
                step = whole.judge(module, values, function)
            except Declined:
                return None
            title = f"Put `{function.name}` under `jax.jit`"
            return _finding(eager, title, partial(whole.decorate, step), certain=certain)
    return None


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


def _of_nnx(module: Module, values: Values, way: Way) -> Finding:
    """A step that changes its model in place: a function as a whole; of statements it is said what to do."""
    where = "a loop" if way.outside is None else f"the loop around {way.outside.at}"
    call, function = way.calls[0] if way.calls else (way.work, None)
    what = f"`{function.name}`" if function is not None else f"`{_short(module, way.work)}`"
    place = what if function is not None else "a function of the step"
    advice = f"put `nnx.jit` above {place}: it carries out what the step changes in its model and its optimizer"
    at = call or function or way.work
    eager = _Eager(at, f"{what} runs", where)
    certain = isinstance(at, ast.Call) and _is_certain(module, at)
    try:
        if function is not None:
            step = nnx.judge(module, values, function)
            return _finding(eager, f"Put {what} under `nnx.jit`", partial(whole.decorate, step), certain=certain)
        assert way.loop is not None
        found = nnx.judge_statements(module, values, way.loop, way.work)
        title = "Move the step into a function under `nnx.jit`"
        return _finding(eager, title, partial(extract, module, found), certain=certain)
    except Declined as declined:
        return _finding(eager, _TITLE, declined.reason.restated(f"{declined.reason}: {advice}"), certain=certain)


def _extracted(
    module: Module, values: Values, loop: ast.stmt, work: Sequence[ast.stmt], eager: "_Eager", *, certain: bool
) -> Finding:
    try:
        found = inline.judge(module, values, loop, work)
    except Declined as declined:
        return _finding(eager, _TITLE, declined.reason, certain=certain)
    certain = certain or (found.goes_on and _is_certain(module, eager.at))
    return _finding(eager, _TITLE, partial(extract, module, found), certain=certain)


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
    """What is found already: functions, and the nodes of statements that go into one."""

    functions: set[ast.FunctionDef]
    nodes: set[ast.AST] = field(default_factory=set)

    def add(self, found: Extraction) -> None:
        self.nodes.update(node for statement in found.row.statements for node in walk(statement))


def _finding(eager: _Eager, title: str, cure: Recipe | Reason | None, *, certain: bool) -> Finding:
    return Finding(
        at=eager.at,
        message=f"{eager.what} eagerly in {eager.where}: each operation is dispatched separately, in every iteration",
        title=title,
        recipe=None if isinstance(cure, Reason) else cure,
        declined=cure if isinstance(cure, Reason) else None,
        confidence=Confidence.CERTAIN if certain else Confidence.POSSIBLE,
        guess=True,
        certain_if="this loop runs eagerly, and often",
    )


def _short(module: Module, call: ast.Call) -> str:
    return f"{' '.join(module.text(call.func).split())}(...)"


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
    after=("growing-array", "legacy-parallelism", "boolean-mask", "mapped-loop"),
)
