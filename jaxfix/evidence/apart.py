"""Groups of fixes that no case reaches together: evidence for one group says nothing of another."""

from collections.abc import Iterable, Sequence

from jaxfix.evidence.runs import Fixes, Key


def apart(keys: Sequence[Key], reached: Iterable[Fixes]) -> list[list[Key]]:
    """The keys in as many parts as there are without a case that reaches keys of two, each in the order of `keys`.

    Args:
      reached: by each case.
    """
    parts = [{key} for key in keys]
    for together in reached:
        joined = [part for part in parts if not part.isdisjoint(together)]
        parts = [part for part in parts if part.isdisjoint(together)]
        parts += [set[Key]().union(*joined)] if joined else []
    order = {key: number for number, key in enumerate(keys)}
    return sorted((sorted(part, key=order.__getitem__) for part in parts), key=lambda part: order[part[0]])
