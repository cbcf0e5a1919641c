"""Findings as lines that a terminal, an editor and a person can follow."""

from collections import Counter
from collections.abc import Iterable, Sequence

from jaxfix.render.estimate import dearest_first, estimated
from jaxfix.render.paint import Paint, counted, named, plain, printable
from jaxfix.render.seen import seen_in_words
from jaxfix.report.report import Diagnostic, Held
from jaxfix.source.edits import shown_place

_INDENT = " " * 4
_ESTIMATED = (
    "sorted by an estimate of cost (what recompiles, in how many loops): `jaxfix trace -- python PROGRAM` measures it"
)


def findings(diagnostics: Iterable[Diagnostic], paint: Paint, width: int | None = None) -> str:
    """One line each, `path:line:column: id [*] message`; `[*]` where `jaxfix apply` has a fix.

    What does not fit into `width` columns goes on, indented.

    First comes what a trace has seen, then what is certain, then what is possible; of each the most expensive first,
    by measure or by estimate.
    """
    ordered = sorted(diagnostics, key=dearest_first)
    return "".join(f"{_folded(diagnostic, paint, width)}\n" for diagnostic in ordered)


def held(place: str, entry: Held, reason: str | None, paint: Paint) -> str:
    """One line that says why a fix is not written, as far as `reason` is not given for many at once."""
    told = f"{paint('yellow', 'held')}  {entry.fix.codemod}  {paint('bold', named(place))}"
    return f"{told}  {reason}\n" if reason else f"{told}\n"


def held_together(number: int, reason: str, paint: Paint) -> str:
    """The one line that says why each of several fixes above it is not written."""
    return f"{paint('yellow', 'held')}  {'both' if number == 2 else f'these {number}'}: {reason}\n"


def statistics(diagnostics: Iterable[Diagnostic], paint: Paint) -> str:
    """How many findings each codemod has, the most first."""
    numbers = Counter((diagnostic.id, diagnostic.fixable) for diagnostic in diagnostics)
    rows = sorted(numbers.items(), key=lambda row: (-row[1], row[0]))
    width = max((len(str(number)) for _, number in rows), default=0)
    return "".join(
        f"{number:>{width}}  {paint('bold red', name)}{' ' + paint('cyan', '[*]') if fixable else ''}\n"
        for (name, fixable), number in rows
    )


def stale(place: str, message: str, paint: Paint) -> str:
    """One line about an entry of a baseline of which nothing is found any more."""
    return f"{paint('bold', place)}: {paint('bold red', 'stale')} {printable(message)}\n"


def check_summary(
    diagnostics: Sequence[Diagnostic],
    files: int,
    paint: Paint,
    *,
    not_shown: int = 0,
    is_compared: bool = False,
    is_listed: bool = False,
    proof: str = "jaxfix apply --run CMD",
) -> str:
    """What `check` found, in one line; another says of how many possible findings nothing is shown.

    Args:
      is_compared: whether findings that a baseline knows are left out.
      is_listed: whether the findings are printed beside it, the most expensive first.
      proof: the command that proves the fixes which need a rerun.
    """
    if not files:
        return "no Python files to analyse\n"
    noun = "new finding" if is_compared else "finding"
    summary = _check_summary(diagnostics, files, paint, noun, proof)
    summary += _not_shown(not_shown, paint) if not_shown else ""
    return summary + (note(_ESTIMATED, paint) if is_listed and _is_sorted_by_estimate(diagnostics) else "")


def _is_sorted_by_estimate(diagnostics: Sequence[Diagnostic]) -> bool:
    return not any(each.seen for each in diagnostics) and len({estimated(each) for each in diagnostics}) > 1


def _check_summary(diagnostics: Sequence[Diagnostic], files: int, paint: Paint, noun: str, proof: str) -> str:
    if not diagnostics:
        return f"{paint('green', f'no {noun}s')} in {counted(files, 'file')}\n"
    places = len({diagnostic.path for diagnostic in diagnostics})
    where = counted(files, "file") if places == files else f"{places} of {counted(files, 'file')}"
    told = f"{paint('bold', counted(len(diagnostics), noun))} in {where}"
    return f"{told}; {_fixable(diagnostics, proof)}\n"


def _fixable(diagnostics: Sequence[Diagnostic], proof: str) -> str:
    """How many have a fix, and the command that writes it."""
    fixable = [diagnostic.safety.waits for diagnostic in diagnostics if diagnostic.fixable]
    waiting = sum(fixable)
    if not fixable:
        return "none fixable"
    if not waiting:
        return f"[*] {len(fixable)} fixable with `jaxfix apply`"
    some = "" if waiting == len(fixable) else f", {waiting} of them"
    return f"[*] {len(fixable)} fixable{some} after a rerun: `{proof}`"


def _not_shown(number: int, paint: Paint) -> str:
    verb = "depends" if number == 1 else "depend"
    return note(f"{counted(number, 'possible finding')} {verb} on how the code is called: `--all` shows them", paint)


def apply_summary(
    fixed: int, gone: int, made: int, held: int, remaining: Sequence[Diagnostic], where: str, paint: Paint
) -> str:
    """The result of an `apply`: `remaining` is what a second check found, `where` says what became of the fixes.

    Args:
      fixed: findings that their fixes have removed.
      gone: findings that others have removed with their lines.
      made: fixes, of which some may leave a part of their finding.
    """
    if not (fixed or made or held or remaining):
        return f"{paint('green', 'no findings')}\n"
    done = f"{counted(fixed, 'finding')} fixed" if fixed else f"{counted(made, 'fix')} made, of a part"
    done += f", {gone} gone with {'it' if max(fixed, 1) == 1 else 'them'}" if gone else ""
    parts = [paint("green", f"{done}{where}") if fixed or made else "nothing fixed"]
    if held:
        parts.append(paint("yellow", f"{counted(held, 'fix')} held"))
    unfixable = sum(not diagnostic.fixable for diagnostic in remaining)
    parts.append(f"{counted(len(remaining), 'finding')} remain" + ("s" if len(remaining) == 1 else ""))
    if unfixable:
        parts[-1] += f", {unfixable} without a fix"
    return f"{'; '.join(parts)}\n"


def error(message: str, paint: Paint) -> str:
    """One line for stderr."""
    return f"{paint('bold red', 'error')}: {printable(message)}\n"


def note(message: str, paint: Paint) -> str:
    """One line for stderr that announces something."""
    return f"{paint('bold cyan', 'note')}: {printable(message)}\n"


def _folded(diagnostic: Diagnostic, paint: Paint, width: int | None) -> str:
    line = _finding(diagnostic, plain)
    if width is None or len(line) <= width:
        return _finding(diagnostic, paint)
    import textwrap  # only a terminal needs it

    # Words are kept whole, so that only their colours are lost where a line ends.
    lines = textwrap.wrap(line, width, subsequent_indent=_INDENT, break_long_words=False, break_on_hyphens=False)
    place = lines[0].partition(": ")[0].removesuffix(":")
    lines[0] = paint("bold", place) + lines[0][len(place) :]
    return "\n".join(lines).replace(f" {diagnostic.id}", f" {paint('bold red', diagnostic.id)}", 1)


def _finding(diagnostic: Diagnostic, paint: Paint) -> str:
    place = shown_place(named(diagnostic.path), diagnostic.cell, diagnostic.line)
    place = paint("bold", f"{place}:{diagnostic.column}")
    star = f" {paint('cyan', '[*]')}" if diagnostic.fixable else ""
    declined = f" (no fix: {diagnostic.declined})" if diagnostic.declined else ""
    told = printable(f"{diagnostic.message}{declined}")  # a trace may be a stranger's
    return f"{place}: {paint('bold red', diagnostic.id)}{star} {told}{_seen(diagnostic, paint)}{_unsure(diagnostic)}"


def _unsure(diagnostic: Diagnostic) -> str:
    return f"; certain if {printable(diagnostic.certain_if)}" if diagnostic.certain_if else ""


def _seen(diagnostic: Diagnostic, paint: Paint) -> str:
    if diagnostic.seen is None:
        return ""
    return f"; {paint('yellow', f'seen: {seen_in_words(diagnostic.seen)}')}"
