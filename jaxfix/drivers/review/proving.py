"""A rerun in a process of its own: the server keeps answering, and what is cancelled ends as with Ctrl-C."""

import hashlib
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from multiprocessing.connection import Connection

from jaxfix.drivers.processes import leave_out_working_folder
from jaxfix.drivers.workflow.planning import Planned, Receipts
from jaxfix.drivers.workflow.proof import Rerun
from jaxfix.drivers.workflow.request import Leave, Request
from jaxfix.drivers.workflow.session import Session, opened, proven
from jaxfix.drivers.workflow.targets import find_targets
from jaxfix.drivers.workflow.trying import Proofs
from jaxfix.drivers.workflow.watching import Advance
from jaxfix.render.paint import plain
from jaxfix.render.receipts import receipt
from jaxfix.report.evidence import Evidence
from jaxfix.source.errors import EvidenceError, JaxfixError
from jaxfix.source.frozen import frozen

_PATIENCE_S = 15.0
"""How long a rerun may take to clear away its copies."""
Progressed = Callable[[str, str, int], None]
"""Hears of each step: what is done, the step, and how many there were; a note has no title."""


@frozen
class Ending:
    """How a rerun ended.

    Attributes:
      state: `done`, `cancelled` or `failed`.
      proofs: what was shown; by then, where the rerun did not come to its end.
      reason: why it failed; empty where it did not.
    """

    state: str
    proofs: Proofs
    reason: str = ""


Ended = Callable[[Ending], None]


class Proving:
    """One rerun."""

    def __init__(self, request: Request, session: Session, rerun: Rerun, progressed: Progressed) -> None:
        self._progressed = progressed
        leave_out_working_folder()
        context = multiprocessing.get_context("spawn")
        self._hears, says = context.Pipe(duplex=False)
        self._says = says
        self._process = context.Process(
            target=_work, args=(request, sources(session), rerun, says), name="jaxfix-proof"
        )
        self._listener: threading.Thread | None = None
        self._is_cancelled = False

    def start(self, ended: Ended) -> None:
        """Begins; `ended` is called once, in a thread of its own."""
        self._process.start()
        self._says.close()  # so that its end is heard
        self._listener = threading.Thread(target=self._listen, args=(ended,), name="jaxfix-proof")
        self._listener.start()

    def cancel(self) -> None:
        """Asks it to end, and makes it after a while."""
        self._is_cancelled = True
        threading.Thread(target=self._end, name="jaxfix-cancel", daemon=True).start()

    def join(self) -> None:
        if self._listener is not None:
            self._listener.join()

    def _end(self) -> None:
        pid = self._process.pid
        with suppress(OSError):
            if pid is not None and self._process.is_alive() and sys.platform != "win32":
                os.kill(pid, signal.SIGINT)
                self._process.join(_PATIENCE_S)
        if self._process.is_alive():
            self._process.terminate()
            self._process.join(_PATIENCE_S)
        if self._process.is_alive():
            self._process.kill()

    def _listen(self, ended: Ended) -> None:
        ending = Ending("failed", Proofs({}), "the process of the rerun died")
        try:
            while True:
                match self._hears.recv():
                    case ("progress", str(title), str(step), int(done)):
                        self._progressed(title, step, done)
                    case ("done", Proofs() as proofs):
                        ending = Ending("done", proofs)
                    case ("salvaged", Proofs() as proofs):
                        ending = replace(ending, proofs=proofs)
                    case ("failed", str(reason)):
                        ending = replace(ending, reason=reason)
        except (EOFError, OSError):
            pass
        self._hears.close()
        self._process.join()
        is_cancelled = self._is_cancelled and ending.state == "failed"
        ended(Ending("cancelled", ending.proofs) if is_cancelled else ending)


class _Watcher:
    """Tells the server, over the pipe."""

    def __init__(self, says: Connection) -> None:
        self._says = says

    @contextmanager
    def progress(self, title: str, total: int | None) -> Iterator[Advance]:
        done = 0

        def advance(step: str, *, share: float | None = None) -> None:
            nonlocal done
            done += 1
            self._says.send(("progress", title, step, done))

        self._says.send(("progress", title, "", 0))
        yield advance

    def note(self, message: str) -> None:
        self._says.send(("progress", "", message, 0))

    def judged(self, evidence: Evidence) -> None:
        self.note(receipt(evidence, plain).rstrip())

    def finish_first(self) -> None:
        """Nothing is written here."""


def sources(session: Session) -> Mapping[str, str]:
    """The sha256 of each source, by its path: what is known of them does not travel, and is read again."""
    return {t.source.path: hashlib.sha256(t.source.raw).hexdigest() for t in session.looked_at.targets}


def _work(request: Request, expected: Mapping[str, str], rerun: Rerun, says: Connection) -> None:
    signal.signal(signal.SIGINT, _interrupt)
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    watcher = _Watcher(says)

    def salvage(planned: Sequence[Planned], receipts: Receipts) -> None:
        says.send(("salvaged", Proofs(dict(receipts))))

    try:
        session = opened(find_targets(request), watcher)
        if sources(session) != expected:
            raise EvidenceError("files have changed since they were read", hint="look again")
        says.send(("done", proven(session, rerun, Leave(dirty=True, no_vcs=True), watcher, salvage)))
    except JaxfixError as error:
        says.send(("failed", str(error)))
    except KeyboardInterrupt:
        pass
    except Exception as error:
        says.send(("failed", f"a bug in jaxfix: {type(error).__name__}: {error}"))
    finally:
        says.close()


def _interrupt(number: int, frame: object) -> None:
    """Once: Ctrl-C at a terminal comes here and to the server, which asks for the end too."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt
