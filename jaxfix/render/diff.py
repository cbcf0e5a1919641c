"""Patches as unified diffs that `git apply` takes, byte for byte."""

import difflib
from collections.abc import Iterable

from jaxfix.core.report import Generated, Patch
from jaxfix.render.paint import Paint

_NO_NEWLINE = "\\ No newline at end of file\n"
_STYLES = {"---": "bold", "+++": "bold", "@@": "cyan", "-": "red", "+": "green"}


def unified(patches: Iterable[Patch], generated: Iterable[Generated] = ()) -> bytes:
    """The diff of every file that changes, in the order given; `generated` ones may be new."""
    changes = [(patch.path, patch.before, patch.after) for patch in patches]
    texts = [(entry.path, entry.before, entry.after) for entry in generated]
    return b"".join(_unified(*change) for change in (*changes, *texts) if change[1] != change[2])


def painted(diff: bytes, paint: Paint) -> bytes:
    """The diff for a terminal."""
    return b"".join(_painted(line, paint) for line in diff.splitlines(keepends=True))


def _unified(path: str, before: bytes | None, after: bytes) -> bytes:
    lines = difflib.unified_diff(_lines(before or b""), _lines(after), lineterm="\n")
    body = [line if line.endswith("\n") else f"{line}\n{_NO_NEWLINE}" for line in lines][2:]
    old, new = (f"{mark} {_quoted(f'{side}/{path}')}\n" for mark, side in (("---", "a"), ("+++", "b")))
    old = "--- /dev/null\n" if before is None else old
    return f"{old}{new}".encode(errors="surrogateescape") + "".join(body).encode("latin-1")


def _lines(raw: bytes) -> list[str]:
    """Lines as git sees them: they end at `\\n` alone. Latin-1 gives every byte back as it was."""
    return [f"{line}\n" for line in raw.decode("latin-1").split("\n")[:-1]] + _rest(raw)


def _rest(raw: bytes) -> list[str]:
    last = raw.rpartition(b"\n")[2]
    return [last.decode("latin-1")] if last else []


def _quoted(path: str) -> str:
    """The path as git writes it: quoted where a control character, a quote or a backslash asks for it."""
    if any(character in '"\\' or character < " " for character in path):
        escaped = path.replace("\\", "\\\\").replace('"', '\\"')
        return '"' + "".join(c if c >= " " else f"\\{ord(c):03o}" for c in escaped) + '"'
    return f"{path}\t" if " " in path else path


def _painted(line: bytes, paint: Paint) -> bytes:
    text = line.decode(errors="surrogateescape")
    style = next((style for mark, style in _STYLES.items() if text.startswith(mark)), None)
    if style is None:
        return line
    body = text.rstrip("\r\n")
    return (paint(style, body) + text[len(body) :]).encode(errors="surrogateescape")
