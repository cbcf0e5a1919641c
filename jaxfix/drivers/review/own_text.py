"""What a person makes of a fix on the page, which passes the whole file with the newlines of browsers."""

import re

from jaxfix.drivers.review.look import Look
from jaxfix.drivers.workflow import decisions
from jaxfix.drivers.workflow.candidates import Candidate
from jaxfix.drivers.workflow.decisions import Choice, Decisions
from jaxfix.drivers.workflow.targets import Target
from jaxfix.source.errors import ConfigError
from jaxfix.source.source_file import SourceFile

_NEWLINE = re.compile(r"\r\n|\n|\r")


def obstacle(entry: Candidate, target: Target) -> str | None:
    """Why the fix cannot be edited on the page; None if it can."""
    if entry.impossible is not None:
        return entry.impossible
    if entry.needs:
        return "it appears only after another fix"
    if target.source.notebook is not None:
        return "a notebook is not edited as one text"
    several = len(set(_NEWLINE.findall(target.source.text.decode()))) > 1
    return "its file mixes line endings, which a browser does not keep" if several else None


def edited(seen: Look, made: Decisions, number: int, text: str | None) -> Decisions:
    """What is decided once the fix of this number is taken as `text`, or, for None, is as it was found.

    Raises:
      UserError: it cannot be edited, or the text is not Python or leaves nothing of the fix.
    """
    entry = seen.found[number]
    target = next(target for target in seen.session.fixable if target.source.path == entry.name.path)
    if reason := obstacle(entry, target):
        raise ConfigError(f"this fix cannot be edited here: {reason}", hint="`jaxfix apply --interactive` may do it")
    if text is None:
        return made.with_text(entry.name, None)
    raw = _raw(target.source, text)
    if raw == target.source.raw:
        raise ConfigError("nothing of the fix is left", hint="reject it")
    if raw == entry.patch.after:
        return made.with_text(entry.name, None).with_choice([entry.name], Choice.ACCEPTED)
    return decisions.as_written(target, entry.name, made, raw)


def _raw(source: SourceFile, text: str) -> bytes:
    newline = next(iter(_NEWLINE.findall(source.text.decode())), "\n")
    return source.with_text(_NEWLINE.sub(newline, text).encode(errors="surrogatepass")).raw
