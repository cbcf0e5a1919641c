"""Trees with their indexes, of texts that are soon read again: by a second look, or for what they do with others."""

import ast

from jaxfix.syntax.index import Index

MOST = 2_000_000
"""Bytes of text: a tree with its index takes about forty times as much."""


class Kept:
    """Those of the first texts that there is room for; later ones are read once more."""

    def __init__(self) -> None:
        self._known: dict[bytes, tuple[ast.Module, Index]] = {}
        self._left = MOST

    def find(self, text: bytes) -> tuple[ast.Module, Index] | None:
        """The tree of `text`, and its index, if they are kept."""
        return self._known.get(text)

    def keep(self, text: bytes, tree: ast.Module, index: Index) -> None:
        """Keeps them, if there is room."""
        if len(text) <= self._left and text not in self._known:
            self._known[text] = tree, index
            self._left -= len(text)

    def clear(self) -> None:
        """Releases all of them."""
        self._known.clear()
        self._left = MOST


KEPT = Kept()
"""Of this process."""
