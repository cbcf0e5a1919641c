"""Collects what a report adds to its findings: paths, pages of codemods, remedies, proofs."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from jaxfix import __version__, docs
from jaxfix.drivers import files
from jaxfix.drivers import receipts as kept
from jaxfix.drivers.workflow.looking import analysed, from_here
from jaxfix.drivers.workflow.recording import Settings, today, without_tricks
from jaxfix.drivers.workflow.targets import Target
from jaxfix.drivers.workflow.watching import Watcher
from jaxfix.engine.plan import cook
from jaxfix.render.account import Account, Key, Known, Rule, Source
from jaxfix.render.paint import printable
from jaxfix.report.finding import Fix
from jaxfix.semantic.codemod import Codemod
from jaxfix.source.errors import BugError, UserError

_UNNAMED = "<stdin>"


def placed(account: Account, targets: Sequence[Target]) -> Account:
    """The account with all that is known of the targets without looking at them again."""
    root, report = _root(targets), account.report
    paths = {*(entry.path for entry in report.findings), *(entry.path for entry in report.patches)}
    return replace(
        account,
        report=from_here(report),
        root=root.as_posix(),
        version=__version__,
        here=_here(root),
        sources={files.relative(t.source.path): _source(t, root) for t in targets if t.source.path in paths},
        rules=rules(codemod for target in targets for codemod in target.codemods),
    )


def cured(account: Account, targets: Sequence[Target], watcher: Watcher) -> Account:
    """The account, which is placed, with the fixes of its findings and with what former reruns have shown of them.

    Args:
      targets: all that is analysed, each with answers about the others, which its fix may depend on.
    """
    fixable = {finding.path for finding in account.report.findings if finding.fixable}
    fixes: dict[Key, Fix] = {}
    bugs: list[str] = []
    with watcher.progress("making fixes", len(fixable)) as advance:
        for target in targets:
            path = files.relative(target.source.path)
            if path in fixable:
                try:
                    fixes |= {(path, fix.key): fix for fix in cook(analysed(target))}
                except BugError as error:
                    bugs.append(str(error))
                advance(target.source.path)
    receipts = {**remembered(targets), **account.receipts}
    return replace(account, fixes=fixes, receipts=receipts, bugs=tuple(dict.fromkeys((*account.bugs, *bugs))))


def remembered(targets: Sequence[Target]) -> Mapping[Key, Known]:
    """What former reruns have shown of fixes in the targets, the newest of each."""
    root = kept.root_above(_root(targets)) or kept.root_above(files.resolved(Path.cwd()))
    if root is None:
        return {}
    settings = Settings(root)
    found: dict[Key, Known] = {}
    paths = {files.resolved(target.path): target.source.path for target in targets if target.path is not None}
    for batch in kept.batches(root)[0]:
        for entry in batch.receipts:
            path = paths.get(files.resolved(root / entry.file))
            key = (files.relative(path or ""), entry.evidence.key)
            if path is not None and key not in found:
                expired = tuple(map(printable, kept.reasons(entry, today(entry, root, settings))))
                found[key] = Known(without_tricks(entry.evidence), printable(batch.when), expired)
    return found


def rules(codemods: Iterable[Codemod]) -> tuple[Rule, ...]:
    """The codemods as they are reported, by id."""
    by_id = {codemod.id: codemod for codemod in codemods}
    return tuple(_rule(by_id[name]) for name in sorted(by_id))


def _rule(codemod: Codemod) -> Rule:
    page = docs.page(codemod)
    address = re.search(r"https?://[^\s>)\]]+", page.source)
    return Rule(
        id=codemod.id,
        summary=page.summary,
        why=page.why,
        help=docs.markdown(codemod, page),
        safety=codemod.safety,
        url=None if address is None else address[0].rstrip(".,;"),
    )


def _root(targets: Sequence[Target]) -> Path:
    """Where paths start: at the repository that jaxfix runs in, or at that of the files if none of them is there."""
    here = files.resolved(Path.cwd())
    start = files.project_root(here)
    own = [files.resolved(target.path) for target in targets if target.path is not None and target.module is None]
    if start is not None and (not own or any(path.is_relative_to(start) for path in own)):
        return start
    try:
        common = files.common_folder(own) if own else here
    except UserError:  # on several drives
        return start or here
    return files.project_root(common) or (here if common.is_relative_to(here) else common)


def _here(root: Path) -> str:
    here = files.resolved(Path.cwd())
    inside = here.relative_to(root).as_posix() if here.is_relative_to(root) else "."
    return "" if inside == "." else f"{inside}/"


def _source(target: Target, root: Path) -> Source:
    name = target.source.path
    if target.path is None and name == _UNNAMED:
        return Source(target.source, None, None)
    real = files.resolved(target.path if target.path is not None else Path(name))
    inside = real.relative_to(root).as_posix() if target.module is None and real.is_relative_to(root) else None
    return Source(target.source, inside, Path(os.path.abspath(real)).as_posix())
