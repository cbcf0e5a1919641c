"""Remedies to apply by hand: one line each, with the present cost."""

import re
from collections.abc import Container, Iterable, Iterator, Mapping

from jaxfix.report.measurement import Kind, Measurement, Spent
from jaxfix.report.trace.cause import Why
from jaxfix.report.trace.compiles import Compiled, compiled
from jaxfix.report.trace.held import Held, held
from jaxfix.report.trace.hot import SHARE, Hot, Work, hot
from jaxfix.report.trace.noted import Note
from jaxfix.report.trace.spending import in_each
from jaxfix.source.frozen import frozen

_MANY_READS = 4
"""In a step: so many are elements of one array."""
_OF_IMPORTS = 100
"""Programs that imports and the set-up of a script run, each about once, at the top of a file."""
_FIRST_SHARE = 0.25
"""Of the run: first compiles that take less are not worth a cache on the disk."""
_RECOMPILES: Mapping[Why, str] = {
    Why.FUNCTION: "create the function once, outside its caller",
    Why.PARAMETER: "pass the number as an array",
    Why.WEAK_TYPE: "start with the dtype that comes back: `jnp.asarray(x, dtype)`",
    Why.DTYPE: "start with the dtype that comes back: `jnp.asarray(x, dtype)`",
    Why.SHAPE: "pad to one shape, or to a few",
    Why.SHARDING: "place the first value like the later ones: `jax.device_put`",
    Why.STRUCTURE: "pass containers of the same keys and lengths",
    Why.CONSTANT: "pass the array as an argument",
    Why.CONTEXT: "set the configuration once, before the loop",
}


_NUMBER = re.compile(r"-?[\d.]+(e[-+]?\d+)?j?")
_KEPT = "let jax keep its programs: `jax.clear_caches`, or a cache that is full, has dropped some"
_CPU = "cpu"


@frozen
class Todo:
    """One line of advice.

    Attributes:
      seconds: that it is about.
      about: the region or the row; None for the whole run.
    """

    words: str
    seconds: float
    about: Hot | Compiled | None


def todos(measurement: Measurement, cured: Container[Compiled | Spent]) -> tuple[Todo, ...]:
    """Advice on what takes more than 1 % of the run and is not `cured`, most seconds first."""
    if not measurement.seconds:
        return ()
    rows = compiled(measurement.compiles)
    found = [
        Todo(advice(region, measurement), region.seconds, region)
        for region in hot(measurement)
        if not _ran_once(region) and not any(line in cured for line in region.lines)
    ]
    for row in rows:
        words = _recompiles(row)
        if words is not None and row.lost_s >= SHARE * measurement.seconds and row not in cured:
            again = f"{row.again} repeated compile{_plural(row.again)}"
            of = f"{again}, {row.lost_s:.1f} of {measurement.seconds:.1f} s"
            found.append(Todo(f"{row.where}, `{row.program}`: {words}: {of}", row.lost_s, row))
    dropped = [row for row in rows if row.cause is not None and row.why is Why.UNKNOWN and row not in cured]
    lost, count = sum(row.lost_s for row in dropped), sum(row.again for row in dropped)
    if dropped and lost >= SHARE * measurement.seconds:
        of = f"{count} repeated compile{_plural(count)}, {lost:.1f} of {measurement.seconds:.1f} s"
        found.append(Todo(f"{_KEPT}: {of}", lost, None))
    first = sum(row.seconds - row.lost_s for row in rows)
    if first >= _FIRST_SHARE * measurement.seconds and not any(row.cached for row in rows):
        of = f"first compiles, {first:.1f} of {measurement.seconds:.1f} s"
        found.append(Todo(f"keep compiled programs between runs: set `JAX_COMPILATION_CACHE_DIR`: {of}", first, None))
    contents = held(measurement.compiles)
    found += [todo for todo in _of_loops(contents, measurement) if todo.seconds >= SHARE * measurement.seconds]
    return (*sorted(found, key=lambda todo: -todo.seconds), *_of_programs(contents, measurement))


def _recompiles(row: Compiled) -> str | None:
    """The remedy for repeated compiles; a static argument may be a number, a shape and the like, or an object."""
    if row.why is not Why.STATIC or row.cause is None:
        return _RECOMPILES.get(row.why)
    before, after = row.cause.before or "", row.cause.after or ""
    if before == after:
        return "pass the same object each time"
    is_number = _NUMBER.fullmatch(before) and _NUMBER.fullmatch(after)
    return "pass it as an array" if is_number else "pass few different values: each compiles"


def _ran_once(region: Hot) -> bool:
    """Whether the lines ran each program about once: one `jit` would compile as long."""
    most = max(len(region.lines), _OF_IMPORTS if region.function == "<module>" else 0)
    return region.kind is Work.EAGER and region.per_step is None and region.programs <= most


def _of_loops(contents: Iterable[Held], measurement: Measurement) -> Iterator[Todo]:
    """Loops that traces unroll: of each function in one program the lines that are repeated, and the fewest times."""
    groups: dict[tuple[object, ...], list[Held]] = {}
    for each in contents:
        if each.noted.note is Note.UNROLLED:
            key = each.noted.path, each.noted.cell, each.noted.function, each.program, each.of
            groups.setdefault(key, []).append(each)
    for (_, _, function, program, _), some in groups.items():
        first, last = (pick(some, key=lambda each: each.noted.line).noted for pick in (min, max))
        times, seconds = min(int(each.noted.what) for each in some), max(each.seconds for each in some)
        lines = f"line {first.where}" if first == last else f"lines {first.where}-{last.line}"
        of = f"{seconds:.1f} of {measurement.seconds:.1f} s"
        words = f"make the loop in {lines} (`{function}`) a `jax.lax.scan`: `{program}` holds it {times} times"
        yield Todo(f"{words}, {of}", seconds, None)


def _of_programs(contents: Iterable[Held], measurement: Measurement) -> Iterator[Todo]:
    """Expensive work in what was compiled: no line shows how long it takes."""
    for each in contents:
        noted, program = each.noted, f"`{each.program}`"
        size = f"`{noted.what}` ({noted.bytes / 1e6:.0f} MB)"
        match noted.note:
            case Note.STACKED:
                words = f"return {size} once, beside the scan: {program} stacks it, the same in each iteration"
            case Note.ONE_HOT:
                words = f"take rows by index, if all are in range: {program} multiplies by a one-hot {size}"
            case Note.BOTH_BRANCHES:
                words = f"map this `cond` with `lax.map`, or sort items by branch: {program} runs both, {noted.what}"
            case Note.CALLBACK if each.is_of_steps:
                words = f"remove `{noted.what}`: each run of {program} calls the host"
            case Note.FLOAT32_PRODUCTS if each.is_of_steps and _is_fast_in_bfloat16(measurement):
                words = f"try `bfloat16` for what is multiplied, not for sums: {program} does {noted.what}, in float32"
            case _:
                continue
        yield Todo(f"{noted.where}: {words}", 0.0, None)


def _is_fast_in_bfloat16(measurement: Measurement) -> bool:
    """Whether the device has units for narrow products: a CPU mostly has none."""
    return measurement.environment is not None and measurement.environment.device != _CPU


def advice(region: Hot, measurement: Measurement) -> str:
    """The remedy to apply by hand, in one line with its present cost."""
    of = f"{region.seconds:.1f} of {measurement.seconds:.1f} s"
    if region.kind is Work.EAGER:
        how_often = _often(region.programs, region.per_step, "program")
        return f"put {_lines(region)} under one `jax.jit`: {how_often} run one by one, {of}"
    reads = in_each(region.reads, measurement) if region.per_step is not None else float(region.reads)
    by = {kind: sum(line.seconds for line in region.lines if line.kind is kind) for kind in Kind}
    main = max((Kind.READ, Kind.PUT, Kind.WAIT), key=lambda kind: by[kind])
    if main is Kind.READ and (reads or 0) >= _MANY_READS:
        how_often = _often(region.reads, region.per_step, "read")
        return f"copy the array once, with `np.asarray` before {_lines(region)}: {how_often}, {of}"
    if main is Kind.READ:
        how_often = _often(region.reads, region.per_step, "read")
        return f"read less often in {_lines(region)}: {how_often}, {of}, {region.waited_s:.1f} s of it waiting"
    if main is Kind.PUT:
        how_often = _often(region.puts, region.per_step, "put")
        return f"put the data on the device once, before the loop, not in {_lines(region)}: {how_often}, {of}"
    return f"wait for the device only where it is timed, in {_lines(region)}: {of} of waiting"


def _often(count: int, per_step: float | None, noun: str) -> str:
    if per_step is None:
        return f"{count:,} {noun}{_plural(count)}"
    if round(per_step) < 1:
        return f"{count:,} {noun}{_plural(count)}, less than one a step"
    return f"{per_step:,.0f} {noun}{_plural(round(per_step))} a step"


def _plural(count: int) -> str:
    return "" if count == 1 else "s"


def _lines(region: Hot) -> str:
    which = f"line {region.first}" if region.first == region.last else f"lines {region.first}-{region.last}"
    cell = f" of cell {region.cell}" if region.cell is not None else ""
    function = f" (`{region.function}`)" if region.function != "<module>" else ""
    return f"{which}{cell} of {region.path}{function}"
