"""The facts of many files, joined: what each may know of the others."""

import re
from collections.abc import Sequence
from pathlib import PurePath

from jaxfix.core.errors import SourceError
from jaxfix.core.facts import Facts, Project, Surroundings
from jaxfix.core.model import Module
from jaxfix.core.outward import facts
from jaxfix.core.source import SourceFile

_RELATIVE = re.compile(rb"\bfrom[ \t]*\.")


def joined(files: Sequence[tuple[SourceFile, Surroundings]]) -> Project:
    """What the files tell one another; one that cannot be parsed tells nothing.

    Each is parsed, and forgotten: only those that import from another one, or jit something, have anything to tell.
    """
    packages = frozenset(around.name.partition(".")[0] for _, around in files if around.name is not None)
    found = []
    for source, around in files if len(files) > 1 else ():
        if around.name is not None and _tells(source.text, packages):
            told = _facts(source, around, packages)
            found += [told] if told is not None else []
    return Project(tuple(found))


def _facts(source: SourceFile, around: Surroundings, packages: frozenset[str]) -> Facts | None:
    try:
        return facts(Module.parse(source, around), packages, is_test=_is_test(source.path))
    except (SourceError, RecursionError):
        return None  # told by whoever looks at it in earnest


def _tells(text: bytes, packages: frozenset[str]) -> bool:
    if b"jit" in text or b"pmap" in text or _RELATIVE.search(text):
        return True
    return any(package.encode() in text for package in packages)


def _is_test(path: str) -> bool:
    parts = PurePath(path).parts
    name = parts[-1] if parts else ""
    is_named = name.startswith("test_") or name.endswith("_test.py") or name == "conftest.py"
    return is_named or any(part in ("tests", "test") for part in parts[:-1])
