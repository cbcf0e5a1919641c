"""All that a codemod may import."""

from jaxfix.core import (
    belonging,
    choosing,
    control_flow,
    counting,
    fresh,
    hoisting,
    holding,
    lifting,
    making,
    selection,
    strength,
)
from jaxfix.core.arguments import arguments_of
from jaxfix.core.callers import Callers, callers, outside_arguments
from jaxfix.core.carrying import Carried
from jaxfix.core.cause import Cause, Why
from jaxfix.core.compiled import Compiled
from jaxfix.core.conditions import always_runs, is_bound_before
from jaxfix.core.constancy import Constancy, constancy, is_impure
from jaxfix.core.counting import Number
from jaxfix.core.direct import direct_calls, handed_to
from jaxfix.core.dtypes import DEFAULT, HALVES, DtypeOrigins, Dtypes
from jaxfix.core.eager import Transformed, eager_transformations
from jaxfix.core.effects import effects
from jaxfix.core.facts import Called, Passed, Sort, Use
from jaxfix.core.families import family, is_of_others, own_class, own_parameter
from jaxfix.core.finding import Codemod, Confidence, Equality, Finding, Recipe, Rewriter, Safety
from jaxfix.core.jax_names import CONTROL_FLOW, DERIVATIVES
from jaxfix.core.jitted import Argument, Jit, Jitted
from jaxfix.core.keeping import class_of, is_kept
from jaxfix.core.making import Factory
from jaxfix.core.model import Function, Module, Runs
from jaxfix.core.origins import WHOLE, CastLike, Origins, Part
from jaxfix.core.pairs import Pair
from jaxfix.core.passing import Passing
from jaxfix.core.purity import purity
from jaxfix.core.rebinding import Rebinding, rebindings
from jaxfix.core.records import Key
from jaxfix.core.releasing import binds_again, is_in_loop, why_kept
from jaxfix.core.returning import returned
from jaxfix.core.scopes import FUNCTIONS
from jaxfix.core.staying import Stay, stay
from jaxfix.core.traceable import Demands, demands, demands_of_statements
from jaxfix.core.tree import children, in_order, walk
from jaxfix.core.value import Form, Kind, Value
from jaxfix.core.values import Values
from jaxfix.core.varying import varies_by_callers

__all__ = [
    "CONTROL_FLOW",
    "DEFAULT",
    "DERIVATIVES",
    "FUNCTIONS",
    "HALVES",
    "WHOLE",
    "Argument",
    "Called",
    "Callers",
    "Carried",
    "CastLike",
    "Cause",
    "Codemod",
    "Compiled",
    "Confidence",
    "Constancy",
    "Demands",
    "DtypeOrigins",
    "Dtypes",
    "Equality",
    "Factory",
    "Finding",
    "Form",
    "Function",
    "Jit",
    "Jitted",
    "Key",
    "Kind",
    "Module",
    "Number",
    "Origins",
    "Pair",
    "Part",
    "Passed",
    "Passing",
    "Rebinding",
    "Recipe",
    "Rewriter",
    "Runs",
    "Safety",
    "Sort",
    "Stay",
    "Transformed",
    "Use",
    "Value",
    "Values",
    "Why",
    "always_runs",
    "arguments_of",
    "belonging",
    "binds_again",
    "callers",
    "children",
    "choosing",
    "class_of",
    "constancy",
    "control_flow",
    "counting",
    "demands",
    "demands_of_statements",
    "direct_calls",
    "eager_transformations",
    "effects",
    "family",
    "fresh",
    "handed_to",
    "hoisting",
    "holding",
    "in_order",
    "is_bound_before",
    "is_impure",
    "is_in_loop",
    "is_kept",
    "is_of_others",
    "lifting",
    "making",
    "outside_arguments",
    "own_class",
    "own_parameter",
    "purity",
    "rebindings",
    "returned",
    "selection",
    "stay",
    "strength",
    "varies_by_callers",
    "walk",
    "why_kept",
]
