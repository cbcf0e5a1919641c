"""What the other files of a project tell of one of them."""

from dataclasses import dataclass

from jaxfix.core.jitted import Jit


@dataclass(frozen=True, slots=True)
class Project:
    """The facts of all files that a run looks at, by canonical name."""

    def jit(self, qualname: str) -> Jit | None:
        """The jitted function that `qualname` names, in whatever file it is made."""
        return None


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a file cannot tell of itself.

    Attributes:
      name: the dotted name that it is imported by; None for a script, or where nobody knows.
      is_package: whether it is the `__init__.py` of `name`.
      project: what the other files say.
      helpers: the module, as an import statement names it, that the generated helper functions come from; None where
        there is no place for one.
    """

    name: str | None = None
    is_package: bool = False
    project: Project = Project()
    helpers: str | None = None


ALONE = Surroundings()
"""Of a file that nothing else is known of."""
