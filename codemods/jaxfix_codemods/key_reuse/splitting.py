"""The key that is used twice is split where it is used first: the draw takes one part, what follows the other."""

import ast
from functools import partial

from jaxfix.api import Equality, Identifiers, Module, Recipe, Rewriter
from jaxfix.api.analysis import Change, Offer
from jaxfix.api.library import Effect, short_names
from jaxfix_codemods.key_reuse.flow import Pair
from jaxfix_codemods.key_reuse.uses import DRAWING, SPLITTING, Use

_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return)
_SEEING_NAMES = short_names(Effect.SEES_NAMES, "builtins")
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def offers(module: Module, pair: Pair, title: str) -> tuple[Offer, ...]:
    """What `--split-keys` does about it; nothing where a split cannot stand above the first use."""
    first = pair.first
    if not _can_be_split(module, first):
        return ()
    split: Recipe = partial(_split, module, first, "{key}")
    other: Recipe = partial(_split, module, first, "{fold}({key}, 1)")
    return (Offer(Change.SPLIT_KEYS, title, split, reference=other, equality=Equality.OTHER_NUMBERS),)


def _can_be_split(module: Module, use: Use) -> bool:
    """Whether a statement above the use may rebind the key for all that follows, and for nothing else."""
    function, statement = module.function(use.at), module.statement(use.at)
    if use.element or isinstance(function, ast.Lambda) or not _has_a_line_above(module, use, statement):
        return False
    if module.source.notebook is not None or isinstance(module.parent(statement), ast.ClassDef):
        return False
    if any(isinstance(loop, _COMPREHENSIONS) for loop in module.loops(use.at)):
        return False
    scope = module.scope_of(use.variable.id, use.variable)
    named = module.uses(use.variable.id, scope)
    is_deleted = any(isinstance(each.ctx, ast.Del) for each in named)
    is_seen = any(module.function(each) is function for each in module.spelled_calls(_SEEING_NAMES))
    return not is_deleted and not is_seen and all(module.function(each) is function for each in named)


def _has_a_line_above(module: Module, use: Use, statement: ast.stmt) -> bool:
    """Whether a line above the statement runs just before the use, once for each time."""
    if isinstance(statement, ast.If):
        return use.at in ast.walk(statement.test) and not module.text(statement).startswith("elif")
    return isinstance(statement, _SIMPLE)


def _split(module: Module, use: Use, of: str, edit: Rewriter) -> None:
    key, statement = use.variable.id, module.statement(use.at)
    part = module.get(Identifiers).unused_at(_name(use, statement), use.at)
    whole = of.format(key=key, fold=_spelled(module, use, "fold_in", edit) if "{fold}" in of else "")
    split = _spelled(module, use, "split", edit)
    edit.insert_before(statement, f"{key}, {part} = {split}({whole})")
    edit.replace(use.variable, part)


def _name(use: Use, statement: ast.stmt) -> str:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]) if name != use.variable.id:
            return f"{use.variable.id}_for_{name}"
    return f"{use.variable.id}_part"


def _spelled(module: Module, use: Use, name: str, edit: Rewriter) -> str:
    """A function of `jax.random`, spelled as the one that uses the key."""
    func = use.at.func
    if use.by in DRAWING | SPLITTING and isinstance(func, ast.Attribute):
        return f"{module.text(func.value)}.{name}"
    return f"{edit.imported('jax', prefer='jax', at=use.at)}.random.{name}"
