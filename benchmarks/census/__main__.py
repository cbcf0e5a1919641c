"""Drives every optimizer of a package, as shipped and as `jaxfix apply --prove` leaves it, and writes the census down.

python -m benchmarks.census                          all of optax: `docs/evidence/census.md`, `.svg` and `.json`
python -m benchmarks.census --library jaxopt         another library: `docs/evidence/census-jaxopt.md` and so on
python -m benchmarks.census --only radam,lbfgs       a part, printed
python -m benchmarks.census --platform cuda          on an accelerator

From the root of a clone, with `.[bench]` installed. What was measured is kept under `--work` and not measured again, so
a run that was ended goes on where it was; another jaxfix applies again, and `--again` forgets everything.
"""

import argparse
import os
import shutil
import sys
from pathlib import Path

from benchmarks.census import page
from benchmarks.census.measuring import Census

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "evidence"


def main() -> None:
    options = _options()
    if options.platform:
        os.environ["JAX_PLATFORMS"] = options.platform
    if options.again:
        shutil.rmtree(options.work, ignore_errors=True)
    only = frozenset(options.only.split(",")) if options.only else None
    census = Census(options.library, options.python, options.work, options.workers, options.select)
    if not options.known:
        census.measure(only, say=lambda line: print(line, file=sys.stderr, flush=True))
    table = census.table(only)
    if only is not None or options.select is not None:
        print("\n".join([*page.rows(table), "", *page.in_turns(table)]))
        return
    from benchmarks.census import plot  # it alone needs matplotlib

    place = PAGES / ("census.md" if options.library == "optax" else f"census-{options.library}.md")
    place.with_suffix(".json").write_text(page.document(table))
    plot.draw(table, place.with_suffix(".svg"))
    place.write_text("\n".join([*page.lines(table, place.with_suffix(".svg").name), ""]))
    print(place.relative_to(ROOT))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.census", description=str(__doc__).partition("\n")[0])
    parser.add_argument("--library", "--package", default="optax", help="the package whose optimizers are driven")
    parser.add_argument("--select", help="ids of the codemods to apply, to try one; prints")
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has the package and jax")
    parser.add_argument("--only", help="names of factories, such as `radam,lbfgs`")
    parser.add_argument("--platform", help="where jax computes: cpu, cuda, tpu")
    parser.add_argument("--work", type=Path, default=ROOT / ".jaxfix" / "census", help="where results are kept")
    parser.add_argument("--workers", type=int, default=2, help="cases at the same time")
    parser.add_argument("--known", action="store_true", help="measure nothing, show what is known")
    parser.add_argument("--again", action="store_true", help="measure all again")
    return parser.parse_args()


if __name__ == "__main__":
    main()
