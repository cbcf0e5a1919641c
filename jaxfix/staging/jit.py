"""Which expressions are functions under `jax.jit` or the like, and what their arguments are to them."""

import ast
from collections.abc import Iterator

from jaxfix.dataflow.solver import Lattice, Solver, optional
from jaxfix.library.facets import Transform
from jaxfix.library.generated import is_retrace
from jaxfix.library.table import where
from jaxfix.semantic.calls import calls_of_calls, returned
from jaxfix.semantic.dominance import is_bound_before
from jaxfix.semantic.module import Module
from jaxfix.semantic.mutations import is_stored, stored_attributes
from jaxfix.semantic.project.query import JIT
from jaxfix.semantic.project.summary_types import Argument, Jit
from jaxfix.source.frozen import frozen
from jaxfix.syntax.nodes import Function, in_order, last_name, walk
from jaxfix.syntax.signatures import positional_of

PARTIALS = where(Transform.BINDS) & where(Transform.SAME_RESULT)
"""`partial`, and as jax before 0.3.2 offered it."""
COMPILING = where(Transform.COMPILES)
"""Transformations that make a function which compiles, and keeps what it compiled."""


@frozen
class Jitted:
    """A `Jit` of this file: `at` is the decorator or the call that makes it, `function` the one inside, if readable."""

    jit: Jit
    at: ast.expr
    function: Function | None


_MADE = frozenset({ast.Call, ast.Name, ast.Attribute})
_JITTED: Lattice[Jitted | None] = optional()


def jitted_of(module: Module, expr: ast.expr) -> Jitted | None:
    """The jitted function of this file that `expr` stands for: a call of the transformation, a name or `self.step`.

    Names and attributes count only if they are bound once.

    Returns:
      None where it stands for none, or that is not certain.
    """
    match expr:
        case ast.Name(id=name) | ast.Attribute(attr=name) if name not in perhaps_jitted(module):
            return None
        case ast.Name() | ast.Attribute() | ast.Call():
            return module.get(_jitted)(expr)
    return None


def _jitted(module: Module) -> Solver[ast.expr, Jitted | None]:
    return Solver(lambda expr: _find(module, expr), _JITTED)


def jit_of(module: Module, expr: ast.expr) -> Jit | None:
    """As `jitted_of`, of another file of the project too.

    Returns:
      Options and parameters alone, which travel between files; None where it stands for no jitted function.
    """
    found = jitted_of(module, expr)
    if found is not None:
        return found.jit
    qualname = module.qualname(expr)
    return None if qualname is None else module.surroundings.project.ask(JIT, qualname)


def jitted_by_decorator(module: Module, function: Function) -> Jitted | None:
    """The jitted function that the decorators of `function` make of it; its `self` counts as an argument.

    Returns:
      None for a function without such a decorator.
    """
    if isinstance(function, ast.Lambda):
        return None
    for decorator in function.decorator_list:
        if is_jit(module, decorator):
            return _made(module, decorator, function, bound=False)
    return None


def jittings(module: Module) -> tuple[tuple[ast.Call, Jitted], ...]:
    """The calls of `module` that make a jitted function, as `jax.jit(f)`.

    Returns:
      In the order of the text; decorators are not among them.
    """
    return module.get(_jittings)


def _jittings(module: Module) -> tuple[tuple[ast.Call, Jitted], ...]:
    by_name = module.calls(*COMPILING)
    by_partial = module.spelled_calls(module.get(partials))
    found = ((call, jitted_of(module, call)) for call in in_order([*by_name, *calls_of_calls(module), *by_partial]))
    return tuple((call, made) for call, made in found if made is not None and made.at is call)


def jitted_names(module: Module) -> frozenset[str]:
    """The names that `module` gives to what it puts under `jit`, of `self.step` the last part.

    Returns:
      Empty where it puts nothing under `jit`. Something else may have such a name too.
    """
    return module.get(_jitted_names)


def _jitted_names(module: Module) -> frozenset[str]:
    decorated = (f.name for f in module.functions if isinstance(f, ast.FunctionDef) and jitted_by_decorator(module, f))
    parents = (module.parent(call) for call, _ in jittings(module))
    targets = (target for parent in parents if isinstance(parent, ast.Assign) for target in parent.targets)
    return frozenset((*decorated, *filter(None, map(last_name, targets))))


def perhaps_jitted(module: Module) -> frozenset[str]:
    """The variables and attributes of `module`, by name, that may be bound to what a transformation made."""
    return module.get(_perhaps_jitted)


def _perhaps_jitted(module: Module) -> frozenset[str]:
    decorated = (f.name for f in module.functions if not isinstance(f, ast.Lambda) and f.decorator_list)
    stored = (node.attr for node in stored_attributes(module))
    return frozenset(
        (*decorated, *stored, *[target.id for target, value in module.names.assigned if type(value) in _MADE])
    )


def may_be_jitted(module: Module, expr: ast.expr) -> bool:
    """Whether `jit_of` may have an answer for `expr`; costs little, and queries no other file."""
    name = expr.id if isinstance(expr, ast.Name) else getattr(expr, "attr", None)
    return name is None or name in perhaps_jitted(module) or module.qualname(expr) is not None


def transform_of(module: Module, expr: ast.AST) -> str | None:
    """The canonical name of `jax.jit`, `jax.jit(...)`, `partial(jax.jit, ...)` or `retrace(lax.scan)`.

    A name that is bound once to such a partial stands for it.

    Returns:
      None where `expr` is not imported, or binds more than options: what it is called with comes after that. Whether
      the name is that of a transformation is not analysed.
    """
    if type(expr) is ast.Call:
        name = module.qualname(expr.func) or ""
        if name in PARTIALS and len(expr.args) != 1:
            return None
        is_around = name in PARTIALS or is_retrace(name, module.surroundings.helpers)
        return transform_of(module, expr.args[0] if is_around and expr.args else expr.func)
    made = _partial_of(module, expr)
    return module.qualname(made.args[0] if made is not None else expr)


def _partial_of(module: Module, expr: ast.AST) -> ast.Call | None:
    """The `partial(jax.jit, ...)` that `expr`, a variable bound once, stands for."""
    if type(expr) is not ast.Name or expr.id not in module.get(partials):
        return None
    value = module.only_value(expr)
    return value if isinstance(value, ast.Call) else None


def partials(module: Module) -> frozenset[str]:
    """The variables that are bound to `functools.partial` of something that is imported, and of options alone."""
    made = {call for call in module.calls(*PARTIALS) if len(call.args) == 1 and module.qualname(call.args[0])}
    return frozenset(target.id for target, value in module.names.assigned if value in made)


def is_jit(module: Module, expr: ast.expr) -> bool:
    """Whether `expr` is the transformation itself, with or without its options: what it is called with is jitted."""
    match expr:
        case ast.Call(func=func, args=[inner]) if module.qualname(func) in PARTIALS:
            return is_jit(module, inner)
        case ast.Call(func=func, args=[]):
            return module.qualname(func) in COMPILING
    made = _partial_of(module, expr)
    return is_jit(module, made) if made is not None else module.qualname(expr) in COMPILING


def _find(module: Module, expr: ast.expr) -> Jitted | None:
    match expr:
        case ast.Call(func=func) if is_jit(module, func):
            return _of_call(module, expr)
        case ast.Call(func=ast.Name() as func):
            return _of_factory(module, func)
        case ast.Name(id=name) if (scope := module.scope_of(name, expr)) is not None:
            match [binding.node for binding in module.bindings(name, scope)]:
                case [ast.FunctionDef() as function]:
                    return jitted_by_decorator(module, function)
                case [ast.Name() as target] if (value := module.value_of(target)) is not None:
                    return jitted_of(module, value)
                case [ast.FunctionDef() as function, ast.Name() as target] if target.lineno < expr.lineno:
                    return _of_own_name(module, function, target)
                case [*earlier, ast.Name() as target] if earlier and target.lineno < expr.lineno:
                    return _of_own_variable(module, earlier, target)
        case ast.Attribute(attr=name) if (owner := owner_of(module, expr)) is not None:
            return _of_attribute(module, owner, name)
        case ast.Attribute(attr=name, value=ast.Name()) if module.qualname(expr) is None:
            return _of_stored(module, expr)
    return None


def _of_call(module: Module, call: ast.Call) -> Jitted | None:
    if not call.args or isinstance(call.args[0], ast.Starred):
        return None  # a transformation that waits for its function
    wrapped = call.args[0]
    function = module.definition(wrapped)
    bound = False
    if function is None and isinstance(wrapped, ast.Attribute) and (owner := owner_of(module, wrapped)) is not None:
        function, bound = method(module, owner, wrapped.attr), True
    return _made(module, call, function, bound=bound)


def _of_factory(module: Module, func: ast.Name) -> Jitted | None:
    """What a function of the file returns, where that is one that it puts under `jit` itself."""
    factory = module.definition(func)
    if not isinstance(factory, ast.FunctionDef) or factory.decorator_list:
        return None
    if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in walk(factory)):
        return None
    match returned(factory):
        case [ast.Name() | ast.Call() as made]:
            is_own = isinstance(made, ast.Call) or module.scope_of(made.id, made) is factory
            return jitted_of(module, made) if is_own else None
    return None


def _of_own_name(module: Module, function: ast.FunctionDef, target: ast.Name) -> Jitted | None:
    """What `step = jax.jit(step)` makes of the function that had the name before."""
    match module.value_of(target):
        case ast.Call(func=func, args=[ast.Name(id=wrapped), *_]) as call if wrapped == function.name:
            return _made(module, call, function, bound=False) if is_jit(module, func) else None
    return None


def _of_own_variable(module: Module, earlier: list[ast.AST], target: ast.Name) -> Jitted | None:
    """The jitted function that `step = jax.jit(step)` binds, where only statements above bind the variable."""
    block = getattr(module.parent(module.statement(target)), "body", ())
    value = module.value_of(target)
    above = (isinstance(node, ast.Name) and isinstance(module.statement(node), ast.Assign) for node in earlier)
    if not all(above) or not all(module.statement(node) in block for node in (*earlier, target)):
        return None
    match value:
        case ast.Call(func=func, args=[ast.Name(id=wrapped), *_]) if wrapped == target.id and is_jit(module, func):
            return _made(module, value, None, bound=False)
    return None


def _of_attribute(module: Module, owner: ast.ClassDef, name: str) -> Jitted | None:
    function = method(module, owner, name)
    if function is not None:
        found = jitted_by_decorator(module, function)
        return found and _made(module, found.at, function, bound=True)
    match list(_stores(module, owner, name)):
        case [ast.Attribute() as target]:
            match module.parent(target):
                case ast.Assign(targets=[only], value=value) if only is target:
                    return jitted_of(module, value)
    return None


def _of_stored(module: Module, expr: ast.Attribute) -> Jitted | None:
    """What `model.step` is below `model.step = jax.jit(...)` in the same function, which alone binds it."""
    match [node for node in module.attributes(expr.attr) if not isinstance(node.ctx, ast.Load)], expr.value:
        case [ast.Attribute(value=ast.Name() as owner) as target], ast.Name() as read if owner.id == read.id:
            scope = module.scope_of(owner.id, owner)
            is_same = scope is module.scope_of(read.id, read) and len(module.bindings(owner.id, scope)) == 1
            is_above = module.function(owner) is module.function(expr) and is_bound_before(
                module, module.statement(target), expr
            )
            parent = module.parent(target)
            if is_same and is_above and isinstance(parent, ast.Assign):
                return jitted_of(module, parent.value)
    return None


def owner_of(module: Module, expr: ast.Attribute) -> ast.ClassDef | None:
    """The class of this file whose object `expr` reads an attribute of, where `expr` is `self.name` in a method."""
    if not isinstance(expr.value, ast.Name):
        return None
    around = module.functions_around(expr)
    owner = module.method_of(around[-1]) if around else None
    if owner is None:
        return None
    parameters = positional_of(around[-1].args)
    return owner if parameters and parameters[0].arg == expr.value.id else None


def method(module: Module, owner: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    """The method `name` of the class, or of a base in this file; None if an attribute of that name is stored too."""
    if is_stored(module, name):
        return None
    for each in _with_bases(module, owner):
        match module.bindings(name, each):
            case ():
                continue
            case (binding,) if isinstance(binding.node, ast.FunctionDef):
                return binding.node
        return None
    return None


def _with_bases(module: Module, owner: ast.ClassDef) -> Iterator[ast.ClassDef]:
    """`owner`, its first base, the first base of that, and so on, as far as they are classes of this file."""
    met: list[ast.ClassDef] = []
    while owner not in met:
        yield owner
        met.append(owner)
        match owner.bases:
            case [ast.Name(id=name) as base]:
                found = [binding.node for binding in module.bindings(name, module.scope_of(name, base))]
                if len(found) == 1 and isinstance(found[0], ast.ClassDef):
                    owner = found[0]


def _stores(module: Module, owner: ast.ClassDef, name: str) -> Iterator[ast.Attribute]:
    for node in module.attributes(name):
        if isinstance(node.ctx, ast.Store) and owner in module.ancestors(node):
            yield node


def _made(module: Module, at: ast.expr, function: Function | None, *, bound: bool) -> Jitted:
    keywords = _keywords(module, at)
    by = transform_of(module, at) or ""
    parameters = None
    if function is not None:
        arguments = positional_of(function.args)
        parameters = tuple(a.arg for a in arguments[1 if bound else 0 :])
    # A bound method hides `self` from the transformation that wraps it, not from one that decorates it.
    shift = int(bound and function is not None and at in getattr(function, "decorator_list", ()))
    return Jitted(
        Jit(
            by,
            parameters,
            _chosen(module, keywords, ("static_argnums", "static_argnames", "static_broadcasted_argnums"), shift),
            _chosen(module, keywords, ("donate_argnums", "donate_argnames", "donate"), shift),
        ),
        at,
        function,
    )


def _keywords(module: Module, at: ast.expr) -> dict[str | None, ast.expr]:
    """The options of the transformation, through `partial(jax.jit, ...)` too: what is nearer to the call holds."""
    found: dict[str | None, ast.expr] = {}
    made: ast.expr | None = at
    while made is not None:
        found = {keyword.arg: keyword.value for keyword in getattr(made, "keywords", ())} | found
        match made:
            case ast.Call(func=func, args=[inner]) if module.qualname(func) in PARTIALS:
                made = inner
            case ast.Call(func=func):
                made = func
            case _:
                made = _partial_of(module, made)
    return found


def _chosen(
    module: Module, keywords: dict[str | None, ast.expr], options: tuple[str, ...], shift: int
) -> tuple[Argument, ...] | None:
    if None in keywords:
        return None
    chosen: list[Argument] = []
    for option in options:
        if option in keywords:
            entries = _literal(module, keywords[option])
            if entries is None:
                return None
            chosen += [entry - shift if isinstance(entry, int) else entry for entry in entries]
    return tuple(entry for entry in chosen if entry != -1)


def _literals(module: Module) -> Solver[ast.expr, tuple[Argument, ...] | None]:
    return Solver(lambda value: _literal(module, value), optional())


def _literal(module: Module, value: ast.expr) -> tuple[Argument, ...] | None:
    match value:
        case ast.Constant(value=None):
            return ()
        case ast.Constant(value=bool()):
            return None
        case ast.Constant(value=int() | str() as entry):
            return (entry,)
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            found = [_literal(module, element) for element in elts]
            return None if None in found else tuple(entry for some in found if some for entry in some)
        case ast.Name():
            bound_to = module.only_value(value)
            return None if bound_to is None or isinstance(bound_to, ast.Name) else module.get(_literals)(bound_to)
    return None
