"""The installed optax, repaired in an overlay through the command line, by general codemods alone."""

import json
from importlib.metadata import version

import pytest

from jaxfix.drivers.cli.start import run
from jaxfix.report.evidence import Comparison, Evidence, Verdict
from jaxfix.report.wire import from_json

pytestmark = [
    pytest.mark.evidence,
    pytest.mark.skipif(version("optax") != "0.2.8", reason="the figures are those of optax 0.2.8"),
]


def proven(capfd: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Comparison]:
    """The comparisons of all proven fixes by case."""
    run(["apply", *arguments, "--prove", "--output-format", "json"])
    document = json.loads(capfd.readouterr().out)
    receipts = [from_json(Evidence, entry) for entry in document["evidence"]]
    return {c.case: c for entry in receipts if entry.verdict is Verdict.PROVEN for c in entry.comparisons}


def test_eager_radam_compiles_no_more_from_the_third_step_on(capfd: pytest.CaptureFixture[str]) -> None:
    found = proven(capfd, "optax._src.transform", "--select", "static-exponent")
    for factory in ("radam", "scale_by_radam"):
        eager = found[f"optax.{factory}, eager, float32"]
        assert (eager.before.steady_compiles, eager.after.steady_compiles) == (1, 0)
        assert "from the original under jit" in eager.equality or "bitwise the original under jit" in eager.equality


@pytest.mark.slow  # each of the line searches takes half a minute to compile, with and without the fix
def test_the_jitted_line_searches_compile_once(capfd: pytest.CaptureFixture[str]) -> None:
    found = proven(capfd, "optax._src.linesearch", "--select", "weak-state")
    for factory in ("scale_by_backtracking_linesearch", "scale_by_zoom_linesearch", "lbfgs"):
        jitted = found[f"optax.{factory}, jit, float32"]
        assert (jitted.before.compiles, jitted.after.compiles) == (2, 1)
        assert jitted.equality.startswith("bitwise equal")


@pytest.mark.slow
def test_the_eager_history_of_lbfgs_is_compiled_once(capfd: pytest.CaptureFixture[str]) -> None:
    found = proven(capfd, "optax._src.transform", "--select", "local-loop-function")
    eager = found["optax.scale_by_lbfgs, eager, float32"]
    assert eager.after.steady_compiles < eager.before.steady_compiles
    assert eager.equality == "bitwise equal"
