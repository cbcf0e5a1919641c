"""Changes of results that were asked for are proven first; all other fixes are then compared with them made."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from jaxfix.drivers.workflow.reuse import Reuse
from jaxfix.evidence.program import ProgramRunner
from jaxfix.evidence.requested import Texts, granted
from jaxfix.evidence.reusing import Repeatable
from jaxfix.report.evidence import Evidence
from jaxfix.report.finding import Fix
from jaxfix.source.frozen import frozen

Candidate = tuple[str, Fix, int]
Keys = frozenset[tuple[str, str]]


@frozen
class Granting:
    """How a program is run for it.

    Attributes:
      runner: makes one that observes these functions; the second argument is whether it checks random keys.
      reuse: has it reuse what was run before.
      progress: told what is run next, in words.
      judged: called with each receipt.
    """

    runner: Callable[[Sequence[tuple[str, str]], bool], ProgramRunner]
    reuse: Callable[[Repeatable, Path], Reuse]
    progress: Callable[[str], None]
    judged: Callable[[Evidence], object]

    def granted(
        self, candidates: Sequence[Candidate], patched: Texts, root: Path
    ) -> tuple[tuple[Evidence, ...], Keys, tuple[str, ...]]:
        """The receipts of the candidates that change results, those that are proven, and what the runs have cost.

        Changes of one kind are judged together, with the proven ones of other kinds made in all runs.

        Raises:
          EvidenceError: the program cannot be run at all.
        """
        receipts: list[Evidence] = []
        notes: list[str] = []
        kept: Keys = frozenset()
        for mine in _by_kind(candidates):
            functions = sorted({(path, fix.function) for path, fix, _ in mine})
            plain, checked = (self.reuse(self.runner(functions, checks), root) for checks in (False, True))
            texts = _with(patched, kept)
            found = granted(mine, texts, plain.runner, checked.runner, self.progress, self.judged)
            receipts += found.receipts
            kept |= found.kept
            names = [(each.path, each.key) for each in found.receipts]
            notes += [words for each in (plain, checked) for words in each.notes(names)]
        return tuple(receipts), kept, tuple(notes)


def _by_kind(candidates: Iterable[Candidate]) -> list[list[Candidate]]:
    kinds: dict[object, list[Candidate]] = {}
    for candidate in candidates:
        kinds.setdefault(candidate[1].equality, []).append(candidate)
    return list(kinds.values())


def _with(patched: Texts, kept: Keys) -> Texts:
    def made(fixes: Keys, *, as_reference: bool = False) -> Mapping[str, bytes]:
        return patched(fixes | kept, as_reference=as_reference)

    return made
