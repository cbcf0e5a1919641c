"""One client from its greeting to its goodbye: what it says, and who answers."""

import gc
import sys
from collections.abc import Callable

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from jaxfix import __version__
from jaxfix.drivers.lsp import capabilities, pages
from jaxfix.drivers.lsp.bugs import handler
from jaxfix.drivers.lsp.client import Client
from jaxfix.drivers.lsp.commands import Commands
from jaxfix.drivers.lsp.documents import Documents, path_of
from jaxfix.drivers.lsp.editor import Editor
from jaxfix.drivers.lsp.looks import Looks
from jaxfix.drivers.lsp.neighbours import Neighbours
from jaxfix.drivers.lsp.offers import Offers
from jaxfix.drivers.lsp.publishing import Publishing
from jaxfix.drivers.lsp.receipts import Receipts
from jaxfix.drivers.lsp.schedule import Schedule
from jaxfix.drivers.lsp.scopes import Scopes
from jaxfix.drivers.lsp.settings import SECTION
from jaxfix.drivers.lsp.tracing import Traces

_TURN_S = 0.0005
"""After that the thread that looks lets the loop have its turn, which takes several for one message."""


def made() -> LanguageServer:
    """The server of pygls, with nothing registered yet."""
    options = types.NotebookDocumentSyncOptions(
        notebook_selector=[
            types.NotebookDocumentFilterWithNotebook(
                notebook=types.NotebookDocumentFilterNotebookType(notebook_type="jupyter-notebook"),
                cells=[types.NotebookCellLanguage(language="python")],
            )
        ],
        save=True,
    )
    return LanguageServer("jaxfix", __version__, notebook_document_sync=options)


class Session:
    """Dispatches the client's messages; all work runs in the event loop, except looks, which have a thread.

    What is kept of a document goes when it is closed.
    """

    def __init__(self, server: LanguageServer) -> None:
        self._server = server
        self._client = client = Client(server)
        self._schedule = schedule = Schedule()
        self._documents = documents = Documents(client)
        self._scopes = scopes = Scopes(client, documents, self._all_anew)
        editor = Editor(client, documents, scopes)
        self._neighbours = neighbours = Neighbours(editor, schedule, self._refresh)
        traces, receipts = Traces(), Receipts()
        self._looks = looks = Looks(editor, neighbours, traces, schedule)
        self._publishing = publishing = Publishing(editor, looks, schedule)
        self._offers = offers = Offers(editor, neighbours, looks, receipts)
        self._commands = Commands(editor, looks, traces, receipts, offers, publishing)
        self._wrong: tuple[str, ...] = ()
        self.is_shut_down = False
        _collect_seldom()
        sys.setswitchinterval(_TURN_S)
        self._register()

    # --- beginning and end ------------------------------------------------------------------------------------

    def _register(self) -> None:
        on = self._on
        on(types.INITIALIZE, self._initialize)
        on(types.INITIALIZED, self._initialized)
        on(types.SHUTDOWN, self._shut_down)
        on(types.TEXT_DOCUMENT_DID_OPEN, self._opened)
        on(types.TEXT_DOCUMENT_DID_CHANGE, self._changed)
        on(types.TEXT_DOCUMENT_DID_SAVE, self._saved, types.SaveOptions(include_text=False))
        on(types.TEXT_DOCUMENT_DID_CLOSE, self._closed)
        on(types.NOTEBOOK_DOCUMENT_DID_OPEN, self._notebook_opened)
        on(types.NOTEBOOK_DOCUMENT_DID_CHANGE, self._notebook_changed)
        on(types.NOTEBOOK_DOCUMENT_DID_SAVE, self._notebook_saved)
        on(types.NOTEBOOK_DOCUMENT_DID_CLOSE, self._notebook_closed)
        on(types.WORKSPACE_DID_CHANGE_CONFIGURATION, self._configured)
        on(types.WORKSPACE_DID_CHANGE_WATCHED_FILES, self._disk_changed)
        on(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, self._folders_changed)
        diagnoses = types.DiagnosticOptions(True, False, identifier=SECTION)
        on(types.TEXT_DOCUMENT_DIAGNOSTIC, self._publishing.pulled, diagnoses)
        kinds = types.CodeActionOptions(code_action_kinds=list(capabilities.KINDS), resolve_provider=True)
        on(types.TEXT_DOCUMENT_CODE_ACTION, self._offers.actions, kinds)
        on(types.CODE_ACTION_RESOLVE, self._offers.resolved)
        on(types.TEXT_DOCUMENT_HOVER, self._offers.hover)
        on(types.TEXT_DOCUMENT_CODE_LENS, self._offers.lenses, types.CodeLensOptions(resolve_provider=False))
        each = self._commands
        commands = (each.trace, each.prove, each.explain, each.clear_trace, each.fix_all)
        for name, command in zip(capabilities.COMMANDS, commands, strict=True):
            self._server.command(name)(handler(name, command))

    def _on(self, method: str, handle: Callable[..., object], options: object = None) -> None:
        self._server.feature(method, options)(handler(method, handle))

    def _initialize(self, params: types.InitializeParams) -> None:
        self._client.greeted(params)
        self._documents.greeted(params)
        self._wrong = self._scopes.greeted(params.initialization_options)

    async def _initialized(self, params: types.InitializedParams) -> None:
        self._client.warn(self._wrong)
        await self._scopes.renew()
        await self._client.subscribe(self._scopes.of(None).trace_file)
        failures = await self._looks.aside(lambda: pages.registry().failures)
        self._client.warn(map(str, failures))
        self._client.tell_status()

    def _shut_down(self, *_: object) -> None:
        self.is_shut_down = True

    async def end(self) -> None:
        """Leaves nothing running."""
        await self._schedule.end()
        self._neighbours.end()
        self._commands.end()
        self._looks.end()

    # --- documents --------------------------------------------------------------------------------------------

    def _opened(self, params: types.DidOpenTextDocumentParams) -> None:
        self._touched(params.text_document.uri)

    def _changed(self, params: types.DidChangeTextDocumentParams) -> None:
        self._touched(params.text_document.uri)

    def _saved(self, params: types.DidSaveTextDocumentParams) -> None:
        self._on_disk(params.text_document.uri)

    def _closed(self, params: types.DidCloseTextDocumentParams) -> None:
        self._forget(params.text_document.uri, [params.text_document.uri])

    def _notebook_opened(self, params: types.DidOpenNotebookDocumentParams) -> None:
        self._touched(params.notebook_document.uri)

    def _notebook_changed(self, params: types.DidChangeNotebookDocumentParams) -> None:
        cells = params.change.cells
        gone = cells.structure.did_close if cells is not None and cells.structure is not None else None
        for cell in gone or ():
            self._publishing.clear(cell.uri)
        self._touched(params.notebook_document.uri)

    def _notebook_saved(self, params: types.DidSaveNotebookDocumentParams) -> None:
        self._on_disk(params.notebook_document.uri)

    def _notebook_closed(self, params: types.DidCloseNotebookDocumentParams) -> None:
        self._forget(params.notebook_document.uri, [cell.uri for cell in params.cell_text_documents])

    def _touched(self, uri: str) -> None:
        self._publishing.push_soon(uri)
        self._neighbours.survey_soon(uri)

    def _on_disk(self, uri: str) -> None:
        """A document was saved: a client that tells of no other file may have changed those too."""
        if not self._client.tells_of_files:
            self._read_anew()
            self._publishing.renew(uri)
        self._neighbours.survey_soon(uri, anew=not self._client.tells_of_files)

    def _forget(self, uri: str, documents: list[str]) -> None:
        self._neighbours.survey_soon(uri)
        self._neighbours.forget(path_of(uri))
        self._looks.forget(uri)
        self._publishing.drop(uri, documents)

    # --- what is beside them ----------------------------------------------------------------------------------

    async def _configured(self, params: types.DidChangeConfigurationParams) -> None:
        await self._scopes.renew(params.settings)

    async def _folders_changed(self, params: types.DidChangeWorkspaceFoldersParams) -> None:
        self._documents.read_anew()
        await self._scopes.renew()
        self._all_anew()

    def _disk_changed(self, params: types.DidChangeWatchedFilesParams) -> None:
        paths = [path for change in params.changes if (path := path_of(change.uri)) is not None]
        if any(path.suffix not in (".py", ".ipynb") for path in paths):  # what is configured, ignored or traced
            self._client.warn_anew()
            self._all_anew()
            return
        self._read_anew()
        roots = {self._documents.root(path) for path in paths}
        for uri in self._documents.open:
            if self._documents.root(path_of(uri)) in roots:
                self._neighbours.survey_soon(uri, anew=True)

    def _all_anew(self) -> None:
        """Looks at everything again, from the disk on."""
        self._read_anew()
        for uri in self._documents.open:
            self._neighbours.survey_soon(uri, anew=True)
        self._refresh()

    def _read_anew(self) -> None:
        self._looks.read_anew()
        self._documents.read_anew()

    def _refresh(self) -> None:
        self._publishing.refresh()


def _collect_seldom() -> None:
    """Lets the collector of cycles pass over what is loaded, and over trees, which hold none; `Looks` calls it."""
    gc.freeze()
    gc.disable()
