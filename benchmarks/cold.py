"""What a cold `check` costs in several checkouts: processor time against `ast.parse`, in turns; calls, without noise.

    python -m benchmarks.cold .                                       # this checkout
    python -m benchmarks.cold BEFORE . --rounds 5                     # both in one run, the least of so many
    python -m benchmarks.cold BEFORE . --select static-exponent,...   # with some codemods

All in one process each, with a cache that is empty, on the sources of `benchmarks.speed`. A checkout of another commit
comes from `git worktree add BEFORE COMMIT`; it runs in this environment.
"""

import argparse
import ast
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.speed import corpus
from benchmarks.speed.__main__ import CACHE
from benchmarks.speed.running import Cost, run

PARSING = Path(__file__).parent / "speed" / "parsing.py"
COUNTING = """
import ast, cProfile, pstats, sys
from jaxfix.__main__ import main
parse, parsed = ast.parse, []
def counted(source, *rest, **named):
    parsed.append(len(source))
    return parse(source, *rest, **named)
ast.parse = counted
profile = cProfile.Profile()
profile.enable()
try:
    main()
except SystemExit:
    pass
profile.disable()
found = pstats.Stats(profile).stats
every = sum(row[1] for row in found.values())
python = sum(row[1] for place, row in found.items() if place[0] != "~")
print((every, python, len(parsed), sum(parsed)), file=sys.stderr)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkouts", type=Path, nargs="+")
    parser.add_argument("--site", type=Path, default=CACHE / "speed" / "site", help="a folder with the libraries")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--select", help="the codemods that are on, by default all")
    options = parser.parse_args()
    site = corpus.installed(options.site.absolute())
    chosen = () if options.select is None else ("--select", options.select)
    words = ("check", *chosen, str(site))
    print("| checkout | CPU / `ast.parse` | of one round | calls, million | of Python functions | parsed, MB |")
    print("|---|---|---|---|---|---|")
    costs = _costs([path.resolve() for path in options.checkouts], site, words, options.rounds)
    parse = costs.pop(None)
    for path, found in costs.items():
        assert path is not None
        calls, python, _, size = _counted(path, words)
        ratios = [one.cpu / other.cpu for one, other in zip(found, parse, strict=True)]
        least = min(each.cpu for each in found) / min(each.cpu for each in parse)
        spread = f"{min(ratios):.2f} to {max(ratios):.2f}"
        print(f"| {path} | {least:.2f} x | {spread} | {calls / 1e6:.2f} | {python / 1e6:.2f} | {size / 1e6:.1f} |")


def _costs(checkouts: Sequence[Path], site: Path, words: Sequence[str], rounds: int) -> dict[Path | None, list[Cost]]:
    """What each has cost, all in turns; `ast.parse` under None."""
    found: dict[Path | None, list[Cost]] = {each: [] for each in (None, *checkouts)}
    for _ in range(rounds):
        for each, costs in found.items():
            with tempfile.TemporaryDirectory() as home:
                command = [str(PARSING), str(site)] if each is None else ["-m", "jaxfix", *words]
                costs.append(run([sys.executable, *command], Path(home), _env(each, home)))
    return found


def _counted(checkout: Path, words: Sequence[str]) -> tuple[int, int, int, int]:
    """The calls, those of Python functions, the texts that are parsed, and their characters."""
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run(
            [sys.executable, "-c", COUNTING, *words],
            cwd=home,
            env=_env(checkout, home),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            check=True,
        )
    calls, python, texts, size = map(int, ast.literal_eval(done.stderr.splitlines()[-1]))
    return calls, python, texts, size


def _env(checkout: Path | None, home: str) -> Mapping[str, str]:
    found = dict(os.environ, XDG_CACHE_HOME=home, JAXFIX_WORKERS="1", PYTHONHASHSEED="0")
    if checkout is not None:
        found["PYTHONPATH"] = os.pathsep.join((str(checkout), str(checkout / "codemods")))
    return found


if __name__ == "__main__":
    main()
