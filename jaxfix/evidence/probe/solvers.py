"""Protocols of optimizers and solvers: how each is started, and what one step of it is.

updates      `init(params)`, `update(updates, state, params, ...)`: optax
iterations   `init_state(params, ...)`, `update(params, state, ...)`: jaxopt; a step is an update
solves       `run(params, ...)`, or a solver for `minimise`, `least_squares`, `root_find` or `fixed_point` of its
             package, as in optimistix; a step is a solve from another start
schedules    `init()`, `update(state)`: schedules with a state
"""

import importlib
import inspect
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

from .factories import Unfillable, build, inner_optimizer, synced
from .problem import Problem

LOOPED = 3
"""Updates in one compiled loop."""
MOST_STEPS = 16
"""Iterations of one solve."""
_VERBS = {
    "AbstractMinimiser": ("minimise", "value_fn"),
    "AbstractLeastSquaresSolver": ("least_squares", "residual_fn"),
    "AbstractRootFinder": ("root_find", "residual_fn"),
    "AbstractFixedPointSolver": ("fixed_point", "fixed_point_fn"),
}
_STATIC = ("value_fn", "obj_fn")
# What optimizers may want: gradients; an objective beside them; nothing beside them; gradients of every example; a
# matrix; a pair of parameters.
_KINDS = ("tree", "objective", "bare", "examples", "matrix", "pair")
_BARE = ("bare", "examples")


class Driven(Protocol):
    """Something that is started once and then steps."""

    def start(self) -> Any:
        """The first state."""

    def draw(self) -> None:
        """Makes the data of the next step."""

    def step(self) -> Any:
        """What one step returns."""

    def settle(self, returned: Any) -> Any:
        """Takes over what a step returned; gives all that is to be compared."""

    def trace(self) -> None:
        """Traces the start and one step, without running them where that can be."""


def ways(made: Any) -> Iterator[str]:
    """The protocols that `made` may follow, each with a kind of problem, as `protocol:kind`; the likeliest first."""
    if _verb(made) is not None:
        yield from ("solves:tree", "solves:vector", "solves:scalar")
    elif _has(made, "init", "update"):
        if _wants_nothing(made.init):
            yield "schedules:tree"
        else:
            yield from (f"updates:{kind}" for kind in _KINDS)
    elif _has(made, "init_state", "update"):
        yield from ("iterations:tree", "iterations:vector", "iterations:scalar")
    if _has(made, "run"):
        yield from ("solves:tree", "solves:vector", "solves:scalar")


class Setting(NamedTuple):
    """What a factory is driven with. `inner` is for those that wrap an optimizer."""

    protocol: str
    problem: Problem
    inner: Any
    jitted: bool
    looped: bool = False


def set_up(package: str, way: str, dtype: str, *, jitted: bool, looped: bool = False) -> Setting:
    """The data and functions for what is to be driven that way; may compile."""
    protocol, _, kind = way.partition(":")
    return Setting(protocol, Problem(dtype, rebound=not jitted, kind=kind), inner_optimizer(package), jitted, looped)


def driven(factory: str, setting: Setting) -> Driven:
    """What `factory` makes, ready to be started.

    Raises:
      Unfillable: its arguments cannot be filled in.
    """
    protocol, problem, inner, jitted, looped = setting
    made = build(factory, inner, problem.functions())
    if protocol == "updates":
        wrap = _pair_maker(factory) if problem.kind == "pair" else None
        return Looped(made, problem, wrap) if looped else Updates(made, problem, jitted, wrap)
    kinds: dict[str, Callable[[Any, Problem, bool], Driven]]
    kinds = {"iterations": Iterations, "solves": Solves, "schedules": Schedules}
    return kinds[protocol](made, problem, jitted)


def _pair_maker(factory: str) -> Callable[[Any], Any]:
    maker = synced(factory)
    if maker is None:
        raise Unfillable("its module makes no pair of parameters")
    return maker


class Updates:
    """An optimizer; its updates are added to the parameters on the host."""

    def __init__(self, made: Any, problem: Problem, jitted: bool, wrap: Callable[[Any], Any] | None) -> None:
        self.made, self.problem, self.wrapped = made, problem, wrap is not None
        self.params = wrap(problem.params) if wrap else problem.params
        static = tuple(name for name in _STATIC if self._takes(name))
        self.update = problem.jax.jit(made.update, static_argnames=static) if jitted else made.update
        self.state: Any = None
        self.grads: Any = None
        self.passed: dict[str, Any] = {}

    def start(self) -> Any:
        self.state = self.made.init(self.params)
        return self.state

    def draw(self) -> None:
        problem = self.problem
        problem.advance()
        value, self.grads = problem.gradients(self.params.fast if self.wrapped else self.params)
        drawn = {"grad": self.grads, "value": value, "value_fn": problem.value_fn, "obj_fn": problem.value_fn}
        self.passed = {name: given for name, given in drawn.items() if self._takes(name)}
        if "key" in inspect.signature(self.made.update).parameters:
            self.passed["key"] = problem.jax.random.key(0)

    def step(self) -> Any:
        return self.update(self.grads, self.state, self.params, **self.passed)

    def settle(self, returned: Any) -> Any:
        updates, self.state = returned
        structure = self.problem.jax.tree_util.tree_structure
        if structure(updates) == structure(self.params):  # what aggregates may give statistics instead
            self.params = self.problem.added(self.params, updates)
        return {"params": self.params, "state": self.state, "updates": updates}

    def trace(self) -> None:
        jax = self.problem.jax
        self.draw()
        try:
            state = jax.eval_shape(self.made.init, self.params)
        except (TypeError, ValueError, jax.errors.JAXTypeError):
            state = self.made.init(self.params)
        static = {name: self.passed[name] for name in _STATIC if name in self.passed}
        passed = {name: given for name, given in self.passed.items() if name not in static}

        def update(grads: Any, state: Any, params: Any, given: Any) -> Any:
            return self.made.update(grads, state, params, **given, **static)

        jax.eval_shape(update, self.grads, state, self.params, passed)

    def _takes(self, name: str) -> bool:
        """Whether the update is to be passed `name`: it names it, or takes anything, and its kind wants it."""
        parameters, kind = inspect.signature(self.made.update).parameters, self.problem.kind
        is_open = any(entry.kind is entry.VAR_KEYWORD for entry in parameters.values())
        wanted = kind not in _BARE and (name != "obj_fn" or kind == "objective")
        return name in parameters or (is_open and wanted)


class Looped(Updates):
    """An optimizer in the body of a compiled loop, whose carry is its state: a step is a few updates."""

    def __init__(self, made: Any, problem: Problem, wrap: Callable[[Any], Any] | None) -> None:
        super().__init__(made, problem, False, wrap)
        self.static = {name: problem.value_fn for name in _STATIC if self._takes(name)}
        self.loop = problem.jax.jit(self._looped)

    def step(self) -> Any:
        passed = {name: given for name, given in self.passed.items() if name not in self.static}
        return self.loop(self.grads, self.state, self.params, passed)

    def settle(self, returned: Any) -> Any:
        self.params, self.state = returned
        return {"params": self.params, "state": self.state}

    def _looped(self, grads: Any, state: Any, params: Any, passed: dict[str, Any]) -> Any:
        tree_map, structure = self.problem.jax.tree_util.tree_map, self.problem.jax.tree_util.tree_structure

        def body(_: Any, carry: Any) -> Any:
            params, state = carry
            updates, state = self.made.update(grads, state, params, **passed, **self.static)
            if structure(updates) == structure(params):
                params = tree_map(lambda a, b: (a + b).astype(a.dtype), params, updates)
            return params, state

        return self.problem.jax.lax.fori_loop(0, LOOPED, body, (params, state))


class Iterations:
    """A solver whose `update` is one iteration, on data that change from one to the next."""

    def __init__(self, made: Any, problem: Problem, jitted: bool) -> None:
        self.made, self.problem = made, problem
        self.update = problem.jax.jit(made.update) if jitted else made.update
        self.current, self.state = problem.params, None
        self.arguments: list[Any] = []

    def start(self) -> Any:
        first, *others = _positional(self.made.init_state)
        if first == "init_stepsize":  # a line search steps its size
            self.current = self.problem.given()[first]
        self.state = self.made.init_state(self.current, *_filled(self.made.init_state, others, self.problem))
        return self.state

    def draw(self) -> None:
        self.problem.advance()
        self.arguments = _filled(self.made.update, _positional(self.made.update)[2:], self.problem)

    def step(self) -> Any:
        return self.update(self.current, self.state, *self.arguments)

    def settle(self, returned: Any) -> Any:
        self.current, self.state = returned
        return {"params": self.current, "state": self.state}

    def trace(self) -> None:
        self.start()
        self.draw()
        _traced(self.problem, self.made.update, self.current, self.state, *self.arguments)


class Solves:
    """A solver that is run to its end repeatedly, from other starts and on other data."""

    def __init__(self, made: Any, problem: Problem, jitted: bool) -> None:
        self.problem, self.made = problem, made
        self.solve = _solver(made, problem)
        self.run = problem.jax.jit(self.solve) if jitted else self.solve
        self.arguments: list[Any] = []

    def start(self) -> Any:
        return self.problem.params

    def draw(self) -> None:
        self.problem.advance()
        others = [] if _verb(self.made) else _filled(self.made.run, _positional(self.made.run)[1:], self.problem)
        data = [self.problem.batch] if _verb(self.made) else []
        self.arguments = [self._first(), *others, *data]

    def step(self) -> Any:
        return self.run(*self.arguments)

    def settle(self, returned: Any) -> Any:
        return returned

    def trace(self) -> None:
        self.draw()
        _traced(self.problem, self.solve, *self.arguments)

    def _first(self) -> Any:
        """A start; none for what makes its own of a problem in matrices, as those for quadratic programs do."""
        quadratic = not _verb(self.made) and "params_obj" in _positional(self.made.run)
        return None if quadratic else self.problem.start(self.problem.step)


class Schedules:
    """A schedule with a state of its own; a step is one update and one value."""

    def __init__(self, made: Any, problem: Problem, jitted: bool) -> None:
        self.made, self.problem, self.state = made, problem, None
        self.update = problem.jax.jit(self._updated) if jitted else self._updated

    def start(self) -> Any:
        self.state = self.made.init()
        return self.state

    def draw(self) -> None:
        self.problem.advance()

    def step(self) -> Any:
        return self.update(self.state)

    def settle(self, returned: Any) -> Any:
        self.state, value = returned
        return {"state": self.state, "value": value}

    def trace(self) -> None:
        _traced(self.problem, self._updated, self.start())

    def _updated(self, state: Any) -> Any:
        state = self.made.update(state)
        return state, self.made(state) if callable(self.made) else None


def _traced(problem: Problem, function: Callable[..., Any], *arguments: Any) -> None:
    """Traces the function, and runs it where it computes outside of jax."""
    jax = problem.jax
    try:
        jax.eval_shape(function, *arguments)
    except (TypeError, jax.errors.JAXTypeError):
        jax.block_until_ready(function(*arguments))


def _solver(made: Any, problem: Problem) -> Callable[..., Any]:
    """The function that solves once: of a start and, for solvers that a verb takes, the data."""
    found = _verb(made)
    if found is None:
        run: Callable[..., Any] = made.run
        return run
    verb, asked = found
    function = getattr(problem, asked)
    options = problem.given()["options"]

    def solve(start: Any, data: Any) -> Any:
        solution = verb(function, made, start, args=data, options=options, throw=False, max_steps=MOST_STEPS)
        return {"value": solution.value, "stats": solution.stats}

    return solve


def _verb(made: Any) -> tuple[Callable[..., Any], str] | None:
    """The function of its package that runs the solver, and what it asks a problem for."""
    for base in type(made).__mro__:
        verb, asked = _VERBS.get(base.__name__, ("", ""))
        found = getattr(importlib.import_module(base.__module__.partition(".")[0]), verb, None) if verb else None
        if found is not None:
            return found, asked
    return None


def _positional(function: Callable[..., Any]) -> list[str]:
    parameters = inspect.signature(function).parameters.values()
    return [entry.name for entry in parameters if entry.kind in (entry.POSITIONAL_ONLY, entry.POSITIONAL_OR_KEYWORD)]


def _filled(function: Callable[..., Any], names: list[str], problem: Problem) -> list[Any]:
    """Positional arguments for `names`, as many as are known or have defaults, and the data for `*args`."""
    parameters, given = inspect.signature(function).parameters, problem.given()
    filled = []
    for name in names:
        default = parameters[name].default
        is_optional = default is not inspect.Parameter.empty
        if name == "params_ineq" and "params_eq" in parameters and is_optional:
            filled.append(default)  # bounds in the one form, a matrix and a vector in the other
        elif name == "params":
            filled.append(problem.params)
        elif name in given:
            filled.append(given[name])
        elif is_optional:
            filled.append(default)
        else:
            raise TypeError(f"nothing is known to pass as `{name}`")
    is_open = any(entry.kind is entry.VAR_POSITIONAL for entry in parameters.values())
    return [*filled, problem.batch] if is_open else filled


def _wants_nothing(function: Callable[..., Any]) -> bool:
    return not inspect.signature(function).parameters


def _has(value: object, *names: str) -> bool:
    return all(callable(getattr(value, name, None)) for name in names)
