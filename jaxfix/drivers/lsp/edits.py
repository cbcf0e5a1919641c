"""Fixes as edits of the client's texts."""

from collections.abc import Iterator, Sequence

from lsprotocol import types

from jaxfix.drivers import files
from jaxfix.drivers.lsp.buffers import Buffer, by_lines
from jaxfix.drivers.workflow.generating import Needed, needed
from jaxfix.drivers.workflow.planning import LEFT_OUT, Planned
from jaxfix.drivers.workflow.targets import Target
from jaxfix.engine.choice import Chosen
from jaxfix.engine.plan import Accept, patched
from jaxfix.report.finding import Fix
from jaxfix.report.reason import Code, Reason
from jaxfix.source.edits import Edit, Span, apply_edits
from jaxfix.source.errors import JaxfixError, SourceError, WriteError
from jaxfix.source.frozen import frozen
from jaxfix.source.source_file import SourceFile


@frozen
class Change:
    """What becomes of a buffer, and of the helper files beside it."""

    edits: tuple[Edit, ...]
    generated: tuple[Needed, ...] = ()


def one(key: str) -> Accept:
    """Takes the fix of this key alone."""
    return lambda fix: None if fix.key == key else LEFT_OUT


def safe(fix: Fix) -> Reason | None:
    """Takes what cannot be wrong."""
    return None if fix.is_safe else Reason(Code.NO_EVIDENCE, "needs a rerun")


def change(target: Target, accept: Accept) -> Change:
    """What the fixes of the target that `accept` takes change, as the command line would make them.

    Raises:
      JaxfixError: a fix cannot be made, and why.
    """
    patch, after = patched(target.source, target.codemods, accept, target.surroundings)
    if not patch.applied:
        held = next((held for held in patch.held if accept(held.fix) is None), None)
        raise SourceError(target.source.path, held.reason.text if held is not None else "nothing is left to fix")
    generated = tuple(entry for entry in needed([Planned(target, patch)]) if entry.is_change)
    if any(entry.generated.before is not None and entry.module is not None for entry in generated):
        raise WriteError(f"{target.source.path}: installed packages are not written")
    return Change(_edits(target.source, patch.applied, after), generated)


def workspace_edit(buffer: Buffer, made: Change, client: types.ClientCapabilities) -> types.WorkspaceEdit:
    """The change as the client takes it; it never applies to another version of the text.

    Raises:
      JaxfixError: the client cannot do what the change needs.
    """
    edits = buffer.text_edits(made.edits)
    edit = client.workspace.workspace_edit if client.workspace is not None else None
    if edit is None or not edit.document_changes:
        if made.generated:
            raise WriteError("the editor cannot create the helper file that the fix needs")
        return types.WorkspaceEdit(changes=edits)
    creates = edit.resource_operations or ()
    if any(entry.generated.before is None for entry in made.generated) and _CREATE not in creates:
        raise WriteError("the editor cannot create the helper file that the fix needs")
    versions = {piece.uri: piece.version for piece in buffer.pieces}
    beside = [operation for entry in made.generated for operation in _beside(entry)]
    own = [
        types.TextDocumentEdit(types.OptionalVersionedTextDocumentIdentifier(uri, versions[uri]), some)
        for uri, some in edits.items()
    ]
    return types.WorkspaceEdit(document_changes=[*beside, *own])


_CREATE = types.ResourceOperationKind.Create


def _beside(entry: Needed) -> Iterator[types.CreateFile | types.TextDocumentEdit]:
    """A helper file, created or renewed."""
    uri = files.resolved(entry.place).as_uri()
    end = types.Position(0, 0)
    if entry.generated.before is None:
        yield types.CreateFile(uri, options=types.CreateFileOptions(overwrite=False, ignore_if_exists=True))
    else:
        end = types.Position(len(entry.generated.before.splitlines()) + 1, 0)
    document = types.OptionalVersionedTextDocumentIdentifier(uri, None)
    yield types.TextDocumentEdit(
        document, [types.TextEdit(types.Range(types.Position(0, 0), end), entry.generated.after.decode())]
    )


def _edits(source: SourceFile, applied: Sequence[Fix], after: SourceFile) -> tuple[Edit, ...]:
    """From one text to the other: what the recipes say where they needed one round, else by lines."""
    chosen = Chosen(source.text)
    try:
        if all(chosen.take(fix) is None for fix in applied) and apply_edits(source.text, chosen.edits) == after.text:
            return chosen.edits
    except JaxfixError:
        pass  # edits of a later round speak of another text
    if source.notebook is None or after.notebook is None:
        return tuple(by_lines(source.text, after.text))
    cells = zip(source.notebook.cells, after.notebook.cells, strict=True)
    return tuple(
        Edit(Span(old.span.start + edit.span.start, old.span.start + edit.span.end), edit.text)
        for old, new in cells
        for edit in by_lines(old.masked.text, new.masked.text)
    )
