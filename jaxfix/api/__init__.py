"""What a codemod needs: the contract, the model of a module, and what JAX compiles."""

from jaxfix.report.finding import Confidence, Equality, Finding, Proves, Safety
from jaxfix.report.reason import Code, Declined, Reason
from jaxfix.report.recipe import Recipe, Rewriter
from jaxfix.report.trace.cause import Cause, Why
from jaxfix.report.trace.compiles import Compiled
from jaxfix.report.trace.hot import Work
from jaxfix.semantic.calls import arguments_of, direct_calls, returned
from jaxfix.semantic.codemod import Codemod
from jaxfix.semantic.identifiers import Identifiers
from jaxfix.semantic.module import Module
from jaxfix.semantic.project.summary_types import Jit, Runs
from jaxfix.semantic.recompiles import recompiled
from jaxfix.source.frozen import frozen
from jaxfix.staging.contexts import Staging
from jaxfix.staging.jit import Jitted, jit_of, jitted_by_decorator, jitted_of, jittings
from jaxfix.syntax.nodes import FUNCTIONS, Function, children, in_order, walk

__all__ = [
    "FUNCTIONS",
    "Cause",
    "Code",
    "Codemod",
    "Compiled",
    "Confidence",
    "Declined",
    "Equality",
    "Finding",
    "Function",
    "Identifiers",
    "Jit",
    "Jitted",
    "Module",
    "Proves",
    "Reason",
    "Recipe",
    "Rewriter",
    "Runs",
    "Safety",
    "Staging",
    "Why",
    "Work",
    "arguments_of",
    "children",
    "direct_calls",
    "frozen",
    "in_order",
    "jit_of",
    "jitted_by_decorator",
    "jitted_of",
    "jittings",
    "recompiled",
    "returned",
    "walk",
]
