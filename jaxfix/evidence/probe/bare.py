"""Replaces a `jit` that a fix has added: calls the function as it is, and single steps of it jitted.

The program goes on from what the function returns operation by operation, so it is in the original's own states, in
containers that are new and dictionaries whose keys are sorted, as those of `jit` are. Every so often the same arguments
are given to the jitted function too: as they are, for what may not differ at all, and in double precision, where a
difference that is not a rounding stays and one that is shrinks (docs/decisions/0030).
"""

import functools
import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import start
from .calls import is_tracing
from .files import is_user
from .growing import Growing
from .handlers import handler_of
from .muted import muted
from .razor import Call, InPlace, Step, as_pytree, changing, held, stepped
from .unlike import NO_ERROR, outgrown, unlike, unlike_here, unlike_later

if TYPE_CHECKING:
    from .watch import Probe

# The first steps, then each twice as far; of a function that is made again beside its original, the first ones.
_FIRST, _AGAIN = 3, 2
_MOST_S = 120.0
_PART = 1.0
Function = Callable[..., Any]


class _Thread(threading.local):
    busy = False


_THREAD = _Thread()


def bare(jit: Function, name: str) -> Function:
    """A maker of functions in the place of `jit`; `name` is what measurements call the function."""

    def made(function: Function, *args: Any, **keywords: Any) -> Function:
        probe = start.PROBE
        if probe is None:
            return function
        probe.shadow_call.compiled.keep()
        in_place = getattr(jit, "__module__", "").startswith("flax.nnx")
        return _Bare(probe, name, function, jit(function, *args, **keywords), in_place=in_place).wrapped()

    return made


class _Bare:
    """A function that is called as it is, and compared with its jitted form; `in_place` if it changes its arguments."""

    def __init__(self, probe: "Probe", name: str, function: Function, jitted: Function, *, in_place: bool) -> None:
        self.probe, self.function, self.jitted, self.in_place = probe, function, jitted, in_place
        self.entry = probe.record.razor.setdefault(name, entry())
        self.calls, self.is_late = 0, probe.shadow_call.finished
        self.growing, self.grown, self.fast, self.later = Growing(), frozenset[int](), frozenset[int](), ""

    def wrapped(self) -> Function:
        @functools.wraps(self.function)
        def call(*args: Any, **keywords: Any) -> Any:
            if _THREAD.busy or is_tracing():
                return self.function(*args, **keywords)
            if not self.in_place:
                args, keywords = as_pytree((args, keywords))
            self.calls, self.entry["calls"] = self.calls + 1, self.entry["calls"] + 1
            self._follow(args, keywords)
            if not self._is_due():
                return self._result(self.function(*args, **keywords))
            made = InPlace(args, keywords) if self.in_place else Call(args, keywords)
            returned = self.function(*args, **keywords)
            self._compare(made, (returned, held(args, keywords)) if self.in_place else returned)
            return self._result(returned)

        return call

    def _result(self, returned: Any) -> Any:
        return returned if self.in_place else as_pytree(returned)

    def _follow(self, args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
        """Takes back what was said of numbers that grow, once they begin again: a longer run has no larger ones."""
        if self.probe.shadow_call.finished or self.in_place:
            return
        self.growing.saw(args, keywords)
        if self.later and not (self.grown <= self.growing.places() and self.fast <= self.growing.outgrowing()):
            if self.entry["difference"] == self.later:
                self.entry["difference"] = None
            self.later = ""

    def _look_ahead(self, plain: Function, jitted: Function, made: Call) -> None:
        """Compares both on what a longer run passes, once for the numbers that grow."""
        places = self.growing.places()
        if self.probe.shadow_call.finished or self.in_place or self.later or places <= self.grown:
            return
        self.grown, self.fast = places, frozenset()
        words = unlike_later(plain, jitted, made, self.growing.later())
        if words is None:
            self.fast = self.growing.outgrowing()
            words = outgrown(plain, jitted, made, self.fast)
        if words is not None:
            self.later = f"step {self.calls}: {words}"
            self.entry["difference"] = self.entry["difference"] or self.later

    def _missed(self, unlike: list[str]) -> str | None:
        """Which error that the jitted function does not raise its callers take, in words."""
        user, frame = self.probe.settings.user, sys._getframe()
        for words in (words for words in unlike if NO_ERROR in words):
            line = handler_of(words.rpartition(NO_ERROR)[2], frame, lambda file: is_user(file, user))
            if line is not None:
                return f"{words}, which line {line} catches"
        return None

    def _is_due(self) -> bool:
        if not self.probe.settings.compares_steps:
            return False
        number, spent = self.entry["calls"], self.entry["seconds"]
        if self.probe.shadow_call.finished:
            return self.probe.shadow_call.is_plain and not (self.is_late and self.calls > _AGAIN)
        often = number <= _FIRST or number & (number - 1) == 0
        return bool(often and spent < max(_MOST_S, _PART * self.probe.record.age()))

    def _compare(self, made: Call, returned: Any) -> None:
        started = time.perf_counter()
        _THREAD.busy = True
        try:
            with self.probe.paused(), muted():
                sides = (self.function, self.jitted)
                one, other = map(changing, sides) if self.in_place else sides
                add(self.entry, stepped(one, other, made, returned))
                if self.calls == 1 and not self.is_late and not self.in_place:
                    self.entry["unlike"] = self.entry["unlike"] or unlike(one, other, made)
                    self.entry["difference"] = self.entry["difference"] or self._missed(self.entry["unlike"])
                if not self.in_place:
                    words = unlike_here(one, other, made)
                    self.entry["difference"] = self.entry["difference"] or (words and f"step {self.calls}: {words}")
                self._look_ahead(one, other, made)
        except Exception as error:  # whatever it is, it must not be the program's
            self.entry["difference"] = (
                self.entry["difference"] or f"cannot be compared: {type(error).__name__}: {error}"
            )
        finally:
            _THREAD.busy = False
            self.entry["seconds"] += time.perf_counter() - started


def entry() -> dict[str, Any]:
    """What is known of the steps of a function that none was compared of."""
    figures = {"single": 0.0, "double": 0.0}
    return {
        "calls": 0,
        "steps": 0,
        "leaves": 0,
        "doubled": 0,
        "traced": 0,
        "widened": 0,
        "difference": None,
        "seconds": 0.0,
        "counted": [],
        "unlike": [],
        **figures,
    }


def add(known: dict[str, Any], step: Step) -> None:
    """Adds what one step has shown."""
    known["steps"] += 1
    known["leaves"] += step.leaves
    known["doubled"] += step.way == "double"
    known["traced"] += step.way == "traced"
    known["widened"] += step.way == "widened"
    known["single"], known["double"] = max(known["single"], step.single), max(known["double"], step.double)
    known["counted"] = sorted({*known["counted"], *step.counted})
    if step.difference is not None and known["difference"] is None:
        known["difference"] = f"step {known['calls']}: {step.difference}"
