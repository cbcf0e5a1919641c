"""The parts of the page: what each judges, how, and which sources decide that."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from benchmarks.prover.judging import OWN, Trial, judge, trials
from benchmarks.rounding import judging as rounding
from benchmarks.rounding.others import others
from benchmarks.rounding.programs import Rewrite, rewrites
from benchmarks.safe import doubts
from benchmarks.safe.shards import judged_shard, ranges
from benchmarks.safe.strangers import sets, tried
from jaxfix.report.wire import to_json

RUNS = ((1, 0, 2000), (2, 600, 600), (7, 0, 1500))
"""Seeds of random programs, the first of each, and how many."""
_JUDGED = ("jaxfix", "codemods")
_NOT_SAFE = tuple(f"jaxfix/{room}/" for room in ("evidence", "render", "drivers/lsp", "drivers/review"))
"""Rooms that no SAFE fix depends on."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the page.

    Attributes:
      names: of what is judged.
      judge: what comes of one of them, as JSON.
      decided_by: the folders whose sources decide that, and the beginnings of paths in them that do not.
    """

    name: str
    names: Callable[[], list[str]]
    judge: Callable[[str], dict[str, Any]]
    decided_by: tuple[tuple[str, ...], tuple[str, ...]]


@cache
def rounded() -> dict[str, Rewrite]:
    return {rewrite.name: rewrite for rewrite in (*rewrites(), *others())}


@cache
def tried_by_prover() -> dict[str, Trial]:
    """By kind and name, as some names are there with two programs; traps with their own program last."""
    order = (
        "right, our own",
        "our own, of ordinary Python",
        "right, by further hands",
        "by further hands",
        "right, written after",
        "written after",
        "right",
        "plain",
        "silent",
        "own",
    )

    def rank(trial: Trial) -> tuple[bool, int]:
        return trial.program == OWN, order.index(trial.kind) if trial.kind in order else 2

    return {f"{trial.kind}/{trial.name}": trial for trial in sorted(trials(), key=rank)}


def _judge_rounded(name: str) -> dict[str, Any]:
    found = rounding.judge(rounded()[name])
    shown = ("verdict", "reason", "equality", "multiple", "device", "level")
    return {field: to_json(getattr(found, field)) for field in shown}


def _judge_trial(name: str) -> dict[str, Any]:
    return _json(judge(tried_by_prover()[name]))


def _judge_shard(name: str) -> dict[str, Any]:
    return _json(judged_shard(name))


def _judge_stranger(name: str) -> dict[str, Any]:
    found = tried(name)
    return {"name": name, "is_fixed": found.is_fixed, "exempt": found.exempt, "is_told": found.is_told}


def _json(found: object) -> dict[str, Any]:
    return cast(dict[str, Any], to_json(found))  # of a dataclass it is one


def _shards() -> list[str]:
    every = [each for run in RUNS for each in ranges(*run)]
    return [f"{seed}/{numbers.start}/{len(numbers)}" for seed, numbers in every]


def _strangers() -> list[str]:
    return [name for programs in sets().values() for name in programs]


PARTS = (
    Part("rounding", lambda: list(rounded()), _judge_rounded, ((*_JUDGED, "benchmarks/rounding"), ())),
    Part("prover", lambda: list(tried_by_prover()), _judge_trial, ((*_JUDGED, "benchmarks/prover", "golden"), ())),
    Part("safe", _shards, _judge_shard, ((*_JUDGED, "benchmarks/safe"), _NOT_SAFE)),
    Part("fixes", lambda: list(doubts.programs()), doubts.tried, ((*_JUDGED, "benchmarks/safe"), ())),
    Part("strangers", _strangers, _judge_stranger, ((*_JUDGED, "benchmarks/safe"), _NOT_SAFE)),
)


def judged(work: tuple[str, str]) -> dict[str, Any]:
    """What comes of one name of the part that is named first."""
    name, item = work
    return next(part for part in PARTS if part.name == name).judge(item)
