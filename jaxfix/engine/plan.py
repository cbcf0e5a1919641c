"""From findings to one patch: cook the recipes, choose, apply, and again until nothing is left to do."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from jaxfix.core.errors import BugError, JaxfixError
from jaxfix.core.facts import ALONE, Surroundings
from jaxfix.core.finding import Codemod, Fix, Safety
from jaxfix.core.model import Module
from jaxfix.core.report import Held, Patch
from jaxfix.core.source import SourceFile
from jaxfix.core.text import Edit, apply_edits
from jaxfix.engine.analyze import Analysis, Found, analyze
from jaxfix.engine.check import objections, parses
from jaxfix.engine.choice import Chosen

ROUNDS = 10
"""Rounds that may leave as many fixes to make as there were."""
Accept = Callable[[Fix], str | None]


def plan(source: SourceFile, codemods: Sequence[Codemod], accept: Accept, surroundings: Surroundings = ALONE) -> Patch:
    """The patch that makes every fix that `accept` takes, as far as they go together.

    Args:
      accept: None to take a fix, else the reason why it is held.
      surroundings: what other files tell, and where generated helpers come from.

    Raises:
      SourceError: `source` is not valid Python.
      BugError: a recipe broke, or the fixes do not come to an end.
    """
    current = source
    applied: list[Fix] = []
    rounds: list[list[Fix]] = []
    fewest, vain = None, 0
    while vain < ROUNDS:
        made = {fix.key for fix in applied}
        fixes = cook(analyze(current, codemods, made=made, surroundings=surroundings))
        chosen, edits, held = _choose(fixes, codemods, accept, current)
        if not chosen:
            return Patch(source.path, source.raw, current.raw, tuple(applied), held)
        text = apply_edits(current.text, edits)
        if not parses(text):
            raise BugError(f"{source.path}: the fixes of {_names(chosen)} do not parse together")
        current = current.with_text(text)
        applied += chosen
        rounds.append(chosen)
        # Fixes inside one another need as many rounds as they are deep: only those that leave as many are in vain.
        vain = vain + 1 if fewest is not None and len(fixes) >= fewest else 0
        fewest = len(fixes) if fewest is None else min(fewest, len(fixes))
    endless = [fix for chosen in rounds[-ROUNDS:] for fix in chosen]
    raise BugError(f"{source.path}: the fixes of {_names(endless)} do not come to an end")


def cook(analysis: Analysis) -> tuple[Fix, ...]:
    """The fixes of all findings that have a recipe, in the order of the text.

    Raises:
      BugError: a recipe broke.
    """
    found = [found for found in analysis.found if found.finding.recipe is not None]
    fixes = [_cook(analysis.module, each) for each in found]
    problems = objections(analysis.module.source, [fix for fix in fixes if fix.lowered_because is None])
    return tuple(_lowered(fix, problems[fix.key]) if fix.key in problems else fix for fix in fixes)


def _cook(module: Module, found: Found) -> Fix:
    from jaxfix.rewrite.rewriter import EditRecorder  # loads LibCST: only now is something rewritten

    recorder = EditRecorder(module)
    assert found.finding.recipe is not None
    fix = Fix(
        key=found.key,
        codemod=found.codemod.id,
        title=found.finding.title,
        at=module.span(found.finding.at),
        edits=(),
        safety=found.safety,
        equality=found.finding.equality or found.codemod.equality,
        lowered_because=None,
        function=module.path(found.finding.at),
    )
    try:
        found.finding.recipe(recorder)
        edits = recorder.edits
    except JaxfixError as error:
        return _lowered(fix, error.message)
    except Exception as error:  # whatever a recipe raises is its bug, told with its place
        where = f"{module.source.path}:{module.source.lines.line(fix.at.start)}"
        raise BugError(f"{where}: the recipe of `{found.codemod.id}` broke: {type(error).__name__}: {error}") from error
    return replace(fix, edits=tuple(sorted(set(edits))), helpers=tuple(sorted(recorder.helpers)))


def _lowered(fix: Fix, reason: str) -> Fix:
    return replace(fix, edits=(), safety=Safety.DISPLAY_ONLY, lowered_because=reason)


def _choose(
    fixes: Iterable[Fix], codemods: Sequence[Codemod], accept: Accept, source: SourceFile
) -> tuple[list[Fix], tuple[Edit, ...], tuple[Held, ...]]:
    """Takes fixes in the order of codemods, then of the text; skips what overlaps one already taken."""
    rank = {codemod.id: index for index, codemod in enumerate(codemods)}
    taken = Chosen(source.text)
    chosen: list[Fix] = []
    held: list[Held] = []
    for fix in sorted(fixes, key=lambda fix: (rank[fix.codemod], fix.at)):
        reason = fix.lowered_because or accept(fix) or _conflict(fix, taken, source)
        if reason is None:
            chosen.append(fix)
        else:
            held.append(Held(fix, reason))
    return chosen, taken.edits, tuple(sorted(held, key=lambda h: h.fix.at))


def _conflict(fix: Fix, taken: Chosen, source: SourceFile) -> str | None:
    """Why `fix` does not go with what is taken; None if it does, and is taken."""
    other = taken.take(fix)
    return None if other is None else f"overlaps `{other.codemod}` at line {source.lines.line(other.at.start)}"


def _names(fixes: Iterable[Fix]) -> str:
    return ", ".join(sorted({f"`{fix.codemod}`" for fix in fixes}))
