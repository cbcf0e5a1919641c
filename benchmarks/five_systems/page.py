"""The five systems as a page."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.five_systems.systems import Case, System, Variant
from benchmarks.five_systems.workshop import Repair, Run, difference

COLUMNS = (
    *("case", "code", "compiles, step 1", "step 2", "each later step"),
    *("RSS per step, MB", "peak, MB", "ms per step", "results"),
)


@dataclass(frozen=True, slots=True)
class Measured:
    """A system with all its runs, by the names of variant and case, and what jaxfix did to the repaired variants."""

    system: System
    runs: Mapping[tuple[str, str], Run]
    repairs: Mapping[str, Repair]

    def run(self, variant: Variant, case: Case) -> Run:
        return self.runs[variant.name, case.name]


def lines(measured: Sequence[Measured], where: str) -> Iterator[str]:
    yield "# The five systems"
    yield ""
    yield (
        "Written by `python -m benchmarks.five_systems`; `pytest -m slow tests/upstream` asserts the counts. Five bugs "
        "that people reported, in the code that had them: as it was, as upstream or a person mended it, and as "
        "`jaxfix apply` leaves it. Each run is a process of its own, without a persistent compilation cache. A step is "
        "a line that the program prints. Compiles are exact; memory and milliseconds are one run on a shared machine."
    )
    yield ""
    yield where
    for entry in measured:
        yield ""
        yield from _system(entry)


def _system(measured: Measured) -> Iterator[str]:
    system = measured.system
    yield f"## {system.key}. {system.title}"
    yield ""
    yield f"{system.told} ({system.source})"
    yield ""
    yield f"| {' | '.join(COLUMNS)} |"
    yield "|---" * len(COLUMNS) + "|"
    for case in system.cases:
        for variant in system.variants:
            yield f"| {case.name} | {variant.name} | " + " | ".join(_cells(measured, variant, case)) + " |"
    yield ""
    for variant in system.variants:
        if variant.name in measured.repairs:
            yield f"* {variant.name}: {_repaired(measured.repairs[variant.name])}"


def _cells(measured: Measured, variant: Variant, case: Case) -> Iterator[str]:
    run = measured.run(variant, case)
    if run.failure is not None:
        yield from ("", "", "", "", "", "", f"**{_short(run.failure)}**")
        return
    first = run.steps[0] if run.steps else 0
    yield from (str(first), str(run.second), f"**{run.steady}**") if case.printed else (str(first), "", "")
    yield f"{run.rss_bytes / 1e6:.2f}" if case.printed else ""
    yield f"{run.peak_bytes / 1e6:.0f}"
    yield f"{run.ms:.1f}" if case.printed else ""
    yield _results(measured, variant, case)


def _results(measured: Measured, variant: Variant, case: Case) -> str:
    if variant.of is None:
        return ""
    other = measured.runs[variant.of, case.name]
    if other.failure is not None:
        return "runs now"
    away = difference(measured.run(variant, case), other)
    if away == 0:
        return "every digit the same"
    said = "not comparable" if away is None else f"within {away:.1e}"
    jitted = measured.runs.get((variant.of, "jit")) if case.name == "eager" else None
    near = difference(measured.run(variant, case), jitted) if jitted is not None and jitted.failure is None else None
    return said if near is None else f"{said}; {'every digit' if near == 0 else f'within {near:.1e}'} of the jitted one"


def _repaired(repair: Repair) -> str:
    fixes = ", ".join(f"{number} `{name}`" for name, number in sorted(repair.fixes.items())) or "no fix"
    held = "; ".join(f"{number} held: {reason}" for reason, number in sorted(repair.held.items()))
    return ". ".join(part for part in (fixes, held, repair.said) if part)


def _short(failure: str) -> str:
    return failure.splitlines()[0].replace("|", "\\|")[:120]
