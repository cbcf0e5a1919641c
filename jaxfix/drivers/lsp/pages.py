"""The pages of codemods, as an editor shows them."""

import re
from functools import cache
from importlib import metadata

from jaxfix import docs
from jaxfix.engine.registry import Registry, load_registry
from jaxfix.render.estimate import in_words
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
    """The finding, its cost, what would make it certain, the cure, what a rerun showed, and where more is to read."""
    parts = [f"**jaxfix** `{diagnostic.id}` ({diagnostic.confidence.value})", _sentence(diagnostic.message)]
    estimate = in_words(diagnostic)
    if diagnostic.seen is not None:
        parts.append(f"**Cost**: seen: {seen_in_words(diagnostic.seen)} in the last trace")
    elif estimate is not None:
        parts.append(f"**Cost** (estimate): {estimate}")
    if diagnostic.certain_if is not None:
        parts.append(f"**Certain if** {diagnostic.certain_if}")
    if diagnostic.fixable:
        parts.append(f"**Fix**: {diagnostic.title} ({_SAFETY[diagnostic.safety.value]})")
    elif diagnostic.declined is not None:
        parts.append(f"**Not fixed**: {diagnostic.declined}")
    if receipt is not None:
        parts.append(f"**Rerun**: {receipt}")
    return "\n\n".join([*parts, _more(diagnostic.id)])


def _more(name: str) -> str:
    """Where its page is: a link where the package has an address, and the command that prints it."""
    address = repository()
    page = f"[{name}]({address}/blob/main/docs/codemods/{name}.md), " if address and codemod(name) is not None else ""
    return f"More: {page}`jaxfix explain {name}`"


@cache
def repository() -> str | None:
    """The address of the repository that this package was published from; None where it has none."""
    try:
        links = metadata.metadata("jaxfix").get_all("Project-URL") or []
    except metadata.PackageNotFoundError:
        return None
    return next((link.partition(", ")[2] for link in links if link.startswith("Repository, ")), None)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
