"""`jaxfix report`: the page of a review as one file, to be read and not decided."""

from dataclasses import replace

from jaxfix.drivers.review import document
from jaxfix.drivers.review.look import Look, Wishes, informed
from jaxfix.drivers.workflow import decisions, recording
from jaxfix.drivers.workflow.request import Leave
from jaxfix.drivers.workflow.salvaging import salvaging
from jaxfix.drivers.workflow.session import proven
from jaxfix.drivers.workflow.trying import Proofs
from jaxfix.drivers.workflow.watching import Watcher
from jaxfix.render import review_page


def report(seen: Look, wishes: Wishes, watcher: Watcher, *, prove: bool) -> str:
    """The page of what was seen.

    Args:
      prove: whether the code may be rerun for it.

    Raises:
      UserError: it cannot be rerun.
    """
    proofs = Proofs({})
    command = seen.agenda.command if seen.agenda is not None else None
    rerun = replace(wishes.rerun, command=command)
    if prove and seen.agenda is not None:
        salvage = salvaging(rerun, watcher)
        proofs = proven(seen.session, rerun, Leave(dirty=True, no_vcs=True), watcher, salvage)
        seen = informed(seen, proofs.receipts)
        seen = replace(seen, problems=(*seen.problems, *proofs.errors))
        recording.keep(seen.session.candidates().planned, proofs.receipts, {}, rerun, watcher)
    memory = decisions.memory(seen.session)
    late = [entry.diagnostic for entry in seen.found if entry.needs]
    decided = decisions.recalled(memory, seen.session, late)
    if memory.problem is not None:
        seen = replace(seen, problems=(*seen.problems, memory.problem))
    made = document.document(seen, decided, proofs.together, rerun, "report")
    return review_page.report({**made, "agenda": None})
