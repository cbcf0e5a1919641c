"""The census as a picture: compiles and memory per eager step, as shipped and repaired."""

from collections.abc import Mapping
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # after the choice of what draws

from benchmarks.census import page
from benchmarks.census.measuring import Figures, Table

SHIPPED, REPAIRED, GREY = "#d1495b", "#00798c", "#8a8a8a"


def draw(table: Table, path: Path) -> None:
    """Writes one SVG, the same for the same table: a row for each optimizer that compiles at steady eager steps."""
    plt.rcParams.update({"svg.hashsalt": "census", "svg.fonttype": "none", "font.family": "sans-serif"})
    names = page.offenders(table, table.before)
    names = [name for name in names if _figures(table.after, name)]
    names.sort(key=lambda name: (_figures(table.before, name) or (0.0, 0.0), name))
    height = 1.2 + 0.28 * max(len(names), 1)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, height), sharey=True, width_ratios=(1.2, 1))
    for row, name in enumerate(names):
        before, after = _figures(table.before, name), _figures(table.after, name)
        assert before is not None and after is not None
        for axes, index in ((left, 0), (right, 1)):
            axes.plot([before[index], after[index]], [row, row], color=GREY, linewidth=1, zorder=1)
            axes.scatter(before[index], row, color=SHIPPED, s=36, zorder=2)
            axes.scatter(after[index], row, color=REPAIRED, s=36, marker="D", zorder=3)
    left.set_yticks(range(len(names)), [name.removeprefix(f"{table.package}.") for name in names])
    left.set_xlabel("compiles per step")
    right.set_xlabel("resident memory per step, MB")
    left.set_xlim(left=-0.2)
    left.xaxis.get_major_locator().set_params(integer=True)
    for axes in (left, right):
        axes.grid(axis="x", linewidth=0.4)
        axes.spines[["top", "right"]].set_visible(False)
    left.scatter([], [], color=SHIPPED, label="as shipped")
    left.scatter([], [], color=REPAIRED, marker="D", label="after `jaxfix apply`")
    figure.legend(loc="upper center", ncols=2, frameon=False)
    figure.tight_layout(rect=(0, 0, 1, 1 - 0.4 / height))
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def _figures(side: Mapping[str, Figures], name: str) -> tuple[float, float] | None:
    entries = page.figures(side, name, page.EAGER)
    if not entries:
        return None
    return float(max(entry.steady for entry in entries)), max(entry.rss_bytes for entry in entries) / 1e6
