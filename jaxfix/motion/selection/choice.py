"""The parts of a call of `lax.cond`: the predicate, and the value and operands of each branch."""

import ast
from collections.abc import Iterator

from jaxfix.dataflow.substitution import Names, Place, occurrences
from jaxfix.report.reason import Code, Declined, Reason
from jaxfix.semantic.calls import returned
from jaxfix.semantic.module import Module
from jaxfix.source.frozen import frozen
from jaxfix.staging.control_flow_calls import older_cond
from jaxfix.syntax.nodes import Function, walk
from jaxfix.syntax.signatures import positional_of

_KEYWORDS = frozenset({"pred", "true_fun", "false_fun", "operand"})


@frozen
class Branch:
    """One branch: `use` is what was passed, `function` is None for one of a library."""

    use: ast.expr
    function: Function | None
    operands: tuple[ast.expr, ...]

    @property
    def value(self) -> "SelectedValue":
        """The computed expression."""
        if self.function is None:
            return SelectedValue(self.use, {}, self.operands)
        arguments = self.function.args
        parameters = positional_of(arguments)
        names = {p.arg: operand for p, operand in zip(parameters, self.operands, strict=True)}
        return SelectedValue(returned(self.function)[0], names)


@frozen
class SelectedValue:
    """An expression of a branch, whose parameters stand for `names`; with `applied_to` a function of a library."""

    expr: ast.expr
    names: Names
    applied_to: tuple[ast.expr, ...] | None = None

    def places(self) -> Iterator[Place]:
        """Its parts that stand for expressions of the caller.

        Returns:
          Each as often as it occurs.
        """
        return occurrences(self.expr, self.names)


@frozen
class Choice:
    """A call of `lax.cond`, taken apart."""

    call: ast.Call
    predicate: ast.expr
    yes: Branch
    no: Branch

    @property
    def operands(self) -> tuple[ast.expr, ...]:
        """The operands of the branches, in the order of the text."""
        return tuple(dict.fromkeys((*self.yes.operands, *self.no.operands)))


def choice(module: Module, call: ast.Call) -> Choice:
    """The parts of `call`, a call of `lax.cond`.

    Raises:
      Declined: they cannot be read.
    """
    if (older := older_cond(module, call)) is not None:
        yes, no = ((older.true_fun, older.true_operand), (older.false_fun, older.false_operand))
        return Choice(call, older.pred, *(_branch(module, use, (operand,)) for use, operand in (yes, no)))
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    if not keywords.keys() <= _KEYWORDS or any(isinstance(a, ast.Starred) for a in call.args):
        raise Declined(Reason(Code.STAR_ARGUMENTS, "its arguments cannot be read"))
    named = (name for name in ("pred", "true_fun", "false_fun")[len(call.args) :] if name in keywords)
    args = [*call.args, *(keywords[name] for name in named)]
    if len(args) < 3:
        raise Declined(Reason(Code.STAR_ARGUMENTS, "its arguments cannot be read"))
    operands = (*args[3:], *((keywords["operand"],) if "operand" in keywords else ()))
    first, second = (_branch(module, use, operands) for use in args[1:3])
    return Choice(call, args[0], first, second)


def _branch(module: Module, use: ast.expr, operands: tuple[ast.expr, ...]) -> Branch:
    function = module.definition(use)
    shown = "a branch" if isinstance(use, ast.Lambda) else f"`{one_line(module, use)}`"
    if function is None:
        if not (module.qualname(use) or "").startswith("jax.numpy."):
            raise Declined(Reason(Code.UNREAD, f"the result of {shown} is unknown"))
        return Branch(use, None, operands)
    if isinstance(function, ast.AsyncFunctionDef) or (
        isinstance(function, ast.FunctionDef) and function.decorator_list
    ):
        raise Declined(Reason(Code.DECORATED, f"{shown} is decorated, or a coroutine"))
    if isinstance(function, ast.FunctionDef) and not _only_returns(function):
        raise Declined(Reason(Code.SIDE_EFFECT, f"{shown} does more than return a value"))
    arguments = function.args
    if arguments.vararg or arguments.kwarg or arguments.kwonlyargs:
        raise Declined(Reason(Code.SIGNATURE, f"the parameters of {shown} are unknown"))
    if len(positional_of(arguments)) != len(operands):
        raise Declined(Reason(Code.SIGNATURE, f"the parameters of {shown} do not match its operands"))
    branch = Branch(use, function, operands)
    for name in walk(branch.value.expr):
        if isinstance(name, ast.Name) and _is_another(module, name, branch):
            raise Declined(Reason(Code.NAME_CLASH, f"`{name.id}` means another variable in {shown}"))
    return branch


def _is_another(module: Module, name: ast.Name, branch: Branch) -> bool:
    """Whether `name` in the branch means something else where the branch is passed."""
    if name.id in branch.value.names:
        return False
    return module.scope_of(name.id, name) is not module.scope_of(name.id, branch.use)


def _only_returns(function: ast.FunctionDef) -> bool:
    match function.body:
        case [ast.Return(value=ast.expr())]:
            return True
        case [ast.Expr(value=ast.Constant(value=str())), ast.Return(value=ast.expr())]:
            return True
    return False


def one_line(module: Module, node: ast.AST) -> str:
    """The text of `node` in one line."""
    return " ".join(module.text(node).split())
