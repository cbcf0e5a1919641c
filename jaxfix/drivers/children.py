"""jaxfix commands that a front end starts in processes of their own, which end with all that they have started."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

_PATIENCE_S = 10.0
"""What a process may take to end its own ones before it is killed."""


def command(*words: str) -> tuple[str, ...]:
    """What runs `jaxfix` with these words; nothing is imported from the working folder."""
    return sys.executable, "-P", "-m", "jaxfix", *words


def environment() -> dict[str, str]:
    """That of such a process, whose output is read line by line."""
    return {**os.environ, "PYTHONUNBUFFERED": "1", "NO_COLOR": "1"}


async def lines(stream: asyncio.StreamReader) -> AsyncIterator[bytes]:
    """The lines of a program, of which some may be endless: those come in pieces."""
    held = b""
    while piece := await stream.read(1 << 16):
        *whole, held = (held + piece).replace(b"\r", b"\n").split(b"\n")
        for line in whole:
            yield line
        held = held[-(1 << 20) :]
    if held:
        yield held


@asynccontextmanager
async def ended(process: Process, cancelled: asyncio.Event) -> AsyncIterator[None]:
    """Ends the process and all that it has started when `cancelled` is set, and in any case in the end."""

    async def waiting() -> None:
        await cancelled.wait()
        await end(process)

    watch = asyncio.ensure_future(waiting())
    try:
        yield
    finally:
        watch.cancel()
        if process.returncode is None or cancelled.is_set():
            await asyncio.shield(end(process))


async def end(process: Process) -> None:
    """Asks it to end, and forces it after a while; what is left in its session is killed."""
    if process.returncode is None:
        _signal(process, signal.SIGTERM)  # jaxfix ends its rerun and clears away its copies
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(process.wait(), _PATIENCE_S)
    _signal(process, getattr(signal, "SIGKILL", signal.SIGTERM))


def _signal(process: Process, number: int) -> None:
    with suppress(OSError):
        if sys.platform != "win32":
            os.killpg(process.pid, number)
        else:
            process.terminate()
