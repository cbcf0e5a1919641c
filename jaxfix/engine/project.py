"""The facts of many files, joined: what each may know of the others."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath

from jaxfix.core.asking import Asking
from jaxfix.core.asking import asking as asking_for
from jaxfix.core.errors import SourceError
from jaxfix.core.facts import Facts, Project, Surroundings
from jaxfix.core.model import Module
from jaxfix.core.outward import facts
from jaxfix.core.source import SourceFile

_STORE = re.compile(rb"\b(?!self\.)\w+(?:\.\w+)*\.\w+[ \t]*=(?!=)|\bsetattr\(")
"""An attribute that is stored on something else than `self`."""
_RELATIVE = re.compile(rb"\bfrom[ \t]*\.")


def joined(files: Sequence[tuple[SourceFile, Surroundings]]) -> Project:
    """What the files tell one another; one that cannot be parsed tells nothing.

    Each is parsed, and forgotten: only those that import from another one, jit something or store attributes have
    anything to tell.
    """
    packages = frozenset(around.name.partition(".")[0] for _, around in files if around.name is not None)
    if len(files) < 2:
        return Project()
    asking = asking_for([source.text for source, _ in files if not _is_test(source.path)])
    telling = [(source, around) for source, around in files if _tells(source.text, packages)]
    found = [_facts(source, around, packages, asking) for source, around in telling]
    return Project(tuple(told for told in found if told is not None), unread=None in found)


def _facts(source: SourceFile, around: Surroundings, packages: frozenset[str], asking: Asking) -> Facts | None:
    """The facts of one file; of a script that nobody can import too."""
    known = around if around.name is not None else replace(around, name=_unimportable(source.path))
    try:
        return facts(Module.parse(source, known), packages, is_test=_is_test(source.path), asking=asking)
    except (SourceError, RecursionError):
        return None  # told by whoever looks at it in earnest


def _unimportable(path: str) -> str:
    return f"<{path.replace('.', ' ')}>"


def _tells(text: bytes, packages: frozenset[str]) -> bool:
    if b"jit" in text or b"pmap" in text or _RELATIVE.search(text) or _STORE.search(text):
        return True
    return any(package.encode() in text for package in packages)


def _is_test(path: str) -> bool:
    parts = PurePath(path).parts
    name = parts[-1] if parts else ""
    is_named = name.startswith("test_") or name.endswith("_test.py") or name == "conftest.py"
    return is_named or any(part in ("tests", "test") for part in parts[:-1])
