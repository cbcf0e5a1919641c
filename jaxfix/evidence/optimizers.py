"""Drives the optimizers of a package with other sources than those on the disk, and measures."""

import json
import math
import os
import re
import sys
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from jaxfix.evidence import folders, progress, shadow
from jaxfix.evidence.progress import Progress
from jaxfix.evidence.run import Places, Watched, failure, probed, resolve, scratch, sha256, verified
from jaxfix.evidence.running import AS_USUAL, Driving
from jaxfix.evidence.target import Finished, Job
from jaxfix.evidence.waves import at_most
from jaxfix.report.measurement import Measurement
from jaxfix.report.wire import from_json
from jaxfix.source.errors import EvidenceError
from jaxfix.source.frozen import frozen

USUAL = (("eager", "float32"), ("eager", "bfloat16"), ("jit", "float32"), ("jit", "bfloat16"))
"""The modes and dtypes in which what is driven is run."""
LOOPED = ("bfloat16", "float32 under x64")
"""The dtypes that show whether a state keeps its types: `lax.fori_loop` refuses one that does not."""
STEPS = 6
"""Updates, iterations or solves of a case: steady from the third on, and RAdam's rectified branch is the sixth."""
_SURVEY_S = 600.0
_INSTALLED = {"site-packages", "dist-packages"}
_CASE_BYTES = 1 << 30
_GPU_PART, _MOST_ON_GPU = 0.9, 8
_SHARE = 8
"""Cases of one job elsewhere: the death of a worker costs no more."""

Case = tuple[str, str, str, str, int, str | None]
"""Its name, and what the probe drives."""


@frozen
class Surveyed:
    """A public factory as the survey has found it.

    Attributes:
      reached: the names of the observed functions that it reaches.
      way: how it is driven; None where it cannot be.
      failure: why it cannot be driven, or why tracing it failed; None where nothing did.
    """

    factory: str
    reached: frozenset[str]
    way: str | None
    failure: str | None


class OptimizerRunner:
    """Drives optimizers and solvers of a package that reach one of some functions: eager and jitted, in two dtypes.

    Args:
      package: the name to import, such as `optax`.
      location: the folder of its outermost package, or the file of a module that is one file.
      python: the interpreter that has jax and what the package needs.
      functions: (path, qualified name) of the functions that fixes rewrite; paths relative to `location` or to here.
    """

    def __init__(
        self,
        package: str,
        location: Path,
        python: str,
        functions: Sequence[tuple[str, str]] = (),
        how: Driving = AS_USUAL,
    ) -> None:
        self.repeats, self.calls_originals = True, False
        self.command = f"optimizers of {package}, {STEPS} updates each"
        self._package = package
        self._location = location.resolve()
        self._python = python
        self._functions = tuple(Watched(path, self.file(path), qualname) for path, qualname in functions)
        self._how, self._target, self._told = how, how.target, how.told
        self._workers = how.workers or (at_once() if how.target.is_here else 1)
        self.room = self._workers * how.target.room
        self._limits = {"case_limit_s": how.case_limit_s, "factory_limit_s": how.factory_limit_s}
        self._surveyed: dict[str, Surveyed] | None = None
        self._took: dict[str, float] = {}
        self._compiled: str | None = None
        if self._target.is_here:
            folder, delete = folders.make()
            self._compiled = str(folder)
            weakref.finalize(self, delete)

    def file(self, path: str) -> Path:
        """Where `path`, as a candidate names it, is."""
        return resolve(path, self._location)

    def sha256(self, path: str) -> str:
        """Of the file on the disk."""
        return sha256(self.file(path))

    def original(self, path: str) -> bytes | None:
        """The file on the disk; None where there is none."""
        file = self.file(path)
        return file.read_bytes() if file.is_file() else None

    def survey(self) -> Mapping[str, frozenset[str]]:
        """The names of the observed functions that each public factory reaches; made once.

        Raises:
          EvidenceError: the package cannot be imported there.
        """
        return {name: entry.reached for name, entry in self.surveyed().items() if entry.way is not None}

    def surveyed(self) -> Mapping[str, Surveyed]:
        """Every public factory, those that cannot be driven too; made once.

        Raises:
          EvidenceError: the package cannot be imported there.
        """
        if self._surveyed is None:
            self._surveyed = _entries(self._survey())
        return self._surveyed

    def prepare(self, known: Callable[[Callable[[], Measurement]], Measurement]) -> None:
        """Surveys the package, unless that is done.

        Args:
          known: makes the run that it is given, or has the same one from before.
        """
        if self._surveyed is None:
            self._surveyed = _entries(known(self._survey))

    def _survey(self) -> Measurement:
        """A run that prints what it has found."""
        self._told("looking for what reaches the fixes")
        with scratch() as folder:
            finished = self._target.run(self._job(folder, {}, {"verb": "survey"}, _SURVEY_S))
            return _survey(folder / "results" / "survey.json", self._package, self._python, finished)

    def cases(self) -> tuple[str, ...]:
        """The names of the cases that a measurement runs, in order."""
        return tuple(name for name, *_ in self._cases())

    def copied(self, sources: Mapping[str, bytes | None]) -> tuple[Path, ...]:
        """The folders and files that a run with these sources has copies of."""
        changed = map(self.file, sources)
        elsewhere = {shadow.package_of(path) for path in changed if not path.is_relative_to(self._location)}
        return (self._location, *sorted(elsewhere))

    def depends_on(self) -> Mapping[str, object]:
        """The inputs of a run other than sources and copies, as JSON."""
        return {
            "command": self.command,
            "target": [self._target.name, self._target.installed()],
            "folder": str(self._location),
            "interpreter": (self._python,),
            "options": [self._limits, self._how.most, self._how.everything, self._how.loops],
            "functions": [[function.path, str(function.file), function.qualname] for function in self._functions],
        }

    def expected(self) -> Mapping[str, frozenset[str] | None]:
        """Each case with the observed functions that its factory reaches."""
        return {case: self.survey()[case.partition(",")[0]] for case in self.cases()}

    def measure(
        self,
        sources: Mapping[str, bytes | None],
        cases: frozenset[str] | None = None,
        *,
        beside: bool = True,
        again: bool = False,
    ) -> tuple[Measurement, ...]:
        """Drives the cases, all or the named ones, with `sources` in place of the files of the package.

        Raises:
          EvidenceError: the package cannot be imported there.
        """
        chosen = [case for case in self._cases() if cases is None or case[0] in cases]
        read = {run.case: run for batch in self._driven_with(sources, chosen) for run in batch}
        return tuple(read[case[0]] for case in chosen)

    def batches(
        self, sources: Mapping[str, bytes | None], cases: frozenset[str], *, beside: bool = True, again: bool = False
    ) -> Iterator[tuple[Measurement, ...]]:
        """As `measure`, in the order in which jobs end."""
        return self._driven_with(sources, [case for case in self._cases() if case[0] in cases])

    def _driven_with(
        self, sources: Mapping[str, bytes | None], cases: Sequence[Case]
    ) -> Iterator[tuple[Measurement, ...]]:
        """The cases of each job as it ends; those that took longest before begin first, so that none is waited for."""
        cases = sorted(cases, key=lambda case: -self._took.get(case[0], 0.0))
        shares = _dealt(cases, self._share)
        code = {path: text for path, text in sources.items() if text is not None}
        done = 0

        def told(words: str) -> None:
            number = words.removeprefix("case ").partition(" ")[0]  # within a job, of which there may be several
            self._told(f"case {done + int(number)} of {len(cases)}" if number.isdecimal() else words)

        with ExitStack() as stack:
            folders = [stack.enter_context(scratch()) for _ in shares]
            jobs = [self._drive(folder, sources, share, told) for folder, share in zip(folders, shares, strict=True)]
            for number, finished in self._target.submit(jobs):
                done += len(shares[number])
                self._told(f"case {done} of {len(cases)}")
                results = folders[number] / "results"
                read = [_case(results / f"case-{i}.json", c[0], finished) for i, c in enumerate(shares[number])]
                self._took |= {run.case: run.seconds for run in read}
                yield tuple(verified(self._known(run), code) for run in read)

    @property
    def _share(self) -> int:
        return _SHARE if self._target.room > 1 else at_most(self._workers)

    def _drive(self, folder: Path, sources: Mapping[str, bytes | None], cases: Sequence[Case], told: Progress) -> Job:
        request = {"verb": "drive", "cases": cases, "workers": self._workers}
        limit = self._limits["case_limit_s"] * (1 + len(cases) / self._workers)
        return replace(self._job(folder, sources, request, limit), told=told)

    def _known(self, case: Measurement) -> Measurement:
        """The case without what cannot be compared: seconds of compiles that other runs may have shared.

        Of one that was cut off nothing is known but what its factory reaches.
        """
        compiles = tuple(replace(entry, seconds=0.0) for entry in case.compiles)
        reached = case.functions if case.stopped is None else sorted(self.survey()[case.case.partition(",")[0]])
        return replace(case, compiles=compiles, functions=tuple(reached))

    def _cases(self) -> list[Case]:
        return [
            (f"{factory}, {mode}, {dtype}", factory, mode, dtype, STEPS, way)
            for factory in self._driven()
            for way in (self.surveyed()[factory].way,)
            for mode, dtype in (*USUAL, *self._looped(way or ""))
        ]

    def _looped(self, way: str) -> tuple[tuple[str, str], ...]:
        return tuple(("loop", dtype) for dtype in self._how.loops) if way.startswith("updates") else ()

    def _driven(self) -> list[str]:
        if self._how.everything:
            return sorted(self.survey())
        driven: set[str] = set()
        for function in self._functions:
            outer = function.qualname.partition(".")[0]

            def order(factory: str, outer: str = outer) -> tuple[bool, bool, str]:
                return factory.rpartition(".")[2] != outer, factory not in driven, factory

            reaching = [factory for factory, reached in self.survey().items() if function.name in reached]
            driven.update(sorted(reaching, key=order)[: self._how.most])
        return sorted(driven)

    def _job(
        self, folder: Path, sources: Mapping[str, bytes | None], request: Mapping[str, object], limit_s: float
    ) -> Job:
        changed = {self.file(path): content for path, content in sources.items()}
        copy = self._copied(changed, folder / "overlay")
        places = Places({self._location: copy}, self._location, folder / "overlay")
        settings = {
            "observe": [[str(places.place(f.file)), f.qualname, f.name] for f in self._functions],
            "sources": {str(places.place(self.file(path))): path for path in sources},
            "user": [str(copy)],
            "moved": places.moved,
            "calls": None,
            "cache": True,
            "parent": os.getpid(),
            "tells": self._told is not progress.ignore,
            "effects": True,
            "reads": True,
            "ours": [self._compiled] if self._compiled is not None else [],
        }
        environment = probed(folder, settings, os.environ, folder / "overlay")
        if not _INSTALLED.intersection(self._location.parts):
            environment["PYTHONPATH"] += os.pathsep + str(self._location.parent)
        environment = self._parts_of_a_gpu() | environment | self._sharing(folder)
        asked = {**request, **self._limits, "package": self._package, "results": str(folder / "results")}
        (folder / "request.json").write_text(json.dumps(asked))
        words = (self._python, "-m", "jaxfix_probe.drive", str(folder / "request.json"))
        return Job(words, folder, environment, limit_s, told=self._told)

    def _parts_of_a_gpu(self) -> dict[str, str]:
        """Has cases that run at the same time take its memory as they need it, and none more than its part."""
        part = f"{_GPU_PART / self._workers:.3f}"
        return {"XLA_PYTHON_CLIENT_PREALLOCATE": "false", "XLA_PYTHON_CLIENT_MEM_FRACTION": part}

    def _sharing(self, folder: Path) -> dict[str, str]:
        """Has all cases of all runs share what XLA compiles: most of it is the same with and without a fix.

        jax asks that cache when it would compile, so what is counted stays the same. Elsewhere those of a job share it.
        """
        return {
            "JAX_ENABLE_COMPILATION_CACHE": "true",
            "JAX_COMPILATION_CACHE_DIR": self._compiled or str(folder / "compiled"),
            "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
            "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
        }

    def _copied(self, changed: Mapping[Path, bytes | None], overlay: Path) -> Path:
        """The copy of the package; what is changed elsewhere, such as a helper file that it imports, is copied too."""
        elsewhere = {path for path in changed if not path.is_relative_to(self._location)}
        for package in sorted({shadow.package_of(path) for path in elsewhere}):
            inside = {path: changed[path] for path in elsewhere if path.is_relative_to(package)}
            shadow.copy_package(package, overlay, inside)
        inside = {path: text for path, text in changed.items() if path not in elsewhere}
        return shadow.copy_package(self._location, overlay, inside)


def at_once() -> int:
    """How many cases run here at the same time: one for each processor that is ours, as far as memory reaches.

    Where there is a GPU, few: each takes some hundreds of megabytes of it before it computes.
    """
    if sys.platform != "linux":
        return os.cpu_count() or 1
    found = re.search(r"^MemAvailable: *(\d+) kB", Path("/proc/meminfo").read_text(), re.M)
    fitting = int(found[1]) * 1024 // _CASE_BYTES if found else 1
    most = _MOST_ON_GPU if Path("/dev/nvidiactl").exists() else fitting
    return max(1, min(len(os.sched_getaffinity(0)), fitting, most))


def _dealt(cases: Sequence[Case], share: int) -> list[Sequence[Case]]:
    """The cases by job: at most so many in each, the same ones however much room there is."""
    parts = math.ceil(len(cases) / share)
    return [cases[part::parts] for part in range(parts)]


def _survey(path: Path, package: str, python: str, finished: Finished) -> Measurement:
    if not path.exists():
        reason = failure(finished.status, finished.stderr) or "nothing was reported"
        hint = "install jax and the package there, for example with `pip install 'jaxfix[prove]'`"
        raise EvidenceError(f"`{package}` cannot be driven by {python}: {reason}", hint=hint)
    said = json.loads(path.read_text())
    return Measurement("survey", None, (), 0, (), (), json.dumps(said["found"]), (), {}, 0, None, reads=said["reads"])


def _entries(survey: Measurement) -> dict[str, Surveyed]:
    found = json.loads(survey.stdout)
    entries = (Surveyed(e["factory"], frozenset(e["reached"]), e["way"], e["failure"]) for e in found)
    return {entry.factory: entry for entry in entries}


def _case(path: Path, name: str, finished: Finished) -> Measurement:
    if path.exists():
        return from_json(Measurement, json.loads(path.read_text()))
    reason = failure(finished.status, finished.stderr) or "nothing was reported"
    return Measurement(name, reason, (), 0, (), (), "", (), {}, 0, None)
