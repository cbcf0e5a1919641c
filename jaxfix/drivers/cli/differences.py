"""What an `apply` would change, for `git apply` and for people: a diff with remarks, and its lines counted."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from jaxfix.drivers import files
from jaxfix.drivers.workflow.candidates import Shown
from jaxfix.drivers.workflow.decisions import Name
from jaxfix.drivers.workflow.generating import Needed
from jaxfix.drivers.workflow.planning import Planned, Plans, Receipts
from jaxfix.render import diff
from jaxfix.render.account import Key, Known
from jaxfix.render.paint import Paint
from jaxfix.render.remarks import heading, remark
from jaxfix.render.stat import Row, stat
from jaxfix.report.finding import Fix
from jaxfix.report.report import Patch


@dataclass(frozen=True)
class Differences:
    """The changes of all files.

    Attributes:
      generated: the helper files that the fixes need.
      places: where each finding is, by path and key of its fix, in order.
      receipts: what reruns have shown, in the same way.
      remembered: what former reruns have, as `accounting.remembered` has it.
    """

    plans: Plans
    generated: Sequence[Needed] = ()
    places: Mapping[tuple[str, str], str] = field(default_factory=dict)
    receipts: Receipts = field(default_factory=dict)
    remembered: Mapping[Key, Known] = field(default_factory=dict)

    @cached_property
    def start(self) -> Path:
        """Where the paths of the user's own files start: here, or at the root of a project that is not all below."""
        here = Path.cwd().resolve()
        own = [files.resolved(path) for path in self._own_paths()]
        if all(path.is_relative_to(here) for path in own):
            return here
        common = files.common_folder(own)
        return files.project_root(common) or common

    def as_diff(self) -> bytes:
        """The diff as `git apply` and `patch` take it, with a line for each fix under that of its file."""
        return b"".join(self._pieces())

    def as_stat(self, paint: Paint, width: int | None) -> str:
        """The lines and the fixes of each file, counted."""
        return stat(list(self._rows()), paint, width)

    def _pieces(self) -> Iterator[bytes]:
        for entry in self.plans.planned:
            told = "".join(self._remarks(entry.patch))
            path = self._path(entry)
            raw = b"" if path is None else diff.unified([replace(entry.patch, path=path)])
            if told and not raw:
                told = heading(entry.patch.path) + told
            yield raw + told.encode(errors="surrogateescape")
        helpers = (replace(entry.generated, path=self._helper_path(entry)) for entry in self.generated)
        yield diff.unified((), helpers)

    def _remarks(self, patch: Patch) -> Iterator[str]:
        """A line for each fix, in the order of the text; those that only others make possible come last."""
        shown = Shown(self.receipts, self.remembered)
        fixes: list[tuple[Fix, str | None]] = [(fix, None) for fix in patch.applied]
        fixes += [(held.fix, held.reason.text) for held in patch.held]
        for fix, reason in sorted(fixes, key=lambda it: self._turns.get((patch.path, it[0].key), len(self._turns))):
            name = Name(patch.path, fix.key)
            yield remark(self.places.get(name), fix, reason, shown.of(name))

    @cached_property
    def _turns(self) -> Mapping[tuple[str, str], int]:
        return {name: number for number, name in enumerate(self.places)}

    def _rows(self) -> Iterator[Row]:
        for entry in self.plans.planned:
            patch, path = entry.patch, self._path(entry)
            if path is not None and (patch.applied or patch.held):
                yield Row(path, *diff.counted(patch.before, patch.after), len(patch.applied), len(patch.held))
        for needed in self.generated:
            if needed.is_change:
                counted = diff.counted(needed.generated.before, needed.generated.after)
                yield Row(self._helper_path(needed), *counted)

    def _path(self, entry: Planned) -> str | None:
        """As `git apply` places it: a file of an installed module from the folder that holds its package."""
        module, path = entry.target.module, entry.target.path
        if path is None:
            return None
        if module is not None:
            return path.relative_to(module.location).as_posix()
        real = files.resolved(path)
        return real.relative_to(self.start).as_posix() if real.is_relative_to(self.start) else real.as_posix()

    def _helper_path(self, entry: Needed) -> str:
        return entry.place.relative_to(entry.module.location if entry.module else self.start).as_posix()

    def _own_paths(self) -> Iterator[Path]:
        targets = (entry.target for entry in self.plans.changed)
        yield from (target.path for target in targets if target.path is not None and target.module is None)
        yield from (entry.place for entry in self.generated if entry.module is None)
