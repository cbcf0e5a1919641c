"""Whether statements may run under a trace, with what they are given and what becomes of their results."""

import ast
from collections.abc import Collection, Sequence

from jaxfix.api import Code, Declined, Module, Reason, arguments_of, walk
from jaxfix.api.analysis import (
    During,
    Passing,
    Sources,
    Values,
    binds_again,
    class_around,
    class_of,
    family,
    instance_state,
    is_counted,
    methods,
    own_class,
    parameters_of,
    plain_parts,
    positional_of,
)
from jaxfix.api.library import Effect, Member, short_names
from jaxfix_codemods.jitting.displays import has_sorted_keys, is_reordered
from jaxfix_codemods.jitting.ordered import check_order
from jaxfix_codemods.jitting.traced import adds_truths, cancels, is_no_tree, picks
from jaxfix_codemods.jitting.whole import LOOPS, OF_STATES, check_plain, leaves, plain_value
from jaxfix_codemods.unjitted_update.binding import simple
from jaxfix_codemods.unjitted_update.integers import check_width
from jaxfix_codemods.unjitted_update.keyed import entry_text, is_spelled

OF_ARRAYS = short_names(Member.ABSTRACT) | short_names(Member.USUAL) | short_names(Member.STATIC)
"""The attributes of arrays."""
_CLOSEST = 0.999
"""To one, of what is raised to a traced power."""
_SEE_NAMES = short_names(Effect.SEES_NAMES)


def check_texts(module: Module, row: Sequence[ast.stmt | ast.expr]) -> None:
    """Refuses statements whose text cannot be moved."""
    for node in (n for s in row for n in walk(s) if isinstance(n, ast.expr)):
        is_text = isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
        if is_text and node.lineno != node.end_lineno:
            raise Declined(Reason(Code.MULTILINE_STRING, "the step holds a multi-line string"))
        if isinstance(node, ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom):
            raise Declined(
                Reason(Code.SIDE_EFFECT, f"line {node.lineno} binds or waits inside an expression", node.lineno)
            )
        if isinstance(node, ast.Name) and node.id.startswith("__") and not node.id.endswith("__"):
            raise Declined(Reason(Code.SEES_SCOPE, f"`{node.id}` means something else elsewhere"))
        if isinstance(node, ast.List) and isinstance(module.parent(node), ast.BinOp | ast.AugAssign):
            raise Declined(Reason(Code.RECOMPILES, "the step extends a list, and would compile for every length"))
    if not all(module.has_exact_spans(s) for s in row):
        raise Declined(Reason(Code.FORMAT_STRING, "the step is inside an f-string"))


def check_names(module: Module, row: Sequence[ast.stmt | ast.expr], scope: ast.AST) -> None:
    """Refuses statements whose variables would be others in a function."""
    for node in (n for s in row for n in walk(s)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            owner = module.scope_of(node.id, node)
            if owner is not scope and (owner is module.tree or owner in set(module.ancestors(scope))):
                raise Declined(
                    Reason(Code.NAME_CLASH, f"the step binds `{node.id}`, which belongs to the code around it")
                )
    for node in walk(scope):
        sees = isinstance(node, ast.Name) and node.id in _SEE_NAMES and module.scope_of(node.id, node) is None
        if isinstance(node, ast.Name) and sees and not _only_asks(module, node):
            raise Declined(Reason(Code.SEES_SCOPE, f"`{node.id}` reads local names"))


def _only_asks(module: Module, sees: ast.Name) -> bool:
    """Whether it is asked for a name of Python itself: `"__file__" in globals()`."""
    call = module.parent(sees)
    match module.parent(call) if call is not None else None:
        case ast.Compare(left=ast.Constant(value=str() as name), ops=[ast.In() | ast.NotIn()]):
            return name.startswith("__") and name.endswith("__")
    return False


def check_called(module: Module, row: Sequence[ast.stmt | ast.expr]) -> None:
    """Refuses calls with side effects, judged by their names."""
    for call in (n for s in row for n in walk(s) if isinstance(n, ast.Call)):
        match call.func:
            case ast.Name(id=name) if module.scope_of(name, call) is None:
                continue
            case ast.Attribute(attr=attr) if module.qualname(call.func) is None:
                if attr in ("append", "pop", "write", "log", "add_scalar", "record"):
                    raise Declined(
                        Reason(
                            Code.SIDE_EFFECT,
                            f"the step calls `{module.text(call.func)}`, which happens at trace time only",
                        )
                    )


def is_own(module: Module, root: ast.expr) -> bool:
    """Whether `root` is the object of the method that it is in."""
    around = module.functions_around(root)
    if not isinstance(root, ast.Name) or not around or module.method_of(around[-1]) is None:
        return False
    parameters = positional_of(around[-1].args)
    return bool(parameters) and parameters[0].arg == root.id


def check_reads(module: Module, nodes: Sequence[ast.Attribute]) -> None:
    """Refuses an attribute that a property of its class computes, where several reads may give several values."""
    owner = own_class(module, nodes[0].value)
    if len(nodes) > 1 and owner is not None and methods(family(module, owner), nodes[0].attr):
        shown = module.text(nodes[0])
        raise Declined(Reason(Code.UNSTABLE, f"`{shown}` is computed, perhaps differently at each read"))


def check_parameter(
    module: Module, values: Values, during: During, scope: ast.AST, name: str, uses: Collection[ast.expr]
) -> None:
    """Refuses what the step does with `name`, at `uses`, that a traced argument does not allow or does otherwise."""
    check_order(module, values, name, uses)
    for node in uses:
        check_plain(name, plain_parts(module, node) if module.definition(node) is None else ())
        if isinstance(node, ast.Name) and Passing(module, values).is_filled(node, during):
            raise Declined(
                Reason(Code.MUTATED, f"`{name}` is changed in place, perhaps while the jitted step still reads it")
            )
        if module.definition(node) is not None:
            raise Declined(Reason(Code.ESCAPES, f"the step passes on the function `{name}`"))
        match module.parent(node):
            case ast.BinOp(left=base, op=ast.Pow(), right=right) as power if right is node and not _decays(
                values, base, module.parent(power)
            ):
                raise Declined(
                    Reason(Code.NEEDS_VALUE, f"the step raises to the power `{name}`, which would be traced")
                )
            case ast.Attribute(attr=attr) if (
                attr not in OF_ARRAYS and is_setting(module, name, scope) and not _is_state(module, values, uses)
            ):
                raise Declined(
                    Reason(
                        Code.NO_ARRAY,
                        f"the step reads `{name}.{attr}`, and `jit` may not accept `{name}`",
                    )
                )
        if (item := _indexed(module, node)) is not None and picks(module, values, item):
            text = f"`{module.text(item)}` indexes a Python sequence by a number that would be traced"
            raise Declined(Reason(Code.NEEDS_VALUE, text))
        if cancels(module, values, node):
            text = f"`{name}` is a Python number beyond {2**24}, and of a traced one few digits remain"
            raise Declined(Reason(Code.OVERFLOW, text))
        if adds_truths(module, values, node):
            raise Declined(Reason(Code.NEEDS_VALUE, f"the step adds truth values of `{name}`, which would be traced"))
        check_width(module, node, name)
        if any(is_no_tree(module, source) for source in _held(module, values, node)):
            text = f"the step reads `{name}`, which holds an object that `jit` does not accept"
            raise Declined(Reason(Code.NO_ARRAY, text))
        sources = values.origins.of(node)
        if any(isinstance(source, ast.expr) and _has_counted(module, source) for source in sources):
            raise Declined(Reason(Code.RECOMPILES, f"the length of `{name}` depends on array values"))
        is_whole = isinstance(node, ast.Name)
        is_state = is_whole and _comes_back(
            module, scope, name
        )  # `self.state` may be any of `self`, as far as is known
        if any(
            _holds_plain_value(source)
            or (is_whole and not is_state and is_no_tree(module, source) and not _is_part_of(module, node, source))
            for source in sources
        ):
            raise Declined(Reason(Code.NO_ARRAY, f"the step reads `{name}`, which is not an array"))


def _indexed(module: Module, index: ast.expr) -> ast.Subscript | None:
    """What `index`, or an operation on it, is the index of: `rates[n % 3]`."""
    part: ast.AST = index
    while isinstance(outer := module.parent(part), ast.BinOp | ast.UnaryOp):
        part = outer
    return outer if isinstance(outer, ast.Subscript) and outer.slice is part else None


def _decays(values: Values, base: ast.expr, around: ast.AST | None) -> bool:
    """Whether it is written as a float below one, of which single precision keeps enough digits in `1 - base**t`."""
    if isinstance(around, ast.BinOp) and isinstance(around.op, ast.Mod | ast.Pow | ast.FloorDiv):
        return False
    sources = values.origins.of(base)
    known = [each.value for each in sources if isinstance(each, ast.Constant) and isinstance(each.value, float)]
    return bool(sources) and len(known) == len(sources) and all(0 < each <= _CLOSEST for each in known)


def _is_state(module: Module, values: Values, uses: Collection[ast.expr]) -> bool:
    """Whether a member that training states have is read of it, or has made it; no class of this file has."""
    made = [source.func for node in uses for source in values.origins.of(node) if isinstance(source, ast.Call)]
    if any(class_of(module, func) is not None for func in made):
        return False
    read = (module.parent(node) for node in uses)
    return any(isinstance(each, ast.Attribute) and each.attr in OF_STATES for each in (*read, *made))


def _is_part_of(module: Module, name: ast.expr, source: ast.AST) -> bool:
    """Whether `source` makes the object of the method, and a variable is an attribute of it: `params = self.params`."""
    made = class_of(module, source.func) if isinstance(source, ast.Call) else None
    if made is None or made is not class_around(module, name) or not isinstance(name, ast.Name):
        return False
    bound = [binding.node for binding in module.bindings(name.id, module.scope_of(name.id, name))]
    given = [module.value_of(each) if isinstance(each, ast.Name) else each for each in bound]
    wholes = (ast.arg, ast.Name, ast.IfExp, ast.NamedExpr)
    return not any(isinstance(each, wholes) or each is source for each in given)


def _has_counted(module: Module, source: ast.expr) -> bool:
    """Whether it is an array, or a part of one, that has as many elements as values say."""
    match source:
        case ast.Subscript(value=value):
            return _has_counted(module, value)
        case ast.Call():
            return is_counted(module, source)
    return False


def _held(module: Module, values: Values, node: ast.expr) -> list[ast.AST]:
    """What an attribute of the own object is bound to when that is made, and later by nothing."""
    owner = own_class(module, node.value) if isinstance(node, ast.Attribute) and is_own(module, node.value) else None
    if owner is None or not isinstance(node, ast.Attribute):
        return []
    return Sources(module, values).held(node.attr, family(module, owner))


def is_setting(module: Module, name: str, scope: ast.AST) -> bool:
    """Whether `name` is bound once, and outside of all loops: no state, and no data of an iteration."""
    match module.bindings(name, scope) if "." not in name else ():
        case (binding,):
            is_looped = any(isinstance(outer, LOOPS) for outer in module.ancestors(binding.node))
            return not is_looped and not _comes_back(module, scope, name)
    return False


def _comes_back(module: Module, scope: ast.AST, name: str) -> bool:
    """Whether `name` is a parameter for which each call passes what it rebinds to its result: a state."""
    if not isinstance(scope, ast.FunctionDef) or name not in {each.arg for each in parameters_of(scope.args)}:
        return False
    uses = instance_state.users(module, scope)
    is_method = module.method_of(scope) is not None
    passed = [(arguments_of(scope, call, bound=is_method) or {}).get(name) for call in uses.calls]
    again = [
        value is not None and binds_again(module, call, value) for call, value in zip(uses.calls, passed, strict=True)
    ]
    return bool(again) and all(again) and not uses.others and not uses.outside


def _holds_plain_value(source: ast.AST) -> bool:
    if isinstance(source, ast.Dict | ast.Tuple | ast.List):
        return any(_holds_plain_value(part) for part in leaves(source))
    is_text = isinstance(source, ast.Constant) and isinstance(source.value, str | bytes)
    return is_text or isinstance(source, ast.JoinedStr | ast.Lambda | ast.FunctionDef | ast.ClassDef)


def check_results(module: Module, values: Values, row: Sequence[ast.stmt | ast.expr], results: Collection[str]) -> None:
    """Refuses results, variables and attributes by their text, that come back from `jit` as something else."""
    for statement in simple(row):
        if not isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign) or statement.value is None:
            continue
        stored = (
            n
            for n in walk(statement)
            if isinstance(n, ast.Name | ast.Attribute | ast.Subscript) and isinstance(n.ctx, ast.Store)
        )
        if not any((entry_text(n) if is_spelled(n) else module.text(n)) in results for n in stored):
            continue
        for leaf in leaves(statement.value):
            what = plain_value(module, values, leaf) if not isinstance(statement, ast.AugAssign) else None
            if what is not None:
                raise Declined(Reason(Code.NO_ARRAY, f"the step binds {what}, which `jit` would turn into an array"))
        displays = (n for n in walk(statement.value) if isinstance(n, ast.Dict))
        if not all(map(has_sorted_keys, displays)) or is_reordered(module, values, statement.value):
            text = "the step binds a dictionary, which comes back from `jit` with its keys in another order"
            raise Declined(Reason(Code.STRUCTURE, text))
        if isinstance(statement, ast.AugAssign) and values.of(statement.target).form.value in ("Python", "NumPy"):
            raise Declined(
                Reason(Code.NO_ARRAY, f"`{module.text(statement.target)}` is a counter that is not an array")
            )
