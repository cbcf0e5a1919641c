"""What a finding has to do with: where its line is run repeatedly."""

import ast
from collections.abc import Sequence

from jaxfix.report.report import Related
from jaxfix.report.trace.compiles import places
from jaxfix.semantic.module import Module
from jaxfix.semantic.project.query import REPEATS, RUNS_EAGERLY, USERS
from jaxfix.semantic.project.summary_types import Use
from jaxfix.staging.contexts import Staging

_ON_THE_WAY = "by way of this call"


def related(module: Module, node: ast.AST) -> tuple[Related, ...]:
    """The calls that lead to `node`, the nearest first, then what repeats them: in its file, else in others."""
    way = module.get(Staging).round_about(node)
    if not way:
        return _elsewhere(module, node)
    loop = _place(module, way[-1], "it is run again in each iteration of this loop")
    return (*(_place(module, each, _ON_THE_WAY) for each in way[:-1]), loop)


def _place(module: Module, node: ast.AST, message: str) -> Related:
    """The node; of a loop its head."""
    span, lines, source = module.span(node), module.source.lines, module.source
    head = getattr(node, "iter", None) or getattr(node, "test", None)
    end = module.span(head).end if isinstance(head, ast.expr) else span.end
    cell, line = source.place(lines.line(span.start))
    return Related(line, lines.column(span.start), source.place(lines.line(end))[1], lines.column(end), message, cell)


def _elsewhere(module: Module, node: ast.AST) -> tuple[Related, ...]:
    project = module.surroundings.project
    waiting: list[tuple[str, tuple[str, ...]]] = [(way.name, ()) for way in module.get(Staging).through(node)]
    met = set()
    for name, way in waiting:  # grows: the shortest way is found first
        if name in met or name.startswith("."):  # that may be a method of another class
            continue
        if not project.ask(REPEATS, name):
            continue
        met.add(name)
        uses = project.ask(USERS, name)
        for use in sorted(uses, key=_file):
            if use.is_test or not use.at:
                continue
            around = [each for each in use.through if project.ask(RUNS_EAGERLY, each.name)]
            if use.repeats or any(each.repeats for each in around):
                return _lines((*way, use.at))
            waiting += [(each.name, (*way, use.at)) for each in around]
    return ()


def _file(use: Use) -> str:
    return use.at.rpartition(":")[0]


def _lines(way: Sequence[str]) -> tuple[Related, ...]:
    """Lines of other files, such as `train.py:12`; nothing else is known of them."""
    messages = [*(_ON_THE_WAY for _ in way[:-1]), "it runs repeatedly here"]
    found = places(f"{at} in a file" for at in way)
    return tuple(Related(p.line, 1, p.line, 1, said, p.cell, p.path) for p, said in zip(found, messages, strict=True))
