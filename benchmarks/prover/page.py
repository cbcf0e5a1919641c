"""What is said of the rewrites that the prover was given."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

Found = Mapping[str, Any]
"""A `Proof` as JSON."""
REFUSED = ("different", "failed", "slower")
RIGHT = ("right", "right, written after", "right, by further hands", "right, our own", "right, in a hurry")
OWN = ("own", "plain", "silent")
"""Kinds of wrong rewrites that say nothing of a class."""
_NAMES = {"own": "traps, with a program that shows it", "plain": "traps, with one that does not", "silent": "others"}


def pages(found: Sequence[Found]) -> Iterator[str]:
    """The whole page of those that are no classes, and of the right ones."""
    named = {(entry["name"], entry["kind"]): entry for entry in found}
    own, plain, silent = ([entry for entry in found if entry["kind"] == kind] for kind in OWN)
    right = [entry for entry in found if entry["kind"] in RIGHT]
    wrong = [*own, *plain, *silent]
    yield "# The prover, judged"
    yield ""
    yield "Written by `python -m benchmarks.trust`. A wrong rewrite is what a careless codemod makes of a program"
    yield "that was written to break it (`golden/_traps`). The prover sees each with its own program, made to show the"
    yield "difference, and with a plain one: it calls the function repeatedly with the same data, so that only the"
    yield "original beside it can tell. Others (`benchmarks/prover/wrong.txt`) have a plain program alone: what they"
    yield "break is state that the program never changes, data that it never has, or something that it never looks at."
    yield ""
    yield f"* wrong rewrites called proven: **{_count(wrong, 'proven')}** of {len(wrong)}"
    yield f"* refused as different or failed: {_refused(own)} of {len(own)} with their own program,"
    yield f"  {_refused(plain)} of {len(plain)} with a plain one; {_refused(silent)} of {len(silent)} of the others"
    yield f"* right rewrites refused: **{_refused(right)}** of {len(right)}"
    yield from _heading(
        "Wrong rewrites", ("trap", "codemod", "its own program", "a plain program", "what gave it away")
    )
    yield from (_row(entry, named.get((entry["name"], "plain"))) for entry in own)
    heads = ("rewrite", "codemod", "verdict", "what gave it away")
    yield from _heading("Wrong rewrites that their program does not show", heads)
    yield from map(_line, silent)
    yield from _heading("Right rewrites", ("rewrite", "codemod", "verdict", "level", "time", "reason"))
    for entry in right:
        told = entry["verdict"], entry["level"] or "", time(entry), cell(entry["reason"], 140)
        yield f"| {entry['name']} | `{entry['codemod']}` | {' | '.join(told)} |"


def lines(found: Sequence[Found]) -> Iterator[str]:
    """What is said of wrong rewrites by class, and of right ones, on the page on trust."""
    wrong = [entry for entry in found if entry["kind"] not in RIGHT]
    right = [entry for entry in found if entry["kind"] in RIGHT]
    classed = [entry for entry in wrong if entry["kind"] not in OWN]
    yield "## Wrong rewrites by class"
    yield ""
    yield "Each saves a compile, at every step or at the start, and breaks one thing that its program does not show"
    yield "in its results (`benchmarks/prover`); [traps and others](prover.md) have a page of their own. Those by"
    yield "others were written from the documentation alone, without the code; 17 of the 40 were called proven, and"
    yield "the prover was mended with them in sight; so were, much later, 3 of 4 more that nobody had judged then."
    yield "The later ones break other things, and were written after that by who had mended it, to see what is left:"
    yield "9 of the 15 were called proven, and the prover was mended again. Those written after are of kinds that"
    yield "none of these have, by who knew the code: 8 of the 15 wrong ones were called proven, and 3 of the 10 right"
    yield "ones refused, before it was mended once more. Those by further hands are changes for [`jaxfix"
    yield "prove`](../prove.md), again written from the documentation alone: of the 29 wrong ones 17 were called"
    yield "proven, 11 refused and one not compared when they were first run, and one of the 11 right ones was"
    yield "refused; then the prover was mended with them in sight. Of the ten *later* of these, by who had mended it,"
    yield "3 were called proven, and mended too. *Our own, of ordinary Python* are changes for the same command, by who"
    yield "knew the prover, of kinds that no other file has: 6 of 14 were called proven when they were first run, and"
    yield "all of these are mended. The 40 *hidden* ones are changes of small programs for that command too, by another"
    yield "hand than the prover's, written before the code that samples was read: 6 were called proven when they were"
    yield "first run (data of one sign, a buffer that is never full, a bound that another option moves, signs that turn"
    yield "in all arguments at once, the order of keys, a loop that ends too soon), and all are mended. What is not"
    yield "compared, or saves no compile, is neither refused nor proven."
    yield ""
    yield "| class | tried | refused | called proven |"
    yield "|---|---|---|---|"
    for kind in dict.fromkeys(entry["kind"] for entry in wrong):
        some = [entry for entry in wrong if entry["kind"] == kind]
        yield f"| {_NAMES.get(kind, kind)} | {len(some)} | {_refused(some)} | **{_count(some, 'proven')}** |"
    yield ""
    verdicts = Counter(entry["verdict"] for entry in right)
    others = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common() if verdict != "proven")
    yield f"* right rewrites refused: **{_refused(right)}** of {len(right)} ({verdicts['proven']} proven, {others});"
    yield "  where it saves no compile in the program that calls it, a right rewrite has no effect"
    times = sorted(entry["multiple"] for entry in found if entry["multiple"])
    if times:
        yield f"* processor time of a proof, in runs of the program: {median(times):.1f} in the median,"
        yield f"  {times[-1]:.1f} at most"
    for entry in right:
        if entry["verdict"] in REFUSED:
            yield f"* refused, though right: {entry['name']}: {cell(entry['reason'], 200)}"
    yield from _heading("", ("rewrite", "class", "verdict", "what gave it away"))
    for entry in classed:
        yield f"| {entry['name']} | {entry['kind']} | {entry['verdict']} | {cell(entry['reason'], 160)} |"


def cell(text: str, most: int) -> str:
    """The text as one cell of a table."""
    short = text if len(text) <= most else f"{text[: most - 3]}..."
    return short.replace("|", "\\|").replace("\n", " ")


def time(entry: Found) -> str:
    """The time of a proof; empty where it was not taken."""
    return f"{entry['multiple']:.1f} x" if entry["multiple"] else ""


def _heading(title: str, heads: Sequence[str]) -> Iterator[str]:
    yield from (("", f"## {title}", "") if title else ("",))
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"


def _row(own: Found, plain: Found | None) -> str:
    head = f"| {own['name']} | `{own['codemod']}` | {own['verdict']}"
    if plain is None:
        function = "no function is rewritten" if own["functions"] == ["<module>"] else "the function takes no data"
        return f"{head} | | {function} |"
    return f"{head} | {plain['verdict']} | {cell(plain['reason'], 140)} |"


def _line(entry: Found) -> str:
    return f"| {entry['name']} | `{entry['codemod']}` | {entry['verdict']} | {cell(entry['reason'], 140)} |"


def _refused(entries: Sequence[Found]) -> int:
    return sum(_count(entries, verdict) for verdict in REFUSED)


def _count(entries: Sequence[Found], verdict: str) -> int:
    return sum(entry["verdict"] == verdict for entry in entries)
