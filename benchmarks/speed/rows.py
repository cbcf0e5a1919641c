"""From costs to the rows of the table: a figure, the bar it is measured by, and whether it is met."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

from benchmarks.speed.contestants import Costs, Counted
from benchmarks.speed.running import Cost

NEEDS: Mapping[str, tuple[str, ...]] = {
    "cold-cpu": ("parse", "cold"),
    "cold-wall": ("parse", "cold"),
    "fixit": (),
    "warm": ("ruff", "warm", "start"),
    "changed": ("warm", "changed"),
    "version": ("pass", "version"),
    "help": ("pass", "help"),
    "start": ("pass", "start"),
    "memory": (),
    "growth": (),
    "libcst": (),
}
"""The rows, and who takes part in the rounds for each."""
REASONS: Mapping[str, str] = {
    "cold-cpu": "beside `ast.parse` itself the index of all nodes costs a half of it, in Python, to release it and "
    "of the trees a fifth, what each file tells the others and does with their functions nine tenths, the codemods one "
    "and a half of it, the start with the search for files a quarter; a fifth of all bytes is read again, for calls "
    "of other files or for what they tell, and that takes three fifths",
    "cold-wall": "as for the processor time: two processes share it about evenly, except for the start",
    "fixit": "as for the wall time of a cold check",
    "warm": "ruff reads on both cores, jaxfix walks, reads, hashes and asks on one; to start takes a quarter of it",
    "changed": "the file that has changed is parsed and looked at twice: alone, for what it tells, and with what it is "
    "told",
    "memory": "what the files tell and ask one another is held at once; texts and trees are not",
}
"""Why a bar is missed, for the rows that miss it."""
MB = 1e6


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table.

    Attributes:
      figure: a ratio, or what `unit` says.
      bar: what it may be at most, or must be at least; None where none is set.
      goal: what it should be.
      spread: the least and the greatest ratio of one round.
      note: what else there is to say, as a sentence without its full stop.
    """

    key: str
    what: str
    figure: float
    bar: float | None
    goal: float | None = None
    unit: str = "x"
    at_least: bool = False
    spread: tuple[float, float] | None = None
    note: str = ""

    @property
    def is_met(self) -> bool:
        return self.bar is None or (self.figure >= self.bar if self.at_least else self.figure <= self.bar)


def rows(wanted: Sequence[str], costs: Costs, sizes: Mapping[int, int], counted: Counted | None) -> Iterator[Row]:
    """The rows that are wanted and were measured, in the order of the table.

    Args:
      sizes: the bytes of each tree of the growth, by its number of files.
    """
    made: Mapping[str, Callable[[], Row]] = {
        "cold-cpu": lambda: _cold(costs, "cpu"),
        "cold-wall": lambda: _cold(costs, "wall"),
        "fixit": lambda: _fixit(costs),
        "warm": lambda: _warm(costs),
        "changed": lambda: _changed(costs),
        "version": lambda: _start(costs, "version", "`jaxfix --version`", 2.5),
        "help": lambda: _start(costs, "help", "`jaxfix --help`", 2.5),
        "start": lambda: _start(costs, "start", "`jaxfix check` of one line", None),
        "memory": lambda: _memory(costs, sizes),
        "growth": lambda: _growth(costs, sizes),
        "libcst": lambda: _libcst(counted),
    }
    return (made[key]() for key in NEEDS if key in wanted and _is_measured(key, costs, sizes, counted))


def _is_measured(key: str, costs: Costs, sizes: Mapping[int, int], counted: Counted | None) -> bool:
    match key:
        case "fixit":
            return "fixit" in costs
        case "memory" | "growth":
            return bool(sizes)
        case "libcst":
            return counted is not None
    return all(name in costs for name in NEEDS[key])


def best(runs: Sequence[Cost]) -> Cost:
    """The least of each measure: noise only ever adds. Of memory the most."""
    return Cost(min(run.cpu for run in runs), min(run.wall for run in runs), max(run.rss for run in runs))


def exponent(pairs: Sequence[tuple[float, float]]) -> float:
    """The slope of the line through the logarithms: 1 where twice as much costs twice as much."""
    logs = [(math.log(x), math.log(y)) for x, y in pairs]
    mean_x, mean_y = (sum(values) / len(logs) for values in zip(*logs, strict=True))
    return sum((x - mean_x) * (y - mean_y) for x, y in logs) / sum((x - mean_x) ** 2 for x, _ in logs)


def growth(costs: Costs, sizes: Mapping[int, int], who: str = "check") -> list[tuple[int, int, Cost]]:
    """The files, the bytes and the cost of each tree, of `check` or of `parse`."""
    return [(number, sizes[number], best(costs[f"{who} {number}"])) for number in sorted(sizes)]


def _cold(costs: Costs, measure: str) -> Row:
    where = "CPU" if measure == "cpu" else "wall on two cores"
    bar, goal = (2.5, 1.5) if measure == "cpu" else (1.5, 0.9)
    figure, spread = _compared(costs, "cold", "parse", measure)
    what = f"`check`, cold, {where} / `ast.parse` of all files in one process"
    return Row(f"cold-{measure}", what, figure, bar, goal, spread=spread)


def _fixit(costs: Costs) -> Row:
    figure, spread = _compared(costs, "fixit", "cold beside fixit", "wall")
    cpu, _ = _compared(costs, "fixit", "cold beside fixit", "cpu")
    note = f"{cpu:.1f} x in CPU time"
    return Row(
        "fixit",
        "Fixit, wall / `check`, cold, wall, of the same files",
        figure,
        60,
        at_least=True,
        spread=spread,
        note=note,
    )


def _warm(costs: Costs) -> Row:
    figure, spread = _compared(costs, "warm", "ruff", "wall")
    cpu, _ = _compared(costs, "warm", "ruff", "cpu")
    share, _ = _compared(costs, "start", "warm", "cpu")
    note = f"{cpu:.2f} x in CPU time, of which {share:.0%} is what a check of one line takes"
    return Row("warm", "`check`, warm, wall / ruff, cold, wall", figure, 1.0, spread=spread, note=note)


def _changed(costs: Costs) -> Row:
    figure, spread = _compared(costs, "changed", "warm", "wall")
    return Row("changed", "`check`, one file changed, wall / warm", figure, 1.3, spread=spread)


def _start(costs: Costs, key: str, what: str, bar: float | None) -> Row:
    figure, spread = _compared(costs, key, "pass", "cpu")
    return Row(key, f"{what}, CPU / `python -c pass`", figure, bar, spread=spread)


def _memory(costs: Costs, sizes: Mapping[int, int]) -> Row:
    found = growth(costs, sizes)
    (middle, _, fewer), (most, _, more) = found[len(found) // 2], found[-1]
    note = f"{fewer.rss / MB:.0f} MB with {middle:,} files, {more.rss / fewer.rss:.2f} x"
    return Row("memory", f"memory, all processes, {most:,} files", more.rss / MB, 400, unit="MB", note=note)


def _growth(costs: Costs, sizes: Mapping[int, int]) -> Row:
    found = growth(costs, sizes)
    figure = exponent([(size, cost.cpu) for _, size, cost in found])
    (middle, small, first), (most, large, last) = found[len(found) // 2], found[-1]
    ratio = last.cpu / large / (first.cpu / small)
    note = f"a byte costs {ratio:.2f} x as much in {most:,} files as in {middle:,}"
    what = f"`check`, cold, growth of CPU with the bytes, {found[0][0]:,} to {most:,} files"
    return Row("growth", what, figure, 1.05, unit="th power", note=note)


def _libcst(counted: Counted | None) -> Row:
    assert counted is not None
    figure = counted.bytes / counted.files_bytes if counted.files_bytes else 0.0
    note = f"{counted.texts:,} statements, each on its own, in {counted.files} files that are rewritten"
    return Row("libcst", "`apply`, bytes parsed with LibCST / bytes of the files rewritten", figure, 1.0, note=note)


def _compared(costs: Costs, ours: str, theirs: str, measure: str) -> tuple[float, tuple[float, float] | None]:
    """The ratio of the best runs, and how far those of single rounds are apart."""
    of: Callable[[Cost], float] = attrgetter(measure)
    figure = of(best(costs[ours])) / of(best(costs[theirs]))
    ratios = [of(one) / of(other) for one, other in zip(costs[ours], costs[theirs], strict=False)]
    return figure, (min(ratios), max(ratios)) if len(ratios) > 1 else None
