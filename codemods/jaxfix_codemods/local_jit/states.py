"""A jit in a loop of what reads a state that the loop advances, such as a model: it can take that as an argument."""

import ast

from jaxfix.api import Code, Declined, Identifiers, Module, Reason, Rewriter, frozen, walk
from jaxfix.api.analysis import argument_values, binds_again, hoisting, positional_of, traced_uses
from jaxfix.api.library import Transform, where
from jaxfix_codemods.local_jit.judging import core
from jaxfix_codemods.local_jit.sites import Site

_FILTERING = where(Transform.FILTERS)
_PLAIN = "jax.jit"
_FILTERED = "equinox.filter_jit"


@frozen
class Advanced:
    """What a jitted function reads that the loop binds again.

    Attributes:
      states: what the loop advances, by calls that take it.
      data: what else the loop binds, and the function treats as arrays.
      is_called: one of the states is called, or methods of it are: it is a module, not all of whose leaves are arrays.
    """

    states: tuple[str, ...]
    data: tuple[str, ...]
    is_called: bool

    @property
    def names(self) -> tuple[str, ...]:
        """What the function is to take, states first."""
        return (*self.states, *self.data)


def advanced(module: Module, site: Site) -> Advanced | None:
    """The states that the function of `site` reads; None where it reads none, or another thing makes it another one."""
    function, loops = core(module, site), set(module.loops(site.made))
    if not isinstance(function, ast.FunctionDef | ast.Lambda) or not loops:
        return None
    states, data = list[str](), list[str]()
    for name in hoisting.outer_names(module, function, module.function(site.made)):
        bound = [b.node for b in module.bindings(name, module.scope_of(name, function))]
        inside = [node for node in bound if loops & set(module.ancestors(node))]
        if not inside:
            continue
        uses = [*traced_uses.uses(module, function, name)]
        if all(_is_advance(module, node, name) for node in inside) and all(_is_of_state(module, use) for use in uses):
            states.append(name)
        elif any(traced_uses.concrete_use(module, use) is not None for use in uses):
            return None
        else:
            data.append(name)
    called = any(_is_called(module, use) for name in states for use in traced_uses.uses(module, function, name))
    return Advanced(tuple(states), tuple(data), called) if states else None


def _is_advance(module: Module, node: ast.AST, name: str) -> bool:
    """Whether `node` binds the variable to what a call makes of it, as `model, loss = step(model, batch)` does."""
    statement = module.statement(node)
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
        return False
    call = statement.value
    passed = [each for each in argument_values(call) if isinstance(each, ast.Name) and each.id == name]
    return any(binds_again(module, call, each) for each in passed)


def _is_of_state(module: Module, use: ast.expr) -> bool:
    """Whether a tree of arrays does there: it is called, read by fields, passed on, or computed with."""
    match module.parent(use):
        case ast.Call(func=func) if func is use:
            return True
        case ast.Call(func=ast.Name(id=name) as func) if module.scope_of(name, func) is None:
            return False  # of a builtin
        case ast.Call(func=func) if not (module.qualname(func) or "").startswith("jax."):
            return True
        case ast.Attribute():
            return True
    return traced_uses.concrete_use(module, use) is None


def _is_called(module: Module, use: ast.expr) -> bool:
    parent = module.parent(use)
    return (isinstance(parent, ast.Call) and parent.func is use) or isinstance(parent, ast.Attribute)


@frozen
class Given:
    """What is made before the loop: `text` under `name`, for `calls`, which pass `names` first."""

    site: Site
    loop: ast.stmt
    text: str
    by: str
    name: str
    names: tuple[str, ...]
    calls: tuple[ast.Call, ...]


def judge(module: Module, site: Site, found: Advanced) -> Given:
    """How the function of `site` can take what the loop advances.

    Raises:
      Declined: it cannot, and why.
    """
    at = site.at
    hoisting.check_text(module, at, "it")
    if not isinstance(at, ast.Call) or site.function is not None or site.taker is not None:
        raise Declined(Reason(Code.LAYOUT, f"it is defined in the loop, and would have to take `{found.names[0]}`"))
    if at.keywords or len(at.args) != 1:
        raise Declined(Reason(Code.SIGNATURE, "the options of the jit are given per argument"))
    by = site.by
    if found.is_called and by not in _FILTERING:
        if by != _PLAIN or not any(name.startswith("equinox") for name in module.names.imports.values()):
            raise Declined(Reason(Code.NO_ARRAY, f"`{found.states[0]}` is called, and may hold more than arrays"))
        by = _FILTERED
    loop = _outermost(module, site)
    _check_kept(module, site, loop, found)
    inner, names = at.args[0], found.names
    calls = _calls(module, site)
    if not isinstance(inner, ast.Lambda) and any(call.keywords for call in calls):
        raise Declined(Reason(Code.SIGNATURE, f"`{module.text(inner)}` is called by keywords"))
    named = site.stay.targets[0].id if site.stay.targets else None
    return Given(site, loop, _made(module, inner, names), by, named or _unused(module, found), names, calls)


def rewrite(module: Module, plan: Given, edit: Rewriter) -> None:
    at = plan.site.at
    assert isinstance(at, ast.Call)
    by = module.text(at.func)
    if plan.by != plan.site.by:
        by = f"{edit.imported('equinox', prefer='eqx', at=at)}.filter_jit"
    edit.insert_before(plan.loop, f"{plan.name} = {by}({plan.text})")
    if plan.site.stay.targets:
        edit.delete(module.statement(plan.site.stay.targets[0]))
    else:
        edit.replace(at, plan.name)
    for call in plan.calls:
        for name in plan.names:
            edit.insert_argument(call, name, before=0)


def _outermost(module: Module, site: Site) -> ast.stmt:
    loops = [loop for loop in module.loops(site.made) if isinstance(loop, ast.For | ast.While)]
    if len(loops) != len(module.loops(site.made)):
        raise Declined(Reason(Code.NO_PLACE, "it is made in a comprehension"))
    return loops[-1]


def _check_kept(module: Module, site: Site, loop: ast.stmt, found: Advanced) -> None:
    """What it reads beside stays unchanged while the loop runs, and is there before it."""
    function = core(module, site)
    assert isinstance(function, ast.FunctionDef | ast.Lambda)
    if isinstance(function, ast.FunctionDef) and loop in module.ancestors(function):
        raise Declined(Reason(Code.LAYOUT, f"it is defined in the loop, and would have to take `{found.names[0]}`"))
    if any(
        not isinstance(each, ast.Constant) for each in (*function.args.defaults, *function.args.kw_defaults) if each
    ):
        raise Declined(Reason(Code.SIGNATURE, "a parameter has a default that is evaluated in every iteration"))
    around = module.function(site.made)
    for name in hoisting.outer_names(module, function, around):
        scope = module.scope_of(name, function)
        for binding in module.bindings(name, scope) if name not in found.names else ():
            if scope is around and getattr(binding.node, "lineno", loop.lineno) > loop.lineno:
                raise Declined(Reason(Code.NO_PLACE, f"`{name}` is bound too late"))
    for node in walk(site.at):
        if isinstance(node, ast.NamedExpr | ast.Await | ast.Yield):
            raise Declined(Reason(Code.LAYOUT, "it binds a variable where it is made"))


def _calls(module: Module, site: Site) -> tuple[ast.Call, ...]:
    if len(site.stay.targets) > 1 or site.stay.handed:
        raise Declined(Reason(Code.OTHER_USES, "it is passed on, to code that may call it differently"))
    for target in site.stay.targets:
        if len(module.bindings(target.id, module.scope_of(target.id, target))) > 1:
            raise Declined(Reason(Code.REBOUND, f"`{target.id}` is bound more than once"))
    if len(site.stay.calls) != 1 or module.loops(site.stay.calls[0]) != module.loops(site.made):
        raise Declined(Reason(Code.UNSTABLE, "it is called more than once, and keeps what it held at the first call"))
    for call in site.stay.calls:
        if any(isinstance(argument, ast.Starred) for argument in call.args):
            raise Declined(Reason(Code.STAR_ARGUMENTS, f"line {call.lineno} calls it with `*`"))
    return tuple(site.stay.calls)


def _made(module: Module, inner: ast.expr, names: tuple[str, ...]) -> str:
    """The function that takes `names` first: a lambda gets them, anything else is made inside of one."""
    taken = ", ".join(names)
    match inner:
        case ast.Lambda(args=arguments, body=body):
            own = ", ".join(part for part in (taken, ast.unparse(arguments)) if part)
            if {a.arg for a in positional_of(arguments)} & set(names):
                raise Declined(Reason(Code.NAME_CLASH, f"a parameter of it is called `{names[0]}`"))
            return f"lambda {own}: {' '.join(module.text(body).split())}"
    return f"lambda {taken}, *args: {' '.join(module.text(inner).split())}(*args)"


def _unused(module: Module, found: Advanced) -> str:
    return module.get(Identifiers).unused(f"run_{found.states[0]}")
