"""What a rerun would execute, and where: the one thing that a person says yes to."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from jaxfix.drivers import files
from jaxfix.drivers.workflow.driving import can_be_driven, location
from jaxfix.drivers.workflow.targets import Target
from jaxfix.render.paint import printable
from jaxfix.source.frozen import frozen


@frozen
class Agenda:
    """All that would run.

    Attributes:
      project: the root of the project that is copied, links resolved.
      folder: where the command runs.
      command: the program; None where there is none.
      installed: the installed packages and modules whose optimizers are driven.
      own: those of the user's, driven where there is no program.
      python: the interpreter that drives them.
    """

    project: Path
    folder: Path
    command: str | None
    installed: tuple[Path, ...]
    own: tuple[Path, ...]
    python: str

    @property
    def drives(self) -> tuple[Path, ...]:
        """What is driven, by path."""
        return self.installed if self.command is not None else tuple(sorted({*self.installed, *self.own}))

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to run."""
        return self.command is None and not self.drives

    @property
    def words(self) -> str:
        """In words that go on from `with a yes, jaxfix may`."""
        if self.command is not None:
            return f"rerun `{printable(self.command)}` with and without them, in copies of `{self.project}`"
        names = ", ".join(f"`{name}`" for name in sorted({path.stem for path in self.drives}))
        return f"drive the optimizers of {names} with and without them, with `{self.python}`"


def agenda(targets: Sequence[Target], command: str | None, python: str) -> Agenda | None:
    """What a rerun for the fixes of `targets` would execute; None if none of them is a file."""
    placed = [target for target in targets if target.path is not None]
    if not placed:
        return None
    driven = [target for target in placed if can_be_driven(target)]
    root = root_of([target.path for target in placed if target.path is not None and target.module is None])
    return Agenda(
        project=root,
        folder=folder_in(root),
        command=command,
        installed=tuple(sorted({location(target) for target in driven if target.module is not None})),
        own=tuple(sorted({location(target) for target in driven if target.module is None})),
        python=python,
    )


def root_of(own: Sequence[Path]) -> Path:
    """The project of the user's files, or that of the working folder; unmarked, that folder around them."""
    here = files.resolved(Path.cwd())
    start = files.common_folder(own) if own else here
    return files.project_root(start) or (here if _is_project(here) and start.is_relative_to(here) else start)


def _is_project(folder: Path) -> bool:
    """Whether a folder without a mark may be one project: not where homes or scratch files of all programs are."""
    return not any(files.resolved(place).is_relative_to(folder) for place in (Path.home(), Path(tempfile.gettempdir())))


def folder_in(root: Path) -> Path:
    """Where a program of the project runs: here, if that is in it."""
    here = files.resolved(Path.cwd())
    return here if here.is_relative_to(root) else root
