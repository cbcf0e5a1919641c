"""Recipes: what codemods ask of the rewriter."""

import ast
from collections.abc import Callable, Mapping
from typing import Protocol


class Rewriter(Protocol):
    """The verbs of a recipe; `jaxfix.rewrite.rewriter` implements them.

    Nodes are those of the module that the finding was made in. Text is written with `\\n` and the indentation
    that it has relative to its first line; the rewriter gives it the newlines, the indentation and the quotes of its
    place, and breaks lines that become too long. Parts of `module.text` may stand in it as they are.

    Verbs compose: what is changed inside a function that is hoisted is changed in the text that moves.

    Raises:
      SourceError: from any verb: the place cannot be rewritten, as inside an f-string.
    """

    def replace(self, node: ast.AST, text: str) -> None:
        """Replaces an expression or a statement."""

    def wrap(self, node: ast.expr, before: str, after: str) -> None:
        """Puts text around an expression, without changing it."""

    def insert_before(self, statement: ast.stmt, text: str, *, below_hoisted: bool = False) -> None:
        """Inserts statements before `statement` and the comments that belong to it, at its indentation.

        Definitions get the blank lines that are usual around them. With `below_hoisted` they stand below functions
        that are hoisted before `statement`, and can use them.
        """

    def insert_after(self, statement: ast.stmt, text: str) -> None:
        """Inserts statements after `statement`, at its indentation."""

    def delete(self, statement: ast.stmt) -> None:
        """Deletes a statement with its line, its comments apart; the last of a block becomes `pass`."""

    def take(self, statement: ast.stmt, replacements: Mapping[ast.AST, str]) -> str:
        """Deletes a statement with the comments beside and above it, and returns its lines, to be inserted elsewhere.

        Args:
          replacements: nodes inside of it, with the text that they have there.
        """
        ...

    def into_function(self, loop: ast.For, head: str, last: str, behind: str) -> None:
        """Makes a loop a function that is where it stood: its block stays unchanged, comments and all.

        Args:
          head: what stands for `for ... in ...:`, such as `def body(i, x):`.
          last: the last statement of the function.
          behind: statements that follow on it.
        """

    def set_keyword(self, call: ast.Call, name: str, value: str) -> None:
        """Adds the keyword argument, or changes its value if `call` has it."""

    def insert_argument(self, call: ast.Call, value: str, *, before: int | None = None) -> None:
        """Adds a positional argument before the one at the index `before`, by default after the last one."""

    def name_argument(self, call: ast.Call, argument: ast.expr | ast.keyword, name: str | None) -> None:
        """Gives an argument of `call` this name in place of the one that it has, if any; None makes it positional."""

    def decorate(self, function: ast.FunctionDef | ast.AsyncFunctionDef, expression: str) -> None:
        """Puts the decorator `@expression` above the definition, outside of those that it has."""

    def hoist(
        self,
        function: ast.FunctionDef | ast.AsyncFunctionDef,
        before: ast.stmt,
        name: str,
        parameters: tuple[str, ...] = (),
    ) -> None:
        """Moves the definition of `function`, comments and all, before the statement `before`, as `name`.

        Its body is re-indented, and calls itself `name`; `parameters` are added in front of its own. The old
        definition is deleted; its uses elsewhere are the recipe's to replace.
        Only the bytes of the definition and its indentation change.
        """

    def imported(self, qualname: str, *, prefer: str, at: ast.AST | None = None) -> str:
        """The local name of the module `qualname`; imports it as `prefer` unless the file already has a name for it.

        The name means the module at the node `at`; everywhere in the file if there is none.
        """
        ...

    def member(self, qualname: str, *, prefer: str, at: ast.AST | None = None) -> str:
        """The local name of a function of a module, such as `jit`; `jax.jit`, as `imported`, where there is none."""
        ...

    def rename_import(self, alias: ast.alias, qualname: str) -> None:
        """Has an import bind the name that it binds to what is imported as `qualname` instead.

        Uses of the name stay, and so do other names of the statement, its comments and its lines. Of `import a.b`,
        which binds `a`, the uses are the recipe's to replace.
        """

    def remove_import(self, alias: ast.alias) -> None:
        """Removes an imported name if this recipe makes it unused; keeps it where anything else may need it.

        That is code that the recipe leaves, a text such as an entry of `__all__`, a re-export, another file, a type
        checker, `# noqa`, or a `try` or an `if` around the import.
        """

    def helper(self, name: str, *, at: ast.AST | None = None) -> str:
        """The local name of the generated helper function `name`, such as `retrace`; imports it where it is not yet.

        The file that holds it is written beside the code, the same for every fix: see `jaxfix.rewrite.helpers`.

        Raises:
          SourceError: there is no place for that file.
        """
        ...


Recipe = Callable[[Rewriter], None]
