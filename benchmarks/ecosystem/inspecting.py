"""Runs jaxfix on the unpacked sources of a library, and checks what it has written by other means than its own."""

import ast
import hashlib
import io
import json
import shutil
import subprocess
import sys
import time
import tokenize
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.ecosystem.downloads import Release, unpacked
from jaxfix.engine import generated

BUG = 3
"""The exit status of a jaxfix that met a fault of its own."""
_IMPORT = """\
import importlib, json, sys, warnings
warnings.simplefilter("ignore")
failed = {}
for name in json.loads(sys.argv[1]):
    try:
        importlib.import_module(name)
    except BaseException as error:
        failed[name] = type(error).__name__
print("\\n" + json.dumps(failed))
"""


@dataclass(frozen=True, slots=True)
class Found:
    """A finding, with what distinguishes it from all others of the library.

    Attributes:
      text: the digest of its first line.
      number: how many lines of the file with the same text and the same kind of finding stand above it.
    """

    path: str
    line: int
    codemod: str
    confidence: str
    fixable: bool
    message: str
    declined: str | None
    text: str
    number: int


@dataclass(frozen=True, slots=True)
class Edit:
    """A fix that was written; `key` distinguishes it from all others of the file."""

    path: str
    codemod: str
    key: str


@dataclass(frozen=True, slots=True)
class Applied:
    """What `apply --unproven` has done, and what is wrong with it; all is well where there are no `faults`."""

    fixes: dict[str, int]
    files: int
    faults: tuple[str, ...]
    held: dict[str, int]
    modules: int
    imported: int | None
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class Library:
    """A library as it was inspected; `unread` are files that jaxfix could not read, `crashes` faults of jaxfix."""

    name: str
    version: str
    files: int
    lines: int
    seconds: float
    findings: tuple[Found, ...]
    applied: Applied
    unread: tuple[str, ...]
    crashes: tuple[str, ...]


def inspect(release: Release, store: Path, work: Path, python: str | None, mirror: Path | None = None) -> Library:
    """Checks and repairs a copy of the library in `work`; imports what was repaired where `python` has its needs.

    Raises:
      Unreachable: the library cannot be downloaded.
    """
    before, after = (_fresh(work / side, release, store, mirror) for side in ("before", "after"))
    started = time.perf_counter()
    checked = _jaxfix("check", "--all", ".", within=before)
    seconds = time.perf_counter() - started
    sources = _sources(before)
    findings = tuple(_findings(checked.document, before))
    applied, crashes = _apply(before, after, python)
    return Library(
        release.name,
        release.version,
        len(sources),
        sum(len(text.splitlines()) for text in sources.values()),
        seconds,
        findings,
        applied,
        tuple(checked.document.get("errors", ())),
        (*checked.crashes, *crashes),
    )


@dataclass(frozen=True, slots=True)
class _Said:
    document: Mapping[str, Any]
    crashes: tuple[str, ...]


def _jaxfix(verb: str, *words: str, within: Path) -> _Said:
    command = [sys.executable, "-m", "jaxfix", verb, *words, "--output-format", "json", "--exit-zero"]
    done = subprocess.run(command, cwd=within, capture_output=True, text=True)
    said = done.stderr.strip().splitlines()
    if not done.stdout.strip():
        return _Said({"findings": [], "errors": []}, (f"`{verb}` printed nothing: {said[-1] if said else 'no words'}",))
    crashes = tuple(line for line in said if done.returncode == BUG)
    return _Said(json.loads(done.stdout), crashes)


def _apply(before: Path, after: Path, python: str | None) -> tuple[Applied, tuple[str, ...]]:
    words = ("--unproven", "--allow-no-vcs", "--allow-dirty", ".")
    first = _jaxfix("apply", *words, within=after)
    written = _sources(after)
    second = _jaxfix("apply", *words, within=after)
    originals = _sources(before)
    changed = {path: text for path, text in written.items() if originals.get(path) != text}
    faults = [fault for path, text in changed.items() for fault in _faults(path, originals.get(path), text)]
    again = [path for path, text in _sources(after).items() if written.get(path) != text]
    faults += [f"{path} changes again when jaxfix is applied to it a second time" for path in again]
    for path, text in written.items():
        (after / path).write_bytes(text)
    packages = {path.partition("/")[0].removesuffix(".py") for path in changed}
    modules = sorted({*packages, *map(_module, changed)})
    imported, broken = _imports(modules, before, after, python)
    faults += [f"{module} cannot be imported any more" for module in broken]
    applied = Applied(
        dict(Counter(str(fix["id"]) for fix in first.document.get("fixes", ()))),
        len(changed),
        tuple(faults),
        dict(Counter(str(held["reason"]) for held in first.document.get("held", ()))),
        len(modules),
        imported,
        tuple(Edit(fix["path"], fix["id"], fix["key"]) for fix in first.document.get("fixes", ())),
    )
    return applied, (*first.crashes, *second.crashes)


def _faults(path: str, before: bytes | None, after: bytes) -> Iterator[str]:
    try:
        ast.parse(after)
    except SyntaxError as error:
        yield f"{path} cannot be parsed any more: {error}"
        return
    if before is not None and (lost := _comments(before) - _comments(after)):
        yield f"{path} has lost comments: {', '.join(sorted(lost))}"


def _comments(text: bytes) -> Counter[str]:
    tokens = tokenize.tokenize(io.BytesIO(text).readline)
    return Counter(token.string for token in tokens if token.type == tokenize.COMMENT)


def _imports(modules: list[str], before: Path, after: Path, python: str | None) -> tuple[int | None, list[str]]:
    """How many modules can be imported from the repaired copy, and which only from the other one."""
    if python is None:
        return None, []
    originals = [_original(name) for name in modules]
    failed = [_failing(names, side, python) for names, side in ((originals, before), (modules, after))]
    # The generated file has no original: it can be imported where its package can.
    broken = [name for name in failed[1] if _original(name) not in failed[0]]
    return len(modules) - len(failed[1]), broken


def _original(module: str) -> str:
    package, _, name = module.rpartition(".")
    return package if package and name == generated.MODULE else module


def _failing(modules: list[str], side: Path, python: str) -> dict[str, str]:
    words = [python, "-c", _IMPORT, json.dumps(modules)]
    done = subprocess.run(words, cwd=side, capture_output=True, text=True)
    found: dict[str, str] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def _module(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _findings(document: Mapping[str, Any], place: Path) -> Iterator[Found]:
    above: Counter[tuple[str, str, str]] = Counter()
    for entry in document["findings"]:
        lines = (place / entry["path"]).read_bytes().splitlines()
        text = hashlib.sha256(lines[entry["line"] - 1].strip()).hexdigest()[:12]
        alike = (entry["path"], entry["id"], text)
        yield Found(
            entry["path"],
            entry["line"],
            entry["id"],
            entry["confidence"],
            entry["fixable"],
            entry["message"],
            entry["declined"],
            text,
            above[alike],
        )
        above[alike] += 1


def _sources(place: Path) -> dict[str, bytes]:
    return {path.relative_to(place).as_posix(): path.read_bytes() for path in sorted(place.rglob("*.py"))}


def _fresh(place: Path, release: Release, store: Path, mirror: Path | None) -> Path:
    shutil.rmtree(place, ignore_errors=True)
    return unpacked(release, store, place, mirror)
