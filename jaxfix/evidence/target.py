"""Where a run happens: here in a process group of its own, on a named platform; other machines are in `remote`."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, Protocol

from jaxfix.evidence import progress
from jaxfix.evidence.progress import Progress
from jaxfix.evidence.side_by_side import side_by_side
from jaxfix.source.errors import EvidenceError
from jaxfix.source.frozen import frozen

BARE = ("python", "python3")
"""Words of a command that name no interpreter in particular."""

_SHELL = {"&&", "||", "|", ";", "&", ">", "<", ">>", "2>&1"}
_GRACE_S = 5.0
_TICK_S = 0.5


@frozen
class Job:
    """A command to run.

    Attributes:
      environment: complete.
      interactive: whether it has the terminal and no time limit.
      told: hears how far it is.
      variables: names of the variables of `environment` that stood in front of the command; they travel with it.
    """

    words: tuple[str, ...]
    cwd: Path
    environment: Mapping[str, str]
    timeout_s: float = 600.0
    interactive: bool = False
    variables: frozenset[str] = frozenset()
    told: Progress = progress.ignore

    @property
    def scratch(self) -> Path:
        """The folder of this run, which holds the settings of its probe."""
        return Path(self.environment["JAXFIX_PROBE"]).parent


@frozen
class Finished:
    """How a job ended. `status` is None where it was cut off."""

    status: int | None
    stdout: str
    stderr: str


class Target(Protocol):
    """A place that runs jobs: all there is between what has to be run and the processors."""

    @property
    def name(self) -> str:
        """How a sentence calls it."""
        ...

    @property
    def interpreter(self) -> str:
        """The Python that drives optimizers there unless the user names another."""
        ...

    @property
    def is_here(self) -> bool:
        """Whether its interpreters and what is installed for them are those of this machine."""
        ...

    @property
    def room(self) -> int:
        """How many jobs it runs at the same time."""
        ...

    def installed(self) -> str | None:
        """What identifies its interpreter and all that is installed for it; None where this cannot be determined."""
        ...

    def run(self, job: Job) -> Finished: ...

    def submit(self, jobs: Sequence[Job]) -> Iterator[tuple[int, Finished]]:
        """Runs all of them, and tells the number of each with how it ended as soon as that is known.

        Raises:
          EvidenceError: as `run`; jobs without a result by then are lost.
        """
        ...


class Local:
    """This machine.

    Args:
      room: jobs that run at the same time.
    """

    name = "this machine"
    interpreter = sys.executable
    is_here = True

    def __init__(self, room: int = 1) -> None:
        self.room = room
        self._running: set[subprocess.Popen[bytes]] = set()
        self._starting = threading.Lock()
        self._is_ended = False

    def __reduce__(self) -> tuple[type["Local"], tuple[int]]:
        return type(self), (self.room,)  # to another process, where nothing of it runs

    def installed(self) -> str | None:
        return None  # that depends on the interpreter, of which there are many

    def submit(self, jobs: Sequence[Job]) -> Iterator[tuple[int, Finished]]:
        """Runs as many at a time as there is room for.

        Raises:
          EvidenceError: a program cannot be started.
        """
        try:
            yield from side_by_side(self.run, jobs, self.room, self._end_all)
        finally:
            self._is_ended = False

    def _end_all(self) -> None:
        """Ends all running processes, and those that another thread is about to start."""
        with self._starting:
            self._is_ended = True
            for process in tuple(self._running):
                _kill(process)

    def run(self, job: Job) -> Finished:
        """Runs the job to its end or its time limit; no process of its group outlives it.

        Raises:
          EvidenceError: the program cannot be started.
        """
        if job.interactive:
            return _run_in_terminal(job)
        # Files, not pipes: a pipe stays open as long as any grandchild lives.
        with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
            with self._starting:
                process = _start(job, stdout, stderr)
                self._running.add(process)
                if self._is_ended:
                    _kill(process)
            try:
                status = _waited(process, job)
            except subprocess.TimeoutExpired:
                status = None
                _interrupt(process)
            finally:
                self._running.discard(process)
                _kill(process)
            return Finished(status, _content(stdout), _content(stderr))


PLATFORMS: Mapping[str, tuple[str, frozenset[str]]] = {
    "cpu": ("cpu", frozenset({"cpu"})),
    "gpu": ("cuda,cpu", frozenset({"gpu", "cuda", "rocm"})),
    "cuda": ("cuda,cpu", frozenset({"gpu", "cuda"})),
    "rocm": ("rocm,cpu", frozenset({"gpu", "rocm"})),
    "tpu": ("tpu,cpu", frozenset({"tpu"})),
}
"""For each platform what `JAX_PLATFORMS` says, and what jax then calls its devices.

Not `gpu`: jax takes that for `cuda` and `rocm` both, and fails for lack of one of them. The CPU stays, last: callbacks
and `jax.devices("cpu")` need it.
"""


@frozen
class OnPlatform:
    """Another place, on a platform of its choice."""

    place: Target
    platform: str

    @property
    def name(self) -> str:
        return f"the {self.platform} of {self.place.name}"

    @property
    def interpreter(self) -> str:
        return self.place.interpreter

    @property
    def is_here(self) -> bool:
        return self.place.is_here

    @property
    def room(self) -> int:
        return self.place.room

    def installed(self) -> str | None:
        return self.place.installed()

    def run(self, job: Job) -> Finished:
        """Runs the job with `JAX_PLATFORMS` set.

        Raises:
          EvidenceError: it cannot be started, or jax computed elsewhere: where there is no such device, a new jax takes
            the CPU silently.
        """
        return self._checked(job, self.place.run(self._settled(job)))

    def submit(self, jobs: Sequence[Job]) -> Iterator[tuple[int, Finished]]:
        """As `run`, for all of them."""
        for number, finished in self.place.submit([self._settled(job) for job in jobs]):
            yield number, self._checked(jobs[number], finished)

    def _settled(self, job: Job) -> Job:
        return replace(job, environment={**job.environment, "JAX_PLATFORMS": PLATFORMS[self.platform][0]})

    def _checked(self, job: Job, finished: Finished) -> Finished:
        devices = PLATFORMS[self.platform][1]
        hint = f"see what `jax.devices()` says there, or leave out `--on {self.platform}`"
        if finished.status and (said := _NO_BACKEND.search(finished.stderr)):
            raise EvidenceError(f"jax has no {self.platform} on {self.place.name}: {said[0]}", hint=hint)
        if others := sorted(_platforms(job.scratch / "results") - devices):
            raise EvidenceError(f"jax computed on `{others[0]}`, not on {self.name}", hint=hint)
        return finished


_NO_BACKEND = re.compile(r"Unable to initialize backend .*")


def _platforms(results: Path) -> set[str]:
    """Where the processes of a run computed; a process that computed nothing does not say."""
    records = [json.loads(path.read_text()) for path in results.glob("*.json")]
    known = [record.get("environment") for record in records if isinstance(record, dict)]
    return {environment["platform"] for environment in known if environment}


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
        raise EvidenceError("the command to run is empty", hint='for example `--run "python train.py"`')
    if shell := _SHELL.intersection(words):
        raise EvidenceError(f"`{command}` needs a shell for `{min(shell)}`", hint="put it into a script, and run that")
    return variables, tuple(words)


def runnable(words: Sequence[str], cwd: Path) -> tuple[str, ...]:
    """The command with what runs it in front: a Python before a script, the runner of cells before a notebook.

    A script that names its own interpreter runs by that: `./train.py`, executable, with a `#!` line.
    """
    command = tuple(words)
    if command[0].startswith("-") or (command[0].endswith((".py", ".ipynb")) and not _names_its_own(command[0], cwd)):
        command = ("python", *command)
    is_python = Path(command[0]).name.rstrip("0123456789.") == "python"
    if is_python and len(command) > 1 and command[1].endswith(".ipynb"):
        command = (command[0], "-m", "jaxfix_probe.notebook", *command[1:])
    return command


def _names_its_own(script: str, cwd: Path) -> bool:
    path = cwd / script
    if not os.path.dirname(script) or not os.access(path, os.X_OK) or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(2) == b"#!"


def with_interpreter(words: tuple[str, ...], root: Path, python: str | None = None) -> tuple[str, ...]:
    """The words with a bare `python` made definite.

    `python` where the user names one, else an activated environment's, else the `.venv` of the project, else the one
    that runs jaxfix. A command that names another interpreter keeps it.
    """
    if words[0] not in BARE:
        return words
    if python is not None:
        return (os.path.abspath(python) if os.path.dirname(python) else python, *words[1:])
    if os.environ.get("VIRTUAL_ENV") or os.environ.get("CONDA_PREFIX"):
        return words
    own = root / ".venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
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


def _waited(process: subprocess.Popen[bytes], job: Job) -> int:
    """The exit status; until then, how far the run is goes on, where a probe tells it.

    Raises:
      TimeoutExpired: it is not over in time.
    """
    end, said = time.monotonic() + job.timeout_s, ""
    while True:
        left = max(0.0, end - time.monotonic())
        try:
            return process.wait(min(_TICK_S, left))
        except subprocess.TimeoutExpired:
            if left <= _TICK_S:
                raise
        now = progress.read(job.scratch / "results") if "JAXFIX_PROBE" in job.environment else said
        if now != said:
            said = now
            job.told(now)


def _run_in_terminal(job: Job) -> Finished:
    process = _start(job, None, None)
    try:
        while True:
            try:
                return Finished(process.wait(), "", "")
            except KeyboardInterrupt:
                continue  # the program got it too, and decides
    finally:
        _end(process, job.environment.get("JAXFIX_PROBE"))


def _end(process: subprocess.Popen[bytes], mark: str | None) -> None:
    """Ends what is still running because its parent was ended, and what that started."""
    if process.poll() is not None:
        return
    family = _family(process.pid, mark)
    process.terminate()
    for pid in family:
        _signal(pid, signal.SIGTERM)
    try:
        process.wait(_GRACE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    for pid in family & _family(process.pid, mark):
        _signal(pid, getattr(signal, "SIGKILL", signal.SIGTERM))


def _family(pid: int, mark: str | None) -> set[int]:
    """The processes below `pid`, and where the system tells the environments of processes, all that have the mark.

    In a terminal the program shares our process group, so that the group cannot tell what is its own.
    """
    family = set(_children_of(pid))
    if mark is not None:
        said = f"JAXFIX_PROBE={mark}".encode()
        for path in Path("/proc").glob("[0-9]*/environ"):
            with suppress(OSError):
                if said in path.read_bytes().split(b"\0"):
                    family.add(int(path.parent.name))
    return family - {pid, os.getpid()}


def _children_of(pid: int) -> Iterator[int]:
    try:
        listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, timeout=_GRACE_S)
    except (OSError, subprocess.SubprocessError):
        return
    rows = [line.split() for line in listed.stdout.splitlines()]
    parents = {int(row[0]): int(row[1]) for row in rows if len(row) == 2}
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        yield from more
        found |= more


def _signal(pid: int, number: int) -> None:
    with suppress(OSError):
        os.kill(pid, number)


def _interrupt(process: subprocess.Popen[bytes]) -> None:
    """Asks the group to end, so that its probes can write down what they have."""
    if not hasattr(os, "killpg"):
        return
    os.killpg(process.pid, signal.SIGINT)
    try:
        process.wait(_GRACE_S)
    except subprocess.TimeoutExpired:
        return


def _kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(OSError):  # all of it may have ended
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            subprocess.run(["taskkill", "/T", "/F", "/PID", str(process.pid)], capture_output=True)
    process.wait()


def _content(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")
