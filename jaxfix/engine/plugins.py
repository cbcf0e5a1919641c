"""Calls the code of packs: whatever it raises or returns is one bug, reported with its file and its codemod.

What neither returns nor raises is ended by who watches the time, or by the person: the interruption says where it was.
"""

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice

from jaxfix.report.finding import Confidence, Equality, Finding, Safety
from jaxfix.report.reason import Reason, is_code
from jaxfix.semantic.codemod import Codemod
from jaxfix.semantic.module import Module
from jaxfix.source.errors import BugError
from jaxfix.source.timeouts import Ended, Overtime, turn

MOST = 100_000
"""Findings of one codemod in one file; who has more has no end."""
_DEEP = 100
"""Levels of a tree that nobody needs a thousand frames for."""
_endless: dict[str, str] = {}
"""By the ids of codemods that did not come to an end in this process, what there is to say: they are called no more."""


class _EndlessError(BugError):
    """The code of a pack was interrupted."""


def findings(module: Module, codemod: Codemod) -> list[Finding]:
    """What the codemod finds in the module.

    Raises:
      BugError: it breaks, or yields what is not a finding in this module.
      RecursionError: the file is nested too deeply.
    """
    if codemod.id in _endless:
        raise BugError(_endless[codemod.id])
    place = f"{module.source.path}: codemod `{codemod.id}`"
    try:
        with blamed(f"{place} broke", module):
            found = list(islice(codemod.find(module), MOST + 1))
            problem = next(filter(None, (_problem(module, finding) for finding in found)), None)
    except _EndlessError as error:
        _endless[codemod.id] = f"{error}; `--ignore {codemod.id}` leaves it out"
        raise BugError(_endless[codemod.id]) from error
    if len(found) > MOST:
        problem = f"does not come to an end: it has more than {MOST:,} findings"
    if problem is not None:
        raise BugError(f"{place} {problem}")
    return found


@contextmanager
def blamed(place: str, module: Module) -> Iterator[None]:
    """Turns what the code of a pack raises into a bug at `place`.

    Raises:
      BugError: what was raised, described.
      RecursionError: the module is nested too deeply.
    """
    going_on = turn.set(object())
    try:
        yield
    except Overtime as error:
        raise _EndlessError(f"{place.removesuffix(' broke')} does not come to an end: {error}") from error
    except RecursionError as error:
        if is_deep(module.tree):
            raise
        raise BugError(f"{place}: RecursionError: it calls itself without end") from error
    except KeyboardInterrupt as error:
        error.add_note(place.removesuffix(" broke"))
        raise
    except Ended:
        raise
    except (Exception, SystemExit) as error:
        raise BugError(f"{place}: {described(error)}") from error
    finally:
        turn.reset(going_on)


def described(error: BaseException) -> str:
    """The kind of the error, and what it says if it can."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:
        return type(error).__name__


def endless(path: str) -> str:
    """The bug of a walk of our own over a file that is not deep."""
    return f"{path}: the analysis broke: RecursionError: it calls itself without end"


def is_deep(tree: ast.AST) -> bool:
    """Whether the tree has so many levels that calls for each of them can fill the stack."""
    level, depth = [tree], 0
    while level and depth <= _DEEP:
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        depth += 1
    return bool(level)


def _problem(module: Module, finding: object) -> str | None:
    """The error in a codemod's finding; None if there is none."""
    if not isinstance(finding, Finding):
        return f"yields {_kind(finding)}, which is not a `Finding`"
    if not isinstance(finding.at, ast.AST) or module.parent(finding.at) is None:
        return "has a finding at a node outside this file"
    if not isinstance(finding.at, ast.expr | ast.stmt) and not hasattr(finding.at, "lineno"):
        return f"has a finding at {_kind(finding.at)}, which has no place in the text"
    for name, kinds in _KINDS.items():
        if not isinstance(getattr(finding, name), kinds):
            return f"has a finding whose `{name}` is {_kind(getattr(finding, name))}"
    if finding.recipe is not None and not callable(finding.recipe):
        return "has a finding whose `recipe` cannot be called"
    if finding.declined is not None and not is_code(finding.declined.code):
        return f"has a finding whose reason has the code {finding.declined.code!r}, which is not spelled `like-this`"
    return None


_KINDS: dict[str, tuple[type, ...]] = {
    "message": (str,),
    "title": (str,),
    "declined": (Reason, type(None)),
    "confidence": (Confidence,),
    "safety": (Safety, type(None)),
    "equality": (Equality, type(None)),
    "deprecated": (bool,),
    "shows": (ast.AST, type(None)),
}


def _kind(value: object) -> str:
    return f"`{type(value).__name__}`" if value is not None else "`None`"
