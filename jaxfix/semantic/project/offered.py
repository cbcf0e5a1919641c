"""Whether a function is meant for code that was not read."""

from collections.abc import Sequence

from jaxfix.semantic.project.naming import Naming
from jaxfix.semantic.project.rebinding import Around
from jaxfix.semantic.project.summary_types import Facts


class Offered:
    """What names and attributes say of it, in the files of a run and in those around."""

    def __init__(self, files: Sequence[Facts], naming: Naming, around: Around | None) -> None:
        self._files, self._naming, self._around = files, naming, around

    def __call__(self, qualname: str) -> bool:
        if not qualname.startswith("."):
            return self._naming.is_offered(qualname) or self.is_named_around(qualname)
        name, _, owner = qualname[1:].partition("@")  # a method, of whatever object
        others = (facts for facts in self._files if facts.name != owner and not facts.is_test)
        return any(name in facts.attributes for facts in others) or self.is_named_around(f".{name}")

    def is_named_around(self, qualname: str) -> bool:
        """Whether a file that nobody looks at may use what this dotted name stands for."""
        return self._around is not None and self._around.names(qualname)
