"""From findings to one patch: cook the recipes, choose, apply, and again until nothing is left to do."""

import ast
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from jaxfix.engine import plugins
from jaxfix.engine.analyze import Analysis, Found, analyze
from jaxfix.engine.check import objections, parses
from jaxfix.engine.choice import Chosen
from jaxfix.engine.holding import surroundings_after
from jaxfix.report.finding import Confidence, Equality, Fix, Safety
from jaxfix.report.reason import Code, Reason
from jaxfix.report.report import Held, Patch
from jaxfix.semantic.codemod import Codemod
from jaxfix.semantic.module import Module
from jaxfix.semantic.project.surroundings import ALONE, Surroundings
from jaxfix.source.edits import Edit, Span
from jaxfix.source.errors import BugError, JaxfixError
from jaxfix.source.source_file import SourceFile

ROUNDS = 10
"""Rounds that may leave as many fixes to make as there were."""
Accept = Callable[[Fix], Reason | None]
Edited = Mapping[str, tuple[Edit, ...]]
"""What a person makes of some fixes instead, by their keys: edits of the unchanged file."""


def plan(
    source: SourceFile,
    codemods: Sequence[Codemod],
    accept: Accept,
    surroundings: Surroundings = ALONE,
    own: Edited = MappingProxyType({}),
) -> Patch:
    """The patch of all fixes accepted by `accept` that do not conflict.

    Args:
      accept: None to take a fix, else the reason why it is held.
      surroundings: what other files tell, and where generated helpers come from.
      own: takes the place of what the recipes say, and comes before all others.

    Raises:
      SourceError: `source` is not valid Python.
      BugError: a codemod or a recipe broke, or the fixes do not terminate.
    """
    return patched(source, codemods, accept, surroundings, own)[0]


def patched(
    source: SourceFile,
    codemods: Sequence[Codemod],
    accept: Accept,
    surroundings: Surroundings = ALONE,
    own: Edited = MappingProxyType({}),
) -> tuple[Patch, SourceFile]:
    """As `plan`, with the file that the patch makes: its bytes alone do not tell where its cells begin and end."""
    current = source
    applied: list[Fix] = []
    rounds: list[list[Fix]] = []
    fewest, vain = None, 0
    while vain < ROUNDS:
        made = {fix.key for fix in applied}
        analysis = analyze(current, codemods, made=made, surroundings=surroundings)
        if analysis.bugs:
            raise BugError(analysis.bugs[0])
        fixes = cook(analysis) if rounds else _with_own(cook(analysis), own)
        chosen, edits, held = _choose(fixes, codemods, accept, current, own)
        if not chosen:
            current = _tidied(current, {name for fix in applied for name in fix.frees}, surroundings)
            return Patch(source.path, source.raw, current.raw, tuple(applied), held), current
        following = current.edited(edits)
        if not parses(following.text):
            raise BugError(f"{source.path}: the fixes of {_names(chosen)} do not parse together")
        surroundings = surroundings_after(surroundings, current, following)
        current = following
        applied += chosen
        rounds.append(chosen)
        # Fixes inside one another need as many rounds as they are deep: only those that leave as many are useless.
        vain = vain + 1 if fewest is not None and len(fixes) >= fewest else 0
        fewest = len(fixes) if fewest is None else min(fewest, len(fixes))
    endless = [fix for chosen in rounds[-ROUNDS:] for fix in chosen]
    raise BugError(f"{source.path}: the fixes of {_names(endless)} do not terminate")


def _tidied(source: SourceFile, names: Collection[str], surroundings: Surroundings) -> SourceFile:
    """Without the imports of these names that nothing reads any more: fixes that go together took all that did."""
    if not names:
        return source
    from jaxfix.rewrite.rewriter import EditRecorder

    module = Module.parse(source, surroundings)
    recorder = EditRecorder(module)
    for statement in module.nodes(ast.Import, ast.ImportFrom):
        for alias in getattr(statement, "names", ()):
            if (alias.asname or alias.name) in names:
                recorder.remove_unread_import(alias)
    return source.edited(recorder.edits)


def cook(analysis: Analysis) -> tuple[Fix, ...]:
    """The fixes of all findings that are reported and have a recipe, in the order of the text.

    Raises:
      BugError: a recipe broke.
    """
    found = [found for found in analysis.told if found.finding.recipe is not None]
    fixes = [_cook(analysis.module, each) for each in found]
    source = analysis.module.source
    problems = objections(source, [fix for fix in fixes if fix.lowered_because is None])
    return tuple(_lowered(fix, problems[fix.key], source) if fix.key in problems else fix for fix in fixes)


def _cook(module: Module, found: Found) -> Fix:
    from jaxfix.rewrite.rewriter import EditRecorder  # loads LibCST: only now is something rewritten

    assert found.finding.recipe is not None
    fix = Fix(
        key=found.key,
        codemod=found.codemod.id,
        title=found.finding.title,
        at=module.span(found.finding.at),
        edits=(),
        safety=found.safety,
        equality=found.finding.equality or found.codemod.equality,
        proves=found.finding.proves or found.codemod.proves,
        lowered_because=None,
        function=module.path(found.finding.shows or found.finding.at),
        guess=found.finding.guess and found.confidence is Confidence.POSSIBLE,
        renames=found.finding.renames,
        raises=found.codemod.raises,
    )
    where = f"{module.source.path}:{module.source.lines.line(fix.at.start)}"
    refusal = None
    cooked = fix
    try:
        with plugins.blamed(f"{where}: the recipe of `{found.codemod.id}` broke", module):
            try:
                recorder = EditRecorder(module)
                found.finding.recipe(recorder)
                edits = tuple(sorted(set(recorder.edits)))
                helpers, frees = (tuple(sorted(names)) for names in (recorder.helpers, recorder.frees))
                cooked = replace(fix, edits=edits, helpers=helpers, frees=frees)
            except JaxfixError as error:
                refusal = error.message
    except RecursionError:
        refusal = "the file is nested too deeply to be rewritten"
    if refusal is not None:
        return _lowered(fix, refusal, module.source)
    return cooked


def _with_own(fixes: Sequence[Fix], own: Edited) -> tuple[Fix, ...]:
    return tuple(edited(fix, own[fix.key]) if fix.key in own else fix for fix in fixes)


def edited(fix: Fix, edits: tuple[Edit, ...]) -> Fix:
    """The fix as a person makes it: a rerun has to show that it is right, and it calls only the helpers it names."""
    helpers = tuple(name for name in fix.helpers if any(name in edit.text for edit in edits))
    equality = fix.equality or Equality.BITWISE
    safety = fix.safety if fix.safety is Safety.ON_REQUEST else Safety.NEEDS_EVIDENCE
    edited_fix = replace(fix, edits=edits, safety=safety, equality=equality, lowered_because=None, helpers=helpers)
    return replace(edited_fix, renames=False)


def _lowered(fix: Fix, problem: str, source: SourceFile) -> Fix:
    reason = Reason(Code.NOT_WRITABLE, source.placed(problem))
    return replace(fix, edits=(), safety=Safety.DISPLAY_ONLY, lowered_because=reason)


def _choose(
    fixes: Iterable[Fix], codemods: Sequence[Codemod], accept: Accept, source: SourceFile, own: Edited
) -> tuple[list[Fix], tuple[Edit, ...], tuple[Held, ...]]:
    """Takes a person's own, then the others in the order of codemods and the text; skips what overlaps one taken.

    Changes that were asked for come early: other fixes are compared with these made. Guesses come last: what another
    fix puts under `jit` needs none of them, but those that one waits for.
    """
    rank = {codemod.id: index for index, codemod in enumerate(codemods)}
    awaited = {earlier for codemod in codemods for earlier in codemod.after}
    fixes = tuple(fixes)
    nesting = [fix for fix in fixes if any(each.inner_first and each.id == fix.codemod for each in codemods)]

    def order(fix: Fix) -> tuple[bool, bool, bool, int, int, Span]:
        is_late = fix.guess and fix.codemod not in awaited
        inside = sum(
            _is_within(other, fix) for other in nesting if other.codemod == fix.codemod and accept(other) is None
        )
        return fix.key not in own, not fix.is_change, is_late, rank[fix.codemod], inside, fix.at

    taken = Chosen(source.text)
    chosen: list[Fix] = []
    held: list[Held] = []
    for fix in sorted(fixes, key=order):
        reason = fix.lowered_because or accept(fix) or _wait(fix, chosen, codemods) or _conflict(fix, taken, source)
        if reason is None:
            chosen.append(fix)
        else:
            held.append(Held(fix, reason))
    return chosen, taken.edits, tuple(sorted(held, key=lambda h: h.fix.at))


def _is_within(inner: Fix, outer: Fix) -> bool:
    """Whether all that one fix edits is in what another one does."""
    if inner is outer or not inner.edits or not outer.edits:
        return False
    (first, last), (start, end) = (
        (min(edit.span.start for edit in fix.edits), max(edit.span.end for edit in fix.edits)) for fix in (inner, outer)
    )
    return start <= first and last <= end


def _wait(fix: Fix, chosen: Sequence[Fix], codemods: Sequence[Codemod]) -> Reason | None:
    """What has to be made first, in this round; None if nothing."""
    earlier = {each for codemod in codemods if codemod.id == fix.codemod for each in codemod.after}
    first = next((other for other in chosen if other.codemod in earlier), None)
    return None if first is None else Reason(Code.WAITS, f"waits for `{first.codemod}`")


def _conflict(fix: Fix, taken: Chosen, source: SourceFile) -> Reason | None:
    """Why `fix` does not go with what is taken; None if it does, and is taken."""
    other = taken.take(fix)
    if other is None:
        return None
    line = source.lines.line(other.at.start)
    return Reason(Code.OVERLAPS, source.placed(f"overlaps `{other.codemod}` at line {line}"), line)


def _names(fixes: Iterable[Fix]) -> str:
    return ", ".join(sorted({f"`{fix.codemod}`" for fix in fixes}))
