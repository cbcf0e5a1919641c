"""The probe of one process: starts and ends, and joins what watches."""

import _thread
import atexit
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from . import process
from .arrival import unprofiled, when_imported
from .calls import Calls
from .compiles import Compiles, so_far
from .devices import is_one_for_all
from .drawn import Drawn
from .files import real, write_json
from .keys import check_keys
from .left import Left
from .memory import device_peak_bytes, peak_bytes, rss_bytes
from .messages import Messages
from .orphans import end_with
from .progress import Progress
from .reads import Reads
from .record import Record
from .settings import Settings, shown
from .shadow_call import ShadowCall
from .sources import Sources
from .steps import Steps
from .surroundings import Surroundings
from .time_spent import TimeSpent
from .values import Values


class Probe:
    """Watches one process as `settings` ask."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.record = Record()
        self.values = Values(settings, self.record)
        self.steps = Steps(settings, self.record, lambda path: shown(path, settings))
        self.progress = Progress(settings)
        self.compiles = Compiles(settings, self.record, self.steps, self._tell)
        self.shadow_call = ShadowCall(self)
        self.calls = Calls(self, self.shadow_call)
        self.time_spent = TimeSpent(settings, self._is_silent)
        self.sources = Sources(settings, self.record)
        self.messages = Messages(settings.user, lambda: self.calls.thread.silent > 0)
        self.surroundings = Surroundings(settings.user, lambda: self.calls.thread.silent > 0)
        self.drawn = Drawn()
        self.attached = False
        self.looked = False
        self.silent = False
        self.hurried = False

    def start(self) -> None:
        """Hooks into the interpreter; jax is hooked into when the program imports it."""
        if self.settings.parent is not None:
            end_with(self.settings.parent)
        self.sources.start()
        if self.settings.reads:
            Reads(self.settings, self.record).start()
        atexit.register(self.write)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forked)
        if "--multiprocessing-fork" in sys.orig_argv:
            self._write_before_termination()
        self.calls.start()
        self.steps.start()
        if self.settings.effects:
            self.messages.start()
            self.drawn.start()
        if self.settings.originals:
            self.surroundings.start()
        when_imported("jax", self.attach, self.drawn.jax_begins)

    def attach(self) -> None:
        """Listens to jax, which has just been imported."""
        if self.attached:
            return
        self.attached = self.record.has_jax = True
        self.drawn.jax_arrived()
        if not self.settings.cache:
            sys.modules["jax"].config.update("jax_enable_compilation_cache", False)
        if self.settings.checks_keys:
            check_keys()
        process.jax_arrived()
        self.compiles.listen()
        if self.settings.keeps:
            self.shadow_call.compiled.keep()
        if self.settings.spending:
            self.time_spent.start()
        atexit.register(self.shadow_call.finish)
        atexit.register(self._look_around)
        atexit.register(self._ask_devices)  # before jax, which has registered its own, takes the backends down

    def reset(self) -> None:
        """Forgets what happened in this process so far."""
        self.record.reset()
        self.compiles.reset()
        self.calls.reset()
        self.shadow_call.reset()
        self.steps.reset()
        self.time_spent.reset()
        self.messages.reset()
        self.drawn.reset()

    def write(self) -> None:
        """Writes the record of this process, once and whole."""
        if self.silent:
            return
        self._finish()
        self._look_around()
        self.shadow_call.finish()
        self._write()

    def _write(self) -> None:
        if self.hurried and threading.current_thread() is threading.main_thread():
            # before `silent`, by which a signal would end this: a pool sends one at its end, and its process another
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        self.silent = True
        record = self.record.as_json() | {"pid": os.getpid(), "argv": sys.argv, "started": self.record.started}
        write_json(os.path.join(self.settings.results, f"{os.getpid()}-{time.time_ns()}.json"), record)
        with suppress(FileNotFoundError):
            os.unlink(so_far(self.settings.results))

    def _finish(self) -> None:
        self.record.end()
        self.steps.finish()
        if self.settings.spending and self.attached:
            self.record.spent = self.time_spent.finished(self.steps.is_step)

    def _ask_devices(self) -> None:
        if self.silent:
            return
        self._finish()
        if self.record.environment is not None:
            self.record.device_peak_bytes = device_peak_bytes()
            self.record.has_one_device = is_one_for_all(self.settings.user, self.settings.sources)

    def _look_around(self) -> None:
        """Notes once the state that the program leaves, before anything of ours changes it."""
        if self.looked or self.silent or not self.settings.effects or not self.attached:
            return
        self.looked = True
        self.shadow_call.compiled.end()
        self.record.peak_bytes = peak_bytes()
        self.note_effects()

    def note_effects(self) -> None:
        """Notes what was logged and warned of until now, and what the modules of the user's hold."""
        self.record.logged, self.record.warned = list(self.messages.logged), list(self.messages.warned)
        scripts = frozenset(real(file) for file, qualname, _ in self.settings.observe if qualname == "<module>")
        with self.paused(), unprofiled():
            self.record.left += list(Left(self.values, self.settings.user, scripts, self.drawn).outputs())

    @contextmanager
    def uncounted(self) -> Iterator[None]:
        """Counts nothing that this thread compiles in the block."""
        with self.compiles.silenced():
            yield

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Neither counts nor observes this thread in the block, and counts its time as our own."""
        is_outermost = not self.calls.thread.silent and threading.current_thread() is threading.main_thread()
        began = time.perf_counter()
        try:
            with self.calls.silenced(), self.compiles.silenced():
                yield
        finally:
            if is_outermost:
                self.record.aside_s += time.perf_counter() - began

    def step(self, compiles: int, traces: int, seconds: float) -> None:
        """Records a step that began when the counts were `compiles` and `traces`."""
        record = self.record
        counts = {"compiles": len(record.compiles) - compiles, "traces": record.traces - traces}
        live = self.steps.live.count() if self.settings.effects and record.environment is not None else None
        record.steps.append(counts | {"rss_bytes": rss_bytes(), "seconds": seconds, "live_arrays": live})
        for entry in record.compiles[compiles:]:
            entry["step"] = len(record.steps)
        self._tell()
        if self.settings.stop_after is not None and len(record.steps) == self.settings.stop_after:
            record.stopped = f"after {len(record.steps)} steps"
            _thread.interrupt_main()

    def _is_silent(self) -> bool:
        """Whether what this thread does is not the program's; asked when jax works outside of compiled functions."""
        self.steps.hook.resume()
        return self.compiles.thread.silent > 0

    def _tell(self) -> None:
        self.progress.tell(steps=len(self.record.steps), compiles=len(self.record.compiles))

    def digest(self, label: str, value: Any) -> dict[str, Any]:
        """What `value` is, as an `Output`; counts nothing, and keeps nothing of it alive."""
        self._wait_for(value)
        with self.paused():
            return self.values.output(label, value, self.attached)

    def _wait_for(self, value: Any) -> None:
        """Waits until the device is done with a value: the program would only have spent that time later."""
        if not self.settings.spending or not self.attached or self.record.seconds is not None:
            return
        jax = sys.modules["jax"]
        with suppress(Exception), self.compiles.silenced():  # a buffer that was donated
            jax.block_until_ready([leaf for leaf in jax.tree_util.tree_leaves(value) if isinstance(leaf, jax.Array)])

    def _forked(self) -> None:
        self.reset()
        self.looked = True  # what is on devices cannot be read in a child
        util = sys.modules.get("multiprocessing.util")
        if util is not None:
            # A child of multiprocessing ends by `os._exit`; only its own finalizers run.
            util.register_after_fork(self, lambda probe: util.Finalize(None, probe.write, exitpriority=-100))
            self._write_before_termination()

    def _write_before_termination(self) -> None:
        """A pool ends its workers by a signal as soon as it has their results."""
        if threading.current_thread() is not threading.main_thread():
            return
        if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, self._terminated)
            self.hurried = True

    def _terminated(self, number: int, frame: object) -> None:
        if not self.silent:
            self._write()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
