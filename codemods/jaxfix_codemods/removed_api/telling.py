"""What a finding says of a use of what is gone or going."""

import ast

from jaxfix.api import Confidence, Equality, Finding, Module, Proves, Reason, Recipe, Safety
from jaxfix.api.library import Keyword, Method, Name, Positional
from jaxfix_codemods.removed_api.fates import fate, is_gone
from jaxfix_codemods.removed_api.guards import is_caught


def certain(
    module: Module,
    at: ast.AST,
    message: str,
    title: str,
    row: Name | Keyword | Positional | Method,
    recipe: Recipe | None,
    declined: Reason | None,
    *,
    is_same: bool = True,
) -> Finding:
    """The finding; `is_same` says that the new code is the old one by another name, so that nothing can tell."""
    is_told = recipe is not None or is_gone(module, row)
    is_safe = is_same and not is_caught(module, at)
    return Finding(
        at,
        message,
        title,
        recipe,
        declined=declined,
        confidence=Confidence.CERTAIN if is_told else Confidence.POSSIBLE,
        deprecated=True,
        safety=Safety.SAFE if is_safe else Safety.NEEDS_EVIDENCE,
        equality=None if is_same else Equality.BITWISE,
        proves=Proves.ERROR_CURED if is_gone(module, row) else Proves.SAME_RESULTS,
        fate=fate(module, row),
    )
