"""What another version makes of a project, in ten lines at most."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from jaxfix.render.paint import Paint, counted
from jaxfix.report.oracle import Oracle
from jaxfix.report.report import Diagnostic
from jaxfix.report.upgrade import State, Version, line_count

_MOST = 10
_MOST_PLACES = 3


def text(state: State, paint: Paint) -> str:
    """The state of an upgrade: what raises, warns and differs, what is automatic, and what remains to do by hand."""
    lines = [*_lines(state, paint)]
    return "".join(f"{line}\n" for line in (*lines, *_left(state, _MOST - len(lines))))


def oracle(found: Oracle, period: Version | None, files: int, alike: Mapping[str, str]) -> str:
    """What the environment with the old jax says of the fixed program, in a line."""
    versions = f"jax {_named(period)}" if period is not None else "that Python"
    set_alike = f"; {', '.join(f'{name}={value}' for name, value in alike.items())} for both" if alike else ""
    how = f"as it is with {versions}, fixed in {counted(files, 'file')} today{set_alike}"
    return f"oracle  {found.answer.value}: {found.reason} ({how})\n"


def _lines(state: State, paint: Paint) -> Iterator[str]:
    yield paint("bold", _versions(state))
    if not state.findings:
        yield _nothing(state)
        return
    yield from _row("raises today", state.raises_today)
    yield from _row("raises at the target", state.raises_later)
    yield from _row("only warns", state.warns)
    yield from _row("differs silently", state.differs)
    at_once = len(state.safe) + len(state.renames)
    with_run = f", and {len(state.proving)} with a run that proves them (`--run CMD`)" if state.proving else ""
    yield f"{'automatic':<24}{at_once:>5}{with_run}"
    yield f"{'by hand':<24}{len(state.by_hand):>5}"
    if state.unread:
        yield f"{'not read':<24}{state.unread:>5} {'file' if state.unread == 1 else 'files'}"


def _nothing(state: State) -> str:
    if not state.files:
        unread = f"{counted(state.unread, 'file')} could not be read"
        return unread if state.unread else "no Python files to analyse"
    more = f"; {counted(state.unread, 'other')} could not be read" if state.unread else ""
    return f"nothing to do in {counted(state.files, 'file')}{more}"


def _left(state: State, room: int) -> Iterator[str]:
    """What a person does, then what differs, in at most `room` lines: of many, the most frequent."""
    hand, other = _groups(state.by_hand, _steps), _groups(state.differs, _other_meaning)
    room -= len(hand) + len(other) > room  # for the last line
    shown = [*hand[: max(room - bool(other), 0)], *other]
    for steps, places in shown[:room]:
        yield f"  {_places(places)}: {steps}"
    left = len(state.by_hand) + len(state.differs) - sum(len(places) for _, places in shown[:room])
    if left:
        yield f"  and {counted(left, 'place')} more: `jaxfix upgrade --output-format json`"


def _row(what: str, found: Sequence[Diagnostic]) -> Iterator[str]:
    if found:
        number, files = line_count(found), {each.path for each in found}
        yield f"{what:<24}{number:>5} {'line' if number == 1 else 'lines'} in {counted(len(files), 'file')}"


def _versions(state: State) -> str:
    came_from = f"jax {_named(state.came_from)} to " if state.came_from is not None else "upgrade to "
    to = f"jax {_named(state.to)}" if state.to is not None else "the newest jax"
    today = f"jax {_named(state.today)} is installed" if state.today is not None else "no jax is installed"
    return f"{came_from}{to}; {today}"


def _named(version: Version) -> str:
    return ".".join(map(str, version))


def _groups(
    found: Iterable[Diagnostic], told: Callable[[Diagnostic], tuple[str, str]]
) -> list[tuple[str, list[Diagnostic]]]:
    """The findings by what there is to do, the most frequent first.

    Args:
      told: what a finding is about, and the rest of its line; those that share the rest share a line.
    """
    groups: dict[str, list[Diagnostic]] = {}
    names: dict[str, list[str]] = {}
    for each in found:
        name, rest = told(each)
        groups.setdefault(rest, []).append(each)
        names.setdefault(rest, []).append(name)
    lines = [(f"{_listed(names[rest])}{rest}", places) for rest, places in groups.items()]
    return sorted(lines, key=lambda line: -len(line[1]))


def _steps(found: Diagnostic) -> tuple[str, str]:
    what = found.message.partition(" is ")[0].partition(" are ")[0]
    return "", f"{what}: {found.declined}" if found.declined is not None else what


def _other_meaning(found: Diagnostic) -> tuple[str, str]:
    """The function, and what it does since: many of `jax.random` do the same."""
    name, _, what = found.message.partition(", since")[0].partition("` ")
    return f"{name}`", f" {what}: {found.declined}"


def _listed(names: Iterable[str]) -> str:
    distinct = list(dict.fromkeys(names))
    shown = ", ".join(distinct[:_MOST_PLACES])
    more = f" and {len(distinct) - _MOST_PLACES} more" if len(distinct) > _MOST_PLACES else ""
    return f"each of {shown}{more}" if len(distinct) > 1 else shown


def _places(found: Sequence[Diagnostic]) -> str:
    shown = ", ".join(each.where for each in found[:_MOST_PLACES])
    return shown if len(found) <= _MOST_PLACES else f"{shown} and {len(found) - _MOST_PLACES} more"
