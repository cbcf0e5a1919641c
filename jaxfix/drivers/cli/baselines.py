"""The baselines that a check is compared with: where they are, what they make of its findings, how they are renewed."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from jaxfix.drivers import files
from jaxfix.drivers.cli.options.check import Check
from jaxfix.drivers.workflow.request import Request
from jaxfix.drivers.workflow.targets import STDIN, Target
from jaxfix.engine import baseline as engine
from jaxfix.engine.baseline import Baseline, Comparison, Entry, Occurrence, Stale
from jaxfix.render.account import StaleEntry
from jaxfix.report.report import Diagnostic
from jaxfix.source.errors import ConfigError
from jaxfix.source.frozen import frozen

_INSTALLED = "installed:"
"""Before the paths of installed modules, which start at the folder that holds their package."""


@frozen
class Opened:
    """A baseline and the targets that are compared with it; `raw` are its bytes, None if it is not there yet."""

    place: Path
    raw: bytes | None
    baseline: Baseline
    targets: tuple[Target, ...]

    @property
    def shown(self) -> str:
        return files.shown(self.place)


@frozen
class Compared:
    """The effect of one baseline on the findings; `entries` is its new content."""

    opened: Opened
    comparison: Comparison
    entries: tuple[Entry, ...]

    @property
    def stale(self) -> tuple[Stale, ...]:
        return self.comparison.stale


def check(options: Check) -> None:
    """Raises ConfigError if the options contradict each other."""
    if options.no_baseline and (options.baseline is not None or options.update_baseline):
        raise ConfigError("`--no-baseline` goes with neither `--baseline` nor `--update-baseline`")
    if options.update_baseline and STDIN in options.paths:
        raise ConfigError("findings from stdin do not go into a baseline", hint="name the file")
    if options.update_baseline and options.trace is not None:
        raise ConfigError("a baseline does not hold what one traced run shows", hint="leave `--trace` out")


def opened(options: Check, targets: Sequence[Target]) -> tuple[Opened, ...]:
    """The baselines that `targets` are compared with.

    Raises:
      ConfigError: none is named, or it is not there, or is none.
      SourceError: one cannot be read.
    """
    if options.no_baseline:
        return ()
    groups: dict[Path, list[Target]] = {} if options.baseline is None else {Path(options.baseline): []}
    for target in targets:
        place = Path(options.baseline) if options.baseline is not None else target.baseline
        if place is not None:
            groups.setdefault(place, []).append(target)
    if options.update_baseline and not groups:
        raise ConfigError(
            "`--update-baseline` needs to know which file to write",
            hint='name it: `--baseline FILE`, or `baseline = "FILE"` in `[tool.jaxfix]`',
        )
    return tuple(_open(place, tuple(mine), options) for place, mine in groups.items())


def judged(
    known: Iterable[Opened],
    request: Request,
    shown: Sequence[Diagnostic],
    others: Sequence[Diagnostic],
    *,
    is_complete: bool,
) -> tuple[Compared, ...]:
    """What the baselines make of the findings.

    Args:
      shown: those that are reported.
      others: those that would be, were they asked for.
      is_complete: whether everything that was asked for could be analysed.
    """
    return tuple(_judged(entry, request, shown, others, is_complete=is_complete) for entry in known)


def new(shown: Iterable[Diagnostic], compared: Sequence[Compared]) -> tuple[Diagnostic, ...]:
    """Those of `shown` that no baseline knows."""
    known = {id(occurrence.diagnostic) for entry in compared for occurrence in entry.comparison.known}
    return tuple(diagnostic for diagnostic in shown if id(diagnostic) not in known)


def update(compared: Compared) -> str:
    """Writes the baseline, if it has to change; returns a sentence about that.

    Raises:
      WriteError: it cannot be written.
    """
    now, before = compared.entries, compared.opened
    raw = engine.dump(now)
    total = sum(entry.count for entry in now)
    if raw == before.raw:
        return f"`{before.shown}` is up to date: {_counted(total)}"
    files.write_bytes(before.place, raw)
    names = compared.comparison.renamed
    old = {e.key._replace(path=names.get(e.path, e.path)): e.count for e in before.baseline.entries}
    added = sum(max(0, entry.count - old.get(entry.key, 0)) for entry in now)
    gone = sum(old.values()) + added - total
    return f"wrote `{before.shown}`: {_counted(total)}, {added} of them new, {gone} forgotten"


def stale_entries(compared: Compared) -> Iterator[StaleEntry]:
    """For each stale entry its place in the file, and a sentence."""
    for stale in compared.stale:
        entry, shown = stale.entry, compared.opened.shown
        left = f"{stale.found} of {entry.count} left" if stale.found else "not found any more"
        where = f"`{entry.path}`" if entry.function == "<module>" else f"`{entry.function}` of `{entry.path}`"
        text = f": `{entry.text}`" if entry.text else ""
        message = f"`{entry.id}` in {where} is {left}{text}; `--update-baseline` records that"
        yield StaleEntry(shown, stale.line, message)


def notes(compared: Compared) -> Iterator[str]:
    """What a person has to know of a comparison that does not fail."""
    shown, comparison = compared.opened.shown, compared.comparison
    if comparison.known:
        number = len(comparison.known)
        yield f"{_counted(number)} {'is' if number == 1 else 'are'} known to `{shown}`"
    for old, name in [*comparison.renamed.items()][:1]:
        more = len(comparison.renamed) - 1
        others = f", and {more} more by another name" if more else ""
        yield f"`{shown}` knows `{name}` as `{old}`{others}: `--update-baseline` records that"


def as_json(compared: Compared, *, written: bool) -> dict[str, object]:
    """What a program reads of a comparison."""
    stale = [
        {"path": s.entry.path, "id": s.entry.id, "function": s.entry.function, "text": s.entry.text}
        | {"count": s.entry.count, "found": s.found, "line": s.line}
        for s in compared.stale
    ]
    path = files.relative(compared.opened.place)
    return {"path": path, "known": len(compared.comparison.known), "stale": stale, "written": written}


def _open(place: Path, mine: tuple[Target, ...], options: Check) -> Opened:
    shown = files.shown(place)
    if not files.stands(place):
        if not options.update_baseline:
            option = f"--baseline {shown} " if options.baseline is not None else ""
            hint = f"write it with `jaxfix check {option}--update-baseline`"
            raise ConfigError(f"{shown}: there is no such baseline", hint=hint)
        return Opened(place, None, Baseline(), mine)
    raw = files.read_bytes(place)
    return Opened(place, raw, engine.load(raw, shown), mine)


def _judged(
    entry: Opened, request: Request, shown: Sequence[Diagnostic], others: Sequence[Diagnostic], *, is_complete: bool
) -> Compared:
    folder = files.resolved(entry.place.parent)
    paths = {target.source.path: _path_in(folder, target) for target in entry.targets}
    told = [Occurrence(paths[d.path], d) for d in shown if d.path in paths]
    rest = [Occurrence(paths[d.path], d) for d in others if d.path in paths]
    is_judged = _scope(folder, request, frozenset(paths.values())) if is_complete else lambda entry: False
    gone = {e.path for e in entry.baseline.entries if _is_gone(folder, e.path)}
    comparison = engine.compare(entry.baseline, [*told, *rest], is_judged, gone, paths.values())
    # What only `--all` shows is written down where it was before, or where it is shown.
    recorded = [*told, *(o for o in comparison.known if not any(o is mine for mine in told))]
    return Compared(entry, comparison, engine.updated(entry.baseline, comparison, recorded, is_judged))


def _scope(folder: Path, request: Request, looked_at: frozenset[str]) -> Callable[[Entry], bool]:
    """Which entries this run can judge: of codemods that were asked for, in files and folders that were named."""
    named = [files.resolved(Path(name)) for name in request.paths if name != STDIN and os.path.isdir(name)]

    def is_judged(entry: Entry) -> bool:
        if entry.id in request.ignore or (request.select is not None and entry.id not in request.select):
            return False
        if entry.path in looked_at or entry.path.startswith(_INSTALLED):
            return entry.path in looked_at
        place = Path(os.path.normpath(folder / entry.path))
        return any(place.is_relative_to(each) for each in named)

    return is_judged


def _path_in(folder: Path, target: Target) -> str:
    """How a baseline in `folder` calls the target."""
    if target.module is not None and target.path is not None:
        return f"{_INSTALLED}{target.path.relative_to(target.module.location).as_posix()}"
    real = files.resolved(target.path or Path(target.source.path))
    try:
        return Path(os.path.relpath(real, folder)).as_posix()
    except ValueError:  # on another drive
        return real.as_posix()


def _is_gone(folder: Path, path: str) -> bool:
    return not path.startswith(_INSTALLED) and not os.path.lexists(folder / path)


def _counted(number: int) -> str:
    return f"{number} finding{'' if number == 1 else 's'}"
