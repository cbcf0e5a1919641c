"""Which expressions are new function objects at every evaluation, and which functions make a jitted one."""

import ast
from collections.abc import Iterable

from jaxfix.dataflow.solver import Solver, optional
from jaxfix.library.facets import Identity
from jaxfix.library.table import where
from jaxfix.semantic.calls import made_by, returned
from jaxfix.semantic.module import Module
from jaxfix.semantic.project.summary_types import Factory
from jaxfix.staging import traced_uses
from jaxfix.staging.jit import is_jit, jitted_of, method, owner_of, transform_of
from jaxfix.syntax.nodes import Function, in_order, last_name, walk
from jaxfix.syntax.signatures import positional_of

RENEWING = where(Identity.RENEWS)
"""What returns another function object each time, whatever it is given."""
_BY_VALUE = where(Identity.BY_VALUE)
"""What equinox knows again by the function inside; bound methods too."""


def made_anew(module: Module, expr: ast.expr, by: str = "jax.jit") -> ast.AST | None:
    """The node that creates a new function for `expr` each time it runs.

    Args:
      by: the transformation that takes `expr`: they differ in what they hold for the same function.

    Returns:
      None if no such node is known: the function may still be another one each time.
    """
    return module.get(_makers)((expr, by))


def given_anew(module: Module) -> list[ast.Call]:
    """The calls with an argument for which `made_anew` may have an answer, by names alone.

    Returns:
      In the order of the text; too many rather than too few. No other file is asked.
    """
    named: dict[str, set[str]] = {}
    bound: dict[ast.expr, set[str]] = {}
    for target, value in module.names.assigned:
        if (last := last_name(value)) is not None:
            named.setdefault(last, set()).add(target.id)
        else:
            bound.setdefault(value, set()).add(target.id)
    names = known = {f.name for f in module.functions if not isinstance(f, ast.Lambda)}
    made: set[ast.expr] = {*module.nodes(ast.Lambda), *module.calls(*RENEWING, *_BY_VALUE)}
    made.update(module.spelled_calls(known))
    nodes: set[ast.expr] = made
    found = set[ast.Call]()
    while names or nodes:
        spelled = (node for name in names for node in (*module.names.by_id.get(name, ()), *module.attributes(name)))
        taking = _takers(module, (*nodes, *spelled))
        found |= taking
        of_names = (named[name] for name in named.keys() & names)
        names = set[str]().union(*of_names, *(bound[node] for node in bound.keys() & {*nodes, *taking})) - known
        nodes = {call for call in taking if call not in made}  # what is given a new one may return a new one
        known, made = known | names, made | nodes
    return in_order([*found])


def _takers(module: Module, arguments: Iterable[ast.expr]) -> set[ast.Call]:
    """The calls that one of `arguments` is passed to."""
    parents, found = module.index.parents, set[ast.Call]()
    for argument in arguments:
        parent = parents[argument]
        call = parents[parent] if parent.__class__ is ast.keyword else parent
        if type(call) is ast.Call and call.func is not argument:
            found.add(call)
    return found


def _makers(module: Module) -> Solver[tuple[ast.expr, str], ast.AST | None]:
    """As `made_anew`; a variable that is bound to itself has no maker."""
    return Solver(lambda asked: _maker(module, *asked), optional())


def _maker(module: Module, expr: ast.expr, by: str) -> ast.AST | None:
    if by.startswith("flax.nnx."):
        return expr  # it wraps whatever it is given in an object of its own
    match expr:
        case ast.Lambda():
            return expr
        case ast.Call():
            return _of_call(module, expr, by)
        case ast.Attribute() if not by.startswith("equinox."):
            return expr if _is_bound_method(module, expr) else None
        case ast.Name(id=name):
            scope = module.scope_of(name, expr)
            found = [binding.node for binding in module.bindings(name, scope)] if scope is not None else []
            made = [_of_binding(module, node, by) for node in found]
            return made[-1] if made and all(made) else None
    return None


def _of_call(module: Module, call: ast.Call, by: str) -> ast.AST | None:
    qualname = module.qualname(call.func) or ""
    if by.startswith("equinox.") and qualname in _BY_VALUE:
        return made_anew(module, call.args[0], by) if call.args else None
    if qualname in RENEWING:
        return call
    function = module.definition(call.func)
    if isinstance(function, ast.FunctionDef):
        return call if _returns_new(module, function) else None
    is_elsewhere = qualname and not qualname.startswith("jax.")
    return (
        call if (is_elsewhere or _is_wrapper_elsewhere(module, call.func)) and _is_given_new(module, call, by) else None
    )


def _is_wrapper_elsewhere(module: Module, func: ast.expr) -> bool:
    """Whether it is what a function of another file returned: `progress_bar(n)`."""
    return isinstance(func, ast.Call) and not (module.qualname(func.func) or "jax.").startswith("jax.")


def _is_given_new(module: Module, call: ast.Call, by: str) -> bool:
    """Whether it wraps one function, another one each time, and by its name remembers none."""
    is_alone = len(call.args) == 1 and not call.keywords
    return is_alone and not _remembers(module.text(call.func)) and made_anew(module, call.args[0], by) is not None


def _remembers(name: str) -> bool:
    return any(word in name.lower() for word in ("cache", "memo", "once"))


def _of_binding(module: Module, node: ast.AST, by: str) -> ast.AST | None:
    """What creates the object of a name: a `def` that runs repeatedly, or the value that is bound."""
    if isinstance(node, ast.FunctionDef):
        return node if module.function(node) is not None or module.loops(node) else None
    value = module.value_of(node) if isinstance(node, ast.Name) else None
    runs_again = value is not None and (module.function(value) is not None or bool(module.loops(value)))
    return made_anew(module, value, by) if value is not None and runs_again else None


def _returns_new(module: Module, function: ast.FunctionDef) -> bool:
    """Whether each call of `function` returns a function that it defines itself."""
    if function.decorator_list:
        return False  # perhaps it remembers
    returns = [n for n in walk(function) if isinstance(n, ast.Return) and module.function(n) is function]
    return bool(returns) and all(_is_own(module, r.value, function) for r in returns)


def _is_own(module: Module, value: ast.expr | None, function: Function) -> bool:
    match value:
        case ast.Lambda():
            return True
        case ast.Name(id=name):
            found = [binding.node for binding in module.bindings(name, function)]
            return bool(found) and all(isinstance(node, ast.FunctionDef) for node in found)
    return False


def _is_bound_method(module: Module, expr: ast.Attribute) -> bool:
    """Whether reading `expr` makes a bound method: of `self`, or of an object that this file makes."""
    owner = owner_of(module, expr) or _class_of(module, expr.value)
    found = method(module, owner, expr.attr) if owner is not None else None
    if found is None:
        return False
    return all(isinstance(d, ast.Name) and d.id == "classmethod" for d in found.decorator_list)


def _class_of(module: Module, expr: ast.expr) -> ast.ClassDef | None:
    """The class of this file that the variable `expr` is made by, if it is bound once."""
    maker = made_by(module, expr)
    if not isinstance(maker, ast.Name):
        return None
    found = [b.node for b in module.bindings(maker.id, module.scope_of(maker.id, maker))]
    return found[0] if len(found) == 1 and isinstance(found[0], ast.ClassDef) else None


def outermost_jit(module: Module, function: ast.FunctionDef) -> ast.expr | None:
    """The decorator that puts `function` under jit, if it is the last one that is applied.

    Returns:
      None where there is none, or another one is applied after it.
    """
    first = function.decorator_list[0] if function.decorator_list else None
    return first if first is not None and is_jit(module, first) else None


def is_memoised(module: Module, node: ast.AST) -> bool:
    """Whether a function around `node` remembers what it made: by `functools.cache`, or a decorator that says so."""
    for function in module.functions_around(node):
        for decorator in [] if isinstance(function, ast.Lambda) else function.decorator_list:
            name = transform_of(module, decorator) or module.text(decorator)
            if _remembers(name):
                return True
    return False


def factory(module: Module, function: ast.FunctionDef) -> Factory | None:
    """The summary of a function each call of which makes another jitted function.

    Returns:
      None for any other function.
    """
    if function.args.vararg or function.args.kwarg or not makes_jitted(module, function):
        return None
    positional = [a.arg for a in positional_of(function.args)]
    named = [a.arg for a in function.args.kwonlyargs]
    return Factory(tuple(positional), tuple(name for name in (*positional, *named) if is_data(module, name, function)))


def makes_jitted(module: Module, function: ast.FunctionDef) -> bool:
    """Whether each call of `function` returns another jitted function."""
    if function.decorator_list or is_memoised(module, function):
        return False
    results = returned(function)
    return bool(results) and all(_is_new(module, result, function) for result in results)


def _is_new(module: Module, result: ast.expr, function: ast.FunctionDef) -> bool:
    value = module.only_value(result) or result
    inner = module.definition(value)
    if isinstance(inner, ast.FunctionDef):
        return module.function(inner) is function and outermost_jit(module, inner) is not None
    found = jitted_of(module, value) if isinstance(value, ast.Call) else None
    if found is None or not isinstance(value, ast.Call) or found.at is not value:
        return False
    made = made_anew(module, value.args[0], found.jit.by)
    return made is not None and function in module.ancestors(made)


def is_data(module: Module, name: str, function: ast.FunctionDef) -> bool:
    """Whether the jitted function alone reads this variable of the function that makes it, and as an array."""
    for use in walk(function):
        if isinstance(use, ast.Name) and use.id == name:
            is_inside = module.function(use) is not function
            if not is_inside or traced_uses.concrete_use(module, use) is not None:
                return False
    return True
