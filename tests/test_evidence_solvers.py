"""Driving solvers: by iterations, by whole solves, on every kind of problem that they may want."""

import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

import pytest

from jaxfix.evidence.optimizers import OptimizerRunner
from jaxfix.evidence.prove import prove
from jaxfix.evidence.running import Driving
from jaxfix.report.evidence import Evidence, Verdict
from jaxfix.report.finding import Equality, Fix, Safety
from jaxfix.source.edits import Span

pytestmark = pytest.mark.evidence

SOLVERS = '''\
"""Solvers of the two families, with the faults that real ones have."""
import abc
import dataclasses
import functools
from typing import Any, Callable, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


class OptStep(NamedTuple):
    params: Any
    state: Any


@dataclasses.dataclass(eq=False)
class Descent:
    fun: Callable
    stepsize: float = 0.1

    def init_state(self, init_params, *args):
        return {"iter": jnp.zeros((), jnp.int32)}

    def update(self, params, state, *args):
        grads = jax.grad(self.fun)(params, *args)

        def body(_, p):
            return jax.tree_util.tree_map(lambda a, g: a - 0.1 * g, p, grads)

        return OptStep(jax.lax.fori_loop(0, 2, body, params), {"iter": state["iter"] + 1})


@dataclasses.dataclass(eq=False)
class Projected:
    fun: Callable
    projection: Callable

    def init_state(self, init_params, hyperparams_proj=None, *args):
        return ()

    def update(self, params, state, hyperparams_proj=None, *args):
        grads = jax.grad(self.fun)(params, *args)
        moved = jax.tree_util.tree_map(lambda a, g: a - 0.1 * g, params, grads)
        return OptStep(self.projection(moved, hyperparams_proj), state)


@dataclasses.dataclass(eq=False)
class Halving:
    optimality_fun: Callable
    lower: float
    upper: float

    def init_state(self, init_params=None, *args):
        return {"low": jnp.asarray(self.lower), "high": jnp.asarray(self.upper)}

    def update(self, params, state, *args):
        middle = (state["low"] + state["high"]) / 2
        above = jnp.reshape(self.optimality_fun(middle, *args), ()) > 0
        low, high = jnp.where(above, state["low"], middle), jnp.where(above, middle, state["high"])
        return OptStep(middle, {"low": low, "high": high})


class Solver:
    """What they have in common."""


@dataclasses.dataclass(eq=False)
class Host(Solver):
    fun: Callable = None

    def run(self, init_params, *args):
        grads = jax.grad(self.fun)(init_params, *args)
        return OptStep(jax.tree_util.tree_map(lambda a, g: np.asarray(a) - 0.1 * np.asarray(g), init_params, grads), ())


class Wrapping:
    def __init__(self, solver: Descent):
        self.solver = solver

    def init_state(self, init_params, *args):
        return self.solver.init_state(init_params, *args)

    def update(self, params, state, *args):
        return self.solver.update(params, state, *args)


class AbstractRootFinder(abc.ABC):
    @abc.abstractmethod
    def init(self, fn, y, args): ...

    @abc.abstractmethod
    def step(self, fn, y, args, state): ...

    def terminate(self, state):
        return state > 99


class Secant(AbstractRootFinder):
    def __init__(self, rtol: float, atol: float):
        self.rtol, self.atol = rtol, atol

    def init(self, fn, y, args):
        return jnp.zeros((), jnp.int32)

    def step(self, fn, y, args, state):
        return jax.tree_util.tree_map(lambda a, r: a - 0.2 * r, y, fn(y, args)), state + 1


class Solution(NamedTuple):
    value: Any
    stats: dict


def root_find(fn, solver, y0, args=None, options=None, *, throw=True, max_steps=256):
    def body(carry):
        return solver.step(fn, carry[0], args, carry[1])

    found, taken = jax.lax.while_loop(lambda c: c[1] < max_steps, body, (y0, solver.init(fn, y0, args)))
    return Solution(found, {"num_steps": taken})
'''

BODY = """\
        def body(_, p):
            return jax.tree_util.tree_map(lambda a, g: a - 0.1 * g, p, grads)

        return OptStep(jax.lax.fori_loop(0, 2, body, params), {"iter": state["iter"] + 1})
"""
HOISTED = """\
        moved, _ = jax.lax.fori_loop(0, 2, _moved, (params, grads))
        return OptStep(moved, {"iter": state["iter"] + 1})


def _moved(_, carry):
    return jax.tree_util.tree_map(lambda a, g: a - 0.1 * g, *carry), carry[1]
"""
REMEMBERED = """\
        if not hasattr(self, "_body"):
            self._body = lambda _, p: jax.tree_util.tree_map(lambda a, g: a - 0.1 * g, p, grads)
        return OptStep(jax.lax.fori_loop(0, 2, self._body, params), {"iter": state["iter"] + 1})
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lib") / "solving"
    folder.mkdir()
    (folder / "__init__.py").write_text("from solving.core import *\n")
    (folder / "core.py").write_text(SOLVERS)
    return folder


@pytest.fixture(scope="module")
def runner(package: Path) -> OptimizerRunner:
    return OptimizerRunner("solving", package, sys.executable, how=Driving(everything=True))


def test_each_solver_is_driven_in_the_first_way_that_works(runner: OptimizerRunner) -> None:
    found = {name.rpartition(".")[2]: (entry.way, entry.failure) for name, entry in runner.surveyed().items()}
    assert found == {
        "Descent": ("iterations:tree", None),
        "Halving": ("iterations:scalar", None),
        "Host": ("solves:tree", None),
        "Projected": ("iterations:tree", None),
        "Secant": ("solves:tree", None),
        "Wrapping": ("iterations:tree", None),
    }


def test_iterations_and_solves_are_counted_and_digested(runner: OptimizerRunner) -> None:
    wanted = ("Descent, eager, float32", "Descent, jit, bfloat16", "Secant, eager, float32", "Secant, jit, float32")
    cases = frozenset(f"solving.{name}" for name in wanted)
    found = {entry.case.removeprefix("solving."): entry for entry in runner.measure({}, cases)}
    assert {name: entry.failure for name, entry in found.items()} == dict.fromkeys(wanted)
    steady = {name: entry.steady_compiles for name, entry in found.items()}
    # a solve closes over new functions at every call, and so does an iteration
    assert steady == dict(zip(wanted, (1, 0, 1, 0), strict=True))
    assert [output.label for output in found["Descent, eager, float32"].outputs[:2]] == ["init", "update 1"]
    assert [output.label for output in found["Secant, eager, float32"].outputs[1:3]] == ["solve 1", "solve 2"]
    values = [output.leaves[-1].digest for output in found["Secant, eager, float32"].outputs[1:]]
    assert len(set(values)) == len(values)  # another start and other data each time


def test_what_computes_on_the_host_fails_under_jit_alone(runner: OptimizerRunner) -> None:
    eager, jitted = runner.measure({}, frozenset({"solving.Host, eager, float32", "solving.Host, jit, float32"}))
    assert eager.failure is None and len(eager.steps) == 6
    assert jitted.failure is not None and "Tracer" in jitted.failure


def judged(package: Path, new: str) -> Evidence:
    function = "Descent.update"
    fix = Fix("key", "codemod", "Mend", Span(0, 0), (), Safety.NEEDS_EVIDENCE, Equality.BITWISE, None, function)
    source = SOLVERS.replace(BODY, new)
    assert source != SOLVERS

    def patched(fixes: frozenset[tuple[str, str]]) -> Mapping[str, bytes]:
        return {"core.py": source.encode()} if fixes else {}

    runner = OptimizerRunner("solving", package, sys.executable, (("core.py", function),))
    (evidence,) = prove([("core.py", fix, 1)], patched, runner, lambda phrase: None).receipts
    return evidence


def test_a_loop_that_is_not_compiled_again_is_proven(package: Path) -> None:
    found = judged(package, HOISTED)
    assert (found.verdict, found.reason[:24]) == (Verdict.PROVEN, "compiles per step 1 -> 0")


def test_a_body_that_remembers_the_first_batch_is_refused(package: Path) -> None:
    found = judged(package, REMEMBERED)
    assert found.verdict is Verdict.DIFFERENT
    assert "update 2" in found.reason


@pytest.mark.skipif(find_spec("jaxopt") is None, reason="jaxopt is not installed")
def test_the_solvers_of_jaxopt_are_driven() -> None:
    found = surveyed("jaxopt")
    named = {"ArmijoSGD", "BFGS", "GradientDescent", "LBFGS", "NonlinearCG", "ZoomLineSearch", "GaussNewton", "BoxCDQP"}
    assert {name: found[f"jaxopt.{name}"] for name in named} == dict.fromkeys(named)


@pytest.mark.skipif(find_spec("optimistix") is None, reason="optimistix is not installed")
def test_the_solvers_of_optimistix_are_driven() -> None:
    found = surveyed("optimistix")
    assert set(found.values()) == {None}
    assert {"optimistix.BFGS", "optimistix.Bisection", "optimistix.Newton", "optimistix.Dogleg"} <= set(found)


def surveyed(package: str) -> dict[str, str | None]:
    """Why each factory of an installed package cannot be driven."""
    spec = find_spec(package)
    assert spec is not None and spec.submodule_search_locations is not None
    place = Path(spec.submodule_search_locations[0])
    entries = OptimizerRunner(package, place, sys.executable).surveyed()
    return {name: entry.failure for name, entry in entries.items()}
