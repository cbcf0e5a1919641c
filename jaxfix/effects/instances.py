"""The objects of a class: whether their identity distinguishes them, and how many are made."""

import ast

from jaxfix.report.reason import Code, Reason
from jaxfix.semantic.classes import family, strange_base
from jaxfix.semantic.module import Module
from jaxfix.semantic.project.query import IS_NAMED_AROUND, USERS
from jaxfix.staging.contexts import Staging

_TELLING = frozenset(
    {
        *("__eq__", "__hash__", "__new__", "__del__", "__slots__", "__init_subclass__"),
        *("__getattr__", "__getattribute__", "__setattr__", "__delattr__", "__get__", "__set__"),
    }
)


def why_no_identity_key(module: Module, owner: ast.ClassDef) -> Reason | None:
    """Why `jit` may not distinguish the objects of a class by their identity, as it does static arguments.

    Returns:
      None if it may.
    """
    for each in family(module, owner):
        base = strange_base(module, each)
        if base is not None:
            return Reason(
                Code.STATIC_ARGUMENT,
                f"`{each.name}` has the base `{module.text(base)}`, which may define how its objects compare",
            )
        if each.decorator_list:
            decorator = module.text(each.decorator_list[0])
            return Reason(
                Code.STATIC_ARGUMENT,
                f"`{each.name}` is decorated with `{decorator}`, which may define how its objects compare",
            )
        if each.keywords:
            return Reason(
                Code.STATIC_ARGUMENT,
                f"`{each.name}` has a `{each.keywords[0].arg or '**'}`, which may define how its objects are created",
            )
        if isinstance(module.parent(each), ast.ClassDef):
            return Reason(Code.STATIC_ARGUMENT, f"`{each.name}` is defined in another class")
        if len(module.bindings(each.name, module.scope_of(each.name, each))) != 1:
            return Reason(Code.STATIC_ARGUMENT, f"`{each.name}` is defined more than once")
        for name in sorted(_TELLING & module.names.bound_in(each)):
            return Reason(Code.STATIC_ARGUMENT, f"`{each.name}` has a `{name}` of its own")
    return None


def why_many_objects(module: Module, owner: ast.ClassDef) -> Reason | None:
    """Why there may be many objects of a class, each of which `jit` would compile for and keep alive.

    Returns:
      None where there are few.
    """
    made = False
    for each in family(module, owner):
        for use in module.reads(each.name, module.scope_of(each.name, each)):
            match _place_of(module, use):
                case ast.Call(func=func) as call if func is use:
                    made = True
                    if module.loops(call) or module.get(Staging).repeats(call):
                        return Reason(
                            Code.MANY_OBJECTS,
                            f"line {call.lineno} creates objects of `{each.name}` repeatedly, and `jit` keeps each",
                            call.lineno,
                        )
                case None:
                    return Reason(
                        Code.ESCAPES,
                        f"`{each.name}` is passed on in line {use.lineno}, to unknown code",
                        use.lineno,
                    )
        reason, calls = _outside(module, each)
        if reason is not None:
            return reason
        made = made or calls
    return None if made else Reason(Code.UNREAD, f"no known code creates an object of `{owner.name}`")


def is_extended(module: Module, owner: ast.ClassDef) -> bool:
    """Whether methods of classes in other files may run on objects of the class: of its bases, or of subclasses."""
    if any(strange_base(module, each) is not None for each in family(module, owner)):
        return True
    own = module.surroundings.name
    if own is None or module.function(owner) is not None:
        return False
    project, name = module.surroundings.project, f"{own}.{owner.name}"
    return any(use.call is None for use in project.ask(USERS, name)) or project.ask(IS_NAMED_AROUND, name)


def _place_of(module: Module, use: ast.Name) -> ast.AST | None:
    """What a class is used for that leaves it what it is: to make an object, as a base, to ask for a type; or None."""
    parent = module.parent(use)
    match parent:
        case ast.Call(func=func) if func is use:
            return parent
        case ast.Call(func=ast.Name(id="isinstance" | "issubclass" | "super")):
            return parent
        case ast.ClassDef() | ast.arg() | ast.AnnAssign() | ast.FunctionDef():
            return parent
        case ast.Attribute(ctx=ast.Load()):
            return parent
        case ast.Subscript() if isinstance(module.parent(parent), ast.ClassDef | ast.arg):
            return parent
    return None


def _outside(module: Module, owner: ast.ClassDef) -> tuple[Reason | None, bool]:
    """As `why_many_objects`, of other files; and whether they make objects."""
    own = module.surroundings.name
    if own is None or module.function(owner) is not None:
        return None, False
    uses = module.surroundings.project.ask(USERS, f"{own}.{owner.name}")
    for use in uses:
        if use.call is None:
            return Reason(Code.ESCAPES, f"`{owner.name}` is passed on in {use.at}, or has a subclass there"), False
        if use.call.looped or use.repeats:
            return Reason(
                Code.MANY_OBJECTS, f"{use.at} creates objects of `{owner.name}` repeatedly, and `jit` keeps each"
            ), False
    return None, bool(uses)
