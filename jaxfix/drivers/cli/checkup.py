"""What `jaxfix doctor` looks at, one function a subject; each says how it is, and what to do where it is not well."""

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from enum import Enum
from importlib.metadata import PackageNotFoundError, entry_points, requires, version
from pathlib import Path

from jaxfix import __version__
from jaxfix.drivers import files, journal, receipts, trust, versions
from jaxfix.drivers.cli import terminal
from jaxfix.drivers.workflow.agenda import folder_in, root_of
from jaxfix.engine import config
from jaxfix.engine.config import Config
from jaxfix.engine.registry import GROUP, Registry, load_registry
from jaxfix.evidence.target import command_words, with_interpreter
from jaxfix.render.paint import counted, plain
from jaxfix.source.errors import UserError
from jaxfix.source.frozen import frozen

EXTRAS = {"editors": "lsp", "review": "review"}
OLDEST_JAX, OLDEST_PYTHON = "0.4.30", "3.11"
_LEAST_FREE_BYTES = 1_000_000_000


class Level(Enum):
    """How bad it is: with `WRONG` something that jaxfix promises does not work."""

    OK = "ok"
    WARN = "warn"
    WRONG = "wrong"


@frozen
class Line:
    """One thing that was analysed; `step` is what to do about it, None where nothing need be done."""

    level: Level
    topic: str
    words: str
    step: str | None = None


def tool() -> Iterator[Line]:
    """jaxfix itself, and the libraries that it is on."""
    python = f"Python {sys.version_info.major}.{sys.version_info.minor}.{sys.version_info.micro}"
    yield Line(Level.OK, "jaxfix", f"{__version__}, run by {python} (`{sys.executable}`)")
    try:
        wanted = [entry for entry in requires("jaxfix") or () if "extra ==" not in entry]
    except PackageNotFoundError:
        yield Line(Level.WRONG, "libraries", "jaxfix is not installed", "run `pip install -e .`")
        return
    told: list[str] = []
    for name, floor in sorted(_floor(entry) for entry in wanted):
        try:
            there = version(name)
        except PackageNotFoundError:
            yield Line(Level.WRONG, "libraries", f"{name} is not installed", f"run `pip install '{name}>={floor}'`")
            continue
        if _older(there, floor):
            step = f"run `pip install '{name}>={floor}'`"
            yield Line(Level.WRONG, "libraries", f"{name} {there} is older than {floor}", step)
        told.append(f"{name} {there}")
    yield Line(Level.OK, "libraries", ", ".join(told))


def extras() -> Iterator[Line]:
    """What the editors and the page of a review need; without it the rest of jaxfix works."""
    try:
        entries = requires("jaxfix") or ()
    except PackageNotFoundError:
        return  # `tool` tells
    for topic, extra in EXTRAS.items():
        wanted = [_floor(entry) for entry in entries if re.search(rf"""extra == ['"]{extra}['"]""", entry)]
        yield _extra(topic, f"`pip install 'jaxfix[{extra}]'`", wanted)


def packs() -> Iterator[Line]:
    """The packs of codemods."""
    try:
        registry = load_registry()
    except UserError as error:
        yield Line(Level.WRONG, "packs", error.message, error.hint)
        return
    names = sorted({point.name for point in entry_points(group=GROUP)})
    packs = f"{counted(len(registry.codemods), 'codemod')} of {', '.join(f'`{name}`' for name in names)}"
    yield Line(Level.OK, "packs", packs)
    for failure in registry.failures:
        yield Line(Level.WRONG, "packs", failure.message, failure.hint)


def configuration(registry: Registry) -> Iterator[Line]:
    """The configuration that holds in the working folder; of files below, what is nearer to them may hold."""
    known = tuple(codemod.id for codemod in registry.codemods)
    holding: str | None = None
    for pyproject in files.nearest(Path.cwd(), "pyproject.toml"):
        shown = files.shown(pyproject)
        try:
            found = config.parse(files.read_bytes(pyproject), shown, known)
        except UserError as error:
            yield Line(Level.WRONG, "configuration", error.message, error.hint or "repair it")
            holding = holding or shown
            continue
        if found is None:
            continue
        if holding is not None:
            yield Line(Level.OK, "configuration", f"`{shown}` is not in effect here, `{holding}` is nearer")
            continue
        holding = shown
        yield Line(Level.OK, "configuration", f"`{shown}`: {_settings(found)}")
        if found.run is not None:
            yield from _program(found.run)
    if holding is None:
        yield Line(Level.OK, "configuration", "no pyproject.toml here or above has `[tool.jaxfix]`: defaults apply")


def kept() -> Iterator[Line]:
    """What jaxfix keeps in the project, and of trust in the user's folder."""
    here = Path.cwd()
    root = journal.root_above(here) or receipts.root_above(here)
    if root is None:
        yield Line(Level.OK, "journal", "none: nothing was applied here yet")
    else:
        yield from _journal(root)
    try:
        grants, problems = trust.grants()
        yield Line(Level.OK, "trust", f"{counted(len(grants), 'project')} trusted, in `{files.shown(trust.store())}`")
    except UserError as error:
        yield Line(Level.WRONG, "trust", error.message, error.hint or "run `pip install -e .`, or set `HOME`")
        return
    for problem in problems:
        yield Line(Level.WARN, "trust", problem.removesuffix("; delete it"), "delete it")


def variables(environment: Mapping[str, str]) -> Iterator[Line]:
    """What is set for jax and XLA: all of it reaches the reruns, and some of it makes their counts useless."""
    mine = {name: value for name, value in environment.items() if name.startswith(("JAX_", "XLA_", "LIBTPU_"))}
    for name, (level, words) in _DISTORTING.items():
        if mine.get(name, "").lower() in ("1", "true", "t", "yes", "y", "on"):
            yield Line(level, "variables", f"`{name}` {words}", f"unset `{name}`")
            del mine[name]
    if "--xla_dump_to" in mine.get("XLA_FLAGS", ""):
        words = "`XLA_FLAGS` dumps every compiled program: reruns take longer"
        yield Line(Level.WARN, "variables", words, "remove `--xla_dump_to` from it")
    told = ", ".join(f"`{name}={value}`" for name, value in sorted(mine.items()))
    words = f"evidence holds under {told}" if told else "no variable of jax or XLA affects a rerun"
    yield Line(Level.OK, "variables", words)


def machine() -> Iterator[Line]:
    """What a rerun and a write need of this machine: git, and room for copies; and the terminal."""
    if shutil.which("git") is None:
        step = "install git, or pass `--allow-no-vcs`"
        yield Line(Level.WARN, "git", "not found: `jaxfix apply` writes nothing that it could not compare", step)
    else:
        yield Line(Level.OK, "git", f"`{shutil.which('git')}`")
    folder = tempfile.gettempdir()
    free = shutil.disk_usage(folder).free
    room = f"{_size(free)} free in `{folder}` for the copies that are rerun"
    if free < _LEAST_FREE_BYTES:
        yield Line(Level.WARN, "room", room, "free some, or point `TMPDIR` elsewhere")
    else:
        yield Line(Level.OK, "room", room)
    yield _terminal()


def compile_cache(folder: str | None) -> Line:
    """jax's own cache on the disk, which would hide what a program compiles; reruns switch it off."""
    if not folder:
        return Line(Level.OK, "compile cache", "no persistent one is set")
    size = f", {_size(_bytes_under(Path(folder)))}" if Path(folder).is_dir() else ""
    return Line(Level.OK, "compile cache", f"`{folder}`{size}; reruns neither read nor fill it")


def too_old(python: str | None, jax: str | None) -> Iterator[tuple[str, str]]:
    """What is older than the reruns can use, as name and floor."""
    if python is not None and _older(python, OLDEST_PYTHON):
        yield f"Python {python}", OLDEST_PYTHON
    if jax is not None and _older(jax, OLDEST_JAX):
        yield f"jax {jax}", OLDEST_JAX


# What each does to the counts of a rerun was measured, on jax 0.4.30, 0.10 and 0.12.
_DISTORTING = {
    "JAX_DISABLE_JIT": (Level.WRONG, "compiles every operation alone: no rerun can prove anything"),
    "JAX_CHECK_TRACER_LEAKS": (
        Level.WRONG,
        "makes jax before 0.12 drop its compiled programs: every call compiles again",
    ),
    "JAX_DEBUG_NANS": (Level.WARN, "reruns a function that returns NaN operation by operation: more compiles"),
    "JAX_DEBUG_INFS": (Level.WARN, "reruns a function that returns infinity operation by operation"),
    "JAX_DISABLE_MOST_OPTIMIZATIONS": (Level.WARN, "changes the programs that are compiled"),
}


def _floor(requirement: str) -> tuple[str, str]:
    match = re.match(r"([\w.-]+).*?>=\s*([\d.]+)", requirement)
    return (match[1], match[2]) if match else (re.split(r"[^\w.-]", requirement)[0], "0")


def _older(there: str, floor: str) -> bool:
    numbers = [[int(part) for part in re.findall(r"\d+", text)] for text in (there, floor)]
    return numbers[0][: len(numbers[1])] < numbers[1]


def _extra(topic: str, install: str, wanted: Sequence[tuple[str, str]]) -> Line:
    if not wanted:
        return Line(Level.WARN, topic, "has outdated metadata", f"run {install}")
    there: dict[str, str] = {}
    for name, _ in wanted:
        with suppress(PackageNotFoundError):
            there[name] = version(name)
    missing = [name for name, _ in wanted if name not in there]
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        return Line(Level.OK, topic, f"{' and '.join(missing)} {verb} not installed: {install} adds what it needs")
    old = [f"{name} {there[name]} is older than {floor}" for name, floor in wanted if _older(there[name], floor)]
    if old:
        return Line(Level.WARN, topic, ", ".join(old), f"run {install}")
    return Line(Level.OK, topic, ", ".join(f"{name} {number}" for name, number in there.items()))


def _settings(found: Config) -> str:
    parts = [
        f"selects {', '.join(f'`{name}`' for name in found.select)}" if found.select is not None else "",
        f"ignores {', '.join(f'`{name}`' for name in found.ignore)}" if found.ignore else "",
        f"leaves out {', '.join(f'`{glob}`' for glob in found.extend_exclude)}" if found.extend_exclude else "",
        f"{counted(len(found.per_file_ignores), 'exception')} by file" if found.per_file_ignores else "",
        f"runs `{found.run}`" if found.run is not None else "names no program to rerun",
    ]
    return ", ".join(part for part in parts if part)


def _program(command: str) -> Iterator[Line]:
    """Whether the configured program could start; nothing of it is started, for it may be a stranger's."""
    root = root_of(())
    try:
        words = with_interpreter(command_words(command)[1], root)
    except UserError as error:
        yield Line(Level.WRONG, "program", error.message, error.hint)
        return
    folder = folder_in(root)
    found = shutil.which(words[0], path=None) if not os.path.dirname(words[0]) else str(folder / words[0])
    if found is None or not os.path.exists(found):
        yield Line(
            Level.WRONG, "program", f"`{words[0]}` of `{command}`: no such program", "install it, or correct `run`"
        )
        return
    python = versions.interpreter_of(command, folder)
    there = versions.of(python) if python is not None else None
    if there is not None and there.jax is None:
        yield Line(Level.WRONG, "program", f"`{python}` has no jax", "install jax there, or correct `run`")
    elif there is not None:
        for name, floor in too_old(there.python, there.jax):
            yield Line(Level.WRONG, "program", f"`{python}` has {name}, and reruns need {floor}", "upgrade it")
    tells = f"Python {there.python}, jax {there.jax}" if there is not None else "its installed packages are unknown"
    yield Line(Level.OK, "program", f"`{command}` starts `{found}` ({tells}); {_trusted(root, folder, command)}")


def _trusted(root: Path, folder: Path, command: str) -> str:
    try:
        grant = trust.granted(root, folder)
    except UserError:
        grant = None  # `kept` tells
    if grant is not None and grant.command == command:
        return "trusted here"
    return "not trusted, so jaxfix asks first: `jaxfix trust` remembers a yes"


def _journal(root: Path) -> Iterator[Line]:
    folder = root / journal.FOLDER
    if folder.is_symlink():
        yield Line(
            Level.WRONG, "journal", f"`{files.shown(folder)}` is a link: nothing is kept behind links", "remove it"
        )
        return
    try:
        entries = journal.entries(root)
        undone = sum(is_undone for _, is_undone in entries)
        applies = f"{len(entries)} applied, {undone} of them undone"
        yield Line(Level.OK, "journal", f"`{files.shown(folder)}`, {_size(_bytes_under(folder))}: {applies}")
    except UserError as error:
        yield Line(Level.WRONG, "journal", error.message, "delete it: that apply cannot be undone any more")
    batches, problems = receipts.batches(root)
    number = sum(len(batch.receipts) for batch in batches)
    yield Line(Level.OK, "receipts", f"{number} of {counted(len(batches), 'rerun')}")
    for problem in problems:
        yield Line(Level.WARN, "receipts", problem.removesuffix("; delete it"), "delete it")
    if not (folder / ".gitignore").exists():
        step = "write `*` into a `.gitignore` there"
        yield Line(Level.WARN, "journal", f"`{files.shown(folder)}` is not hidden from git", step)


def _terminal() -> Line:
    width = terminal.width_of(sys.stdout)
    colours = "no colours" if terminal.paint_for(sys.stdout) is plain else "colours"
    asked = "questions are asked" if terminal.is_attended() else "no terminal to ask on"
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    words = f"{f'{width} columns' if width else 'not a terminal'}, {colours}, {asked}"
    if encoding != "utf8":
        return Line(
            Level.WARN, "terminal", f"{words}; stdout is written as {sys.stdout.encoding}", "set `PYTHONUTF8=1`"
        )
    return Line(Level.OK, "terminal", words)


def _bytes_under(folder: Path) -> int:
    found = (os.path.join(top, name) for top, _, names in os.walk(folder) for name in names)
    return sum(os.lstat(path).st_size for path in found if os.path.lexists(path))


def _size(size: int) -> str:
    for unit, factor in (("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1000)):
        if size >= factor:
            return f"{size / factor:.1f} {unit}"
    return f"{size} bytes"
