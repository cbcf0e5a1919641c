"""The way through a review: where an answer leads, and the way back."""

from jaxfix.drivers.cli.prompt.cursor import Cursor
from jaxfix.drivers.workflow.candidates import Candidate
from jaxfix.drivers.workflow.decisions import Choice, Decisions
from jaxfix.report.finding import Confidence, Equality, Fix, Safety
from jaxfix.report.report import Anchor, Diagnostic, Patch
from jaxfix.source.edits import Edit, Span


def candidate(number: int) -> Candidate:
    key, path = f"key{number}", f"{number % 2}.py"
    fix = Fix(key, "id", "Mend it", Span(0, 1), (), Safety.SAFE, Equality.BITWISE, None, "f")
    told = ("id", "it costs", Confidence.CERTAIN, Safety.SAFE, "Mend it", True, None, key, Anchor("f", "x", "0"))
    return Candidate(Diagnostic(path, 1, 1, 1, 2, *told), fix, Patch(path, b"", b"x", (fix,), ()))


ENTRIES = tuple(map(candidate, range(4)))
NAMES = [entry.name for entry in ENTRIES]


def test_it_starts_at_what_is_open_and_passes_what_is_decided() -> None:
    cursor = Cursor.started(ENTRIES, Decisions(dict.fromkeys((NAMES[0], NAMES[2]), Choice.ACCEPTED)))
    assert cursor.at == 1
    cursor = cursor.decided([NAMES[1]], Choice.REFUSED)
    assert cursor.current is ENTRIES[3]
    assert cursor.skipped().current is None


def test_each_step_can_be_undone_also_one_for_many_and_an_edit() -> None:
    start = Cursor.started(ENTRIES, Decisions())
    many = start.decided(start.open_like(lambda entry: entry.name.path == "0.py"), Choice.ACCEPTED)
    assert (many.at, many.decisions.having(Choice.ACCEPTED)) == (1, {NAMES[0], NAMES[2]})
    own = many.edited((Edit(Span(0, 0), "x"),))
    assert own.decisions.of(NAMES[1]) is Choice.ACCEPTED and own.at == 3
    end = own.skipped()
    for expected in (own, many, start):
        back = end.back()
        assert back == expected
        end = back
    assert start.back() is None


def test_what_was_decided_in_another_run_is_gone_back_to_one_by_one() -> None:
    cursor = Cursor.started(ENTRIES, Decisions(dict.fromkeys(NAMES, Choice.ACCEPTED)))
    assert cursor.current is None
    back = cursor.back()
    assert back is not None and back.current is ENTRIES[3] and back.decisions.of(NAMES[3]) is None
    again = back.back()
    assert again is not None and again.current is ENTRIES[2]


def test_an_answer_for_many_leaves_what_is_decided() -> None:
    cursor = Cursor.started(ENTRIES, Decisions({NAMES[2]: Choice.REFUSED}))
    assert cursor.open_like(lambda entry: True) == (NAMES[0], NAMES[1], NAMES[3])


def test_an_answer_for_many_takes_no_remembered_text_that_was_not_shown() -> None:
    cursor = Cursor.started(ENTRIES, Decisions(edited={NAMES[2]: (Edit(Span(0, 0), "x"),)}))
    assert cursor.open_like(cursor.is_for_many) == (NAMES[0], NAMES[1], NAMES[3])
