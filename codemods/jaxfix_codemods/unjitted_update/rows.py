"""Which statements of a block become one jitted function: the most of them that can be traced together."""

import ast
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial

from jaxfix.api import Code, Declined, Module, Reason, frozen, jit_of, jitted_by_decorator, walk
from jaxfix.api.analysis import Values, demands, demands_of_statements, instance_state, is_impure, reads_the_clock
from jaxfix.api.library import Package, Transform, where
from jaxfix_codemods.unjitted_update import checks
from jaxfix_codemods.unjitted_update.device import ENOUGH, Device, callee, is_unpacked_function
from jaxfix_codemods.unjitted_update.variables import computed, dotted, is_called, own_reads, touched

_MAKING = where(Transform.ONLY_VALUES)
_READING = where(Package.READS)
_PLAIN = (
    *(ast.Name, ast.Attribute, ast.Call, ast.keyword, ast.BinOp, ast.UnaryOp, ast.Tuple, ast.Dict, ast.Constant),
    *(ast.Subscript, ast.operator, ast.unaryop, ast.expr_context, ast.Assign, ast.AnnAssign, ast.AugAssign),
    *(ast.Lambda, ast.arguments, ast.arg),
)
_LEAVING = (ast.Break, ast.Continue, ast.Return, ast.Raise, ast.Yield, ast.YieldFrom, ast.Await)


@frozen
class Row:
    """Statements of one block.

    Attributes:
      statements: in order; what stands between them stays where it is.
      at: the one of them in whose place they run all.
    """

    statements: tuple[ast.stmt, ...]
    at: ast.stmt


def block_of(module: Module, statement: ast.stmt) -> list[ast.stmt]:
    """The block that `statement` stands in."""
    parent = module.parent(statement)
    for name in ("body", "orelse", "finalbody"):
        block = getattr(parent, name, None)
        if isinstance(block, list) and statement in block:
            return block
    raise Declined(Reason(Code.LAYOUT, "it stands in no block"))


def choices(module: Module, work: Sequence[ast.stmt]) -> Iterator[Row]:
    """The statements to take together with `work`, all of one block, or with the most of it.

    Returns:
      The widest first: what else works on the device is left out of the last.

    Raises:
      Declined: none of `work` can be traced; why the first cannot.
    """
    if not work:
        raise Declined(Reason(Code.LAYOUT, "none of its statements works on the device"))
    block = block_of(module, work[0])
    chooser = _Chooser(module, block)
    seeds = [statement for statement in block if statement in work and chooser.why_not(statement) is None]
    if not seeds:
        reason = chooser.why_not(work[0])
        raise Declined(reason or Reason(Code.LAYOUT, "its parts stand in several blocks"))
    yield chooser.most(chooser.with_those_after(chooser.working(seeds)), work)
    yield chooser.most(chooser.with_those_after(seeds), work)


class _Chooser:
    def __init__(self, module: Module, block: Sequence[ast.stmt]) -> None:
        self._module, self._block = module, block
        self._device = module.get(Device)
        self._reasons: dict[ast.stmt, Reason | None] = {}

    # --- what each statement is -------------------------------------------------------------------------------

    def why_not(self, statement: ast.stmt) -> Reason | None:
        """Why `statement` cannot be traced, by itself."""
        if statement not in self._reasons:
            self._reasons[statement] = self._why_untraceable(statement)
        return self._reasons[statement]

    def _why_untraceable(self, statement: ast.stmt) -> Reason | None:
        if isinstance(statement, ast.FunctionDef):
            return None
        if not is_assignment(statement):
            return Reason(Code.LAYOUT, f"line {statement.lineno} is no assignment to variables", statement.lineno)
        found = demands_of_statements(self._module, [statement])
        if found.reason is not None:
            return found.reason.restated(f"the step cannot be traced: {found.reason}")
        for asked in found.values.values():
            return Reason(Code.NEEDS_VALUE, f"the step {asked}")
        return self._why_object_unstable(statement)

    def _why_object_unstable(self, statement: ast.stmt) -> Reason | None:
        """Why a function of its object that `statement` calls may do another thing at another call."""
        module = self._module
        for node in own_reads(module, statement):
            is_own = is_called(module, node) and isinstance(node.value, ast.Name) and checks.is_own(module, node.value)
            if is_own and isinstance(node.value, ast.Name):
                reason = instance_state.why_read_unstable(module, module.get(Values), node.value)
                if reason is not None and not self._is_bound(node):
                    return reason.restated(f"the step reads its object: {reason}")
        return None

    def _is_bound(self, attribute: ast.Attribute) -> bool:
        """Whether the block binds it, so that it is a part of the state."""
        return dotted(attribute) in computed(self._module, self._block).writes

    def _works(self, statement: ast.stmt) -> bool:
        """Whether `statement` runs on the device, in a way that a trace can follow."""
        if not isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
            return False
        if not (self._device.starts(statement) or self._calls_jitted(statement)):
            return False
        if self._device.takes_from_host(statement):
            return False
        calls = [node for node in walk(statement) if isinstance(node, ast.Call)]
        return all(map(self._is_followed, calls)) and self.why_not(statement) is None

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
            case ast.Name(id=name):
                return module.scope_of(name, call) is None
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
        found = list(seeds)
        last = max(map(self._block.index, found))
        for statement in self._block[self._block.index(found[0]) + 1 :]:
            before = [each for each in found if each.lineno < statement.lineno]
            is_near = statement not in found and self._block.index(statement) <= last + 1
            if is_near and continues(self._module, statement, before):
                found = self._in_order([*found, statement])
                last = max(last, self._block.index(statement))
        return self._with_functions(found)

    def _with_functions(self, found: Sequence[ast.stmt]) -> list[ast.stmt]:
        """With the functions that the block defines for them."""
        every = list(found)
        for statement in reversed(self._block):
            if statement not in every and defined(self._module, statement) in loads(every):
                every = self._in_order([*every, statement])
        return every

    def most(self, found: Sequence[ast.stmt], work: Sequence[ast.stmt]) -> Row:
        """The heaviest part of `found` that can run in one place."""
        row = self._in_order(found)
        while True:
            place = self._place(row)
            if place is not None:
                return Row(tuple(row), place)
            barrier = self._barrier(row)
            if self._joins(barrier, row):
                row = self._with_functions(self._in_order([*row, barrier]))
                continue
            at = self._block.index(barrier)
            halves = [[s for s in row if (self._block.index(s) < at) is early] for early in (True, False)]
            kept = max(halves, key=partial(self._weight, work))
            if self._weight(work, kept) < ENOUGH:
                raise Declined(self._why_between(barrier))
            row = self._with_functions(kept)

    def _joins(self, statement: ast.stmt, row: Sequence[ast.stmt]) -> bool:
        calls = [node for node in walk(statement) if isinstance(node, ast.Call)]
        return (
            is_assignment(statement)
            and self.why_not(statement) is None
            and all(map(self._is_followed, calls))
            and bool(computed(self._module, row).writes & computed(self._module, [statement]).reads)
        )

    def _weight(self, work: Sequence[ast.stmt], row: Sequence[ast.stmt]) -> int:
        return sum(self._device.starts(s) + ENOUGH * (s in work) for s in row if not isinstance(s, ast.FunctionDef))

    def _why_between(self, statement: ast.stmt) -> Reason:
        reason = self.why_not(statement)
        what = "has to run between its parts" if reason is None else f"stands between its parts: {reason}"
        return Reason(Code.LAYOUT, f"line {statement.lineno} {what}", statement.lineno)

    # --- where they run ---------------------------------------------------------------------------------------

    def _place(self, row: Sequence[ast.stmt]) -> ast.stmt | None:
        """The first of `row` in whose place all of it can run."""
        return next((at for at in row if not any(self._blocking(row, at))), None)

    def _barrier(self, row: Sequence[ast.stmt]) -> ast.stmt:
        return next(self._blocking(row, row[0]))

    def _blocking(self, row: Sequence[ast.stmt], at: ast.stmt) -> Iterator[ast.stmt]:
        """What stands between and cannot run before, or after, what it stands behind, or before."""
        place = self._block.index(at)
        for index in range(self._block.index(row[0]) + 1, self._block.index(row[-1])):
            statement = self._block[index]
            if statement in row:
                continue
            passed = [s for s in row if (self._block.index(s) > index) is (index > place)]
            if not self._can_pass(statement, passed):
                yield statement

    def _can_pass(self, statement: ast.stmt, others: Sequence[ast.stmt]) -> bool:
        """Whether `statement` may run on the other side of `others`, which have no effect but to bind."""
        if any(isinstance(node, _LEAVING) for node in walk(statement)):
            return False
        if reads_the_clock(self._module, statement):
            return False
        return touched(self._module, statement).allows(computed(self._module, others))

    def _in_order(self, statements: Collection[ast.stmt]) -> list[ast.stmt]:
        return [statement for statement in self._block if statement in statements]


# --- statements ---------------------------------------------------------------------------------------------------


def is_assignment(statement: ast.stmt) -> bool:
    """Whether `statement` binds variables or attributes of them, and nothing else."""
    match statement:
        case ast.Assign(targets=[target]):
            return _binds_variables(target)
        case ast.AnnAssign(target=ast.Name(), value=value):
            return value is not None
        case ast.AugAssign(target=ast.Name() | ast.Attribute(value=ast.Name())):
            return True
    return False


def _binds_variables(target: ast.expr) -> bool:
    if isinstance(target, ast.Tuple | ast.List):
        return all(_binds_variables(element) for element in target.elts)
    return isinstance(target, ast.Name) or (isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name))


def defined(module: Module, statement: ast.stmt) -> str | None:
    """The function that `statement` gives a name to: its own, a lambda, or one that is made of another."""
    match statement:
        case ast.FunctionDef(name=name, decorator_list=[]):
            return name
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda()):
            return name
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=made_by)):
            return name if module.qualname(made_by) in _MAKING else None
    return None


def continues(module: Module, statement: ast.stmt, row: Sequence[ast.stmt]) -> bool:
    """Whether `statement` goes on computing with what the row binds, in a way that a trace can follow."""
    if not is_assignment(statement):
        return False
    if not computed(module, [statement]).reads & computed(module, row).writes:
        return False
    if not all(isinstance(node, _PLAIN) for node in walk(statement)):
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
