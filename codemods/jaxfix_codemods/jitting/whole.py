"""A function, put under `jit` as a whole: whether it may be, and what is static."""

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial

from jaxfix.api import (
    Code,
    Declined,
    Function,
    Module,
    Reason,
    Rewriter,
    Staging,
    arguments_of,
    frozen,
    jit_of,
    returned,
    walk,
)
from jaxfix.api.analysis import (
    ArgumentKind,
    ArgumentSummary,
    Callers,
    Demands,
    Form,
    Passing,
    Values,
    demands,
    instance_state,
    instances,
    is_length,
    own_parameter,
    parameters_of,
    stores_of,
)
from jaxfix.api.library import Effect, Member, short_names
from jaxfix_codemods.jitting.applied import applied, check_used, is_model
from jaxfix_codemods.jitting.displays import is_reordered
from jaxfix_codemods.jitting.given import Given, given_to
from jaxfix_codemods.jitting.handed_on import derived_calls, is_transformed
from jaxfix_codemods.jitting.models import models_in
from jaxfix_codemods.jitting.ordered import check_order
from jaxfix_codemods.jitting.traced import adds_truths, is_integer, is_integer_field, is_no_tree, overflows, picks

LOOPS = (ast.For, ast.While)
_FUNCTIONAL = short_names(Effect.FUNCTIONAL)
OF_STATES = short_names(Member.TREE) & (short_names(Effect.APPLIES) | short_names(Effect.FUNCTIONAL))
"""What training states have, and hardly anything else."""
_APPLYING = short_names(Effect.APPLIES) - short_names(Member.TREE)
_STATIC_OBJECTS = _FUNCTIONAL | _APPLYING
"""The methods of optimizers and of models, which can be static arguments."""
_STATIC = short_names(Member.STATIC, "jax.Array")


@frozen
class Whole:
    """A function to decorate with `jit`; of a method its own object is static too."""

    function: ast.FunctionDef
    static: tuple[str, ...]
    own: str | None = None
    filtered: bool = False
    by: str = "jax.jit"


def judge(module: Module, values: Values, function: ast.FunctionDef, in_place: Demands | None = None) -> Whole:
    """What to do with `function`.

    Args:
      in_place: what it asks besides changing objects of `flax.nnx` that it is passed: `nnx.jit` carries that out.

    Raises:
      Declined: nothing.
    """
    uses = instance_state.users(module, function)
    owner = module.method_of(function)
    own = own_parameter(function) if owner is not None else None
    if owner is not None:
        _check_method(module, function)
    _check_place(module, values, function, uses)
    found = in_place or demands(module, function)
    if found.reason is not None:
        raise Declined(found.reason.restated(f"`{function.name}` cannot be traced: {found.reason}"))
    check_used(module, values, function.body)
    if owner is not None:
        _check_object(module, values, function, owner)
    if in_place is None or returned(function):
        _check_results(module, values, function, uses)
    given = given_to(module, values, function, uses, found.called, bound=own is not None)
    models = _models(module, values, function, found.called) if in_place is None and own is None else {}
    static = tuple(name for name in _static(function, found, given, models) if name != own)
    _check_models(module, values, function, static, found.methods)
    for call in uses.calls if own is None else ():
        _check_static_made_once(module, function, static, call)
    for other in uses.others:
        if own is not None or (static and not _is_derived(module, function, static, other)):
            raise Declined(_handed_on(function, other))
    _check_values(module, values, function, (*static, own) if own is not None else static)
    unread = (*static, *_of_shape_alone(module, function))
    filtered = uses_equinox(module, [function]) or "equinox" in models.values()
    for each in given:
        for name, value in each.arguments.items():
            check_plain(value.text, value.plain if name not in static else ())
        _check_arguments(each.arguments, unread, filtered=filtered)
    if in_place is not None:
        if static or own is not None or uses.others:
            raise Declined(Reason(Code.STATIC_ARGUMENT, f"`{function.name}` takes more than data and objects of `nnx`"))
        return Whole(function, (), by="flax.nnx.jit")
    return Whole(function, static, own, filtered, "flax.nnx.jit" if "flax.nnx" in models.values() else "jax.jit")


def _models(module: Module, values: Values, function: ast.FunctionDef, called: Collection[str]) -> dict[str, str]:
    """The parameters that are called and for which callers pass models of one library: its `jit` takes them as data."""
    names = {parameter.arg for parameter in parameters_of(function.args)} & {*called}
    every = models_in(module, values, function.body) if names else {}
    found = {name: library for name, library in every.items() if name in names}
    return found if len({*found.values()}) == 1 else {}


def decorate(whole: Whole, edit: Rewriter) -> None:
    """Puts `jax.jit` above the function; equinox's own where it is written with that, which finds what is static."""
    if whole.filtered:
        edit.decorate(whole.function, edit.member("equinox.filter_jit", prefer="eqx", at=whole.function))
        return
    jit = edit.member(whole.by, prefer=whole.by.split(".")[-2], at=whole.function)
    if not whole.static and whole.own is None:
        edit.decorate(whole.function, jit)
        return
    bound = edit.member("functools.partial", prefer="functools", at=whole.function)
    static = "static_argnums=0"
    if whole.static:
        names = [f'"{name}"' for name in ([whole.own] if whole.own else []) + [*whole.static]]
        static = f"static_argnames={names[0]}" if len(names) == 1 else f"static_argnames=({', '.join(names)})"
    edit.decorate(whole.function, f"{bound}({jit}, {static})")


def _check_values(module: Module, values: Values, function: ast.FunctionDef, apart: Collection[str]) -> None:
    """Refuses what can be done with the arguments, those `apart` left out, but not with traced ones."""
    integer = partial(_is_integer, module, values)
    for node in walk(function):
        root = node.value if isinstance(node, ast.Attribute) else node
        is_data = isinstance(root, ast.Name) and root.id not in apart
        if (
            is_data
            and isinstance(node, ast.Name | ast.Attribute)
            and integer(node)
            and overflows(module, node, integer)
        ):
            text = f"`{module.text(node)}` is an unbounded Python int, and a traced one has a fixed width"
            raise Declined(Reason(Code.OVERFLOW, text))
        if is_data and isinstance(node, ast.Name) and adds_truths(module, values, node):
            text = f"it adds truth values of `{node.id}`, which would be traced"
            raise Declined(Reason(Code.NEEDS_VALUE, text))
        is_picked = isinstance(node, ast.Subscript) and picks(module, values, node)
        if is_picked and isinstance(node, ast.Subscript) and _is_traced(module, node.slice, apart):
            raise Declined(
                Reason(
                    Code.NEEDS_VALUE,
                    f"`{module.text(node)}` indexes a Python sequence by a number that would be traced",
                )
            )
        is_data = isinstance(node, ast.arg) and node.arg not in apart
        if is_data and isinstance(node, ast.arg) and any(is_no_tree(module, s) for s in values.origins.of(node)):
            raise Declined(Reason(Code.NO_ARRAY, f"`{node.arg}` is an object, which `jit` does not take"))
    for parameter in parameters_of(function.args):
        if parameter.arg not in apart:
            check_order(module, values, parameter.arg, module.reads(parameter.arg, function))


def _is_integer(module: Module, values: Values, expr: ast.expr) -> bool:
    return is_integer_field(module, expr) if isinstance(expr, ast.Attribute) else is_integer(values, expr)


def _is_traced(module: Module, index: ast.expr, static: Collection[str]) -> bool:
    """Whether `index` is an argument that is not static, or is computed of one."""
    names = (node for node in walk(index) if isinstance(node, ast.Name) and node.id not in static)
    found = (binding for name in names for binding in module.bindings(name.id, module.scope_of(name.id, name)))
    return any(isinstance(binding.node, ast.arg) for binding in found)


def _check_method(module: Module, function: ast.FunctionDef) -> None:
    name = function.name
    if function.decorator_list:
        raise Declined(
            Reason(Code.DECORATED, f"`{name}` is decorated with `{module.text(function.decorator_list[0])}`")
        )
    if own_parameter(function) is None:
        raise Declined(Reason(Code.SIGNATURE, f"`{name}` is a method that does not take its object"))
    changed = stores_of(module, function)
    if changed:
        shown = listed([f"`{each}`" for each in changed])
        each = "it" if len(changed) == 1 else "them"
        raise Declined(
            Reason(
                Code.SIDE_EFFECT,
                f"`{name}` changes {shown}, which `jit` would do once: pass {each} in, return {each}, "
                "and assign what comes back where it is called",
            )
        )


def listed(parts: Sequence[str]) -> str:
    """`a, b and c`."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _check_object(module: Module, values: Values, function: ast.FunctionDef, owner: ast.ClassDef) -> None:
    """Refuses a method whose object cannot be a static argument: one that changes, or that `jit` cannot distinguish."""
    reason = instances.why_no_identity_key(module, owner) or instances.why_many_objects(module, owner)
    if reason is not None:
        raise Declined(
            reason.restated(f"`{function.name}` is a method, and its object would be a static argument: {reason}")
        )
    reason = instance_state.why_state_unstable(module, values, function)
    if reason is not None:
        raise Declined(reason.restated(f"`{function.name}` reads its object: {reason}"))


def _check_place(module: Module, values: Values, function: ast.FunctionDef, uses: Callers) -> None:
    name = function.name
    parent = module.parent(function)
    scope = parent if isinstance(parent, ast.ClassDef) else module.scope_of(name, function)
    if len(module.bindings(name, scope)) != 1:
        raise Declined(Reason(Code.REBOUND, f"`{name}` is defined more than once"))
    if any(isinstance(outer, LOOPS) for outer in _within(module, function)):
        raise Declined(Reason(Code.RECOMPILES, f"`{name}` is defined in every iteration, and would compile each time"))
    if not uses.is_closed():
        raise Declined(
            Reason(Code.ESCAPES, f"other files may call `{name}`, with arguments that `jit` does not accept")
        )
    check_made_once(module, function)
    for outside in uses.outside:
        if outside.call is None:
            raise Declined(
                Reason(Code.ESCAPES, f"`{name}` is passed on in {outside.at}, to code that may need it without `jit`")
            )
    for other in uses.others:
        if isinstance(wrapper := module.parent(other), ast.Call) and jit_of(module, wrapper) is not None:
            raise Declined(
                Reason(
                    Code.ON_PURPOSE,
                    f"line {other.lineno} makes a jitted form of it, so it may run eagerly on purpose",
                    other.lineno,
                )
            )
        if not is_transformed(module, values, other):
            raise Declined(_handed_on(function, other))
    arguments = function.args
    if arguments.vararg or arguments.kwarg:
        raise Declined(Reason(Code.SIGNATURE, f"`{name}` takes any number of arguments"))


def _handed_on(function: ast.FunctionDef, use: ast.expr) -> Reason:
    text = f"`{function.name}` is passed on in line {use.lineno}, to code that may need it without `jit`"
    return Reason(Code.ESCAPES, text, use.lineno)


def check_made_once(module: Module, function: ast.stmt) -> None:
    """Refuses what would be made, and compiled, again at every call of a function around it, or of itself."""
    for outer in module.functions_around(function):
        if not isinstance(outer, ast.FunctionDef):
            raise Declined(Reason(Code.RECOMPILES, "it would be created and compiled at every call of a lambda"))
        uses = instance_state.users(module, outer)
        if any(module.get(Staging).repeats(call) for call in uses.calls):
            raise Declined(
                Reason(
                    Code.RECOMPILES,
                    f"it would be compiled at every call of `{outer.name}`, which is called repeatedly",
                )
            )
        if uses.others and module.function(outer) is not None:
            raise Declined(
                Reason(Code.RECOMPILES, f"it would be compiled at every call of `{outer.name}`, which is passed on")
            )


def _within(module: Module, node: ast.AST) -> Iterator[ast.AST]:
    """The nodes around `node` up to the function that it is in."""
    for outer in module.ancestors(node):
        if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            return
        yield outer


# --- results ------------------------------------------------------------------------------------------------------


def _check_results(module: Module, values: Values, function: ast.FunctionDef, uses: Callers) -> None:
    passing = Passing(module, values)
    results = returned(function)
    if not results:
        raise Declined(Reason(Code.SIDE_EFFECT, f"`{function.name}` returns nothing: it must change something else"))
    for result in results:
        for leaf in _all_leaves(module, result):
            what = plain_value(module, values, leaf)
            if what is not None:
                raise Declined(
                    Reason(Code.NO_ARRAY, f"`{function.name}` returns {what}, which `jit` would turn into an array")
                )
        for path, part in _placed(result):
            if is_reordered(module, values, part):
                _check_order(passing, path, uses)


def _placed(result: ast.expr) -> list[tuple[tuple[int, ...], ast.expr]]:
    """The parts of a result, each with where it is."""
    if isinstance(result, ast.Tuple):
        return [((index,), part) for index, part in enumerate(result.elts)]
    return [((), result)]


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


def _all_leaves(module: Module, expr: ast.expr) -> Iterator[ast.expr]:
    """The leaves of `expr`, and of what its variables are bound to once."""
    for leaf in leaves(expr):
        match module.only_value(leaf) if isinstance(leaf, ast.Name) else leaf:
            case ast.Tuple() | ast.List() | ast.Dict() as display:
                yield from leaves(display)
            case ast.Call(func=ast.Name(id="dict"), keywords=keywords):
                yield from (part for keyword in keywords for part in leaves(keyword.value))
            case _:
                yield leaf


def plain_value(module: Module, values: Values, leaf: ast.expr) -> str | None:
    """What a leaf is, in words, if it is not an array; None if it may be one."""
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
        case ast.Attribute(attr=attr) if attr in _STATIC or attr.startswith("__"):
            return f"`{module.text(leaf)}`"
        case ast.Attribute(value=owner) if module.definition(owner) is not None:
            return f"`{module.text(leaf)}`, an attribute of a function"
    for source in values.origins.of(leaf):
        if isinstance(source, ast.JoinedStr) or (isinstance(source, ast.Constant) and isinstance(source.value, str)):
            return f"`{module.text(leaf)}`, a string"
    if is_length(module, leaf) or is_integer_field(module, leaf):
        return f"`{module.text(leaf)}`, a Python number"
    form = values.of(leaf).form
    return f"`{module.text(leaf)}`, a {form.value} number" if form in (Form.PYTHON, Form.NUMPY) else None


def _check_order(passing: Passing, path: tuple[int, ...], uses: Callers) -> None:
    """A dictionary comes back from `jit` with its keys sorted: it must not matter in what order they are."""
    here = all(passing.is_read_by_key(call, path) for call in uses.calls)
    if not here or not all(use.call is not None and path in use.call.by_key for use in uses.outside):
        raise Declined(
            Reason(
                Code.STRUCTURE, "it returns a dictionary, which comes back from `jit` with its keys in another order"
            )
        )


# --- arguments ----------------------------------------------------------------------------------------------------


def _static(
    function: ast.FunctionDef, found: Demands, given: Sequence[Given], models: Collection[str]
) -> tuple[str, ...]:
    """The parameters that are to be static, in their order; `models` are data."""
    arguments = function.args
    names = [parameter.arg for parameter in parameters_of(arguments) if parameter.arg not in models]
    static = tuple(name for name in names if _is_static(function.name, name, found, given))
    if static and arguments.posonlyargs:
        raise Declined(
            Reason(
                Code.STATIC_ARGUMENT,
                f"`{function.name}` has parameters without names, of which some would have to be static",
            )
        )
    return static


def _is_static(function: str, name: str, found: Demands, given: Sequence[Given]) -> bool:
    passed = [(each.at, each.arguments[name]) for each in given if name in each.arguments]
    sorts = [value.sort for _, value in passed]
    if sorts and all(sort is ArgumentKind.FUNCTION for sort in sorts):
        for at, value in passed:
            if value.why_unstable is not None:  # a static function is found by its identity
                reason = value.why_unstable
                raise Declined(reason.restated(f"{at} passes it `{value.text}`: {reason}"))
        return True
    if ArgumentKind.FUNCTION in sorts or name in found.called:
        raise Declined(
            Reason(
                Code.STATIC_ARGUMENT,
                f"`{function}` calls its argument `{name}`, which may be more than one function",
            )
        )
    if name in found.methods:
        return _is_static_object(function, name, found.methods[name], [value for _, value in passed])
    if name in found.values or ArgumentKind.TEXT in sorts:
        if all(sort in (ArgumentKind.TEXT, ArgumentKind.CONSTANT) for sort in sorts):
            return True
        asks = found.values.get(name, f"takes the string `{name}`")
        raise Declined(Reason(Code.STATIC_ARGUMENT, f"`{function}` {asks}, and its values are not in the code"))
    return False


def _check_static_made_once(module: Module, function: ast.FunctionDef, static: Collection[str], call: ast.Call) -> None:
    """Refuses a static function that is created at every call of the function around: each is compiled for."""
    given = arguments_of(function, call) or {}
    for name in static:
        for statement in _made(module, given.get(name)):
            try:
                check_made_once(module, statement)
            except Declined as declined:
                text = f"line {call.lineno} passes it a function that is made there: {declined.reason}"
                raise Declined(declined.reason.restated(text)) from None


def _made(module: Module, passed: ast.expr | None) -> list[ast.stmt]:
    """The statements that make a function, or the models that it applies; none where it can be made anywhere."""
    if passed is None:
        return []
    made = module.definition(passed)
    if made is not None:
        return [] if _is_free(module, made) else [module.statement(made)]
    holders = [method.value for method in applied(module, passed)]
    bindings = [module.names.only_binding(each) for each in holders if isinstance(each, ast.Name)]
    return [module.statement(each.node) for each in bindings if each is not None and isinstance(each.node, ast.Name)]


def _check_models(
    module: Module, values: Values, function: ast.FunctionDef, static: Collection[str], methods: Mapping[str, str]
) -> None:
    """Refuses a static argument that the function applies, where a caller of this file passes no model for it."""
    for parameter in parameters_of(function.args):
        name = parameter.arg
        if name in static and methods.get(name) in _APPLYING:
            sources = (each for each in values.origins.of(parameter) if each is not parameter)
            if not all(is_model(module, each) for each in sources):
                text = f"`{function.name}` applies `{name}`, which may change, or not be a model"
                raise Declined(Reason(Code.STATIC_ARGUMENT, text))


def _is_derived(module: Module, function: ast.FunctionDef, static: Collection[str], use: ast.expr) -> bool:
    """Whether a derivative is taken of it, by another argument than the static ones, and all its calls are known."""
    first = next(iter(parameters_of(function.args)), None)
    return first is not None and first.arg not in static and bool(derived_calls(module, use))


def _is_free(module: Module, made: Function) -> bool:
    """Whether a function reads nothing of those around it, so that it can be made once, outside of them."""
    captured = module.captures(made) if isinstance(made, ast.FunctionDef) else None
    return captured is not None and not captured.free


def _is_static_object(function: str, name: str, method: str, passed: Sequence[ArgumentSummary]) -> bool:
    """Whether an argument of which methods are called is one object of an init and an update, or a tree."""
    if all(value.again for value in passed) or method in OF_STATES:
        return False  # a state: it comes back, or has what only states have, so it is made of arrays
    for value in passed:
        if method not in _STATIC_OBJECTS or value.again or not value.text.isidentifier():
            raise Declined(
                Reason(
                    Code.NO_ARRAY,
                    f"`{function}` calls `{name}.{method}`, and `jit` may not accept `{name}`",
                )
            )
        if value.why_unstable is not None:
            reason = value.why_unstable
            raise Declined(reason.restated(f"`{function}` takes an object that changes: {reason}"))
    return True


def _of_shape_alone(module: Module, function: ast.FunctionDef) -> Iterator[str]:
    """The parameters of which the function reads the shape, or the like, and no value."""
    for parameter in parameters_of(function.args):
        uses = [module.parent(use) for use in module.reads(parameter.arg, function)]
        if uses and all(isinstance(use, ast.Attribute) and use.attr in _STATIC for use in uses):
            yield parameter.arg


def check_plain(text: str, parts: Iterable[tuple[tuple[str, ...], str]]) -> None:
    """Refuses an argument some part of which `jit` does not take, no matter who passes it."""
    for _, part in sorted(parts):
        shown = f"`{text}` may hold `{part}`" if part != text else f"`{text}` is passed"
        raise Declined(Reason(Code.NO_ARRAY, f"{shown}, which is not an array: `jit` does not accept it"))


def _check_arguments(arguments: Mapping[str, ArgumentSummary], unread: Collection[str], *, filtered: bool) -> None:
    for name, value in arguments.items():
        if value.filled and name not in unread:
            # A jitted call may still read a buffer when the next iteration writes into it.
            raise Declined(
                Reason(
                    Code.MUTATED, f"`{value.text}` is changed in place, perhaps while the jitted step still reads it"
                )
            )
        if filtered and value.value.form is Form.PYTHON and value.value.varies:
            raise Declined(
                Reason(Code.RECOMPILES, "`equinox.filter_jit` compiles for each Python number, and one of them changes")
            )


def uses_equinox(module: Module, nodes: Iterable[ast.AST]) -> bool:
    """Whether the code is written with equinox, whose models hold more than arrays."""
    for node in nodes:
        for part in walk(node):
            if isinstance(part, ast.Attribute | ast.Name) and (module.qualname(part) or "").startswith("equinox."):
                return True
            jitted = jit_of(module, part.func) if isinstance(part, ast.Call) else None
            if jitted is not None and jitted.by.startswith("equinox."):
                return True
    return False
