"""The facts that the last traced run of a project gives about its texts."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from jaxfix.drivers.lsp.settings import SECTION
from jaxfix.drivers.workflow.looking import informed, settled
from jaxfix.drivers.workflow.request import Request
from jaxfix.drivers.workflow.targets import find_targets
from jaxfix.drivers.workflow.traces import Sights, read_trace
from jaxfix.engine.seen import Sighting
from jaxfix.report.trace.compiles import Compiled, compiled
from jaxfix.report.trace.trace_file import Trace
from jaxfix.source.errors import JaxfixError
from jaxfix.source.source_file import SourceFile


@dataclass(slots=True)
class Seen:
    """One trace; `explained` is what a finding of any of its files accounts for."""

    trace: Trace
    explained: frozenset[Compiled]
    _sights: Sights = field(init=False)
    _rows: tuple[Compiled, ...] = ()

    def __post_init__(self) -> None:
        self._sights, self._rows = Sights(self.trace), compiled(self.trace.measurement.compiles)

    def of(self, path: Path, source: SourceFile) -> tuple[Sighting, ...]:
        """What was compiled again, seen from the text."""
        found = self._sights.of(path, source)
        return tuple(replace(entry, is_explained=entry.origin in self.explained) for entry in found)

    @property
    def compiles(self) -> int:
        return len(self.trace.measurement.compiles)

    @property
    def again(self) -> int:
        return sum(row.again for row in self._rows)

    @property
    def seconds(self) -> float:
        return sum(row.seconds for row in self._rows)

    @property
    def summary(self) -> str:
        """What the run compiled, in one line."""
        lost = sum(row.lost_s for row in self._rows)
        return f"{self.compiles} compiles, {self.seconds:.1f} s; {self.again} of them again, {lost:.1f} s lost"


def read(path: Path) -> Seen:
    """The trace that `jaxfix trace -o` wrote.

    Raises:
      UserError: it is none.
    """
    trace = read_trace(str(path))
    sights = Sights(trace)
    looked_at = find_targets(Request(()), sights).targets if sights.paths else ()
    explained: set[Compiled] = set()
    for target in settled(informed(looked_at)):
        explained.update(entry.origin for entry in target.seen if entry.is_explained)
    return Seen(trace, frozenset(explained))


class Traces:
    """The last trace of each project: what was run here, else what the settings name."""

    def __init__(self) -> None:
        self._run: dict[Path, Seen] = {}
        self._named: dict[Path, tuple[int, Seen]] = {}
        self._problems: dict[Path, str] = {}

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong with the files that the settings name."""
        return tuple(self._problems.values())

    def of(self, root: Path, name: str | None) -> Seen | None:
        """What was seen of the project at `root`, for which the settings name a file, read again where it changed."""
        if root in self._run or name is None:
            return self._run.get(root)
        path = root / Path(name).expanduser()
        self._problems.pop(path, None)
        try:
            mark = path.stat().st_mtime_ns
            known = self._named.get(path)
            if known is None or known[0] != mark:
                known = self._named[path] = mark, read(path)
            return known[1]
        except (OSError, JaxfixError) as error:
            self._problems[path] = f"the setting `{SECTION}.traceFile`: {error}"
            return None

    def keep(self, root: Path, seen: Seen) -> None:
        self._run[root] = seen

    def clear(self, root: Path | None) -> None:
        """Forgets what was run in the project; everywhere, if that is None."""
        for each in [root] if root is not None else list(self._run):
            self._run.pop(each, None)
