"""Keeps what reruns have shown, with all that it depends on."""

import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from jaxfix.drivers import files, versions
from jaxfix.drivers import receipts as kept
from jaxfix.drivers.receipts import Now, Receipt
from jaxfix.drivers.versions import Versions
from jaxfix.drivers.workflow import sealing
from jaxfix.drivers.workflow.agenda import root_of
from jaxfix.drivers.workflow.driving import path_of
from jaxfix.drivers.workflow.generating import Needed
from jaxfix.drivers.workflow.planning import Planned, Receipts
from jaxfix.drivers.workflow.proof import Rerun
from jaxfix.drivers.workflow.sealing import Ran
from jaxfix.drivers.workflow.watching import Watcher
from jaxfix.engine import config
from jaxfix.engine.registry import load_registry
from jaxfix.render.paint import printable
from jaxfix.report.evidence import Evidence
from jaxfix.report.seal import Seal
from jaxfix.report.wire import from_json, to_json
from jaxfix.source.errors import UserError


def keep(
    planned: Sequence[Planned],
    receipts: Receipts,
    places: Mapping[str, Path],
    rerun: Rerun,
    watcher: Watcher,
    seal: Seal | None = None,
) -> None:
    """Keeps what the reruns of an `apply` have shown; where that fails, a note says so, and the apply goes on.

    Args:
      places: where each written source is, by its path.
      rerun: how they were made; evidence of another command is of optimizers.
      seal: of what they have shown; None has one made of what is planned alone.
    """
    if not receipts:
        return
    entries = {entry.patch.path: entry for entry in planned if entry.target.path is not None}
    own = [entry.target.path for entry in planned if entry.target.path is not None and entry.target.module is None]
    root = root_of(own)
    settings = Settings(root)
    wanted = []
    for evidence in (evidence for evidence in receipts.values() if evidence.path in entries):
        is_program = evidence.command == rerun.command
        drove = None if is_program else rerun.python or rerun.target.interpreter
        entry = _receipt(evidence, entries[evidence.path], places.get(evidence.path), settings, drove)
        place = None if rerun.target.is_here else rerun.target.name
        wanted.append(replace(entry, place=place, chosen=rerun.chosen if is_program else None))
    try:
        seal = seal or sealed(planned, receipts, places, rerun)
        kept.record(root, shlex.join(["jaxfix", *sys.argv[1:]]), tuple(wanted), seal)
    except UserError as error:
        watcher.note(f"the receipts are not kept: {error}")


def sealed(
    planned: Sequence[Planned],
    receipts: Receipts,
    places: Mapping[str, Path],
    rerun: Rerun,
    read: Iterable[str] = (),
    generated: Iterable[Needed] = (),
) -> Seal | None:
    """The seal of the reruns' results; None without any.

    Args:
      read: the files that the program has read.
      generated: helper files that were written, if anything was.
    """
    told = {path for path, _ in receipts}
    entries = [entry for entry in planned if entry.patch.path in told and entry.target.path is not None]
    if not entries:
        return None
    sides: dict[Path, tuple[bytes | None, bytes | None]] = {
        path_of(entry.target): _sides(entry, places) for entry in entries
    }
    if places:
        sides |= {entry.place: (entry.generated.before, entry.generated.after) for entry in generated}
    root = root_of([path_of(entry.target) for entry in entries if entry.target.module is None])
    found = list(receipts.values())
    place = None if rerun.target.is_here else rerun.target.name
    return sealing.seal("apply", root, sides, Ran(found[0].command, place, read), found)


def _sides(entry: Planned, places: Mapping[str, Path]) -> tuple[bytes | None, bytes | None]:
    """What was in a source, and is now."""
    place = places.get(entry.patch.path) if entry.target.module is None else None
    before = entry.target.source.raw
    return before, before if place is None else files.read_bytes(place)


def today(entry: Receipt, root: Path, settings: "Settings") -> Now:
    """How things are with what the receipt of the project at `root` speaks of."""
    file = root / entry.file
    python = interpreter(entry, root)
    found = settings.versions(python) if python is not None else None
    return Now(kept.digest(file), settings.configured(files.resolved(file)), found)


def interpreter(entry: Receipt, root: Path) -> Path | None:
    """What would rerun it; None where that is not on this machine, or unknown."""
    if entry.place is not None:
        return None
    if entry.drove is not None:
        return Path(entry.drove)
    return versions.interpreter_of(entry.evidence.command, root, entry.chosen) or _answered(entry.evidence)


def _answered(evidence: Evidence) -> Path | None:
    """The interpreter that a launcher such as `uv run` had found, while it is still there."""
    said = evidence.environment.interpreter if evidence.environment is not None else None
    return Path(said) if said is not None and Path(said).exists() else None


def without_tricks(evidence: Evidence) -> Evidence:
    """The same with every text printable: who wrote the file may be a stranger."""

    def cleaned(value: object) -> object:
        match value:
            case str():
                return printable(value)
            case list():
                return [cleaned(item) for item in value]
            case dict():
                return {key: cleaned(item) for key, item in value.items()}
        return value

    return from_json(Evidence, cleaned(to_json(evidence)))


@dataclass(slots=True)
class Settings:
    """The configured program of each file and the versions of each interpreter, read once; failures are reported."""

    root: Path
    problems: list[str] = field(default_factory=list)
    _commands: dict[Path, str | None] = field(default_factory=dict)
    _versions: dict[Path, Versions | None] = field(default_factory=dict)
    _known: tuple[str, ...] | None = None

    def configured(self, file: Path) -> str | None:
        """The program that the configuration names for the file, as `apply` would take it."""
        start = file if file.is_relative_to(self.root) and file.exists() else self.root
        for pyproject in files.nearest(start, "pyproject.toml"):
            parsed = self._command(pyproject)
            if parsed is not None:
                return parsed or None
        return None

    def versions(self, python: Path) -> Versions | None:
        if python not in self._versions:
            self._versions[python] = versions.of(python)
        return self._versions[python]

    def _command(self, pyproject: Path) -> str | None:
        """Empty where there is a table without a command, None where there is no table."""
        if pyproject not in self._commands:
            if self._known is None:
                self._known = tuple(codemod.id for codemod in load_registry().codemods)
            try:
                found = config.parse(files.read_bytes(pyproject), files.shown(pyproject), self._known)
                self._commands[pyproject] = None if found is None else found.run or ""
            except UserError as error:
                self.problems.append(str(error))
                self._commands[pyproject] = ""
        return self._commands[pyproject]


def _receipt(evidence: Evidence, entry: Planned, place: Path | None, settings: Settings, drove: str | None) -> Receipt:
    path = entry.target.path
    assert path is not None  # stdin is never proven
    own = entry.target.module is None
    after = kept.digest(place) if own and place is not None else None
    file = kept.relative_to(settings.root, path)
    return Receipt(replace(evidence, path=file), file, after, drove, settings.configured(files.resolved(path)))
