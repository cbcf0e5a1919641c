"""Where a value comes from: the expressions that a name, a parameter or a field of a state may stand for."""

import ast
from collections.abc import Iterator
from functools import cached_property

from jaxfix.dataflow.call_graph import values_elsewhere
from jaxfix.dataflow.init_update_pairs import Pair, pairs
from jaxfix.dataflow.loop_carry import Carried, Carrying, Flow, Place
from jaxfix.library.jax_names import is_generated
from jaxfix.semantic.calls import returned
from jaxfix.semantic.identifiers import Identifiers
from jaxfix.semantic.module import Module
from jaxfix.semantic.reaching_definitions import reaching
from jaxfix.semantic.records import Key, Records
from jaxfix.staging.jit import COMPILING, transform_of
from jaxfix.syntax.bindings import Binding
from jaxfix.syntax.nodes import FUNCTIONS, Function
from jaxfix.syntax.signatures import positional_of

_TREE_MAPS = frozenset({"jax.tree.map", "jax.tree_util.tree_map", "jax.tree_map"})
Sources = tuple[ast.AST, ...]
"""Expressions, and parameters (`ast.arg`) and other binders of which no expression is known."""
_STEPS = 300
"""Expressions that one question may look at; whoever needs more gets no answer."""
_NESTED = 25
"""Expressions that may lie between a question and its answer."""
_BINDINGS = 60
"""Bindings that a variable may have: each use of it looks at all of them."""
_DEEPEST = 6
"""Parts of parts of what a loop passes on."""


class Part(ast.AST):
    """The field, key or position `key` of what an opaque parameter takes; `WHOLE` is all of it."""

    _fields = ()

    def __init__(self, key: Key) -> None:
        super().__init__()
        self.key = key


class CastLike(ast.AST):
    """The part at `path` of what `call` casts to the dtypes of another tree, as `optax.tree.cast_like` does."""

    _fields = ()

    def __init__(self, call: ast.Call, path: tuple[Key, ...]) -> None:
        super().__init__()
        self.call, self.path = call, path


CASTS = frozenset({"cast_like", "tree_cast_like"})
WHOLE = ""
"""The key of a state that has no parts."""


class Origins:
    """Answers for one module. Never raises; an empty answer says that nothing is known.

    Args:
      opaque: parameters of which nothing is looked up: they, and what is taken from them, are `Part`s.
      follows: what the loops and branches of JAX pass on is looked up too.
    """

    def __init__(self, module: Module, opaque: frozenset[ast.arg] = frozenset(), *, follows: bool = True) -> None:
        self._module = module
        self._records = module.get(Records)
        self.opaque = opaque
        self._functions = module.get(_functions) if follows else None
        self._carrying = module.get(_carrying) if follows else None
        self._under_way: set[ast.AST] = set()
        self._parts_under_way: set[tuple[ast.AST, Key]] = set()
        self._taken: dict[Key, Part] = {}
        self._passed_on: dict[tuple[ast.Call, Flow, tuple[Key, ...]], Carried] = {}
        self._casts: dict[tuple[ast.Call, tuple[Key, ...]], CastLike] = {}
        self._steps = 0
        self.crossed = False
        """Whether an answer since this was last cleared lies in another call: in a state, or with a caller."""

    def of(self, expr: ast.AST) -> Sources:
        """The expressions that `expr` may stand for, itself if it is no name and no field.

        A part that refers back to what is being asked, as in `count = count + 1`, is left out.
        """
        if not self._under_way and not self._parts_under_way:
            self._steps = 0
        self._steps += 1
        if expr in self._under_way or self._steps > _STEPS or len(self._under_way) > _NESTED:
            return () if expr in self._under_way else (ast.Pass(),)
        self._under_way.add(expr)
        try:
            return tuple(dict.fromkeys(self._look_up(expr)))
        finally:
            self._under_way.discard(expr)

    def items(self, expr: ast.AST, key: Key) -> Sources:
        """The expressions that the field, key or position `key` of `expr` may stand for."""
        if (expr, key) in self._parts_under_way:
            return ()
        self._parts_under_way.add((expr, key))
        try:
            return tuple(item for source in self.of(expr) for item in self.item(source, key))
        finally:
            self._parts_under_way.discard((expr, key))

    def item(self, source: ast.AST, key: Key) -> Sources:
        """As `items`, of one source; the source itself where it hides its parts."""
        match source:
            case ast.Tuple(elts=elts) | ast.List(elts=elts) if isinstance(key, int):
                plain = not any(isinstance(e, ast.Starred) for e in elts)
                return self.of(elts[key]) if plain and -len(elts) <= key < len(elts) else (ast.Pass(),)
            case ast.Dict(keys=keys, values=values):
                found = [v for k, v in zip(keys, values, strict=True) if isinstance(k, ast.Constant) and k.value == key]
                return self.of(found[-1]) if found and None not in keys else (ast.Pass(),)
            case ast.Call():
                return self._item_of_call(source, key)
            case Part(key=outer):
                return (self._part(key),) if outer == WHOLE else (ast.Pass(),)
            case Carried():
                return (self._carried(source.call, source.flow, (*source.path, key)),)
            case CastLike():
                return (self._cast(source.call, (*source.path, key)),)
        return (source if isinstance(source, ast.arg) else ast.Pass(),)

    def result(self, call: ast.Call) -> Carried | None:
        """What comes out of `call`, if it is a loop or a branch of JAX whose functions are of this module."""
        flow = self._carrying.result(call) if self._carrying is not None else None
        found = self._carried(call, flow, ()) if flow is not None else None
        return found if isinstance(found, Carried) else None

    def at_first(self, carried: Carried) -> Sources:
        """What a loop takes at first, or the branch gives whose types the result has."""
        return tuple(source for place in carried.flow.first for source in self._at(place, carried.path))

    def like(self, cast: CastLike) -> Sources:
        """What `cast` has the dtype of; empty where that is not known."""
        others = [*cast.call.args[1:2], *(keyword.value for keyword in cast.call.keywords)]
        return self._at((others[0], ()), cast.path) if len(others) == 1 else ()

    def cast(self, cast: CastLike) -> Sources:
        """What `cast` casts."""
        return self._at((cast.call.args[0], ()), cast.path) if cast.call.args else ()

    def keeps_weak(self, cast: CastLike) -> bool:
        """Whether what has the dtype already stays as weak as it is: so does the generated helper."""
        helpers = self._module.surroundings.helpers
        return is_generated(self._module.qualname(cast.call.func) or "", "cast_like", helpers)

    def starts(self, sources: Sources) -> Sources:
        """`sources`, with what a loop takes at first in the place of what it carries."""
        pending, found = list(reversed(sources)), dict[ast.AST, None]()
        while pending:
            source = pending.pop()
            if isinstance(source, Carried) and source not in found:
                pending += reversed(self.at_first(source))
            found[source] = None
        return tuple(source for source in found if not isinstance(source, Carried))

    def again(self, carried: Carried) -> Sources:
        """What a round of the loop makes of it, or the other branches give."""
        return tuple(source for place in carried.flow.again for source in self._at(place, carried.path))

    def parts(self, source: ast.AST) -> tuple[tuple[Key, ast.expr], ...]:
        """The fields, keys or positions that a construction spells out, with what it puts there."""
        match source:
            case ast.Tuple(elts=elts) | ast.List(elts=elts) if not any(isinstance(e, ast.Starred) for e in elts):
                return tuple(enumerate(elts))
            case ast.Dict(keys=keys, values=values):
                pairs = zip(keys, values, strict=True)
                return tuple((k.value, v) for k, v in pairs if isinstance(k, ast.Constant) and isinstance(k.value, str))
            case ast.Call(func=ast.Name(id="dict"), args=[], keywords=keywords):
                return tuple((k.arg, k.value) for k in keywords if k.arg is not None)
            case ast.Call():
                return self._records.parts(source)
        return ()

    def constructions(self, owner: ast.ClassDef) -> tuple[ast.Call, ...]:
        """The calls that make objects of a class of the module that declares its fields."""
        return self._records.constructions(owner)

    def made_class(self, source: ast.AST) -> ast.ClassDef | None:
        """The class of the module that declares its fields, of which the call `source` makes an object."""
        return self._records.owner(source.func) if isinstance(source, ast.Call) else None

    def changed(self, source: ast.AST) -> ast.expr | None:
        """What `x._replace(...)` or `dataclasses.replace(x, ...)` changes."""
        return self._records.changed(source) if isinstance(source, ast.Call) else None

    # --- looking up -------------------------------------------------------------------------------------------

    def _look_up(self, expr: ast.AST) -> Iterator[ast.AST]:
        match expr:
            case ast.Name() | ast.Attribute() if self._module.qualname(expr) is not None:
                yield expr
            case ast.Name(id=name):
                scope = self._module.scope_of(name, expr)
                found = self._module.bindings(name, scope) if scope is not None else ()
                is_opaque = bool(self.opaque) and any(binding.node in self.opaque for binding in found)
                if is_opaque and self._is_first(expr, found):
                    yield self._part(WHOLE)
                    return
                self.crossed = self.crossed or len(found) > 1
                if len(found) > _BINDINGS:
                    yield ast.Pass()
                    return
                for binding in reaching(self._module, expr, found):
                    yield from self._bound(binding)
            case ast.Attribute(value=value, attr=attr) if self._is_opaque(value):
                yield self._part(attr)
            case ast.Subscript(value=value, slice=ast.Constant(value=str() | int() as key)) if self._is_opaque(value):
                yield self._part(key)
            case ast.Attribute(value=value, attr=attr):
                yield from self._field(value, attr)
            case ast.Subscript(value=value, slice=ast.Constant(value=str() | int() as key)):
                yield from self.items(value, key)
            case ast.IfExp(body=body, orelse=orelse):
                yield from (*self.of(body), *self.of(orelse))
            case ast.NamedExpr(value=value):
                yield from self.of(value)
            case ast.arg():
                yield from self._parameter(expr)
            case _:
                yield expr

    def _is_first(self, name: ast.AST, found: tuple[Binding, ...]) -> bool:
        """Whether `name` is read before anything else than a parameter is bound to it."""
        others = [self._module.statement(b.node) for b in found if not isinstance(b.node, ast.arg)]
        here = self._module.span(name).start
        return all(here < self._module.span(statement).end for statement in others) and not self._module.loops(name)

    def _is_opaque(self, expr: ast.expr) -> bool:
        return bool(self.opaque) and isinstance(expr, ast.Name) and self.of(expr) == (self._part(WHOLE),)

    def _part(self, key: Key) -> Part:
        return self._taken.setdefault(key, Part(key))

    def _carried(self, call: ast.Call, flow: Flow, path: tuple[Key, ...]) -> Carried | ast.Pass:
        """One node for one question, so that what refers back to it can be told; none is that deep."""
        is_stacked = (
            path and path[0] != 0 and not flow.loops and transform_of(self._module, call.func) == "jax.lax.scan"
        )
        if is_stacked or len(path) > _DEEPEST:
            return ast.Pass()
        return self._passed_on.setdefault((call, flow, path), Carried(call, flow, path))

    def _cast(self, call: ast.Call, path: tuple[Key, ...]) -> CastLike | ast.Pass:
        return self._casts.setdefault((call, path), CastLike(call, path)) if len(path) <= _DEEPEST else ast.Pass()

    def _at(self, place: Place, path: tuple[Key, ...]) -> Sources:
        expr, inside = place
        sources = self.of(expr)
        for key in (*inside, *path):
            sources = tuple(dict.fromkeys(item for source in sources for item in self.item(source, key)))
        return sources

    def _bound(self, binding: Binding) -> Iterator[ast.AST]:
        target = binding.node
        if isinstance(target, ast.arg):
            yield from self._parameter(target)
        elif isinstance(target, ast.Name):
            value = self._module.value_of(target)
            yield from self.of(value) if value is not None else self._unpacked(target)
        else:
            yield target

    def _unpacked(self, target: ast.Name) -> Iterator[ast.AST]:
        parent = self._module.parent(target)
        match parent, self._module.parent(parent) if parent is not None else None:
            case ast.Tuple(elts=elts) | ast.List(elts=elts), ast.Assign(targets=[only], value=value) if only is parent:
                plain = not any(isinstance(e, ast.Starred) for e in elts)
                yield from self.items(value, elts.index(target)) if plain else (target,)
            case ast.Tuple() | ast.List(), ast.Tuple() | ast.List():
                yield from self._unpacked_deeper(target)
            case ast.AugAssign(), _:
                yield parent
            case ast.Assign(value=value), _:
                yield from self.of(value)
            case ast.For(target=only, iter=ast.Call(func=ast.Name(id="range")) as counted), _ if only is target:
                yield counted
            case _:
                yield target

    def _unpacked_deeper(self, target: ast.Name) -> Iterator[ast.AST]:
        """Of `(a, target), b = value`."""
        place: list[int] = []
        inner: ast.AST = target
        outer = self._module.parent(target)
        while isinstance(outer, ast.Tuple | ast.List):
            if any(isinstance(element, ast.Starred) for element in outer.elts):
                break
            place.insert(0, next(index for index, element in enumerate(outer.elts) if element is inner))
            inner, outer = outer, self._module.parent(outer)
        match outer:
            case ast.Assign(targets=[only], value=value) if only is inner:
                sources = self.items(value, place[0])
                for key in place[1:]:
                    sources = tuple(item for source in sources for item in self.item(source, key))
                yield from sources
            case _:
                yield target

    def _field(self, value: ast.expr, attr: str) -> Iterator[ast.AST]:
        sources = self.items(value, attr)
        if sources and not any(isinstance(s, ast.arg | ast.Pass) for s in self.starts(sources)):
            yield from sources
            return
        self.crossed = True
        # Nothing says what `value` is: it is taken for any class of the module that has such a field.
        annotated = self._annotated_class(value)
        fields = self._records.fields
        owners = [c for c in fields if attr in fields[c] and (annotated is None or c is annotated)]
        constructions = [(c, call) for c in owners for call in self._records.constructions(c)]
        if not constructions:
            yield ast.Pass()
        for _, call in constructions:
            yield from self.item(call, attr)

    def _annotated_class(self, value: ast.expr) -> ast.ClassDef | None:
        for source in self.of(value):
            if isinstance(source, ast.arg) and isinstance(source.annotation, ast.Name):
                return self._records.owner(source.annotation)
        return None

    def _parameter(self, parameter: ast.arg) -> Iterator[ast.AST]:
        """What a parameter takes: the arguments of the calls in this module, its default, or a state of its pair."""
        if parameter in self.opaque:
            yield self._part(WHOLE)
            return
        for pair in self.pairs:
            if pair.state is parameter:
                self.crossed = True
                for made in returned(pair.init):
                    yield from self.of(made)
                return
        arguments, complete = self._arguments(parameter)
        carried, all_known = self._carrying.taken(parameter) if self._carrying is not None else ([], True)
        default = self._default(parameter)
        if default is not None:
            yield from self.of(default)
        for argument in arguments:
            yield from self.of(argument)
        for entry in carried:
            yield from (self._carried(entry.call, entry.flow, ()),) if isinstance(entry, Carried) else self.of(entry)
        known = (arguments or carried) and complete and all_known
        if (default is None and not known) or values_elsewhere(self._module, parameter):
            self.crossed = True
            yield parameter

    def _default(self, parameter: ast.arg) -> ast.expr | None:
        match self._module.parent(parameter):
            case ast.arguments(posonlyargs=first, args=args, defaults=defaults, kwonlyargs=kwonly, kw_defaults=kw):
                positional = [*first, *args]
                names = dict(zip(positional[len(positional) - len(defaults) :], defaults, strict=True))
                found = names.get(parameter) or dict(zip(kwonly, kw, strict=True)).get(parameter)
                return None if isinstance(found, ast.Constant) and found.value is None else found
        return None

    def _arguments(self, parameter: ast.arg) -> tuple[list[ast.expr], bool]:
        """The arguments that calls in this module pass, and whether every one of these calls was understood."""
        arguments = self._module.parent(parameter)
        function = self._module.parent(arguments) if arguments is not None else None
        if not isinstance(function, FUNCTIONS) or not isinstance(arguments, ast.arguments):
            return [], False
        found, complete = [], True
        for call in self._module.get(_callers if self._functions else _direct_callers).get(function, ()):
            argument = self._passed(call, arguments, parameter, skipped=int(self.mapped(call) is function))
            if argument is not None:
                found.append(argument)
            elif self._default(parameter) is None:
                complete = False
        return found, complete

    def _passed(self, call: ast.Call, arguments: ast.arguments, parameter: ast.arg, *, skipped: int) -> ast.expr | None:
        """What `call` passes, which has that many arguments that it does not."""
        for keyword in call.keywords if not skipped else ():
            if keyword.arg == parameter.arg:
                return keyword.value
        positional = positional_of(arguments)
        if parameter not in positional or any(isinstance(a, ast.Starred) for a in call.args):
            return None
        index = positional.index(parameter) + skipped
        return call.args[index] if index < len(call.args) else None

    # --- constructions ----------------------------------------------------------------------------------------

    def _item_of_call(self, call: ast.Call, key: Key) -> Sources:
        changed = self._records.changed(call)
        if changed is not None:
            named = [k.value for k in call.keywords if k.arg == key]
            return self.of(named[0]) if named else self.items(changed, key)
        parts = dict(self.parts(call))
        if key in parts:
            return self.of(parts[key])
        if (
            isinstance(key, int)
            and isinstance(call.func, ast.Name)
            and 0 <= key < len(parts)
            and self._records.owner(call.func)
        ):
            return self.of(list(parts.values())[key])
        if (self._module.qualname(call.func) or "").rpartition(".")[2] in CASTS:
            return (self._cast(call, (key,)),)
        function = self.called(call)
        results = returned(function) if function is not None else ()
        if results:
            return tuple(item for expr in results for item in self.items(expr, key))
        result = self.result(call)
        return self.item(result, key) if result is not None else (call,)

    # --- functions --------------------------------------------------------------------------------------------

    def called(self, call: ast.Call) -> Function | None:
        """The function of this module that `call` calls, through a `jax.jit` around it if there is one."""
        if not isinstance(call.func, ast.Name):
            return call.func if isinstance(call.func, ast.Lambda) else None
        if call.func.id not in self._module.get(Identifiers).bound:
            return None
        function = self._module.definition(call.func)
        return function or self.jitted(call) or self._unpacked_function(call.func)

    def jitted(self, call: ast.Call) -> Function | None:
        """As `called`, of a name that is bound to `jax.jit(function)`."""
        match self._module.only_value(call.func):
            case ast.Call(func=func, args=[inner, *_]) if self._module.qualname(func) in COMPILING:
                return self._module.definition(inner)
        return None

    def _unpacked_function(self, name: ast.expr) -> Function | None:
        """As `init` of `init, update = make()`."""
        match self._bindings(name):
            case (Binding(node=ast.Name() as target),) if self._module.value_of(target) is None:
                match self._functions.of(name) if self._functions is not None else ():
                    case (ast.FunctionDef() as function,):
                        return function
        return None

    def _bindings(self, name: ast.expr) -> tuple[Binding, ...]:
        scope = self._module.scope_of(name.id, name) if isinstance(name, ast.Name) else None
        return self._module.bindings(name.id, scope) if isinstance(name, ast.Name) and scope is not None else ()

    def mapped(self, call: ast.Call) -> Function | None:
        """The function of this module that `jax.tree.map(function, tree, ...)` calls for the leaves of trees."""
        if not call.args or self._module.qualname(call.func) not in _TREE_MAPS:
            return None
        return self._module.definition(call.args[0])

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """The init and update functions that belong together, each pair once."""
        return self._module.get(pairs)


def _functions(module: Module) -> Origins:
    """What says which functions a module hands to JAX, and so cannot ask that itself."""
    return Origins(module, follows=False)


def _carrying(module: Module) -> Carrying:
    return Carrying(module, module.get(_functions).of)


def _callers(module: Module) -> dict[Function, list[ast.Call]]:
    """The calls of each function of the module, those for the leaves of trees among them."""
    return _calls_by_function(module, Origins(module))


def _direct_callers(module: Module) -> dict[Function, list[ast.Call]]:
    """As `_callers`, of functions that calls name."""
    return _calls_by_function(module, Origins(module, follows=False))


def _calls_by_function(module: Module, origins: Origins) -> dict[Function, list[ast.Call]]:
    found = dict[Function, list[ast.Call]]()
    for call in module.nodes(ast.Call):
        function = origins.mapped(call) or origins.called(call)
        if function is not None:
            found.setdefault(function, []).append(call)
    return found
