"""Messages as bytes: `Content-Length` frames over two streams, whatever their content."""

import os

_PIECE = 1 << 16
_DIGITS = 9
"""A frame whose length has more is none."""


class Malformed(Exception):
    """What is where a frame should begin is none; the bytes up to the next one are skipped."""


class Wire:
    """Reads and writes frames, by descriptor: a thread that waits for one holds no lock when the process ends.

    One thread reads, and one writes.
    """

    def __init__(self, source: int, sink: int) -> None:
        self._source, self._sink = source, sink
        self._held = b""

    def read(self) -> bytes | None:
        """The body of the next frame, None at the end of the stream; waits for it.

        Raises:
          Malformed: the head of a frame says no length.
        """
        head = self._until_blank()
        if head is None:
            return None
        length = _length(head)
        if not length:
            raise Malformed(f"no `Content-Length` in {head[:80]!r}")
        while len(self._held) < length:
            if not self._more():
                return None
        body, self._held = self._held[:length], self._held[length:]
        return body

    def write(self, body: bytes) -> None:
        """Sends one frame; nothing where the other side is gone, which the reader finds out."""
        left = memoryview(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        try:
            while left:
                left = left[os.write(self._sink, left) :]
        except OSError:
            return

    def _until_blank(self) -> bytes | None:
        while True:
            for blank in (b"\r\n\r\n", b"\n\n"):
                head, found, rest = self._held.partition(blank)
                if found:
                    self._held = rest
                    return head
            if len(self._held) > _PIECE:
                self._held = b""
                raise Malformed("a head without end")
            if not self._more():
                return None

    def _more(self) -> bool:
        try:
            piece = os.read(self._source, _PIECE)
        except OSError:
            return False
        self._held += piece
        return bool(piece)


def _length(head: bytes) -> int | None:
    for line in head.splitlines():
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length" and value.strip().isdigit():
            return int(value) if len(value.strip()) <= _DIGITS else None
    return None
