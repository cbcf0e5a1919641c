"""Commands on a pseudo-terminal of their own, and what they showed as an SVG."""

import fcntl
import os
import pty
import re
import shlex
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

COLUMNS = 96
_ROOT = Path(__file__).resolve().parents[2]
_MOVES = re.compile(r"(\r?\n|\r|\x1b\[\?25[lh]|\x1b\[\d*[AK])")
_PALE = (222, 224, 230)
_GREY, _RED, _GREEN, _YELLOW = (110, 114, 128), (240, 113, 120), (141, 214, 148), (240, 198, 116)
_BLUE, _MAGENTA, _CYAN = (122, 178, 250), (203, 166, 247), (110, 208, 214)
_NIGHT = TerminalTheme((24, 26, 32), _PALE, [_GREY, _RED, _GREEN, _YELLOW, _BLUE, _MAGENTA, _CYAN, _PALE])
_SHAPE = """\
<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg" role="img" aria-label="a terminal">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace;
  font-size: {char_height}px; line-height: {line_height}px; }}
.{unique_id}-title {{ font-family: sans-serif; font-size: 16px; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""
"""Asks nothing of other machines: rich's own shape fetches a font."""


def shown(command: Sequence[str], folder: Path, *, is_clone: bool = False) -> str:
    """What the command leaves on a terminal of 96 columns, colours included, without what it has wiped away.

    Args:
      is_clone: whether the packages of this clone are what it imports.

    Raises:
      subprocess.CalledProcessError: it ended with neither 0 nor 1.
    """
    outside, inside = pty.openpty()
    fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 60, COLUMNS, 0, 0))
    env = _environment(is_clone=is_clone)
    process = subprocess.Popen(command, cwd=folder, env=env, stdin=inside, stdout=inside, stderr=inside)
    os.close(inside)
    text = b"".join(_read(outside)).decode()
    os.close(outside)
    if process.wait() not in (0, 1):
        raise subprocess.CalledProcessError(process.returncode, command, text)
    return "\n".join(_left(text)).rstrip() + "\n"


def draw(told: Sequence[tuple[str, str]], path: Path, title: str) -> None:
    """Writes the commands, each with what it showed, as an SVG."""
    with open(os.devnull, "w") as nowhere:
        console = Console(width=COLUMNS, record=True, file=nowhere, force_terminal=True, color_system="truecolor")
        for command, text in told:
            console.print(Text.assemble(("$ ", "green"), (command, "bold")))
            console.print(Text.from_ansi(text.rstrip("\n")))
        svg = console.export_svg(title=title, theme=_NIGHT, code_format=_SHAPE, unique_id="t")
    path.write_text("\n".join(line.rstrip() for line in svg.splitlines() if line.strip()) + "\n")


def words(line: str) -> list[str]:
    """The words of a line of a shell."""
    return shlex.split(line)


def jaxfix(line: str) -> list[str]:
    """The command of this clone, for a line such as `jaxfix check train.py`."""
    _, *arguments = words(line)
    return [sys.executable, "-m", "jaxfix", *arguments]


def _read(terminal: int) -> Iterator[bytes]:
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # how a pseudo-terminal ends
            return
        if not part:
            return
        yield part


def _left(text: str) -> list[str]:
    """The lines that are left of what moved up and wrote over itself, as a progress bar does."""
    lines, at, over = [""], 0, False
    for part in _MOVES.split(text):
        if part.endswith("\n"):
            at, over = at + 1, False
            lines += [""] * (at + 1 - len(lines))
        elif part == "\r":
            over = True
        elif part.endswith("A") and part.startswith("\x1b["):
            at = max(0, at - int(part[2:-1] or 1))
        elif part.endswith("K") and part.startswith("\x1b["):
            lines[at] = ""
        elif part and not part.startswith("\x1b[?"):
            lines[at], over = part if over else lines[at] + part, False
    return lines


def _environment(*, is_clone: bool) -> dict[str, str]:
    unwanted = ("COLUMNS", "LINES", "NO_COLOR", "PYTHONPATH", "VIRTUAL_ENV")
    env = {name: value for name, value in os.environ.items() if name not in unwanted}
    if is_clone:
        env["PYTHONPATH"] = os.pathsep.join(map(str, (_ROOT, _ROOT / "codemods")))
    return env | {"JAX_PLATFORMS": "cpu", "TERM": "xterm-256color", "PAGER": "cat"}
