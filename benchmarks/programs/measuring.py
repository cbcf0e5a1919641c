"""Measures one program: as written, by hand and by jaxfix, back to back."""

import difflib
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.programs import running
from benchmarks.programs.catalogue import Program, Unfit
from benchmarks.programs.running import Run, Seconds
from benchmarks.programs.sources import laid_out
from benchmarks.repositories import Unreachable
from jaxfix.report.wire import from_json, to_json

NEAR = 3
"""Lines between a finding and what the person changed that still count as the same place."""


@dataclass(frozen=True, slots=True)
class Side:
    """The medians of one version; `differs` is the first line that it prints otherwise than the program as written."""

    whole: Seconds
    loop: Seconds | None
    compiles: int
    changed: int
    differs: str | None


@dataclass(frozen=True, slots=True)
class Verdict:
    codemod: str
    verdict: str
    reason: str


@dataclass(frozen=True, slots=True)
class Result:
    """What was measured of a program; `failed` says why there is nothing.

    Attributes:
      hand: None where there is no version by hand.
      fixed: None where jaxfix changes nothing, or its version does not run.
      rounds: how many runs the medians are of.
      apply: what `jaxfix apply` took.
      found: codemods with a finding where the person changed something.
    """

    name: str
    commit: str
    digest: str
    failed: str | None = None
    written: Side | None = None
    hand: Side | None = None
    fixed: Side | None = None
    broken: str | None = None
    rounds: int = 0
    apply: Seconds | None = None
    verdicts: tuple[Verdict, ...] = ()
    findings: tuple[str, ...] = ()
    found: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Bench:
    """How to measure.

    Attributes:
      work: where programs are laid out and results kept.
      commit, digest: of this jaxfix.
      limit: seconds for a run of a program, and ten times as many for `jaxfix apply`.
    """

    work: Path
    mirror: Path | None
    commit: str
    digest: str
    rounds: int
    limit: float

    def measure(self, program: Program, say: Callable[[str], None]) -> Result:
        """Everything of one program; what fails is said in the result."""
        try:
            written, hand = laid_out(program, self.work / program.name, self.work / "repositories", self.mirror)
            return self._measure(program, written, hand, say)
        except (Unreachable, Unfit, running.Broken, subprocess.CalledProcessError) as error:
            return Result(program.name, self.commit, self.digest, failed=f"{type(error).__name__}: {error}")

    def _measure(self, program: Program, written: Path, hand: Path, say: Callable[[str], None]) -> Result:
        fixed = written.with_name("fixed")
        shutil.rmtree(fixed, ignore_errors=True)
        shutil.copytree(written, fixed)
        sides = {"written": written} | ({"hand": hand} if program.hand else {})
        say("jaxfix")
        findings = _said("check", "--all", ".", within=written, limit=self.limit)["findings"]
        report, seconds = self._applied(program, fixed)
        _keep_diff(written, fixed)
        if _changed(written, fixed):
            sides["fixed"] = fixed
        say("runs")
        measured, broken = self._rounds(program, sides)
        return Result(
            program.name,
            self.commit,
            self.digest,
            written=measured["written"],
            hand=measured.get("hand"),
            fixed=measured.get("fixed"),
            broken=broken,
            rounds=self.rounds,
            apply=seconds,
            verdicts=tuple(_verdicts(report)),
            findings=tuple(sorted(finding["id"] for finding in findings)),
            found=tuple(sorted(_near(program, [*findings, *report.get("findings", ())]))),
        )

    def _applied(self, program: Program, folder: Path) -> tuple[Mapping[str, Any], Seconds]:
        words = ("--allow-no-vcs", "--allow-dirty", "--no-cache", "--fresh", "--timeout", f"{self.limit:g}")
        run = f"{sys.executable} {program.start}"
        began, used = time.perf_counter(), running.processor_seconds()
        report = _said("apply", ".", "--run", run, *words, within=folder, limit=10 * self.limit)
        return report, Seconds(time.perf_counter() - began, running.processor_seconds() - used)

    def _rounds(self, program: Program, sides: dict[str, Path]) -> tuple[dict[str, Side], str | None]:
        """The sides that run, and why the repaired one does not."""
        runs: dict[str, list[Run]] = {name: [] for name in sides}
        broken = None
        for _ in range(self.rounds):
            for name in tuple(sides):
                try:
                    runs[name].append(running.run(program.start, sides[name], self.limit))
                except running.Broken as error:
                    if name != "fixed":
                        raise
                    broken = str(error)
                    del sides[name]
        plain = runs["written"][0].printed
        changed = {name: _changed(sides["written"], place) for name, place in sides.items()}
        return {name: _side(runs[name], changed[name], plain) for name in sides}, broken


def known(place: Path) -> dict[str, Result]:
    """What the page shows, by the program."""
    entries = from_json(tuple[Result, ...], json.loads(place.read_text())) if place.exists() else ()
    return {entry.name: entry for entry in entries}


def keep(place: Path, results: Mapping[str, Result]) -> None:
    """Writes what the page shows, a line for each program."""
    entries = [json.dumps(to_json(results[name]), ensure_ascii=False) for name in sorted(results)]
    place.write_text("[\n" + ",\n".join(entries) + "\n]\n")


def _side(runs: Sequence[Run], changed: int, plain: str) -> Side:
    loops = [run.loop for run in runs if run.loop is not None]
    whole = running.median([run.whole for run in runs])
    loop = running.median(loops) if loops else None
    return Side(whole, loop, runs[-1].compiles, changed, running.difference(plain, runs[-1].printed))


def _said(verb: str, *words: str, within: Path, limit: float) -> Mapping[str, Any]:
    command = [sys.executable, "-m", "jaxfix", verb, *words, "--output-format", "json", "--exit-zero"]
    done = running.ended(command, within, limit)
    if not done.stdout.strip():
        raise running.Broken(f"`jaxfix {verb}`: {(done.stderr.strip().splitlines() or ['no words'])[-1]}")
    document: Mapping[str, Any] = json.loads(done.stdout)
    return document


def _verdicts(report: Mapping[str, Any]) -> Iterable[Verdict]:
    """What the rerun said of each fix, by its key; the fixes that needed none, and those that were not rerun."""
    said = {entry["key"]: (entry["verdict"], _portable(entry["reason"])) for entry in report.get("evidence", ())}
    for fix in report.get("fixes", ()):
        verdict, reason = said.get(fix["key"], (fix["safety"], "written without a rerun"))
        yield Verdict(fix["id"], verdict, reason)
    for held in report.get("held", ()):
        verdict, reason = said.get(held["key"], ("held", _portable(held["reason"])))
        yield Verdict(held["id"], verdict, reason)


def _portable(reason: str) -> str:
    """Without the path of this interpreter."""
    return reason.replace(sys.executable, "python")


def _near(program: Program, findings: Iterable[Mapping[str, Any]]) -> set[str]:
    places = [(change.file, change.lines[0] - NEAR, max(change.lines) + NEAR) for change in program.hand]
    return {
        finding["id"]
        for finding in findings
        for file, first, last in places
        if finding["path"] == file and first <= finding["line"] <= last
    }


def _changed(one: Path, other: Path) -> int:
    return sum(line[0] in "+-" and line[:3] not in ("+++", "---") for line in _diff(one, other))


def _keep_diff(one: Path, other: Path) -> None:
    other.with_name("jaxfix.diff").write_text("\n".join(_diff(one, other)))


def _diff(one: Path, other: Path) -> list[str]:
    names = sorted({path.relative_to(side).as_posix() for side in (one, other) for path in side.rglob("*.py")})
    lines: list[str] = []
    for name in names:
        old, new = (_lines(side / name) for side in (one, other))
        lines += difflib.unified_diff(old, new, f"a/{name}", f"b/{name}", lineterm="")
    return lines


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []
