"""What the tools answer: small, structured, in pages where it may be long."""

from dataclasses import dataclass


@dataclass(frozen=True)  # the SDK takes slots for defaults
class Finding:
    """A line that costs, with the title of its `fix`, or why there is none."""

    path: str
    line: int
    id: str
    message: str
    confidence: str
    safety: str
    fix: str | None = None
    why_no_fix: str | None = None
    reason_code: str | None = None
    seconds: float | None = None
    cell: int | None = None


@dataclass(frozen=True)
class Checked:
    """A page of findings. `next_offset` is None on the last; `possible` says how many `everything` would add."""

    findings: list[Finding]
    total: int
    next_offset: int | None
    possible: int
    errors: list[str]


@dataclass(frozen=True)
class Upgraded:
    """What another version of jax makes of the project; `findings` is a page of its findings.

    Attributes:
      came_from: the version that the code was written for; None where that is unknown.
      raises_today: lines, as are `raises_at_the_target`, `warns` and `differs`.
      differs: what does something else from then on, without an error.
      renames: findings, as are `needs_evidence` and `by_hand`: what renames cure.
      needs_evidence: what other code cures, which a rerun has to prove.
      by_hand: what no rule rewrites.
    """

    came_from: str | None
    today: str | None
    to: str | None
    raises_today: int
    raises_at_the_target: int
    warns: int
    differs: int
    renames: int
    needs_evidence: int
    by_hand: int
    findings: list[Finding]
    total: int
    next_offset: int | None
    errors: list[str]


@dataclass(frozen=True)
class Row:
    """What one line compiled; `again` of its compiles were recompiles and took `lost_s` seconds."""

    where: str
    function: str
    program: str
    compiles: int
    again: int
    seconds: float
    lost_s: float
    cause: str | None


@dataclass(frozen=True)
class Traced:
    """A page of what a run compiled, the most expensive line first. `trace` names it for `check`."""

    trace: str
    rows: list[Row]
    total: int
    next_offset: int | None
    compiles: int
    again: int
    lost_s: float
    run_s: float
    exit_status: int
    output_tail: str


@dataclass(frozen=True)
class Fix:
    path: str
    id: str
    title: str
    safety: str


@dataclass(frozen=True)
class Held:
    """A fix that is not made, and why."""

    path: str
    id: str
    title: str
    reason: str
    reason_code: str


@dataclass(frozen=True)
class Proposed:
    """A diff of some of the `files`, for `git apply`; the next page begins at the file of number `next_offset`."""

    diff: str
    files: list[str]
    next_offset: int | None
    fixes: list[Fix]
    held: list[Held]
    errors: list[str]


@dataclass(frozen=True)
class Judged:
    """What a rerun says of one fix or one changed function."""

    path: str
    line: int
    what: str
    verdict: str
    reason: str
    compiles_before: int | None = None
    compiles_after: int | None = None
    per_step_before: int | None = None
    per_step_after: int | None = None


@dataclass(frozen=True)
class Proved:
    """The verdict of a rerun. `diff` is what it proved; `receipt` the file that has it all, to hand over."""

    proven: bool
    verdict: str
    reason: str
    judged: list[Judged]
    diff: str
    receipt: str | None
    command: str
    errors: list[str]


@dataclass(frozen=True)
class Receipt:
    when: str
    path: str
    line: int
    id: str
    verdict: str
    reason: str
    command: str
    expired: list[str]


@dataclass(frozen=True)
class Receipts:
    """A page of receipts."""

    receipts: list[Receipt]
    total: int
    next_offset: int | None
    errors: list[str]


@dataclass(frozen=True)
class Explained:
    """`text` is Markdown."""

    about: str
    kind: str
    text: str
