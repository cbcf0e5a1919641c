"""One source file: its bytes, decoded once; encoding, byte order mark and newlines remembered."""

import codecs
import io
import tokenize
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from jaxfix.core.errors import SourceError
from jaxfix.core.text import LineIndex
from jaxfix.core.tokens import tokens


@dataclass(frozen=True)
class SourceFile:
    """A Python source.

    Attributes:
      path: as it is shown to people and written in reports.
      raw: the bytes of the file.
      text: the same as UTF-8, without byte order mark; newlines are untouched. All spans count in these bytes.
      encoding: as declared (PEP 263) or `utf-8`.
      bom: whether `raw` begins with a UTF-8 byte order mark.
    """

    path: str
    raw: bytes
    text: bytes
    encoding: str
    bom: bool

    @classmethod
    def decode(cls, path: str, raw: bytes) -> "SourceFile":
        """Reads the encoding of `raw` as Python itself does.

        Raises:
          SourceError: the declared encoding is unknown, or does not fit the bytes.
        """
        bom = raw.startswith(codecs.BOM_UTF8)
        body = raw[len(codecs.BOM_UTF8) :] if bom else raw
        try:
            declared, _ = tokenize.detect_encoding(io.BytesIO(body).readline)
            text = body if declared in ("utf-8", "utf-8-sig") else body.decode(declared).encode()
            text.decode()
        except (SyntaxError, UnicodeError, LookupError) as error:
            raise SourceError(path, f"cannot be decoded: {error}") from error
        source = cls(path, raw, text, declared, bom)
        if source.encode(text) != raw:
            raise SourceError(path, f"does not survive a round trip through {declared}")
        return source

    def encode(self, text: bytes) -> bytes:
        """The bytes to write for `text` (UTF-8) in this file's encoding.

        Raises:
          SourceError: the encoding has no place for a character of `text`.
        """
        body = text
        if self.encoding not in ("utf-8", "utf-8-sig"):
            try:
                body = text.decode().encode(self.encoding)
            except UnicodeEncodeError as error:
                raise SourceError(
                    self.path, f"{error.object[error.start]!r} has no place in {self.encoding}"
                ) from error
        return codecs.BOM_UTF8 + body if self.bom else body

    def with_text(self, text: bytes) -> "SourceFile":
        """The same file with other contents."""
        return SourceFile(self.path, self.encode(text), text, self.encoding, self.bom)

    @cached_property
    def lines(self) -> LineIndex:
        return LineIndex(self.text)

    @cached_property
    def newline(self) -> str:
        """The newline that most lines of the file end with."""
        crlf = self.text.count(b"\r\n")
        counts = {"\n": self.text.count(b"\n") - crlf, "\r\n": crlf, "\r": self.text.count(b"\r") - crlf}
        return max(counts, key=lambda newline: counts[newline])

    @cached_property
    def indent(self) -> str:
        """One level of indentation: that of most blocks, four spaces if there are none."""
        seen: Counter[str] = Counter()
        levels = [""]
        for token in tokens(self.text):
            if token.kind == "INDENT":
                seen[token.text.removeprefix(levels[-1])] += 1
                levels.append(token.text)
            elif token.kind == "DEDENT":
                levels.pop()
        return seen.most_common(1)[0][0] if seen else " " * 4
