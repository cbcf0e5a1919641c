"""How many programs code starts on the device when it runs eagerly, according to its text."""

import ast
from collections.abc import Collection, Sequence
from functools import cached_property
from typing import ClassVar

from jaxfix.api import FUNCTIONS, Function, Module, Staging, children, jit_of, jitted_by_decorator, walk
from jaxfix.api.analysis import (
    EXISTS,
    Form,
    Lattice,
    Solver,
    Values,
    binds_again,
    class_of,
    family,
    is_script,
    keeps_results,
    last_name,
    methods,
    own_class,
    parameters_of,
)
from jaxfix.api.library import CONTROL_FLOW, Dtype, Effect, Member, Package, Result, Transform, short_names, where
from jaxfix_codemods.jitting.applied import applied
from jaxfix_codemods.jitting.models import held_by, library_of, may_have_models
from jaxfix_codemods.unjitted_update.derivatives import GRADIENTS, makes_gradient

ENOUGH = 4
"""Programs per iteration below which one program in their place is not worth a function."""
FEWEST = 2
"""Those of a function that an iteration calls for each item of a list: two of them are worth one."""
MOST = 100
"""Beyond that it makes no difference."""
OF_A_TREE = 3
"""The leaves that a tree of unknown size counts for."""
_OF_A_GATHER = 6
"""Of elements by an array of positions: those below zero count from the end, and those outside are left out."""
_OF_A_GRADIENT = 2
"""Times what its function starts: forth, and back at least as much."""
_OF_AN_OPTIMIZER = 3
"""What the update of an optimizer takes by position: gradients, its state, parameters."""
_OPERATING = where(Package.OPERATES) | where(Package.IMMUTABLE)
_COMPUTING = _ONE = where(Result.ARRAY)
"""Beside operations, losses of several."""
_MAPS = where(Transform.MAPS_LEAVES)
_BATCHING = where(Transform.BATCHES)
CONVERTERS = where(Result.CONVERTED)
_STATIC = short_names(Member.STATIC)
_METHODS = short_names(Result.FRESH, "jax.Array") | short_names(Member.UPDATE)
_UPDATING = short_names(Member.UPDATE)
_SHAPING = short_names(Dtype.KEPT, "jax.Array")
_NUMPY = where(Package.NUMPY) - where(Package.HOST)
_FUNCTIONAL = short_names(Effect.FUNCTIONAL)
_READING = where(Package.READS)
_APPLYING = short_names(Effect.APPLIES)
COMPREHENSIONS = (ast.ListComp, ast.GeneratorExp, ast.SetComp)
_STARTING = frozenset({ast.Call, ast.BinOp, ast.UnaryOp, ast.AugAssign, ast.Subscript})
_ON_LEAVES = (ast.BinOp, ast.Call, ast.UnaryOp)
_ON_DEVICE = _METHODS | _FUNCTIONAL | _APPLYING
_OPERATIONS = frozenset({*_MAPS, *CONTROL_FLOW, *CONVERTERS, *GRADIENTS, *_BATCHING})
_COUNT: Lattice[int] = Lattice(0, max, 0)


def callee(module: Module, call: ast.Call) -> ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | None:
    """The function of this file that `call` calls, a method of its own object too; None where that is not certain."""
    if isinstance(call.func, ast.Attribute) and (owner := own_class(module, call.func.value)) is not None:
        return _method_of(module, owner, call.func.attr)
    if isinstance(call.func, ast.Name) and (owner := own_class(module, call.func)) is not None:
        return _method_of(module, owner, "__call__")
    return module.definition(call.func)


def likely_callee(module: Module, call: ast.Call) -> ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | None:
    """As `callee`, or the method of the class that is the type of a parameter: it may be one of a subclass."""
    if not isinstance(call.func, ast.Lambda) and last_name(call.func) not in module.names.defining:
        is_bound = isinstance(call.func, ast.Name) and call.func.id in module.index.binding
        return callee(module, call) if is_bound and own_class(module, call.func) is not None else None
    if isinstance(call.func, ast.Attribute) and (owner := _typed_class(module, call.func.value)) is not None:
        return _method_of(module, owner, call.func.attr)
    return callee(module, call)


def _method_of(module: Module, owner: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    found = methods(family(module, owner), name)
    return found[0] if len(found) == 1 else None


def _typed_class(module: Module, receiver: ast.expr) -> ast.ClassDef | None:
    """The class of this file that is the type of a parameter, which nothing binds again, or of all that is passed."""
    if not isinstance(receiver, ast.Name):
        return None
    found = [each.node for each in module.bindings(receiver.id, module.scope_of(receiver.id, receiver))]
    if len(found) != 1 or not isinstance(found[0], ast.arg):
        return None
    if found[0].annotation is not None:
        return class_of(module, found[0].annotation)
    if not any(True for _ in module.nodes(ast.ClassDef)):
        return None
    sources = module.get(Values).origins.of(receiver)
    made = {class_of(module, source.func) if isinstance(source, ast.Call) else None for source in sources}
    return made.pop() if len(made) == 1 else None


def is_unpacked_function(module: Module, func: ast.expr) -> bool:
    """Whether `func` is one of the functions that a library returned together: `init, update = optax.adam(1e-3)`.

    So is a parameter for which callers pass no other.
    """
    if not isinstance(func, ast.Name):
        return False
    found = [binding.node for binding in module.bindings(func.id, module.scope_of(func.id, func))]
    if len(found) == 1 and isinstance(found[0], ast.arg):
        sources = module.get(Values).origins.of(func)
        return len(sources) > 0 and all(is_made_by_library(module, source) for source in sources)
    return bool(found) and all(_is_unpacked_of_library(module, node) for node in found)


def is_made_by_library(module: Module, source: ast.AST) -> bool:
    """Whether a function of a package that changes no argument made it: an optimizer, or one of its functions."""
    made_by = module.qualname(source.func) if isinstance(source, ast.Call) else None
    return (made_by or "").partition(".")[0] in _READING


def _is_second(module: Module, func: ast.expr) -> bool:
    """Whether it is the second of the functions, which updates; the first begins, and a third one only reads."""
    found = module.bindings(func.id, module.scope_of(func.id, func)) if isinstance(func, ast.Name) else ()
    displays = ((module.parent(binding.node), binding.node) for binding in found)
    return any(isinstance(display, ast.Tuple) and display.elts[1:2] == [node] for display, node in displays)


def _is_unpacked_of_library(module: Module, target: ast.AST) -> bool:
    match module.parent(target), module.statement(target):
        case ast.Tuple() as display, ast.Assign(targets=[only], value=value) if only is display:
            return is_made_by_library(module, value)
    return False


class Likely:
    """How many programs code of one module may start, from its text alone: all data are arrays, nothing is jitted.

    Attributes:
      most: beyond that it does not count.
    """

    most: ClassVar[int] = ENOUGH

    def __init__(self, module: Module) -> None:
        self._module = module
        self._known: Solver[ast.AST, int] = Solver(self._of_body, _COUNT)
        self._computes: Solver[ast.AST, bool] = Solver(self._calls_device, EXISTS)

    def starts(self, node: ast.AST) -> int:
        """How many programs `node` starts, those of jitted functions left out."""
        found = 0
        pending = [node]
        while pending and found < self.most:
            part = pending.pop()
            if part.__class__ in _STARTING:
                found += self._own(part)
            elif type(part) is ast.Assign and type(part.targets[0]) is ast.Tuple:
                found += self._unpacked(part)
            elif isinstance(part, COMPREHENSIONS):
                found += OF_A_TREE * self.starts(part.elt)
                continue
            elif type(part) in FUNCTIONS:
                continue  # it starts what it starts where it is called
            pending += children(part)
        return min(found, self.most)

    def is_at_work(self, loop: ast.stmt) -> bool:
        """Whether `loop` may start enough per iteration; of a library, with many loops, with an operation in it."""
        return (is_script(self._module) or self._computes(loop)) and self.starts(loop) >= ENOUGH

    def _calls_device(self, node: ast.AST) -> bool:
        """Whether code, or a function of this file that it calls, surely has an operation of the device."""
        return any(map(self._has_operation, children(node)))  # it often comes early

    def _has_operation(self, node: ast.AST) -> bool:
        for part in walk(node):
            if type(part) is ast.Call:
                is_imported = self._module.qualname(part.func) is not None
                function = None if is_imported else likely_callee(self._module, part)
                if self._computes(function) if function is not None else self._is_operation(part):
                    return True
            elif type(part) is ast.BinOp and type(part.op) is ast.MatMult:
                return True
        return False

    def _is_operation(self, call: ast.Call) -> bool:
        qualname = self._module.qualname(call.func)
        if qualname is not None:
            return qualname.rpartition(".")[0] in _OPERATING or qualname in _OPERATIONS or qualname in self._made
        name = getattr(call.func, "attr", getattr(call.func, "id", None))
        return isinstance(call.func, ast.Call) or name in _ON_DEVICE or name in self._made

    @cached_property
    def _made(self) -> frozenset[str]:
        """The names and attributes that are bound to what JAX returns, such as `jax.jit(f)`."""
        module = self._module
        calls = ((node.targets, node.value) for node in module.nodes(ast.Assign) if isinstance(node.value, ast.Call))
        targets = [some for some, call in calls if (module.qualname(call.func) or "").startswith("jax.")]
        parts = (part for some in targets for target in some for part in walk(target))
        return frozenset(name for part in parts if (name := getattr(part, "attr", getattr(part, "id", None))))

    def is_array(self, expr: ast.expr) -> bool:
        return True

    def is_indexed_array(self, expr: ast.expr) -> bool:
        return True

    def is_taken_apart(self, expr: ast.expr) -> bool:
        return True

    def is_gathered(self, element: ast.Subscript) -> bool:
        return False

    def is_jitted(self, call: ast.Call) -> bool:
        return False

    def of_function(self, function: Function) -> int:
        """How many programs one call of `function` starts."""
        return self._known(function)

    def _of_body(self, function: ast.AST) -> int:
        assert isinstance(function, FUNCTIONS)
        body = [function.body] if isinstance(function, ast.Lambda) else function.body
        return min(sum(map(self.starts, body)), self.most)

    def _own(self, node: ast.AST) -> int:
        match node:
            case ast.Call():
                return self._call(node)
            case ast.BinOp(op=ast.MatMult()):
                return 1
            case ast.BinOp(left=left, right=right):
                return int(self.is_array(left) or self.is_array(right))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return int(self.is_array(operand))
            case ast.AugAssign(target=target, value=value):
                return int(self.is_array(value) or self.is_array(target))
            case ast.Subscript(value=value, ctx=ast.Load()):
                is_part = self.is_indexed_array(value) or (_has_slices(node) and self.is_array(value))
                return _OF_A_GATHER if self.is_gathered(node) else int(is_part)
        return 0

    def _unpacked(self, statement: ast.AST) -> int:
        match statement:
            case ast.Assign(targets=[ast.Tuple(elts=parts)], value=ast.Name() | ast.Attribute() as value):
                return len(parts) if self.is_taken_apart(value) else 0
        return 0

    def _call(self, call: ast.Call) -> int:
        module = self._module
        qualname = module.qualname(call.func) or ""
        if qualname in _MAPS and call.args:
            return OF_A_TREE * self._mapped(call.args[0], call.args[1:])
        if qualname in CONTROL_FLOW:
            return 1
        if qualname in CONVERTERS:
            return self._stacked(call.args[0]) if call.args else 0
        if qualname.rpartition(".")[0] in _OPERATING:
            return 1
        if qualname in _COMPUTING:
            return OF_A_TREE
        if isinstance(call.func, ast.Call):
            if makes_gradient(module, call.func):
                return self._derived(call.func)
            if module.qualname(call.func.func) not in _BATCHING:
                return 0
            return 2 * OF_A_TREE if call.func.args and self._is_model(call.func.args[0]) else OF_A_TREE
        if not qualname and self._has_models and self._is_model(call.func):
            return 2 * OF_A_TREE
        if qualname or self._is_nothing(call.func) or self.is_jitted(call):
            return 0
        if is_unpacked_function(module, call.func):
            return 2 * OF_A_TREE if _is_second(module, call.func) else 1
        function = likely_callee(module, call)
        if function is not None:
            return self.of_function(function)
        return 2 * OF_A_TREE if self._is_applied(call) else self._method(call)

    def _derived(self, gradient: ast.Call) -> int:
        """What a call of a gradient starts."""
        return 2 * OF_A_TREE

    def _stacked(self, parts: ast.expr) -> int:
        """The programs that make one array of several."""
        if not isinstance(parts, ast.List | ast.Tuple):
            return 0
        arrays = [each for each in parts.elts if not isinstance(each, ast.Constant) and self.is_array(each)]
        return len(arrays) + 1 if arrays else 0

    def _is_model(self, func: ast.expr) -> bool:
        """Whether it may be a model that is called itself, of a library whose models are."""
        if not self._has_models or self._module.definition(func) is not None:
            return False
        if isinstance(func, ast.Attribute):
            return any(isinstance(each.ctx, ast.Store) for each in self._module.attributes(func.attr))
        return isinstance(func, ast.Name) and func.id in self._module.index.binding

    @cached_property
    def _has_models(self) -> bool:
        return may_have_models(self._module)

    def _is_applied(self, call: ast.Call) -> bool:
        """Whether it is of a parameter for which callers may pass the method that applies a model."""
        is_named = isinstance(call.func, ast.Name) and len(call.args) + len(call.keywords) > 1
        return is_named and not _APPLYING.isdisjoint(self._module.index.attributes) and self._applies(call.func)

    def _applies(self, func: ast.expr) -> bool:
        binding = self._module.names.only_binding(func) if isinstance(func, ast.Name) else None
        return binding is not None and isinstance(binding.node, ast.arg)

    def _is_nothing(self, func: ast.expr) -> bool:
        """Whether the names alone say that nothing is known of what `func`, which is not imported, does."""
        name = last_name(func)
        if isinstance(func, ast.Name):
            return name not in self._module.index.binding  # a builtin
        return not isinstance(func, ast.Lambda) and name not in _ON_DEVICE and name not in self._module.names.defining

    def _method(self, call: ast.Call) -> int:
        match call.func:
            case ast.Attribute(value=owner, attr=attr) if self._module.qualname(call.func) is None:
                if attr in _FUNCTIONAL:
                    return 0 if self._is_of_agent(call, owner, attr) else 2 * OF_A_TREE
                if attr in _APPLYING and _is_given_weights(call):
                    return 2 * OF_A_TREE
                return int(attr in _METHODS and self.is_array(owner))
        return 0

    def _is_of_agent(self, call: ast.Call, owner: ast.expr, attr: str) -> bool:
        """Whether `update` is one of an agent, which may be jitted: it binds that, or takes more than an optimizer."""
        takes_more = len(call.args) > _OF_AN_OPTIMIZER
        return attr == "update" and (takes_more or binds_again(self._module, call, owner))

    def _mapped(self, function: ast.expr, trees: Sequence[ast.expr]) -> int:
        """The operations on each leaf; none where they are but methods, which arrays of NumPy have too."""
        found = function if isinstance(function, ast.Lambda) else self._module.definition(function)
        if found is None:
            return int((self._module.qualname(function) or "").rpartition(".")[0] in _OPERATING)
        leaves = {parameter.arg for parameter in parameters_of(found.args)}
        body = [found.body] if isinstance(found, ast.Lambda) else found.body
        work = [node for part in body for node in walk(part) if isinstance(node, _ON_LEAVES)]
        work = [node for node in work if _reads_values(node, leaves)]
        is_of_methods = all(isinstance(node, ast.Call) and self._module.qualname(node.func) is None for node in work)
        return 0 if is_of_methods and not any(map(self.is_array, trees)) else len(work)


class Device(Likely):
    """What is certain of one module: the rest counts for nothing."""

    most = MOST

    def __init__(self, module: Module) -> None:
        super().__init__(module)
        self._values = module.get(Values)
        self._found: Solver[tuple[ast.AST, bool], int] = Solver(self._transfer, _COUNT)

    def holds_jitted(self, node: ast.AST) -> bool:
        """Whether `node` calls a jitted function."""
        return any(isinstance(part, ast.Call) and jit_of(self._module, part.func) is not None for part in walk(node))

    def takes_from_host(self, node: ast.AST) -> bool:
        """Whether `node` makes an array of what may be a list, an image or a record of Python: that stays outside."""
        calls = (part for part in walk(node) if isinstance(part, ast.Call) and part.args)
        made = (call.args[0] for call in calls if self._module.qualname(call.func) in CONVERTERS)
        return not all(map(self._is_no_list_of_host, made))

    def _is_no_list_of_host(self, value: ast.expr) -> bool:
        """Whether it is an array, a constant, or a display of these."""
        if isinstance(value, ast.List | ast.Tuple):
            return all(map(self._is_no_list_of_host, value.elts))
        return isinstance(value, ast.Constant) or self.is_array(value)

    def changes_tree(self, call: ast.Call) -> bool:
        """Whether `call` is a gradient, an update, or maps the leaves of a tree."""
        return self.derives(call) or self.updates(call) or self.maps_tree(call)

    def derives(self, call: ast.Call) -> bool:
        """Whether `call` is of a gradient that is made there: `jax.grad(loss)(params)`."""
        return isinstance(call.func, ast.Call) and makes_gradient(self._module, call.func)

    def updates(self, call: ast.Call) -> bool:
        """Whether `call` is of the method by which an optimizer or a training state updates."""
        is_method = isinstance(call.func, ast.Attribute) and call.func.attr in _FUNCTIONAL
        return is_method and self._module.qualname(call.func) is None

    def maps_tree(self, call: ast.Call) -> bool:
        """Whether `call` maps the leaves of a tree."""
        return self._module.qualname(call.func) in _MAPS

    def _is_model(self, func: ast.expr) -> bool:
        return super()._is_model(func) and library_of(self._module, self._values, func) is not None

    def _applies(self, func: ast.expr) -> bool:
        return bool(applied(self._module, func))

    def is_array(self, expr: ast.expr) -> bool:
        """Whether `expr` is surely a JAX array, or a tree of them."""
        return bool(self._found((expr, True)))

    def is_indexed_array(self, expr: ast.expr) -> bool:
        """Whether an element of `expr` is surely cut out of an array."""
        if self._values.of(expr).is_array:
            return True
        held = self._held(expr) if isinstance(expr, ast.Attribute) else ()
        return bool(held) and all(map(self._is_one_array, held))

    def is_taken_apart(self, expr: ast.expr) -> bool:
        """Whether `expr`, unpacked, is an array: something makes it one, and the rest is not in this file."""
        held = self._held(expr) if isinstance(expr, ast.Attribute) else []
        ones = [each for each in held if self._is_one_array(each)]
        others = [each for each in held if each not in ones]
        are_unread = all(isinstance(each, ast.Call) and self._module.qualname(each.func) is None for each in others)
        return self.is_indexed_array(expr) or (bool(ones) and are_unread and not any(map(self._is_of_host, others)))

    def _is_one_array(self, source: ast.AST) -> bool:
        """Whether it is a call that makes an array, or another one with some elements replaced, and no tree."""
        match source:
            case ast.Call(func=ast.Attribute(value=ast.Subscript(value=ast.Attribute(attr="at")), attr=attr)):
                return attr in _UPDATING
            case ast.Call(func=func):
                qualname = self._module.qualname(func) or ""
                return qualname.rpartition(".")[0] in _NUMPY or qualname in _ONE
        return False

    def is_gathered(self, element: ast.Subscript) -> bool:
        """Whether it is elements of an array by an array of their positions."""
        index = element.slice
        return index.__class__ is ast.Name and self.is_array(index) and self.is_array(element.value)

    def is_jitted(self, call: ast.Call) -> bool:
        """Whether `call` is of a jitted function."""
        if jit_of(self._module, call.func) is not None:
            return True
        function = likely_callee(self._module, call)
        if function is None or isinstance(function, ast.Lambda):
            return False
        if not function.decorator_list:
            return False
        is_traced = self._module.get(Staging).is_only_traced
        return jitted_by_decorator(self._module, function) is not None or is_traced(function.body[0])

    def of_function(self, function: Function) -> int:
        return self._found((function, False))

    def _transfer(self, question: tuple[ast.AST, bool]) -> int:
        """What a function starts; of an expression, 1 if it is an array."""
        node, as_array = question
        if as_array:
            return int(isinstance(node, ast.expr) and self._is_made_on_device(node))
        return self._of_body(node)

    # --- what is an array -------------------------------------------------------------------------------------

    def _is_made_on_device(self, expr: ast.expr) -> bool:
        match expr:
            case ast.Attribute(value=updated, attr="at") if self.is_array(updated):
                return True
            case ast.Name() | ast.Attribute():
                return not _is_static(expr) and self._may_only_be_array(expr)
            case ast.Call(func=func):
                qualname = self._module.qualname(func) or ""
                if qualname.rpartition(".")[0] in _OPERATING or qualname in CONVERTERS & _OPERATING:
                    return True
                if jit_of(self._module, func) is not None or self._is_mapped(func):
                    return True
                if self._call(expr) > 0 and self._returns_its_own(expr):
                    return True
                if isinstance(func, ast.Attribute) and func.attr in _SHAPING and self.is_array(func.value):
                    return True
            case ast.BinOp(left=left, right=right):
                return self.is_array(left) or self.is_array(right)
            case ast.UnaryOp(operand=operand):
                return self.is_array(operand)
            case ast.Subscript(value=value):
                return self.is_array(value)
        return self._values.of(expr).is_array

    def _returns_its_own(self, call: ast.Call) -> bool:
        """Whether no decorator may make another thing of what a function of this file returns."""
        function = likely_callee(self._module, call)
        return function is None or keeps_results(self._module, function)

    def _is_mapped(self, func: ast.expr) -> bool:
        """Whether it is a variable for a function that `jax.vmap`, or the like, has made: its results are arrays."""
        made = self._module.only_value(func) if isinstance(func, ast.Name) else None
        return isinstance(made, ast.Call) and self._module.qualname(made.func) in _BATCHING

    def _may_only_be_array(self, expr: ast.Name | ast.Attribute) -> bool:
        """Whether something that `expr` may stand for is an array, and nothing is a value of Python or NumPy."""
        sources = [source for source in self._values.origins.of(expr) if source is not expr]
        sources += self._held(expr)
        if any(map(self._is_of_host, sources)):
            return False
        made = (isinstance(source, ast.expr) and self.is_array(source) for source in sources)
        return any(made) or self._is_unpacked(expr)

    def _held(self, expr: ast.Name | ast.Attribute) -> list[ast.AST]:
        """What an attribute of an object of a class of this file is bound to, wherever that is."""
        return held_by(self._module, self._values, expr) if isinstance(expr, ast.Attribute) else []

    def _is_of_host(self, source: ast.AST) -> bool:
        is_range = isinstance(source, ast.Call) and isinstance(source.func, ast.Name) and source.func.id == "range"
        return is_range or self._values.of(source).form in (Form.PYTHON, Form.NUMPY)

    def _is_unpacked(self, expr: ast.expr) -> bool:
        """Whether a name is bound by unpacking an array, or what a jitted function, a gradient or an update returns."""
        if not isinstance(expr, ast.Name):
            return False
        for binding in self._module.bindings(expr.id, self._module.scope_of(expr.id, expr)):
            match self._module.statement(binding.node) if isinstance(binding.node, ast.Name) else None:
                case ast.Assign(value=ast.Call() as call) as made if binding.node in walk(made.targets[0]):
                    if self.is_array(call):
                        return True
                case ast.Assign(targets=[ast.Tuple()], value=ast.Name() | ast.Attribute() as whole):
                    if self.is_array(whole):
                        return True
        return False


class Derived(Device):
    """The same, but a gradient counts as its function, where this file has that: for what does not run each time."""

    def _derived(self, gradient: ast.Call) -> int:
        function = self._module.definition(gradient.args[0]) if gradient.args else None
        started = self.of_function(function) if function is not None else 0
        return max(2 * OF_A_TREE, _OF_A_GRADIENT * started)


def _reads_values(node: ast.AST, names: Collection[str]) -> bool:
    """Whether `node` reads one of the variables for more than its shape, or the like."""
    if isinstance(node, ast.Attribute) and node.attr in _STATIC:
        return False
    is_read = isinstance(node, ast.Name) and node.id in names
    return is_read or any(_reads_values(each, names) for each in children(node))


def _has_slices(element: ast.Subscript) -> bool:
    """Whether it is cut along several axes, as an array alone can be: `x[i : i + 3, j]`."""
    return isinstance(element.slice, ast.Tuple) and any(isinstance(each, ast.Slice) for each in element.slice.elts)


def _is_given_weights(call: ast.Call) -> bool:
    """Whether a model is applied to data with weights, and not a function to rows of a table: `df.apply(f, axis=1)`."""
    return len(call.args) > 1 or (bool(call.keywords) and [type(each) for each in call.args] == [ast.Dict])


def _is_static(expr: ast.expr) -> bool:
    return isinstance(expr, ast.Attribute) and expr.attr in _STATIC
