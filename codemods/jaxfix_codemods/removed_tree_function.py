"""Functions on pytrees by names that `jax` has no more.

`jax.tree_map` and its like are `jax.tree.map` since jax 0.4.25, and deprecated since 0.4.26. Newer versions are without
the old names: reading one raises an `AttributeError`, importing one an `ImportError`. Code that asks which jax it runs
with is left alone: below `hasattr(jax, "tree_map")`, a test of the version, or beside `except ImportError`. Where the
`pyproject.toml` says that the project runs with an older jax too, `jax.tree_util.tree_map` is written: all have it.

Before:
    import jax
    from jax import jit, tree_leaves

    doubled = jax.tree_map(lambda x: 2 * x, {"w": 1.0})

After:
    import jax
    from jax import jit
    from jax.tree import leaves as tree_leaves

    doubled = jax.tree.map(lambda x: 2 * x, {"w": 1.0})

Safety: safe. Both names call one function, with the same arguments; an import still binds the name that it bound. Where
`except:` or `except Exception` takes the error, or a test expects it, other code runs with the fix: that needs
evidence.

Evidence: nothing is rerun for it. The golden program raises as it is, and runs with the fix.

Source: https://docs.jax.dev/en/latest/changelog.html, 0.4.25 and 0.4.26
"""

import ast
import re
from collections.abc import Iterator
from functools import partial

from jaxfix.api import Codemod, Confidence, Finding, Module, Proves, Rewriter, Safety

_LAST = ("map", "leaves", "flatten", "unflatten", "structure", "transpose", "all", "reduce")
MOVED = {f"jax.tree_{last}": f"jax.tree.{last}" for last in _LAST}
_FIRST = (0, 4, 25)
"""The version that `jax.tree` came with; `jax.tree_util` is older, and stays."""
_ALL = ("Exception", "BaseException")
_TAKES = re.compile("suppress|raises", re.IGNORECASE)
_ASKS = re.compile(r"\bhasattr\(|version|ImportError|ModuleNotFoundError|AttributeError", re.IGNORECASE)


def find(module: Module) -> Iterator[Finding]:
    for old in MOVED:
        new = _spelled(module, old)
        for node in (*module.imports_of(old), *module.references(old)):
            if isinstance(node, ast.Name) or _asks(module, node):
                continue  # a bare name is what its import, or an attribute, makes of it
            message = f"`{old}` is deprecated, and newer versions of jax raise at it"
            recipe = partial(_use, module, node, new)
            safety = Safety.NEEDS_EVIDENCE if _is_caught(module, node) else Safety.SAFE
            yield Finding(
                node, message, f"Use `{new}`", recipe, confidence=Confidence.CERTAIN, deprecated=True, safety=safety
            )


def _spelled(module: Module, old: str) -> str:
    """The name that every version of jax has which the project says it runs with."""
    oldest = module.surroundings.oldest_jax
    return old.replace("jax.", "jax.tree_util.") if oldest is not None and oldest < _FIRST else MOVED[old]


def _use(module: Module, node: ast.alias | ast.Attribute, new: str, edit: Rewriter) -> None:
    match node, module.parent(node):
        case ast.Attribute(value=jax), _:
            edit.replace(node, new.replace("jax", module.text(jax), 1))
        case _, ast.ImportFrom(names=names):  # of a statement all at once, for one import in its place
            for alias in names:
                if f"jax.{alias.name}" in MOVED:
                    edit.rename_import(alias, _spelled(module, f"jax.{alias.name}"))


def _asks(module: Module, node: ast.AST) -> bool:
    """Whether the code around asks which jax it runs with."""
    for outer in module.ancestors(node):
        asked = (getattr(outer, "test", None), *(handler.type for handler in getattr(outer, "handlers", ())))
        if any(_ASKS.search(module.text(part)) for part in asked if part is not None):
            return True
    return False


def _is_caught(module: Module, node: ast.AST) -> bool:
    """Whether a handler of all exceptions takes the error that is cured: with it, other code runs."""
    inner = node
    for outer in module.ancestors(node):
        match outer:
            case ast.Try(body=body, handlers=handlers) | ast.TryStar(body=body, handlers=handlers) if inner in body:
                if any(map(_takes_all, handlers)):
                    return True
            case ast.With(items=items) if any(_TAKES.search(module.text(item.context_expr)) for item in items):
                return True
        inner = outer
    return False


def _takes_all(handler: ast.ExceptHandler) -> bool:
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(kind is None or (isinstance(kind, ast.Name) and kind.id in _ALL) for kind in types)


CODEMOD = Codemod(
    id="removed-tree-function",
    triggers=tuple(MOVED),
    safety=Safety.SAFE,
    equality=None,
    find=find,
    proves=Proves.ERROR_CURED,
    jax=">=0.4.25",
)
