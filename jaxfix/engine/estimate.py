"""What a finding costs as far as its code shows, and what decides whether it costs that at all."""

import ast

from jaxfix.report.finding import Cost, Finding, Proves
from jaxfix.report.report import Related
from jaxfix.report.trace.cause import Why
from jaxfix.semantic.codemod import Codemod
from jaxfix.semantic.module import Module
from jaxfix.staging.contexts import Staging

_EAGER = "`{function}` is called eagerly in a loop"
_CERTAIN_IF = {
    Proves.FEWER_COMPILES: _EAGER,
    Proves.LESS_WORK: _EAGER,
    Proves.LESS_MEMORY: "memory is short at this call",
    Proves.SMALLER_PROGRAM: "`{function}` is traced, and the loop is long",
    Proves.FEWER_READS: "the loop runs eagerly, on an accelerator",
    Proves.SAME_RESULTS: "a version that the project runs with warns of it",
    Proves.SAME_ON_DEVICES: "the project moves off the old API",
    Proves.ERROR_CURED: "the line runs",
    Proves.CURED_ON_DEVICES: "the line runs",
    Proves.LESS_TEMPORARY: "`{function}` is differentiated, and memory is short",
    Proves.KEYS_USED_ONCE: "the numbers are meant to be independent",
}
COSTS = {
    Proves.FEWER_COMPILES: Cost.COMPILES,
    Proves.LESS_WORK: Cost.WORK,
    Proves.FEWER_READS: Cost.WORK,
    Proves.SMALLER_PROGRAM: Cost.COMPILE_TIME,
    Proves.LESS_DATA: Cost.COMPILE_TIME,
    Proves.LESS_MEMORY: Cost.MEMORY,
    Proves.ERROR_CURED: Cost.ERROR,
    Proves.CURED_ON_DEVICES: Cost.ERROR,
    Proves.LESS_TEMPORARY: Cost.MEMORY,
    Proves.KEYS_USED_ONCE: Cost.NUMBERS,
}
"""The kind of cost that a fix removes; None for fixes that only move to a newer API."""
_ONCE = frozenset({Why.WEAK_TYPE, Why.DTYPE})
"""Causes of a second compile: from then on the types stay."""


def certain_if(module: Module, codemod: Codemod, finding: Finding) -> str | None:
    """What would make a possible finding certain; None where nothing is known to."""
    if finding.certain_if is not None:
        return finding.certain_if
    words = _CERTAIN_IF.get(finding.proves or codemod.proves)
    function = module.path(finding.at).rpartition(".")[2]
    if words is not None and function == "<module>" and "{function}" in words:
        return "this line runs repeatedly"
    return words.format(function=function) if words is not None else None


def cost(codemod: Codemod, finding: Finding) -> Cost | None:
    """The kind of cost that the codemod finds; None where its cure gains nothing but a newer API."""
    gain = finding.proves or codemod.proves
    if gain is Proves.FEWER_COMPILES and codemod.relieves:
        return Cost.WORK
    if gain is Proves.FEWER_COMPILES and codemod.cures and _ONCE.issuperset(codemod.cures):
        return Cost.SECOND_COMPILE
    return COSTS.get(gain)


def loops(module: Module, node: ast.AST, related: tuple[Related, ...]) -> int:
    """How many nested loops repeat `node`: those around it and around the calls that lead to it, in its file.

    Args:
      related: where it is run repeatedly; a loop of another file counts as one.
    """
    way = module.get(Staging).round_about(node)
    nested = len(module.loops(node)) + sum(len(module.loops(call)) for call in way[:-1])
    return max(nested, 1) if related else nested
