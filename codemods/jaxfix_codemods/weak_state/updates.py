"""What an update returns for a part of its state."""

import ast
from dataclasses import dataclass

from jaxfix.api import HALVES, DtypeOrigins, Dtypes, Form, Key, Kind, Module, Values, returned

_DEEPEST = 8
"""How many expressions may refer to one another until nothing is known of a value."""


@dataclass(frozen=True, slots=True)
class Updated:
    """The strongly typed value of a part of a state after an update.

    Attributes:
      dtypes: what decides its dtype.
    """

    kind: Kind
    dtypes: Dtypes

    @property
    def is_given(self) -> bool:
        """Whether whoever calls the update decides the dtype: nothing of full precision of its own takes part."""
        return self.dtypes.own <= HALVES


def shape(module: Module, source: ast.AST) -> str:
    """What tells the construction of a state from other things: its class, or its keys."""
    match source:
        case ast.Call(func=func):
            return module.text(func)
        case ast.Dict(keys=keys):
            return ",".join(sorted(module.text(key) for key in keys if key is not None))
    return ""


def is_state(module: Module, source: ast.AST, shapes: set[str]) -> bool:
    """Whether the construction is one of those that make the state, or changes one."""
    match source:
        case ast.Call(func=ast.Attribute(attr="_replace" | "replace"), args=[]):
            return True
    found = shape(module, source)
    return bool(found) and found in shapes


def strengthened(
    module: Module, values: Values, state: ast.AST, path: tuple[Key, ...], *, guess: bool
) -> Updated | None:
    """What the update returns strongly typed for the part at `path`; None where it returns it weak.

    With `guess` also of one that hardly stays weak, though the file does not say it.
    """
    sources = spread(values, values.origins.of(state))
    for key in path:
        sources = spread(values, tuple(item for source in sources for item in values.origins.item(source, key)))
    value = values.any_of(sources)
    known = bool(sources) and all(_is_spelled_out(module, values, source) for source in sources)
    if value.form is Form.STRONG or (guess and known and value.form in (Form.ARRAY, Form.UNKNOWN)):
        return Updated(value.kind, DtypeOrigins(module).of_any(sources))
    return None


def spread(values: Values, sources: tuple[ast.AST, ...]) -> tuple[ast.AST, ...]:
    """`sources`, with what functions of the module return in the place of their calls."""
    found: list[ast.AST] = []
    for source in sources:
        function = values.origins.called(source) if isinstance(source, ast.Call) else None
        results = returned(function) if function is not None else ()
        found += [inner for result in results for inner in values.origins.of(result)] if results else [source]
    return tuple(found)


def _is_spelled_out(module: Module, values: Values, source: ast.AST, around: frozenset[ast.AST] = frozenset()) -> bool:
    """Whether the file says how the value is computed: other functions, as `tree.where`, may keep it weak.

    What refers back to one of the values `around` adds nothing.
    """
    if source in around or values.any_of((source,)).form not in (Form.UNKNOWN, Form.ARRAY):
        return True
    match source:
        case ast.Call(args=args, func=func) if (module.qualname(func) or "").startswith("jax.numpy."):
            parts = args[1:] if module.qualname(func) == "jax.numpy.where" else args
        case ast.Call():
            function = values.origins.mapped(source) or values.origins.called(source)
            if function is None and _is_passed(values, source.func):
                return True  # what a caller's function makes of arrays
            parts = list(returned(function)) if function is not None else []
        case ast.BinOp(left=left, right=right):
            parts = [left, right]
        case ast.UnaryOp(operand=operand):
            parts = [operand]
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Dict(values=parts):
            pass  # a tree, of which a function of leaves is told
        case _:
            return isinstance(source, ast.arg)
    inner = [item for part in parts for item in values.origins.of(part)]
    deeper = around | {source}
    return bool(parts) and len(deeper) <= _DEEPEST and all(_is_spelled_out(module, values, i, deeper) for i in inner)


def _is_passed(values: Values, function: ast.expr) -> bool:
    """Whether whoever calls passes the function."""
    sources = values.origins.of(function)
    return bool(sources) and all(isinstance(source, ast.arg) for source in sources)
