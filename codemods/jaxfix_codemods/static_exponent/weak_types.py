"""Whether anything can tell that a floating scalar is strongly typed and not weakly, or the other way round.

A weakly typed one takes the dtype of an array that it meets; a strongly typed one may promote it. Where it only meets
numbers and integers, or is cast, compared or asked for before it meets an array, is unknown.
"""

import ast

from jaxfix.api import FUNCTIONS, Function, Module
from jaxfix.api.analysis import MAY, Form, Kind, Solver, Values, is_script, positional_of
from jaxfix.api.library import Member, Result, WeakType, short_names

_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)


_KEEPING = short_names(WeakType.KEPT)


_CONVERTING = short_names(Result.CONVERTED)
_TRUTHS = short_names(WeakType.IGNORED, "jax.numpy")


_STATIC = short_names(Member.STATIC)
_STRONG = short_names(WeakType.IGNORED, "jax.Array")
_NUMBERS = short_names(WeakType.IGNORED, "builtins")


def weak_type_is_observable(module: Module, value: ast.expr) -> bool:
    """Whether the code may act otherwise if `value`, a floating scalar, were weakly typed instead of strongly."""
    return module.get(_Followed).reaches(value)


class _Followed:
    """Follows values to where they are used up."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._values = module.get(Values)
        self.reaches: Solver[ast.expr, bool] = Solver(self._reaches, MAY)

    def _reaches(self, node: ast.expr) -> bool:
        """Whether the value of `node` reaches something that can tell."""
        match self._module.parent(node):
            case ast.BinOp(left=left, op=op, right=right) as whole if isinstance(op, _ARITHMETIC):
                return self._meets(right if node is left else left) or self.reaches(whole)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd()) as whole:
                return self.reaches(whole)
            case ast.Compare(left=left, comparators=others):
                return any(self._meets(other) for other in (left, *others) if other is not node)
            case ast.IfExp(test=test) as whole:
                return node is not test and self.reaches(whole)
            case ast.If(test=test) | ast.While(test=test) | ast.Assert(test=test):
                return node is not test
            case ast.Expr():
                return False
            case ast.Attribute(attr=attr) as attribute:
                return self._attribute(attribute, attr)
            case ast.Call() as call:
                return self._argument(call, node)
            case ast.keyword(arg=str(name)) as keyword:
                taker = self._module.parent(keyword)
                return not isinstance(taker, ast.Call) or self._parameter(taker, name)
            case ast.Assign(targets=[ast.Name() as target], value=value) if value is node:
                return self._variable(target)
            case ast.AnnAssign(target=ast.Name() as target) | ast.NamedExpr(target=target) as binding:
                told = self._variable(target)
                return told or (isinstance(binding, ast.NamedExpr) and self.reaches(binding))
            case ast.Return():
                return self._result(node)
            case ast.Lambda(body=body) as function if body is node:
                return self._calls(function)
        return True

    def _meets(self, other: ast.expr) -> bool:
        """Whether `other` may be an array whose dtype depends on what it meets."""
        value = self._values.of(other)
        if value.form is Form.PYTHON or (value.form is Form.WEAK and value.scalar):
            return False
        return value.kind not in (Kind.INT, Kind.BOOL)

    def _attribute(self, attribute: ast.Attribute, attr: str) -> bool:
        parent = self._module.parent(attribute)
        if attr in _STATIC:
            return False
        is_called = isinstance(parent, ast.Call) and parent.func is attribute
        return not (is_called and attr in _STRONG)

    def _argument(self, call: ast.Call, node: ast.expr) -> bool:
        if node is call.func or any(isinstance(a, ast.Starred) for a in call.args):
            return True
        position = call.args.index(node)
        package, _, name = (self._module.qualname(call.func) or "").rpartition(".")
        if package == "jax.numpy":
            return self._in_numpy(call, name, position)
        if isinstance(call.func, ast.Name) and self._module.scope_of(call.func.id, call) is None:
            return call.func.id not in _NUMBERS
        function = self._values.origins.called(call)
        if function is None:
            return True
        parameters = positional_of(function.args)
        return position >= len(parameters) or self._loads(parameters[position].arg, function)

    def _in_numpy(self, call: ast.Call, name: str, position: int) -> bool:
        if name in _CONVERTING and position == 0:
            typed = len(call.args) > 1 or any(k.arg == "dtype" for k in call.keywords)
            return not typed and self.reaches(call)
        if name in _TRUTHS:
            return any(self._meets(other) for other in call.args if call.args.index(other) != position)
        if name == "where":
            others = [a for i, a in enumerate(call.args) if i not in (0, position)]
            return position > 0 and (any(map(self._meets, others)) or self.reaches(call))
        if name not in _KEEPING or call.keywords:
            return True
        others = [a for i, a in enumerate(call.args) if i != position]
        return any(map(self._meets, others)) or self.reaches(call)

    def _parameter(self, call: ast.Call, name: str) -> bool:
        function = self._values.origins.called(call)
        if function is None:
            return True
        return name not in {p.arg for p in (*function.args.args, *function.args.kwonlyargs)} or self._loads(
            name, function
        )

    def _variable(self, target: ast.Name) -> bool:
        scope = self._module.scope_of(target.id, target)
        if scope is None or not isinstance(scope, FUNCTIONS):
            return True  # a variable that other code can read
        return self._loads(target.id, scope)

    def _loads(self, name: str, function: Function) -> bool:
        return any(
            self._is_changed(use) if not isinstance(use.ctx, ast.Load) else self.reaches(use)
            for use in self._module.uses(name, function)
        )

    def _is_changed(self, target: ast.Name) -> bool:
        """Whether a store to the variable computes with what it held."""
        match self._module.parent(target):
            case ast.AugAssign(value=value):
                return self._meets(value)
        return False

    def _result(self, node: ast.expr) -> bool:
        function = self._module.function(node)
        return function is None or self._calls(function)

    def _calls(self, function: Function) -> bool:
        """Whether a call of `function` tells; yes where not all of them can be read."""
        if isinstance(function, ast.Lambda) or function.decorator_list or self._is_open(function):
            return True
        for use in self._module.loads(function.name):
            call = self._module.parent(use)
            if not isinstance(call, ast.Call) or call.func is not use or self.reaches(call):
                return True
        return False

    def _is_open(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
        """Whether unknown code may call `function`."""
        inside = self._module.function(function) is not None
        private = inside or is_script(self._module) or function.name.startswith("_")
        return not private or isinstance(self._module.parent(function), ast.ClassDef)
