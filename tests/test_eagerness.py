"""What rules an answer out never differs from the answer: on goldens, alone and as the files of one project."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from jaxfix.engine.project import joined
from jaxfix.semantic.module import Module
from jaxfix.semantic.project.project import Project
from jaxfix.semantic.project.summary_types import Runs
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.source.source_file import SourceFile
from jaxfix.staging.contexts import Staging

GOLDEN = Path(__file__).parent.parent / "golden"
FOLDERS = ("local_loop_function", "unjitted_update", "unrolled_loop", "static_exponent", "_together")
FILES = sorted(path for folder in FOLDERS for path in (GOLDEN / folder).glob("*.py"))


def named() -> Iterator[tuple[SourceFile, str]]:
    """Each as a module of a package that imports the two before it, and calls a function of the last."""
    for index, path in enumerate(FILES):
        others = "".join(f"from lib import m{before} as other_{before}\n" for before in range(max(0, index - 2), index))
        calls = f"\ndef use_{index}(x):\n    return other_{index - 1}.step(x)\n" if index else ""
        text = path.read_text() + "\n" + others + calls
        yield SourceFile.decode(f"lib/m{index}.py", text.encode()), f"lib.m{index}"


@pytest.fixture(scope="module", params=["alone", "together"])
def modules(request: pytest.FixtureRequest) -> list[Module]:
    found = list(named())
    whole = joined([(source, Surroundings(name)) for source, name in found])
    project = whole if request.param == "together" else Project()
    return [Module.parse(source, Surroundings(name, project=project)) for source, name in found]


def test_what_runs_eagerly_is_what_is_said_to_run_eagerly(modules: list[Module]) -> None:
    ways = set()
    for module in modules:
        staging = module.get(Staging)
        for call in module.nodes(ast.Call):
            assert staging.is_eager(call) is (staging.runs(call) is Runs.EAGER), module.text(call)
            ways.add(staging.runs(call))
    assert ways == set(Runs)


def test_what_is_ruled_out_is_not_found(modules: list[Module]) -> None:
    ruled_out = 0
    for module in modules:
        staging = module.get(Staging)
        for call in module.nodes(ast.Call):
            found = staging.ways(call).known | staging.seen(call) | {staging.runs(call)}
            assert staging.may_be_seen(call) or Runs.EAGER not in found, module.text(call)
            assert staging.may_be_traced(call) or Runs.TRACED not in found, module.text(call)
            ruled_out += not staging.may_be_traced(call)
    assert ruled_out > 100
