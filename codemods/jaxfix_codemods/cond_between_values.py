"""A `lax.cond` between two cheap values, whose branches gain nothing from being moved.

Called outside `jit`, `lax.cond` compiles again for every new pair of functions, and a lambda is new at every call.
Mostly the branches can be hoisted, which `local-loop-function` does. Under an eager `grad`
that gains nothing, and some branches cannot be moved. Where both are cheap elementwise arithmetic, `jnp.where` computes
both and compiles once.

Before:
    import jax
    from jax import lax


    def slopes(x, steps):
        def loss(x, t):
            return lax.cond(t > 2, lambda x: x * 0.5, lambda x: x - 1.0, x)

        return [jax.grad(loss)(x, t) for t in range(steps)]

After:
    import jax
    import jax.numpy as jnp
    from jax import lax


    def slopes(x, steps):
        def loss(x, t):
            return jnp.where(t > 2, x * 0.5, jnp.asarray(x) - 1.0)

        return [jax.grad(loss)(x, t) for t in range(steps)]

Safety: needs a rerun. Both branches are computed now, so these are declined: a branch that divides, takes a root or
multiplies two arrays, because a value that is infinite or NaN where it is not chosen makes the gradient NaN; a branch
that calls back into Python; branches whose shapes may differ, which `jnp.where` broadcasts; results that may lose a
weak type (`lax.cond(p, lambda: x, lambda: 0.0)` is weakly typed, and a bfloat16 computation downstream would become
float32); expressions such as `x * 0.9 + y`, which round once in one program and twice eagerly; and negations, whose
zero gradient would become -0.0.

Operands that are not known to be arrays are converted first, as Python and NumPy compute in double precision and
`lax.cond` does not. Two errors become results: a predicate that is not a scalar, and branches with different dtypes.

Evidence: fewer compiles, results and gradients equal bit for bit.

Source: https://docs.jax.dev/en/latest/_autosummary/jax.lax.cond.html
"""

import ast
from collections.abc import Iterator, Mapping
from functools import partial

from jaxfix.api import (
    Codemod,
    Confidence,
    Declined,
    Equality,
    Finding,
    Identifiers,
    Module,
    Rewriter,
    Safety,
    Staging,
    Why,
)
from jaxfix.api.analysis import choice, eager_transformations, function_identity, purity, selection, traced_uses
from jaxfix.api.library import Transform, where

_COND = "jax.lax.cond"
_SHORT = 60
"""A structure that is longer gets a line for each of its parts."""
_REVERSE = where(Transform.REVERSE)
"""Derivatives under which a `cond` is traced again at every call, whatever its branches are; measured."""


def find(module: Module) -> Iterator[Finding]:
    for call in module.calls(_COND):
        try:
            branches = choice.choice(module, call)
        except Declined:
            continue  # whatever it does, it is not a choice between values
        around = next((each for each in eager_transformations(module) if call in each.control_flow), None)
        if module.get(Staging).is_staged(call) or selection.is_mapped(module, call) or (around and around.is_retraced):
            continue  # compiled once
        new = [branch for branch in (branches.yes, branches.no) if _is_made_anew(module, call, branch)]
        if around and _REVERSE.intersection(around.names):
            sites = [site for site in around.sites if module.get(Staging).may_repeat(site)]
            if sites:
                why = "under an eager derivative this `cond` between values compiles again at every call"
                yield from _findings(module, call, why, certain=any(map(module.get(Staging).surely_repeats, sites)))
        elif new and module.get(Staging).may_repeat(call) and not _can_move(module, call, new):
            certain = module.get(Staging).surely_repeats(call) and all(
                module.get(Staging).surely_repeats(b.function or call) for b in new
            )
            why = f"this `cond` between values compiles again at every call: {_shown(module, new)}"
            yield from _findings(module, call, why, certain=certain)


def _findings(module: Module, call: ast.Call, why: str, *, certain: bool) -> Iterator[Finding]:
    found = partial(
        Finding,
        at=call,
        message=why,
        title="Choose with `jnp.where`",
        confidence=Confidence.CERTAIN if certain else Confidence.POSSIBLE,
    )
    try:
        yield found(recipe=partial(_choose, module, selection.select(module, call)))
    except Declined as declined:
        if declined.reason.code not in selection.FAR:
            yield found(declined=declined.reason)


def _shown(module: Module, new: list[choice.Branch]) -> str:
    lambdas = [branch for branch in new if isinstance(branch.function, ast.Lambda)]
    if len(lambdas) == len(new):
        return "its lambdas are new functions" if len(new) > 1 else "its lambda is a new function"
    names = " and ".join(f"`{module.text(branch.use)}`" for branch in new if branch not in lambdas)
    return f"{names} {'are new functions' if len(new) > 1 and not lambdas else 'is a new function'}"


# --- which calls compile again ----------------------------------------------------------------------------------


def _is_made_anew(module: Module, call: ast.Call, branch: choice.Branch) -> bool:
    made = function_identity.made_anew(module, branch.use, by=_COND)
    if made is None or module.function(made) is not module.function(call):
        return False
    return module.function(made) is not None or bool(module.loops(made))


def _can_move(module: Module, call: ast.Call, new: list[choice.Branch]) -> bool:
    """Whether the branches can be hoisted, which costs nothing and changes nothing."""
    if module.get(Staging).differentiated(call):
        return False
    return all(branch.function is not None and _is_movable(module, call, branch) for branch in new)


def _is_movable(module: Module, call: ast.Call, branch: choice.Branch) -> bool:
    function = branch.function
    captures = module.captures(function) if function is not None else None
    if function is None or captures is None or purity(module, function).reason is not None:
        return False
    if isinstance(function, ast.Lambda) and function is not branch.use:
        return False
    lifted = [name for name in captures.free if module.scope_of(name, function) is module.function(call)]
    if captures.free and (len(lifted) < len(captures.free) or call.keywords):
        return False
    uses = [use for name in lifted for use in traced_uses.uses(module, function, name)]
    is_part = any(isinstance(module.parent(use), ast.Attribute | ast.Subscript) for use in uses)
    return not is_part and all(traced_uses.concrete_use(module, use) is None for use in uses)


# --- the cure ---------------------------------------------------------------------------------------------------


def _choose(module: Module, selected: selection.Selection, edit: Rewriter) -> None:
    call = selected.choice.call
    jnp = edit.imported("jax.numpy", prefer="jnp", at=call)
    names = module.get(Identifiers)
    given = {
        expr: names.unused_at("chosen" if expr is selected.choice.predicate else "operand", call)
        for expr in selected.named
    }
    for expr, name in given.items():
        edit.insert_before(module.statement(call), f"{name} = {module.text(expr)}")
    predicate = given.get(selected.choice.predicate) or module.text(selected.choice.predicate)
    writer = _Writer(module, selected, given, predicate, jnp)
    edit.replace(call, writer.result(selected.result))
    _delete_branches(module, selected, edit)


class _Writer:
    """Writes what is chosen."""

    def __init__(
        self, module: Module, selected: selection.Selection, given: Mapping[ast.expr, str], predicate: str, jnp: str
    ) -> None:
        self._module = module
        self._reader = selected.reader
        self._given = given
        self._predicate = predicate
        self._jnp = jnp

    def result(self, result: selection.Leaf | selection.Tree | None) -> str:
        match result:
            case selection.Leaf(yes=yes, no=no):
                return f"{self._jnp}.where({self._predicate}, {self._value(yes)}, {self._value(no)})"
            case selection.Tree(like=like, parts=parts):
                return self._tree(like, [self.result(part) for part in parts])
        return "None"

    def _tree(self, like: ast.expr, parts: list[str]) -> str:
        match like:
            case ast.Tuple():
                return _bracketed("(", parts, ",)" if len(parts) == 1 else ")")
            case ast.List():
                return _bracketed("[", parts, "]")
            case ast.Dict(keys=keys):
                written = sorted((key for key in keys if key is not None), key=selection.entry)
                pairs = zip(map(self._module.text, written), parts, strict=True)
                return _bracketed("{", [f"{key}: {part}" for key, part in pairs], "}")
            case ast.Call(func=func, args=args, keywords=keywords):
                names = ["" for _ in args] + [f"{name}=" for name in sorted(k.arg or "" for k in keywords)]
                arguments = [f"{name}{part}" for name, part in zip(names, parts, strict=True)]
                return _bracketed(f"{self._module.text(func)}(", arguments, ")")
        raise AssertionError(ast.dump(like))

    def _value(self, value: choice.SelectedValue) -> str:
        if value.applied_to is not None:
            return f"{self._module.text(value.expr)}({', '.join(map(self._operand, value.applied_to))})"
        written: dict[ast.AST, str] = {}
        for place in value.places():
            text = self._operand(place.taken)
            if place.node is not place.whole:
                text = self._module.substitute(place.whole, {place.node: _atom(text)})
            if place.whole in self._reader.converted:
                text = f"{self._jnp}.asarray({text})"
            written[place.whole] = text if place.whole is value.expr else _atom(text)
        return written.get(value.expr) or self._module.substitute(value.expr, written)

    def _operand(self, operand: ast.expr) -> str:
        return self._given.get(operand) or self._module.text(operand)


def _bracketed(opening: str, parts: list[str], closing: str) -> str:
    line = f"{opening}{', '.join(parts)}{closing}"
    if len(line) <= _SHORT:
        return line
    inner = (part.replace("\n", "\n    ") for part in parts)
    return "\n".join((opening, *(f"    {part}," for part in inner), closing.strip(",")))


def _atom(text: str) -> str:
    tree = ast.parse(f"({text})", mode="eval").body
    return text if isinstance(tree, ast.Name | ast.Constant | ast.Call | ast.Attribute | ast.Subscript) else f"({text})"


def _delete_branches(module: Module, selected: selection.Selection, edit: Rewriter) -> None:
    """Deletes the definitions that nothing else uses."""
    call = selected.choice.call
    for function in {branch.function for branch in (selected.choice.yes, selected.choice.no)}:
        if isinstance(function, ast.FunctionDef) and module.function(function) is module.function(call):
            uses = module.uses(function.name, module.scope_of(function.name, function))
            if module.function(function) is not None and all(call in module.ancestors(use) for use in uses):
                edit.delete(function)


CODEMOD = Codemod(
    id="cond-between-values",
    triggers=(_COND,),
    safety=Safety.NEEDS_EVIDENCE,
    equality=Equality.BITWISE,
    find=find,
    cures=(Why.FUNCTION, Why.CONSTANT),
    programs=("cond",),
)
