"""The codemods that come with jaxfix. Their order is the order of the documentation, and of precedence."""

from jaxfix.api import Codemod
from jaxfix_codemods import local_loop_function, static_exponent, weak_state

CODEMODS: tuple[Codemod, ...] = (
    local_loop_function.CODEMOD,
    weak_state.CODEMOD,
    static_exponent.CODEMOD,
)
NOT_SHIPPED: dict[str, str] = {}
