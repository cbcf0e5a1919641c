"""Drives the optimizers and solvers of a package without a command.

`python -m jaxfix_probe.drive REQUEST.json` does one of two things. `survey` builds every public factory of a package
and says which of the watched functions each one reaches, and how it can be driven. `drive` runs cases, a factory with
a mode and a dtype, each in a child of its own, on data that change from step to step and with functions whose closure
is rebound. What raises, hangs or ends its process spoils no other.
"""

import contextlib
import importlib
import io
import json
import os
import random
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from . import settled, start
from .children import child, ending, run_all
from .factories import Unfillable, build, factories, inner_optimizer
from .files import write_json
from .problem import Problem
from .samples import is_deleted, leaves_of
from .solvers import Driven, driven, set_up, ways
from .watch import Probe

_PAUSE_S = 0.01


class Case(NamedTuple):
    """One way to run one factory.

    Attributes:
      mode: `eager`, `jit`, or `loop` for updates in the body of a compiled loop.
      dtype: of parameters and data; ` under x64` behind it asks for that mode of jax.
      steps: the number of updates, iterations or solves.
      way: how it is driven, as the survey found: `protocol:kind of problem`.
    """

    name: str
    factory: str
    mode: str
    dtype: str
    steps: int
    way: str = "updates:tree"


class Request:
    """What jaxfix asks for, as JSON.

    Attributes:
      verb: `survey` or `drive`.
      results: the folder for the JSON files.
      case_limit_s: for one case.
      factory_limit_s: for building one factory and tracing one step of it.
    """

    def __init__(self, path: str) -> None:
        with open(path, encoding="utf-8") as file:
            said = json.load(file)
        self.path, self.verb, self.package = path, said["verb"], said["package"]
        self.results: str = said["results"]
        self.cases = [Case(*case) for case in said.get("cases", ())]
        self.workers: int = said.get("workers", 1)
        self.case_limit_s: float = said.get("case_limit_s", 120.0)
        self.factory_limit_s: float = said.get("factory_limit_s", 60.0)

    def result(self, index: int) -> str:
        return os.path.join(self.results, f"case-{index}.json")


# Survey.


def survey(watch: Probe, request: Request) -> dict[str, Any]:
    """Which of the watched functions each factory reaches, how it is driven, and else why not; and what was read.

    One child does them all; where it hangs or dies over a factory, another goes on behind it, and nobody knows all that
    was read.
    """
    names = list(factories(request.package))
    found: list[dict[str, Any]] = []
    reads: dict[str, str] | None = watch.record.as_json()["reads"]
    while len(found) < len(names):
        entries, failure = _survey_in_child(watch, request, len(found))
        more = entries.pop()["reads"] if len(found) + len(entries) > len(names) else None
        reads = None if reads is None or more is None else {**more, **reads}
        found += entries
        if len(found) < len(names):
            said = failure or "the process ended"
            found.append({"factory": names[len(found)], "reached": [], "failure": said, "way": None})
    return {"found": found, "reads": reads}


def _survey_in_child(watch: Probe, request: Request, first: int) -> tuple[list[dict[str, Any]], str | None]:
    path = os.path.join(request.results, f"survey-{first}.jsonl")
    words = [request.path, "survey", str(first)]
    process = child(words, partial(survey_from, watch, request, first))
    written, advanced = 0, time.monotonic()
    while process.poll() is None and time.monotonic() - advanced < request.factory_limit_s:
        time.sleep(_PAUSE_S)
        size = os.path.getsize(path) if os.path.exists(path) else 0
        if size > written:
            written, advanced = size, time.monotonic()
    failure = ending(process, request.factory_limit_s).failure
    if not os.path.exists(path):
        return [], failure
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.endswith("\n")], failure


def survey_from(watch: Probe, request: Request, first: int) -> None:
    """Surveys the factories from that number on, and writes down each as soon as it is known; then all it has read."""
    with open(os.path.join(request.results, f"survey-{first}.jsonl"), "w", encoding="utf-8") as file:
        for name in list(factories(request.package))[first:]:
            file.write(json.dumps(_factory(watch, request.package, name)) + "\n")
            file.flush()
        file.write(json.dumps({"reads": watch.record.as_json()["reads"]}) + "\n")


def _factory(watch: Probe, package: str, name: str) -> dict[str, Any]:
    """A factory in the first of the likely ways that works; else the first failure."""
    entry: dict[str, Any] = {"factory": name, "reached": [], "failure": None, "way": None}
    try:
        likely = ways(build(name, inner_optimizer(package), Problem("float32", rebound=True).functions()))
    except Exception as error:  # strangers' factories raise what they like
        return entry | {"failure": _words(error)}
    failed: dict[str, Any] | None = None
    for way in likely:
        watch.record.functions.clear()
        watch.calls.reset()
        failure = _trial(package, name, way)
        watch.calls.note()
        tried = entry | {"failure": failure, "way": way, "reached": sorted(watch.record.functions)}
        if failure is None:
            return tried
        failed = failed or tried
    return failed or entry | {"failure": "it follows no protocol that is known"}


def _trial(package: str, name: str, way: str) -> str | None:
    try:
        driven(name, set_up(package, way, "float32", jitted=False)).trace()
    except Exception as error:  # what was reached still counts
        return _words(error)
    return None


# Cases.


def drive(watch: Probe, request: Request) -> None:
    """Runs the cases, each in a child of its own."""
    importlib.import_module(request.package)

    def starts(index: int) -> Any:
        words = [request.path, "case", str(index)]
        return lambda: child(words, partial(run_and_write, watch, request, index))

    def tell(number: int) -> None:
        watch.progress.tell(case=number, cases=len(request.cases))

    ended = run_all([starts(index) for index in range(len(request.cases))], request.workers, request.case_limit_s, tell)
    for index, (failure, stopped) in enumerate(ended):
        if not os.path.exists(request.result(index)):
            said = {"failure": failure or "nothing was reported", "stopped": stopped, "stdout": ""}
            write_json(request.result(index), watch.record.as_json() | {"case": request.cases[index].name} | said)


def run_and_write(watch: Probe, request: Request, index: int) -> None:
    result = run_case(watch, request.package, request.cases[index])
    write_json(request.result(index), result | {"processor_s": time.process_time()})


def run_case(watch: Probe, package: str, case: Case) -> dict[str, Any]:
    """Runs one case in this process, which nothing has run in before; the init itself is not counted."""
    watch.reset()
    failure = None
    with _kept() as printed:
        failure = _run(watch, package, case)
    watch.calls.note()
    if failure is None and watch.attached:
        watch.note_effects()
    missing = None if watch.attached else "jax was imported before the probe"
    return watch.record.as_json() | {"case": case.name, "failure": failure or missing, **printed()}


@contextlib.contextmanager
def _kept() -> Iterator[Callable[[], dict[str, str]]]:
    """Keeps what is printed in the block, and shows every warning."""
    stdout, stderr = io.StringIO(), io.StringIO()
    streams = contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr)
    with streams[0], streams[1], warnings.catch_warnings():
        warnings.simplefilter("always")
        yield lambda: {"stdout": stdout.getvalue(), "stderr": stderr.getvalue()}


def _run(watch: Probe, package: str, case: Case) -> str | None:
    """Runs the case; why it failed, None if it did not."""
    random.seed(0)  # so that only who draws from it differs
    importlib.import_module("numpy").random.seed(0)
    try:
        with watch.paused():
            dtype, _, mode = case.dtype.partition(" under ")
            if mode:
                importlib.import_module("jax").config.update("jax_enable_x64", True)
            setting = set_up(package, case.way, dtype, jitted=case.mode != "eager", looped=case.mode == "loop")
        _steps(watch, driven(case.factory, setting), case)
    except Exception as error:  # what the optimizer raises is the result
        return _words(error)
    return None


def _steps(watch: Probe, what: Driven, case: Case) -> None:
    jax = importlib.import_module("jax")
    with watch.uncounted():
        started = what.start()
    watch.record.outputs.append(watch.digest("init", started))
    word = "solve" if case.way.startswith("solves") else "update"
    for number in range(1, case.steps + 1):
        with watch.paused():
            what.draw()
            given = [leaf for value in vars(what).values() for leaf in leaves_of(value)]
        compiles, traces, began = len(watch.record.compiles), watch.record.traces, time.perf_counter()
        returned = what.step()
        jax.block_until_ready(returned)
        watch.step(compiles, traces, time.perf_counter() - began)
        with watch.paused():
            deleted = sum(map(is_deleted, given))
            del given
            everything = what.settle(returned)
        watch.record.left.append(watch.digest(f"arrays that {word} {number} deletes", deleted))
        watch.record.outputs.append(watch.digest(f"{word} {number}", everything))


def _words(error: Exception) -> str:
    if isinstance(error, Unfillable):
        return str(error)
    lines = [line for line in f"{type(error).__name__}: {error}".splitlines() if line.strip()]
    return lines[0][:300]


def main(arguments: list[str]) -> None:
    """Does what the request file asks; `case N` and `survey N` behind it ask for that part of it, here."""
    request = Request(arguments[0])
    watch = start.PROBE
    if watch is None:
        raise SystemExit("the probe is not active")
    watch.silent = True
    warnings.simplefilter("ignore")
    watch.compiles.settled = settled.settle()
    match arguments[1:]:
        case ["case", number]:
            run_and_write(watch, request, int(number))
        case ["survey", number]:
            survey_from(watch, request, int(number))
        case _ if request.verb == "survey":
            write_json(os.path.join(request.results, "survey.json"), survey(watch, request))
        case _:
            drive(watch, request)


if __name__ == "__main__":
    main(sys.argv[1:])
