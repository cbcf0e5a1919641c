"""How the client comes to know what is found: it asks, or gets it pushed."""

import hashlib
from functools import partial

from lsprotocol import types

from jaxfix.drivers.lsp import viewing
from jaxfix.drivers.lsp.editor import Editor
from jaxfix.drivers.lsp.looks import Looks
from jaxfix.drivers.lsp.schedule import Schedule
from jaxfix.drivers.lsp.viewing import View

_DEBOUNCE_S = 0.02
"""After a change, before diagnostics are pushed: less than what a person waits for, more than a burst of changes."""
_REFRESH = "refresh"
_Pushed = tuple[int | None, list[types.Diagnostic]]


class Publishing:
    """Pulled where the client can be asked to refresh, else pushed; cells always, as most clients never ask."""

    def __init__(self, editor: Editor, looks: Looks, schedule: Schedule) -> None:
        self._client, self._documents, self._scopes = editor.client, editor.documents, editor.scopes
        self._looks, self._schedule = looks, schedule
        self._pushed: dict[str, _Pushed] = {}
        self._is_stale = False

    def push_soon(self, uri: str) -> None:
        if not self._client.pulls or self._documents.is_notebook(uri):
            self._schedule.later(f"diagnostics of {uri}", _DEBOUNCE_S, partial(self._push, uri))

    def drop(self, uri: str, documents: list[str]) -> None:
        """Shows nothing any more in `documents`, which `uri` was made of."""
        self._schedule.drop(f"diagnostics of {uri}")
        for document in documents:
            if not self._client.pulls or document != uri:
                self.clear(document)

    def clear(self, document: str) -> None:
        self._pushed.pop(document, None)
        self._client.publish(document, [], None)

    async def pulled(self, params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        uri = params.text_document.uri
        is_cell = self._documents.whole(uri) != uri
        items = [] if is_cell else self._items(await self._looks.view(uri)).get(uri, [])
        mark = hashlib.sha256(repr(items).encode(errors="backslashreplace")).hexdigest()[:16]
        if params.previous_result_id == mark:
            return types.RelatedUnchangedDocumentDiagnosticReport(result_id=mark)
        return types.RelatedFullDocumentDiagnosticReport(items=items, result_id=mark)

    def refresh(self) -> None:
        """What is known beside the texts has changed: all that is open shows something else, perhaps."""
        self._looks.outdate()
        for uri in self._documents.open:
            self.push_soon(uri)
        self._ask_soon()

    def renew(self, uri: str) -> None:
        """The document alone may show something else."""
        self._looks.forget(uri)
        self.push_soon(uri)
        self._ask_soon()

    def _ask_soon(self) -> None:
        self._is_stale = True
        if _REFRESH not in self._schedule:
            self._schedule.later(_REFRESH, 0.0, self._ask_again)

    async def _ask_again(self) -> None:
        """Once, however often that is requested until then."""
        while self._is_stale:
            self._is_stale = False
            await self._client.ask_again()

    async def _push(self, uri: str) -> None:
        view = await self._looks.view(uri)
        buffer = view.buffer if view is not None else self._documents.buffer(uri)
        items = self._items(view)
        for piece in buffer.pieces if buffer is not None else ():
            now = piece.version, items.get(piece.uri, [])
            if self._pushed.get(piece.uri) != now:  # most cells of a notebook are as they were
                self._pushed[piece.uri] = now
                self._client.publish(piece.uri, now[1], now[0])

    def _items(self, view: View | None) -> dict[str, list[types.Diagnostic]]:
        if view is None:
            return {}
        locate = self._documents.line if self._client.shows_related else None
        return viewing.items(view, self._scopes.of(view.buffer.path), locate)
