"""Calls the original beside the rewritten function, of the same arguments, in the same process.

A rerun sees only the data that the program has. Here both functions also see other data, and what they read bound
again: a rewritten function that remembers too much is found out by that. It all happens when the program has ended,
because caches of jax are shared: what is compiled beside the program would be missing from its counts
(docs/decisions/0006).
"""

import _thread
import contextlib
import importlib
import io
import os
import sys
import threading
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from types import FrameType, FunctionType

from . import parameters
from .arrival import unprofiled
from .compiled import Compiled
from .endless import DoesNotEnd, Limit
from .files import real
from .followed import Followed
from .memory import peak_bytes
from .messages import unnumbered
from .originals import Unmade, text_of
from .samples import Sample, Unkept
from .scratch import scratch
from .sides import Sides, is_bound
from .stores import Stores, stores_of
from .surroundings import variable
from .trial import OTHER_DATA, Trial
from .watching import Watching

_CONCRETE, _OTHERS = 2, 1
_EXAMINED, _MOST_VARIABLES = 20, 4
_FUNCTION_S, _PROCESS_S, _LEAST_S, _GIVE_UP_S = 15.0, 60.0, 40.0, 30.0
_ENDLESS_S = 15.0
BESIDE = "the original beside it"
_ODD = {0x80: "a coroutine", 0x200: "an asynchronous generator"}


class ShadowCall:
    """Keeps arguments of the first calls of each rewritten function; calls both functions at the end."""

    def __init__(self, probe: Watching) -> None:
        self.probe, self.settings, self.record = probe, probe.settings, probe.record
        self.texts = {real(file): copy for file, copy in self.settings.originals.items()}
        self.files = {name: real(file) for file, _, name in self.settings.observe if real(file) in self.texts}
        self.followed = Followed({name: file for name, file in self.files.items() if file}, self.texts)
        self.compiled = Compiled(os.path.dirname(self.settings.results))
        self.reset()

    def reset(self) -> None:
        self.followed.reset()
        self.samples: dict[str, list[tuple[Sample, FunctionType | None]]] = {}
        self.examined: dict[str, int] = {}
        self.copies: dict[str, str] = {}
        self.open = {name for name in self.files if not name.endswith(":<module>")}
        self.finished = False
        self.is_plain = True
        self.beyond: set[tuple[str, bool, bool]] = set()
        self.deadline: float | None = None
        self.limit = Limit(_ENDLESS_S)
        self.stores: Stores | None = None
        self.main: str | None = None
        self.clock: Clock | None = None
        self.warned: defaultdict[str, tuple[set[str], set[str]]] = defaultdict(lambda: (set(), set()))

    def saw(self, name: str, frame: FrameType, traced: bool) -> None:
        """Keeps the arguments of a call that begins, if they are of a kind that has not been kept yet."""
        if name not in self.open or self.finished or "jax" not in sys.modules:
            return
        kept = self.samples.setdefault(name, [])
        self.main = self.main or getattr(sys.modules.get("__main__"), "__file__", None)
        count = self.examined[name] = self.examined.get(name, 0) + 1
        self.copies.setdefault(name, frame.f_code.co_filename)
        if count > _EXAMINED or (len(kept) >= _CONCRETE and not traced):
            self.open -= {name} if count > _EXAMINED * 50 else set()
            return
        try:
            with self.probe.paused():
                self._keep(kept, frame)
        except (Unkept, Unmade) as reason:
            self.record.alone.setdefault(name, str(reason))
        except Exception as error:  # whatever it is, it must not be the program's
            self.record.alone.setdefault(name, _unforeseen(error))

    def returned(self, name: str, value: object) -> None:
        """Notes what a rewritten function has returned."""
        if name in self.files and not self.finished and "jax" in sys.modules:
            with contextlib.suppress(Exception), self.probe.paused():  # whatever it is, it must not be the program's
                self.followed.returned(name, value)

    def follow(self, frame: FrameType) -> None:
        """Records a call of the result of a rewritten function, or of a function that takes that result."""
        if not self.finished and "jax" in sys.modules:
            with contextlib.suppress(Exception), self.probe.paused():
                self.followed.saw(frame, _function_of)

    def _keep(self, kept: list[tuple[Sample, FunctionType | None]], frame: FrameType) -> None:
        odd = next((words for flag, words in _ODD.items() if frame.f_code.co_flags & flag), None)
        if odd is not None:
            raise Unmade(f"it is {odd}")
        sample = Sample(frame)
        most = _OTHERS if sample.traced or sample.differentiated else _CONCRETE
        if sum(other.kind == sample.kind for other, _ in kept) < most:
            self.clock = self.clock or Clock(self._is_late, self._give_up)
            kept.append((sample, _function_of(frame)))

    def finish(self) -> None:
        """Calls both functions, once, with everything that was kept."""
        if self.finished:
            return
        self.finished = True
        self.limit = Limit(_ENDLESS_S)
        with unprofiled():
            self._compare()

    def _compare(self) -> None:
        for name in self.files:
            for read in [*self.probe.surroundings.read][:_MOST_VARIABLES]:
                self.record.untried.leave_out(name, variable(read))
            if not self.samples.get(name):
                self.record.untried.leave_out(name, BESIDE, self.record.alone.get(name, ""))
            if name in self.copies:
                self._parameters(name)
            if parameters.loses_its_mesh(text_of(self.texts[self.files[name]]), text_of(self.files[name])):
                self.record.untried.leave_out(name, parameters.MESHES)
        if self.clock is None:
            return
        self.record.peak_bytes = self.record.peak_bytes or peak_bytes()
        self.clock.start()
        self.compiled.keep()
        try:
            used = time.process_time()
            until = used + min(_PROCESS_S, max(_LEAST_S, 2 * used))
            for left, name in zip(range(len(self.samples), 0, -1), sorted(self.samples), strict=True):
                self._function(name, (until - time.process_time()) / left)
            self._warnings()
        except Exception as error:
            for name in self.samples:
                self.record.alone.setdefault(name, _unforeseen(error))
        finally:
            self.clock.stop()

    def _parameters(self, name: str) -> None:
        """Adds what of the parameters has changed, whether or not both can be called."""
        qualname, texts = name.rpartition(":")[2], (text_of(self.texts[self.files[name]]), text_of(self.copies[name]))
        if parameters.unknown(qualname, *texts):
            self.record.untried.leave_out(name, parameters.DEFAULTS)
        change = parameters.changed(qualname, *texts)
        if change is not None:
            old, new = ({"label": "parameters", "treedef": f"({text})", "leaves": []} for text in change)
            self.record.beside.append({"function": name, "how": "its parameters", "before": old, "after": new})

    def _warnings(self) -> None:
        """Adds what only one of a function and its original ever warned of.

        A trace gives each warning once, whatever caused the trace: so a warning counts wherever it came up.
        """
        for name, sides in self.warned.items():
            known = [
                set(map(unnumbered, self.record.warned)).union(*(both[s] for both in self.warned.values()))
                for s in (0, 1)
            ]
            lost, gained = sides[0] - known[1], sides[1] - known[0]
            if lost or gained:
                old, new = (
                    {"label": "warnings", "treedef": f"warned of {sorted(texts)}", "leaves": []}
                    for texts in (lost, gained)
                )
                self.record.beside.append({"function": name, "how": "warnings", "before": old, "after": new})

    def _is_late(self) -> bool:
        self.limit.look()
        return self.deadline is not None and time.monotonic() > self.deadline

    def _give_up(self) -> None:
        """Ends the process where a call beside the program never ends: nothing else can interrupt XLA."""
        self._account(self.current, f"a call of it with other data took more than {_GIVE_UP_S:.0f} s")
        for name in self.samples:
            if name > self.current:  # they come in this order
                self._account(name, f"a call of `{self.current}` did not end")
        self.probe.write()
        for stream in (sys.__stdout__, sys.__stderr__):
            if stream is not None:
                stream.flush()
        os._exit(1 if hasattr(sys, "last_value") else 0)

    def _function(self, name: str, seconds: float) -> None:
        """Calls both functions for at most `seconds` of processor time, except the call that is under way."""
        self.current = name
        self.until = time.process_time() + min(seconds, _FUNCTION_S)
        ended = ""
        for sample, function in self.samples[name]:
            try:
                with _quiet(), self.probe.paused():
                    self._sample(name, sample, function)
            except (Unkept, Unmade) as reason:
                ended = str(reason)
            except DoesNotEnd:
                ended = f"a call of it with other data took more than {_ENDLESS_S:.0f} s"
            except Exception as error:
                ended = _unforeseen(error)
            finally:
                self.deadline = None
        self._account(name, ended)

    def _account(self, name: str, ended: str) -> None:
        """Notes why the calls of both ended before their time, if they did, and what is not tried for that."""
        if ended:
            self.record.alone.setdefault(name, ended)
        compared = any(pair["function"] == name and pair["after"]["leaves"] for pair in self.record.beside)
        if self.samples[name] and not compared and self.files[name]:
            because = self.record.alone.setdefault(name, "no call of both had results")
            self.record.untried.leave_out(name, BESIDE, because)
        elif ended:
            self.record.untried.leave_out(name, OTHER_DATA, ended)

    def _sample(self, name: str, sample: Sample, function: FunctionType | None) -> None:
        file = self.files[name]
        others = [other for other, where in self.files.items() if where == file and other != name]
        sides = Sides(sample, function, text_of(self.texts[file]), self.settings.user, _qualnames(others))
        if sides.unchanged:
            self.record.alone.setdefault(name, "its own code is as it was")
            return
        if sides.effect is not None:
            raise Unmade(sides.effect)
        # whatever is called, and by whom
        with scratch(self.compiled.place) if sides.writes else contextlib.nullcontext():
            Trial(self, name, sample, sides).run()

    def stored(self) -> Stores:
        """What the program assigns to again; read once."""
        if self.stores is None:
            self.stores = stores_of(self.settings.user, self.texts, self.main)
        return self.stores

    def call_until(self) -> None:
        self.deadline = time.monotonic() + _GIVE_UP_S


class Clock:
    """A thread that looks, from `start` to `stop`, whether it is late.

    It is made while the program goes on: Python 3.12 starts none any more when that has ended. The program does not
    find it among its own.
    """

    def __init__(self, is_late: Callable[[], bool], give_up: Callable[[], None]) -> None:
        self.started, self.stopped = threading.Event(), threading.Event()
        self.start, self.stop = self.started.set, self.stopped.set
        self.is_late, self.give_up = is_late, give_up
        _thread.start_new_thread(self._run, ())

    def _run(self) -> None:
        self.started.wait()
        while not self.stopped.wait(0.5):
            if self.is_late():
                self.give_up()


def _function_of(frame: FrameType) -> FunctionType | None:
    """The function that this frame runs, where it is needed: it alone has the cells of what it captures."""
    code = frame.f_code
    if not code.co_freevars:
        return None
    gc = importlib.import_module("gc")
    found = [value for value in gc.get_referrers(code) if isinstance(value, FunctionType) and value.__code__ is code]
    held = frame.f_locals

    def is_mine(function: FunctionType) -> bool:
        pairs = zip(code.co_freevars, function.__closure__ or (), strict=True)
        return all(not is_bound(cell) or cell.cell_contents is held.get(name) for name, cell in pairs)

    return next(filter(is_mine, found), None)


def _qualnames(names: list[str]) -> frozenset[str]:
    return frozenset(name.rpartition(":")[2] for name in names)


def _unforeseen(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).splitlines()[0][:120] if str(error) else 'no message'}"


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Hides what is printed or warned of in the block."""
    stdout, stderr = contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO())
    with stdout, stderr, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
