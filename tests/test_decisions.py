"""What a person decides: made exactly, and remembered where the code has not changed."""

import json
from functools import partial
from pathlib import Path

import pytest

from jaxfix.drivers.cli import terminal
from jaxfix.drivers.workflow.candidates import Candidate, Shown, candidates, unlike_shown
from jaxfix.drivers.workflow.consent import Mode
from jaxfix.drivers.workflow.decisions import (
    Choice,
    Decisions,
    Name,
    forget,
    keep,
    memory,
    planned,
    recalled,
    rewritten,
    unmade,
)
from jaxfix.drivers.workflow.planning import by_mode
from jaxfix.drivers.workflow.request import Leave, Request
from jaxfix.drivers.workflow.session import Session, opened, second_look, written
from jaxfix.drivers.workflow.targets import find_targets
from jaxfix.report.wire import to_json
from jaxfix.source.edits import Edit, Span, apply_edits
from jaxfix.source.errors import SourceError, WriteError
from jaxfix.source.source_file import SourceFile

ROOT = Path(__file__).resolve().parents[1]
SLOW = """\
import jax


def f(x):
    y = jax.tiny_safe(x)
    z = jax.tiny_risky(x) + jax.tiny_risky(y)
    return y + z
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(ROOT / "tests" / "pack")
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / "train.py").write_text(SLOW)
    return tmp_path


def looked_at(*paths: str, select: tuple[str, ...] | None = None) -> Session:
    return opened(find_targets(Request(paths or (".",), select)), terminal)


def names(session: Session) -> list[Name]:
    return [Name(entry.path, entry.key) for entry in session.found.diagnostics]


def after(session: Session, decisions: Decisions) -> str:
    (entry,) = planned(session.fixable, decisions).planned
    return entry.patch.after.decode()


def test_exactly_the_accepted_are_made_and_the_others_say_why(project: Path) -> None:
    session = looked_at()
    safe, first, second = names(session)
    decisions = Decisions().with_choice([safe, second], Choice.ACCEPTED).with_choice([first], Choice.REFUSED)
    fixed = SLOW.replace("tiny_safe", "tiny_done").replace("tiny_risky(y)", "tiny_done(y)")
    assert after(session, decisions) == fixed
    (entry,) = planned(session.fixable, decisions).planned
    assert [(held.fix.key, held.reason.text) for held in entry.patch.held] == [(first.key, "refused")]
    undecided = decisions.with_choice([first], None)
    assert [held.reason.text for held in planned(session.fixable, undecided).planned[0].patch.held] == ["not decided"]
    assert unmade(planned(session.fixable, decisions), decisions) == ()


def test_a_text_of_ones_own_takes_the_place_of_one_fix(project: Path) -> None:
    session = looked_at()
    safe, first, second = names(session)
    mine = SLOW.replace("tiny_risky(x)", "tiny_mine(x)")
    edits = rewritten(session.fixable[0].source, mine.encode())
    decisions = Decisions().with_choice([safe, first], Choice.ACCEPTED).with_text(first, edits)
    assert after(session, decisions) == mine.replace("tiny_safe", "tiny_done")
    assert after(session, decisions.with_text(first, None)) == SLOW.replace("tiny_safe", "tiny_done").replace(
        "tiny_risky(x)", "tiny_done(x)"
    )
    both = decisions.with_choice([second], Choice.ACCEPTED)
    assert after(session, both) == mine.replace("tiny_safe", "tiny_done").replace("tiny_risky(y)", "tiny_done(y)")
    assert unmade(planned(session.fixable, both), both) == ()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"x = 1\r\ny = 2", b"x = 1\r\ny = 3"),
        (b"# -*- coding: latin-1 -*-\nx = '\xe9'\n", b"# -*- coding: latin-1 -*-\ny = '\xe9\xe8'\n"),
        (b"\xef\xbb\xbfx = 1\n", b"\xef\xbb\xbfx = 1\n\ny = 2\n"),
        (b"x = 1\n\x0c\ny = 2\n", b"x = 1\n\x0c\n"),
        (b"x = 1\n", b""),
    ],
)
def test_the_edits_of_a_text_make_that_text(before: bytes, after: bytes) -> None:
    source = SourceFile.decode("a.py", before)
    assert source.encode(apply_edits(source.text, rewritten(source, after))) == after


@pytest.mark.parametrize("raw", [b"def", b"# coding: latin-1\nx = 1\n", b"\xef\xbb\xbfx = 1\n", b"x = '\xff'\n"])
def test_a_text_that_cannot_be_the_file_is_refused(raw: bytes) -> None:
    with pytest.raises(SourceError, match=r"^a\.py: "):
        rewritten(SourceFile.decode("a.py", b"x = 1\n"), raw)


def test_accepted_fixes_that_do_not_go_together_are_named(project: Path) -> None:
    (project / "train.py").write_bytes((ROOT / "golden" / "_together" / "overlap.py").read_bytes())
    session = looked_at()
    everything = Decisions().with_choice(names(session), Choice.ACCEPTED)
    plans = planned(session.fixable, everything)
    assert unmade(plans, everything) == ()  # one after the other
    assert plans.planned[0].patch.after == session.candidates().planned[0].patch.after
    first = names(session)[0]
    whole = rewritten(session.fixable[0].source, b"x = 1\n")
    mine = everything.with_text(first, whole)
    assert len(unmade(planned(session.fixable, mine), mine)) == len(names(session)) - 1


# what is remembered


def test_what_was_refused_is_known_again_on_another_line(project: Path) -> None:
    session = looked_at()
    safe, first, second = names(session)
    keep(session, Decisions({safe: Choice.ACCEPTED, second: Choice.REFUSED}))
    assert (project / ".jaxfix" / ".gitignore").read_text() == "*\n"
    (project / "train.py").write_text("# above\n\n" + SLOW)
    again = looked_at()
    found = recalled(memory(again), again)
    assert {name.key: choice for name, choice in found.choices.items()} == {
        safe.key: Choice.ACCEPTED,
        second.key: Choice.REFUSED,
    }
    assert first not in found.choices


def test_code_that_has_changed_is_asked_about_anew(project: Path) -> None:
    session = looked_at()
    keep(session, Decisions(dict.fromkeys(names(session), Choice.REFUSED)))
    (project / "train.py").write_text(SLOW.replace("z = ", "w = "))
    again = looked_at()
    assert [name.key.split(":")[0] for name in recalled(memory(again), again).choices] == ["tiny-safe"]


def test_what_is_not_looked_at_stays_remembered(project: Path) -> None:
    (project / "other.py").write_text(SLOW)
    everything = looked_at()
    keep(everything, Decisions(dict.fromkeys(names(everything), Choice.REFUSED)))
    risky = looked_at("train.py", select=("tiny-risky",))
    keep(risky, Decisions())
    again = looked_at()
    left = recalled(memory(again), again).choices
    assert sorted((name.path, name.key.split(":")[0]) for name in left) == [
        ("other.py", "tiny-risky"),
        ("other.py", "tiny-risky"),
        ("other.py", "tiny-safe"),
        ("train.py", "tiny-safe"),
    ]
    assert forget(looked_at("train.py")) == 1
    again = looked_at()
    assert {name.path for name in recalled(memory(again), again).choices} == {"other.py"}


def test_ones_own_text_is_remembered_for_the_same_file_and_not_taken_unseen(project: Path) -> None:
    session = looked_at()
    first = names(session)[1]
    edits = rewritten(session.fixable[0].source, SLOW.replace("tiny_risky(x)", "tiny_mine(x)").encode())
    keep(session, Decisions({first: Choice.ACCEPTED}).with_text(first, edits))
    again = looked_at()
    found = recalled(memory(again), again)
    assert (dict(found.edited), dict(found.choices)) == ({first: edits}, {})
    (project / "train.py").write_text(SLOW + "\n")
    again = looked_at()
    assert recalled(memory(again), again) == Decisions()


@pytest.mark.parametrize(
    "edits",
    [
        [(5, 99_999, "q")],
        [(-5, 3, "q")],
        [(9, 3, "q")],
        [(0, 3, "a"), (1, 3, "b")],
        [(0, 3, "(((")],
        [(0, 0, "# \ud800\n")],
    ],
)
def test_a_remembered_text_that_cannot_be_made_is_ignored(project: Path, edits: list[tuple[int, int, str]]) -> None:
    session = looked_at()
    first = names(session)[1]
    keep(session, Decisions().with_text(first, (Edit(Span(0, 0), "# mine\n"),)))
    place = project / ".jaxfix" / "decisions.json"
    document = json.loads(place.read_text())
    document["decisions"][0]["edits"] = to_json(tuple(Edit(Span(start, end), text) for start, end, text in edits))
    place.write_text(json.dumps(document))
    assert recalled(memory(session), session) == Decisions()


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"", "not a list of decisions: ignored; delete it"),
        (b"[]", "not a list of decisions"),
        (b"\xff", "not a list of decisions"),
        (b"[" * 100_000, "not a list of decisions"),
        (b'{"schema": 1, "decisions": [{"path": 1}]}', "not a list of decisions"),
    ],
)
def test_a_damaged_memory_is_named_and_then_renewed(project: Path, raw: bytes, said: str) -> None:
    (project / ".jaxfix").mkdir()
    (project / ".jaxfix" / "decisions.json").write_bytes(raw)
    session = looked_at()
    found = memory(session)
    assert found.kept == () and said in str(found.problem) and ".jaxfix/decisions.json" in str(found.problem)
    keep(session, Decisions(dict.fromkeys(names(session), Choice.REFUSED)))
    assert len(json.loads((project / ".jaxfix" / "decisions.json").read_text())["decisions"]) == 3


def test_what_a_newer_jaxfix_remembers_is_left_to_it(project: Path) -> None:
    (project / ".jaxfix").mkdir()
    (project / ".jaxfix" / "decisions.json").write_bytes(b'{"schema": 9, "decisions": []}')
    session = looked_at()
    assert "schema 9, and this jaxfix knows 1: ignored" in str(memory(session).problem)
    with pytest.raises(WriteError, match="nothing is remembered"):
        keep(session, Decisions(dict.fromkeys(names(session), Choice.REFUSED)))


def test_a_file_that_is_gone_by_the_second_look_is_named(project: Path) -> None:
    session = looked_at()
    plans = session.candidates()
    done = written(plans, (), Leave(dirty=True, no_vcs=True), terminal)
    (project / "train.py").unlink()
    left = second_look(session.found, plans, done.places, terminal)
    assert left.diagnostics == () and left.errors == ("train.py: cannot be read: no such file or directory",)


# what a person needs to know


def considered(session: Session) -> tuple[Candidate, ...]:
    (target,) = session.fixable
    return candidates(target, Shown(), partial(by_mode, Mode.SAFE_ONLY, {}))


def test_each_fix_is_shown_by_itself_with_why_it_would_be_held(project: Path) -> None:
    safe, first, second = considered(looked_at())
    assert [entry.patch.after.decode() for entry in (safe, second)] == [
        SLOW.replace("tiny_safe", "tiny_done"),
        SLOW.replace("tiny_risky(y)", "tiny_done(y)"),
    ]
    assert (safe.held, first.held) == (None, "needs a rerun: `--prove` or `--run CMD`")
    assert (first.overlaps, first.needs, first.impossible) == ((), (), None)


def test_what_only_another_fix_makes_possible_says_so(project: Path) -> None:
    golden = ROOT / "golden" / "drifting_state_dtype" / "search.py"
    (project / "train.py").write_bytes(golden.read_bytes().replace(b"jnp.ones(4,", b"jnp.ones(4_000_000,"))
    session = looked_at()
    found = {entry.name: entry for entry in considered(session)}
    waiting = {entry.diagnostic.id: entry for entry in found.values() if entry.needs}
    assert waiting.keys() == {"undonated-state", "unrolled-loop"}
    late = waiting["undonated-state"]
    needed = [Name("train.py", key) for key in late.needs]
    assert [found[name].diagnostic.id for name in needed] == ["unjitted-update"]
    assert late.name not in names(session)
    refused = Decisions().with_choice([late.name], Choice.ACCEPTED)
    assert [entry.name for entry in unmade(planned(session.fixable, refused), refused)] == [late.name]
    both = refused.with_choice(needed, Choice.ACCEPTED)
    (entry,) = planned(session.fixable, both).planned
    assert entry.patch.after == late.patch.after and unmade(planned(session.fixable, both), both) == ()
    keep(session, both, [late.diagnostic])
    again = looked_at()
    assert recalled(memory(again), again, [late.diagnostic]) == both


def test_of_two_fixes_of_one_place_it_is_said_what_becomes_of_them(project: Path) -> None:
    golden = ROOT / "golden" / "local_loop_function" / "program.py"
    (project / "train.py").write_bytes(golden.read_bytes())
    session = looked_at()
    pair = [entry for entry in considered(session) if entry.overlaps]
    assert [entry.diagnostic.id for entry in pair] == ["unjitted-update", "local-loop-function"]
    assert pair[0].overlaps[0].key == pair[1].name.key
    (lost,) = {overlap.lost for entry in pair for overlap in entry.overlaps}
    both = Decisions().with_choice([entry.name for entry in pair], Choice.ACCEPTED)
    made = planned(session.fixable, both)
    (gone,) = unmade(made, both)
    assert unlike_shown(made, pair, both) == ("train.py",)
    one = Decisions().with_choice([pair[1].name], Choice.ACCEPTED)
    assert unlike_shown(planned(session.fixable, one), pair, one) == ()
    assert lost == f"only that of line {pair[1].diagnostic.line} of the two is made" and gone.name == pair[0].name
