"""Docstrings as pages."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from jaxfix import docs
from jaxfix.source.errors import PackError

ROOT = Path(__file__).resolve().parents[1]
DOC = """A thing that costs.

It costs because of
this.

Before:
    for x in xs:
        y = f(x)

After:
    y = g(xs)

Safety: needs evidence. A second
sentence.

Evidence: fewer compiles.

Source: https://docs.jax.dev
"""


def test_every_section_is_read() -> None:
    page = docs.parse(DOC, "thing")
    assert page.summary == "A thing that costs."
    assert page.why == "It costs because of\nthis."
    assert page.before == "for x in xs:\n    y = f(x)"
    assert page.after == "y = g(xs)"
    assert page.safety == "needs evidence. A second\nsentence."
    assert page.evidence == "fewer compiles."
    assert page.source == "https://docs.jax.dev"


@pytest.mark.parametrize("section", ["Before", "After", "Safety", "Evidence", "Source"])
def test_a_missing_or_doubled_section_is_named(section: str) -> None:
    for doc in (DOC.replace(f"{section}:", "Else:"), f"{DOC}\n{section}: again\n"):
        with pytest.raises(PackError, match=f"`thing` has no single `{section}:` section"):
            docs.parse(doc, "thing")


def generate(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    places = (ROOT, ROOT / "codemods", ROOT / "tests" / "pack")
    env = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, places))}
    command = [sys.executable, "-m", "jaxfix.docs", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=env, cwd=folder)


def test_check_fails_with_the_command_that_repairs_it(tmp_path: Path) -> None:
    done = generate(tmp_path, "--check")
    assert done.returncode == 1
    assert "docs/codemods/tiny-safe.md" in done.stderr
    assert "run `python -m jaxfix.docs`" in done.stderr
    assert not (tmp_path / "docs").exists()
    assert generate(tmp_path).returncode == 0
    assert generate(tmp_path, "--check").returncode == 0
    assert (tmp_path / "docs" / "codemods" / "tiny-safe.md").read_text().startswith("# `tiny-safe`\n")


def test_a_page_carries_the_figures_of_its_program(tmp_path: Path) -> None:
    counts = {"compiles": 35, "steady_compiles": 1, "traces": 3, "rss_bytes": 2e6, "peak_bytes": 9}
    after = counts | {"compiles": 16, "steady_compiles": 0, "rss_bytes": 0.0}
    comparison = {"case": "train.py", "verdict": "proven", "reason": "fewer compiles", "before": counts, "after": after}
    comparison |= {"equality": "bitwise equal", "max_delta": 0.0}
    receipt = {"path": "train.py", "key": "k", "codemod": "tiny-safe", "title": "t", "line": 3, "verdict": "proven"}
    receipt |= {"reason": "r", "comparisons": [comparison], "environment": None, "command": "c", "source_sha256": "s"}
    folder = tmp_path / "golden" / "tiny_safe"
    folder.mkdir(parents=True)
    (folder / "program.evidence.json").write_text(json.dumps([receipt]))
    generate(tmp_path)
    page = (tmp_path / "docs" / "codemods" / "tiny-safe.md").read_text()
    assert "| train.py | 35 | 16 | 1 | 0 | bitwise equal |" in page
