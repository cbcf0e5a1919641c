"""Takes out the `jit` that fixes have added, so that the rest of them can be compared bitwise.

Each added `jit` is wrapped where it is: `@jax.jit` becomes `@...bare(jax.jit, "train.py:step")`, which calls the
function operation by operation and compares single steps with the jitted one (docs/decisions/0030).
"""

import ast
from collections import Counter
from collections.abc import Iterator, Mapping

from jaxfix.source.edits import Edit, Span
from jaxfix.source.errors import SourceError
from jaxfix.source.frozen import frozen
from jaxfix.source.source_file import SourceFile

_JITS = ("jit", "filter_jit")
_WRAPPER = '__import__("jaxfix_probe.bare", None, None, ["bare"]).bare'
Jit = tuple[str, ast.expr]
"""The name of what is jitted, and the expression that makes a jitted function of a plain one."""


@frozen
class Bare:
    """Sources without the `jit` that fixes have added.

    Attributes:
      sources: as a runner takes them.
      names: of what was jitted, as `path:qualified name`.
    """

    sources: Mapping[str, bytes]
    names: frozenset[str]


def bare(without: Mapping[str, bytes], with_it: Mapping[str, bytes]) -> Bare:
    """The sources of `with_it` without the `jit` that `without` has not; by path, whole."""
    sources, names = dict(with_it), set[str]()
    for path, content in with_it.items():
        if path not in without:
            continue
        try:
            old, new = (SourceFile.decode(path, text) for text in (without[path], content))
            jits = list(_added(old, new))
            edits = [Edit(span, _wrapped(new, span, f"{path}:{name}")) for name, span in jits]
            sources[path] = new.edited(edits).raw if edits else content
        except (SourceError, SyntaxError, ValueError):
            continue
        names |= {f"{path}:{name}" for name, _ in jits}
    return Bare(sources, frozenset(names))


def _wrapped(source: SourceFile, span: Span, name: str) -> str:
    maker = source.text[span.start : span.end].decode()
    return f'{_WRAPPER}({maker}, "{name}")'


def _added(old: SourceFile, new: SourceFile) -> Iterator[tuple[str, Span]]:
    """Each `jit` of `new` that `old` has not, by what it makes jitted."""
    known = Counter((name, ast.dump(maker)) for name, maker in _jits(ast.parse(old.text), ""))
    for name, maker in _jits(ast.parse(new.text), ""):
        if known[key := (name, ast.dump(maker))] > 0:
            known[key] -= 1
            continue
        assert maker.end_lineno is not None and maker.end_col_offset is not None
        start = new.lines.offset(maker.lineno, maker.col_offset)
        yield name, Span(start, new.lines.offset(maker.end_lineno, maker.end_col_offset))


def _jits(node: ast.AST, scope: str) -> Iterator[Jit]:
    makers: list[ast.expr] = []
    if isinstance(node, ast.FunctionDef):
        makers = [decorator for decorator in node.decorator_list if _is_maker(decorator)]
        yield from ((scope + node.name, maker) for maker in makers)
        scope = f"{scope}{node.name}.<locals>."
    elif isinstance(node, ast.ClassDef):
        scope = f"{scope}{node.name}."
    elif isinstance(node, ast.Call) and node.args and _is_jit(node.func):
        yield scope + ast.unparse(node.args[0]).replace('"', "'"), node.func
    for child in ast.iter_child_nodes(node):
        if child not in makers:
            yield from _jits(child, scope)


def _is_maker(node: ast.expr) -> bool:
    """Whether it is `jax.jit`, `partial(jax.jit, ...)` or `jax.jit(...)` without a function."""
    if not isinstance(node, ast.Call):
        return _is_jit(node)
    if ast.unparse(node.func).rpartition(".")[2] == "partial":
        return bool(node.args) and _is_jit(node.args[0])
    return not node.args and _is_jit(node.func)


def _is_jit(node: ast.expr) -> bool:
    return isinstance(node, ast.Name | ast.Attribute) and ast.unparse(node).rpartition(".")[2] in _JITS
