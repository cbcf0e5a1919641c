"""The figures that pages quote, taken from the pages of evidence that measured them."""

import re
from collections.abc import Callable, Mapping

Evidence = Mapping[str, str]
"""The text of each page of `docs/evidence`, by its name without the suffix."""


def census(evidence: Evidence) -> str:
    """How many factories of optax recompile, before and after."""
    text = evidence["census"]
    number, shipped, repaired = _of(r"(\d+) factories\. .*?\*\*(\d+) as shipped, (\d+) repaired\*\*", text)
    after = "none does" if repaired == "0" else f"{repaired} do"
    return f"**{shipped} of {number}** factories recompile at every eager step; repaired by jaxfix, {after}"


def step(evidence: Evidence) -> str:
    """What an eager step of L-BFGS takes, before and after."""
    before, after = _of(r"\| `lbfgs` \|.*\| ([\d.]+) -> ([\d.]+) \|\n", evidence["census"])
    return f"**{float(before):.0f} -> {float(after):.0f} ms**"


def prover(evidence: Evidence) -> str:
    """How the prover does on rewrites that are known to be wrong, and to be right."""
    wrong, wrongs, refused, rights = _judged(evidence)
    return f"**{wrong} of {wrongs}** wrong rewrites proven, and refused **{refused} of {rights}** right ones"


def judged(evidence: Evidence) -> str:
    """The same, as a page of `docs` says it."""
    wrong, wrongs, refused, rights = _judged(evidence)
    return f"{wrong} of {wrongs} wrong rewrites were called proven, {refused} of {rights} right ones refused"


def programs(evidence: Evidence) -> str:
    """How much faster people and jaxfix made public programs."""
    text = evidence["programs"]
    (number,) = _of(r"(\d+) of \d+ programs measured", text)
    hand, own = _of(r"\| loop, geometric mean \| ([\d.]+) x \| ([\d.]+) x \|", text)
    (broken,) = _of(r"\| programs that break or answer otherwise \| \| (\d+) \|", text)
    broke = "broke none" if broken == "0" else f"broke {broken}"
    return f"{number} public programs, {hand} times by a person's least change, {own} times by jaxfix, which {broke}"


QUOTED: Mapping[str, Callable[[Evidence], str]] = {
    "census": census,
    "step": step,
    "prover": prover,
    "judged": judged,
    "programs": programs,
}
"""By the name that is in the mark, as `<!-- figure: census -->...<!-- end -->`."""
_MARK = re.compile(r"(<!-- figure: (\w+) -->).*?(<!-- end -->)", re.DOTALL)


def quoted(text: str, evidence: Evidence) -> str:
    """The page with each marked figure as the evidence has it now.

    Raises:
      ValueError: a page of evidence does not say what is quoted of it.
    """
    return _MARK.sub(lambda mark: f"{mark[1]}{QUOTED[mark[2]](evidence)}{mark[3]}", text)


def _judged(evidence: Evidence) -> tuple[int, int, int, int]:
    text = evidence["prover"]
    wrong, wrongs = _of(r"wrong rewrites called proven: \*\*(\d+)\*\* of (\d+)", text)
    refused, rights = _of(r"right rewrites refused: \*\*(\d+)\*\* of (\d+)", text)
    return int(wrong), int(wrongs), int(refused), int(rights)


def _of(pattern: str, text: str) -> tuple[str, ...]:
    found = re.search(pattern, text)
    if found is None:
        raise ValueError(f"no page of evidence says what `{pattern}` looks for")
    return found.groups()
