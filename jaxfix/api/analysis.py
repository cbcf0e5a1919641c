"""The analyses behind codemods that follow values, effects and callers."""

from jaxfix.dataflow import induction
from jaxfix.dataflow.budget import MOST_CALLS, MOST_PARTS
from jaxfix.dataflow.call_graph import Callers, callers, outside_arguments, stored_users
from jaxfix.dataflow.decorated import keeps_results, kept_results
from jaxfix.dataflow.def_use import Origins
from jaxfix.dataflow.dtypes import DEFAULT, HALVES, DtypeOrigins, Dtypes
from jaxfix.dataflow.induction import Number
from jaxfix.dataflow.init_update_pairs import Pair
from jaxfix.dataflow.loop_carry import Carried
from jaxfix.dataflow.number_uses import treatment
from jaxfix.dataflow.rebound_states import Rebinding, rebindings
from jaxfix.dataflow.solver import EXISTS, MAY, Lattice, Solver, optional
from jaxfix.dataflow.sources import WHOLE, CastLike, Part
from jaxfix.dataflow.types import Values
from jaxfix.effects import aliases, instance_state, instances
from jaxfix.effects.accessors import why_computed
from jaxfix.effects.arrays import arrays
from jaxfix.effects.attributes import reads_of, stores_of, value_at, why_object_changes
from jaxfix.effects.counted import is_counted
from jaxfix.effects.deletion import is_read_elsewhere, is_taken_elsewhere, leaves
from jaxfix.effects.demands import Demands, is_length
from jaxfix.effects.escape import LocalUses, local_uses
from jaxfix.effects.invariance import Constancy, constancy, is_impure
from jaxfix.effects.library_names import is_perhaps_rebound, is_perhaps_stored, replaced_names
from jaxfix.effects.liveness import KEY_PARAMETERS, binds_again, is_in_loop, why_live_after
from jaxfix.effects.made_functions import why_captures_unstable
from jaxfix.effects.masks import mask
from jaxfix.effects.object_sources import Sources
from jaxfix.effects.own_state import OwnState, own_state
from jaxfix.effects.plain_parts import is_no_tree_class, plain_parts
from jaxfix.effects.purity import purity
from jaxfix.effects.side_effects import effects, is_own_method
from jaxfix.effects.stability import During, why_unstable
from jaxfix.effects.static_leaves import hidden_operands
from jaxfix.effects.taken_errors import errors_taken, takes_errors
from jaxfix.effects.traceability import demands, demands_of_statements
from jaxfix.motion import hoisting, import_time
from jaxfix.motion.selection import choice, selection
from jaxfix.motion.variation import varies_by_callers
from jaxfix.report.abstract_value import Form, Kind, Value
from jaxfix.report.finding import Change, Offer
from jaxfix.report.trace.drifts import ANY_PART, Drift
from jaxfix.report.trace.held import ANYTHING, Held
from jaxfix.report.trace.noted import Note
from jaxfix.semantic.calls import function_of_factory, handed_to, made_by
from jaxfix.semantic.classes import (
    class_around,
    class_of,
    family,
    is_of_others,
    methods,
    own_class,
    own_parameter,
)
from jaxfix.semantic.dominance import always_runs, is_bound_before
from jaxfix.semantic.early_exit import reads_the_clock
from jaxfix.semantic.integers import integer
from jaxfix.semantic.mutations import INITIALISERS, changes_of, is_stored
from jaxfix.semantic.project.query import (
    ASKS_PROCESS,
    ASKS_TYPE,
    CALLS_BACK,
    DEFINED_AS,
    DOES_MORE,
    FACTORY,
    IS_USED,
    MAKES_RULES,
    REBINDS,
    TAKES_ERRORS,
    USERS,
    is_eager_at,
    is_looped_at,
    runs_of,
    surely_repeats_at,
)
from jaxfix.semantic.project.summary_types import Argument, ArgumentKind, ArgumentSummary, CallSite, Factory, Use
from jaxfix.semantic.reaching_definitions import reaching
from jaxfix.semantic.receivers import called_methods, functions_held
from jaxfix.semantic.recompiles import compiled_function, statement_at
from jaxfix.semantic.records import Key, Records
from jaxfix.semantic.trip_count import HOT, iterations
from jaxfix.staging import control_flow_calls, function_identity, traced_uses
from jaxfix.staging.eager_transforms import Transformed, eager_transformations
from jaxfix.staging.jit import jitted_names, may_be_jitted, transform_of
from jaxfix.staging.scripts import is_script
from jaxfix.summary.call_sites import Passing
from jaxfix.syntax.alike import is_alike
from jaxfix.syntax.nodes import last_name
from jaxfix.syntax.signatures import argument_values, default_of, is_enough, parameters_of, positional_of

__all__ = [
    "ANYTHING",
    "ANY_PART",
    "ASKS_PROCESS",
    "ASKS_TYPE",
    "CALLS_BACK",
    "DEFAULT",
    "DEFINED_AS",
    "DOES_MORE",
    "EXISTS",
    "FACTORY",
    "HALVES",
    "HOT",
    "INITIALISERS",
    "IS_USED",
    "KEY_PARAMETERS",
    "MAKES_RULES",
    "MAY",
    "MOST_CALLS",
    "MOST_PARTS",
    "REBINDS",
    "TAKES_ERRORS",
    "USERS",
    "WHOLE",
    "Argument",
    "ArgumentKind",
    "ArgumentSummary",
    "CallSite",
    "Callers",
    "Carried",
    "CastLike",
    "Change",
    "Constancy",
    "Demands",
    "Drift",
    "DtypeOrigins",
    "Dtypes",
    "During",
    "Factory",
    "Form",
    "Held",
    "Key",
    "Kind",
    "Lattice",
    "LocalUses",
    "Note",
    "Number",
    "Offer",
    "Origins",
    "OwnState",
    "Pair",
    "Part",
    "Passing",
    "Rebinding",
    "Records",
    "Solver",
    "Sources",
    "Transformed",
    "Use",
    "Value",
    "Values",
    "aliases",
    "always_runs",
    "argument_values",
    "arrays",
    "binds_again",
    "called_methods",
    "callers",
    "changes_of",
    "choice",
    "class_around",
    "class_of",
    "compiled_function",
    "constancy",
    "control_flow_calls",
    "default_of",
    "demands",
    "demands_of_statements",
    "eager_transformations",
    "effects",
    "errors_taken",
    "family",
    "function_identity",
    "function_of_factory",
    "functions_held",
    "handed_to",
    "hidden_operands",
    "hoisting",
    "import_time",
    "induction",
    "instance_state",
    "instances",
    "integer",
    "is_alike",
    "is_bound_before",
    "is_counted",
    "is_eager_at",
    "is_enough",
    "is_impure",
    "is_in_loop",
    "is_length",
    "is_looped_at",
    "is_no_tree_class",
    "is_of_others",
    "is_own_method",
    "is_perhaps_rebound",
    "is_perhaps_stored",
    "is_read_elsewhere",
    "is_script",
    "is_stored",
    "is_taken_elsewhere",
    "iterations",
    "jitted_names",
    "keeps_results",
    "kept_results",
    "last_name",
    "leaves",
    "local_uses",
    "made_by",
    "mask",
    "may_be_jitted",
    "methods",
    "optional",
    "outside_arguments",
    "own_class",
    "own_parameter",
    "own_state",
    "parameters_of",
    "plain_parts",
    "positional_of",
    "purity",
    "reaching",
    "reads_of",
    "reads_the_clock",
    "rebindings",
    "replaced_names",
    "runs_of",
    "selection",
    "statement_at",
    "stored_users",
    "stores_of",
    "surely_repeats_at",
    "takes_errors",
    "traced_uses",
    "transform_of",
    "treatment",
    "value_at",
    "varies_by_callers",
    "why_captures_unstable",
    "why_computed",
    "why_live_after",
    "why_object_changes",
    "why_unstable",
]
