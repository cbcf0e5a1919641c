"""Which statements of a block become one jitted function: the most of them that can be traced together."""

import ast
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property

from jaxfix.api import Code, Declined, Module, Reason, frozen, jit_of, jitted_by_decorator, walk
from jaxfix.api.analysis import (
    Demands,
    Values,
    demands,
    demands_of_statements,
    instance_state,
    is_impure,
    is_own_method,
    iterations,
    own_parameter,
    reads_the_clock,
)
from jaxfix.api.library import Package, Transform, where
from jaxfix_codemods.jitting.models import library_of
from jaxfix_codemods.unjitted_update import checks
from jaxfix_codemods.unjitted_update.binding import binds_alone, counter_of, is_assignment
from jaxfix_codemods.unjitted_update.derivatives import is_differentiated, is_gradient
from jaxfix_codemods.unjitted_update.device import ENOUGH, Device, callee, is_unpacked_function
from jaxfix_codemods.unjitted_update.keyed import fills
from jaxfix_codemods.unjitted_update.lengths import lengths, lengths_of_data, own_constants
from jaxfix_codemods.unjitted_update.options import options_of
from jaxfix_codemods.unjitted_update.returned import read_by, result_of
from jaxfix_codemods.unjitted_update.settled import has_constants, is_settled
from jaxfix_codemods.unjitted_update.sizes import is_passed_size
from jaxfix_codemods.unjitted_update.sliced import slicing
from jaxfix_codemods.unjitted_update.sums import sum_of
from jaxfix_codemods.unjitted_update.variables import Touched, computed, dotted, is_called, own_reads, touched

_MAKING = where(Transform.ONLY_VALUES)
_READING = where(Package.READS)
_PLAIN = (
    *(ast.Name, ast.Attribute, ast.Call, ast.keyword, ast.BinOp, ast.UnaryOp, ast.Tuple, ast.Dict, ast.Constant),
    *(ast.Subscript, ast.operator, ast.unaryop, ast.expr_context, ast.Assign, ast.AnnAssign, ast.AugAssign),
    *(ast.Lambda, ast.arguments, ast.arg),
)
MOST_UNROLLED = 64
"""Operations of a loop that a trace unrolls."""
_LEAVING = (ast.Break, ast.Continue, ast.Return, ast.Raise, ast.Yield, ast.YieldFrom, ast.Await)


@frozen
class Row:
    """Statements of one block.

    Attributes:
      statements: in order; what is between them stays where it is.
      at: the one of them in whose place they run all.
      result: what is included of the last one, where that wants a value on the host.
    """

    statements: tuple[ast.stmt, ...]
    at: ast.stmt
    result: ast.expr | None = None

    @property
    def parts(self) -> tuple[ast.stmt | ast.expr, ...]:
        """The statements, of the last one what it computes where it wants a value."""
        return self.statements if self.result is None else (*self.statements[:-1], self.result)

    @property
    def returns(self) -> bool:
        """Whether the function around ends with it."""
        return isinstance(self.statements[-1], ast.Return)


def block_of(module: Module, statement: ast.stmt) -> list[ast.stmt]:
    """The block that `statement` is in."""
    parent = module.parent(statement)
    for name in ("body", "orelse", "finalbody"):
        block = getattr(parent, name, None)
        if isinstance(block, list) and statement in block:
            return block
    raise Declined(Reason(Code.LAYOUT, "it is in no block"))


def choices(module: Module, work: Sequence[ast.stmt], *, copied: bool = False) -> Iterator[Row]:
    """The statements to take together with `work`, all of one block, or with the most of it.

    Args:
      copied: they may call methods that read and bind what their object holds.

    Returns:
      The widest first: what else works on the device is left out of the second, what goes on computing of the last.

    Raises:
      Declined: none of `work` can be traced; why the first cannot.
    """
    if not work:
        raise Declined(Reason(Code.LAYOUT, "none of its statements works on the device"))
    block = block_of(module, work[0])
    chooser = _Chooser(module, block, copied=copied)
    seeds = [statement for statement in block if statement in work and chooser.why_not(statement) is None]
    apart = [statement for statement in seeds if not chooser.is_sum_apart(statement)]
    seeds = apart if copied else apart or seeds
    if all(map(chooser.is_kept_return, seeds)):
        reason = chooser.why_not(work[0])
        raise Declined(reason or Reason(Code.LAYOUT, "its parts are in several blocks"))
    yield chooser.most(chooser.with_those_after(chooser.working(seeds)), work)
    yield chooser.most(chooser.with_those_after(seeds), work)
    yield chooser.most(chooser.with_functions(seeds, block), work)


class _Chooser:
    def __init__(self, module: Module, block: Sequence[ast.stmt], *, copied: bool) -> None:
        self._module, self._block, self._copied = module, block, copied
        self._device = module.get(Device)
        self._index = {statement: index for index, statement in enumerate(block)}
        self._reasons: dict[ast.stmt, Reason | None] = {}
        self._met: dict[int, int] = {}
        self._computed: dict[ast.stmt, Touched] = {}
        self._loads: dict[ast.stmt, set[str]] = {}
        self._starts: dict[ast.stmt, int] = {}

    # --- what each statement is -------------------------------------------------------------------------------

    def why_not(self, statement: ast.stmt) -> Reason | None:
        """Why `statement` cannot be traced, by itself."""
        if statement not in self._reasons:
            self._reasons[statement] = self._why_untraceable(statement)
        return self._reasons[statement]

    def _why_untraceable(self, statement: ast.stmt) -> Reason | None:
        if isinstance(statement, ast.FunctionDef):
            return None
        result = self._result(statement)
        counter = counter_of(self._module, statement)
        if counter is not None and self._is_long(statement):
            return Reason(Code.LAYOUT, f"line {statement.lineno} would become a large program", statement.lineno)
        if result is None and not (binds_alone(self._module, statement) or self._is_own_call(statement)):
            return Reason(Code.LAYOUT, f"line {statement.lineno} is not an assignment to variables", statement.lineno)
        if fills(self._module, statement):
            return Reason(Code.MUTATED, f"line {statement.lineno} changes a dictionary in place", statement.lineno)
        statements = [self._part(each) for each in self.with_functions([statement], self._block)]
        found = demands_of_statements(self._module, statements, own=self._copied)
        if found.reason is not None:
            return found.reason.restated(f"the step cannot be traced: {found.reason}")
        slices = self._slicing(statements) if found.values else frozenset()
        for name, asked in found.values.items():
            if name == counter or name in slices:
                continue
            is_known = self._copied or has_constants(self._module, statement, found.attributes)
            is_size = is_settled(self._module, name, statement, self._nodes) or is_passed_size(
                self._module, name, statement
            )
            if not ((is_known if name == self._own else is_size) or self._is_of_options(name, found, statements)):
                return Reason(Code.NEEDS_VALUE, f"the step {asked}")
        return None if self._copied else self._why_object_unstable(statement)

    def _slicing(self, statements: Sequence[ast.stmt | ast.expr]) -> frozenset[str]:
        """The variables that the statements read in slices alone, which a step is passed."""
        nodes = [node for each in statements for node in walk(each)]
        return slicing(self._module, nodes, self._module.function(self._block[0]) or self._module.tree)

    @cached_property
    def _nodes(self) -> frozenset[ast.AST]:
        return frozenset(node for statement in self._block for node in walk(statement))

    def _is_of_options(self, name: str, found: Demands, statements: Sequence[ast.stmt | ast.expr]) -> bool:
        """Whether all values of `name` that a trace has to know are options, which can be static arguments."""
        asked = {part for part in found.parts if part.partition(".")[0] == name}
        if self._copied or name in asked:
            return False
        inside = {node for each in statements for node in walk(each)}
        scope = self._module.function(self._block[0]) or self._module.tree
        return asked <= options_of(self._module, inside, scope).keys()

    def _is_long(self, loop: ast.stmt) -> bool:
        """Whether a trace of the loop has many operations: a step inside it is better compiled once."""
        rounds = iterations(self._module, loop)
        return rounds is None or rounds * self._device.starts(loop) > MOST_UNROLLED

    def _result(self, statement: ast.stmt) -> ast.expr | None:
        """What the `return` at the end of a function computes, or another statement, for a value on the host."""
        if isinstance(statement, ast.Return):
            return result_of(self._module, statement) if statement is self._block[-1] else None
        return read_by(self._module, statement)

    def is_kept_return(self, statement: ast.stmt) -> bool:
        """Whether it is a `return` that brings nothing to the host, so that its function may be a step as a whole.

        That of a method, whose object may change, is a step by itself, unless it makes an array of a list.
        """
        if not isinstance(statement, ast.Return) or self._result(statement) not in (None, statement.value):
            return False
        return self._own is None or self._device.takes_from_host(statement)

    def _part(self, statement: ast.stmt) -> ast.stmt | ast.expr:
        return self._result(statement) or statement

    @cached_property
    def _own(self) -> str | None:
        """The name of the object, where the block is in a method."""
        around = self._module.functions_around(self._block[0])
        is_method = bool(around) and self._module.method_of(around[-1]) is not None
        return own_parameter(around[-1]) if is_method else None

    def _is_own_call(self, statement: ast.stmt) -> bool:
        """Whether it calls a method of its object for what that binds there."""
        match statement:
            case ast.Expr(value=ast.Call(func=func)):
                return self._copied and is_own_method(self._module, func)
        return False

    def _why_object_unstable(self, statement: ast.stmt) -> Reason | None:
        """Why a function of its object that `statement` calls may do another thing at another call."""
        module = self._module
        for node in own_reads(module, statement):
            is_own = is_called(module, node) and isinstance(node.value, ast.Name) and checks.is_own(module, node.value)
            if is_own and isinstance(node.value, ast.Name) and library_of(module, module.get(Values), node) is None:
                reason = instance_state.why_read_unstable(module, module.get(Values), node.value)
                if reason is not None and not self._is_bound(node):
                    return reason.restated(f"the step reads its object: {reason}")
        return None

    def _is_bound(self, attribute: ast.Attribute) -> bool:
        """Whether the block binds it, so that it is a part of the state."""
        return dotted(attribute) in computed(self._module, self._block).writes

    def _works(self, statement: ast.stmt) -> bool:
        """Whether `statement` runs on the device, in a way that a trace can follow."""
        is_bound = isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign) or self._is_own_call(statement)
        is_bound = is_bound or counter_of(self._module, statement) is not None
        is_bound = is_bound or self._result(statement) is not None
        if not is_bound or self.is_sum_apart(statement):
            return False
        if not (self._device.starts(statement) or self._calls_jitted(statement)):
            return False
        if self._device.takes_from_host(self._part(statement)):
            return False
        calls = [node for node in walk(self._part(statement)) if isinstance(node, ast.Call)]
        return all(map(self._is_followed, calls)) and self.why_not(statement) is None

    def is_sum_apart(self, statement: ast.stmt) -> bool:
        """Whether `statement` adds to what begins as a Python number, and no other assignment here reads the sum."""
        name = sum_of(self._module, statement) if self._result(statement) is None else None
        others = (each for each in self._block if each is not statement and is_assignment(each))
        return name is not None and not any(name in self._computes(each).reads for each in others)

    def _calls_jitted(self, statement: ast.stmt) -> bool:
        """Whether it calls a jitted function that can run inside of another as it is: no static values, no donation."""
        made = [
            found
            for node in walk(statement)
            if isinstance(node, ast.Call) and (found := jit_of(self._module, node.func)) is not None
        ]
        return bool(made) and all(found.static == () and found.donated == () for found in made)

    def _is_followed(self, call: ast.Call) -> bool:
        """Whether what `call` calls is known to compute and nothing else."""
        module = self._module
        if jit_of(module, call.func) is not None:
            return self._calls_jitted(module.statement(call))
        if module.definition(call.func) is not None:
            return is_library_call(module, call)
        if callee(module, call) is not None or is_unpacked_function(module, call.func):
            return True  # what it does, `why_not` has read
        qualname = module.qualname(call.func)
        if qualname is not None:
            return qualname.partition(".")[0] in _READING and not is_impure(qualname)
        match call.func:
            case ast.Name(id=name) as func:
                is_built_in = module.scope_of(name, call) is None
                return is_built_in or is_gradient(module, func) or is_differentiated(module, func)
            case ast.Call():
                return True
            case ast.Attribute(value=owner):
                return self._device.is_array(owner) or self._device.starts(call) > 0
        return False

    # --- which of them ----------------------------------------------------------------------------------------

    def working(self, seeds: Sequence[ast.stmt]) -> list[ast.stmt]:
        """`seeds` with the other statements that work on the device."""
        return [statement for statement in self._block if statement in seeds or self._works(statement)]

    def with_those_after(self, seeds: Sequence[ast.stmt]) -> list[ast.stmt]:
        """`seeds` with the statements that go on computing, and with the functions of all of them."""
        found = set(seeds)
        first, last = min(map(self._at, found)), max(map(self._at, found))
        bound: set[str] = set()
        for statement in self._block[first:]:
            is_near = statement not in found and self._at(statement) <= last + 1
            if is_near and not self.is_sum_apart(statement) and continues(self._module, statement, bound):
                found.add(statement)
                last = max(last, self._at(statement))
            if statement in found:
                bound |= self._writes(statement)
        return self.with_functions(found, self._block)

    def with_functions(self, found: Collection[ast.stmt], part: Sequence[ast.stmt]) -> list[ast.stmt]:
        """`found` with the functions that a part of the block defines for them, and the numbers that a trace knows."""
        every = set(found)
        read = set().union(*map(self._loaded, every))
        for statement in reversed(part):
            if statement in every:
                continue
            known = {*self._lengths_for_device(statement), *self._constants_for_device(statement, every)}
            if defined(self._module, statement) in read or not read.isdisjoint(known):
                every.add(statement)
                read |= self._loaded(statement)
        return self._in_order(every)

    def _lengths_for_device(self, statement: ast.stmt) -> tuple[str, ...]:
        """The lengths that `statement` binds, of what the block computes with, and for that alone."""
        if not lengths(self._module, statement):
            return ()
        working = [each for each in self._block if each is not statement and self._started(each)]
        return self._for_device(statement, lengths_of_data(self._module, statement, working))

    def _constants_for_device(self, statement: ast.stmt, found: Collection[ast.stmt]) -> tuple[str, ...]:
        """The constants of the object that `statement` binds, if `found` need their values, and nothing else does."""
        names = self._for_device(statement, own_constants(self._module, statement)) if self._own is not None else ()
        if not names:
            return ()
        parts = [self._part(each) for each in self._in_order({*found} - {statement})]
        return names if not demands_of_statements(self._module, parts).values.keys().isdisjoint(names) else ()

    def _for_device(self, statement: ast.stmt, names: tuple[str, ...]) -> tuple[str, ...]:
        """The names, which `statement` binds, if what computes on the device alone reads them."""
        others = [each for each in self._block if each is not statement] if names else []
        idle = [each for each in others if not self._started(each) and not lengths(self._module, each)]
        return names if set().union(*map(self._loaded, idle)).isdisjoint(names) else ()

    def most(self, found: Sequence[ast.stmt], work: Sequence[ast.stmt]) -> Row:
        """The heaviest part of `found` that can run in one place.

        What cannot be passed joins it, or cuts the block: of what is on the other side nothing comes back.
        """
        row, part = self._with_one_read(self._in_order(found)), self._block
        while True:
            place = self._place(row)
            if place is not None:
                result = self._result(row[-1])
                is_whole = self._block[self._at(row[0]) : self._at(row[-1]) + 1] == row
                return Row(tuple(row), row[-1] if result is not None and is_whole else place, result)
            barrier = self._barrier(row)
            if self._joins(barrier, row):
                row = self.with_functions([*row, barrier], part)
                continue
            at = part.index(barrier)
            read = [barrier] if self._reads(barrier) and self.why_not(barrier) is None else []
            halves = [([*(s for s in row if s in part[:at]), *read], part[: at + 1])]
            halves += [([s for s in row if s in part[at:]], part[at:])]
            kept, part = max(halves, key=lambda half: self._weight(work, half[0]))
            if self._weight(work, kept) < ENOUGH:
                raise Declined(self._why_between(barrier))
            row = self.with_functions(kept, part)

    def _with_one_read(self, row: list[ast.stmt]) -> list[ast.stmt]:
        """`row` without what fetches a value, unless it is the last."""
        return [each for each in row[:-1] if not self._reads(each)] + row[-1:]

    def _reads(self, statement: ast.stmt) -> bool:
        """Whether a statement other than a `return` fetches what it computes."""
        return not isinstance(statement, ast.Return) and self._result(statement) is not None

    def _joins(self, statement: ast.stmt, row: Sequence[ast.stmt]) -> bool:
        calls = [node for node in walk(statement) if isinstance(node, ast.Call)]
        return (
            (binds_alone(self._module, statement) or self._is_own_call(statement))
            and not self._reads(statement)
            and self.why_not(statement) is None
            and all(map(self._is_followed, calls))
            and not self._computes(statement).reads.isdisjoint(set().union(*map(self._writes, row)))
        )

    def _weight(self, work: Sequence[ast.stmt], row: Sequence[ast.stmt]) -> int:
        every = (s for s in row if not isinstance(s, ast.FunctionDef))
        return sum(self._started(s) + ENOUGH * (s in work and not self._reads(s)) for s in every)

    def _started(self, statement: ast.stmt) -> int:
        if statement not in self._starts:
            self._starts[statement] = self._device.starts(statement)
        return self._starts[statement]

    def _why_between(self, statement: ast.stmt) -> Reason:
        reason = self.why_not(statement)
        what = "has to run between its parts" if reason is None else f"is between its parts: {reason}"
        return Reason(Code.LAYOUT, f"line {statement.lineno} {what}", statement.lineno)

    # --- where they run ---------------------------------------------------------------------------------------

    def _place(self, row: Sequence[ast.stmt]) -> ast.stmt | None:
        """The first of `row` in whose place all of it can run."""
        blocking = list(self._blocking(row))
        above = max((at for at, early in blocking if not early), default=-1)
        below = min((at for at, early in blocking if early), default=len(self._block))
        return next((each for each in row if above < self._at(each) < below), None)

    def _barrier(self, row: Sequence[ast.stmt]) -> ast.stmt:
        """What keeps all of `row` from running in place of its first."""
        return self._block[next(at for at, early in self._blocking(row) if not early)]

    def _blocking(self, row: Sequence[ast.stmt]) -> Iterator[tuple[int, bool]]:
        """What is between, by its index in the block, and cannot be passed.

        Returns:
          With `True` where those before it cannot run after it, with `False` where those after it cannot run before.
        """
        inside = sum(1 << self._at(each) for each in row)
        for index in range(self._at(row[0]) + 1, self._at(row[-1])):
            if inside >> index & 1:
                continue
            met = inside & self._conflicts(index)
            if met >> index:
                yield index, False
            if met & ((1 << index) - 1):
                yield index, True

    def _conflicts(self, index: int) -> int:
        """The statements of the block that one cannot pass, a bit for each; the others have no effect but to bind."""
        if index not in self._met:
            statement = self._block[index]
            own = touched(self._module, statement)
            is_fixed = not self._moves(statement)
            met = (is_fixed or not own.allows(self._computes(other)) for other in self._block)
            self._met[index] = sum(1 << at for at, is_met in enumerate(met) if is_met)
        return self._met[index]

    def _moves(self, statement: ast.stmt) -> bool:
        """Whether it makes no difference for what is not bound when `statement` runs."""
        is_leaving = any(isinstance(node, _LEAVING) for node in walk(statement))
        return not is_leaving and not reads_the_clock(self._module, statement)

    # --- what statements read and bind ------------------------------------------------------------------------

    def _at(self, statement: ast.stmt) -> int:
        return self._index[statement]

    def _computes(self, statement: ast.stmt) -> Touched:
        if statement not in self._computed:
            self._computed[statement] = computed(self._module, [self._part(statement)])
        return self._computed[statement]

    def _writes(self, statement: ast.stmt) -> set[str]:
        return self._computes(statement).writes

    def _loaded(self, statement: ast.stmt) -> set[str]:
        if statement not in self._loads:
            self._loads[statement] = loads([self._part(statement)])
        return self._loads[statement]

    def _in_order(self, statements: Collection[ast.stmt]) -> list[ast.stmt]:
        chosen = set(statements)
        return [statement for statement in self._block if statement in chosen]


# --- statements ---------------------------------------------------------------------------------------------------


def defined(module: Module, statement: ast.stmt | ast.expr) -> str | None:
    """The function that `statement` gives a name to: its own, a lambda, or one that is made of another."""
    match statement:
        case ast.FunctionDef(name=name, decorator_list=[]):
            return name
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda()):
            return name
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=made_by)):
            return name if module.qualname(made_by) in _MAKING else None
    return None


def continues(module: Module, statement: ast.stmt, bound: Collection[str]) -> bool:
    """Whether `statement` goes on computing with what is `bound` before, in a way that a trace can follow."""
    if not is_assignment(statement) or fills(module, statement):
        return False
    if not all(isinstance(node, _PLAIN) for node in walk(statement)):
        return False
    if computed(module, [statement]).reads.isdisjoint(bound):
        return False
    calls = [node for node in walk(statement) if isinstance(node, ast.Call)]
    return (
        all(is_library_call(module, call) for call in calls)
        and demands_of_statements(module, [statement]).reason is None
    )


def is_library_call(module: Module, call: ast.Call) -> bool:
    """Whether `call` is of a function of a package, or of one of this file that can be traced."""
    function = module.definition(call.func)
    if function is not None:
        return jitted_by_decorator(module, function) is None and demands(module, function).reason is None
    if is_unpacked_function(module, call.func):
        return True
    qualname = module.qualname(call.func)
    return qualname is not None and "." in qualname and not is_impure(qualname)


def loads(row: Iterable[ast.AST]) -> set[str]:
    """The names that the row reads."""
    return {n.id for s in row for n in walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
