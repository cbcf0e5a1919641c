"""Where a finding says that its line is run repeatedly."""

import json
from dataclasses import replace

import pytest

from jaxfix.engine.analyze import analyze
from jaxfix.engine.project import joined
from jaxfix.engine.registry import load_registry
from jaxfix.report.report import Diagnostic, Related
from jaxfix.report.wire import from_json, to_json
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.source.source_file import SourceFile

SOLVE = """\
import jax
import jax.numpy as jnp


def solve(x):
    def body(c, _):
        return c * 2, None

    return jax.lax.scan(body, x, None, 3)


"""
PLACES = {
    "for i in range(10):\n    solve(jnp.ones(3))\n": [("by way", "solve(jnp.ones(3))"), ("loop", "for i in range(10)")],
    "left = 9\nwhile left > 0:\n    solve(jnp.ones(3))\n    left -= 1\n": [
        ("by way", "solve(jnp.ones(3))"),
        ("loop", "while left > 0"),
    ],
    "found = ['é', [solve(jnp.ones(3)) for i in range(9)]]\n": [
        ("by way", "solve(jnp.ones(3))"),
        ("loop", "[solve(jnp.ones(3)) for i in range(9)]"),
    ],
    "def run():\n    return solve(jnp.ones(3))\n\n\nfor i in range(4):\n    run()\n": [
        ("by way", "solve(jnp.ones(3))"),
        ("by way", "run()"),
        ("loop", "for i in range(4)"),
    ],
    "solve(jnp.ones(3))\n": [],
    "for i in range(1):\n    solve(jnp.ones(3))\n": [],
}


def related(text: str) -> list[tuple[str, str]]:
    source = SourceFile.decode("train.py", text.encode())
    codemods = [codemod for codemod in load_registry().codemods if codemod.id == "local-loop-function"]
    (found,) = analyze(source, codemods).diagnostics
    assert from_json(Diagnostic, json.loads(json.dumps(to_json(found)))) == found
    return [("loop" if "loop" in entry.message else "by way", _text(text, entry)) for entry in found.related]


CALLED = "from solve import solve\n"
ELSEWHERE = {
    "in a loop": (
        {"train": CALLED + "for i in range(4):\n    solve(i * 1.0)\n"},
        [("it runs repeatedly here", "train.py", 3)],
    ),
    "by a function that a third file loops around": (
        {
            "epoch": CALLED + "\n\ndef epoch(x):\n    return solve(x)\n",
            "main": "from epoch import epoch\nwhile True:\n    epoch(1.0)\n",
        },
        [("by way of this call", "epoch.py", 5), ("it runs repeatedly here", "main.py", 3)],
    ),
    "once": ({"train": CALLED + "solve(1.0)\n"}, []),
    "in a function that is compiled": (
        {
            "train": "import jax\n"
            + CALLED
            + "@jax.jit\ndef step(x):\n    for i in range(3):\n        x = solve(x)[0]\n"
            "    return x\nfor i in range(9):\n    step(1.0)\n"
        },
        [],
    ),
}


@pytest.mark.parametrize("program", ELSEWHERE)
def test_a_finding_points_at_the_file_that_repeats_it(program: str) -> None:
    others, wanted = ELSEWHERE[program]
    texts = {"solve": SOLVE, **others}
    given = [(SourceFile.decode(f"{name}.py", text.encode()), Surroundings(name)) for name, text in texts.items()]
    surroundings = replace(given[0][1], project=joined(given))
    codemods = [codemod for codemod in load_registry().codemods if codemod.id == "local-loop-function"]
    places = [
        (entry.message, entry.path, entry.line)
        for found in analyze(given[0][0], codemods, surroundings=surroundings).diagnostics
        for entry in found.related
    ]
    assert places == wanted


def _text(text: str, entry: Related) -> str:
    assert entry.line == entry.end_line
    return text.splitlines()[entry.line - 1][entry.column - 1 : entry.end_column - 1]


@pytest.mark.parametrize("program", PLACES)
def test_a_finding_points_at_the_loop_that_repeats_it(program: str) -> None:
    assert related(SOLVE + program) == PLACES[program]


def test_functions_that_call_one_another_lead_to_no_loop() -> None:
    assert related(SOLVE + "def one(n):\n    solve(n)\n    return two(n)\n\n\ndef two(n):\n    return one(n)\n") == []
