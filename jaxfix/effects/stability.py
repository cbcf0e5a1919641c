"""Whether the object behind a name stays what it is while the program runs."""

import ast
import sys
from collections.abc import Iterator, Sequence

from jaxfix.effects.aliases import holds_fillable, is_fillable, only_reads, taken_by_name, why_aliased
from jaxfix.effects.invariance import LOOPS, is_bound_by_a_cell, is_changed_elsewhere, repeating
from jaxfix.library.facets import Class, Effect, Package
from jaxfix.library.table import ROWS, short_names, where
from jaxfix.report.reason import Code, Reason
from jaxfix.semantic.calls import arguments_of
from jaxfix.semantic.classes import class_of, family, strange_base
from jaxfix.semantic.dominance import is_bound_before
from jaxfix.semantic.module import Module
from jaxfix.semantic.mutations import INITIALISERS, MUTATORS, changes_of, is_own_object, is_stored
from jaxfix.semantic.project.query import CHANGES_OWN, FILLS, REBINDS, SETS_NAMES, STORES
from jaxfix.semantic.project.summary_types import ANY_NAME
from jaxfix.source.frozen import frozen
from jaxfix.syntax.bindings import Binding
from jaxfix.syntax.nodes import walk
from jaxfix.syntax.signatures import parameters_of

KNOWN_PACKAGES = sys.stdlib_module_names | {row.name.partition(".")[0] for row in ROWS}
"""Packages whose classes change no attributes that a class of the file gives its objects."""


_ARRAYS = where(Package.ARRAYS)
_HARMLESS = short_names(Effect.PURE, "builtins") | short_names(Effect.REFLECTS, "builtins")
"""Passed on as a whole, to compute with either, and never filled."""
_COPIED = where(Class.COPIED)
_LAZY = frozenset({"enumerate", "filter", "iter", "map", "reversed", "zip"})


@frozen
class During:
    """A loop, or a function, and no more than one run of it.

    Attributes:
      node: nothing outside of it counts that its own function does: it happens before or after.
      apart: attributes that do not count either.
    """

    node: ast.AST
    apart: frozenset[str] = frozenset()

    def leaves(self, module: Module, other: ast.AST) -> bool:
        """Whether `other` surely does not run while `node` does."""
        if other is self.node or self.node in module.ancestors(other):
            return False
        around = module.function(self.node)
        is_parameter = isinstance(other, ast.arg) and around is not None and other in parameters_of(around.args)
        # What is outside of all functions waits while one runs.
        return is_parameter or module.function(other) in (around, None)


def why_unstable(
    module: Module,
    name: str,
    scope: ast.AST,
    *,
    around: ast.AST | None = None,
    during: During | None = None,
    since: ast.AST | None = None,
) -> Reason | None:
    """Why the object of `name` can be replaced, or change, while the program runs.

    Args:
      around: a node in whose surroundings `name` is bound: loops that both stand in do not count.
      during: only what happens in it counts.
      since: a node: of several assignments that all come before it, each time, the last one counts.

    Returns:
      None if it does not.
    """
    found = module.bindings(name, scope)
    if scope is module.tree and is_changed_elsewhere(module, name):
        return Reason(Code.CHANGED_ELSEWHERE, f"another file changes `{name}`")
    if scope is module.tree and name in module.names.imports:
        return Reason(Code.CELL_RERUN, f"`{name}` may be reloaded") if is_bound_by_a_cell(module, name) else None
    if during is not None and found:
        if any(not during.leaves(module, binding.node) for binding in found):
            return Reason(Code.REBOUND, f"`{name}` is rebound while it runs")
    elif len(found) != 1 and not _are_before(module, found, since):
        return Reason(Code.REBOUND, f"`{name}` is bound more than once")
    if scope is module.tree and is_bound_by_a_cell(module, name):
        return Reason(Code.CELL_RERUN, f"another cell binds `{name}`, and may be run again")
    if scope is module.tree and (name in changes_of(module).rebound or changes_of(module).any_global):
        return Reason(Code.REBOUND, f"`{name}` is rebound through `globals`")
    if during is not None:
        return _why_changed(module, name, scope, during)
    binding = max(found, key=lambda each: getattr(each.node, "lineno", 0))
    shared = set(module.ancestors(around)) if around is not None else set()
    outer = next((each for each in repeating(module, binding.node, scope) if each not in shared), None)
    if outer is not None:
        when = "iteration of a loop" if isinstance(outer, LOOPS) else "call of a function"
        return Reason(Code.REBOUND, f"`{name}` is rebound at every {when}")
    for root in changes_of(module).roots.get(name, ()):
        if module.scope_of(name, root) is scope and not _is_functional_update(module, root):
            return Reason(Code.MUTATED, f"`{name}` is changed in place")
    value = module.value_of(binding.node) if isinstance(binding.node, ast.Name) else None
    return _why_filled(module, name, scope, value) or why_object_unstable(module, value)


def _are_before(module: Module, found: Sequence[Binding], since: ast.AST | None) -> bool:
    """Whether all are assignments that are above a node in a block which it is in."""
    statements = [module.statement(each.node) for each in found if isinstance(each.node, ast.Name)]
    return (
        since is not None
        and 0 < len(statements) == len(found)
        and all(isinstance(each, ast.Assign) and is_bound_before(module, each, since) for each in statements)
    )


def _why_filled(module: Module, name: str, scope: ast.AST, value: ast.expr | None) -> Reason | None:
    """Why a list, a dictionary or a NumPy array that is bound to `name` may be refilled."""
    if not is_fillable(module, value):
        return None
    if scope is module.tree and module.surroundings.project.ask(FILLS, name):
        return Reason(Code.CHANGED_ELSEWHERE, f"another file may change what `{name}` holds")
    return why_aliased(module, name, scope)


def _why_changed(module: Module, name: str, scope: ast.AST, during: During) -> Reason | None:
    """Why one of the objects that `name` may stand for changes during that."""
    for root in changes_of(module).roots.get(name, ()):
        if module.scope_of(name, root) is not scope or _is_functional_update(module, root):
            continue
        stored = module.parent(root)
        is_apart = (
            isinstance(stored, ast.Attribute) and not isinstance(stored.ctx, ast.Load) and stored.attr in during.apart
        )
        if not is_apart and not during.leaves(module, root):
            return Reason(Code.MUTATED, f"`{name}` is changed in place")
    for binding in module.bindings(name, scope):
        value = module.value_of(binding.node) if isinstance(binding.node, ast.Name) else None
        reason = _why_filled(module, name, scope, value) or why_object_unstable(module, value, during)
        if reason is not None:
            return reason
    return None


def why_attribute_unstable(module: Module, name: ast.Name) -> Reason | None:
    """As `why_unstable`, for attributes of an imported module: `config.rate`."""
    read = _dotted(module, name)
    qualname = module.qualname(read)
    if qualname is None or "." not in qualname:
        return None
    project = module.surroundings.project
    owner = qualname.rpartition(".")[0]
    is_ours = owner.partition(".")[0] not in _ARRAYS
    is_set = is_ours and project.ask(SETS_NAMES, owner)
    own = qualname.split(".")[1 : -1 if _is_called(module, read) else None] if is_ours else ()
    if project.ask(REBINDS, qualname) or is_set or any(_is_changed(module, name) for name in own):
        return Reason(Code.CHANGED_ELSEWHERE, f"another file changes `{module.text(read)}`")
    for changed in _changed_of_modules(module):
        stored = module.qualname(changed)
        if stored is not None and (f"{qualname}.".startswith(f"{stored}.") or stored.startswith(f"{qualname}.")):
            return Reason(Code.MUTATED, f"line {changed.lineno} changes `{module.text(changed)}`", changed.lineno)
    return None


def why_free_unstable(module: Module, name: ast.Name) -> Reason | None:
    """Why a trace must not read a name that the file binds nowhere: a builtin that only computes, and stars, may be."""
    if module.qualname(name) is not None:
        reason = why_attribute_unstable(module, name)
        return reason and reason.restated(f"it reads `{name.id}`: {reason}")
    if name.id in _HARMLESS:
        return None
    if module.names.stars.may_bring(name.id):
        several = len(module.names.stars.bringing(name.id)) > 1
        return Reason(Code.UNREAD, f"it reads `{name.id}`, of one of several files") if several else None
    return Reason(Code.SIDE_EFFECT, f"it uses `{name.id}`, which happens only at trace time")


def _is_changed(module: Module, name: str) -> bool:
    """Whether its own file changes the variable of this name, or some file an attribute of this name."""
    project = module.surroundings.project
    return project.ask(CHANGES_OWN, name) or project.ask(STORES, name)


def _is_called(module: Module, read: ast.expr) -> bool:
    call = module.parent(read)
    return isinstance(call, ast.Call) and call.func is read


def _changed_of_modules(module: Module) -> list[ast.expr]:
    """What this file changes of the modules that it imports."""
    roots = changes_of(module).roots
    return [
        _dotted(module, root) for alias in sorted(roots.keys() & module.names.imports.keys()) for root in roots[alias]
    ]


def _dotted(module: Module, name: ast.Name) -> ast.expr:
    """The longest dotted name that begins with `name`."""
    found: ast.expr = name
    while isinstance(parent := module.parent(found), ast.Attribute):
        found = parent
    return found


def _is_functional_update(module: Module, root: ast.AST) -> bool:
    """Whether `root` is the `x` of an `x.update(...)`, or of an `x[0].update(...)`, that returns what it makes."""
    part = root
    while isinstance(outer := module.parent(part), ast.Subscript) and outer.value is part:
        part = outer
    match module.parent(part):
        case ast.Attribute(attr="update") as method:
            call = module.parent(method)
            return isinstance(call, ast.Call) and not isinstance(module.parent(call), ast.Expr)
    return False


def why_object_unstable(module: Module, value: ast.expr | None, during: During | None = None) -> Reason | None:
    """Why an object of a class of this file, or one that it holds, is not the same from call to call."""
    found = (_why_class_unstable(module, owner, during) for owner in _made_with(module, value))
    return next((reason for reason in found if reason is not None), None) or next(_given_filled(module, value), None)


def _made_with(module: Module, value: ast.expr | None) -> Iterator[ast.ClassDef]:
    """The classes of this file of which `value` makes objects, and those of which their constructors do."""
    made: list[ast.AST] = [] if value is None else [value]
    met: set[ast.ClassDef] = set()
    while made:
        calls = (node for node in walk(made.pop()) if isinstance(node, ast.Call))
        for owner in dict.fromkeys(class_of(module, call.func) for call in calls):
            if owner is not None and owner not in met:
                met.add(owner)
                made += [each for each in owner.body if getattr(each, "name", None) in INITIALISERS]
                yield owner


def _why_class_unstable(module: Module, owner: ast.ClassDef, during: During | None) -> Reason | None:
    base = strange_base(module, owner)
    if base is not None and (module.qualname(base) or "").partition(".")[0] not in KNOWN_PACKAGES:
        return Reason(Code.UNREAD, f"`{owner.name}` has a base, `{module.text(base)}`, that may change its objects")
    is_copied = any(module.qualname(base) in _COPIED for each in family(module, owner) for base in each.bases)
    changing = None if is_copied else _changing_method(module, owner)
    if changing is not None:
        return Reason(Code.MUTATED, f"`{owner.name}.{changing.name}` changes its object", changing.lineno)
    attributes = (name for name in sorted(_attributes(module, owner)) if is_stored(module, name))
    stored = next((name for name in attributes if not _is_stored_apart(module, name, during)), None)
    if stored is not None:
        return Reason(Code.REBOUND, f"`{stored}` of a `{owner.name}` is rebound")
    return next(_aliased_attributes(module, owner), None)


def _is_stored_apart(module: Module, attribute: str, during: During | None) -> bool:
    """Whether nothing that counts binds the attribute during that."""
    if during is None or module.surroundings.project.ask(STORES, attribute):
        return False
    stores = (node for node in module.attributes(attribute) if not isinstance(node.ctx, ast.Load))
    return attribute in during.apart or all(during.leaves(module, node) for node in stores)


def _aliased_attributes(module: Module, owner: ast.ClassDef) -> Iterator[Reason]:
    """Where a list, a dictionary or a numpy array that an object of the class holds may be refilled."""
    for name in sorted(_attributes(module, owner)):
        uses = module.attributes(name)
        values = [parent.value for use in uses if isinstance(parent := module.parent(use), ast.Assign)]
        values += [
            value
            for bound in module.bindings(name, owner)
            if isinstance(bound.node, ast.Name) and (value := module.value_of(bound.node)) is not None
        ]
        if any(_is_used_up(module, value) for value in values):
            yield Reason(Code.MUTATED, f"an attribute `{name}` holds an iterator, which is used up")
        yield from (reason for value in values if (reason := _why_shared(module, value)) is not None)
        if any(is_fillable(module, value) for value in values):
            yield from _attribute_filled(module, name, nests=any(holds_fillable(module, value) for value in values))


def _attribute_filled(module: Module, name: str, *, nests: bool) -> Iterator[Reason]:
    """What may change in place what an attribute holds, of whatever object."""
    if module.surroundings.project.ask(FILLS, name):
        yield Reason(Code.CHANGED_ELSEWHERE, f"another file may change what an attribute `{name}` holds")
    if not {name, ANY_NAME}.isdisjoint(taken_by_name(module)):
        yield Reason(Code.ESCAPES, f"code that may change what `{name}` holds reads it by its name")
    for use in module.attributes(name):
        if isinstance(use.ctx, ast.Load) and not only_reads(module, use, nests=nests):
            text = f"line {use.lineno} passes `{module.text(use)}` to code that may change it"
            yield Reason(Code.ESCAPES, text, use.lineno)


def _why_shared(module: Module, held: ast.expr) -> Reason | None:
    """Why what a variable of the module holds may be refilled under that name, of one that an object keeps."""
    value = _of_module(module, held)
    if not isinstance(held, ast.Name) or value is None or not is_fillable(module, value):
        return None
    if module.surroundings.project.ask(FILLS, held.id):
        return Reason(Code.CHANGED_ELSEWHERE, f"another file may change what `{held.id}` holds")
    others = (use for use in module.reads(held.id, module.tree) if use is not held)
    nests = holds_fillable(module, value)
    strange = next((use for use in others if not only_reads(module, use, nests=nests)), None)
    if strange is None and held.id not in changes_of(module).roots:
        return None
    return Reason(Code.MUTATED, f"`{held.id}`, which an object keeps, may be changed in place")


def _is_used_up(module: Module, value: ast.expr) -> bool:
    """Whether `value` makes an iterator."""
    if not isinstance(value, ast.Call):
        return isinstance(value, ast.GeneratorExp)
    is_builtin = isinstance(value.func, ast.Name) and module.scope_of(value.func.id, value) is None
    return (is_builtin and module.text(value.func) in _LAZY) or (module.qualname(value.func) or "").startswith(
        "itertools."
    )


def _of_module(module: Module, held: ast.expr) -> ast.expr | None:
    is_global = isinstance(held, ast.Name) and module.scope_of(held.id, held) is module.tree
    return module.only_value(held) if is_global and isinstance(held, ast.Name) else None


def _given_filled(module: Module, value: ast.expr | None) -> Iterator[Reason]:
    """What may refill a list, a dictionary or a NumPy array that an object of a class of this file was given."""
    for call in (node for node in walk(value) if isinstance(node, ast.Call)) if value is not None else ():
        owner = class_of(module, call.func)
        members = owner.body if owner is not None else ()
        for made in (each for each in members if isinstance(each, ast.FunctionDef) and each.name in INITIALISERS):
            for parameter, given in (arguments_of(made, call, bound=True) or {}).items():
                if given is None:
                    continue
                if (reason := _why_shared(module, given)) is not None:
                    yield reason
                if is_fillable(module, _of_module(module, given) or given):
                    for name in _kept_as(module, made, parameter):
                        yield from _attribute_filled(module, name, nests=True)


def _kept_as(module: Module, made: ast.FunctionDef, parameter: str) -> list[str]:
    """The attributes that an initialiser binds to what it is given."""
    bound = (module.parent(use) for use in module.reads(parameter, made))
    targets = (target for each in bound if isinstance(each, ast.Assign) for target in each.targets)
    return [target.attr for target in targets if isinstance(target, ast.Attribute)]


def _attributes(module: Module, owner: ast.ClassDef) -> set[str]:
    """What an object of the class is made with, and what the class gives it."""
    made = (member for member in owner.body if isinstance(member, ast.FunctionDef) and member.name in INITIALISERS)
    nodes = (node for member in made for node in walk(member) if isinstance(node, ast.Attribute))
    return {node.attr for node in nodes if isinstance(node.ctx, ast.Store)} | module.names.bound_in(owner)


def changes_itself(module: Module, owner: ast.ClassDef) -> bool:
    """Whether a method of the class, or of a base in this file, changes what its object holds."""
    return any(_changing_method(module, each) is not None for each in family(module, owner))


def _changing_method(module: Module, owner: ast.ClassDef) -> ast.FunctionDef | None:
    members = (member for member in owner.body if isinstance(member, ast.FunctionDef))
    later = (member for member in members if member.name not in INITIALISERS)
    return next((each for each in later if is_changing(module, each)), None)


def is_changing(module: Module, method: ast.FunctionDef) -> bool:
    """Whether a method changes what its first parameter holds."""
    return any(_stores_own(module, node) for node in walk(method))


def _stores_own(module: Module, node: ast.AST) -> bool:
    match node:
        case ast.Attribute(value=value, ctx=ast.Store() | ast.Del()):
            return is_own_object(module, value)
        case ast.Subscript(value=ast.Attribute(value=value), ctx=ast.Store() | ast.Del()):
            return is_own_object(module, value)
        case ast.Call(func=ast.Attribute(value=ast.Attribute(value=value), attr=attr)) if attr in MUTATORS:
            return is_own_object(module, value) and isinstance(module.parent(node), ast.Expr)
    return False
