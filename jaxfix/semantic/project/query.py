"""Cross-file queries: each is declared once, with its answer and what is asked after it."""

from collections.abc import Callable, Iterator
from enum import Enum
from typing import Generic, Protocol, TypeVar

from jaxfix.semantic.project.callers import Along
from jaxfix.semantic.project.joined import Joined
from jaxfix.semantic.project.summary_types import Contexts, Factory, Jit, ParameterPlace, Runs, Use, Wrapping
from jaxfix.source.frozen import frozen

A = TypeVar("A")
Asked = tuple[str, str]
"""The name of a query, and the dotted name or the attribute that it is about."""
Answers = dict[Asked, object]
"""Those that are other than if there were no files; each has the type that its query declares."""


class Reads(Enum):
    """What of the files an answer is read off."""

    ANY_FILE = "any file"
    DEFINITION = "the file that defines the name"
    USES = "the uses of the function"
    CALLERS = "the uses of the function, those of its callers, and so on"


def _nothing(joined: Joined, about: str) -> Iterator[Asked]:
    yield from ()


@frozen
class Query(Generic[A]):
    """A question of one file about the others.

    Attributes:
      name: as it is in records.
      kind: the type of an answer, other than `default`.
      default: the answer of a project without files.
      answer: the answer of joined files.
      follows: what a file that gets the answer asks next, as far as one can tell; nothing depends on it but time.
      along: of what is read off the callers, which of them decide.
      passed: whether it matters what calls pass, or what follows asks for that.
      of_parameter: whether it is about a `ParameterPlace`.
    """

    name: str
    kind: type[A]
    default: A
    answer: Callable[[Joined, str], A]
    reads: Reads
    follows: Callable[[Joined, str], Iterator[Asked]] = _nothing
    along: Along = Along.ALL
    passed: bool = False
    of_parameter: bool = False

    def function(self, about: str) -> str:
        """The dotted name of the function that the question is about, also of one about its parameter."""
        return ParameterPlace.of(about).function if self.of_parameter else about


class Answering(Protocol):
    """The type that answers queries."""

    def ask(self, query: Query[A], about: str) -> A: ...


def _after_runs(joined: Joined, about: str) -> Iterator[Asked]:
    yield from ((query.name, about) for query in (RUNS, IS_USED, REPEATS, SURELY_REPEATS))


def _after_looped(joined: Joined, about: str) -> Iterator[Asked]:
    yield USERS.name, about


def _after_users(joined: Joined, about: str) -> Iterator[Asked]:
    """Of the functions that the uses are in."""
    names = {path.name for use in joined.users(about) for path in use.through}
    yield from ((query, name) for name in names for query in (RUNS_EAGERLY.name, REPEATS.name, SURELY_REPEATS.name))
    yield from ((USERS.name, name) for name in names if joined.repeats(name))


JIT: Query[Jit | None] = Query("jit", Jit, None, Joined.jit, Reads.DEFINITION)
WRAPPING: Query[Wrapping | None] = Query("wrapping", Wrapping, None, Joined.wrapping, Reads.DEFINITION)
FACTORY: Query[Factory | None] = Query("factory", Factory, None, Joined.factory, Reads.DEFINITION)
REMEMBERS: Query[bool] = Query("remembers", bool, False, Joined.remembers, Reads.DEFINITION)
DOES_MORE: Query[bool] = Query("does more", bool, False, Joined.does_more, Reads.DEFINITION)
FIELDS: Query[tuple[str, ...]] = Query("fields", tuple[str, ...], (), Joined.fields, Reads.DEFINITION)
DEFINED_AS: Query[str] = Query("defined as", str, "", Joined.defined_as, Reads.DEFINITION)
USERS: Query[tuple[Use, ...]] = Query(
    "users", tuple[Use, ...], (), Joined.users, Reads.CALLERS, _after_users, passed=True
)
VALUES: Query[tuple[Use, ...]] = Query(
    "values", tuple[Use, ...], (), Joined.uses_with_values, Reads.USES, passed=True, of_parameter=True
)
PLAIN: Query[tuple[Use, ...]] = Query(
    "plain", tuple[Use, ...], (), Joined.uses_with_plain_parts, Reads.USES, passed=True, of_parameter=True
)
LOOPED: Query[bool] = Query("looped", bool, False, Joined.is_looped, Reads.USES, _after_looped, passed=True)
IS_USED: Query[bool] = Query("is used", bool, False, Joined.is_used, Reads.USES)
RUNS: Query[Runs] = Query(
    "runs", Runs, Runs.UNKNOWN, Joined.runs, Reads.CALLERS, _after_runs, along=Along.EAGER_THEN_ALL
)
RUNS_EAGERLY: Query[bool] = Query(
    "runs eagerly", bool, False, Joined.runs_eagerly, Reads.CALLERS, _after_runs, along=Along.EAGER
)
IS_TRACED: Query[bool] = Query(
    "is traced", bool, False, Joined.is_traced, Reads.CALLERS, _after_runs, along=Along.TRACED
)
SEEN: Query[tuple[Runs, ...]] = Query("seen", tuple[Runs, ...], (), Joined.seen, Reads.CALLERS)
SEEN_OR_UNKNOWN: Query[tuple[Runs, ...]] = Query(
    "seen or unknown", tuple[Runs, ...], (Runs.UNKNOWN,), Joined.seen_or_unknown, Reads.CALLERS
)
IS_ONLY_TRACED: Query[bool] = Query(
    "is only traced", bool, False, Joined.is_only_traced, Reads.CALLERS, _after_runs, along=Along.ONLY_TRACED
)
IS_SEEN_TRACED: Query[bool] = Query(
    "is seen traced", bool, False, Joined.is_seen_traced, Reads.CALLERS, along=Along.NOT_TRACED
)
IS_SEEN_OTHERWISE: Query[bool] = Query(
    "is treated differently", bool, False, Joined.is_seen_otherwise, Reads.CALLERS, along=Along.NOT_TRACED
)
IS_SETTLED: Query[bool] = Query("is settled", bool, False, Joined.is_settled, Reads.CALLERS, along=Along.UNKNOWN)
MAY_BE_UNKNOWN: Query[bool] = Query(
    "may be unknown", bool, False, Joined.may_be_unknown, Reads.CALLERS, along=Along.UNKNOWN
)
REPEATS: Query[bool] = Query("repeats", bool, False, Joined.repeats, Reads.CALLERS, along=Along.ALL_EAGER)
SURELY_REPEATS: Query[bool] = Query(
    "surely repeats", bool, False, Joined.surely_repeats, Reads.CALLERS, along=Along.ALL_EAGER
)
DIFFERENTIATED: Query[bool] = Query(
    "differentiated", bool, False, Joined.differentiated, Reads.CALLERS, along=Along.DIFFERENTIATED
)
REBINDS: Query[bool] = Query("rebinds", bool, False, Joined.rebinds, Reads.ANY_FILE)
STORES: Query[bool] = Query("stores", bool, False, Joined.stores, Reads.ANY_FILE)
IS_NAMED_AROUND: Query[bool] = Query("is named around", bool, False, Joined.is_named_around, Reads.ANY_FILE)
HIDES: Query[bool] = Query("hides", bool, False, lambda joined, about: joined.hides(), Reads.ANY_FILE)
MAKES_RULES: Query[bool] = Query("makes rules", bool, False, lambda joined, about: joined.makes_rules(), Reads.ANY_FILE)
ASKS_PROCESS: Query[bool] = Query(
    "asks process", bool, False, lambda joined, about: joined.asks_process(), Reads.ANY_FILE
)
CALLS_BACK: Query[bool] = Query("calls back", bool, False, lambda joined, about: joined.calls_back(), Reads.ANY_FILE)
TAKES_ERRORS: Query[bool] = Query("takes errors", bool, False, Joined.takes_errors, Reads.ANY_FILE)
ASKS_TYPE: Query[bool] = Query("asks type", bool, False, Joined.asks_type, Reads.ANY_FILE)
SETS_NAMES: Query[bool] = Query("sets names", bool, False, Joined.sets_names, Reads.ANY_FILE)
CHANGES_OWN: Query[bool] = Query("changes own", bool, False, Joined.changes_own, Reads.ANY_FILE)
FILLS: Query[bool] = Query("fills", bool, False, Joined.fills, Reads.ANY_FILE)
READS_VARIABLE: Query[bool] = Query("reads variable", bool, False, Joined.reads_variable, Reads.ANY_FILE)
TAKES_NAME: Query[bool] = Query("takes name", bool, False, Joined.takes_name, Reads.ANY_FILE)
IS_READ: Query[bool] = Query("is read", bool, False, lambda joined, about: joined.is_read(), Reads.ANY_FILE)
QUERIES: dict[str, Query[object]] = {query.name: query for query in [*globals().values()] if isinstance(query, Query)}


def runs_of(project: Answering, use: Use) -> Runs:
    """How one use of a function runs."""
    found = {*use.runs, *(project.ask(RUNS, path.name) for path in use.through)}
    return next((way for way in (Runs.EAGER, Runs.UNKNOWN, Runs.TRACED) if way in found), Runs.UNKNOWN)


def is_looped_at(use: Use) -> bool:
    """Whether one use of a function is a call that repeats: in a loop, or by the function around."""
    return use.call is not None and (use.call.looped or use.repeats)


def is_eager_at(project: Answering, use: Use) -> bool:
    """Whether one use of a function runs it eagerly."""
    return Runs.EAGER in use.runs or any(project.ask(RUNS_EAGERLY, path.name) for path in use.through)


def seen_of(project: Answering, ways: Contexts) -> frozenset[Runs]:
    """All ways, with what other files were seen to do; unknown without a caller in any file, its own included."""
    asked = ways.open if Runs.UNKNOWN not in ways.known else ()
    return ways.known.union(*(project.ask(SEEN if name in ways.called else SEEN_OR_UNKNOWN, name) for name in asked))


def is_seen(project: Answering, ways: Contexts) -> bool:
    """Whether something was seen to lead there: what a file offers and calls itself is seen where others call it."""
    own, others = sorted(ways.open & ways.called), ways.open - ways.called
    return bool(ways.known or others) or any(project.ask(SEEN, name) for name in own)


def is_seen_traced(project: Answering, ways: Contexts) -> bool:
    """Whether all that other files were seen to do leads through a trace: one answer that says otherwise is enough."""
    own, others = sorted(ways.open & ways.called), sorted(ways.open - ways.called)
    if not ways.known <= {Runs.TRACED} or not all(project.ask(IS_SEEN_TRACED, name) for name in others):
        return False
    if any(project.ask(IS_SEEN_OTHERWISE, name) for name in own):
        return False
    return is_seen(project, ways)


def is_seen_settled(project: Answering, ways: Contexts) -> bool:
    """Whether something was seen to lead there, and nothing of it is unknown."""
    own, others = sorted(ways.open & ways.called), sorted(ways.open - ways.called)
    if Runs.UNKNOWN in ways.known or not all(project.ask(IS_SETTLED, name) for name in others):
        return False
    if any(project.ask(MAY_BE_UNKNOWN, name) for name in own):
        return False
    return is_seen(project, ways)


def surely_repeats_at(project: Answering, use: Use) -> bool:
    """Whether one use of a function surely repeats it."""
    return use.surely or any(
        (path.again or (path.always and project.ask(SURELY_REPEATS, path.name)))
        and project.ask(RUNS_EAGERLY, path.name)
        for path in use.through
    )
