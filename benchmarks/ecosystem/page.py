"""The ecosystem as a page, and as JSON."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from benchmarks.ecosystem.inspecting import Edit, Found, Library
from benchmarks.ecosystem.review import Key, Merge, Verdict, key
from benchmarks.ecosystem.suite import Suite

LEVELS = ("certain", "possible")
Verdicts = Mapping[Key, Verdict]
Merges = Mapping[tuple[str, Edit], Merge]


def lines(
    libraries: Sequence[Library], verdicts: Verdicts, merges: Merges, suites: Mapping[str, Suite], listed: str
) -> Iterator[str]:
    """The page; `listed` is the name of the list that the libraries stand in."""
    found = [(library, entry) for library in libraries for entry in library.findings]
    yield "# jaxfix on code that nobody here wrote"
    yield ""
    yield (
        f"Written by `python -m benchmarks.ecosystem`: what `benchmarks/ecosystem/{listed}` lists, releases from the "
        "registry or repositories at a commit, `jaxfix check --all` on each, then `jaxfix apply --unproven` on a copy. "
        "*Certain*: the code that "
        "was read shows that the line runs eagerly and repeatedly; *possible*: public code, whose callers decide."
    )
    yield ""
    files, read = sum(entry.files for entry in libraries), sum(entry.lines for entry in libraries)
    yield f"{len(libraries)} libraries, {files} files, {read} lines: {len(found)} findings."
    yield ""
    yield "## Looked at by a person"
    yield ""
    yield from _review(found, verdicts)
    yield ""
    yield "## What is found"
    yield ""
    yield from _findings(libraries, verdicts)
    yield ""
    yield "## What is rewritten"
    yield ""
    yield (
        "Nothing is proven here, so this is what `--unproven` dares. Checked apart from jaxfix: every changed file "
        "parses, has all its comments and can be imported as far as the original can; `apply` again changes nothing."
    )
    yield ""
    yield from _rewrites(libraries)
    yield from _merges(libraries, merges)
    yield from _tested(suites)
    yield from _wrong(libraries, verdicts)
    yield from _declined(found)


def document(libraries: Sequence[Library], verdicts: Verdicts) -> str:
    """A line for each finding, with its verdict."""
    said: list[str] = []
    for library in libraries:
        head = {name: value for name, value in asdict(library).items() if name not in ("findings", "seconds")}
        rows = ",\n".join(
            json.dumps(asdict(found) | {"review": _verdict(library, found, verdicts)}) for found in library.findings
        )
        said.append(f'{json.dumps(head)[:-1]}, "findings": [\n{rows}\n]}}' if rows else json.dumps(head))
    return '{"schema": 1, "libraries": [\n' + ",\n".join(said) + "\n]}\n"


def _review(found: Sequence[tuple[Library, Found]], verdicts: Verdicts) -> Iterator[str]:
    yield "| confidence | findings | looked at | right | right, and worth little | wrong | not reviewed |"
    yield "|---|---|---|---|---|---|---|"
    for level in LEVELS:
        entries = [(library, entry) for library, entry in found if entry.confidence == level]
        said = Counter(_verdict(library, entry, verdicts) or "none" for library, entry in entries)
        counts = " | ".join(str(said[verdict]) for verdict in ("right", "little"))
        looked_at = len(entries) - said["none"]
        yield f"| {level} | {len(entries)} | {looked_at} | {counts} | **{said['wrong']}** | {said['none']} |"
    yield ""
    yield (
        "The verdicts stand in `benchmarks/ecosystem/reviewed.json`, each with its reason. A verdict holds for one "
        "line of text, one codemod and one confidence: when any of these changes, the finding is not reviewed."
    )


def _findings(libraries: Sequence[Library], verdicts: Verdicts) -> Iterator[str]:
    names = sorted({entry.codemod for library in libraries for entry in library.findings})
    yield (
        "| library | files | lines | "
        + "".join(f"{name} | " for name in names)
        + "looked at | wrong | unread | crashes |"
    )
    yield "|---" * (len(names) + 7) + "|"
    for library in libraries:
        cells = [_count(library, name) for name in names]
        said = Counter(_verdict(library, entry, verdicts) for entry in library.findings)
        head = f"{library.name} {library.version}"
        tail = (said.total() - said[None], said["wrong"], len(library.unread), len(library.crashes))
        yield f"| {head} | {library.files} | {library.lines} | " + " | ".join(map(str, (*cells, *tail))) + " |"
    yield ""
    yield "Each cell: certain + possible, and in brackets how many of both can be fixed."
    for library in libraries:
        yield from (f"* {library.name}: {fault}" for fault in (*library.unread, *library.crashes))


def _count(library: Library, codemod: str) -> str:
    mine = [entry for entry in library.findings if entry.codemod == codemod]
    if not mine:
        return ""
    certain = sum(entry.confidence == LEVELS[0] for entry in mine)
    return f"{certain} + {len(mine) - certain} ({sum(entry.fixable for entry in mine)})"


def _rewrites(libraries: Sequence[Library]) -> Iterator[str]:
    yield "| library | fixes | files | import afterwards | faults |"
    yield "|---|---|---|---|---|"
    for library in libraries:
        done = library.applied
        fixes = ", ".join(f"{number} {name}" for name, number in sorted(done.fixes.items())) or "none"
        imported = "not tried" if done.imported is None else f"{done.imported} of {done.modules}"
        yield f"| {library.name} | {fixes} | {done.files} | {imported} | {len(done.faults)} |"
    for library in libraries:
        yield from (f"* {library.name}: {fault}" for fault in library.applied.faults)


def _merges(libraries: Sequence[Library], merges: Merges) -> Iterator[str]:
    """What a person said of each edit, where one was asked."""
    edits = [(library.name, edit) for library in libraries for edit in library.applied.edits]
    said = [merges[edit] for edit in edits if edit in merges]
    if said:
        yes = sum(entry.merge for entry in said)
        yield ""
        yield (
            f"Would a maintainer merge it? Of {len(edits)} edits **{yes} yes**, {len(said) - yes} no, "
            f"{len(edits) - len(said)} not judged (`benchmarks/ecosystem/merged.json`)."
        )
        yield ""
        yield from (
            f"* {it.library} {it.path} `{it.key.partition(':')[0]}`: {'yes' if it.merge else 'no'}, {it.why}"
            for it in said
        )


def _tested(suites: Mapping[str, Suite]) -> Iterator[str]:
    for library, found in suites.items():
        if found.both:
            yield from ("", f"## The tests that {library} ships", "")
            yield from _ended(found)


def _ended(found: Suite) -> Iterator[str]:
    passed = sum(found.after[file].passed for file in found.both)
    yield (
        f"On the rewritten copy {passed} pass, in {len(found.both)} of {found.files} files; "
        f"**{len(found.broken)} fail that pass without the rewriting**, {len(found.failing)} fail without it too."
    )
    yield from ("", *(f"* broken: `{name}`" for name in found.broken))
    yield from (f"* fails anyway: `{name}`" for name in sorted(found.failing))
    yield from ("", "| file | passed before | passed after | failed before | failed after |", "|---|---|---|---|---|")
    for file in found.both:
        old, new = found.before[file], found.after[file]
        yield f"| {file} | {old.passed} | {new.passed} | {len(old.failed)} | {len(new.failed)} |"


def _wrong(libraries: Sequence[Library], verdicts: Verdicts) -> Iterator[str]:
    said = [
        f"* `{entry.codemod}`, {entry.confidence}, {library.name} {entry.path}:{entry.line}: {verdict.why}"
        for library in libraries
        for entry in library.findings
        if (verdict := verdicts.get(key(library, entry))) is not None and verdict.verdict == "wrong"
    ]
    if said:
        yield from ("", "## Wrong", "", *said)


def _declined(found: Sequence[tuple[Library, Found]]) -> Iterator[str]:
    """Why what is found is not fixed, the most frequent reasons of each codemod first."""
    reasons = Counter((entry.codemod, _general(entry.declined)) for _, entry in found if entry.declined)
    yield from ("", "## Why the rest is not fixed", "", "| codemod | reason | findings |", "|---|---|---|")
    for (codemod, reason), number in sorted(reasons.items(), key=lambda item: (item[0][0], -item[1], item[0][1])):
        yield f"| {codemod} | {reason} | {number} |"


def _general(reason: str) -> str:
    """The reason with `…` in place of the names that it speaks of."""
    return "`…`".join(part for number, part in enumerate(reason.split("`")) if number % 2 == 0).replace("|", "\\|")


def _verdict(library: Library, found: Found, verdicts: Verdicts) -> str | None:
    verdict = verdicts.get(key(library, found))
    return verdict.verdict if verdict else None
