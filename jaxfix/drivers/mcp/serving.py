"""The tools as a client of the Model Context Protocol sees them."""

import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Annotated, TypeVar

from mcp.server.elicitation import AcceptedElicitation, ElicitationResult
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.resolve import Elicit, Resolve
from mcp.types import ToolAnnotations
from pydantic import BaseModel, Field

from jaxfix import __version__
from jaxfix.drivers import files
from jaxfix.drivers.mcp import explaining, paging, permission, results
from jaxfix.drivers.mcp.calling import Told
from jaxfix.drivers.mcp.options import SKILL, Options
from jaxfix.drivers.mcp.service import Page, Rerun, Service
from jaxfix.source.errors import ConfigError, JaxfixError

T = TypeVar("T")

Paths = Annotated[
    list[str],
    Field(description="Files and folders below the server's folder; empty is all of it.", default_factory=list),
]
Select = Annotated[list[str], Field(description="Ids of codemods; empty is all.", default_factory=list)]
TraceName = Annotated[
    str | None, Field(description="The file that `trace` named: adds findings that only a run can show.")
]
Offset = Annotated[int, Field(description="Where the page begins: `next_offset` of the one before.")]
Limit = Annotated[int, Field(description=f"Entries of a page, at most {paging.LARGEST}.")]
Run = Annotated[str, Field(description="The program, such as `python train.py --steps 5`; it has to be deterministic.")]
Timeout = Annotated[float, Field(description="Seconds that each run may take.", gt=0)]


class Permission(BaseModel):
    """A person's answer."""

    run: bool = Field(description="Whether the program may run now.")


async def allowed_to_trace(run: str, context: Context) -> Permission | Elicit[Permission]:
    """A yes for a trace, or the question."""
    return _asked(run, context, "trace what it compiles")


async def allowed_to_prove(run: str, context: Context) -> Permission | Elicit[Permission]:
    """A yes for a proof, or the question."""
    return _asked(run, context, "prove a change: without it and with it, in copies of the project")


Tracing = Annotated[ElicitationResult[Permission], Resolve(allowed_to_trace)]
Proving = Annotated[ElicitationResult[Permission], Resolve(allowed_to_prove)]


async def check(
    context: Context,
    paths: Paths,
    select: Select,
    everything: Annotated[bool, Field(description="Also findings that cost only if callers repeat them.")] = False,
    trace: TraceName = None,
    offset: Offset = 0,
    limit: Limit = 20,
) -> results.Checked:
    """Finds lines that make a JAX program recompile, leak memory, drift in dtype or waste work. Runs nothing."""
    work = _service(context).check(paths, select, trace, Page(offset, limit), _told(context), everything=everything)
    return await _done(work)


async def upgrade(
    context: Context,
    paths: Paths,
    to: Annotated[str | None, Field(description="The target, such as `jax==0.12`; the installed one if null.")] = None,
    came_from: Annotated[
        str | None, Field(description="What the code was written for, as `0.4.30`; what the project says if null.")
    ] = None,
    offset: Offset = 0,
    limit: Limit = 20,
) -> results.Upgraded:
    """Reports what another version of jax removed or does otherwise: what raises, warns, differs. Runs nothing."""
    return await _done(_service(context).upgrade(paths, to, came_from, Page(offset, limit), _told(context)))


async def trace(
    context: Context, run: Run, permission: Tracing, offset: Offset = 0, limit: Limit = 20, timeout_s: Timeout = 600
) -> results.Traced:
    """Runs the program once, as it is, and tells by line what it compiled, how often again, and why."""
    with _said():
        _refuse(run, permission)
    return await _done(_service(context).trace(Rerun(run, timeout_s), Page(offset, limit), _told(context)))


async def propose(
    context: Context,
    paths: Paths,
    select: Select,
    trace: TraceName = None,
    to: Annotated[
        str | None, Field(description="A version such as `jax==0.12`: what brings the code there, and nothing else.")
    ] = None,
    offset: Offset = 0,
) -> results.Proposed:
    """The fixes of all findings, as one diff for `git apply`. Runs, writes and proves nothing."""
    return await _done(_service(context).propose(paths, select, trace, to, offset, _told(context)))


async def prove(
    context: Context,
    run: Run,
    permission: Proving,
    paths: Paths,
    select: Select,
    diff: Annotated[
        str | None, Field(description="Any unified diff; without one the fixes of `paths` are proven.")
    ] = None,
    receipt: Annotated[str | None, Field(description="A new JSON file below the folder, to pass on.")] = None,
    rounding: Annotated[bool, Field(description="Whether a diff may change results by rounding.")] = False,
    steps: Annotated[
        int | None, Field(description="End the program after this many calls of the changed functions.", ge=3)
    ] = None,
    timeout_s: Timeout = 600,
) -> results.Proved:
    """Runs the program without and with a change, in copies, and says whether results are equal and compiles fewer."""
    with _said():
        _refuse(run, permission)
        if diff is not None and (paths or select):
            raise ConfigError("`diff` is a change, and `paths` and `select` choose fixes: give one of the two")
    service, rerun = _service(context), Rerun(run, timeout_s, steps, rounding)
    if diff is not None:
        return await _done(service.prove_diff(diff, rerun, receipt, _told(context)))
    return await _done(service.prove_fixes(paths, select, rerun, receipt, _told(context)))


async def receipts(
    context: Context,
    path: Annotated[str | None, Field(description="Only those of this file or folder.")] = None,
    offset: Offset = 0,
    limit: Limit = 20,
) -> results.Receipts:
    """What the reruns of `jaxfix apply` have shown in this project, and what of it has expired. Runs nothing."""
    return await _done(_service(context).receipts(path, Page(offset, limit), _told(context)))


async def explain(
    context: Context,
    about: Annotated[
        str, Field(description="A codemod's id, a reason code, `path:line` of a finding, or a receipt file.")
    ],
) -> results.Explained:
    """The page of a codemod, what a reason code means, all that is known of a finding, whether a receipt holds here."""
    service = _service(context)
    if about.endswith(".json"):
        return await _done(service.verified(about, _told(context)))
    return await _done(explaining.explained(about, service, _told(context)))


_QUIET = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_RUNS = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=True)
_TOOLS: dict[Callable[..., Awaitable[object]], ToolAnnotations] = {
    **dict.fromkeys((check, upgrade, propose, receipts, explain), _QUIET),
    **dict.fromkeys((trace, prove), _RUNS),
}


def made(options: Options) -> MCPServer:
    """The server with its tools."""

    @asynccontextmanager
    async def serviced(server: MCPServer[Service]) -> AsyncIterator[Service]:
        with tempfile.TemporaryDirectory(prefix="jaxfix-") as folder:
            yield Service(options, Path(folder))

    skill = files.read_bytes(SKILL).decode().partition("---\n")[2].partition("---\n")[2].strip()
    server = MCPServer("jaxfix", version=__version__, instructions=skill, log_level="CRITICAL", lifespan=serviced)
    for tool, annotations in _TOOLS.items():
        server.add_tool(tool, annotations=annotations)
    return server


def serve(options: Options) -> int:
    """Serves one client over stdin and stdout until it goes; returns the exit code."""
    try:
        made(options).run("stdio")
    except* BrokenPipeError:  # the client was killed: nobody is left to answer
        pass
    return 0


def _asked(run: str, context: Context, what: str) -> Permission | Elicit[Permission]:
    with _said():
        found = permission.agenda(run)
        if permission.is_granted(found, _service(context).options):
            return Permission(run=True)
        can = context.client_capabilities
        if can is None or can.elicitation is None:
            raise permission.refused(found, "no one has agreed to it, and this client cannot ask")
        return Elicit(permission.question(found, what), Permission)


def _refuse(run: str, answer: ElicitationResult[Permission]) -> None:
    """Raises EvidenceError unless the answer is a yes."""
    if not (isinstance(answer, AcceptedElicitation) and answer.data.run):
        raise permission.refused(permission.agenda(run), "the answer was no")


def _service(context: Context) -> Service:
    found: object = context.request_context.lifespan_context
    assert isinstance(found, Service)
    return found


def _told(context: Context) -> Told:
    count = 0

    async def told(line: str) -> None:
        nonlocal count
        count += 1
        await context.report_progress(count, None, line)

    return told


async def _done(work: Awaitable[T]) -> T:
    with _said():
        return await work


@contextmanager
def _said() -> Iterator[None]:
    """Errors that a person can mend, as the tool's answer."""
    try:
        yield
    except JaxfixError as error:
        raise ToolError(" ".join(str(error).split())) from error
