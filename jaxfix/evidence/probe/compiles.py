"""Counts what is compiled, and says where and why."""

import functools
import importlib
import logging
import os
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from .causes import Causes, signature
from .files import is_foreign, is_user
from .record import Record
from .settings import Settings, shown

COMPILE = "/jax/core/compile/backend_compile_duration"
LOWER = "/jax/core/compile/jaxpr_to_mlir_module_duration"
TRACE = "/jax/core/compile/jaxpr_trace_duration"
_LOGGERS = ("jax._src.interpreters.pxla", "jax._src.interpreters.partial_eval", "jax._src.pjit")
_NOWHERE = ("<unknown>", 0, "<unknown>")


class _Thread(threading.local):
    """What jax said on this thread since the last compile."""

    def __init__(self) -> None:
        self.silent = 0
        self.forget()

    def forget(self) -> None:
        self.seconds: dict[str, float] = {}
        self.misses: list[str] = []
        self.compiling: tuple[str, tuple[Any, ...]] | None = None


class Compiles:
    """Listens to the monitoring of jax and to its loggers, on the thread that compiles."""

    def __init__(self, settings: Settings, record: Record) -> None:
        self.settings, self.record = settings, record
        self.without: str | None = None
        self.reset()

    def reset(self) -> None:
        self.thread = _Thread()
        self.causes = Causes()

    def listen(self) -> None:
        """From here on every compile is recorded; jax has been imported."""
        jax = sys.modules["jax"]
        importlib.import_module("jax.monitoring").register_event_duration_secs_listener(self._timed)
        explained = bool(getattr(jax.config, "jax_explain_cache_misses", False))
        if self.settings.explain:
            jax.config.update("jax_explain_cache_misses", True)
        for name in _LOGGERS:
            logger = logging.getLogger(name)
            level = logger.level
            logger.addFilter(functools.partial(self._overheard, level=level, explained=explained))
            if name.endswith("pxla"):
                logger.setLevel(logging.DEBUG)

    @contextmanager
    def silenced(self) -> Iterator[None]:
        """Counts nothing that this thread compiles meanwhile."""
        self.thread.silent += 1
        try:
            yield
        finally:
            self.thread.silent -= 1
            self.thread.forget()

    def _timed(self, event: str, seconds: float, **said: Any) -> None:
        thread = self.thread
        if thread.silent:
            return
        if event == TRACE:
            self.record.traces += 1
        if event in (TRACE, LOWER):
            thread.seconds[event] = seconds
        if event != COMPILE:
            return
        total = seconds + sum(thread.seconds.values())
        self.record.compiles.append(self._compile(total, said.get("fun_name"), sys._getframe(1)))
        thread.forget()
        self.record.environment = self.record.environment or environment(self.without)

    def _compile(self, seconds: float, name: str | None, frame: FrameType | None) -> dict[str, Any]:
        logged, avals = self.thread.compiling or (name or "unknown", ())
        primitive: Any = None
        parameters: dict[str, Any] | None = None
        lines: list[tuple[str, int, str]] = []
        others: list[tuple[str, int, str]] = []
        while frame is not None:
            file, function = frame.f_code.co_filename, frame.f_code.co_qualname
            if function == "apply_primitive" and primitive is None:
                primitive, parameters = frame.f_locals.get("prim"), frame.f_locals.get("params")
            mine = is_user(file, self.settings.user)
            (lines if mine else others).append((self._shown(file), frame.f_lineno, function))
            frame = frame.f_back
        named = re.sub(r"^jit\((.*)\)$", r"\1", name or logged)
        program = primitive.name if primitive is not None else f"jit({named})"
        path, line, function = (lines or [entry for entry in others if is_foreign(entry[0])] or [_NOWHERE])[0]
        cause = self.causes.of((path, line, program), signature(avals), parameters, named, self.thread.misses)
        chain = [f"{file}:{number} in {where}" for file, number, where in lines]
        place = {"path": path, "line": line, "function": function, "chain": chain}
        said = None if cause is None else {"why": "unknown", "words": cause}
        return place | {"program": program, "cause": said, "seconds": seconds}

    def _shown(self, file: str) -> str:
        if file.startswith("<"):
            return file
        return shown(os.path.abspath(file), self.settings)

    def _overheard(self, record: logging.LogRecord, *, level: int, explained: bool) -> bool:
        """Keeps what the log says of a compile, and passes on what the user would have seen without us."""
        text = str(record.msg)
        if text.startswith("Compiling %s with global shapes") and isinstance(record.args, tuple):
            avals = record.args[1] if isinstance(record.args[1], tuple | list) else ()
            self.thread.compiling = (str(record.args[0]), tuple(avals))
        if text.startswith("TRACING CACHE MISS"):
            self.thread.misses.append(text)
            return explained
        if record.levelno > logging.DEBUG:
            return True
        parent = logging.getLogger("jax").getEffectiveLevel()
        return record.levelno >= (level or parent)


def environment(without: str | None = None) -> dict[str, str]:
    """Where this process computes, and without what; asks for the devices, so only once a backend is up."""
    jax, jaxlib = importlib.import_module("jax"), importlib.import_module("jaxlib")
    device = jax.local_devices()[0]
    python = ".".join(map(str, sys.version_info[:3]))
    versions = {"python": python, "jax": jax.__version__, "jaxlib": jaxlib.__version__}
    kind = f"{device.device_kind} without {without}" if without and device.platform == "cpu" else device.device_kind
    return versions | {"device": kind, "platform": device.platform}
