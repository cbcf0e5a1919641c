"""`jaxfix gate`: what it counts, what it allows, what it says, and when it says nothing."""

import json
from pathlib import Path

import pytest
from command_line import Cli

from jaxfix.drivers.workflow.traces import read_trace
from jaxfix.render import excess
from jaxfix.render.excess import Verdict
from jaxfix.render.trace import Cure
from jaxfix.report.measurement import Compile
from jaxfix.report.trace.budget import Limits, counted, is_called
from jaxfix.report.trace.cause import Cause, Why

SHAPE = Cause(Why.SHAPE, "shape of `x` differs")


def entry(line: int, of: str | None = None, instance: str | None = None, process: int = 0) -> Compile:
    program = "scan" if of is None else f"jit({of})"
    of = of and f"a.py:1 in {of}"
    return Compile(
        "a.py", line, "main", (), program, SHAPE, 0.5, of=of, instance=instance, process=process
    )  # fmt: skip


# --- what is counted ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("compiles", "expected"),
    [
        ([entry(5, "f", "1"), entry(9, "f", "1")], [("f", 2)]),
        ([entry(5, "f", "1"), entry(5, "f", "2"), entry(5, "f", "3")], [("f", 3)]),
        ([entry(5, "f", "1"), entry(9, "f", "2"), entry(9, "f", "2")], [("f", 2), ("f", 1)]),
        ([entry(5, "f", "1"), entry(5, "g", "2")], [("f", 1), ("g", 1)]),
        ([entry(5), entry(5), entry(6)], [("scan", 2), ("scan", 1)]),
        ([entry(5, "f", "1", p) for p in (0, 1, 1, 2)], [("f", 2)]),
        ([], []),
    ],
    ids=["two lines", "made anew", "two objects", "two functions", "lines", "processes", "nothing"],
)
def test_what_is_one_function(compiles: list[Compile], expected: list[tuple[str, int]]) -> None:
    assert [(each.name, each.compiles) for each in counted(compiles)] == expected


@pytest.mark.parametrize(
    ("name", "is_it"),
    [("A.update", True), ("update", True), ("jit(A.update)", True), ("date", False), ("A", False)],
)
def test_a_function_is_called_by_its_name_or_its_path(name: str, is_it: bool) -> None:
    assert is_called(entry(1, "A.update"), name) is is_it


def test_a_program_is_called_as_the_table_calls_it() -> None:
    assert is_called(entry(1), "scan") and not is_called(entry(1), "can")


# --- what is said -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limits", "passed", "words"),
    [
        (Limits(1), False, "failed: 1 function of 2 compiled more than once\n"),
        (Limits(0), False, "failed: 2 functions of 2 compiled\n"),
        (Limits(2), True, "passed: 2 functions, none compiled more than twice\n"),
        (Limits(None, 2), False, "failed: more than 2 compiles in all\n"),
        (Limits(None, 3), True, "passed: 3 compiles in all\n"),
        (Limits(2, 2), False, "failed: more than 2 compiles in all\n"),
    ],
)
def test_a_verdict_says_what_was_too_much(limits: Limits, passed: bool, words: str) -> None:
    verdict = Verdict(counted([entry(5, "f", "1"), entry(9, "f", "1"), entry(7)]), limits)
    assert (verdict.passed, excess.summary(verdict)) == (passed, words)
    assert bool(list(excess.lines(verdict, {}))) is not passed


def test_a_line_names_the_place_the_cause_and_any_cure_of_its_lines() -> None:
    verdict = Verdict(counted([entry(5, "f", "1"), entry(9, "f", "1")]), Limits(1))
    cures = {("a.py:5", "jit(f)"): Cure("weak-state", True)}
    (line,) = excess.lines(verdict, cures)
    assert line == "a.py:9: `f` compiled twice, allowed once: shape of `x` differs; codemod: weak-state [*]"


# --- programs -----------------------------------------------------------------------------------------------------

PROGRAM = """\
import jax, numpy as np


@jax.jit
def step(state, x):
    return state + x


@jax.jit
def other(x):
    return x


print("starts", flush=True)
state = step(np.float32(0), np.float32(1))
for i in range(5):
    state = step(state, i)
    other(np.ones(3 if i < 4 else 4))
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    (tmp_path / "train.py").write_text(PROGRAM)
    return tmp_path


@pytest.mark.evidence
def test_a_program_that_compiles_again_fails_and_keeps_its_output(program: Path, cli: Cli) -> None:
    told = cli("gate", "-o", "run.json", "--", "train.py")
    assert (told.code, told.out) == (1, "starts\n")
    lines = told.err.splitlines()
    assert lines[:2] == [
        "train.py:17: `step` compiled twice, allowed once: dtype of `x` float32[] -> int32[]",
        "train.py:18: `other` compiled twice, allowed once: shape of `x` float32[3] -> float32[4]",
    ]
    assert "failed: 2 functions of 2 compiled more than once" in lines
    assert len(read_trace("run.json").measurement.compiles) == 4


@pytest.mark.evidence
@pytest.mark.parametrize(
    ("arguments", "code", "names"),
    [
        (("--max-compiles", "2"), 0, []),
        (("--after", "1"), 1, ["other"]),
        (("--after", "1", "--max-compiles", "1"), 0, []),
        (("--function", "step", "--only", "."), 1, ["step"]),
        (("--max-total", "3"), 1, []),
    ],
)
def test_what_is_allowed_can_be_said(
    program: Path, cli: Cli, arguments: tuple[str, ...], code: int, names: list[str]
) -> None:
    told = cli("gate", *arguments, "--format", "json", "--", "train.py")
    document = json.loads(told.err.splitlines()[-1])
    assert (told.code, document["passed"]) == (code, code == 0)
    assert [each["name"] for each in document["excess"]] == names


@pytest.mark.evidence
@pytest.mark.parametrize(
    ("text", "arguments", "words"),
    [
        ("print(1)", (), "the program never imported jax"),
        ("import sys; sys.exit(3)", (), "`p.py` ended with exit status 3, so its compiles are not judged"),
        ("import os; os.kill(os.getpid(), 9)", (), "`p.py` was ended by SIGKILL"),
        ("import jax; jax.numpy.ones(3)", ("--function", "step"), "`--function step`: nothing of this name"),
        ("import jax; jax.numpy.ones(3)", ("--only", "train.py"), "`--only train.py`: nothing was compiled there"),
        ("import jax\nfor i in 1, 2: jax.numpy.ones(3)", ("--after", "2"), "made 2 steps, none of them after step 2"),
    ],
    ids=["no jax", "fails", "killed", "function", "only", "steps"],
)
def test_what_cannot_be_judged_does_not_pass(
    program: Path, cli: Cli, text: str, arguments: tuple[str, ...], words: str
) -> None:
    (program / "p.py").write_text(text)
    told = cli("gate", *arguments, "--", "p.py")
    assert told.code == 2 and words in told.err and told.err.count("error: ") == 1


@pytest.mark.evidence
def test_a_program_that_is_warm_before_its_loop_has_no_steps_and_passes(program: Path, cli: Cli) -> None:
    (program / "p.py").write_text(
        "import jax, numpy as np\nf = jax.jit(lambda x: x)\nf(1.0)\nfor i in 1, 2, 3: f(1.0)\n"
    )
    told = cli("gate", "--after", "1", "--", "p.py")
    assert told.code == 0 and "passed: nothing that counts was compiled" in told.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--only", "nope", "--", "train.py"), "`--only nope`: no such file or folder"),
        (("--foo", "--", "train.py"), "`--foo` is not an option of `jaxfix gate`; write the program after `--`"),
        (("-o", "no/run.json", "--", "train.py"), "no/run.json: there is no folder"),
        (("--max-compiles", "-1", "--", "train.py"), "`--max-compiles`"),
        ((), "missing argument `CMD`"),
        (("--", "nosuchprogram"), "`nosuchprogram` cannot be started"),
    ],
)
def test_what_cannot_be_meant_is_one_error(program: Path, cli: Cli, arguments: tuple[str, ...], words: str) -> None:
    told = cli("gate", *arguments)
    assert told.code == 2 and words in told.err and told.err.count("error: ") == 1
    assert told.out == ""
