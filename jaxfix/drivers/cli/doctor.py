"""`jaxfix doctor`: what jaxfix works with here, and what prevents it from working."""

import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from jaxfix.drivers import files, versions
from jaxfix.drivers.cli import checkup, outcome, terminal
from jaxfix.drivers.cli.checkup import Level, Line
from jaxfix.drivers.cli.options.about import Doctor
from jaxfix.engine.registry import Registry, load_registry
from jaxfix.evidence.run import failure
from jaxfix.evidence.target import Job, Local, Target
from jaxfix.render.paint import Paint, counted, printable
from jaxfix.report.wire import from_json, to_json
from jaxfix.source.errors import EvidenceError, PackError
from jaxfix.source.frozen import frozen

SCHEMA = 1
_MARK = "jaxfix-doctor:"
# Runs in the other interpreter, where there is no jaxfix.
_QUESTION = f"""
import json, sys
from importlib import metadata

def version(name):
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None

told = {{"python": "%d.%d.%d" % sys.version_info[:3], "optax": version("optax"), "jaxlib": version("jaxlib")}}
try:
    import jax
    told["jax"], told["cache"] = jax.__version__, jax.config.jax_compilation_cache_dir
    told["devices"] = [[device.platform, device.device_kind] for device in jax.devices()]
except ModuleNotFoundError as error:
    told["failure"] = None if error.name == "jax" else "%s: %s" % (type(error).__name__, error)
except Exception as error:
    told["failure"] = "%s: %s" % (type(error).__name__, error)
print("{_MARK}" + json.dumps(told))
"""
_STYLES = {Level.OK: "green", Level.WARN: "yellow", Level.WRONG: "bold red"}
_ACCELERATORS = {"/dev/nvidiactl": "NVIDIA", "/dev/kfd": "AMD", "/dev/accel0": "TPU", "/dev/vfio/0": "TPU"}


@frozen
class Answer:
    """What the other interpreter reports of itself. `devices` are pairs of platform and kind."""

    python: str
    jax: str | None = None
    jaxlib: str | None = None
    optax: str | None = None
    cache: str | None = None
    failure: str | None = None
    devices: tuple[tuple[str, ...], ...] = ()


def doctor(options: Doctor, target: Target | None = None) -> int:
    """Looks at everything; returns 1 if something is wrong. `target` is where reruns would happen."""
    lines = tuple(_lines(options, target or Local()))
    if options.output_format == "json":
        terminal.give(_document(lines).encode())
    else:
        terminal.give(_table(lines, terminal.paint_for(sys.stdout)).encode(errors="surrogateescape"))
    wrong, warned = (sum(line.level is level for line in lines) for level in (Level.WRONG, Level.WARN))
    terminal.tell(_summary(wrong, warned, terminal.paint_for(sys.stderr)))
    return outcome.FINDINGS if wrong else outcome.CLEAN


def _lines(options: Doctor, target: Target) -> Iterator[Line]:
    yield from checkup.tool()
    yield from checkup.packs()
    yield from checkup.configuration(_registry())
    python = options.python or target.interpreter
    if options.no_run:
        yield from _read(python)
    else:
        yield from _asked(python, options.timeout_s, target)
    yield from checkup.variables(os.environ)
    yield from checkup.kept()
    yield from checkup.machine()
    yield from checkup.extras()


def _registry() -> Registry:
    try:
        return load_registry()
    except PackError:
        return Registry((), ())  # `packs` tells


def _read(python: str) -> Iterator[Line]:
    """What the files of the interpreter say."""
    found = versions.of(Path(python).absolute())
    if found is None:
        words = f"`{python}`: its packages are unknown: it was not started"
        yield Line(Level.WARN, "interpreter", words, "leave out `--no-run`")
        return
    yield from _interpreter(python, Answer(found.python or "?", found.jax, found.jaxlib, found.optax))
    yield Line(Level.OK, "devices", "not asked for")
    yield checkup.compile_cache(os.environ.get("JAX_COMPILATION_CACHE_DIR"))


def _asked(python: str, timeout_s: float, target: Target) -> Iterator[Line]:
    """What the interpreter itself says."""
    try:
        answer = ask(python, timeout_s, target)
    except EvidenceError as error:
        step = error.hint or "name another with `--python`, or raise `--timeout`"
        yield Line(Level.WRONG, "interpreter", error.message, step)
        return
    yield from _interpreter(python, answer)
    if answer.jax is not None:
        yield from _devices(answer, os.environ)
        yield checkup.compile_cache(answer.cache)


def ask(python: str, timeout_s: float, target: Target) -> Answer:
    """Starts the interpreter, in an empty folder, to import jax and to name its devices.

    Raises:
      EvidenceError: it does not start, does not answer, or not in time.
    """
    environment = {name: value for name, value in os.environ.items() if name != "JAXFIX_PROBE"}
    environment |= {"XLA_PYTHON_CLIENT_PREALLOCATE": "false"}  # to look at a GPU is no reason to fill it
    with tempfile.TemporaryDirectory(prefix="jaxfix-") as folder:
        where = Path(folder).resolve()
        finished = target.run(Job((_found(python), "-c", _QUESTION), where, environment, timeout_s))
    said = [line for line in finished.stdout.splitlines() if line.startswith(_MARK)]
    if not said:
        reason = failure(finished.status, finished.stderr) or "no output"
        raise EvidenceError(f"`{python}` gives no answer: {reason}")
    return from_json(Answer, json.loads(said[-1].removeprefix(_MARK)))


def _found(python: str) -> str:
    """A path from here is another one in the folder where it runs."""
    return str(Path(python).absolute()) if os.path.dirname(python) else python


def _interpreter(python: str, answer: Answer) -> Iterator[Line]:
    told = f"`{python}`: Python {answer.python}"
    old = tuple(checkup.too_old(answer.python, answer.jax))
    for name, floor in old:
        yield Line(Level.WRONG, "interpreter", f"`{python}` has {name}, and reruns need {floor}", "upgrade it")
    if answer.failure is not None:
        yield Line(Level.WRONG, "interpreter", f"{told}, and jax fails there: {answer.failure}", _cure(answer))
        return
    if answer.jax is None:
        step = "run `pip install 'jaxfix[prove]'`, or name a Python that has jax with `--python`"
        # Who keeps jaxfix apart from the project reruns programs anyway: they have a Python of their own.
        level = Level.WARN if python == sys.executable else Level.WRONG
        yield Line(level, "interpreter", f"{told}, without jax: no optimizer can be driven there", step)
        return
    if not old:
        optax = f"optax {answer.optax}" if answer.optax else "no optax"
        yield Line(Level.OK, "interpreter", f"{told}, jax {answer.jax}, jaxlib {answer.jaxlib or '?'}, {optax}")


def _cure(answer: Answer) -> str:
    wanted = os.environ.get("JAX_PLATFORMS")
    if answer.jax is not None and wanted:  # it could be imported: what fails is the device that is asked for
        return f"`JAX_PLATFORMS={wanted}` names a platform that may be missing: unset or correct it"
    return "repair that installation, or name another with `--python`"


def _devices(answer: Answer, environment: Mapping[str, str]) -> Iterator[Line]:
    if answer.failure is not None:
        return
    kinds: dict[str, int] = {}
    for platform, kind in answer.devices:
        name = platform if kind.lower() == platform else f"{platform} ({kind})"
        kinds[name] = kinds.get(name, 0) + 1
    told = ", ".join(f"{number} {name}" for name, number in kinds.items())
    unseen = _unseen(answer) if not environment.get("JAX_PLATFORMS") else None
    if unseen is None:
        yield Line(Level.OK, "devices", told)
    else:
        words = f"{told}; the {unseen} device of this machine is invisible to jax: proofs would hold for the CPU only"
        yield Line(Level.WARN, "devices", words, "install the jax for it, such as `pip install 'jax[cuda12]'`")


def _unseen(answer: Answer) -> str | None:
    """An accelerator that is plugged in, where jax sees only the CPU."""
    if any(platform != "cpu" for platform, _ in answer.devices):
        return None
    return next((name for path, name in _ACCELERATORS.items() if os.path.exists(path)), None)


def _table(lines: Sequence[Line], paint: Paint) -> str:
    """One line each: level, topic, words; the remedy follows, indented."""
    width = max(len(line.topic) for line in lines)
    rows = []
    for line in lines:
        level = paint(_STYLES[line.level], f"{line.level.value:5}")
        rows.append(f"{level}  {line.topic:{width}}  {printable(line.words)}\n")
        if line.step is not None:
            rows.append(f"{'':{width + 9}}next: {printable(line.step)}\n")
    return "".join(rows)


def _summary(wrong: int, warned: int, paint: Paint) -> str:
    if not wrong and not warned:
        return f"{paint('green', 'all is well')}\n"
    parts = [f"{counted(wrong, 'thing')} wrong"] if wrong else []
    parts += [counted(warned, "warning")] if warned else []
    return f"{paint('bold red' if wrong else 'yellow', ', '.join(parts))}\n"


def _document(lines: Sequence[Line]) -> str:
    """`{"schema": 1, "here": ..., "lines": [{"level", "topic", "words", "step"}]}`."""
    rows = [to_json(line) for line in lines]
    here = files.resolved(Path.cwd()).as_posix()
    return json.dumps({"schema": SCHEMA, "here": here, "lines": rows}, indent=2) + "\n"
