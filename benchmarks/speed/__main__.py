"""Measures how fast jaxfix is, beside `ast.parse`, ruff and Fixit on the same sources, and writes the table down.

python -m benchmarks.speed                          all: `docs/evidence/speed.md`, `.svg` and `.json`
python -m benchmarks.speed --only warm,changed      some rows, printed
python -m benchmarks.speed --only cold-cpu --select IDS --python PATH      with some codemods, of another jaxfix
python -m benchmarks.speed --only growth --save FILE       keeps what each run has cost
python -m benchmarks.speed --saved FILE FILE        measures nothing, and writes the page of what was kept, such as
                                                    `docs/evidence/speed-runs.json`, of which the page was made
python -m benchmarks.speed --fixit PATH --ruff PATH      compares with these

From the root of a clone, with `.[bench]` installed, ruff, and network for what is measured: the libraries and Fixit are
kept in the user's cache folder. Best on a machine that does nothing else.
"""

import argparse
import os
import platform
import sys
from pathlib import Path

import platformdirs

from benchmarks.ecosystem import own
from benchmarks.speed import contestants, corpus, page, saved
from benchmarks.speed.contestants import Contest, Place
from benchmarks.speed.page import Where
from benchmarks.speed.rows import NEEDS, rows
from benchmarks.speed.running import Broken
from benchmarks.speed.saved import Measured

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "evidence" / "speed.md"
SIZES = (100, 300, 1000, 3000, 10000)
CACHE = platformdirs.user_cache_path("jaxfix-benchmarks")


def main() -> None:
    options = parsed(sys.argv[1:])
    try:
        _main(options)
    except (Broken, FileNotFoundError) as error:
        sys.exit(f"error: {error}")


def _main(options: argparse.Namespace) -> None:
    measured = saved.read(options.saved) if options.saved else _measured(options)
    if options.save is not None:
        saved.write(options.save, measured)
    costs, sizes, where = measured.costs, measured.sizes, measured.where
    found = list(rows(options.only, costs, sizes, measured.counted))
    if set(options.only) != set(NEEDS):
        print("\n".join(page.lines(found, where, costs, sizes, None)))
        return
    picture = options.page.with_suffix(".svg") if sizes else None
    if picture is not None:
        from benchmarks.speed import plot  # it alone needs matplotlib

        plot.draw(costs, sizes, picture)
    options.page.with_suffix(".json").write_text(page.document(found, where))
    options.page.write_text("\n".join([*page.lines(found, where, costs, sizes, picture and picture.name), ""]))
    print(options.page)


def _measured(options: argparse.Namespace) -> Measured:
    cores = _held(options.cores)
    work = options.work.absolute()
    site = corpus.installed((options.site or work / "site").absolute())
    fixit = contestants.fixit_of(options.fixit, work) if "fixit" in options.only else None
    place = Place(work, site, options.python, contestants.ruff_of(options.ruff, options.python), fixit, options.select)
    contest = Contest(place, say=lambda line: print(line, file=sys.stderr, flush=True))
    contest.rounds({name for row in options.only for name in NEEDS[row]}, options.rounds)
    fixit_files = min(options.fixit_files or len(corpus.sources(site)), len(corpus.sources(site)))
    if fixit is not None:
        contest.fixit(options.fixit_rounds, fixit_files)
    is_growing = bool({"memory", "growth"} & set(options.only))
    sizes = contest.growth(options.sizes) if is_growing else {}
    counted = contest.libcst() if "libcst" in options.only else None
    where = Where(
        libraries=corpus.versions(site),
        tools=_tools(place),
        files=len(corpus.sources(site)),
        size=corpus.size(site),
        cores=cores,
        rounds=options.rounds,
        loads=tuple(contest.loads),
        fixit_files=fixit_files if fixit is not None else None,
    )
    return Measured(contest.costs, sizes, counted, where)


def parsed(words: list[str]) -> argparse.Namespace:
    """The options; `only` is a tuple of rows."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=str(__doc__).partition("\n")[0])
    parser.add_argument("--only", type=_rows, default=tuple(NEEDS), help=f"rows, of {', '.join(NEEDS)}; prints")
    parser.add_argument("--page", type=Path, default=PAGE, help="where all is written down")
    parser.add_argument("--work", type=Path, default=CACHE / "speed", help="where trees, caches and Fixit are kept")
    parser.add_argument("--site", type=Path, help="a folder with the libraries; by default pip makes one")
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has jaxfix")
    parser.add_argument("--select", help="the codemods that are on, by default all; only with `--only`")
    parser.add_argument("--ruff", help="the ruff to compare with")
    parser.add_argument("--fixit", help="the Fixit to compare with; by default it gets an environment of its own")
    parser.add_argument("--rounds", type=_positive, default=5, help="runs of each; the best counts")
    parser.add_argument("--fixit-rounds", type=_positive, default=1, help="runs of Fixit, which take minutes")
    parser.add_argument("--fixit-files", type=_positive, help="it reads so many of the files, spread evenly, not all")
    parser.add_argument("--save", type=Path, help="a file for what each run has cost")
    parser.add_argument("--saved", type=Path, nargs="+", help="such files; then nothing is measured")
    parser.add_argument("--sizes", type=_sizes, default=SIZES, help="files in the trees on which growth is measured")
    parser.add_argument("--cores", type=_positive, default=2, help="those that everybody may use")
    options = parser.parse_args(words)
    if options.select is not None and set(options.only) == set(NEEDS):
        parser.error("`--select` leaves codemods out, and the page is about all of them; name rows with `--only`")
    return options


def _rows(named: str) -> tuple[str, ...]:
    chosen = tuple(name.strip() for name in named.split(","))
    for name in chosen:
        if name not in NEEDS:
            raise argparse.ArgumentTypeError(f"there is no row `{name}`; the rows are {', '.join(NEEDS)}")
    return chosen


def _sizes(named: str) -> tuple[int, ...]:
    sizes = tuple(sorted({_positive(number) for number in named.split(",")}))
    if len(sizes) < 2:
        raise argparse.ArgumentTypeError("growth needs trees of at least two sizes")
    return sizes


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is less than 1")
    return number


def _held(cores: int) -> int:
    """Keeps everything on that many cores, as far as there are so many and the system can; returns how many it is."""
    if not hasattr(os, "sched_setaffinity"):
        return os.cpu_count() or 1
    chosen = sorted(os.sched_getaffinity(0))[:cores]
    os.sched_setaffinity(0, chosen)
    return len(chosen)


def _tools(place: Place) -> tuple[str, ...]:
    named = [f"jaxfix {own.digest()}", f"Python {platform.python_version()}", contestants.version_of(place.ruff)]
    return (*named, *([contestants.version_of(place.fixit)] if place.fixit else []))


if __name__ == "__main__":
    main()
