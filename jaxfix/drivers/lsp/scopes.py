"""The client's settings, which each of its folders may have of its own."""

from collections.abc import Callable
from pathlib import Path

from jaxfix.drivers import files
from jaxfix.drivers.lsp.client import Client
from jaxfix.drivers.lsp.documents import Documents
from jaxfix.drivers.lsp.settings import Settings, read


class Scopes:
    """The settings as they are now; `changed` is notified of others."""

    def __init__(self, client: Client, documents: Documents, changed: Callable[[], None]) -> None:
        self._client, self._documents, self._changed = client, documents, changed
        self._base = self._all = Settings()
        self._scoped: dict[Path, Settings] = {}

    def greeted(self, options: object) -> tuple[str, ...]:
        """Sets the defaults for what the client does not configure; returns sentences about errors."""
        found = read(options)
        self._base = self._all = found.settings
        return found.problems

    def of(self, path: Path | None) -> Settings:
        """Those of the deepest folder around the file; those of all where there is none."""
        real = files.resolved(path) if path is not None and self._scoped else None
        around = [folder for folder in self._scoped if real is not None and real.is_relative_to(folder)]
        return self._scoped[max(around, key=lambda each: len(each.parts))] if around else self._all

    async def renew(self, given: object = None) -> None:
        """Asks the client for its settings; of one that cannot be asked `given` counts, where it has sent that."""
        before = self._all, self._scoped
        folders = self._documents.folders
        values = await self._client.settings([None, *(folder.as_uri() for folder in folders)])
        if values is None:
            values = [given] if given else []
        found = [read(value, self._base) for value in values]
        if found:
            self._all = found[0].settings
            scoped = zip(folders, found[1:], strict=False)
            self._scoped = {files.resolved(folder): each.settings for folder, each in scoped}
            self._client.warn(problem for each in found for problem in each.problems)
        if before != (self._all, self._scoped):
            self._changed()
