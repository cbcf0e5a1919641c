"""Whether an argument can be given up: what nobody needs any more once a function was called with it."""

import ast
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from jaxfix.effects.held import held_in, is_object_or_shape, may_be_of_another_file, receiver
from jaxfix.effects.new_arrays import is_arithmetic, makes_new
from jaxfix.effects.remembering import remembers
from jaxfix.library.facets import Effect, Package, Result
from jaxfix.library.table import short_names, where
from jaxfix.report.reason import Code, Declined, Reason
from jaxfix.semantic.calls import returned_anywhere
from jaxfix.semantic.classes import family, is_of_others, own_class
from jaxfix.semantic.module import Module
from jaxfix.semantic.project.query import REMEMBERS
from jaxfix.staging.scripts import is_script
from jaxfix.staging.visibility import is_private
from jaxfix.syntax.alike import is_alike
from jaxfix.syntax.nodes import walk
from jaxfix.syntax.signatures import argument_values

LOOPS = (ast.For, ast.While)
Place = Callable[[ast.AST], str]
"""How a line is named: `line 12`, or `train.py:12` for the readers of another file."""


def why_live_after(
    module: Module, calls: Sequence[ast.Call], call: ast.Call, passed: ast.expr, place: Place | None = None
) -> Reason | None:
    """Why what `call` passes may be needed when it has run.

    Args:
      calls: those of the function in this file, `call` among them: what they pass is judged alike.

    Returns:
      None where its place is given up.
    """
    try:
        _Reader(module, calls, place or _line_number).check(call, passed)
    except Declined as declined:
        return declined.reason
    return None


def binds_again(module: Module, call: ast.Call, value: ast.expr) -> bool:
    """Whether the statement of `call` binds the very variable or attribute again that it passes."""
    if not isinstance(value, ast.Name | ast.Attribute):
        return False
    return any(is_alike(target, value) for target in _targets(module, call))


def is_in_loop(module: Module, call: ast.Call) -> bool:
    """Whether a statement runs `call` repeatedly within its function."""
    return any(isinstance(loop, LOOPS) for loop in module.loops(call))


def _line_number(node: ast.AST) -> str:
    return f"line {getattr(node, 'lineno', 1)}"


def _targets(module: Module, call: ast.Call) -> tuple[ast.expr, ...]:
    """What the statement of `call` binds to its results, if it does nothing else."""
    match module.parent(call):
        case ast.Assign(targets=[ast.Tuple(elts=elts) | ast.List(elts=elts)]):
            return tuple(elts)
        case ast.Assign(targets=[target]):
            return (target,)
    return ()


def _within(module: Module, node: ast.AST) -> Iterator[ast.AST]:
    for outer in module.ancestors(node):
        if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            return
        yield outer


def _loads(module: Module, name: str, scope: ast.AST | None) -> Iterator[ast.Name]:
    for node in module.uses(name, scope):
        if not isinstance(node.ctx, ast.Store):
            yield node


class _Reader:
    """Reads what the function around a call does with a variable; raises `Declined` where something keeps it."""

    def __init__(self, module: Module, calls: Sequence[ast.Call], place: Place) -> None:
        self._module, self._every, self._place = module, calls, place
        self._calls: list[ast.Call] = []
        self._state: set[str] = set()

    def check(self, call: ast.Call, passed: ast.expr) -> None:
        if isinstance(passed, ast.Call) or (isinstance(passed, ast.BinOp) and is_arithmetic(passed)):
            return  # nobody else has it
        owner = own_class(self._module, passed.value) if isinstance(passed, ast.Attribute) else None
        if owner is not None and isinstance(passed, ast.Attribute) and binds_again(self._module, call, passed):
            self._attribute(call, passed, family(self._module, owner))
            return
        if not isinstance(passed, ast.Name):
            text = self._module.text(passed)
            raise Declined(
                Reason(Code.LIVE, f"`{text}` in {self._place(call)} is part of an object, which others may read")
            )
        if not binds_again(self._module, call, passed):
            raise Declined(Reason(Code.LIVE, f"{self._place(call)} passes `{passed.id}` and uses it afterwards"))
        self._variable(call, passed)

    def _variable(self, call: ast.Call, passed: ast.Name) -> None:
        name = passed.id
        scope = self._module.scope_of(name, passed)
        around = self._module.function(call) or self._module.tree
        if scope is self._module.tree and self._module.source.notebook is not None:
            raise Declined(Reason(Code.CELL_RERUN, f"a cell that is run again may read `{name}` after it is deleted"))
        if scope is not around:
            raise Declined(Reason(Code.LIVE, f"`{name}` belongs to code around the loop ({self._place(call)})"))
        if any(isinstance(outer, ast.Try) for outer in _within(self._module, call)):
            raise Declined(Reason(Code.LIVE, f"after an exception in {self._place(call)} `{name}` may be deleted"))
        self._calls = [c for c in self._every if (self._module.function(c) or self._module.tree) is around]
        targets = (target for c in self._calls for target in _targets(self._module, c))
        self._state = {target.id for target in targets if isinstance(target, ast.Name)}
        for binding in self._module.bindings(name, scope):
            self._first(binding.node, name)
        handed = {argument for c in self._calls for argument in _arguments(c)}
        for load in _loads(self._module, name, scope):
            if load is not passed and load not in handed:
                self._load(load)
            elif load is not passed and load in _arguments(call):
                raise Declined(Reason(Code.LIVE, f"`{name}` is passed twice in {self._place(call)}"))

    def _attribute(self, call: ast.Call, passed: ast.Attribute, classes: tuple[ast.ClassDef, ...]) -> None:
        text = self._module.text(passed)
        if not is_private(passed.attr) and not is_script(self._module):
            raise Declined(Reason(Code.LIVE, f"other files may hold `{text}` ({self._place(call)})"))
        self._calls = [*self._every]
        handed = [argument for each in self._calls for argument in _arguments(each)]
        if sum(self._module.text(argument) == text for argument in _arguments(call)) > 1:
            raise Declined(Reason(Code.LIVE, f"`{text}` is passed twice in {self._place(call)}"))
        for node in self._module.attributes(passed.attr):
            if is_of_others(self._module, node, classes):
                continue
            if isinstance(node.ctx, ast.Load):
                if node not in handed:
                    self._load_of_attribute(node)
            elif self._module.statement(node) not in [self._module.statement(each) for each in self._calls]:
                self._stored(node, text)

    def _load_of_attribute(self, load: ast.Attribute) -> None:
        if self._is_only_read(load):
            return
        statement = self._module.text(self._module.statement(load)).split("\n")[0]
        text = self._module.text(load)
        raise Declined(Reason(Code.LIVE, f"`{text}` may still be needed after `{statement}` in {self._place(load)}"))

    def _stored(self, node: ast.Attribute, text: str) -> None:
        match self._module.parent(node):
            case ast.Assign(targets=[only], value=value) if only is node:
                self._fresh(value, text)
            case _:
                where = self._place(node)
                raise Declined(
                    Reason(Code.UNREAD, f"`{text}` is bound in a way that hides what else holds it ({where})")
                )

    # --- where it comes from ----------------------------------------------------------------------------------

    def _first(self, node: ast.AST, name: str) -> None:
        """What binds the variable must give it something that nobody else has."""
        if isinstance(node, ast.arg):
            raise Declined(
                Reason(Code.LIVE, f"`{name}` comes from the caller, which may use it again ({self._place(node)})")
            )
        value = _bound_to(self._module, node) if isinstance(node, ast.Name) else None
        if isinstance(self._module.parent(node), ast.AugAssign) or value in self._calls:
            return
        if value is None:
            raise Declined(
                Reason(Code.UNREAD, f"`{name}` is bound in a way that hides what else holds it ({self._place(node)})")
            )
        self._fresh(value, name)

    def _fresh(self, value: ast.expr, name: str) -> None:
        match value:
            case ast.Constant() | ast.Compare() | ast.UnaryOp():
                return
            case ast.BinOp() if is_arithmetic(value):
                return
            case ast.Dict(values=parts) | ast.Tuple(elts=parts) | ast.List(elts=parts):
                self._once(value, name)
                for part in parts:
                    self._fresh(part, name)
            case ast.Call():
                self._made(value, name)
            case _:
                text = _line(self._module, value)
                raise Declined(
                    Reason(Code.LIVE, f"`{name}` starts as `{text}`, which would be deleted ({self._place(value)})")
                )

    def _made(self, call: ast.Call, name: str) -> None:
        """The result of a call must not be, or hold, an argument that is read later."""
        function = self._module.definition(call.func)
        for result in returned_anywhere(self._module, function) if function is not None else ():
            for part in result.elts if isinstance(result, ast.Tuple) else (result,):
                held = _held_in(part)
                if held is not None and self._module.scope_of(held.id, held) is self._module.tree:
                    raise Declined(
                        Reason(Code.LIVE, f"`{name}` starts as the module's `{held.id}`, which would be deleted")
                    )
        self._not_remembered(call, name)
        if not _arguments(call) and self._is_foreign(call.func):
            raise Declined(
                Reason(
                    Code.UNREAD,
                    f"`{_line(self._module, call)}` makes `{name}`, and may return the same object each time",
                )
            )
        if makes_new(self._module, call) or (isinstance(call.func, ast.Attribute) and call.func.attr == "init"):
            return
        self._once(call, name)
        named = (k.value for k in call.keywords if k.arg not in KEY_PARAMETERS)
        for given in (n for a in (*call.args, *receiver(self._module, call), *named) for n in held_in(self._module, a)):
            if given.id != name and (given.id in self._state or self._is_needed(given, call)):
                made_by = _line(self._module, call)
                raise Declined(
                    Reason(Code.LIVE, f"`{name}` may hold `{given.id}`, which is given to `{made_by}` and read later")
                )

    def _not_remembered(self, call: ast.Call, name: str) -> None:
        """The function that makes it, here or in another file, must not give the same at the next call."""
        module = self._module
        function, qualname = module.definition(call.func), module.qualname(call.func)
        if function is not None:
            is_kept = remembers(module, function)
        else:
            is_kept = qualname is not None and module.surroundings.project.ask(REMEMBERS, qualname)
        if is_kept:
            made_by = f"`{name}` is made by `{_line(module, call.func)}`"
            raise Declined(
                Reason(Code.LIVE, f"{made_by}, which may return the same object again ({self._place(call)})")
            )

    def _once(self, made: ast.expr, name: str) -> None:
        """A buffer that is in a state twice cannot be donated."""
        counted = Counter(given.id for given in held_in(self._module, made))
        for given, times in counted.items():
            if times > 1:
                raise Declined(Reason(Code.LIVE, f"`{name}` holds `{given}` twice ({self._place(made)})"))

    def _is_foreign(self, func: ast.expr) -> bool:
        """Whether it is a function of another file, and no class."""
        package, _, rest = (self._module.qualname(func) or "").partition(".")
        return bool(rest) and package not in _KNOWN and rest.rpartition(".")[2][:1].islower()

    def _is_needed(self, given: ast.Name, maker: ast.Call) -> bool:
        """Whether `given`, of which `maker` makes the first state, is data that can be read when a call has run."""
        scope = self._module.scope_of(given.id, given)
        if scope is None:
            return False
        if self._module.qualname(given) is not None:
            return may_be_of_another_file(self._module, given)
        inside = set(walk(maker))
        others = [load for load in _loads(self._module, given.id, scope) if load not in inside]
        if others and all(is_object_or_shape(self._module, load) for load in others):
            return False
        for binding in self._module.bindings(given.id, scope):
            if isinstance(binding.node, ast.arg):
                return True
            value = _bound_to(self._module, binding.node) if isinstance(binding.node, ast.Name) else None
            made_by = self._module.qualname(value.func) if isinstance(value, ast.Call) else None
            if not isinstance(value, ast.Constant) and not (made_by or "").startswith("jax.random."):
                first = min(call.lineno for call in self._calls)
                if scope is self._module.tree and self._module.function(maker) is not None:
                    return isinstance(binding.node, ast.Name)  # the next call finds what this one gave away
                if all(self._module.function(call) is not scope for call in self._calls):
                    return bool(others)
                return any(load.lineno > first or self._module.loops(load) for load in others)
        return False

    # --- where it goes ----------------------------------------------------------------------------------------

    def _load(self, load: ast.Name) -> None:
        name = load.id
        if isinstance(load.ctx, ast.Del):
            return
        if self._module.function(load) is not self._module.function(self._calls[0]):
            raise Declined(
                Reason(
                    Code.LIVE, f"a function reads `{name}` in {self._place(load)}, and may do so after it is deleted"
                )
            )
        if self._comes_last(load) or self._is_only_read(load):
            return
        statement = " ".join(self._module.text(self._module.statement(load)).split("\n")[0].split())
        raise Declined(Reason(Code.LIVE, f"`{name}` may still be needed after `{statement}` in {self._place(load)}"))

    def _comes_last(self, load: ast.Name) -> bool:
        """Whether no call can follow on `load`."""
        loops = {loop for loop in _within(self._module, load) if isinstance(loop, LOOPS)}
        around = (loop for call in self._calls for loop in _within(self._module, call) if isinstance(loop, LOOPS))
        return not any(loop in loops for loop in around) and all(c.lineno < load.lineno for c in self._calls)

    def _is_only_read(self, node: ast.expr) -> bool:
        """Whether what becomes of `node` holds nothing of it."""
        parent = self._module.parent(node)
        if self._is_shown(node):
            return True
        match parent:
            case ast.Attribute(attr="shape" | "dtype" | "ndim" | "size"):
                return True
            case ast.BinOp():
                return is_arithmetic(parent)
            case ast.Compare() | ast.FormattedValue() | ast.UnaryOp() | ast.If() | ast.While() | ast.Assert():
                return True
            case ast.Subscript() | ast.Attribute():
                return self._is_only_read(parent)
            case ast.keyword():
                call = self._module.parent(parent)
                return isinstance(call, ast.Call) and self._call_only_reads(call)
            case ast.Call(func=func) if func is not node:
                return self._call_only_reads(parent)
            case ast.Call(func=ast.Attribute(attr=method)):
                return method in _READING_METHODS or isinstance(self._module.parent(parent), ast.Expr)
        return False

    def _is_shown(self, node: ast.expr) -> bool:
        """Whether `node` is read within a text, by builtins and functions of JAX alone: no array remains."""
        for outer in self._module.ancestors(node):
            match outer:
                case ast.FormattedValue():
                    return True
                case ast.Call(func=ast.Name(id=name) as func) if self._module.scope_of(name, func) is None:
                    if name not in _PURE:
                        return False
                case ast.Call(func=called):
                    if not (self._module.qualname(called) or "").startswith("jax."):
                        return False
                case ast.stmt() | ast.Lambda():
                    return False
        return False

    def _call_only_reads(self, call: ast.Call) -> bool:
        is_builtin = isinstance(call.func, ast.Name) and self._module.scope_of(call.func.id, call) is None
        if is_builtin and isinstance(call.func, ast.Name) and call.func.id in _READERS:
            return True
        if makes_new(self._module, call):
            return True
        qualname = self._module.qualname(call.func) or ""
        if qualname in _WRITERS:
            return True
        if qualname == "jax.block_until_ready" and isinstance(self._module.parent(call), ast.Expr):
            return True
        # A state that is made of it, as an optimizer's, and donated beside it: two of one buffer raise at once.
        match call.func, self._module.parent(call):
            case ast.Attribute(attr="init"), ast.Assign(targets=[ast.Name(id=target)]) if target in self._state:
                return not is_in_loop(self._module, call)
        return False


def _held_in(node: ast.expr) -> ast.Name | None:
    """The variable that a result is, or is an entry of."""
    while isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        node = node.value
    return node if isinstance(node, ast.Name) else None


def _arguments(call: ast.Call) -> list[ast.expr]:
    return argument_values(call)


def _bound_to(module: Module, node: ast.Name) -> ast.expr | None:
    """What `node` is bound to, or the whole that it is a part of."""
    value = module.value_of(node)
    parent = module.parent(node)
    assign = module.parent(parent) if isinstance(parent, ast.Tuple | ast.List) else None
    if value is not None or not isinstance(parent, ast.Tuple | ast.List) or not isinstance(assign, ast.Assign):
        return value
    whole = assign.value
    is_alike = isinstance(whole, ast.Tuple) and len(whole.elts) == len(parent.elts)
    return whole.elts[parent.elts.index(node)] if is_alike and isinstance(whole, ast.Tuple) else whole


_KNOWN = where(Package.ARRAYS)
KEY_PARAMETERS = frozenset({"key", "keys", "rng", "rngs", "seed"})
"""Keywords that pass random keys, which nothing keeps."""
_READERS = short_names(Result.NO_PART, "builtins")
_WRITERS = where(Result.NO_PART) - _READERS
_PURE = short_names(Effect.PURE, "builtins")
_READING_METHODS = short_names(Result.FRESH, "jax.Array")


def _line(module: Module, node: ast.AST) -> str:
    return " ".join(module.text(node).split())
