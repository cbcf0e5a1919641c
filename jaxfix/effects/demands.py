"""What code asks of the values that it is given, and the variables whose values a trace would have to know."""

import ast
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from jaxfix.dataflow.induction import is_counter
from jaxfix.dataflow.solver import EXISTS, Solver
from jaxfix.library.facets import Effect, Member, Result
from jaxfix.library.table import short_names
from jaxfix.report.reason import Code, Reason
from jaxfix.semantic.calls import returned
from jaxfix.semantic.module import Module
from jaxfix.semantic.mutations import is_own_object
from jaxfix.syntax.nodes import FUNCTIONS, Function, children

_STATIC = short_names(Member.ABSTRACT)
_STATIC_RESULTS = short_names(Result.STATIC)
_PURE_BUILTINS = short_names(Effect.PURE, "builtins")
_WHOLE = short_names(Result.WHOLE, "builtins")
_DATA = (ast.ListComp, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Constant)


@dataclass(slots=True)
class Demands:
    """What code requires of the values that it reads, as far as the text shows it.

    Attributes:
      reason: why it cannot run under a trace at all, or would then do another thing; None if nothing is known.
      values: what must be known when it is traced, each with what is done with it.
      called: what is called, or passed to a transformation as its function.
      methods: what a method is called of.
      attributes: of `values`, those of the object of a method, by name; of the methods that it calls too.
      parts: of `values`, what is read of each, by its text: `size`, `options.size`.
    """

    reason: Reason | None = None
    values: dict[str, str] = field(default_factory=dict)
    called: dict[str, ast.expr] = field(default_factory=dict)
    methods: dict[str, str] = field(default_factory=dict)
    attributes: dict[str, str] = field(default_factory=dict)
    parts: dict[str, str] = field(default_factory=dict)


class RequiredValues:
    """Notes of which variables a trace of `outermost` must know the value.

    Attributes:
      around: the scope of the statements that are read, if no function is.
      inside: these statements: what they alone bind, they know as far as what it is bound to.
    """

    def __init__(self, module: Module, outermost: ast.AST) -> None:
        self._module, self._outermost = module, outermost
        self.around: ast.AST | None = None
        self.inside: Collection[ast.AST] = ()

    def of(self, expr: ast.AST, what: str, found: Demands) -> None:
        """Notes that the value of `expr` must be known under the trace."""
        followed: dict[ast.AST, None] = {}
        pending = [expr]
        while pending:
            part = pending.pop()
            if part not in followed:
                followed[part] = None
                pending += reversed(list(self._parts(part, what, found)))

    def _parts(self, expr: ast.AST, what: str, found: Demands) -> Iterable[ast.AST]:
        """The parts of `expr`, or what a variable is bound to, whose values must be known too."""
        match expr:
            case ast.Attribute(value=owner, attr=attr) if attr in _STATIC and not self._is_own(owner):
                return ()
            case ast.Call(func=ast.Name(id="len" | "isinstance" | "callable" | "hasattr")):
                return ()
            case ast.Call(func=func) if (self._module.qualname(func) or "").rpartition(".")[2] in _STATIC_RESULTS:
                return ()
            case ast.Compare(ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(value=None)]):
                return ()
            case ast.Call(func=ast.Attribute(value=ast.Name() as owner, attr=attr)) if hasattr(str, attr) and _is_key(
                self._module, owner
            ):
                return (*expr.args, *expr.keywords)
            case ast.Call() if not isinstance(expr.func, ast.Name) or expr.func.id not in _PURE_BUILTINS:
                if self._module.qualname(expr.func) is None or not self._is_known_call(expr):
                    found.reason = found.reason or Reason(Code.NEEDS_VALUE, f"it {what}")
                    return ()
            case ast.Name(id=name):
                return self._name(expr, name, what, found)
        return children(expr)

    def _is_own(self, owner: ast.expr) -> bool:
        """Whether `owner` is the object of a method: its `size` is an attribute of its own, not that of an array."""
        return isinstance(owner, ast.Name) and is_own_object(self._module, owner)

    def _name(self, expr: ast.Name, name: str, what: str, found: Demands) -> Iterable[ast.AST]:
        owner = self._module.scope_of(name, expr)
        read = self._module.parent(expr)
        if isinstance(read, ast.Attribute) and is_own_object(self._module, expr):
            found.attributes.setdefault(read.attr, what)
        if owner is not None and owner is self.around and not self._is_in_global_function(expr):
            made = self._made_inside(name, owner)
            if made:
                return made
            if not all(isinstance(b.node, ast.Import | ast.ImportFrom) for b in self._module.bindings(name, owner)):
                found.values.setdefault(name, what)
                found.parts.setdefault(self._read_of(expr), what)
            return ()
        if owner is None or owner is self._module.tree:
            return ()  # a builtin, or what `why_unstable` judges
        is_outer = owner is not self._outermost and owner in self._module.functions_around(self._outermost)
        if not isinstance(owner, FUNCTIONS) or is_outer:
            return ()  # of a function around what is traced, it is known
        values = []
        for binding in self._module.bindings(name, owner):
            match binding.node:
                case ast.arg():
                    if self._module.function(expr) is owner:
                        found.values.setdefault(name, what)
                    else:
                        found.reason = found.reason or Reason(Code.NEEDS_VALUE, f"it {what}")
                case ast.Name() as target if (value := self._bound(target)) is not None:
                    values.append(value)
                case ast.Name() as target if _is_known(self._module, target):
                    continue
                case ast.Name() as target if (iterated := _iterated(self._module, target)) is not None:
                    values.append(iterated)
                case ast.Name():
                    found.reason = found.reason or Reason(Code.NEEDS_VALUE, f"it {what}")
        return values

    def _read_of(self, name: ast.Name) -> str:
        """The variable, or the attribute that is read of it, by its text: `options.size`."""
        text, part = name.id, self._module.parent(name)
        while type(part) is ast.Attribute:
            text, part = f"{text}.{part.attr}", self._module.parent(part)
        return text

    def _made_inside(self, name: str, owner: ast.AST) -> list[ast.expr]:
        """What a variable is bound to, if the statements alone bind it."""
        module, made = self._module, list[ast.expr]()
        for binding in module.bindings(name, owner) if self.inside else ():
            node = binding.node
            value = self._bound(node) if isinstance(node, ast.Name) and module.statement(node) in self.inside else None
            if value is None:
                return []
            made.append(value)
        return made

    def _is_in_global_function(self, expr: ast.AST) -> bool:
        """Whether it is in a function of the module, which statements of the module call: none of these."""
        around = self._module.functions_around(expr)
        return self.around is self._module.tree and bool(around) and self._module.parent(around[-1]) is self.around

    def _bound(self, target: ast.Name) -> ast.expr | None:
        """What `target` is bound to, or is unpacked of: `rows, columns = x.shape`."""
        value = self._module.value_of(target)
        match self._module.parent(target), self._module.statement(target):
            case ast.Tuple() | ast.List(), ast.Assign(value=whole) if value is None:
                return whole
        return value

    def _is_known_call(self, call: ast.Call) -> bool:
        """Whether a call gives a value that depends on its arguments alone, and is not an array."""
        return (self._module.qualname(call.func) or "").startswith(("math.", "numpy."))


def _is_key(module: Module, name: ast.Name) -> bool:
    """Whether loops alone bind the variable, to keys or numbers."""
    bound = [binding.node for binding in module.bindings(name.id, module.scope_of(name.id, name))]
    return bool(bound) and all(isinstance(node, ast.Name) and _is_known(module, node) for node in bound)


def _is_known(module: Module, target: ast.Name) -> bool:
    """Whether a loop that a trace unrolls binds `target` to the number of the iteration, or to a key."""
    pair = module.parent(target)
    match module.parent(pair) if isinstance(pair, ast.Tuple) else pair:
        case ast.For(iter=ast.Call(func=ast.Attribute(attr="items" | "keys" as attr), args=[])):
            is_key = attr == "keys" or (isinstance(pair, ast.Tuple) and pair.elts[0] is target)
            return is_key and attr not in module.names.defining  # a class of the file may give anything
        case ast.For(iter=ast.Call(keywords=[_, *_])):
            return False
        case ast.For(iter=ast.Call(args=[_, ast.AST() as start])) if not isinstance(start, ast.Constant):
            return isinstance(pair, ast.For) and is_counter(module, target)  # of `enumerate` it may be traced
    return is_counter(module, target)


def _iterated(module: Module, target: ast.Name) -> ast.expr | None:
    """The variable that a loop goes over, or goes over with others, to bind `target` to its elements or their parts."""
    inner: ast.AST = target
    while isinstance(outer := module.parent(inner), ast.Tuple):
        inner, within = outer, inner
        match module.parent(outer):
            case ast.For(iter=ast.Call(func=ast.Name(id="zip") as func, args=args, keywords=[])) if (
                len(args) == len(outer.elts) and module.scope_of(func.id, func) is None
            ):
                found = args[outer.elts.index(within)] if within in outer.elts else None
                return found if isinstance(found, ast.Name) else None
    match outer:
        case ast.For(target=whole, iter=ast.Name() as over) if whole is inner:
            return over
    return None


def maker_of(module: Module, owner: ast.Name, scope: ast.AST) -> str | None:
    """What is called, by its qualified name, to make what a variable holds."""
    for binding in module.bindings(owner.id, scope):
        value = module.value_of(binding.node) if isinstance(binding.node, ast.Name) else None
        if isinstance(value, ast.Call):
            return module.qualname(value.func)
    return None


def is_of_jax(module: Module, expr: ast.expr) -> bool:
    """Whether `expr` is, or calls, something of jax."""
    called = expr.func if isinstance(expr, ast.Call) else expr
    return (module.qualname(called) or "").startswith("jax.")


def is_item(module: Module, item: ast.Subscript) -> bool:
    """Whether it reads an item of a list or a tuple that this file spells out, by an index."""
    made = module.only_value(item.value) if isinstance(item.value, ast.Name) else item.value
    is_read = isinstance(item.ctx, ast.Load) and not isinstance(item.slice, ast.Slice)
    return is_read and isinstance(made, ast.List | ast.Tuple) and bool(made.elts)


def is_length(module: Module, expr: ast.expr) -> bool:
    """Whether `expr` is surely an integer of Python: written as one, or a length."""
    return module.get(_lengths)(expr)


def _lengths(module: Module) -> Solver[ast.expr, bool]:
    return Solver(lambda expr: _is_length(module, expr), EXISTS)


def _is_length(module: Module, expr: ast.expr) -> bool:
    match expr:
        case ast.Constant(value=int()) | ast.Subscript(value=ast.Attribute(attr="shape")) | ast.Attribute(attr="size"):
            return True
        case ast.Call(func=ast.Name(id=name)):
            return name in _WHOLE and module.scope_of(name, expr) is None
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.FloorDiv(), right=right):
            return is_length(module, left) and is_length(module, right)
        case ast.Name() if (value := module.only_value(expr)) is not None:
            return not isinstance(value, ast.Name) and is_length(module, value)
        case ast.Name() if (binding := module.only_binding(expr)) is not None:
            match module.parent(binding.node), module.statement(binding.node):
                case ast.Tuple() as display, ast.Assign(targets=[only], value=ast.Attribute(attr="shape")):
                    return only is display
    return False


def makes_data(value: ast.expr, part: ast.AST, function: Function) -> bool:
    """Whether `part` is what `value` calls, once, and what the function returns is a list, a number or the like."""
    if not isinstance(value, ast.Call) or value.func is not part or not isinstance(function, ast.FunctionDef):
        return False
    results = returned(function)
    return bool(results) and not function.decorator_list and all(isinstance(each, _DATA) for each in results)
