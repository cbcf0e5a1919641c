"""What runs have cost, in files: rows that take long can be measured at other times than the rest."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.speed.contestants import Costs, Counted
from benchmarks.speed.page import Where
from benchmarks.speed.running import Broken, Cost
from jaxfix.report.wire import from_json, to_json


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured, and the bytes of each tree of the growth, by its number of files."""

    costs: Costs
    sizes: dict[int, int]
    counted: Counted | None
    where: Where


@dataclass(frozen=True, slots=True)
class _Kept:
    costs: dict[str, tuple[Cost, ...]]
    sizes: dict[str, int]
    counted: Counted | None
    where: Where


def write(path: Path, measured: Measured) -> None:
    costs = {name: tuple(runs) for name, runs in measured.costs.items()}
    sizes = {str(number): size for number, size in measured.sizes.items()}
    path.write_text(json.dumps(to_json(_Kept(costs, sizes, measured.counted, measured.where)), indent=1) + "\n")


def read(paths: Sequence[Path]) -> Measured:
    """All that the files have, together.

    Raises:
      Broken: they were measured on different sources, or on other cores.
    """
    found = [from_json(_Kept, json.loads(path.read_text())) for path in paths]
    costs: Costs = {}
    for each in found:
        for name, runs in each.costs.items():
            costs.setdefault(name, []).extend(runs)
    sizes = {int(number): size for each in found for number, size in each.sizes.items()}
    counted = next((each.counted for each in found if each.counted is not None), None)
    return Measured(costs, sizes, counted, _together([each.where for each in found]))


def _together(places: Sequence[Where]) -> Where:
    first = places[0]
    for each in places:
        if (each.libraries, each.files, each.size, each.cores) != (
            first.libraries,
            first.files,
            first.size,
            first.cores,
        ):
            raise Broken("the runs were measured on different sources, or on other cores: they do not compare")
    return replace(
        first,
        tools=tuple(dict.fromkeys(tool for each in places for tool in each.tools)),
        rounds=max(each.rounds for each in places),
        loads=tuple(load for each in places for load in each.loads),
        runs=sum(each.runs for each in places),
        fixit_files=next((each.fixit_files for each in places if each.fixit_files), None),
    )
