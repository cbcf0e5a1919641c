"""Baselines: what they know a finding by, how they are read and written, and what `check` makes of them."""

import ast
import json
import os
import subprocess
import sys
from collections.abc import Set
from pathlib import Path

import pytest
from command_line import Cli
from hypothesis import given
from hypothesis import strategies as st

from jaxfix.engine import baseline as engine
from jaxfix.engine.anchor import anchored
from jaxfix.engine.baseline import Baseline, Comparison, Entry, Occurrence
from jaxfix.report.finding import Confidence, Safety
from jaxfix.report.report import Anchor, Diagnostic
from jaxfix.semantic.module import Module
from jaxfix.source.errors import ConfigError
from jaxfix.source.source_file import SourceFile

ENTRY = Entry("a.py", "slow", "f", "g(1)", "00", 1)


def call(text: str) -> Anchor:
    """Of the first call of `g`."""
    module = Module.parse(SourceFile.decode("m.py", text.encode()))
    calls = (node for node in ast.walk(module.tree) if isinstance(node, ast.Call))
    return anchored(module, next(node for node in calls if ast.unparse(node.func) == "g"))


# --- what a finding is known by -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "import os\n\n\ndef f():\n    a = 1\n    return g(1, 'a')\n",
        'def f():\n    return g(  # why\n        1,\n        "a",\n    )\n',
        "def f():\n    return (g(1, 'a'))  # jaxfix: speed\n",
        "def f():\n    if 1:\n        return g(1, 'a')\n",
    ],
    ids=["moved", "laid out", "commented", "nested"],
)
def test_a_finding_stays_the_same_where_only_what_is_around_it_changes(text: str) -> None:
    before, after = call("def f():\n    return g(1, 'a')\n"), call(text)
    assert (before.function, before.digest) == (after.function, after.digest)


@pytest.mark.parametrize(
    "text",
    [
        "def f():\n    return g(2, 'a')\n",
        "def f():\n    g(1, 'a')\n",
        "def h():\n    return g(1, 'a')\n",
        "def f():\n    return g(1, b'a')\n",
        "def f():\n    return g(1, 'a', None)\n",
        "def f():\n    return g(1, a='a')\n",
    ],
)
def test_another_statement_or_function_is_another_finding(text: str) -> None:
    before, after = call("def f():\n    return g(1, 'a')\n"), call(text)
    assert (before.function, before.digest) != (after.function, after.digest)


def test_of_a_statement_with_a_block_the_block_does_not_count() -> None:
    short, long = "for x in g(1):\n    pass\n", "for x in g(1):\n    a = x\nelse:\n    pass\n"
    assert call(short).digest == call(long).digest
    assert call("@g(1)\ndef f(): pass").digest != call("@g(2)\ndef f(): pass").digest


def test_the_digest_is_that_of_every_python() -> None:
    """Written down once, and the same from 3.11 on: a team shares one baseline."""
    text = (
        "def f(x, *a, k=1, **b):\n    return g(f'{x!r:>{k}} {a}', [*a], {**b}, lambda y: y, x[1:, ...], -1.5e3, None)\n"
    )
    assert call(text).digest == "271898e7d9f2"


# --- the file -----------------------------------------------------------------------------------------------------


def test_the_file_has_one_entry_a_line_sorted_and_reads_back() -> None:
    entries = [
        Entry("b.py", "slow", "f", "g('é\u2028')", "11", 2),
        ENTRY,
        Entry("a.py", "slow", "<module>", 'x = "\\"', "22", 1),
        Entry("\udcff.py", "slow", "f", "x", "33", 1),
    ]
    raw = engine.dump(entries)
    assert json.loads(raw)["schema"] == 1
    lines = raw.decode().splitlines()
    assert len(lines) == len(entries) + 6
    read = engine.load(raw, "known.json")
    assert set(read.entries) == set(entries)
    assert [entry.path for entry in read.entries] == ["a.py", "a.py", "b.py", "\udcff.py"]
    assert read.lines == (5, 6, 7, 8)
    assert engine.dump(read.entries) == raw
    assert engine.dump([]).decode().count("[]") == 1 and engine.load(engine.dump([]), "x") == Baseline()


def test_what_a_merge_has_doubled_counts_once() -> None:
    doubled = engine.dump([ENTRY]).replace(
        b"\n  ]", b",\n    " + json.dumps(vars_of(ENTRY) | {"count": 3}).encode() + b"\n  ]"
    )
    assert [entry.count for entry in engine.load(doubled, "x").entries] == [3]


def vars_of(entry: Entry) -> dict[str, object]:
    return {name: getattr(entry, name) for name in Entry.__dataclass_fields__}


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "not a baseline of jaxfix"),
        (b'{"format": "jaxfix trace"}', "not a baseline of jaxfix"),
        (b'{"format": "jaxfix baseline", "schema": 2}', "of schema 2, and this jaxfix reads schema 1; use"),
        (b'{"format": "jaxfix baseline", "schema": 1}', "damaged"),
        (b'{"format": "jaxfix baseline", "schema": 1, "findings": [{"path": 3}]}', "damaged"),
        (engine.dump([ENTRY]).replace(b"  ]", b"<<<<<<< HEAD\n  ]"), "holds a merge conflict; resolve it"),
    ],
)
def test_what_is_no_baseline_is_named_in_one_line(raw: bytes, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        engine.load(raw, "known.json")
    assert str(caught.value).startswith("known.json: ") and words in str(caught.value)
    assert "\n" not in str(caught.value)


# --- the comparison -----------------------------------------------------------------------------------------------


def found(path: str, digest: str = "00", number: int = 1) -> list[Occurrence]:
    anchor = Anchor("f", "g(1)", digest)
    return [
        Occurrence(
            path,
            Diagnostic(
                path, n, 1, n, 2, "slow", "m", Confidence.CERTAIN, Safety.SAFE, "t", False, "no", f"k{n}", anchor
            ),
        )
        for n in range(1, number + 1)
    ]


def compared(entries: list[Entry], occurrences: list[Occurrence], gone: Set[str] = frozenset()) -> Comparison:
    baseline = Baseline(tuple(entries), tuple(None for _ in entries))
    paths = {o.path for o in occurrences} | {entry.path for entry in entries} - gone
    return engine.compare(baseline, occurrences, lambda entry: entry.path in paths, gone, paths)


@pytest.mark.parametrize(("known", "now", "new", "stale"), [(2, 2, 0, 0), (2, 3, 1, 0), (3, 2, 0, 1), (1, 0, 0, 1)])
def test_identical_findings_count(known: int, now: int, new: int, stale: int) -> None:
    entry = Entry("a.py", "slow", "f", "g(1)", "00", known)
    comparison = compared([entry], found("a.py", number=now))
    assert (len(comparison.new), len(comparison.stale)) == (new, stale)
    assert [(s.found, s.entry.count) for s in comparison.stale] == [(now, known)] * stale


def test_a_file_that_has_another_name_is_recognised_by_its_findings() -> None:
    entries = [Entry("old.py", "slow", "f", "g(1)", digest, 1) for digest in ("00", "11", "22")]
    occurrences = [*found("x.py", "00"), *found("new.py", "00"), *found("new.py", "11")]
    comparison = compared(entries, occurrences, gone={"old.py"})
    assert comparison.renamed == {"old.py": "new.py"}
    assert [o.path for o in comparison.new] == ["x.py"]
    assert [(s.entry.path, s.entry.digest) for s in comparison.stale] == [("new.py", "22")]


def test_a_file_that_is_still_there_has_no_other_name() -> None:
    comparison = compared([ENTRY], found("copy.py"))
    assert not comparison.renamed and len(comparison.new) == len(comparison.stale) == 1


@given(
    st.lists(st.sampled_from([("a.py", "00"), ("a.py", "11"), ("b.py", "00"), ("c.py", "22")])),
    st.lists(st.sampled_from([("a.py", "00"), ("b.py", "11"), ("gone.py", "00"), ("gone.py", "22")]), unique=True),
    st.integers(1, 3),
)
def test_what_was_just_written_down_is_known_and_not_stale(
    now: list[tuple[str, str]], then: list[tuple[str, str]], count: int
) -> None:
    occurrences = [occurrence for path, digest in now for occurrence in found(path, digest)]
    old = Baseline(
        *zip(*((Entry(path, "slow", "f", "g(1)", digest, count), None) for path, digest in then), strict=True)
    )
    paths, gone = ("a.py", "b.py", "c.py"), {"gone.py"}
    comparison = engine.compare(old, occurrences, lambda entry: True, gone, paths)
    assert len(comparison.known) + len(comparison.new) == len(occurrences)
    written = engine.updated(old, comparison, occurrences, lambda entry: True)
    again = engine.compare(engine.load(engine.dump(written), "x"), occurrences, lambda entry: True, set(), paths)
    assert not again.new and not again.stale
    assert engine.updated(Baseline(written, tuple(None for _ in written)), again, occurrences, bool) == written


# --- check --------------------------------------------------------------------------------------------------------

SLOW = """\
from jax import lax


def smooth(x, gain):
    def body(c, _):
        return c * gain, None

    return lax.scan(body, x, None, 3)


for step in range(9):
    smooth(1.0, 2.0)
"""
TWICE = SLOW.replace("smooth", "smooth_again")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text('[tool.jaxfix]\nbaseline = "known.json"\n')
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "slow.py").write_text(SLOW)
    return tmp_path


@pytest.fixture
def known(project: Path, cli: Cli) -> Path:
    assert cli("check", "--update-baseline").code == 0
    return project


def test_only_what_is_new_counts(known: Path, cli: Cli) -> None:
    assert cli("check").code == 0
    (known / "src" / "slow.py").write_text(f"import os\n\n{SLOW}\n\n{TWICE}")
    told = cli("check")
    assert told.code == 1
    assert told.out.count("local-loop-function") == 1 and "smooth_again" in told.out
    assert "1 new finding in 1 file" in told.err and "1 finding is known to `known.json`" in told.err
    assert cli("check", "--exit-zero").code == 0
    assert cli("check", "--no-baseline").out.count("local-loop-function") == 2


def test_what_is_repaired_fails_until_it_is_written_down(known: Path, cli: Cli) -> None:
    (known / "src" / "slow.py").write_text("")
    told = cli("check")
    assert told.code == 1
    line = "known.json:5: stale `local-loop-function` in `smooth` of `src/slow.py` is not found any more: `return"
    assert told.out.startswith(line) and "`--update-baseline` records that" in told.out
    document = json.loads(cli("check", "--output-format", "json").out)
    assert [entry["path"] for entry in document["baselines"][0]["stale"]] == ["src/slow.py"]
    assert "0 findings, 0 of them new, 1 forgotten" in cli("check", "--update-baseline").err
    assert cli("check").code == 0


def test_a_run_speaks_only_of_what_it_looks_at(known: Path, cli: Cli) -> None:
    (known / "src" / "other.py").write_text(TWICE)
    (known / "src" / "slow.py").write_text("")
    before = (known / "known.json").read_bytes()
    assert cli("check", "src/other.py").code == 1
    assert cli("check", "src/other.py", "--update-baseline").code == 0
    assert len(json.loads((known / "known.json").read_bytes())["findings"]) == 2
    (known / "known.json").write_bytes(before)
    assert "stale" not in cli("check", "--ignore", "local-loop-function").out
    assert "stale" not in cli("check", "--select", "weak-state").out
    assert cli("check", "src").out.count(" stale ") == 1


def test_a_file_that_is_gone_is_stale_where_its_folder_is_looked_at(known: Path, cli: Cli) -> None:
    (known / "src" / "empty.py").touch()
    (known / "src" / "slow.py").unlink()
    assert cli("check", "src/empty.py").code == 0
    assert cli("check", "src").code == 1


def test_a_renamed_file_needs_no_new_baseline(known: Path, cli: Cli) -> None:
    (known / "src" / "slow.py").rename(known / "fast.py")
    told = cli("check")
    assert told.code == 0 and "`known.json` knows `fast.py` as `src/slow.py`" in told.err
    assert "0 of them new, 0 forgotten" in cli("check", "--update-baseline").err
    assert [entry["path"] for entry in json.loads((known / "known.json").read_bytes())["findings"]] == ["fast.py"]


def test_the_folder_that_jaxfix_runs_in_does_not_matter(known: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(known / "src")
    assert cli("check").code == 0
    assert cli("check", "--baseline", "../known.json", "slow.py").code == 0
    (known / "src" / "slow.py").write_text("")
    assert cli("check").out.startswith("../known.json:5: stale")


def test_stdin_is_compared_under_its_name(known: Path) -> None:
    command = [sys.executable, "-m", "jaxfix", "check", "-", "--stdin-filename", "src/slow.py"]
    root = Path(__file__).resolve().parents[1]
    env = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, (root, root / "codemods")))}
    done = subprocess.run(command, input=SLOW.encode(), cwd=known, env=env, capture_output=True)
    assert (done.returncode, done.stdout) == (0, b"")


def test_what_only_all_shows_is_kept_by_a_run_that_does_not_show_it(project: Path, cli: Cli) -> None:
    (project / "src" / "slow.py").write_text(SLOW.partition("\n\nfor")[0])
    assert cli("check", "--no-baseline").code == 0
    hidden = cli("check", "--baseline", "mine.json", "--update-baseline", "--all")
    assert "1 finding, 1 of them new" in hidden.err
    assert cli("check", "--baseline", "mine.json", "--update-baseline").code == 0
    assert cli("check", "--baseline", "mine.json", "--all").code == 0


def test_nothing_is_written_while_something_cannot_be_read(known: Path, cli: Cli) -> None:
    before = (known / "known.json").read_bytes()
    (known / "src" / "slow.py").write_text("def")
    told = cli("check", "--update-baseline")
    assert told.code == 2 and "known.json: not written: not every file could be analysed" in told.err
    assert "stale" not in told.out
    assert (known / "known.json").read_bytes() == before


def test_an_update_that_changes_nothing_writes_nothing(known: Path, cli: Cli) -> None:
    before = os.stat(known / "known.json")
    assert "is up to date: 1 finding" in cli("check", "--update-baseline").err
    after = os.stat(known / "known.json")
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "known.json: there is no such baseline; write it with `jaxfix check --update-baseline`"),
        (("--baseline", "x.json"), "`jaxfix check --baseline x.json --update-baseline`"),
        (("--baseline", "src"), "src: is not a regular file"),
        (("--baseline", "pyproject.toml", "--update-baseline"), "pyproject.toml: not JSON"),
        (("--no-baseline", "--update-baseline"), "`--no-baseline` goes with neither"),
        (("-", "--update-baseline"), "findings from stdin do not go into a baseline"),
        (("--baseline", "no/x.json", "--update-baseline"), "no/x.json"),
    ],
)
def test_what_cannot_be_meant_is_one_error(project: Path, cli: Cli, arguments: tuple[str, ...], words: str) -> None:
    told = cli("check", *arguments)
    assert told.code == 2 and words in told.err and told.err.count("error: ") == 1
    assert (project / "pyproject.toml").read_text().startswith("[tool.jaxfix]")


def test_an_update_has_to_know_which_file(tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").touch()
    told = cli("check", "--update-baseline")
    assert told.code == 2 and "needs to know which file to write" in told.err


def test_apply_repairs_what_a_baseline_knows(known: Path, cli: Cli) -> None:
    assert "local-loop-function" in cli("apply", "--diff", "--no-prove").err


def test_statistics_stand_in_place_of_the_findings(project: Path, cli: Cli) -> None:
    (project / "src" / "again.py").write_text(TWICE)
    told = cli("check", "--no-baseline", "--statistics")
    assert told.code == 1 and told.out == "2  local-loop-function [*]\n"
    document = json.loads(cli("check", "--no-baseline", "--statistics", "--output-format", "json").out)
    assert document["statistics"] == {"local-loop-function": 2} and len(document["findings"]) == 2
