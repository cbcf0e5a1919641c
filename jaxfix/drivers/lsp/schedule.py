"""Work that is due a little later, by name."""

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial

from jaxfix.drivers.lsp.bugs import log_bug

Work = Callable[[], Coroutine[object, object, None]]


class Schedule:
    """What is still to be done, or being done."""

    def __init__(self) -> None:
        self._due: dict[str, asyncio.Task[None]] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._due

    def later(self, name: str, delay_s: float, work: Work) -> None:
        """Runs `work` after a delay, in place of the pending work of this name; a failure is logged."""
        self.drop(name)

        async def done() -> None:
            await asyncio.sleep(delay_s)
            await work()

        task = self._due[name] = asyncio.ensure_future(done())
        task.add_done_callback(partial(self._ended, name))

    def drop(self, name: str) -> None:
        due = self._due.pop(name, None)
        if due is not None:
            due.cancel()

    async def end(self) -> None:
        """Leaves nothing running."""
        due = list(self._due.values())
        for task in due:
            task.cancel()
        await asyncio.gather(*due, return_exceptions=True)

    def _ended(self, name: str, task: "asyncio.Task[None]") -> None:
        if self._due.get(name) is task:
            del self._due[name]
        error = None if task.cancelled() else task.exception()
        if error is not None:
            log_bug(name, error)
