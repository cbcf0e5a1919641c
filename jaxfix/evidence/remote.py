"""Runs jobs on other machines and under launchers, through one stream: ssh, Slurm, `docker exec -i`, any prefix."""

import json
import os
import re
import secrets
import shlex
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from types import FrameType
from urllib.parse import unquote, urlsplit

from jaxfix.evidence import shadow
from jaxfix.evidence.orders import Orders, received, tree_of
from jaxfix.evidence.payload import Payload
from jaxfix.evidence.side_by_side import side_by_side
from jaxfix.evidence.stream import NO_INPUT, TERMINAL, Broken, Refusal, Stream, Unreached, bootstrap
from jaxfix.evidence.target import PLATFORMS, Finished, Job, Local, OnPlatform, Target, command_words
from jaxfix.source.errors import ConfigError, EvidenceError
from jaxfix.source.frozen import frozen

_PATIENCE_S = 120.0
_SSH = ("-T", "-x", "-C", "-o", "ConnectTimeout=30", "-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=4")
_PLACES = "`local`, `cpu`, `gpu`, `tpu`, `ssh://[user@]host[:port][/path]` or `dask://host:port`"
_FLEET = "dask://"
_INTERRUPTS = 3


def target_for(on: str | None, launcher: str | None = None, python: str | None = None) -> Target:
    """The place that `--on` and `--launcher` name.

    Args:
      on: `local`, a platform, `ssh://[user@]host[:port][/path]`, `dask://host:port`, or platform and place as
        `gpu,ssh://host`.
      launcher: a command that starts the command given after it, and passes standard input and output on.
      python: the interpreter there; None takes the `.venv` of the path, that of here if it is there too, or `python3`.

    Raises:
      ConfigError: one of them cannot be understood.
    """
    platform, place = _parts(on or "local")
    prefix = _launcher(launcher)
    found: Target
    if place == "local":
        found = Remote(f"`{launcher}`", prefix, python=python) if prefix else Local()
    elif place.startswith(_FLEET):
        found = _fleet(place, launcher, python)
    else:
        found = _over_ssh(place, prefix, launcher, python)
    return OnPlatform(found, platform) if platform else found


@frozen
class Remote:
    """A place that is reached by putting words in front of a command. Python must be there, and a shell for ssh.

    Attributes:
      name: how a sentence calls it.
      prefix: what starts a command there.
      is_remote: whether it is another machine, reached by ssh, rather than most likely the same files.
      folder: the project over there: its `.venv` and its large files are used, scratch folders are made in it.
      python: the interpreter there, as the user names it.
    """

    name: str
    prefix: tuple[str, ...]
    is_remote: bool = False
    folder: str | None = None
    python: str | None = None

    @property
    def interpreter(self) -> str:
        return self.python or ("python3" if self.is_remote else sys.executable)

    @property
    def is_here(self) -> bool:
        return False  # a launcher may start a container

    @property
    def room(self) -> int:
        return 1

    def installed(self) -> str | None:
        return None

    def submit(self, jobs: Sequence[Job]) -> Iterator[tuple[int, Finished]]:
        """Runs one job after the other.

        Raises:
          EvidenceError: as `run`.
        """
        return side_by_side(self.run, jobs, self.room)

    def run(self, job: Job) -> Finished:
        """Runs the job in a folder over there that is removed when it ends, however that is.

        An `interactive` job gets its output shown as it comes, and has no standard input; its project is copied
        unless the very same folder is there.

        Raises:
          EvidenceError: the place cannot be reached, lacks what the job needs, or was lost during the run.
        """
        try:
            marker = f"jaxfix:{secrets.token_hex(12)}:"
            with (
                Stream.opened(self._command(marker), marker) as stream,
                _asked_to_end(stream, interactive=job.interactive),
            ):
                return self._run(job, stream)
        except Unreached as error:
            raise self._explained(error) from error
        except Refusal as error:
            raise self._orders.refusal(error.kind, error.detail) from error
        except Broken as error:
            said = f": {error.said}" if error.said else ""
            hint = "run again; results of this run are lost"
            raise EvidenceError(
                f"the connection to {self.name} ended before the program did{said}", hint=hint
            ) from error

    def _command(self, marker: str) -> tuple[str, ...]:
        words = (self.python or "python3", "-I", "-c", bootstrap(), marker, self.folder or "-")
        if not self.is_remote and Path(self.prefix[0]).name == "ssh":
            return (*self.prefix, shlex.join(words))  # ssh gives what it gets to a shell
        if self.is_remote:
            host = self.prefix.index("--") + 2
            return (*self.prefix[:host], shlex.join((*self.prefix[host:], *words)))
        return (*self.prefix, *words)

    def _run(self, job: Job, stream: Stream) -> Finished:
        hello = stream.hello()
        if hello["tasks"] != "1":
            hint = "start one, for example with `-n1`: jaxfix measures one program"
            raise EvidenceError(f"{self.name} starts {hello['tasks']} processes", hint=hint)
        there, scratch = str(hello["folder"]), job.scratch
        job = self._with_project(job, stream)
        payload = Payload(scratch, there, hello["base"], tree_of(job))
        payload.send(stream)
        with suppress(Broken):  # the reason waits to be received
            stream.say(b"G", self._orders.order(job, payload))
        moved = payload.back() if job.interactive else ()
        with stream.given_up_after(None if job.interactive else job.timeout_s + _PATIENCE_S):
            ended = received(stream, job, payload, moved)
        return self._orders.finished(job, ended, payload)

    @property
    def _orders(self) -> Orders:
        return Orders(self.name, self.is_remote, self.python)

    def _with_project(self, job: Job, stream: Stream) -> Job:
        """The job, with a copy of the folder that it runs in, if it runs in place and the folder is not there."""
        if job.cwd.is_relative_to(job.scratch):
            return job
        root = job.cwd.resolve()
        status = root.stat()
        if stream.ask({str(root): None}).get(str(root)) == f"{status.st_ino}:{status.st_mtime_ns}":
            return job
        tree = job.scratch / "tree" / root.name
        shadow.copy_tree(root, tree, {})
        path = job.scratch / "settings.json"
        settings = json.loads(path.read_text())
        settings |= {"user": [str(tree)], "moved": [[str(tree), str(root)]], "paths": [[str(root), str(tree)]]}
        path.write_text(json.dumps(settings | {"links": [str(tree), str(root)]}))
        words = tuple(_moved(word, root, tree) for word in job.words)
        return replace(job, words=words, cwd=tree)

    def _explained(self, error: Unreached) -> EvidenceError:
        said = f": {error.said}" if error.said else ""
        python = self.python or "python3"
        match error.status:
            case None:
                hint = "check `--launcher`" if not self.is_remote else "install an ssh client"
                return EvidenceError(f"`{self.prefix[0]}` cannot be started{said}", hint=hint)
            case status if status in (0, NO_INPUT):
                hint = "`docker exec` and `kubectl exec` do with `-i`"
                return EvidenceError(f"{self.name} does not pass standard input to the program", hint=hint)
            case status if status == TERMINAL:
                hint = "leave out `-t` or `--pty`"
                return EvidenceError(f"{self.name} gives the program a terminal, which garbles what it says", hint=hint)
            case 255 if self.is_remote:
                hint = f"see whether `{shlex.join(('ssh', self.prefix[self.prefix.index('--') + 1]))} true` works"
                return EvidenceError(f"{self.name} cannot be reached{said}", hint=hint)
            case status if status == 127 or _is_missing(error.said, python):
                hint = "name the interpreter of that machine with `--python`"
                return EvidenceError(f"there is no `{python}` on {self.name}{said}", hint=hint)
            case status:
                message = f"{self.name} ended with status {status} before the program began{said}"
                return EvidenceError(message, hint="see whether it starts `python3 --version`")


def _is_missing(said: str, python: str) -> bool:
    return python in said and ("not found" in said or "No such file" in said)


def _parts(on: str) -> tuple[str | None, str]:
    """The platform, if one is named, and the place."""
    first, _, rest = on.partition(",")
    if first in PLATFORMS:
        return first, rest or "local"
    if on != "local" and not on.startswith(("ssh://", _FLEET)):
        raise ConfigError(f"`--on {on}` names no place", hint=f"say {_PLACES}")
    return None, on


def _launcher(launcher: str | None) -> tuple[str, ...]:
    if launcher is None:
        return ()
    try:
        variables, words = command_words(launcher)
    except EvidenceError as error:
        raise ConfigError(f"`--launcher {launcher}`: {error.message}", hint="for example `srun -n1`") from error
    return (*(("env", *(f"{n}={v}" for n, v in variables.items())) if variables else ()), *words)


def _fleet(url: str, launcher: str | None, python: str | None) -> Target:
    if launcher is not None:
        raise ConfigError("`--launcher` starts no job of a dask cluster", hint="start its workers with the launcher")
    try:
        from jaxfix.evidence.fleet.dask import Fleet
    except ImportError as error:
        hint = "`python -m pip install 'jaxfix[fleet]'`"
        raise ConfigError(f"`--on {url}` needs distributed, which is not installed here", hint=hint) from error
    return Fleet.at(url, python)


def _over_ssh(url: str, prefix: tuple[str, ...], launcher: str | None, python: str | None) -> Remote:
    hint = f"say {_PLACES}"
    try:
        parts = urlsplit(url)
        port, password = parts.port, parts.password
    except ValueError as error:
        raise ConfigError(f"`--on {url}` cannot be read: {error}", hint=hint) from error
    if password is not None:
        raise ConfigError("`--on ssh://` takes no password", hint="let ssh ask for it, or use a key")
    if parts.scheme != "ssh" or not parts.hostname or parts.query or parts.fragment:
        raise ConfigError(f"`--on {url}` names no place", hint=hint)
    # `hostname` is in lower case, and aliases of an ssh configuration are not
    host = re.sub(r":\d*$", "", parts.netloc).replace("[", "").replace("]", "")
    if host.startswith("-") or "@-" in host:
        raise ConfigError(f"`--on {url}` names an option for ssh, not a host", hint=hint)
    path = unquote(parts.path).rstrip("/")
    folder = path.removeprefix("/") if path.startswith("/~") else path or None
    own = tuple(shlex.split(os.environ.get("JAXFIX_SSH", "ssh")))
    command = (*own, *_SSH, *(("-p", str(port)) if port else ()), "--", unquote(host), *prefix)
    through = f" through `{launcher}`" if prefix else ""
    return Remote(f"`{url}`{through}", command, is_remote=True, folder=folder, python=python)


def _moved(text: str, root: Path, tree: Path) -> str:
    return re.sub(rf"{re.escape(str(root))}(?=$|[/:\s'\"])", lambda _: str(tree), text)


@contextmanager
def _asked_to_end(stream: Stream, *, interactive: bool) -> Iterator[None]:
    """While a program has the terminal, Ctrl-C is for the program; the third one is for us too."""
    if not interactive or threading.current_thread() is not threading.main_thread():
        yield
        return
    heard = 0

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal heard
        heard += 1
        if not stream.is_running or heard >= _INTERRUPTS:
            raise KeyboardInterrupt
        with suppress(Broken):
            stream.send(b"I", b"")

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
