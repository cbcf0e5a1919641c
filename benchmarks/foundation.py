"""Writes `docs/evidence/foundation.md`: what jaxfix repairs in the installed optax and in the example.

python benchmarks/foundation.py          (a few minutes; from the root of a clone, with `.[prove]` installed)
"""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from jaxfix.report.evidence import Comparison, Evidence, Verdict
from jaxfix.report.wire import from_json

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "evidence" / "foundation.md"
CASES = (
    "optax.radam, eager, float32",
    "optax.scale_by_radam, eager, bfloat16",
    "optax.scale_by_backtracking_linesearch, jit, float32",
    "optax.scale_by_zoom_linesearch, jit, float32",
    "optax.lbfgs, jit, float32",
    "optax.lbfgs, eager, float32",
    "optax.scale_by_lbfgs, eager, float32",
    "optax.contrib.momo_adam, eager, float32",
    "optax.contrib.mechanize, eager, float32",
    "optax.contrib.reduce_on_plateau, eager, float32",
)
"""Those that the page shows, where they were run."""


def main() -> None:
    example = _applied("train.py", "--run", f"{sys.executable} train.py")
    optax = _applied("optax", "--prove")
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text("\n".join([*_lines(example, optax), ""]))
    print(PAGE.relative_to(ROOT))


def _applied(*arguments: str) -> dict[str, object]:
    """What `jaxfix apply` reports in a scratch repository that holds the example."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(ROOT / "examples" / "train.py", folder)
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        for command in (("init", "-q"), ("add", "."), ("commit", "-qm", "start")):
            subprocess.run(["git", *identity, *command], cwd=folder, check=True)
        words = [sys.executable, "-m", "jaxfix", "apply", *arguments, "--exit-zero", "--output-format", "json"]
        done = subprocess.run(words, cwd=folder, check=True, stdout=subprocess.PIPE, text=True)
    document: dict[str, object] = json.loads(done.stdout)
    return document


def _lines(example: dict[str, object], optax: dict[str, object]) -> Iterator[str]:
    receipts = [*_receipts(example), *_receipts(optax)]
    environment = next(entry.environment for entry in receipts if entry.environment is not None)
    yield "# The foundation, measured"
    yield ""
    yield "Written by `python benchmarks/foundation.py`. Counts are exact; memory is one run on a shared machine."
    yield ""
    yield (
        f"optax {version('optax')}, jax {environment.jax}, jaxlib {environment.jaxlib}, Python {environment.python}, "
        f"{environment.platform}. Steady counts are those of the third update and later."
    )
    yield ""
    yield "| fix | case | compiles per step | compiles in all | RSS per step, MB | equality |"
    yield "|---|---|---|---|---|---|"
    for entry in receipts:
        if entry.verdict is Verdict.PROVEN:
            yield from (_row(entry, comparison) for comparison in _shown(entry))
    yield ""
    yield "## All proven fixes of optax together"
    yield ""
    yield "| case | compiles per step | compiles in all | RSS per step, MB | equality |"
    yield "|---|---|---|---|---|"
    for entry in from_json(tuple[Comparison, ...], optax["together"]):  # type: ignore[arg-type]  # a tuple of them
        yield f"| {entry.case} | {_figures(entry)} | {entry.equality} |"
    yield ""
    yield "## Held"
    yield ""
    yield "| fix | verdict | reason |"
    yield "|---|---|---|"
    for entry in receipts:
        if entry.verdict is not Verdict.PROVEN:
            yield f"| `{entry.codemod}`, {_place(entry)} | {entry.verdict.value} | {entry.reason} |"


def _receipts(document: dict[str, object]) -> tuple[Evidence, ...]:
    return from_json(tuple[Evidence, ...], document["evidence"])  # type: ignore[arg-type]  # a tuple of receipts


def _shown(entry: Evidence) -> list[Comparison]:
    named = [comparison for comparison in entry.comparisons if comparison.case in CASES]
    return named or [comparison for comparison in entry.comparisons if comparison.verdict is Verdict.PROVEN][:1]


def _row(entry: Evidence, comparison: Comparison) -> str:
    case = "`python train.py`" if comparison.case not in CASES and "train.py" in comparison.case else comparison.case
    return f"| `{entry.codemod}`, {_place(entry)} | {case} | {_figures(comparison)} | {comparison.equality} |"


def _figures(comparison: Comparison) -> str:
    before, after = comparison.before, comparison.after
    return " | ".join(
        (
            f"{before.steady_compiles} -> {after.steady_compiles}",
            f"{before.compiles} -> {after.compiles}",
            f"{before.rss_bytes / 1e6:.2f} -> {after.rss_bytes / 1e6:.2f}",
        )
    )


def _place(entry: Evidence) -> str:
    path = entry.path.rpartition("site-packages/")[2]
    return f"{path}:{entry.line}"


if __name__ == "__main__":
    main()
