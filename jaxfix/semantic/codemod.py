"""What a codemod is."""

from collections.abc import Callable, Iterator

from jaxfix.report.finding import Equality, Finding, Proves, Safety
from jaxfix.report.trace.cause import Why
from jaxfix.report.trace.hot import Work
from jaxfix.report.trace.noted import Note
from jaxfix.semantic.module import Module
from jaxfix.source.frozen import frozen


@frozen
class Codemod:
    """A value and one function.

    Attributes:
      id: names the problem, as in `# jaxfix: ignore[id]`; the file name with hyphens.
      triggers: canonical names, of one of which the last part must be an identifier of the code for `find` to be
        called at all (one in a comment is none), or keywords and operators; empty for a codemod that a traced run
        alone feeds, through `Module.seen`.
      safety: of its fixes, unless a finding lowers it; `DISPLAY_ONLY` where it has none.
      equality: what a rerun must show of the results; None where nothing is rerun: such a codemod is safe by
        reasoning alone.
      find: yields the findings of one module; never raises on odd input.
      proves: what its fixes gain, and with it which goldens it must have.
      jax: the versions of jax that it is for, such as `>=0.4.25,<0.7`; None for every one. The engine leaves it out
        where another version is known to be installed.
      cures: the causes of recompiles that its findings explain; empty where that may be any.
      programs: what they make compile again, as a trace names it, such as `scan`; empty where that may be any.
      relieves: the kinds of work besides compiling that its findings explain, where a run spent time in their lines.
      notes: what programs of a traced run hold that it reports, through `Module.held`; without that it finds nothing.
      after: the codemods whose fixes are made before, because they decide what its own ones have to be.
      inner_first: of its fixes that are one within the other, the inner is made before.
      raises: the kinds of arguments on which its new code may raise where the old runs, or run where the old raises,
        such as `complex numbers`: no proof is refused over one that the program never passes, and the receipt names it.
        Its page says why.
      in_types: its triggers count in a type in quotes too, such as `x: "jax.Array"`.
    """

    id: str
    triggers: tuple[str, ...]
    safety: Safety
    equality: Equality | None
    find: Callable[[Module], Iterator[Finding]]
    proves: Proves = Proves.FEWER_COMPILES
    jax: str | None = None
    cures: tuple[Why, ...] = ()
    programs: tuple[str, ...] = ()
    relieves: tuple[Work, ...] = ()
    notes: tuple[Note, ...] = ()
    after: tuple[str, ...] = ()
    inner_first: bool = False
    raises: tuple[str, ...] = ()
    in_types: bool = False

    @property
    def rewrites(self) -> bool:
        """Whether any finding of it may have a fix: not where a run alone feeds it, or all that it has are hints."""
        return bool(self.triggers) and self.safety is not Safety.DISPLAY_ONLY
