"""What the client has open, and where that belongs. A document is named by its uri as the client spells it."""

from pathlib import Path
from urllib.parse import unquote

from lsprotocol import types
from pygls.uris import to_fs_path

from jaxfix.drivers import files
from jaxfix.drivers.lsp import placing
from jaxfix.drivers.lsp.buffers import Buffer, Stamp, code_of, of_notebook, of_text, stamp_of_notebook, stamp_of_text
from jaxfix.drivers.lsp.client import Client
from jaxfix.drivers.lsp.texts import Text, Texts
from jaxfix.report.report import Related
from jaxfix.source.errors import SourceError


class Documents:
    """The texts and notebooks that are open, and the folders."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._space = Texts(None)
        self._roots: dict[Path, Path] = {}
        self._real: dict[Path, Path] = {}

    def greeted(self, params: types.InitializeParams) -> None:
        kind, folders = types.TextDocumentSyncKind.Incremental, params.workspace_folders or []
        self._space = Texts(params.root_uri, kind, folders, self._client.encoding)
        self._client.server.protocol._workspace = self._space

    @property
    def folders(self) -> list[Path]:
        """Those that the client has open."""
        found = [path for each in self._space.folders.values() if (path := path_of(each.uri)) is not None]
        root = self._space.root_path
        return found or ([Path(root)] if root else [])

    @property
    def open(self) -> list[str]:
        """The uris of what is open: texts, and notebooks in place of their cells."""
        texts = [text.uri for text in self._space.text_documents.values()]
        notebooks = [notebook.uri for notebook in self._space.notebook_documents.values()]
        return [*(uri for uri in texts if self.whole(uri) == uri), *notebooks]

    def whole(self, uri: str) -> str:
        """The uri of the notebook that a cell is part of; any other uri stays."""
        notebook = self._space.get_notebook_document(cell_uri=uri)
        return notebook.uri if notebook is not None else uri

    def is_notebook(self, uri: str) -> bool:
        return self._space.get_notebook_document(notebook_uri=uri) is not None

    def stamp(self, uri: str) -> Stamp | None:
        """That of the buffer at `uri`; None where nothing is open."""
        notebook, text = self._space.get_notebook_document(notebook_uri=uri), self._text(uri)
        if notebook is not None:
            return stamp_of_notebook(notebook, self._texts)
        return stamp_of_text(text) if text is not None else None

    def buffer(self, uri: str) -> Buffer | None:
        """What is open at `uri`, as it is now; None where nothing is, or nothing that a file could hold."""
        notebook, text = self._space.get_notebook_document(notebook_uri=uri), self._text(uri)
        path, encoding = path_of(uri), self._client.encoding
        try:
            if notebook is not None:
                return of_notebook(notebook, self._texts, path, encoding)
            return of_text(text, path, encoding) if text is not None else None
        except (SourceError, UnicodeError):
            return None

    def _text(self, uri: str) -> Text | None:
        text = self._space.text_documents.get(unquote(uri))
        return text if isinstance(text, Text) else None

    @property
    def _texts(self) -> dict[str, Text]:
        return {text.uri: text for text in self._space.text_documents.values() if isinstance(text, Text)}

    def line(self, at: Related) -> types.Location | None:
        """The whole line of another file, by the name that the client has for it; None in cells that are not open."""
        real = self._resolved(Path(at.path or ""))
        named = {self._resolved(path): uri for uri in self.open if (path := path_of(uri)) is not None}
        uri = named.get(real, real.as_uri())
        if at.cell is not None:
            notebook = self._space.get_notebook_document(notebook_uri=uri)
            cells = code_of(notebook, self._texts) if notebook is not None else []
            if len(cells) < at.cell:
                return None
            uri = cells[at.cell - 1].uri
        return types.Location(uri, types.Range(types.Position(at.line - 1, 0), types.Position(at.line, 0)))

    def _resolved(self, path: Path) -> Path:
        known = self._real
        if path not in known:
            known[path] = files.resolved(path)
        return known[path]

    def root(self, path: Path | None) -> Path | None:
        """The project of the file; the file itself where there is none."""
        if path is None:
            return None
        known = self._roots
        if path not in known:
            known[path] = placing.root(path, self.folders) or files.resolved(path)
        return known[path]

    def read_anew(self) -> None:
        """Looks for files and their projects again when they are asked for: something has changed on the disk."""
        self._roots, self._real = {}, {}


def path_of(uri: str) -> Path | None:
    """The file that a uri names; None for what is not a file, or not here."""
    path = to_fs_path(uri) if uri.startswith("file:") else None
    return Path(path) if path else None
