"""Measures a training script with the mistakes of the fourth system: as written, by hand, and as jaxfix leaves it.

python -m benchmarks.fourth_system               measures, and writes `docs/evidence/fourth-system.md`
python -m benchmarks.fourth_system --unproven    the same, where a rerun decides of the loop alone, in less time

From the root of a clone, with the extra `prove`. Takes some minutes, most of them for jaxfix's reruns.
"""

import argparse
import difflib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import platformdirs

from benchmarks.five_systems.workshop import applied
from benchmarks.fourth_system import page
from benchmarks.fourth_system.page import CHANGES, Cost

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "evidence" / "fourth-system.md"
PROGRAMS = Path(__file__).with_name("programs")
LIMIT_S = 1800.0
SCRIPT, RESULT, TOLD = "train.py", "result.json", "told.json"
WRITTEN = "as_written"
OTHERS = ("by_hand", "jaxfix")
"""The repaired scripts: they run in turns, so that both meet the same load of the machine."""
TURNS = 9
ARGUMENTS = ("--epochs", "10")
RERUN_ARGUMENTS = ("--epochs", "2", "--examples", "96")
DEVICES = "env XLA_FLAGS=--xla_force_host_platform_device_count=8"
"""On one device no mistake in the axis of a mesh shows, so `legacy-parallelism` is proven on several."""


def main() -> None:
    options = _options()
    written = _laid_out(options.work, WRITTEN, is_kept=options.reuse)
    places = [written, *(_laid_out(options.work, name, is_kept=options.reuse) for name in OTHERS)]
    documents = _documents(places[-1], is_unproven=options.unproven, is_kept=options.reuse)
    turns = [[_measured(place, is_kept=False) for place in places[1:]] for _ in range(TURNS)]
    costs = [_measured(written, is_kept=options.reuse), *map(Cost.least, zip(*turns, strict=True))]
    change = difflib.unified_diff(
        *((place / SCRIPT).read_text().splitlines() for place in (places[0], places[-1])), n=0, lineterm=""
    )
    PAGE.write_text("\n".join([*page.lines(costs, documents, list(change)[2:], is_unproven=options.unproven), ""]))
    print(PAGE.relative_to(ROOT))


def _documents(place: Path, *, is_unproven: bool, is_kept: bool) -> list[dict[str, Any]]:
    """What jaxfix said as it rewrote the script, or did before."""
    told = place / TOLD
    if not (is_kept and told.exists()):
        print("jaxfix apply", file=sys.stderr, flush=True)
        told.write_text(json.dumps(list(_repaired(place, is_unproven=is_unproven))))
    found: list[dict[str, Any]] = json.loads(told.read_text())
    return found


def _repaired(place: Path, *, is_unproven: bool) -> Iterator[dict[str, Any]]:
    """What jaxfix said, each time that it was called."""
    run = ("--run", f"{DEVICES} python {SCRIPT} {' '.join(RERUN_ARGUMENTS)}")
    if not is_unproven:
        yield applied(place, SCRIPT, *CHANGES, *run)
        yield applied(place, SCRIPT, "--select", "legacy-parallelism", *run)
        return
    yield applied(place, SCRIPT, "--select", page.DECIDED_BY_A_RUN, *run)
    yield applied(place, SCRIPT, *CHANGES, "--unproven")
    yield applied(place, SCRIPT, "--select", "legacy-parallelism", "--unproven")


def _laid_out(work: Path, name: str, *, is_kept: bool) -> Path:
    """A folder of its own with the script; that of jaxfix begins as written."""
    place = work / name
    if is_kept and (place / RESULT).exists():
        return place
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    program = PROGRAMS / f"{name}.py"
    shutil.copy(program if program.exists() else PROGRAMS / "as_written.py", place / SCRIPT)
    return place


def _measured(place: Path, *, is_kept: bool) -> Cost:
    result = place / RESULT
    if is_kept and result.exists():
        return Cost.of(json.loads(result.read_text()))
    print(f"run {place.name}", file=sys.stderr, flush=True)
    words = [sys.executable, "-m", "benchmarks.fourth_system.measure", str(result), str(place / SCRIPT), *ARGUMENTS]
    environment = os.environ | {"JAX_ENABLE_COMPILATION_CACHE": "false"}
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=LIMIT_S)
    if done.returncode:
        raise RuntimeError(f"{place.name} ended with {done.returncode}: {done.stderr[-2000:]}")
    return Cost.of(json.loads(result.read_text()))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.fourth_system", description=str(__doc__).partition("\n")[0]
    )
    default = platformdirs.user_cache_path("jaxfix-benchmarks") / "fourth-system"
    parser.add_argument("--unproven", action="store_true", help="have a rerun decide of the loop alone, in less time")
    parser.add_argument("--reuse", action="store_true", help="neither run the script as written nor rewrite it again")
    parser.add_argument("--work", type=Path, default=default, help="where the scripts are laid out")
    return parser.parse_args()


if __name__ == "__main__":
    main()
