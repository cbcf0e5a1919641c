"""Calls of an original and its rewritten function that the program does not make, and its callers might."""

import contextlib
import copy
import functools
import gc
import itertools
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from . import declared, frozen, items, kinds, locks, magnitudes, read_files, texts
from .afterwards import Afterwards
from .alter import Alter
from .between import Between, changing
from .caches import Caches
from .contexts import (
    AXIS,
    JITTED,
    UNDER,
    Transform,
    derivatives,
    draws,
    filled,
    in_double,
    jitted,
    loops_freely,
    mapped,
    operations_of,
    precisions,
    program_of,
    transformed,
    with_other_draws,
    without_jit,
    without_promotion,
    without_rank_promotion,
)
from .effects import Reach
from .hints import hints
from .hooks import below, overridden, refusing
from .jaxprs import same_program
from .limits import limits, numbers_of, of_program
from .originals import nested
from .pairing import Call, Leaves, Pairing
from .perturb import MIXED, is_plain, mixed, variations
from .precision import double_precision, to_double
from .programs import ASKING
from .read_files import READING
from .recycled import Recycled
from .samples import Sample, is_array, leaves_of
from .sides import is_bound
from .supplied import (
    Change,
    calling_again,
    is_callable,
    is_listed,
    is_spent,
    iterated,
    ordered,
    raisings,
    standing,
    streaming,
)
from .work import work_of

Step = Callable[[Leaves], Iterator[None]]
_MOST_STREAMS, _MOST_MOVED = 3, 12
_SETTINGS = {"strict promotion of dtypes": without_promotion, "no promotion of ranks": without_rank_promotion}
_COLLECTIVES = {
    *("psum", "pmean", "pmax", "pmin", "psum_scatter", "all_gather", "all_to_all", "ppermute", "pshuffle"),
    *("axis_index", "axis_size", "pbroadcast"),
}
DERIVATIVES, JIT_DISABLED, RAISING = "derivatives", "disable_jit", "callables that raise"


class Beyond:
    """The calls that go beyond those of the program, the cheap ones first."""

    def __init__(self, trial: Pairing, afterwards: Afterwards) -> None:
        self.trial, self.sample, self.sides = trial, trial.sample, trial.sides
        self.afterwards = afterwards
        self.is_same = False
        self.programs: list[Any] = []
        codes = [*self.sides.before_reach.codes, *self.sides.reach.codes]
        self.hints, self.limits = hints(codes), limits(codes, numbers_of(self.sample.arguments(self.sample.leaves())))

    def around(self, steps: list[Step], leaves: Leaves) -> list[Step]:
        """These steps and those that go beyond the program: before them what tracing alone decides."""
        self.is_same = self._is_one_program(leaves)
        self.programs = [self._program(call, leaves) for call in self.trial.callers()]
        asked = [frozenset[str]() if program is None else precisions(program) for program in self.programs]
        if all(asked) and asked[0] != asked[1]:
            self.trial.tell("what precision it asks for", *(", ".join(sorted(words)) for words in asked))
        for program in filter(None, self.programs):
            self.limits = self.limits.and_also(of_program(program))
        others: list[Step] = [self.between, self.supplied, self.arguments]
        traced: list[Step] = [self.remembered, self.shapes, self.contexts]
        return [*traced, *steps, *others] if self.is_same else [self.imported, *steps, *others, *traced]

    def imported(self, leaves: Leaves) -> Iterator[None]:
        """A call under x64 of a function that reads arrays of its module, where the original makes its own."""
        if self._holds_arrays(self.sides.reach) and not self._holds_arrays(self.sides.before_reach):
            self.trial.compare(f"{kinds.GIVEN}double precision", leaves, *map(in_double, self.trial.callers()))
            yield

    def contexts(self, leaves: Leaves) -> Iterator[None]:
        """What callers may put around a call; little of it distinguishes two functions that are the same program."""
        trial, (before, after) = self.trial, self.trial.callers()
        operations = [None if program is None else operations_of(program) for program in self.programs]
        if not self.is_same:
            yield from self._transformed(leaves, transformed(leaves))
        elif any(found is None or found.have_rules for found in operations):
            yield from self._transformed(leaves, derivatives(leaves))
        trial.record.untried.tried(trial.name, DERIVATIVES)
        if not self._holds_arrays(self.sides.before_reach) and not self._is_one_program_in_double(leaves):
            trial.compare(f"{UNDER}x64", leaves, in_double(before), in_double(after))
        yield
        for how, within in _SETTINGS.items():
            if self._work_differently(leaves, within):
                trial.compare(f"{UNDER}{how}", leaves, *map(within, (before, after)))
            yield
        yield from self._named_axes()
        if self.is_same:
            return
        if "random" in self.sides.before_reach.names and self._draws():
            trial.compare(
                f"{UNDER}the other way to draw random numbers", leaves, *map(with_other_draws, (before, after))
            )
            yield
        if operations[0] is not None and not operations[0].are_few:
            trial.record.untried.leave_out(trial.name, JIT_DISABLED, "its loops are long")
        elif trial.is_steady(leaves, before, without_jit(before)):
            trial.compare(f"{UNDER}disable_jit", leaves, without_jit(before), without_jit(after))
        yield

    def _named_axes(self) -> Iterator[None]:
        """The call mapped over an axis whose name it takes, where it has none today."""
        if not self.sides.before_reach.names & _COLLECTIVES:
            return
        trial, own = self.trial, self.trial.sample
        for name in [name for name, value in own.arguments(own.leaves()).items() if value is None]:
            trial.sample = own.replaced(name, AXIS)
            try:
                sides = (functools.partial(mapped, call) for call in trial.callers())
                mine = trial.sample.leaves()
                _, other = next(variations(mine, self.sides.hazardous), ("", mine))  # of zeros all sums are the same
                trial.compare(f"{UNDER}vmap over an axis that `{name}` names", other, *sides)
            finally:
                trial.sample = own
            yield

    def _work_differently(self, leaves: Leaves, within: Callable[[Call], Call]) -> bool:
        """Whether one of both is not a program under a setting: a trace tells, and compiles nothing."""
        if None in self.programs:
            return False
        found = [within(functools.partial(self._program, call))(leaves) for call in self.trial.callers()]
        return (found[0] is None) is not (found[1] is None)

    def _program(self, call: Call, leaves: Leaves) -> Any:
        """The jaxpr of a call; what it stores during that are tracers, and is put back."""
        state = self.sides.state
        held = state.held()
        try:
            return program_of(call, leaves)
        finally:
            state.put_back(held)

    def _draws(self) -> bool:
        """Whether the original draws random numbers, as far as a trace of it tells."""
        return self.programs[0] is None or draws(self.programs[0])

    def _transformed(self, leaves: Leaves, transforms: Iterable[Transform]) -> Iterator[None]:
        before, after = self.trial.callers()
        works = set[str]()
        for how, transform in transforms:
            if how.removesuffix(JITTED) == how and f"{how}{JITTED}" in works:
                continue
            if self.trial.compare(how, leaves, transform(before), transform(after)):
                works.add(how)
            yield

    def remembered(self, leaves: Leaves) -> Iterator[None]:
        """A first call under `jit`, of which nothing may stay; and whether the object of a method goes when it may."""
        yield from self._recycled(leaves)
        caches = Caches(self.sides.before_reach, self.sides.reach)
        if not caches.any:
            return
        before, after = (functools.partial(_jitted_first, call, caches) for call in self.trial.callers())
        self.trial.compare("as called, after a first call under jit", leaves, before, after)
        yield
        if caches.grow:
            for name, owner in self._owners(leaves):
                self.trial.compare(f"as called, and `{name}` forgotten", leaves, *self._forgotten(name, owner))
                yield
        self._remember(leaves)

    def _remember(self, leaves: Leaves) -> None:
        """Calls the rewritten function as the program does: its caches, emptied, hold again what they held then."""
        state = self.sides.state
        held = state.held()
        with contextlib.suppress(Exception):  # it raises as it did
            self.trial.callers()[1](leaves)
        state.put_back(held)

    def _recycled(self, leaves: Leaves) -> Iterator[None]:
        """Other objects where those of another call were, for a rewritten function that asks where they are."""
        if "id" not in self.sides.reach.names - self.sides.before_reach.names:
            return
        for _, other in itertools.islice(variations(leaves, self.sides.hazardous), _MOST_MOVED):
            sides = [self._in_place_of(call, leaves) for call in self.trial.callers()]
            self.trial.compare("as called, with objects where others were", other, *sides)
            yield

    def _in_place_of(self, call: Call, leaves: Leaves) -> Call:
        def called(other: Leaves) -> Any:
            mine = functools.partial(call, leaves), functools.partial(call, other)
            return Recycled(self.sides.reach)(*mine)

        return called

    def _owners(self, leaves: Leaves) -> Iterator[tuple[str, Any]]:
        """The objects of the user's among the arguments."""
        for name, value in self.sample.arguments(leaves).items():
            if self.sides.reach.is_mine(type(value).__module__) and hasattr(value, "__dict__"):
                yield name, value

    def _forgotten(self, name: str, owner: Any) -> tuple[Call, Call]:
        """Calls of both with a copy of an argument, which nobody else has: whether it is still there afterwards."""

        def made(side: Call) -> Call:
            def called(leaves: Leaves) -> Any:
                held = copy.copy(owner)
                kept = weakref.ref(held)
                own, self.trial.sample = self.trial.sample, self.sample.replaced(name, held)
                try:
                    side(self.trial.sample.leaves())
                finally:
                    self.trial.sample = own
                del held
                gc.collect()
                return {"is kept alive": kept() is not None}

            return called

        before, after = map(made, self.trial.callers())
        return before, after

    def arguments(self, leaves: Leaves) -> Iterator[None]:
        """Other Python values, objects of subclasses, and NumPy in place of jax."""
        for how, sample in self.sample.with_other_hidden():
            self._pair_of_options(f"{kinds.GIVEN}another `{how}`", sample)
            yield
        mentioned, known = self.sides.before_reach.names | self.sides.reach.names, self.hints.texts
        for how, sample in frozen.others(self.sample, leaves, Alter(self.sides.reach.is_mine, [*known]), mentioned):
            self._pair_of_options(f"{kinds.GIVEN}another `{how}`", sample)
            yield
        for how, sample in kinds.defaulted(self.sample, leaves, self.hints):
            self._pair_of_options(how, sample)
            yield
        for how, sample in self._items():
            self._pair_of(how, sample)
            yield
            self._call_functions_of(how, sample)
            yield
        if not self.is_same and self.programs[0] is not None and not loops_freely(self.programs[0]):
            for how, other in kinds.largest(leaves):
                self.trial.pair(how, other)
                yield
        if not (self.sides.hazardous or self.sides.writes or self.sample.traced):
            for how, other in texts.others(self.sample, leaves, (self.sides.before_reach, self.sides.reach)):
                self.trial.pair(how, other)
                yield
        if not self.sides.hazardous:
            reach = self.sides.before_reach
            for how, sample in itertools.chain(overridden(self.sample, reach), below(self.sample, reach)):
                self._pair_of(how, sample)
                yield
            most = functools.partial(self._most, leaves)
            for how, other in kinds.counts(self.sample, leaves, self.hints, self.limits, most):
                if self._holds_buffers(other) or not self._is_one_program(other):
                    self.trial.pair(how, other)
                yield
            for how, other in itertools.chain(kinds.thresholds(leaves, self.limits), kinds.zeros(leaves)):
                self.trial.pair(how, other)
                yield
                if (turned := mixed(other)) is not other:
                    self.trial.pair(f"{how}{MIXED}", turned)
                    yield
            names = self.sides.before_reach.names | self.sides.reach.names
            odd = () if self.is_same else magnitudes.extremes(leaves)
            for how, other in itertools.chain(magnitudes.halves(self.sample, leaves, names), odd):
                self.trial.pair(how, other)
                yield
        for how, other in kinds.sooner(self.sample, leaves, self.hints):
            self.trial.pair(how, other)
            yield
        for how, other in kinds.numbered(leaves) if not self.sample.traced else ():
            self.trial.ask(how, other)
            yield
        for how, other in kinds.typed(leaves) if not self.sample.traced else ():
            allowed = self._as_declared(leaves, other)
            if any(one is not two for one, two in zip(leaves, allowed, strict=True)):
                self.trial.pair(how, allowed)
                yield

    def _as_declared(self, leaves: Leaves, other: Leaves) -> Leaves:
        """The other leaves, except arrays where a number is declared."""
        known = declared.numbers(self.sides.original)
        barred = [
            declared.is_barred(known.get(name), leaf) for name, leaf in zip(self.sample.names(), other, strict=True)
        ]
        if any(barred):
            self.trial.record.untried.leave_out(self.trial.name, declared.ARRAYS)
        return [one if is_no else two for one, two, is_no in zip(leaves, other, barred, strict=True)]

    def _items(self) -> Iterator[tuple[str, Sample]]:
        """Containers with other items."""
        moved, before = items.moved(self.sample, hazardous=self.sides.hazardous), self.sides.before_reach
        yield from items.dictionaries(self.sample, moved, before.texts)
        yield from items.mappings(self.sample, moved, before)
        yield from items.lists(self.sample, moved)
        yield from items.ordered(self.sample, moved)
        yield from items.retyped(self.sample, moved, before.names | self.sides.reach.names)
        yield from items.keywords(self.sample, moved, self.sides.original, before)

    def between(self, leaves: Leaves) -> Iterator[None]:
        """What the caller's callables and lists may change while the function uses them."""
        if self.sample.traced:
            return
        if self.sides.before_reach.names & READING:
            for how, change in read_files.others():
                self._compare_with(how, leaves, change)
                yield
        for user in Between(self.trial.supplied(self.sample.arguments(leaves))).users():
            self._compare_with(f"`{user}` that changes what else is given", leaves, functools.partial(changing, user))
            yield

    def supplied(self, leaves: Leaves) -> Iterator[None]:
        """Callables of the caller's that raise, and iterators in the place of what is read item by item."""
        given, codes = self.trial.supplied(self.sample.arguments(leaves)), self.sides.before_reach.codes
        users, untried = given.names(is_callable), self.trial.record.untried
        if self.sample.traced:
            if users:
                untried.leave_out(self.trial.name, RAISING, "it runs under a trace alone")
            return
        untried.tried(self.trial.name, RAISING)
        for user in users:
            for how, raising in raisings(codes):
                self._compare_with(f"`{user}` that {how}", leaves, functools.partial(standing, user, raising))
                yield
            self._again(user, leaves)
            yield
        if len(users) > 1:
            self._compare_with("callables that note their order", leaves, functools.partial(ordered, users))
            yield
        for how, change in refusing(self.sample, self.sides.before_reach) if not self.sides.hazardous else ():
            self._compare_with(how, leaves, functools.partial(_same, change))
            yield
        for lock in given.names(locks.is_lock):
            self._compare_with(f"`{lock}` that is watched", leaves, functools.partial(locks.watching, lock))
            yield
        for lock, globals_ in self._locks():
            made = functools.partial(locks.watching_global, lock, globals_)
            self._compare_with(f"`{lock}` that is watched", leaves, made)
            yield
        for user in given.names(is_spent):
            untried.leave_out(self.trial.name, f"how far the iterator `{user}` is read")
        read = iterated([*codes, *self.sides.reach.codes])
        for user in given.names(is_listed):
            if user.rpartition(".")[2] in read:
                yield from self._streamed(user, leaves)

    def _locks(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """The locks of modules that the original mentions, and where they are."""
        for code, globals_ in self.sides.before_reach.codes:
            live = getattr(globals_, "live", globals_)
            names = {name for part in nested(code) for name in part.co_names}
            yield from ((name, live) for name in sorted(names & live.keys()) if locks.is_lock(live[name]))

    def _again(self, user: str, leaves: Leaves) -> None:
        """Compares both where a callable of the caller's calls them once more before they have ended."""
        sides = [
            self.trial.callers(functools.partial(calling_again, user, functools.partial(call, leaves)))[at]
            for at, call in enumerate(self.trial.callers())
        ]
        self.trial.compare(f"{kinds.GIVEN}`{user}` that calls it again", leaves, *sides)

    def _streamed(self, user: str, leaves: Leaves) -> Iterator[None]:
        """An iterator in the place of a list, with these data and others: how far it is read may depend on them."""
        others = itertools.islice(variations(leaves, self.sides.hazardous), _MOST_STREAMS)
        for number, (_, data) in enumerate([("", leaves), *others]):
            how = f"`{user}` as an iterator{f' over other data, {number}' if number else ''}"
            self._compare_with(how, data, functools.partial(streaming, user, fails=False))
            yield
        self._compare_with(
            f"`{user}` as an iterator that fails", leaves, functools.partial(streaming, user, fails=True)
        )
        yield

    def _compare_with(self, how: str, leaves: Leaves, made: Callable[[], Change]) -> None:
        """Compares both with something else among what they were given; `made` says how, for one call."""
        self.trial.compare(f"{kinds.GIVEN}{how}", leaves, *self.trial.callers(made))

    def shapes(self, leaves: Leaves) -> Iterator[None]:
        """Arrays of other shapes and dtypes; both functions are called where tracing distinguishes them."""
        for how, other in kinds.shaped(leaves, self.limits):
            if self.sides.hazardous and how.startswith(f"{kinds.GIVEN}{kinds.NO_ROWS}"):
                self.trial.record.untried.leave_out(self.trial.name, kinds.NO_ROWS, "a loop might not end")
            elif self._is_one_program(other) or self.trial.pair(how, other):
                self.trial.has_tried(leaves, other)
            yield

    def _most(self, leaves: Leaves, place: int) -> int:
        """How large an integer may become: not where it decides how often something runs, or how large it is."""
        before, leaf, one = self.trial.callers()[0], leaves[place], self.programs[0]
        if one is None or loops_freely(one):
            return kinds.SMALL
        other = self._program(before, [*leaves[:place], leaf + 1, *leaves[place + 1 :]])
        is_count = not is_array(leaf) and (other is None or work_of(one) != work_of(other))
        return kinds.SMALL if is_count else 2**31

    def _pair_of_options(self, how: str, sample: Sample) -> None:
        """The same of another option, which may decide what is done with data that the program has not."""
        self._pair_of(how, sample)
        leaves = sample.leaves()
        other = leaves if self.sides.hazardous else mixed(leaves)
        if other is not leaves:
            self._pair_of(f"{how}{MIXED}", sample, other)

    def _pair_of(self, how: str, sample: Sample, leaves: Leaves | None = None) -> None:
        """Calls both with the arguments of another sample."""
        trial, own = self.trial, self.trial.sample
        trial.sample = sample
        try:
            trial.pair(how, sample.leaves() if leaves is None else leaves)
        finally:
            trial.sample = own

    def _call_functions_of(self, how: str, sample: Sample) -> None:
        """Calls the functions that both return for another sample, if they return some for that of the program."""
        trial, own = self.trial, self.trial.sample
        if not self.afterwards.returns_functions:
            return
        trial.sample = sample
        try:
            self.afterwards.of_others(how, sample.leaves())
        finally:
            trial.sample = own

    def _is_one_program(self, leaves: Leaves) -> bool:
        """Whether both are one program to jax, of which the arrays among the leaves are the arguments."""
        names = self.sides.before_reach.names | self.sides.reach.names
        if self.sides.state.places or names & ASKING:
            return False  # what they change, or ask for, is part of what they do
        places = [place for place, leaf in enumerate(leaves) if is_array(leaf)]
        before, after = (filled(call, leaves, places) for call in self.trial.callers())
        try:
            return same_program(before, after, [leaves[place] for place in places], donations=True)
        except Exception:  # it cannot be traced as a whole
            return False

    def _holds_buffers(self, leaves: Leaves) -> bool:
        """Whether some of the leaves are NumPy arrays, of which the same may be returned, or a copy."""
        return any(is_plain(leaf) and hasattr(leaf, "shape") and not is_array(leaf) for leaf in leaves)

    def _holds_arrays(self, reach: Reach) -> bool:
        """Whether a function reads arrays that are no arguments: where all was double they would be too."""
        held = [cell.cell_contents for cell in self.sides.cells.values() if is_bound(cell)]
        for code, globals_ in reach.codes:
            held += [globals_[name] for part in nested(code) for name in part.co_names if name in globals_]
        return any(is_array(leaf) for value in held for leaf in leaves_of(value))

    def _is_one_program_in_double(self, leaves: Leaves) -> bool:
        with double_precision():
            return self._is_one_program([to_double(leaf) for leaf in leaves])


def _same(change: Change) -> Change:
    return change


def _jitted_first(call: Call, caches: Caches, leaves: Leaves) -> Any:
    """What a call returns where the first one was under `jit`."""
    with caches.emptied():
        with contextlib.suppress(Exception):  # it cannot be
            jitted(call, leaves)
        return call(leaves)
