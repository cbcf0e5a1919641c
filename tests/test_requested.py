"""Changes of results that a user asks for: never made without, and judged beside a reference."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from jaxfix.drivers.cli.start import run as run_cli
from jaxfix.drivers.workflow.planning import Planned, whatever_can_be_written
from jaxfix.drivers.workflow.targets import Target
from jaxfix.drivers.workflow.trying import Trial
from jaxfix.engine.plan import plan
from jaxfix.evidence.changed import line_of
from jaxfix.evidence.requested import Granted, granted
from jaxfix.report.evidence import Verdict
from jaxfix.report.finding import Change, Equality, Fix, Proves, Safety
from jaxfix.report.measurement import Leaf, Measurement, Output
from jaxfix.semantic.project.surroundings import ALONE
from jaxfix.source.edits import Span
from jaxfix.source.source_file import SourceFile
from jaxfix_codemods import CODEMODS

PATH, CASE = "model.py", "python model.py"
PLAIN, SPLIT, OTHER = "", "a", "a'"
"""Sources: without the fix, with it, and with its reference."""
TWICE = """\
import jax


def data(key):
    x = jax.random.normal(key, (3,))
    return x, jax.random.uniform(key, (3,))


data(jax.random.key(0))
"""


RAGGED = Path(__file__).resolve().parents[1] / "benchmarks" / "fourth_system" / "programs" / "as_written.py"
"""The lines that make its last batch shorter are those of its loss and gradient, which another codemod joins."""


def tried() -> Trial:
    """All fixes of that program, with the change that pads its batches."""
    source = SourceFile.decode(RAGGED.name, RAGGED.read_bytes())
    target = Target(source, CODEMODS, RAGGED, None, surroundings=replace(ALONE, asked=(Change.PAD_RAGGED,)))
    takes = whatever_can_be_written(target)
    patch = plan(source, CODEMODS, takes, target.surroundings)
    return Trial([Planned(target, patch)], RAGGED.parent, {}, renames=False)


@dataclass
class Program:
    """A program that is described by what each of its sources gives; it answers as a `Runner`."""

    outputs: Callable[[str], dict[str, Leaf]]
    printed: Callable[[str], str] = lambda text: ""
    failure: Callable[[str], str | None] = lambda text: None
    command: str = CASE
    repeats: bool = False
    calls_originals: bool = True

    room: int = 1

    def expected(self) -> dict[str, None]:
        return {CASE: None}

    def sha256(self, path: str) -> str:
        return ""

    def original(self, path: str) -> bytes | None:
        return b""

    def measure(
        self,
        sources: Mapping[str, bytes],
        cases: frozenset[str] | None = None,
        *,
        beside: bool = True,
        again: bool = False,
    ) -> tuple[Measurement, ...]:
        text = sources.get(PATH, b"").decode()
        found = tuple(Output(label, "*", (leaf,)) for label, leaf in self.outputs(text).items())
        failure, printed = self.failure(text), self.printed(text)
        names = (f"{PATH}:f_a", f"{PATH}:f_b")
        return (Measurement(CASE, failure, (), 0, (), found, printed, names, {}, 0, None),)


def leaf(value: float, dtype: str = "float32", shape: tuple[int, ...] = ()) -> Leaf:
    return Leaf("", dtype, shape, False, f"{value} {dtype} {shape}", (value,), 0)


def fix(key: str) -> Fix:
    how = Safety.ON_REQUEST, Equality.OTHER_NUMBERS, None, f"f_{key}", (), Proves.KEYS_USED_ONCE
    return Fix(key, "key-reuse", "Split", Span(0, 0), (), *how)


def texts(fixes: frozenset[tuple[str, str]], *, as_reference: bool = False) -> dict[str, bytes]:
    made = "".join(sorted(key for _, key in fixes))
    return {PATH: f"{made}{chr(39) if as_reference else ''}".encode()} if made else {}


def judged(program: Program, checked: Callable[[str], str | None], keys: str = "a") -> Granted:
    candidates = [(PATH, fix(key), 1) for key in keys]
    checker = Program(program.outputs, failure=checked)
    return granted(candidates, texts, program, checker, lambda words: None)


def reused(text: str) -> str | None:
    return None if text.startswith("a") else "exit status 1: KeyReuseError: used twice"


def drawn(text: str) -> dict[str, Leaf]:
    """What hangs on the key, and what does not."""
    return {"x": leaf({PLAIN: 1.0, SPLIT: 2.0}.get(text, 3.0)), "n": leaf(7.0)}


def test_other_numbers_alone_are_proven() -> None:
    (receipt,) = judged(Program(drawn), reused).receipts
    assert receipt.verdict is Verdict.PROVEN
    assert receipt.comparisons[0].equality.startswith("bitwise equal except")


@pytest.mark.parametrize(
    ("outputs", "words"),
    [
        (lambda text: drawn(text) | {"n": leaf(7.0 if text == PLAIN else 8.0)}, "`n`"),
        (lambda text: drawn(text) | ({} if text == PLAIN else {"m": leaf(1.0)}), "`m` happened only with"),
        (lambda text: drawn(text) | {"x": leaf(float(len(text)), "float32" if text == PLAIN else "int32")}, "`x`"),
        (lambda text: drawn(text) | {"x": leaf(float(len(text)), shape=() if text == PLAIN else (1,))}, "`x`"),
    ],
    ids=["a value of no key", "a call more", "another dtype", "another shape"],
)
def test_what_does_not_hang_on_the_numbers_has_to_stay(outputs: Callable[[str], dict[str, Leaf]], words: str) -> None:
    (receipt,) = judged(Program(outputs), reused).receipts
    assert receipt.verdict is Verdict.DIFFERENT
    assert words in receipt.reason


def test_a_script_may_have_keys_of_its_own_names() -> None:
    def outputs(text: str) -> dict[str, Leaf]:
        new = {} if text == PLAIN else {"train.py:<module> call 1 left `key_for_noise`": leaf(float(len(text)))}
        return drawn(text) | new

    (receipt,) = judged(Program(outputs), reused).receipts
    assert receipt.verdict is Verdict.PROVEN


@pytest.mark.parametrize(
    ("lines", "verdict"),
    [
        ({PLAIN: "loss 0.25\n", SPLIT: "loss 0.5\n", OTHER: "loss 0.75\n"}, Verdict.PROVEN),
        ({PLAIN: "loss 0.25\n", SPLIT: "cost 0.5\n", OTHER: "cost 0.75\n"}, Verdict.DIFFERENT),
        ({PLAIN: "left\n", SPLIT: "right\n", OTHER: "left\n"}, Verdict.DIFFERENT),
        ({PLAIN: "one\n", SPLIT: "one\n", OTHER: "one\ntwo\n"}, Verdict.DIFFERENT),
    ],
    ids=["numbers", "words", "a branch", "how many"],
)
def test_of_what_is_printed_the_numbers_may_be_others(lines: dict[str, str], verdict: Verdict) -> None:
    (receipt,) = judged(Program(drawn, lines.__getitem__), reused).receipts
    assert receipt.verdict is verdict


@pytest.mark.parametrize(
    ("checked", "verdict", "words"),
    [
        (lambda text: None, Verdict.NO_EFFECT, "raises nothing without it"),
        (lambda text: "exit status 1: KeyReuseError: used twice", Verdict.NOT_COMPARED, "still raises"),
        (lambda text: "exit status 1: TypeError: a typed key", Verdict.NOT_COMPARED, "in another way"),
    ],
)
def test_the_key_checker_raises_before_and_not_after(
    checked: Callable[[str], str | None], verdict: Verdict, words: str
) -> None:
    found = judged(Program(drawn), checked)
    assert (found.receipts[0].verdict, bool(found.kept)) == (verdict, False)
    assert words in found.receipts[0].reason


def ragged(equality: Equality, outputs: Callable[[str], dict[str, Leaf]]) -> tuple[Verdict, str]:
    """What a change of the last batch shows, which compiles as often as before."""
    change = replace(fix("a"), equality=equality, proves=Proves.FEWER_COMPILES)
    program = Program(outputs)
    found = granted([(PATH, change, 1)], texts, program, program, lambda words: None).receipts[0]
    return found.verdict, found.reason


NEAR = {PLAIN: 1.0, SPLIT: 1.00001, OTHER: 1.00001}


@pytest.mark.parametrize(
    ("equality", "values", "is_same"),
    [
        (Equality.FEWER_ROWS, {PLAIN: 1.0, SPLIT: 2.0, OTHER: 2.0}, True),
        (Equality.FEWER_ROWS, NEAR | {OTHER: 1.0}, False),
        (Equality.MASKED, NEAR, True),
        (Equality.MASKED, NEAR | {OTHER: 1.00002}, False),
        (Equality.MASKED, {PLAIN: 1.0, SPLIT: 1.1, OTHER: 1.1}, False),
    ],
    ids=["skipped", "not only skipped", "masked", "the padding is seen", "another mean"],
)
def test_a_shorter_batch_is_skipped_or_masked_and_no_more(
    equality: Equality, values: dict[str, float], is_same: bool
) -> None:
    verdict, reason = ragged(equality, lambda text: {"loss": leaf(values[text])})
    assert verdict is (Verdict.NO_EFFECT if is_same else Verdict.DIFFERENT), reason


@pytest.mark.parametrize("label", ["f call 1 left `batch`", "model.py:f_a yield 2"], ids=["a variable", "a generator"])
def test_what_holds_a_batch_may_hold_its_padding(label: str) -> None:
    def outputs(text: str) -> dict[str, Leaf]:
        batch = leaf(float(len(text)), shape=(2,) if text == PLAIN else (4,))
        return {label: batch, "loss": leaf(NEAR[text])}

    assert ragged(Equality.MASKED, outputs)[0] is Verdict.NO_EFFECT


def test_one_that_changes_more_is_left_out_and_the_other_is_judged_without_it() -> None:
    def outputs(text: str) -> dict[str, Leaf]:
        return {"x": leaf(1.0 + len(text)), "n": leaf(8.0 if "b" in text else 7.0)}

    found = judged(Program(outputs), reused, "ab")
    assert [receipt.verdict for receipt in found.receipts] == [Verdict.PROVEN, Verdict.DIFFERENT]


def test_a_program_that_fails_as_it_is_proves_nothing() -> None:
    (receipt,) = judged(Program(drawn, failure=lambda text: "exit status 1"), reused).receipts
    assert receipt.verdict is Verdict.FAILED


@pytest.mark.parametrize("changes", [(), ("--split-keys",)])
def test_it_is_written_with_the_option_alone(
    changes: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Also where everything that is found is written."""
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text(TWICE)
    run_cli(["apply", "train.py", "--unproven", "--allow-no-vcs", "--output-format", "json", *changes])
    document = json.loads(capfd.readouterr().out)
    assert (Path("train.py").read_text() != TWICE) is bool(changes)
    assert {entry["safety"] for entry in document["fixes"]} == ({"on-request"} if changes else set())


def test_a_report_names_the_option(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "train.py").write_text(TWICE)
    run_cli(["check", str(tmp_path / "train.py")])
    assert f"jaxfix apply {Change.SPLIT_KEYS.value}" in " ".join(capfd.readouterr().out.split())


def test_what_was_found_before_without_the_option_does_not_count_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    Path("train.py").write_text(TWICE)
    for words in ([], [], ["--split-keys"]):
        run_cli(["apply", "train.py", "--unproven", "--diff", *words])
        assert ("split(key)" in capfd.readouterr().out) is bool(words)


def test_what_was_asked_for_is_made_alone_as_with_all_other_fixes() -> None:
    trial = tried()
    ((path, change, line),) = trial.changes()
    assert line == line_of(RAGGED.read_text(), "batches")
    assert b"mask" in trial.patched(frozenset({(path, change.key)}))[path]


def test_other_fixes_of_the_lines_of_a_refused_change_are_made() -> None:
    trial = tried()
    trial.grant(frozenset())
    assert trial.changes() == []
    alone = [trial.patched(frozenset({(path, fix.key)})) for path, fix, _ in trial.candidates() if joins(fix)]
    assert [b"value_and_grad" in text for sources in alone for text in sources.values()] == [True]


def test_other_fixes_of_the_lines_of_a_proven_change_are_made_with_it() -> None:
    trial = tried()
    ((path, change, _),) = trial.changes()
    trial.grant(frozenset({(path, change.key)}))
    made = [trial.patched(frozenset({(path, fix.key)}))[path] for path, fix, _ in trial.candidates() if joins(fix)]
    assert [b"value_and_grad" in text and b"mask" in text for text in made] == [True]


def joins(fix: Fix) -> bool:
    return fix.codemod == "separate-value-and-grad"
