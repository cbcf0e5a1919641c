"""Command lines that are read without Typer, whose import takes longer than a look at a small project.

Only what `usage` spells out is read here, and only where nothing is wrong with it: all else is Typer's. A test holds
both against one another.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from jaxfix.drivers.cli import outcome
from jaxfix.drivers.cli.usage import CHECK

Command = Callable[[], int]


def read(words: Sequence[str]) -> dict[str, Any] | None:
    """The arguments of `checking` that stand behind `jaxfix check`; None where Typer has to read them."""
    given: dict[str, Any] = {}
    paths: list[str] = []
    left = iter(words)
    for word in left:
        if word == "--":
            paths += left
        elif word == "-" or not word.startswith("-"):
            paths.append(word)
        elif not _takes(word, left, given):
            return None
    return {**given, "paths": paths} if paths else given


def _takes(word: str, left: Iterator[str], given: dict[str, Any]) -> bool:
    """Whether the option `word` is understood; if so, `given` has it."""
    option, is_joined, value = word.partition("=")
    name, kind = CHECK.get(option, ("", None))
    if kind == "flag":
        given[name] = True
        return not is_joined
    if not is_joined:
        value = next(left, "-")
    if kind is None or value.startswith("-"):
        return False
    if kind == "many":
        given.setdefault(name, []).append(value)
        return True
    given[name] = value
    return kind == "one" or value in kind


def checking(
    paths: Sequence[str] | None = None,
    select: Sequence[str] | None = None,
    ignore: Sequence[str] | None = None,
    output_format: str = "text",
    output_file: str | None = None,
    stdin_filename: str | None = None,
    python: str | None = None,
    trace: str | None = None,
    all_: bool = False,
    statistics: bool = False,
    baseline: str | None = None,
    update_baseline: bool = False,
    no_baseline: bool = False,
    no_cache: bool = False,
    exit_zero: bool = False,
) -> Command:
    """What `jaxfix check` does with these options, named as the parameters of `app.check`."""
    from jaxfix.drivers.cli.baselines import Wish
    from jaxfix.drivers.cli.check import Manner, check
    from jaxfix.drivers.workflow.targets import Request

    request = Request(named(paths, trace), chosen(select), ids(ignore), stdin_filename, python, trace)
    wish = Wish(baseline, no_baseline, update_baseline)
    manner = Manner(output_format, output_file, all_, statistics, wish, cache=not no_cache)
    return partial(judged, exit_zero, partial(check, request, manner))


def judged(exit_zero: bool, command: Command) -> int:
    """The exit code of the command; with `--exit-zero` findings are no reason to fail."""
    code = command()
    return outcome.CLEAN if exit_zero and code == outcome.FINDINGS else code


def named(paths: Sequence[str] | None, trace: str | None) -> tuple[str, ...]:
    """What is looked at: by default everything here, or what was traced."""
    return tuple(paths or (["."] if trace is None else []))


def ids(options: Iterable[str] | None) -> tuple[str, ...]:
    """The ids that an option names, separated by commas or given again."""
    return tuple(name.strip() for option in options or () for name in option.split(",") if name.strip())


def chosen(options: Iterable[str] | None) -> tuple[str, ...] | None:
    """As `ids`; None where the option is not given."""
    return None if options is None else ids(options)
