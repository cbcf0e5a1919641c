"""The public factories of a package: functions and classes that make optimizers and solvers, of filled-in arguments."""

import functools
import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator
from types import CodeType, ModuleType
from typing import Any, NamedTuple

_WORDS = re.compile(r"Transformation|Optimizer|Aggregator")
_NAMES = {"GradientTransformation", "GradientTransformationExtraArgs", "chain"}
_PAIRS = (("init", "update"), ("init_state", "update"), ("init", "step", "terminate"))
# Solvers to put into a factory that wraps one, the plainest first.
_PLAIN = ("GradientDescent", "GaussNewton", "Newton", "FixedPointIteration", "BFGS")
_PARAMETER_KINDS = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


class Unfillable(Exception):
    """The arguments of a factory cannot be filled in."""


class _Simple(NamedTuple):
    """The plainest inner optimizer, for packages that have none of a known name."""

    init: Callable[..., Any]
    update: Callable[..., Any]


def factories(package: str) -> dict[str, Callable[..., Any]]:
    """The public callables that may make an optimizer or a solver, by the shortest of their public names."""
    found: dict[int, tuple[str, Callable[..., Any]]] = {}
    for name, module in _public_modules(importlib.import_module(package), package, set()):
        for attribute, value in sorted(vars(module).items()):
            if attribute.startswith("_") or not _is_factory(value, package):
                continue
            known = found.get(id(value))
            if known is None or (len(f"{name}.{attribute}"), name) < (len(known[0]), known[0]):
                found[id(value)] = (f"{name}.{attribute}", value)
    return dict(sorted(found.values()))


def build(name: str, inner: Any, functions: dict[str, Callable[..., Any]]) -> Any:
    """What the factory `name` makes of filled-in arguments.

    Args:
      inner: an optimizer for factories that wrap one.
      functions: what to solve, by the names of the parameters that ask for it.

    Raises:
      Unfillable: nothing is known to fill an argument with, or what was made is neither optimizer nor solver.
    """
    factory = _resolve(name)
    positional, named = _arguments(factory, inner, functions)
    made = factory(*positional, **named)
    if not _is_driven(made) and callable(made):
        made = made(learning_rate=0.1)  # a factory of factories
    if not _is_driven(made):
        raise Unfillable(f"it makes a `{type(made).__name__}`, which is neither an optimizer nor a solver")
    return made


def inner_optimizer(package: str) -> Any:
    """The package's own `sgd` where there is one, for factories that wrap another optimizer."""
    for name in (package, "optax"):
        sgd = getattr(sys.modules.get(name), "sgd", None)
        if callable(sgd):
            return sgd(0.1)
    return _Simple(lambda params: (), lambda updates, state, params=None, **_: (updates, state))


def synced(name: str) -> Callable[[Any], Any] | None:
    """How to make the parameters that the optimizer of `name` wants instead of the plain ones; None if none are known.

    Optax's `lookahead` steps a pair of them: `LookaheadParams.init_synced`.
    """
    module = sys.modules.get(getattr(_resolve(name), "__module__", ""))
    for value in vars(module).values() if module else ():
        made: Callable[[Any], Any] | None = getattr(value, "init_synced", None)
        if inspect.isclass(value) and callable(made):
            return made
    return None


def _public_modules(module: ModuleType, name: str, seen: set[int]) -> Iterator[tuple[str, ModuleType]]:
    if id(module) in seen:
        return
    seen.add(id(module))
    yield name, module
    for entry in pkgutil.iter_modules(getattr(module, "__path__", ())):
        inner = f"{module.__name__}.{entry.name}"
        if entry.name.startswith("_") or entry.name.endswith("_test") or not (entry.ispkg or inner in sys.modules):
            continue
        try:
            yield from _public_modules(importlib.import_module(inner), f"{name}.{entry.name}", seen)
        except ImportError:
            continue  # wants something that is not installed here
    for attribute, value in sorted(vars(module).items()):
        # A private module under a public name.
        if inspect.ismodule(value) and not attribute.startswith("_") and _is_within(value.__name__, module.__name__):
            yield from _public_modules(value, f"{name}.{attribute}", seen)


def _is_within(name: str, package: str) -> bool:
    return name.startswith(f"{package}.")


def _is_factory(value: object, package: str) -> bool:
    """Judges without calling: a stranger's public function may be the one that starts the training."""
    function = value.func if isinstance(value, functools.partial) else value
    module = getattr(function, "__module__", None) or ""
    if not (module == package or _is_within(module, package.partition(".")[0])):
        return False
    if inspect.isclass(function):
        return _is_solver_class(function)
    if not inspect.isfunction(function):
        return False
    if _WORDS.search(str(function.__annotations__.get("return", ""))):
        return True
    code = inspect.unwrap(function).__code__
    inner = [constant.co_name for constant in code.co_consts if isinstance(constant, CodeType)]
    pair = any("init" in name for name in inner) and any("update" in name for name in inner)
    return pair or bool(_NAMES & set(code.co_names))


def _is_solver_class(value: type) -> bool:
    if inspect.isabstract(value) or getattr(value, "_is_protocol", False) or value.__name__.startswith("Abstract"):
        return False
    return any(_has(value, *pair) for pair in _PAIRS) or (
        _has(value, "run") and any(base.__name__ == "Solver" for base in value.__mro__)
    )


def _is_driven(made: object) -> bool:
    return any(_has(made, *pair) for pair in _PAIRS) or _has(made, "run")


def _has(value: object, *names: str) -> bool:
    return all(callable(getattr(value, name, None)) for name in names)


def _resolve(name: str) -> Any:
    """The object of a dotted name, whose modules may be attributes of others."""
    parts = name.split(".")
    value: Any = importlib.import_module(parts[0])
    for number, part in enumerate(parts[1:], 2):
        if not hasattr(value, part):
            importlib.import_module(".".join(parts[:number]))
        value = getattr(value, part)
    return value


def _arguments(factory: Any, inner: Any, functions: dict[str, Callable[..., Any]]) -> tuple[list[Any], dict[str, Any]]:
    positional: list[Any] = []
    named: dict[str, Any] = {}
    for parameter in inspect.signature(factory).parameters.values():
        annotation = str(parameter.annotation)
        if parameter.kind is parameter.VAR_POSITIONAL and "Transformation" in annotation:
            positional.append(("inner", inner) if "tuple" in annotation else inner)
        if parameter.kind in _PARAMETER_KINDS:
            continue
        if parameter.default is not parameter.empty:
            if parameter.default is None:
                named |= _in_place_of_none(factory, parameter.name, functions)
            continue
        value = _filling(factory, parameter.name, annotation, inner, functions)
        if parameter.kind is parameter.POSITIONAL_ONLY:
            positional.append(value)
        else:
            named[parameter.name] = value
    return positional, named


def _in_place_of_none(factory: Any, name: str, functions: dict[str, Callable[..., Any]]) -> dict[str, Any]:
    """What to pass where the default is None and does not work."""
    if name == "learning_rate":
        return {name: 0.1}  # optax 0.2.3 computes with that of `adadelta`
    if name in functions and _is_asked_for_a_function(factory):
        return {name: functions[name]}  # a dataclass orders its fields, not its needs
    return {}


def _filling(factory: Any, name: str, annotation: str, inner: Any, functions: dict[str, Callable[..., Any]]) -> Any:
    if name == "solver":
        return _plain_solver(factory, annotation, inner, functions)
    if inspect.isclass(factory) and name in functions:
        return functions[name]
    table: tuple[tuple[str, Any], ...] = (
        (r"^inner_factory$", lambda learning_rate: inner),
        (r"^transforms$|^measures$", {"all": inner}),
        (r"labels$", lambda tree: _tree_map(lambda _: "all", tree)),
        (r"^(freeze_)?mask$", True if "bool" in annotation else lambda tree: _tree_map(lambda _: True, tree)),
        (r"^should_|condition|predicate", lambda step, *_, **__: step >= 2),
        (r"^(f|fn|func)$", lambda first, *_: first),
        (r"^measure$", _first_sum),
        (r"^measure_name$|^name$", "measure"),
        (r"^k$|^n$|^num_|^every|_steps$|_size$|_period$|_errors$|^rank$|^order$", _count(name, annotation)),
        (r"_fn$|schedule", lambda *_, **__: 0.1),
        (r"optim(izer)?$|^(inner|opt|tx|base)$|transformation$", inner),
        (r"^(learning_rate|lr|step_?size)$", 0.1),
        (r"^(r|a)?tol$", 1e-3),
        (r"^lower$", -10.0),
        (r"^upper$", 10.0),
        (r"^seed$|_axis$", 0),
        (r"decay|^b\d?$|^beta|momentum|^rho$|^gamma$", 0.9),
    )
    for pattern, value in table:
        if re.search(pattern, name):
            return value
    if "Transformation" in annotation:
        return inner
    if annotation in ("<class 'int'>", "int"):
        return 3
    if re.search(r"float|Scalar|Array|numpy", annotation):
        return 0.1
    raise Unfillable(f"its argument `{name}` cannot be filled in")


def _is_asked_for_a_function(factory: Any) -> bool:
    """Whether it is a class whose solvers are not given a quadratic program instead."""
    run = getattr(factory, "run", None)
    return inspect.isclass(factory) and (run is None or "params_obj" not in inspect.signature(run).parameters)


def _count(name: str, annotation: str) -> Any:
    """Of steps and the like; a `slow_step_size` is none."""
    return 0.1 if name.endswith("step_size") or ("float" in annotation.lower() and "int" not in annotation) else 3


def _plain_solver(factory: Any, annotation: str, inner: Any, functions: dict[str, Callable[..., Any]]) -> Any:
    """A solver of the kind that `annotation` names, of the package of `factory`."""
    words = set(re.findall(r"\w+", annotation)) - {"object"}
    package = str(factory.__module__).partition(".")[0]
    every = {name.rpartition(".")[2]: (name, value) for name, value in factories(package).items()}
    for name in (*_PLAIN, *sorted(every)):
        bases = getattr(every[name][1], "__mro__", ()) if name in every else ()
        if words.isdisjoint(base.__name__ for base in bases):
            continue
        if every[name][1] is not factory and "solver" not in inspect.signature(every[name][1]).parameters:
            return build(every[name][0], inner, functions)
    raise Unfillable(f"`{package}` has no plain solver to put into it")


def _tree_map(function: Callable[..., Any], tree: Any) -> Any:
    return importlib.import_module("jax").tree_util.tree_map(function, tree)


def _first_sum(updates: Any, *_: Any) -> Any:
    jax = importlib.import_module("jax")
    return sum(leaf.sum() for leaf in jax.tree_util.tree_leaves(updates))
