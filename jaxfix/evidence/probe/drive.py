"""Drives the optimizers of a package without a command.

`python -m jaxfix_probe.drive REQUEST.json` does one of two things. `survey` builds every public factory of a package
and says which of the watched functions each one reaches. `drive` runs cases, a factory with a mode and a dtype, each in
a child of its own, on data that change from step to step and with a `value_fn` whose closure is rebound.
"""

import importlib
import importlib.metadata
import inspect
import json
import os
import pkgutil
import platform
import re
import subprocess
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from types import CodeType, ModuleType
from typing import Any, NamedTuple

from . import start
from .files import write_json
from .watch import Probe

_FACTORY_WORDS = re.compile(r"Transformation|Optimizer")
_FACTORY_NAMES = {"GradientTransformation", "GradientTransformationExtraArgs", "chain"}
_SHAPES = {"bias": (3,), "weight": (4, 3)}


class Case(NamedTuple):
    """One way to run one factory; `mode` is `eager` or `jit`, `steps` the number of updates."""

    name: str
    factory: str
    mode: str
    dtype: str
    steps: int


class _Simple(NamedTuple):
    """The plainest inner optimizer, for packages that have none of a known name."""

    init: Callable[..., Any]
    update: Callable[..., Any]


# Factories.


def factories(package: str) -> dict[str, Callable[..., Any]]:
    """The public callables that may make an optimizer, by the shortest of their public names."""
    found: dict[int, tuple[str, Callable[..., Any]]] = {}
    for name, module in _public_modules(importlib.import_module(package)):
        for attribute, value in sorted(vars(module).items()):
            if attribute.startswith("_") or not _may_make_optimizer(value, package):
                continue
            known = found.get(id(value))
            if known is None or (len(f"{name}.{attribute}"), name) < (len(known[0]), known[0]):
                found[id(value)] = (f"{name}.{attribute}", value)
    return dict(sorted(found.values()))


def _public_modules(root: ModuleType) -> Iterator[tuple[str, ModuleType]]:
    yield root.__name__, root
    for entry in pkgutil.iter_modules(getattr(root, "__path__", ())):
        name = f"{root.__name__}.{entry.name}"
        if entry.name.startswith("_") or entry.name.endswith("_test") or not (entry.ispkg or name in sys.modules):
            continue
        try:
            yield from _public_modules(importlib.import_module(name))
        except ImportError:
            continue  # wants something that is not installed here


def _may_make_optimizer(value: object, package: str) -> bool:
    """Judges without calling: a stranger's public function may be the one that starts the training."""
    module = getattr(value, "__module__", None) or ""
    if not (module == package or module.startswith(package.partition(".")[0] + ".")):
        return False
    if inspect.isclass(value):
        return callable(getattr(value, "init", None)) and callable(getattr(value, "update", None))
    if not inspect.isfunction(value):
        return False
    if _FACTORY_WORDS.search(str(value.__annotations__.get("return", ""))):
        return True
    code = inspect.unwrap(value).__code__
    inner = [constant.co_name for constant in code.co_consts if isinstance(constant, CodeType)]
    pair = any("init" in name for name in inner) and any("update" in name for name in inner)
    return pair or bool(_FACTORY_NAMES & set(code.co_names))


def build(name: str, inner: Any) -> Any:
    """The optimizer that the factory `name` makes of filled-in arguments; None if they cannot be filled."""
    factory = _resolve(name)
    arguments = _arguments(factory, inner)
    if arguments is None:
        return None
    made = factory(*arguments[0], **arguments[1])
    if not hasattr(made, "init") and callable(made):
        made = made(learning_rate=0.1)  # a factory of factories
    return made if hasattr(made, "init") and hasattr(made, "update") else None


def inner_optimizer(package: str) -> Any:
    """The package's own `sgd` where there is one, for factories that wrap another optimizer."""
    sgd = getattr(importlib.import_module(package), "sgd", None)
    if callable(sgd):
        return sgd(0.1)
    return _Simple(lambda params: (), lambda updates, state, params=None: (updates, state))


def _resolve(name: str) -> Any:
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)


def _arguments(factory: Any, inner: Any) -> tuple[list[Any], dict[str, Any]] | None:
    positional: list[Any] = []
    named: dict[str, Any] = {}
    for parameter in inspect.signature(factory).parameters.values():
        if parameter.kind is parameter.VAR_POSITIONAL and "Transformation" in str(parameter.annotation):
            positional.append(("inner", inner) if "tuple" in str(parameter.annotation) else inner)
        if parameter.default is not parameter.empty or parameter.kind in (
            parameter.VAR_POSITIONAL,
            parameter.VAR_KEYWORD,
        ):
            continue
        value = _filling(parameter.name, str(parameter.annotation), inner)
        if value is None:
            return None
        if parameter.kind is parameter.POSITIONAL_ONLY:
            positional.append(value)
        else:
            named[parameter.name] = value
    return positional, named


def _filling(name: str, annotation: str, inner: Any) -> Any:
    table: tuple[tuple[str, Any], ...] = (
        (r"^inner_factory$", lambda learning_rate: inner),
        (r"^transforms$", {"all": inner}),
        (r"labels$", lambda tree: _tree_map(lambda _: "all", tree)),
        (r"^(freeze_)?mask$", True if "bool" in annotation else lambda tree: _tree_map(lambda _: True, tree)),
        (r"^should_|condition|predicate", lambda step, *_, **__: step >= 2),
        (r"^(f|fn|func)$", lambda first, *_: first),
        (r"^measure$", _first_sum),
        (r"^measure_name$|^name$", "measure"),
        (r"_fn$|schedule", lambda *_, **__: 0.1),
        (r"optimizer$|^(inner|opt|tx|base)$|transformation$", inner),
        (r"^(learning_rate|lr|step_size)$", 0.1),
        (r"^seed$", 0),
        (r"^k$|^n$|^num_|^every|_steps$|_size$|_period$|_errors$|^rank$|^order$", 3),
        (r"decay|^b\d?$|^beta|momentum|^rho$|^gamma$", 0.9),
    )
    for pattern, value in table:
        if re.search(pattern, name):
            return value
    if "Transformation" in annotation:
        return inner
    if annotation == "<class 'int'>" or annotation == "int":
        return 3
    return 0.1 if re.search(r"float|Scalar|Array|numpy", annotation) else None


def _tree_map(function: Callable[..., Any], tree: Any) -> Any:
    return importlib.import_module("jax").tree_util.tree_map(function, tree)


def _first_sum(updates: Any, *_: Any) -> Any:
    jax = importlib.import_module("jax")
    return sum(leaf.sum() for leaf in jax.tree_util.tree_leaves(updates))


# Data: of numpy, so that making them compiles nothing.


class Problem:
    """A quadratic loss on two leaves, whose batch is drawn anew for every step.

    `value_fn` is one object: its closure is `rebound`, so whatever remembers it by identity remembers too much.
    Under jit it must read one batch for ever; gradients and values are of the new batch all the same.
    """

    def __init__(self, dtype: str, *, rebound: bool) -> None:
        self.jax: Any = importlib.import_module("jax")
        self.np: Any = importlib.import_module("numpy")
        self.dtype = self.np.dtype(getattr(importlib.import_module("jax.numpy"), dtype))
        self.rebound = rebound
        self.step = 0
        self.scales = {name: self._array(self._random("scale", 7).uniform(0.5, 2.0, _SHAPES[name])) for name in _SHAPES}
        batch, scales = self._batch(0), self.scales

        def value_fn(params: Any) -> Any:
            terms = (scales[name] * (params[name] - batch[name]) ** 2 for name in _SHAPES)
            return sum(term.sum() for term in terms) / 2

        def rebind(drawn: Any) -> None:
            nonlocal batch
            batch = drawn

        self.value_fn, self._rebind = value_fn, rebind
        self.params = {name: self._array(self._random("params", 0).normal(size=_SHAPES[name])) for name in _SHAPES}

    def advance(self) -> dict[str, Any]:
        """Draws the next batch; `value` and `grad` are of the parameters as they stand, with a little noise."""
        self.step += 1
        batch = self._batch(self.step)
        if self.rebound:
            self._rebind(batch)
        noise = self._random("noise", self.step)
        grads, value = {}, 0.0
        for name in _SHAPES:
            params, scale, target = (self._wide(tree[name]) for tree in (self.params, self.scales, batch))
            away = params - target
            value += float((scale * away * away).sum()) / 2
            grads[name] = self._array(scale * away + 0.05 * noise.normal(size=_SHAPES[name]))
        return {"grad": grads, "value": self._array(self.np.asarray(value)), "value_fn": self.value_fn}

    def apply(self, updates: Any) -> None:
        """Adds `updates` to the parameters, on the host."""
        self.params = {name: self._array(self._wide(self.params[name]) + self._wide(updates[name])) for name in _SHAPES}

    def _batch(self, step: int) -> dict[str, Any]:
        random = self._random("batch", step)
        return {name: self._array(random.normal(size=_SHAPES[name])) for name in _SHAPES}

    def _random(self, purpose: str, step: int) -> Any:
        return self.np.random.default_rng([*purpose.encode(), step])

    def _array(self, values: Any) -> Any:
        return self.jax.device_put(self.np.asarray(values).astype(self.dtype))

    def _wide(self, array: Any) -> Any:
        return self.np.asarray(array).astype(self.np.float64)


def takes(update: Callable[..., Any], name: str) -> bool:
    """Whether `update` can be passed `name`, by name or by `**`."""
    parameters = inspect.signature(update).parameters
    return name in parameters or any(entry.kind is entry.VAR_KEYWORD for entry in parameters.values())


def extras(update: Callable[..., Any], drawn: dict[str, Any]) -> dict[str, Any]:
    """What of `drawn` the signature of `update` asks for, by name or by `**`."""
    passed = {name: value for name, value in drawn.items() if takes(update, name)}
    if "key" in inspect.signature(update).parameters:
        passed["key"] = importlib.import_module("jax").random.key(0)
    return passed


# The two verbs.


def survey(watch: Probe, package: str) -> list[dict[str, Any]]:
    """Which of the watched functions each factory reaches, by tracing one update of it."""
    inner = inner_optimizer(package)
    found = []
    for name in factories(package):
        watch.record.functions.clear()
        failure: str | None = None
        try:
            made = build(name, inner)
            if made is not None:
                _trace_update(made)
        except Exception as error:  # strangers' factories raise what they like; what was reached still counts
            failure = f"{type(error).__name__}: {error}".splitlines()[0]
        else:
            failure = None if made is not None else "its arguments cannot be filled in"
        found.append({"factory": name, "reached": sorted(watch.record.functions), "failure": failure})
    return found


def _trace_update(made: Any) -> None:
    jax = importlib.import_module("jax")
    problem = Problem("float32", rebound=True)
    drawn = problem.advance()
    try:
        state = jax.eval_shape(made.init, problem.params)
    except (TypeError, ValueError, jax.errors.JAXTypeError):
        state = made.init(problem.params)
    passed = extras(made.update, drawn)
    static = {name: passed.pop(name) for name in ("value_fn",) if name in passed}

    def update(grads: Any, state: Any, params: Any, given: Any) -> Any:
        return made.update(grads, state, params, **given, **static)

    jax.eval_shape(update, drawn["grad"], state, problem.params, passed)


def run_case(watch: Probe, package: str, case: Case) -> dict[str, Any]:
    """Runs one case in this process, which nothing has run in before; the init itself is not counted."""
    watch.reset()
    failure = None
    try:
        _steps(watch, package, case)
    except Exception as error:  # what the optimizer raises is the result
        failure = f"{type(error).__name__}: {error}".splitlines()[0][:300]
    missing = None if watch.attached else "jax was imported before the probe"
    return watch.record.as_json() | {"case": case.name, "failure": failure or missing, "stdout": ""}


def _steps(watch: Probe, package: str, case: Case) -> None:
    jax = importlib.import_module("jax")
    with watch.paused():
        problem = Problem(case.dtype, rebound=case.mode == "eager")
        inner = inner_optimizer(package)
    made = build(case.factory, inner)
    if made is None:
        raise TypeError("its arguments cannot be filled in")
    with watch.uncounted():
        state = made.init(problem.params)
    watch.record.outputs.append(watch.digest("init", state))
    update = made.update
    if case.mode == "jit":
        update = jax.jit(update, static_argnames=("value_fn",) if takes(update, "value_fn") else ())
    for number in range(1, case.steps + 1):
        with watch.paused():
            drawn = problem.advance()
            passed = extras(made.update, drawn)
        compiles, traces, started = len(watch.record.compiles), watch.record.traces, time.perf_counter()
        updates, state = update(drawn["grad"], state, problem.params, **passed)
        jax.block_until_ready(updates)
        watch.step(compiles, traces, time.perf_counter() - started)
        with watch.paused():
            problem.apply(updates)
        everything = {"params": problem.params, "state": state, "updates": updates}
        watch.record.outputs.append(watch.digest(f"update {number}", everything))


def drive(watch: Probe, request: dict[str, Any], path: str) -> None:
    """Runs the cases, each in a child of its own, `workers` at a time."""
    importlib.import_module(request["package"])
    waiting = list(enumerate(request["cases"]))
    running: dict[int, int] = {}
    while waiting or running:
        if waiting and len(running) < request["workers"]:
            index, _ = waiting.pop(0)
            running[_child(watch, request, index, path)] = index
            continue
        pid, status = os.wait()
        index = running.pop(pid, -1)
        if index >= 0 and not os.path.exists(_result(request, index)):
            case = Case(*request["cases"][index])
            ended = f"the process ended with status {os.waitstatus_to_exitcode(status)}"
            write_json(
                _result(request, index), watch.record.as_json() | {"case": case.name, "failure": ended, "stdout": ""}
            )


def _child(watch: Probe, request: dict[str, Any], index: int, path: str) -> int:
    if not hasattr(os, "fork") or _backend_is_up():
        return subprocess.Popen([sys.executable, "-m", "jaxfix_probe.drive", path, str(index)]).pid
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # jax and Python warn of threads; no backend is up, so there are none
        pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        _run_and_write(watch, request, index)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def _run_and_write(watch: Probe, request: dict[str, Any], index: int) -> None:
    case = Case(*request["cases"][index])
    write_json(_result(request, index), run_case(watch, request["package"], case))


def _result(request: dict[str, Any], index: int) -> str:
    return os.path.join(request["results"], f"case-{index}.json")


def _backend_is_up() -> bool:
    bridge = sys.modules.get("jax._src.xla_bridge")
    up = getattr(bridge, "backends_are_initialized", None)
    return up is None or bool(up())


def forbid_fused_arithmetic() -> str | None:
    """Has XLA round after every operation, so that eager and jitted runs of one program have the same bits.

    A jitted program fuses multiplications with additions, which round once: up to 8 ulp in a few steps of RAdam,
    and none without them. Says what was forbidden; None where this cannot be asked for.
    """
    flags = os.environ.get("XLA_FLAGS", "")
    release = importlib.metadata.version("jaxlib").split(".")[:2]
    # An older jaxlib ends the process over a flag that it does not know.
    if platform.machine() not in ("x86_64", "AMD64") or "xla_cpu_max_isa" in flags or tuple(map(int, release)) < (0, 6):
        return None
    os.environ["XLA_FLAGS"] = f"{flags} --xla_cpu_max_isa=AVX".strip()
    return "fused multiply-add"


def main(arguments: list[str]) -> None:
    """Does what the request file asks; a second argument is the number of the one case to run here."""
    with open(arguments[0], encoding="utf-8") as file:
        request = json.load(file)
    watch = start.PROBE
    if watch is None:
        raise SystemExit("the probe is not active")
    watch.silent = True
    warnings.simplefilter("ignore")
    watch.compiles.without = forbid_fused_arithmetic()
    if request["verb"] == "survey":
        write_json(os.path.join(request["results"], "survey.json"), survey(watch, request["package"]))
    elif len(arguments) > 1:
        _run_and_write(watch, request, int(arguments[1]))
    else:
        drive(watch, request, arguments[0])


if __name__ == "__main__":
    main(sys.argv[1:])
