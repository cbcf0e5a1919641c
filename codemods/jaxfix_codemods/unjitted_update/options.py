"""Options that statements read of an object that `jit` does not take: each is passed by itself."""

import ast
from collections.abc import Collection, Iterable

from jaxfix.api import Module, walk
from jaxfix.api.analysis import INITIALISERS, Sources, Values, family, own_class
from jaxfix.api.library import Effect, Package, short_names, where
from jaxfix_codemods.jitting.traced import is_no_tree
from jaxfix_codemods.unjitted_update.checks import OF_ARRAYS, is_own, is_setting
from jaxfix_codemods.unjitted_update.device import Device
from jaxfix_codemods.unjitted_update.integers import Integers
from jaxfix_codemods.unjitted_update.items import is_chosen
from jaxfix_codemods.unjitted_update.variables import transforms

_FILLING = short_names(Effect.MUTATES)
_NUMPY = tuple(f"{name}." for name in where(Package.NUMPY))


def options_of(module: Module, nodes: Collection[ast.AST], scope: ast.AST) -> dict[str, list[ast.Attribute]]:
    """The attributes that nodes of statements read of objects of which they read nothing else, by their text.

    As `args.rate`.
    """
    held: dict[str, list[ast.Attribute]] = {}
    uses: dict[str, int] = {}
    for node in nodes:
        if type(node) is ast.Name:
            uses[node.id] = uses.get(node.id, 0) + 1
        elif type(node) is ast.Attribute and type(node.value) is ast.Name:
            text = f"{node.value.id}.{node.attr}"
            uses[text] = uses.get(text, 0) + 1
        if type(node) is ast.Attribute and node.attr not in OF_ARRAYS and (name := _held_by(module, node.value)):
            held.setdefault(name, []).append(node)
    found: dict[str, list[ast.Attribute]] = {}
    for holder, reads in held.items():
        is_plain = uses.get(holder) == len(reads) and all(_is_option(module, each, scope) for each in reads)
        if is_plain and _is_stable(module, reads[0].value, scope):
            for read in sorted(reads, key=lambda read: (read.lineno, read.col_offset)):
                found.setdefault(f"{holder}.{read.attr}", []).append(read)
    return found


def option_names(option: ast.Attribute) -> tuple[str, ...]:
    """Names for the option, the best first: `rate`, `args_rate`."""
    name = option.attr.strip("_")
    match option.value:
        case ast.Name(id=whole) | ast.Attribute(attr=whole):
            return name, f"{whole.strip('_')}_{name}"
    return (name,)


def _held_by(module: Module, holder: ast.expr) -> str | None:
    """The text of what options may be read of: a variable, or an attribute of one, such as the object of a method."""
    if type(holder) is ast.Name:
        return holder.id if holder.id not in module.names.imports else None
    if type(holder) is ast.Attribute and type(holder.value) is ast.Name:
        return f"{holder.value.id}.{holder.attr}"
    return None


def _is_option(module: Module, option: ast.Attribute, scope: ast.AST) -> bool:
    """Whether the attribute is data, of the scope or of the object of its method, and read in any case."""
    if not isinstance(option.ctx, ast.Load):
        return False
    match option.value:
        case ast.Name(id=name) as root if module.scope_of(name, root) is not scope or is_own(module, root):
            return False
        case ast.Attribute(value=ast.Name(id=name) as root) if not is_own(module, root):
            return False
    match module.parent(option):
        case ast.Call(func=func) if func is option:
            return False
        case ast.Call(args=[first, *_]) as call if first is option and transforms(module, call):
            return False
        case ast.Attribute(attr=attr) if attr not in OF_ARRAYS:
            return False
        case ast.Subscript(value=whole, slice=index) if whole is option and not isinstance(index, ast.Constant):
            return module.get(Device).is_indexed_array(option)  # a traced number picks nothing from a list
    if is_chosen(module, option) or module.get(Integers).overflows(option):
        return False
    return not _is_computed(module, option.attr) and not may_be_filled(module, option.attr)


def may_set(module: Module, statements: Iterable[ast.AST], options: Collection[ast.Attribute]) -> bool:
    """Whether one of the statements may set an option, under any name of its object, or through a setter."""
    names = {name for each in options for name in (each.attr, getattr(each.value, "attr", each.attr))}
    for node in (node for statement in statements for node in walk(statement)):
        match node:
            case ast.Attribute(value=value, attr=attr, ctx=ast.Store() | ast.Del()):
                if attr in names or not (isinstance(value, ast.Name) and is_own(module, value)):
                    return True
            case ast.Subscript(value=ast.Call(), ctx=ast.Store() | ast.Del()):
                return True
    return False


def is_set_later(module: Module, name: str) -> bool:
    """Whether code that creates no object sets an attribute of that name: it may be another one in each iteration."""
    stores = (each for each in module.attributes(name) if not isinstance(each.ctx, ast.Load))
    return any(getattr(module.function(each), "name", None) not in INITIALISERS for each in stores)


def _is_computed(module: Module, name: str) -> bool:
    """Whether a class of the file computes an attribute of that name, perhaps another at each read."""
    if name not in module.names.defining:
        return False
    named = (each for each in module.functions if getattr(each, "name", None) == name)
    return any(isinstance(module.parent(each), ast.ClassDef) for each in named)


def may_be_filled(module: Module, name: str) -> bool:
    """Whether an attribute of that name may be changed in place: a step may still read what the next iteration writes.

    Also under another name, which it is bound to.
    """
    for attribute in module.attributes(name):
        match module.parent(attribute):
            case ast.Subscript(ctx=ast.Store() | ast.Del()) | ast.AugAssign():
                return True
            case ast.Attribute(attr=attr) if attr in _FILLING:
                return True
            case ast.Assign(value=value) | ast.AnnAssign(value=value) | ast.NamedExpr(value=value):
                if value is attribute:
                    return True
            case ast.Call(func=func, args=args) if attribute in args:
                if (module.qualname(func) or "").startswith(_NUMPY):
                    return True
    return False


def _is_stable(module: Module, holder: ast.expr, scope: ast.AST) -> bool:
    """Whether a variable is bound once, before all loops, or it or an attribute holds no tree of arrays."""
    match holder:
        case ast.Name(id=name):
            return is_setting(module, name, scope) or any(
                is_no_tree(module, source) for source in module.get(Values).origins.of(holder)
            )
        case ast.Attribute(value=root, attr=attr) if (owner := own_class(module, root)) is not None:
            sources = Sources(module, module.get(Values)).held(attr, family(module, owner))
            return any(is_no_tree(module, source) for source in sources)
    return False
