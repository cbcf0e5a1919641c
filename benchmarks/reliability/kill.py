"""Kills `jaxfix apply` while it works, and looks at what is left; from the root of a clone, on a system with SIGKILL.

python -m benchmarks.reliability.kill           200 runs killed at random moments, one before each file operation
python -m benchmarks.reliability.kill --moments 10 --every 12 --seed 3
python -m benchmarks.reliability.kill --page    the same, written into docs/evidence/reliability.md

Every file must be the one before or the one after, and what is left must be mended by `jaxfix undo`, or by the next
run; they take turns. A breach is printed, and the exit code is 1.
"""

import argparse
import os
import platform
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "evidence" / "reliability.md"
TITLE = "## Killed at any moment"
ARGUMENTS = ("apply", "--unproven", "--allow-no-vcs", "--exit-zero", ".")
_COMMAND = [sys.executable, "-m", "jaxfix", *ARGUMENTS]
_WHAT = 'import jax\nfrom jax import lax\n\nSCALE = {"of": 1.0}\n\n\n'
_LOOP = """\
def walk_%d(x):
    def body(i, value):
        return value * 0.5

    return lax.fori_loop(0, 3, body, x)


def read_%d(x):
    def body(i, value):
        return value * SCALE["of"]

    return lax.fori_loop(0, 3, body, x)


def rescale_%d(value):
    SCALE["of"] = value


for _ in range(9):
    read_%d(1.0)
"""
_OPERATIONS = frozenset(
    {
        *("open", "os.chmod", "os.chown", "os.mkdir", "os.putenv", "os.remove", "os.rename", "os.rmdir", "os.scandir"),
        *("os.setxattr", "os.listxattr", "os.truncate", "os.utime", "fcntl.flock", "tempfile.mkstemp", "os.listdir"),
    }
)
_OURS = ".jaxfix"


@dataclass(slots=True)
class Tally:
    """What a series of kills has come to; `breaches` are sentences, and ought to be empty."""

    kills: int = 0
    during: int = 0
    files: int = 0
    states: Counter[str] = field(default_factory=Counter)
    mended: Counter[str] = field(default_factory=Counter)
    temporary: int = 0
    breaches: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Known:
    """A project before an apply, and after one that nobody disturbed: bytes and permissions by path."""

    before: dict[str, tuple[bytes, int]]
    after: dict[str, tuple[bytes, int]]
    seconds: float


def main() -> int:
    options = _options()
    with tempfile.TemporaryDirectory() as scratch:
        known = _known(Path(scratch))
        random_moments = _tallied(Path(scratch), known, _moments(options.moments, options.seed, known.seconds))
        operations = _tallied(Path(scratch), known, _operations(Path(scratch), options.every))
    lines = _lines(random_moments, operations, options)
    print("\n".join(lines))
    if options.page:
        _write_section(lines)
    breaches = [*random_moments.breaches, *operations.breaches]
    print("".join(f"breach: {breach}\n" for breach in breaches), end="")
    return 1 if breaches or not operations.during else 0


# --- the project --------------------------------------------------------------------------------------------------


def lay_out(folder: Path) -> None:
    """Sources of all kinds: a link, an executable, line ends and encodings; their fixes need a generated file."""
    folder.mkdir()
    (folder / "pyproject.toml").write_text('[project]\nname = "scratch"\n')
    for number in range(6):
        text = _WHAT + _loop(number)
        (folder / f"plain_{number}.py").write_bytes(text.encode())
    (folder / "crlf.py").write_bytes((_WHAT + _loop(7)).replace("\n", "\r\n").encode())
    latin = "# -*- coding: latin-1 -*-\n# caf\xe9\n" + _WHAT + _loop(8)
    (folder / "latin.py").write_bytes(latin.encode("latin-1"))
    (folder / "plain_0.py").chmod(0o755)
    (folder / "deep").mkdir()
    (folder / "deep" / "real.py").write_bytes((_WHAT + _loop(9)).encode())
    (folder / "link.py").symlink_to(Path("deep") / "real.py")


def _loop(number: int) -> str:
    return _LOOP.replace("%d", str(number))


def contents(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Bytes and permissions of everything but `.jaxfix/`, by path."""
    return {
        path.relative_to(folder).as_posix(): (path.read_bytes(), path.lstat().st_mode)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and _OURS not in path.relative_to(folder).parts
    }


def _known(scratch: Path) -> Known:
    folder = scratch / "known"
    lay_out(folder)
    before = contents(folder)
    begun = time.monotonic()
    subprocess.run(_COMMAND, cwd=folder, env=_environment(), check=True, capture_output=True)
    seconds = time.monotonic() - begun
    after = contents(folder)
    assert before.keys() < after.keys() and all(before[name] != after[name] for name in before if name[-3:] == ".py")
    return Known(before, after, seconds)


def _environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "codemods"))), "NO_COLOR": "1"}


# --- killing ------------------------------------------------------------------------------------------------------

Kill = Callable[[Path], bool]
"""Runs an apply in the folder and kills it; whether it was killed before it was done."""


def _moments(number: int, seed: int, seconds: float) -> Iterator[Kill]:
    """Real processes: half are killed whenever it happens to be, half once they have begun to write."""
    chance = random.Random(seed)
    for index in range(number):
        is_writing = index % 2 == 0
        wait = chance.uniform(0, seconds / 8 if is_writing else seconds)
        yield lambda folder, wait=wait, is_writing=is_writing: _killed_after(folder, wait, is_writing)


def _killed_after(folder: Path, wait: float, is_writing: bool) -> bool:
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "stdin": subprocess.DEVNULL}
    child = subprocess.Popen(_COMMAND, cwd=folder, env=_environment(), **quiet)
    while is_writing and not (folder / _OURS).exists() and child.poll() is None:
        time.sleep(0.0002)
    time.sleep(wait)
    child.send_signal(signal.SIGKILL)
    return child.wait() == -signal.SIGKILL


def _operations(scratch: Path, every: int) -> Iterator[Kill]:
    """Killed before the first file operation of the writing, the next, and so on: no moment between two is left out."""
    for number in range(0, 100_000, every):
        state: list[bool] = []

        def kill(folder: Path, number: int = number, state: list[bool] = state) -> bool:
            state.append(_killed_before(folder, number))
            return state[0]

        yield kill
        if not state[0]:
            return


def _killed_before(folder: Path, number: int) -> bool:
    return _forked(folder, ARGUMENTS, number) is None


def _forked(folder: Path, arguments: Sequence[str], operations: int | None = None) -> int | None:
    """Runs jaxfix in a copy of this process, which has loaded everything; None if it was killed.

    What it says on stderr is in `stderr.txt` beside the folder.

    Args:
      operations: after so many file operations of the writing it kills itself.
    """
    import jaxfix.drivers.cli.apply
    import jaxfix.drivers.cli.undo
    import jaxfix.rewrite.rewriter  # noqa: F401

    child = os.fork()
    if child == 0:
        _jaxfix(folder, arguments, operations)
    status = os.waitpid(child, 0)[1]
    return None if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def _jaxfix(folder: Path, arguments: Sequence[str], operations: int | None) -> None:
    """Does not return."""
    code = 70
    try:
        os.chdir(folder)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(os.open(folder.parent / "stderr.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
        sys.argv = ["jaxfix", *arguments]
        if operations is not None:
            _die_after(operations)
        from jaxfix.__main__ import main as jaxfix

        code = jaxfix()
    finally:
        os._exit(code)


def _die_after(operations: int) -> None:
    left = operations

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal left
        if event in _OPERATIONS and os.path.lexists(_OURS):
            left -= 1
            if left < 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(watch)


# --- what is left -------------------------------------------------------------------------------------------------


def _tallied(scratch: Path, known: Known, kills: Iterator[Kill]) -> Tally:
    tally = Tally()
    folder = scratch / "killed"
    for index, kill in enumerate(kills):
        shutil.rmtree(folder, ignore_errors=True)
        lay_out(folder)
        was_killed = kill(folder)
        if was_killed:
            tally.kills += 1
            _judge(folder, known, tally, index)
    return tally


def _judge(folder: Path, known: Known, tally: Tally, index: int) -> None:
    busy = folder / _OURS / "busy"
    tally.during += busy.exists() and busy.stat().st_size > 0
    found = contents(folder)
    leftovers = {name for name in found if name.endswith(".jaxfix-tmp")}
    tally.temporary += len(leftovers)
    for name in known.after:
        state = _state(name, found, known)
        tally.files += 1
        tally.states[state] += 1
        if state == "torn":
            tally.breaches.append(f"kill {index}: {name} is neither the old one nor the new one")
    if found.keys() - known.after.keys() - leftovers:
        tally.breaches.append(
            f"kill {index}: {sorted(found.keys() - known.after.keys() - leftovers)} came out of nowhere"
        )
    if any(found[name] == known.after[name] for name in known.before if name[-3:] == ".py") and (
        known.after.keys() - known.before.keys() - found.keys()
    ):
        tally.breaches.append(f"kill {index}: a source imports the generated file, which is not there")
    _mend(folder, known, tally, index)


def _state(name: str, found: dict[str, tuple[bytes, int]], known: Known) -> str:
    now = found.get(name)
    if now == known.before.get(name):
        return "old"
    return "new" if now == known.after[name] else "torn"


def _mend(folder: Path, known: Known, tally: Tally, index: int) -> None:
    """`undo` and the next run take turns; neither may leave anything of the killed one."""
    is_undo = index % 4 < 2
    wanted = known.before if is_undo else known.after
    code = _forked(folder, ("undo",) if is_undo else ARGUMENTS)
    said = (folder.parent / "stderr.txt").read_text().strip()
    is_nothing = is_undo and code == 2 and "nothing to undo" in said
    if code != 0 and not is_nothing:
        tally.breaches.append(f"kill {index}: exit code {code}: {said}")
    elif contents(folder) != wanted:
        tally.breaches.append(f"kill {index}: not mended: {sorted(_differing(contents(folder), wanted))}")
    elif list(folder.rglob("*.jaxfix-tmp")):
        tally.breaches.append(f"kill {index}: {sorted(map(str, folder.rglob('*.jaxfix-tmp')))} are left for ever")
    elif not (folder / "link.py").is_symlink():
        tally.breaches.append(f"kill {index}: the link is none any more")
    else:
        tally.mended["`jaxfix undo`" if is_undo else "the next `jaxfix apply`"] += 1


def _differing(found: dict[str, tuple[bytes, int]], wanted: dict[str, tuple[bytes, int]]) -> set[str]:
    return {name for name in found.keys() | wanted.keys() if found.get(name) != wanted.get(name)}


# --- telling ------------------------------------------------------------------------------------------------------


def _lines(moments: Tally, operations: Tally, options: argparse.Namespace) -> list[str]:
    rows = [
        ("runs killed", moments.kills, operations.kills),
        ("of them while files were written", moments.during, operations.during),
        ("files looked at", moments.files, operations.files),
        ("files as before", moments.states["old"], operations.states["old"]),
        ("files as after", moments.states["new"], operations.states["new"]),
        ("files that are neither", moments.states["torn"], operations.states["torn"]),
        ("temporary files left beside the sources", moments.temporary, operations.temporary),
        *((f"mended by {who}", moments.mended[who], operations.mended[who]) for who in sorted(moments.mended)),
        ("breaches", len(moments.breaches), len(operations.breaches)),
    ]
    return [
        TITLE,
        "",
        "Written by `python -m benchmarks.reliability.kill --page`. `jaxfix apply` on a project of nine sources (a "
        "link, an executable, CRLF, latin-1) whose fixes need a generated file, ended by SIGKILL: at random moments, "
        f"seed {options.seed}, {options.moments} times, half of them after the writing has begun (a run that was done "
        "before its moment does not count); and before "
        f"{'each' if options.every == 1 else f'every {options.every}th'} single file operation of the writing. Then "
        "`jaxfix undo` must give every byte back, or the next `jaxfix apply` finish the work, and no temporary file "
        f"may stay. Python {platform.python_version()}, {platform.system()}.",
        "",
        "| | random moments | each file operation |",
        "|---|---|---|",
        *(f"| {name} | {first} | {second} |" for name, first, second in rows),
    ]


def section() -> list[str]:
    """The section as it is in the page; empty where there is none."""
    _, mark, rest = (PAGE.read_text() if PAGE.exists() else "").partition(f"{TITLE}\n")
    return [TITLE, *rest.partition("\n## ")[0].splitlines()] if mark else []


def _write_section(lines: list[str]) -> None:
    """Puts the section in the place of the old one, or at the end of the page."""
    page = PAGE.read_text() if PAGE.exists() else "# Reliability\n"
    old = "\n".join(section())
    text = "\n".join(lines)
    PAGE.write_text(page.replace(old, text) if old else f"{page.rstrip(chr(10))}\n\n{text}\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--moments", type=int, default=200, help="runs that are killed at random moments")
    parser.add_argument("--every", type=int, default=1, help="kill before every so many file operations")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--page", action="store_true", help="write the section of the page")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
