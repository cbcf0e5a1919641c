"""The moment of writing: checked, journalled, all or nothing."""

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from jaxfix.drivers import files, journal, vcs
from jaxfix.drivers.files import Replacement
from jaxfix.drivers.workflow.generating import Needed
from jaxfix.drivers.workflow.planning import Planned
from jaxfix.drivers.workflow.request import Leave
from jaxfix.drivers.workflow.watching import Watcher
from jaxfix.source.frozen import frozen


def refuse_unsaved(planned: Sequence[Planned], generated: Sequence[Needed], leave: Leave) -> None:
    """Raises WriteError if version control could not bring back what is there now."""
    paths = [entry.target.path for entry in planned if entry.target.path is not None]
    paths += [entry.place for entry in generated if entry.generated.before is not None]
    if paths:
        vcs.refuse_unsaved(paths, allow_dirty=leave.dirty, allow_no_vcs=leave.no_vcs)


@frozen
class Mark:
    """What undoes a write: its number in the journal of `root`."""

    root: Path
    number: int


def write(planned: Sequence[Planned], generated: Sequence[Needed], leave: Leave, watcher: Watcher) -> Mark | None:
    """Writes the patches of the user's own files, and the helper files that they need; None if there are none.

    Raises:
      WriteError: nothing was written.
    """
    refuse_unsaved(planned, generated, leave)
    patched = [
        Replacement(entry.target.path, entry.patch.before, entry.patch.after)
        for entry in planned
        if entry.target.path is not None
    ]
    # first, so that no source ever imports what is not there
    return write_journalled([*(entry.replacement for entry in generated), *patched], watcher)


def write_journalled(replacements: Sequence[Replacement], watcher: Watcher) -> Mark | None:
    """Writes all of `replacements` after the journal has them; None if there are none.

    Raises:
      WriteError: nothing was written.
    """
    if not replacements:
        return None
    files.refuse_changed(replacements)
    watcher.finish_first()
    root = journal.root_for([entry.path for entry in replacements])
    entry = journal.write(root, shlex.join(["jaxfix", *sys.argv[1:]]), replacements)
    return Mark(root, entry.number)
