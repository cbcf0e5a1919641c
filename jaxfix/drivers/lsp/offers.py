"""What the client asks for at a place of a document: actions, the hover, and the lenses."""

import re
import time
from functools import partial
from pathlib import Path

from lsprotocol import types

from jaxfix.drivers import files
from jaxfix.drivers.lsp import actions, edits, pages, running
from jaxfix.drivers.lsp.actions import Situation
from jaxfix.drivers.lsp.editor import Editor
from jaxfix.drivers.lsp.looks import Looks
from jaxfix.drivers.lsp.neighbours import Neighbours
from jaxfix.drivers.lsp.receipts import Receipts
from jaxfix.drivers.lsp.viewing import View
from jaxfix.drivers.workflow import programs
from jaxfix.drivers.workflow.driving import can_be_driven
from jaxfix.source.errors import JaxfixError

_FRESH_S = 20.0
"""Who imports a file is looked up again after this: actions are asked for at each move, and a project is large."""
_PYTHON = re.compile(r"(?<!\S)python(?= )")


class Offers:
    """Answers from the views."""

    def __init__(
        self,
        editor: Editor,
        neighbours: Neighbours,
        looks: Looks,
        receipts: Receipts,
    ) -> None:
        self._client, self._documents, self._scopes = editor.client, editor.documents, editor.scopes
        self._neighbours, self._looks, self._receipts = neighbours, looks, receipts
        self._programs: dict[Path, tuple[float, str | None]] = {}

    async def actions(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        uri = params.text_document.uri
        view = await self._looks.view(self._documents.whole(uri))
        if view is None:
            return []
        if any(
            diagnostic.fixable
            for diagnostic, _ in actions.near(view, self._scopes.of(view.buffer.path), uri, params.range)
        ):
            await self._find_program(view)
        found = actions.offered(self.situation(view, uri), params)
        if self._client.resolves:
            return found
        return [action for action in [await self.resolved(action) for action in found] if action.disabled is None]

    async def resolved(self, action: types.CodeAction) -> types.CodeAction:
        wanted = actions.wanted(action.data)
        if wanted is None:
            return action
        view = await self._looks.view(wanted.uri)
        if view is None or view.buffer.stamp != wanted.stamp:
            action.disabled = types.CodeActionDisabled("the text has changed since")
            return action
        try:
            made = await self._looks.aside(partial(wanted.change, view))
            action.edit = edits.workspace_edit(view.buffer, made, self._client.can)
        except JaxfixError as error:
            action.disabled = types.CodeActionDisabled(error.message)
        return action

    async def hover(self, params: types.HoverParams) -> types.Hover | None:
        uri = params.text_document.uri
        view = await self._looks.view(self._documents.whole(uri))
        if view is None:
            return None
        at = types.Range(params.position, params.position)
        found = list(actions.near(view, self._scopes.of(view.buffer.path), uri, at))
        if not found:
            return None
        receipts = [self._receipts.of(view.buffer, diagnostic.key) for diagnostic, _ in found]
        texts = [
            pages.hover(diagnostic, f"{proof.verdict}: {proof.told}" if proof is not None else None)
            for (diagnostic, _), proof in zip(found, receipts, strict=True)
        ]
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, "\n\n---\n\n".join(texts)), found[0][1].range)

    async def lenses(self, params: types.CodeLensParams) -> list[types.CodeLens]:
        uri = params.text_document.uri
        view = await self._looks.view(self._documents.whole(uri))
        if view is None or not self._scopes.of(view.buffer.path).code_lens:
            return []
        found = []
        for lens in view.lenses:
            placed = view.buffer.place(view.buffer.line_span(lens.line))
            if placed is not None and placed[0].uri == uri:
                title = f"compiled {lens.compiles} x, {lens.seconds:.1f} s in the last trace"
                found.append(types.CodeLens(placed[1], types.Command(title, "")))  # words alone: nothing to press
        return found

    def situation(self, view: View, uri: str) -> Situation:
        """All that decides what is offered."""
        path = view.buffer.path
        settings, root = self._scopes.of(path), self._documents.root(path)
        program = self._program(path, self.script(path))
        script = program or self.script(path)
        driven = path is not None and path.is_file() and can_be_driven(view.target)
        configured = settings.run or (self._neighbours.run(root) if root is not None else None)
        if view.buffer.is_notebook:
            configured = None  # it is run as a program of its own
        command = configured or (None if driven else program)
        return Situation(view, settings, uri, command, script, driven, partial(self._receipts.is_proven, view.buffer))

    async def _find_program(self, view: View) -> None:
        """Looks for what runs the file, unless that was done a moment ago; a notebook runs itself."""
        path = view.buffer.path
        if path is None or view.buffer.is_notebook or not path.is_file():
            return
        looked_at = self._programs.get(path, (-_FRESH_S, None))[0]
        if time.monotonic() - looked_at >= _FRESH_S:
            try:
                found = await self._looks.aside(partial(programs.commands, (path,)))
            except JaxfixError:
                return
            self._programs[path] = (time.monotonic(), next(iter(found), None))

    def _program(self, path: Path | None, script: str | None) -> str | None:
        """What runs the file: itself, or a program or a test that imports it; as far as nobody looked, itself."""
        if path is None or path not in self._programs:
            return script
        command = self._programs[path][1]
        python = self._scopes.of(path).python
        if command is None or python is None:
            return command
        return _PYTHON.sub(lambda _: running.joined((python,)), command, count=1)

    def script(self, path: Path | None) -> str | None:
        """What runs the file as a program, from its project."""
        root = self._documents.root(path)
        if path is None or root is None or not path.is_file():
            return None
        real, base = files.resolved(path), root if root.is_dir() else root.parent
        return running.joined((self._scopes.of(path).python or "python", str(real.relative_to(base))))
