"""What each open document shows, analysed again where it is another text, or something else is known."""

import asyncio
import gc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from jaxfix.drivers.lsp import pages, viewing
from jaxfix.drivers.lsp.buffers import Buffer
from jaxfix.drivers.lsp.documents import path_of
from jaxfix.drivers.lsp.editor import Editor
from jaxfix.drivers.lsp.neighbours import Neighbours
from jaxfix.drivers.lsp.placing import Place, Places
from jaxfix.drivers.lsp.schedule import Schedule
from jaxfix.drivers.lsp.settings import Settings
from jaxfix.drivers.lsp.tracing import Traces
from jaxfix.drivers.lsp.viewing import View
from jaxfix.engine.seen import Sighting
from jaxfix.source.errors import ConfigError

T = TypeVar("T")

_COLLECT = "collect"
_COLLECT_S = 3.0
"""So long the garbage of messages may wait; a collection takes as long as half a look."""


class Looks:
    """The views of the open documents, and the one thread that makes them."""

    def __init__(
        self,
        editor: Editor,
        neighbours: Neighbours,
        traces: Traces,
        schedule: Schedule,
    ) -> None:
        self._client, self._documents, self._scopes = editor.client, editor.documents, editor.scopes
        self._neighbours, self._traces, self._schedule = neighbours, traces, schedule
        self._places: Places | None = None
        self._views: dict[str, tuple[int, View]] = {}
        self._going: dict[str, asyncio.Task[None]] = {}
        self._epoch = 0
        self._thread = ThreadPoolExecutor(1, "look")

    async def view(self, uri: str) -> View | None:
        """What the document shows as it is now; None where it shows nothing, as it is not open, or cannot be analysed.

        Who asks while a look goes on waits for it, and gives up without ending it; texts that have been typed over in
        between are never analysed.
        """
        while True:
            known, stamp = self._views.get(uri), self._documents.stamp(uri)
            settings = self._scopes.of(path_of(uri))
            if known is not None and settings.enable and (known[0], known[1].buffer.stamp) == (self._epoch, stamp):
                return known[1]
            buffer = self._documents.buffer(uri)
            if buffer is None or not settings.enable:
                self._views.pop(uri, None)
                return None
            if uri not in self._going:
                look = self._going[uri] = asyncio.ensure_future(self._look(buffer, settings, self._epoch))
                look.add_done_callback(_heard)
            try:
                await asyncio.shield(self._going[uri])
            except ConfigError as error:
                self._client.warn([str(error)])
                return None

    async def aside(self, work: Callable[[], T]) -> T:
        """Does work in the thread that looks: one after the other."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def outdate(self) -> None:
        """What is known beside the texts has changed."""
        self._epoch += 1

    def read_anew(self) -> None:
        """Reads the configuration again on request; a look in progress keeps the one that it started with."""
        self._places = None

    def forget(self, uri: str) -> None:
        self._views.pop(uri, None)

    def end(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _look(self, buffer: Buffer, settings: Settings, epoch: int) -> None:
        try:
            view = await self._viewed(buffer, settings)
        finally:
            del self._going[buffer.uri]  # at once: who comes after that would wait for what is over
        if self._documents.stamp(buffer.uri) is not None:  # it may have been closed in between
            self._views[buffer.uri] = epoch, view
        if _COLLECT not in self._schedule:
            self._schedule.later(_COLLECT, _COLLECT_S, self._collect)

    async def _collect(self) -> None:
        """Ends cycles in the thread that makes the most of what is to be looked through for them."""
        await self.aside(gc.collect)

    async def _viewed(self, buffer: Buffer, settings: Settings) -> View:
        known = self._views.get(buffer.uri)
        found = await self.aside(partial(self._made, buffer, settings))
        self._client.log_once(found.bugs)
        self._client.warn(self._traces.problems)
        if found.error is not None and known is not None:
            found = viewing.carried(known[1], found)
        return found

    def _made(self, buffer: Buffer, settings: Settings) -> View:
        """In the thread: one look."""
        told = self._neighbours.told(buffer.path)
        target = viewing.target(buffer, self._place(buffer, settings), told, self._seen(buffer, settings))
        return viewing.view(buffer, target)

    def _place(self, buffer: Buffer, settings: Settings) -> Place:
        places = self._places
        if places is None:
            places = self._places = Places(pages.registry().codemods)
        return places.of(buffer.path, buffer.source, settings)

    def _seen(self, buffer: Buffer, settings: Settings) -> tuple[Sighting, ...]:
        root = self._documents.root(buffer.path)
        if root is None or buffer.path is None:
            return ()
        seen = self._traces.of(root, settings.trace_file)
        return seen.of(buffer.path, buffer.source) if seen is not None else ()


def _heard(look: "asyncio.Task[None]") -> None:
    """Errors are reported by the caller that waits for the look, if there still is one."""
    if not look.cancelled():
        look.exception()
