"""Measures the five systems as they were, as people mended them and as jaxfix does, and writes the table down.

python -m benchmarks.five_systems              all: `docs/evidence/five-systems.md`
python -m benchmarks.five_systems --only S1    a part, printed

From the root of a clone, with network: releases and packages are kept in the user's cache folder.
"""

import argparse
import platform
import sys
from pathlib import Path

import platformdirs

from benchmarks.five_systems import page
from benchmarks.five_systems.page import Measured
from benchmarks.five_systems.systems import REQUIREMENTS, SYSTEMS, System
from benchmarks.five_systems.workshop import Repair, Workshop, interpreter

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "evidence" / "five-systems.md"
CACHE = platformdirs.user_cache_path("jaxfix-benchmarks")


def main() -> None:
    options = _options()
    work = options.work
    shop = Workshop(work, interpreter(work, options.python), work / "wheels")
    wanted = [system for system in SYSTEMS if options.only is None or system.key.startswith(options.only)]
    measured = [_measure(shop, system) for system in wanted]
    where = f"{', '.join(REQUIREMENTS).replace('==', ' ')}; Python {platform.python_version()}, CPU."
    text = "\n".join([*page.lines(measured, where), ""])
    if options.only is not None:
        print(text)
        return
    PAGE.write_text(text)
    print(PAGE.relative_to(ROOT))


def _measure(shop: Workshop, system: System) -> Measured:
    runs, repairs = {}, dict[str, Repair]()
    for variant in system.variants:
        print(f"{system.key}: {variant.name}", file=sys.stderr, flush=True)
        place, repair = shop.laid_out(system, variant)
        if repair is not None:
            repairs[variant.name] = repair
        for case in system.cases:
            runs[variant.name, case.name] = shop.run(place, variant, case)
    return Measured(system, runs, repairs)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.five_systems", description=str(__doc__).partition("\n")[0]
    )
    parser.add_argument("--only", help="the systems whose name starts so, such as `S1`")
    parser.add_argument("--python", help="an interpreter that has the modern packages; by default one is made")
    parser.add_argument("--work", type=Path, default=CACHE / "five-systems", help="where releases are unpacked")
    return parser.parse_args()


if __name__ == "__main__":
    main()
