"""The pictures of how proof works: boxes, arrows and words, as SVG that needs nothing else."""

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

_STYLE = (
    "text { font-family: sans-serif; font-size: 15px; fill: #1f2430; } .small { font-size: 13px; fill: #566; } "
    ".box { fill: #eef2fb; stroke: #6a7fb5; } .fix { fill: #e4f5e8; stroke: #4a9a5c; } .judge { fill: #fdf3dc; "
    "stroke: #b98a2f; } .way { stroke: #566; stroke-width: 1.5; fill: none; marker-end: url(#tip); }"
)


class Box(NamedTuple):
    """A box with a title and lines below it; `kind` is a class of the style."""

    x: int
    y: int
    width: int
    height: int
    title: str
    lines: Sequence[str] = ()
    kind: str = "box"

    @property
    def left(self) -> tuple[int, int]:
        return self.x, self.y + self.height // 2

    @property
    def right(self) -> tuple[int, int]:
        return self.x + self.width, self.y + self.height // 2


def draw(folder: Path) -> None:
    """Writes the three pictures."""
    for name, picture in (("runs", _runs()), ("calls", _calls()), ("beside", _beside())):
        (folder / f"proof-{name}.svg").write_text(picture)


def _runs() -> str:
    project = Box(20, 95, 150, 70, "your project", ["is not touched"])
    before = Box(240, 20, 220, 70, "copy, without the fix", ["all other fixes are in it"])
    after = Box(240, 170, 220, 70, "copy, with the fix", ["differs by this fix alone"], "fix")
    seen = [Box(530, y, 190, 70, "run", ["compiles, results,", "memory, seconds"]) for y in (20, 170)]
    judge = Box(790, 95, 150, 70, "verdict", ["gain, and equal?"], "judge")
    ways = [(project, before), (project, after), (before, seen[0]), (after, seen[1])]
    ways += [(run, judge) for run in seen]
    return _picture(960, 260, [project, before, after, *seen, judge], ways)


def _calls() -> str:
    calls = [*(f"call {number}: result {number}" for number in (1, 2, 3)), "..."]
    left = Box(20, 20, 250, 200, "calls in the run before", calls)
    right = Box(690, 20, 250, 200, "calls in the run after", calls, "fix")
    steps = ["1. structure of the result", "2. shape, dtype, weak type", "3. places of NaNs", "4. the bits"]
    judge = Box(355, 20, 250, 200, "compared, call by call", steps, "judge")
    return _picture(960, 240, [left, judge, right], [(left, judge)], [(right.left, judge.right)])


def _beside() -> str:
    data = ["the program's own", "one row less, another dtype", "NaN, infinity, other keys", "variables rebound"]
    given = Box(20, 40, 230, 190, "calls", data)
    original = Box(340, 30, 220, 80, "original", ["as it was written"])
    rewritten = Box(340, 160, 220, 80, "rewritten", ["in the same process"], "fix")
    asked = ["plain, jit, vmap, grad", "effects on what is around", "or: the same program"]
    around = Box(640, 60, 300, 150, "equal results?", asked, "judge")
    ways = [(given, original), (given, rewritten), (original, around), (rewritten, around)]
    return _picture(960, 270, [given, original, rewritten, around], ways)


def _picture(
    width: int,
    height: int,
    boxes: Sequence[Box],
    ways: Sequence[tuple[Box, Box]],
    others: Sequence[tuple[tuple[int, int], tuple[int, int]]] = (),
) -> str:
    tip = '<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
    arrows = [_arrow(one.right, other.left) for one, other in ways] + [_arrow(*ends) for ends in others]
    parts = [
        f'<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg" role="img">',
        f"<style>{_STYLE}</style>",
        f'<defs>{tip}<path d="M0 0 L8 4 L0 8 z" fill="#566"/></marker></defs>',
        f'<rect width="{width}" height="{height}" rx="10" fill="#ffffff"/>',
        *arrows,
        *(line for box in boxes for line in _box(box)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _box(box: Box) -> list[str]:
    middle = box.x + box.width // 2
    place = f'x="{box.x}" y="{box.y}" width="{box.width}" height="{box.height}"'
    top = box.y + (box.height - 20 * (len(box.lines) + 1)) // 2 + 15
    title = f'<text x="{middle}" y="{top}" text-anchor="middle" font-weight="bold">{escape(box.title)}</text>'
    rest = [
        f'<text class="small" x="{middle}" y="{top + 20 * (number + 1)}" text-anchor="middle">{escape(line)}</text>'
        for number, line in enumerate(box.lines)
    ]
    return [f'<rect class="{box.kind}" {place} rx="8"/>', title, *rest]


def _arrow(start: tuple[int, int], end: tuple[int, int]) -> str:
    (x, y), (u, v) = start, end
    middle = (x + u) // 2
    return f'<path class="way" d="M{x} {y} C{middle} {y} {middle} {v} {u} {v}"/>'
