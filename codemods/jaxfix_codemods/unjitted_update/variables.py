"""What statements read and bind: variables, and attributes of what variables stand for, such as `self.params`."""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from jaxfix.api import Function, Module, walk
from jaxfix.api.analysis import family, methods, own_class, reads_of, stores_of
from jaxfix.api.library import Dtype, Effect, Member, Package, Result, Transform, short_names, unfiltered, where
from jaxfix_codemods.unjitted_update.device import Device
from jaxfix_codemods.unjitted_update.keyed import entry_text, is_entry

_TRANSFORMING = unfiltered(where(Transform.ONLY_VALUES)) | short_names(Transform.SAME_RESULT, "jax")
_NUMPY = tuple(f"{name}." for name in where(Package.NUMPY))
_MUTATORS = short_names(Effect.MUTATES)
_OF_DATA = short_names(Member.USUAL) | short_names(Member.TREE)
_OF_ARRAYS = short_names(Result.FRESH, "jax.Array") | short_names(Dtype.KEPT, "jax.Array")
_READERS = short_names(Effect.READS, "builtins") | short_names(Effect.PURE, "builtins") | {"print"}


@dataclass(slots=True)
class Touched:
    """What statements read and bind, by name: `params`, `self.params`; `self.*` for any attribute of an object."""

    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)

    def allows(self, other: "Touched") -> bool:
        """Whether it makes no difference which of the two comes first."""
        own = self.reads | self.writes
        return not _meet(self.writes, other.reads | other.writes) and not _meet(other.writes, own)


def touched(module: Module, statement: ast.stmt) -> Touched:
    """What `statement` may read and bind, parts of mutable objects for the whole."""
    found = computed(module, [statement])
    for node in walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            changed = _changed_part(module, node)
            if _may_be_changed(module, node):
                changed = {text for name in _aliases(module, node) for text in (name, f"{name}.*")}
            found.writes |= changed
    return found


def _aliases(module: Module, name: ast.Name) -> set[str]:
    """The variables and attributes that may hold the same object, or a part of it, as `best = params` makes them."""
    around, pairs = module.parent(name), module.get(_pairs).get(module.function(name), [])
    if isinstance(around, ast.Attribute) and isinstance(module.parent(around), ast.Subscript):
        found = {name.id, dotted(around)}
    else:
        found = {name.id, *(each for pair in pairs for each in pair if each.startswith(f"{name.id}."))}
    for _ in pairs:  # each may add one
        new = {each for pair in pairs for each in pair if not found.isdisjoint(pair)} - found
        if not new:
            break
        found |= new
    return found


def _pairs(module: Module) -> dict[Function | None, list[tuple[str, str]]]:
    """By function, the variables and attributes that are bound to another one, or to an item of it."""
    found: dict[Function | None, list[tuple[str, str]]] = {}
    for statement in module.nodes(ast.Assign):
        for target, value in _bound(statement):
            texts = _text_of_object(module, target), _text_of_object(module, value)
            if texts[0] is not None and texts[1] is not None and not module.get(Device).is_array(value):
                found.setdefault(module.function(statement), []).append((texts[0], texts[1]))
    return found


def _bound(statement: ast.Assign) -> Iterator[tuple[ast.expr, ast.expr]]:
    for target in statement.targets:
        match target, statement.value:
            case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
                yield from zip(targets, values, strict=True)
            case _:
                yield target, statement.value


def _text_of_object(module: Module, expr: ast.expr) -> str | None:
    """The variable or attribute that `expr` is, or is an item of."""
    while isinstance(expr, ast.Subscript):
        expr = expr.value
    match expr:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name()) if module.qualname(expr) is None:
            return dotted(expr)
    return None


def computed(module: Module, statements: Iterable[ast.stmt | ast.expr]) -> Touched:
    """What statements read and bind that compute and do nothing else."""
    found = Touched()
    for statement in statements:
        for node in walk(statement):
            _note(module, node, found)
    return found


def own_reads(module: Module, node: ast.AST) -> Iterator[ast.Attribute]:
    """The attributes `name.attr` that `node` reads or binds of what a variable stands for, not of modules."""
    for part in walk(node):
        match part:
            case ast.Attribute(value=ast.Name()) if module.qualname(part) is None:
                yield part


def is_called(module: Module, attribute: ast.Attribute) -> bool:
    """Whether an attribute, or a method of it or its items, is called or transformed; those of arrays only compute."""
    part: ast.AST = attribute
    while isinstance(item := module.parent(part), ast.Subscript) and item.value is part:
        part = item
    parent = module.parent(part)
    if isinstance(parent, ast.Attribute):
        of_data = parent.attr in _OF_ARRAYS and module.get(Device).is_array(attribute)
        if part is not attribute:
            of_data = parent.attr in _OF_ARRAYS | _OF_DATA
        return _is_function(module, parent) and not of_data
    return _is_function(module, part)


def _is_function(module: Module, attribute: ast.AST) -> bool:
    call = module.parent(attribute)
    if not isinstance(call, ast.Call):
        return False
    return call.func is attribute or (call.args[:1] == [attribute] and transforms(module, call))


def is_of_data(module: Module, owner: ast.Name, method: str) -> bool:
    """Whether `method` is one of data, such as an array or a training state, and no function that its object keeps."""
    return method in _OF_DATA or (method in _OF_ARRAYS and module.get(Device).is_array(owner))


def transforms(module: Module, call: ast.Call) -> bool:
    """Whether `call` makes a function of its first argument that returns what it computed and nothing else."""
    last = (module.qualname(call.func) or "").rpartition(".")[2].removeprefix("filter_")
    return last in _TRANSFORMING


def dotted(attribute: ast.Attribute) -> str:
    """The text of `name.attr`."""
    assert isinstance(attribute.value, ast.Name)
    return f"{attribute.value.id}.{attribute.attr}"


def _note(module: Module, node: ast.AST, found: Touched) -> None:
    match node:
        case ast.Attribute(value=ast.Name(id=root), attr=attr) as attribute if module.qualname(attribute) is None:
            if isinstance(attribute.ctx, ast.Store | ast.Del):
                found.writes.add(f"{root}.{attr}")
            else:
                found.reads |= {f"{root}.{each}" for each in _read_through(module, attribute)}
                found.writes |= {f"{root}.{each}" for each in _bound_through(module, attribute)}
        case ast.Subscript() if is_entry(module, node):
            (found.reads if isinstance(node.ctx, ast.Load) else found.writes).add(entry_text(node))
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            found.writes.add(name)
        case ast.Name(id=name):
            found.reads.add(name)
            whole = module.parent(node)
            if not (isinstance(whole, ast.Attribute) or is_entry(module, whole)):
                found.reads.add(f"{name}.*")
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            found.writes.add(name)
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name | ast.Attribute):
        found.reads.add(module.text(node.target))
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Subscript) and is_entry(module, node.target):
        found.reads.add(entry_text(node.target))


def _read_through(module: Module, attribute: ast.Attribute) -> Iterable[str]:
    """The attributes that reading `attribute` reads: those of the methods that it may be, too; `*` for any."""
    owner = own_class(module, attribute.value)
    found = methods(family(module, owner), attribute.attr) if owner is not None else ()
    if found:
        return {attribute.attr}.union(*(reads_of(module, method) for method in found))
    call = module.parent(attribute)
    is_called = isinstance(call, ast.Call) and call.func is attribute
    return ("*",) if is_called and owner is None else (attribute.attr,)


def _bound_through(module: Module, attribute: ast.Attribute) -> Iterable[str]:
    """The attributes that a method binds which `attribute` may be."""
    owner = own_class(module, attribute.value)
    found = methods(family(module, owner), attribute.attr) if owner is not None else ()
    return {each.partition(".")[2] for method in found for each in stores_of(module, method)}


def _may_be_changed(module: Module, name: ast.Name) -> bool:
    """Whether code of others can reach what `name` stands for, and it may be no array, or a part of it is stored."""
    method = module.parent(name)
    called = module.parent(method) if isinstance(method, ast.Attribute) else None
    if isinstance(method, ast.Attribute) and isinstance(called, ast.Call) and called.func is method:
        is_dropped = isinstance(module.parent(called), ast.Expr)
        return module.qualname(method) is None and (is_dropped or method.attr in _MUTATORS)
    part: ast.expr = name
    while isinstance(outer := module.parent(part), ast.Attribute | ast.Subscript) and outer.value is part:
        part = outer
        if isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Store | ast.Del):
            return not is_entry(module, part)
    call = module.parent(outer) if isinstance(outer, ast.keyword) else outer
    if not isinstance(call, ast.Call) or call.func is part:
        return False
    if isinstance(outer, ast.keyword) and outer.arg == "out":
        return True
    qualname = module.qualname(call.func)
    if qualname is not None and qualname.startswith(_NUMPY) and isinstance(module.parent(call), ast.Expr):
        return True  # `np.copyto(x, y)`, `np.random.shuffle(x)`
    is_known = qualname is not None or (
        isinstance(call.func, ast.Name) and call.func.id in _READERS and module.scope_of(call.func.id, call) is None
    )
    return not is_known and not module.get(Device).is_array(name)


def _changed_part(module: Module, name: ast.Name) -> set[str]:
    """What a method of a part of `name` may change, as `rows["x"].append(x)` and `self.rows.append(x)` do."""
    way: list[ast.Attribute | ast.Subscript] = []
    while isinstance(outer := module.parent(way[-1] if way else name), ast.Attribute | ast.Subscript):
        if outer.value is not (way[-1] if way else name):
            return set()
        way.append(outer)
    method = way[-1] if len(way) > 1 else None
    if not (isinstance(method, ast.Attribute) and isinstance(outer, ast.Call) and outer.func is method):
        return set()
    is_dropped = isinstance(module.parent(outer), ast.Expr)
    is_of_item = any(isinstance(part, ast.Subscript) for part in way)
    if not (is_dropped or (is_of_item and method.attr in _MUTATORS)) or module.qualname(method) is not None:
        return set()
    if module.get(Device).is_array(name):
        return set()  # `x.at[i].add(1)`
    first = way[0]
    return {dotted(first)} if isinstance(first, ast.Attribute) else {name.id, f"{name.id}.*"}


def _meet(one: set[str], other: set[str]) -> bool:
    return bool(one & other) or any(_covers(each, other) for each in one) or any(_covers(each, one) for each in other)


def _covers(name: str, names: set[str]) -> bool:
    """Whether `self.*` stands for one of `names`: for attributes and for entries."""
    return name.endswith(".*") and any(each.startswith((name[:-1], f"{name[:-2]}[")) for each in names)
