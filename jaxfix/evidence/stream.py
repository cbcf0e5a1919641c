"""One process that carries a job to the other side and its results back; `probe/host.py` describes the frames."""

import base64
import json
import os
import signal
import struct
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

NO_INPUT, TERMINAL = 97, 98
"""Exit statuses of the bootstrap: standard input does not reach it, or is a terminal."""
_HOST = (Path(__file__).parent / "probe" / "host.py").read_bytes
_GRACE_S = 15.0
_BANNER_BYTES = 1 << 20
_HEAD = struct.Struct(">cI")


class Unreached(Exception):
    """Nobody answers. `status` is that of the process, None if it cannot be started; `said` its last line."""

    def __init__(self, status: int | None, said: str) -> None:
        super().__init__(status, said)
        self.status, self.said = status, said


class Broken(Exception):
    """The other side fell silent in the middle. `said` is the last line of the process that carried it."""

    def __init__(self, said: str) -> None:
        super().__init__(said)
        self.said = said


class Refusal(Exception):
    """The other side cannot do it; `kind` is for a program, `detail` for a person."""

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(kind, detail)
        self.kind, self.detail = kind, detail


def bootstrap() -> str:
    """What `python3 -c` runs on the other side: it reads its own source first. No shell reads anything into it."""
    length = len(_HOST())
    return (
        f"import sys;i=sys.stdin;i.isatty() and sys.exit({TERMINAL});s=i.buffer.read({length});"
        f"len(s)=={length} or sys.exit({NO_INPUT});exec(s)"
    )


def parsed(kind: bytes, payload: bytes) -> dict[str, Any]:
    """The content of a frame of JSON.

    Raises:
      Refusal: it says so.
      Broken: it is no such frame.
    """
    if kind not in (b"H", b"=", b"X"):
        raise Broken(f"an unknown answer {kind!r}")
    said: dict[str, Any] = json.loads(payload)
    if kind == b"X" and "refused" in said:
        raise Refusal(str(said["refused"]), str(said["detail"]))
    return said


class Stream:
    """Frames to and from the other side."""

    def __init__(self, process: subprocess.Popen[bytes], marker: str, stderr: IO[bytes]) -> None:
        self._process, self._marker, self._stderr = process, marker.encode(), stderr
        self._undecoded = self._pending = b""
        self.is_running = False

    @staticmethod
    @contextmanager
    def opened(command: Sequence[str], marker: str) -> "Iterator[Stream]":
        """Starts the command; at the end of the block the other side is asked to end, and awaited.

        Raises:
          Unreached: it cannot be started.
        """
        with tempfile.TemporaryFile() as stderr:
            process = _start(command, stderr)
            try:
                yield Stream(process, marker, stderr)
            finally:
                _end(process)

    def hello(self) -> dict[str, Any]:
        """Who answers; what a login prints before is dropped.

        Raises:
          Unreached: the process ended without the marker.
        """
        with suppress(Broken):
            self._write(_HOST())  # a process that ended before reading it has an exit status
        while self._marker not in self._undecoded:
            piece = self._read()
            if not piece:
                raise Unreached(self._status(), self._said())
            self._undecoded = (self._undecoded + piece)[-_BANNER_BYTES:]
        self._undecoded = self._undecoded.partition(self._marker)[2]
        return parsed(*self.receive())

    def ask(self, paths: Mapping[str, int | None]) -> dict[str, str]:
        """What is there of files of these sizes, and of folders (None): digests."""
        if not paths:
            return {}
        self.say(b"?", dict(paths))
        answer: dict[str, str] = parsed(*self.receive())
        return answer

    def say(self, kind: bytes, value: Mapping[str, object]) -> None:
        self.is_running = kind == b"G"
        self.send(kind, json.dumps(value).encode())

    def send(self, kind: bytes, payload: bytes) -> None:
        """Sends a frame.

        Raises:
          Broken: the reader is gone. Its last messages can still be received.
        """
        self._write(_frame(kind, payload))

    def receive(self) -> tuple[bytes, bytes]:
        """The next frame.

        Raises:
          Broken: there is none, or not the whole of it.
        """
        kind, length = _HEAD.unpack(self._exactly(_HEAD.size))
        return kind, self._exactly(length)

    @contextmanager
    def given_up_after(self, seconds: float | None) -> Iterator[None]:
        """Ends the process if the block takes longer: a connection may die silently."""
        if seconds is None:
            yield
            return
        timer = threading.Timer(seconds, self._process.kill)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _write(self, raw: bytes) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(raw)
            self._process.stdin.flush()
        except OSError as error:
            raise Broken(self._said()) from error

    def _read(self) -> bytes:
        assert self._process.stdout is not None
        return os.read(self._process.stdout.fileno(), 1 << 20)

    def _exactly(self, length: int) -> bytes:
        pieces, missing = [self._pending], length - len(self._pending)
        while missing > 0:
            piece = self._decoded()
            pieces.append(piece)
            missing -= len(piece)
        whole = b"".join(pieces)
        self._pending = whole[length:]
        return whole[:length]

    def _decoded(self) -> bytes:
        """What the lines say that have come in; waits for one."""
        while b"\n" not in self._undecoded:
            piece = self._read()
            if not piece:
                self._status()
                raise Broken(self._said())
            self._undecoded += piece
        whole, _, self._undecoded = self._undecoded.rpartition(b"\n")
        return b"".join(_line(line) for line in whole.split(b"\n"))

    def _status(self) -> int:
        try:
            return self._process.wait(_GRACE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()

    def _said(self) -> str:
        """The last line that the process itself wrote."""
        self._stderr.seek(0)
        lines = [line.strip() for line in self._stderr.read().decode(errors="replace").splitlines() if line.strip()]
        return lines[-1][:300] if lines else ""


class Recording:
    """Frames for a side that cannot be asked: they are sent as one piece, and so is all that it answers."""

    def __init__(self) -> None:
        self._frames: list[bytes] = []

    @property
    def raw(self) -> bytes:
        return b"".join(self._frames)

    def ask(self, paths: Mapping[str, int | None]) -> dict[str, str]:
        """Nothing is known to be there."""
        return {}

    def say(self, kind: bytes, value: Mapping[str, object]) -> None:
        self.send(kind, json.dumps(value).encode())

    def send(self, kind: bytes, payload: bytes) -> None:
        self._frames.append(_frame(kind, payload))


class Replay:
    """The other side's answer to a recording.

    Args:
      raw: all that it wrote; what is before the marker is dropped.
    """

    def __init__(self, raw: bytes, marker: str) -> None:
        self._raw = b"".join(map(_line, raw.partition(marker.encode())[2].split(b"\n")))
        self._at = 0

    def receive(self) -> tuple[bytes, bytes]:
        """The next frame.

        Raises:
          Broken: there is none, or not the whole of it.
        """
        start = self._at + _HEAD.size
        if start > len(self._raw):
            raise Broken("")
        kind, length = _HEAD.unpack_from(self._raw, self._at)
        self._at = start + length
        if self._at > len(self._raw):
            raise Broken("")
        return kind, self._raw[start : self._at]


def _frame(kind: bytes, payload: bytes) -> bytes:
    return _HEAD.pack(kind, len(payload)) + payload


def _line(raw: bytes) -> bytes:
    try:
        return base64.b64decode(raw.strip(), validate=True)
    except ValueError:
        return b""  # of a launcher that speaks in between


def _start(command: Sequence[str], stderr: IO[bytes]) -> subprocess.Popen[bytes]:
    try:
        with _without_interrupts():
            return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr)
    except OSError as error:
        raise Unreached(None, (error.strerror or str(error)).lower()) from error


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """What starts here inherits that Ctrl-C is not for it: the connection must outlive it to bring the results."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _end(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None and process.stdout is not None
    with suppress(OSError):
        process.stdin.close()
    drain = threading.Thread(target=_drain, args=(process.stdout,), daemon=True)
    drain.start()
    for end in (process.terminate, process.kill, process.wait):
        try:
            process.wait(_GRACE_S)
            break
        except subprocess.TimeoutExpired:
            end()
    drain.join(_GRACE_S)
    process.stdout.close()


def _drain(stdout: IO[bytes]) -> None:
    with suppress(OSError, ValueError):
        while os.read(stdout.fileno(), 1 << 16):
            pass
