"""Calls of the observed functions, and what they return."""

import dis
import inspect
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

from .called import Called
from .files import cell_of, real
from .memory import staged_bytes
from .samples import is_array
from .shadow_call import ShadowCall
from .unwatched import Unwatched
from .values import raised_output
from .watching import Watching

_MOST_ATTRIBUTES = 50
_PLAIN = (bool, int, float, complex)
_NO_CALLS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class Call:
    """A call under way; `traced` if jax traces it, `counts` of compiles and traces when it began."""

    def __init__(self, name: str, frame: FrameType, rewritten: bool, traced: bool, counts: tuple[int, int]) -> None:
        self.name, self.code, self.rewritten, self.traced, self.counts = name, frame.f_code, rewritten, traced, counts
        self.started = time.perf_counter()


class _Thread(threading.local):
    def __init__(self) -> None:
        self.silent = 0
        self.calls: list[Call] = []


class Calls:
    """Observes functions by file and qualified name (docs/decisions/0003)."""

    def __init__(self, probe: Watching, shadow_call: ShadowCall) -> None:
        self.shadow_call, self.followed = shadow_call, shadow_call.followed
        self.probe, self.settings, self.record = probe, probe.settings, probe.record
        self.wanted = {(real(file), qualname): name for file, qualname, name in self.settings.observe}
        self.named = [(endings(module), qualname, f"{module}:{qualname}") for module, qualname in self.settings.named]
        self.rewritten = set(self.wanted.values())
        self.qualnames = {qualname for _, qualname in self.wanted} | {qualname for _, qualname, _ in self.named}
        self.called = Called()
        self.unwatched = Unwatched(self._is_watched)
        self.followed.seen_in = self.unwatched.watch
        self.reset()

    def reset(self) -> None:
        self.thread = _Thread()
        self.called.forget()
        self.yields: dict[str, int] = {}

    def start(self) -> None:
        """From here on every call of an observed function is seen."""
        if not self.qualnames:
            return
        if sys.version_info >= (3, 12):
            monitoring, events = sys.monitoring, sys.monitoring.events
            tool = next((number for number in (4, 3, 2, 1) if monitoring.get_tool(number) is None), None)
            if tool is None:
                return  # others watch already, and nothing of ours is worth breaking them
            monitoring.use_tool_id(tool, "jaxfix")

            def starts(code: CodeType, _: int) -> Any:
                name = self._name(code)
                if self.followed.wants(code):
                    self._follow(sys._getframe(1))
                    if name is None:
                        return None
                if name is None:
                    return monitoring.DISABLE
                yielding = events.PY_YIELD if code.co_flags & inspect.CO_GENERATOR else 0
                monitoring.set_local_events(tool, code, events.PY_RETURN | yielding)
                return self._enter(name, sys._getframe(1))

            def returns(code: CodeType, _: int, value: Any) -> Any:
                return self._leave(code, value, False, sys._getframe(1))

            monitoring.register_callback(tool, events.PY_START, starts)
            monitoring.register_callback(tool, events.PY_RETURN, returns)
            monitoring.register_callback(tool, events.PY_YIELD, lambda code, _, value: self._yield(code, value))
            monitoring.register_callback(tool, events.PY_UNWIND, lambda code, _, error: self._leave(code, None, True))
            monitoring.set_events(tool, events.PY_START | events.PY_UNWIND)
        else:
            profile = self._profiler()
            threading.setprofile(profile)
            if not (self._is_enough_to_know_which() and self.called.start()):
                sys.setprofile(profile)

    def _is_enough_to_know_which(self) -> bool:
        """Whether neither arguments nor results of the calls are wanted."""
        return self.settings.calls is None and not self.settings.originals

    def note(self) -> None:
        """Writes down which functions were called, where that is not seen at each call."""
        self.record.functions.update(filter(None, map(self._name, self.called.codes())))

    @contextmanager
    def silenced(self) -> Iterator[None]:
        """Observes nothing that this thread calls in the block."""
        self.thread.silent += 1
        try:
            with nullcontext() if self.thread.silent > 1 else self.called.suspended():
                yield
        finally:
            self.thread.silent -= 1

    def _profiler(self) -> Callable[[FrameType, str, Any], None]:
        """A function that asks little of every call of the program: local variables, and no attribute of ours."""
        qualnames, followed = frozenset(self.qualnames), self.followed.qualnames
        # The globals of modules are gone when generators end with the interpreter.
        opname, generates = dis.opname, inspect.CO_GENERATOR
        unwatched, note, get, text = self.unwatched.files, self.unwatched.note, dict.get, str

        def profile(frame: FrameType, event: str, value: Any) -> None:
            if event != "call" and event != "return":
                return
            file = get(frame.f_globals, "__file__")
            if file.__class__ is text and file in unwatched:
                return
            code = frame.f_code  # each time that it is read is an event for those who audit
            if event == "call":
                note(file, code.co_filename)
                if code.co_qualname in followed and self.followed.wants(code):
                    self._follow(frame)
                if code.co_qualname in qualnames and (name := self._name(code)) is not None:
                    self._enter(name, frame)
            elif code.co_qualname in qualnames:
                if code.co_flags & generates:
                    if opname[code.co_code[frame.f_lasti]] == "YIELD_VALUE":
                        self._yield(code, value)
                    return
                # The profiler says `None` of a frame that an exception leaves: the instruction tells.
                raised = value is None and opname[code.co_code[frame.f_lasti]] != "RETURN_VALUE"
                self._leave(code, value, raised, frame)

        return profile

    def _follow(self, frame: FrameType) -> None:
        if not self.thread.silent and not frame.f_code.co_flags & _NO_CALLS:
            self.shadow_call.follow(frame)

    def _is_watched(self, file: str) -> bool:
        """Whether a function of that file may be."""
        known = {place for place, _ in (*self.wanted, *self.followed.siblings)}
        return file in known or any(file.endswith(ends) for ends, *_ in self.named)

    def _name(self, code: CodeType) -> str | None:
        if code.co_qualname not in self.qualnames:
            return None
        file = real(cell_of(code.co_filename)[0])
        asked = (name for ends, qualname, name in self.named if qualname == code.co_qualname and file.endswith(ends))
        return self.wanted.get((file, code.co_qualname)) or next(asked, None)

    def _enter(self, name: str, frame: FrameType) -> None:
        if self.thread.silent:
            return
        self.record.functions.add(name)
        if name in self.rewritten:
            self.shadow_call.saw(name, frame, is_tracing())
        if self.settings.calls is not None and not frame.f_code.co_flags & _NO_CALLS:
            counts = len(self.record.compiles), self.record.traces
            self.thread.calls.append(Call(name, frame, name in self.rewritten, is_tracing(), counts))

    def _leave(self, code: CodeType, value: Any, raised: bool, frame: FrameType | None = None) -> None:
        calls = self.thread.calls
        if self.thread.silent or not calls or calls[-1].code is not code:
            return
        call = calls.pop()
        if call.rewritten and not raised:
            self.shadow_call.returned(call.name, value)
        if call.traced:
            if call.rewritten and not raised:
                self._staged(call.name, value)
            return  # how often a function is traced is what a fix may change
        number = self.record.calls[call.name] = self.record.calls.get(call.name, 0) + 1
        if call.rewritten and not any(outer.rewritten for outer in calls):
            self.probe.step(*call.counts, time.perf_counter() - call.started)
        if number <= (self.settings.calls or 0):
            label = f"{os.path.basename(call.name)} call {number}"
            self.record.outputs.append(raised_output(label) if raised else self.probe.digest(label, value))
            if value is None and frame is not None and not raised and call.rewritten:
                self._variables(label, frame)

    def _staged(self, name: str, value: Any) -> None:
        found, known = staged_bytes(value), self.record.staged_bytes.get(name, 0)
        self.record.staged_bytes[name] = None if found is None or known is None else max(found, known)

    def _yield(self, code: CodeType, value: Any) -> None:
        """Records the yielded values of a generator, as results of a call; `None` also for a closed one."""
        if value is None or self.settings.calls is None or self.thread.silent or is_tracing():
            return
        name = self._name(code)
        if name is None:
            return
        number = self.yields[name] = self.yields.get(name, 0) + 1
        if number <= self.settings.calls:
            self.record.outputs.append(self.probe.digest(f"{os.path.basename(name)} yield {number}", value))

    def _variables(self, label: str, frame: FrameType) -> None:
        """The variables and attributes that a function without a result leaves behind: arrays, and Python numbers.

        A script says no more of what it computed, and a method no more than what it binds of its object.
        """
        if "jax" not in sys.modules:
            return
        flatten = sys.modules["jax"].tree_util.tree_leaves
        with self.probe.paused():
            for name, value in _with_attributes(dict(frame.f_locals)):
                try:
                    leaves = flatten(value)
                    if (leaves or value is None) and all(isinstance(leaf, _PLAIN) or is_array(leaf) for leaf in leaves):
                        self.record.outputs.append(self.probe.digest(f"{label} left `{name}`", value))
                except Exception:  # an odd container, or a buffer that was donated
                    continue


def _with_attributes(variables: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Variables and the attributes of plain objects among them, by name."""
    for name, value in sorted(variables.items()):
        if name.startswith("_"):
            continue
        yield name, value
        kind = type(value)  # not `isinstance`, which may ask the object
        is_plain = kind.__dictoffset__ and not issubclass(kind, (type, ModuleType, FunctionType))
        if is_plain and not kind.__module__.startswith(("jax", "numpy")):
            for attribute, held in sorted(object.__getattribute__(value, "__dict__").items())[:_MOST_ATTRIBUTES]:
                yield f"{name}.{attribute}", held


def endings(module: str) -> tuple[str, ...]:
    """How the file of `module` ends, also where it runs as `__main__`."""
    path = os.sep + module.replace(".", os.sep)
    return f"{path}.py", os.path.join(path, "__init__.py"), f"{path}.ipynb"


def is_tracing() -> bool:
    """Whether jax is tracing here and now."""
    core = sys.modules.get("jax._src.core")
    clean = getattr(core, "trace_state_clean", None)
    return clean is not None and not clean()
