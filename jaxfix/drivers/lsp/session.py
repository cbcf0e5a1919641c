"""One client from its greeting to its goodbye: what it has open, what it wants to know, and what it is told."""

import asyncio
import gc
import hashlib
import logging
import os
import tempfile
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TypeVar
from urllib.parse import unquote

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from jaxfix import __version__
from jaxfix.core.errors import ConfigError, JaxfixError, SourceError
from jaxfix.drivers import files
from jaxfix.drivers.lsp import actions, capabilities, edits, pages, placing, running, tracing, viewing
from jaxfix.drivers.lsp.buffers import Buffer, of_notebook, of_text
from jaxfix.drivers.lsp.placing import Place, Places
from jaxfix.drivers.lsp.running import Proof
from jaxfix.drivers.lsp.settings import SECTION, Settings, read
from jaxfix.drivers.lsp.surveying import Ask, Told
from jaxfix.drivers.lsp.surveyor import Surveyor
from jaxfix.drivers.lsp.task import Task
from jaxfix.drivers.lsp.texts import Text, Texts
from jaxfix.drivers.lsp.tracing import Seen
from jaxfix.drivers.lsp.viewing import View
from jaxfix.drivers.work.driving import can_be_driven
from jaxfix.drivers.work.targets import Request
from jaxfix.engine.seen import Sighting

_DEBOUNCE_S = 0.02
"""After a change, before diagnostics are pushed: less than what a person waits for, more than a burst of changes."""
_SURVEY_S = 0.4
"""After the last change, before the other files are told of it."""
_ANSWER_S = 5.0
"""After that, a client has no answer."""
_TRACEBACKS = bool(os.environ.get("JAXFIX_TRACEBACK"))
_WATCHED = ("**/*.py", "**/*.ipynb", "**/pyproject.toml", "**/.gitignore")
_RUN, _CANCEL = "Run", "Cancel"
T = TypeVar("T")


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
    """Answers the client's requests; all of it runs in the loop, but for the looks at texts, which have a thread.

    A document is named by its uri as the client spells it; what is kept of it goes when it is closed.
    """

    def __init__(self, server: LanguageServer) -> None:
        self._server = server
        self._client = types.ClientCapabilities()
        self._encoding, self._pulls = "utf-16", False
        self._settings, self._scoped = Settings(), dict[Path, Settings]()
        self._places: Places | None = None
        self._surveyor = Surveyor()
        self._told: dict[Path, Told] = {}
        self._runs: dict[Path, str | None] = {}  # what the configuration of a project names
        self._seen: dict[Path, Seen] = {}
        self._traces: dict[Path, tuple[int, Seen]] = {}
        self._proofs: dict[Path, dict[str, Proof]] = {}
        self._views: dict[str, tuple[int, View]] = {}
        self._looks: dict[str, asyncio.Lock] = {}
        self._due: dict[object, asyncio.Task[None]] = {}
        self._anew: set[Path] = set()
        self._epoch = 0  # of all that is known beside the texts
        self._said: set[str] = set()
        self._logged: set[str] = set()
        self._pages: tempfile.TemporaryDirectory[str] | None = None
        self._is_running = False
        self._is_stale = False
        self._thread = ThreadPoolExecutor(1, "look")
        self.is_shut_down = False
        _collect_seldom()
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
        on(types.TEXT_DOCUMENT_DIAGNOSTIC, self._diagnostic, types.DiagnosticOptions(True, False, identifier=SECTION))
        kinds = types.CodeActionOptions(code_action_kinds=list(capabilities.KINDS), resolve_provider=True)
        on(types.TEXT_DOCUMENT_CODE_ACTION, self._actions, kinds)
        on(types.CODE_ACTION_RESOLVE, self._resolved)
        on(types.TEXT_DOCUMENT_HOVER, self._hover)
        on(types.TEXT_DOCUMENT_CODE_LENS, self._lenses, types.CodeLensOptions(resolve_provider=False))
        commands = (self._trace, self._prove, self._explain, self._clear_trace, self._fix_all)
        for name, command in zip(capabilities.COMMANDS, commands, strict=True):
            self._server.command(name)(_handler(name, command))

    def _on(self, method: str, handler: Callable[..., object], options: object = None) -> None:
        self._server.feature(method, options)(_handler(method, handler))

    def _initialize(self, params: types.InitializeParams) -> None:
        raw = capabilities.part(self._server.protocol._converter.unstructure(params.capabilities))
        self._client, self._encoding = params.capabilities, capabilities.encoding(raw)
        self._pulls = capabilities.pulls(raw)
        folders = params.workspace_folders or []
        texts = Texts(params.root_uri, types.TextDocumentSyncKind.Incremental, folders, self._encoding)
        self._server.protocol._workspace = texts
        wishes = capabilities.part(raw, "experimental", "jaxfix")
        self._wants_status, self._wants_pages = wishes.get("status") is True, wishes.get("showPage") is True
        given = read(params.initialization_options)
        self._settings, self._wrong = given.settings, given.problems

    async def _initialized(self, params: types.InitializedParams) -> None:
        self._warn(self._wrong)
        await self._fetch_settings()
        await self._subscribe()
        failures = await self._aside(lambda: pages.registry().failures)
        self._warn(map(str, failures))
        self._status("ready", "")

    async def _subscribe(self) -> None:
        """Asks to be told of what happens outside of the open texts, where the client offers that."""
        space = self._client.workspace
        wanted: list[tuple[str, object]] = []
        if space and space.did_change_watched_files and space.did_change_watched_files.dynamic_registration:
            named = self._settings.trace_file
            patterns = (*_WATCHED, f"**/{Path(named).name}") if named is not None else _WATCHED
            watchers = [{"globPattern": pattern} for pattern in patterns]
            wanted.append((types.WORKSPACE_DID_CHANGE_WATCHED_FILES, {"watchers": watchers}))
        if space and space.did_change_configuration and space.did_change_configuration.dynamic_registration:
            wanted.append((types.WORKSPACE_DID_CHANGE_CONFIGURATION, {"section": SECTION}))
        if not wanted:
            return
        entries = [types.Registration(f"jaxfix {method}", method, options) for method, options in wanted]
        try:
            await self._server.client_register_capability_async(types.RegistrationParams(entries))
        except JsonRpcException as error:
            logging.error("the client refuses to tell of changes: %s", error)

    def _shut_down(self, *_: object) -> None:
        self.is_shut_down = True

    async def end(self) -> None:
        """Leaves nothing running."""
        due = list(self._due.values())
        for task in due:
            task.cancel()
        await asyncio.gather(*due, return_exceptions=True)
        self._surveyor.end()
        if self._pages is not None:
            self._pages.cleanup()
        self._thread.shutdown(wait=False, cancel_futures=True)

    # --- settings ---------------------------------------------------------------------------------------------

    async def _configured(self, params: types.DidChangeConfigurationParams) -> None:
        if not await self._fetch_settings() and params.settings:
            given = read(params.settings, self._settings)
            self._settings = given.settings
            self._warn(given.problems)
            self._all_anew()

    async def _fetch_settings(self) -> bool:
        """Asks the client for its settings, of each folder; whether it can be asked."""
        if self._client.workspace is None or not self._client.workspace.configuration:
            return False
        folders = self._folders()
        scopes = [None, *(folder.as_uri() for folder in folders)]
        items = [types.ConfigurationItem(scope_uri=scope, section=SECTION) for scope in scopes]
        try:
            found = await self._server.workspace_configuration_async(types.ConfigurationParams(items))
        except JsonRpcException as error:
            logging.error("the client does not tell its settings: %s", error)
            return False
        base = read(None, self._settings).settings
        given = [read(value, base) for value in found or ()]
        before = (self._settings, self._scoped)
        if given:
            self._settings = given[0].settings
            scoped = zip(folders, given[1:], strict=False)
            self._scoped = {files.resolved(folder): each.settings for folder, each in scoped}
            self._warn(problem for each in given for problem in each.problems)
        if before != (self._settings, self._scoped):
            self._all_anew()
        return True

    def _settings_of(self, path: Path | None) -> Settings:
        real = files.resolved(path) if path is not None and self._scoped else None
        around = [folder for folder in self._scoped if real is not None and real.is_relative_to(folder)]
        return self._scoped[max(around, key=lambda each: len(each.parts))] if around else self._settings

    def _folders(self) -> list[Path]:
        paths = (_path(folder.uri) for folder in self._server.workspace.folders.values())
        root = self._server.workspace.root_path
        found = [path for path in paths if path is not None]
        return found or ([Path(root)] if root else [])

    # --- texts ------------------------------------------------------------------------------------------------

    def _opened(self, params: types.DidOpenTextDocumentParams) -> None:
        self._touched(params.text_document.uri, is_new=True)

    def _changed(self, params: types.DidChangeTextDocumentParams) -> None:
        self._touched(params.text_document.uri)

    def _saved(self, params: types.DidSaveTextDocumentParams) -> None:
        self._survey_soon(params.text_document.uri, anew=not self._is_told_of_files)

    def _closed(self, params: types.DidCloseTextDocumentParams) -> None:
        self._forget(params.text_document.uri, [params.text_document.uri])

    def _notebook_opened(self, params: types.DidOpenNotebookDocumentParams) -> None:
        self._touched(params.notebook_document.uri, is_new=True)

    def _notebook_changed(self, params: types.DidChangeNotebookDocumentParams) -> None:
        cells = params.change.cells
        gone = cells.structure.did_close if cells is not None and cells.structure is not None else None
        for cell in gone or ():
            self._publish(cell.uri, [], None)
        self._touched(params.notebook_document.uri)

    def _notebook_saved(self, params: types.DidSaveNotebookDocumentParams) -> None:
        self._survey_soon(params.notebook_document.uri, anew=not self._is_told_of_files)

    def _notebook_closed(self, params: types.DidCloseNotebookDocumentParams) -> None:
        self._forget(params.notebook_document.uri, [cell.uri for cell in params.cell_text_documents])

    @property
    def _is_told_of_files(self) -> bool:
        space = self._client.workspace
        watched = space.did_change_watched_files if space is not None else None
        return watched is not None and bool(watched.dynamic_registration)

    def _touched(self, uri: str, *, is_new: bool = False) -> None:
        if is_new:
            self._views.pop(uri, None)
        self._push_soon(uri)
        self._survey_soon(uri)

    def _forget(self, uri: str, documents: Iterable[str]) -> None:
        self._survey_soon(uri)
        path = self._path(uri)
        self._views.pop(uri, None)
        self._looks.pop(uri, None)
        if path is not None:
            self._told.pop(files.resolved(path), None)
        due = self._due.pop(uri, None)
        if due is not None:
            due.cancel()
        for document in documents:
            if not self._pulls or document != uri:
                self._publish(document, [], None)

    def _path(self, uri: str) -> Path | None:
        return _path(uri)

    def _open(self) -> list[str]:
        """The uris of what is open: texts, and notebooks in place of their cells."""
        space = self._server.workspace
        texts = (text.uri for text in space.text_documents.values())
        alone = [uri for uri in texts if space.get_notebook_document(cell_uri=uri) is None]
        return [*alone, *(notebook.uri for notebook in space.notebook_documents.values())]

    def _whole(self, uri: str) -> str:
        """The uri of the notebook that a cell is part of; any other uri stays."""
        notebook = self._server.workspace.get_notebook_document(cell_uri=uri)
        return notebook.uri if notebook is not None else uri

    def _buffer(self, uri: str) -> Buffer | None:
        """What is open at `uri`, as it is now; None where nothing is, or nothing that a file could hold."""
        space, path = self._server.workspace, self._path(uri)
        notebook = space.get_notebook_document(notebook_uri=uri)
        try:
            if notebook is not None:
                texts = {text.uri: text for text in space.text_documents.values() if isinstance(text, Text)}
                return of_notebook(notebook, texts, path, self._encoding)
            text = space.text_documents.get(unquote(uri))
            return of_text(text, path, self._encoding) if isinstance(text, Text) else None
        except (SourceError, UnicodeError):
            return None

    # --- looking ----------------------------------------------------------------------------------------------

    async def view(self, uri: str) -> View | None:
        """What the document shows as it is now; None where it shows nothing, as it is not open, or cannot be looked at.

        Who asks while a look goes on waits for it; texts that have been typed over in between are never looked at.
        """
        async with self._looks.setdefault(uri, asyncio.Lock()):
            while True:
                buffer, epoch = self._buffer(uri), self._epoch
                settings = self._settings_of(buffer.path if buffer is not None else None)
                if buffer is None or not settings.enable:
                    self._views.pop(uri, None)
                    return None
                known = self._views.get(uri)
                if known is not None and known[0] == epoch and known[1].buffer.stamp == buffer.stamp:
                    return known[1]
                try:
                    found = await self._aside(partial(self._look, buffer, settings))
                except ConfigError as error:
                    self._warn([str(error)])
                    return None
                self._log_once(found.bugs)
                if found.error is not None and known is not None:
                    found = viewing.carried(known[1], found)
                self._views[uri] = epoch, found

    def _look(self, buffer: Buffer, settings: Settings) -> View:
        """In the thread: one look."""
        target = viewing.target(buffer, self._place(buffer, settings), self._told_of(buffer), self._seen_of(buffer))
        return viewing.view(buffer, target)

    def _place(self, buffer: Buffer, settings: Settings) -> Place:
        if self._places is None:
            self._places = Places(pages.registry().codemods)
        return self._places.of(buffer.path, buffer.source, settings)

    def _told_of(self, buffer: Buffer) -> Told | None:
        return self._told.get(files.resolved(buffer.path)) if buffer.path is not None else None

    def _seen_of(self, buffer: Buffer) -> tuple[Sighting, ...]:
        root, path = self._root(buffer.path), buffer.path
        if root is None or path is None or buffer.is_notebook:
            return ()
        seen = self._seen.get(root) or self._named_trace(root, self._settings_of(path).trace_file)
        return seen.of(path, buffer.source) if seen is not None else ()

    def _named_trace(self, root: Path, name: str | None) -> Seen | None:
        """In the thread: the trace that the settings name, read again where it has changed."""
        if name is None:
            return None
        path = root / Path(name).expanduser()
        try:
            mark = path.stat().st_mtime_ns
            known = self._traces.get(path)
            if known is None or known[0] != mark:
                known = self._traces[path] = mark, tracing.read(path)
            return known[1]
        except (OSError, JaxfixError) as error:
            problem = f"the setting `{SECTION}.traceFile`: {error}"
            self._loop.call_soon_threadsafe(self._warn, [problem])
            return None

    def _root(self, path: Path | None) -> Path | None:
        """The project of the file; the file itself where there is none."""
        if path is None:
            return None
        return placing.root(path, self._folders()) or files.resolved(path)

    async def _aside(self, work: Callable[[], T]) -> T:
        self._loop = asyncio.get_running_loop()
        return await self._loop.run_in_executor(self._thread, work)

    # --- telling what is found --------------------------------------------------------------------------------

    def _push_soon(self, uri: str) -> None:
        if self._pulls and self._server.workspace.get_notebook_document(notebook_uri=uri) is None:
            return
        self._later(uri, _DEBOUNCE_S, partial(self._push, uri))

    async def _push(self, uri: str) -> None:
        view = await self.view(uri)
        buffer = view.buffer if view is not None else self._buffer(uri)
        items = self._items(view)
        for piece in buffer.pieces if buffer is not None else ():
            self._publish(piece.uri, items.get(piece.uri, []), piece.version)

    def _publish(self, uri: str, items: list[types.Diagnostic], version: int | None) -> None:
        self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, items, version))

    async def _diagnostic(self, params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        uri = params.text_document.uri
        is_cell = self._whole(uri) != uri  # cells are pushed, as most clients never ask for them
        items = [] if is_cell else self._items(await self.view(uri)).get(uri, [])
        mark = hashlib.sha256(repr(items).encode(errors="backslashreplace")).hexdigest()[:16]
        if params.previous_result_id == mark:
            return types.RelatedUnchangedDocumentDiagnosticReport(result_id=mark)
        return types.RelatedFullDocumentDiagnosticReport(items=items, result_id=mark)

    def _items(self, view: View | None) -> dict[str, list[types.Diagnostic]]:
        if view is None:
            return {}
        text = self._client.text_document
        pulled, pushed = (text.diagnostic, text.publish_diagnostics) if text is not None else (None, None)
        related = bool((pulled and pulled.related_information) or (pushed and pushed.related_information))
        return viewing.items(view, self._settings_of(view.buffer.path), related=related)

    def _all_anew(self) -> None:
        """Looks at everything again, from the disk on."""
        if self._places is not None:
            self._places.forget()
        for uri in self._open():
            self._survey_soon(uri, anew=True)
        self._refresh()

    def _refresh(self) -> None:
        """What is known beside the texts has changed: all that is open shows something else, perhaps."""
        self._epoch += 1
        for uri in self._open():
            self._push_soon(uri)
        self._is_stale = True
        if "refresh" not in self._due:
            self._later("refresh", 0.0, self._ask_anew)

    async def _ask_anew(self) -> None:
        """Tells the client to ask again for what it has asked for; once, however often that is wanted meanwhile."""
        space, server = self._client.workspace, self._server
        lenses = space.code_lens if space is not None else None
        while self._is_stale:
            self._is_stale = False
            asked = [server.workspace_diagnostic_refresh_async(None)] if self._pulls else []
            if lenses is not None and lenses.refresh_support:
                asked.append(server.workspace_code_lens_refresh_async(None))
            for answer in asked:
                await asyncio.wait([asyncio.ensure_future(answer)], timeout=_ANSWER_S)

    # --- the rest of the project ------------------------------------------------------------------------------

    def _disk_changed(self, params: types.DidChangeWatchedFilesParams) -> None:
        paths = [path for change in params.changes if (path := self._path(change.uri)) is not None]
        if any(path.suffix not in (".py", ".ipynb") for path in paths):  # what is configured, ignored or traced
            self._said.clear()
            self._all_anew()
            return
        roots = {self._root(path) for path in paths}
        for uri in self._open():
            if self._root(self._path(uri)) in roots:
                self._survey_soon(uri, anew=True)

    async def _folders_changed(self, params: types.DidChangeWorkspaceFoldersParams) -> None:
        await self._fetch_settings()
        self._all_anew()

    def _survey_soon(self, uri: str, *, anew: bool = False) -> None:
        path = self._path(uri)
        root = self._root(path)
        if root is None or not root.is_dir():
            return
        if anew:
            self._anew.add(root)
        self._later(("survey", root), _SURVEY_S, partial(self._survey, root))

    async def _survey(self, root: Path) -> None:
        """Asks what the project tells its open files, and looks at them again where that is news."""
        settings = self._settings_of(root)
        buffers = [self._buffer(uri) for uri in self._open() if self._root(self._path(uri)) == root]
        open_here = {
            files.resolved(each.path): each.source
            for each in buffers
            if each is not None and each.path is not None and not each.is_notebook
        }
        if not open_here:
            return
        anew = root in self._anew
        self._anew.discard(root)
        self._status("surveying", root.name)
        found = await self._surveyor.survey(
            Ask(Request((str(root),), settings.select, settings.ignore), anew, open_here)
        )
        self._status("ready", f"{found.files} files")
        self._log_once(found.errors)
        self._runs[root] = found.run
        news = {path: told for path, told in found.told.items() if self._told.get(path) != told}
        gone = [path for path in open_here if path not in found.told and path in self._told]
        self._told.update(news)
        for path in gone:
            del self._told[path]
        if news or gone:
            self._refresh()

    # --- what can be done -------------------------------------------------------------------------------------

    async def _actions(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        uri = params.text_document.uri
        view = await self.view(self._whole(uri))
        if view is None:
            return []
        found = actions.offered(self._situation(view, uri), params)
        if self._resolves:
            return found
        return [action for action in [await self._resolved(action) for action in found] if action.disabled is None]

    def _situation(self, view: View, uri: str) -> actions.Situation:
        path = view.buffer.path
        settings = self._settings_of(path)
        root = self._root(path)
        script = self._script(path, root, settings) if not view.buffer.is_notebook else None
        driven = path is not None and path.is_file() and can_be_driven(view.target)
        configured = settings.run or (self._runs.get(root) if root is not None else None)
        command = configured or (None if driven else script)
        return actions.Situation(view, settings, uri, command, script, driven, partial(self._is_proven, view))

    def _script(self, path: Path | None, root: Path | None, settings: Settings) -> str | None:
        """What runs the file as a program, from its project."""
        if path is None or root is None or not path.is_file():
            return None
        real, base = files.resolved(path), root if root.is_dir() else root.parent
        return running.joined((settings.python or "python", str(real.relative_to(base))))

    def _is_proven(self, view: View, key: str) -> bool:
        proof = self._proof(view, key)
        return proof is not None and proof.verdict == "proven"

    def _proof(self, view: View, key: str) -> Proof | None:
        """What a rerun has shown of the fix, of this very text."""
        path = view.buffer.path
        proof = self._proofs.get(files.resolved(path), {}).get(key) if path is not None else None
        is_same = proof is not None and proof.sha256 == hashlib.sha256(view.buffer.source.raw).hexdigest()
        return proof if is_same else None

    @property
    def _resolves(self) -> bool:
        """Whether the client asks for the edit of an action when it has been chosen."""
        text = self._client.text_document
        support = text.code_action.resolve_support if text is not None and text.code_action is not None else None
        return support is not None and "edit" in support.properties

    async def _resolved(self, action: types.CodeAction) -> types.CodeAction:
        wanted = actions.wanted(action.data)
        if wanted is None:
            return action
        view = await self.view(wanted.uri)
        if view is None or view.buffer.stamp != wanted.stamp:
            action.disabled = types.CodeActionDisabled("the text has changed since")
            return action
        try:
            made = await self._aside(partial(wanted.change, view))
            action.edit = edits.workspace_edit(view.buffer, made, self._client)
        except JaxfixError as error:
            action.disabled = types.CodeActionDisabled(error.message)
        return action

    async def _fix_all(self, where: object = None) -> object:
        uri = self._whole(_text(where, "uri"))
        view = await self.view(uri)
        if view is None:
            return self._answer(_failed("the document is not open"))
        if view.is_installed:
            return self._answer(_failed("what is installed is not written to"))
        wanted = actions.all_safe(view)
        try:
            made = await self._aside(partial(wanted.change, view))
            edit = edits.workspace_edit(view.buffer, made, self._client)
        except JaxfixError as error:
            return self._answer(_failed(error.message))
        now = self._buffer(uri)
        if now is None or now.stamp != view.buffer.stamp:
            return self._answer(_failed("the text has changed since"))
        answer = await self._server.workspace_apply_edit_async(
            types.ApplyWorkspaceEditParams(edit, "Apply all safe fixes of jaxfix")
        )
        return {"ok": bool(answer.applied), "message": answer.failure_reason or ""}

    async def _hover(self, params: types.HoverParams) -> types.Hover | None:
        uri = params.text_document.uri
        view = await self.view(self._whole(uri))
        if view is None:
            return None
        at = types.Range(params.position, params.position)
        found = list(actions.near(view, self._settings_of(view.buffer.path), uri, at))
        if not found:
            return None
        receipts = [self._proof(view, diagnostic.key) for diagnostic, _ in found]
        texts = [
            pages.hover(diagnostic, f"{proof.verdict}: {proof.told}" if proof is not None else None)
            for (diagnostic, _), proof in zip(found, receipts, strict=True)
        ]
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, "\n\n---\n\n".join(texts)), found[0][1].range)

    async def _lenses(self, params: types.CodeLensParams) -> list[types.CodeLens]:
        view = await self.view(self._whole(params.text_document.uri))
        if view is None or not self._settings_of(view.buffer.path).code_lens:
            return []
        found = []
        for lens in view.lenses:
            placed = view.buffer.place(view.buffer.line_span(lens.line))
            if placed is not None:
                title = f"compiled {lens.compiles} x, {lens.seconds:.1f} s in the last trace"
                found.append(types.CodeLens(placed[1], types.Command(title, "")))  # words alone: nothing to press
        return found

    # --- commands ---------------------------------------------------------------------------------------------

    async def _trace(self, what: object = None) -> object:
        uri = _text(what, "uri")
        path, root = self._path(uri), self._root(self._path(uri))
        command = _text(what, "command") or self._script(path, root, self._settings_of(path))
        if path is None or root is None or not command:
            return _failed("only what is saved as a file can be run")
        if not await self._agreed(_text(what, "command"), f"Run `{command}` and see what it compiles?"):
            return _failed("nothing was run")
        cwd = root if root.is_dir() else root.parent
        with self._running("tracing", command) as is_free:
            if not is_free:
                return self._answer(_failed("something is running already"))
            return self._answer(await self._traced(command, cwd, root))

    async def _traced(self, command: str, cwd: Path, root: Path) -> dict[str, object]:
        with tempfile.TemporaryDirectory(prefix="jaxfix-") as folder:
            output = Path(folder) / "trace.json"
            try:
                async with running.progress(self._server, f"jaxfix: tracing `{command}`") as told:
                    ended = await running.trace(running.words(command), cwd, output, told)
            except (OSError, ValueError) as error:
                return _failed(f"`{command}` cannot be run: {error}")
            if ended is None:
                return _failed("the trace was cancelled")
            status, last = ended
            if not output.is_file():
                return _failed(f"`{command}` was not traced: {last}", status=status)
            try:
                self._seen[root] = seen = await asyncio.to_thread(tracing.read, output)
            except JaxfixError as error:
                return _failed(str(error), status=status)
        self._refresh()
        figures = {"compiles": seen.compiles, "again": seen.again, "seconds": round(seen.seconds, 3)}
        ended_badly = f"; the program ended with exit status {status}" if status else ""
        return {"ok": True, "message": f"{seen.summary}{ended_badly}", "status": status, **figures}

    def _clear_trace(self, where: object = None) -> object:
        root = self._root(self._path(_text(where, "uri")))
        known = [root] if root is not None else list(self._seen)
        for each in known:
            self._seen.pop(each, None)
        self._refresh()
        return {"ok": True, "message": ""}

    async def _prove(self, what: object = None) -> object:
        uri, key = _text(what, "uri"), _text(what, "key") or None
        path, root = self._path(uri), self._root(self._path(uri))
        view = await self.view(self._whole(uri))
        if path is None or root is None or view is None or view.buffer.is_notebook:
            return self._answer(_failed("only what is open, and saved as a file, can be proven"))
        if not path.is_file() or await asyncio.to_thread(files.read_bytes, path) != view.buffer.source.raw:
            return self._answer(_failed("save the file first: what is proven is what is on the disk"))
        given = _text(what, "command") or None
        is_shown = isinstance(what, Mapping) and "command" in what
        command = given if is_shown else self._situation(view, uri).command
        how = f"rerun `{command}`" if command is not None else "drive the optimizers of this file"
        question = f"{how[:1].upper()}{how[1:]} with and without the fix, in copies of `{root}`?"
        if not await self._agreed(is_shown, question):
            return _failed("nothing was run")
        with self._running("proving", command or path.name) as is_free:
            if not is_free:
                return self._answer(_failed("something is running already"))
            return self._answer(await self._proven(path, root, key, command))

    async def _proven(self, path: Path, root: Path, key: str | None, command: str | None) -> dict[str, object]:
        settings = self._settings_of(path)
        chosen = settings.select, settings.ignore
        task = Task(str(root), str(path), key, command, settings.python, settings.timeout, *chosen)
        async with running.progress(self._server, f"jaxfix: proving `{path.name}`") as told:
            found = await running.prove(task, told)
        if found.is_cancelled:
            return _failed("the proof was cancelled")
        self._proofs.setdefault(files.resolved(path), {}).update({each.key: each for each in found.proofs})
        self._refresh()
        receipts = [{"key": each.key, "verdict": each.verdict, "reason": each.told} for each in found.proofs]
        lines = [f"{each.verdict}: {each.told}" for each in found.proofs] + list(found.problems)
        return {"ok": bool(found.proofs), "message": "; ".join(lines) or "nothing was proven", "receipts": receipts}

    async def _explain(self, what: object = None) -> object:
        name = _text(what, "id") or (what if isinstance(what, str) else "")
        text = pages.markdown(name)
        if text is None:
            return _failed(f"no codemod is called `{name}`")
        window = self._client.window
        if self._wants_pages:
            self._server.protocol.notify("jaxfix/showPage", {"title": name, "markdown": text})
        elif window is not None and window.show_document is not None and window.show_document.support:
            self._pages = self._pages or tempfile.TemporaryDirectory(prefix="jaxfix-")
            page = Path(self._pages.name) / f"{name}.md"
            files.write_bytes(page, text.encode())
            await self._server.window_show_document_async(types.ShowDocumentParams(page.as_uri(), take_focus=True))
        else:
            self._show(text, types.MessageType.Info)
        return {"ok": True, "id": name, "markdown": text}

    async def _agreed(self, shown: object, question: str) -> bool:
        """Whether a person has said yes to a run: by choosing what showed the command, or to the question."""
        if shown:
            return True
        choices = [types.MessageActionItem(_RUN), types.MessageActionItem(_CANCEL)]
        answer = await self._server.window_show_message_request_async(
            types.ShowMessageRequestParams(types.MessageType.Info, question, choices)
        )
        return answer is not None and answer.title == _RUN

    @contextmanager
    def _running(self, state: str, what: str) -> Iterator[bool]:
        """One run at a time: two would measure each other."""
        if self._is_running:
            yield False
            return
        self._is_running = True
        self._status(state, what)
        try:
            yield True
        finally:
            self._is_running = False
            self._status("ready", "")

    def _answer(self, answer: dict[str, object]) -> dict[str, object]:
        """What became of a run, told to a person too: few clients show what a command returns."""
        kind = types.MessageType.Info if answer["ok"] else types.MessageType.Warning
        self._show(f"jaxfix: {answer['message']}", kind)
        return answer

    # --- telling ----------------------------------------------------------------------------------------------

    def _warn(self, problems: Iterable[str]) -> None:
        """Tells a person what is wrong with what is set, each thing once."""
        for problem in problems:
            logging.error("%s", problem)
            if problem not in self._said:
                self._said.add(problem)
                self._show(f"jaxfix: {problem}", types.MessageType.Warning)

    def _log_once(self, problems: Iterable[str]) -> None:
        """What a keystroke would repeat is logged once."""
        for problem in problems:
            if problem not in self._logged:
                self._logged.add(problem)
                logging.error("%s", problem)

    def _show(self, message: str, kind: types.MessageType) -> None:
        self._server.window_show_message(types.ShowMessageParams(kind, message))

    def _status(self, state: str, message: str) -> None:
        if self._wants_status:
            busy = state in ("surveying", "tracing", "proving")
            self._server.protocol.notify("jaxfix/status", {"state": state, "message": message, "busy": busy})

    def _later(self, name: object, delay_s: float, work: Callable[[], Coroutine[object, object, None]]) -> None:
        """Does `work` after a while; what was to be done under this name, and has not begun to matter, is left."""
        due = self._due.pop(name, None)
        if due is not None:
            due.cancel()

        async def done() -> None:
            await asyncio.sleep(delay_s)
            await work()

        task = asyncio.ensure_future(done())
        self._due[name] = task
        task.add_done_callback(partial(self._ended, name))

    def _ended(self, name: object, task: "asyncio.Task[None]") -> None:
        if self._due.get(name) is task:
            del self._due[name]
        error = None if task.cancelled() else task.exception()
        if error is not None:
            _log_bug(str(name), error)


def _handler(name: str, handler: Callable[..., object]) -> Callable[..., object]:
    """A bound method as a function, which pygls wants to mark as its own; what breaks in it is named in the log."""
    if asyncio.iscoroutinefunction(handler):

        async def later(ls: LanguageServer, *params: object) -> object:
            with _told(name):
                return await handler(*params)

        return later

    def at_once(ls: LanguageServer, *params: object) -> object:
        with _told(name):
            return handler(*params)

    return at_once


@contextmanager
def _told(name: str) -> Iterator[None]:
    try:
        yield
    except (JsonRpcException, asyncio.CancelledError):
        raise
    except Exception as error:
        _log_bug(name, error)
        raise


def _log_bug(name: str, error: BaseException) -> None:
    logging.error("a bug at `%s`: %s: %s", name, type(error).__name__, error, exc_info=error if _TRACEBACKS else None)


def _failed(message: str, **more: object) -> dict[str, object]:
    return {"ok": False, "message": message, **more}


def _text(value: object, name: str) -> str:
    """A string within what a client passes to a command; empty where there is none."""
    found = value.get(name) if isinstance(value, Mapping) else None
    return found if isinstance(found, str) else ""


def _path(uri: str) -> Path | None:
    """The file that a uri names; None for what is no file, or not here."""
    path = to_fs_path(uri) if uri.startswith("file:") else None
    return Path(path) if path else None


def _collect_seldom() -> None:
    """Lets the collector of cycles pass over what is loaded, and wait until a whole tree is there to be looked at."""
    gc.freeze()
    gc.set_threshold(200_000, 20, 50)
