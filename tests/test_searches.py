"""What is asked about the callers of a function: the answers are those of all uses, and what decides is read alone."""

import ast
import random

import pytest

from jaxfix.engine.project import Reading, facts_of, packages_of, project_of
from jaxfix.semantic.module import Module
from jaxfix.semantic.project.joined import Joined
from jaxfix.semantic.project.query import QUERIES
from jaxfix.semantic.project.recording import RecordingProject
from jaxfix.semantic.project.summary_types import CallerPath, Facts, Runs, Use
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.source.source_file import SourceFile
from jaxfix.staging.contexts import Staging

FUNCTIONS = tuple(f"app.m{number}.f" for number in range(8))
METHODS = (".step@app.m8", "._inner", ".load@app.m9")
Graph = dict[str, list[Use]]


def graph(seed: int) -> Graph:
    """Random uses of functions and methods through one another, in cycles too."""
    draw = random.Random(seed)
    found: Graph = {name: [] for name in (*FUNCTIONS, *METHODS)}
    for name in draw.choices([*found], k=draw.randint(4, 18)):
        runs = tuple(way for way in Runs if draw.random() < 0.15)
        ways = draw.sample([*found], k=draw.randint(0, 2))
        through = tuple(CallerPath(way, False, True, False, draw.random() < 0.5) for way in ways)
        use = Use(name.partition("@")[0], runs, through, differentiated=draw.random() < 0.1)
        found[name].append(use)
    return found


def joined(uses: Graph) -> Joined:
    every = tuple(use for some in uses.values() for use in some)
    mentions = tuple(use.of for use in every)
    attributes = tuple(use.of[1:] for use in every if use.of.startswith("."))
    return Joined([Facts("app.user", uses=every, mentions=mentions, attributes=attributes)], None, unread=False)


def reached(uses: Graph, name: str, *, methods: bool) -> list[Use]:
    """The uses on all ways to a function."""
    met, found = [name], []
    for each in met:
        here = uses[each] if methods or not each.startswith(".") else []
        found += here
        met += [path.name for use in here for path in use.through if path.name not in met]
    return found


@pytest.mark.parametrize("seed", range(150))
def test_a_question_about_one_thing_is_answered_as_the_questions_about_all_are(seed: int) -> None:
    uses = graph(seed)
    files, asked_first = joined(uses), random.Random(seed)
    names = asked_first.sample([*uses], k=len(uses))
    files.look_up((), {query.along: names for query in QUERIES.values()}, ())
    for name in names:
        runs, seen = files.runs(name), set(files.seen(name))
        eager = any(Runs.EAGER in use.runs for use in reached(uses, name, methods=False))
        assert files.runs_eagerly(name) is eager is (runs is Runs.EAGER)
        assert files.is_traced(name) is (Runs.TRACED in seen)
        assert files.is_only_traced(name) is (runs is Runs.TRACED)
        assert files.is_seen_traced(name) is (seen == {Runs.TRACED})
        assert files.is_seen_otherwise(name) is bool(seen - {Runs.TRACED})
        assert files.may_be_unknown(name) is (Runs.UNKNOWN in seen)
        assert files.is_settled(name) is (bool(seen) and Runs.UNKNOWN not in seen)


LIB = "import jax.numpy as jnp\n\ndef f(x):\n    return jnp.sin(x)\n"
NEAR = "from app import lib\n\ndef g(x):\n    return lib.f(x)\n"
FAR = "from app import near\n\ndef h(x):\n    return near.g(x)\n"


@pytest.mark.parametrize(
    ("query", "use", "is_read"),
    [
        ("runs eagerly", "lib.f(1.0)", False),
        ("runs eagerly", "jax.jit(lib.f)", True),
        ("is traced", "jax.jit(lib.f)", False),
        ("is traced", "lib.f(1.0)", True),
        ("is only traced", "lib.f(1.0)", False),
        ("is only traced", "jax.jit(lib.f)", True),
        ("is settled", "print(lib.f)", False),
        ("is settled", "lib.f(1.0)", True),
        ("runs", "lib.f(1.0)", False),
        ("seen", "lib.f(1.0)", True),
    ],
)
def test_behind_what_decides_no_file_is_read(query: str, use: str, is_read: bool) -> None:
    texts = {"lib": LIB, "near": NEAR, "far": FAR, "use": f"import jax\nfrom app import lib\n{use}\n"}
    given = [
        (SourceFile.decode(f"{name}.py", text.encode()), Surroundings(f"app.{name}", is_distributed=False))
        for name, text in texts.items()
    ]
    reading = Reading(given)
    facts = [facts_of(Module.parse(source, place), packages_of(given)) for source, place in given]
    project = project_of(given, facts, unread=False, read=reading)
    project.look_up({(query, "app.lib.f")})
    assert bool(reading.known[1]) and bool(reading.known[3]) and bool(reading.known[2]) is is_read
    project.ask(QUERIES[query], "app.lib.f")
    assert bool(reading.known[2]) is is_read


@pytest.mark.parametrize(
    ("before", "after", "is_asked"),
    [
        ("", "", True),
        ("@jax.jit\n", "", False),
        ("@library.wraps_it\n", "", False),
        ("", "from library import f", False),
    ],
)
def test_who_calls_a_function_is_asked_only_where_its_own_file_leaves_it_open(
    before: str, after: str, is_asked: bool
) -> None:
    source = SourceFile.decode("lib/m.py", f"import jax, library\n{before}def f(x):\n    return x\n{after}\n".encode())
    recording = RecordingProject()
    module = Module.parse(source, Surroundings(name="lib.m", project=recording))
    (inside,) = module.nodes(ast.Return)
    assert not module.get(Staging).is_eager(inside)
    assert (("runs eagerly", "lib.m.f") in recording.asked) == is_asked
