"""What the code of a module changes after its creation: the objects of names, their attributes, its own globals."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from jaxfix.library.facets import Effect, Package
from jaxfix.library.table import short_names, where
from jaxfix.semantic.module import Module
from jaxfix.semantic.project.query import STORES
from jaxfix.semantic.project.summary_types import ANY_NAME
from jaxfix.syntax.nodes import in_order
from jaxfix.syntax.signatures import positional_of

MUTATORS = short_names(Effect.MUTATES)
INITIALISERS = frozenset({"__init__", "__post_init__", "__new__", "__setstate__"})
SETTERS = short_names(Effect.SETS_ATTRIBUTE)
_NAMESPACES = short_names(Effect.BINDS_NAMES)
"""Builtins that can bind a global by a name that is not in the text."""
_CALLED = SETTERS | short_names(Effect.SEES_NAMES)
_ARRAY_PACKAGES = where(Package.ARRAYS)
_CHANGING = MUTATORS | SETTERS
_OF_FRAMES = frozenset({"__globals__", "f_globals", "__builtins__"})
_OF_NAMESPACES = _OF_FRAMES | _NAMESPACES | {"__dict__"}
_OF_FUNCTIONS = frozenset({"__code__", "__defaults__", "__kwdefaults__", "__class__", "__bases__", "__wrapped__"})
"""Attributes that change what a function or a class does, under whatever name it is known."""


@dataclass(slots=True)
class Changes:
    """Every store of one module, by what it reaches.

    Attributes:
      roots: the names whose object some code stores into or calls a mutating method of, where that is done.
      attributes: stored on any object, except those that an `__init__` gives to the object that it makes.
      rebound: globals of the module that are bound through `globals()`.
      perhaps_rebound: attributes of something that can be this very module; `ANY_NAME` for one of a computed name.
      any_attribute: some attribute is stored whose name is not in the text.
      lists_names: all globals of the module are analysed.
      any_global: some global can be bound by a name that is not in the text.
    """

    roots: dict[str, list[ast.Name]] = field(default_factory=dict)
    attributes: set[str] = field(default_factory=set)
    rebound: set[str] = field(default_factory=set)
    perhaps_rebound: set[str] = field(default_factory=set)
    any_attribute: bool = False
    lists_names: bool = False
    any_global: bool = False


def changes_of(module: Module) -> Changes:
    """What the code of `module` changes after it was made."""
    return module.get(_changes)


def is_stored(module: Module, attribute: str) -> bool:
    """Whether it is stored after its object was made: here, or on a strange object in another file."""
    project = module.surroundings.project
    is_named = attribute in changes_of(module).attributes or project.ask(STORES, attribute)
    return is_named or stores_any(module)


def stores_any(module: Module) -> bool:
    """Whether some file stores attributes of strange objects whose names are not in the text."""
    return ANY_NAME in changes_of(module).perhaps_rebound or module.surroundings.project.ask(STORES, ANY_NAME)


def stored_attributes(module: Module) -> list[ast.Attribute]:
    """Every attribute that is bound or deleted, of whatever object, in the order of the text."""
    return module.get(_stored_attributes)


def _stored_attributes(module: Module) -> list[ast.Attribute]:
    return [node for node in module.nodes(ast.Attribute) if node.ctx.__class__ is not ast.Load]


def _changes(module: Module) -> Changes:
    """Reads every store of `module`."""
    notebook = module.source.notebook
    is_open = notebook is not None and bool(notebook.strange)
    found = Changes(any_global=is_open, lists_names=is_open)
    for node in _telling(module):
        changed = root(_changed_object(node))
        if changed is not None and not is_function_of_arrays(module, node):
            found.roots.setdefault(changed.id, []).append(changed)
        _note(module, node, found)
    return found


def _telling(module: Module) -> list[ast.AST]:
    """What is worth a look, in the order of the text: most names, attributes and calls are not."""
    mains = {name for name, of in module.names.imports.items() if of == "__main__"}
    chosen: set[ast.AST] = {node for name in _NAMESPACES | mains for node in module.names.by_id.get(name, ())}
    chosen.update(stored_attributes(module))
    chosen.update(node for name in _OF_NAMESPACES for node in module.attributes(name))
    chosen.update(call for call in module.spelled_calls(_CHANGING | _CALLED) if _may_change(call.func))
    chosen.update(module.nodes(ast.Call) if b"mock" in module.source.text else ())
    may_list = b"modules" in module.source.text
    for subscript in module.nodes(ast.Subscript):
        is_load = subscript.ctx.__class__ is ast.Load
        if not is_load or (may_list and module.qualname(subscript.value) == "sys.modules"):
            chosen.add(subscript)
    chosen.update(module.nodes(ast.AugAssign))
    chosen.update(call for call in map(module.parent, module.attributes("__init__")) if isinstance(call, ast.Call))
    setters = (
        *(each for by in SETTERS for each in module.names.by_id.get(by, ())),
        *(each for by in SETTERS for each in module.attributes(by)),
    )
    chosen.update(each for each in setters if _is_handed_on(module, each))
    chosen.update(node for node in module.nodes(ast.ImportFrom) if node.module == "builtins")
    return in_order([*chosen])


def _may_change(func: ast.expr) -> bool:
    return func.attr in _CHANGING if isinstance(func, ast.Attribute) else getattr(func, "id", "") in _CALLED


def root(node: ast.AST | None) -> ast.Name | None:
    """The name that `node` is, or is a part of."""
    while type(node) is ast.Attribute or type(node) is ast.Subscript:
        if type(node) is ast.Attribute and node.attr == "at":
            return None  # `x.at[i].add(y)` changes nothing
        node = node.value
    return node if type(node) is ast.Name else None


def is_own_object(module: Module, node: ast.AST) -> bool:
    """Whether `node` is the first parameter of the method that it is in."""
    around = module.functions_around(node)
    if not isinstance(node, ast.Name) or not around or module.method_of(around[-1]) is None:
        return False
    parameters = positional_of(around[-1].args)
    return bool(parameters) and parameters[0].arg == node.id


def _makes_again(module: Module, call: ast.AST, made: ast.expr) -> bool:
    """Whether `call` of an initialiser is not one of a base, in that of a class."""
    function = module.function(call)
    in_initialiser = isinstance(function, ast.FunctionDef) and function.name in INITIALISERS
    is_super = isinstance(made, ast.Call) and isinstance(made.func, ast.Name) and made.func.id == "super"
    return not in_initialiser and not is_super


def _texts_beside(module: Module, setter: ast.AST) -> set[str]:
    """The texts that are passed on with a setter."""
    call = module.parent(setter)
    given = call.args if isinstance(call, ast.Call) else []
    return {text for each in given if (text := _text_of(each)) is not None}


def _is_handed_on(module: Module, setter: ast.AST) -> bool:
    """Whether `setter` is one that sets attributes, and goes to other code, which names them."""
    match setter:
        case ast.Name(id=by, ctx=ast.Load()) if by in SETTERS:
            return not _is_called(module, setter)
        case ast.Attribute(attr=by, ctx=ast.Load()) if by in SETTERS and by.startswith("__"):
            call = module.parent(setter)
            return not (isinstance(call, ast.Call) and call.func is setter)
    return False


def is_being_made(module: Module, node: ast.AST) -> bool:
    """Whether `node` is the object that a method such as `__init__` makes."""
    function = module.function(node)
    in_initialiser = isinstance(function, ast.FunctionDef) and function.name in INITIALISERS
    return in_initialiser and is_own_object(module, node)


def _changed_object(node: ast.AST) -> ast.AST | None:
    match node:
        case ast.Attribute(value=value, ctx=ast.Store() | ast.Del()):
            return value
        case ast.Subscript(value=value, ctx=ast.Store() | ast.Del()):
            return value
        case ast.AugAssign(target=ast.Name() as target):
            return target
        case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr in MUTATORS:
            return value
        case ast.Call(func=ast.Name(id=by) | ast.Attribute(attr=by), args=[target, _, *_]) if by in SETTERS:
            return target
    return None


def is_function_of_arrays(module: Module, node: ast.AST) -> bool:
    """Whether `node` is a call such as `jnp.sort(x)`: it shares its name with a mutating method."""
    qualname = module.qualname(node.func) if isinstance(node, ast.Call) else None
    return qualname is not None and qualname.split(".")[0] in _ARRAY_PACKAGES


def _note(module: Module, node: ast.AST, found: Changes) -> None:
    match node:
        case ast.Attribute(value=value, attr=attr, ctx=ast.Store() | ast.Del()):
            _note_attribute(module, value, attr, found)
        case ast.Call(func=ast.Attribute(value=value, attr="__setattr__"), args=[ast.Constant(value=str(name)), _]):
            _note_attribute(module, value, name, found)
        case ast.Call(func=ast.Name(id=by) | ast.Attribute(attr=by), args=[target, named, *_]) if by in SETTERS:
            _note_attribute(module, target, _text_of(named), found)
        case ast.Call(func=ast.Attribute(attr="__init__", value=made)) if _makes_again(module, node, made):
            found.perhaps_rebound.add(ANY_NAME)
        case ast.Name() | ast.Attribute() if _is_handed_on(module, node):
            texts = _texts_beside(module, node)  # `partial(setattr, model, "rate")`
            found.attributes |= texts
            found.perhaps_rebound |= texts or {ANY_NAME}
        case ast.Call(func=ast.Name(id="exec" | "eval" as by), args=args):
            found.any_global = True
            found.perhaps_rebound |= {ANY_NAME} if by == "exec" and len(args) == 1 else set()
        case ast.Attribute(attr=attr) if attr in _OF_FRAMES:
            found.any_global = True
        case ast.Name(id=name, ctx=ast.Load()) if name in _NAMESPACES and not _is_called(module, node):
            found.any_global = True
        case ast.ImportFrom(module="builtins", names=names) if any(alias.name in _NAMESPACES for alias in names):
            found.any_global = True
        case ast.Attribute(attr=attr) if attr in _NAMESPACES and module.qualname(node) == f"builtins.{attr}":
            found.any_global = True
        case ast.Subscript() | ast.Name() if _is_module(module, node) and not _is_base(module, node):
            found.any_global = True
        case ast.Call(func=ast.Name(id="dir"), args=[]) if module.function(node) is None:
            found.lists_names = True
        case ast.Call(func=func) if (module.qualname(func) or "").startswith("unittest.mock.patch"):
            found.any_attribute = found.any_global = True
            found.perhaps_rebound |= _patched(node)
        case ast.Call(args=[target, ast.Constant(value=str(name)), *_]) if _may_patch(module, node, target):
            found.perhaps_rebound.add(name)  # `mock.patch.object` by another name
        case ast.Call(func=ast.Name(id="globals" | "vars" | "locals" as by), args=[]):
            if by != "globals" and module.function(node) is not None:
                return  # the variables of the function
            found.lists_names = found.lists_names or not _is_looked_up(module, node)
            for key in _stored(module, node):
                found.rebound |= {key} if key is not None else set()
                found.any_global = found.any_global or key is None
        case ast.Call(func=ast.Name(id="vars"), args=[owner]) | ast.Attribute(value=owner, attr="__dict__"):
            for key in _stored(module, node):
                _note_attribute(module, owner, key, found)


def _patched(call: ast.Call) -> set[str]:
    """The attributes that a call of `mock.patch`, or of a similar function, names."""
    names = {str(keyword.arg) for keyword in call.keywords if keyword.arg}
    for arg in call.args[1:]:
        parts = arg.keys if isinstance(arg, ast.Dict) else [arg]
        names |= {text for part in parts if part is not None and (text := _text_of(part)) is not None}
    return names


def _may_patch(module: Module, call: ast.Call, target: ast.expr) -> bool:
    """Whether a function of the file's own is called with something imported and the name of an attribute."""
    return module.qualname(call.func) is None and module.qualname(target) is not None


def _note_attribute(module: Module, owner: ast.AST, name: str | None, found: Changes) -> None:
    if is_being_made(module, owner):
        return
    own = is_own_object(module, owner)
    if name is None:
        found.any_attribute = True
        found.any_global = found.any_global or not own
        found.perhaps_rebound |= set() if own else {ANY_NAME}
        return
    found.attributes.add(name)
    found.any_global = found.any_global or name in _OF_FUNCTIONS
    if not own:
        found.perhaps_rebound.add(name)


def _is_module(module: Module, node: ast.AST) -> bool:
    """Whether `node` may be this very module."""
    if isinstance(node, ast.Subscript):
        return module.qualname(node.value) == "sys.modules"
    return (
        isinstance(node, ast.Name)
        and isinstance(node.ctx, ast.Load)
        and module.names.imports.get(node.id) == "__main__"
    )


def _is_base(module: Module, node: ast.AST) -> bool:
    """Whether only an attribute of `node` is used, under a name that is in the text."""
    match module.parent(node):
        case ast.Attribute():
            return True
        case ast.Call(func=ast.Name(id="setattr" | "getattr" | "hasattr" | "delattr"), args=[first, *_]):
            return first is node
    return False


def _is_looked_up(module: Module, namespace: ast.AST) -> bool:
    """Whether one name is read or bound in a dictionary of names."""
    match module.parent(namespace):
        case ast.Subscript() | ast.Compare(ops=[ast.In() | ast.NotIn()]) | ast.Attribute(attr="get"):
            return True
    return False


def _is_called(module: Module, name: ast.Name) -> bool:
    """Whether `name` is called there, or is not a builtin."""
    parent = module.parent(name)
    return (isinstance(parent, ast.Call) and parent.func is name) or module.scope_of(name.id, name) is not None


def _stored(module: Module, namespace: ast.AST) -> Iterator[str | None]:
    """The names that are bound in a dictionary of names; None for one that is not in the text."""
    match module.parent(namespace):
        case ast.Assign(targets=[ast.Name() as name], value=value) if value is namespace and _is_bound_once(
            module, name
        ):
            for use in module.uses(name.id, module.scope_of(name.id, name)):
                yield from _stored(module, use) if isinstance(use.ctx, ast.Load) else ()
        case ast.keyword(arg=None) | ast.Dict():
            return
        case ast.Subscript(value=value, slice=key, ctx=ast.Store() | ast.Del()) if value is namespace:
            yield _text_of(key)
        case ast.Subscript() | ast.Compare() | ast.For() | ast.comprehension():
            return
        case ast.Attribute(attr="get" | "keys" | "items" | "values" | "copy"):
            return
        case ast.Call(func=ast.Name(id="print" | "dict" | "sorted" | "list" | "len")):
            return
        case _:
            yield None


def _is_bound_once(module: Module, name: ast.Name) -> bool:
    """Whether `name` is not a variable that other functions or files may bind, and stands for one thing."""
    scope = module.scope_of(name.id, name)
    return scope is not None and len(module.bindings(name.id, scope)) == 1


def _text_of(node: ast.AST) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None
