"""Runs a command of jaxfix for a tool: one process for each, so that whatever it meets, the server lives on."""

import asyncio
import sys
from asyncio.subprocess import PIPE
from collections import deque
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio

from jaxfix.drivers import children
from jaxfix.source.errors import EvidenceError, UserError
from jaxfix.source.frozen import frozen

Told = Callable[[str], Awaitable[None]]
"""Called with each line that the command says while it goes on."""
_LAST = 20
_ERROR = "error: "


@frozen
class Called:
    """What a command has said; `errors` are sentences."""

    status: int
    stdout: str
    errors: tuple[str, ...]
    last: tuple[str, ...]

    @property
    def problem(self) -> UserError:
        """The message of a command without a result."""
        if self.errors:
            return UserError("; ".join(self.errors))
        words = self.last[-1] if self.last else "no output"
        return UserError(f"jaxfix ended with status {self.status}: {words}")


async def call(folder: Path, *words: str, given: bytes = b"", told: Told, timeout_s: float | None = None) -> Called:
    """Runs `jaxfix` with these words in `folder`.

    Raises:
      EvidenceError: it took too long, and was ended.
    """
    process = await asyncio.create_subprocess_exec(
        *children.command(*words),
        cwd=folder,
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        start_new_session=sys.platform != "win32",
        env=children.environment(),
    )
    try:
        with anyio.fail_after(timeout_s):
            return await _heard(process, given, told)
    except TimeoutError as error:
        raise EvidenceError(f"ended after {timeout_s:g} s", hint="raise `timeout_s`") from error
    finally:
        if process.returncode is None:
            with anyio.CancelScope(shield=True):
                await children.end(process)


async def _heard(process: asyncio.subprocess.Process, given: bytes, told: Told) -> Called:
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    stdout = asyncio.ensure_future(process.stdout.read())
    try:
        process.stdin.write(given)
        process.stdin.close()
        errors: list[str] = []
        last: deque[str] = deque(maxlen=_LAST)
        async for raw in children.lines(process.stderr):
            line = raw.decode(errors="replace").strip()
            if line.startswith(_ERROR):
                errors.append(line.removeprefix(_ERROR))
            elif line:
                last.append(line)
                await told(line)
        text = (await stdout).decode(errors="replace")
        return Called(await process.wait(), text, tuple(errors), tuple(last))
    finally:
        stdout.cancel()
