"""The generated helper files that fixes need, and what happens to files already in their places."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from jaxfix.drivers import files
from jaxfix.drivers.files import Replacement
from jaxfix.drivers.installed import Installed
from jaxfix.drivers.surroundings import Helper
from jaxfix.drivers.workflow.planning import Planned
from jaxfix.drivers.workflow.targets import Target
from jaxfix.engine import generated
from jaxfix.report.finding import Fix
from jaxfix.report.report import Generated
from jaxfix.source.errors import BugError, ConfigError
from jaxfix.source.frozen import frozen


@frozen
class Needed:
    """One helper file, and where it belongs; `module` is the installed package that it would be part of, if any."""

    place: Path
    module: Installed | None
    generated: Generated

    @property
    def is_change(self) -> bool:
        return self.generated.before != self.generated.after

    @property
    def replacement(self) -> Replacement:
        return Replacement(self.place, self.generated.before, self.generated.after)


def needed(planned: Sequence[Planned]) -> tuple[Needed, ...]:
    """The helper files that the applied fixes call, by path.

    Raises:
      ConfigError: a source cannot import the one that the user has named.
      WriteError: something else is in the place of one.
      BugError: a fix calls a function that jaxfix does not have.
    """
    places: dict[Path, tuple[Installed | None, set[str]]] = {}
    for entry in planned:
        functions = {name for fix in entry.patch.applied for name in fix.helpers}
        if functions:
            helper = _importable(entry.target)
            _, others = places.setdefault(helper.path, (entry.target.module, set()))
            others |= functions
    return tuple(_needed(path, module, functions) for path, (module, functions) in sorted(places.items(), key=_path))


def sources(target: Target, fixes: Iterable[Fix]) -> Mapping[Path, bytes]:
    """What a run with these fixes of one target needs beside the target, by path.

    Raises:
      ConfigError, WriteError, BugError: as `needed`.
    """
    functions = {name for fix in fixes for name in fix.helpers}
    if not functions:
        return {}
    found = _needed(_importable(target).path, target.module, functions)
    return {found.place: found.generated.after} if found.is_change else {}


def is_generated(target: Target) -> bool:
    """Whether the target is a helper file itself, which no fix rewrites."""
    return generated.version(target.source.raw) is not None


@cache
def text() -> bytes:
    """The helper file, as this jaxfix has it."""
    return files.read_bytes(generated.SOURCE)


def _importable(target: Target) -> Helper:
    helper = target.helper
    assert helper is not None  # else the recipe was refused
    if helper.problem is not None:
        raise ConfigError(helper.problem, hint="name another place, or leave it out")
    return helper


def _needed(path: Path, module: Installed | None, functions: set[str]) -> Needed:
    unknown = generated.undefined(functions, text())
    if unknown:
        raise BugError(f"a fix calls `{unknown[0]}`, which is not among the generated helper functions")
    shown = files.shown(path)
    before = files.read_bytes(path) if files.stands(path) else None
    after = generated.written(before, text(), shown)
    return Needed(path, module, Generated(shown, before, after, tuple(sorted(functions))))


def _path(place: tuple[Path, object]) -> Path:
    return place[0]
