"""Counts what is compiled, and says where and why."""

import importlib
import os
import re
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any, NamedTuple

from .advice import advised
from .causes import Causes, Key
from .devices import count
from .files import add_line, is_foreign, is_user
from .lines import NOWHERE, Line, Lines
from .noted import LEAST, constant_bytes, lowered, noted, state
from .program_size import program_size
from .record import Record
from .settings import Settings
from .signatures import Call, Eager, Objects, Reader, Signature, call_in, functions_in
from .steps import Steps
from .unrolled import unrolled

COMPILE = "/jax/core/compile/backend_compile_duration"
LOWER = "/jax/core/compile/jaxpr_to_mlir_module_duration"
TRACE = "/jax/core/compile/jaxpr_trace_duration"
CACHE_HIT = "/jax/compilation_cache/cache_hits"

# where jax passes a program to XLA; the second one compiled `pmap` until it became a jit
_COMPILING = ("UnloadedMeshExecutable.from_hlo", "UnloadedPmapExecutable.from_hlo")


class _Thread(threading.local):
    """What jax said on this thread since the last compile."""

    def __init__(self) -> None:
        self.silent = 0
        self.forget()

    def forget(self) -> None:
        self.seconds: dict[str, float] = {}
        self.cached = False
        self.lowered: Any = None


class Stack(NamedTuple):
    """Where jax compiles: the user's frames from the inside out, and what jax was called for."""

    frames: list[FrameType]
    foreign: FrameType | None
    call: Call | None
    eager: Eager | None
    name: str
    avals: tuple[Any, ...]


class Compiles:
    """Listens to the monitoring of jax, on the thread that compiles."""

    def __init__(
        self, settings: Settings, record: Record, steps: Steps, told: Callable[[], None] = lambda: None
    ) -> None:
        self.settings, self.record, self.steps, self.told = settings, record, steps, told
        self.settled: dict[str, str] = {}
        self.is_on = True
        self.lines = Lines(settings)
        self.reset()

    def reset(self) -> None:
        self.thread = _Thread()
        self.causes = Causes()
        self.objects = Objects()
        self.reader = Reader(self.settings.user)

    def listen(self) -> None:
        """From here on every compile is recorded; jax has been imported."""
        monitoring = importlib.import_module("jax.monitoring")
        monitoring.register_event_duration_secs_listener(self._timed)
        monitoring.register_event_listener(self._happened)

    def is_listening(self) -> bool:
        """Whether jax still tells of compiles, or would not say: a program may have cleared its listeners."""
        monitoring = sys.modules.get("jax._src.monitoring")
        heard = getattr(monitoring, "get_event_duration_listeners", None)
        return heard is None or self._timed in heard()

    @contextmanager
    def silenced(self) -> Iterator[None]:
        """Counts nothing that this thread compiles in the block."""
        self.thread.silent += 1
        try:
            yield
        finally:
            self.thread.silent -= 1
            self.thread.forget()

    def _happened(self, event: str, **_: Any) -> None:
        if event == CACHE_HIT:
            self.thread.cached = True

    def _timed(self, event: str, seconds: float, **said: Any) -> None:
        thread = self.thread
        if thread.silent or not self.is_on:
            return
        if event == TRACE:
            self.record.traces += 1
        if event in (TRACE, LOWER):
            thread.seconds[event] = seconds
        if event == LOWER and (self.settings.spending or self.settings.sizes):
            thread.lowered = lowered(sys._getframe(1))
        if event != COMPILE:
            return
        parts = {"tracing_s": thread.seconds.get(TRACE, 0.0), "lowering_s": thread.seconds.get(LOWER, 0.0)}
        parts |= {"compiling_s": seconds}
        sizes = program_size(sys._getframe(1)) if self.settings.sizes else {}
        entry = {**sizes, "seconds": sum(parts.values()), "at_s": self.record.age(), "cached": thread.cached, **parts}
        if self.settings.sizes and thread.lowered is not None:
            entry["constant_bytes"] = constant_bytes(thread.lowered)
        with self.silenced():
            self._compiled(entry, said.get("fun_name"))

    def _compiled(self, entry: dict[str, Any], said: str | None) -> None:
        stack = self._stack(sys._getframe(2))
        name = re.sub(r"^jit\((.*)\)$", r"\1", said or stack.name)
        program = stack.eager.name if stack.eager is not None else f"jit({name})"
        chain = [self.lines.running(frame) for frame in stack.frames]
        where = chain[0] if chain else self._elsewhere(stack)
        place = {"path": where.path, "line": where.line, "function": where.function, "cell": where.cell}
        entry |= {**place, "chain": [str(line) for line in chain], "program": program}
        code = self._users(stack) if stack.eager is None else None
        if code is not None and stack.call is not None:
            entry |= {"of": str(self.lines.definition(code)), "instance": self.objects.name(stack.call.function)}
        entry["cause"] = self._cause(stack, where, program, code)
        entry["noted"] = [*self._noted(stack), *self._state(code)]
        self.record.compiles.append(entry)
        self.record.environment = self.record.environment or environment(self.settled)
        self.record.devices = self.record.devices or count()
        self.steps.compiled(entry, stack.frames, entry["seconds"])
        self.told()
        if self.settings.explain:  # a program that takes all memory is killed, and shall have told this much
            add_line(so_far(self.settings.results), entry)

    def _elsewhere(self, stack: Stack) -> Line:
        """Where no line of the user's asked for it: the user's function that is compiled, or a library's line."""
        code = self._users(stack)
        if code is not None:
            return self.lines.definition(code)
        return NOWHERE if stack.foreign is None else self.lines.running(stack.foreign)

    def _users(self, stack: Stack) -> CodeType | None:
        """The code of the function that is compiled, if that is the user's."""
        code = stack.call.code if stack.call is not None else None
        return code if code is not None and is_user(code.co_filename, self.settings.user) else None

    def _noted(self, stack: Stack) -> list[dict[str, Any]]:
        """What the program holds; never an error, whatever another version of jax keeps where."""
        function, program, user = getattr(stack.call, "function", None), self.thread.lowered, self.settings.user
        try:
            if program is None:
                return []
            told = noted(program, function, self.lines, user) + advised(program, self.lines, user)
            return told + unrolled(program, self.lines, user)
        except Exception:
            return []

    def _state(self, code: CodeType | None) -> list[dict[str, Any]]:
        """What a function of the user's returns in the place of what it takes, where that is large; never an error."""
        try:
            size = state(self.thread.lowered) if code is not None and self.thread.lowered is not None else 0
        except Exception:  # a type without a size
            return []
        if code is None or size < LEAST:
            return []
        place = self.lines.definition(code)._asdict()
        return [{"note": "state", **place, "what": f"{size / 1e6:.1f} MB", "bytes": size}]

    def _cause(self, stack: Stack, where: Line, program: str, code: CodeType | None) -> dict[str, Any]:
        """Why it compiled; never an error, whatever jax or the user's objects answer."""
        keys: list[Key] = [(*where[:3], program)]
        try:
            signature = self._signature(stack)
        except Exception:  # what a pytree, a hash or another version of jax raises is not the program's to see
            signature = self.reader.of_types(stack.avals)
        if code is not None:
            keys.append(("function", code.co_filename, code.co_firstlineno, code.co_qualname))
        return self.causes.of(keys, signature, program)

    def _signature(self, stack: Stack) -> Signature:
        if stack.eager is not None:
            return self.reader.of_eager(stack.eager)
        return (
            self.reader.of_call(stack.call, stack.avals)
            if stack.call is not None
            else self.reader.of_types(stack.avals)
        )

    def _stack(self, frame: FrameType | None) -> Stack:
        frames: list[FrameType] = []
        foreign: FrameType | None = None
        call: Call | None = None
        primitive: dict[str, Any] | None = None
        functions: list[Any] = []
        name: str = "unknown"
        avals: tuple[Any, ...] = ()
        while frame is not None:
            code = frame.f_code
            if is_user(code.co_filename, self.settings.user):
                frames.append(frame)
            elif not frames:
                if foreign is None and is_foreign(code.co_filename):
                    foreign = frame
                if code.co_qualname in _COMPILING:
                    name, avals = _named(frame.f_locals)
                elif call is None:
                    call = call_in(frame)
                elif code.co_name == "apply_primitive" and primitive is None:
                    primitive = frame.f_locals
                elif primitive is not None and foreign is None:
                    functions += functions_in(frame, self.settings.user)
            frame = frame.f_back
        return Stack(frames, foreign, call, _eager(primitive, functions), name, avals)


def _named(values: dict[str, Any]) -> tuple[str, tuple[Any, ...]]:
    """The name and the argument types of the program that is compiled, where jax keeps them."""
    pmapped = values.get("pci")
    if pmapped is not None:
        return str(getattr(pmapped, "name", "unknown")), tuple(getattr(pmapped, "avals", None) or ())
    return str(values.get("name", "unknown")), tuple(values.get("global_in_avals") or ())


def _eager(values: dict[str, Any] | None, functions: list[Any]) -> Eager | None:
    name = getattr((values or {}).get("prim"), "name", None)
    if values is None or name is None:
        return None
    once = {id(function): function for function in functions}
    return Eager(str(name), dict(values.get("params") or {}), tuple(values.get("args") or ()), tuple(once.values()))


def so_far(results: str) -> str:
    """The file with what this process has compiled until now, a line for each."""
    return os.path.join(results, f"{os.getpid()}-so-far.json")


def environment(settled: Mapping[str, str]) -> dict[str, str]:
    """Where this process computes, and what is settled there; asks for the devices, so only once a backend is up."""
    jax, jaxlib = importlib.import_module("jax"), importlib.import_module("jaxlib")
    device = jax.local_devices()[0]
    python = ".".join(map(str, sys.version_info[:3]))
    versions = {"python": python, "jax": jax.__version__, "jaxlib": jaxlib.__version__}
    kind = ", ".join(filter(None, (device.device_kind, settled.get(device.platform))))
    return versions | {"device": kind, "platform": device.platform, "interpreter": sys.executable}
