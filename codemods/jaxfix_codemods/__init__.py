"""The codemods that come with jaxfix. Their order is the order of the documentation, and of precedence."""

from jaxfix.api import Codemod
from jaxfix_codemods import (
    drifting_state_dtype,
    fresh_function,
    local_jit,
    local_loop_function,
    python_counter,
    ragged_shape,
    static_exponent,
    weak_state,
)

CODEMODS: tuple[Codemod, ...] = (
    local_loop_function.CODEMOD,
    local_jit.CODEMOD,
    weak_state.CODEMOD,
    static_exponent.CODEMOD,
    # what only a traced run shows
    python_counter.CODEMOD,
    fresh_function.CODEMOD,
    drifting_state_dtype.CODEMOD,
    ragged_shape.CODEMOD,
)
NOT_SHIPPED: dict[str, str] = {}
