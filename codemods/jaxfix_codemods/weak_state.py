"""An initial state with a weakly typed scalar, where the updated state is strongly typed.

`jnp.asarray(0)` is weakly typed, and what an update computes from typed arrays
is not. The type of the state is part of the key under which a jitted update is
found, so the second step traces and compiles everything again. An explicit
dtype for every such scalar makes the first state look like all later ones; one
that is left out keeps the second compile.

`dtype=int` and `dtype=float` are the very types that JAX gives a Python number
(they follow `jax_enable_x64`), so the state keeps its dtypes for parameters of
any precision. The dtype of the parameters, though often at hand, does not:
under bfloat16 parameters it would round leaves that were float32.

Before:
    import jax
    import jax.numpy as jnp

    def init(params):
        return {"mean": jnp.zeros_like(params), "best": jnp.asarray(jnp.inf)}

    @jax.jit
    def update(params, state):
        loss = jnp.sum(params.astype(jnp.float32) ** 2)
        return {"mean": 0.9 * state["mean"] + params, "best": jnp.minimum(state["best"], loss)}

After:
    import jax
    import jax.numpy as jnp

    def init(params):
        return {"mean": jnp.zeros_like(params), "best": jnp.asarray(jnp.inf, dtype=float)}

    @jax.jit
    def update(params, state):
        loss = jnp.sum(params.astype(jnp.float32) ** 2)
        return {"mean": 0.9 * state["mean"] + params, "best": jnp.minimum(state["best"], loss)}

Safety: needs evidence. A strong scalar takes part in promotion where a weak one
does not: an update that multiplies it with a bfloat16 array gives float32. Only
scalars of a state are typed, never constants, and only those that the update
returns strongly typed or may return so; a counter that only does `+ 1` stays
weak and is left alone, and so is what goes into `scan` or `while_loop`, which
type their carry themselves. Scalars made from an argument are declined, since
the caller decides their type.

Evidence: one compile of the jitted update instead of two; equal results, with
types that may be stronger.

Source: https://docs.jax.dev/en/latest/type_promotion.html#weakly-typed-values-in-jax
"""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from jaxfix.api import (
    CONTROL_FLOW,
    Codemod,
    Confidence,
    Equality,
    Finding,
    Form,
    Function,
    Key,
    Kind,
    Module,
    Pair,
    Rewriter,
    Safety,
    Values,
    Why,
    returned,
)

_DTYPES = {Kind.INT: "int", Kind.FLOAT: "float"}
_CONSTRUCTORS = ("jax.numpy.array", "jax.numpy.asarray", "jax.numpy.full", "jax.numpy.full_like")
_JITS = ("jax.jit", "equinox.filter_jit")
_DEPTH = 4
_DEEPEST = 8
"""How many expressions may refer to one another until nothing is known of a value."""


@dataclass(frozen=True, slots=True)
class _Leaf:
    """A weakly typed part of an initial state.

    Attributes:
      path: where it is in the state.
      made_by: the expression that makes it.
      kind: of the number at first.
      after: of the number that an update returns.
      init: the function that returns the state, if it is one of a pair.
    """

    path: tuple[Key, ...]
    made_by: ast.expr
    kind: Kind
    after: Kind = Kind.UNKNOWN
    init: Function | None = None


def find(module: Module) -> Iterator[Finding]:
    values = Values(module)
    certain: set[ast.AST] = set()
    drifting: dict[ast.AST, list[_Leaf]] = {}
    for leaf in _of_pairs(module, values):
        drifting.setdefault(leaf.made_by, []).append(leaf)
    for leaf in _of_loops(module, values):
        drifting.setdefault(leaf.made_by, []).append(leaf)
        certain.add(leaf.made_by)
    builders: dict[Function | None, list[_Leaf]] = {}
    for made_by, leaves in drifting.items():
        builders.setdefault(module.function(made_by), []).append(leaves[0])
    for leaves in builders.values():
        leaves.sort(key=lambda leaf: module.span(leaf.made_by))
        yield _finding(module, leaves, any(leaf.made_by in certain for leaf in leaves))


def _of_pairs(module: Module, values: Values) -> Iterator[_Leaf]:
    for pair in values.origins.pairs:
        if _is_looped(module, pair.update):
            continue
        leaves = [leaf for made in returned(pair.init) for leaf in _leaves(module, values, made, ())]
        if leaves:
            states = list(_updated_states(module, values, pair))
            for leaf in leaves:
                for state in states:
                    after = _strengthened(module, values, state, leaf, guess=pair.state is not None)
                    if after is not None:
                        yield replace(leaf, after=after, init=pair.init)


def _of_loops(module: Module, values: Values) -> Iterator[_Leaf]:
    """What a name holds that a loop binds anew to the result of a jitted function of it."""
    for target, call, path in _rebindings(module, values):
        scope = module.scope_of(target.id, target)
        for binding in module.bindings(target.id, scope):
            first = module.value_of(binding.node) if isinstance(binding.node, ast.Name) else None
            if first is None or first is call or module.loops(first):
                continue
            for leaf in _leaves(module, values, first, ()):
                at = replace(leaf, path=(*path, *leaf.path))
                after = _strengthened(module, values, call, at, guess=True)
                if after is not None:
                    yield replace(leaf, path=(target.id, *leaf.path), after=after)


def _rebindings(module: Module, values: Values) -> Iterator[tuple[ast.Name, ast.Call, tuple[Key, ...]]]:
    """Each name in `name = step(name)` or `name, loss = step(name)`, in a loop, with the place of its new value."""
    for call in module.all_calls():
        function = values.origins.called(call)
        if function is None or not module.loops(call) or not _is_jitted(module, call, function):
            continue
        passed = {name.id for argument in call.args for name in ast.walk(argument) if isinstance(name, ast.Name)}
        match module.parent(call):
            case ast.Assign(targets=[ast.Name() as target]) if target.id in passed:
                yield target, call, ()
            case ast.Assign(targets=[ast.Tuple(elts=elts)]):
                for position, element in enumerate(elts):
                    if isinstance(element, ast.Name) and element.id in passed:
                        yield element, call, (position,)


def _leaves(module: Module, values: Values, expr: ast.AST, path: tuple[Key, ...]) -> Iterator[_Leaf]:
    """The weakly typed parts of the state that `expr` is, as far as constructions are spelled out."""
    for source in values.origins.of(expr):
        value = values.any_of((source,))
        parts = values.origins.parts(source)
        if isinstance(source, ast.expr) and value.form is Form.WEAK and value.kind in _DTYPES:
            yield _Leaf(path, source, value.kind)
        elif parts and len(path) < _DEPTH:
            for key, part in parts:
                yield from _leaves(module, values, part, (*path, key))
        elif isinstance(source, ast.Call) and not path:
            function = values.origins.called(source)
            for made in returned(function) if function is not None and not isinstance(function, ast.Lambda) else ():
                yield from _leaves(module, values, made, ())


def _updated_states(module: Module, values: Values, pair: Pair) -> Iterator[ast.AST]:
    """What `update` returns as the new state: the result, or the part of it that is built as `init` builds it."""
    made_by_init = [source for made in returned(pair.init) for source in values.origins.of(made)]
    shapes = {_shape(module, source) for source in made_by_init}
    arities = {len(source.elts) for source in made_by_init if isinstance(source, ast.Tuple)}
    for result in returned(pair.update):
        for source in values.origins.of(result):
            parts = source.elts if isinstance(source, ast.Tuple) else [source]
            alike = [p for p in parts if any(_is_state(module, s, shapes) for s in values.origins.of(p))]
            if len(alike) == 1:
                yield alike[0]
            elif len(parts) == 2 and not alike:
                yield parts[1]  # `updates, state`
            elif len(parts) in arities:
                yield source


def _shape(module: Module, source: ast.AST) -> str:
    """What tells the construction of a state from other things: its class, or its keys."""
    match source:
        case ast.Call(func=func):
            return module.text(func)
        case ast.Dict(keys=keys):
            return ",".join(sorted(module.text(key) for key in keys if key is not None))
    return ""


def _is_state(module: Module, source: ast.AST, shapes: set[str]) -> bool:
    if isinstance(source, ast.Call) and isinstance(source.func, ast.Attribute) and source.func.attr == "_replace":
        return True
    return bool(shape := _shape(module, source)) and shape in shapes


def _strengthened(module: Module, values: Values, state: ast.AST, leaf: _Leaf, *, guess: bool) -> Kind | None:
    """The kind of the leaf that the update returns strongly typed; None where it returns it weak.

    With `guess` also of one that hardly stays weak, though the file does not say it.
    """
    sources = _spread(values, values.origins.of(state))
    for key in leaf.path:
        sources = _spread(values, tuple(item for source in sources for item in values.origins.item(source, key)))
    value = values.any_of(sources)
    if value.form is Form.STRONG:
        return value.kind
    known = bool(sources) and all(_is_spelled_out(module, values, source) for source in sources)
    return value.kind if guess and known and value.form in (Form.ARRAY, Form.UNKNOWN) else None


def _spread(values: Values, sources: tuple[ast.AST, ...]) -> tuple[ast.AST, ...]:
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
            function = values.origins.called(source)
            parts = list(returned(function)) if function is not None else []
        case ast.BinOp(left=left, right=right):
            parts = [left, right]
        case ast.UnaryOp(operand=operand):
            parts = [operand]
        case _:
            return isinstance(source, ast.arg)
    inner = [item for part in parts for item in values.origins.of(part)]
    deeper = around | {source}
    return bool(parts) and len(deeper) <= _DEEPEST and all(_is_spelled_out(module, values, i, deeper) for i in inner)


def _is_looped(module: Module, update: Function) -> bool:
    """Whether the update is the body of a loop that JAX traces: that types its carry once and for all."""
    for call in module.calls(*CONTROL_FLOW):
        for argument in call.args:
            inner = argument.args if isinstance(argument, ast.Call) else [argument]
            if any(module.definition(function) is update for function in inner):
                return True
    return False


def _is_jitted(module: Module, call: ast.Call, function: Function) -> bool:
    if module.definition(call.func) is not function:
        return True  # it was found through the `jit` around it
    decorators = [] if isinstance(function, ast.Lambda) else function.decorator_list
    return any(module.transform(decorator) in _JITS for decorator in decorators)


# --- the finding --------------------------------------------------------------------------------------------------


def _finding(module: Module, leaves: list[_Leaf], in_loop: bool) -> Finding:
    names = list(dict.fromkeys(_name(leaf) for leaf in leaves))
    verb = "starts" if len(names) == 1 else "start"
    reason = next((reason for leaf in leaves if (reason := _why_not(module, leaf)) is not None), None)
    return Finding(
        at=leaves[0].made_by,
        message=f"{', '.join(names)} {verb} weakly typed and not so after an update: a jitted update compiles twice",
        title=f"Give {', '.join(names)} an explicit dtype",
        recipe=partial(_type, leaves) if reason is None else None,
        declined=reason,
        confidence=Confidence.CERTAIN if in_loop else Confidence.POSSIBLE,
    )


def _name(leaf: _Leaf) -> str:
    named = [key for key in leaf.path if isinstance(key, str)]
    if named:
        return f"`{named[-1]}`"
    return f"item {leaf.path[-1]} of the state" if leaf.path else "the state"


def _type(leaves: Iterable[_Leaf], edit: Rewriter) -> None:
    for leaf in leaves:
        assert isinstance(leaf.made_by, ast.Call)
        edit.set_keyword(leaf.made_by, "dtype", _DTYPES[leaf.kind])


def _why_not(module: Module, leaf: _Leaf) -> str | None:
    call = leaf.made_by
    text = " ".join(module.text(call).split())
    if not isinstance(call, ast.Call) or module.qualname(call.func) not in _CONSTRUCTORS:
        return f"`{text}` takes no dtype"
    if leaf.after is Kind.FLOAT and leaf.kind is Kind.INT:
        return f"`{text}` is an integer and becomes floating: an integer dtype gains nothing, a floating one changes it"
    if not module.has_exact_spans(call):
        return f"`{text}` stands inside an f-string"
    if leaf.init is not None and _is_shared(module, call, leaf.init):
        return f"`{text}` is used for something else too"
    name = _DTYPES[leaf.kind]
    if module.scope_of(name, call) is not None or module.has_star_import:
        return f"`{name}` may be another thing than the builtin here"
    return _unknown_type(module, call)


def _is_shared(module: Module, call: ast.Call, init: Function) -> bool:
    """Whether what `call` makes may serve for more than the state: made outside of `init`, or read twice."""
    if init not in module.functions_around(call):
        return True
    match module.parent(call):
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            reads = [n for n in ast.walk(init) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
            return sum(n.id == name for n in reads) > 1
    return False


def _unknown_type(module: Module, call: ast.Call) -> str | None:
    """Names an argument whose dtype a caller decides: an explicit one would change it."""
    filled = call.args[-1] if call.args else None
    for name in ast.walk(filled) if filled is not None else ():
        if isinstance(name, ast.Name) and module.qualname(name) is None:
            scope = module.scope_of(name.id, name)
            if scope is not None and any(isinstance(b.node, ast.arg) for b in module.bindings(name.id, scope)):
                return f"the type of `{name.id}` is decided by the caller"
    return None


CODEMOD = Codemod(
    id="weak-state",
    triggers=("jax.numpy.array", "jax.numpy.asarray", "jax.numpy.full", "jax.numpy.full_like"),
    safety=Safety.NEEDS_EVIDENCE,
    equality=Equality.STRONGER_TYPES,
    find=find,
    cures=(Why.WEAK_TYPE, Why.DTYPE),
)
