"""The codemods that come with jaxfix. Their order is the order of the documentation, and of precedence."""

from jaxfix.api import Codemod
from jaxfix_codemods import local_loop_function

CODEMODS: tuple[Codemod, ...] = (local_loop_function.CODEMOD,)
NOT_SHIPPED: dict[str, str] = {}
