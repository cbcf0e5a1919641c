"""What a finding says of a use of what is gone or going."""

from dataclasses import replace

from jaxfix.api import Confidence, Finding, Module, Proves
from jaxfix.api.library import Fate, Keyword, Method, Name, Positional
from jaxfix_codemods.removed_api.fates import fate, is_gone, package_of
from jaxfix_codemods.removed_api.guards import is_caught, is_given_back
from jaxfix_codemods.removed_api.types import is_never_run


def certain(
    module: Module, row: Name | Keyword | Positional | Method, found: Finding, *, is_same: bool = True
) -> Finding:
    """`found`, about `row`, with how certain it is; `is_same` says that the new code is the old one by another name.

    It is not safe for that: the line raises, or warns, and something else may take the error or the warning.
    """
    if is_gone(module, row) and is_never_run(module, found.at):
        return _of_unread(module, row, found, is_same=is_same)
    is_told, at = found.recipe is not None or is_gone(module, row), found.at
    return replace(
        found,
        confidence=Confidence.CERTAIN if is_told else Confidence.POSSIBLE,
        deprecated=True,
        proves=Proves.ERROR_CURED if is_gone(module, row) else Proves.SAME_RESULTS,
        fate=fate(module, row),
        renames=is_same and not is_caught(module, at) and not any(is_given_back(module, name) for name in _names(row)),
    )


def _of_unread(module: Module, row: Name | Keyword | Positional | Method, found: Finding, *, is_same: bool) -> Finding:
    """Of what Python never evaluates, and type checkers do: nothing raises."""
    return replace(
        found,
        message=found.message.replace(": the line raises", ", in what only type checkers read"),
        confidence=Confidence.CERTAIN if found.recipe is not None else Confidence.POSSIBLE,
        deprecated=True,
        proves=Proves.SAME_RESULTS,
        fate=Fate(package_of(row), warns=row.life.removed),
        renames=is_same,
    )


def _names(row: Name | Keyword | Positional | Method) -> tuple[str, ...]:
    """The names of a library that the row is about."""
    match row:
        case Name(old=name) | Keyword(function=name) | Positional(function=name):
            return (name,)
        case Method():
            return ()
