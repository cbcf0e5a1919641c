"""Runs the tests that a release brings along, on the copy that jaxfix has rewritten."""

import hashlib
import json
import os
import subprocess
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from jaxfix.core.codec import from_json, to_json


@dataclass(frozen=True, slots=True)
class Suite:
    """How the tests of a rewritten release ended; `broken` are those that pass only without the rewriting.

    Attributes:
      failing: those that fail with and without it.
    """

    files: int
    passed: int
    skipped: int
    broken: tuple[str, ...]
    failing: tuple[str, ...]


def suite(before: Path, after: Path, package: str, python: str, kept: Path) -> Suite:
    """Runs all tests of `package` in `after`, and those that fail in `before` too.

    What came out is kept in the folder `kept` for as long as the sources are the same.
    """
    file = kept / f"suite-{_digest(after)}.json"
    if not file.exists():
        found = _run(before, after, package, python)
        kept.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(to_json(found)))
    return from_json(Suite, json.loads(file.read_text()))


def known(after: Path, kept: Path) -> Suite | None:
    """What came out for these sources before; None if they were never tested."""
    file = kept / f"suite-{_digest(after)}.json"
    return from_json(Suite, json.loads(file.read_text())) if file.exists() else None


def _run(before: Path, after: Path, package: str, python: str) -> Suite:
    tests = [path.relative_to(after).as_posix() for path in sorted((after / package).rglob("*_test.py"))]
    ended = dict(_ended(tests, after, python))
    suspects = [name for name, how in ended.items() if how == "failed"]
    originally = dict(_ended(sorted({name.partition("::")[0] for name in suspects}), before, python))
    failing = tuple(name for name in suspects if originally.get(name) == "failed")
    hows = list(ended.values())
    broken = tuple(name for name in suspects if name not in failing)
    return Suite(len(tests), hows.count("passed"), hows.count("skipped"), broken, failing)


def _ended(files: Sequence[str], place: Path, python: str) -> Iterator[tuple[str, str]]:
    """Each test as `file::class::name`, and how it ended; every file is run by a process of its own."""
    for file in files:
        report = place / "report.xml"
        report.unlink(missing_ok=True)
        words = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}", file]
        subprocess.run(words, cwd=place, env=_environment(), capture_output=True)
        if not report.exists():
            yield f"{file}::collection", "failed"
            continue
        for case in ElementTree.parse(report).iter("testcase"):
            said = {child.tag for child in case}
            how = "failed" if said & {"failure", "error"} else "skipped" if "skipped" in said else "passed"
            yield f"{file}::{case.get('classname', '').rpartition('.')[2]}::{case.get('name')}", how
        report.unlink()


def _environment() -> Mapping[str, str]:
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def _digest(place: Path) -> str:
    said = hashlib.sha256()
    for path in sorted(place.rglob("*.py")):
        said.update(path.relative_to(place).as_posix().encode() + path.read_bytes())
    return said.hexdigest()[:16]
