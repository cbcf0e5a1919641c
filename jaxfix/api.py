"""All that a codemod may import."""

from jaxfix.core import lifting
from jaxfix.core.finding import Codemod, Confidence, Equality, Finding, Recipe, Rewriter, Safety
from jaxfix.core.jax_names import CONTROL_FLOW, CONTROL_FLOW_KEYWORDS
from jaxfix.core.model import Function, Module, Runs
from jaxfix.core.purity import Constancy, constancy, purity

__all__ = [
    "CONTROL_FLOW",
    "CONTROL_FLOW_KEYWORDS",
    "Codemod",
    "Confidence",
    "Constancy",
    "Equality",
    "Finding",
    "Function",
    "Module",
    "Recipe",
    "Rewriter",
    "Runs",
    "Safety",
    "constancy",
    "lifting",
    "purity",
]
