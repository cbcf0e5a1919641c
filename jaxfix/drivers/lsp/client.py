"""The client: its capabilities, its requests, and what it shows."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from jaxfix.drivers.lsp import capabilities
from jaxfix.drivers.lsp.settings import SECTION

_ANSWER_S = 5.0
"""After that, a client has no answer."""
_WATCHED = ("**/*.py", "**/*.ipynb", "**/pyproject.toml", "**/.gitignore")
_RUN, _CANCEL = "Run", "Cancel"


class Client:
    """The other end.

    Attributes:
      can: what it offers.
      encoding: in which columns are counted.
      pulls: whether it asks for diagnostics; else they are pushed.
      summary: what the last survey has seen, shown while nothing runs.
    """

    def __init__(self, server: LanguageServer) -> None:
        self.server = server
        self.can = types.ClientCapabilities()
        self.encoding, self.pulls = "utf-16", False
        self.summary = ""
        self._wants_status = self._wants_pages = False
        self._doing: list[tuple[str, str]] = []
        self._said: set[str] = set()
        self._logged: set[str] = set()

    def greeted(self, params: types.InitializeParams) -> None:
        raw = capabilities.part(self.server.protocol._converter.unstructure(params.capabilities))
        self.can, self.encoding = params.capabilities, capabilities.encoding(raw)
        self.pulls = capabilities.pulls(raw)
        wishes = capabilities.part(raw, "experimental", "jaxfix")
        self._wants_status, self._wants_pages = wishes.get("status") is True, wishes.get("showPage") is True

    # --- what it can do ---------------------------------------------------------------------------------------

    @property
    def resolves(self) -> bool:
        """Whether it asks for the edit of an action when that has been chosen."""
        text = self.can.text_document
        support = text.code_action.resolve_support if text is not None and text.code_action is not None else None
        return support is not None and "edit" in support.properties

    @property
    def shows_related(self) -> bool:
        text = self.can.text_document
        pulled, pushed = (text.diagnostic, text.publish_diagnostics) if text is not None else (None, None)
        return bool((pulled and pulled.related_information) or (pushed and pushed.related_information))

    @property
    def tells_of_files(self) -> bool:
        """Whether it says what happens on the disk."""
        watched = self.can.workspace.did_change_watched_files if self.can.workspace is not None else None
        return watched is not None and bool(watched.dynamic_registration)

    # --- what it is asked -------------------------------------------------------------------------------------

    async def settings(self, scopes: Sequence[str | None]) -> Sequence[object] | None:
        """The values of its section for each scope; None where it cannot be asked."""
        if self.can.workspace is None or not self.can.workspace.configuration:
            return None
        items = [types.ConfigurationItem(scope_uri=scope, section=SECTION) for scope in scopes]
        try:
            return await self.server.workspace_configuration_async(types.ConfigurationParams(items)) or ()
        except JsonRpcException as error:
            logging.error("the client does not send its settings: %s", error)
            return None

    async def subscribe(self, trace_file: str | None) -> None:
        """Asks to be notified of what happens outside of the open texts, where it offers that."""
        space = self.can.workspace
        wanted: list[tuple[str, object]] = []
        if self.tells_of_files:
            patterns = (*_WATCHED, f"**/{Path(trace_file).name}") if trace_file is not None else _WATCHED
            watchers = [{"globPattern": pattern} for pattern in patterns]
            wanted.append((types.WORKSPACE_DID_CHANGE_WATCHED_FILES, {"watchers": watchers}))
        if space and space.did_change_configuration and space.did_change_configuration.dynamic_registration:
            wanted.append((types.WORKSPACE_DID_CHANGE_CONFIGURATION, {"section": SECTION}))
        if not wanted:
            return
        entries = [types.Registration(f"jaxfix {method}", method, options) for method, options in wanted]
        try:
            await self.server.client_register_capability_async(types.RegistrationParams(entries))
        except JsonRpcException as error:
            logging.error("the client refuses to report changes: %s", error)

    async def ask_again(self) -> None:
        """Has it ask once more for the diagnostics and lenses that it has asked for."""
        lenses = self.can.workspace.code_lens if self.can.workspace is not None else None
        asked: list[Callable[[None], Coroutine[object, object, object]]] = []
        if self.pulls:
            asked.append(self.server.workspace_diagnostic_refresh_async)
        if lenses is not None and lenses.refresh_support:
            asked.append(self.server.workspace_code_lens_refresh_async)
        for ask in asked:  # one by one: an end in between leaves nothing that waits for its turn
            await asyncio.wait([asyncio.ensure_future(ask(None))], timeout=_ANSWER_S)

    async def agrees(self, question: str) -> bool:
        """Whether the person says yes to a run."""
        choices = [types.MessageActionItem(_RUN), types.MessageActionItem(_CANCEL)]
        answer = await self.server.window_show_message_request_async(
            types.ShowMessageRequestParams(types.MessageType.Info, question, choices)
        )
        return answer is not None and answer.title == _RUN

    # --- what it is sent --------------------------------------------------------------------------------------

    def publish(self, uri: str, items: list[types.Diagnostic], version: int | None) -> None:
        self.server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, items, version))

    def show(self, message: str, kind: types.MessageType) -> None:
        self.server.window_show_message(types.ShowMessageParams(kind, message))

    async def show_page(self, title: str, text: str, saved: "Path | None") -> None:
        """Shows Markdown, as well as it can; `saved` is the file of the page, for clients that show files."""
        if self._wants_pages:
            self.server.protocol.notify("jaxfix/showPage", {"title": title, "markdown": text})
        elif saved is not None:
            await self.server.window_show_document_async(types.ShowDocumentParams(saved.as_uri(), take_focus=True))
        else:
            self.show(text, types.MessageType.Info)

    @property
    def shows_files(self) -> bool:
        """Whether a page has to be a file to be shown."""
        window = self.can.window
        shows = window is not None and window.show_document is not None and window.show_document.support
        return shows and not self._wants_pages

    def warn(self, problems: Iterable[str]) -> None:
        """Reports each invalid setting to the person once."""
        for problem in problems:
            if problem not in self._said:
                self._said.add(problem)
                logging.error("%s", problem)
                self.show(f"jaxfix: {problem}", types.MessageType.Warning)

    def warn_anew(self) -> None:
        """Lets what is still wrong be reported once more."""
        self._said.clear()

    def log_once(self, problems: Iterable[str]) -> None:
        """What a keystroke would repeat is logged once."""
        for problem in problems:
            if problem not in self._logged:
                self._logged.add(problem)
                logging.error("%s", problem)

    @contextmanager
    def busy(self, state: str, what: str) -> Iterator[None]:
        """Shows the work in progress until it ends, however it ends; of several, the last to begin."""
        entry = state, what
        self._doing.append(entry)
        self.tell_status()
        try:
            yield
        finally:
            self._doing.remove(entry)
            self.tell_status()

    def tell_status(self) -> None:
        if self._wants_status:
            state, message = self._doing[-1] if self._doing else ("ready", self.summary)
            busy = bool(self._doing)
            self.server.protocol.notify("jaxfix/status", {"state": state, "message": message, "busy": busy})
