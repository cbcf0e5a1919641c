"""What comes after a call: functions that it has returned are called, and a state that it has returned is updated."""

import contextlib
import functools
import itertools
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

from .contexts import UNDER
from .followed import Followed, Passed, Update, functions_in
from .kinds import GIVEN, thresholds
from .limits import limits
from .pairing import Call, Leaves, Pairing
from .perturb import halved, variations
from .precision import double_precision
from .samples import is_array, is_key, made_up

UPDATED = ", updated once"
RETURNED = "the functions that it returns"
_MOST_FUNCTIONS, _MOST_OTHERS = 8, 3


class Afterwards:
    """What comes after a call of the original and one of the rewritten function."""

    def __init__(self, trial: Pairing, followed: Followed) -> None:
        self.trial, self.followed = trial, followed
        self.returns_functions = False

    def functions(self, leaves: Leaves) -> Iterator[None]:
        """Calls what both have returned, as the program does; with made-up arguments what it does not call."""
        trial, (before, after) = self.trial, self.trial.callers()
        paths = self._paths(after, leaves) if trial.returns_functions else []
        self.returns_functions = bool(paths)
        for path in paths[:_MOST_FUNCTIONS]:
            compared = False
            for how, given in self._given(path, leaves):
                called = [functools.partial(_called, side, path, given) for side in (before, after)]
                compared = trial.compare(how, leaves, called[0], called[1]) or compared
                yield
            if not compared:
                trial.record.untried.leave_out(trial.name, RETURNED)

    def of_others(self, how: str, leaves: Leaves) -> None:
        """Calls what both return for data that the program does not pass, with made-up arguments."""
        trial, (before, after) = self.trial, self.trial.callers()
        for path in self._paths(after, leaves)[:_MOST_FUNCTIONS]:
            for words, given in self._made_up(path, leaves):
                called = [functools.partial(_called, side, path, given) for side in (before, after)]
                if trial.compare(f"{how}, {words.removeprefix(GIVEN)}", leaves, called[0], called[1]):
                    break

    def _paths(self, call: Call, leaves: Leaves) -> list[str]:
        held = self.trial.sides.state.held()
        try:
            return [path for path, _ in functions_in(call(leaves))]
        except Exception:  # it raises; nothing comes after
            return []
        finally:
            self.trial.sides.state.put_back(held)

    def _given(self, path: str, leaves: Leaves) -> Iterator[tuple[str, Callable[[], Passed]]]:
        key = self.trial.name, path
        found = next((known for known in self.followed.known.values() if (known.name, known.path) == key), None)
        samples = self.followed.calls.get(key, [])
        for sample in samples[:1] if found is not None else ():
            assert found is not None
            mine = sample.leaves()
            others = itertools.chain(
                thresholds(mine, limits(self.trial.sides.before_reach.codes, {})),
                variations(mine, self.trial.sides.hazardous),
            )
            for how, other in (("as called", mine), *_first(others, _MOST_OTHERS)):
                yield f"returned{path}, {how}", functools.partial(found.passed, sample, other)
        if not samples:
            yield from self._made_up(path, leaves)

    def _made_up(self, path: str, leaves: Leaves) -> Iterator[tuple[str, Callable[[], Passed]]]:
        """Arguments for a function that nobody calls: arrays that others were called with, one or two of them."""
        arrays = [leaf for leaf in leaves if is_array(leaf) and not is_key(leaf)]
        for kept in self.followed.calls.values():
            arrays += [leaf for sample in kept for leaf in sample.leaves() if is_array(leaf) and not is_key(leaf)]
        arrays.append(made_up((4,), "float32", False, 0))
        data = max(arrays, key=lambda leaf: leaf.ndim > 0)
        for count in (1, 2, 3, 0):
            for how, other in [("", [data]), *_first(variations([data], True), 1)]:
                words = f"{GIVEN}{count} made-up arguments, returned{path}{how and ', ' + how}"
                yield words, functools.partial(_repeated, other[0], count)

    def updates(self, leaves: Leaves) -> Iterator[None]:
        """Updates the states that both have returned, in half precision and with double precision enabled."""
        update = self.followed.updates.get(self.trial.name)
        if update is None:
            return
        settings: list[tuple[str, Callable[[Any], Any], Callable[[], AbstractContextManager[None]]]] = [
            ("half precision", halved, contextlib.nullcontext),
            ("x64", _as_it_is, double_precision),
        ]
        for words, change, setting in settings:
            before, after = (
                functools.partial(_updated, side, update, change, setting) for side in self.trial.callers()
            )
            self.trial.compare(f"{UNDER}{words}{UPDATED}", leaves, before, after)
            yield


def _first(others: Iterator[tuple[str, Leaves]], count: int) -> list[tuple[str, Leaves]]:
    return [other for other, _ in zip(others, range(count), strict=False)]


def _called(call: Call, path: str, given: Callable[[], Passed], leaves: Leaves) -> Any:
    function = dict(functions_in(call(leaves)))[path]
    args, keywords = given()
    return function(*args, **keywords)


def _repeated(value: Any, count: int) -> Passed:
    return [value] * count, {}


def _as_it_is(leaf: Any) -> Any:
    return leaf


def _updated(
    call: Call,
    update: Update,
    change: Callable[[Any], Any],
    setting: Callable[[], AbstractContextManager[None]],
    leaves: Leaves,
) -> Any:
    with setting():
        state = call([change(leaf) for leaf in leaves])
        return update([change(leaf) for leaf in update.sample.leaves()], state)
