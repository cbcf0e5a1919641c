"""Driving the optimizers of a package, and proving fixes in them: right ones proven, wrong ones refused."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from jaxfix.drivers.shelf import Folder, Fresh
from jaxfix.evidence import optimizers
from jaxfix.evidence.effects import likeness
from jaxfix.evidence.optimizers import OptimizerRunner, Surveyed
from jaxfix.evidence.outputs import Allowed
from jaxfix.evidence.prove import prove
from jaxfix.evidence.reusing import Reusing
from jaxfix.evidence.running import Driving
from jaxfix.evidence.target import Finished, Job, Local
from jaxfix.report.evidence import Evidence, Verdict
from jaxfix.report.finding import Equality, Fix, Safety
from jaxfix.report.measurement import Measurement
from jaxfix.report.wire import to_json
from jaxfix.source.edits import Span
from jaxfix.source.errors import EvidenceError

pytestmark = pytest.mark.evidence

OPTIMIZERS = '''\
"""Optimizers with the faults that real ones have."""
import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp


class GradientTransformation(NamedTuple):
    init: object
    update: object


def started():
    raise SystemExit("only a program may call this")


def decaying(decay: float) -> GradientTransformation:
    def init(params):
        return {"count": jnp.zeros((), jnp.int32)}

    def update(updates, state, params=None):
        count = state["count"] + 1
        scale = 1.0 - decay**count
        return jax.tree_util.tree_map(lambda g: -g * scale.astype(g.dtype), updates), {"count": count}

    return GradientTransformation(init, update)


def weakly(learning_rate):
    def init(params):
        return {"gain": jnp.asarray(1.0)}

    def update(updates, state, params=None):
        gain = state["gain"] * jnp.asarray(0.5, dtype=jnp.float32)
        return jax.tree_util.tree_map(lambda g: -g * learning_rate, updates), {"gain": gain}

    return GradientTransformation(init, update)


def searching(steps: int) -> GradientTransformation:
    def init(params):
        return ()

    def update(updates, state, params, *, value_fn):
        def body(_, p):
            return jax.tree_util.tree_map(lambda a, b: a - 0.1 * b, p, jax.grad(value_fn)(p))

        found = jax.lax.fori_loop(0, steps, body, params)
        return jax.tree_util.tree_map(lambda a, b: a - b, found, params), state

    return GradientTransformation(init, update)
'''

MEMOISED = """\
@functools.lru_cache(maxsize=64, typed=True)
def _body(value_fn):
    def body(_, p):
        return jax.tree_util.tree_map(lambda a, b: a - 0.1 * b, p, jax.grad(value_fn)(p))
    return body


def searching("""


ODD = """\
import functools, os, time
from typing import NamedTuple

import jax
import jax.numpy as jnp


class GradientTransformation(NamedTuple):
    init: object
    update: object


class Pair(NamedTuple):
    fast: object
    slow: object

    @classmethod
    def init_synced(cls, params):
        return cls(params, params)


def scaled(rate: float, seconds: float = 0.0, status: int | None = None) -> GradientTransformation:
    def init(params):
        return ()

    def update(updates, state, params=None):
        if status is not None:
            os._exit(status)
        time.sleep(seconds)
        return jax.tree_util.tree_map(lambda g: -rate * g, updates), state

    return GradientTransformation(init, update)


hurried = functools.partial(scaled, 0.5)


def a_hang(rate: float) -> GradientTransformation:
    return scaled(rate, 999.0)


def b_crash(rate: float) -> GradientTransformation:
    return scaled(rate, status=3)


def c_end(rate: float) -> GradientTransformation:
    raise SystemExit("not today")


def d_unknown(landscape) -> GradientTransformation:
    return scaled(landscape)


def e_examples(rate: float) -> GradientTransformation:
    def update(updates, state, params=None):
        if any(g.ndim == p.ndim for g, p in zip(*map(jax.tree_util.tree_leaves, (updates, params)))):
            raise ValueError("expects gradients of each example")
        return jax.tree_util.tree_map(lambda g: -rate * g.mean(0), updates), state

    return GradientTransformation(lambda params: (), update)


def f_pair(rate: float) -> GradientTransformation:
    def update(updates, state, params):
        return Pair(updates, jax.tree_util.tree_map(lambda a, b: a - b, params.fast, params.slow)), state

    return GradientTransformation(lambda params: params.slow, update)


def g_objective(rate: float) -> GradientTransformation:
    def update(updates, state, params=None, **extra):
        return jax.tree_util.tree_map(lambda g: -rate * g, jax.grad(extra["obj_fn"])(params)), state

    return GradientTransformation(lambda params: (), update)


class Warming:
    def __init__(self, schedule_fn):
        self.schedule_fn = schedule_fn

    def init(self):
        return jnp.zeros((), jnp.int32)

    def update(self, state, **extra):
        return state + 1

    def __call__(self, state):
        return self.schedule_fn(state) * state
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lib") / "faulty"
    folder.mkdir()
    (folder / "__init__.py").write_text("from faulty.core import *\n")
    (folder / "core.py").write_text(OPTIMIZERS)
    return folder


def judged(package: Path, function: str, equality: Equality, **texts: str) -> Evidence:
    """The evidence for one fix, which replaces the text `old` by `new`, and `also` by `too`."""
    fix = Fix("key", "codemod", "Mend", Span(0, 0), (), Safety.NEEDS_EVIDENCE, equality, None, function)
    source = OPTIMIZERS
    for old, new in (("old", "new"), ("also", "too")):
        assert texts.get(old, "") in source
        source = source.replace(texts[old], texts[new]) if old in texts else source

    def patched(fixes: frozenset[tuple[str, str]]) -> Mapping[str, bytes]:
        return {"core.py": source.encode()} if fixes else {}

    runner = OptimizerRunner("faulty", package, sys.executable, (("core.py", function),))
    (evidence,) = prove([("core.py", fix, 1)], patched, runner, lambda phrase: None).receipts
    return evidence


@pytest.mark.slow
def test_counts_and_values_do_not_depend_on_the_number_of_workers(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """10 s."""
    monkeypatch.setattr(optimizers, "_SHARE", 1)
    function = ("core.py", "decaying.<locals>.update")
    surveyed = OptimizerRunner("faulty", package, sys.executable, (function,)).surveyed()

    def measured(number: int) -> list[tuple[object, ...]]:
        target = Local(number)
        runner = OptimizerRunner("faulty", package, sys.executable, (function,), Driving(number, target=target))
        runner.__dict__["_surveyed"] = surveyed
        runs = runner.measure({}, frozenset(f"faulty.decaying, {mode}, float32" for mode in ("eager", "jit")))
        settled = [run.environment.device.partition(", ")[2] for run in runs if run.environment]
        assert len(settled) == len(runs) and all(words.endswith("2 threads") for words in settled)
        return [(run.case, run.failure, len(run.compiles), run.traces, run.outputs, run.left) for run in runs]

    one = measured(1)
    assert len(one) == 2 and one[0][2] != 0
    assert measured(2) == one and measured(7) == one


class Clocked(Local):
    """Drives nothing: says how long each case took, and notes in which order they were to begin."""

    def __init__(self, **seconds: float) -> None:
        super().__init__()
        self.seconds, self.orders = seconds, list[list[str]]()

    def run(self, job: Job) -> Finished:
        cases = [case[0] for case in json.loads(Path(job.words[-1]).read_text())["cases"]]
        self.orders.append([name.partition(",")[0] for name in cases])
        for number, name in enumerate(cases):
            empty = to_json(Measurement(name, None, (), 0, (), (), "", (), {}, 0, None))
            assert isinstance(empty, dict)
            told = json.dumps({**empty, "seconds": self.seconds[name.partition(",")[0]]})
            (job.scratch / "results" / f"case-{number}.json").write_text(told)
        return Finished(0, "", "")


def test_the_case_that_took_longest_begins_first(package: Path) -> None:
    target = Clocked(a=1.0, b=9.0, c=3.0)
    runner = OptimizerRunner("faulty", package, sys.executable, (), Driving(everything=True, target=target))
    runner.__dict__["_surveyed"] = {name: Surveyed(name, frozenset(), "updates:tree", None) for name in "abc"}
    cases = frozenset(f"{name}, jit, float32" for name in "abc")
    runs = [runner.measure(sources, cases) for sources in ({}, {"core.py": b"x = 1"})]
    assert target.orders == [["a", "b", "c"], ["b", "c", "a"]]
    assert [[run.case for run in found] for found in runs] == [sorted(cases)] * 2


def test_two_jobs_with_the_same_sources_leave_the_same(package: Path) -> None:
    """Each has folders of its own, which is no difference: a case would be run once more to see that it is noise."""
    function = ("core.py", "decaying.<locals>.update")
    runners = [OptimizerRunner("faulty", package, sys.executable, (function,)) for _ in range(2)]
    runs = [runner.measure({}, frozenset({"faulty.decaying, jit, float32"}))[0] for runner in runners]
    assert runs[0].left == runs[1].left and runs[0].left


def settled_with(**variables: str) -> tuple[dict[str, str], dict[str, str]]:
    """What is said to be settled, and the variables that are."""
    told = "print(json.dumps([settle(), {**os.environ}]))"
    code = f"import json, os\nfrom jaxfix.evidence.probe.settled import settle\n{told}"
    base = {name: text for name, text in os.environ.items() if name != "XLA_FLAGS" and not name.endswith("_THREADS")}
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, env=base | variables, capture_output=True, text=True, check=True)
    said, environment = json.loads(done.stdout)
    return said, environment


def test_threads_and_what_a_gpu_adds_up_are_settled_and_said() -> None:
    said, environment = settled_with()
    assert said["cpu"].endswith("2 threads") and said["gpu"] == "deterministic operations"
    assert (environment["NPROC"], environment["OMP_NUM_THREADS"]) == ("2", "1")
    assert "--xla_gpu_deterministic_ops=true" in environment["XLA_FLAGS"]
    assert settled_with(**{name: environment[name] for name in ("NPROC", "PJRT_NPROC", "XLA_FLAGS")})[0] == said


def test_what_the_user_has_settled_stays_and_is_said() -> None:
    flags = "--xla_gpu_deterministic_ops=false --xla_cpu_max_isa=AVX2"
    said, environment = settled_with(NPROC="8", PJRT_NPROC="8", XLA_FLAGS=flags, OMP_NUM_THREADS="3")
    assert said == {"cpu": "8 threads", "gpu": ""}
    assert (environment["NPROC"], environment["OMP_NUM_THREADS"], environment["XLA_FLAGS"]) == ("8", "3", flags)


class Idle(Local):
    """Runs nothing, and fails where it is asked to."""

    def run(self, job: Job) -> Finished:
        raise EvidenceError("asked to run")


def test_the_survey_finds_what_each_factory_reaches_and_calls_nothing_else(package: Path, tmp_path: Path) -> None:
    functions = (("core.py", "decaying.<locals>.update"), ("core.py", "searching.<locals>.update.<locals>.body"))
    runner = OptimizerRunner("faulty", package, sys.executable, functions)
    Reusing(runner, Folder(tmp_path)).measure({}, frozenset())
    assert runner.survey() == {
        "faulty.decaying": {"core.py:decaying.<locals>.update"},
        "faulty.searching": {"core.py:searching.<locals>.update.<locals>.body"},
        "faulty.weakly": frozenset(),
    }
    assert runner.cases()[:2] == ("faulty.decaying, eager, float32", "faulty.decaying, eager, bfloat16")
    assert runner.expected()["faulty.decaying, jit, float32"] == {"core.py:decaying.<locals>.update"}
    again = OptimizerRunner("faulty", package, sys.executable, functions, Driving(target=Idle()))
    Reusing(again, Folder(tmp_path)).measure({}, frozenset())
    assert again.surveyed() == runner.surveyed()
    for changed in ((), functions[:1]):
        other = OptimizerRunner("faulty", package, sys.executable, changed, Driving(target=Idle()))
        with pytest.raises(EvidenceError, match="asked to run"):
            Reusing(other, Folder(tmp_path)).measure({}, frozenset())
    fresh = OptimizerRunner("faulty", package, sys.executable, functions, Driving(target=Idle()))
    with pytest.raises(EvidenceError, match="asked to run"):
        Reusing(fresh, Fresh(tmp_path)).measure({}, frozenset())


def test_a_float_exponent_is_proven(package: Path) -> None:
    found = judged(
        package, "decaying.<locals>.update", Equality.AS_JITTED, old="decay**count", new="decay ** (count * 1.0)"
    )
    assert (found.verdict, found.reason[:25]) == (Verdict.PROVEN, "compiles per step 1 -> 0,")
    eager = [entry for entry in found.comparisons if ", eager, " in entry.case]
    assert {entry.verdict for entry in eager} == {Verdict.PROVEN}
    assert {entry.after.steady_compiles for entry in eager} == {0}
    assert found.environment is not None and found.environment.platform == "cpu"


def test_a_wrong_exponent_is_different(package: Path) -> None:
    found = judged(
        package, "decaying.<locals>.update", Equality.AS_JITTED, old="decay**count", new="decay ** (count * 2.0)"
    )
    assert found.verdict is Verdict.DIFFERENT
    assert "update 1" in found.reason


def test_a_typed_initial_state_is_proven(package: Path) -> None:
    found = judged(
        package,
        "weakly.<locals>.init",
        Equality.STRONGER_TYPES,
        old="jnp.asarray(1.0)",
        new="jnp.asarray(1.0, dtype=float)",
    )
    assert found.verdict is Verdict.PROVEN
    jitted = [entry for entry in found.comparisons if ", jit, " in entry.case]
    assert {entry.reason for entry in jitted} == {"compiles 2 -> 1"}
    assert jitted[0].equality == "bitwise equal; weak type became strong in `init['gain']`"


def test_a_memoised_body_over_a_rebound_closure_is_refused(package: Path) -> None:
    found = judged(
        package,
        "searching.<locals>.update",
        Equality.BITWISE,
        old="def searching(",
        new=MEMOISED,
        also="steps, body, params",
        too="steps, _body(value_fn), params",
    )
    assert found.verdict is Verdict.DIFFERENT
    assert "faulty.searching, eager" in found.reason
    assert "update 2" in found.reason  # the first update is right: only rebinding what it reads shows the fault


def test_a_fix_that_breaks_the_package_is_refused(package: Path) -> None:
    found = judged(
        package, "decaying.<locals>.update", Equality.BITWISE, old="decay**count", new="undefined_name(decay)"
    )
    assert found.verdict is Verdict.FAILED
    assert "undefined_name" in found.reason


def test_a_package_that_cannot_be_imported_is_named(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("import no_such_module\n")
    runner = OptimizerRunner("broken", tmp_path / "broken.py", sys.executable, (("broken.py", "f"),))
    with pytest.raises(EvidenceError, match="no_such_module"):
        runner.survey()


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> OptimizerRunner:
    folder = tmp_path_factory.mktemp("lib") / "odd"
    folder.mkdir()
    (folder / "__init__.py").write_text("from odd import _private as public\n")
    (folder / "_private.py").write_text(ODD)
    return OptimizerRunner(
        "odd", folder, sys.executable, how=Driving(everything=True, case_limit_s=20, factory_limit_s=10)
    )


def test_what_raises_hangs_or_ends_its_process_spoils_no_other(odd: OptimizerRunner) -> None:
    found = {name.removeprefix("odd.public."): entry for name, entry in odd.surveyed().items()}
    assert {name: entry.failure for name, entry in found.items() if entry.way is None} == {
        "a_hang": "cut off after 10 s",
        "b_crash": "the process ended with status 3",
        "c_end": "the process ended with status 1",
        "d_unknown": "its argument `landscape` cannot be filled in",
    }
    assert {name: entry.way for name, entry in found.items() if entry.way is not None} == {
        "Warming": "schedules:tree",
        "e_examples": "updates:examples",
        "f_pair": "updates:pair",
        "g_objective": "updates:objective",
        "hurried": "updates:tree",
        "scaled": "updates:tree",
    }


def test_every_way_runs_eagerly_and_jitted(odd: OptimizerRunner) -> None:
    names = ("Warming", "e_examples", "f_pair", "g_objective", "hurried")
    cases = frozenset(f"odd.public.{name}, {mode}, bfloat16" for name in names for mode in ("eager", "jit"))
    found = odd.measure({}, cases)
    assert {entry.case: entry.failure for entry in found} == dict.fromkeys(cases)
    assert {len(entry.steps) for entry in found} == {6}


def test_a_case_that_hangs_or_dies_is_cut_off_alone(odd: OptimizerRunner) -> None:
    slow = ODD.replace("def scaled(rate: float, seconds: float = 0.0", "def scaled(rate: float, seconds: float = 99.0")
    dead = slow.replace("rate * g.mean(0)", "rate * os._exit(4)")
    cases = frozenset({f"odd.public.{name}, eager, float32" for name in ("scaled", "e_examples", "f_pair")})
    runner = OptimizerRunner(
        "odd", odd.file("_private.py").parent, sys.executable, how=Driving(everything=True, case_limit_s=5)
    )
    runner.__dict__["_surveyed"] = odd.surveyed()  # the factories as they are on the disk
    measured = runner.measure({"_private.py": dead.encode()}, cases)
    assert {entry.case.split(",")[0]: (entry.failure, entry.stopped) for entry in measured} == {
        "odd.public.e_examples": ("the process ended with status 4", None),
        "odd.public.f_pair": (None, None),
        "odd.public.scaled": ("cut off after 5 s", "after 5 s"),
    }


EARLY = """\
import os

READY, IMPORTED_BY = jnp.zeros(3) + 1, os.getpid()
_decaying = decaying


def decaying(decay: float) -> GradientTransformation:
    assert os.getpid() == IMPORTED_BY, "forked although a backend is up"
    return _decaying(decay)
"""


def test_a_package_that_computes_when_it_is_imported_gets_fresh_processes(tmp_path: Path) -> None:
    (tmp_path / "early.py").write_text(f"{OPTIMIZERS}\n{EARLY}")
    runner = OptimizerRunner("early", tmp_path / "early.py", sys.executable, how=Driving(everything=True))
    cases = frozenset({"early.decaying, eager, float32", "early.weakly, jit, float32"})
    found = {entry.case: (entry.failure, entry.steady_compiles) for entry in runner.measure({}, cases)}
    assert found == {"early.decaying, eager, float32": (None, 1), "early.weakly, jit, float32": (None, 0)}


TELLING = """\
import logging, sys, warnings
from typing import NamedTuple

import jax
import jax.numpy as jnp


class GradientTransformation(NamedTuple):
    init: object
    update: object


NORMS = []


def telling(rate: float) -> GradientTransformation:
    def init(params):
        return {"gain": jnp.float32(1.0)}

    def update(updates, state, params=None):
        logging.getLogger("telling").error("a step")
        warnings.warn("the rate is high", stacklevel=2)
        print("a step")
        print("a step", file=sys.stderr)
        NORMS.append(1)
        gain = jax.jit(lambda gain: gain * 0.5)(state["gain"])
        return jax.tree_util.tree_map(lambda g: -g * rate, updates), {"gain": gain}

    return GradientTransformation(init, update)
"""


@pytest.mark.slow
def test_what_an_optimizer_does_beside_its_results_is_compared(tmp_path: Path) -> None:
    (tmp_path / "telling").mkdir()
    (tmp_path / "telling" / "__init__.py").write_text("from telling.core import *\n")
    (tmp_path / "telling" / "core.py").write_text(TELLING)
    runner = OptimizerRunner("telling", tmp_path / "telling", sys.executable, (("core.py", "telling.<locals>.update"),))
    changes = {
        "logging.getLogger": ("logged", ".error(", ".debug("),
        "warnings.warn": ("a warning is lost", "is high", "is low"),
        "print(": ("printed line", '"a step")\n        print', '"no step")\n        print'),
        "sys.stderr": ("on standard error", '"a step", file', '"no step", file'),
        "NORMS.append": ("`telling.NORMS`", "append(1)", "append(2)"),
        "jax.jit": ("deletes", "gain * 0.5)", "gain * 0.5, donate_argnums=0)"),
    }
    cases = frozenset({"telling.telling, eager, float32"})
    (before,) = runner.measure({}, cases)
    (again,) = runner.measure({}, cases)
    assert likeness(before, again, Allowed()).difference is None
    for words, old, new in changes.values():
        assert TELLING.count(old) == 1
        (after,) = runner.measure({"core.py": TELLING.replace(old, new).encode()}, cases)
        assert (after.failure, words in str(likeness(before, after, Allowed()).difference)) == (None, True)
