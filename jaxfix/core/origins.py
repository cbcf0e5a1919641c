"""Where a value comes from: the expressions that a name, a parameter or a field of a state may stand for."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from jaxfix.core.callers import values_elsewhere
from jaxfix.core.jitted import COMPILING
from jaxfix.core.model import Module
from jaxfix.core.scopes import FUNCTIONS, Binding, Function

Key = str | int
"""A field, a key or a position in a state."""

_TREE_MAPS = frozenset({"jax.tree.map", "jax.tree_util.tree_map", "jax.tree_map"})

Sources = tuple[ast.AST, ...]
"""Expressions, and parameters (`ast.arg`) and other binders of which no expression is known."""

_STEPS = 300
"""Expressions that one question may look at; whoever needs more gets no answer."""


@dataclass(frozen=True, slots=True)
class Pair:
    """The two halves of an algorithm: `init` makes the state that `update` takes and returns.

    Attributes:
      state: the parameter of `update` that takes the state; None if its place is not certain.
    """

    init: Function
    update: Function
    state: ast.arg | None


class Part(ast.AST):
    """The field, key or position `key` of what an opaque parameter takes; `WHOLE` is all of it."""

    _fields = ()

    def __init__(self, key: Key) -> None:
        super().__init__()
        self.key = key


WHOLE = ""
"""The key of a state that has no parts."""


class Origins:
    """Answers for one module. Never raises; an empty answer says that nothing is known.

    Args:
      opaque: parameters of which nothing is looked up: they, and what is taken from them, are `Part`s.
    """

    def __init__(self, module: Module, opaque: frozenset[ast.arg] = frozenset()) -> None:
        self._module = module
        self.opaque = opaque
        self._under_way: set[ast.AST] = set()
        self._parts_under_way: set[tuple[ast.AST, Key]] = set()
        self._taken: dict[Key, Part] = {}
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
        if expr in self._under_way or self._steps > _STEPS:
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
        return (source if isinstance(source, ast.arg) else ast.Pass(),)

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
                return self._fields_of_call(source)
        return ()

    def constructions(self, owner: ast.ClassDef) -> tuple[ast.Call, ...]:
        """The calls that make objects of a class of the module that declares its fields."""
        return tuple(self._constructions.get(owner, ()))

    def made_class(self, source: ast.AST) -> ast.ClassDef | None:
        """The class of the module that declares its fields, of which the call `source` makes an object."""
        return self._class(source.func) if isinstance(source, ast.Call) else None

    def changed(self, source: ast.AST) -> ast.expr | None:
        """What `x._replace(...)` or `dataclasses.replace(x, ...)` changes."""
        return self._changed(source) if isinstance(source, ast.Call) else None

    # --- looking up -------------------------------------------------------------------------------------------

    def _look_up(self, expr: ast.AST) -> Iterator[ast.AST]:
        match expr:
            case ast.Name() | ast.Attribute() if self._module.qualname(expr) is not None:
                yield expr
            case ast.Name(id=name):
                scope = self._module.scope_of(name, expr)
                found = self._module.bindings(name, scope) if scope is not None else ()
                if any(binding.node in self.opaque for binding in found) and self._is_first(expr, found):
                    yield self._part(WHOLE)
                    return
                for binding in found:
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
        if sources and not any(isinstance(s, ast.arg | ast.Pass) for s in sources):
            yield from sources
            return
        self.crossed = True
        # Nothing says what `value` is: it is taken for any class of the module that has such a field.
        annotated = self._annotated_class(value)
        owners = [c for c in self._fields if attr in self._fields[c] and (annotated is None or c is annotated)]
        constructions = [(c, call) for c in owners for call in self._constructions.get(c, ())]
        if not constructions:
            yield ast.Pass()
        for _, call in constructions:
            yield from self.item(call, attr)

    def _annotated_class(self, value: ast.expr) -> ast.ClassDef | None:
        for source in self.of(value):
            if isinstance(source, ast.arg) and isinstance(source.annotation, ast.Name):
                return self._class(source.annotation)
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
        default = self._default(parameter)
        if default is not None:
            yield from self.of(default)
        for argument in arguments:
            yield from self.of(argument)
        if (default is None and not (arguments and complete)) or values_elsewhere(self._module, parameter):
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
        for call in self._callers.get(function, ()):
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
        positional = [*arguments.posonlyargs, *arguments.args]
        if parameter not in positional or any(isinstance(a, ast.Starred) for a in call.args):
            return None
        index = positional.index(parameter) + skipped
        return call.args[index] if index < len(call.args) else None

    # --- constructions ----------------------------------------------------------------------------------------

    def _item_of_call(self, call: ast.Call, key: Key) -> Sources:
        changed = self._changed(call)
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
            and self._class(call.func)
        ):
            return self.of(list(parts.values())[key])
        function = self.called(call)
        results = returned(function) if function is not None else ()
        if results:
            return tuple(item for expr in results for item in self.items(expr, key))
        return (call,)

    def _changed(self, call: ast.Call) -> ast.expr | None:
        """What `x._replace(...)` or `dataclasses.replace(x, ...)` changes."""
        match call:
            case ast.Call(func=ast.Attribute(value=value, attr="_replace"), args=[]):
                return value
            case ast.Call(func=ast.Attribute(value=value, attr="replace"), args=[], keywords=[_, *_]):
                return value  # of flax, chex and others; the method of a string takes no keywords alone
            case ast.Call(args=[value]) if self._module.qualname(call.func) in ("dataclasses.replace", "chex.replace"):
                return value
        return None

    def _fields_of_call(self, call: ast.Call) -> tuple[tuple[Key, ast.expr], ...]:
        if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
            return ()
        owner = self._class(call.func)
        named: tuple[tuple[Key, ast.expr], ...] = tuple((k.arg, k.value) for k in call.keywords if k.arg is not None)
        if owner is not None:
            return (*zip(self._fields[owner], call.args, strict=False), *named)
        # A class of another module: its capital tells, and its keywords are its fields.
        last = (self._module.qualname(call.func) or "").rpartition(".")[2]
        return named if last[:1].isupper() and not call.args else ()

    def _class(self, expr: ast.AST) -> ast.ClassDef | None:
        if not isinstance(expr, ast.Name):
            return None
        scope = self._module.scope_of(expr.id, expr)
        match self._module.bindings(expr.id, scope) if scope is not None else ():
            case (Binding(node=ast.ClassDef() as owner),) if owner in self._fields:
                return owner
        return None

    @cached_property
    def _fields(self) -> dict[ast.ClassDef, tuple[str, ...]]:
        """The classes of the module that declare fields and do not write their own constructor."""
        found = {}
        for node in ast.walk(self._module.tree):
            if isinstance(node, ast.ClassDef):
                declared = [s.target for s in node.body if isinstance(s, ast.AnnAssign)]
                names = [target.id for target in declared if isinstance(target, ast.Name)]
                own = any(isinstance(s, ast.FunctionDef) and s.name in ("__init__", "__new__") for s in node.body)
                if names and not own:
                    found[node] = tuple(names)
        return found

    @cached_property
    def _constructions(self) -> dict[ast.ClassDef, list[ast.Call]]:
        found: dict[ast.ClassDef, list[ast.Call]] = {}
        for call in self._module.all_calls():
            owner = self._class(call.func)
            if owner is not None:
                found.setdefault(owner, []).append(call)
        return found

    # --- functions --------------------------------------------------------------------------------------------

    def called(self, call: ast.Call) -> Function | None:
        """The function of this module that `call` calls, through a `jax.jit` around it if there is one."""
        function = self._module.definition(call.func)
        if function is not None or not isinstance(call.func, ast.Name):
            return function
        scope = self._module.scope_of(call.func.id, call.func)
        match self._module.bindings(call.func.id, scope) if scope is not None else ():
            case (Binding(node=ast.Name() as target),):
                match self._module.value_of(target):
                    case ast.Call(func=func, args=[inner, *_]) if self._module.qualname(func) in COMPILING:
                        return self._module.definition(inner)
        return None

    def mapped(self, call: ast.Call) -> Function | None:
        """The function of this module that `jax.tree.map(function, tree, ...)` calls for the leaves of trees."""
        if not call.args or self._module.qualname(call.func) not in _TREE_MAPS:
            return None
        return self._module.definition(call.args[0])

    @cached_property
    def _callers(self) -> dict[Function, list[ast.Call]]:
        found: dict[Function, list[ast.Call]] = {}
        for call in self._module.all_calls():
            function = self.mapped(call) or self.called(call)
            if function is not None:
                found.setdefault(function, []).append(call)
        return found

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """The init and update functions that belong together, each pair once."""
        found: dict[tuple[Function, Function], Pair] = {}
        for init, update in _couples(self._module):
            found.setdefault((init, update), Pair(init, update, _state_parameter(update)))
        for pair in self._couples_by_class():
            found.setdefault((pair.init, pair.update), pair)
        return tuple(found.values())

    def _couples_by_class(self) -> Iterator[Pair]:
        """Functions of which one returns an object of a class of the module, and the other takes and returns one.

        Only those that a caller can call one after the other: the first is no part of another function.
        """
        if not self._fields:
            return
        functions = [f for f in self._module.functions if isinstance(f, ast.FunctionDef)]
        takes = {f: [(a, o) for a in _arguments_of(f) if (o := self._annotated(a)) is not None] for f in functions}
        makes = {f: {o for expr in returned(f) for o in self._made_in(expr)} for f in functions}
        for init in functions:
            if takes[init] or len(makes[init]) != 1 or self._module.function(init) is not None:
                continue
            for update in functions:
                states = [argument for argument, owner in takes[update] if owner in makes[init]]
                if len(states) == 1 and makes[update] & makes[init]:
                    yield Pair(init, update, states[0])

    def _annotated(self, parameter: ast.arg) -> ast.ClassDef | None:
        return self._class(parameter.annotation) if parameter.annotation is not None else None

    def _made_in(self, expr: ast.expr) -> Iterator[ast.ClassDef]:
        """The class of what is returned, or of a part of a tuple that is: as it stands, or bound to a name once."""
        for part in expr.elts if isinstance(expr, ast.Tuple) else (expr,):
            made = self._named_value(part)
            owner = self._class(made.func) if isinstance(made, ast.Call) else None
            if owner is not None:
                yield owner
            elif isinstance(made, ast.Call) and (changed := self._changed(made)) is not None:
                yield from self._class_of_parameter(changed)

    def _named_value(self, expr: ast.expr) -> ast.expr:
        if not isinstance(expr, ast.Name) or (scope := self._module.scope_of(expr.id, expr)) is None:
            return expr
        match self._module.bindings(expr.id, scope):
            case (Binding(node=ast.Name() as target),):
                return self._module.value_of(target) or expr
        return expr

    def _class_of_parameter(self, expr: ast.expr) -> Iterator[ast.ClassDef]:
        if isinstance(expr, ast.Name) and (scope := self._module.scope_of(expr.id, expr)) is not None:
            for binding in self._module.bindings(expr.id, scope):
                if isinstance(binding.node, ast.arg) and (owner := self._annotated(binding.node)) is not None:
                    yield owner


def _couples(module: Module) -> Iterator[tuple[Function, Function]]:
    for node in ast.walk(module.tree):
        match node:
            case ast.Call(args=[first, second, *_]):
                yield from _couple(module, first, second, ("update", "step"))
            case ast.Call(keywords=keywords) if {"init", "update"} <= {k.arg for k in keywords}:
                named = {k.arg: k.value for k in keywords}
                yield from _couple(module, named["init"], named["update"], ("update", "step"))
            case ast.Return(value=ast.Tuple(elts=[first, second, *_])):
                # `init, step, condition` is how loops are built, whose state lives inside of one trace.
                yield from _couple(module, first, second, ("update", "kernel"))
            case ast.ClassDef(body=body) | ast.Module(body=body):
                functions = {s.name: s for s in body if isinstance(s, ast.FunctionDef)}
                yield from _couples_by_name(functions)


def _couple(
    module: Module, first: ast.expr, second: ast.expr, words: tuple[str, ...]
) -> Iterator[tuple[Function, Function]]:
    init, update = module.definition(first), module.definition(second)
    if not isinstance(init, ast.FunctionDef) or not isinstance(update, ast.FunctionDef):
        return
    if "init" in init.name and any(word in update.name for word in words):
        yield init, update


def _couples_by_name(functions: dict[str, ast.FunctionDef]) -> Iterator[tuple[Function, Function]]:
    for name, init in functions.items():
        if name in ("init", "init_fn", "init_state", "initialize", "_init", "_init_fn"):
            for word in ("update", "step"):
                other = name.replace("initialize", word).replace("init", word)
                if other in functions:
                    yield init, functions[other]


def _arguments_of(function: ast.FunctionDef) -> tuple[ast.arg, ...]:
    return (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)


def _state_parameter(update: Function) -> ast.arg | None:
    named = [a for a in (*update.args.posonlyargs, *update.args.args, *update.args.kwonlyargs) if "state" in a.arg]
    return named[0] if len(named) == 1 else None


def returned(function: Function) -> tuple[ast.expr, ...]:
    """The expressions that `function` returns, those of functions inside it left out."""
    if isinstance(function, ast.Lambda):
        return (function.body,)
    found: list[ast.expr] = []
    pending: list[ast.AST] = list(reversed(function.body))
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Return) and node.value is not None:
            found.append(node.value)
        if not isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            pending.extend(reversed(list(ast.iter_child_nodes(node))))
    return tuple(found)
