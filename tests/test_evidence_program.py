"""Proving fixes with a program of the user's: in a copy, in children, in installed packages."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from jaxfix.evidence.program import ProgramRunner
from jaxfix.evidence.prove import prove
from jaxfix.evidence.run import merged
from jaxfix.evidence.running import Running, Watching
from jaxfix.evidence.target import Finished
from jaxfix.report.evidence import Evidence, Verdict
from jaxfix.report.finding import Equality, Fix, Safety
from jaxfix.source.edits import Span

pytestmark = pytest.mark.evidence

TRAIN = """\
import jax.numpy as jnp
from jax import lax


def rollout(x, factor):
    def body(carry, _):
        return carry * 0.5, None
    return lax.scan(body, x, None, length=3)[0] * factor


def main():
    x = jnp.arange(3.0)
    for step in range(5):
        x = rollout(x, jnp.float32(step)) + 1.0
    print("x is", x)


if __name__ == "__main__":
    main()
"""
HOISTED = TRAIN.replace(
    "def rollout(x, factor):\n    def body(carry, _):\n        return carry * 0.5, None\n",
    "def _body(carry, _):\n    return carry * 0.5, None\n\n\ndef rollout(x, factor):\n",
).replace("scan(body", "scan(_body")


def judged(
    root: Path,
    after: str,
    *,
    function: str = "rollout",
    path: str = "train.py",
    command: str = "",
    timeout_s: float = 600.0,
    steps: int | None = None,
    compared: Sequence[tuple[str, str]] = (),
    equality: Equality = Equality.BITWISE,
) -> Evidence:
    fix = Fix("key", "codemod", "Mend", Span(0, 0), (), Safety.NEEDS_EVIDENCE, equality, None, function)

    def patched(fixes: frozenset[tuple[str, str]]) -> Mapping[str, bytes]:
        return {path: after.encode()} if fixes else {}

    runner = ProgramRunner(
        root,
        command or f"{sys.executable} train.py",
        ((path, function),),
        Running(timeout_s=timeout_s),
        Watching(compared, steps),
    )
    (evidence,) = prove([(path, fix, 6)], patched, runner, lambda phrase: None).receipts
    return evidence


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text(TRAIN)
    return tmp_path


def test_a_hoisted_body_is_proven(project: Path) -> None:
    found = judged(project, HOISTED)
    assert found.verdict is Verdict.PROVEN
    (comparison,) = found.comparisons
    assert (comparison.before.steady_compiles, comparison.after.steady_compiles) == (1, 0)
    assert comparison.equality.startswith("bitwise equal; the same program for every value of ")
    assert "; as the original in " in comparison.equality
    assert (project / "train.py").read_text() == TRAIN


def test_a_changed_constant_is_different(project: Path) -> None:
    found = judged(project, HOISTED.replace("0.5", "0.25"))
    assert found.verdict is Verdict.DIFFERENT
    assert "`train.py:rollout call 2`[0]: 0.125 became" in found.reason


def test_a_function_that_the_program_does_not_call_is_not_reached(project: Path) -> None:
    assert judged(project, HOISTED, function="elsewhere").verdict is Verdict.NOT_REACHED


def test_a_rewrite_that_changes_nothing_has_no_effect(project: Path) -> None:
    assert judged(project, TRAIN + "\n# moved\n").verdict is Verdict.NO_EFFECT


def test_a_rewrite_that_raises_fails(project: Path) -> None:
    found = judged(project, HOISTED.replace("lax.scan", "lax.scam"))
    assert found.verdict is Verdict.FAILED
    assert "AttributeError" in found.reason


def test_a_program_that_prints_its_time_is_proven_all_the_same(project: Path) -> None:
    timed = "    import time\n    print(time.time_ns())\n"
    (project / "train.py").write_text(TRAIN.replace("def main():\n", f"def main():\n{timed}"))
    found = judged(project, HOISTED.replace("def main():\n", f"def main():\n{timed}"))
    assert found.verdict is Verdict.PROVEN
    equality = found.comparisons[0].equality
    assert equality.startswith("bitwise equal; the same program for every value of ")
    assert equality.endswith("; except what differs between two equal runs")


def test_a_child_process_sees_the_patched_source(project: Path) -> None:
    (project / "launch.py").write_text(
        "import multiprocessing\nimport train\n\nif __name__ == '__main__':\n"
        "    child = multiprocessing.get_context('spawn').Process(target=train.main)\n    child.start()\n"
        "    child.join()\n    raise SystemExit(child.exitcode)\n"
    )
    found = judged(project, HOISTED, command=f"{sys.executable} launch.py")
    assert found.verdict is Verdict.PROVEN


def test_a_package_beside_the_environment_is_overlaid(tmp_path: Path) -> None:
    installed = tmp_path / "site-packages"
    (installed / "lib").mkdir(parents=True)
    (installed / "lib" / "__init__.py").write_text("from lib.train import main\n")
    (installed / "lib" / "train.py").write_text(TRAIN)
    project = tmp_path / "project"
    project.mkdir()
    (project / "run.py").write_text("import lib\nlib.main()\n")
    command = f"PYTHONPATH={installed} {sys.executable} run.py"
    found = judged(project, HOISTED, path=str(installed / "lib" / "train.py"), command=command)
    assert found.verdict is Verdict.PROVEN
    assert (installed / "lib" / "train.py").read_text() == TRAIN


ENDLESS = "    for step in __import__('itertools').count():\n        __import__('time').sleep(0.1)\n"


def endless(source: str) -> str:
    return source.replace("    for step in range(5):\n", ENDLESS)


def test_a_program_without_an_end_is_ended_after_so_many_steps(project: Path) -> None:
    (project / "train.py").write_text(endless(TRAIN))
    found = judged(project, endless(HOISTED), steps=5)
    assert found.verdict is Verdict.PROVEN
    (comparison,) = found.comparisons
    assert (comparison.before.steady_compiles, comparison.after.steady_compiles) == (1, 0)
    assert "stopped after 5 steps" in comparison.equality


@pytest.mark.slow  # long enough for jax to start on a busy machine, and for each of the runs
def test_a_program_without_an_end_is_ended_at_the_time_limit(project: Path) -> None:
    (project / "train.py").write_text(endless(TRAIN))
    found = judged(project, endless(HOISTED), timeout_s=40)
    assert found.verdict is Verdict.PROVEN, found.reason
    assert "stopped at the time limit" in found.comparisons[0].equality


def test_a_program_that_the_time_limit_ends_too_early_proves_nothing(project: Path) -> None:
    (project / "train.py").write_text("__import__('time').sleep(100)\n" + TRAIN)
    found = judged(project, "__import__('time').sleep(100)\n" + HOISTED, timeout_s=1)
    assert found.verdict is Verdict.NOT_REACHED
    said = "nothing that was run calls `rollout` before the run was stopped at the time limit: raise `--timeout`"
    assert found.reason == said


def with_loss(text: str, result: str) -> str:
    """A program that calls a function beside the rewritten one, of which it uses nothing."""
    called = text.replace("    print(", "    loss(x)\n    print(")
    return called.replace("\n\ndef main", f"\n\ndef loss(x):\n    return {result}\n\n\ndef main")


def test_a_function_that_the_user_names_is_compared_too(project: Path) -> None:
    (project / "train.py").write_text(with_loss(TRAIN, "0.0"))
    after = with_loss(HOISTED, "float(x.sum())")
    assert judged(project, after).verdict is Verdict.PROVEN
    found = judged(project, after, compared=[("train", "loss")])
    assert found.verdict is Verdict.DIFFERENT
    assert "`train:loss call 1`: 0 became" in found.reason


@pytest.mark.parametrize(("told", "most"), [((None, 300, 200), 300), ((None, None), None)])
def test_the_processes_of_a_run_together_tell_the_most_memory(
    tmp_path: Path, told: tuple[int | None, ...], most: int | None
) -> None:
    nothing: dict[str, object] = {name: [] for name in ("compiles", "steps", "outputs", "functions")}
    for number, peak in enumerate(told):
        memory = {"peak_bytes": 100 * number, "device_peak_bytes": peak}
        process = {"pid": number, "started": 0.0, "traces": 0, "loaded": {}, "environment": None}
        (tmp_path / f"{number}.json").write_text(json.dumps(nothing | memory | process))
    run = merged("train.py", Finished(0, "", ""), tmp_path)
    assert (run.peak_bytes, run.device_peak_bytes) == (100 * (len(told) - 1), most)


SCRIPT = """\
import jax
import jax.numpy as jnp


def loss(params, batch):
    return jnp.sum((params - batch) ** 2)


params = jnp.zeros(3)
for number in range(8):
    batch = jnp.full(3, float(number))
    gradients = jax.grad(loss)(params, batch)
    params = params - 0.1 * gradients
print("done")
"""
STEP = """\
@jax.jit
def train_step(params, batch):
    gradients = jax.grad(loss)(params, batch)
    return params - 0.1 * gradients


"""


@pytest.mark.parametrize(("given", "verdict"), [("batch", Verdict.PROVEN), ("0.5 * batch", Verdict.DIFFERENT)])
def test_a_script_is_compared_by_what_it_leaves_in_its_variables(tmp_path: Path, given: str, verdict: Verdict) -> None:
    (tmp_path / "train.py").write_text(SCRIPT)
    loop = SCRIPT.index("for number")
    rest = SCRIPT[loop:].replace("    gradients = jax.grad(loss)(params, batch)\n", "")
    called = rest.replace("params - 0.1 * gradients", f"train_step(params, {given})")
    found = judged(tmp_path, SCRIPT[:loop] + STEP + called, function="<module>", equality=Equality.ROUNDING)
    assert found.verdict is verdict, found.reason
