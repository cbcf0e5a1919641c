"""What jaxfix finds in a controlled program."""

import re
from dataclasses import replace

from benchmarks.states.programs import Program
from jaxfix.engine.analyze import analyze
from jaxfix.engine.generated import MODULE, SOURCE
from jaxfix.engine.plan import plan
from jaxfix.engine.project import joined
from jaxfix.report.report import Diagnostic
from jaxfix.report.trace.drifts import Drift
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.source.source_file import SourceFile
from jaxfix_codemods import CODEMODS

_WANT = re.compile(r"# want: (?P<id>[a-z-]+)")
Place = tuple[str, int, str]
"""A file, a line and the codemod that has a finding there."""


def expected(program: Program) -> Place:
    """The one place that is marked."""
    (found,) = [
        (name, number, match["id"])
        for name, text in program.files.items()
        for number, line in enumerate(text.splitlines(), 1)
        if (match := _WANT.search(line))
    ]
    return found


def diagnostics(program: Program) -> list[tuple[str, Diagnostic]]:
    """The findings of all codemods, each with its file."""
    return [
        (source.path, diagnostic)
        for source, around in _sources(program)
        for diagnostic in analyze(source, CODEMODS, surroundings=around).diagnostics
    ]


def fixed(program: Program) -> dict[str, str]:
    """The files after the fixes of the codemod that is expected, with the generated helpers beside them."""
    chosen = [codemod for codemod in CODEMODS if codemod.id == expected(program)[2]]
    patches = [plan(source, chosen, lambda fix: None, around) for source, around in _sources(program)]
    return {patch.path: patch.after.decode() for patch in patches} | {f"{MODULE}.py": SOURCE.read_text()}


def _sources(program: Program) -> list[tuple[SourceFile, Surroundings]]:
    drifts = (Drift(program.drift, "float32", is_here=True),) if program.drift is not None else ()
    given = [
        (SourceFile.decode(name, text.encode()), Surroundings(name.removesuffix(".py"), helpers=MODULE, drifts=drifts))
        for name, text in program.files.items()
    ]
    project = joined(given)
    return [(source, replace(around, project=project)) for source, around in given]


def found(program: Program) -> set[Place]:
    return {(path, diagnostic.line, diagnostic.id) for path, diagnostic in diagnostics(program)}
