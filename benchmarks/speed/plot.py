"""How cost grows with the number of files, as a picture."""

from collections.abc import Mapping
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # after the choice of what draws

from benchmarks.speed.contestants import Costs
from benchmarks.speed.rows import MB, growth

CHECK, PARSE, GREY = "#00798c", "#d1495b", "#8a8a8a"


def draw(costs: Costs, sizes: Mapping[int, int], path: Path) -> None:
    """Writes one SVG: CPU in units of what `ast.parse` takes for the smallest tree, and memory."""
    plt.rcParams.update({"svg.hashsalt": "speed", "svg.fonttype": "none", "font.family": "sans-serif"})
    ours, theirs = growth(costs, sizes), growth(costs, sizes, "parse")
    unit = theirs[0][2].cpu
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.6))
    for label, found, colour, marker in (("check, cold", ours, CHECK, "D"), ("ast.parse", theirs, PARSE, "o")):
        points = [(number, cost.cpu / unit) for number, _, cost in found]
        left.plot(*zip(*points, strict=True), color=colour, marker=marker, linewidth=1.2, label=label)
    first, last = ours[0], ours[-1]
    straight = [(number, last[2].cpu / unit * number / last[0]) for number in (first[0], last[0])]
    left.plot(*zip(*straight, strict=True), color=GREY, linewidth=0.8, linestyle=":", label="linear")
    memory = [(number, cost.rss / MB) for number, _, cost in ours]
    right.plot(*zip(*memory, strict=True), color=CHECK, marker="D", linewidth=1.2)
    right.axhline(400, color=GREY, linewidth=0.8, linestyle=":")
    left.set_yscale("log")
    left.set_ylabel("CPU, multiples of the first `ast.parse`")
    right.set_ylabel("memory of all processes, MB")
    right.set_ylim(bottom=0)
    for axes in (left, right):
        axes.set_xscale("log")
        axes.set_xlabel("files")
        axes.grid(linewidth=0.4)
        axes.spines[["top", "right"]].set_visible(False)
    left.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)
