"""The table as a page, and as JSON."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

from benchmarks.speed.contestants import Costs
from benchmarks.speed.rows import MB, NEEDS, REASONS, Row, best, growth
from benchmarks.speed.running import Cost

_BOTH_CORES = {"ruff": "ruff", "cold": "a cold `check`"}
"""Those that share their work between processes."""


@dataclass(frozen=True, slots=True)
class Where:
    """What was measured, and on what.

    Attributes:
      libraries: such as `jax 0.10.2`.
      tools: such as `ruff 0.9.1`.
      files, size: of the corpus; the size in bytes.
      cores: those that every contestant may use.
      loads: the load of the machine at the beginning of each run.
      runs: how often the command was started, each time for some rows.
      fixit_files: how many of the files Fixit read; None where it did not run.
    """

    libraries: tuple[str, ...]
    tools: tuple[str, ...]
    files: int
    size: int
    cores: int
    rounds: int
    loads: tuple[float, ...]
    runs: int = 1
    fixit_files: int | None = None


def lines(
    rows: Sequence[Row], where: Where, costs: Costs, sizes: Mapping[int, int], picture: str | None
) -> Iterator[str]:
    yield "# The speed of jaxfix"
    yield ""
    yield (
        "Written by `python -m benchmarks.speed`: ratios, not seconds. All contestants read the same sources on the "
        f"same {where.cores} cores and take turns, {where.rounds} rounds after one that is not counted; a figure is "
        "the best run over the best run, beside it the least and the greatest ratio of one round. Cold is without any "
        "cache, and includes writing one; all codemods are on. CPU is user and system time of all processes."
    )
    yield ""
    yield (
        f"{where.files:,} files, {where.size / MB:.1f} MB: {', '.join(where.libraries)}. {', '.join(where.tools)}. "
        f"{_load(where.loads)}"
    )
    yield ""
    yield from table(rows)
    missed = [row for row in rows if not row.is_met]
    if missed:
        yield ""
        yield "## What is missed"
        yield ""
        for row in missed:
            yield f"- {row.what}: {figure(row)}, {_limit(row, row.bar)}{_reason(row)}"
    if sizes:
        yield ""
        yield "## How the cost grows"
        yield ""
        yield (
            "Trees of files of the corpus, spread evenly over it, or of copies of all of it, each a package of its "
            "own. Memory is the most that all processes have at one time; a page that they share counts once."
        )
        yield ""
        if picture is not None:
            yield f"![CPU time and memory against the number of files]({picture})"
            yield ""
        yield from _growth(costs, sizes)
    yield ""
    yield "## How this was measured"
    yield ""
    yield " ".join(_how(rows, where, costs))


def _how(rows: Sequence[Row], where: Where, costs: Costs) -> Iterator[str]:
    if where.runs == 1:
        yield "In one run."
    else:
        yield f"In {where.runs} runs, each for some rows (`--save`, then `--saved`)."
    if where.loads and _middle(where.loads) > where.cores:
        yield (
            "Other work kept the machine busier than its cores can bear: wall times are longer than on an idle one, "
            "and tell more of what ran beside it than processor times do."
        )
        shares = [f"{who} took {_share(costs[name]):.1f} times" for name, who in _BOTH_CORES.items() if costs.get(name)]
        if shares:
            yield f"On the clock {' and '.join(shares)} its processor time; on two idle cores that is about half of it."
    if where.fixit_files is not None:
        part = f"{where.fixit_files:,} of the files, spread evenly"
        yield f"Fixit read {part if where.fixit_files < where.files else 'all of the files'}."
    missing = [f"`{key}`" for key in NEEDS if key not in {row.key for row in rows}]
    if missing:
        yield f"Not measured: {', '.join(missing)} (`--only` names the rows)."


def _share(runs: Sequence[Cost]) -> float:
    return best(runs).wall / best(runs).cpu


def table(rows: Sequence[Row]) -> Iterator[str]:
    """The rows as Markdown."""
    yield "| | figure | of one round | bar | goal | |"
    yield "|---|---|---|---|---|---|"
    for row in rows:
        spread = f"{row.spread[0]:.2f} to {row.spread[1]:.2f}" if row.spread else ""
        what = f"{row.what}; {row.note}" if row.note else row.what
        cells = (what, f"**{figure(row)}**", spread, _limit(row, row.bar), _limit(row, row.goal), _verdict(row))
        yield f"| {' | '.join(cells)} |"


def document(rows: Sequence[Row], where: Where) -> str:
    """All of it as JSON."""
    found = [asdict(row) | {"is_met": row.is_met} for row in rows]
    return json.dumps({"where": asdict(where), "rows": found}, indent=1) + "\n"


def figure(row: Row) -> str:
    """Such as `1.42 x` or `310 MB`."""
    digits = 0 if row.unit == "MB" else 2
    return f"{row.figure:.{digits}f} {row.unit}"


def _growth(costs: Costs, sizes: Mapping[int, int]) -> Iterator[str]:
    yield "| files | MB | CPU / `ast.parse` of the same | wall / `ast.parse` of the same | memory, MB |"
    yield "|---|---|---|---|---|"
    theirs = {number: cost for number, _, cost in growth(costs, sizes, "parse")}
    for number, size, cost in growth(costs, sizes):
        parse = theirs[number]
        ratios = f"{cost.cpu / parse.cpu:.2f} x | {cost.wall / parse.wall:.2f} x"
        yield f"| {number:,} | {size / MB:.1f} | {ratios} | {cost.rss / MB:.0f} |"


def _limit(row: Row, limit: float | None) -> str:
    if limit is None:
        return ""
    return f"{'at least' if row.at_least else 'at most'} {limit:g} {row.unit}"


def _verdict(row: Row) -> str:
    if row.bar is None:
        return ""
    if row.goal is not None and row.figure <= row.goal:
        return "goal met"
    return "met" if row.is_met else "missed"


def _reason(row: Row) -> str:
    return f"; {REASONS[row.key]}" if row.key in REASONS else ""


def _load(loads: Sequence[float]) -> str:
    if not loads:
        return ""
    return f"The load of the machine was {min(loads):.1f} to {max(loads):.1f}, {_middle(loads):.1f} in the middle."


def _middle(loads: Sequence[float]) -> float:
    return sorted(loads)[len(loads) // 2]
