"""The results of proofs of many repositories. JSON, versioned."""

from dataclasses import field

from jaxfix.report.report import SCHEMA
from jaxfix.source.frozen import frozen


@frozen
class Repository:
    """One repository of a campaign.

    Attributes:
      commit: the analysed commit; None if unknown.
      failed: why it could not be analysed and run, in words; None if it was.
      found: findings.
      proven: fixes that runs have proven.
      safe: fixes that hold for every input, and need no run.
      refuted: fixes that runs speak against.
      compiles: of its program, or of what was driven, without and with what is proven.
      run_s: seconds of its program without fixes, and with those proven.
      seconds: how long all of it took: cloning, installing, proving.
      versions: `Python 3.11.7, jax 0.10.2, cpu`; None where nothing was run.
      diff: all fixes as a diff.
    """

    name: str
    commit: str | None = None
    failed: str | None = None
    found: int = 0
    proven: int = 0
    safe: int = 0
    refuted: int = 0
    compiles: tuple[int, ...] | None = None
    run_s: tuple[float, ...] | None = None
    seconds: float = 0.0
    versions: str | None = None
    diff: str = ""


@frozen
class Campaign:
    """All repositories, in the order of the list; `reused` were shown by an earlier campaign."""

    repositories: tuple[Repository, ...]
    reused: int = 0
    seconds: float = 0.0
    schema: int = field(default=SCHEMA)
