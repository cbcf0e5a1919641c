"""The fourth system as a page: what a run costs in three states of the script, and what became of each mistake."""

import platform
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import jax

_NUMBER = re.compile(r"[-+]?\d+\.\d+(?:e[-+]?\d+)?")
_NAMES = ("as written", "by hand", "jaxfix")
CHANGES = ("--ragged", "pad", "--goal", "memory")
"""The options that such a script needs: these fixes are made on request alone."""
DECIDED_BY_A_RUN = "unrolled-loop"
"""What is not written without a run, as how often the loop runs is a shape."""
MISTAKES = (
    (
        "the update does not donate its state",
        ("undonated-state",),
        "the state is too small for a run to show less memory",
    ),
    (
        "a Python loop over time, unrolled by each trace",
        ("unrolled-loop",),
        "how often it runs is a shape, which a run knows",
    ),
    ("a Python loop over rows, stacked", ("mapped-loop", "unjitted-update"), ""),
    ("what the gradient keeps of each iteration is never recomputed", ("remat-scan",), "asked for by `--goal memory`"),
    ("`pmap`, `pjit`", ("legacy-parallelism",), ""),
    ("the loss and its gradient computed apart", ("separate-value-and-grad",), ""),
    (
        "batches of their own length, and a shorter last one",
        ("ragged-shape", "ragged-batch"),
        "asked for by `--ragged drop` or `--ragged pad`",
    ),
    ("the loss read at each step", ("host-sync",), "each step prints it: its value is needed there"),
    ("an array of losses that grows", ("growing-array",), ""),
    (
        "a mean of what a mask selects",
        ("boolean-mask",),
        "",
    ),
)
"""What is wrong with the script, the codemods that are about it, and why they may find nothing in its text."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one run of a script cost.

    Attributes:
      operations: of all compiled programs together, a loop counted once.
      temporary_bytes: of the compiled program that needs most.
      ms: of a step, over the later half of the epochs, the evaluation included.
      printed: the numbers that were printed, in order.
    """

    compiles: int
    operations: int
    tracing_s: float
    lowering_s: float
    compiling_s: float
    ms: float
    peak_bytes: int
    temporary_bytes: int
    printed: tuple[str, ...]

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> "Cost":
        """From what `measure` has written.

        Raises:
          RuntimeError: the script failed.
        """
        if found["failure"] is not None:
            raise RuntimeError(found["failure"])
        seconds, lines = found["seconds"], found["lines"]
        return cls(
            len(found["compiled"]),
            found["operations"],
            *(seconds.get(stage, 0.0) for stage in ("tracing", "lowering", "compiling")),
            _ms(lines),
            found["peak"],
            found["temporary_bytes"],
            tuple(number for line in lines for number in _NUMBER.findall(line["text"].partition(":")[2])),
        )

    @classmethod
    def least(cls, several: Sequence["Cost"]) -> "Cost":
        """What the fastest of several runs of one script took, each figure by itself; counts are those of all."""
        first = several[0]
        assert all(each.compiles == first.compiles and each.operations == first.operations for each in several)
        timed = ("tracing_s", "lowering_s", "compiling_s", "ms", "peak_bytes")
        return replace(first, **{name: min(getattr(each, name) for each in several) for name in timed})


def _ms(lines: Sequence[Mapping[str, Any]]) -> float:
    ends = [number for number, line in enumerate(lines) if line["text"].startswith("epoch")]
    first, last = ends[len(ends) // 2 - 1], ends[-1]
    steps = sum(line["text"].startswith("step") for line in lines[first:last])
    return 1000 * (lines[last]["time"] - lines[first]["time"]) / steps


def lines(
    costs: Sequence[Cost], documents: Sequence[Mapping[str, Any]], change: Sequence[str], *, is_unproven: bool
) -> Iterator[str]:
    yield "# The fourth system"
    yield ""
    yield (
        f"Written by `python -m benchmarks.fourth_system{' --unproven' if is_unproven else ''}`. "
        "A training script with the mistakes that the second table "
        "names: as written, as a JAX developer repairs it (before jaxfix was tried on it), and as "
        f"{_how(is_unproven=is_unproven)} leaves it. Each run is a process of its own, without a persistent "
        "compilation cache. Counts and bytes of programs are exact; seconds and resident memory are the least of nine "
        "runs that take turns, of the script as written those of one: the machine is shared."
    )
    yield ""
    yield f"jax {jax.__version__}; Python {platform.python_version()}, {jax.devices()[0].device_kind}."
    yield ""
    yield f"| | {' | '.join(_NAMES)} | jaxfix / by hand |"
    yield "|---|---|---|---|---|"
    for name, show, get in _ROWS:
        values = [get(cost) for cost in costs]
        ratio = f"{values[2] / values[1]:.2f}" if values[1] else ""
        yield f"| {name} | {' | '.join(show.format(value) for value in values)} | {ratio} |"
    yield f"| values | | {' | '.join(_compared(cost, costs[0]) for cost in costs[1:])} | |"
    yield ""
    yield "## What became of each mistake"
    yield ""
    yield "| mistake | codemod | outcome |"
    yield "|---|---|---|"
    for mistake, codemods, why in MISTAKES:
        outcome = "; ".join(_outcomes(documents, codemods)) or f"not found: {why}"
        yield f"| {mistake} | {', '.join(f'`{each}`' for each in codemods)} | {outcome} |"
    yield ""
    yield "## What jaxfix wrote"
    yield ""
    yield from ("```diff", *change, "```")


_ROWS = (
    ("compiles", "{:,}", lambda cost: cost.compiles),
    ("operations compiled", "{:,}", lambda cost: cost.operations),
    ("tracing, s", "{:.2f}", lambda cost: cost.tracing_s),
    ("lowering, s", "{:.2f}", lambda cost: cost.lowering_s),
    ("compiling, s", "{:.2f}", lambda cost: cost.compiling_s),
    ("a step, ms", "{:.1f}", lambda cost: cost.ms),
    ("peak resident, MB", "{:.0f}", lambda cost: cost.peak_bytes / 1e6),
    ("temporaries of the largest program, MB", "{:.2f}", lambda cost: cost.temporary_bytes / 1e6),
)


def _compared(cost: Cost, other: Cost) -> str:
    if cost.printed == other.printed:
        return f"all {len(cost.printed)} the same, as printed"
    if len(cost.printed) != len(other.printed):
        return "not comparable"
    pairs = [(float(a), float(b)) for a, b in zip(cost.printed, other.printed, strict=True)]
    return f"within {max(abs(a - b) / max(abs(b), 1.0) for a, b in pairs):.1e}"


def _how(*, is_unproven: bool) -> str:
    asked = " ".join(CHANGES)
    if not is_unproven:
        return f"`jaxfix apply {asked} --run`"
    return (
        f"`jaxfix apply --select {DECIDED_BY_A_RUN} --run`, and then, without a rerun of all that together, "
        f"`jaxfix apply {asked} --unproven`"
    )


def _outcomes(documents: Sequence[Mapping[str, Any]], codemods: Sequence[str]) -> Iterator[str]:
    """What became of the findings of some codemods: what was fixed, or why the last call did not."""
    fixed = [
        f"fixed by `{each['id']}`" for document in documents for each in document["fixes"] if each["id"] in codemods
    ]
    last = documents[-1]
    held = [f"held: {each['reason']}" for each in last["held"] if each["id"] in codemods]
    told = [f"reported: {each['declined']}" for each in last["findings"] if each["id"] in codemods and each["declined"]]
    yield from dict.fromkeys([*fixed, *held, *told])
