"""What a worker does: in a module of its own, which every worker can import."""

from pathlib import Path

from benchmarks.reliability import programs
from benchmarks.reliability.laws import Examined, examine
from jaxfix_codemods import CODEMODS

AT_ONCE = 25
"""Random programs of one task."""


def some_mutants(first: int) -> list[tuple[str, Examined]]:
    return [(str(seed), mutant(seed)) for seed in range(first, first + AT_ONCE)]


def mutant(seed: int) -> Examined:
    raw, _ = programs.mutant(seed, programs.own())
    return examine("mutant.py", raw, CODEMODS, variants=True)


def some_of_libraries(first: int) -> list[tuple[str, Examined]]:
    return [of_a_library(seed) for seed in range(first, first + AT_ONCE)]


def of_a_library(seed: int) -> tuple[str, Examined]:
    path, raw = programs.torn_or_mutated(seed, programs.installed())
    return f"{seed}, of {path.name}", examine(path.name, raw, CODEMODS)


def some_strangers(seed: int) -> list[tuple[str, Examined]]:
    found = []
    for number, text in enumerate(programs.strangers(seed, AT_ONCE)):
        raw = programs.among(text, seed * 1000 + number, programs.own())
        found.append((f"{seed}.{number}", examine("stranger.py", raw, CODEMODS, variants=True)))
    return found


def a_file(folder: Path, path: Path) -> list[tuple[str, Examined]]:
    return [(path.relative_to(folder).as_posix(), examine(path.name, path.read_bytes(), CODEMODS))]
