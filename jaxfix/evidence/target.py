"""Where a run happens. Here, for now: a process group of its own, ended whole."""

import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

from jaxfix.core.errors import EvidenceError

_SHELL = {"&&", "||", "|", ";", "&", ">", "<", ">>", "2>&1"}
_GRACE_S = 5.0


@dataclass(frozen=True, slots=True)
class Job:
    """A command to run. `environment` is complete; `interactive` gives it the terminal and no time limit."""

    words: tuple[str, ...]
    cwd: Path
    environment: Mapping[str, str]
    timeout_s: float = 600.0
    interactive: bool = False


@dataclass(frozen=True, slots=True)
class Finished:
    """How a job ended. `status` is None where it was cut off."""

    status: int | None
    stdout: str
    stderr: str


class Target(Protocol):
    """A place that can run a job."""

    def run(self, job: Job) -> Finished: ...


class Local:
    """This machine."""

    def run(self, job: Job) -> Finished:
        """Runs the job to its end or its time limit; no process of its group outlives it.

        Raises:
          EvidenceError: the program cannot be started.
        """
        if job.interactive:
            return _run_in_terminal(job)
        # Files, not pipes: a pipe stays open as long as any grandchild lives.
        with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
            process = _start(job, stdout, stderr)
            try:
                status = process.wait(job.timeout_s)
            except subprocess.TimeoutExpired:
                status = None
                _interrupt(process)
            finally:
                _kill(process)
            return Finished(status, _content(stdout), _content(stderr))


def command_words(command: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """The variables that a command line sets in front, and its words.

    Raises:
      EvidenceError: the line is empty, or needs a shell.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise EvidenceError(f"`{command}` cannot be read: {error}") from error
    variables: dict[str, str] = {}
    while words and "=" in words[0] and words[0].partition("=")[0].isidentifier():
        name, _, value = words.pop(0).partition("=")
        variables[name] = value
    if not words:
        raise EvidenceError("the command to run is empty", hint='say for example `--run "python train.py"`')
    if shell := _SHELL.intersection(words):
        raise EvidenceError(f"`{command}` needs a shell for `{min(shell)}`", hint="put it into a script, and run that")
    return variables, tuple(words)


def with_interpreter(words: tuple[str, ...], root: Path) -> tuple[str, ...]:
    """The words with a bare `python` made definite.

    An activated environment's, else the `.venv` of the project, else the one that runs jaxfix.
    """
    if words[0] not in ("python", "python3"):
        return words
    if os.environ.get("VIRTUAL_ENV") or os.environ.get("CONDA_PREFIX"):
        return words
    own = root / ".venv" / "bin" / "python"
    return (str(own if own.exists() else sys.executable), *words[1:])


def _start(job: Job, stdout: IO[bytes] | None, stderr: IO[bytes] | None) -> subprocess.Popen[bytes]:
    environment = dict(job.environment)
    stdin = None if job.interactive else subprocess.DEVNULL
    try:
        return subprocess.Popen(
            job.words,
            cwd=job.cwd,
            env=environment,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            start_new_session=not job.interactive,
        )
    except OSError as error:
        found = shutil.which(job.words[0], path=environment.get("PATH"))
        reason = error.strerror if found else "no such program"
        raise EvidenceError(f"`{job.words[0]}` cannot be started: {reason}") from error


def _run_in_terminal(job: Job) -> Finished:
    process = _start(job, None, None)
    try:
        while True:
            try:
                return Finished(process.wait(), "", "")
            except KeyboardInterrupt:
                continue  # the program got it too, and decides
    finally:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends what is still running because whoever waited for it was ended."""
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(_GRACE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _interrupt(process: subprocess.Popen[bytes]) -> None:
    """Asks the group to end, so that its probes can write down what they have."""
    os.killpg(process.pid, signal.SIGINT)
    try:
        process.wait(_GRACE_S)
    except subprocess.TimeoutExpired:
        return


def _kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):  # all of it may have ended
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _content(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")
