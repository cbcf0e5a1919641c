"""`python -m benchmarks.alternatives`: what other tools say of examples/train.py; writes docs/evidence/alternatives.md.

Needs chex and ruff beside jax.
"""

import os
import platform
import re
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "evidence" / "alternatives.md"
PROGRAM = ROOT / "examples" / "train.py"
_LEAD = """\
# What other tools say

Written by `python -m benchmarks.alternatives`: each tool on a copy of `examples/train.py`, whose `scan` at line 12
compiles at each of 20 steps, because `body` is defined inside `smooth`. [Compared](../alternatives.md) says what each
is good for.
"""


def main() -> None:
    """Runs each tool once."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "train.py").write_bytes(PROGRAM.read_bytes())
        rows = [_logged(folder), _explained(folder), _marked(folder), _linted(folder), *_own(folder)]
    versions = ", ".join(f"{package} {version(package)}" for package in ("jax", "chex", "ruff"))
    table = "\n".join(f"| {tool} | {lines} | {says} |" for tool, lines, says in rows)
    head = "| tool | lines of output | what it says of line 12 |\n|---|---|---|"
    PAGE.write_text(f"{_LEAD}\n{versions}, Python {platform.python_version()}, CPU.\n\n{head}\n{table}\n")


def _run(folder: Path, *command: str, **environment: str) -> str:
    places = os.pathsep.join(map(str, (ROOT, ROOT / "codemods")))
    env = os.environ | {"JAX_PLATFORMS": "cpu", "PYTHONPATH": places, "NO_COLOR": "1"} | environment
    done = subprocess.run([sys.executable, *command], cwd=folder, env=env, capture_output=True, text=True)
    return done.stdout + done.stderr


def _lines(text: str) -> int:
    return len(text.splitlines())


def _logged(folder: Path) -> tuple[str, int, str]:
    said = _run(folder, "train.py", JAX_LOG_COMPILES="1")
    compiles, named = len(re.findall("Finished XLA compilation", said)), said.count("train.py")
    scans = len(re.findall(r"Finished XLA compilation of jit\(scan\)", said))
    return (
        "`JAX_LOG_COMPILES=1`",
        _lines(said),
        f"{compiles} compiles, {scans} of `scan`; train.py is named {named} times",
    )


def _explained(folder: Path) -> tuple[str, int, str]:
    said = _run(folder, "train.py", JAX_EXPLAIN_CACHE_MISSES="1")
    misses = len(re.findall(r"CACHE MISS at \S+train\.py:12", said))
    hint = "; ".join(sorted(set(re.findall(r"maybe the function is\s+being re-defined repeatedly", said))))
    return "`JAX_EXPLAIN_CACHE_MISSES=1`", _lines(said), f'{misses} misses at line 12, "{" ".join(hint.split())}"'


def _marked(folder: Path) -> tuple[str, int, str]:
    text = PROGRAM.read_text().replace("    def body(", "    @chex.assert_max_traces(n=1)\n    def body(")
    (folder / "marked.py").write_text(f"import chex\n{text}")
    said = _run(folder, "marked.py")
    last = next(line for line in said.splitlines() if line.startswith("AssertionError"))[:160]
    return "`chex.assert_max_traces(n=1)` on `body`", _lines(said), f"`{last}`"


def _linted(folder: Path) -> tuple[str, int, str]:
    said = _run(
        folder, "-m", "ruff", "check", "--isolated", "--select", "ALL", "--output-format", "concise", "train.py"
    )
    own = [line for line in said.splitlines() if line.startswith("train.py:12:")]
    found = len(re.findall(r"^train\.py:", said, re.MULTILINE))
    return "`ruff check --select ALL`", _lines(said), f"{len(own)} of {found} findings, none of them about JAX"


def _own(folder: Path) -> list[tuple[str, int, str]]:
    checked = _run(folder, "-m", "jaxfix", "check", "train.py")
    traced = _run(folder, "-m", "jaxfix", "trace", "--", "train.py")
    row = next(line for line in traced.splitlines() if "train.py:12" in line)
    return [
        ("`jaxfix check`", _lines(checked), checked.splitlines()[0].partition("[*] ")[2].strip()),
        ("`jaxfix trace`", _lines(traced), f"`{' '.join(row.split())}`"),
    ]


if __name__ == "__main__":
    main()
