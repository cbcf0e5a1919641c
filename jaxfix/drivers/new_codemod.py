"""The files that a new codemod begins with: each says what to write there, and fails until that is done."""

import ast
from collections.abc import Mapping
from pathlib import PurePosixPath
from textwrap import dedent

from jaxfix.source.edits import Edit, LineIndex, Span, apply_edits


def codemod(name: str) -> str:
    """The text of the module that defines the codemod `name`."""
    return _CODEMOD.replace("NAME", name)


def goldens(name: str) -> Mapping[PurePosixPath, str]:
    """The golden files of the codemod `name`, by their paths below its folder."""
    return {PurePosixPath(path): dedent(text).replace("NAME", name) for path, text in _GOLDENS.items()}


def registered(source: str, package: str, name: str) -> str | None:
    """The `__init__.py` of a pack with the codemod of the module `name` at the end of its tuple.

    That is one line where the pack has a tuple `MODULES` of the names of modules, and an import too where it has not.

    Returns:
      None where neither that nor a plain tuple `CODEMODS` is found to add it to.
    """
    tree, text = ast.parse(source), source.encode()
    place, named = _Places(text), _listed(tree, "MODULES")
    if named is not None:
        return apply_edits(text, [place.added(named, f'"{name}"')]).decode()
    listed = _listed(tree, "CODEMODS")
    if listed is None:
        return None
    taken = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == package]
    edits = [place.imported(taken[-1], name) if taken else place.import_below(tree, package, name)]
    edits.append(place.added(listed, f"{name}.CODEMOD"))
    return apply_edits(text, edits).decode()


def _listed(tree: ast.Module, name: str) -> ast.Tuple | None:
    """The tuple that the module binds to `name`."""
    for node in tree.body:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=bound)], value=ast.Tuple() as listed)
                | ast.AnnAssign(target=ast.Name(id=bound), value=ast.Tuple() as listed)
            ) if bound == name:
                return listed
    return None


class _Places:
    """Where further names go in a text."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._lines = LineIndex(text)
        self._newline = "\r\n" if b"\r\n" in text else "\n"

    def imported(self, statement: ast.ImportFrom, name: str) -> Edit:
        """`name` among the names of the statement, in their order."""
        later = next((alias for alias in statement.names if alias.name > name), None)
        if later is None:
            last = statement.names[-1]
            indent = self._indent(last)
            return _insertion(self._end(last), f", {name}" if indent is None else f",{self._newline}{indent}{name}")
        indent = self._indent(later)
        return _insertion(self._start(later), f"{name}, " if indent is None else f"{name},{self._newline}{indent}")

    def import_below(self, tree: ast.Module, package: str, name: str) -> Edit:
        last = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
        place = self._end(last[-1]) if last else 0
        text = f"from {package} import {name}"
        return _insertion(place, f"{self._newline}{text}" if last else f"{text}{self._newline * 2}")

    def added(self, listed: ast.Tuple, text: str) -> Edit:
        """`text` as the last element."""
        if not listed.elts:
            return Edit(Span(self._start(listed), self._end(listed)), f"({text},)")
        last = listed.elts[-1]
        indent = self._indent(last)
        if indent is None:
            return _insertion(self._end(last), f", {text}")
        return _insertion(self._end(last), f",{self._newline}{indent}{text}")

    def _indent(self, node: ast.expr | ast.alias) -> str | None:
        """The indentation of the line that `node` begins; None where it begins none."""
        start = self._start(node)
        before = self._text[self._lines.line_start(self._lines.line(start)) : start].decode()
        return before if not before.strip() else None

    def _start(self, node: ast.expr | ast.alias) -> int:
        return self._lines.offset(node.lineno, node.col_offset)

    def _end(self, node: ast.expr | ast.stmt | ast.alias) -> int:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self._lines.offset(node.end_lineno, node.end_col_offset)


def _insertion(offset: int, text: str) -> Edit:
    return Edit(Span(offset, offset), text)


_CODEMOD = '''\
"""What the line does, in one sentence.

Why that costs, in a paragraph: what happens, how often, and what was measured.

Before:
    before = "the code as people write it"

After:
    after = "what jaxfix makes of it"

Safety: safe, by which reasoning; or needs a rerun, and the concrete failure that it risks.

Evidence: what a rerun shows.

Source: where the facts come from, the first with its address: findings link to it.
"""

from collections.abc import Iterator

from jaxfix.api import Codemod, Equality, Finding, Module, Proves, Safety


def find(module: Module) -> Iterator[Finding]:
    """To write: ask `module.calls(...)`, `module.references(...)`, and yield a `Finding` for each place."""
    yield from ()


CODEMOD = Codemod(
    id="NAME",
    triggers=("jax.name_of_a_function",),
    safety=Safety.NEEDS_EVIDENCE,
    equality=Equality.BITWISE,
    find=find,
    proves=Proves.FEWER_COMPILES,
)
'''

_GOLDENS = {
    "basic.py": '''\
        """What is found and fixed, in every form that people write."""

        # placeholder: write lines that `NAME` fixes, each with the marker of the next line
        x = 1  # want: NAME
        ''',
    "declines.py": '''\
        """What is found and left alone, each line with a part of the reason."""

        # placeholder: write lines that `NAME` declines, or delete this file if it declines nothing
        x = 1  # want: NAME (no fix): part of the reason
        ''',
    "quiet.py": '''\
        """Look-alikes, in which nothing is found."""

        # placeholder: write code that looks like what `NAME` finds, and is not
        ''',
    "program.py": '''\
        """A program that runs within seconds, and that the fix improves as the codemod says."""

        # placeholder: write a program that shows what `NAME` proves
        print("the results")  # want: NAME
        ''',
}
