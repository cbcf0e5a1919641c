"""How what is run for evidence is run, and what is looked at."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import field
from pathlib import Path

from jaxfix.evidence import progress
from jaxfix.evidence.progress import Progress
from jaxfix.evidence.target import Local, Target
from jaxfix.source.frozen import frozen


@frozen
class Running:
    """Where and how long a program runs.

    Attributes:
      cwd: the folder, under that of the project; the project itself if None.
      timeout_s: after which all processes of a run are ended.
      told: how far a run is.
      python: what a bare `python` of the command means; None leaves that to the project.
      originals: the originals of files that differ on the disk, by path; None is not a file.
    """

    cwd: Path | None = None
    timeout_s: float = 600.0
    target: Target = field(default_factory=Local)
    told: Progress = progress.ignore
    python: str | None = None
    originals: Mapping[str, bytes | None] = field(default_factory=dict)


HERE = Running()
"""On this machine, as long as a run may take."""


@frozen
class Watching:
    """What is looked at in a run of a program, beside the functions that fixes rewrite.

    Attributes:
      compared: (module, qualified name) of functions that no fix rewrites, and whose results are compared too.
      steps: calls of rewritten functions after which a run is ended; None runs the program to its end.
      paced: whether a warm call of each rewritten function is timed beside its original.
      passing: names of functions whose fixes have them pass constants on: their warm calls are timed as they are.
      checks_keys: whether jax raises where a random key is used twice.
      is_of_fixes: whether fixes made the changes: a variable that these bind less often has no reader, and is not
        compared where its function ends.
    """

    compared: Sequence[tuple[str, str]] = ()
    steps: int | None = None
    paced: bool = False
    passing: Collection[str] = ()
    checks_keys: bool = False
    is_of_fixes: bool = True


FUNCTIONS_ALONE = Watching()
"""Nothing but the functions that fixes rewrite."""


@frozen
class Driving:
    """Where, how long and with what optimizers are driven.

    Attributes:
      workers: cases that run at the same time in one job; None takes as many as the processors and the memory of this
        machine allow, and one elsewhere.
      most: factories that are driven for each function; those that it is named after come first, then those that are
        driven for another one already, then by name.
      case_limit_s: for one case.
      factory_limit_s: for building one factory and tracing one step of it.
      everything: whether every factory is driven that can be, and not only those that reach one of the functions.
      loops: the dtypes in which updates also run in the body of a `lax.fori_loop`, as they must if types of a state
        are rewritten.
      told: how far a measurement is.
    """

    workers: int | None = None
    most: int = 3
    case_limit_s: float = 120.0
    factory_limit_s: float = 60.0
    everything: bool = False
    loops: Sequence[str] = ()
    target: Target = field(default_factory=Local)
    told: Progress = progress.ignore


AS_USUAL = Driving()
"""On this machine, those that reach one of the functions."""
