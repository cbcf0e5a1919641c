"""What libraries do: the facets of their functions, and which functions have them."""

from jaxfix.library.facets import (
    Class,
    Dtype,
    Effect,
    Facet,
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
from jaxfix.library.table import CONTROL_FLOW, HOLDING, dtype_positions, rows, short_names, unfiltered, where

__all__ = [
    "CONTROL_FLOW",
    "HOLDING",
    "Carry",
    "Class",
    "Dtype",
    "Effect",
    "Facet",
    "Function",
    "Identity",
    "Iteration",
    "Member",
    "Package",
    "Parameter",
    "Result",
    "Scalar",
    "Setting",
    "Slope",
    "Takes",
    "Transform",
    "WeakType",
    "dtype_positions",
    "rows",
    "short_names",
    "unfiltered",
    "where",
]
