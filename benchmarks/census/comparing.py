"""The optimizers that a rewrite reaches, as shipped and repaired in turns: what they return, and what a step takes."""

import ast
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from jaxfix.evidence.outputs import JIT_TOLERANCE, Allowed, Likeness, likeness, outputs_alike
from jaxfix.report.measurement import Measurement

ROUNDS, MOST_ROUNDS = 2, 8
"""How often both sides are run, and how often a case is that seems slower: what else the machine does only adds."""
SLOWER_RATIO, SLOWER_MS = 1.1, 0.1
"""A step is slower that takes this many times as long, and this much longer."""
SAME = "every bit"


@dataclass(frozen=True, slots=True)
class Compared:
    """One case on both sides, run in turns: the fastest steady step of all rounds, in milliseconds.

    Attributes:
      results: how the repaired results compare with the original ones, in words.
      agrees: whether they are as they should be.
    """

    case: str
    before_ms: float
    after_ms: float
    results: str
    agrees: bool

    @property
    def ratio(self) -> float:
        return self.after_ms / self.before_ms if self.before_ms else math.inf

    @property
    def is_slower(self) -> bool:
        return self.ratio > SLOWER_RATIO and self.after_ms - self.before_ms > SLOWER_MS


def compared(before: Sequence[Measurement], after: Sequence[Measurement], jitted: Measurement | None) -> Compared:
    """What the runs of both sides show of one case; `jitted` is the original of the same data under jit."""
    words, agrees = _results(before[0], after[0], jitted)
    return Compared(before[0].case, min(map(_ms, before)), min(map(_ms, after)), words, agrees)


def rewritten(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> Iterator[tuple[str, str]]:
    """The functions whose code differs, each as path and qualified name, the functions around it included."""
    for path, text in after.items():
        if path not in before:
            continue
        old, new = (dict(_functions(ast.parse(source), "")) for source in (before[path], text))
        yield from ((path, name) for name, code in old.items() if new.get(name) != code)


def twin(case: str) -> str:
    """The same case under jit."""
    return case.replace(", eager, ", ", jit, ")


def _ms(measurement: Measurement) -> float:
    return 1000 * min((step.seconds for step in measurement.steady_steps), default=0.0)


def _results(before: Measurement, after: Measurement, jitted: Measurement | None) -> tuple[str, bool]:
    exact = likeness(before, after, Allowed(stronger=True))
    if before.failure is not None and after.failure is None:
        return f"runs now; as shipped: {before.failure}", True
    if exact.difference is None:
        return (SAME if not exact.strengthened else f"{SAME}, {_leaves(exact)} strongly typed now"), True
    shaped = likeness(before, after, Allowed(stronger=True, tolerance=math.inf))
    if jitted is None or shaped.difference is not None:
        return f"different: {exact.difference}", False
    near = outputs_alike(jitted.outputs, after.outputs, Allowed(tolerance=JIT_TOLERANCE, untyped=True))
    if near.difference is not None:
        return f"different: {exact.difference}", False
    said = "every bit of" if near.max_delta == 0 else f"within {near.max_delta:.0e} of"
    return f"{said} the jitted original; {shaped.max_delta:.0e} from the eager one", True


def _leaves(found: Likeness) -> str:
    number = len({leaf.partition(".")[2] or leaf for leaf in found.strengthened})
    return f"{number} leaf" if number == 1 else f"{number} leaves"


def _functions(node: ast.AST, within: str) -> Iterator[tuple[str, str]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            name = f"{within}{child.name}"
            yield name, ast.dump(child)
            yield from _functions(child, f"{name}.<locals>.")
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{within}{child.name}.")
        else:
            yield from _functions(child, within)
