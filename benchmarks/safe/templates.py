"""Texts of programs that stand in a file beside, each under its name."""

import re
from pathlib import Path


def templates(file: str) -> dict[str, str]:
    """The texts by their names, in their order."""
    parts = re.split(r"(?m)^## (.+)\n", Path(__file__).with_name(file).read_text())[1:]
    return {name: text.rstrip("\n") for name, text in zip(parts[::2], parts[1::2], strict=True)}
