"""Runs the rows of the table in environments: which names they have, which are one object, what examples print."""

import json
import os
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.upgrade.examples import EXAMPLES
from jaxfix.engine.plan import plan
from jaxfix.library.changes.periods import DISTRIBUTIONS
from jaxfix.library.changes.row import Keyword, Method, Name, Positional, Row, Way, version
from jaxfix.library.changes.table import NAMES, ROWS
from jaxfix.report.finding import Change
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.source.source_file import SourceFile
from jaxfix_codemods import CODEMODS

LIBRARIES = ("optax", "flax", "chex", "equinox", "haiku", "numpyro", "orbax")
_THERE = Path(__file__).with_name("names_there.py")
_PACKAGES = {name: DISTRIBUTIONS.get(name, name) for name in ("jax", *LIBRARIES)}


@dataclass(frozen=True)
class Environment:
    """What one interpreter has said."""

    versions: dict[str, str]
    states: dict[str, dict[str, bool]]
    results: dict[str, str]

    def has(self, row: Name) -> bool:
        return bool(self.versions.get(_package(row)))

    def version(self, row: Name) -> tuple[int, ...]:
        return version(self.versions[_package(row)].partition("+")[0])


@dataclass(frozen=True)
class Checked:
    """What was found of the rows; `faults` are sentences."""

    environments: list[dict[str, str]]
    rows: int
    on_two: int
    names: int
    on_both_sides: int
    gone_only: int
    same_object: int
    examples: int
    examples_equal: int
    faults: list[str]


_ASKED = Surroundings(asked=(Change.NEWER_FORM,))


def new_examples() -> dict[str, str]:
    """The examples as the codemod rewrites them."""
    codemods = [codemod for codemod in CODEMODS if codemod.id in ("removed-api", "legacy-parallelism")]

    def rewritten(text: str) -> str:
        return plan(SourceFile.decode("a.py", text.encode()), codemods, lambda fix: None, _ASKED).after.decode()

    return {row: rewritten(text) for row, text in EXAMPLES.items()}


def asked_of(command: Sequence[str]) -> Environment:
    """What the interpreter that `command` starts says of all rows and examples."""
    new = new_examples()
    both = {f"old {row}": text for row, text in EXAMPLES.items()} | {f"new {row}": text for row, text in new.items()}
    names = [(row.old, row.new if not row.parameters and not row.is_text else "") for row in NAMES]
    asked = json.dumps({"packages": _PACKAGES, "names": names, "examples": both})
    env = os.environ | {"JAX_PLATFORMS": "cpu", "JAX_THREEFRY_PARTITIONABLE": "0"}
    env |= {"XLA_FLAGS": "--xla_force_host_platform_device_count=8"}
    done = subprocess.run(
        [*command, "-W", "ignore", "-c", _THERE.read_text()], input=asked, capture_output=True, text=True, env=env
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stderr[-500:]}")
    return Environment(**json.loads(done.stdout.splitlines()[-1]))


def check(environments: Sequence[Environment]) -> Checked:
    """Holds the rows against what the environments have, the oldest first."""
    environments = sorted(environments, key=lambda each: version(each.versions["jax"]))
    faults: list[str] = []
    sides, gone, same = 0, 0, 0
    for row in NAMES:
        mine = [each for each in environments if each.has(row)]
        there = [each.states[row.old]["old"] for each in mine]
        faults += _faults(row, mine)
        sides += any(there) and not all(there)
        gone += bool(there) and not any(there)
        same += any(each.states[row.old]["same"] for each in mine)
    run = [row for row in EXAMPLES if not _runs_nowhere(row, environments)]
    equal = [row for row in run if _is_equal(row, environments)]
    faults += [f"{row}: does not print the same before and after" for row in run if row not in equal]
    faults += [f"{row}: its example is not rewritten" for row, text in new_examples().items() if text == EXAMPLES[row]]
    told = [each.versions for each in environments]
    on_two = sum(_times_checked(row, environments) > 1 for row in ROWS)
    return Checked(told, len(ROWS), on_two, len(NAMES), sides, gone, same, len(run), len(equal), faults)


def _times_checked(row: Row, environments: Iterable[Environment]) -> int:
    """In how many environments the row was held against what they have, or its example has run there, old or new."""
    if isinstance(row, Name):
        return sum(each.has(row) for each in environments)
    example = _example_of(row)
    both = [(each.results.get(f"old {example}"), each.results.get(f"new {example}")) for each in environments]
    return sum(any(text is not None and not _raised(text) for text in pair) for pair in both)


def _example_of(row: Row) -> str:
    match row:
        case Keyword(function=function, old=old):
            is_clip = function == "jax.numpy.clip"
            return f"{function}({'a_min' if is_clip else old}=)"  # which passes all three of `clip`
        case Positional(function=function, first=first):
            return f"{function}({first})"
        case Method(old=old):
            return f"jax.Array.{old}"
    return ""


def _faults(row: Name, environments: Iterable[Environment]) -> Iterable[str]:
    """Where a version has what the row says is gone, or lacks what it says is there."""
    began = False
    for each in environments:
        found, at = each.states[row.old], each.version(row)
        is_gone = bool(row.life.removed) and at >= version(row.life.removed)
        began = began or found["old"]
        if is_gone and found["old"]:
            yield f"{row.old}: {_package(row)} {each.versions[_package(row)]} has it"
        if not is_gone and not found["old"] and began:
            yield f"{row.old}: {_package(row)} {each.versions[_package(row)]} is without it"
        is_named = bool(row.new) and not row.parameters and not row.is_text
        if is_named and not found["new"] and at >= version(row.life.since or "0"):
            yield f"{row.old}: {_package(row)} {each.versions[_package(row)]} is without {row.new}"
        is_other = row.way is Way.ALIAS and found["old"] and found["new"] and not found["same"]
        if is_other and row.old not in EXAMPLES and not row.is_module:
            yield f"{row.old}: another object than {row.new} in {each.versions[_package(row)]}, and no example"


def _is_equal(row: str, environments: Sequence[Environment]) -> bool:
    """Whether old and new code print the same wherever both run, and somewhere what the other prints."""
    pairs = [(each.results[f"old {row}"], each.results[f"new {row}"]) for each in environments]
    both = [(old, new) for old, new in pairs if not (_raised(old) or _raised(new))]
    olds, news = ({pair[n] for pair in pairs if not _raised(pair[n])} for n in (0, 1))
    return bool(olds & news) and all(old == new for old, new in both)


def _runs_nowhere(row: str, environments: Sequence[Environment]) -> bool:
    return all(_raised(each.results[f"old {row}"]) for each in environments)


def _raised(text: str) -> bool:
    return text.startswith("raises ")


def _package(row: Name) -> str:
    return row.old.partition(".")[0].replace("jaxlib", "jax")
