"""What every run needs: a scratch folder with the probe in it, places of copies, and one measurement at the end."""

import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from jaxfix.evidence import folders
from jaxfix.evidence.target import Finished
from jaxfix.report.measurement import Environment, Measurement, Output
from jaxfix.report.wire import from_json
from jaxfix.source.errors import EvidenceError
from jaxfix.source.frozen import frozen

# what jax adds below the error of a traceback that it has shortened
_ASIDE = re.compile(r"-{8,}$|For simplicity, JAX has removed")
_FRAME = re.compile(r'  File ".*", line \d+')
_ASKS = re.compile(r"EOFError: EOF when reading a line|Inappropriate ioctl for device|not a (tty|terminal)", re.I)
"""What fails because no terminal is there."""
_RAISED = re.compile(r"[A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt)(?::|$)")
_PROBE = Path(__file__).parent / "probe"


@frozen
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


@frozen
class Places:
    """Where the copies of one run are: by original folder or file, `main` first among equals."""

    copies: Mapping[Path, Path]
    main: Path
    overlay: Path | None

    @property
    def moved(self) -> list[list[str]]:
        """(copy, original), longest first, as the probe and the output of the program need it."""
        return sorted(([str(copy), str(original)] for original, copy in self.copies.items()), key=_length)

    def place(self, file: Path, *, mine: bool = True) -> Path:
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
    """A folder for one run, with the probe and an empty folder for results in it.

    Raises:
      EvidenceError: it does not hold what the run needs.
    """
    folder, delete = folders.make()
    try:
        (folder / "results").mkdir()
        shutil.copytree(_PROBE, folder / "probe" / "jaxfix_probe", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.move(folder / "probe" / "jaxfix_probe" / "sitecustomize.py", folder / "probe")
        yield folder
    except OSError as error:
        if not folders.is_full(error):
            raise
        hint = "make room there, or set `TMPDIR` to another folder"
        raise EvidenceError(f"no room for a copy of what is run in `{folder.parent}`", hint=hint) from error
    finally:
        delete()


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
    paths = sorted(results.glob("*.json"))
    records = [_so_far(path) if path.name.endswith("-so-far.json") else json.loads(path.read_text()) for path in paths]
    records.sort(key=lambda record: (record["started"], record["pid"]))
    stdout, stderr = (_renamed(text, moved) for text in (finished.stdout, finished.stderr))
    stopped = _stopped(records, finished)
    failed = None if stopped else failure(finished.status, stderr if stderr.strip() else stdout)
    ending = {"case": case, "failure": failed, "stdout": stdout, "stopped": stopped}
    for number, record in enumerate(records):
        for entry in (*record["compiles"], *record.get("spent", ())):
            entry["process"] = number
    parts = [from_json(Measurement, record | ending) for record in records]
    empty = Measurement(case, failed, (), 0, (), (), stdout, (), {}, 0, None)
    return replace(
        empty,
        compiles=tuple(entry for part in parts for entry in part.compiles),
        traces=sum(part.traces for part in parts),
        steps=max((part.steps for part in parts), key=lambda steps: sum(s.iterations for s in steps), default=()),
        outputs=_labelled(part.outputs for part in parts),
        functions=tuple(sorted({name for part in parts for name in part.functions})),
        loaded={path: digest for part in parts for path, digest in part.loaded.items()},
        peak_bytes=max((part.peak_bytes for part in parts), default=0),
        environment=_environment(parts, moved),
        calls={name: sum(part.calls.get(name, 0) for part in parts) for part in parts for name in part.calls},
        staged_bytes=_staged_bytes(parts),
        beside=tuple(entry for part in parts for entry in part.beside),
        programs=tuple(entry for part in parts for entry in part.programs),
        work=tuple(entry for part in parts for entry in part.work),
        razor=tuple(entry for part in parts for entry in part.razor),
        alone={name: reason for part in parts for name, reason in part.alone.items()},
        untried=_untried(parts),
        logged=tuple(line for part in parts for line in part.logged),
        warned=tuple(sorted({text for part in parts for text in part.warned})),
        stderr=stderr,
        left=_labelled(part.left for part in parts),
        stopped=stopped,
        where_steps=next((part.where_steps for part in parts if part.where_steps), None),
        devices=max((part.devices for part in parts), default=0),
        has_one_device={part.has_one_device for part in parts if part.environment} == {True},
        device_peak_bytes=max((part.device_peak_bytes for part in parts if part.device_peak_bytes), default=None),
        spent=tuple(entry for part in parts for entry in part.spent),
        seconds=sum(part.seconds for part in parts if part.has_jax),
        has_jax=any(part.has_jax for part in parts),
        reads=_reads(parts),
    )


def _staged_bytes(parts: Sequence[Measurement]) -> dict[str, int | None]:
    """The most of all processes; None where one of them does not know."""
    found: dict[str, int | None] = {}
    for name, size in (entry for part in parts for entry in part.staged_bytes.items()):
        known = found.get(name, 0)
        found[name] = None if known is None or size is None else max(known, size)
    return found


def _reads(parts: Sequence[Measurement]) -> dict[str, str] | None:
    """What all processes have read, as files of the originals; None where one of them does not say."""
    found: dict[str, str] = {}
    for part in parts:
        if part.reads is None:
            return None
        found = {**part.reads, **found}
    return found if parts else None


def _untried(parts: Iterable[Measurement]) -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for part in parts:
        for name, words in part.untried.items():
            found.setdefault(name, {}).update(dict.fromkeys(words))
    return {name: tuple(words) for name, words in found.items()}


def _environment(parts: Iterable[Measurement], moved: Iterable[list[str]]) -> Environment | None:
    """Of the first process that computed; an interpreter in the copied project is that of the project."""
    found = next((part.environment for part in parts if part.environment), None)
    if found is None or found.interpreter is None:
        return found
    return replace(found, interpreter=_renamed(found.interpreter, moved))


def _so_far(path: Path) -> dict[str, Any]:
    """The record of a process that was killed: what it had compiled by then."""
    compiles = []
    for line in path.read_text().splitlines():
        with suppress(ValueError):  # the last one may be cut off
            compiles.append(json.loads(line))
    counted = {"has_jax": True, "traces": 0, "steps": [], "outputs": [], "functions": [], "loaded": {}, "peak_bytes": 0}
    pid = int(path.name.partition("-")[0])
    return {"compiles": compiles, "environment": None, "started": path.stat().st_mtime, "pid": pid, **counted}


def kept_originals(folder: Path, originals: Mapping[str, bytes | None], places: Mapping[str, Path]) -> dict[str, str]:
    """The originals of patched files, as copies that travel with the run: by the patched file."""
    copies = {}
    for number, (path, original) in enumerate(originals.items()):
        if original is not None:
            copy = folder / "originals" / f"{number}{'.ipynb' if path.endswith('.ipynb') else '.py'}"
            copy.parent.mkdir(exist_ok=True)
            copy.write_bytes(original)
            copies[str(places[path])] = str(copy)
    return copies


def _stopped(records: Iterable[Mapping[str, Any]], finished: Finished) -> str | None:
    """Why the program was ended before its end: by the probe, after the steps that were asked for, or by the clock."""
    said = (record.get("stopped") for record in records)
    return next((reason for reason in said if reason), "at the time limit" if finished.status is None else None)


def _labelled(outputs: Iterable[tuple[Output, ...]]) -> tuple[Output, ...]:
    """All outputs; those of a second process that has any say so in their labels."""
    speaking = [mine for mine in outputs if mine]
    return tuple(
        output if number == 1 else replace(output, label=f"process {number} {output.label}")
        for number, mine in enumerate(speaking, 1)
        for output in mine
    )


def failure(status: int | None, stderr: str) -> str | None:
    if status == 0:
        return None
    if status is None:
        return "cut off at the time limit"
    said = [line for line in stderr.splitlines() if line.strip() and not _ASIDE.match(line)]
    last = f": {_error(said).strip()[:300]}" if said else ""
    alone = " (a rerun has no terminal)" if _ASKS.search(last) else ""
    return f"exit status {status}{last}{alone}"


def _error(said: list[str]) -> str:
    """The line that names the error, whose message may have more; the last line where there is no traceback."""
    frames = [number for number, line in enumerate(said) if _FRAME.match(line)]
    raised = [line for line in said[frames[-1] :] if _RAISED.match(line)] if frames else []
    return raised[0] if raised else said[-1]


def verified(measurement: Measurement, sources: Mapping[str, bytes]) -> Measurement:
    """Forgets sources that were loaded with other contents than they were given."""
    expected = {path: hashlib.sha256(content).hexdigest() for path, content in sources.items()}
    return replace(measurement, loaded={p: d for p, d in measurement.loaded.items() if expected.get(p) == d})


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest_of(text: bytes | None) -> str | None:
    """The digest of a file's contents; None where the file is missing."""
    return None if text is None else hashlib.sha256(text).hexdigest()


def resolve(path: str, root: Path) -> Path:
    """Where `path`, from `root` or from here, is; what is not there yet belongs to `root`."""
    base = root if root.is_dir() else root.parent
    inside = base / path
    return inside.resolve() if inside.exists() or not Path(path).exists() else Path(path).resolve()


def _renamed(text: str, moved: Iterable[list[str]]) -> str:
    for copy, original in moved:
        text = text.replace(copy, original)
    return text
