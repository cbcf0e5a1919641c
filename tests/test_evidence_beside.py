"""The original beside the rewritten function: what it finds out, what it leaves alone, and what it must not change."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from beside_program import HEAD, differs, measured

from jaxfix.evidence.program import ProgramRunner
from jaxfix.report.measurement import Measurement

ROOT = Path(__file__).resolve().parents[1]

pytestmark = pytest.mark.evidence


@pytest.mark.parametrize(
    ("dtype", "is_foreign"), [pytest.param("float32", True, marks=pytest.mark.slow), ("bfloat16", False)]
)
def test_a_dtype_is_foreign_that_the_program_never_passes(tmp_path: Path, dtype: str, is_foreign: bool) -> None:
    before = f"""
    def scaled(v, w):
        return v.astype(jnp.float32) * 2 + w.sum()
    scaled(x, x.astype(jnp.{dtype}))
    """
    found = measured(tmp_path, before, before.replace("* 2", "* 3"), "scaled")
    assert {pair.how: pair.foreign for pair in found.beside}["perturbed, in bfloat16"] is is_foreign
    known = ("perturbed, in bfloat16", "given the same bytes as integers", "given integers as large as their type")
    assert not any(pair.foreign for pair in found.beside if pair.how not in known)


def differing(measurement: Measurement) -> set[str]:
    return {pair.how for pair in measurement.beside if differs(pair)}


def test_a_memo_of_an_object_is_found_out_by_setting_its_attribute(tmp_path: Path) -> None:
    # the program itself never sets it after the first call
    main = """
    def main(model):
        for _ in range(2):
            print(model.run(x))
        return model

    def louder(model):
        model.gain = 2.0

    main(Model())
    """
    before = """
    class Model:
        gain = 1.0
        def run(self, v):
            def body(i, carry):
                return carry * self.gain
            return lax.fori_loop(0, 1, body, v)
    """
    after = """
    @functools.lru_cache(None)
    def made(self):
        def body(i, carry):
            return carry * self.gain
        return body

    class Model:
        gain = 1.0
        def run(self, v):
            return lax.fori_loop(0, 1, made(self), v)
    """
    found = measured(tmp_path, before + main, after + main, "Model.run")
    # a memo of the object also keeps it alive
    others = (f"rebound `self.gain{value}`" for value in ("", " = 0.0", " = nan"))
    rebound = {f"{other}{signs}" for other in others for signs in ("", ", signs mixed")}
    assert differing(found) == {*rebound, "as called, and `self` forgotten"}
    assert found.alone == {}


@pytest.mark.parametrize(
    ("number", "body", "how"),
    [
        ("2", "int(n)", {"2 as 2.5, of another type"}),
        ("1", "(n if n is not False else 3)", {"1 as False"}),
        ("2.0", "(n + 0)", {"2.0 as -0.0, not finite"}),
    ],
    ids=["fraction", "flag", "negative zero"],
)
def test_a_number_of_python_is_also_another_one(tmp_path: Path, number: str, body: str, how: set[str]) -> None:
    before = f"def scaled(v, n):\n    return v * n\nfor _ in range(2):\n    print(scaled(x, {number}))\n"
    found = measured(tmp_path, before, before.replace("* n", f"* {body}"), "scaled")
    assert differing(found) == {f"perturbed, {each}" for each in how}


def test_what_a_program_sets_for_its_process_is_state(tmp_path: Path) -> None:
    sets = {
        "the environment": "__import__('os').environ.update(RATE='0.5')",
        "the folder": "__import__('os').chdir('/')",
        "`sys.path`": "__import__('sys').path.append('/elsewhere')",
        "levels of loggers": "__import__('logging').getLogger('train').setLevel('DEBUG')",
        "how NumPy prints": "np.set_printoptions(precision=3)",
        "settings of jax": "jax.config.update('jax_default_matmul_precision', 'highest')",
    }
    before = "def scaled(v):\n" + "".join(f"    {line}\n" for line in sets.values()) + "    return v * 2\nscaled(x)\n"
    runs = [
        measured(tmp_path, before, text, "scaled") for text in (before, "def scaled(v):\n    return v * 2\nscaled(x)\n")
    ]
    old, new = ({output.label: (output.treedef, output.leaves) for output in run.left} for run in runs)
    assert {label for label in old if new.get(label) != old[label] and "random" not in label} == set(sets)


@pytest.mark.parametrize(
    ("draws", "alike"),
    [
        ("", {"the state of `random`", "the state of `numpy.random`"}),
        ("np.random.rand()", {"the state of `random`"}),
        ("__import__('random').random()", {"the state of `numpy.random`"}),
    ],
    ids=["nothing", "numpy", "random"],
)
def test_a_generator_that_nobody_draws_from_is_the_same_in_every_run(
    tmp_path: Path, draws: str, alike: set[str]
) -> None:
    before = f"def scaled(v):\n    {draws or 'pass'}\n    return v * 2\nscaled(x)\n"
    runs = [measured(tmp_path, before, before, "scaled") for _ in range(2)]
    old, new = ({output.label: output.leaves for output in run.left} for run in runs)
    assert {label for label in old if "random" in label and new[label] == old[label]} == alike


def test_a_generator_is_drawn_from_before_jax_is_imported(tmp_path: Path) -> None:
    before = "def scaled(v):\n    return v * 2\nscaled(x)\n"
    head = f"import numpy.random\nnumpy.random.rand()\n{HEAD}"
    runs = [measured(tmp_path, before, before, "scaled", head=head) for _ in range(2)]
    old, new = ({output.label: output.leaves for output in run.left} for run in runs)
    assert old["the state of `random`"] == new["the state of `random`"]
    assert old["the state of `numpy.random`"] != new["the state of `numpy.random`"]


def test_a_folder_that_is_gone_is_no_error(tmp_path: Path) -> None:
    before = """
    import os, tempfile
    def scaled(v):
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
        return v * 2
    scaled(x)
    """
    found = measured(tmp_path, before, before.replace("v * 2", "2 * v"), "scaled")
    assert "how NumPy prints" in {output.label for output in found.left}


def test_what_all_objects_of_a_class_share_is_state(tmp_path: Path) -> None:
    before = """
    class Meter:
        seen = []
        def __init__(self):
            self.seen = []

    def scaled(v):
        meter = Meter()
        meter.seen.append(v)
        return v * 2

    print(scaled(x))
    """
    found = measured(tmp_path, before, before.replace("self.seen = []", "pass"), "scaled")
    (shared,) = (output for output in found.left if output.label.endswith(".Meter.seen"))
    assert [leaf.dtype for leaf in shared.leaves] == ["float32"]


def test_a_moved_function_that_reads_what_is_bound_once_agrees_everywhere(tmp_path: Path) -> None:
    before = """
    SCALE = 3.0

    def elsewhere(other):
        SCALE = 1.0
        SCALE = SCALE + 1.0
        other.SCALE = SCALE

    def scaled(v, k):
        def body(i, carry):
            return carry * SCALE + k
        return lax.fori_loop(0, 2, body, v)

    for _ in range(2):
        print(scaled(x, jnp.float32(2.0)))
    """
    after = """
    SCALE = 3.0

    def elsewhere(other):
        SCALE = 1.0
        SCALE = SCALE + 1.0
        other.SCALE = SCALE

    def body(i, carry):
        carry, k = carry
        return carry * SCALE + k, k

    def scaled(v, k):
        return lax.fori_loop(0, 2, body, (v, k))[0]

    for _ in range(2):
        print(scaled(x, jnp.float32(2.0)))
    """
    found = measured(tmp_path, before, after, "scaled")
    assert differing(found) == set()
    assert {"as called", "perturbed"} <= {pair.how for pair in found.beside}
    assert any(leaf.digest for pair in found.beside for leaf in pair.after.leaves)


@pytest.mark.parametrize("rebinds", [True, False])
def test_a_memo_of_a_callable_is_found_out_by_what_the_callable_captures(tmp_path: Path, *, rebinds: bool) -> None:
    before = """
    def solve(objective, p):
        def body(i, c):
            return c - 0.1 * jax.grad(objective)(c)
        return lax.fori_loop(0, 3, body, p)
    """
    after = """
    @functools.lru_cache(None)
    def made(objective):
        def body(i, c):
            return c - 0.1 * jax.grad(objective)(c)
        return body

    def solve(objective, p):
        return lax.fori_loop(0, 3, made(objective), p)
    """
    main = f"""
    def over(batch):
        def loss(p):
            return jnp.sum((p - batch) ** 2)
        {"batch = batch + 1" if rebinds else "pass"}
        return loss

    print(solve(over(1.0), x))
    """
    found = measured(tmp_path, before + main, after + main, "solve")
    assert ("rebound `batch`" in differing(found)) is rebinds


def test_a_gradient_is_compared_where_the_program_takes_one(tmp_path: Path) -> None:
    before = """
    def loss(v, count):
        return v ** (count + 0)

    print(jax.grad(loss)(1.0, jnp.array(0)))
    """
    found = measured(tmp_path, before, before.replace("(count + 0)", "((count + 0) * 1.0)"), "loss")
    assert "gradient, perturbed, all zero" in differing(found)
    pair = next(pair for pair in found.beside if pair.how == "gradient, perturbed, all zero")
    assert [leaf.nans for leaf in (*pair.before.leaves, *pair.after.leaves)] == [0, 1]


def test_what_runs_only_under_a_trace_is_called_under_one(tmp_path: Path) -> None:
    before = """
    @jax.jit
    def step(v, flag=True):
        return v * 2 if flag else v

    for _ in range(2):
        print(step(x))
    """
    good = measured(tmp_path, before, before.replace("v * 2 if", "2 * v if"), "step")
    bad = measured(tmp_path, before, before.replace("v * 2 if", "v * 3 if"), "step")
    assert (differing(good), good.alone) == (set(), {})
    assert "as called" in differing(bad)


def test_methods_closures_and_defaults_are_made_as_they_are(tmp_path: Path) -> None:
    before = """
    class Base:
        def run(self, v, k=2.0):
            return v * k

    class Model(Base):
        def __init__(self):
            self.__gain = 3.0
        def run(self, v, *rest, k=2.0, **more):
            def body(i, c):
                return c * self.__gain
            return lax.fori_loop(0, 1, body, super().run(v, k)) + sum(rest) + more["bias"]

    def transform(rate):
        def schedule(count):
            return rate / count
        def update(grads, count):
            def body(i, c):
                return c * schedule(count)
            return lax.fori_loop(0, 1, body, grads)
        return update

    print(Model().run(x, 1.0, 2.0, k=4.0, bias=np.ones(4)))
    print(transform(0.1)({"w": x}["w"], 3.0))
    """
    after = before.replace("c * self.__gain", "self.__gain * c").replace("c * schedule(count)", "schedule(count) * c")
    found = measured(tmp_path, before, after, "Model.run", "transform.<locals>.update")
    assert found.alone == {}
    assert differing(found) == set()
    assert {pair.function for pair in found.beside} == {
        "program.py:Model.run",
        "program.py:transform.<locals>.update",
    }


def test_calls_beside_the_program_leave_no_trace_in_it(tmp_path: Path) -> None:
    program = """
    seen = []

    @functools.partial(jax.jit, donate_argnums=0)
    def used(v):
        return v + 1

    def step(v, log):
        print("called")
        log.append(np.random.rand())
        def body(i, c):
            seen.append(1)
            return c * 2
        return lax.fori_loop(0, 2, body, used(v))

    np.random.seed(0)
    log, v = [], x
    for _ in range(3):
        v = step(v, log)
    print(len(log), len(seen), np.random.rand(), v)
    """
    after = program.replace("c * 2", "2 * c")
    found = measured(tmp_path, program, after, "step")
    unwatched = measured(tmp_path, program, after)
    assert found.stdout == unwatched.stdout
    assert len(found.compiles) == len(unwatched.compiles)
    assert found.calls == {"program.py:step": 3}
    assert (differing(found), found.alone) == (set(), {})


def test_the_clock_is_started_before_the_program_ends_and_none_of_its_threads(tmp_path: Path) -> None:
    """Python 3.12 starts no thread once the program has ended, which is when both functions are called.

    The other thread looks where the main one is.
    """
    before = """
    import _thread, threading

    def step(v):
        return v * 2.0

    print(step(x)[0], threading.active_count(), _thread._count())
    """
    found = measured(tmp_path, before, before.replace("v * 2.0", "v + v"), "step")
    assert found.stdout.split() == ["2.0", "1", "2"]
    assert found.beside and found.alone == {}


def test_an_effect_at_trace_time_is_compared(tmp_path: Path) -> None:
    before = """
    seen = []

    def watched(v):
        def body(i, carry):
            seen.append(i)
            return carry
        return lax.fori_loop(0, 1, body, v)
    """
    after = """
    seen = []

    def body(i, carry):
        seen.append(i)
        return carry

    def watched(v):
        return lax.fori_loop(0, 1, body, v)
    """
    main = "\n    for _ in range(2):\n        print(watched(x))\n"
    assert "as called" in differing(measured(tmp_path, before + main, after + main, "watched"))


@pytest.mark.parametrize(
    ("body", "call", "reason"),
    [
        ("    __import__('os').system('')\n    return v * 2", "f(x)", "it calls `system`"),
        (
            "    return v * 2 + __import__('time').perf_counter_ns() % 1000003",
            "f(x)",
            "the results of the original differ from call to call",
        ),
        ("    return lax.map(lambda u: u * 2, v)", "jax.jit(lambda w: outer(w)(x))(x)", "what it captures is traced"),
    ],
)
def test_what_cannot_be_called_again_is_named(body: str, call: str, reason: str, tmp_path: Path) -> None:
    before = f"def f(v):\n{body}\n"
    name = "f"
    if "outer" in call:
        before, name = (
            f"def outer(w):\n    def f(v):\n        return w + v * 2\n    return f\n{call}\n",
            "outer.<locals>.f",
        )
    else:
        before += f"{call}\n"
    found = measured(tmp_path, before, before.replace("v * 2", "2 * v"), name)
    assert found.alone == {f"program.py:{name}": reason}


def test_nothing_is_called_beside_an_unpatched_program(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(HEAD + "def f(v):\n    return v * 2\nf(x)\n")
    (found,) = ProgramRunner(tmp_path, f"{sys.executable} program.py", [("program.py", "f")]).measure({})
    assert (found.beside, found.alone, found.calls) == ((), {}, {"program.py:f": 1})


def judged(*names: str) -> list[dict[str, str]]:
    words = [sys.executable, "-m", "benchmarks.prover", "--json", *names]
    done = subprocess.run(words, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    found: list[dict[str, str]] = json.loads(done.stdout)
    return found


def test_a_careless_rewrite_is_refused_with_plain_data() -> None:
    found = [entry for entry in judged("global-by-its-dictionary") if entry["kind"] == "plain"]
    assert [(entry["verdict"], "beside the original, rebound" in entry["reason"]) for entry in found] == [
        ("different", True)
    ]


@pytest.mark.slow
def test_no_wrong_rewrite_is_proven_and_no_right_one_refused() -> None:
    found = judged()
    refused = ("different", "failed")
    assert {entry["kind"] for entry in found} >= {"own", "plain", "silent", "inputs", "contexts", "returned", "right"}
    assert [entry for entry in found if entry["kind"] == "own" and entry["verdict"] not in refused] == []
    known = [
        entry for entry in found if entry["kind"] not in ("right", "right, written after", "later", "written after")
    ]  # those are told on the page
    assert [entry for entry in known if entry["verdict"] == "proven"] == []
    assert [entry for entry in found if entry["kind"] == "right" and entry["verdict"] in refused] == []
