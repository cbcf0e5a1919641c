"""The process that proves fixes of one file: a task as JSON on stdin; lines of JSON on stdout tell how it goes.

It reruns the user's program in copies of the project, and writes nothing to the project itself.
"""

import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from jaxfix.drivers import files
from jaxfix.drivers.lsp.task import Task
from jaxfix.drivers.workflow import consent
from jaxfix.drivers.workflow.agenda import agenda
from jaxfix.drivers.workflow.consent import Asker, Consent, Mode
from jaxfix.drivers.workflow.generating import needed
from jaxfix.drivers.workflow.planning import HINT, LEFT_OUT, plans
from jaxfix.drivers.workflow.proof import Rerun
from jaxfix.drivers.workflow.request import Request, Wish
from jaxfix.drivers.workflow.session import opened, tried
from jaxfix.drivers.workflow.targets import find_targets
from jaxfix.drivers.workflow.watching import Advance
from jaxfix.engine.plan import Accept
from jaxfix.evidence.target import Local
from jaxfix.render.receipts import told
from jaxfix.report.evidence import Evidence
from jaxfix.report.finding import Fix, Safety
from jaxfix.report.reason import Reason
from jaxfix.report.wire import from_json
from jaxfix.source.errors import ConfigError, JaxfixError
from jaxfix.source.timeouts import Ended


class Teller:
    """A watcher whose words travel as lines of JSON."""

    def __init__(self, sink: int) -> None:
        self._sink = sink

    def tell(self, **said: object) -> None:
        os.write(self._sink, (json.dumps(said) + "\n").encode())

    @contextmanager
    def progress(self, title: str, total: int | None) -> Iterator[Advance]:
        done = 0

        def advance(name: str, *, share: float | None = None) -> None:
            nonlocal done
            done += 1
            if title != "looking":  # of every file of the project
                self.tell(progress=f"{title}: {name}", done=done, total=total)

        yield advance

    def note(self, message: str) -> None:
        self.tell(progress=message)

    def judged(self, evidence: Evidence) -> None:
        self.note(f"{evidence.verdict.value}: {told(evidence)}")

    def finish_first(self) -> None:
        return


def proven(task: Task, teller: Teller) -> tuple[Evidence, ...]:
    """The receipts of the fixes.

    Raises:
      JaxfixError: nothing can be proven, and why.
    """
    looked_at = find_targets(Request((task.root,), task.select, task.ignore, python=task.python))
    session = opened(looked_at, teller)
    own = [target for target in session.fixable if target.path is not None and _is(target.path, task.path)]
    if not own:
        raise ConfigError(f"{task.path}: nothing in it can be fixed")
    # Without a program optimizers are driven: to that, too, a person has agreed.
    agreed = Wish(run=task.command) if task.command is not None else Wish(prove=True)
    shown = agenda(own, task.command, task.python or Local.interpreter)
    asker = Asker.EDITOR if task.command is not None else Asker.COMMAND
    allowed = consent.decide(agreed, shown, None, session.waiting, asker, attended=True)
    assert isinstance(allowed, Consent) and allowed.mode is Mode.RERUN
    found = plans(own, lambda target: _wanted(task.key))
    if found.bugs:
        raise ConfigError(found.bugs[0])
    if not found.changed:
        raise ConfigError(f"{task.path}: the fix no longer applies")
    needed(found.changed)
    rerun = Rerun(allowed.command, task.python, task.timeout_s)
    proofs = tried(found.changed, session.found.diagnostics, rerun, teller)
    for error in proofs.errors:
        teller.tell(problem=error)
    return tuple(proofs.receipts.values())


def _is(path: Path, named: str) -> bool:
    return files.resolved(path) == files.resolved(Path(named))


def _wanted(key: str | None) -> Accept:
    def accept(fix: Fix) -> Reason | None:
        if fix.safety is Safety.DISPLAY_ONLY:
            return HINT
        return None if key in (None, fix.key) else LEFT_OUT

    return accept


def _end(number: int, frame: object) -> None:
    """As by Ctrl-C: left to itself, Python would die at once, and the rerun live on."""
    raise Ended(128 + number)


def main() -> int:
    """Proves what stdin asks for; the last line on stdout has the receipts."""
    sink = os.dup(1)
    os.dup2(2, 1)
    signal.signal(signal.SIGTERM, _end)
    teller = Teller(sink)
    try:
        task = from_json(Task, json.loads(sys.stdin.buffer.read()))
        receipts = proven(task, teller)
    except JaxfixError as error:
        teller.tell(problem=str(error))
        return 1
    teller.tell(
        receipts=[
            {"key": entry.key, "verdict": entry.verdict.value, "told": told(entry), "sha256": entry.source_sha256}
            for entry in receipts
        ]
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
