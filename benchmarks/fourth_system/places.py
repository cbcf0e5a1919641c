"""Writes `docs/evidence/fourth-places.md` from `places.json`: public code in which the fourth system was looked for.

python -m benchmarks.fourth_system.places

Each place was found in the named commit, rewritten, and read with its surroundings. `proven`, `refused` and `held` are
what `jaxfix apply FILE --select ID --run "python drive.py"` says, where `drive.py` imports the file and calls the
function on small arrays; `why` is what the receipt says of it, or what was seen as it was read.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

PLACES = Path(__file__).with_name("places.json")
PAGE = Path(__file__).resolve().parents[2] / "docs" / "evidence" / "fourth-places.md"
OUTCOMES = {
    "proven": "rewritten, and proven by a program that calls it",
    "refused": "rewritten; the run refused it, and nothing was written",
    "held": "rewritten; the run had nothing to compare",
    "right": "rewritten, read and found right; not run",
    "little": "rewritten, read and found right; too few iterations to matter",
    "loud": "rewritten; where it is wrong JAX raises, so that no run would keep it",
}


def lines(document: Mapping[str, Any]) -> Iterator[str]:
    places = document["places"]
    counts = Counter(place["outcome"] for place in places)
    codemods = ", ".join(f"`{name}`" for name in document["codemods"])
    yield "# Where the fourth system was looked for"
    yield ""
    repositories, since = len({place["repository"] for place in places}), document["since"]
    yield (
        f"Written by `python -m benchmarks.fourth_system.places`. {document['repositories']} public repositories, "
        f"{document['files']:,} files and notebooks that speak of jax, each analysed by itself, for {codemods}; "
        f"`captured-constant` finds nothing without a trace. Since then {since['repositories']} that other "
        f"measurements use ({since['files']:,} files, at most {since['most']} of each) were read for what is "
        f"new: {since['places']} places. {len(places)} places in {repositories} repositories were "
        "rewritten, and none of the rewrites is wrong silently. What is proven, refused or held was run by a "
        "script that imports the file and calls its functions, or what `jit` makes of them, on small arrays. Loops "
        "and reads of values are guesses: none of them is written before a run has confirmed it."
    )
    yield ""
    yield "| outcome | places |"
    yield "|---|---|"
    yield from (f"| {meaning} | {counts[outcome]} |" for outcome, meaning in OUTCOMES.items() if counts[outcome])
    yield ""
    yield "| repository, commit | place | codemod | outcome |"
    yield "|---|---|---|---|"
    for place in places:
        why = f": {place['why']}" if place["why"] else ""
        source = f"{place['repository']} {place['commit'][:8]}"
        where = f"`{place['path']}:{place['line']}`"
        yield f"| {source} | {where} | `{place['codemod']}` | {place['outcome']}{why} |"
    yield ""
    yield "What was found and not rewritten, where the reason stands more than once:"
    yield ""
    yield "| codemod | why | places |"
    yield "|---|---|---|"
    yield from (f"| `{row['codemod']}` | {row['why']} | {row['places']} |" for row in document["declined"])
    yield ""
    yield from _unseen(document["unseen"])
    yield ""
    yield from _later(document["later"], "Ten others, later")
    yield ""
    yield from _later(document["latest"], "Ten more")


def _unseen(document: Mapping[str, Any]) -> Iterator[str]:
    """All findings in repositories that were chosen by their names, written down, and read after the run alone."""
    every, found = document["repositories"], document["findings"]
    counts = Counter(row["confidence"] for row in found)
    yield "## Ten repositories that nobody had looked at"
    yield ""
    yield (
        "Chosen by their names, and listed before the run (three that could not be downloaded were replaced): "
        f"{sum(each['files'] for each in every):,} files and notebooks that speak of jax, each repository analysed as "
        "a project with `jaxfix check --all`, for the codemods above and `remat-scan`, `separate-value-and-grad`, "
        "`key-reuse`, `ragged-batch`, `undonated-state`, `legacy-parallelism`. "
        f"{len(found)} findings, {counts['certain']} of them certain, each read with its surroundings; no certain one "
        "is wrong. Three were certain in the first run and are no longer: they are true of a path that is not the "
        "default. "
        "Nothing was run."
    )
    yield ""
    yield from _judged(every, found)


def _later(document: Mapping[str, Any], title: str) -> Iterator[str]:
    """The same of ten others, with what was missed."""
    every, found, missed = document["repositories"], document["findings"], document["missed"]
    counts = Counter(row["judged"].partition(":")[0] for row in found)
    certain = sum(row["confidence"] == "certain" for row in found)
    yield f"## {title}"
    yield ""
    yield (
        "Chosen and run in the same way (those that could not be downloaded, or had been read before, were replaced). "
        f"{len(found)} findings, {certain} of them certain: {counts['right']} right, {counts['little']} of little use, "
        f"{counts['wrong']} wrong. About `pmap`, `pjit` and meshes, in code that keeps them: "
        f"{sum(row['codemod'] == 'legacy-parallelism' for row in found)}. None of it was run to find it."
    )
    yield ""
    yield from _judged(every, found)
    yield ""
    yield "What a reading of the loops that fetch values, grow arrays or run over a range has found beside them:"
    yield ""
    yield "| place | codemod | missed |"
    yield "|---|---|---|"
    for row in missed:
        where = f"{row['repository'].partition('/')[2]} `{row['path']}:{row['line']}`"
        yield f"| {where} | `{row['codemod']}` | {row['what']} |"


def _judged(every: Sequence[Mapping[str, Any]], found: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield "| repository, commit | files | findings | certain |"
    yield "|---|---|---|---|"
    for each in every:
        own = [row for row in found if row["repository"] == each["repository"]]
        certain = sum(row["confidence"] == "certain" for row in own)
        yield f"| {each['repository']} {each['commit'][:8]} | {each['files']} | {len(own)} | {certain} |"
    yield ""
    yield "| place | codemod | confidence | fix | judged |"
    yield "|---|---|---|---|---|"
    for row in found:
        cell = f" cell {row['cell']}" if "cell" in row else ""
        where = f"{row['repository'].partition('/')[2]} `{row['path']}:{row['line']}`{cell}"
        fix = "yes" if row["is_fixable"] else ""
        yield f"| {where} | `{row['codemod']}` | {row['confidence']} | {fix} | {row['judged']} |"


def main() -> None:
    document = json.loads(PLACES.read_text())
    PAGE.write_text("\n".join([*lines(document), ""]))
    print(PAGE.name)


if __name__ == "__main__":
    main()
