"""The benchmark of speed, on a corpus of a few lines; what it says of speed is not analysed."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.speed import __main__ as speed
from benchmarks.speed import corpus, page, saved
from benchmarks.speed.contestants import Contest, Counted, Place
from benchmarks.speed.page import Where
from benchmarks.speed.rows import NEEDS, exponent, rows
from benchmarks.speed.running import Broken, Cost, run
from benchmarks.speed.saved import Measured

SLOW = """\
import jax.numpy as jnp
from jax import lax


def schedule(x, scale):
    return lax.cond(x.sum() > 3, lambda c: jnp.sin(c * scale) @ c, lambda c: c.sum(), x)


for n in range(10):
    schedule(jnp.ones(3), jnp.float32(n))
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """One for all tests: bytecode is compiled once."""
    work = tmp_path_factory.mktemp("work")
    site = work / "site"
    (site / "tiny").mkdir(parents=True)
    (site / "tiny-1.0.dist-info").mkdir()
    for name in ("__init__", "one", "two"):
        (site / "tiny" / f"{name}.py").write_text(SLOW if name != "__init__" else "")
    return Place(work, site, sys.executable, ruff="unused", fixit=None)


def test_options_name_rows_and_sizes() -> None:
    assert speed.parsed([]).only == tuple(NEEDS)
    options = speed.parsed(["--only", "warm, help", "--sizes", "30,10", "--rounds", "2"])
    assert (options.only, options.sizes, options.rounds) == (("warm", "help"), (10, 30), 2)


@pytest.mark.parametrize("words", [["--only", "warmth"], ["--rounds", "0"], ["--sizes", "10"], ["--sizes", "10,0"]])
def test_wrong_options_are_named(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        speed.parsed(words)
    assert f"argument {words[0]}: " in capsys.readouterr().err


@pytest.mark.parametrize(("number", "files"), [(2, 3), (3, 4), (7, 10)])
def test_trees_of_any_size_are_made_of_the_corpus(place: Place, number: int, files: int) -> None:
    tree = corpus.sized(place.site, number, place.tree(f"sized-{number}"))
    assert len(corpus.sources(tree)) == files  # with an `__init__.py` for each copy
    assert corpus.sized(place.site, number, place.tree(f"sized-{number}")) == tree
    assert corpus.versions(place.site) == ("tiny 1.0",)


def test_every_check_of_a_round_is_one_of_the_same_sources(place: Place) -> None:
    said: list[str] = []
    contest = Contest(place, said.append)
    contest.rounds(("parse", "cold", "warm", "changed"), 1)
    assert {name: len(costs) for name, costs in contest.costs.items()} == dict.fromkeys(
        ("parse", "cold", "warm", "changed"), 1
    )
    assert all(cost.cpu > 0 and cost.wall > 0 for costs in contest.costs.values() for cost in costs)
    edited = corpus.edited(place.tree("edited"))
    assert edited.read_text().endswith("EDITS = 1\nEDITS = 2\n")
    assert not any("EDITS" in path.read_text() for path in corpus.sources(place.site))
    assert len(said) == len(contest.loads) == 8


def test_memory_is_that_of_all_processes(tmp_path: Path) -> None:
    pytest.importorskip("psutil", reason="part of `.[bench]`")
    child = "import time; kept = bytearray(60_000_000); time.sleep(0.5)"
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    cost = run([sys.executable, "-c", code], tmp_path, {}, watched=True)
    assert cost.rss > 60_000_000


def test_a_command_that_fails_is_named(tmp_path: Path) -> None:
    with pytest.raises(Broken, match="ended with 3"):
        run([sys.executable, "-c", "raise SystemExit(3)"], tmp_path, {})


def test_what_libcst_parses_is_counted(place: Place) -> None:
    counted = Contest(place, say=lambda line: None).libcst()
    assert counted.files == 2 and counted.files_bytes == 2 * len(SLOW)
    assert counted.texts >= 2 and 0 < counted.bytes < counted.files_bytes


def test_the_table_says_what_is_met_and_what_is_missed() -> None:
    costs = {
        "parse": [Cost(2.0, 2.0), Cost(3.0, 3.0)],
        "cold": [Cost(4.0, 4.0), Cost(4.5, 4.5)],
        "ruff": [Cost(1.0, 1.0)],
        "warm": [Cost(0.5, 0.5)],
        "changed": [Cost(0.9, 0.9)],
        "start": [Cost(0.2, 0.2)],
        "pass": [Cost(0.01, 0.01)],
        "version": [Cost(0.015, 0.015)],
        "help": [Cost(0.03, 0.03)],
        "fixit": [Cost(600.0, 300.0)],
        "cold beside fixit": [Cost(4.0, 4.0)],
    }
    sizes = {10: 1_000_000, 100: 10_000_000, 1000: 100_000_000}
    for number in sizes:
        costs[f"parse {number}"] = [Cost(number / 10, number / 10)]
        costs[f"check {number}"] = [Cost(number / 5, number / 10, 100_000_000 + number * 1000)]
    found = list(rows(tuple(NEEDS), costs, sizes, Counted(3, 300, 2, 3000)))
    assert [row.key for row in found] == list(NEEDS)
    assert [row.key for row in found if not row.is_met] == ["cold-wall", "changed", "help"]
    where = Where(("tiny 1.0",), ("ruff 0.9",), 3, 600, 2, 2, (0.5, 1.5))
    text = "\n".join(page.lines(found, where, costs, sizes, "speed.svg"))
    assert (
        "ast.parse` of all files in one process | **2.00 x** | 1.50 to 2.00 | at most 2.5 x | at most 1.5 x | met |"
        in text
    )
    assert "of the same files; 150.0 x in CPU time | **75.00 x** |  | at least 60 x |  | met |" in text
    assert "| 1,000 | 100.0 | 2.00 x | 1.00 x | 101 |" in text and "![" in text
    assert "- `jaxfix --help`, CPU / `python -c pass`: 3.00 x, at most 2.5 x" in text
    assert '"is_met": false' in page.document(found, where)


def test_costs_that_were_kept_come_back_together(tmp_path: Path) -> None:
    where = Where(("tiny 1.0",), ("ruff 0.9",), 3, 600, 2, 2, (0.5,))
    kept = Measured({"cold": [Cost(2.0, 3.0, 4)], "fixit": []}, {10: 99}, Counted(1, 2, 3, 4), where)
    other = replace(where, tools=("ruff 0.9", "fixit 2.2"), loads=(0.7,), fixit_files=3)
    more = Measured({"cold": [Cost(5.0, 6.0)]}, {20: 7}, None, other)
    for name, measured in (("one", kept), ("two", more)):
        saved.write(tmp_path / name, measured)
    found = saved.read([tmp_path / "one", tmp_path / "two"])
    costs = {"cold": [Cost(2.0, 3.0, 4), Cost(5.0, 6.0)], "fixit": []}
    both = replace(other, loads=(0.5, 0.7), runs=2)
    assert found == Measured(costs, {10: 99, 20: 7}, Counted(1, 2, 3, 4), both)
    saved.write(tmp_path / "elsewhere", replace(kept, where=replace(where, cores=8)))
    with pytest.raises(Broken, match="do not compare"):
        saved.read([tmp_path / "one", tmp_path / "elsewhere"])


def test_a_page_is_written_of_what_was_kept_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    where = Where(("tiny 1.0",), ("ruff 0.9",), 300, 600, 2, 2, (7.5,), 3, 100)
    costs = {"parse": [Cost(2.0, 2.0)], "cold": [Cost(4.0, 4.0)], "ruff": [Cost(1.0, 2.0)]}
    saved.write(tmp_path / "kept", Measured(costs, {}, None, where))
    monkeypatch.setattr(sys, "argv", ["speed", "--saved", str(tmp_path / "kept"), "--page", str(tmp_path / "page.md")])
    speed.main()
    text = (tmp_path / "page.md").read_text()
    assert "| `check`, cold, CPU / `ast.parse` of all files in one process | **2.00 x**" in text
    assert (
        "In 3 runs, each for some rows" in text and "ruff took 2.0 times and a cold `check` took 1.0 times its" in text
    )
    assert "Fixit read 100 of the files" in text and "Not measured: `fixit`, `warm`" in text and "![" not in text


def test_growth_is_the_power_by_which_cost_rises() -> None:
    assert exponent([(1, 3), (10, 30), (100, 300)]) == pytest.approx(1)
    assert exponent([(1, 1), (10, 100), (100, 10000)]) == pytest.approx(2)
