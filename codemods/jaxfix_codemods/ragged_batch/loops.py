"""Loops over the rows of arrays, some at a time: which slices they take, and what is made of them."""

import ast
from collections.abc import Iterator, Sequence

from jaxfix.api import Code, Declined, Function, Module, Reason, frozen, walk
from jaxfix.api.analysis import integer, is_alike
from jaxfix_codemods.looping.minibatches import is_end

_CONVERTING = ("jax.numpy.", "numpy.", "jax.device_put", "jax.tree", "jax.tree_util.")
_ORDERS = frozenset({"permutation", "arange"})
_ABOUT_SIZES = ("shape", "size")
_RESHAPES = ("jax.numpy.reshape", "numpy.reshape")


@frozen
class Batches:
    """A loop over `range(0, rows, size)` that slices arrays by it.

    Attributes:
      counter: the variable that is the first row of a batch.
      range: the call.
      rows: how many there are.
      size: how many a batch has.
      slices: `[counter : counter + size]`, wherever it is.
      derived: the variables that hold a batch, or something of it that has as many rows.
    """

    loop: ast.For
    counter: str
    range: ast.Call
    rows: ast.expr
    size: ast.expr
    slices: tuple[ast.Slice, ...]
    derived: frozenset[str]

    def holds(self, node: ast.AST) -> bool:
        """Whether `node` reads a batch."""
        return any(each in self.slices or _reads(each, self.derived) for each in walk(node))


def batches(module: Module) -> Iterator[Batches]:
    """The loops whose last batch may be shorter than all others."""
    for call in module.spelled_calls(frozenset({"range"})):
        loop = _loop_over(module, call)
        if loop is None or call.keywords or len(call.args) != 3 or not isinstance(loop.target, ast.Name):
            continue
        start, rows, size = call.args
        counter = loop.target.id
        slices = tuple(each for each in module.nodes(ast.Slice) if _is_batch(module, each, loop, counter, rows, size))
        is_plain = slices and not _divides(module, rows, size) and not _sees_to_it(loop)
        if integer(module, start) == 0 and is_plain and not _rebinds(loop, (rows, size, *_sliced(module, slices))):
            bare = Batches(loop, counter, call, rows, size, slices, frozenset())
            found = Batches(loop, counter, call, rows, size, slices, _derived(module, bare))
            if not _fits_whole_alone(module, found):
                yield found


def _sliced(module: Module, slices: tuple[ast.Slice, ...]) -> list[ast.expr]:
    """What the slices are of, where they are along the first axis."""
    found = list[ast.expr]()
    for each in slices:
        parent = module.parent(each)
        around = module.parent(parent) if isinstance(parent, ast.Tuple) and parent.elts[0] is each else parent
        if isinstance(around, ast.Subscript):
            found.append(around.value)
    return found


def _rebinds(loop: ast.For, read: Sequence[ast.expr]) -> bool:
    """Whether the loop gives one of the variables, attributes and entries that are read another value."""
    names = {each.id for expr in read for each in ast.walk(expr) if isinstance(each, ast.Name)}
    stored = [each for each in walk(loop) if isinstance(getattr(each, "ctx", None), ast.Store)]
    if any(isinstance(each, ast.Name) and each.id in names for each in stored):
        return True
    parts = [each for expr in read for each in ast.walk(expr) if isinstance(each, ast.Attribute | ast.Subscript)]
    return any(ast.unparse(each) == ast.unparse(part) for each in stored for part in parts)


def length(module: Module, found: Batches) -> str | None:
    """How many rows the arrays have that are sliced, as an expression; None if the rows of the range are as many.

    Raises:
      Declined: that is not known.
    """
    of = _sliced(module, found.slices)
    if len(of) < len(found.slices) or not all(map(_is_place, of)):
        raise Declined(Reason(Code.UNREAD, "the number of rows is unknown"))
    if any(_has(module, found.rows, each) for each in of):
        return None
    if module.scope_of("min", found.loop) is not None:
        raise Declined(Reason(Code.UNREAD, "the number of rows is unknown: `min` is another function here"))
    return f"len({module.text(of[0])})"


def _is_place(of: ast.expr) -> bool:
    """Whether it is a variable, an attribute, or an entry of one by a constant."""
    match of:
        case ast.Subscript(value=inner, slice=ast.Constant()) | ast.Attribute(value=inner):
            return _is_place(inner)
    return isinstance(of, ast.Name)


def _has(module: Module, rows: ast.expr, of: ast.expr) -> bool:
    """Whether the text says that `of` has as many rows."""
    stands_for = _stands_for(module, rows)
    match stands_for[-1]:
        case (
            ast.Call(func=ast.Name(id="len"), args=[array])
            | ast.Subscript(value=ast.Attribute(value=array, attr="shape"), slice=ast.Constant(value=0))
        ) if is_alike(array, of):
            return True
    return any(_is_in_order(module, each, of) for each in stands_for)


def _stands_for(module: Module, expr: ast.expr) -> list[ast.expr]:
    """The expression, what it is bound to if it is a variable, and so on, each once."""
    found, value = [expr], module.only_value(expr)
    while value is not None and value not in found:
        found.append(value)
        value = module.only_value(value)
    return found


def _is_in_order(module: Module, rows: ast.expr, of: ast.expr) -> bool:
    """Whether `of` is an order of as many numbers."""
    value = module.only_value(of) if isinstance(of, ast.Name) else None
    if not isinstance(value, ast.Call) or ast.unparse(value.func).rpartition(".")[2] not in _ORDERS:
        return False
    return any(is_alike(each, rows) for each in value.args)


def end_of(module: Module, batch: ast.Slice) -> ast.expr | None:
    """What says where a batch ends."""
    return module.only_value(batch.upper) if isinstance(batch.upper, ast.Name) else batch.upper


def read_after(module: Module, found: Batches) -> ast.Name | None:
    """Where the first row of the last batch is read after the loop; None if nowhere."""
    scope = module.scope_of(found.counter, found.loop.target)
    for use in module.uses(found.counter, scope):
        around = (each for each in module.ancestors(use) if isinstance(each, ast.For))
        bound = [each for each in around if isinstance(each.target, ast.Name) and each.target.id == found.counter]
        if isinstance(use.ctx, ast.Load) and not bound:
            return use
    return None


def _loop_over(module: Module, call: ast.Call) -> ast.For | None:
    """The loop over a range, also one wrapped in a progress bar."""
    parent = module.parent(call)
    if isinstance(parent, ast.Call) and parent.args[:1] == [call] and ast.unparse(parent.func).endswith("tqdm"):
        call, parent = parent, module.parent(parent)
    return parent if isinstance(parent, ast.For) and parent.iter is call else None


def _is_batch(module: Module, node: ast.Slice, loop: ast.For, counter: str, rows: ast.expr, size: ast.expr) -> bool:
    is_inside = loop in module.ancestors(node)
    if not is_inside or node.step is not None or not isinstance(node.lower, ast.Name) or node.lower.id != counter:
        return False
    return node.upper is not None and is_end(module, node.upper, loop, counter, rows, size)


def _divides(module: Module, rows: ast.expr, size: ast.expr) -> bool:
    """Whether the text says that the last batch is as long as the others."""
    made = _stands_for(module, rows)[-1]
    match made:
        case ast.BinOp(left=left, op=ast.Mult(), right=right) if is_alike(left, size) or is_alike(right, size):
            return True
    taken = (each.right for each in walk(made) if isinstance(each, ast.BinOp) and _takes(each))
    if any(is_alike(each, size) for part in taken for each in ast.walk(part) if isinstance(each, ast.expr)):
        return True
    whole, step = integer(module, rows), integer(module, size)
    return whole is not None and bool(step) and whole % (step or 1) == 0


def _takes(node: ast.BinOp) -> bool:
    return isinstance(node.op, ast.Sub)


def _sees_to_it(loop: ast.For) -> bool:
    """Whether the loop itself goes on, or ends, for some of its batches."""
    return any(isinstance(each, ast.Continue | ast.Break) for each in walk(loop))


def _fits_whole_alone(module: Module, found: Batches) -> bool:
    """Whether the loop gives a batch a shape that a shorter one cannot have: the text relies on there being none."""
    stored = {each.id for each in walk(found.loop) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
    return any(
        found.holds(of) and bool(sizes) and all(_is_size(each, stored) for each in sizes)
        for call in walk(found.loop)
        if isinstance(call, ast.Call) and not call.keywords
        for of, *sizes in _reshaped(module, call)
    )


def _reshaped(module: Module, call: ast.Call) -> Iterator[list[ast.expr]]:
    """What a call gives another shape, and that shape."""
    if module.qualname(call.func) in _RESHAPES and call.args:
        yield call.args
    elif isinstance(call.func, ast.Attribute) and call.func.attr == "reshape":
        yield [call.func.value, *call.args]


def _is_size(size: ast.expr, stored: set[str]) -> bool:
    """Whether it is a length, or a tuple of some, that is not left open and does not change in the loop."""
    match size:
        case ast.Tuple(elts=sizes) | ast.List(elts=sizes):
            return all(_is_size(each, stored) for each in sizes)
        case ast.Constant(value=int()):
            return True
        case ast.Name(id=name):
            return name not in stored
        case ast.Subscript(value=ast.Attribute(value=of, attr="shape"), slice=ast.Constant()):
            return _is_size(of, stored)
        case ast.Attribute(value=of, attr=name):
            return name not in _ABOUT_SIZES and _is_size(of, stored)
        case ast.BinOp(left=left, op=ast.Mult() | ast.FloorDiv(), right=right):
            return _is_size(left, stored) and _is_size(right, stored)
    return False


def _derived(module: Module, found: Batches) -> frozenset[str]:
    names: frozenset[str] = frozenset()
    for _ in range(2):
        for node in walk(found.loop):
            match node:
                case ast.Assign(targets=[target], value=value) if _keeps_rows(module, value, found.slices, names):
                    bound = (each for each in ast.walk(target) if isinstance(each, ast.Name))
                    names |= frozenset(each.id for each in bound if isinstance(each.ctx, ast.Store))
    return names


def _keeps_rows(module: Module, value: ast.expr, slices: tuple[ast.Slice, ...], names: frozenset[str]) -> bool:
    """Whether an expression has the rows of a batch, according to its text: a conversion, a choice of columns."""
    match value:
        case ast.Name(id=name):
            return name in names
        case ast.Subscript(value=of, slice=index):
            parts = index.elts if isinstance(index, ast.Tuple) else [index]
            is_batch = bool(parts) and (parts[0] in slices or _keeps_rows(module, parts[0], slices, names))
            return is_batch or _keeps_rows(module, of, slices, names)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return any(_keeps_rows(module, part, slices, names) for part in parts)
        case ast.Dict(values=parts):
            return any(_keeps_rows(module, part, slices, names) for part in parts)
        case ast.Lambda(body=body):
            return _keeps_rows(module, body, slices, names)
        case ast.BinOp(left=left, right=right):
            return any(_keeps_rows(module, part, slices, names) for part in (left, right))
        case ast.Call(func=ast.Attribute(value=of, attr="astype" | "reshape" | "copy")):
            return _keeps_rows(module, of, slices, names)
        case ast.Call(func=func, args=args) if (module.qualname(func) or "").startswith(_CONVERTING):
            return any(_keeps_rows(module, arg, slices, names) for arg in args)
    return False


def _reads(node: ast.AST, names: frozenset[str]) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names


def sizes_used(module: Module, found: Batches) -> ast.AST | None:
    """Where the loop asks how many rows a batch has, or which is its last; None if nowhere."""
    ends = {each.upper for each in found.slices}
    for node in walk(found.loop):
        match node:
            case ast.Call(func=ast.Name(id="len"), args=[of]) if found.holds(of):
                return node
            case ast.Attribute(value=of, attr=name) if name in _ABOUT_SIZES and found.holds(of):
                return node
            case ast.Name(id=name, ctx=ast.Load()) if name == found.counter and not _is_of_a_slice(module, node, ends):
                return node
    return None


def _is_of_a_slice(module: Module, node: ast.Name, ends: set[ast.expr | None]) -> bool:
    """Whether a read of the counter is a bound of a batch, or makes a variable that is one."""
    if any(isinstance(each, ast.Slice) for each in module.ancestors(node)):
        return True
    statement = module.statement(node)
    bound = statement.targets[0] if isinstance(statement, ast.Assign) else None
    named = {each.id for each in ends if isinstance(each, ast.Name)}
    return isinstance(bound, ast.Name) and bound.id in named


def counted_elsewhere(module: Module, found: Batches) -> ast.BinOp | None:
    """Where the same function divides the rows by the size of a batch, and so counts the batches; None if nowhere."""
    function: Function | None = module.function(found.loop)
    for node in module.nodes(ast.BinOp):
        is_division = isinstance(node.op, ast.Div | ast.FloorDiv) and module.function(node) is function
        if is_division and found.loop not in module.ancestors(node):
            over = any(is_alike(each, found.size) for each in ast.walk(node.right) if isinstance(each, ast.expr))
            of = any(is_alike(each, found.rows) for each in ast.walk(node.left) if isinstance(each, ast.expr))
            if over and of:
                return node
    return None
