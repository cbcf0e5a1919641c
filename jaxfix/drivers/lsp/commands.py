"""Commands by name: runs of the user's programs, which need a yes, and those that need none."""

import asyncio
import hashlib
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from lsprotocol import types

from jaxfix.drivers import files
from jaxfix.drivers.lsp import actions, edits, pages, running, tracing
from jaxfix.drivers.lsp.buffers import Buffer
from jaxfix.drivers.lsp.documents import path_of
from jaxfix.drivers.lsp.editor import Editor
from jaxfix.drivers.lsp.looks import Looks
from jaxfix.drivers.lsp.offers import Offers
from jaxfix.drivers.lsp.publishing import Publishing
from jaxfix.drivers.lsp.receipts import Receipts
from jaxfix.drivers.lsp.task import Task
from jaxfix.drivers.lsp.tracing import Traces
from jaxfix.source.errors import JaxfixError

Answer = dict[str, object]


class Commands:
    """One run at a time: two would measure each other."""

    def __init__(
        self,
        editor: Editor,
        looks: Looks,
        traces: Traces,
        receipts: Receipts,
        offers: Offers,
        publishing: Publishing,
    ) -> None:
        self._client, self._documents, self._scopes = editor.client, editor.documents, editor.scopes
        self._looks, self._traces, self._receipts = looks, traces, receipts
        self._offers, self._publishing = offers, publishing
        self._pages: tempfile.TemporaryDirectory[str] | None = None
        self._is_running = False

    async def trace(self, what: object = None) -> Answer:
        path, shown = path_of(self._uri(what)), _text(what, "command")
        root = self._documents.root(path)
        command = shown or self._offers.script(path)
        if path is None or root is None or not command:
            return _failed("only a saved file can be run")
        if not (shown or await self._client.agrees(f"Run `{command}` and list its compiles?")):
            return _failed("nothing was run")
        with self._running("tracing", command) as is_free:
            if not is_free:
                return self._told(_failed("another run is in progress"))
            return self._told(await self._traced(command, root if root.is_dir() else root.parent, root))

    async def _traced(self, command: str, cwd: Path, root: Path) -> Answer:
        with tempfile.TemporaryDirectory(prefix="jaxfix-") as folder:
            output = Path(folder) / "trace.json"
            try:
                async with running.progress(self._client.server, f"jaxfix: tracing `{command}`") as told:
                    ended = await running.trace(running.words(command), cwd, output, told)
            except (OSError, ValueError) as error:
                return _failed(f"`{command}` cannot be run: {error}")
            if ended is None:
                return _failed("the trace was cancelled")
            status, last = ended
            if not output.is_file():
                return _failed(f"`{command}` was not traced: {last}", status=status)
            try:
                seen = await asyncio.to_thread(tracing.read, output)
            except JaxfixError as error:
                return _failed(str(error), status=status)
        self._traces.keep(root, seen)
        self._publishing.refresh()
        figures = {"compiles": seen.compiles, "again": seen.again, "seconds": round(seen.seconds, 3)}
        ended_badly = f"; the program ended with exit status {status}" if status else ""
        return {"ok": True, "message": f"{seen.summary}{ended_badly}", "status": status, **figures}

    def clear_trace(self, where: object = None) -> Answer:
        self._traces.clear(self._documents.root(path_of(self._uri(where))))
        self._publishing.refresh()
        return {"ok": True, "message": ""}

    async def prove(self, what: object = None) -> Answer:
        view = await self._looks.view(self._uri(what))
        path = view.buffer.path if view is not None else None
        root = self._documents.root(path)
        if view is None or path is None or root is None:
            return self._told(_failed("only an open, saved file can be proven"))
        raw = await asyncio.to_thread(files.read_bytes, path) if path.is_file() else None
        if raw is None or not view.buffer.says(raw):
            return self._told(_failed("save the file first: a proof reads it from disk"))
        is_shown = isinstance(what, Mapping) and "command" in what
        command = _text(what, "command") or None
        if not is_shown:
            command = self._offers.situation(view, view.buffer.uri).command
        how = f"Rerun `{command}`" if command is not None else "Drive the optimizers of this file"
        if not (is_shown or await self._client.agrees(f"{how} with and without the fix, in copies of `{root}`?")):
            return _failed("nothing was run")
        with self._running("proving", command or path.name) as is_free:
            if not is_free:
                return self._told(_failed("another run is in progress"))
            settings, key = self._scopes.of(path), _text(what, "key") or None
            chosen = settings.select, settings.ignore
            task = Task(str(root), str(path), key, command, settings.python, settings.timeout, *chosen)
            return self._told(await self._proven(view.buffer, raw, task))

    async def _proven(self, buffer: Buffer, raw: bytes, task: Task) -> Answer:
        """Proves what the task says of the buffer, whose file has these bytes."""
        async with running.progress(self._client.server, f"jaxfix: proving `{Path(task.path).name}`") as told:
            found = await running.prove(task, told)
        if found.is_cancelled:
            return _failed("the proof was cancelled")
        digest = hashlib.sha256(raw).hexdigest()
        self._receipts.keep(buffer, (proof for proof in found.proofs if proof.sha256 == digest))
        self._publishing.refresh()
        receipts = [{"key": each.key, "verdict": each.verdict, "reason": each.told} for each in found.proofs]
        lines = [f"{each.verdict}: {each.told}" for each in found.proofs] + list(found.problems)
        return {"ok": bool(found.proofs), "message": "; ".join(lines) or "nothing was proven", "receipts": receipts}

    async def explain(self, what: object = None) -> Answer:
        name = _text(what, "id") or (what if isinstance(what, str) else "")
        text = pages.markdown(name)
        if text is None:
            return _failed(f"no codemod is called `{name}`")
        await self._client.show_page(name, text, self._saved(name, text) if self._client.shows_files else None)
        return {"ok": True, "id": name, "markdown": text}

    def _saved(self, name: str, text: str) -> Path:
        self._pages = self._pages or tempfile.TemporaryDirectory(prefix="jaxfix-")
        page = Path(self._pages.name) / f"{name}.md"
        files.write_bytes(page, text.encode())
        return page

    async def fix_all(self, where: object = None) -> Answer:
        uri = self._uri(where)
        view = await self._looks.view(uri)
        if view is None:
            return self._told(_failed("the document is not open"))
        if view.is_installed:
            return self._told(_failed("installed packages are not written"))
        try:
            made = await self._looks.aside(partial(actions.all_safe(view).change, view))
            edit = edits.workspace_edit(view.buffer, made, self._client.can)
        except JaxfixError as error:
            return self._told(_failed(error.message))
        now = self._documents.buffer(uri)
        if now is None or now.stamp != view.buffer.stamp:
            return self._told(_failed("the text has changed since"))
        label = "Apply all safe fixes of jaxfix"
        answer = await self._client.server.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(edit, label))
        return {"ok": bool(answer.applied), "message": answer.failure_reason or ""}

    def end(self) -> None:
        if self._pages is not None:
            self._pages.cleanup()

    def _uri(self, what: object) -> str:
        """The document that is meant; the notebook, where it is a cell."""
        return self._documents.whole(_text(what, "uri"))

    @contextmanager
    def _running(self, state: str, what: str) -> Iterator[bool]:
        """Whether the way is free, until the block ends."""
        if self._is_running:
            yield False
            return
        self._is_running = True
        try:
            with self._client.busy(state, what):
                yield True
        finally:
            self._is_running = False

    def _told(self, answer: Answer) -> Answer:
        """What became of a run, shown as a message too: few clients show what a command returns."""
        kind = types.MessageType.Info if answer["ok"] else types.MessageType.Warning
        self._client.show(f"jaxfix: {answer['message']}", kind)
        return answer


def _failed(message: str, **more: object) -> Answer:
    return {"ok": False, "message": message, **more}


def _text(value: object, name: str) -> str:
    """A string within what a client passes to a command; empty where there is none."""
    found = value.get(name) if isinstance(value, Mapping) else None
    return found if isinstance(found, str) else ""
