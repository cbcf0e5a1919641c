"""Whether a call of a function and one of its gradient can be one."""

import ast
from collections.abc import Iterator

from jaxfix.api import FUNCTIONS, Code, Declined, Function, Module, Reason, jitted_by_decorator, walk
from jaxfix.api.analysis import (
    MAKES_RULES,
    USERS,
    Form,
    Values,
    changes_of,
    effects,
    is_impure,
    is_stored,
)
from jaxfix.api.library import CONTROL_FLOW, Effect, Package, Result, Transform, short_names, where
from jaxfix_codemods.following import closure, inside, unknown_calls
from jaxfix_codemods.jitting.applied import check_applications
from jaxfix_codemods.separate_value_and_grad.layers import check_unchanged, is_of_stateless_layers
from jaxfix_codemods.separate_value_and_grad.pairs import Pair, is_same, is_value_jitted, uses_of

_INDEXED = "__getitem__"
_MUTABLE_LAYERS = "flax.nnx."
_LEAVES = (ast.Return, ast.Raise, ast.Break, ast.Continue, ast.Yield, ast.YieldFrom, ast.Await, ast.Assert)
_RULES = frozenset(name.rpartition(".")[0] for name in where(Transform.DERIVATIVE_RULE)) | {"jax.custom_gradient"}
_HARMLESS = short_names(Effect.READS, "builtins") | short_names(Effect.PURE, "builtins")
_READING = where(Package.READS) | where(Package.IMMUTABLE)
_CONVERTING = where(Result.CONVERTED)
_MUTATING = where(Effect.MUTATES)
_DIFFERENTIATING = where(Transform.DIFFERENTIATES)
_READERS = short_names(Effect.READS, "jax.Array", "builtins.dict", "builtins.list")
_COLLECTORS = short_names(Effect.MUTATES, "builtins.list")
_OPERATOR_OF: dict[type, str] = {
    **{ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod"},
    **{ast.MatMult: "matmul", ast.Pow: "pow", ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert"},
    **{ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor", ast.LShift: "lshift", ast.RShift: "rshift"},
}
_OPERATORS = frozenset(f"__{start}{name}__" for name in _OPERATOR_OF.values() for start in ("", "r"))
_Variable = tuple[str, ast.AST | None]
"""A name, and the scope that it belongs to."""


def check(module: Module, pair: Pair) -> None:
    """Whether one call gives what the two give.

    Raises:
      Declined: it may not.
    """
    is_mutable = (module.qualname(pair.derivative.made.func) or "").startswith(_MUTABLE_LAYERS)
    if is_mutable and not is_of_stateless_layers(module, pair):
        raise Declined(Reason(Code.SIDE_EFFECT, "a layer of `nnx` may count its calls, or draw from its own key"))
    if is_mutable:
        check_unchanged(module, pair)
    _check_rounding(module, pair)
    if not module.has_exact_spans(pair.value) or not module.has_exact_spans(pair.gradient):
        raise Declined(Reason(Code.FORMAT_STRING, "it is called inside an f-string"))
    _check_handlers(module, pair)
    _check_known(module, pair.derivative.function)
    functions = tuple(closure(module, pair.derivative.function))
    _check_arguments(module, pair)
    _check_uses(module, pair)
    for function in functions:
        _check_function(module, function)
        _check_operators(module, function)
        check_applications(module, module.get(Values), inside(function))
    if pair.derivative.is_jitted:
        _check_captured(module, functions)
    _check_rules(module, functions)
    _check_subclasses(module, functions)
    _check_between(module, pair, functions)


def _check_handlers(module: Module, pair: Pair) -> None:
    """That no code uses the value where the gradient raises."""
    for outer in module.ancestors(pair.last):
        if isinstance(outer, FUNCTIONS):
            return
        if isinstance(outer, ast.Try | ast.TryStar) and (outer.finalbody or not _are_of_the_user(outer)):
            text = f"it is in the `try` of line {outer.lineno}: if the gradient raises, the value would be lost too"
            raise Declined(Reason(Code.MAY_FAIL, text, outer.lineno))


def _are_of_the_user(block: ast.Try | ast.TryStar) -> bool:
    """Whether the handlers take nothing but an interrupt from the keyboard."""
    kinds = (handler.type for handler in block.handlers)
    return all(isinstance(kind, ast.Name) and kind.id == "KeyboardInterrupt" for kind in kinds)


def _check_rounding(module: Module, pair: Pair) -> None:
    name = module.text(pair.derivative.function)
    is_jitted = is_value_jitted(module, pair.value)
    if pair.derivative.is_jitted and not is_jitted:
        text = f"`{name}` runs eagerly, its gradient under `jit`: in one program the value may be rounded differently"
        raise Declined(Reason(Code.ROUNDING, text))
    is_inside = is_same(module, pair.value.func, pair.derivative.function)
    if is_jitted and not pair.derivative.is_jitted and not is_inside:
        text = f"`{name}` runs under `jit`, its gradient does not: run eagerly, the value may be rounded differently"
        raise Declined(Reason(Code.ROUNDING, text))
    values = module.get(Values)
    if any(values.of(each).form is Form.PYTHON for each in _differentiated(pair)):
        raise Declined(Reason(Code.DTYPE, "an argument is a Python number, of which the value may be one too"))


def _differentiated(pair: Pair) -> list[ast.expr]:
    """The arguments that the gradient is by; all positional ones where its options do not say."""
    made = pair.derivative.made
    named = (keyword.value for keyword in made.keywords if keyword.arg == "argnums")
    match [*made.args[1:], *named], pair.value.args:
        case [], [first, *_]:
            return [first]
        case [ast.Constant(value=int(number))], given if number < len(given):
            return [given[number]]
    return pair.value.args


def _check_known(module: Module, named: ast.expr) -> None:
    """A caller may pass a function that counts its calls."""
    binding = module.names.only_binding(named) if isinstance(named, ast.Name) else None
    if binding is not None and isinstance(binding.node, ast.arg):
        raise Declined(
            Reason(Code.SIDE_EFFECT, f"`{binding.node.arg}` is what a caller passes, and may count its calls")
        )


def _check_arguments(module: Module, pair: Pair) -> None:
    """No class of this file may compute what an argument reads: a property, or an index, may count its reads."""
    computed = {
        member.name
        for owner in module.nodes(ast.ClassDef)
        for member in owner.body
        if isinstance(member, ast.FunctionDef) and (member.decorator_list or member.name == _INDEXED)
    }
    for node in (node for part in (*pair.value.args, *pair.value.keywords) for node in walk(part)):
        match node:
            case ast.Attribute(attr=attr) if attr in computed:
                raise Declined(
                    Reason(Code.SIDE_EFFECT, f"a class computes `{attr}` at each read, and would do so once")
                )
            case ast.Subscript(value=value) if _INDEXED in computed and not module.get(Values).of(value).is_array:
                text = f"`{module.text(node)}` may be computed by a class at each read, and would be once"
                raise Declined(Reason(Code.SIDE_EFFECT, text))


def _check_uses(module: Module, pair: Pair) -> None:
    """A variable that is bound to a compiled gradient must have no use but this one."""
    others = [use for use in uses_of(module, pair.derivative) if use is not pair.gradient.func]
    if others and pair.derivative.is_jitted:
        line = others[0].lineno
        raise Declined(Reason(Code.OTHER_USES, f"line {line} uses the compiled gradient without the value", line))


# --- what the function does ---------------------------------------------------------------------------------------


def _check_operators(module: Module, function: Function) -> None:
    """No operand may be an object of a class of this file, whose operators may count."""
    own = {name: owner for owner in module.nodes(ast.ClassDef) for name in _OPERATORS & module.names.bound_in(owner)}
    values = module.get(Values)
    for node in walk(function) if own else ():
        left, right = _operands(node)
        for operand, start in ((left, "__"), (right, "__r")):
            name = f"{start}{_OPERATOR_OF.get(type(getattr(node, 'op', None)), '')}__"
            if operand is not None and name in own and not values.of(operand).is_array:
                text = f"`{own[name].name}.{name}` may count its calls, and `{module.text(operand)}` be its object"
                raise Declined(Reason(Code.SIDE_EFFECT, text))


def _operands(node: ast.AST) -> tuple[ast.expr | None, ast.expr | None]:
    match node:
        case ast.BinOp(left=left, right=right):
            return left, right
        case ast.AugAssign(target=target, value=value):
            return target, value
        case ast.UnaryOp(operand=operand):
            return operand, None
    return None, None


def _check_function(module: Module, function: Function) -> None:
    captures = module.captures(function)
    if captures is None or captures.rebinds:
        raise Declined(Reason(Code.SIDE_EFFECT, "it binds what belongs to an enclosing scope, and would do so once"))
    for reason in effects(module, function):
        if not _is_own_collector(module, function, reason):
            raise Declined(reason.restated(f"{reason.text.removesuffix(', at trace time only')}: it would run once"))
    for node in inside(function):
        _check_node(module, function, node)


def _is_own_collector(module: Module, function: Function, reason: Reason) -> bool:
    """Whether it is about a list of the function itself that is filled."""
    given = {arg.arg for arg in ast.walk(function.args) if isinstance(arg, ast.arg)}
    owners = {owner for owner, text in _collecting(module, function) if f"`{text}`" in reason.text}
    return bool(owners) and owners <= module.names.bound_in(function) - given


def _collecting(module: Module, function: Function) -> Iterator[tuple[str, str]]:
    for node in inside(function):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr) as func) if attr in _COLLECTORS:
                yield name, module.text(func)


def _check_node(module: Module, function: Function, node: ast.AST) -> None:
    match node:
        case ast.Call(func=ast.Name(id=name)) if module.scope_of(name, node) is None and name not in _HARMLESS:
            raise Declined(Reason(Code.SIDE_EFFECT, f"it calls `{name}`, and would do so once"))
        case ast.Name(id=name) if isinstance(node.ctx, ast.Load):
            value = module.only_value(node)
            if isinstance(value, ast.Call) and is_impure(module.qualname(value.func)):
                raise Declined(Reason(Code.IMPURE, f"it uses `{name}`, which answers differently each time"))
            roots = changes_of(module).roots.get(name, ())
            if node in roots and module.scope_of(name, node) is not function:
                raise Declined(Reason(Code.SIDE_EFFECT, f"it changes `{name}`, and would do so once"))


def _check_rules(module: Module, functions: tuple[Function, ...]) -> None:
    """That no derivative rule of the project is in it: the forward pass of one may return another value."""
    for rule in sorted(_RULES):
        found = next(iter(module.references(rule)), None)
        if found is not None:
            text = f"line {found.lineno} makes a derivative rule, whose forward pass may return another value"
            raise Declined(Reason(Code.GRADIENT, text, found.lineno))
    if module.surroundings.project.ask(MAKES_RULES, ""):
        for call in unknown_calls(module, functions):
            text = (
                f"`{module.text(call.func)}` may have a derivative rule of the project, which may return another value"
            )
            raise Declined(Reason(Code.GRADIENT, text, call.lineno))


def _check_subclasses(module: Module, functions: tuple[Function, ...]) -> None:
    """That no class of another file overrides what a method calls, and may count that."""
    for function in functions:
        owner = module.method_of(function)
        name = module.surroundings.name
        if owner is None or name is None:
            continue
        if any(use.call is None for use in module.surroundings.project.ask(USERS, f"{name}.{owner.name}")):
            text = f"`{owner.name}` may have a subclass in another file, whose methods count their calls"
            raise Declined(Reason(Code.SIDE_EFFECT, text))


# --- what happens between the calls -------------------------------------------------------------------------------


def _check_between(module: Module, pair: Pair, functions: tuple[Function, ...]) -> None:
    """Nothing between the calls may bind or change what they read.

    Raises:
      Declined: something may.
    """
    watched = _watched(module, pair, functions)
    behind = {pair.value, pair.gradient, *module.ancestors(pair.last)}
    for statement in pair.block:
        for node in _nodes(statement):
            if statement is pair.block[-1]:
                if node not in behind and not isinstance(getattr(node, "ctx", None), ast.Store | ast.Del):
                    _check_step(module, pair, node, watched)
            elif isinstance(node, _LEAVES):
                line = getattr(node, "lineno", statement.lineno)
                raise Declined(Reason(Code.MAY_FAIL, f"line {line} may leave before the second call", line))
            elif node not in behind:
                _check_step(module, pair, node, watched)


def _check_captured(module: Module, functions: tuple[Function, ...]) -> None:
    """A program keeps what it captured at its first call, and the two may have had theirs at different times."""
    for name, scope in sorted(_captured(module, functions), key=lambda variable: variable[0]):
        if len(module.bindings(name, scope)) > 1:
            text = f"`{name}` is bound more than once, and each program keeps what it was at its first call"
            raise Declined(Reason(Code.UNSTABLE, text))


def _watched(module: Module, pair: Pair, functions: tuple[Function, ...]) -> frozenset[_Variable]:
    """The variables that either call reads."""
    read = [node for call in (pair.value, pair.gradient, pair.derivative.whole) for node in ast.walk(call)]
    found = {(node.id, module.scope_of(node.id, node)) for node in read if isinstance(node, ast.Name)}
    return frozenset(found) | _captured(module, functions)


def _captured(module: Module, functions: tuple[Function, ...]) -> frozenset[_Variable]:
    """The variables of scopes around that functions read."""
    found = set()
    for function in functions:
        for node in inside(function):
            scope = module.scope_of(node.id, node) if isinstance(node, ast.Name) else None
            if isinstance(node, ast.Name) and scope is not None and function not in (scope, *module.ancestors(scope)):
                found.add((node.id, scope))
    return frozenset(found)


def _nodes(statement: ast.stmt) -> Iterator[ast.AST]:
    """What runs with a statement; the inside of functions that it defines does not."""
    pending: list[ast.AST] = [statement]
    for node in pending:  # grows
        yield node
        if not isinstance(node, FUNCTIONS):
            pending += ast.iter_child_nodes(node)


def _check_step(module: Module, pair: Pair, node: ast.AST, watched: frozenset[_Variable]) -> None:
    line = getattr(node, "lineno", pair.first.lineno)
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()) if (name, module.scope_of(name, node)) in watched:
            raise Declined(Reason(Code.REBOUND, f"line {line} binds `{name}` between the two calls", line))
        case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
            raise Declined(Reason(Code.MUTATED, f"line {line} changes `{module.text(node)}` between the two", line))
        case ast.AugAssign(target=ast.Name(id=name)) if not _is_number(module, node.target):
            raise Declined(
                Reason(Code.MUTATED, f"line {line} changes `{name}` between the two, perhaps in place", line)
            )
        case ast.Call() if not _is_harmless(module, node, watched):
            text = f"line {line} calls `{module.text(node.func)}` between the two, which may change what they read"
            raise Declined(Reason(Code.ESCAPES, text, line))
        case ast.With() | ast.AsyncWith() | ast.AsyncFor() | ast.Try():
            raise Declined(Reason(Code.ESCAPES, f"line {line} enters a block between the two calls", line))
        case ast.Import() | ast.ImportFrom() | ast.Global() | ast.Nonlocal() | ast.ClassDef():
            raise Declined(Reason(Code.REBOUND, f"line {line} binds names between the two calls", line))


def _is_number(module: Module, target: ast.expr) -> bool:
    found = module.get(Values).of(target)
    return found.form is Form.PYTHON or found.is_array


def _is_harmless(module: Module, call: ast.Call, watched: frozenset[_Variable]) -> bool:
    """Whether a call changes nothing that either of the two reads."""
    qualname = module.qualname(call.func)
    if qualname is not None:
        is_read = qualname in _CONVERTING or any(qualname.startswith(f"{package}.") for package in _READING)
        is_filled = any(keyword.arg == "out" for keyword in call.keywords)
        return is_read and not is_filled and not is_impure(qualname) and qualname not in _MUTATING
    match call.func:
        case ast.Name(id=name):
            if module.scope_of(name, call) is None:
                return name in _HARMLESS
            return _only_computes(module, call.func)
        case ast.Call(func=made, args=[named, *_]) if module.qualname(made) in _DIFFERENTIATING:
            return _only_computes(module, named)
        case ast.Attribute(value=ast.Name(id=name) as owner, attr=attr) if attr in _COLLECTORS:
            return (name, module.scope_of(name, owner)) not in watched and _is_list(module, owner)
        case ast.Attribute(attr="update"):  # of an optimizer that returns what it makes
            return isinstance(around := module.parent(call), ast.Assign) and isinstance(around.targets[0], ast.Tuple)
        case ast.Attribute(attr=attr):
            return attr in _READERS and not is_stored(module, attr)
    return False


def _only_computes(module: Module, named: ast.expr) -> bool:
    """Whether a function of this file, and all that it runs, changes nothing, what it is passed included."""
    functions = tuple(closure(module, named)) if isinstance(named, ast.Name) else ()
    try:
        for function in functions:
            _check_function(module, function)
    except Declined:
        return False
    nodes = [node for function in functions for node in inside(function)]
    return (
        bool(functions)
        and all(jitted_by_decorator(module, each) or not getattr(each, "decorator_list", ()) for each in functions)
        and not any(isinstance(node, ast.AugAssign) or _calls_what_is_passed(module, node) for node in nodes)
        and next(unknown_calls(module, functions), None) is None
    )


def _calls_what_is_passed(module: Module, node: ast.AST) -> bool:
    """Whether it may call a function that it is given, of which the caller knows more."""
    if not isinstance(node, ast.Call):
        return False
    return isinstance(node.func, ast.Call) or module.qualname(node.func) in CONTROL_FLOW


def _is_list(module: Module, name: ast.expr) -> bool:
    value = module.only_value(name)
    return isinstance(value, ast.List)
