"""What `check` keeps of what it found, and when it looks again."""

import importlib
import os
import pickle
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import fields, replace
from pathlib import Path

import pytest
from command_line import ROOT, Cli
from test_survey import FILES, GOLDEN, LOOP, MODEL, SOLVER

from jaxfix.drivers.cli import cache
from jaxfix.drivers.stored import Stored
from jaxfix.drivers.workers import VARIABLE
from jaxfix.drivers.workflow.request import Request
from jaxfix.drivers.workflow.targets import find_targets
from jaxfix.engine.memory import Memory
from jaxfix.engine.records import as_text, of_text
from jaxfix.engine.survey import survey
from jaxfix.engine.unit import Look, Record, Unit
from jaxfix.semantic.project.summary_types import Factory, Facts, Jit, Runs, Use, Wrapping
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.source.errors import SourceError
from jaxfix.source.source_file import SourceFile
from jaxfix_codemods import CODEMODS

TOLD = "solver.py:5:12: local-loop-function [*]"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "solver.py").write_text(SOLVER)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return folder


def databases(project: Path) -> list[Path]:
    return sorted((project.parent / "cache").rglob("*.sqlite"))


def rows(project: Path) -> int:
    (database,) = databases(project)
    with closing(sqlite3.connect(database)) as connection:
        return int(connection.execute("SELECT count(*) FROM records").fetchone()[0])


def forget() -> None:
    """Puts in the place of what was found that there is nothing, as if that had been seen."""
    found = find_targets(Request((".",))).targets
    given = [Unit(target.source, target.codemods, target.surroundings) for target in found]
    packages = frozenset(str(unit.surroundings.name).partition(".")[0] for unit in given)
    with cache.memory(found[0].codemods) as memory:
        known = memory.recall(given, packages)
        assert None not in known
        memory.keep(given, packages, [Record(Look()) for _ in given])


def test_what_was_found_is_told_again_unasked(project: Path, cli: Cli) -> None:
    first = cli("check", "--all")
    assert first.out.startswith(TOLD)
    assert cli("check", "--all") == first
    forget()
    assert cli("check", "--all").out == ""
    assert cli("check", "--all", "--no-cache") == first


@pytest.mark.parametrize("text", [SOLVER + "\n", "# one line more\n" + SOLVER, SOLVER.replace("9", "8")])
def test_another_text_is_looked_at(project: Path, cli: Cli, text: str) -> None:
    cli("check")
    forget()
    (project / "solver.py").write_text(text)
    assert "local-loop-function" in cli("check", "--all").out


def test_another_configuration_counts(project: Path, cli: Cli) -> None:
    cli("check")
    forget()
    (project / "pyproject.toml").write_text('[tool.jaxfix]\nignore = ["weak-state"]\n')
    assert TOLD in cli("check", "--all").out


def test_all_code_of_a_pack_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pack_of_two" / "codemods").mkdir(parents=True)
    for name in ("__init__.py", "shared.py", "codemods/__init__.py", "codemods/one.py"):
        (tmp_path / "pack_of_two" / name).write_text("def find(module):\n    yield from ()\n")
    monkeypatch.syspath_prepend(tmp_path)
    codemod = replace(CODEMODS[0], find=importlib.import_module("pack_of_two.codemods.one").find)
    stamps = [cache._stamp([codemod]), cache._stamp([codemod])]
    assert len(set(stamps)) == 1
    for name in ("codemods/one.py", "shared.py"):
        (tmp_path / "pack_of_two" / name).write_text("# another text\n")
        stamps.append(cache._stamp([codemod]))
    assert len(set(stamps)) == 3


def test_another_file_counts(project: Path, cli: Cli) -> None:
    assert TOLD not in cli("check").out
    (project / "other.py").write_text("import solver\nfor i in range(9):\n    solver.solve(1.0)\n")
    assert TOLD in cli("check").out
    (project / "other.py").unlink()
    assert TOLD not in cli("check").out


def test_what_cannot_be_parsed_is_an_error_each_time(project: Path, cli: Cli) -> None:
    (project / "broken.py").write_text("import jax\ndef f(:\n")
    first = cli("check")
    assert first.code == 2 and "broken.py: line 2" in first.err
    assert cli("check") == first
    assert rows(project) == 1


def other_columns(database: Path) -> None:
    """As of a program that calls its table the same."""
    database.unlink()
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("CREATE TABLE records (place BLOB, answer TEXT)")


def changed(column: str, value: str) -> str:
    return f"UPDATE records SET {column} = {value}"


@pytest.mark.parametrize(
    "damage",
    [
        lambda database: database.write_bytes(b""),
        lambda database: database.write_bytes(b"foreign" * 1000),
        lambda database: database.write_bytes(database.read_bytes()[:-5000]),
        lambda database: database.write_bytes(database.read_bytes()[:100] + b"\xff" * 9000),
        other_columns,
    ],
)
def test_a_damaged_database_is_made_anew(project: Path, cli: Cli, damage) -> None:  # type: ignore[no-untyped-def]
    first = cli("check", "--all")
    (database,) = databases(project)
    damage(database)
    assert cli("check", "--all") == first
    assert cli("check", "--all") == first
    assert rows(project) == 1


@pytest.mark.parametrize(
    "statement",
    [
        changed("record", "'{}'"),
        changed("record", "replace(record, 'local-loop', 'another-loop')"),
        changed("record", "substr(record, 1, 99)"),
        changed("record", "NULL"),
        changed("record", "x'ff00'"),
        changed("record", "7"),
        changed("proof", "x'00'"),
        changed("text", "x'00'"),
        changed("packages", "x'00'"),
        "UPDATE packages SET names = 'solver jax'",
        "DELETE FROM packages",
    ],
)
def test_a_row_that_is_not_as_it_was_written_is_passed_over(project: Path, cli: Cli, statement: str) -> None:
    first = cli("check", "--all")
    (database,) = databases(project)
    with closing(sqlite3.connect(database)) as connection:
        connection.execute(statement)
        connection.commit()
    assert cli("check", "--all") == first
    with cache.memory(CODEMODS) as memory:
        assert None not in memory.recall(*asked())


def asked() -> tuple[list[Unit], frozenset[str]]:
    found = find_targets(Request((".",))).targets
    return [Unit(target.source, target.codemods, target.surroundings) for target in found], frozenset({"solver"})


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"asked": 3}', '{"asked": {"jit": [["a"]]}, "facts": {}}', "[" * 9999]
)
def test_a_text_that_is_no_record_is_named(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        of_text(text)


def test_where_nothing_can_be_kept_nothing_is_lost(project: Path, cli: Cli) -> None:
    (project.parent / "cache").write_text("a file in the way")
    assert cli("check", "--all").out.startswith(TOLD)
    assert cli("check", "--all").code == 1


def test_a_run_beside_this_one_keeps_it_from_writing_and_not_from_telling(
    project: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "_WAIT_S", 0.0)
    first = cli("check", "--all")
    (database,) = databases(project)
    (project / "solver.py").write_text(SOLVER + "\n")
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        assert cli("check", "--all") == first
    assert cli("check", "--all") == first and rows(project) == 1


def test_old_databases_make_room(project: Path, cli: Cli) -> None:
    cli("check")
    (database,) = databases(project)
    for number in range(60):
        (database.parent / f"{number}.sqlite").write_bytes(b"")
    (project / "solver.py").write_text(SOLVER + "\n")
    cli("check")
    assert len(databases(project)) == 50 and database in databases(project)


def test_files_that_nobody_looks_at_are_forgotten(project: Path, cli: Cli) -> None:
    (project / "other.py").write_text("import jax\n")
    cli("check")
    assert rows(project) == 2
    (database,) = databases(project)
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("UPDATE records SET used = used - 40 * 24 * 3600")
        connection.commit()
    (project / "other.py").unlink()
    cli("check")
    assert rows(project) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="no process sends another one Ctrl-C there")
def test_what_an_interrupted_check_has_looked_at_is_kept(project: Path) -> None:
    waits = "def find(module):\n    while 'last' in module.source.path:\n        WAITING.touch()\n"
    places = os.pathsep.join(map(str, (ROOT, ROOT / "codemods", installed(project.parent, waits))))
    for name in ("first.py", "last.py"):
        (project / name).write_text(f"{SOLVER}# {'x' * 600_000}\n")  # each is a shard of its own
    command = [sys.executable, "-m", "jaxfix", "check", "first.py", "last.py"]
    child = subprocess.Popen(command, env=os.environ | {"PYTHONPATH": places, VARIABLE: "1"})
    while not (project.parent / "waiting").exists() and child.poll() is None:
        time.sleep(0.02)
    child.send_signal(signal.SIGINT)
    assert child.wait() == 130
    assert rows(project) == 1


def installed(folder: Path, code: str) -> Path:
    """A place with a pack of one codemod."""
    info = folder / "packs" / "waiter-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: waiter\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[jaxfix.codemods]\nwaiter = waiter:CODEMODS\n")
    doc = "\n".join(f"{name}:\n    x\n" for name in ("Before", "After", "Safety", "Evidence", "Source"))
    (folder / "packs" / "waiter.py").write_text(
        f'"""x\n\n{doc}"""\nimport pathlib\nfrom jaxfix.api import Codemod, Equality, Safety\n'
        f"WAITING = pathlib.Path({str(folder / 'waiting')!r})\n\n{code}\n    return ()\n\n"
        'CODEMODS = (Codemod("waits", ("jax.lax.fori_loop",), Safety.SAFE, Equality.BITWISE, find),)\n'
    )
    return folder / "packs"


def test_the_project_is_left_alone(project: Path, cli: Cli) -> None:
    cli("check")
    assert [path.name for path in project.iterdir()] == ["solver.py"]


def test_what_check_has_found_is_fixed_as_if_nobody_had(project: Path, cli: Cli) -> None:
    (project / "other.py").write_text("import solver\nfor i in range(9):\n    solver.solve(1.0)\n")
    first = cli("apply", "--diff", "--unproven", "--no-cache")
    assert "solver.py" in first.out and not databases(project)
    cli("check")
    assert cli("apply", "--diff", "--unproven") == first
    forget()
    assert cli("apply", "--diff", "--unproven").out == ""  # it is asked
    assert cli("apply", "--diff", "--unproven", "--no-cache") == first


# --- the same as without ----------------------------------------------------------------------------------------

TEXTS = (
    *dict.fromkeys(FILES.values()),
    *(LOOP.replace("lib.model", "lib.other"), LOOP.replace("step(p", "lib.solver.step(p"), "\n\n" + MODEL),
    *(SOLVER + "VERSION = 1\n", "import lib.solver as s\ns.VERSION += 1\ns.solve.cache = {}\n", "def f(:\n"),
    *("from lib.solver import *\nfrom lib.model import *\n", "import lib\nx = [lib.run(i) for i in range(9)]\n"),
    *("import jax, lib.solver\nprint(jax.grad(lib.solver.solve)(1.0))\n", "step = jit = 3\n", ""),
)
NAMES = (*FILES, "lib.other", "tests.test_lib", "scripts.more")


def edits(seed: int, number: int) -> Iterator[list[Unit]]:
    """One project after another, each another edit of the one before."""
    chance = random.Random(seed)
    files, codemods, helpers = dict(FILES), CODEMODS, None
    for _ in range(number):
        match chance.randrange(9):
            case 0 | 1 | 2 | 3:
                files[chance.choice(NAMES)] = chance.choice(TEXTS)
            case 4 if len(files) > 1:
                del files[chance.choice(list(files))]
            case 5:
                old, new = chance.choice(list(files)), chance.choice(NAMES)
                files[new] = files.pop(old)
            case 6:
                files[chance.choice(list(files))] += f"# {chance.random()}\n"
            case 7:
                codemods = chance.choice((CODEMODS, CODEMODS[:3], CODEMODS[2:]))
            case 8:
                helpers = chance.choice((None, "lib.jaxfix_helpers"))
        yield [unit(name, text, codemods, helpers) for name, text in files.items()]


def unit(name: str, text: str, codemods: Sequence[object] = CODEMODS, helpers: str | None = None) -> Unit:
    source = SourceFile.decode(f"{name.replace('.', '/')}.py", text.encode())
    return Unit(source, tuple(codemods), Surroundings(name, is_package=name == "lib", helpers=helpers))  # type: ignore[arg-type]


def shown(given: Sequence[Unit], memory: Memory | None, *, is_complete: bool = True) -> list[object]:
    looks = survey(given, lambda path: None, memory=memory, is_complete=is_complete).looks
    return [(look.diagnostics, look.error, look.bugs) for look in looks]


@pytest.mark.parametrize("seed", range(4))
def test_after_any_edit_a_survey_that_remembers_finds_the_same(project: Path, seed: int) -> None:
    found = 0
    for step, given in enumerate(edits(seed, 20)):
        with cache.memory(CODEMODS) as memory:
            remembered = shown(given, memory, is_complete=step % 7 != 3)
        assert remembered == shown(given, None, is_complete=step % 7 != 3), step
        found += sum(bool(each) for each, *_ in remembered)  # type: ignore[misc]
    assert found > 10


def test_the_same_holds_of_the_goldens(project: Path) -> None:
    paths = sorted(path for path in GOLDEN.glob("*/*.py") if "_" in path.parent.name)
    chance = random.Random(7)
    given = [unit(path.stem + path.parent.name, path.read_text()) for path in chance.sample(paths, len(paths) // 8)]
    for _ in range(4):
        with cache.memory(CODEMODS) as memory:
            assert shown(given, memory) == shown(given, None)
        index, other = chance.sample(range(len(given)), 2)
        swapped = replace(given[index], source=given[index].source.with_text(given[other].source.text))
        given[index] = swapped


def test_a_record_comes_back_as_it_was(project: Path) -> None:
    class Watching:
        records: Sequence[Record] = ()

        def recall(self, units: Sequence[Unit], packages: frozenset[str]) -> Sequence[Record | None]:
            return [None] * len(units)

        def keep(self, units: Sequence[Unit], packages: frozenset[str], records: Sequence[Record]) -> None:
            self.records = records

    memory = Watching()
    survey([unit(name, text) for name, text in FILES.items()], lambda path: None, memory=memory)
    assert [of_text(as_text(record)) for record in memory.records] == list(memory.records)
    assert any(record.uses for record in memory.records) and any(record.look.told for record in memory.records)


def test_no_part_of_a_record_is_forgotten() -> None:
    """Of a file that tells all that there is to tell; `uses` of `Facts` are kept beside them."""
    jit, use = Jit("jax.jit", ("x",), (0,), ("y",)), Use("a.b", (Runs.EAGER,), at="c.py:1")
    names = ("a.b",)
    made = Factory(("rate",), ("batch",))
    wraps, factories = {"w": Wrapping.CALLS}, {"make": made}
    facts = Facts(
        *("m", True, {"x": "a.x"}, names, {"f": jit}, (), names, names, names, wraps, names, factories),
        records={"State": names},
        hides=names,
        attributes=names,
        asks=names,
        remembers=names,
        fills=names,
    )
    assert {field.name for field in fields(Facts) if not getattr(facts, field.name)} == {"uses"}
    asked = frozenset({("jit", "a.f"), ("users", "a.b"), ("stores", "s"), ("runs", "a.g")})
    told = {("jit", "a.f"): jit, ("users", "a.b"): (replace(use, is_test=True),), ("stores", "s"): True}
    told |= {("runs", "a.g"): Runs.EAGER, ("factory", "a.make"): made, ("values", "a.b"): (use,)}
    told |= {("wrapping", "a.w"): Wrapping.STAGES, ("fields", "a.State"): ("mean", "count")}
    record = Record(Look(asked=asked, told=told), facts, {"a.b": (use,)})
    assert of_text(as_text(record)) == record


def test_a_text_that_is_not_kept_is_read_again_and_must_be_the_same(tmp_path: Path) -> None:
    path = tmp_path / "solver.py"
    path.write_text(SOLVER)
    source = SourceFile.decode("solver.py", path.read_bytes())
    stored = Stored(source, path)
    assert stored == pickle.loads(pickle.dumps(stored)) != source
    assert (stored.text, stored.size, stored.digest, stored.loaded()) == (
        source.text,
        len(SOLVER),
        source.digest,
        source,
    )
    given = Unit(stored, CODEMODS, Surroundings("solver"))
    assert shown([given], None) == shown([replace(given, source=source)], None)
    path.write_text(SOLVER + "\n")
    (look,) = survey([given], lambda path: None).looks
    assert look.error == "solver.py: changed while it was analysed; run `jaxfix` again"


def test_an_error_travels_between_processes() -> None:
    error = pickle.loads(pickle.dumps(SourceError("a.py", "cannot be read", hint="look at it")))
    assert (str(error), error.path) == ("a.py: cannot be read; look at it", "a.py")
