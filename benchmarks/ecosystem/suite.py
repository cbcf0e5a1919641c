"""Runs the tests that a release ships: those of the release, and the same on the copy that was rewritten."""

import hashlib
import json
import os
import subprocess
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from jaxfix.report.wire import from_json, to_json


@dataclass(frozen=True, slots=True)
class Ended:
    """How the tests of one file ended; `failed` are their names."""

    passed: int
    skipped: int
    failed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Suite:
    """How the tests ended, by file: of the release and of the rewritten copy, as far as they were run on both.

    Attributes:
      files: how many files of tests there are.
    """

    files: int
    before: Mapping[str, Ended]
    after: Mapping[str, Ended]

    @property
    def both(self) -> tuple[str, ...]:
        """The files that were run on both."""
        return tuple(sorted(self.before.keys() & self.after.keys()))

    @property
    def broken(self) -> tuple[str, ...]:
        """The tests that fail on the rewritten copy alone."""
        return tuple(name for file in self.both for name in self.after[file].failed if name not in self.failing)

    @property
    def failing(self) -> frozenset[str]:
        """The tests that fail on the release itself."""
        return frozenset(name for file in self.both for name in self.before[file].failed)


def suite(before: Path, after: Path, package: str, python: str, kept: Path) -> Suite:
    """Runs all tests of `package` in `after` and in `before`, each file in a process of its own.

    What came out of a file is kept in the folder `kept` for as long as the sources are the same: a run that was ended
    goes on where it was.
    """
    kept.mkdir(parents=True, exist_ok=True)
    for file in _tests(after, package):
        for side, place in (("after", after), ("before", before)):
            known = _kept(place, side, kept)
            if file not in known:
                ended = _ended(file, place, python)
                _place(place, side, kept).write_text(json.dumps(to_json({**known, file: ended}), indent=1))
    return known_suite(before, after, package, kept)


def known_suite(before: Path, after: Path, package: str, kept: Path) -> Suite:
    """What is known of these sources without running anything."""
    return Suite(len(_tests(after, package)), _kept(before, "before", kept), _kept(after, "after", kept))


def _tests(place: Path, package: str) -> list[str]:
    return [path.relative_to(place).as_posix() for path in sorted((place / package).rglob("*_test.py"))]


def _kept(place: Path, side: str, kept: Path) -> dict[str, Ended]:
    file = _place(place, side, kept)
    return from_json(dict[str, Ended], json.loads(file.read_text())) if file.exists() else {}


def _place(place: Path, side: str, kept: Path) -> Path:
    return kept / f"suite-{side}-{_digest(place)}.json"


def _ended(file: str, place: Path, python: str) -> Ended:
    cases = list(_cases(file, place, python))
    hows = Counter(how for _, how in cases)
    return Ended(hows["passed"], hows["skipped"], tuple(dict.fromkeys(name for name, how in cases if how == "failed")))


def _cases(file: str, place: Path, python: str) -> Iterator[tuple[str, str]]:
    """Each test, and each part of it that is distinguished, as `file::class::name`, and how it ended."""
    report = place / "report.xml"
    report.unlink(missing_ok=True)
    words = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}", file]
    subprocess.run(words, cwd=place, env=_environment(), capture_output=True)
    if not report.exists():
        yield f"{file}::collection", "failed"
        return
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
