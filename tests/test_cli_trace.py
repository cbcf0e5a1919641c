"""What a trace tells: the table, the file, the page, and the findings that only a run can show."""

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import replace
from html import escape
from html.parser import HTMLParser
from pathlib import Path

import pytest

from jaxfix.drivers.cli.start import run
from jaxfix.drivers.workflow.traces import read_trace
from jaxfix.engine.seen import moved, sightings
from jaxfix.render import trace as render
from jaxfix.render import trace_page
from jaxfix.render.paint import coloured, plain
from jaxfix.render.trace import Cure
from jaxfix.report.finding import Equality, Safety
from jaxfix.report.measurement import Compile, Environment, Kind, Measurement, Spent, Step
from jaxfix.report.trace import trace_file
from jaxfix.report.trace.by_hand import todos
from jaxfix.report.trace.cause import Cause, Why
from jaxfix.report.trace.compiles import Place, compiled, places
from jaxfix.report.trace.trace_file import Trace, TracedSource
from jaxfix.report.wire import to_json
from jaxfix.semantic.codemod import Codemod
from jaxfix.source.errors import EvidenceError, UserError
from jaxfix.source.source_file import SourceFile

MACHINE = Environment("3.11.9", "0.10.2", "0.10.2", "cpu", "cpu")
FIRST = Cause(Why.FIRST, "first compile of this line")
FRESH = Cause(Why.FUNCTION, "function object differs each call: `body`", "body")
RAGGED = Cause(Why.SHAPE, "shape of `x` float32[3] -> float32[5]", "x", "float32[3]", "float32[5]")
DRIFT = Cause(Why.WEAK_TYPE, "weak_type of leaf `state.count` differs", "state.count")
Run = Callable[..., tuple[int, str, str]]


def compiles(path: str, line: int, program: str, *causes: Cause | None, chain: tuple[str, ...] = ()) -> list[Compile]:
    own = (f"{path}:{line} in step", *chain)
    return [Compile(path, line, "step", own, program, cause, 0.5, at_s=1.0 + i) for i, cause in enumerate(causes)]


def measurement(*groups: list[Compile], steps: tuple[Step, ...] = (), **more: object) -> Measurement:
    found = tuple(entry for group in groups for entry in group)
    whole = Measurement("c", None, found, len(found), steps, (), "", (), {}, 10**8, MACHINE)
    return replace(whole, **more)  # type: ignore[arg-type]


def trace_of(measured: Measurement, **sources: bytes) -> Trace:
    named = trace_file.named_lines(measured)
    found = {f"{n}.py": trace_file.traced_source(raw, named.get(f"{n}.py", set())) for n, raw in sources.items()}
    return Trace("0", ("python", "train.py"), "/nowhere", measured, found)


# --- what was compiled again --------------------------------------------------------------------------------------


def test_rows_are_by_line_and_program_most_seconds_lost_first() -> None:
    once = compiles("a.py", 3, "iota", FIRST)
    often = compiles("a.py", 9, "scan", FIRST, FRESH, FRESH)
    rows = compiled([*once, *often])
    assert [(row.where, row.compiles, row.again, row.lost_s) for row in rows] == [
        ("a.py:9", 3, 2, 1.0),
        ("a.py:3", 1, 0, 0),
    ]
    assert rows[0].cause == FRESH


def test_cells_of_one_notebook_are_rows_of_their_own() -> None:
    first, second = (
        replace(entry, cell=cell) for cell, entry in enumerate(compiles("a.ipynb", 3, "scan", FIRST, FRESH), 1)
    )
    rows = compiled([first, second])
    assert [(row.where, row.compiles) for row in rows] == [("a.ipynb:cell 1:3", 1), ("a.ipynb:cell 2:3", 1)]
    table = render.table(measurement([first, second]), plain)
    assert "a.ipynb:cell 2:3" in table and "a.ipynb:cell 1:3" in table


def test_the_first_compile_of_another_process_is_not_lost() -> None:
    (row,) = compiled(compiles("a.py", 9, "scan", FIRST, FIRST, FRESH))
    assert (row.compiles, row.again) == (3, 1)


def test_without_a_cause_the_second_compile_is_lost() -> None:
    (row,) = compiled(compiles("a.py", 9, "scan", None, None))
    assert (row.again, row.cause, row.why) == (1, None, Why.UNKNOWN)


def test_the_kind_that_is_most_frequent_speaks_for_a_line() -> None:
    shapes = [replace(RAGGED, words=f"shape {n}", after=str(n)) for n in range(3)]
    (row,) = compiled(compiles("a.py", 9, "f", FIRST, DRIFT, DRIFT, *shapes))
    assert row.why is Why.SHAPE


def test_a_chain_is_read_where_it_can_be() -> None:
    odd = ("C:/a b.py:12 in f", "odd", "x.py:y in f", "<string>:1 in <module>", "", " in ")
    assert places(odd) == (Place("C:/a b.py", 12, "f"), Place("<string>", 1, "<module>"))


# --- the table ----------------------------------------------------------------------------------------------------


def test_the_table_says_what_is_lost_and_what_cures_it() -> None:
    measured = measurement(compiles("a.py", 3, "iota", FIRST), compiles("a.py", 9, "scan", FIRST, FRESH))
    (row, _) = compiled(measured.compiles)
    assert render.table(measured, plain, None, {row: Cure("local-loop-function", True)}) == (
        "seconds  lost s  times  where   what  why                                        codemod\n"
        "   1.00    0.50      2  a.py:9  scan  function object differs each call: `body`  local-loop-function [*]\n"
        "   0.50              1  a.py:3  iota  first compile of this line\n"
        "3 compiles, 1.50 s; 1 repeated, 0.50 s lost\n"
    )


@pytest.mark.parametrize("width", [40, 60, 80, 100, 160])
def test_the_table_fits_the_terminal_and_loses_no_word(width: int) -> None:
    long = replace(FRESH, words=" ".join(f"word{n}" for n in range(30)))
    measured = measurement(compiles("a.py", 9, "scan", FIRST, long), compiles("b.py", 1, "jit(f)", FIRST))
    told = render.table(measured, plain, width, {})
    table, _, _ = told.partition("3 compiles")
    assert all(len(line) <= width for line in table.splitlines())
    assert all(f"word{n}" in told for n in range(30))


def test_cached_compiles_are_told_apart() -> None:
    measured = measurement([replace(e, cached=True) for e in compiles("a.py", 9, "f", FIRST, None, None)])
    told = render.table(measured, plain)
    assert "3 (3 cached)" in told
    assert "3 compiles, 3 of them from the persistent cache, 1.50 s" in told


def test_lines_that_compiled_once_are_summed_up() -> None:
    measured = measurement(*(compiles("a.py", line, "f", FIRST) for line in range(1, 15)))
    assert "and 4 lines more that compiled once, 2.00 s\n" in render.table(measured, plain)


def test_nothing_compiled_is_said() -> None:
    assert render.table(measurement(), plain) == "nothing was compiled\n"


def test_colours_change_no_word() -> None:
    measured = measurement(compiles("a.py", 9, "scan", FIRST, FRESH))
    painted = render.table(measured, coloured, 120)
    assert "\x1b[" in painted
    bare = re.sub(r"\x1b\[[\d;]*m", "", painted)
    assert [line.rstrip() for line in bare.splitlines()] == render.table(measured, plain, 120).splitlines()


def test_what_a_terminal_would_obey_is_not_printed() -> None:
    measured = measurement(compiles("a\x1b[31m.py", 9, "f", FIRST, replace(FRESH, words="x\x07\ny")))
    told = render.table(measured, plain)
    assert "\x1b" not in told and "\x07" not in told and len(told.splitlines()) == 3


def steps(*counts: int, grows: int = 0, arrays: int | None = 5) -> tuple[Step, ...]:
    return tuple(Step(n, n, 10_000_000 + grows * i, 0.1, arrays) for i, n in enumerate(counts))


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (steps(9, 1, 1, 1, 1, grows=1_400_000), "1 compile per step from step 3, RSS +1.4 MB per step, live arrays +0"),
        (steps(9, 0, 1, 0, 1), "2 compiles in 3 steps from step 3, RSS +0.0 MB per step, live arrays +0"),
        (steps(9, 0, 0, 0, grows=-10, arrays=None), "0 compiles per step from step 3, RSS +0.0 MB per step"),
        (steps(9, 1), "fewer than 3, so none is steady"),
        (
            (*steps(9, 0, 1), Step(1, 1, 18_000_000, 0.1, iterations=8, together=3)),
            "4 compiles in 9 steps from step 3, RSS +1.0 MB per step",
        ),
        (
            (*steps(0, 0, 1), Step(1, 1, 10_000_000, 0.1, iterations=2, together=2)),
            "1 compile per step from step 3, RSS +0.0 MB per step",
        ),
    ],
)
def test_steps_are_told_in_a_line(found: tuple[Step, ...], told: str) -> None:
    line = render.steps(measurement(steps=found, where_steps="train.py:30"))
    assert line == f"{sum(step.iterations for step in found)} steps of train.py:30: {told}\n"


@pytest.mark.parametrize(
    ("steps_from", "told"),
    [
        (3, "3 compiles in 21 steps from step 3, RSS +0.1 MB per step, live arrays +0.5"),
        (4, "3 compiles in 20 steps from step 4, RSS +0.1 MB per step, live arrays +0.5"),
        (5, "3 compiles in 10 steps from step 5"),
        (15, "fewer than 15, so none is steady"),
    ],
)
def test_of_joined_steps_those_are_steady_that_begin_late_enough(steps_from: int, told: str) -> None:
    singly = tuple(Step(count, 0, 0, 0.1, 5) for count in (9, 9, 0))
    first = Step(0, 0, 1_000_000, 0.1, 10, iterations=10, together=0)
    second = Step(1, 0, 2_000_000, 0.1, 15, iterations=10, together=3)
    run = measurement(steps=(*singly, first, second), where_steps="train.py:30", steps_from=steps_from)
    assert render.steps(run) == f"23 steps of train.py:30: {told}\n"
    assert run.step_numbers == (1, 2, 3, 13, 23)


# --- the file -----------------------------------------------------------------------------------------------------


def test_a_trace_survives_its_file() -> None:
    written = trace_of(measurement(compiles("a.py", 2, "scan", FIRST, FRESH), steps=steps(1, 2)), a=b"1\n2\n3\n")
    assert trace_file.load(trace_file.dump(written), "t.json") == written
    document = json.loads(trace_file.dump(written))
    assert (document["format"], document["schema"]) == ("jaxfix trace", 1)
    assert document["rows"] == to_json(compiled(written.measurement.compiles))
    assert document["sources"]["a.py"]["sha256"] == hashlib.sha256(b"1\n2\n3\n").hexdigest()


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"\x00\xff", "t.json: not JSON: "),
        (b"[" * 100_000, "t.json: not JSON: "),
        (b"[1]", "t.json: not a trace of jaxfix; trace the program again"),
        (b'{"schema": 1, "findings": []}', "t.json: not a trace of jaxfix; trace the program again"),
        (b'{"format": "jaxfix trace", "schema": 9}', "t.json: a trace of schema 9, and this jaxfix reads schema 1; "),
        (b'{"format": "jaxfix trace", "schema": 1}', "t.json: a damaged trace: "),
    ],
)
def test_what_is_no_trace_is_said_with_what_to_do(raw: bytes, said: str) -> None:
    with pytest.raises(EvidenceError) as raised:
        trace_file.load(raw, "t.json")
    assert str(raised.value).startswith(said)


def test_a_trace_that_is_not_there_or_a_folder_is_an_error_of_the_users(tmp_path: Path) -> None:
    for name in ("gone.json", "."):
        with pytest.raises(UserError):
            read_trace(str(tmp_path / name))


# --- lines of a source that has changed ---------------------------------------------------------------------------

TEXT = "a = 1\nb = f(a)\nc = f(b)\n"


def seen_after(change: Callable[[str], str]) -> list[tuple[int | None, tuple[int, ...]]]:
    measured = measurement(compiles("m.py", 2, "f", FIRST, FRESH, chain=("m.py:3 in main",)))
    then = trace_file.traced_source(TEXT.encode(), {2, 3})
    source = SourceFile.decode("m.py", change(TEXT).encode())
    return [(s.line, s.lines) for s in sightings(compiled(measured.compiles), "m.py", then, source)]


def test_lines_are_found_again() -> None:
    assert seen_after(lambda text: text) == [(2, (2, 3))]
    assert seen_after(lambda text: "# new\n" + text) == [(3, (3, 4))]
    assert seen_after(lambda text: text.replace("\n", "\r\n")) == [(2, (2, 3))]
    assert seen_after(lambda text: text.replace("c = f(b)", "c = g(b)")) == [(2, (2,))]


def test_of_a_rewritten_or_doubled_line_nothing_is_said() -> None:
    assert seen_after(lambda text: text.replace("b = f(a)", "b = g(a)")) == []
    assert seen_after(lambda text: "\n\n\nb = f(a)\n" + text) == []


def test_sightings_move_with_their_lines() -> None:
    before, after = (SourceFile.decode("m.py", text.encode()) for text in (TEXT, "# new\n" + TEXT))
    measured = measurement(compiles("m.py", 2, "f", FIRST, FRESH))
    then = TracedSource(hashlib.sha256(TEXT.encode()).hexdigest(), {})
    seen = sightings(compiled(measured.compiles), "m.py", then, before)
    assert [sighting.line for sighting in moved(seen, before, after)] == [3]


# --- the page -----------------------------------------------------------------------------------------------------


class Tags(HTMLParser):
    """The tags of a page, and the text of its data."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.data = ""
        self._in_data = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href")]
        self._in_data = ("id", "data") in attrs

    def handle_data(self, data: str) -> None:
        self.data += data if self._in_data else ""


EVIL = "</script><img src=x onerror=alert(1)>&<!--"


def test_nothing_of_the_users_becomes_a_tag() -> None:
    path = f"{EVIL}.py"
    cause = replace(FRESH, words=EVIL)
    measured = measurement(compiles(path, 1, EVIL, FIRST, cause), failure=EVIL, where_steps=EVIL, steps=steps(1, 1, 1))
    did = Spent(Kind.EAGER, path, 1, EVIL, (f"{path}:1 in {EVIL}",), (EVIL,), 9, 9, 5.0)
    measured = replace(measured, spent=(did, replace(did, kind=Kind.READ)), seconds=20.0)
    source = trace_file.traced_source(EVIL.encode(), {1})
    trace = Trace("0", ("python", EVIL), "/", measured, {path: source})
    row = compiled(measured.compiles)[0]
    page = Tags(trace_page.page(trace, {row: Cure(EVIL, True), did: Cure(EVIL, False)}))
    assert "img" not in page.tags
    assert page.tags.count("script") == 3
    assert json.loads(page.data)["compiles"][1]["words"] == EVIL


def test_the_page_says_what_the_table_says() -> None:
    measured = eager_trace(measurement(compiles("train.py", 5, "iota", FIRST)))
    page = trace_page.page(trace_of(measured, train=EAGER.encode()), {})
    assert "Where 10.0 s went" in page
    for words in ("compiling: 0.5 s", "running programs one by one: 4.0 s", "the rest: 5.5 s"):
        assert words in page
    (todo,) = todos(measured, ())
    assert escape(todo.words).replace("`jax.jit`", "<code>jax.jit</code>").partition(" of train.py")[0] in page
    assert page.count('data-label="a step" data-value="20"') == 1


def test_the_page_fetches_nothing() -> None:
    measured = measurement(compiles("a.py", 1, "f", FIRST, FRESH), steps=steps(1, 1))
    page = Tags(trace_page.page(trace_of(measured, a=b"f()\n"), {}))
    assert all(address.startswith(("#", "data:")) for address in page.addresses)
    assert "link" in page.tags and "style" in page.tags


def test_a_page_of_nothing_is_a_page() -> None:
    page = trace_page.page(trace_of(measurement()), {})
    assert "Nothing was compiled" in page and page.rstrip().endswith("</html>")


def test_every_cause_has_a_colour_in_both_schemes() -> None:
    page = trace_page.page(trace_of(measurement()), {})
    assert set(trace_page.COLOURS) == set(Why)
    schemes = ("light", "dark by the system", "dark by choice")
    assert all(page.count(f"--{name}:") == len(schemes) for name in trace_page.COLOURS.values())


# --- check and apply ----------------------------------------------------------------------------------------------

SLOW = """\
import jax
import jax.numpy as jnp


def smooth(signal, gain):
    def body(state, x):
        return state + gain * x, x

    return jax.lax.scan(body, 0.0, signal)


def feed(score, batches):
    for batch in batches:
        score(batch)
"""


@pytest.fixture
def traced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a trace of it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    (tmp_path / "train.py").write_text(SLOW)
    measured = measurement(
        compiles("train.py", 9, "scan", FIRST, FRESH, FRESH),
        compiles("train.py", 14, "jit(score)", FIRST, RAGGED, RAGGED),
    )
    (tmp_path / "t.json").write_bytes(trace_file.dump(trace_of(measured, train=SLOW.encode())))
    return tmp_path


@pytest.fixture
def cli(capfd: pytest.CaptureFixture[str]) -> Run:
    def called(*arguments: str) -> tuple[int, str, str]:
        capfd.readouterr()
        code = run(list(arguments))
        return code, *capfd.readouterr()

    return called


def test_check_says_what_was_seen(traced: Path, cli: Run) -> None:
    code, out, err = cli("check", "--trace", "t.json")
    first, second = out.splitlines()
    assert first.startswith("train.py:9:12: local-loop-function [*] ")
    assert first.endswith("; seen: 3 compiles, 1.5 s")
    assert second.startswith("train.py:14:9: ragged-shape `x` is passed with many different shapes")
    assert code == 1 and "note" not in err


EAGER = """\
import jax
import optax

def train(loss, params, data):
    optimizer = optax.adam(0.1)
    state = optimizer.init(params)
    for batch in data:
        grads = jax.grad(loss)(params, batch)
        updates, state = optimizer.update(grads, state, params)
        params = optax.apply_updates(params, updates)
    return params
"""


def eager_trace(measured: Measurement) -> Measurement:
    """With a training step that runs 21 programs one by one, in 4 s of 10."""
    spent = tuple(
        Spent(Kind.EAGER, "train.py", line, "train", (f"train.py:{line} in train",), ("mul", "add"), count, count, 2.0)
        for line, count in ((9, 60), (10, 3))
    )
    return replace(measured, spent=spent, seconds=10.0, steps=steps(0, 0, 0), where_steps="train.py:7")


def test_what_a_run_was_long_in_is_told_of_the_finding_that_cures_it(traced: Path, cli: Run) -> None:
    seen = eager_trace(measurement(compiles("train.py", 5, "iota", FIRST)))
    (traced / "train.py").write_text("# moved\n" + EAGER)
    (traced / "t.json").write_bytes(trace_file.dump(trace_of(seen, train=EAGER.encode())))
    _, out, _ = cli("check", "--trace", "t.json", "--select", "unjitted-update")
    (told,) = [line for line in out.splitlines() if "unjitted-update" in line]
    assert told.endswith("; seen: 21 programs a step, 4.0 s (40% of the run)")
    _, out, _ = cli("check", "--trace", "t.json", "--output-format", "json")
    dearest = json.loads(out)["findings"][0]
    assert dearest["id"] == "unjitted-update" and dearest["confidence"] == "seen"
    assert dearest["seen"] == {"compiles": 0, "seconds": 4.0, "programs": 63, "moves": 0} | {
        "per_step": 21.0,
        "share": 0.4,
    }


def test_the_parts_of_a_run_are_alike_in_the_table_and_the_files(traced: Path) -> None:
    measured = eager_trace(measurement(compiles("train.py", 5, "iota", FIRST)))
    document = json.loads(trace_file.dump(trace_of(measured, train=EAGER.encode())))
    (event,) = document["events"]
    assert (event["kind"], event["first"], event["last"], event["per_step"]) == ("eager", 9, 10, 21.0)
    shares = document["shares"]
    assert shares["run_s"] == sum(shares[f"{part}_s"] for part in ("compiling", "eager", "read", "put", "wait", "rest"))
    told = render.table(measured, plain)
    assert "of 10.0 s: 0.5 compiling, 4.0 running programs one by one, 5.5 the rest\n" in told
    assert f"by hand: {event['advice']}\n" in told
    assert "   2.00     60      20  train.py:9   mul, add  run one by one\n" in told
    cured = {line: Cure("unjitted-update", True) for line in measured.spent}
    assert "by hand" not in render.table(measured, plain, None, cured)


def test_without_a_trace_nothing_is_seen(traced: Path, cli: Run) -> None:
    _, out, _ = cli("check", "train.py")
    assert "seen" not in out and "ragged-shape" not in out


def test_json_says_what_was_seen(traced: Path, cli: Run) -> None:
    _, out, _ = cli("check", "--trace", "t.json", "--output-format", "json")
    first, second = json.loads(out)["findings"]
    assert first["confidence"] == second["confidence"] == "seen"
    assert (first["seen"]["compiles"], first["seen"]["seconds"]) == (3, 1.5)


def test_findings_of_a_run_can_be_chosen_and_silenced(traced: Path, cli: Run) -> None:
    assert cli("check", "--trace", "t.json", "--ignore", "ragged-shape")[1].count("\n") == 1
    assert cli("check", "--trace", "t.json", "--select", "ragged-shape")[1].count("\n") == 1
    (traced / "train.py").write_text(SLOW.replace("score(batch)", "score(batch)  # jaxfix: ignore[ragged-shape]"))
    silenced = b"score(batch)  # jaxfix: ignore[ragged-shape]"
    (traced / "t.json").write_bytes((traced / "t.json").read_bytes().replace(b"score(batch)", silenced))
    assert "ragged-shape" not in cli("check", "--trace", "t.json")[1]


def test_a_stale_trace_is_said_and_used_where_lines_are_the_same(traced: Path, cli: Run) -> None:
    (traced / "train.py").write_text("# new\n" + SLOW.replace("score(batch)", "score(batch[:8])"))
    _, out, err = cli("check", "--trace", "t.json")
    assert "train.py:10:12: local-loop-function" in out and "seen: 3 compiles" in out
    assert "ragged-shape" not in out
    assert "note: `train.py` has changed since the trace: only its unchanged lines are used\n" in err


def test_a_trace_of_other_files_is_said(traced: Path, cli: Run) -> None:
    (traced / "other.py").write_text("x = 1\n")
    code, out, err = cli("check", "other.py", "--trace", "t.json")
    assert (code, out) == (0, "")
    assert "note: the trace is of other files: `train.py`\n" in err


def test_a_trace_from_elsewhere_is_of_the_file_with_the_same_contents(traced: Path, cli: Run) -> None:
    (traced / "copies").mkdir()
    (traced / "train.py").rename(traced / "copies" / "renamed.py")
    assert "seen: 3 compiles" in cli("check", "copies", "--trace", "t.json")[1]


def test_below_the_folder_of_a_trace_its_files_are_not_those_of_the_same_name(
    traced: Path, cli: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = read_trace("t.json")
    (traced / "t.json").write_bytes(trace_file.dump(replace(seen, root=str(traced))))
    (traced / "below").mkdir()
    (traced / "below" / "train.py").write_text(SLOW)
    monkeypatch.chdir(traced / "below")
    _, out, _ = cli("check", "--trace", "../t.json")
    assert {line.partition(":")[0] for line in out.splitlines()} == {"../train.py"}


@pytest.mark.parametrize(("steps", "count"), [((1, 1, 1), 0), ((1, 2, 3), 1), ((None, None, None), 1)])
def test_the_shapes_of_one_step_are_those_of_a_tree(
    traced: Path, cli: Run, steps: tuple[int | None, ...], count: int
) -> None:
    ragged = compiles("train.py", 14, "jit(add)", FIRST, RAGGED, RAGGED)
    measured = measurement([replace(entry, step=step) for entry, step in zip(ragged, steps, strict=True)])
    (traced / "t.json").write_bytes(trace_file.dump(trace_of(measured, train=SLOW.encode())))
    _, out, _ = cli("check", "--trace", "t.json", "--select", "ragged-shape")
    assert out.count("ragged-shape") == count


@pytest.mark.parametrize(
    ("why", "number", "in_a_step", "count"),
    [(Why.SHAPE, 20, False, 0), (Why.STATIC, 3, False, 0), (Why.STATIC, 20, False, 1), (Why.STATIC, 3, True, 1)],
)
def test_what_is_compiled_for_each_layer_before_the_steps_is_no_recompile(
    traced: Path, cli: Run, why: Why, number: int, in_a_step: bool, count: int
) -> None:
    layers = compiles("train.py", 14, "jit(init)", FIRST, *[Cause(why, "`n` 1 -> 2", "n", "1", "2")] * number)
    if in_a_step:
        layers = [replace(entry, step=step) for step, entry in enumerate(layers, 1)]
    step = [replace(entry, step=1) for entry in compiles("train.py", 15, "jit(g)", FIRST)]
    (traced / "t.json").write_bytes(trace_file.dump(trace_of(measurement(layers, step), train=SLOW.encode())))
    _, out, _ = cli("check", "--trace", "t.json", "--select", "ragged-shape", "--select", "python-counter")
    assert out.count("train.py:14") == count


def test_what_a_stranger_writes_into_a_trace_moves_no_cursor(traced: Path, cli: Run) -> None:
    ragged = replace(RAGGED, name="\x1b[2Jtokens", before="float32[3]\nfine.py:1:1: safe", words="\x1b[2J")
    measured = measurement(compiles("train.py", 14, "jit(add)", FIRST, ragged, ragged), steps=steps(1, 1, 1))
    measured = replace(measured, where_steps="train.py\x1b[2J:3")
    (traced / "t.json").write_bytes(trace_file.dump(trace_of(measured, train=SLOW.encode())))
    _, out, _ = cli("check", "--trace", "t.json", "--select", "ragged-shape")
    assert len(out.splitlines()) == 1 and "\\x1b[2Jtokens" in out
    assert "\x1b" not in out + render.table(measured, plain)


def test_what_is_no_trace_ends_check(traced: Path, cli: Run) -> None:
    code, _, err = cli("check", "--trace", "train.py")
    assert code == 2 and "train.py: not JSON" in err


def test_apply_fixes_what_was_seen_and_reports_the_rest_where_it_is_now(traced: Path, cli: Run) -> None:
    code, _, err = cli("apply", "--trace", "t.json", "--unproven", "--allow-no-vcs")
    assert code == 1
    assert "1 finding fixed; 1 finding remains, 1 without a fix" in err
    _, out, _ = cli("check", "--trace", "t.json")
    (line,) = out.splitlines()
    number = (traced / "train.py").read_text().splitlines().index("        score(batch)") + 1
    assert line.startswith(f"train.py:{number}:9: ragged-shape")


def test_a_finding_in_another_file_explains_a_row_once(traced: Path, cli: Run) -> None:
    (traced / "lib.py").write_text("def run(loop, body, xs):\n    return loop(body, 0.0, xs)\n")
    text = SLOW.replace("return jax.lax.scan(body, 0.0, signal)", "return jax.lax.scan(body, run(body), signal)")
    (traced / "train.py").write_text(text)
    rows = compiles("lib.py", 2, "scan", FIRST, FRESH, FRESH, chain=("train.py:9 in smooth",))
    (traced / "t.json").write_bytes(
        trace_file.dump(trace_of(measurement(rows), train=text.encode(), lib=(traced / "lib.py").read_bytes()))
    )
    _, out, _ = cli("check", "--trace", "t.json")
    assert "fresh-function" not in out and "local-loop-function" in out and "seen: 3 compiles" in out


def test_another_program_in_the_function_of_a_finding_is_not_explained_by_it(traced: Path, cli: Run) -> None:
    text = SLOW.replace("    return jax.lax", "    signal = gain.solve(signal)\n    return jax.lax")
    (traced / "train.py").write_text(text)
    rows = compiles("train.py", 9, "jit(solve)", FIRST, FRESH, FRESH)
    (traced / "t.json").write_bytes(trace_file.dump(trace_of(measurement(rows), train=text.encode())))
    first, second = cli("check", "--all", "--trace", "t.json")[1].splitlines()
    assert first.startswith("train.py:9:14: fresh-function") and first.endswith("seen: 3 compiles, 1.5 s")
    assert second.startswith("train.py:10:12: local-loop-function") and "seen" not in second


LOOP = """import jax
import jax.numpy as jnp
import optax


def loss(w):
    return jnp.sum(w**2)


w = jnp.ones(3)
state = optax.sgd(0.1).init(w)
for i in range(9):
    value, grads = jax.value_and_grad(loss)(w)
    w = w - 0.1 * grads
"""


@pytest.mark.parametrize(("line", "is_explained"), [(11, False), (14, True)])
def test_a_finding_of_a_loop_explains_what_the_loop_compiles(
    traced: Path, cli: Run, line: int, is_explained: bool
) -> None:
    (traced / "train.py").write_text(LOOP)
    dtypes = Cause(Why.DTYPE, "dtype of argument 0 float32[] -> int32[]", "argument 0", "float32[]", "int32[]")
    rows = compiles("train.py", line, "convert_element_type", FIRST, dtypes)
    (traced / "t.json").write_bytes(trace_file.dump(trace_of(measurement(rows), train=LOOP.encode())))
    (told,) = cli("check", "--trace", "t.json")[1].splitlines()
    assert told.startswith("train.py:13:") and "unjitted-update" in told and ("seen" in told) == is_explained


def test_a_drifting_leaf_of_another_file_is_found_where_that_makes_it(traced: Path, cli: Run) -> None:
    text = """\
import jax
import jax.numpy as jnp
from begin import start

step = jax.jit(lambda state: {"count": state["count"] + jnp.ones(())})
state = start()
for _ in range(3):
    state = step(state)
"""
    (traced / "train.py").write_text(text)
    made = 'import jax.numpy as jnp\n\n\ndef start():\n    return {"count": jnp.asarray(0.0)}\n'
    (traced / "begin.py").write_text(made)
    rows = compiles("train.py", 8, "jit(<lambda>)", FIRST, replace(DRIFT, name="state['count']", before="weak float32"))
    (traced / "t.json").write_bytes(trace_file.dump(trace_of(measurement(rows), train=text.encode())))
    found = cli("check", "--trace", "t.json", "train.py", "begin.py")[1].splitlines()
    assert found[0].startswith("begin.py:5:22: weak-state [*] `count` starts weakly typed")
    assert "seen: 2 compiles" in found[0] and not any("drifting-state-dtype" in line for line in found)
    _, out, _ = cli("apply", "--diff", "--unproven", "--trace", "t.json", "train.py", "begin.py")
    assert '+    return {"count": jnp.asarray(0.0, dtype=float)}' in out


def test_a_drifting_leaf_is_explained_where_it_is_made(traced: Path, cli: Run) -> None:
    text = """\
import jax
import jax.numpy as jnp


def init():
    return {"count": jnp.asarray(0.0)}


def update(state):
    return {"count": state["count"] + jnp.ones(())}


step = jax.jit(update)
state = init()
for _ in range(3):
    state = step(state)
"""
    (traced / "train.py").write_text(text)
    drift = replace(DRIFT, name="state['count']")
    rows = compiles("train.py", 16, "jit(update)", FIRST, drift)
    (traced / "t.json").write_bytes(trace_file.dump(trace_of(measurement(rows), train=text.encode())))
    (found,) = cli("check", "--trace", "t.json")[1].splitlines()
    assert found.split()[1] == "weak-state"
    assert found.startswith("train.py:6:") and found.endswith("seen: 2 compiles, 1.0 s")


def test_a_codemod_without_triggers_needs_causes() -> None:
    from jaxfix.engine.registry import validated

    codemod = Codemod("no-triggers", (), Safety.SAFE, Equality.BITWISE, lambda module: iter(()))
    with pytest.raises(UserError, match="has no triggers, and no `cures`"):
        validated("p", (codemod,))


# --- the command --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("option", ["-o", "--html"])
@pytest.mark.parametrize("name", ["no/such/folder/t.json", "."])
def test_a_place_that_cannot_be_written_is_refused_before_the_program_runs(
    traced: Path, cli: Run, option: str, name: str
) -> None:
    code, _, err = cli("trace", option, name, "--", "touch", "ran")
    assert code == 2 and name in err
    assert not (traced / "ran").exists()


@pytest.mark.parametrize("words", [("no-such-program-at-all",), ("missing.py",)])
def test_a_program_that_cannot_start_or_fails_is_told(traced: Path, cli: Run, words: tuple[str, ...]) -> None:
    code, _, err = cli("trace", "--", *words)
    assert code == 2 and words[0] in err


def test_a_program_that_fails_has_a_table_and_its_own_exit_code(traced: Path, cli: Run) -> None:
    (traced / "fails.py").write_text("raise SystemExit(7)\n")
    code, _, err = cli("trace", "-o", "u.json", "--", "fails.py")
    assert code == 7
    assert "nothing was compiled" in err and "exit status 7" in err
    assert read_trace("u.json").measurement.failure == "exit status 7"


@pytest.mark.parametrize("arguments", [("--bogus", "--", "touch", "ran"), ("--step", "a b", "--", "touch", "ran")])
def test_what_cannot_be_meant_is_refused_before_the_program_runs(
    traced: Path, cli: Run, arguments: tuple[str, ...]
) -> None:
    code, out, err = cli("trace", *arguments)
    assert (code, out) == (2, "") and f"`{' '.join(arguments[: arguments.index('--')])}`" in err
    assert not (traced / "ran").exists()


@pytest.mark.parametrize("words", [("killed.py",), ("python", "-I", "fine.py"), ("true",)])
def test_what_nobody_could_see_is_not_called_nothing(traced: Path, cli: Run, words: tuple[str, ...]) -> None:
    (traced / "killed.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n")
    (traced / "fine.py").write_text("")
    _, _, err = cli("trace", "--html", "p.html", "--", *words)
    assert err.startswith("what was compiled is not known: no Python that can be watched came to its end")
    page = (traced / "p.html").read_text()
    assert "What was compiled is not known" in page and "<code>-I</code>" in page


REPEATS = """\
import sys
sys.path.insert(0, "")
import jax
import jax.numpy as jnp


def smooth(signal):
    def body(state, x):
        return state + x, x

    return jax.lax.scan(body, 0.0, signal)[0]


for step in range(4):
    smooth(jnp.ones(4))
"""


@pytest.mark.evidence
@pytest.mark.parametrize(
    ("options", "ending", "said"),
    [
        (("--on", "cpu"), "", "note: fix and prove it with `jaxfix apply far.py --run 'python far.py' --on cpu`"),
        (("--launcher", "env"), "", "--run 'python far.py' --launcher env`"),
        (
            (),
            "raise KeyboardInterrupt",
            "note: fix and prove it with `jaxfix apply far.py --run 'python far.py' --steps 20`",
        ),
        ((), "raise SystemExit(4)", "note: once the program ends well, fix and prove it with `jaxfix apply far.py"),
    ],
)
def test_the_next_step_reruns_as_it_was_traced(
    traced: Path, cli: Run, options: tuple[str, ...], ending: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    (traced / "far.py").write_text(f"{REPEATS}{ending}\n")
    _, _, err = cli("trace", *options, "--", "far.py")
    assert said in err


PROGRAM = """\
import jax
import jax.numpy as jnp


def smooth(signal, gain):
    def body(state, x):
        return state + gain * (x - state), x

    return jax.lax.scan(body, 0.0, signal)[0]


for step in range(6):
    smooth(jnp.ones(4), 0.5)
print("done")
"""


@pytest.mark.evidence
def test_a_named_step_that_never_ran_is_said(traced: Path, cli: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    (traced / "loop.py").write_text(PROGRAM)
    for step, is_said in (("smoth", True), ("smooth", False)):
        code, _, err = cli("trace", "--step", step, "--", "loop.py")
        assert code == 0
        assert (f"`--step {step}`: no function of this name was called outside of a trace" in err) is is_said


@pytest.mark.evidence
def test_a_program_is_traced_written_and_looked_at(traced: Path, cli: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    (traced / "loop.py").write_text(PROGRAM)
    code, out, err = cli("trace", "-o", "l.json", "--html", "l.html", "--", "loop.py")
    assert (code, out) == (0, "done\n")
    row = next(line for line in err.splitlines() if "loop.py:9" in line)
    assert row.split()[2:5] == ["6", "loop.py:9", "scan"]
    assert row.endswith("local-loop-function [*]")
    assert "jaxfix apply --trace l.json --run 'python loop.py'" in err
    assert (traced / "l.html").read_text().startswith("<!doctype html>")
    _, found, _ = cli("check", "--trace", "l.json")
    assert found.startswith("loop.py:9:12: local-loop-function") and "seen: 6 compiles" in found


GOLDEN = Path(__file__).resolve().parents[1] / "golden"


@pytest.mark.evidence
@pytest.mark.parametrize(
    ("name", "program"),
    [
        ("python_counter", "program.py"),
        ("fresh_function", "program.py"),
        ("drifting_state_dtype", "loop.py"),
        ("ragged_shape", "program.py"),
    ],
)
def test_a_real_run_finds_what_the_golden_trace_says(
    traced: Path, cli: Run, name: str, program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    text = (GOLDEN / name / program).read_text()
    (traced / "library.py").write_text("import jax.numpy as jnp\n\n\ndef gradient(size):\n    return jnp.ones(size)\n")
    (traced / "program.py").write_text(text)
    wanted = next(n for n, line in enumerate(text.splitlines(), 1) if "# want: " in line)
    cli("trace", "-o", "p.json", "--", "program.py")
    _, out, _ = cli("check", "--trace", "p.json", "--select", name.replace("_", "-"), "--output-format", "json")
    found = [(entry["id"], entry["line"]) for entry in json.loads(out)["findings"]]
    assert found == [(name.replace("_", "-"), wanted)]


UNSIZED = """\
import sys

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def move(place, dt):
    return place + dt * jnp.sin(place)


def main(size):
    np.save("a.npy", np.zeros(size, np.float32))
    place = jnp.asarray(np.load("a.npy"))
    for _ in range(5):
        place = move(place, 0.1)
    return place


if __name__ == "__main__":
    main(int(sys.argv[1]))
"""


@pytest.mark.evidence
@pytest.mark.parametrize(("size", "is_told"), [("4000000", True), ("40000", False)])
def test_a_run_tells_the_size_of_a_state_that_the_text_does_not(
    traced: Path, cli: Run, monkeypatch: pytest.MonkeyPatch, size: str, is_told: bool
) -> None:
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    (traced / "train.py").write_text(UNSIZED)
    cli("trace", "-o", "p.json", "--", "train.py", size)
    plain, seen = (
        cli("check", *words, "--output-format", "json")[1] for words in (["train.py"], ["--trace", "p.json"])
    )
    told = ["Donate `place` to `move`: 16 MB"] if is_told else []
    assert [[entry["title"] for entry in json.loads(out)["findings"]] for out in (plain, seen)] == [[], told]
