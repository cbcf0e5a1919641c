"""Proves the fixes of many repositories: each is a job of the queue that cases and programs run in."""

import hashlib
import json
import os
import shlex
import subprocess
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from jaxfix import __version__
from jaxfix.drivers import files, private, shelf
from jaxfix.drivers.workflow.repository import RESULT, Request
from jaxfix.evidence.reusing import jaxfix, machine
from jaxfix.evidence.run import scratch
from jaxfix.evidence.target import Finished, Job, Target
from jaxfix.report.campaign import Campaign, Repository
from jaxfix.report.wire import from_json, to_json
from jaxfix.source.errors import ConfigError, UserError
from jaxfix.source.frozen import frozen

_REPOSITORY_S = 6 * 3600.0
_LARGEST_BYTES = 10_000_000
_KEYS = {"name": str, "path": str, "url": str, "commit": str, "install": list, "run": str, "paths": list}


@frozen
class Entry:
    """A repository as the list names it, by `path` or `url`."""

    name: str
    path: str | None
    url: str | None
    commit: str
    install: tuple[str, ...]
    run: str | None
    paths: tuple[str, ...]


@frozen
class How:
    """How a campaign runs.

    Attributes:
      timeout_s: of each run of a program.
      fresh: whether what earlier campaigns have shown does not count.
    """

    target: Target
    timeout_s: float
    fresh: bool


def entries(path: Path) -> tuple[Entry, ...]:
    """The repositories of a list; paths in it start from its folder.

    Raises:
      ConfigError: it cannot be read as one.
    """
    shown = files.shown(path)
    try:
        said = tomllib.loads(files.read_bytes(path).decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{shown}: not valid TOML: {error}") from error
    listed = said.get("repository")
    if set(said) != {"repository"} or not isinstance(listed, list) or not listed:
        raise ConfigError(f"{shown}: lists no repositories", hint="begin each with `[[repository]]`")
    found = tuple(_entry(f"{shown}, repository {number}", item, path.parent) for number, item in enumerate(listed, 1))
    names = [entry.name for entry in found]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ConfigError(f"{shown}: two repositories are called `{twice[0]}`", hint="give them a `name`")
    return found


def _entry(where: str, said: object, base: Path) -> Entry:
    if not isinstance(said, dict):
        raise ConfigError(f"{where}: no table")
    for key, value in said.items():
        if key not in _KEYS:
            raise ConfigError(f"{where}: unknown key `{key}`", hint=f"the keys are {', '.join(_KEYS)}")
        texts = value if isinstance(value, list) else [value]
        if not isinstance(value, _KEYS[key]) or not all(isinstance(text, str) and text for text in texts):
            kind = "a list of strings" if _KEYS[key] is list else "a string"
            raise ConfigError(f"{where}: `{key}` has to be {kind}{', not empty' if '' in texts else ''}")
    path, url = said.get("path"), said.get("url")
    if (path is None) == (url is None):
        raise ConfigError(f"{where}: give either `path` or `url`")
    if str(url or said.get("commit", "")).startswith("-") or str(said.get("commit", "")).startswith("-"):
        raise ConfigError(f"{where}: names an option of git")
    for command in (*said.get("install", ()), *([said["run"]] if "run" in said else [])):
        _check_words(where, command)
    place = str((base / path).resolve()) if path is not None else None
    name = said.get("name") or str(path or url).rstrip("/").rpartition("/")[2].removesuffix(".git")
    commit, run = said.get("commit", "HEAD"), said.get("run")
    return Entry(name, place, url, commit, tuple(said.get("install", ())), run, tuple(said.get("paths", ["."])))


def _check_words(where: str, command: str) -> None:
    try:
        if shlex.split(command):
            return
        said = "no words"
    except ValueError as error:
        said = str(error).lower()
    raise ConfigError(f"{where}: `{command}` cannot be read: {said}")


def run(listed: Sequence[Entry], how: How, told: Callable[[Repository], None]) -> Campaign:
    """Runs all of them; what earlier campaigns have shown of the same commits is not run again.

    Args:
      told: hears of each as soon as it is done.

    Raises:
      EvidenceError: the place where they run is lost.
    """
    began = time.monotonic()
    kept = _Kept(how)
    found: dict[str, Repository] = {}
    for entry in listed:
        if (known := kept.find(entry)) is not None:
            found[entry.name] = known
    reused = len(found)
    for repository in _made([entry for entry in listed if entry.name not in found], how, kept):
        found[repository.name] = repository
        told(repository)
    ordered = tuple(found[entry.name] for entry in listed)
    return Campaign(ordered, reused, round(time.monotonic() - began, 1))


def _made(waiting: Sequence[Entry], how: How, kept: "_Kept") -> Iterator[Repository]:
    jobs: list[Job] = []
    made: list[Entry] = []
    with ExitStack() as stack:
        for entry in waiting:
            try:
                jobs.append(_job(entry, stack.enter_context(scratch()), how))
                made.append(entry)
            except UserError as error:
                yield Repository(entry.name, None, str(error))
        for number, finished in how.target.submit(jobs) if jobs else ():
            repository = _read(made[number], jobs[number], finished)
            kept.keep(made[number], repository)
            yield repository


def _job(entry: Entry, folder: Path, how: How) -> Job:
    """What proves one repository; files of this machine travel with it.

    Raises:
      UserError: there is no such repository or commit here.
    """
    tree = folder / "tree" / "repository"
    files.make_folder(tree)
    commit = entry.commit
    if entry.path is not None:
        if not os.path.isdir(entry.path):
            raise UserError(f"no such folder: {files.shown(Path(entry.path))}")
        commit = resolved(entry.path, entry.commit)
        files.unpack(_git(entry.path, "archive", "--format=tar", commit), tree)
    limits = how.timeout_s, how.fresh
    told = Request(
        entry.name,
        str(tree),
        str(folder / "results"),
        commit,
        entry.url,
        entry.install,
        entry.run,
        entry.paths,
        *limits,
    )
    files.write_bytes(folder / "request.json", json.dumps(to_json(told)).encode())
    files.write_bytes(folder / "settings.json", b"{}")
    environment = {**os.environ, "JAXFIX_PROBE": str(folder / "settings.json")}
    words = (how.target.interpreter, "-m", "jaxfix.drivers.workflow.repository", str(folder / "request.json"))
    return Job(words, folder, environment, _REPOSITORY_S)


def _read(entry: Entry, job: Job, finished: Finished) -> Repository:
    path = job.scratch / "results" / RESULT
    if path.exists():
        with suppress(ValueError):
            return from_json(Repository, json.loads(files.read_bytes(path)))
    lines = [line.strip() for line in finished.stderr.splitlines() if line.strip()]
    said = "timed out" if finished.status is None else lines[-1] if lines else f"exit status {finished.status}"
    if "No module named" in said and "jaxfix" in said:
        said = f"jaxfix {__version__} is not installed where it runs"
    return Repository(entry.name, None, said)


def resolved(path: str, commit: str) -> str:
    """The full name of a commit.

    Raises:
      UserError: there is none.
    """
    return (
        _git(path, "rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}", what=f"no commit `{commit}`")
        .decode()
        .strip()
    )


def _git(path: str, *words: str, what: str | None = None) -> bytes:
    try:
        done = subprocess.run(["git", "-C", path, *words], capture_output=True)
    except OSError as error:
        raise UserError(f"git cannot be started: {(error.strerror or str(error)).lower()}") from error
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        raise UserError(f"{path}: {lines[-1].removeprefix('fatal: ') if lines else what or 'git failed'}")
    return done.stdout


class _Kept:
    """What was shown of commits, in the user's cache folder: a campaign that is cut off goes on where it was."""

    def __init__(self, how: How) -> None:
        place = shelf.place(Path.cwd())
        self._folder = place.parent / "campaigns" if place is not None else None
        self._how = how

    def find(self, entry: Entry) -> Repository | None:
        """Its result; None where there is none, or its branch may have moved to another commit."""
        path = self._place(entry)
        if path is None or self._how.fresh or not path.exists() or private.doubt(path, _LARGEST_BYTES) is not None:
            return None
        with suppress(ValueError, UserError):
            return from_json(Repository, json.loads(files.read_bytes(path)))
        return None

    def keep(self, entry: Entry, found: Repository) -> None:
        path = self._place(entry)
        if path is not None and found.failed is None:
            with suppress(UserError, OSError):
                files.make_folder(path.parent)
                os.chmod(path.parent, 0o700)
                files.write_bytes(path, json.dumps(to_json(found)).encode(), mode=0o600)

    def _place(self, entry: Entry) -> Path | None:
        """Named by all that the result depends on; None where that is not known: a branch moves."""
        commit = entry.commit
        try:
            commit = resolved(entry.path, commit) if entry.path is not None else commit
            is_exact = len(commit) == 40 and int(commit, 16) >= 0
        except (UserError, ValueError):
            return None
        if self._folder is None or not is_exact:
            return None
        target = self._how.target
        where: Sequence[object] = machine() if target.is_here else [target.name, target.installed()]
        known: Mapping[str, object] = {
            "entry": to_json(entry) | {"commit": commit},  # type: ignore[operator]
            "timeout": self._how.timeout_s,
            "jaxfix": jaxfix(),
            "python": target.interpreter,
            "where": where,
        }
        digest = hashlib.sha256(json.dumps(known).encode(errors="surrogateescape")).hexdigest()
        return self._folder / f"{digest}.json"
