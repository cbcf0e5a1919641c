"""Writes a part of `docs/evidence/trust.md`: programs by other hands, written to tell a SAFE fix from the original.

python -m benchmarks.safe.strangers              all of `strangers.json`, which takes some minutes
python -m benchmarks.safe.strangers NAME ...     what these print before and after, and whether it is the same

From the root of a clone, with `.[prove]` installed.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "evidence" / "trust.md"
PROGRAMS = Path(__file__).with_name("strangers.json")
BEGINS, ENDS = "<!-- benchmarks.safe.strangers begins -->", "<!-- benchmarks.safe.strangers ends -->"
Shown = tuple[str, str, int]
"""Standard output, standard error and exit status, without addresses and line numbers."""


@dataclass(frozen=True, slots=True)
class Trial:
    name: str
    is_fixed: bool
    before: Shown
    after: Shown


def main() -> None:
    programs: dict[str, dict[str, str]] = json.loads(PROGRAMS.read_text())
    wanted = sys.argv[1:] or list(programs)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        trials = list(pool.map(lambda name: tried(name, programs[name]), wanted))
    if sys.argv[1:]:
        for trial in trials:
            print(f"{trial.name}\n{trial.before}\n{trial.after}\n{'same' if trial.before == trial.after else 'BROKEN'}")
    else:
        write(trials)


def tried(name: str, files: Mapping[str, str]) -> Trial:
    """What a program prints before and after its SAFE fixes."""
    with tempfile.TemporaryDirectory() as folder:
        for file, text in files.items():
            Path(folder, file).write_bytes(text.encode("latin-1", "surrogateescape"))
        start = "main.py" if "main.py" in files else next(iter(files))
        before = shown(folder, sys.executable, start)
        search = os.pathsep.join(map(str, (ROOT, ROOT / "codemods")))
        apply = ("-m", "jaxfix", "apply", "--no-prove", "--allow-dirty", "--no-cache", ".")
        shown(folder, sys.executable, *apply, PYTHONPATH=search)
        texts = {file: Path(folder, file).read_bytes().decode("latin-1") for file in files}
        is_fixed = texts != dict(files)
        return Trial(name, is_fixed, before, shown(folder, sys.executable, start) if is_fixed else before)


def shown(folder: str, *command: str, **variables: str) -> Shown:
    environment = os.environ | {"JAX_PLATFORMS": "cpu", "PYTHONDONTWRITEBYTECODE": "1"} | variables
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=300)
    return plain(done.stdout, folder), plain(done.stderr, folder), done.returncode


def plain(raw: bytes, folder: str) -> str:
    text = raw.decode(errors="replace").replace(folder, "")
    return re.sub(r"(?<=\.py:)\d+(:\d+)?|(?<=line )\d+|(?<=0x)[0-9a-f]+", "", text)


def write(trials: list[Trial]) -> None:
    broken = [trial.name for trial in trials if trial.before != trial.after]
    fixed = sum(trial.is_fixed for trial in trials)
    text = f"""\
## What is called safe, by other hands

Written by `python -m benchmarks.safe.strangers`: programs written from the documentation alone. Each
got a SAFE fix at first. Names in messages and introspection count here, though the page on safety exempts them.

* programs: **{len(trials)}**
* with a SAFE fix today: **{fixed}**
* told from themselves: **{len(broken)}**{": " if broken else ""}{", ".join(f"`{name}`" for name in broken)}
"""
    before, _, rest = PAGE.read_text().partition(BEGINS)
    after = rest.partition(ENDS)[2] or "\n"
    PAGE.write_text(f"{before.rstrip()}\n\n{BEGINS}\n{text}{ENDS}{after}")
    print(text)


if __name__ == "__main__":
    main()
