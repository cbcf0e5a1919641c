"""What libraries do: the facets of their functions, and which functions have them."""

from jaxfix.library.arguments import index_of, shapes
from jaxfix.library.changes.row import Keyword, Life, Meaning, Method, Name, Positional, Way, version
from jaxfix.library.changes.table import BY_WORD, IMPORTED_APART, NAMED, REPLACED_MODULES
from jaxfix.library.changes.table import TRIGGERS as CHANGED_NAMES
from jaxfix.library.changes.table import WORDS as CHANGED_WORDS
from jaxfix.library.facet import Facet
from jaxfix.library.facets import (
    Class,
    Draw,
    Dtype,
    Effect,
    Identity,
    Iteration,
    Member,
    Package,
    Result,
    Scalar,
    Setting,
    Slope,
    Takes,
    Transform,
    WeakType,
)
from jaxfix.library.function import Carry, Function, Parameter
from jaxfix.library.table import (
    CONTROL_FLOW,
    HOLDING,
    dtype_positions,
    members_of,
    rows,
    short_names,
    unfiltered,
    where,
)
from jaxfix.report.finding import Fate

__all__ = [
    "BY_WORD",
    "CHANGED_NAMES",
    "CHANGED_WORDS",
    "CONTROL_FLOW",
    "HOLDING",
    "IMPORTED_APART",
    "NAMED",
    "REPLACED_MODULES",
    "Carry",
    "Class",
    "Draw",
    "Dtype",
    "Effect",
    "Facet",
    "Fate",
    "Function",
    "Identity",
    "Iteration",
    "Keyword",
    "Life",
    "Meaning",
    "Member",
    "Method",
    "Name",
    "Package",
    "Parameter",
    "Positional",
    "Result",
    "Scalar",
    "Setting",
    "Slope",
    "Takes",
    "Transform",
    "Way",
    "WeakType",
    "dtype_positions",
    "index_of",
    "members_of",
    "rows",
    "shapes",
    "short_names",
    "unfiltered",
    "version",
    "where",
]
