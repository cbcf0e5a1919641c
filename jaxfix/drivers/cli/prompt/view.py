"""What the person at the terminal is shown of a fix, and asked."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence

from jaxfix.drivers.workflow.candidates import Candidate, Overlap
from jaxfix.render.account import Known
from jaxfix.render.paint import Paint, counted, named, printable
from jaxfix.render.receipts import figures
from jaxfix.render.remarks import shown_of
from jaxfix.render.seen import seen_in_words
from jaxfix.report.evidence import Verdict
from jaxfix.report.finding import Safety

_WIDTH, _NARROWEST = 80, 24
_GOOD = (Verdict.PROVEN,)

KEYS = (
    ("y", "take this fix"),
    ("n", "refuse it: it is not asked about again while its code stays unchanged"),
    ("j", "leave it open, and go on"),
    ("a", "take all open fixes of its codemod, except those that a rerun refuted"),
    ("f", "take all open fixes of its file, except those that a rerun refuted"),
    ("d", "refuse all open fixes of its file"),
    ("x", "explain: the page of its codemod"),
    ("v", "show the evidence"),
    ("p", "prove it: rerun with and without it"),
    ("P", "prove all that are open"),
    ("e", "edit the fixed file in $EDITOR, and take it as you write it"),
    ("b", "back: undo the last answer"),
    ("q", "write the accepted fixes, and end"),
    ("?", "this help; Ctrl-C ends, writes nothing, and remembers the answers"),
)
WORDS = {"y": "yes", "n": "no", "j": "later", "p": "prove", "x": "explain", "b": "back", "q": "end", "?": "all answers"}
"""Those that the question itself names; `?` lists all. The words are answers too."""
LAST_KEYS = (
    ("y", "write"),
    ("s", "show all of it as one diff"),
    ("b", "back: undo the last answer"),
    ("n", "write nothing, and remember the answers"),
    ("?", "this help"),
)
LAST_WORDS = {"y": "write", "s": "show the diff", "b": "back", "n": "write nothing", "?": "help"}


def question(
    entry: Candidate, place: tuple[int, int], hunk: str, paint: Paint, width: int | None, *, is_own: bool
) -> str:
    """One fix: its number, its place, its title, its known results, and its changes."""
    number, total = place
    head = f"({number}/{total}) {named(entry.diagnostic.where)}"
    lines = "".join(_folded(line, style, paint, width) for line, style in _facts(entry, is_own=is_own))
    return f"\n{paint('bold', head)}  {paint('bold red', entry.diagnostic.id)}\n{lines}{hunk.rstrip(chr(10))}\n"


def prompt(words: str, keys: Sequence[str], names: Mapping[str, str], paint: Paint) -> str:
    """What is asked, and the usual answers, each as its key and its word."""
    usual = (f"{key} {names[key]}" for key in keys if key in names)
    return paint("bold blue", f"{words} [{', '.join(usual)}]? ")


def key_of(said: str, names: Mapping[str, str]) -> str:
    """The key that was typed, or whose word was; `P` is another one than `p`."""
    typed = said if said == "P" else said.lower()
    return next((key for key, word in names.items() if typed == word), typed)


def help_for(keys: Sequence[str], texts: Sequence[tuple[str, str]], paint: Paint, width: int | None) -> str:
    """What each of the answers does."""
    rows = []
    for key, text in texts:
        if key in keys:
            rows.append(textwrap.fill(f"{key} - {text}", _columns(width), subsequent_indent="    "))
    return "".join(f"{paint('bold blue', row[:1])}{row[1:]}\n" for row in rows)


def evidence(known: Known | None, paint: Paint, width: int | None) -> str:
    """All that reruns have shown of a fix."""
    if known is None:
        return "no rerun has checked this fix yet\n"
    facts = [shown_of(known), f"command: {known.evidence.command}"]
    environment = known.evidence.environment
    if environment is not None:
        by = f" (`{environment.interpreter}`)" if environment.interpreter is not None else ""
        facts.append(f"with Python {environment.python}{by}, jax {environment.jax}, jaxlib {environment.jaxlib}")
        facts.append(f"on {environment.device} ({environment.platform})")
    facts += [
        f"{entry.case}: {entry.verdict.value}, {figures(entry)}; {entry.reason}"
        for entry in known.evidence.comparisons
        if entry.case
    ]
    return "".join(_folded(printable(fact), "", paint, width) for fact in facts)


def progress(taken: int, refused: int, left: int) -> str:
    """Where a review stands, in words."""
    return f"{counted(taken, 'fix')} taken, {refused} refused, {left} open"


def _facts(entry: Candidate, *, is_own: bool) -> Iterator[tuple[str, str]]:
    yield entry.diagnostic.message, ""
    seen = entry.diagnostic.seen
    if seen is not None:
        yield f"seen: {seen_in_words(seen)}", "yellow"
    yield entry.fix.title, "bold"
    if is_own:
        yield "as you edited it: no rerun has checked it", "yellow"
        return
    if entry.known is not None:
        yield shown_of(entry.known), _style(entry.known)
    if entry.known is None or entry.known.when is not None:
        if entry.fix.safety is Safety.SAFE and not entry.fix.helpers:
            yield "safe: bitwise the same for every input", "green"
        else:
            yield _waiting(entry), "yellow"
    if entry.needs:
        yield f"goes with {counted(len(entry.needs), 'other fix')} of this file, which must be accepted too", "yellow"
    yield from ((_told(overlap), "yellow" if overlap.lost else "") for overlap in entry.overlaps)
    if entry.fix.helpers:
        names = ", ".join(f"`{name}`" for name in entry.fix.helpers)
        yield f"calls {names} of a generated helper file, written next to the code", ""


def _waiting(entry: Candidate) -> str:
    if entry.fix.safety is Safety.SAFE:
        return "safe by itself; only a rerun shows that the helper file can be imported"
    return f"needs a rerun: results {entry.fix.promise}"


def _style(known: Known) -> str:
    if known.expired:
        return "dim"
    if known.evidence.verdict in _GOOD:
        return "green"
    return "bold red" if known.evidence.verdict.is_refuted else "yellow"


def _told(overlap: Overlap) -> str:
    becomes = overlap.lost or "if both are taken, they are made one after the other"
    return f"changes the same place as `{overlap.id}`, line {overlap.line}: {becomes}"


def _folded(text: str, style: str, paint: Paint, width: int | None) -> str:
    body = textwrap.fill(
        printable(text),
        _columns(width),
        initial_indent="    ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "".join(f"{paint(style, line) if style else line}\n" for line in body.split("\n"))


def _columns(width: int | None) -> int:
    return max(width or _WIDTH, _NARROWEST)
