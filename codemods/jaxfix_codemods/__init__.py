"""The codemods that come with jaxfix. Their order is the order of the documentation, and of precedence."""

from jaxfix.api import Codemod

CODEMODS: tuple[Codemod, ...] = ()
NOT_SHIPPED: dict[str, str] = {}
