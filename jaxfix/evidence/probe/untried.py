"""What was not tried of each rewritten function."""

from collections.abc import Iterator


class Untried:
    """Kinds of calls and comparisons by function; what was tried of one call of it counts as tried."""

    def __init__(self) -> None:
        self._left_out: dict[str, dict[str, str]] = {}
        self._tried: set[tuple[str, str]] = set()

    def leave_out(self, function: str, what: str, because: str = "") -> None:
        """Notes that `what`, a noun with no comma in it, is not tried of one call of `function`, and why."""
        self._left_out.setdefault(function, {}).setdefault(what, because)

    def tried(self, function: str, what: str) -> None:
        """Notes that it was tried of another call."""
        self._tried.add((function, what))

    def as_json(self) -> dict[str, list[str]]:
        """What was never tried, in the order in which it was left out, as a receipt says it."""
        never = ((function, list(self._never(function))) for function in self._left_out)
        return {function: words for function, words in never if words}

    def _never(self, function: str) -> Iterator[str]:
        for what, because in self._left_out[function].items():
            if (function, what) not in self._tried:
                yield f"{what} ({because})" if because else what
