"""What `jaxfix upgrade` says and writes of whole repositories, run as a user does: with all files in sight."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

_LONGEST_S = 600
_COUNTED = ("files", "raises_today", "warns", "differs", "renames", "needs_evidence", "by_hand")


def asked(at: Path, known: Mapping[str, Mapping[str, object]]) -> list[dict[str, object]]:
    """The figures of each repository in `at`, with what a person has said of it before: its commit, and wrong lines."""
    kept = ("commit", "kind", "wrong")
    every = [each for each in sorted(at.iterdir()) if each.is_dir()]
    return [
        {"name": each.name, **_of(each), **{name: known.get(each.name, {}).get(name, "") for name in kept}}
        for each in every
    ]


def _of(repository: Path) -> dict[str, object]:
    told = json.loads(_said(repository, "--output-format", "json"))
    counts = {name: len(told[name]) if isinstance(told[name], list) else told[name] for name in _COUNTED}
    lines = [line for line in _said(repository, "--diff", "--unproven").splitlines() if line[:1] in "+-"]
    old, new = (Counter(line[1:] for line in lines if line[0] == sign and line[1:3] != sign * 2) for sign in "-+")
    return {**counts, "from": told["from"], "lines": sum((new - old).values())}


def _said(repository: Path, *options: str) -> str:
    command = [sys.executable, "-m", "jaxfix", "upgrade", ".", *options]
    done = subprocess.run(command, cwd=repository, capture_output=True, text=True, timeout=_LONGEST_S, check=False)
    if done.returncode > 2:  # 2 is also said where a file is no Python
        raise SystemExit(f"{repository.name}: {done.stderr[-500:]}")
    return done.stdout
