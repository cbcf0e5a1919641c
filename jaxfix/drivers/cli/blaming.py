"""Which codemods cure compiles that this very process has made."""

from collections.abc import Sequence

from jaxfix import __version__
from jaxfix.drivers.cli.trace import cures_of
from jaxfix.drivers.workflow.traces import from_here, traced
from jaxfix.render.excess import Cures
from jaxfix.report.measurement import Compile, Measurement
from jaxfix.report.trace.compiles import Compiled
from jaxfix.source.errors import JaxfixError


def blamed(compiles: Sequence[Compile]) -> tuple[tuple[Compile, ...], Cures]:
    """The compiles as they are named from here, and what cures them, by line and program."""
    measured = from_here(Measurement("", None, tuple(compiles), 0, (), (), "", (), {}, 0, None))
    try:
        found = cures_of(traced(measured, (), __version__))
    except JaxfixError:  # what is counted is without it
        found = {}
    return measured.compiles, {
        (row.where, row.program): cure for row, cure in found.items() if isinstance(row, Compiled)
    }
