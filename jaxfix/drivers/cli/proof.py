"""Gets the evidence for what would be fixed: by the program that was named, else by driving optimizers."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from jaxfix.core.errors import EvidenceError
from jaxfix.core.finding import Fix
from jaxfix.core.report import Comparison, Evidence, Verdict
from jaxfix.drivers import files
from jaxfix.drivers.cli import terminal
from jaxfix.drivers.cli.planning import Planned, Receipts
from jaxfix.engine.plan import plan
from jaxfix.evidence.prove import Runner, prove
from jaxfix.evidence.run import OptimizerRunner, ProgramRunner, interpreter
from jaxfix.evidence.shadow import package_of
from jaxfix.render import text

_OPTIMIZER = b"GradientTransformation"
Lines = Mapping[tuple[str, str], int]
"""Where each finding is, by path and key."""


@dataclass(frozen=True, slots=True)
class Proofs:
    """The receipts by path and key, what the proven fixes do together, and sentences about what could not be driven."""

    receipts: Receipts
    together: tuple[Comparison, ...] = ()
    errors: tuple[str, ...] = ()

    def with_more(self, other: "Proofs") -> "Proofs":
        return Proofs(
            {**self.receipts, **other.receipts}, (*self.together, *other.together), (*self.errors, *other.errors)
        )


@dataclass(slots=True)
class _Trial:
    """Fixes that are tried together; `base` is the folder that the runner's paths start from."""

    planned: Sequence[Planned]
    base: Path
    lines: Lines
    _plans: dict[tuple[str, frozenset[str]], bytes] = field(default_factory=dict)

    def functions(self) -> list[tuple[str, str]]:
        return sorted({(name, fix.function) for name, fix, _ in self.candidates()})

    def candidates(self) -> list[tuple[str, Fix, int]]:
        return [
            (self._name(entry), fix, self.lines.get((entry.patch.path, fix.key), 1))
            for entry in self.planned
            for fix in entry.patch.applied
        ]

    def patched(self, fixes: frozenset[tuple[str, str]]) -> dict[str, bytes]:
        """The sources, by the runner's path, with exactly these fixes; those that stay as they are are left out."""
        sources = {}
        for entry in self.planned:
            keys = frozenset(key for name, key in fixes if name == self._name(entry))
            if keys:
                sources[self._name(entry)] = self._patched(entry, keys)
        return sources

    def proven_by(self, runner: Runner) -> Proofs:
        shown = {self._name(entry): entry.patch.path for entry in self.planned}
        with terminal.progress("proving", None) as advance:
            found = prove(self.candidates(), self.patched, runner, advance)
        receipts = {(shown[e.path], e.key): replace(e, path=shown[e.path]) for e in found.receipts}
        return Proofs(receipts, found.together)

    def _patched(self, entry: Planned, keys: frozenset[str]) -> bytes:
        cached = (entry.patch.path, keys)
        if cached not in self._plans:
            target = entry.target
            patch = plan(target.source, target.codemods, lambda fix: None if fix.key in keys else "left out")
            self._plans[cached] = patch.after
        return self._plans[cached]

    def _name(self, entry: Planned) -> str:
        """The path as the runner knows it: from `base`, or absolute; never from here, where it may be another file."""
        path = files.resolved(_path(entry))
        return path.relative_to(self.base).as_posix() if path.is_relative_to(self.base) else str(path)


def prove_all(planned: Sequence[Planned], command: str | None, python: str | None, lines: Lines) -> Proofs:
    """Reruns with and without the fixes; says on stderr what it runs before it does.

    Raises:
      EvidenceError: `command` cannot be run.
    """
    proofs = Proofs({}) if command is None else _by_program(planned, command, lines)
    for location, entries in _packages(planned, proofs.receipts, command).items():
        try:
            proofs = proofs.with_more(_by_driving(location, entries, python or interpreter(), lines))
        except EvidenceError as error:
            proofs = proofs.with_more(Proofs({}, errors=(str(error),)))
    if command is not None:
        return proofs
    # That nothing drives it is no news about the fix: a program is what it needs.
    reached = {key: entry for key, entry in proofs.receipts.items() if entry.verdict is not Verdict.NOT_REACHED}
    return replace(proofs, receipts=reached)


def _by_program(planned: Sequence[Planned], command: str, lines: Lines) -> Proofs:
    own = [_path(entry) for entry in planned if entry.target.module is None]
    here = Path.cwd().resolve()
    start = files.common_folder(own) if own else here
    root = files.project_root(start) or start
    cwd = here if here.is_relative_to(root) else root
    trial = _Trial(planned, root, lines)
    _announce(f"rerunning `{command}` with and without the fixes, in a copy of `{files.shown(root)}`")
    return trial.proven_by(ProgramRunner(root, command, trial.functions(), cwd=cwd))


def _by_driving(location: Path, planned: Sequence[Planned], python: str, lines: Lines) -> Proofs:
    trial = _Trial(planned, location if location.is_dir() else location.parent, lines)
    _announce(f"driving the optimizers of `{location.stem}` with and without the fixes, in an overlay, with `{python}`")
    return trial.proven_by(OptimizerRunner(location.stem, location, python, trial.functions()))


def _packages(planned: Sequence[Planned], receipts: Receipts, command: str | None) -> dict[Path, list[Planned]]:
    """What there is to drive: installed packages, and without a program the user's own modules with optimizers."""
    found: dict[Path, list[Planned]] = {}
    for entry in planned:
        if entry.target.module is None and (command is not None or not _has_optimizer(entry)):
            continue
        if any(_is_open(receipts.get((entry.patch.path, fix.key))) for fix in entry.patch.applied):
            found.setdefault(_location(entry), []).append(entry)
    return found


def _is_open(evidence: Evidence | None) -> bool:
    return evidence is None or evidence.verdict is Verdict.NOT_REACHED


def _has_optimizer(entry: Planned) -> bool:
    """A script is not imported to see what is in it: that would run it."""
    return _OPTIMIZER in entry.target.source.raw or (_location(entry) / "__init__.py").is_file()


def _location(entry: Planned) -> Path:
    module = entry.target.module
    if module is None:
        return package_of(files.resolved(_path(entry)))
    folder = module.location / module.package
    return files.resolved(folder if folder.is_dir() else folder.with_suffix(".py"))


def _path(entry: Planned) -> Path:
    assert entry.target.path is not None  # stdin is never proven
    return entry.target.path


def _announce(message: str) -> None:
    terminal.tell(text.note(message, terminal.paint_for(sys.stderr)))
