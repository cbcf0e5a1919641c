"""Runs a program, or the optimizers of a package, with other sources than those on the disk, and measures."""

import hashlib
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from jaxfix.core.codec import from_json
from jaxfix.core.errors import EvidenceError
from jaxfix.core.report import Measurement, Output
from jaxfix.evidence import shadow
from jaxfix.evidence.target import Finished, Job, Local, Target, command_words, with_interpreter

_HERE = Path(__file__).parent
STEPS = 6
"""Updates that each case makes: steady ones begin with the third, and RAdam's rectified branch with the sixth."""
_INSTALLED = {"site-packages", "dist-packages"}


@dataclass(frozen=True, slots=True)
class Watched:
    """A function to observe: its file as it was named, where that is, and its qualified name."""

    path: str
    file: Path
    qualname: str

    @property
    def name(self) -> str:
        return function_name(self.path, self.qualname)


def function_name(path: str, qualname: str) -> str:
    """How a `Measurement` names a rewritten function."""
    return f"{path}:{qualname}"


class ProgramRunner:
    """Runs a command in shadow copies of a project.

    Args:
      root: the project; the command runs in the copy of it, with every path under it moved along.
      command: as one line; `VAR=value` in front is understood, shell syntax is not.
      functions: (path, qualified name) of the functions to observe; paths relative to `root` or to here.
      cwd: where the command runs, under `root`; `root` itself if None.
      timeout_s: after which all processes of a run are ended.
    """

    def __init__(
        self,
        root: Path,
        command: str,
        functions: Sequence[tuple[str, str]] = (),
        *,
        cwd: Path | None = None,
        timeout_s: float = 600.0,
        target: Target | None = None,
    ) -> None:
        self.command = command
        self._root = root.resolve()
        self._cwd = (cwd or root).resolve()
        self._timeout_s = timeout_s
        self._target = target or Local()
        self._functions = tuple(Watched(path, self.file(path), qualname) for path, qualname in functions)
        self._reached: frozenset[tuple[str, str]] = frozenset()

    def file(self, path: str) -> Path:
        """Where `path`, as a candidate names it, is."""
        return _resolve(path, self._root)

    def sha256(self, path: str) -> str:
        """Of the file on the disk."""
        return _sha256(self.file(path))

    def reached(self, case: str) -> frozenset[tuple[str, str]]:
        """The observed functions that the program called in the first run."""
        return self._reached

    def measure(self, sources: Mapping[str, bytes], cases: frozenset[str] | None = None) -> tuple[Measurement, ...]:
        """One run of the program with `sources` (whole files, by path) in place of those on the disk.

        Raises:
          EvidenceError: the program cannot be started.
        """
        changed = {self.file(path): content for path, content in sources.items()}
        with scratch() as folder:
            places = self._copies(folder, changed)
            finished = self._run(folder, places, sources)
            measurement = merged(self.command, finished, folder / "results", places.moved)
        measurement = _verified(measurement, sources)
        self._reached = self._reached or _pairs(self._functions, measurement.functions)
        return (measurement,)

    def _copies(self, folder: Path, changed: Mapping[Path, bytes]) -> "_Places":
        tree = folder / "tree" / self._root.name
        mine = {path: content for path, content in changed.items() if self._is_mine(path)}
        shadow.copy_tree(self._root, tree, mine)
        copies = {self._root: tree}
        packages = {shadow.package_of(path) for path in changed if path not in mine}
        for package in sorted(packages):
            inside = {path: content for path, content in changed.items() if path.is_relative_to(package)}
            copies[package] = shadow.copy_package(package, folder / "overlay", inside)
        return _Places(copies, self._root, folder / "overlay" if packages else None)

    def _is_mine(self, path: Path) -> bool:
        return path.is_relative_to(self._root) and not shadow.is_linked(path, self._root)

    def _run(self, folder: Path, places: "_Places", sources: Mapping[str, bytes]) -> Finished:
        tree = places.copies[self._root]
        settings = {
            "observe": [
                [str(places.place(f.file, self._is_mine(f.file))), f.qualname, f.name] for f in self._functions
            ],
            "sources": {str(places.place(self.file(p), self._is_mine(self.file(p)))): p for p in sources},
            "user": [str(copy) for copy in places.copies.values()],
            "moved": places.moved,
            "paths": [[str(self._root), str(tree)]],
            "links": [str(tree), str(self._root)],
        }
        variables, words = command_words(self.command)
        environment = probed(folder, settings, {**os.environ, **variables}, places.overlay)
        moved = {name: _moved(value, self._root, tree) for name, value in environment.items() if name != "HOME"}
        words = tuple(_moved(word, self._root, tree) for word in with_interpreter(words, self._root))
        cwd = tree / self._cwd.relative_to(self._root)
        return self._target.run(Job(words, cwd, {**environment, **moved, "PWD": str(cwd)}, self._timeout_s))


class OptimizerRunner:
    """Drives the optimizers of a package that reach one of some functions, eagerly and jitted, in two dtypes.

    Args:
      package: the name to import, such as `optax`.
      location: the folder of its outermost package, or the file of a module that is one file.
      python: the interpreter that has jax and what the package needs.
      functions: (path, qualified name) of the functions that fixes rewrite; paths relative to `location` or to here.
      workers: cases that run at the same time.
      most: factories that are driven for each function; those that it is named after come first, then by name.
      timeout_s: for all cases of one measurement together.
    """

    def __init__(
        self,
        package: str,
        location: Path,
        python: str,
        functions: Sequence[tuple[str, str]] = (),
        *,
        workers: int = 2,
        most: int = 6,
        timeout_s: float = 600.0,
        target: Target | None = None,
    ) -> None:
        self.command = f"optimizers of {package}, {STEPS} updates each"
        self._package = package
        self._location = location.resolve()
        self._python = python
        self._functions = tuple(Watched(path, self.file(path), qualname) for path, qualname in functions)
        self._workers, self._most, self._timeout_s = workers, most, timeout_s
        self._target = target or Local()
        self._surveyed: dict[str, frozenset[str]] | None = None

    def file(self, path: str) -> Path:
        """Where `path`, as a candidate names it, is."""
        return _resolve(path, self._location)

    def sha256(self, path: str) -> str:
        """Of the file on the disk."""
        return _sha256(self.file(path))

    def survey(self) -> Mapping[str, frozenset[str]]:
        """The names of the observed functions that each public factory reaches; made once.

        Raises:
          EvidenceError: the package cannot be imported there.
        """
        if self._surveyed is None:
            with scratch() as folder:
                finished = self._run(folder, {}, {"verb": "survey"})
                found = _survey(folder / "results" / "survey.json", self._package, self._python, finished)
            self._surveyed = {entry["factory"]: frozenset(entry["reached"]) for entry in found if _drivable(entry)}
        return self._surveyed

    def cases(self) -> tuple[str, ...]:
        """The names of the cases that a measurement runs, in order."""
        return tuple(name for name, *_ in self._cases())

    def reached(self, case: str) -> frozenset[tuple[str, str]]:
        """The observed functions that the factory of `case` reaches."""
        return _pairs(self._functions, self.survey().get(case.partition(",")[0], frozenset()))

    def measure(self, sources: Mapping[str, bytes], cases: frozenset[str] | None = None) -> tuple[Measurement, ...]:
        """Drives the cases, all or the named ones, with `sources` in place of the files of the package.

        Raises:
          EvidenceError: the package cannot be imported there.
        """
        chosen = [case for case in self._cases() if cases is None or case[0] in cases]
        if not chosen:
            return ()
        with scratch() as folder:
            request = {"verb": "drive", "cases": chosen, "workers": self._workers}
            finished = self._run(folder, sources, request)
            read = [_case(folder / "results" / f"case-{i}.json", c[0], finished) for i, c in enumerate(chosen)]
        return tuple(_verified(measurement, sources) for measurement in read)

    def _cases(self) -> list[tuple[str, str, str, str, int]]:
        return [
            (f"{factory}, {mode}, {dtype}", factory, mode, dtype, STEPS)
            for factory in self._driven()
            for mode in ("eager", "jit")
            for dtype in ("float32", "bfloat16")
        ]

    def _driven(self) -> list[str]:
        driven: set[str] = set()
        for function in self._functions:
            reaching = [factory for factory, reached in self.survey().items() if function.name in reached]
            outer = function.qualname.partition(".")[0]
            reaching.sort(key=lambda factory, outer=outer: (factory.rpartition(".")[2] != outer, factory))  # type: ignore[misc]
            driven.update(reaching[: self._most])
        return sorted(driven)

    def _run(self, folder: Path, sources: Mapping[str, bytes], request: Mapping[str, object]) -> Finished:
        changed = {self.file(path): content for path, content in sources.items()}
        copy = shadow.copy_package(self._location, folder / "overlay", changed)
        places = _Places({self._location: copy}, self._location, folder / "overlay")
        settings = {
            "observe": [[str(places.place(f.file)), f.qualname, f.name] for f in self._functions],
            "sources": {str(places.place(self.file(path))): path for path in sources},
            "user": [str(copy)],
            "moved": places.moved,
            "calls": None,
        }
        environment = probed(folder, settings, os.environ, folder / "overlay")
        if not _INSTALLED.intersection(self._location.parts):
            environment["PYTHONPATH"] += os.pathsep + str(self._location.parent)
        asked = {**request, "package": self._package, "results": str(folder / "results")}
        (folder / "request.json").write_text(json.dumps(asked))
        words = (self._python, str(folder / "probe" / "jaxfix_drive.py"), str(folder / "request.json"))
        return self._target.run(Job(words, folder, environment, self._timeout_s))


@dataclass(frozen=True, slots=True)
class _Places:
    """Where the copies of one run are: by original folder or file, `main` first among equals."""

    copies: Mapping[Path, Path]
    main: Path
    overlay: Path | None

    @property
    def moved(self) -> list[list[str]]:
        """(copy, original), longest first, as the probe and the output of the program need it."""
        return sorted(([str(copy), str(original)] for original, copy in self.copies.items()), key=_length)

    def place(self, file: Path, mine: bool = True) -> Path:
        """Where a run finds `file`."""
        for original, copy in sorted(self.copies.items(), key=lambda pair: -len(str(pair[0]))):
            if original == file:
                return copy
            if file.is_relative_to(original) and (mine or original != self.main):
                return copy / file.relative_to(original)
        return file


def _length(pair: list[str]) -> int:
    return -len(pair[0])


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder for one run, with the probe, the driver and an empty folder for results in it."""
    folder = Path(tempfile.mkdtemp(prefix="jaxfix-")).resolve()
    try:
        (folder / "probe").mkdir()
        (folder / "results").mkdir()
        shutil.copyfile(_HERE / "probe.py", folder / "probe" / "sitecustomize.py")
        shutil.copyfile(_HERE / "drive.py", folder / "probe" / "jaxfix_drive.py")
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def probed(folder: Path, settings: dict[str, Any], base: Mapping[str, str], overlay: Path | None) -> dict[str, str]:
    """The environment `base` with the probe in it, settled so that two runs are alike."""
    path = folder / "settings.json"
    path.write_text(json.dumps({**settings, "results": str(folder / "results")}))
    environment = {name: value for name, value in base.items() if name != "JAX_COMPILATION_CACHE_DIR"}
    search = [str(folder / "probe"), *([str(overlay)] if overlay else []), base.get("PYTHONPATH", "")]
    return environment | {
        "JAXFIX_PROBE": str(path),
        "PYTHONPATH": os.pathsep.join(entry for entry in search if entry),
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "JAX_ENABLE_COMPILATION_CACHE": "false",
    }


def merged(case: str, finished: Finished, results: Path, moved: Iterable[list[str]] = ()) -> Measurement:
    """One measurement of what the processes of a run wrote down, in the order in which they started."""
    records = [json.loads(path.read_text()) for path in sorted(results.glob("*.json"))]
    records.sort(key=lambda record: (record["started"], record["pid"]))
    stdout, stderr = (_renamed(text, moved) for text in (finished.stdout, finished.stderr))
    ending = {"case": case, "failure": _failure(finished.status, stderr), "stdout": stdout}
    parts = [from_json(Measurement, record | ending) for record in records]
    empty = Measurement(case, ending["failure"], (), 0, (), (), stdout, (), {}, 0, None)
    return replace(
        empty,
        compiles=tuple(entry for part in parts for entry in part.compiles),
        traces=sum(part.traces for part in parts),
        steps=max((part.steps for part in parts), key=len, default=()),
        outputs=_labelled(part.outputs for part in parts),
        functions=tuple(sorted({name for part in parts for name in part.functions})),
        loaded={path: digest for part in parts for path, digest in part.loaded.items()},
        peak_bytes=max((part.peak_bytes for part in parts), default=0),
        environment=next((part.environment for part in parts if part.environment), None),
        calls={name: sum(part.calls.get(name, 0) for part in parts) for part in parts for name in part.calls},
    )


def _labelled(outputs: Iterable[tuple[Output, ...]]) -> tuple[Output, ...]:
    """All outputs; those of a second process that has any say so in their labels."""
    speaking = [mine for mine in outputs if mine]
    return tuple(
        output if number == 1 else replace(output, label=f"process {number} {output.label}")
        for number, mine in enumerate(speaking, 1)
        for output in mine
    )


def _failure(status: int | None, stderr: str) -> str | None:
    if status == 0:
        return None
    said = [line for line in stderr.splitlines() if line.strip()]
    last = f": {said[-1].strip()[:300]}" if said else ""
    return f"cut off at the time limit{last}" if status is None else f"exit status {status}{last}"


def _survey(path: Path, package: str, python: str, finished: Finished) -> list[dict[str, Any]]:
    if not path.exists():
        reason = _failure(finished.status, finished.stderr) or "nothing was reported"
        hint = "install jax and the package there, for example with `pip install 'jaxfix[prove]'`"
        raise EvidenceError(f"`{package}` cannot be driven by {python}: {reason}", hint=hint)
    found: list[dict[str, Any]] = json.loads(path.read_text())
    return found


def _drivable(entry: Mapping[str, Any]) -> bool:
    return bool(entry["failure"] != "its arguments cannot be filled in")


def _case(path: Path, name: str, finished: Finished) -> Measurement:
    if path.exists():
        return from_json(Measurement, json.loads(path.read_text()))
    failure = _failure(finished.status, finished.stderr) or "nothing was reported"
    return Measurement(name, failure, (), 0, (), (), "", (), {}, 0, None)


def _verified(measurement: Measurement, sources: Mapping[str, bytes]) -> Measurement:
    """Forgets sources that were loaded with other contents than they were given."""
    expected = {path: hashlib.sha256(content).hexdigest() for path, content in sources.items()}
    return replace(measurement, loaded={p: d for p, d in measurement.loaded.items() if expected.get(p) == d})


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _pairs(functions: Iterable[Watched], names: Iterable[str]) -> frozenset[tuple[str, str]]:
    called = set(names)
    return frozenset((function.path, function.qualname) for function in functions if function.name in called)


def _resolve(path: str, root: Path) -> Path:
    base = root if root.is_dir() else root.parent
    inside = base / path
    return inside.resolve() if inside.exists() else Path(path).resolve()


def _moved(text: str, root: Path, copy: Path) -> str:
    # The scratch folder may itself lie under `root`: what points there stays.
    scratch_folder = copy.parent.parent
    if str(scratch_folder) in text:
        return os.pathsep.join(
            part if str(scratch_folder) in part else _moved(part, root, copy) for part in text.split(os.pathsep)
        )
    return re.sub(rf"{re.escape(str(root))}(?=$|[/:\s'\"])", lambda _: str(copy), text)


def _renamed(text: str, moved: Iterable[list[str]]) -> str:
    for copy, original in moved:
        text = text.replace(copy, original)
    return text


def interpreter() -> str:
    """The Python that drives optimizers unless the user names another: the one that runs jaxfix."""
    return sys.executable
