"""Talks to `jaxfix mcp` with the SDK's own client, as an agent would, and writes down what was said."""

import asyncio
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp import Client

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "evidence" / "agents.md"
RUN = "python train.py"
_LEAD = """\
# A conversation of an agent

Written by `python -m benchmarks.agents`: the client of the MCP SDK talks to `jaxfix mcp` over stdio, about a copy of
`examples/train.py`. It plays an agent that follows [the skill file](../agents.md): find, fix, prove, hand over the
receipt. The person whom the server asks says yes, except to the last request.
"""


@dataclass
class Talk:
    """What was said, as Markdown."""

    said: list[str] = field(default_factory=lambda: [_LEAD])

    def tell(self, words: str) -> None:
        self.said.append(f"{words}\n")

    async def call(self, agent: Client, tool: str, **arguments: object) -> Mapping[str, Any]:
        begun = time.perf_counter()
        answer = await agent.call_tool(tool, arguments)
        shown = answer.structured_content or {"error": getattr(answer.content[0], "text", "")}
        took = f"{time.perf_counter() - begun:.1f} s"
        self.tell(
            f"**`{tool}`** `{json.dumps(arguments)[:200]}`, {took}:\n\n```json\n{json.dumps(shown, indent=1)}\n```"
        )
        return answer.structured_content or {}


async def talk(folder: Path, told: Talk) -> None:
    from mcp_client import Person, client  # of the tests

    person = Person(agrees=True)
    async with client(folder, person=person) as agent:
        told.tell("## Find")
        await told.call(agent, "check")
        seen = await told.call(agent, "trace", run=RUN, limit=3)
        await told.call(agent, "check", trace=seen["trace"])
        await told.call(agent, "explain", about="train.py:12")
        told.tell("## Fix, and prove it")
        diff = (await told.call(agent, "propose", paths=["train.py"], select=["local-loop-function"]))["diff"]
        proven = await told.call(agent, "prove", run=RUN, diff=diff, receipt="proof.json")
        subprocess.run(["git", "apply", "-"], input=proven["diff"].encode(), cwd=folder, check=True)
        told.tell("The agent applies what is proven, with `git apply`.\n\n## Hand over the receipt")
        await told.call(agent, "explain", about="proof.json")
        await told.call(agent, "check")
        subprocess.run(["git", "checkout", "-q", "."], cwd=folder, check=True)
        told.tell("## What is refused\n\nA change that is wrong:")
        await told.call(
            agent, "prove", run=RUN, diff=diff.replace("+    state = state + gain", "+    state = state - gain")
        )
        told.tell("A file outside of the folder:")
        await told.call(agent, "check", paths=["../secret.py"])
        told.tell("A program that the person does not agree to:")
        person.agrees = False
        await told.call(agent, "trace", run="python other.py")
    told.tell("## What the person was asked\n\n" + "\n".join(f"* {asked}" for asked in dict.fromkeys(person.asked)))


def main() -> None:
    """Writes the page."""
    sys.path.insert(0, str(ROOT / "tests"))
    told = Talk()
    with tempfile.TemporaryDirectory() as base:
        folder = Path(base).resolve() / "project"
        folder.mkdir()
        shutil.copy(ROOT / "examples" / "train.py", folder)
        for words in (
            ("init", "-q"),
            ("add", "."),
            ("-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "a"),
        ):
            subprocess.run(["git", *words], cwd=folder, check=True)
        asyncio.run(talk(folder, told))
        PAGE.write_text("\n".join(told.said).replace(str(folder), "/home/me/project"))


if __name__ == "__main__":
    main()
