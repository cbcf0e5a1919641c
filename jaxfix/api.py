"""All that a codemod may import."""

from jaxfix.core.finding import Codemod, Confidence, Equality, Finding, Recipe, Rewriter, Safety
from jaxfix.core.model import Module, Runs

__all__ = ["Codemod", "Confidence", "Equality", "Finding", "Module", "Recipe", "Rewriter", "Runs", "Safety"]
