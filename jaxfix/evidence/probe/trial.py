"""All the calls of an original and its rewritten function that one call of the program leads to."""

import contextlib
import functools
import importlib
import inspect
import io
import re
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from types import CellType, CodeType, FunctionType
from typing import Any, Protocol

from . import programs
from .afterwards import Afterwards
from .alter import Alter
from .beyond import DERIVATIVES, Beyond, Step
from .compiled import Compiled
from .constructed import untried_integers
from .contents import MOST_BYTES
from .contexts import UNDER
from .drawn import undrawn
from .endless import DoesNotEnd, Limit
from .files import is_foreign as is_of_library
from .files import is_jax
from .followed import Followed, functions_in
from .kinds import GIVEN, below, wider
from .limits import limits, numbers_of
from .messages import overheard
from .near import smaller
from .originals import Unmade, plain, stated_in, tells_a_length
from .pace import paced
from .pairing import Call, Leaves
from .perturb import (
    HALVED,
    MIXED,
    RETYPED,
    SPECIAL,
    changed,
    changed_length,
    clone,
    is_float,
    is_foreign,
    is_of_other_type,
    is_plain,
    lengths,
    mixed,
    other_length,
    variations,
)
from .razor import Apart, apart
from .rebinding import Slots
from .record import Record
from .samples import MOST_BYTES as SAMPLED
from .samples import Sample, Unkept, fresh, is_array, is_deleted, passed, spoil, written
from .scratch import scratch
from .settings import shown
from .sharing import arrays, orders, shared
from .sides import Sides, is_bound
from .stores import Stores
from .supplied import NO_CHANGE, Change, Ended, Refused, Supplied
from .surroundings import variable, variables
from .watching import Watching
from .work import freed, program, work_of
from .yielded import Meanwhile, callers, drained

_UNLIKE = (SPECIAL, HALVED, RETYPED)
"""How labels of calls end whose single steps differ under a `jit` that is right: numbers become arrays there."""
_CALL_S = 5.0
RAISED, AFTER = "raised", " after "
_ENDLESS, _TIMES = f"{RAISED} {DoesNotEnd.__name__}", 3
"""Of a call that was ended, and in how many times less the original has to end that the other one is wrong."""
_MOST_NUMBERS, _MOST_BOUNDS, _MOST_COUNT = 6, 2, 2048
REFUSED = "data that only the original refuses"
ODD_DATA, OTHER_DATA = "zeros and values that are not finite", "some of the other data"
LARGE = f"changes of arrays above {MOST_BYTES >> 20} MB"
_NUMBER = re.compile(r"[-+]?\d[\d.]*(?:e[-+]?\d+)?|\b(?:nan|inf)\b")

_OVERWRITTEN = re.compile(r"[^\n]*\r[^\n]*\n?")


class Owner(Protocol):
    """The budget of the calls: who makes them, and for how long.

    Attributes:
      until: the processor time at which no other call is begun.
      deadline: when a call is given up; None while there is none.
      limit: how long a call may run in Python.
      warned: what the originals and the rewritten functions have warned of, by function.
      is_plain: whether the calls are of data on which rounding alone may differ.
      beyond: the functions and kinds of calls beside which those were made that the program does not make.
      followed: what the program does with what rewritten functions return.
      compiled: what is compiled for the calls.
    """

    probe: Watching
    record: Record
    until: float
    deadline: float | None
    limit: Limit
    is_plain: bool
    warned: defaultdict[str, tuple[set[str], set[str]]]
    beyond: set[tuple[str, bool, bool]]
    followed: Followed
    compiled: Compiled

    def stored(self) -> Stores:
        """What the program assigns to again."""
        ...

    def call_until(self) -> None:
        """Sets the deadline of the call that begins."""


class Trial:
    """All the calls of one original and its rewritten function that one call of the program leads to."""

    def __init__(self, owner: Owner, name: str, sample: Sample, sides: Sides) -> None:
        self.owner, self.name, self.sample, self.sides = owner, name, sample, sides
        self.values, self.record = owner.probe.values, owner.record
        self.slow = self.is_changing = self.is_stated = self.is_of_jax = self.is_measured = False
        self.returns_functions = False
        self.spoiled: list[Callable[[], None]] | None = None
        self.deleted, self.warned, self.written = set[str](), set[str](), dict[str, Any]()
        self.files, self.shared = dict[str, bytes](), list[str]()
        self.is_object = Alter(sides.reach.is_mine).is_object
        self.said, self.orders, self.held = "", list[str](), set[str]()
        self.slots: list[str] = []
        self.meanwhile: Meanwhile | None = None

    def run(self) -> None:
        if self.sample.is_large:
            self._large()
            return
        leaves = self.sample.leaves()
        self.pair("as called", leaves)
        steps: list[Step] = [
            self._rebound,
            self._generated,
            self._perturbed,
            self._again,
            self._recaptured,
        ]
        untried = self.record.untried
        if self.sample.differentiated:
            steps.insert(0, self._gradients)
            untried.tried(self.name, DERIVATIVES)
        else:
            untried.leave_out(self.name, DERIVATIVES)
        if self.sides.state.has_large:
            untried.leave_out(self.name, LARGE)
        for length in lengths(leaves)[0]:
            untried.leave_out(self.name, other_length(length))
        if self.sides.hazardous:
            untried.leave_out(self.name, ODD_DATA, "a loop might not end")
        for step in self._around([*steps, self._programs], leaves):
            for _ in step(leaves):
                if self.slow or time.process_time() > self.owner.until:
                    self.record.alone.setdefault(self.name, "not with all other data: its calls are slow")
                    untried.leave_out(self.name, OTHER_DATA, "its calls are slow")
                    return

    def _large(self) -> None:
        """Calls of both with data of which there is room for two at a time, at most."""
        self.record.untried.leave_out(self.name, OTHER_DATA, f"its arguments hold more than {SAMPLED >> 20} MB")
        self.pair("as called", self.sample.leaves())
        for _ in self._programs(self.sample.leaves()):
            pass
        self.sample.seed += len(self.sample.makers)
        if not self.slow:
            self.pair("perturbed", self.sample.leaves())

    def _around(self, steps: list[Step], leaves: Leaves) -> list[Step]:
        """These steps, and calls that the program does not make beside the first of its calls of that kind."""
        if (key := (self.name, *self.sample.kind)) in self.owner.beyond:
            return steps
        self.owner.beyond.add(key)
        afterwards = Afterwards(self, self.owner.followed)
        return Beyond(self, afterwards).around([afterwards.functions, afterwards.updates, *steps], leaves)

    def _generated(self, leaves: Leaves) -> Iterator[None]:
        """What callers do with a generator before it has ended."""
        if not self.sides.original.co_flags & inspect.CO_GENERATOR:
            return
        codes = [*self.sides.before_reach.codes, *self.sides.reach.codes]
        for how, self.meanwhile in callers(codes):
            try:
                self.pair(f"as called, {how}", leaves)
            finally:
                self.meanwhile = None
            yield

    def _again(self, leaves: Leaves) -> Iterator[None]:
        """Repeats both calls: one may have overwritten what the other has cached; so may a caller what they return."""
        undo = self.spoiled = list[Callable[[], None]]()
        try:
            self.pair("as called, after calls with other data", leaves)
            self.spoiled = None
            yield
            if undo:
                self.pair("as called, after its results were changed in place", leaves)
                yield
        finally:
            self.spoiled = None
            for step in reversed(undo):
                step()
        # What jax has compiled for the shapes of other calls it would not trace again.
        for how, other in wider(leaves):
            self.pair(f"{how}, after calls with other data", other)
            yield

    def _rebound(self, leaves: Leaves) -> Iterator[None]:
        moved = {self.sides.text.file: self.sample.code.co_filename}
        reach, arguments = self.sides.before_reach, self.sample.arguments(leaves)
        asked = limits([*reach.codes, *self.sides.reach.codes], numbers_of(arguments))
        numbers = [number for number in asked.near() if abs(number) <= _MOST_COUNT][:_MOST_NUMBERS]
        given = self.sides.given if self._is_of_library() else []  # a program's own sources say what it rebinds
        allowed = None if self.sides.hazardous else numbers
        slots = Slots(reach, self.owner.stored(), given, moved, allowed, asked.bounds[:_MOST_BOUNDS])
        any_bound, other = False, leaves if self.sides.hazardous else mixed(leaves)
        near = [] if self.sides.hazardous else list(below(leaves, asked))
        for slot in list(slots.of(arguments, self.sides.cells)):
            any_bound = True
            if not (slot.label.partition("[")[0] in arguments and is_array(slot.other)):  # whose values are traced
                self.slots.append(slot.label.partition(" = ")[0])
            with slot.rebound():
                self.pair(f"rebound `{slot.label}`", leaves)
                if other is not leaves and not is_array(slot.other):
                    self.pair(f"rebound `{slot.label}`{MIXED}", other)
                for number, data in enumerate(
                    near if isinstance(slot.other, float) and " = " not in slot.label else [], 1
                ):
                    self.pair(f"rebound `{slot.label}`, numbers below bound {number}", data)
            yield
        for name in variables(reach.codes):
            self.record.untried.tried(self.name, variable(name))
        names = reach.names | self.sides.reach.names
        for words, because in untried_integers(arguments, names, self.is_object, hazardous=self.sides.hazardous):
            self.record.untried.leave_out(self.name, words, because)
        if any_bound:
            self.pair("as called, after what it reads was rebound", leaves)
        yield

    def _perturbed(self, leaves: Leaves) -> Iterator[None]:
        for how, other in variations(leaves, self.sides.hazardous, self.sides.before_reach.texts):
            if self.pair(how, other):
                self.has_tried(leaves, other)
            yield

    def has_tried(self, leaves: Leaves, others: Leaves) -> None:
        """Notes that both returned, or are one program, for what these others are instead of the leaves."""
        if (length := changed_length(leaves, others)) is not None:
            self.record.untried.tried(self.name, other_length(length))

    def _recaptured(self, leaves: Leaves) -> Iterator[None]:
        """Both functions as if what is around them had been called with other values."""
        held = {name: cell.cell_contents for name, cell in self.sides.cells.items() if is_bound(cell)}
        numbers = {name: CellType(changed(value)) for name, value in held.items() if is_plain(value)}
        others = [("perturbed, other values captured", numbers)] if numbers else []
        for name, value in [] if self.sides.hazardous else held.items():
            less = smaller(value) if type(value) is int else ()
            others += [(f"perturbed, `{name}` captured as {number}", {name: CellType(number)}) for number in less]
        for name, value in held.items():
            other = clone(value) if isinstance(value, FunctionType) else None
            if other is not None:
                others.append((f"perturbed, another `{name}` captured", {name: CellType(other)}))
        for how, cells in others:
            made = self.sides.over(cells)
            if made is not None:
                self.pair(how, leaves, made)
                yield

    def _gradients(self, leaves: Leaves) -> Iterator[None]:
        sides = (self.sides.before, self.sides.after)
        for how, data in (("", leaves), *variations(leaves, self.sides.hazardous)):
            places = [place for place, leaf in enumerate(data) if is_float(leaf)]
            if places:
                label = f"gradient{how.replace('perturbed', ', perturbed', 1)}"
                made = tuple(functools.partial(self._pulled, side, places) for side in sides)
                self.compare(label, data, *made)
            yield

    def _pulled(self, side: Callable[..., Any], places: list[int], data: Leaves) -> Any:
        """The gradient of what the function returns, weighed at random, by its float arguments."""
        jax, np = importlib.import_module("jax"), importlib.import_module("numpy")

        def of(*floats: Any) -> Any:
            mine = list(data)
            for place, value in zip(places, floats, strict=True):
                mine[place] = value
            leaves = jax.tree_util.tree_leaves(self._call(side, mine))
            return [leaf for leaf in map(jax.numpy.asarray, leaves) if jax.numpy.issubdtype(leaf.dtype, np.floating)]

        returned, pull = jax.vjp(of, *(data[place] for place in places))
        draw = np.random.default_rng(0).standard_normal
        return pull([jax.numpy.asarray(draw(leaf.shape), leaf.dtype) for leaf in returned])

    def _programs(self, leaves: Leaves) -> Iterator[None]:
        """Both functions traced, of arrays like these; not where a trace alone does not tell what they do."""
        names = self.sides.before_reach.names | self.sides.reach.names
        places = [place for place, leaf in enumerate(leaves) if is_array(leaf)]
        arrays = [leaves[place] for place in places]
        before, after = (
            functools.partial(self._traced, side, leaves, places) for side in (self.sides.before, self.sides.after)
        )
        self.owner.call_until()
        held = self.sides.state.held()
        stateful = bool(self.sides.state.places) or self.is_changing
        try:
            if not stateful and (self.sample.traced or not names & programs.ASKING):
                self._same_program(programs.compared(before, after, arrays))
            self._work(*(program(side, arrays) for side in (before, after)))
            if self.owner.probe.settings.paced:
                is_passing = self.name in self.owner.probe.settings.passing
                self.record.work[-1]["paced"] = paced(before, after, arrays, is_passing=is_passing)
        except Exception:  # it cannot be traced as a whole
            return
        finally:
            self.sides.state.put_back(held)
            self.owner.deadline = None
        yield

    def _same_program(self, found: dict[str, Any]) -> None:
        """Adds whether both are the same program, and what else than arrays might make them another one."""
        names = zip(self.sample.names(), self.sample.leaves(), strict=True)
        besides = dict.fromkeys([*(name for name, leaf in names if not is_array(leaf)), *self.slots])
        computes = found["computes"] and bool(found["arrays"] or not besides)
        told = {"function": self.name, **found, "computes": computes, "besides": list(besides)}
        self.record.programs.append(told)
        if found["is_same"] and besides:
            first, *more = besides
            self.record.untried.leave_out(
                self.name, f"every value of `{first}`{f' and {len(more)} more' if more else ''}"
            )

    def _traced(self, side: Callable[..., Any], leaves: Leaves, places: list[int], *arrays: Any) -> Any:
        """What a function returns of these arrays in their places, and its gradient where the program takes one."""
        mine = list(leaves)
        for place, value in zip(places, arrays, strict=True):
            mine[place] = value
        self.written = dict[str, Any]()
        returned = self._call(side, mine)
        if self.written:
            raise Unmade("it changes its arguments")
        floats = [place for place in places if is_float(leaves[place])]
        return returned, self._pulled(side, floats, mine) if self.sample.differentiated else None

    def _work(self, before: Any, after: Any) -> None:
        old, new = work_of(before), work_of(after)
        figures = {"operations_before": old.operations, "operations_after": new.operations}
        figures |= {"values_before": old.values, "values_after": new.values}
        self.record.work.append({"function": self.name, **figures, "freed": freed(before, after)})

    def callers(self, change: Callable[[], Change] | None = None) -> tuple[Call, Call]:
        """The original and the rewritten function, of the leaves of their arguments, which each call changes so."""
        sides = self.sides.before, self.sides.after
        before, after = (functools.partial(self._call, side, change=change) for side in sides)
        return before, after

    def supplied(self, arguments: dict[str, Any]) -> Supplied:
        """What the caller supplies among these arguments."""
        names = self.sides.before_reach.names | self.sides.reach.names
        return Supplied(arguments, names, self.is_object)

    def pair(self, how: str, leaves: Leaves, sides: "tuple[FunctionType, FunctionType] | None" = None) -> bool:
        """Calls both with these leaves.

        Returns:
          Whether the original has returned.
        """
        before, after = sides or (self.sides.before, self.sides.after)
        return self.compare(how, leaves, *(functools.partial(self._jitted, side) for side in (before, after)))

    def compare(
        self, how: str, leaves: Leaves, before: Callable[[Leaves], Any], after: Callable[[Leaves], Any]
    ) -> bool:
        """Adds what both return; not what the original itself returns differently the second time.

        Returns:
          Whether the original has returned.
        """
        started, found = time.process_time(), Apart(None)
        new, deleted, said = self._output(how, functools.partial(after, leaves)), self.deleted, self.said
        held = self.held
        is_ours = self.is_stated and not self.is_of_jax
        self.owner.warned[self.name][1].update(self.warned)
        began = time.monotonic()
        old, deleted = self._output(how, functools.partial(before, leaves)), deleted - self.deleted
        if _ENDLESS in (_error(new), _error(old)):
            seconds = time.monotonic() - began
            self._ended(how, old, lambda: self._output(how, functools.partial(after, leaves)), seconds)
            return False
        self.owner.warned[self.name][0].update(self.warned)
        if more := sorted(held - self.held):
            new = new | {"treedef": f"{new['treedef']}, whose {more[0]}"}
        self.slow = self.slow or time.process_time() - started > 2 * _CALL_S
        is_lost = self.is_measured and not new["treedef"].startswith(RAISED)
        if old["treedef"].startswith(RAISED) and self._is_refused(how) and _error(old) != _error(new) and not is_lost:
            self._note_refusal(how, old, new)
            return False
        if how.startswith(GIVEN) and self.is_of_jax and not is_ours and _error(old) and _error(new):
            return False  # neither takes such data, and jax alone says why
        if said and self.said and said != self.said and new["treedef"] == old["treedef"]:
            new, old = (
                one | {"treedef": f"{one['treedef']}: {words}"} for one, words in ((new, said), (old, self.said))
            )
        elif _bare(new) != _bare(old):
            if not self.slow and _bare(self._output(how, functools.partial(before, leaves))) != _bare(old):
                raise Unmade("the results of the original differ from call to call")
            found = found if self.sample.is_large else self._apart(leaves, before, after)
        else:
            new, old = _bare(new), _bare(old)
        if old["leaves"] or new["leaves"] or old["treedef"] != new["treedef"]:
            self._add(how, old, new, found)
            self.record.beside[-1]["deleted"] = sorted(deleted)
        return not old["treedef"].startswith(RAISED)

    def _ended(self, how: str, old: dict[str, Any], again: Callable[[], dict[str, Any]], seconds: float) -> None:
        """Adds a call of the rewritten function that has to be ended again, when all is compiled.

        Args:
          seconds: what the call of the original took.
        """
        self.slow = True
        if _error(old) != _ENDLESS and seconds * _TIMES < self.owner.limit.seconds:
            new = again()
            if _error(new) == _ENDLESS:
                self._add(how, old, new, Apart(None))
                return
        raise Unmade(f"a call of it with other data took more than {self.owner.limit.seconds:.0f} s")

    def ask(self, how: str, leaves: Leaves) -> None:
        """Notes whether the original alone raises on data that it may not be made for."""
        sides = self.sides.after, self.sides.before
        new, old = (self._output(how, functools.partial(self._call, side, leaves)) for side in sides)
        if old["treedef"].startswith(RAISED):
            self._note_refusal(how, old, new)

    def _note_refusal(self, how: str, old: dict[str, Any], new: dict[str, Any]) -> None:
        """Says of data that the original refuses, and the rewritten function takes, that nothing is compared there."""
        if _error(new) is None and not how.startswith(UNDER):
            because = f"{how.removeprefix(GIVEN)}: {str(_error(old)).removeprefix(RAISED).strip()}".replace(",", " and")
            self.record.untried.leave_out(self.name, REFUSED, because)

    def tell(self, how: str, before: str, after: str) -> None:
        """Adds the observations on both besides their results."""
        old, new = ({"label": how, "treedef": words, "leaves": []} for words in (before, after))
        self._add(how, old, new, Apart(None))

    def is_steady(self, leaves: Leaves, one: Call, other: Call) -> bool:
        """Whether two ways of calling the same function return the same."""
        found = [_bare(self._output("", functools.partial(call, leaves))) for call in (one, other)]
        return found[0] == found[1]

    def _is_refused(self, how: str) -> bool:
        """Whether the original, which has raised, need not take such data, and the rewritten function may."""
        return is_of_other_type(how) or how.startswith(UNDER) or (how.startswith(GIVEN) and not self.is_stated)

    def _add(self, how: str, before: dict[str, Any], after: dict[str, Any], found: Apart) -> None:
        sides = {"before": before, "after": after}
        small = not self._is_of_library() and not self.sample.is_large
        foreign = small and is_foreign(how, self.sample.leaves())
        self.record.beside.append({"function": self.name, "how": how, **sides, **found._asdict(), "foreign": foreign})

    def _is_of_library(self) -> bool:
        """Whether the function is of an installed package, which other programs give other data."""
        return is_of_library(shown(self.sample.code.co_filename, self.owner.probe.settings))

    def _apart(self, leaves: Leaves, before: Callable[[Leaves], Any], after: Callable[[Leaves], Any]) -> Apart:
        """How far the results are apart in double precision."""
        state = self.sides.state
        held, self.owner.is_plain = state.held(), False

        def called(side: Callable[[Leaves], Any], data: Leaves) -> Any:
            self.owner.call_until()
            try:
                with undrawn():
                    return side(data)
            finally:
                state.put_back(held)
                self.owner.deadline = None

        sides = functools.partial(called, before), functools.partial(called, after)
        return apart(*sides, leaves, eagerly=not self.sample.traced)

    def _output(self, how: str, call: Callable[[], Any]) -> dict[str, Any]:
        """What a call returns and changes, as an `Output`; its effects are undone."""
        self.owner.call_until()
        self.owner.is_plain = not how.endswith(_UNLIKE) and not how.startswith((GIVEN, UNDER))
        state, self.written, self.files, self.shared = self.sides.state, {}, {}, []
        self.deleted, self.warned, self.orders, self.held = set(), set(), [], set()
        self.said, self.is_stated, self.is_of_jax, self.is_measured = "", False, False, False
        held = state.held()
        try:
            with undrawn() as drawn, _printed() as printed, overheard(self.owner.probe.settings.user) as heard:
                value, error = self._outcome(call)
                numbers = drawn()
                logged, self.warned = heard()
            changed = state.changes(held)
            self.is_changing = self.is_changing or bool(changed)
            told = {"changed": changed, "arguments": self.written, "drawn": numbers, "logged": list(logged)}
            told["files"] = {path: _told(content) for path, content in self.files.items()}
            told["printed"] = sorted(printed().splitlines()) if self.sides.calls_back else printed()
            told["shared"], told["order of keys"] = self.shared, self.orders
            told = {name: what for name, what in told.items() if what}
            if error is not None:
                return self._raised(how, error, told)
            output = self.values.output(how, told | {"returned": value} if told else value, self.owner.probe.attached)
            if self.spoiled is not None and not self.sample.traced:
                self.spoiled += spoil(value)
            return output
        finally:
            state.put_back(held)
            self.owner.deadline = None

    def _outcome(self, call: Callable[[], Any]) -> tuple[Any, Exception | DoesNotEnd | None]:
        """The result of a call, or its exception."""
        try:
            if self.sides.hazardous:
                self.owner.limit.begin()
            value = call()
            if self.sides.calls_back:
                importlib.import_module("jax").effects_barrier()
            return value, None
        except Unkept:
            raise
        except (Exception, DoesNotEnd) as error:
            return None, error
        finally:
            self.owner.limit.end()

    def _raised(self, how: str, error: Exception | DoesNotEnd, told: dict[str, Any]) -> dict[str, Any]:
        """A call that an exception has left, and what it had changed by then."""
        file = stated_in(error)
        self.is_stated, self.is_of_jax = file is not None, file is not None and is_jax(file)
        self.is_measured = tells_a_length(error)
        is_text = self.is_stated and not self.is_of_jax and "Traced<" not in str(error)
        self.said = _NUMBER.sub("#", str(error)) if is_text else ""
        words = f"{RAISED} {type(error).__name__}"
        if not told or how.startswith(UNDER):
            return {"label": how, "treedef": words, "leaves": []}
        left = self.values.output(how, told, self.owner.probe.attached)
        return left | {"treedef": f"{words}{AFTER}{left['treedef']}"}

    def _files(self) -> contextlib.AbstractContextManager[Callable[[], dict[str, bytes]]]:
        """The output of a call, which is discarded."""
        return scratch(self.owner.compiled.place) if self.sides.writes else contextlib.nullcontext(dict[str, bytes])

    def _jitted(self, side: Callable[..., Any], leaves: Leaves) -> Any:
        """Calls it under `jit` where the program only ever did."""
        if not self.sample.traced:
            return self._call(side, leaves)
        jax = importlib.import_module("jax")
        tree, rest, places = jax.tree_util, list[Any](), sorted(self.sample.traced)

        def run(*arrays: Any) -> Any:
            mine = list(leaves)
            for place, value in zip(places, arrays, strict=True):
                mine[place] = value
            returned, treedef = tree.tree_flatten(self._call(side, mine))
            rest[:] = [treedef, [None if _is_value(leaf) else leaf for leaf in returned]]
            return [leaf if _is_value(leaf) else 0 for leaf in returned]

        arrays = jax.jit(run)(*(leaves[place] for place in places))
        treedef, others = rest
        merged = [new if old is None else old for new, old in zip(arrays, others, strict=True)]
        return tree.tree_unflatten(treedef, merged)

    def _call(self, side: Callable[..., Any], leaves: Leaves, change: Callable[[], Change] | None = None) -> Any:
        code = self.sides.original if side is self.sides.before or _code(side) is self.sides.original else None
        mine = [fresh(leaf) for leaf in leaves]
        arguments = self.sample.arguments(mine)
        made = change() if change is not None else NO_CHANGE
        given = self.supplied(arguments)
        undo = made.put(given)
        try:
            args, keywords = passed(code or self.sample.code, arguments)
            with self._files() as files:
                returned = made.told(drained(side(*args, **keywords), given, self.meanwhile))
                self.files = files()
        except Ended as error:
            raise Refused("ended by the caller") from error
        finally:
            undo()
            self.deleted = {name for name, value in self.sample.arguments(mine).items() if is_deleted(value)}
            if not self.sample.traced:
                self.written = written(arguments, self.sample.arguments(mine), self.sample.arguments(leaves))
        self.returns_functions = self.returns_functions or any(functions_in(returned))
        if not self.sides.may_sort:
            self.orders = orders(returned)
        if not self.sample.traced:
            held = ((place.label, place.get()) for place in (*self.sides.state.places, *self.sides.state.others))
            others = [*arguments.items(), *(known for known in held if not known[0].startswith("argument "))]
            self.shared = shared(returned, others, self.is_object)
            self.held = arrays(returned, others, self.is_object)
        return returned


def _code(side: Callable[..., Any]) -> CodeType | None:
    function = plain(side)
    return None if function is None else function.__code__


def _is_value(leaf: Any) -> bool:
    return isinstance(leaf, bool | int | float | complex) or hasattr(leaf, "dtype")


def _bare(output: dict[str, Any]) -> dict[str, Any]:
    """An output without the samples, which say nothing where the digests are equal."""
    return output | {"leaves": [leaf | {"sample": []} for leaf in output["leaves"]]}


def _error(output: dict[str, Any]) -> str | None:
    """What a call raised, whatever state it left; None if it returned."""
    words: str = output["treedef"]
    return words.partition(AFTER)[0] if words.startswith(RAISED) else None


def _told(content: bytes) -> str | int:
    """What is written, except its numbers: these may differ as far as the results may."""
    try:
        return _NUMBER.sub("#", content.decode())
    except UnicodeDecodeError:
        return len(content)


@contextlib.contextmanager
def _printed() -> Iterator[Callable[[], str]]:
    """Says what was printed since, without its numbers: these may differ as far as the results may.

    Lines on standard error that overwrite themselves tell the time: how far a bar of progress is.
    """
    streams = [stream for stream in (sys.stdout, sys.stderr) if isinstance(stream, io.StringIO)]
    starts = [stream.tell() for stream in streams]

    def told() -> str:
        texts = [stream.getvalue()[start:] for stream, start in zip(streams, starts, strict=True)]
        texts[1:] = [_OVERWRITTEN.sub("", text) for text in texts[1:]]
        return "".join(_NUMBER.sub("#", text) for text in texts)

    yield told
