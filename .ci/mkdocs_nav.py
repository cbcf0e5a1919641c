"""A hook of mkdocs: patterns in `nav` stand for the pages that match them and are listed nowhere else."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any


def on_config(config: Any) -> Any:
    """Puts the pages in the place of their pattern, in the order of their names."""
    listed = set(_pages(config.nav))
    folder = Path(config.docs_dir)
    config.nav = [_expanded(entry, folder, listed) for entry in config.nav]
    return config


def _pages(entries: list[Any]) -> Iterator[str]:
    for entry in entries:
        if isinstance(entry, str):
            yield entry
        else:
            for below in entry.values():
                yield from _pages(below if isinstance(below, list) else [below])


def _expanded(entry: Any, folder: Path, listed: set[str]) -> Any:
    ((title, below),) = entry.items()
    return {title: [page for line in below for page in _matching(line, folder, listed)]}


def _matching(line: Any, folder: Path, listed: set[str]) -> Iterator[Any]:
    if not isinstance(line, str) or "*" not in line:  # a page with a title of its own stands as it is
        yield line
        return
    for path in sorted(folder.glob(line)):
        if (name := path.relative_to(folder).as_posix()) not in listed:
            yield name
