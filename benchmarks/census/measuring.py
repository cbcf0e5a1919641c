"""Measures both copies of a package, and keeps what it has measured."""

import hashlib
import json
import os
import shutil
import statistics
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.census.comparing import MOST_ROUNDS, ROUNDS, Compared, compared, rewritten, twin
from benchmarks.ecosystem.own import digest
from jaxfix.evidence.optimizers import OptimizerRunner, Surveyed
from jaxfix.evidence.running import Driving
from jaxfix.report.evidence import Evidence
from jaxfix.report.measurement import Compile, Environment, Measurement
from jaxfix.report.wire import from_json, to_json

CHUNK = 40
"""Cases between two savings."""
CASE_LIMIT_S = 180.0
_FIND = """\
import importlib.metadata as m, importlib.util as u, json, sys
spec = u.find_spec(sys.argv[1])
versions = {name: m.version(name) for name in (sys.argv[1], "jax", "jaxlib")}
print(json.dumps([spec.submodule_search_locations[0], versions]))
"""


@dataclass(frozen=True, slots=True)
class Place:
    """A compile of a steady step: the innermost line of the package, what compiled, and the lines that led there."""

    path: str
    line: int
    function: str
    program: str
    cause: str
    chain: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Figures:
    """One case on one side.

    Attributes:
      steady: the most compiles of any step from the third on.
      later: compiles after the first step.
      traces: of all steps.
      rss_bytes: growth per steady step.
      ms: the median steady step, in milliseconds.
      places: of the compiles of the last step.
    """

    case: str
    failure: str | None
    steady: int
    compiles: int
    later: int
    traces: int
    rss_bytes: float
    ms: float
    places: tuple[Place, ...]
    environment: Environment | None


@dataclass(frozen=True, slots=True)
class Static:
    """A finding of the package that is not fixed, and why: what the codemod or the receipt says."""

    path: str
    line: int
    end_line: int
    codemod: str
    reason: str


@dataclass(frozen=True, slots=True)
class Table:
    """Everything that the page shows. Figures are by case; `undriven` are factories with the reason."""

    package: str
    versions: Mapping[str, str]
    before: Mapping[str, Figures]
    after: Mapping[str, Figures]
    undriven: Mapping[str, str]
    static: tuple[Static, ...]
    proven: tuple[str, ...]
    compared: Mapping[str, Compared]

    def factories(self) -> list[str]:
        return sorted({case.partition(", ")[0] for case in self.before})


class Census:
    """The census of one package in one interpreter; `work` holds all that has been measured so far."""

    def __init__(self, package: str, python: str, work: Path, workers: int, select: str | None = None) -> None:
        done = subprocess.run([python, "-c", _FIND, package], check=True, stdout=subprocess.PIPE, text=True)
        place, self.versions = json.loads(done.stdout)
        self.package, self.python, self.location, self.work = package, python, Path(place), work / package
        self.applied = self.work / f"applied-{digest()}{f'-{select}' if select else ''}"
        self.select = select
        self.runner = OptimizerRunner(
            package, self.location, python, how=Driving(workers, case_limit_s=CASE_LIMIT_S, everything=True)
        )

    def measure(self, only: frozenset[str] | None, say: Callable[[str], None]) -> None:
        """Measures what is missing of the cases, as shipped and then patched."""
        cases = [case for case in self.runner.cases() if _is_wanted(case, only)]
        for side in ("before", "after"):
            if side == "after":
                self._apply(say)
            sources = self._sources(side)
            done = self._figures(side)
            missing = sorted((case for case in cases if case not in done), key=self._is_quiet)
            for start in range(0, len(missing), CHUNK):
                say(f"{side}: {len(cases) - len(missing) + start} of {len(cases)} cases")
                found = self.runner.measure(sources, frozenset(missing[start : start + CHUNK]))
                self._keep(self._file(side), (_figures(measurement) for measurement in found))
        self._compare(only, say)

    def _compare(self, only: frozenset[str] | None, say: Callable[[str], None]) -> None:
        """Runs the cases that a rewrite reaches once more, both sides in turns."""
        sources = self._sources("after")
        originals = {path: (self.location / path).read_bytes() for path in sources if (self.location / path).exists()}
        functions = tuple(rewritten(originals, sources))
        if not functions:
            return
        # One case at a time: what runs beside it would be measured too.
        runner = OptimizerRunner(
            self.package, self.location, self.python, functions, Driving(1, sys.maxsize, CASE_LIMIT_S)
        )
        done = self._compared()
        missing = [case for case in runner.cases() if _is_wanted(case, only) and _is_open(done.get(case))]
        missing += [twin(case) for case in missing if twin(case) not in missing]  # an eager one is judged by it too
        factories = sorted({case.partition(", ")[0] for case in missing})
        for number, factory in enumerate(factories):
            say(f"in turns: {number} of {len(factories)} optimizers that a rewrite reaches")
            cases = frozenset(case for case in missing if case.partition(", ")[0] == factory)
            self._keep(self._file("compared"), self._in_turns(runner, cases, sources))

    def _in_turns(
        self, runner: OptimizerRunner, cases: frozenset[str], sources: Mapping[str, bytes]
    ) -> Iterator[Compared]:
        before, after = defaultdict(list), defaultdict(list)
        found: dict[str, Compared] = {}
        for number in range(MOST_ROUNDS):
            wanted = cases if number < ROUNDS else frozenset(case for case in cases if found[case].is_slower)
            if not wanted:
                break
            for side, text in ((before, {}), (after, sources)):
                for run in runner.measure(text, wanted):
                    side[run.case].append(run)
            for case in sorted(wanted):
                found[case] = compared(before[case], after[case], before.get(twin(case), [None])[0])
        yield from found.values()

    def table(self, only: frozenset[str] | None) -> Table:
        document = json.loads((self.applied / "apply.json").read_text())
        receipts = from_json(tuple[Evidence, ...], document["evidence"])
        undriven = {entry.factory: _reason(entry) for entry in self.runner.surveyed().values() if entry.failure}
        return Table(
            package=self.package,
            versions=self.versions,
            before={case: entry for case, entry in self._figures("before").items() if _is_wanted(case, only)},
            after={case: entry for case, entry in self._figures("after").items() if _is_wanted(case, only)},
            undriven=undriven,
            static=tuple(self._static(document["findings"], receipts)),
            proven=tuple(
                f"`{entry.codemod}`, {self._inside(entry.path)}:{entry.line}: {entry.reason}"
                for entry in receipts
                if entry.verdict.value == "proven"
            ),
            compared={case: entry for case, entry in self._compared().items() if _is_wanted(case, only)},
        )

    def _apply(self, say: Callable[[str], None]) -> None:
        """Has jaxfix repair a copy of the package, once."""
        if (self.applied / "apply.json").exists():
            return
        say(f"applying jaxfix to {self.package}, with proof")
        shutil.rmtree(self.applied, ignore_errors=True)
        self.applied.mkdir(parents=True)
        words = [sys.executable, "-m", "jaxfix", "apply", self.package, "--prove", "--python", self.python]
        words += ["--to", str(self.applied / "patched"), "--exit-zero", "--output-format", "json"]
        if self.select:
            words += ["--select", self.select]
        done = subprocess.run(words, cwd=self.applied, check=True, stdout=subprocess.PIPE, text=True)
        (self.applied / "apply.json").write_text(done.stdout)

    def _is_quiet(self, case: str) -> bool:
        """Whether the case compiled nothing after its first step: the others are worth knowing first."""
        before = self._figures("before").get(case)
        return before is not None and before.later == 0

    def _sources(self, side: str) -> dict[str, bytes]:
        """The sources that differ from what is installed, by their path inside the package."""
        if side == "before":
            return {}
        copy = self.applied / "patched" / self.package
        found = {}
        for path in sorted(copy.rglob("*.py")):
            inside = path.relative_to(copy)
            original = self.location / inside
            if not original.exists() or original.read_bytes() != path.read_bytes():
                found[inside.as_posix()] = path.read_bytes()
        return found

    def _static(self, findings: list[dict[str, object]], receipts: tuple[Evidence, ...]) -> Iterator[Static]:
        judged = {(entry.path, entry.line, entry.codemod): entry for entry in receipts}
        for finding in findings:
            receipt = judged.get((str(finding["path"]), int(str(finding["line"])), str(finding["id"])))
            if receipt is not None and receipt.verdict.value == "proven":
                continue
            said = f"{receipt.verdict.value}: {receipt.reason}" if receipt else str(finding["declined"] or "not driven")
            place = self._inside(str(finding["path"]))
            lines = int(str(finding["line"])), int(str(finding["end_line"]))
            yield Static(place, *lines, str(finding["id"]), said)

    def _inside(self, path: str) -> str:
        """The path from the folder that holds the package."""
        _, found, rest = path.rpartition(f"/{self.package}/")
        return f"{self.package}/{rest}" if found else path

    def _file(self, side: str) -> Path:
        """Where figures of this package, patched in this way, in this interpreter and on this platform are kept."""
        changed = {} if side == "before" else self._sources("after")
        sources = {path: hashlib.sha256(content).hexdigest() for path, content in changed.items()}
        platform = os.environ.get("JAX_PLATFORMS")
        said = f"{sorted(self.versions.items())} {sorted(sources.items())} {self.python} {platform}"
        return self.work / f"{side}-{hashlib.sha256(said.encode()).hexdigest()[:16]}.jsonl"

    def _figures(self, side: str) -> dict[str, Figures]:
        if not self._file(side).exists():
            return {}
        lines = self._file(side).read_text().splitlines()
        entries = (from_json(Figures, json.loads(line)) for line in lines)
        return {entry.case: entry for entry in entries}

    def _compared(self) -> dict[str, Compared]:
        if not self._file("compared").exists():
            return {}
        lines = self._file("compared").read_text().splitlines()
        entries = (from_json(Compared, json.loads(line)) for line in lines)
        return {entry.case: entry for entry in entries}

    def _keep(self, file: Path, entries: Iterable[Figures | Compared]) -> None:
        self.work.mkdir(parents=True, exist_ok=True)
        with file.open("a") as opened:
            opened.writelines(json.dumps(to_json(entry)) + "\n" for entry in entries)


def _is_open(known: Compared | None) -> bool:
    """Whether a case was not run in turns yet, or seemed slower when it was."""
    return known is None or known.is_slower


def _is_wanted(case: str, only: frozenset[str] | None) -> bool:
    factory = case.partition(", ")[0]
    return only is None or factory in only or factory.rpartition(".")[2] in only


def _reason(entry: Surveyed) -> str:
    return entry.failure or "unknown"


def _figures(measurement: Measurement) -> Figures:
    steady = [step.seconds for step in measurement.steps[2:]]
    last = measurement.steps[-1].compiles if measurement.steps else 0
    return Figures(
        case=measurement.case,
        failure=measurement.failure,
        steady=measurement.steady_compiles,
        compiles=len(measurement.compiles),
        later=sum(step.compiles for step in measurement.steps[1:]),
        traces=measurement.traces,
        rss_bytes=measurement.steady_rss_bytes,
        ms=1000 * statistics.median(steady) if steady else 0.0,
        places=tuple(map(_place, measurement.compiles[-last:])) if last else (),
        environment=measurement.environment,
    )


def _place(entry: Compile) -> Place:
    cause = entry.cause.words if entry.cause else ""
    return Place(entry.path, entry.line, entry.function, entry.program, cause, entry.chain)
