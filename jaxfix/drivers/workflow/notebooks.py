"""What a notebook has beside it: the kernel that would run it, and the file that jupytext keeps in step with it."""

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath

from jaxfix.drivers import files
from jaxfix.drivers.workflow.planning import Planned
from jaxfix.source.errors import EvidenceError
from jaxfix.source.source_file import NOTEBOOK, SourceFile

_RUNNERS = frozenset({"jupyter", "nbclient", "nbconvert", "papermill"})
_HEADER = re.compile(rb"(?m)^#[ \t]+formats:[ \t]*['\"]?([^'\"\r\n]+?)['\"]?[ \t]*$")
_HEADER_BYTES = 1 << 12


def refuse_kernel(planned: Sequence[Planned], command: str | None) -> None:
    """Raises EvidenceError where a command would run a fixed notebook in a kernel, in which nothing is watched."""
    named = next((entry.patch.path for entry in planned if entry.patch.path.endswith(NOTEBOOK)), None)
    if command is None or named is None:
        return
    try:
        words = shlex.split(command)
    except ValueError:  # told by who runs it
        return
    names = {PurePath(word).name.partition("-")[0] for word in words}
    if names & _RUNNERS:
        raise EvidenceError(
            f"`{command}` runs the cells of `{named}` in a kernel, where they are not watched",
            hint=f"name the notebook itself: `--run {shlex.quote(named)}`",
        )


def drifting(written: Sequence[Planned]) -> Iterator[str]:
    """What to do about files that jupytext pairs with a written one and that were not written themselves."""
    paths = {files.resolved(entry.target.path) for entry in written if entry.target.path is not None}
    for entry in written:
        path, formats = entry.target.path, _formats(entry.target.source)
        others = _others(path, formats) if path is not None and formats is not None else []
        left = [other for other in others if files.resolved(other) not in paths]
        if path is not None and left:
            names = ", ".join(f"`{files.shown(other)}`" for other in left)
            shown = files.shown(path)
            yield f"jupytext pairs `{shown}` with {names}, not written: run `jupytext --sync {shlex.quote(shown)}`"


def _formats(source: SourceFile) -> str | None:
    """What jupytext keeps in step with the file, in its words."""
    if source.notebook is not None:
        return source.around.formats if source.around is not None else None
    head = source.raw[:_HEADER_BYTES]
    found = _HEADER.search(head) if b"jupytext:" in head else None
    return found[1].decode(errors="replace") if found else None


def _others(path: Path, formats: str) -> list[Path]:
    """The files of the pair beside `path`; of formats that name folders, what there is in them."""
    found = []
    for entry in formats.split(","):
        place, _, kind = entry.strip().rpartition("/")
        suffix = kind.partition(":")[0].replace("auto", "py").lstrip(".")
        if not (suffix.replace(".", "").isalnum() and place.isprintable()):  # no format of jupytext
            continue
        folder = path.parent
        if place.strip("/"):
            folder = path.parents[1] / place.strip("/") if len(path.parents) > 1 else path.parent
        other = folder / f"{path.stem}.{suffix}"
        if other != path and files.stands(other):
            found.append(other)
    return found
