"""`# jaxfix: ignore[id]` on a line, `# jaxfix: ignore-file` in a file."""

import re

from jaxfix.source.frozen import frozen
from jaxfix.source.tokens import comments

_COMMENT = re.compile(r"#\s*jaxfix:\s*(?P<what>ignore-file|ignore)\b\s*(?:\[(?P<ids>[^\]]*)\])?")
_EVERY = frozenset({"*"})


@frozen
class Suppressions:
    """Which ids are silenced where; `*` stands for every id. Lines count from 1."""

    file: frozenset[str]
    lines: dict[int, frozenset[str]]

    def silences(self, codemod: str, lines: tuple[int, ...]) -> bool:
        """Whether a finding of `codemod` is silenced by a comment on any of `lines`, or for the file."""
        ids = self.file.union(*(self.lines.get(line, frozenset()) for line in lines))
        return codemod in ids or "*" in ids


def suppressions(text: bytes) -> Suppressions:
    """Reads the comments of a source that parses."""
    file: frozenset[str] = frozenset()
    lines: dict[int, frozenset[str]] = {}
    if b"jaxfix:" not in text:
        return Suppressions(file, lines)
    for comment in comments(text):
        match = _COMMENT.search(comment.text)
        if match is None:
            continue
        ids = _EVERY if match["ids"] is None else frozenset(part.strip() for part in match["ids"].split(","))
        if match["what"] == "ignore-file":
            file |= ids
        else:
            lines[comment.line] = lines.get(comment.line, frozenset()) | ids
    return Suppressions(file, lines)
