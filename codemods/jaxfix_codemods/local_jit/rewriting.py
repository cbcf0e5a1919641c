"""The move itself, as text."""

import ast
import keyword
import re
from dataclasses import replace

from jaxfix.api import Identifiers, Module, Rewriter
from jaxfix.api.analysis import hoisting, positional_of
from jaxfix_codemods.local_jit.judging import Plan
from jaxfix_codemods.local_jit.sites import Site


def rewrite(module: Module, plan: Plan, edit: Rewriter) -> None:
    name = _name(module, plan)
    parameters = _parameters(module, plan)
    if plan.site.function is not None:
        edit.hoist(
            plan.site.function, plan.at, name, () if plan.site.function.args.args else tuple(parameters.values())
        )
        _take(module, plan, plan.site.function, parameters, edit)
        if plan.site.renamed is not None:
            _jit_again(module, plan, plan.site.renamed, name, edit)
        uses: list[ast.expr] = list(plan.site.stay.names)
    elif _is_moved_as_it_is(module, plan):
        _move(module, plan, name, edit)
        uses = [plan.site.at] if isinstance(plan.site.at, ast.Lambda) else []
    else:
        first = plan if plan.shared is None else replace(plan, site=plan.shared.first)
        text = _made(module, first, parameters, edit)
        if plan.is_before:
            edit.insert_before(plan.at, f"{name} = {text}", below_hoisted=True)
        else:
            edit.insert_after(plan.at, f"{name} = {text}")
        uses = [plan.site.at] if plan.keeps_variable else _replaced(module, plan.site, edit)
    for use in uses:
        edit.replace(use, name)
    for call in plan.site.stay.calls:
        for one in plan.lifted:
            if call.keywords:
                edit.set_keyword(call, parameters[one.text], one.text)
            else:
                edit.insert_argument(call, one.text)


def _jit_again(module: Module, plan: Plan, renamed: ast.Assign, name: str, edit: Rewriter) -> None:
    """Moves `step = jax.jit(step)` below the function that it jits."""
    assert isinstance(plan.site.at, ast.Call)
    made = module.substitute(plan.site.at, {plan.site.at.args[0]: name})
    edit.insert_before(plan.at, f"{name} = {made}", below_hoisted=True)
    edit.delete(renamed)


def _name(module: Module, plan: Plan) -> str:
    if plan.shared is not None:
        return plan.shared.name
    return _kept_name(plan) or module.get(Identifiers).unused(new_name(module, plan))


def _kept_name(plan: Plan) -> str | None:
    """The name that it has, where it stays in its function."""
    if not plan.stays:
        return None
    is_deleted = bool(plan.site.stay.targets) and plan.site.at.lineno == plan.site.at.end_lineno
    named = plan.site.stay.targets[0].id if is_deleted else None
    return plan.site.function.name if plan.site.function is not None else named


def new_name(module: Module, plan: Plan) -> str:
    """From the function around and what is jitted there, such as `_train_step`."""
    own = own_name(module, plan.site)
    if plan.stays:
        return own
    return _joined(caller(module, plan.site), own)


def caller(module: Module, site: Site) -> str:
    """The name of the function around; empty at the top of a file, and in a lambda."""
    around = module.path(site.taker or site.at).rpartition("<locals>.")[2].rpartition(".")[2].strip("_<>")
    return "" if around in ("module", "lambda") else around


def _joined(caller: str, own: str) -> str:
    return "_" + (own if own == caller or own.startswith(f"{caller}_") else "_".join(p for p in (caller, own) if p))


def own_name(module: Module, site: Site) -> str:
    """From what is jitted, such as `vmap_loss`."""
    if site.function is not None:
        return site.function.name.strip("_")
    if site.stay.targets:
        return site.stay.targets[0].id.strip("_") or "jitted"
    parts: list[str] = []
    expr = site.inner
    while isinstance(expr, ast.Call) and expr.args:
        last = (module.qualname(expr.func) or "").rpartition(".")[2]
        parts.append("" if last in ("partial", "Partial", "jit") else last)
        expr = expr.args[0]
    match expr:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            parts.append(name.strip("_"))
        case _:
            parts.append("jitted" if site.taker is None else "function")
    return "_".join(part for part in parts if part)


def _is_moved_as_it_is(module: Module, plan: Plan) -> bool:
    """Whether the function alone moves, to be passed."""
    return plan.site.taker is not None and (plan.function is plan.site.at or isinstance(plan.site.at, ast.Name))


def _move(module: Module, plan: Plan, name: str, edit: Rewriter) -> None:
    if isinstance(plan.function, ast.FunctionDef):
        edit.hoist(plan.function, plan.at, name)
        for use in hoisting.reads(module, plan.function):
            edit.replace(use, name)
    elif isinstance(plan.function, ast.Lambda):
        body = hoisting.dedented(module.text(plan.function.body), hoisting.indentation(module, plan.function)).replace(
            "\n", "\n    "
        )
        parameters = ast.unparse(plan.function.args)
        if "\n" in body:
            body = f"({body})"
        edit.insert_before(plan.at, f"def {name}({parameters}):\n    return {body}\n")


def _parameters(module: Module, plan: Plan) -> dict[str, str]:
    """What the function calls each thing that it is passed."""
    found: dict[str, str] = {}
    if plan.function is None:
        return found
    used = hoisting.names_in(module, plan.function)
    for one in plan.lifted:
        own = re.findall(r"\w+", one.text)[-1]
        own = own if own.isidentifier() and not keyword.iskeyword(own) else one.name
        is_taken = own in found.values() or (own != one.name and own in used)
        found[one.text] = module.get(Identifiers).unused(own) if is_taken else own
    return found


def _take(module: Module, plan: Plan, function: ast.FunctionDef, parameters: dict[str, str], edit: Rewriter) -> None:
    """Adds the further parameters to a moved `def`, after its own."""
    own = positional_of(function.args)
    if own and parameters:
        edit.replace(own[-1], ", ".join((module.text(own[-1]), *parameters.values())))
    for node, text in _renamed(plan, parameters).items():
        edit.replace(node, text)


def _renamed(plan: Plan, parameters: dict[str, str]) -> dict[ast.AST, str]:
    return {use: parameters[one.text] for one in plan.lifted for use in one.uses if one.text != parameters[one.text]}


def _made(module: Module, plan: Plan, parameters: dict[str, str], edit: Rewriter) -> str:
    """The text that makes the jit at its new place; its function moves there first if it is a local `def`."""
    site = plan.site
    inside: dict[ast.AST, str] = {}
    if isinstance(plan.function, ast.Lambda):
        inside |= _longer(module, plan.function, parameters, _renamed(plan, parameters))
    elif isinstance(plan.function, ast.FunctionDef):
        moved = _moved(module, plan, plan.function, parameters, edit)
        for node in hoisting.reads(module, plan.function):
            if site.at in module.ancestors(node):
                inside[node] = moved
            else:
                edit.replace(node, moved)
    return hoisting.dedented(module.substitute(site.at, inside), hoisting.indentation(module, site.at))


def _longer(
    module: Module, function: ast.Lambda, parameters: dict[str, str], renamed: dict[ast.AST, str]
) -> dict[ast.AST, str]:
    """What to replace in a lambda for it to take the further parameters."""
    own = positional_of(function.args)
    if not parameters:
        return renamed
    if not own:
        return {function: f"lambda {', '.join(parameters.values())}: {module.substitute(function.body, renamed)}"}
    return renamed | {own[-1]: ", ".join((module.text(own[-1]), *parameters.values()))}


def _moved(module: Module, plan: Plan, function: ast.FunctionDef, parameters: dict[str, str], edit: Rewriter) -> str:
    own = function.name.strip("_")
    name = module.get(Identifiers).unused(own if plan.stays else _joined(caller(module, plan.site), own))
    edit.hoist(function, plan.at, name, () if function.args.args else tuple(parameters.values()))
    _take(module, plan, function, parameters, edit)
    return name


def _replaced(module: Module, site: Site, edit: Rewriter) -> list[ast.expr]:
    """The expressions in whose place the new name is to stand; a variable for the jit alone goes."""
    if not site.stay.targets or site.at.lineno != site.at.end_lineno:
        return [site.at]  # with the comments in it
    edit.delete(module.statement(site.stay.targets[0]))
    return list(site.stay.names)
