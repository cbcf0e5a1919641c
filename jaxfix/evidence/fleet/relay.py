"""Runs one parcel on a worker of dask. Its text travels: a worker needs Python and what the job needs, and no jaxfix.

A process of its own runs the parcel, by `probe/host.py`. Should the worker die, that process hears the end of its
standard input, ends the job and removes its folder.
"""

import contextlib
import importlib
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from collections.abc import Callable

_PAUSE_S = 0.01
_TICK_S = 0.5
_GRACE_S = 15.0
_ABOUT = """
import hashlib, importlib.metadata, json, platform, sys
found = {}
for each in importlib.metadata.distributions():
    found.setdefault((each.metadata['Name'] or '').lower(), each.version)
installed = hashlib.sha256(repr((sys.version, sorted(found.items()))).encode()).hexdigest()
said = {'python': platform.python_version(), 'jax': found.get('jax'), 'jaxlib': found.get('jaxlib')}
print(json.dumps({**said, 'installed': installed}))
"""


def about(python: "str | None") -> "dict[str, str | None]":
    """The versions that a job meets here; of an interpreter that cannot be asked, only why, as `wrong`."""
    try:
        words = [python or sys.executable, "-c", _ABOUT]
        said = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=True)
        found: dict[str, str | None] = json.loads(said.stdout.splitlines()[-1])
    except (OSError, ValueError, IndexError, subprocess.SubprocessError) as error:
        return {"wrong": f"`{python or sys.executable}` on {platform.node()} cannot be started: {error}"}
    return found


def run(host: bytes, parcel: bytes, python: "str | None", words: "list[str]") -> "dict[str, object]":
    """All that the host says of the parcel, with the versions of here; `said` is the last line of a host that failed.

    Args:
      host: its text.
      parcel: the frames for it, compressed.
      words: what follows the interpreter.
    """
    versions = about(python)
    if "wrong" in versions:
        return {"about": versions, "answer": b"", "said": ""}
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen([python or sys.executable, *words], stdin=subprocess.PIPE, stdout=out, stderr=err)
        given = process, out.fileno(), host, zlib.decompress(parcel)
        writer = threading.Thread(target=_write, args=given, daemon=True)
        writer.start()
        _wait(process)
        writer.join(_GRACE_S)
        with contextlib.suppress(OSError):
            process.stdin.close()  # type: ignore[union-attr]
        out.seek(0)
        err.seek(0)
        lines = err.read().decode(errors="replace").split("\n")
        said = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return {"about": versions, "answer": out.read(), "said": said[:300]}


def _write(process: "subprocess.Popen[bytes]", out: int, host: bytes, frames: bytes) -> None:
    """Standard input stays open: its end means that nobody waits any more."""
    with contextlib.suppress(OSError):  # it says why
        _send(process, host)
        while not os.fstat(out).st_size and process.poll() is None:  # Python reads more of its program than it runs
            time.sleep(_PAUSE_S)
        _send(process, frames)


def _send(process: "subprocess.Popen[bytes]", raw: bytes) -> None:
    process.stdin.write(raw)  # type: ignore[union-attr]
    process.stdin.flush()  # type: ignore[union-attr]


def _wait(process: "subprocess.Popen[bytes]") -> None:
    """Until it has ended, or nobody asks for its answer."""
    is_wanted = _wanted()
    while True:
        try:
            process.wait(_TICK_S)
            return
        except subprocess.TimeoutExpired:
            if not is_wanted():
                process.terminate()
                process.wait(_GRACE_S)
                return


def _wanted() -> "Callable[[], bool]":
    """Whether the scheduler still asks for the task of this thread; where that cannot be determined, it does."""
    try:
        worker = importlib.import_module("distributed").get_worker()
        key, tasks = worker.get_current_task(), worker.state.tasks
    except Exception:  # of an engine that has changed
        return lambda: True
    return lambda: key in tasks and tasks[key].state in ("executing", "long-running")
