"""Programs that the user has asked for: they run in processes of their own, with progress and an end."""

import asyncio
import json
import shlex
import sys
import uuid
from asyncio.subprocess import DEVNULL, PIPE, STDOUT
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Protocol

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from jaxfix.drivers import children
from jaxfix.drivers.lsp.task import Task
from jaxfix.report.wire import to_json
from jaxfix.source.frozen import frozen

_LONGEST = 120


class Progress(Protocol):
    """Hears how far the work has come; `cancelled` is set when the user wants it to end."""

    cancelled: asyncio.Event

    def report(self, message: str) -> None: ...


@frozen
class Proof:
    """What a rerun showed of one fix; `told` is a line for a person, `sha256` is of the source that it speaks of."""

    key: str
    verdict: str
    told: str
    sha256: str


@frozen
class Proven:
    """What became of a proof: `problems` are sentences."""

    proofs: tuple[Proof, ...] = ()
    problems: tuple[str, ...] = ()
    is_cancelled: bool = False


class _Silent:
    def __init__(self) -> None:
        self.cancelled = asyncio.Event()

    def report(self, message: str) -> None:
        return


class _Shown(_Silent):
    """An entry in the client's list of work in progress."""

    def __init__(self, server: LanguageServer, token: str) -> None:
        super().__init__()
        self._server, self._token = server, token
        loop = asyncio.get_running_loop()
        server.work_done_progress.tokens[token].add_done_callback(
            lambda _: loop.call_soon_threadsafe(self.cancelled.set)
        )

    def report(self, message: str) -> None:
        said = types.WorkDoneProgressReport(message=message[:_LONGEST], cancellable=True)
        self._server.work_done_progress.report(self._token, said)


@asynccontextmanager
async def progress(server: LanguageServer, title: str) -> AsyncIterator[Progress]:
    """Work that the client shows, if it can, and can end."""
    window = server.client_capabilities.window
    if window is None or not window.work_done_progress:
        yield _Silent()
        return
    token = str(uuid.uuid4())
    await server.work_done_progress.create_async(token)
    server.work_done_progress.begin(token, types.WorkDoneProgressBegin(title, cancellable=True))
    try:
        yield _Shown(server, token)
    finally:
        server.work_done_progress.end(token, types.WorkDoneProgressEnd())
        server.work_done_progress.tokens.pop(token, None)


def words(command: str) -> tuple[str, ...]:
    """The words of a command line.

    Raises:
      ValueError: its quotes do not match, or there are none.
    """
    found = tuple(shlex.split(command))
    if not found:
        raise ValueError("the command is empty")
    return found


def joined(given: Sequence[str]) -> str:
    """The command line of these words."""
    return shlex.join(given)


async def trace(command: Sequence[str], cwd: Path, output: Path, told: Progress) -> tuple[int, str] | None:
    """Runs the program under `jaxfix trace`; its exit status and the last line that it said, None if it was ended."""
    own = children.command("trace", "-o", str(output), "--", *command)
    process = await asyncio.create_subprocess_exec(
        *own, cwd=cwd, stdin=DEVNULL, stdout=PIPE, stderr=STDOUT, start_new_session=True, env=children.environment()
    )
    last = ""
    async with children.ended(process, told.cancelled):
        assert process.stdout is not None
        async for line in children.lines(process.stdout):
            last = line.decode(errors="replace").strip() or last
            told.report(last)
        status = await process.wait()
    return None if told.cancelled.is_set() else (status, last)


async def prove(task: Task, told: Progress) -> Proven:
    """Runs the proof in a process of its own."""
    own = (sys.executable, "-P", "-m", "jaxfix.drivers.lsp.proving")
    cwd = task.root if Path(task.root).is_dir() else str(Path(task.root).parent)
    process = await asyncio.create_subprocess_exec(
        *own, cwd=cwd, stdin=PIPE, stdout=PIPE, start_new_session=True, env=children.environment()
    )
    problems: list[str] = []
    proofs: tuple[Proof, ...] = ()
    async with children.ended(process, told.cancelled):
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps(to_json(task)).encode())
        process.stdin.close()
        async for line in children.lines(process.stdout):
            with suppress(ValueError, KeyError, TypeError):
                said = json.loads(line)
                if "progress" in said:
                    told.report(str(said["progress"]))
                elif "problem" in said:
                    problems.append(str(said["problem"]))
                else:
                    proofs = tuple(Proof(**entry) for entry in said["receipts"])
        status = await process.wait()
    if told.cancelled.is_set():
        return Proven(is_cancelled=True)
    if status and not problems:
        problems.append(f"the proof has ended with status {status}")
    return Proven(proofs, tuple(problems))
