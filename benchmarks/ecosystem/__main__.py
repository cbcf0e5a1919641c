"""Runs jaxfix on pinned releases of JAX libraries and writes down what it finds and does.

python -m benchmarks.ecosystem                        all of them: `docs/evidence/ecosystem.md` and `.json`
python -m benchmarks.ecosystem --only optax,diffrax   a part, printed
python -m benchmarks.ecosystem --only optax --list    each finding with its code, for a review
python -m benchmarks.ecosystem --pinned benchmarks/ecosystem/fresh.txt     fresh repositories: `docs/evidence/fresh.md`
python -m benchmarks.ecosystem --only optax --edits   what is rewritten, for a review
python -m benchmarks.ecosystem --python PATH          imports what was rewritten, by an interpreter that has its needs
python -m benchmarks.ecosystem --python PATH --suite optax     has it run the release's own tests too (hours)

From the root of a clone, with network. Downloads are kept in the user's cache folder.
"""

import argparse
import difflib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import platformdirs

from benchmarks.ecosystem import own, page
from benchmarks.ecosystem.downloads import Release, pinned
from benchmarks.ecosystem.inspecting import Library, inspect
from benchmarks.ecosystem.review import key, merges, verdicts
from benchmarks.ecosystem.suite import Suite, known_suite, suite
from jaxfix.report.wire import from_json, to_json

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "evidence"
PINNED = Path(__file__).with_name("pinned.txt")
CACHE = platformdirs.user_cache_path("jaxfix-benchmarks")
AROUND = 12
"""Lines shown before and after a finding that is listed."""


def main() -> None:
    options = _options()
    only = set(options.only.split(",")) if options.only else None
    libraries = []
    for release in pinned(options.pinned):
        if only is None or release.name in only:
            print(f"{release}", file=sys.stderr, flush=True)
            work = options.work / f"{release.name}-{release.version}"
            libraries.append(_inspected(release, options, work))
            if release.name == options.suite:
                suite(work / "before", work / "after", release.name, options.python or sys.executable, work)
    suites = {entry.name: _suite(entry, options.work) for entry in libraries}
    if options.list:
        print("\n".join(line for library in libraries for line in _listed(library, options)))
    elif options.edits:
        print("\n".join(line for library in libraries for line in _edits(library, options.work)))
    elif only is not None:
        print("\n".join(page.lines(libraries, verdicts(), merges(), suites, options.pinned.name)))
    else:
        place = PAGES / ("ecosystem.md" if options.pinned == PINNED else f"{options.pinned.stem}.md")
        place.write_text("\n".join([*page.lines(libraries, verdicts(), merges(), suites, options.pinned.name), ""]))
        place.with_suffix(".json").write_text(page.document(libraries, verdicts()))
        print(place.relative_to(ROOT))


def _inspected(release: Release, options: argparse.Namespace, work: Path) -> Library:
    """What this jaxfix does to the library, kept in `work`: a run that was ended goes on where it was."""
    kept = work / f"inspected-{own.digest()}{'-imported' if options.python else ''}.json"
    if not kept.exists():
        found = inspect(release, options.work / "wheels", work, options.python, options.mirror)
        kept.write_text(json.dumps(to_json(found)))
    return from_json(Library, json.loads(kept.read_text()))


def _suite(library: Library, work: Path) -> Suite:
    place = work / f"{library.name}-{library.version}"
    return known_suite(place / "before", place / "after", library.name, place)


def _listed(library: Library, options: argparse.Namespace) -> Iterator[str]:
    """Every finding that waits for a verdict, with the lines around it."""
    known = verdicts()
    for found in library.findings:
        if key(library, found) in known or options.confidence not in (None, found.confidence):
            continue
        yield f"==== {library.name} {found.path}:{found.line} {found.codemod} {found.confidence} #{found.number}"
        yield f"     {found.text} {found.message} | {'fixable' if found.fixable else found.declined}"
        place = options.work / f"{library.name}-{library.version}" / "before" / found.path
        source = place.read_text(errors="replace").splitlines()
        for number in range(max(found.line - 1 - AROUND, 0), min(found.line + AROUND, len(source))):
            yield f"{number + 1:5}{'>' if number == found.line - 1 else ' '} {source[number]}"


def _edits(library: Library, work: Path) -> Iterator[str]:
    """The keys of the fixes of each file, and the difference that they make."""
    place = work / f"{library.name}-{library.version}"
    for path in sorted({edit.path for edit in library.applied.edits}):
        yield f"==== {library.name} {path}"
        yield from (f"     {edit.key}" for edit in library.applied.edits if edit.path == path)
        before, after = ((place / side / path).read_text().splitlines() for side in ("before", "after"))
        yield from difflib.unified_diff(before, after, lineterm="", n=6)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ecosystem", description=str(__doc__).partition("\n")[0])
    parser.add_argument("--only", help="names of libraries, such as `optax,diffrax`")
    parser.add_argument("--pinned", type=Path, default=PINNED, help="another list")
    parser.add_argument("--mirror", type=Path, help="a folder of bare repositories, OWNER+NAME each")
    parser.add_argument("--python", help="an interpreter that can import the libraries' requirements")
    parser.add_argument("--suite", help="the library whose own tests are run, such as `optax`")
    parser.add_argument("--list", action="store_true", help="print the findings that nobody has reviewed")
    parser.add_argument("--edits", action="store_true", help="print what is rewritten")
    parser.add_argument("--confidence", choices=page.LEVELS, help="list those alone")
    parser.add_argument("--work", type=Path, default=CACHE / "ecosystem", help="where libraries are unpacked")
    return parser.parse_args()


if __name__ == "__main__":
    main()
