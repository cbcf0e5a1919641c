"""Findings whose fix a rerun has shown to gain nothing, in the very text that is there now."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from jaxfix.drivers import receipts
from jaxfix.drivers.workflow.targets import Target
from jaxfix.report.evidence import Verdict
from jaxfix.report.report import Diagnostic

_Told = dict[tuple[str, str], tuple[Verdict, str]]
"""By file and key the newest verdict, and the sha256 of the file that it holds for."""


def without_retired(found: Iterable[Diagnostic], targets: Iterable[Target]) -> tuple[Diagnostic, ...]:
    """Those that no receipt of their project retires, which has shown equal results and no gain."""
    return _Receipts(targets).left_of(found)


class _Receipts:
    def __init__(self, targets: Iterable[Target]) -> None:
        self._targets = {target.source.path: target for target in targets if target.path is not None}
        self._roots: dict[Path, Path | None] = {}
        self._known: dict[Path, _Told] = {}

    def left_of(self, found: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
        return tuple(each for each in found if not self._is_retired(each))

    def _is_retired(self, found: Diagnostic) -> bool:
        target = self._targets.get(found.path)
        root = self._root(target.path.parent) if target is not None and target.path is not None else None
        if target is None or target.path is None or root is None:
            return False
        if root not in self._known:
            self._known[root] = _told(root)
        verdict, sha256 = self._known[root].get((receipts.relative_to(root, target.path), found.key), (None, ""))
        return verdict is Verdict.NO_EFFECT and sha256 == hashlib.sha256(target.source.raw).hexdigest()

    def _root(self, folder: Path) -> Path | None:
        if folder not in self._roots:
            self._roots[folder] = receipts.root_above(folder)
        return self._roots[folder]


def _told(root: Path) -> _Told:
    told: _Told = {}
    for batch in receipts.batches(root)[0]:
        for receipt in batch.receipts:
            sha256 = receipt.after_sha256 or receipt.evidence.source_sha256
            told.setdefault((receipt.file, receipt.evidence.key), (receipt.evidence.verdict, sha256))
    return told
