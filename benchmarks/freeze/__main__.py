"""Freezes findings and diffs, and compares them byte for byte: the guard of a change that moves code and no behaviour.

    python -m benchmarks.freeze PLACE            # lays out the sources in PLACE once, and writes what is found now
    python -m benchmarks.freeze PLACE --compare  # exit code 1 if anything differs from what was written
    python -m benchmarks.freeze PLACE --compare --only golden examples upstream   # a few seconds

The sources are the goldens, the examples, the upstream programs and the pinned releases of `benchmarks.ecosystem`.
They are copied when first asked for and stay unchanged, so that goldens that a change adds do not count.
"""

import argparse
import difflib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.ecosystem.downloads import pinned, unpacked

ROOT = Path(__file__).resolve().parents[2]
OWN = {"golden": ROOT / "golden", "examples": ROOT / "examples", "upstream": ROOT / "tests" / "upstream"}
COMMANDS = {
    "check.json": ("check", "--all", "--no-cache", "--exit-zero", "--output-format", "json"),
    "apply.diff": ("apply", "--diff", "--unproven", "--no-cache", "--exit-zero"),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("place", type=Path)
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--only", nargs="+", default=None, metavar="NAME")
    options = parser.parse_args()
    different = 0
    for name, sources in _sources(options.place, options.only):
        for file, words in COMMANDS.items():
            told = _told(words, sources)
            kept = options.place / "frozen" / name / file
            if options.compare:
                different += _differs(kept, told)
            else:
                kept.parent.mkdir(parents=True, exist_ok=True)
                kept.write_text(told)
    print(f"{different} differ" if options.compare else f"written to {options.place / 'frozen'}")
    return int(different > 0)


def _sources(place: Path, only: list[str] | None) -> Iterator[tuple[str, Path]]:
    for name, origin in OWN.items():
        if only is None or name in only:
            copied = place / "sources" / name
            if not copied.exists():
                shutil.copytree(origin, copied, ignore=shutil.ignore_patterns("__pycache__"))
            yield name, copied
    for release in pinned():
        if only is None or release.name in only:
            copied = place / "sources" / release.name
            yield release.name, copied if copied.exists() else unpacked(release, place / "store", copied)


def _told(words: tuple[str, ...], sources: Path) -> str:
    """What a command prints about the sources, from within them, so that no path tells where they are.

    Raises:
      SystemExit: the command failed.
    """
    environment = os.environ | {"NO_COLOR": "1", "COLUMNS": "120"}
    command = [sys.executable, "-m", "jaxfix", *words, "."]
    done = subprocess.run(command, cwd=sources, env=environment, capture_output=True, text=True)
    if done.returncode not in (0, 1, 2):
        raise SystemExit(f"{' '.join(command)} in {sources} ended with {done.returncode}: {done.stderr[-500:]}")
    return done.stdout + done.stderr


def _differs(kept: Path, told: str) -> bool:
    before = kept.read_text()
    if before == told:
        return False
    lines = difflib.unified_diff(before.splitlines(), told.splitlines(), str(kept), "now", lineterm="", n=1)
    print("\n".join(list(lines)[:60]))
    return True


if __name__ == "__main__":
    sys.exit(main())
