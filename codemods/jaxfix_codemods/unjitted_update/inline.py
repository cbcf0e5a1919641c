"""Statements of a loop, or of a function that it calls, that become a jitted function of their own."""

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType

from jaxfix.api import Code, Declined, Module, Reason, jit_of, walk
from jaxfix.api.analysis import (
    During,
    OwnState,
    Passing,
    Values,
    class_around,
    demands_of_statements,
    family,
    instance_state,
    instances,
    methods,
    own_class,
    own_parameter,
    own_state,
    reaching,
    why_computed,
    why_unstable,
)
from jaxfix.api.library import Transform, where
from jaxfix_codemods.jitting.applied import check_used
from jaxfix_codemods.jitting.models import models_in
from jaxfix_codemods.jitting.whole import (
    LOOPS,
    check_made_once,
    uses_equinox,
)
from jaxfix_codemods.unjitted_update import checks
from jaxfix_codemods.unjitted_update.binding import counts_iterations
from jaxfix_codemods.unjitted_update.buffers import check_attribute, check_buffer
from jaxfix_codemods.unjitted_update.checks import (
    check_called,
    check_names,
    check_parameter,
    check_reads,
    check_results,
    check_texts,
    is_own,
)
from jaxfix_codemods.unjitted_update.constants import constant_attributes
from jaxfix_codemods.unjitted_update.converted import converted
from jaxfix_codemods.unjitted_update.derived import derived
from jaxfix_codemods.unjitted_update.device import Device
from jaxfix_codemods.unjitted_update.extracting import Extraction
from jaxfix_codemods.unjitted_update.functions import Functions
from jaxfix_codemods.unjitted_update.half_done import check_half_done, gaps
from jaxfix_codemods.unjitted_update.integers import check_width
from jaxfix_codemods.unjitted_update.items import is_chosen, may_fill, picked
from jaxfix_codemods.unjitted_update.keyed import entries_of
from jaxfix_codemods.unjitted_update.lifted import made_of_constants
from jaxfix_codemods.unjitted_update.naming import Naming
from jaxfix_codemods.unjitted_update.options import is_set_later, may_set, options_of
from jaxfix_codemods.unjitted_update.passed import are_made_once
from jaxfix_codemods.unjitted_update.reading import Variables, context_of
from jaxfix_codemods.unjitted_update.rows import Row, choices, loads
from jaxfix_codemods.unjitted_update.settled import has_constants, is_settled
from jaxfix_codemods.unjitted_update.sizes import is_passed_size
from jaxfix_codemods.unjitted_update.sliced import sliced
from jaxfix_codemods.unjitted_update.variables import dotted, is_called, own_reads

_PLAIN_JIT = where(Transform.COMPILES) & where(Transform.SAME_RESULT)


def judge(module: Module, values: Values, around: ast.stmt, work: Sequence[ast.stmt]) -> Extraction:
    """How to extract `work`, statements of one block, with those that belong to them.

    Args:
      around: the loop, or the function, whose iterations, or calls, run them.

    Raises:
      Declined: they cannot be a function of their own.
    """
    scope = around if isinstance(around, ast.FunctionDef) else module.function(around) or module.tree
    if isinstance(scope, ast.Lambda | ast.AsyncFunctionDef) or (
        isinstance(module.parent(around), ast.ClassDef) and (scope is not around)
    ):
        raise Declined(Reason(Code.NO_PLACE, "no function can be defined around the loop"))
    found = _of_values(module, values, around, scope, work)
    copied = _of_copy(module, values, around, scope, work)
    if copied is not None and (isinstance(found, Reason) or copied.weight > found.weight):
        return copied.named()
    if isinstance(found, Reason):
        raise Declined(found)
    return found.named()


def _of_values(
    module: Module, values: Values, around: ast.stmt, scope: ast.AST, work: Sequence[ast.stmt]
) -> "_Judge | Reason":
    """A function of what the statements read, or why there is none."""
    first = None
    try:
        for row in choices(module, work):
            models = models_in(module, values, row.parts)
            if len({*models.values()}) == 1:
                with suppress(Declined):
                    return _Judge(module, values, around, scope, row, models=models)
            try:
                return _Judge(module, values, around, scope, row)
            except Declined as declined:
                first = first or declined.reason  # not the error, whose traceback would hold what was analysed
            handed = _static_arguments(module, row)
            if handed:
                with suppress(Declined):
                    return _Judge(module, values, around, scope, row, handed)
    except Declined as declined:
        return first or declined.reason
    assert first is not None
    return first


def _static_arguments(module: Module, row: Row) -> tuple[str, ...]:
    """The numbers that are static arguments, and the attributes of the own object that are where the object is none."""
    asked = demands_of_statements(module, row.parts)
    sizes = sorted(name for name in asked.values if is_passed_size(module, name, row.parts[0]))
    if asked.parts.keys() - asked.values.keys():  # a whole variable is no option
        inside = {node for part in row.parts for node in walk(part)}
        options = asked.parts.keys() & options_of(module, inside, module.function(row.at) or module.tree).keys()
        sizes += sorted(each for each in options if not is_set_later(module, each.rpartition(".")[2]))
    constants = constant_attributes(module, row.parts, asked.attributes)
    attributes = (*jitted_attributes(module, row.parts), *constants)
    return tuple(dict.fromkeys(sizes or attributes))


def in_place(
    module: Module, values: Values, loop: ast.stmt, row: Sequence[ast.stmt], objects: Collection[str]
) -> Extraction:
    """How to extract statements that change `objects` of `flax.nnx` in place.

    Raises:
      Declined: they cannot be a function of their own.
    """
    scope = module.function(loop) or module.tree
    if isinstance(scope, ast.Lambda | ast.AsyncFunctionDef):
        raise Declined(Reason(Code.NO_PLACE, "no function can be defined around the loop"))
    return _Judge(module, values, loop, scope, Row(tuple(row), row[0]), objects=objects).named()


def _of_copy(
    module: Module, values: Values, around: ast.stmt, scope: ast.AST, work: Sequence[ast.stmt]
) -> "_Judge | None":
    """A method that reads and binds a copy of its object, where methods that it calls do so."""
    if not work or class_around(module, work[0]) is None:
        return None
    with suppress(Declined):
        for row in choices(module, work, copied=True):
            with suppress(Declined):
                return _Judge(module, values, around, scope, row, copied=True)
    return None


class _Judge:
    """Statements that may become a function.

    Raises:
      Declined: they may not.
    """

    def __init__(
        self,
        module: Module,
        values: Values,
        around: ast.stmt,
        scope: ast.AST,
        row: Row,
        handed: Collection[str] = (),
        *,
        copied: bool = False,
        objects: Collection[str] = (),
        models: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """`handed` are the attributes of the object that are static arguments, so that it is none.

        `objects` are those of `flax.nnx`, which `nnx.jit` changes in place.
        """
        self._objects = objects
        self._models = models
        self._module, self._values, self._around, self._scope = module, values, around, scope
        self._handed, self._copied = tuple(handed), copied
        self._at, self._row = row, row.parts
        self._variables = Variables(module, self._row, scope)
        self._naming = Naming(module, around, scope, self._row, self._variables, in_place=bool(objects))
        self._functions = Functions(module, values, scope, self._variables)
        check_half_done(module, self._row, scope)
        self._demands = demands_of_statements(module, self._row, own=copied)
        inside = self._variables.inside
        if not copied:
            self._variables.pass_items(sliced(module, inside, scope))
        if not copied and not objects:
            self._variables.pass_items(picked(module, inside, scope))
            self._variables.pass_items(options_of(module, inside, scope))
            self._variables.pass_items(converted(module, values, inside, scope))
        between = self._before_items()
        every = [each for some in self._variables.items.values() for each in some]
        lists = [each.args[0] for each in every if isinstance(each, ast.Call)]
        options = [each for each in (*every, *lists) if isinstance(each, ast.Attribute)]
        if any(may_fill(module, each) for each in between) or (
            options and may_set(module, [*row.parts, *between], options)
        ):
            raise Declined(Reason(Code.MUTATED, "what is between its parts may change the items that it reads"))
        if not copied and not objects:
            for text, entry in entries_of(module, self._row):
                self._variables.entries.setdefault(text, []).append(entry)
            self._check_entries()
        self._variables.attributes = dict(self._data_attributes())
        self._check_computed()
        self._state: OwnState | None = None
        self._given, self._results, captured, self._root, self._filtered = self._checked()
        self._lifted = self._made_of_constants(captured)
        if self._lifted:
            captured = ()
        elif self._are_static(captured):
            self._handed, captured = tuple(sorted(captured)), ()
            self._given = (*self._handed, *self._given)
        # A method would not see the variables of this one, a function in it does.
        self._own = self._root if not captured else None
        self._before = self._method() if self._own is not None else self._place(captured)

    @property
    def weight(self) -> int:
        """How many programs the statements start."""
        return sum(map(self._module.get(Device).starts, self._row))

    def _checked(self) -> tuple[tuple[str, ...], tuple[str, ...], Collection[str], str | None, bool]:
        """What the function is passed, what it returns, what it reads besides, its object, and whether that filters."""
        module, row, scope = self._module, self._row, self._scope
        check_texts(module, row)
        found = self._demands
        if found.reason is not None:
            raise Declined(found.reason.restated(f"the step cannot be traced: {found.reason}"))
        check_called(module, row)
        check_used(module, self._values, row)
        held = own_state(module, self._values, row, found.attributes) if self._copied else None
        self._state = held
        first = self._variables.read_first()
        captured = {name for name in first if self._is_function(name) or self._is_constant(name)}
        captured |= {name for name in set(first) & set(found.values) if self._is_settled(name)}
        self._check_closed_over()
        check_names(module, row, scope)
        data = [name for name in first if name not in captured and name not in self._handed]
        written = self._variables.written()
        for name in data:
            whole = name.partition("[")[0] if name in self._variables.entries else name
            if asked := found.values.get(whole) or found.parts.get(whole):
                raise Declined(Reason(Code.NEEDS_VALUE, f"the step {asked}"))
            self._check_needed(name)
            if name in self._variables.attributes:
                check_reads(module, self._variables.attributes[name])
            if not self._waits:
                check_buffer(module, name.partition("[")[0], scope)
                for node in self._variables.attributes.get(name, ())[:1]:
                    check_attribute(module, self._values, node)
            if name not in self._objects and name not in self._models:
                items = self._variables.items.get(name, ())
                uses = [
                    *self._variables.loads_of(name),
                    *(each.value for each in items if isinstance(each, ast.Subscript)),
                ]
                check_parameter(module, self._values, self._during(), scope, name, uses)
        apart = {dot for dot in self._variables.attributes if self._is_read_apart(dot)} | {*self._handed}
        changing = {*written, *(dot.partition(".")[0] for dot in self._variables.attributes if dot not in apart)}
        for name in sorted(set(found.values) & changing - self._variables.counters()):
            raise Declined(Reason(Code.NEEDS_VALUE, f"the step {found.values[name]}"))
        read = self._variables.read_outside()
        for name in self._variables.defined():
            if name in read:
                raise Declined(Reason(Code.OTHER_USES, f"`{name}`, which the step makes, is used outside of it too"))
        if held is not None:
            root = self._own_name()
            for each in held.passed:
                self._check_needed(f"{root}.{each}")
            for use in held.reads:
                check_width(module, use, module.text(use))
            data += [f"{root}.{each}" for each in held.passed]
            written = (*(f"{root}.{each}" for each in held.bound), *written)
            read |= {f"{root}.{each}" for each in held.bound}
        is_last = self._at.returns
        lasting = {*self._variables.entries, *(name for name in data if "." in name)}
        state = tuple(name for name in data if name in written and not (is_last and name not in lasting))
        results = (*state, *(name for name in written if name in read and name not in state))
        if not results and self._at.result is None and not self._objects:
            raise Declined(Reason(Code.LIVE, "nothing that the step computes is read"))
        check_results(module, self._values, row, results)
        others = sorted((name for name in data if name not in state), key=lambda name: name not in self._objects)
        given = (*self._handed, *state, *others)
        own = self._own_object() if held is None else self._copied_object(held)
        if own is not None and any(each.startswith(f"{own}.") for each in self._handed):
            raise Declined(Reason(Code.OTHER_USES, f"the step uses `{own}` beside its static attributes"))
        filtered = uses_equinox(module, row) or "equinox" in self._models.values()
        passing = Passing(module, self._values)
        self._counting = frozenset(name for name in given if filtered and self._is_counting(passing, name))
        if not self._counting.isdisjoint(results):
            raise Declined(
                Reason(Code.RECOMPILES, "`equinox.filter_jit` compiles for each Python number, and one of them changes")
            )
        return given, results, captured, own, filtered

    @property
    def _waits(self) -> bool:
        """Whether each call is waited for: its value is read on the host."""
        outer = self._module.parent(self._at.result) if self._at.result is not None else None
        match outer:
            case ast.Call(func=ast.Attribute(attr="append")):
                return False
        return isinstance(outer, ast.Call | ast.Attribute)

    def _is_counting(self, passing: Passing, name: str) -> bool:
        """Whether `name` is a Python number that is another one at the next iteration."""
        bound = self._module.bindings(name, self._scope) if name.isidentifier() else ()
        if any(counts_iterations(self._module, binding.node) for binding in bound):
            return True
        if any(
            isinstance(each, ast.Attribute) and is_set_later(self._module, each.attr)
            for each in self._variables.items.get(name, ())
        ):
            return True
        return any(passing.counts(node) for node in self._variables.loads_of(name))

    def _check_needed(self, variable: str) -> None:
        """Refuses an attribute of the own object that is passed, where the trace must know its value."""
        attribute = variable.partition(".")[2]
        if attribute in self._demands.attributes:
            raise Declined(Reason(Code.NEEDS_VALUE, f"the step {self._demands.attributes[attribute]}"))

    def named(self) -> Extraction:
        """The function, with the names that it needs."""
        given, results, own, state = self._given, self._results, self._own, self._state
        before, root = self._before, self._root
        names = self._naming.variables({*given, *results})
        parameters = tuple(names[name] for name in given)
        renamed: dict[ast.AST, str] = {
            node: names[part]
            for part in names
            for node in (
                *self._variables.attributes.get(part, ()),
                *self._variables.items.get(part, ()),
                *self._variables.entries.get(part, ()),
            )
        }
        copy = self._naming.local("new") if state is not None else None
        if state is not None and copy is not None:
            renamed |= dict.fromkeys(self._copied_reads(state), copy)
            names |= {f"{root}.{each}": f"{copy}.{each}" for each in state.bound}
        is_plain = not (own or state or self._handed or self._lifted or self._filtered or self._objects or self._models)
        alone = derived(self._module, self._at, given, before) if is_plain else None
        return Extraction(
            self._at,
            before,
            self._naming.step(own, given, results) if alone is None else alone.name(self._module),
            parameters,
            tuple(map(self._written_as, given)),
            tuple(names[name] for name in results),
            tuple(map(self._written_as, results)),
            renamed,
            own,
            self._filtered,
            len(self._handed),
            (copy, root) if copy is not None and root is not None else None,
            self._naming.local("value", "result") if self._at.result is not None else None,
            "flax.nnx.jit" if self._objects or "flax.nnx" in self._models.values() else "jax.jit",
            any(map(self._comes_again, {*given} & {*results})),
            self._lifted,
            self._counting,
            alone,
        )

    def _written_as(self, name: str) -> str:
        """What the code calls it: an entry in its own quotes."""
        return self._module.text(self._variables.entries[name][0]) if name in self._variables.entries else name

    def _comes_again(self, name: str) -> bool:
        """Whether the row is passed, as `name`, what it bound at the call before, and not what its iteration made."""
        if "." in name or name in self._variables.entries or not isinstance(self._around, LOOPS):
            return True
        if name in self._variables.items:
            return False
        bound = self._module.bindings(name, self._scope)
        reads = [node for node in self._variables.loads_of(name) if isinstance(context_of(node), ast.Load)]
        found = (reaching(self._module, node, bound) for node in reads if isinstance(node, ast.Name))
        return not reads or any(binding.node in self._variables.inside for each in found for binding in each)

    # --- its object -------------------------------------------------------------------------------------------

    def _own_name(self) -> str:
        name = own_parameter(self._method())
        assert name is not None
        return name

    def _copied_object(self, state: OwnState) -> str:
        """The name of the object of which the row gets a copy.

        Raises:
          Declined: no method of it reads or binds what changes: then values are enough; or it cannot be static.
        """
        if state.copied <= {*state.passed, *state.bound}:
            raise Declined(Reason(Code.LAYOUT, "no method of the object reads what the step is passed"))
        self._check_object()
        return self._own_name()

    def _copied_reads(self, state: OwnState) -> Iterator[ast.Name]:
        """Where the row reads, or binds, what the copy holds."""
        for node in self._variables.inside:
            use = self._module.parent(node)
            is_read = isinstance(node, ast.Name) and isinstance(use, ast.Attribute) and use.attr in state.copied
            if is_read and isinstance(node, ast.Name) and is_own(self._module, node):
                yield node

    # --- attributes -------------------------------------------------------------------------------------------

    def _data_attributes(self) -> Iterator[tuple[str, list[ast.Attribute]]]:
        """The attributes that are passed and bound as variables are: data of `self`, and whatever is bound."""
        module = self._module
        found: dict[str, list[ast.Attribute]] = {}
        for statement in self._row:
            for node in own_reads(module, statement):
                assert isinstance(node.value, ast.Name)
                if not self._variables.is_in_item(node) and module.scope_of(node.value.id, node.value) is self._scope:
                    found.setdefault(dotted(node), []).append(node)
        for dot, nodes in found.items():
            is_kept = self._copied or (dot not in self._handed and self._is_constant_of_object(nodes))
            if is_own(module, nodes[0].value) and is_kept:
                continue
            is_bound = any(isinstance(node.ctx, ast.Store) for node in nodes)
            is_read = is_own(module, nodes[0].value) and not any(is_called(module, node) for node in nodes)
            if is_bound or is_read or dot in self._handed or dot in self._objects or dot in self._models:
                yield dot, nodes

    def _is_constant_of_object(self, nodes: Sequence[ast.Attribute]) -> bool:
        """Whether the trace must know the value of an attribute that the object is made with, and keeps."""
        needed = {node.attr for node in nodes} & self._demands.attributes.keys()
        return bool(needed) and all(has_constants(self._module, node, needed) for node in nodes)

    def _is_read_apart(self, dot: str) -> bool:
        """Whether the trace need not know the value of an attribute, of the object of a method, that it is passed."""
        is_of_method = is_own(self._module, self._variables.attributes[dot][0].value)
        return is_of_method and dot.partition(".")[2] not in self._demands.attributes

    def _check_computed(self) -> None:
        """Refuses attributes that are passed and bound once in place of several times, where that runs code."""
        found = [each for nodes in self._variables.attributes.values() for each in nodes]
        for items in self._variables.items.values():
            found += [each for each in items if isinstance(each, ast.Attribute)] if len(items) > 1 else []
        for reason in (why_computed(self._module, node) for node in found):
            if reason is not None:
                raise Declined(reason)

    def _check_entries(self) -> None:
        """Refuses entries of a dictionary that the row creates, and those that may not be there."""
        made = {entry.partition("[")[0] for entry in self._variables.entries}
        if any(
            isinstance(n, ast.Name) and n.id in made and isinstance(n.ctx, ast.Store) for n in self._variables.inside
        ):
            raise Declined(Reason(Code.MUTATED, "the step creates a dictionary and changes it"))
        for entry in (entry for entries in self._variables.entries.values() for entry in entries):
            if is_chosen(self._module, entry):
                text = f"`{self._module.text(entry)}` is read only where something holds"
                raise Declined(Reason(Code.NEEDS_VALUE, f"{text}: a step would be passed it always"))
            if isinstance(entry.ctx, ast.Load):
                check_width(self._module, entry, self._module.text(entry))

    def _before_items(self) -> list[ast.stmt]:
        """What runs between the call of the step and a statement that reads an item, or the other way round."""
        if not self._variables.items:
            return []
        items = {item for each in self._variables.items.values() for item in each}
        reading = [part.lineno for part in self._row if not items.isdisjoint(walk(part))]
        first, last = min((self._at.at.lineno, *reading)), max((self._at.at.lineno, *reading))
        return [each for each in gaps(self._module, self._row) if first < each.lineno < last]

    def _own_object(self) -> str | None:
        """The name of the object whose functions the row uses, if it does.

        Raises:
          Declined: they may change, or it cannot be a static argument.
        """
        module, found = self._module, None
        for node in self._variables.inside:
            is_object = isinstance(node, ast.Name) and is_own(module, node)
            if (
                isinstance(node, ast.Name)
                and is_object
                and not (self._variables.is_in_attribute(node) or self._variables.is_in_item(node))
            ):
                reason = instance_state.why_read_unstable(module, self._values, node)
                if reason is not None:
                    raise Declined(reason.restated(f"the step reads its object: {reason}"))
                found = node.id
        if found is not None:
            self._check_object()
        return found

    def _check_object(self) -> None:
        module, method = self._module, self._method()
        owner = module.method_of(method)
        assert owner is not None
        if module.function(self._row[0]) is not method or any(
            module.scope_of(node.id, node) not in (None, module.tree, method) and node not in self._variables.inside
            for node in self._variables.inside
            if isinstance(node, ast.Name)
        ):
            raise Declined(Reason(Code.NO_PLACE, "the step is in a function inside of a method"))
        reason = instances.why_no_identity_key(module, owner) or instances.why_many_objects(module, owner)
        if reason is not None:
            raise Declined(reason.restated(f"the object of `{method.name}` would be a static argument: {reason}"))

    def _method(self) -> ast.FunctionDef:
        method = self._module.functions_around(self._row[0])[-1]
        assert isinstance(method, ast.FunctionDef)
        return method

    # --- variables --------------------------------------------------------------------------------------------

    def _is_function(self, name: str) -> bool:
        """Whether `name` is a function, a module or an object that stays what it is, and is not data."""
        is_data = name in self._objects or name in self._models
        return not is_data and self._functions.is_kept(name, self._during())

    def _during(self) -> During:
        return During(self._outermost(), frozenset(dot.partition(".")[2] for dot in self._variables.attributes))

    def _is_settled(self, name: str) -> bool:
        """Whether `name` is a setting whose value the row needs, and which stays while the loop runs."""
        parts = [part for part in self._row if name in loads([part])]
        return all(is_settled(self._module, name, part, self._variables.inside) for part in parts)

    def _check_closed_over(self) -> None:
        """Refuses variables which functions around the row read alone, and a trace must know, if these may change."""
        inside = self._variables.inside
        read = {node.id for node in inside if isinstance(node, ast.Name)}
        for name, asked in self._demands.values.items():
            if name not in read and not is_settled(self._module, name, self._row[0], inside):
                raise Declined(Reason(Code.NEEDS_VALUE, f"the step {asked}"))

    def _is_constant(self, name: str) -> bool:
        """Whether `name` is a number of the module, which stays what it is."""
        if self._scope is not self._module.tree or "." in name:
            return False
        match self._module.bindings(name, self._scope):
            case (binding,) if isinstance(binding.node, ast.Name):
                value = self._module.value_of(binding.node)
                return isinstance(value, ast.Constant) and why_unstable(self._module, name, self._scope) is None
        return False

    def _made_of_constants(self, captured: Collection[str]) -> tuple[ast.Assign, ...]:
        """What binds the optimizers around that the row calls, if these can be made once for all calls."""
        scope = self._scope
        if not self._is_made_again(captured) or not isinstance(scope, ast.FunctionDef):
            return ()
        return made_of_constants(self._module, scope, captured, _top(self._module, scope))

    def _are_static(self, captured: Collection[str]) -> bool:
        """Whether the functions around that the row calls are static arguments, as it would be made at every call."""
        scope = self._scope
        if self._filtered or not self._is_made_again(captured) or not isinstance(scope, ast.FunctionDef):
            return False
        return are_made_once(self._module, self._values, scope, captured)

    def _is_made_again(self, captured: Collection[str]) -> bool:
        """Whether a function of the row beside its loop would be made at every call of the function around."""
        module, scope = self._module, self._scope
        if not captured or not isinstance(scope, ast.FunctionDef) or scope is self._around:
            return False
        if self._handed or self._copied or self._root or _reads_enclosing(module, self._row, scope):
            return False
        try:
            check_made_once(module, module.statement(self._row[0]))
        except Declined:
            return True
        return False

    # --- where it is ------------------------------------------------------------------------------------------

    def _place(self, captured: Collection[str]) -> ast.stmt:
        """The statement before which the function is made once: one of the module, or else the outermost loop.

        Raises:
          Declined: there it would be created and compiled at every call of the function around.
        """
        module, scope = self._module, self._scope
        if isinstance(scope, ast.FunctionDef):
            if not captured and not _reads_enclosing(module, self._row, scope):
                return _top(module, scope)
            if scope is self._around and captured:
                raise Declined(
                    Reason(Code.RECOMPILES, f"it would be created and compiled at every call of `{scope.name}`")
                )
            check_made_once(module, scope if scope is self._around else module.statement(self._row[0]))
        return self._outermost()

    def _outermost(self) -> ast.stmt:
        """The outermost loop of the scope around the row, or the function whose calls run it."""
        found = self._around
        for outer in self._module.ancestors(self._around):
            if outer is self._scope or self._scope is self._around:
                break
            if isinstance(outer, LOOPS):
                found = outer
        return found


def _reads_enclosing(module: Module, row: Sequence[ast.stmt | ast.expr], scope: ast.AST) -> bool:
    """Whether the row reads variables of functions around its own."""
    inside = {node for statement in row for node in walk(statement)}
    owners = (module.scope_of(n.id, n) for n in inside if isinstance(n, ast.Name))
    return any(owner not in (None, module.tree, scope) and owner not in inside for owner in owners)


def _top(module: Module, scope: ast.stmt) -> ast.stmt:
    found = scope
    for outer in module.ancestors(scope):
        if isinstance(outer, ast.stmt):
            found = outer
    return found


def carries(module: Module, loop: ast.stmt, work: Sequence[ast.Call]) -> bool:
    """Whether the loop rebinds, at or after the work, what the work reads: it goes on from its own results."""
    read = loads(module.statement(call) for call in work)
    first = min(module.statement(call).lineno for call in work)
    stored = (n for n in walk(loop) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    return any(node.id in read and module.statement(node).lineno >= first for node in stored)


def jitted_attributes(module: Module, row: Sequence[ast.stmt | ast.expr]) -> tuple[str, ...]:
    """The attributes of the own object that are plain jitted functions and no methods, where the row calls them.

    Such a function is keyed by its identity, whatever becomes of the object, and reads that no more often than it
    is compiled.
    """
    found: dict[str, None] = {}
    for statement in row:
        for node in own_reads(module, statement):
            call = module.parent(node)
            if checks.is_own(module, node.value) and isinstance(call, ast.Call) and call.func is node:
                jitted = jit_of(module, node)
                owner = own_class(module, node.value)
                is_plain = jitted is not None and jitted.by in _PLAIN_JIT and jitted.static == jitted.donated == ()
                if is_plain and owner is not None and not methods(family(module, owner), node.attr):
                    found[dotted(node)] = None
    return tuple(found)
