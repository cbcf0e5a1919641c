"""The SDK's own client, talking to `jaxfix mcp` over stdio."""

import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import ElicitResult

ROOT = Path(__file__).resolve().parents[1]


class Person:
    """Who answers the questions of a client, and remembers them."""

    def __init__(self, *, agrees: bool) -> None:
        self.agrees = agrees
        self.asked: list[str] = []

    async def answer(self, context: object, question: Any) -> ElicitResult:
        self.asked.append(question.message)
        return ElicitResult(action="accept", content={"run": True}) if self.agrees else ElicitResult(action="decline")


@asynccontextmanager
async def client(folder: Path, *options: str, person: Person | None = None) -> AsyncIterator[Client]:
    """A client of a server for `folder`; without a person it cannot ask."""
    places = (ROOT, ROOT / "codemods")
    own = {"PYTHONPATH": os.pathsep.join(map(str, places)), "XDG_DATA_HOME": str(folder.parent / "data")}
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "jaxfix", "mcp", *options, str(folder)],
        env={**os.environ, **own, "PATH": path},
    )
    async with Client(stdio_client(server), elicitation_callback=person.answer if person else None) as found:
        yield found


async def called(talk: Client, tool: str, **arguments: object) -> Mapping[str, Any]:
    """What the tool answers."""
    answer = await talk.call_tool(tool, arguments)
    assert not answer.is_error and answer.structured_content is not None, answer.content
    return answer.structured_content


async def refused(talk: Client, tool: str, **arguments: object) -> str:
    """The line that the tool refuses with."""
    answer = await talk.call_tool(tool, arguments)
    assert answer.is_error, answer.structured_content
    (said,) = answer.content
    text: str = getattr(said, "text", "")
    assert "\n" not in text
    return text.partition(f"tool {tool}: ")[2]
