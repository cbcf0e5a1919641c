"""Findings and fixes: the interface between codemods and the engine."""

import ast
from collections.abc import Collection
from dataclasses import replace
from enum import Enum
from typing import Self

from jaxfix.report.reason import Reason
from jaxfix.report.recipe import Recipe
from jaxfix.source.edits import Edit, Span
from jaxfix.source.frozen import frozen


class Safety(Enum):
    """The safety of a fix, known without running anything."""

    SAFE = "safe"
    """Bitwise the same for every input, by reasoning that the codemod's page states."""
    NEEDS_EVIDENCE = "needs-evidence"
    """May change results or memory: written only when a rerun proves it, or when the user insists."""
    ON_REQUEST = "on-request"
    """Changes what an option asks to change, and is written with that option alone, once a rerun has shown no more."""
    DISPLAY_ONLY = "display-only"
    """A hint; never written."""

    @property
    def waits(self) -> bool:
        """Whether a fix is written once a rerun has proven it."""
        return self in (Safety.NEEDS_EVIDENCE, Safety.ON_REQUEST)


class Change(Enum):
    """A change of results or of form, or a cost, that an option requests; its value is the option."""

    SPLIT_KEYS = "--split-keys"
    """Random keys that are used twice are split: other random numbers."""
    DROP_RAGGED = "--ragged drop"
    """A last batch that is shorter is left out: the rows that are left over train nothing."""
    PAD_RAGGED = "--ragged pad"
    """A last batch that is shorter is padded, and a mask keeps the padding out of means: other rounding."""
    LESS_MEMORY = "--goal memory"
    """Memory is bought with time: what a backward pass needs is computed again."""
    NEWER_FORM = "--select legacy-parallelism"
    """What works, and warns of nothing, takes the form that newer versions of jax build on."""


class Confidence(Enum):
    """The certainty that the line costs something."""

    CERTAIN = "certain"
    """Read in the code: it runs eagerly and repeatedly; of what is wrong and not slow, that it is."""
    POSSIBLE = "possible"
    """The caller decides: the code is public, and callable eagerly or under a trace."""
    SEEN = "seen"
    """A traced run has compiled it again."""


class Proves(Enum):
    """The gain of a fix, which a proof must show besides equal results."""

    FEWER_COMPILES = "fewer compiles"
    LESS_MEMORY = "less memory"
    """The peak of memory drops, and compiles do not rise."""
    LESS_WORK = "the same results at less work"
    """Neither compiles nor the peak of memory rise; operations saved are reported, where they are known."""
    SMALLER_PROGRAM = "a smaller program"
    """What is compiled has fewer operations, a loop counted once; compiles do not rise."""
    FEWER_READS = "fewer blocking reads"
    """The host waits less often for what it reads; compiles do not rise, nor the peak of memory by a tenth."""
    LESS_DATA = "less data in programs"
    """The constants of the compiled programs take less memory; compiles do not rise."""
    SAME_RESULTS = "the same results"
    """Nothing is gained: steady steps compile no more often, and what starting costs is reported, not judged."""
    SAME_ON_DEVICES = "the same results on several devices"
    """As `SAME_RESULTS`; a run on one device, where the axis of a mesh has the size 1, shows nothing."""
    ERROR_CURED = "an error cured"
    """The original raises; only results up to that point are compared."""
    CURED_ON_DEVICES = "an error cured on several devices"
    """As `ERROR_CURED`; a run on one device shows nothing."""
    LESS_TEMPORARY = "less temporary memory"
    """What is compiled needs less memory while it runs; a warm call takes no longer than 1.5 times."""
    KEYS_USED_ONCE = "each random key used once"
    """The key checker of jax raises without the fix, and is silent with it."""

    @property
    def cures(self) -> bool:
        """Whether the original raises."""
        return self in (Proves.ERROR_CURED, Proves.CURED_ON_DEVICES)


_GAINS = {
    Proves.LESS_MEMORY: ", with less memory",
    Proves.LESS_WORK: ", at less work",
    Proves.SMALLER_PROGRAM: ", in a smaller program",
    Proves.FEWER_READS: ", with fewer blocking reads",
    Proves.LESS_DATA: ", with less data in programs",
    Proves.ERROR_CURED: " where the original runs; runs where it raises",
    Proves.CURED_ON_DEVICES: " where the original runs; runs where it raises",
    Proves.LESS_TEMPORARY: ", with less temporary memory",
    Proves.KEYS_USED_ONCE: "; jax's key checker is silent",
}


class Cost(Enum):
    """What a line costs, the most expensive first: an estimate of its codemod, where no run has measured it."""

    ERROR = "an error"
    NUMBERS = "random numbers that depend on each other"
    COMPILES = "a compile"
    """At each call, or for each new value, shape or function."""
    WORK = "dispatches, or waits of the host,"
    """At each call, beside compiling."""
    COMPILE_TIME = "a longer compile, once"
    SECOND_COMPILE = "one more compile, once"
    MEMORY = "memory, at each call"


class Equality(Enum):
    """What a proof must show of the results."""

    BITWISE = "bitwise"
    """Structure, shape, dtype, weak type and every bit."""
    STRONGER_TYPES = "bitwise, weak types may become strong"
    """As `BITWISE`, but a leaf that was weakly typed may be strongly typed, at the same dtype."""
    AS_JITTED = "bitwise under jit, eager within tolerance"
    """The jitted original bit for bit; the eager original within a tolerance that the receipt states."""
    ROUNDING = "equal up to rounding"
    """Bitwise with the added `jit` taken out; with it, single steps in double precision differ by rounding alone."""
    NUMBERS = "equal up to the rounding of Python numbers"
    """A Python number becomes an array: beside the original, in double precision, calls differ by rounding alone."""
    FUSED = "equal up to the rounding of another program"
    """XLA fuses other operations: beside the original, in double precision, calls differ by rounding alone."""
    CONVERGED = "bitwise; a first state may have the dtypes that it has after an update"
    """As `STRONGER_TYPES`, but what starts an algorithm may have other floating dtypes, at the very same values."""
    OTHER_NUMBERS = "other random numbers, and nothing else"
    """Structure, shape and dtype of everything, and every bit of what does not change with the random numbers."""

    FEWER_ROWS = "bitwise equal to the original without the dropped rows"
    """As the same loop that goes on to the next iteration where its batch is shorter."""
    MASKED = "equal up to rounding, whatever the padding"
    """Bitwise the same with other rows as the padding; within a tolerance of the original."""

    @property
    def is_change(self) -> bool:
        """Whether results change: such a fix is judged before all others, which are then compared with it applied."""
        return self in (Equality.OTHER_NUMBERS, Equality.FEWER_ROWS, Equality.MASKED)


@frozen
class Fate:
    """What newer versions of a library do to a line; each is the first version that does, empty for none.

    Attributes:
      package: whose versions.
      warns: it is deprecated.
      raises: what it names is gone.
      differs: it silently does something else.
    """

    package: str
    warns: str = ""
    raises: str = ""
    differs: str = ""


@frozen
class Offer:
    """A change requested by an option.

    Attributes:
      change: the option that asks.
      title: as of `Finding`.
      recipe: what to do.
      reference: the same change in another way, which may differ from the recipe's in nothing but what is asked to
        change; None where the original itself is what results are compared with.
      equality: as of `Finding`.
      proves: as of `Finding`.
    """

    change: Change
    title: str
    recipe: Recipe
    reference: Recipe | None = None
    equality: Equality | None = None
    proves: Proves | None = None


@frozen
class Finding:
    """A place that costs something. Not serialised: it holds nodes and a recipe.

    Attributes:
      at: the node that causes it; its span is shown.
      message: what is so and why it costs, lower case, no full stop, code in backticks.
      title: the cure as an imperative, such as ``Move `body` to module level``.
      recipe: what to do, or None where jaxfix declines.
      declined: why there is no recipe; None where there is one.
      confidence: whether the cost was read in the code or depends on the caller.
      safety: lowers the codemod's own safety for this finding; never raises it. None keeps it.
      equality: what a proof of this cure must show, where the codemod has several; None is what it says itself.
      proves: what this cure gains, where the codemod's cures differ; None is what the codemod says.
      deprecated: whether it is about an API that is deprecated.
      guess: only a run tells whether its fix pays: without one it is not written.
      leaves: the parts of states that it is about, as a run names them; what compiled again for one of them is its own.
      moot: nothing that was read makes it worth a change: told only where a run has seen what it costs.
      fate: what versions of a library make of it, where it is about that.
      renames: its fix uses a rename: an upgrade writes it without a rerun.
      certain_if: what would make it certain, in half a sentence, where the cost depends on something else than eager
        calls of the function around it.
      offers: cures that change what a user may ask to change; without that the finding is what all else says.
      shows: code of the function in which a run shows what the cure does; None for that around `at`.
    """

    at: ast.AST
    message: str
    title: str
    recipe: Recipe | None = None
    declined: Reason | None = None
    confidence: Confidence = Confidence.POSSIBLE
    safety: Safety | None = None
    equality: Equality | None = None
    proves: Proves | None = None
    deprecated: bool = False
    guess: bool = False
    moot: bool = False
    leaves: tuple[str, ...] = ()
    fate: Fate | None = None
    renames: bool = False
    certain_if: str | None = None
    offers: tuple[Offer, ...] = ()
    shows: ast.AST | None = None

    def asked(self, changes: Collection[Change], *, as_reference: bool = False) -> Self:
        """The finding with the cure of its first offer among these."""
        offer = next((each for each in self.offers if each.change in changes), None)
        if offer is None:
            return self
        recipe = offer.reference if as_reference and offer.reference is not None else offer.recipe
        kept = replace(self, title=offer.title, recipe=recipe, declined=None, safety=Safety.ON_REQUEST, moot=False)
        return replace(kept, equality=offer.equality or self.equality, proves=offer.proves or self.proves)


@frozen
class Fix:
    """A finding's cure as text: all of its edits are made, or none.

    Attributes:
      key: names the fix in its file, the same before and after other fixes of the file are made.
      codemod: the id.
      title: the imperative of the finding.
      at: where the finding is, in bytes.
      edits: against the text that the finding was made in.
      safety: as it is.
      equality: what a rerun must show of the results; None for a fix that nothing is rerun for.
      lowered_because: why the safety is lower than the codemod's, or None.
      function: qualified name (`outer.<locals>.inner`) of the function that is rewritten, `<module>` for none.
      helpers: the generated helper functions that the new text calls.
      proves: what a rerun must show that it gains.
      guess: the cost was not seen to repeat: only a run shows whether it pays.
      renames: as the finding's own.
      raises: the kinds of arguments, as a proof names them, on which the new code may raise where the old runs.
      frees: the names of imports that it has no use for, and other code still has.
    """

    key: str
    codemod: str
    title: str
    at: Span
    edits: tuple[Edit, ...]
    safety: Safety
    equality: Equality | None
    lowered_because: Reason | None
    function: str
    helpers: tuple[str, ...] = ()
    proves: Proves = Proves.FEWER_COMPILES
    guess: bool = False
    renames: bool = False
    raises: tuple[str, ...] = ()
    frees: tuple[str, ...] = ()

    @property
    def is_change(self) -> bool:
        """Whether it changes results, as was asked."""
        return self.equality is not None and self.equality.is_change

    @property
    def promise(self) -> str:
        """What a rerun must show, in words; bitwise equality where none is declared."""
        words = (self.equality or Equality.BITWISE).value
        return words + _GAINS.get(self.proves, "")

    @property
    def is_safe(self) -> bool:
        """Whether it is written without a rerun; a fix with a helper needs one, which shows that the helper imports."""
        return self.safety is Safety.SAFE and not self.helpers
