"""Programs, by other hands and our own, written to tell a SAFE fix from the original; `benchmarks.trust` runs them.

python -m benchmarks.safe.strangers NAME ...     what these print before and after, and whether it is the same

From the root of a clone, with `.[prove]` installed.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SETS = {name: Path(__file__).with_name(name) for name in ("strangers.json", "strangers_later.json", "own.json")}
"""Programs by others, each of which got a SAFE fix when it was written; later ones by others; and our own."""
EXEMPT = Path(__file__).with_name("exempt.json")
"""Why the page on safety exempts what a program shows, and a pattern of that: without it both must be the same."""
Shown = tuple[str, str, int]
"""Standard output, standard error and exit status, without addresses and line numbers."""

Told = Mapping[str, Any]
"""A trial as JSON: `name`, `is_fixed`, `is_told` and `exempt`."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A program that was run twice; `exempt` is why what differs does not count, if nothing else does."""

    name: str
    is_fixed: bool
    before: Shown
    after: Shown
    exempt: str | None = None

    @property
    def is_told(self) -> bool:
        return self.before != self.after and self.exempt is None


def main() -> None:
    for name in sys.argv[1:]:
        trial = tried(name)
        verdict = "BROKEN" if trial.is_told else trial.exempt or ("same" if trial.is_fixed else "no SAFE fix")
        print(f"{trial.name}\n{trial.before}\n{trial.after}\n{verdict}")


@cache
def sets() -> dict[str, dict[str, dict[str, str]]]:
    """Of each set the files of each program."""
    return {name: json.loads(path.read_text()) for name, path in SETS.items()}


def tried(name: str) -> Trial:
    """What a program prints before and after its SAFE fixes."""
    files = next(programs[name] for programs in sets().values() if name in programs)
    with tempfile.TemporaryDirectory() as folder:
        for file, text in files.items():
            Path(folder, file).write_bytes(text.encode("latin-1", "surrogateescape"))
        start = "main.py" if "main.py" in files else next(iter(files))
        before = shown(folder, sys.executable, start)
        search = os.pathsep.join(map(str, (ROOT, ROOT / "codemods")))
        apply = ("-m", "jaxfix", "apply", "--no-prove", "--allow-dirty", "--no-cache", ".")
        applied = shown(folder, sys.executable, *apply, PYTHONPATH=search)
        if applied[2] not in (0, 1):
            raise RuntimeError(f"{name}: {applied[1]}")
        texts = {file: Path(folder, file).read_bytes().decode("latin-1") for file in files}
        is_fixed = texts != dict(files)
        after = shown(folder, sys.executable, start) if is_fixed else before
        return Trial(name, is_fixed, before, after, why_exempt(name, before, after))


def why_exempt(name: str, before: Shown, after: Shown) -> str | None:
    """Why what differs does not count; None where it does, or nothing differs."""
    why, pattern = json.loads(EXEMPT.read_text()).get(name, (None, None))
    if why is None or before == after:
        return None
    left = [[re.sub(pattern, "", text, flags=re.M) for text in each[:2]] for each in (before, after)]
    return str(why) if left[0] == left[1] and before[2] == after[2] else None


def shown(folder: str, *command: str, **variables: str) -> Shown:
    environment = os.environ | {"JAX_PLATFORMS": "cpu", "PYTHONDONTWRITEBYTECODE": "1"} | variables
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=300)
    return plain(done.stdout, folder), plain(done.stderr, folder), done.returncode


def plain(raw: bytes, folder: str) -> str:
    text = raw.decode(errors="replace").replace(folder, "")
    return re.sub(r"(?<=\.py:)\d+(:\d+)?|(?<=line )\d+|(?<=0x)[0-9a-f]+", "", text)


def lines(first: Sequence[Told], later: Sequence[Told], own: Sequence[Told]) -> list[str]:
    """What is said of the trials of all sets."""
    every = (first, later, own)
    return f"""\
## What is called safe, by other hands, and by our own

Programs written to tell a SAFE fix from the original, the first two sets from the documentation alone: those of the
first got a SAFE fix when they were written. What the page on safety exempts is taken out of what both print, by a
pattern for each program (`benchmarks/safe/exempt.json`): all else has to be the same. Of the 30 that were written
later, 8 got a SAFE fix when they were first run, and 4 of these differed. Many loop two or three times, which since
then is too few for a finding: what gets no SAFE fix today says nothing of it.
*Our own* are by the one who mended what they show: 30 against
`removed-api`, of which 29 differed before no fix of it was called safe, and 11 that put something in the place of
`jax.jit` in another file, of which 9 differed.

| | first, by others | later, by others | our own |
|---|---|---|---|
| programs | {len(first)} | {len(later)} | {len(own)} |
| with a SAFE fix today | {_counts(every, "is_fixed")} |
| differ by what is exempt alone | {_counts(every, "exempt")} |
| differ from themselves | **{_counts(every, "is_told", "** | **")}** |

{_listed([*first, *later, *own])}""".splitlines()


def _counts(sets: Iterable[Sequence[Told]], what: str, between: str = " | ") -> str:
    return between.join(str(sum(bool(trial[what]) for trial in trials)) for trials in sets)


def _listed(trials: Sequence[Told]) -> str:
    """The programs that differ, and those that are exempt by what exempts them."""
    whys = sorted({trial["exempt"] for trial in trials if trial["exempt"] is not None})
    told = [f"* told: `{trial['name']}`" for trial in trials if trial["is_told"]]
    exempt = {why: [f"`{trial['name']}`" for trial in trials if trial["exempt"] == why] for why in whys}
    return "\n".join([*told, *(f"* {why}: {', '.join(names)}" for why, names in exempt.items())])


if __name__ == "__main__":
    main()
