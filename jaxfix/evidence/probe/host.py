"""Runs one job on its target. Python 3.6 and the standard library: it runs with any Python found there.

The text of this file comes first on standard input and is run by `python3 -c`. After that both directions speak in
frames: one byte for the kind, four for the length, the payload. Nothing is asked before the first frame of this side,
which is behind the marker that `sys.argv[1]` holds: what a login or a launcher prints comes before it.

    to us      ? JSON, what exists already    T a piece of a tar file, empty at its end
               N JSON, what the folder is called in what follows, by who cannot wait for H
               G JSON, the job to run           I interrupt it
    from us    H JSON, who is here              = JSON, the answer
               O, E pieces of its output        P JSON, how far each of its processes is
               F a result: name, NUL, content
               X JSON, how it ended; the last one

What goes out is written as short lines of base64: Slurm holds back what no newline ends, and does not get over a line
that is long. The end of standard input means that the client is gone: the job is ended and its folder removed.
"""

import base64
import contextlib
import errno
import hashlib
import json
import os
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tarfile
import tempfile
import time

GRACE_S = 5.0
TICK_S = 0.05
TELLING_S = 0.5
PIECE_BYTES = 1 << 18
LINE_BYTES = 570


class Closed(Exception):
    """Nobody waits for the job any more."""


class Refused(Exception):
    """The job cannot be run here; `kind` says why to a program, the arguments to a person."""

    def __init__(self, kind: str, detail: str) -> None:
        Exception.__init__(self, kind, detail)
        self.kind, self.detail = kind, detail


class Wire:
    """Frames on the standard streams of this process."""

    def __init__(self, source: int, sink: int) -> None:
        self.source, self.sink = source, sink
        self.pending = b""

    def send(self, kind: bytes, payload: bytes) -> None:
        raw = kind + struct.pack(">I", len(payload)) + payload
        pieces = (raw[start : start + LINE_BYTES] for start in range(0, len(raw), LINE_BYTES))
        self.write(b"".join(base64.b64encode(piece) + b"\n" for piece in pieces))

    def write(self, raw: bytes) -> None:
        view = memoryview(raw)
        try:
            while view:
                view = view[os.write(self.sink, view) :]
        except OSError as error:
            raise Closed() from error

    def receive(self) -> "tuple[bytes, bytes]":
        kind, length = struct.unpack(">cI", self._exactly(5))
        return kind, self._exactly(length)

    def has_news(self, seconds: float) -> bool:
        """Waits so long for something to `receive`, the end included."""
        return bool(self.pending) or bool(select.select([self.source], [], [], seconds)[0])

    def _exactly(self, length: int) -> bytes:
        pieces, missing = [self.pending], length - len(self.pending)
        while missing > 0:
            piece = os.read(self.source, max(missing, 1 << 16))
            if not piece:
                raise Closed()
            pieces.append(piece)
            missing -= len(piece)
        whole = b"".join(pieces)
        self.pending = whole[length:]
        return whole[:length]


class Sent:
    """A tar file that arrives in frames, as `tarfile` reads one."""

    def __init__(self, wire: Wire) -> None:
        self.wire, self.left, self.ended = wire, b"", False

    def read(self, length: int) -> bytes:
        while len(self.left) < length and not self.ended:
            _, piece = self.wire.receive()
            self.left += piece
            self.ended = not piece
        piece, self.left = self.left[:length], self.left[length:]
        return piece


class Output:
    """A stream of the program in a file: a pipe would stay open as long as any grandchild lives."""

    def __init__(self, kind: bytes, path: str) -> None:
        self.kind, self.sent = kind, 0
        self.file = open(path, "w+b")  # noqa: SIM115

    def __enter__(self) -> "Output":
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    def pass_on(self, wire: Wire) -> None:
        """Sends what was written since the last time."""
        while True:
            piece = os.pread(self.file.fileno(), PIECE_BYTES, self.sent)
            if not piece:
                return
            wire.send(self.kind, piece)
            self.sent += len(piece)


class Progress:
    """How far the processes of the job are, from the files that they keep of it."""

    def __init__(self, folder: str) -> None:
        self.folder, self.next = folder, 0.0
        self.said = []  # type: list[object]

    def pass_on(self, wire: Wire) -> None:
        if time.monotonic() < self.next:
            return
        self.next = time.monotonic() + TELLING_S
        said = []
        for name in sorted(os.listdir(self.folder)):
            if name.endswith(".progress"):
                with contextlib.suppress(OSError, ValueError), open(os.path.join(self.folder, name)) as file:
                    said.append(json.load(file))
        if said != self.said:
            self.said = said
            wire.send(b"P", _json(said))

    def finish(self, wire: Wire) -> None:
        """Passes on what was said last, however soon that was."""
        self.next = 0.0
        self.pass_on(wire)


def main() -> None:
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _close)
    # A launcher may pass on what is meant for the other side. Not ignored: the program would inherit that.
    signal.signal(signal.SIGINT, lambda number, frame: None)
    wire, folder, base = Wire(0, 1), None, None
    try:
        wire.write(sys.argv[1].encode())
        try:
            base = _base(sys.argv[2])
            folder = os.path.realpath(tempfile.mkdtemp(prefix="jaxfix-", dir=base))
            _serve(wire, folder, base)
        except Refused as error:
            wire.send(b"X", _json({"refused": error.kind, "detail": error.detail}))
        except (OSError, tarfile.TarError) as error:
            full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
            place = folder or base or tempfile.gettempdir()
            detail = place if full else f"{type(error).__name__}: {error}"
            wire.send(b"X", _json({"refused": "full" if full else "broken", "detail": detail}))
    except Closed:
        pass
    finally:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)


def _close(number: int, frame: object) -> None:
    raise Closed()


def _base(asked: str) -> "str | None":
    """The folder of the project here, if one was named; scratch folders go there."""
    if asked == "-":
        return None
    base = os.path.realpath(os.path.expanduser(asked))
    if not os.path.isdir(base):
        raise Refused("folder", base)
    if not os.access(base, os.W_OK):
        raise Refused("unwritable", base)
    return base


def _serve(wire: Wire, folder: str, base: "str | None") -> None:
    tasks = os.environ.get("SLURM_STEP_NUM_TASKS", "1")
    hello = {"folder": folder, "base": base, "tasks": tasks, "host": socket.gethostname(), "python": sys.executable}
    wire.send(b"H", _json(hello))
    name = folder
    while True:
        kind, payload = wire.receive()
        if kind == b"?":
            wire.send(b"=", _json(_there(json.loads(payload.decode()))))
        elif kind == b"N":
            name = json.loads(payload.decode())["name"]
        elif kind == b"T":
            source = Sent(wire)
            source.left = payload
            _unpack(source, folder)
            _settle(folder, name)
        elif kind == b"G":
            _run(wire, json.loads(_renamed(payload, name, folder).decode()), folder, base)
            return


def _settle(folder: str, name: str) -> None:
    """Calls the folder in its settings what it is called here."""
    if name == folder:
        return
    for entry in os.listdir(folder):
        path = os.path.join(folder, entry)
        if entry.endswith(".json") and os.path.isfile(path):
            with open(path, "rb") as file:
                raw = file.read()
            with open(path, "wb") as file:
                file.write(_renamed(raw, name, folder))


def _renamed(raw: bytes, name: str, folder: str) -> bytes:
    """JSON with one folder in the place of another."""
    return raw.replace(json.dumps(name)[1:-1].encode(), json.dumps(folder)[1:-1].encode())


def _there(paths: "dict[str, int | None]") -> "dict[str, str]":
    """What is here of these paths: the digests of files of exactly that size; of folders only that they are here."""
    found = {}
    for path, size in paths.items():
        if size is None and os.path.isdir(path):
            status = os.stat(path)
            found[path] = f"{status.st_ino}:{status.st_mtime_ns}"
        elif size is not None and os.path.isfile(path) and os.path.getsize(path) == size and os.access(path, os.R_OK):
            found[path] = _sha256(path)
    return found


def _sha256(path: str) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for piece in iter(lambda: file.read(1 << 20), b""):
            digest.update(piece)
    return digest.hexdigest()


def _unpack(source: Sent, folder: str) -> None:
    with tarfile.open(fileobj=source, mode="r|") as archive:  # type: ignore[call-overload]
        if hasattr(tarfile, "fully_trusted_filter"):
            archive.extraction_filter = tarfile.fully_trusted_filter
        archive.extractall(folder)
    while not source.ended:
        source.read(PIECE_BYTES)


def _run(wire: Wire, job: "dict[str, object]", folder: str, base: "str | None") -> None:
    words, environment = _settled(job, base)
    progress = Progress(os.path.join(folder, "results"))
    with Output(b"O", os.path.join(folder, "stdout")) as out, Output(b"E", os.path.join(folder, "stderr")) as err:
        process = _start(words, environment, str(job["cwd"]), out, err)
        try:
            status = _wait(wire, process, job["timeout_s"], [out, err, progress])
        finally:
            _kill(process)
        out.pass_on(wire)
        err.pass_on(wire)
    progress.finish(wire)
    results = os.path.join(folder, "results")
    for name in sorted(os.listdir(results)):
        if name.endswith(".json"):
            with open(os.path.join(results, name), "rb") as file:
                wire.send(b"F", name.encode() + b"\0" + file.read())
    wire.send(b"X", _json({"status": status, "python": words[0]}))


def _start(
    words: "list[str]", environment: "dict[str, str]", cwd: str, out: Output, err: Output
) -> "subprocess.Popen[bytes]":
    streams = {"stdin": subprocess.DEVNULL, "stdout": out.file, "stderr": err.file}
    try:
        return subprocess.Popen(words, cwd=cwd, env=environment, start_new_session=True, **streams)  # type: ignore[call-overload, no-any-return]
    except OSError as error:
        found = shutil.which(words[0], path=environment.get("PATH"))
        reason = error.strerror if found and error.strerror else "no such program"
        raise Refused("start", f"`{words[0]}` cannot be started: {reason}") from error


def _settled(job: "dict[str, object]", base: "str | None") -> "tuple[list[str], dict[str, str]]":
    """The words with an interpreter of here, and the environment of here with what the job adds."""
    environment = dict(os.environ)
    own = os.path.join(base, ".venv", "bin", "python") if base else None
    if own is not None and os.path.isfile(own):
        environment["VIRTUAL_ENV"] = os.path.dirname(os.path.dirname(own))
        environment["PATH"] = os.path.dirname(own) + os.pathsep + environment.get("PATH", os.defpath)
    added: dict[str, str] = dict(job["added"])  # type: ignore[call-overload]
    search = [added.pop("PYTHONPATH", ""), environment.get("PYTHONPATH", "")]
    environment.update(added, PWD=str(job["cwd"]), PYTHONPATH=os.pathsep.join(entry for entry in search if entry))
    words = [str(word) for word in job["words"]]  # type: ignore[attr-defined]
    if job["pythons"] is not None:
        candidates = list(job["pythons"])  # type: ignore[call-overload]
        if own is not None and not job["named"]:
            candidates.insert(0, own)
        words[0] = next((path for path in candidates if _is_program(path, environment)), sys.executable or "python3")
        _check_version(words[0], environment)
    return words, environment


def _is_program(path: str, environment: "dict[str, str]") -> bool:
    return shutil.which(path, path=environment.get("PATH")) is not None


def _check_version(python: str, environment: "dict[str, str]") -> None:
    if python == sys.executable:
        version = sys.version_info[:2]
    else:
        asked = [python, "-I", "-c", "import sys; print(*sys.version_info[:2])"]
        try:
            said = subprocess.check_output(asked, env=environment, stderr=subprocess.DEVNULL, timeout=60)
            major, minor = said.split()[:2]
            version = (int(major), int(minor))
        except (OSError, ValueError, subprocess.SubprocessError):
            raise Refused("start", f"`{python}` does not say its version") from None
    if version < (3, 11):
        raise Refused("old", f"`{python}` is Python {version[0]}.{version[1]}")


def _wait(
    wire: Wire, process: "subprocess.Popen[bytes]", timeout_s: object, told: "list[Output | Progress]"
) -> "int | None":
    """The status of the process, None if it was cut off; passes on its output until then."""
    limit = time.monotonic() + timeout_s if isinstance(timeout_s, (int, float)) else None
    while process.poll() is None:
        if limit is not None and time.monotonic() > limit:
            _interrupt(process)
            return None
        if wire.has_news(TICK_S) and wire.receive()[0] == b"I":
            os.killpg(process.pid, signal.SIGINT)
        for each in told:
            each.pass_on(wire)
    return process.returncode


def _interrupt(process: "subprocess.Popen[bytes]") -> None:
    """Asks the group to end, so that its probes can write down what they have."""
    try:
        os.killpg(process.pid, signal.SIGINT)
        process.wait(GRACE_S)
    except (OSError, subprocess.TimeoutExpired):
        return


def _kill(process: "subprocess.Popen[bytes]") -> None:
    with contextlib.suppress(OSError):  # all of it may have ended
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _json(value: object) -> bytes:
    return json.dumps(value).encode()


if __name__ == "__main__":
    main()
