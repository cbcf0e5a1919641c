"""Measures the page of a review in a real browser, and writes down what it finds.

python -m benchmarks.review                      `docs/evidence/review.md`
python -m benchmarks.review --fixes 2000         another number of fixes, printed
python -m benchmarks.review --images RECEIPTS    the pictures of docs/images, with what kept reruns have shown
python -m benchmarks.review --charts             those of a fix whose program has steps, from a rerun of the example

From the root of a clone, with `.[review]`, Playwright and a Chromium.
"""

import argparse
import os
import platform
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from benchmarks.review import pictures

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "evidence" / "review.md"
FIXES, OF_A_FILE, ROUNDS = 500, 10, 5
READY_BAR_MS, LATE_MS = 1000, 34

FUNCTION = """
def smooth_{number}(weights, rate):
    # Pulls towards the middle.
    def body(_, value):
        return value * 0.5 + rate * 0.25

    return lax.fori_loop(0, {number} + 3, body, weights)

"""
SCROLL = """
async () => {
  const list = document.getElementById("list");
  const frames = [];
  let last = performance.now();
  const end = last + 4000;
  const bottom = list.scrollHeight - list.clientHeight;
  while (last < end) {
    const now = await new Promise(requestAnimationFrame);
    frames.push(now - last);
    last = now;
    const part = 1 - Math.max(0, end - now) / 4000;
    list.scrollTop = bottom * (part < 0.5 ? 2 * part : 2 - 2 * part);
  }
  return { frames: frames.slice(1), nodes: list.querySelectorAll("[role=treeitem]").length };
}
"""


@dataclass(frozen=True)
class Figures:
    """Of some rounds: milliseconds until the page can be used and its size, and the frames while its list scrolls."""

    fixes: int
    looking_s: float
    kilobytes: float
    ready_ms: tuple[float, ...]
    step_ms: tuple[float, ...]
    frames_ms: tuple[float, ...]
    nodes: int
    browser: str
    load: float


def main() -> None:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # what is installed is compiled
    parser = argparse.ArgumentParser(prog="python -m benchmarks.review")
    parser.add_argument("--fixes", type=int, default=FIXES)
    parser.add_argument("--images", metavar="RECEIPTS", type=Path, nargs="+")
    parser.add_argument("--charts", action="store_true")
    options = parser.parse_args()
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("error: there is no Chromium")
    if options.images is not None:
        pictures.take(options.images, chromium)
    if options.charts:
        pictures.take_charts(chromium)
    if options.images is not None or options.charts:
        return
    found = measured(options.fixes, chromium)
    told = page(found)
    print(told)
    if options.fixes == FIXES:
        PAGE.write_text(told)


def measured(fixes: int, chromium: str) -> Figures:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as engine:
        begun = time.monotonic()
        with served(project(Path(folder), fixes)) as link:
            looking = time.monotonic() - begun
            arguments = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
            browser = engine.chromium.launch(executable_path=chromium, args=arguments)
            rounds = [one_round(browser, link) for _ in range(ROUNDS)]
            version = browser.version
            browser.close()
    frames = tuple(frame for entry in rounds for frame in entry["frames"])
    return Figures(
        fixes,
        looking,
        rounds[0]["kilobytes"],
        tuple(entry["ready"] for entry in rounds),
        tuple(step for entry in rounds for step in entry["steps"]),
        frames,
        max(entry["nodes"] for entry in rounds),
        f"Chromium {version}",
        os.getloadavg()[0],
    )


def one_round(browser: Any, link: str) -> dict[str, Any]:
    """A visit with an empty cache."""
    context = browser.new_context(viewport={"width": 1280, "height": 860})
    opened = context.new_page()
    opened.goto(link)
    opened.wait_for_function("() => performance.getEntriesByName('ready').length")
    ready = opened.evaluate("performance.getEntriesByName('ready')[0].startTime")
    sizes = opened.evaluate("performance.getEntriesByType('resource').map(entry => entry.decodedBodySize)")
    scrolled = opened.evaluate(SCROLL)
    steps = []
    for _ in range(20):
        steps.append(opened.evaluate(STEP))
    context.close()
    return {"ready": ready, "kilobytes": sum(sizes) / 1000, "steps": steps, **scrolled}


STEP = """
async () => {
  const begun = performance.now();
  const before = document.querySelector(".crumbs").innerText;
  document.getElementById("list").focus();
  document.getElementById("list").dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true }));
  while (document.querySelector(".crumbs")?.innerText === before && performance.now() < begun + 3000)
    await new Promise(requestAnimationFrame);
  return performance.now() - begun;
}
"""


def project(folder: Path, fixes: int) -> Path:
    """A project with so many fixes, in files of ten."""
    for number in range(0, fixes, OF_A_FILE):
        functions = (FUNCTION.format(number=number + each) for each in range(min(OF_A_FILE, fixes - number)))
        (folder / f"part_{number // OF_A_FILE:03}.py").write_text("from jax import lax\n\n" + "".join(functions))
    (folder / "pyproject.toml").write_text("")
    return folder


@contextmanager
def served(folder: Path) -> Iterator[str]:
    command = [sys.executable, "-m", "jaxfix", "review", "--no-open"]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        found = re.search(r"http://\S+", process.stderr.readline())
        if found is None:
            sys.exit(f"error: {process.stderr.read()}")
        try:
            yield found[0]
        finally:
            process.send_signal(signal.SIGINT)


def page(found: Figures) -> str:
    ready, frames = sorted(found.ready_ms), sorted(found.frames_ms)
    late = sum(frame > LATE_MS for frame in frames)
    verdict = "met" if statistics.median(ready) < READY_BAR_MS else "missed"
    rows = [
        ("until the page can be used, empty cache", f"{_spread(ready)} ms", f"under {READY_BAR_MS} ms: {verdict}"),
        ("a frame while the whole list scrolls by in 2 s and back", f"{_spread(frames)} ms", ""),
        (f"frames later than two of a screen of 60 Hz ({LATE_MS} ms)", f"{late} of {len(frames)}", ""),
        ("from a key to the next fix on the screen", f"{_spread(sorted(found.step_ms))} ms", ""),
        ("rows of the list that are in the page at once", f"{found.nodes}", "virtualised"),
        ("what the browser loads", f"{found.kilobytes:.0f} kB", ""),
        ("from the command to the link", f"{found.looking_s:.1f} s", ""),
    ]
    table = "\n".join(f"| {name} | **{figure}** | {said} |" for name, figure, said in rows)
    return (
        "# The page of a review\n\n"
        f"Written by `python -m benchmarks.review`: {found.fixes} fixes in {-(-found.fixes // OF_A_FILE)} files, "
        f"{ROUNDS} visits with an empty cache each, {found.browser} without a graphics card, Python "
        f"{platform.python_version()}, {os.cpu_count()} cores, load of the machine {found.load:.1f}. "
        "Figures are the median, and in brackets the best and the worst. "
        "The time is what `performance.now()` says in the page when its list is drawn and has the focus.\n\n"
        f"| | figure | bar |\n|---|---|---|\n{table}\n"
    )


def _spread(ordered: list[float]) -> str:
    return f"{statistics.median(ordered):.0f} ({ordered[0]:.0f} to {ordered[-1]:.0f})"


if __name__ == "__main__":
    main()
