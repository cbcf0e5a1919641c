"""Environments of a period: made for a version of jax, kept in the user's own cache folder, and used again.

periods/NAME             a virtual environment with that jax, and what the project requires beside it
periods/NAME.lock        held by who makes it
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from jaxfix.drivers import files, private, shelf
from jaxfix.drivers.lock import locked
from jaxfix.library.changes.periods import held, pythons
from jaxfix.source.errors import ConfigError, EvidenceError
from jaxfix.source.frozen import frozen

Version = tuple[int, ...]
_KEPT = 5
"""Environments; those that were used the longest ago make room."""
_LONGEST_S = 1800
_COMPLETE = "jaxfix.complete"
_OWN = "`--oracle-python PATH` uses an environment of your own"
_ASK = "import sys; print('%d.%d' % sys.version_info[:2])"
_TRY = "import jax; print(jax.__version__)"
_VERSIONS = re.compile(r"\(from versions: ([^)]*)\)")
_MISSING = re.compile(r"No matching distribution found for ([\w.-]+)(?:\[\w+\])?([^\s(;]*)")
_UNREACHABLE = re.compile(
    r"name resolution|name or service|connection|network|unreachable|proxyerror|timed out|failed to fetch|dns error",
    re.IGNORECASE,
)
_CONFLICT = re.compile(r"ResolutionImpossible|conflicting dependencies|No solution found|unsatisfiable", re.IGNORECASE)
_INDEX_OPTIONS = (
    *(("index-url", "--default-index"), ("extra-index-url", "--index"), ("find-links", "--find-links")),
    ("trusted-host", "--allow-insecure-host"),
)


@frozen
class Period:
    """What is asked for: a version of jax, and the requirements of a project beside it."""

    jax: Version
    requirements: tuple[str, ...] = ()

    @property
    def version(self) -> str:
        return ".".join(map(str, self.jax))

    @property
    def wanted(self) -> tuple[str, ...]:
        """All requirements; where one package is twice, both hold."""
        return (f"jax[cpu]=={self.version}", *self.requirements, *held(self.jax))


def python_of(period: Period, project: Path, today: str | None, tell: Callable[[str], None]) -> str:
    """The interpreter of the environment, which is made if there is none yet.

    Args:
      today: the Python that the project runs with; None for that of jaxfix.

    Raises:
      ConfigError: there is no place for it, or no Python on this machine that such a jax runs with.
      EvidenceError: the registry does not have it, or is not reached.
    """
    runs = shelf.place(project)
    if runs is None:
        raise ConfigError("`--oracle` has no cache folder to keep an environment in", hint=_OWN)
    base, minor = _base(period, today or sys.executable)
    digest = hashlib.sha256(repr((period.wanted, base)).encode()).hexdigest()[:8]
    folder = runs.parent / "periods" / f"jax-{period.version}-python-{minor}-{digest}"
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    files.make_folder(folder.parent)
    os.chmod(folder.parent, 0o700)
    with locked(folder.with_name(f"{folder.name}.lock")):
        if not _is_complete(folder):
            told = ", ".join(period.wanted)
            tell(f"creating an environment for it, once, in `{folder}`: {told}; Python {minor}")
            _make(folder, python, base, period)
        os.utime(folder / _COMPLETE)
        _prune(folder.parent)
    return str(python)


def _is_complete(folder: Path) -> bool:
    mark = folder / _COMPLETE
    return mark.exists() and private.doubt(mark, 1000) is None


def _make(folder: Path, python: Path, base: str, period: Period) -> None:
    """All of it, or nothing.

    Raises:
      EvidenceError: as `python_of`.
    """
    shutil.rmtree(folder, ignore_errors=True)
    try:
        error = _installed(folder, python, base, period)
        if error:
            raise why(error, period)
        tried = _run([str(python), "-c", _TRY])
        if tried.returncode:
            last = _last(tried.stderr)
            raise EvidenceError(f"`import jax` fails in the environment with jax {period.version}: {last}", hint=_OWN)
        files.write_bytes(folder / _COMPLETE, b"", mode=0o600)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _installed(folder: Path, python: Path, base: str, period: Period) -> str:
    """What the installer says where it fails: `uv` if it is there and can, else pip."""
    uv = shutil.which("uv")
    if uv is not None:
        made = _run([uv, "venv", "-q", "--python", base, str(folder)])
        at = ["--python", str(python), "--index-strategy", "unsafe-best-match", *_registry()]  # as pip looks
        if not made.returncode and not _run([uv, "pip", "install", "-q", *at, *period.wanted]).returncode:
            return ""
        shutil.rmtree(folder, ignore_errors=True)
    pip = [str(python), "-m", "pip"]
    if _run([base, "-m", "venv", str(folder)]).returncode:  # a system without `ensurepip`
        shutil.rmtree(folder, ignore_errors=True)
        made = _run([base, "-m", "venv", "--without-pip", str(folder)])
        if made.returncode:
            return made.stderr or made.stdout
        pip = [sys.executable, "-m", "pip", "--python", str(python)]
    done = _run([*pip, "install", "-q", "--disable-pip-version-check", "--prefer-binary", *period.wanted])
    return (done.stderr or f"pip exited with status {done.returncode}") if done.returncode else ""


def _registry() -> Iterator[str]:
    """The registry that pip is configured for, as an option of `uv`; nothing where `uv` has its own."""
    if any(name.startswith(("UV_INDEX", "UV_DEFAULT_INDEX", "UV_EXTRA_INDEX")) for name in os.environ):
        return
    for line in _run([sys.executable, "-m", "pip", "config", "list"]).stdout.splitlines():
        key, _, value = line.partition("=")
        for name, option in _INDEX_OPTIONS:
            if key.rpartition(".")[2] == name:
                for word in value.strip("'\"").split():
                    yield from (option, word)


def _base(period: Period, today: str) -> tuple[str, str]:
    """The Python to make it of, and its `major.minor`: that of today if such a jax runs with it, else another here.

    Raises:
      ConfigError: there is none.
    """
    fit = pythons(period.jax)
    own = _run([today, "-c", _ASK]).stdout.strip()
    if own and (own in fit or not fit):
        return today, own
    for minor in fit:
        found = shutil.which(f"python{minor}")
        if found is not None and _run([found, "-c", _ASK]).stdout.strip() == minor:
            return found, minor
    which = " or ".join(filter(None, (", ".join(fit[:0:-1]), *fit[:1])))
    raise ConfigError(
        f"jax {period.version} has no wheel for Python {own or 'of this project'}, except Python {which}, "
        "of which none is on the search path",
        hint=f"install one of them; {_OWN}",
    )


def why(said: str, period: Period) -> EvidenceError:
    """What an installer says, as a sentence with the next step."""
    lines = [line for line in said.splitlines() if line.strip()]
    missing = _MISSING.search(said)
    versions = _VERSIONS.search(said)
    if _UNREACHABLE.search(said):
        return EvidenceError(
            f"the registry of pip is not reached: {_last(said)}", hint=f"try it with a network; {_OWN}"
        )
    if _CONFLICT.search(said):
        told = next((line.strip() for line in lines if _CONFLICT.search(line)), lines[-1])
        return EvidenceError(
            f"the project's requirements conflict with jax {period.version}: {told[:300]}",
            hint=f"pin versions of that time in its requirements; {_OWN}",
        )
    if missing is not None:
        near = _near(period.jax, versions[1].split(", ") if versions is not None else ())
        return EvidenceError(
            f"the registry of pip has no `{missing[1]}{missing[2]}` for this Python",
            hint=f"it has {near}" if near and missing[1].startswith("jax") else _OWN,
        )
    return EvidenceError(f"an environment with jax {period.version} cannot be created: {_last(said)}", hint=_OWN)


def _near(wanted: Version, versions: Iterable[str]) -> str:
    """The versions around the one that is wanted, the newest first."""
    known = sorted({tuple(map(int, each.split("."))) for each in versions if re.fullmatch(r"[\d.]+", each)})
    before, after = [each for each in known if each < wanted], [each for each in known if each > wanted]
    return ", ".join(".".join(map(str, each)) for each in [*after[:2][::-1], *before[:-3:-1]])


def _last(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip() and not line.startswith("WARNING")]
    return lines[-1][:300] if lines else "no output"


def _run(words: Sequence[str]) -> "subprocess.CompletedProcess[str]":
    try:
        return subprocess.run(
            words, capture_output=True, text=True, errors="replace", timeout=_LONGEST_S, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(words, 1, "", f"timed out after {_LONGEST_S} s")
    except OSError as error:
        return subprocess.CompletedProcess(words, 1, "", f"`{words[0]}` does not run: {files.reason(error)}")


def _prune(folder: Path) -> None:
    marks = sorted(folder.glob(f"*/{_COMPLETE}"), key=lambda mark: mark.stat().st_mtime, reverse=True)
    for mark in marks[_KEPT:]:
        shutil.rmtree(mark.parent, ignore_errors=True)
