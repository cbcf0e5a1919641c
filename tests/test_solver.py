"""Least fixpoints: the same as those of the plain iteration, whoever asks first, and in bounded time and depth."""

import gc
from collections.abc import Callable
from functools import reduce
from operator import or_

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxfix.dataflow.solver import Lattice, Solver

Values = frozenset[int]
# of each key what it adds, and of each key that it depends on the values that pass
Graph = dict[int, tuple[Values, dict[int, Values]]]
SETS: Lattice[Values] = Lattice(frozenset(), or_, frozenset({-1}))
KEYS = st.integers(0, 9)
SOME = st.frozensets(st.integers(0, 4))
GRAPHS = st.fixed_dictionaries({key: st.tuples(SOME, st.dictionaries(KEYS, SOME, max_size=4)) for key in range(10)})


def transfer(graph: Graph, value: Callable[[int], Values], key: int) -> Values:
    own, needed = graph[key]
    return reduce(or_, (value(other) & passing for other, passing in needed.items()), own)


def solver(graph: Graph, **options: int) -> Solver[int, Values]:
    made: Solver[int, Values] = Solver(lambda key: transfer(graph, made, key), SETS, **options)
    return made


def naive(graph: Graph) -> dict[int, Values]:
    values = dict.fromkeys(graph, SETS.bottom)
    while (after := {key: transfer(graph, values.__getitem__, key) for key in graph}) != values:
        values = after
    return values


@given(GRAPHS, st.permutations(range(10)), st.integers(1, 12))
def test_it_is_the_least_fixpoint_whoever_asks_first_and_however_deep(
    graph: Graph, order: list[int], nested: int
) -> None:
    solve = solver(graph, nested=nested)
    assert {key: solve(key) for key in order} == naive(graph)


def reached(graph: Graph, key: int) -> set[int]:
    """What a key depends on, itself included."""
    found = [key]
    for each in found:
        found += [other for other in graph[each][1] if other not in found]
    return {*found}


@given(GRAPHS, st.permutations(range(10)), st.integers(0, 12), st.integers(1, 12))
def test_what_depends_on_more_than_the_budget_is_unknown_and_all_else_right_whoever_asks_first(
    graph: Graph, order: list[int], budget: int, nested: int
) -> None:
    solve, least = solver(graph, budget=budget, nested=nested), naive(graph)
    expected = {key: least[key] if len(reached(graph, key)) <= budget else SETS.unknown for key in graph}
    assert {key: solve(key) for key in order} == expected
    assert {key: solve(key) for key in order} == expected


def test_a_large_question_costs_its_budget_and_small_ones_beside_it_no_more_than_before() -> None:
    everything = frozenset(range(3))
    graph: Graph = {key: (frozenset({key % 3}), {key + 1: everything}) for key in range(5000)}
    graph[5000] = (frozenset(), {})
    solve = solver(graph, budget=1000)
    assert solve(0) == SETS.unknown and solve.steps <= 1000
    assert {solve(key) for key in range(4100, 4990)} == {everything}
    before = solve.steps
    assert solve(0) == SETS.unknown and solve.steps == before < 3000


@given(GRAPHS, st.permutations(range(10)), st.integers(1, 20))
def test_after_an_error_in_a_transfer_function_the_answers_are_the_same(
    graph: Graph, order: list[int], calls: int
) -> None:
    def fails_once(key: int) -> Values:
        nonlocal calls
        calls -= 1
        if calls == 0:
            raise KeyError(key)
        return transfer(graph, solve, key)

    solve: Solver[int, Values] = Solver(fails_once, SETS)
    for key in order:
        try:
            found = solve(key)
        except KeyError:
            found = solve(key)
        assert found == naive(graph)[key]


def test_what_is_asked_for_may_depend_on_what_is_known() -> None:
    """Only once the cycle of 1 and 2 has grown is 3 asked for, which belongs to it."""

    def grown(key: int) -> Values:
        if key == 3:
            return solve(1) | {3}
        return frozenset({key}) | solve(3 - key) | (solve(3) if 2 in solve(1) else frozenset())

    solve: Solver[int, Values] = Solver(grown, SETS)
    assert solve(3) == solve(1) == solve(2) == {1, 2, 3}


def test_a_solver_is_let_go_without_the_collector_of_cycles() -> None:
    class Owner:
        def __init__(self) -> None:
            self.solve: Solver[int, Values] = Solver(self.transfer, SETS)

        def transfer(self, key: int) -> Values:
            return frozenset({key}) | self.solve((key + 1) % 9)

    gc.collect()
    gc.disable()
    try:
        assert len(Owner().solve(0)) == 9
        assert gc.collect() == 0
    finally:
        gc.enable()


@pytest.mark.parametrize("first", [0, 2500, 4999])
@pytest.mark.parametrize("is_cycle", [False, True])
def test_a_chain_and_a_cycle_of_any_length_are_solved_in_linear_time(first: int, *, is_cycle: bool) -> None:
    graph = {key: (frozenset({key % 3}), {key + 1: frozenset(range(3))}) for key in range(5000)}
    graph[4999] = (frozenset({7}), {0: frozenset(range(3))} if is_cycle else {})
    solve = solver(graph)
    assert solve(first) >= {0, 1, 2} or first == 4999
    assert solve(4999) == ({7, 0, 1, 2} if is_cycle else {7})
    assert solve.steps < 6 * len(graph)


def test_layers_that_all_use_all_of_the_layer_below_take_one_step_each() -> None:
    everything = frozenset(range(3))
    graph = {
        key: (frozenset({key % 3}), dict.fromkeys(range(key - key % 3 - 3, key - key % 3), everything))
        for key in range(3, 60)
    } | {key: (frozenset(), {}) for key in range(3)}
    solve = solver(graph, nested=100)
    assert solve(59) == everything
    assert solve.steps <= 60
