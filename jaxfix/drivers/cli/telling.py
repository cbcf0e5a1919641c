"""What an `apply` says of itself: the diff or the receipts on stdout, the summary on stderr."""

import shlex
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

from jaxfix.core.report import Evidence, Generated, Held, Patch, Report, Verdict
from jaxfix.drivers import files, journal, vendor
from jaxfix.drivers.cli import outcome, terminal
from jaxfix.drivers.cli.check import Findings, from_here
from jaxfix.drivers.cli.generating import Needed
from jaxfix.drivers.cli.planning import Plans
from jaxfix.drivers.cli.proof import Proofs
from jaxfix.render import diff, json_report, text
from jaxfix.render.paint import Paint, plain
from jaxfix.render.receipts import receipt
from jaxfix.render.together import together


@dataclass(frozen=True, slots=True)
class Result:
    """What was found, what a second look found, and how one became the other.

    Attributes:
      places: where each written source is now, by its path; what changed and is not there exists in an overlay only.
      vendored: the folder that a package was copied to.
      generated: the helper files that the fixes need.
    """

    found: Findings
    remaining: Findings
    plans: Plans
    proofs: Proofs
    places: Mapping[str, Path]
    is_diff: bool
    vendored: Path | None = None
    generated: tuple[Needed, ...] = ()

    @property
    def fixed(self) -> int:
        """How many findings the second look does not find any more."""
        left = {(diagnostic.path, diagnostic.key) for diagnostic in self.remaining.diagnostics}
        return sum((diagnostic.path, diagnostic.key) not in left for diagnostic in self.found.diagnostics)

    @property
    def held(self) -> int:
        return sum(len(entry.patch.held) for entry in self.plans.planned)


def tell(result: Result, output_format: str) -> None:
    """Prints the result, then names errors and bugs on stderr."""
    if output_format == "json":
        _tell_json(result)
    elif result.is_diff:
        _tell_diff(result)
    else:
        terminal.give("".join(_lines(result, sys.stdout)).encode(errors="surrogateescape"))
    terminal.tell(_summary(result, terminal.paint_for(sys.stderr)))
    _tell_wrongs(result)


def tell_filtered(result: Result) -> None:
    """What there is to say of text that went through to stdout, on stderr."""
    terminal.tell("".join(_lines(result, sys.stderr)) + _summary(result, terminal.paint_for(sys.stderr)))
    _tell_wrongs(result)


def _tell_wrongs(result: Result) -> None:
    errors = (*result.found.errors, *result.remaining.errors)
    outcome.tell_errors((*errors, *result.found.bugs, *result.plans.bugs, *result.remaining.bugs))


def _tell_json(result: Result) -> None:
    errors = (*result.found.errors, *result.remaining.errors)
    report = Report(
        result.remaining.diagnostics,
        errors,
        _patches(result),
        _in_order(result),
        result.proofs.together,
        tuple(entry.generated for entry in result.generated),
    )
    document = json_report.applied(from_here(report), written=bool(result.places or result.vendored))
    terminal.give(document.encode())


def _tell_diff(result: Result) -> None:
    raw = diff.unified(_relocated(result), _relocated_helpers(result))
    paint = terminal.paint_for(sys.stdout)
    terminal.give(raw if paint is plain else diff.painted(raw, paint))
    terminal.tell("".join(_lines(result, sys.stderr)))


def _relocated(result: Result) -> Iterator[Patch]:
    """The patches as `git apply` places them: those of installed modules from the folder that holds their package."""
    start = _start_of_diff(result)
    for entry in result.plans.changed:
        module, path = entry.target.module, entry.target.path
        if path is not None:
            inside = path.relative_to(module.location) if module else files.resolved(path).relative_to(start)
            yield replace(entry.patch, path=inside.as_posix())


def _relocated_helpers(result: Result) -> Iterator[Generated]:
    """The helper files that are new or change, as `git apply` places them."""
    start = _start_of_diff(result)
    for entry in result.generated:
        inside = entry.place.relative_to(entry.module.location if entry.module else start)
        yield replace(entry.generated, path=inside.as_posix())


def _start_of_diff(result: Result) -> Path:
    """Where the paths of the user's own files start: here, or at the root of a project that is not all below."""
    here = Path.cwd().resolve()
    own = [files.resolved(path) for path in _own_paths(result)]
    if all(path.is_relative_to(here) for path in own):
        return here
    common = files.common_folder(own)
    return files.project_root(common) or common


def _own_paths(result: Result) -> Iterator[Path]:
    targets = (entry.target for entry in result.plans.changed)
    yield from (target.path for target in targets if target.path is not None and target.module is None)
    yield from (entry.place for entry in result.generated if entry.module is None)


def _lines(result: Result, stream: TextIO) -> Iterator[str]:
    """A receipt for each fix that was tried and taken, then the reason of each that is held."""
    paint, width = terminal.paint_for(stream), terminal.width_of(stream)
    taken = {(entry.patch.path, fix.key) for entry in result.plans.planned for fix in entry.patch.applied}
    for evidence in _in_order(result):
        if evidence.verdict is Verdict.PROVEN:
            yield receipt(evidence, paint, width)
        elif (evidence.path, evidence.key) in taken:
            yield receipt(evidence, paint, width, "; taken all the same, as it is safe for every input")
    reasons: dict[str, list[tuple[str, Held]]] = {}
    for path, held in _held(result):
        evidence_of = result.proofs.receipts.get((path, held.fix.key))
        if evidence_of is not None and evidence_of.verdict is not Verdict.PROVEN:
            yield receipt(evidence_of, paint, width)
        else:
            reasons.setdefault(held.reason, []).append((path, held))
    for reason, group in reasons.items():
        yield from _held_lines(result, reason, group, paint)
    yield together(result.proofs.together, paint)


def _held(result: Result) -> Iterator[tuple[str, Held]]:
    return ((entry.patch.path, held) for entry in result.plans.planned for held in entry.patch.held)


def _held_lines(result: Result, reason: str, group: list[tuple[str, Held]], paint: Paint) -> Iterator[str]:
    """What is held for one reason, which is told once."""
    lines = {(entry.path, entry.key): entry.line for entry in result.remaining.diagnostics}
    alone = reason if len(group) == 1 else None
    for path, held in group:
        line = lines.get((path, held.fix.key))
        yield text.held(path if line is None else f"{path}:{line}", held, alone, paint)
    if alone is None:
        yield text.held_together(len(group), reason, paint)


def _in_order(result: Result) -> tuple[Evidence, ...]:
    return tuple(
        sorted(result.proofs.receipts.values(), key=lambda evidence: (evidence.path, evidence.line, evidence.key))
    )


def _patches(result: Result) -> tuple[Patch, ...]:
    return tuple(entry.patch for entry in result.plans.planned)


def _summary(result: Result, paint: Paint) -> str:
    if result.found.errors and not (result.found.diagnostics or result.vendored):
        return ""  # no praise for what nobody could read
    told = text.apply_summary(result.fixed, result.held, result.remaining.diagnostics, _where(result), paint)
    if result.is_diff:
        start = _start_of_diff(result)
        there = f"the paths of this diff start at `{start}`: pipe it to `git -C {shlex.quote(str(start))} apply`"
        return told if start == Path.cwd().resolve() else told + text.note(there, paint)
    for entry in result.generated if result.places else ():
        told += text.note(_generated(entry.generated), paint) if entry.module is None and entry.is_change else ""
    if result.vendored is not None:
        told += text.note(f"vendored into `{files.shown(result.vendored)}`, see `{vendor.NOTE}` there", paint)
    root = _undo_root(result)
    if root is None:
        return told
    return told + text.note(f"undo with `{root}jaxfix undo`", paint)


def _generated(entry: Generated) -> str:
    names = ", ".join(f"`{name}`" for name in entry.functions)
    return f"{'wrote' if entry.before is None else 'renewed'} `{entry.path}`, from which the fixed code imports {names}"


def _where(result: Result) -> str:
    if result.is_diff:
        return " by this diff, nothing was written"
    installed = {entry.patch.path for entry in result.plans.changed if entry.target.module is not None}
    if installed <= set(result.places):
        return ""
    if result.places:
        return ", those of installed modules in an overlay: `--to DIR` vendors a fixed copy"
    return " in an overlay, nothing was written: `--to DIR` vendors a fixed copy"


def _undo_root(result: Result) -> str | None:
    """What to type before `jaxfix undo`; None if there is nothing to undo."""
    written = [*result.places.values(), *([result.vendored] if result.vendored else [])]
    if not written:
        return None
    root = journal.root_for(written).resolve()
    here = Path.cwd().resolve()
    return "" if root in (here, *here.parents) else f"cd {shlex.quote(str(root))} && "
