"""The table of all codemods, and the gallery: what each writes, and what a rerun of its example has measured."""

from collections.abc import Iterator, Mapping, Sequence
from difflib import unified_diff

from jaxfix import docs
from jaxfix.report.evidence import Comparison, Evidence, Verdict
from jaxfix.report.finding import Safety
from jaxfix.semantic.codemod import Codemod

Receipts = Mapping[str, Sequence[Evidence]]
"""Those of the example program of each codemod, by its id."""
ByHand = Mapping[str, tuple[int, int]]
"""How often the example of a page compiles before and after, by the id of a codemod that only reports."""
_INDEX = """\
# What jaxfix finds

One page for each codemod; the [gallery](../gallery.md) shows what each writes. *Safe* ones have fixes that keep every
result for every input, [by reasoning](../safety.md); their other fixes, and all fixes of the rest, need a
[rerun that proves them](../proof.md). *Measured* is what a rerun of the codemod's own example program has shown.
"""
_AFTER = """\
What only a run can show is reported [from a trace](../trace.md): `fresh-function` and `ragged-shape`. A finding without
a sound fix comes with [the reason](../reasons.md). To add a codemod: [writing codemods](../writing-codemods.md).
"""
_GALLERY = """\
# Gallery

What each codemod writes: the example of its page, as a diff, and what a rerun of its example program in `golden/` has
measured. Each diff is what `jaxfix apply` makes of the code before; a test runs it.
"""
_WRITTEN = {
    Safety.SAFE: "safe, or after a rerun",
    Safety.NEEDS_EVIDENCE: "after a rerun",
    Safety.ON_REQUEST: "on request, after a rerun",
    Safety.DISPLAY_ONLY: "report only",
}


def index(codemods: Sequence[Codemod], receipts: Receipts, by_hand: ByHand) -> str:
    """The page of all codemods."""
    rows = "\n".join(
        f"| [`{codemod.id}`]({codemod.id}.md) | {_line(docs.page(codemod).summary)} | {_written(codemod)} "
        f"| {_measured(receipts.get(codemod.id, ())) or _counted(by_hand.get(codemod.id))} |"
        for codemod in codemods
    )
    return f"{_INDEX}\n| id | the line | a fix is written | measured |\n|---|---|---|---|\n{rows}\n\n{_AFTER}"


def page(codemods: Sequence[Codemod], receipts: Receipts, by_hand: ByHand) -> str:
    """The gallery."""
    shown = (_entry(codemod, receipts.get(codemod.id, ()), by_hand.get(codemod.id)) for codemod in codemods)
    return "\n".join((_GALLERY, *shown))


def _entry(codemod: Codemod, receipts: Sequence[Evidence], by_hand: tuple[int, int] | None) -> str:
    page = docs.page(codemod)
    measured = _measured(receipts)
    parts = [f"## {codemod.id}", page.summary, f"```diff\n{_diff(page)}\n```"]
    if not docs.is_rewritten(codemod):
        parts.append("By hand: jaxfix reports it.")
    if measured:
        parts.append(f"Measured: {measured}; {_equal(receipts)}.")
    elif by_hand is not None:
        parts.append(f"Measured: {_counted(by_hand)}, by this example; it prints the same.")
    parts.append(f"[All about `{codemod.id}`](codemods/{codemod.id}.md)")
    return "\n\n".join(parts) + "\n"


def _diff(page: docs.Page) -> str:
    lines = unified_diff(page.before.splitlines(), page.after.splitlines(), lineterm="", n=3)
    return "\n".join(line for line in lines if not line.startswith(("---", "+++", "@@")))


def _written(codemod: Codemod) -> str:
    return _WRITTEN[codemod.safety if codemod.rewrites else Safety.DISPLAY_ONLY]


def _counted(by_hand: tuple[int, int] | None) -> str:
    return "" if by_hand is None else f"compiles {by_hand[0]} -> {by_hand[1]}"


def _measured(receipts: Sequence[Evidence]) -> str:
    """What was saved; where the reason names no figure, the compiles that were saved besides."""
    for reason, _, counts in _proven(receipts):
        before, after = counts
        return f"{reason}; here compiles {before} -> {after}" if "->" not in reason and after < before else reason
    return ""


def _equal(receipts: Sequence[Evidence]) -> str:
    return next(equality.partition(";")[0] for _, equality, _ in _proven(receipts))


def _proven(receipts: Sequence[Evidence]) -> Iterator[tuple[str, str, tuple[int, int]]]:
    """What was saved, how equal the results were, and the compiles before and after, of each proven case."""
    for receipt in receipts:
        for comparison in receipt.comparisons:
            if comparison.verdict is Verdict.PROVEN:
                yield comparison.reason, comparison.equality, _compiles(comparison)


def _compiles(comparison: Comparison) -> tuple[int, int]:
    return comparison.before.compiles, comparison.after.compiles


def _line(text: str) -> str:
    return " ".join(text.split())
