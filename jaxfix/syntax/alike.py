"""Whether two expressions are written alike: the one comparison of spellings."""

import ast

_UNSAID = frozenset({"ctx", "kind", "type_comment"})
"""Fields that say nothing which both texts would not say in the same words."""


def is_alike(one: ast.AST, other: ast.AST) -> bool:
    """Whether two expressions have the same text, except spaces, comments, quotes and parentheses.

    What is in both may still be another thing in each: names are not resolved.

    Returns:
      True too where one is bound and the other is read.
    """
    pending: list[tuple[object, object]] = [(one, other)]
    for mine, theirs in pending:
        if type(mine) is not type(theirs):
            return False
        if isinstance(mine, ast.AST):
            fields = (field for field in mine._fields if field not in _UNSAID)
            pending += [(getattr(mine, field, None), getattr(theirs, field, None)) for field in fields]
        elif isinstance(mine, list) and isinstance(theirs, list):
            if len(mine) != len(theirs):
                return False
            pending += zip(mine, theirs, strict=True)
        elif repr(mine) != repr(theirs):  # of numbers: `0.0` is not `-0.0`
            return False
    return True
