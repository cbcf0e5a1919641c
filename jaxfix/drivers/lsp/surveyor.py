"""The server's end of the process that surveys projects."""

import asyncio
import logging
import pickle
import sys
from asyncio.subprocess import PIPE, Process

from jaxfix.drivers.lsp.surveying import GREETING, HEAD, Ask, Surveyed, main

_MOST_STARTS = 5
"""Whatever ends the process that often will end it again."""


class Surveyor:
    """Asks one question after the other; starts the process with the first."""

    def __init__(self) -> None:
        self._process: Process | None = None
        self._turn = asyncio.Lock()
        self._starts = 0

    async def survey(self, ask: Ask) -> Surveyed:
        """What the process answers; nothing where it cannot be asked.

        Who no longer wants the answer leaves it unread here, not in the pipe, where the next would take it for theirs.
        """
        return await asyncio.shield(self._surveyed(ask))

    async def _surveyed(self, ask: Ask) -> Surveyed:
        async with self._turn:
            for _ in range(2):
                if self._starts >= _MOST_STARTS:
                    break
                try:
                    return await self._asked(ask)
                except Exception as error:  # it has ended, or is of another version: what it says next cannot be read
                    told = str(error) or type(error).__name__
                    logging.error("the process that surveys the project has failed, and is ended: %s", told)
                    self.end()
            return Surveyed(errors=("the project cannot be surveyed: each file is analysed alone",))

    async def _asked(self, ask: Ask) -> Surveyed:
        process = self._process
        if process is None or process.returncode is not None:
            process = await self._started()
        assert process.stdin is not None and process.stdout is not None
        body = pickle.dumps(ask)
        process.stdin.write(HEAD.pack(len(body)) + body)
        await process.stdin.drain()
        (length,) = HEAD.unpack(await process.stdout.readexactly(HEAD.size))
        answer = pickle.loads(await process.stdout.readexactly(length))
        assert isinstance(answer, Surveyed)
        return answer

    async def _started(self) -> Process:
        self._starts += 1
        # `-P`: what lies in the working folder is a stranger's, and not to be imported.
        # `-c`: what is pickled there has to be of the module that it is of here.
        words = (sys.executable, "-P", "-c", f"from {main.__module__} import main; main()")
        process = self._process = await asyncio.create_subprocess_exec(*words, stdin=PIPE, stdout=PIPE)
        assert process.stdout is not None
        await process.stdout.readuntil(GREETING)
        return process

    def end(self) -> None:
        """Ends the process; the next question starts another."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
        self._process = None
