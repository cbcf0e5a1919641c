"""A function that a loop calls, put under `jit` as a whole: whether it may be, and what is static."""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from jaxfix.api import (
    Callers,
    Demands,
    Form,
    Function,
    Kind,
    Module,
    Rewriter,
    Values,
    arguments_of,
    callers,
    demands,
    is_kept,
    returned,
)
from jaxfix_codemods.unjitted_update.work import LOOPS


class Declined(Exception):
    """Why something is not rewritten, in words."""


@dataclass(frozen=True, slots=True)
class Whole:
    """A function to decorate with `jit`."""

    function: ast.FunctionDef
    static: tuple[str, ...]
    filtered: bool = False


def judge(module: Module, values: Values, function: ast.FunctionDef) -> Whole:
    """What to do with `function`.

    Raises:
      Declined: nothing.
    """
    uses = callers(module, function)
    _check_place(module, function, uses)
    found = demands(module, function)
    if found.reason is not None:
        raise Declined(f"`{function.name}` cannot be traced: {found.reason}")
    _check_results(module, values, function, uses)
    static = _static(module, function, found, uses)
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and node.id not in static and overflows(module, values, node):
            raise Declined(f"`{node.id}` is a Python integer without bounds, which a traced one would have")
    for call in uses.calls:
        _check_buffers(module, values, function, call, static)
        if uses_equinox(module, [function]):
            for value in (arguments_of(function, call) or {}).values():
                if counts(module, values, value):
                    raise Declined("`equinox.filter_jit` compiles for each Python number, and one counts")
    return Whole(function, static, uses_equinox(module, [function]))


def decorate(whole: Whole, edit: Rewriter) -> None:
    """Puts `jax.jit` above the function; equinox's own where it is written with that, which finds what is static."""
    if whole.filtered:
        equinox = edit.imported("equinox", prefer="eqx", at=whole.function)
        edit.decorate(whole.function, f"{equinox}.filter_jit")
        return
    jax = edit.imported("jax", prefer="jax", at=whole.function)
    names = "".join(f'"{name}", ' for name in whole.static)
    if not whole.static:
        edit.decorate(whole.function, f"{jax}.jit")
    else:
        functools = edit.imported("functools", prefer="functools", at=whole.function)
        names = names if len(whole.static) == 1 else names.removesuffix(", ")
        edit.decorate(whole.function, f"{functools}.partial({jax}.jit, static_argnames=({names.strip()}))")


def _check_place(module: Module, function: ast.FunctionDef, uses: Callers) -> None:
    name = function.name
    if isinstance(module.parent(function), ast.ClassDef):
        raise Declined(f"`{name}` is a method: under `jit` what it reads of its object would stay what it was at first")
    if len(module.bindings(name, module.scope_of(name, function))) != 1:
        raise Declined(f"`{name}` is defined more than once")
    if any(isinstance(outer, LOOPS) for outer in _within(module, function)):
        raise Declined(f"`{name}` is defined anew at every round, and would be compiled as often")
    if not uses.closed:
        raise Declined(f"other files may call `{name}`, with arguments that `jit` does not take")
    check_made_once(module, function)
    for other in uses.others:
        if isinstance(wrapper := module.parent(other), ast.Call) and module.jit(wrapper) is not None:
            raise Declined(f"line {other.lineno} makes a jitted form of it, so it may run eagerly on purpose")
        raise Declined(f"`{name}` is handed on in line {other.lineno}, to code that may need it as it is")
    arguments = function.args
    if arguments.vararg or arguments.kwarg:
        raise Declined(f"`{name}` takes any number of arguments")


def check_made_once(module: Module, function: ast.stmt) -> None:
    """Refuses what would be made, and compiled, anew at every call of a function around it, or of itself."""
    for outer in module.functions_around(function):
        if not isinstance(outer, ast.FunctionDef):
            raise Declined("it would be made, and compiled, at every call of a function without a name")
        uses = callers(module, outer)
        if any(module.repeats(call) for call in uses.calls):
            raise Declined(f"it would be compiled at every call of `{outer.name}`, which is called again and again")
        if uses.others and module.function(outer) is not None:
            raise Declined(f"it would be compiled at every call of `{outer.name}`, which is handed on")


def _within(module: Module, node: ast.AST) -> Iterator[ast.AST]:
    """The nodes around `node` up to the function that it stands in."""
    for outer in module.ancestors(node):
        if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            return
        yield outer


# --- results ------------------------------------------------------------------------------------------------------


def _check_results(module: Module, values: Values, function: ast.FunctionDef, uses: Callers) -> None:
    results = returned(function)
    if not results:
        raise Declined(f"`{function.name}` returns nothing, so what it does it does to something else")
    for result in results:
        for leaf in leaves(result):
            reason = no_array(module, values, leaf)
            if reason is not None:
                raise Declined(f"`{function.name}` returns {reason}, which `jit` would turn into an array")
        if isinstance(result, ast.Dict) and not has_sorted_keys(result):
            _check_order(module, result, (), uses)
        if isinstance(result, ast.Tuple):
            for index, element in enumerate(result.elts):
                if isinstance(element, ast.Dict) and not has_sorted_keys(element):
                    _check_order(module, element, (index,), uses)


def leaves(expr: ast.expr) -> Iterator[ast.expr]:
    """The leaves of the tuples, lists and dictionaries that `expr` spells out."""
    match expr:
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            for element in elts:
                yield from leaves(element.value if isinstance(element, ast.Starred) else element)
        case ast.Dict(values=parts):
            for part in parts:
                yield from leaves(part)
        case ast.IfExp(body=body, orelse=orelse):
            yield from (*leaves(body), *leaves(orelse))
        case _:
            yield expr


def no_array(module: Module, values: Values, leaf: ast.expr) -> str | None:
    """What a leaf is, in words, if it is no array; None if it may be one."""
    match leaf:
        case ast.Constant(value=None):
            return None
        case ast.Constant() | ast.JoinedStr():
            return f"`{module.text(leaf)}`"
        case ast.Lambda():
            return "a function"
        case ast.Name() if module.definition(leaf) is not None:
            return f"the function `{leaf.id}`"
        case ast.Compare(ops=[ast.Is() | ast.IsNot() | ast.In() | ast.NotIn(), *_]):
            return f"`{module.text(leaf)}`"
        case ast.Call(func=ast.Name(id="len" | "range" | "str" | "isinstance" | "zip" | "map" | "set")):
            return f"`{module.text(leaf)}`"
        case ast.Set() | ast.SetComp() | ast.GeneratorExp():
            return f"`{module.text(leaf)}`"
        case ast.Attribute(attr="shape" | "dtype" | "ndim" | "size"):
            return f"`{module.text(leaf)}`"
    for source in values.origins.of(leaf):
        if isinstance(source, ast.JoinedStr) or (isinstance(source, ast.Constant) and isinstance(source.value, str)):
            return f"`{module.text(leaf)}`, a text"
    form = values.of(leaf).form
    return f"`{module.text(leaf)}`, a {form.value} number" if form in (Form.PYTHON, Form.NUMPY) else None


def has_sorted_keys(display: ast.Dict) -> bool:
    keys = [key.value if isinstance(key, ast.Constant) else None for key in display.keys]
    texts = [key for key in keys if isinstance(key, str)]
    return len(texts) == len(keys) and texts == sorted(texts)


def _check_order(module: Module, display: ast.Dict, path: tuple[int, ...], uses: Callers) -> None:
    """A dictionary comes back from `jit` with its keys sorted: it must not matter in what order they are."""
    for call in uses.calls:
        taken = _taken(module, call, path)
        if taken is None or not all(_reads_key(module, use) for use in _loads(module, taken)):
            raise Declined("it returns a dictionary, which comes back from `jit` with its keys in another order")


def _taken(module: Module, call: ast.Call, path: tuple[int, ...]) -> ast.Name | None:
    match module.parent(call), path:
        case ast.Assign(targets=[ast.Name() as target]), ():
            return target
        case ast.Assign(targets=[ast.Tuple(elts=elts)]), (index,) if index < len(elts):
            element = elts[index]
            return element if isinstance(element, ast.Name) else None
    return None


def _loads(module: Module, target: ast.Name) -> Iterator[ast.AST]:
    scope = module.scope_of(target.id, target)
    for node in module.nodes:
        is_load = isinstance(node, ast.Name) and node.id == target.id and isinstance(node.ctx, ast.Load)
        if is_load and module.scope_of(target.id, node) is scope:
            yield node


def _reads_key(module: Module, use: ast.AST) -> bool:
    match module.parent(use):
        case ast.Subscript(value=value, slice=ast.Constant()):
            return value is use
    return False


# --- arguments ----------------------------------------------------------------------------------------------------


def _static(module: Module, function: ast.FunctionDef, found: Demands, uses: Callers) -> tuple[str, ...]:
    """The parameters that are to be static, in their order."""
    static: list[str] = []
    every = [arguments_of(function, call) for call in uses.calls]
    if not every or None in every:
        raise Declined(f"`{function.name}` is called with `*` or `**`")
    arguments = function.args
    for parameter in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        name = parameter.arg
        given = [(c, passed[name]) for c, passed in zip(uses.calls, every, strict=True) if passed and name in passed]
        if _is_static(module, function, parameter, found, given):
            static.append(name)
    if static and arguments.posonlyargs:
        raise Declined(f"`{function.name}` has parameters without names, of which some would have to be static")
    return tuple(static)


def _is_static(
    module: Module,
    function: ast.FunctionDef,
    parameter: ast.arg,
    found: Demands,
    given: list[tuple[ast.Call, ast.expr | None]],
) -> bool:
    name, mine = parameter.arg, function.name
    passed = [(call, value if value is not None else _default(function, parameter)) for call, value in given]
    texts = any(isinstance(value, ast.Constant) and isinstance(value.value, str) for _, value in passed)
    functions = [value for _, value in passed if value is not None and _is_function(module, value)]
    is_called = name in found.called
    if functions and len(functions) == len(passed):
        for call, value in passed:
            _check_same_object(module, call, value, name)
        return True
    if functions or is_called:
        raise Declined(f"`{mine}` calls its argument `{name}`, of which it is not certain that it is one function")
    if name in found.methods:
        return _is_static_object(module, mine, name, found.methods[name], passed)
    if name in found.values or texts:
        if all(isinstance(value, ast.Constant) for _, value in passed):
            return True
        raise Declined(
            f"`{mine}` {found.values.get(name, f'takes the text `{name}`')}, and its values are not in the code"
        )
    return False


def _default(function: ast.FunctionDef, parameter: ast.arg) -> ast.expr | None:
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    with_default = positional[len(positional) - len(arguments.defaults) :]
    named = dict(zip(with_default, arguments.defaults, strict=True))
    return named.get(parameter) or dict(zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)).get(parameter)


def _is_function(module: Module, value: ast.expr) -> bool:
    if isinstance(value, ast.Lambda):
        return True
    return module.definition(value) is not None or module.jit(value) is not None


def _check_same_object(module: Module, call: ast.Call, value: ast.expr | None, name: str) -> None:
    """A static function is found by its identity: it has to be the same at each call, and what it reads too."""
    if not isinstance(value, ast.Name):
        raise Declined(f"`{name}` is a new function at every call, which would be compiled as often")
    scope = module.scope_of(value.id, value)
    reason = is_kept(module, value.id, scope) if scope is not None else None
    function = module.definition(value)
    if reason is None and function is not None:
        if any(isinstance(outer, LOOPS) for outer in _within(module, function)):
            reason = f"`{value.id}` is defined anew at every round"
        else:
            reason = demands(module, function).reason
    if reason is not None:
        raise Declined(f"line {call.lineno} hands it `{value.id}`: {reason}")


def _is_static_object(
    module: Module, function: str, name: str, method: str, passed: list[tuple[ast.Call, ast.expr | None]]
) -> bool:
    """Whether an argument of which methods are called is one object of an init and an update, or a tree."""
    if all(value is not None and is_rebound(module, call, value) for call, value in passed):
        return False  # a state: it comes back, so it is made of arrays
    for _, value in passed:
        scope = module.scope_of(value.id, value) if isinstance(value, ast.Name) else None
        if method not in ("update", "init") or not isinstance(value, ast.Name) or scope is None:
            raise Declined(f"`{function}` calls `{name}.{method}`, and whether `jit` takes `{name}` is not certain")
        reason = is_kept(module, value.id, scope)
        if reason is not None:
            raise Declined(f"`{function}` takes an object that changes: {reason}")
    return True


def is_rebound(module: Module, call: ast.Call, value: ast.expr) -> bool:
    """Whether the statement of `call` binds the very name again that it passes."""
    match module.parent(call):
        case ast.Assign(targets=[target]) if isinstance(value, ast.Name):
            parts = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
            return any(isinstance(part, ast.Name) and part.id == value.id for part in parts)
    return False


def goes_on(module: Module, call: ast.Call) -> bool:
    """Whether the statement of `call` binds anew something that it passes."""
    return any(is_rebound(module, call, value) for value in (*call.args, *(k.value for k in call.keywords)))


def _check_buffers(module: Module, values: Values, function: Function, call: ast.Call, static: tuple[str, ...]) -> None:
    """A buffer that is filled anew in place: a jitted call may still read it when the next round writes."""
    passed = arguments_of(function, call) or {}
    for name, value in passed.items():
        if isinstance(value, ast.Name) and name not in static and is_filled(module, values, value):
            raise Declined(f"`{value.id}` is changed in place, perhaps while the jitted step still reads it")


def is_filled(module: Module, values: Values, name: ast.Name) -> bool:
    """Whether code stores into what `name` stands for."""
    scope = module.scope_of(name.id, name)
    for root in module.changes.roots.get(name.id, ()):
        if module.scope_of(name.id, root) is scope:
            match module.parent(root):
                case ast.Subscript(ctx=ast.Store()):
                    return True
                case ast.AugAssign() if _may_be_buffer(module, values, name):
                    return True
                case ast.Attribute(attr="fill" | "sort" | "put" | "itemset" | "append" | "pop" | "clear" | "extend"):
                    return True
    return False


def _may_be_buffer(module: Module, values: Values, name: ast.Name) -> bool:
    """Whether `name` may be a NumPy array, which `-=` changes in place, as far as what binds it tells."""
    for binding in module.bindings(name.id, module.scope_of(name.id, name)):
        if isinstance(module.parent(binding.node), ast.AugAssign):
            continue
        value = module.value_of(binding.node) if isinstance(binding.node, ast.Name) else None
        made_by = module.qualname(value.func) if isinstance(value, ast.Call) else None
        if value is None or (values.of(value).form in (Form.NUMPY, Form.UNKNOWN) and not is_of_jax(made_by)):
            return True
    return False


def is_of_jax(qualname: str | None) -> bool:
    return qualname is not None and qualname.startswith("jax.")


def uses_equinox(module: Module, nodes: Iterable[ast.AST]) -> bool:
    """Whether the code is written with equinox, whose models hold more than arrays."""
    for node in nodes:
        for part in ast.walk(node):
            if isinstance(part, ast.Attribute | ast.Name) and (module.qualname(part) or "").startswith("equinox."):
                return True
    return False


def counts(module: Module, values: Values, value: ast.expr | None) -> bool:
    """Whether a Python number is passed that can be another one at the next round."""
    if value is None or isinstance(value, ast.Constant):
        return False
    sources = values.origins.of(value)
    ranged = any(isinstance(s, ast.Call) and isinstance(s.func, ast.Name) and s.func.id == "range" for s in sources)
    return ranged or (values.of(value).form is Form.PYTHON and len(sources) != 1)


def overflows(module: Module, values: Values, name: ast.Name) -> bool:
    """Whether `name`, a Python integer, is multiplied or raised with integers: a traced one has 32 bits."""
    parent = module.parent(name)
    if not isinstance(parent, ast.BinOp) or not isinstance(parent.op, ast.Mult | ast.Pow | ast.LShift):
        return False
    return all(_is_integer(values, side) for side in (parent.left, parent.right))


def _is_integer(values: Values, expr: ast.expr) -> bool:
    sources = values.origins.of(expr)
    counted = (isinstance(s, ast.Call) and isinstance(s.func, ast.Name) and s.func.id == "range" for s in sources)
    value = values.of(expr)
    return any(counted) or (value.form is Form.PYTHON and value.kind is Kind.INT)
