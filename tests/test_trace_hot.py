"""What a run was long in beside compiling: sums, regions of lines, and what to do by hand."""

from dataclasses import replace

import pytest

from jaxfix.engine.warm import regions
from jaxfix.report.measurement import Compile, Kind, Measurement, Spent, Step
from jaxfix.report.trace.by_hand import advice, todos
from jaxfix.report.trace.cause import Cause, Why
from jaxfix.report.trace.compiles import compiled
from jaxfix.report.trace.hot import Hot, Work, hot
from jaxfix.report.trace.spending import shares, spent
from jaxfix.report.trace.trace_file import TracedSource
from jaxfix.source.source_file import SourceFile

STEPS = tuple(Step(0, 0, 10**8, 0.1) for _ in range(10))


def line(kind: Kind, count: int, seconds: float, *chain: str, names: tuple[str, ...] = ("add",)) -> Spent:
    """An entry of the steps; the chain begins at its own line, as `line function`."""
    whole = tuple(f"a.py:{each.replace(' ', ' in ')}" for each in chain)
    number, function = chain[0].split()
    return Spent(kind, "a.py", int(number), function, whole, names, count, count, seconds)


def measured(*entries: Spent, steps: tuple[Step, ...] = STEPS, seconds: float = 10.0) -> Measurement:
    whole = Measurement("c", None, (), 0, steps, (), "", (), {}, 10**8, None, where_steps="a.py:9")
    return replace(whole, spent=entries, seconds=seconds)


def only(found: Measurement) -> tuple[Hot, str]:
    (region,) = hot(found)
    return region, advice(region, found)


def test_an_update_is_told_where_its_parts_meet() -> None:
    found = measured(
        line(Kind.EAGER, 40, 2.0, "5 mean.<locals>.<listcomp>", "5 mean", "11 train", "20 <module>"),
        line(Kind.EAGER, 80, 1.0, "7 update", "12 train", "20 <module>"),
        line(Kind.EAGER, 10, 0.05, "20 <module>"),
    )
    region, told = only(found)
    assert (region.function, region.first, region.last, region.programs) == ("train", 11, 12, 120)
    assert (
        told
        == "put lines 11-12 of a.py (`train`) under one `jax.jit`: 12 programs a step run one by one, 3.0 of 10.0 s"
    )


def test_lambdas_are_part_of_the_function_around_them() -> None:
    found = measured(
        line(Kind.EAGER, 40, 2.0, "12 <lambda>", "11 <module>"), line(Kind.EAGER, 40, 2.0, "15 <lambda>", "14 <module>")
    )
    region, _ = only(found)
    assert (region.function, region.first, region.last) == ("<module>", 11, 15)


def test_elements_that_are_read_one_by_one_are_one_transfer() -> None:
    found = measured(
        line(
            Kind.EAGER, 12000, 3.0, "8 show.<locals>.<genexpr>", "7 show", "20 main", names=("dynamic_slice", "squeeze")
        ),
        line(Kind.EAGER, 4000, 1.0, "5 show.<locals>.one", "8 show.<locals>.<genexpr>", "7 show", "20 main"),
        line(
            Kind.READ,
            4000,
            1.0,
            "5 show.<locals>.one",
            "8 show.<locals>.<genexpr>",
            "7 show",
            "20 main",
            names=("bool",),
        ),
    )
    region, told = only(found)
    assert (region.kind, region.function, region.first, region.last) == (Work.TRANSFER, "show", 7, 8)
    assert told == (
        "copy the array once, with `np.asarray` before lines 7-8 of a.py (`show`): 400 reads a step, 5.0 of 10.0 s"
    )


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        (
            replace(line(Kind.READ, 10, 2.0, "9 f"), waited_s=1.9),
            "read less often in line 9 of a.py (`f`): 1 read a step",
        ),
        (
            line(Kind.PUT, 20, 2.0, "9 f"),
            "put the data on the device once, before the loop, not in line 9 of a.py (`f`): 2 puts a step",
        ),
        (line(Kind.WAIT, 10, 2.0, "9 f"), "wait for the device only where it is timed, in line 9"),
    ],
    ids=["read", "put", "wait"],
)
def test_each_transfer_says_what_to_do(entry: Spent, told: str) -> None:
    assert only(measured(entry))[1].startswith(told)


def test_what_takes_little_is_not_told() -> None:
    assert not hot(measured(line(Kind.EAGER, 400, 0.09, "9 f")))
    setup = replace(line(Kind.EAGER, 40, 0.4, "3 <module>"), in_steps=None)
    assert not hot(measured(setup))
    assert "40 programs run one by one" in only(measured(setup, steps=()))[1]


def test_the_parts_of_a_run_add_up() -> None:
    compiled = Compile("a.py", 3, "f", ("a.py:3 in f",), "add", None, 2.0)
    found = replace(
        measured(
            line(Kind.EAGER, 10, 1.0, "9 f"),
            replace(line(Kind.READ, 10, 1.5, "9 f"), waited_s=1.0),
            line(Kind.OWN, 0, 3.0, "9 f"),
            line(Kind.TRACING, 0, 2.1, "3 f"),
        ),
        compiles=(compiled,),
    )
    whole = shares(found, 0.5)
    assert whole is not None
    parts = (whole.compiling_s, whole.eager_s, whole.read_s, whole.put_s, whole.wait_s, whole.rest_s)
    assert parts == (2.0, 1.0, 1.5, 0.0, 0.0, 5.5) and sum(parts) == whole.run_s == 10.0
    assert Kind.TRACING not in {entry.kind for entry in spent(found)}  # it compiled


def test_tracing_without_a_compile_is_told() -> None:
    (entry,) = spent(measured(line(Kind.TRACING, 0, 2.1, "3 f")))
    assert entry.seconds == 2.1


def test_lines_of_several_processes_are_one() -> None:
    (entry,) = spent(measured(*(replace(line(Kind.EAGER, 10, 1.0, "9 f"), process=n) for n in (0, 1))))
    assert (entry.count, entry.in_steps, entry.seconds) == (20, 20, 2.0)


def test_of_an_older_trace_nothing_is_made_up() -> None:
    older = measured(seconds=0.0)
    assert shares(older, 0.0) is None and not hot(older)


def test_recompiles_without_a_cure_say_what_to_do() -> None:
    ragged = Cause(Why.SHAPE, "shape of `x` float32[3] -> float32[5]")
    compiles = tuple(
        Compile("a.py", 3, "f", ("a.py:3 in f",), "jit(g)", cause, 1.0) for cause in (None, ragged, ragged)
    )
    found = replace(measured(), compiles=compiles)
    (todo,) = todos(found, ())
    assert todo.words == "a.py:3, `jit(g)`: pad to one shape, or to a few: 2 repeated compiles, 2.0 of 10.0 s"
    assert not todos(found, compiled(compiles))


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("2", "3", "pass it as an array"),
        ("-0.5", "1e-05", "pass it as an array"),
        ("(3, 3)", "(3)", "pass few different values: each compiles"),
        ("'mean'", "'sum'", "pass few different values: each compiles"),
        ("Config", "Config", "pass the same object each time"),
    ],
)
def test_a_static_argument_that_differs_is_cured_by_what_it_is(before: str, after: str, words: str) -> None:
    static = Cause(Why.STATIC, "static argument `shape` differs", "shape", before, after)
    compiles = tuple(
        Compile("a.py", 3, "f", ("a.py:3 in f",), "jit(g)", cause, 1.0) for cause in (None, static, static)
    )
    (todo,) = todos(replace(measured(), compiles=compiles), ())
    assert todo.words == f"a.py:3, `jit(g)`: {words}: 2 repeated compiles, 2.0 of 10.0 s"


def test_what_a_cache_has_dropped_is_one_line() -> None:
    dropped = Cause(Why.UNKNOWN, "no visible difference: evicted from a cache, or caches were cleared")
    compiles = tuple(
        Compile("a.py", line, "f", (f"a.py:{line} in f",), "jit(g)", cause, 0.5)
        for line in (3, 4)
        for cause in (None, dropped, dropped)
    )
    found = replace(measured(), compiles=compiles)
    (todo,) = todos(found, ())
    assert todo.words.startswith("let jax keep its programs: `jax.clear_caches`")
    assert todo.words.endswith(": 4 repeated compiles, 2.0 of 10.0 s")
    assert not todos(found, compiled(compiles))


def test_of_first_compiles_a_cache_is_told() -> None:
    compiles = tuple(Compile("a.py", n, "f", (f"a.py:{n} in f",), "add", None, 1.0) for n in range(5))
    (todo,) = todos(replace(measured(), compiles=compiles), ())
    assert todo.words.endswith("`JAX_COMPILATION_CACHE_DIR`: first compiles, 5.0 of 10.0 s")
    assert not todos(replace(measured(), compiles=tuple(replace(entry, cached=True) for entry in compiles)), ())


def test_a_region_and_its_callers_move_with_their_lines() -> None:
    found = measured(*(line(Kind.EAGER, 40, 2.0, f"{n} update", "5 <module>") for n in (1, 2)))
    (region,) = hot(found)
    text = "x = 1\ny = 2\n\n\nfor batch in data: update()\n"
    traced = TracedSource("", {str(n): each for n, each in enumerate(text.splitlines(), 1)})
    (now,) = regions([region], "a.py", traced, SourceFile.decode("a.py", f"import a\n{text}".encode()))
    assert (now.first, now.last, [place.line for place in now.chain]) == (2, 3, [6])


@pytest.mark.parametrize(("count", "is_advised"), [(1, False), (2, True)])
def test_lines_that_run_one_program_once_are_left_alone(count: int, *, is_advised: bool) -> None:
    lines = (line(Kind.EAGER, count, 1.0, f"{number} fit") for number in (3, 9))
    found = measured(*(replace(each, in_steps=None) for each in lines))
    assert bool(todos(found, ())) is is_advised
