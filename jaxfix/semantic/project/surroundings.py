"""What is known of a file beside its text."""

from jaxfix.report.finding import Change
from jaxfix.report.trace.drifts import Drift
from jaxfix.report.trace.held import Held
from jaxfix.report.trace.hot import Hot
from jaxfix.semantic.project.project import Project
from jaxfix.semantic.project.query import Answering
from jaxfix.source.frozen import frozen

_NO_FILES = Project()


@frozen
class Surroundings:
    """What is known of a file beside its text.

    Attributes:
      name: the dotted name that it is imported by; None for a script, or where it is unknown.
      is_package: whether it is the `__init__.py` of `name`.
      project: what answers for the other files.
      helpers: the module, as an import statement names it, that the generated helper functions come from; None where
        there is no place for one.
      jax: the version of the jax that it runs with, as far as it is numbers; None where it is unknown.
      oldest_jax: the oldest version that its project says it runs with; None where it does not say.
      until: by packages, the first version that its project no longer admits; without those it names no bound of, and
        empty where it is to be brought to another version.
      is_distributed: whether code that is not here may import it, as part of a project that is built.
      libraries: by the packages around jax that are in use, their versions, as far as they are known; empty where it is
        to be brought to another version.
      floors: by these packages, the oldest version that it has to run with.
      came_from: the version of jax that it was written for, where it is to be brought to another one; None elsewhere.
      origins: by these packages, the version that it was written for, as far as that is known; empty elsewhere.
      hot: where a traced run spent time besides compiling, at the lines of the file as analysed.
      held: what programs of a traced run hold, at the lines of the file as analysed.
      drifts: parts of states that a traced run has seen to start weakly typed, in whichever file.
      asked: the changes of results that the user asks for.
      as_reference: whether these are made in the way that a proof compares with.
      columns: the line length of the project's formatter; None where it sets none.
    """

    name: str | None = None
    is_package: bool = False
    project: Answering = _NO_FILES
    helpers: str | None = None
    jax: tuple[int, ...] | None = None
    oldest_jax: tuple[int, ...] | None = None
    until: tuple[tuple[str, tuple[int, ...]], ...] = ()
    libraries: tuple[tuple[str, tuple[int, ...]], ...] = ()
    floors: tuple[tuple[str, tuple[int, ...]], ...] = ()
    came_from: tuple[int, ...] | None = None
    origins: tuple[tuple[str, tuple[int, ...]], ...] = ()
    hot: tuple[Hot, ...] = ()
    held: tuple[Held, ...] = ()
    drifts: tuple[Drift, ...] = ()
    asked: tuple[Change, ...] = ()
    as_reference: bool = False
    is_distributed: bool = True
    columns: int | None = None

    @property
    def is_seen(self) -> bool:
        """Whether a traced run tells something of the file."""
        return bool(self.hot or self.held)

    def absolute(self, qualname: str) -> str:
        """`qualname` with a relative import resolved, as far as the name of the file tells."""
        if self.name is None or not qualname.startswith("."):
            return qualname
        rest = qualname.lstrip(".")
        level = len(qualname) - len(rest) - self.is_package
        parts = self.name.split(".")
        kept = parts[: len(parts) - level] if 0 <= level < len(parts) else []
        return ".".join((*kept, rest)).rstrip(".") if kept else qualname

    def may_be_before(self, since: tuple[int, ...], package: str = "jax") -> bool:
        """Whether the version in use, or one that the project admits, is older; not where it is unknown."""
        oldest = self.oldest_jax if package == "jax" else dict(self.floors).get(package)
        return any(each is not None and each < since for each in (self.in_use(package), oldest))

    def in_use(self, package: str) -> tuple[int, ...] | None:
        """The version that it runs with, or is to run with; None where it is unknown."""
        return self.jax if package == "jax" else dict(self.libraries).get(package)

    def origin(self, package: str) -> tuple[int, ...] | None:
        """The version of a package that it was written for; None where that is unknown, or does not matter."""
        return self.came_from if package == "jax" else dict(self.origins).get(package)

    def admits(self, package: str, since: tuple[int, ...]) -> bool:
        """Whether the project admits a version of the package that is not older."""
        return all(since < bound for name, bound in self.until if name == package)


ALONE = Surroundings()
"""Of a file that nothing else is known of."""
