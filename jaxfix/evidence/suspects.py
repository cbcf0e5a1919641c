"""Which of several fixes to doubt first, where all of them together differ from the original. Pure."""

from collections.abc import Iterable, Mapping, Sequence

from jaxfix.evidence.verdict import BY_ROUNDING, Pair

Key = tuple[str, str]


def halves(
    waiting: Sequence[Key], said: Sequence[str], names: Mapping[Key, str], rounding: Sequence[Key]
) -> tuple[Sequence[Key], Sequence[Key]]:
    """Those of `waiting` that are likely right, and the suspects; or else two halves.

    Args:
      said: what differs, in words.
      names: of their functions.
      rounding: those whose added `jit` changes bits of single steps.
    """
    by_rounding = rounding if any(BY_ROUNDING in words for words in said) else ()
    shown = [key for key in waiting if any(names[key] in words for words in said)]
    for suspects in (by_rounding, shown):
        if 0 < len(suspects) < len(waiting):
            return [key for key in waiting if key not in suspects], suspects
    middle = len(waiting) // 2
    return waiting[:middle], waiting[middle:]


def that_round(pairs: Iterable[Pair], jits: Mapping[Key, frozenset[str]]) -> list[Key]:
    """The fixes whose added `jit` changes bits of a single step.

    Args:
      jits: of each fix the names of what it puts under `jit`.
    """
    steps = (entry for pair in pairs if pair.plain is not None for entry in pair.plain.after.razor)
    moved = {entry.function for entry in steps if entry.single}
    return [key for key, names in jits.items() if names & moved]
