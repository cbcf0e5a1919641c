"""Many files at once: what a survey finds is what each file shows when it knows all others."""

import gc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import given as holds_for
from hypothesis import strategies as some

from jaxfix import testing
from jaxfix.engine.analyze import analyze
from jaxfix.engine.look import look_at, unaffected
from jaxfix.engine.memory import Recent
from jaxfix.engine.project import Crew, joined, sharded
from jaxfix.engine.survey import survey
from jaxfix.engine.unit import Unit
from jaxfix.report.report import Diagnostic
from jaxfix.semantic.project.project import Project
from jaxfix.semantic.project.query import QUERIES, Answers, Query
from jaxfix.semantic.project.recording import RecordingProject
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.source.source_file import SourceFile
from jaxfix_codemods import CODEMODS

T = TypeVar("T")
R = TypeVar("R")
GOLDEN = Path(__file__).parent.parent / "golden"
MODEL = "import jax\n@jax.jit\ndef step(p, b):\n    return p - b\n"
LOOP = (
    "import jax.numpy as jnp\nfrom lib.model import step\n"
    "def main():\n    p = jnp.zeros(9)\n    for i in range(9):\n        p = step(p, jnp.ones(9))\n    print(p)\n"
    "if __name__ == '__main__':\n    main()\n"
)
SOLVER = (
    "from jax import lax\n"
    "def solve(x):\n    def body(i, y):\n        return y + 1\n    return lax.fori_loop(0, 9, body, x)\n"
)
FILES = {
    "lib.model": MODEL,
    "lib.train": LOOP,
    "lib.solver": SOLVER,
    "lib": "from lib.solver import solve as run\n",
    "main": "import lib\nfor i in range(9):\n    lib.run(1.0)\n",
    "traced": "import jax\nimport lib\n@jax.jit\ndef f(x):\n    return lib.run(x)\n",
}


def units(files: dict[str, str]) -> list[Unit]:
    made = []
    for name, text in files.items():
        source = SourceFile.decode(f"{name.replace('.', '/')}.py", text.encode())
        made.append(Unit(source, CODEMODS, Surroundings(name, is_package=name == "lib")))
    return made


def told_everything(given: list[Unit]) -> dict[str, tuple[Diagnostic, ...]]:
    project = joined([(unit.source, unit.surroundings) for unit in given])
    around = (replace(unit.surroundings, project=project) for unit in given)
    return {
        unit.source.path: analyze(unit.source, unit.codemods, surroundings=each).diagnostics
        for unit, each in zip(given, around, strict=True)
    }


def surveyed(given: list[Unit]) -> dict[str, tuple[Diagnostic, ...]]:
    looks = survey(given, lambda path: None).looks
    return {unit.source.path: look.diagnostics for unit, look in zip(given, looks, strict=True)}


def subsets() -> Iterator[tuple[str, ...]]:
    names = list(FILES)
    for mask in range(1, 2 ** len(names)):
        yield tuple(name for index, name in enumerate(names) if mask >> index & 1)


def test_a_survey_finds_what_each_file_shows_that_knows_the_others() -> None:
    found = 0
    for names in subsets():
        given = units({name: FILES[name] for name in names})
        assert surveyed(given) == told_everything(given), names
        found += sum(map(len, surveyed(given).values()))
    assert found > 40


def test_the_order_of_the_files_does_not_matter() -> None:
    expected = surveyed(units(FILES))
    for names in list(permutations(FILES))[::97]:
        assert surveyed(units({name: FILES[name] for name in names})) == expected


def test_the_same_holds_of_many_goldens_together() -> None:
    paths = sorted(path for path in GOLDEN.glob("*/*.py") if "_" in path.parent.name)
    files = {path.stem + path.parent.name: path.read_text() for path in paths[::3]}
    given = units(files)
    assert surveyed(given) == told_everything(given)
    assert len(given) > 50


@pytest.mark.parametrize("query", QUERIES.values(), ids=[*QUERIES])
def test_without_answers_a_recording_answers_as_a_project_without_files_and_remembers(query: Query[object]) -> None:
    recording = RecordingProject()
    about = "a.b:0:x" if query.of_parameter else "a.b"
    assert recording.ask(query, about) == Project().ask(query, about) == query.default
    assert recording.asked == {(query.name, about)}


def test_a_recording_answers_as_the_project_that_its_answers_are_of() -> None:
    project = joined([(unit.source, unit.surroundings) for unit in units(FILES)])
    asked = [("jit", "lib.model.step"), ("users", "lib.solver.solve"), ("is read", "")]
    told = project.answers(asked)
    recording = RecordingProject(told)
    pairs = [(QUERIES[name], about) for name, about in asked]
    assert [recording.ask(*pair) for pair in pairs] == [project.ask(*pair) for pair in pairs]
    assert recording.asked == set(asked) == told.keys()


def test_a_survey_that_remembers_looks_only_where_something_is_new() -> None:
    given = units(FILES)
    recent = Recent()
    looked_at: list[str] = []
    crew = watched(looked_at)
    assert survey(given, lambda path: None, crew, memory=recent).looks == survey(given, lambda path: None).looks
    looked_at.clear()
    survey(given, lambda path: None, crew, memory=recent)
    assert looked_at == [] and recent.changed == ()
    edited = units(FILES | {"main": "import lib\nlib.run(1.0)\n"})
    looks = survey(edited, lambda path: None, crew, memory=recent).looks
    assert looks == survey(edited, lambda path: None).looks
    assert set(looked_at) == {"main.py", "lib/solver.py"} == {*recent.changed, "main.py"}


@pytest.mark.parametrize("turned", [1, -1], ids=["imported first", "imported last"])
def test_the_users_of_a_function_are_looked_at_behind_it_whatever_is_given_first(turned: int) -> None:
    names = ("lib.solver", "lib", "main", "traced")
    apart = units({name: FILES[name] + "#" * 100_000 + "\n" for name in names})  # each is a shard of its own
    seen: list[str] = []
    survey(apart[::turned], lambda path: None, watched(seen))
    assert {path: seen.count(path) for path in seen} == {
        "lib/solver.py": 3,  # again with how it runs, which has it ask what calls pass, and with that
        "lib.py": 1,
        "main.py": 2,  # again for what calls pass
        "traced.py": 2,
    }


def test_what_a_file_imports_is_known_at_the_first_look_at_it() -> None:
    factory = "import jax\ndef step(p, b):\n    return jax.jit(lambda: p - b)\n"
    seen: list[str] = []
    looks = survey(units({"lib.train": LOOP, "lib.model": factory}), lambda path: None, watched(seen)).looks
    assert ("factory", "lib.model.step") in looks[0].told
    assert seen.count("lib/train.py") == 1


def watched(seen: list[str]) -> Crew:
    """A crew that takes down which files it looks at, and reads."""

    def crew(work: Callable[[T], R], shards: Sequence[T]) -> Iterator[R]:
        for shard in shards:
            for item in shard if isinstance(shard, list) else ():
                first = item[0] if isinstance(item, tuple) else item
                seen.append(getattr(first, "source", first).path)
            yield work(shard)

    return crew


@holds_for(some.lists(some.integers(0, 300_000), max_size=300))
def test_shards_hold_all_in_order_and_are_few(sizes: list[int]) -> None:
    shards = sharded(range(len(sizes)), sizes)
    assert [index for shard in shards for index in shard] == list(range(len(sizes)))
    whole = [sum(sizes[index] for index in shard) for shard in shards]
    assert all(size >= 100_000 for size in whole[:-1])
    assert len(shards) <= 34 + sum(sizes) / 250_000


def test_what_was_looked_at_is_let_go_without_the_collector_of_cycles() -> None:
    files = {f"golden_{index}": case.path.read_text() for index, case in enumerate(testing.cases(GOLDEN, CODEMODS))}
    every = units(FILES | files)
    survey(every, str)
    gc.collect()
    gc.disable()
    try:
        survey(every, str)
        assert gc.collect() == 0
    finally:
        gc.enable()


GOLDENS = sorted(path for path in GOLDEN.glob("[a-z]*/*.py") if not path.stem.endswith(".fixed"))


def test_a_second_look_that_leaves_codemods_out_finds_what_a_whole_one_finds() -> None:
    packages, left_out = frozenset({"lib"}), 0
    for path in GOLDENS[::16]:
        unit = Unit(SourceFile.decode("lib/part.py", path.read_bytes()), CODEMODS, Surroundings("lib.part"))
        first = look_at(unit, packages, {})
        answerable = sorted(asked for asked in first.asked if QUERIES[asked[0]].kind is bool)
        for asked in answerable[:: max(1, len(answerable) // 2)]:
            told: Answers = {asked: not QUERIES[asked[0]].default}
            before = unaffected(unit, first, told)
            whole, partial = look_at(unit, packages, told), look_at(unit, packages, told, before)
            assert partial.diagnostics == whole.diagnostics, (path, asked)
            assert whole.asked <= partial.asked
            assert partial.told == told
            left_out += len(before)
    assert left_out > 10
