"""A codemod's docstring as a page: for `explain`, for an editor's hover, and for `docs/codemods/`."""

import re
import sys
from collections.abc import Sequence
from textwrap import dedent

from jaxfix.engine.registry import SECTIONS
from jaxfix.report.evidence import Evidence, Verdict
from jaxfix.semantic.codemod import Codemod
from jaxfix.source.errors import PackError
from jaxfix.source.frozen import frozen

_HEADING = re.compile(rf"^({'|'.join(SECTIONS)}):[ \t]*", re.MULTILINE)


@frozen
class Page:
    """What the docstring of a codemod's module says; `before` and `after` are Python."""

    summary: str
    why: str
    before: str
    after: str
    safety: str
    evidence: str
    source: str


def page(codemod: Codemod) -> Page:
    """The page of the codemod, from the docstring of the module that defines its `find`.

    Raises:
      PackError: there is no docstring, or a section is missing.
    """
    doc = sys.modules[codemod.find.__module__].__doc__
    if not doc:
        raise PackError(f"codemod `{codemod.id}` has no docstring", hint=_GRAMMAR)
    return parse(doc, codemod.id)


def parse(doc: str, codemod_id: str) -> Page:
    """The page that `doc` spells: a summary line, why, then `Before:`, `After:`, `Safety:`, `Evidence:`, `Source:`.

    Raises:
      PackError: a section is missing, comes twice or is empty.
    """
    lead, *pieces = _HEADING.split(doc.expandtabs())
    found = dict(zip(pieces[::2], pieces[1::2], strict=True))
    for name in SECTIONS:
        if not found.get(name, "").strip() or pieces.count(name) != 1:
            raise PackError(f"codemod `{codemod_id}` has no single `{name}:` section", hint=_GRAMMAR)
    summary, _, why = lead.strip().partition("\n\n")
    return Page(
        summary=_prose(summary),
        why=_prose(why),
        before=_code(found["Before"]),
        after=_code(found["After"]),
        safety=_prose(found["Safety"]),
        evidence=_prose(found["Evidence"]),
        source=_prose(found["Source"]),
    )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def markdown(codemod: Codemod, page: Page, receipts: Sequence[Evidence] = ()) -> str:
    """The page as Markdown, with the figures of the runnable program where there are any."""
    parts = [
        f"# `{codemod.id}`",
        page.summary,
        page.why,
        f"## Before\n\n```python\n{page.before}\n```",
        f"## After{'' if is_rewritten(codemod) else ', by hand'}\n\n```python\n{page.after}\n```",
        f"## Safety\n\n{_sentence(page.safety)}",
        f"## Evidence\n\n{_sentence(page.evidence)}",
        _figures(receipts),
        f"## Source\n\n{page.source}",
        f"Silence it on a line with `# jaxfix: ignore[{codemod.id}]`.",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def is_rewritten(codemod: Codemod) -> bool:
    """Whether `After:` is what jaxfix makes of `Before:`; else it is what a person would write."""
    return codemod.rewrites


_GRAMMAR = "the sections are " + ", ".join(f"`{name}:`" for name in SECTIONS)


def _prose(text: str) -> str:
    """Paragraphs as they stand; the first line may follow its heading, so it says nothing of the indentation."""
    first, _, rest = text.strip().partition("\n")
    return f"{first.strip()}\n{dedent(rest)}".strip()


def _code(text: str) -> str:
    return dedent(text.strip("\n")).strip()


def _figures(receipts: Sequence[Evidence]) -> str:
    rows = [
        f"| {comparison.case} | {comparison.before.compiles} | {comparison.after.compiles} | "
        f"{comparison.before.steady_compiles} | {comparison.after.steady_compiles} | {comparison.equality} |"
        for receipt in receipts
        if receipt.verdict is Verdict.PROVEN
        for comparison in receipt.comparisons
    ]
    if not rows:
        return ""
    head = "| case | compiles before | after | per step before | after | results |\n|---|---|---|---|---|---|"
    return "\n".join((head, *rows))
