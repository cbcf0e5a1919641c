"""The five systems as data: which program, on which releases of optax, in which cases, and who did what about it."""

from dataclasses import dataclass
from pathlib import Path

from benchmarks.ecosystem.downloads import Release

PROGRAMS = Path(__file__).resolve().parents[2] / "tests" / "upstream" / "programs"
REQUIREMENTS = (
    "jax==0.10.2",
    "jaxlib==0.10.2",
    "optax==0.2.8",
    "chex==0.1.92",
    "equinox==0.13.8",
    "diffrax==0.7.2",
    "etils[epy]==1.15.0",
)
"""The modern packages that the historic sources run beside; `etils` is for those alone."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One state of the code: of optax where there is a `release`, else of the program itself.

    Attributes:
      of: the name of the variant whose results it must have; None of one that is compared with nothing.
      release: the release of optax that lies beside the program.
      repaired: whether jaxfix was applied to that release, or to the program where there is none.
    """

    name: str
    program: str
    of: str | None = None
    release: Release | None = None
    repaired: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """A run of each variant; `printed` is whether a line is a step, else the program prints one line in all."""

    name: str
    arguments: tuple[str, ...]
    printed: bool = True


@dataclass(frozen=True, slots=True)
class System:
    """One of the five; `source` names the report, `told` what was wrong and who did what about it."""

    key: str
    title: str
    source: str
    told: str
    variants: tuple[Variant, ...]
    cases: tuple[Case, ...]

    def variant(self, name: str) -> Variant:
        return next(entry for entry in self.variants if entry.name == name)

    def case(self, name: str) -> Case:
        return next(entry for entry in self.cases if entry.name == name)


def _of_optax(program: str, *versions: str, repaired: tuple[str, ...]) -> tuple[Variant, ...]:
    """The releases as shipped, and some of them by jaxfix."""
    shipped = (Variant(f"optax {it}", program, None, Release("optax", it)) for it in versions)
    by_jaxfix = (
        Variant(f"optax {it}, jaxfix", program, f"optax {it}", Release("optax", it), repaired=True) for it in repaired
    )
    return (*shipped, *by_jaxfix)


def _of_program(program: str) -> tuple[Variant, ...]:
    return (
        Variant("as written", f"{program}.py"),
        Variant("by hand", f"{program}_by_hand.py", "as written"),
        Variant("jaxfix", f"{program}.py", "as written", repaired=True),
    )


LINE_SEARCH = System(
    "S1",
    "Line searches that compile at every update",
    "optax #1171",
    "Every eager update compiles the `while_loop` of the line search again. Upstream gave some scalars of the initial "
    "state a type (0.2.5); the eager update of 0.2.8 still compiles at every step, and a jitted one compiles twice.",
    _of_optax("s1_line_search.py", "0.2.4", "0.2.8", repaired=("0.2.4", "0.2.8")),
    tuple(
        Case(f"{kind}, {mode}", (kind, mode, "30" if kind == "backtracking" else "15"))
        for kind in ("backtracking", "lbfgs")
        for mode in ("eager", "jit")
    ),
)
STATE_DTYPE = System(
    "S2",
    "L-BFGS in half precision, and in x64",
    "optax #1207, #1210",
    "The branches of a `cond` inside the line search return other dtypes than the state has, so that half-precision "
    "parameters, or float32 ones under x64, raise a `TypeError` inside `while_loop`. Fixed upstream by 0.2.5.",
    _of_optax("s2_state_dtype.py", "0.2.4", "0.2.8", repaired=("0.2.4", "0.2.8")),
    (
        *(Case(f"{kind}, while_loop", (kind, "while", "6"), printed=False) for kind in ("float16", "bfloat16", "x64")),
        *(Case(f"{kind}, jit", (kind, "jit", "6")) for kind in ("float32", "float16", "bfloat16", "x64")),
    ),
)
RADAM = System(
    "S3",
    "RAdam that compiles for every step number",
    "optax #969, #580, #974",
    "A `cond` with local branches, and `b2**count` with a concrete integer count, compile again at every step. "
    "Upstream replaced the `cond` by `where` (0.2.3): one compile per step was left, and is there in 0.2.8.",
    _of_optax("s3_radam.py", "0.2.2", "0.2.4", "0.2.8", repaired=("0.2.2", "0.2.8")),
    (Case("eager", ("eager", "40")), Case("jit", ("jit", "40"))),
)
TRAINING = System(
    "S4",
    "A training loop that jits the wrong things",
    "general advice on JAX training loops",
    "The gradient is jitted again at every step, the optimizer is not jitted at all.",
    _of_program("s4_training"),
    (Case("training", ("30",)),),
)
MEMORY = System(
    "S4, memory",
    "A step that keeps the old state beside the new one",
    "general advice on JAX training loops",
    "The caller replaces parameters and optimizer state by what the step returns, and the step donates neither.",
    _of_program("s4_memory"),
    (Case("training", ("15",)),),
)
FLOW = System(
    "S5",
    "A step number that is a Python int",
    "diffrax #574",
    "`eqx.filter_jit` takes a Python int for a part of the program: every step compiles all of it.",
    _of_program("s5_flow"),
    (Case("training", ("10",)),),
)
COUNTER = System(
    "S5, returned",
    "A step number that comes back from the step",
    "diffrax #574",
    "As before, but the counter is returned as `step + 1`. By hand the counter is an array from the start, by jaxfix "
    "from the first call on: the small program of `step < steps` is compiled one step later, and all in all as many.",
    _of_program("s5_counter"),
    (Case("training", ("10",)),),
)
SYSTEMS = (LINE_SEARCH, STATE_DTYPE, RADAM, TRAINING, MEMORY, FLOW, COUNTER)
