"""What a server is started with."""

from pathlib import Path

from jaxfix.source.frozen import frozen

SKILL = Path(__file__).with_name("SKILL.md")
"""The instructions for agents."""


@frozen
class Options:
    """The folder that the server works below, what may run there unasked, and with which Python."""

    folder: Path
    runs: tuple[str, ...] = ()
    python: str | None = None
