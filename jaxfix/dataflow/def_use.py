"""Where a value comes from: the expressions that a name, a parameter or a field of a state may stand for."""

import ast
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from jaxfix.dataflow.budget import MOST_BINDINGS, MOST_PARTS
from jaxfix.dataflow.call_graph import values_elsewhere
from jaxfix.dataflow.callees import Callees, default
from jaxfix.dataflow.decorated import kept_results
from jaxfix.dataflow.init_update_pairs import Pair, pairs
from jaxfix.dataflow.loop_carry import Carried, Carrying, Flow, Place
from jaxfix.dataflow.solver import Lattice, Solver
from jaxfix.dataflow.sources import CASTS, UNREAD, WHOLE, CastLike, Part, Sources, in_text
from jaxfix.library.generated import is_generated
from jaxfix.semantic.calls import returned
from jaxfix.semantic.module import Module
from jaxfix.semantic.reaching_definitions import reaching
from jaxfix.semantic.records import Key, Records
from jaxfix.staging.jit import transform_of
from jaxfix.syntax.bindings import Binding
from jaxfix.syntax.nodes import Function

_Question = ast.AST | tuple[ast.AST, Key]
"""An expression, or a field, key or position of one."""


class _Found(NamedTuple):
    """What an expression may stand for, and whether that lies in another call: in a state, or with a caller."""

    sources: Sources
    crossed: bool = False


def _either(one: _Found, other: _Found) -> _Found:
    return _Found(in_text((*one.sources, *other.sources)), one.crossed or other.crossed)


_FOUND = Lattice(_Found(()), _either, _Found((UNREAD,), crossed=True))
_STAND_INS = (ast.Name, ast.Attribute, ast.Subscript, ast.IfExp, ast.NamedExpr, ast.arg)
"""Nodes that stand for other expressions; every other node stands for its own value."""


class Origins:
    """Answers for one module. Never raises; an empty answer means unknown.

    Args:
      opaque: parameters of which nothing is looked up: they, and what is taken from them, are `Part`s.
      follows: what the loops and branches of JAX pass on is looked up too.
    """

    def __init__(self, module: Module, opaque: frozenset[ast.arg] = frozenset(), *, follows: bool = True) -> None:
        self._module = module
        self._records = module.get(Records)
        self.opaque = opaque
        self._callees = module.get(_callees if follows else _direct_callees)
        self._carrying = module.get(_carrying) if follows else None
        self._solve: Solver[_Question, _Found] = Solver(self._transfer, _FOUND)
        self._taken: dict[Key, Part] = {}
        self._passed_on: dict[tuple[ast.Call, Flow, tuple[Key, ...]], Carried] = {}
        self._casts: dict[tuple[ast.Call, tuple[Key, ...]], CastLike] = {}
        self.crossed = False
        """Whether an answer since this was last cleared lies in another call: in a state, or with a caller."""

    def of(self, expr: ast.AST) -> Sources:
        """The expressions that `expr` may stand for, itself if it is not a name and no field.

        A part that refers back to what is being asked, as in `count = count + 1`, is left out.
        """
        return self._asked(expr) if isinstance(expr, _STAND_INS) else (expr,)

    def items(self, expr: ast.AST, key: Key) -> Sources:
        """The expressions that the field, key or position `key` of `expr` may stand for."""
        return self._asked((expr, key))

    def _asked(self, question: _Question) -> Sources:
        found = self._solve(question)
        self.crossed = self.crossed or found.crossed
        return found.sources

    def _transfer(self, question: _Question) -> _Found:
        before, self.crossed = self.crossed, False
        try:
            return _Found(in_text(self._answer(question)), self.crossed)
        finally:
            self.crossed = before

    def _answer(self, question: _Question) -> Iterable[ast.AST]:
        if isinstance(question, ast.AST):
            return self._look_up(question)
        expr, key = question
        return (item for source in self.of(expr) for item in self.item(source, key))

    def item(self, source: ast.AST, key: Key) -> Sources:
        """As `items`, of one source; the source itself where it hides its parts."""
        match source:
            case ast.Tuple(elts=elts) | ast.List(elts=elts) if isinstance(key, int):
                plain = not any(isinstance(e, ast.Starred) for e in elts)
                return self.of(elts[key]) if plain and -len(elts) <= key < len(elts) else (UNREAD,)
            case ast.Dict(keys=keys, values=values):
                return self._item_of_dict(list(zip(keys, values, strict=True)), key)
            case ast.Call():
                return self._item_of_call(source, key)
            case Part(key=outer):
                return (self._part(key),) if outer == WHOLE else (UNREAD,)
            case Carried():
                return (self._carried(source.call, source.flow, (*source.path, key)),)
            case CastLike():
                return (self._cast(source.call, (*source.path, key)),)
        return (source if isinstance(source, ast.arg) else UNREAD,)

    def _item_of_dict(self, pairs: list[tuple[ast.expr | None, ast.expr]], key: Key) -> Sources:
        """The last one that may have it: `**others` is one without a key."""
        for name, value in reversed(pairs):
            match name:
                case None:
                    return self.items(value, key) or (UNREAD,)
                case ast.Constant(value=own) if own == key:
                    return self.of(value)
                case ast.Constant():
                    continue
                case _:
                    break
        return (UNREAD,)

    def result(self, call: ast.Call) -> Carried | None:
        """The result of `call`, a loop or branch of JAX whose functions are of this module; None for any other."""
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
        """`sources`, with a loop's initial values in place of its carry."""
        pending, found = list(reversed(sources)), dict[ast.AST, None]()
        while pending:
            source = pending.pop()
            if isinstance(source, Carried) and source not in found:
                pending += reversed(self.at_first(source))
            found[source] = None
        return tuple(source for source in found if not isinstance(source, Carried))

    def again(self, carried: Carried) -> Sources:
        """What an iteration of the loop makes of it, or the other branches give."""
        return tuple(source for place in carried.flow.again for source in self._at(place, carried.path))

    def parts(self, source: ast.AST) -> tuple[tuple[Key, ast.expr], ...]:
        """The fields, keys or positions that a construction spells out, with what it puts there; else empty."""
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
        """The calls that make objects of `owner`, a class that declares its fields, in the order of the text."""
        return self._records.constructions(owner)

    def made_class(self, source: ast.AST) -> ast.ClassDef | None:
        """The class with declared fields of which the call `source` makes an object; None for anything else."""
        return self._records.owner(source.func) if isinstance(source, ast.Call) else None

    def changed(self, source: ast.AST) -> ast.expr | None:
        """The object that `x._replace(...)` or `dataclasses.replace(x, ...)` copies; None for any other call."""
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
                if len(found) > MOST_BINDINGS:
                    yield UNREAD
                    return
                for binding in reaching(self._module, expr, found):
                    yield from self._bound(binding)
            case ast.Attribute():
                yield from self._field(expr.value, expr.attr)
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

    def _part(self, key: Key) -> Part:
        return self._taken.setdefault(key, Part(key))

    def _carried(self, call: ast.Call, flow: Flow, path: tuple[Key, ...]) -> Carried | ast.Pass:
        """One node for one question, so that references back to it are recognized; none is that deep."""
        is_stacked = (
            path and path[0] != 0 and not flow.loops and transform_of(self._module, call.func) == "jax.lax.scan"
        )
        if is_stacked or len(path) > MOST_PARTS:
            return UNREAD
        return self._passed_on.setdefault((call, flow, path), Carried(call, flow, path))

    def _cast(self, call: ast.Call, path: tuple[Key, ...]) -> CastLike | ast.Pass:
        return self._casts.setdefault((call, path), CastLike(call, path)) if len(path) <= MOST_PARTS else UNREAD

    def _at(self, place: Place, path: tuple[Key, ...]) -> Sources:
        expr, inside = place
        sources = self.of(expr)
        for key in (*inside, *path):
            sources = tuple(dict.fromkeys(item for source in sources for item in self.item(source, key)))
        return sources

    def _bound(self, binding: Binding) -> Iterator[ast.AST]:
        target = binding.node
        if isinstance(target, ast.arg):
            yield from self.of(target)
        elif isinstance(target, ast.Name):
            value = self._module.value_of(target)
            yield from self.of(value) if value is not None else self._unpacked(target)
        else:
            yield target

    def _unpacked(self, target: ast.Name) -> Iterator[ast.AST]:
        """What binds a name in another way than plainly, as `(a, target), b = value` does."""
        place: list[int] = []
        inner: ast.AST = target
        outer = self._module.parent(target)
        while isinstance(outer, ast.Tuple | ast.List) and not any(isinstance(e, ast.Starred) for e in outer.elts):
            place.insert(0, next(index for index, element in enumerate(outer.elts) if element is inner))
            inner, outer = outer, self._module.parent(outer)
        match outer:
            case ast.AugAssign():
                yield outer
            case ast.Assign(targets=[only], value=value) if only is inner:
                yield from self._at((value, ()), tuple(place))
            case ast.Assign(value=value) if inner is target:
                yield from self.of(value)
            case ast.For(target=only, iter=ast.Call(func=ast.Name(id="range")) as counted) if only is target:
                yield counted
            case ast.For(target=only, iter=ast.Tuple(elts=elts) | ast.List(elts=elts)) if only is target and elts:
                for element in elts:
                    yield from self.of(element) if not isinstance(element, ast.Starred) else (target,)
            case _:
                yield target

    def _field(self, value: ast.expr, attr: str) -> Iterator[ast.AST]:
        hidden = dict[ast.ClassDef | None, None]()
        for source in self.of(value):
            found = self.item(source, attr)
            if self._records.makes_plain(source):
                yield from found
                continue
            yield from (item for item in found if not isinstance(item, ast.arg | ast.Pass))
            if any(isinstance(item, ast.arg | ast.Pass) for item in self.starts(found)):
                hidden[self._annotated_class(source)] = None
        if hidden:
            self.crossed = True
            yield from self._field_of_any(attr, tuple(self._records.fields) if None in hidden else hidden)

    def _annotated_class(self, source: ast.AST) -> ast.ClassDef | None:
        match source:
            case ast.arg(annotation=ast.Name() as annotation):
                return self._records.owner(annotation)
        return None

    def _field_of_any(self, attr: str, classes: Iterable[ast.ClassDef | None]) -> Iterator[ast.AST]:
        """What any object of one of `classes` may have there: nothing says which one is read."""
        fields = self._records.fields
        owners = [owner for owner in classes if owner is not None and attr in fields[owner]]
        constructions = [call for owner in owners for call in self._records.constructions(owner)]
        if not constructions:
            yield UNREAD
        for call in constructions:
            yield from self.item(call, attr)

    def _parameter(self, parameter: ast.arg) -> Iterator[ast.AST]:
        """What a parameter takes: the arguments of the calls in this module, its default, or a state of its pair."""
        if parameter in self.opaque:
            yield self._part(WHOLE)
            return
        for pair in self.pairs:
            if pair.state is parameter and pair.told:
                self.crossed = True
                for made in returned(pair.init):
                    yield from self.of(made)
                return
        arguments, complete = self._callees.arguments(parameter)
        carried, all_known = self._carrying.taken(parameter) if self._carrying is not None else ([], True)
        own = default(self._module, parameter)
        if own is not None:
            yield from self.of(own)
        for argument in arguments:
            yield from self.of(argument)
        for entry in carried:
            yield from (self._carried(entry.call, entry.flow, ()),) if isinstance(entry, Carried) else self.of(entry)
        known = (arguments or carried) and complete and all_known
        if (own is None and not known) or values_elsewhere(self._module, parameter):
            self.crossed = True
            yield parameter

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
        valued = self._callees.valued(call) if key == 0 else None
        if valued is not None:
            return tuple(source for expr in kept_results(self._module, valued) for source in self.of(expr))
        function = self.called(call)
        found = kept_results(self._module, function) if function is not None else ()
        if found:
            return tuple(item for expr in found for item in self.items(expr, key))
        result = self.result(call)
        hidden = UNREAD if self._records.makes_plain(call) else call
        return self.item(result, key) if result is not None else (hidden,)

    def called(self, call: ast.Call) -> Function | None:
        """The function of this module that `call` calls, through a `jax.jit` around it too; None where unknown."""
        return self._callees.called(call)

    def jitted(self, call: ast.Call) -> Function | None:
        """As `called`, of a name that is bound to `jax.jit(function)`; None for any other call."""
        return self._callees.jitted(call)

    def mapped(self, call: ast.Call) -> Function | None:
        """The function of this module that `jax.tree.map(function, tree, ...)` calls; None for any other call."""
        return self._callees.mapped(call)

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """The init and update functions that belong together, each pair once."""
        return self._module.get(pairs)


def _functions(module: Module) -> Origins:
    """What says which functions a module passes to JAX, and so cannot ask that itself."""
    return Origins(module, follows=False)


def _carrying(module: Module) -> Carrying:
    return Carrying(module, module.get(_functions).of)


def _direct_callees(module: Module) -> Callees:
    return Callees(module, None)


def _callees(module: Module) -> Callees:
    return Callees(module, module.get(_functions).of)
