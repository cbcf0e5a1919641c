"""Counts what the structure of a checkout of jaxfix is made of, by its syntax trees.

    python -m benchmarks.house .                    # the figures of this checkout
    python -m benchmarks.house BEFORE AFTER         # side by side
    python -m benchmarks.house BEFORE AFTER --page  # the same, written into the page of the decision

A checkout of another commit comes from `git worktree add BEFORE COMMIT`.
"""

import argparse
import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs" / "decisions" / "0028-ten-rooms.md"
ROOMS = (
    *("source", "library", "syntax", "report", "semantic"),
    *("staging", "dataflow", "effects", "motion", "summary"),
)
LONG = 400
"""Lines that a file of the rooms may have."""
MANY = 5
"""Parameters that a function may have."""
_BEGIN, _END = "<!-- figures -->", "<!-- end of figures -->"
_NAME = re.compile(r"[A-Za-z_]\w*(\.\w+)*")
_BOUND = re.compile(r"_?([A-Z]+_)*(STEPS|DEPTH|DEEPEST|NESTED)")
_LIMIT = re.compile(r"MOST_[A-Z]+")
"""Those of `jaxfix.dataflow.budget`."""
_COUNTED_DOWN = frozenset({"asked", "budget", "depth", "fuel", "seen", "steps", "visited"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Source:
    """One file: its module name, its lines, its tree."""

    name: str
    lines: int
    tree: ast.Module

    @property
    def is_middle(self) -> bool:
        """Whether it holds analyses: one of the ten rooms, or `core`, which they replaced."""
        parts = self.name.split(".")
        return parts[0] == "jaxfix" and len(parts) > 1 and parts[1] in (*ROOMS, "core")

    @cached_property
    def functions(self) -> tuple[ast.FunctionDef | ast.AsyncFunctionDef, ...]:
        return tuple(node for node in ast.walk(self.tree) if isinstance(node, _FUNCTIONS))


class House:
    """The sources of a checkout: `jaxfix` and `codemods/jaxfix_codemods`."""

    def __init__(self, root: Path) -> None:
        self.sources = tuple(_sources(root))
        self.middle = tuple(source for source in self.sources if source.is_middle)
        self.analyses = tuple(s for s in self.sources if s.is_middle or s.name.startswith("jaxfix_codemods"))

    def files(self) -> str:
        return _files(self.sources)

    def middle_files(self) -> str:
        return _files(self.middle)

    def largest(self) -> str:
        found = sorted(self.middle, key=lambda source: (-source.lines, source.name))[:3]
        return ", ".join(f"`{source.name.partition('.')[2]}` {source.lines}" for source in found)

    def long_files(self) -> str:
        return str(sum(source.lines > LONG for source in self.middle))

    def model_methods(self) -> str:
        return str(len({node.name for node in self._model if isinstance(node, _FUNCTIONS)}))

    def model_names(self) -> str:
        """Public methods, properties, and attributes that the constructor sets."""
        methods = {node.name for node in self._model if isinstance(node, _FUNCTIONS)}
        stored = {
            node.attr
            for entry in self._model
            if isinstance(entry, ast.FunctionDef) and entry.name == "__init__"
            for node in ast.walk(entry)
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
        }
        return str(sum(not name.startswith("_") for name in methods | stored))

    @cached_property
    def _model(self) -> list[ast.stmt]:
        classes = (node for source in self.middle for node in source.tree.body if isinstance(node, ast.ClassDef))
        return next(node.body for node in classes if node.name == "Module")

    def name_tables(self) -> str:
        found = [(source, list(_tables(source.tree))) for source in self.analyses]
        outside = [(source, tables) for source, tables in found if tables and not _is_library(source)]
        names = sum(len(table) for _, tables in outside for table in tables)
        return f"{sum(len(tables) for _, tables in outside)} with {names} names in {len(outside)} files"

    def guards(self) -> str:
        found = [(source, sum(map(_is_guarded, source.functions))) for source in self.analyses]
        guarded = [count for _, count in found if count]
        return f"{sum(guarded)} functions in {len(guarded)} files"

    def limited(self) -> str:
        return str(sum(_has_limit(function) for source in self.analyses for function in source.functions))

    def exceptions(self) -> str:
        classes = [node for source in self.analyses for node in ast.walk(source.tree) if isinstance(node, ast.ClassDef)]
        raised = {"Exception", "ValueError", "RuntimeError", "JaxfixError"}
        while more := {node.name for node in classes if not raised.isdisjoint(map(_last, node.bases))} - raised:
            raised |= more
        return str(sum(node.name in raised for node in classes))

    def middle_cycles(self) -> str:
        return _cycles(self.middle)

    def cycles(self) -> str:
        return _cycles(self.sources)

    def many_parameters(self) -> str:
        found = [_parameters(function) for source in self.sources for function in source.functions]
        return f"{sum(count > MANY for count in found)}, at most {max(found)}"

    def type_checking(self) -> str:
        return str(sum(any(_is_for_types(node) for node in source.tree.body) for source in self.sources))


FIGURES: Mapping[str, Callable[[House], str]] = {
    "files and lines, all": House.files,
    "files and lines, analyses (`core`, now the ten rooms)": House.middle_files,
    "the largest of these, in lines": House.largest,
    f"of these over {LONG} lines": House.long_files,
    "methods of `Module`, private ones too": House.model_methods,
    "public names of `Module`, attributes too": House.model_names,
    "tables of names in analyses and codemods, `library` apart": House.name_tables,
    "functions that guard their own recursion": House.guards,
    "functions that ask a limit of the one budget": House.limited,
    "classes of exceptions in analyses and codemods": House.exceptions,
    "import cycles among the analyses, for types too": House.middle_cycles,
    "import cycles in all files, for types too": House.cycles,
    "files with `if TYPE_CHECKING`": House.type_checking,
    f"functions with more than {MANY} parameters": House.many_parameters,
}


def _sources(root: Path) -> Iterator[Source]:
    for base in (root / "jaxfix", root / "codemods" / "jaxfix_codemods"):
        for path in sorted(base.rglob("*.py")):
            parts = path.relative_to(base.parent).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            text = path.read_text()
            yield Source(name, len(text.splitlines()), ast.parse(text))


def _files(sources: tuple[Source, ...]) -> str:
    return f"{len(sources)} files, {sum(source.lines for source in sources):,} lines"


def _is_library(source: Source) -> bool:
    return source.name.startswith("jaxfix.library")


def _tables(tree: ast.Module) -> Iterator[list[str]]:
    """The names of each constant of the module that lists two or more, such as `{"jax.jit", "equinox.filter_jit"}`."""
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None and not _is_listing(node):
            found = [text for text in _strings(node.value) if _NAME.fullmatch(text)]
            if len(found) > 1:
                yield found


def _is_listing(node: ast.Assign | ast.AnnAssign) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return _last(targets[0]) == "__all__" or _is_codemod(node.value)


def _is_codemod(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Call) and _last(value.func) == "Codemod"


def _strings(value: ast.expr) -> Iterator[str]:
    """The strings in literals of sets, tuples, lists and dictionaries, also below `frozenset(...)` and operators."""
    match value:
        case ast.Constant(value=str(text)):
            yield text
        case ast.Set(elts=parts) | ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Call(args=parts):
            for part in parts:
                yield from _strings(part)
        case ast.Dict(keys=keys):
            for key in keys:
                if key is not None:
                    yield from _strings(key)
        case ast.BinOp(left=left, right=right):
            yield from _strings(left)
            yield from _strings(right)
        case ast.Starred(value=inner):
            yield from _strings(inner)


def _is_guarded(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether it counts its depth or its steps, or marks what is under way: what a solver does for all."""
    return _counts_down(function) or _marks(function) or _has_bound(function)


def _counts_down(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    given = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
    calls = (node for node in ast.walk(function) if isinstance(node, ast.Call))
    passed = {
        name.id for call in calls for part in _arguments(call) for name in ast.walk(part) if isinstance(name, ast.Name)
    }
    return any(parameter.arg in _COUNTED_DOWN & passed for parameter in given)


def _arguments(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _marks(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether it adds to a set, and takes out of it again."""
    touched: dict[str, set[str]] = {}
    for node in ast.walk(function):
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr=verb)) if verb in ("add", "discard", "remove"):
                touched.setdefault(ast.unparse(owner), set()).add(verb)
    return any("add" in verbs and len(verbs) > 1 for verbs in touched.values())


def _has_bound(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    compared = (part for node in ast.walk(function) if isinstance(node, ast.Compare) for part in ast.walk(node))
    return any(isinstance(part, ast.Name) and _BOUND.fullmatch(part.id) for part in compared)


def _has_limit(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(isinstance(node, ast.Name) and _LIMIT.fullmatch(node.id) for node in ast.walk(function))


def _last(node: ast.expr) -> str:
    return ast.unparse(node).rpartition(".")[2]


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    given = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
    return sum(parameter.arg not in ("self", "cls") for parameter in given)


def _is_for_types(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and _last(node.test) == "TYPE_CHECKING"


def _cycles(sources: tuple[Source, ...]) -> str:
    names = {source.name for source in sources}
    graph = {source.name: set(_imports(source.tree, names)) - {source.name} for source in sources}
    found = []
    while cycle := _cycle(graph):
        around = {name for name in graph if _reaches(graph, name, cycle) and _reaches(graph, cycle, name)}
        found.append(len(around))
        graph = {name: needed - around for name, needed in graph.items() if name not in around}
    return f"{len(found)} with {sum(found)} files" if found else "0"


def _cycle(graph: Mapping[str, set[str]]) -> str | None:
    """A module of some cycle."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return str(error.args[1][0])
    return None


def _reaches(graph: Mapping[str, set[str]], start: str, end: str) -> bool:
    seen, pending = {start}, [start]
    while pending:
        for name in graph[pending.pop()] - seen:
            seen.add(name)
            pending.append(name)
    return end in seen


def _imports(tree: ast.Module, names: set[str]) -> Iterator[str]:
    """Those of `names` that are imported; of a module that is taken from its package, the module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield from (name for name in (full if full in names else node.module,) if name in names)


def _table(houses: list[House]) -> Iterator[str]:
    heads = ("", "before", "after") if len(houses) > 1 else ("", "now")
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    for title, figure in FIGURES.items():
        yield f"| {title} | {' | '.join(figure(house) for house in houses)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkouts", nargs="+", type=Path)
    parser.add_argument("--page", action="store_true", help="write the table into the page of the decision")
    options = parser.parse_args()
    table = "\n".join(_table([House(root) for root in options.checkouts]))
    if options.page:
        before, rest = PAGE.read_text().split(_BEGIN)
        PAGE.write_text(f"{before}{_BEGIN}\n{table}\n{_END}{rest.split(_END)[1]}")
    print(table)


if __name__ == "__main__":
    main()
