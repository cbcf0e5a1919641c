"""What a traced run has seen of a finding, in words."""

from jaxfix.render.paint import counted
from jaxfix.report.report import Seen

_LEAST = 0.01
"""Of the run: a smaller share is not reported."""


def seen_in_words(seen: Seen) -> str:
    """How often, and for how long."""
    parts = [counted(seen.compiles, "compile")] if seen.compiles else []
    what = "program" if seen.programs >= seen.moves else "move"
    if seen.per_step is not None:
        parts.append(f"{counted(round(seen.per_step), what)} a step")
    elif seen.programs or seen.moves:
        parts.append(counted(max(seen.programs, seen.moves), what))
    share = f" ({seen.share:.0%} of the run)" if seen.share is not None and seen.share >= _LEAST else ""
    return f"{', '.join(parts)}, {seen.seconds:.1f} s{share}"
