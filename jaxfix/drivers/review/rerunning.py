"""The rerun of a review: how far it is, and how it ends."""

import threading
import time
from collections.abc import Callable
from dataclasses import field, replace

from jaxfix.drivers.review.proving import Ending, Proving
from jaxfix.drivers.workflow.proof import Rerun
from jaxfix.drivers.workflow.request import Request
from jaxfix.drivers.workflow.session import Session
from jaxfix.drivers.workflow.trying import Proofs
from jaxfix.render.paint import counted
from jaxfix.report.evidence import Verdict
from jaxfix.source.frozen import frozen


@frozen
class Run:
    """A rerun and how far it is."""

    state: str = "idle"
    title: str = ""
    step: str = ""
    done: int = 0
    log: tuple[str, ...] = ()
    message: str = ""
    begun: float = field(default_factory=time.monotonic)


class Rerunning:
    """At most one rerun at a time, which reports from its own threads.

    Args:
      lock: held while anything changes.
      shown: told what a rerun has shown at its end, also one that was ended early.
      changed: told after each change.
    """

    def __init__(self, lock: threading.RLock, shown: Callable[[Proofs], None], changed: Callable[[], None]) -> None:
        self._lock, self._shown, self._changed = lock, shown, changed
        self._proving: Proving | None = None
        self.run = Run()

    @property
    def is_running(self) -> bool:
        return self.run.state in ("running", "cancelling")

    def start(self, request: Request, session: Session, rerun: Rerun) -> None:
        """Begins; nothing else may be running."""
        proving = Proving(request, session, rerun, self._progressed)
        proving.start(self.ended)
        self._proving, self.run = proving, Run("running")
        self._changed()

    def cancel(self) -> None:
        """Ends the rerun, if there is one."""
        with self._lock:
            if self._proving is not None and self.run.state == "running":
                self.run = replace(self.run, state="cancelling")
                self._proving.cancel()
                self._changed()

    def close(self) -> None:
        """Ends the rerun, and waits for that."""
        self.cancel()
        proving = self._proving
        if proving is not None:
            proving.join()

    def ended(self, ending: Ending) -> None:
        """What has run is over."""
        with self._lock:
            self._proving = None
            self.run = replace(self.run, state=ending.state, message=_summary(ending))
            if ending.state == "done" or ending.proofs.receipts:
                self._shown(ending.proofs)
            self._changed()

    def _progressed(self, title: str, step: str, done: int) -> None:
        with self._lock:
            if title:
                self.run = replace(self.run, title=title, step=step, done=done)
            else:
                self.run = replace(self.run, log=(*self.run.log, step)[-50:])
            self._changed()


def _summary(ending: Ending) -> str:
    verdicts = [receipt.verdict for receipt in ending.proofs.receipts.values()]
    shown = f"{counted(len(verdicts), 'fix')} tried, {sum(verdict is Verdict.PROVEN for verdict in verdicts)} proven"
    if ending.state == "done":
        return shown
    end = "the rerun was cancelled" if ending.state == "cancelled" else ending.reason
    return f"{end}; by then {shown}, and that is kept" if verdicts else end
