"""What statements of a method do with their object, through its methods too: what a copy of it has to be given."""

import ast
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial

from jaxfix.dataflow.types import Values
from jaxfix.effects.accessors import why_computed
from jaxfix.effects.attributes import InstanceAttribute, reads_of, value_at, with_called
from jaxfix.effects.instance_state import why_read_unstable
from jaxfix.effects.plain_parts import is_no_tree_class
from jaxfix.report.abstract_value import Form
from jaxfix.report.reason import Code, Declined, Reason
from jaxfix.semantic.classes import bases_of, class_around, class_of, family, methods, own_parameter
from jaxfix.semantic.module import Module
from jaxfix.semantic.mutations import INITIALISERS, is_own_object
from jaxfix.semantic.receivers import classes_held
from jaxfix.source.frozen import frozen
from jaxfix.syntax.nodes import FUNCTIONS, Function, walk

_COPYING = frozenset(
    {"__copy__", "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__getnewargs__", "__getnewargs_ex__"}
)
_KNOWN_DECORATORS = ("staticmethod", "property")


@frozen
class OwnState:
    """What statements of a method read and bind of their object.

    Attributes:
      passed: the attributes that may be other ones at another call, or are data, in the order of the text.
      bound: those that the statements, or methods that they call, bind.
      copied: the attributes and methods that are read of a copy which holds what is passed, and not of the object.
      reads: where what is passed is read, in methods that they call too.
    """

    passed: tuple[str, ...]
    bound: tuple[str, ...]
    copied: frozenset[str]
    reads: tuple[ast.Attribute, ...]


def own_state(
    module: Module, values: Values, statements: Sequence[ast.stmt | ast.expr], concrete: Collection[str]
) -> OwnState:
    """What `statements` of a method do with their object.

    Args:
      concrete: the attributes whose values they must know when they are traced.

    Raises:
      Declined: a copy of the object, with those attributes as data, would not do what the object does.
    """
    return _Reader(module, values, statements, concrete).state()


class _Reader:
    def __init__(
        self, module: Module, values: Values, statements: Sequence[ast.stmt | ast.expr], concrete: Collection[str]
    ) -> None:
        self._module, self._values, self._concrete = module, values, concrete
        self._nodes = [node for statement in statements for node in walk(statement)]
        owner = class_around(module, statements[0])
        assert owner is not None
        self._classes = family(module, owner)
        self._uses: dict[str, list[ast.Attribute]] = {}
        self._direct: list[str] = []

    def state(self) -> OwnState:
        self._check_copy()
        self._read(self._nodes)
        self._direct = [name for name in self._uses if not methods(self._classes, name)]
        for method in self._methods():
            self._check_decorators(method)
            self._read(node for part in method.body for node in walk(part))
        data = [name for name in self._uses if not methods(self._classes, name)]
        bound = [name for name in data if any(isinstance(use.ctx, ast.Store) for use in self._uses[name])]
        for name in bound:
            self._check_results(name)
        for use in (use for name in data for use in self._uses[name]):
            if (reason := why_computed(self._module, use)) is not None:
                raise Declined(reason)
        passed = [name for name in data if self._is_passed(name, is_bound=name in bound)]
        changing = {*bound, *passed}
        for name in data:
            if name not in changing:
                self._check_held(name, changing)
        reads = (use for name in passed for use in self._uses[name] if isinstance(use.ctx, ast.Load))
        return OwnState(tuple(passed), tuple(bound), frozenset(self._copied(changing)), tuple(reads))

    # --- what is read -----------------------------------------------------------------------------------------

    def _read(self, nodes: Iterable[ast.AST]) -> None:
        for node in nodes:
            if isinstance(node, ast.Name) and is_own_object(self._module, node):
                use = self._module.parent(node)
                if not isinstance(use, ast.Attribute) or isinstance(use.ctx, ast.Del):
                    text = f"line {node.lineno} passes all of `{node.id}` on"
                    raise Declined(Reason(Code.ESCAPES, text, node.lineno))
                if not isinstance(use.ctx, ast.Load) and methods(self._classes, use.attr):
                    raise Declined(Reason(Code.REBOUND, f"line {use.lineno} rebinds a method", use.lineno))
                self._uses.setdefault(use.attr, []).append(use)

    def _methods(self) -> Iterator[ast.FunctionDef]:
        called = [method for name in list(self._uses) for method in methods(self._classes, name)]
        found = (each for method in called for each, _ in with_called(self._module, method))
        yield from dict.fromkeys(found)

    def _copied(self, changing: set[str]) -> Iterator[str]:
        for name in self._uses:
            found = methods(self._classes, name)
            if name in changing or any(reads_of(self._module, method) & changing for method in found):
                yield name

    # --- what is passed ---------------------------------------------------------------------------------------

    def _is_passed(self, name: str, *, is_bound: bool) -> bool:
        """Whether an attribute becomes an argument; the others stay what they are, and are not data."""
        loads = [use for use in self._uses[name] if isinstance(use.ctx, ast.Load)]
        augmented = any(isinstance(self._module.parent(use), ast.AugAssign) for use in self._uses[name])
        if not loads and not augmented:
            return False
        owners = (use.value for use in loads if isinstance(use.value, ast.Name))
        reasons = (why_read_unstable(self._module, self._values, owner) for owner in owners)
        reason = next(filter(None, reasons), None)
        if reason is None and not is_bound:
            return False
        if name in self._concrete:
            if not is_bound and reason is not None and reason.code is Code.CAPTURED_DATA:
                return False  # it never changes, and eager code asks for its value too
            raise Declined(Reason(Code.NEEDS_VALUE, f"the step needs the value of `{self._text(name)}`, which changes"))
        filled = InstanceAttribute(self._module, name, self._classes).why_filled()
        if filled is not None:
            raise Declined(filled)
        self._check_data(name, loads)
        return self._exists(name)

    def _check_data(self, name: str, loads: Sequence[ast.Attribute]) -> None:
        module = self._module
        for value in self._stored(name):
            if any(is_no_tree_class(module, owner) for owner in classes_held(module, value, items=1)):
                raise Declined(Reason(Code.NO_ARRAY, f"`{self._text(name)}` may hold no arrays"))
            for source in self._values.origins.of(value):
                maker = source.func if isinstance(source, ast.Call) else getattr(source, "annotation", None)
                owner = class_of(module, maker) if isinstance(maker, ast.expr) else None
                is_text = isinstance(source, ast.Constant) and isinstance(source.value, str)
                is_function = isinstance(source, FUNCTIONS) or (
                    isinstance(source, ast.expr) and module.definition(source) is not None
                )
                if is_text or is_function or (owner is not None and is_no_tree_class(module, owner)):
                    raise Declined(Reason(Code.NO_ARRAY, f"`{self._text(name)}` may be no array"))
        rebound = InstanceAttribute(module, name, self._classes).why_rebound() is not None
        for use in loads:
            call = module.parent(use)
            method = module.parent(call) if isinstance(call, ast.Attribute) else None
            is_method = isinstance(method, ast.Call) and method.func is call
            if (isinstance(call, ast.Call) and call.func is use and not rebound) or (is_method and not rebound):
                text = f"the step calls `{self._text(name)}` or a method of it, and `jit` may not accept it"
                raise Declined(Reason(Code.NO_ARRAY, text))

    def _exists(self, name: str) -> bool:
        """Whether the attribute is there before the statements run.

        Raises:
          Declined: it may not be, and they may not read it.
        """
        if name not in self._direct and not all(map(partial(self._has, name), self._made())):
            raise Declined(self._unbound(name))
        for function in (self._module.function(place) for place in self._places(name)):
            if isinstance(function, ast.FunctionDef) and function.name in INITIALISERS:
                return True
        if any(self._module.bindings(name, each) for each in self._classes):
            return True
        if name not in self._direct:
            raise Declined(self._unbound(name))
        first = next(use for use in self._uses[name])
        return isinstance(first.ctx, ast.Load)

    def _unbound(self, name: str) -> Reason:
        return Reason(Code.UNREAD, f"`{self._text(name)}` may be bound by no method yet")

    def _made(self) -> Iterator[ast.ClassDef]:
        """The classes of objects that have these statements, and that this file makes."""
        module, owner = self._module, self._classes[0]
        for each in self._classes:
            uses = [module.parent(use) for use in module.loads(each.name)]
            is_made = any(isinstance(use, ast.Call) and class_of(module, use.func) is each for use in uses)
            if is_made and owner in (each, *bases_of(module, each)):
                yield each

    def _has(self, name: str, made: ast.ClassDef) -> bool:
        """Whether a class or a base of it binds the attribute."""
        own = (made, *bases_of(self._module, made))
        stores = (node for node in self._module.attributes(name) if isinstance(node.ctx, ast.Store))
        return any(class_around(self._module, node) in own for node in stores) or any(
            self._module.bindings(name, each) for each in own
        )

    def _stored(self, name: str) -> Iterator[ast.expr]:
        """What is bound to the attribute, wherever that is."""
        for node in self._module.attributes(name):
            value = value_at(self._module, node) if isinstance(node.ctx, ast.Store) else None
            if value is not None:
                yield value

    def _places(self, name: str) -> Iterator[ast.Attribute]:
        """Where an initialiser surely binds the attribute."""
        for node in self._module.attributes(name):
            function = self._module.function(node)
            is_bound = isinstance(node.ctx, ast.Store) and is_own_object(self._module, node.value)
            is_inside = isinstance(function, ast.FunctionDef) and self._module.statement(node) in function.body
            if is_bound and is_inside:
                yield node

    # --- what is refused --------------------------------------------------------------------------------------

    def _check_copy(self) -> None:
        for each in self._classes:
            for name in sorted(_COPYING & self._module.names.bound_in(each)):
                raise Declined(Reason(Code.STATIC_ARGUMENT, f"`{each.name}` has a `{name}` of its own"))

    def _check_decorators(self, method: ast.FunctionDef) -> None:
        for decorator in method.decorator_list:
            if not (isinstance(decorator, ast.Name) and decorator.id in _KNOWN_DECORATORS):
                text = f"`{method.name}`, which it uses, is decorated with `{self._module.text(decorator)}`"
                raise Declined(Reason(Code.DECORATED, text))

    def _check_results(self, name: str) -> None:
        """Refuses Python numbers, which would come back as arrays, and dictionaries, which `jit` sorts."""
        for use in self._uses[name]:
            statement = self._module.parent(use)
            if isinstance(use.ctx, ast.Store) and isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign):
                parts = [statement.value]
                if isinstance(statement, ast.AugAssign):
                    parts += self._stored(name)
                if any(_is_unsorted(node) for part in parts if part is not None for node in walk(part)):
                    text = f"the step binds a dictionary to `{self._text(name)}`, which comes back with its keys sorted"
                    raise Declined(Reason(Code.STRUCTURE, text))
                forms = [self._values.of(part).form for part in parts if part is not None]
                if forms and all(form in (Form.PYTHON, Form.NUMPY) for form in forms):
                    text = f"the step binds `{self._text(name)}`, a number that is not an array"
                    raise Declined(Reason(Code.NO_ARRAY, text))

    def _check_held(self, name: str, changing: set[str]) -> None:
        """Refuses attributes made from the object that read a changing attribute: they would read the original's."""
        places = InstanceAttribute(self._module, name, self._classes).bound()
        pending: list[ast.AST] = [value for at in places if (value := value_at(self._module, at)) is not None]
        met: set[ast.AST] = set()
        while pending:
            part = pending.pop()
            if part in met:
                continue
            met.add(part)
            if isinstance(part, ast.arg) and own_parameter(self._around(part)) == part.arg:
                raise Declined(Reason(Code.UNSTABLE, f"`{self._text(name)}` keeps the object under another name"))
            for node in walk(part):
                if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
                    continue
                if is_own_object(self._module, node):
                    if self._keeps(node, changing):
                        text = (
                            f"`{self._text(name)}` was made of the object, and reads an attribute that the step changes"
                        )
                        raise Declined(Reason(Code.UNSTABLE, text))
                else:
                    pending += [each for each in self._values.origins.of(node) if each not in met]

    def _keeps(self, own: ast.Name, changing: set[str]) -> bool:
        """Whether a value made from the object may later read a changing attribute."""
        use = self._module.parent(own)
        if not isinstance(use, ast.Attribute):
            return True
        found = methods(self._classes, use.attr)
        if found:
            return any(reads_of(self._module, method) & changing for method in found)
        around = self._module.function(own)
        is_later = not (isinstance(around, ast.FunctionDef) and own_parameter(around) == own.id)
        return is_later and use.attr in changing

    def _around(self, parameter: ast.arg) -> Function:
        return next(each for each in self._module.ancestors(parameter) if isinstance(each, FUNCTIONS))

    def _text(self, name: str) -> str:
        return self._module.text(self._uses[name][0])


def _is_unsorted(node: ast.AST) -> bool:
    """Whether `node` is a dictionary with keys in another order than `jit` returns them."""
    if not isinstance(node, ast.Dict):
        return False
    keys = [key.value for key in node.keys if isinstance(key, ast.Constant) and isinstance(key.value, str)]
    return len(keys) < len(node.keys) or keys != sorted(keys)
