"""The pages of codemods, as an editor shows them."""

import re
from functools import cache

from jaxfix import docs
from jaxfix.engine.registry import Registry, load_registry
from jaxfix.render.seen import seen_in_words
from jaxfix.report.report import Diagnostic
from jaxfix.semantic.codemod import Codemod
from jaxfix.source.errors import PackError

_URL = re.compile(r"https?://[^\s<>)`]+")
_SAFETY = {
    "safe": "cannot change results",
    "needs-evidence": "may change results: prove it by a rerun",
    "on-request": "changes what an option asks to change",
    "display-only": "a hint",
}


@cache
def registry() -> Registry:
    """The codemods of this process, loaded once; where there are none, that is its one failure."""
    try:
        return load_registry()
    except PackError as error:
        return Registry((), (error,))


@cache
def codemod(name: str) -> Codemod | None:
    return next((each for each in registry().codemods if each.id == name), None)


@cache
def markdown(name: str) -> str | None:
    """The whole page of a codemod; None where there is no such codemod."""
    found = codemod(name)
    try:
        return docs.markdown(found, docs.page(found)) if found is not None else None
    except PackError:
        return None


@cache
def source(name: str) -> str | None:
    """Where more is to be read about a codemod, on the web."""
    found = codemod(name)
    url = _URL.search(docs.page(found).source) if found is not None and markdown(name) is not None else None
    return url[0] if url is not None else None


def hover(diagnostic: Diagnostic, receipt: str | None) -> str:
    """The finding, what is known of it and of its cure, then what its codemod does, before and after."""
    parts = [f"**jaxfix** `{diagnostic.id}` ({diagnostic.confidence.value})", _sentence(diagnostic.message)]
    if diagnostic.seen is not None:
        parts.append(f"seen: {seen_in_words(diagnostic.seen)} in the last trace")
    if diagnostic.fixable:
        parts.append(f"**Cure**: {diagnostic.title} ({_SAFETY[diagnostic.safety.value]})")
    elif diagnostic.declined is not None:
        parts.append(f"Not fixed by jaxfix: {diagnostic.declined}")
    if receipt is not None:
        parts.append(f"**Rerun**: {receipt}")
    found = codemod(diagnostic.id)
    if found is not None and markdown(diagnostic.id) is not None:
        page = docs.page(found)
        parts += ["---", page.summary, page.why]
        parts.append(f"Before\n```python\n{page.before}\n```\nAfter\n```python\n{page.after}\n```")
        parts.append(f"Safety: {page.safety}")
    return "\n\n".join(part for part in parts if part)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
