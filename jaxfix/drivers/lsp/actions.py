"""Code actions for findings."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from lsprotocol import types

from jaxfix.drivers.lsp import edits, policy, viewing
from jaxfix.drivers.lsp.buffers import Stamp
from jaxfix.drivers.lsp.capabilities import FIX_ALL, NOTEBOOK_FIX_ALL, TRACE
from jaxfix.drivers.lsp.edits import Change
from jaxfix.drivers.lsp.ignoring import ignored
from jaxfix.drivers.lsp.settings import Settings
from jaxfix.drivers.lsp.viewing import View
from jaxfix.report.finding import Safety
from jaxfix.report.report import Diagnostic
from jaxfix.source.frozen import frozen

_FIX, _ALL, _IGNORE = "fix", "all", "ignore"


@frozen
class Wanted:
    """What an action that has been chosen is to change; `stamp` is of the text that it was offered for."""

    uri: str
    stamp: Stamp
    what: str
    key: str

    def change(self, view: View) -> Change:
        """What it changes.

        Raises:
          JaxfixError: it cannot be made, and why.
        """
        if self.what == _IGNORE:
            return Change(ignored(view.target, self.key), ())
        accept = edits.safe if self.what == _ALL else edits.one(self.key)
        return edits.change(view.target, accept)


def wanted(data: object) -> Wanted | None:
    """What `data` of an action says; None where it is not one of ours, or has nothing to resolve."""
    if not isinstance(data, Mapping):
        return None
    uri, stamp, what, key = (data.get(name) for name in ("uri", "stamp", "what", "key"))
    if not isinstance(uri, str) or what not in (_FIX, _ALL, _IGNORE) or not isinstance(key, str):
        return None
    return Wanted(uri, _stamp(stamp), str(what), key)


def _stamp(value: object) -> Stamp:
    """As it was before it travelled: JSON has lists alone."""
    entries = value if isinstance(value, list | tuple) else ()
    return tuple(tuple(entry) if isinstance(entry, list | tuple) else entry for entry in entries)


def all_safe(view: View) -> Wanted:
    """All that cannot be wrong."""
    return Wanted(view.buffer.uri, view.buffer.stamp, _ALL, "")


@frozen
class Situation:
    """All inputs of the list of code actions.

    Attributes:
      uri: of the document that is asked about: a cell, in a notebook.
      command: what a proof would rerun, as it is shown; None for driving the optimizers of the file, if there are any.
      script: what a trace would run; None where the document is not a file.
      proven: whether a rerun has proven the fix of this key.
    """

    view: View
    settings: Settings
    uri: str
    command: str | None
    script: str | None
    can_be_driven: bool
    proven: Callable[[str], bool]


def offered(at: Situation, params: types.CodeActionParams) -> list[types.CodeAction]:
    """The actions for a range of a document, without their edits."""
    only = params.context.only
    found: list[types.CodeAction] = []
    if _asked(types.CodeActionKind.QuickFix, only):
        near = list(_near(at, params.range))
        for make in (_fix, _proof, _ignore, _explanation):
            found += [action for diagnostic, item in near for action in make(at, diagnostic, item)]
    kind = NOTEBOOK_FIX_ALL if at.view.buffer.is_notebook else FIX_ALL
    if _asked(kind, only) and not at.view.is_installed and any(_is_safe(entry) for entry in at.view.found):
        found.append(types.CodeAction("Apply all safe fixes of jaxfix", kind=kind, data=_data(at, _ALL, "")))
    if _asked(TRACE, only) and at.script is not None and at.view.target.codemods:
        arguments = {"uri": at.uri, "command": at.script}
        command = types.Command(f"Trace `{at.script}`", "jaxfix.trace", arguments=[arguments])
        found.append(types.CodeAction(f"Run `{at.script}` and see what compiles", kind=TRACE, command=command))
    return found


def _fix(at: Situation, diagnostic: Diagnostic, item: types.Diagnostic) -> Iterator[types.CodeAction]:
    if not diagnostic.fixable or at.view.is_installed:
        return
    proven = at.proven(diagnostic.key)
    yield types.CodeAction(
        title=policy.title(diagnostic.title, diagnostic.safety, proven=proven),
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[item],
        is_preferred=policy.is_preferred(diagnostic.safety, proven=proven) or None,
        data=_data(at, _FIX, diagnostic.key),
    )


def _proof(at: Situation, diagnostic: Diagnostic, item: types.Diagnostic) -> Iterator[types.CodeAction]:
    is_open = diagnostic.safety is Safety.NEEDS_EVIDENCE and not at.proven(diagnostic.key)
    is_file = at.view.buffer.path is not None and not at.view.is_installed
    if not (diagnostic.fixable and is_open and is_file and (at.command is not None or at.can_be_driven)):
        return
    arguments = {"uri": at.uri, "key": diagnostic.key, "command": at.command}
    how = f"rerun `{at.command}`" if at.command is not None else "drive the optimizers of this file"
    title = f"Prove it: {how}"
    command = types.Command(title, "jaxfix.prove", arguments=[arguments])
    yield types.CodeAction(title, kind=types.CodeActionKind.QuickFix, diagnostics=[item], command=command)


def _ignore(at: Situation, diagnostic: Diagnostic, item: types.Diagnostic) -> Iterator[types.CodeAction]:
    if not at.view.is_installed:
        title = f"Ignore `{diagnostic.id}` on this line"
        data = _data(at, _IGNORE, diagnostic.key)
        yield types.CodeAction(title, kind=types.CodeActionKind.QuickFix, diagnostics=[item], data=data)


def _explanation(at: Situation, diagnostic: Diagnostic, item: types.Diagnostic) -> Iterator[types.CodeAction]:
    title = f"Explain `{diagnostic.id}`"
    command = types.Command(title, "jaxfix.explain", arguments=[{"id": diagnostic.id}])
    yield types.CodeAction(title, kind=types.CodeActionKind.QuickFix, diagnostics=[item], command=command)


def near(at: View, settings: Settings, uri: str, where: types.Range) -> Iterator[tuple[Diagnostic, types.Diagnostic]]:
    """The findings that are shown within a range of a document."""
    for diagnostic in at.found:
        shown = viewing.item(at, diagnostic, settings)
        if shown is not None and shown[0] == uri and _meet(shown[1].range, where):
            yield diagnostic, shown[1]


def _near(at: Situation, where: types.Range) -> Iterator[tuple[Diagnostic, types.Diagnostic]]:
    return near(at.view, at.settings, at.uri, where)


def _is_safe(diagnostic: Diagnostic) -> bool:
    return diagnostic.fixable and diagnostic.safety is Safety.SAFE


def _data(at: Situation, what: str, key: str) -> dict[str, object]:
    return {"uri": at.view.buffer.uri, "stamp": list(at.view.buffer.stamp), "what": what, "key": key}


def _asked(kind: str, only: Sequence[str] | None) -> bool:
    return not only or any(each == "" or kind == each or kind.startswith(f"{each}.") for each in only)


def _meet(one: types.Range, other: types.Range) -> bool:
    """Whether the ranges have a place in common; an end of one is one, as a cursor may stand there."""
    return _pair(other.start) <= _pair(one.end) and _pair(one.start) <= _pair(other.end)


def _pair(position: types.Position) -> tuple[int, int]:
    return position.line, position.character
