"""Sources of other people: Python's own library with the files that test Python, and what is installed."""

import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.reliability.laws import reads

ROOT = Path(__file__).resolve().parents[2]
_COMMAND_S = 3600


@dataclass(frozen=True, slots=True)
class Command:
    """What the command line did to a folder.

    Attributes:
      check: the exit code of `jaxfix check --all`.
      apply: that of `jaxfix apply --diff --unproven`.
      patched: the files that the diff changes, once it has been applied to a copy.
      broken: those of them that compiled before and do not now, and what else went wrong, in words.
    """

    check: int
    apply: int
    patched: int
    broken: tuple[str, ...]


def here() -> tuple[Path, ...]:
    """The library of the running Python and what is installed beside it."""
    paths = sysconfig.get_paths()
    return tuple(dict.fromkeys(Path(paths[name]) for name in ("stdlib", "purelib")))


def sources(folder: Path, apart: Sequence[Path] = ()) -> Iterator[Path]:
    """The Python files below `folder`, without those below `apart`."""
    for path in sorted(folder.rglob("*.py")):
        if path.is_file() and not any(other != folder and path.is_relative_to(other) for other in apart):
            yield path


def commanded(folder: Path) -> Command:
    """Runs the command line on the folder; what it would write is applied to a copy, by git."""
    checked = _jaxfix("check", "--all", str(folder))
    applied = _jaxfix("apply", "--diff", "--unproven", "--exit-zero", str(folder))
    broken = [*_traces("check", checked), *_traces("apply", applied)]
    with tempfile.TemporaryDirectory() as place:
        patched = _patched(folder, applied.stdout, Path(place), broken)
    return Command(checked.returncode, applied.returncode, patched, tuple(broken))


def _jaxfix(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "jaxfix", *arguments]
    return subprocess.run(command, capture_output=True, cwd=ROOT, stdin=subprocess.DEVNULL, timeout=_COMMAND_S)


def _traces(name: str, done: subprocess.CompletedProcess[bytes]) -> Iterator[str]:
    if done.returncode not in (0, 1, 2) or b"Traceback" in done.stderr:
        last = (done.stderr.decode(errors="replace").strip().splitlines() or [""])[-1]
        yield f"{name} ends with {done.returncode}: {last}"


def _patched(folder: Path, diff: bytes, place: Path, broken: list[str]) -> int:
    # The paths of a diff are relative to where jaxfix ran, or absolute, or those in a package that is installed.
    names = [line[6:].rstrip(b"\t\r\n") for line in diff.split(b"\n") if line.startswith(b"--- a/")]
    for name in names:
        own = Path(name.decode(errors="surrogateescape"))
        original = next((path for path in (ROOT / own, Path("/") / own, folder.parent / own) if path.is_file()), None)
        if original is None:
            broken.append(f"the diff names {own}, which is not there")
            continue
        copy = place / own
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(original.read_bytes())
    if not names:
        return 0
    done = subprocess.run(["git", "apply", "-"], input=diff, cwd=place, capture_output=True)
    if done.returncode:
        broken.append(f"git does not apply the diff: {done.stderr.decode(errors='replace').strip()}")
    wrong = (copy for copy in place.rglob("*.py") if not reads(copy.read_bytes()))
    broken += [f"{copy.relative_to(place)} does not compile" for copy in wrong]
    return len(names)


def called(folder: Path) -> str:
    """How the page calls a folder: by its last parts, none of which says whose machine it is."""
    known, version = sysconfig.get_paths(), f"Python {sys.version.split()[0]}"
    if folder == Path(known["stdlib"]):
        return f"the library of {version} with its tests, and what is installed for that"
    if folder == Path(known["purelib"]):
        return f"what is installed beside jaxfix, {version}"
    return "/".join(folder.parts[-2:])
