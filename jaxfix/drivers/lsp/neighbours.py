"""What the other files of its project tell each open text, from the process that surveys them."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from jaxfix.drivers import files
from jaxfix.drivers.lsp.buffers import Buffer
from jaxfix.drivers.lsp.documents import path_of
from jaxfix.drivers.lsp.editor import Editor
from jaxfix.drivers.lsp.schedule import Schedule
from jaxfix.drivers.lsp.surveying import Ask, Told
from jaxfix.drivers.lsp.surveyor import Surveyor
from jaxfix.drivers.workflow.request import Request

_SURVEY_S = 0.4
"""After the last change, before the other files are notified of it."""


class Neighbours:
    """What is known of the projects; `changed` is called when that changes."""

    def __init__(
        self,
        editor: Editor,
        schedule: Schedule,
        changed: Callable[[], None],
    ) -> None:
        self._client, self._documents, self._scopes = editor.client, editor.documents, editor.scopes
        self._schedule, self._changed = schedule, changed
        self._surveyor = Surveyor()
        self._told: dict[Path, Told] = {}
        self._runs: dict[Path, str | None] = {}
        self._anew: set[Path] = set()

    def told(self, path: Path | None) -> Told | None:
        """The project's answers for the file; None before the first survey, and for a file outside any project."""
        return self._told.get(files.resolved(path)) if path is not None else None

    def run(self, root: Path) -> str | None:
        """The program that the configuration of the project names."""
        return self._runs.get(root)

    def forget(self, path: Path | None) -> None:
        if path is not None:
            self._told.pop(files.resolved(path), None)

    def survey_soon(self, uri: str, *, anew: bool = False) -> None:
        """Surveys the project of a document; with `anew`, from the disk on."""
        path = path_of(uri)
        root = self._documents.root(path)
        if root is None or not root.is_dir():
            self.forget(path)  # it was in a folder that is closed now
            return
        if anew:
            self._anew.add(root)
        self._schedule.later(f"survey of {root}", _SURVEY_S, partial(self._survey, root))

    async def _survey(self, root: Path) -> None:
        """Asks what the project tells its open files, and says so where that is news."""
        settings, texts = self._scopes.of(root), self._texts(root)
        if not texts:
            return
        anew = root in self._anew
        self._anew.discard(root)
        ask = Ask(
            Request((str(root),), settings.select, settings.ignore), anew, {p: b.source for p, b in texts.items()}
        )
        with self._client.busy("surveying", root.name):
            found = await self._surveyor.survey(ask)
            self._client.summary = f"{found.files} files"
        self._client.log_once(found.errors)
        self._runs[root] = found.run
        news = {path: told for path, told in found.told.items() if self._told.get(path) != told}
        gone = [path for path in texts if path not in found.told and path in self._told]
        self._told.update(news)
        for path in gone:
            del self._told[path]
        if news or gone:
            self._changed()

    def _texts(self, root: Path) -> dict[Path, Buffer]:
        """What is open of the project, by the place of its file."""
        here = [uri for uri in self._documents.open if self._documents.root(path_of(uri)) == root]
        found = [buffer for uri in here if (buffer := self._documents.buffer(uri)) is not None]
        return {files.resolved(each.path): each for each in found if each.path is not None}

    def end(self) -> None:
        self._surveyor.end()
