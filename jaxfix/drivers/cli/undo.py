"""`jaxfix undo`: puts back what the last apply has changed."""

from pathlib import Path

from jaxfix.drivers import files, journal
from jaxfix.drivers.cli import outcome, terminal
from jaxfix.drivers.cli.options.records import Undo
from jaxfix.render.paint import counted, printable
from jaxfix.source.errors import WriteError


def undo(options: Undo) -> int:
    """Undoes the last apply of the project that jaxfix is run in, or lists them all."""
    if options.lists:
        return list_entries()
    root = _root()
    terminal.finish_first()
    entry = journal.undo(root)
    terminal.tell(
        f"restored {counted(len(entry.lines), 'file')} as before apply {entry.number} ({printable(entry.command)})\n"
    )
    return outcome.CLEAN


def list_entries() -> int:
    """Prints every apply, the newest first."""
    root = _root()
    for entry, undone in journal.entries(root):
        state = "undone " if undone else "applied"
        paths = ", ".join(files.shown(root / line.path) for line in entry.lines)
        told = printable(f"{entry.number:4}  {state}  {entry.when}  {entry.command}  {paths}")
        terminal.give(f"{told}\n".encode(errors="surrogateescape"))
    return outcome.CLEAN


def _root() -> Path:
    root = journal.root_above(Path.cwd())
    if root is None:
        journal.tidy(Path.cwd())
        raise WriteError("nothing to undo: no apply has written in this folder or above it")
    return root
