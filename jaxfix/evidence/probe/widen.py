"""Runs a program with every float in double precision, whatever dtypes its code asks for.

A value that the program makes narrower on purpose is rounded to what it asks for, and goes on in double precision: what
a rewrite rounds and the original does not is seen. What works on bits runs as the program has it.
"""

import importlib
from collections.abc import Callable, Sequence
from typing import Any

from .jaxprs import CALLED, CALLS, scanned

_AS_IT_IS = {"bitcast_convert_type", "nextafter", "pure_callback", "io_callback", "debug_callback"}
Values = list[Any]


class Wide:
    """Runs jaxprs with every float in double precision; only where jax is set to have it."""

    def __init__(self) -> None:
        self.jax, self.np = importlib.import_module("jax"), importlib.import_module("numpy")
        self.lax = self.jax.lax

    def closed(self, program: Any, inputs: Sequence[Any]) -> Values:
        """What the program returns of these arrays."""
        consts = getattr(program, "consts", ())
        return self._jaxpr(getattr(program, "jaxpr", program), list(map(self.widened, consts)), inputs)

    def widened(self, value: Any) -> Any:
        """The value in double precision, if it is of floats."""
        dtype = self._wide(value.dtype) if hasattr(value, "dtype") else None
        return value if dtype is None else self.lax.convert_element_type(value, dtype)

    def _jaxpr(self, jaxpr: Any, consts: Values, inputs: Sequence[Any]) -> Values:
        known = dict(zip((*jaxpr.constvars, *jaxpr.invars), (*consts, *map(self.widened, inputs)), strict=True))

        def read(atom: Any) -> Any:
            if not hasattr(atom, "val"):
                return known[atom]
            return self.widened(self.np.asarray(atom.val, atom.aval.dtype))

        for equation in jaxpr.eqns:
            made = self._equation(equation, list(map(read, equation.invars)))
            known.update(zip(equation.outvars, map(self.widened, made), strict=True))
        return list(map(read, jaxpr.outvars))

    def _equation(self, equation: Any, inputs: Values) -> Values:
        name, params = equation.primitive.name, equation.params
        called = next((params[key] for key in CALLED if key in params), None)
        if name in CALLS and called is not None:
            return self.closed(called, inputs)
        if name == "scan":
            return self._scan(params, inputs)
        if name == "while":
            return self._while(params, inputs)
        if name == "cond":
            return list(self.lax.switch(inputs[0], list(map(self._branch, params["branches"])), *inputs[1:]))
        if name == "convert_element_type":
            return [self._converted(equation.invars[0].aval.dtype, params["new_dtype"], inputs[0])]
        if name not in _AS_IT_IS and not any(map(_is_program, params.values())):
            try:
                return self._bound(equation, inputs, {key: self._asked(value) for key, value in params.items()})
            except Exception:
                pass  # it has no form in double precision
        narrow = [self._narrowed(value, var.aval) for value, var in zip(inputs, equation.invars, strict=True)]
        return self._bound(equation, narrow, params)

    def _bound(self, equation: Any, inputs: Values, params: dict[str, Any]) -> Values:
        found = equation.primitive.get_bind_params(params)
        functions, rest = found if isinstance(found, tuple) else ((), found)  # before jax 0.9
        made = equation.primitive.bind(*functions, *inputs, **rest)
        return list(made) if equation.primitive.multiple_results else [made]

    def _scan(self, params: dict[str, Any], inputs: Values) -> Values:
        first, count = scanned(params)
        consts = inputs[:first]

        def body(carried: Values, row: Values) -> tuple[Values, Values]:
            made = self.closed(params["jaxpr"], [*consts, *carried, *row])
            return made[:count], made[count:]

        how = {key: params[key] for key in ("length", "reverse", "unroll")}
        carried, rows = self.lax.scan(body, inputs[first : first + count], inputs[first + count :], **how)
        return [*carried, *rows]

    def _while(self, params: dict[str, Any], inputs: Values) -> Values:
        first, second = params["cond_nconsts"], params["cond_nconsts"] + params["body_nconsts"]

        def condition(carried: Values) -> Any:
            return self.closed(params["cond_jaxpr"], [*inputs[:first], *carried])[0]

        def body(carried: Values) -> Values:
            return self.closed(params["body_jaxpr"], [*inputs[first:second], *carried])

        return list(self.lax.while_loop(condition, body, inputs[second:]))

    def _branch(self, program: Any) -> Callable[..., Values]:
        return lambda *operands: self.closed(program, operands)

    def _converted(self, source: Any, target: Any, value: Any) -> Any:
        """The value as another dtype; rounded where that has fewer digits than what it was."""
        wide = self._wide(target)
        if wide is None:
            return self.lax.convert_element_type(value, target)
        made = self.lax.convert_element_type(value, wide)
        info = self.jax.numpy.finfo(target)
        is_narrower = self._wide(source) is None or info.nmant < self.jax.numpy.finfo(source).nmant
        is_complex = self.np.dtype(wide).kind == "c"
        return self.lax.reduce_precision(made, info.nexp, info.nmant) if is_narrower and not is_complex else made

    def _narrowed(self, value: Any, aval: Any) -> Any:
        dtype = getattr(aval, "dtype", None)
        return value if self._wide(dtype) is None else self.lax.convert_element_type(value, dtype)

    def _asked(self, value: Any) -> Any:
        """A parameter of an operation, in double precision where it is a dtype of floats."""
        is_dtype = isinstance(value, self.np.dtype) or (isinstance(value, type) and hasattr(value, "dtype"))
        wide = self._wide(self.np.dtype(value)) if is_dtype else None
        return value if wide is None else self.np.dtype(wide)

    def _wide(self, dtype: Any) -> Any:
        """The widest dtype of that kind; None for a dtype that is not floating."""
        issubdtype = self.jax.dtypes.issubdtype
        if dtype is None or issubdtype(dtype, self.jax.dtypes.extended) or not issubdtype(dtype, self.np.inexact):
            return None
        return self.np.complex128 if issubdtype(dtype, self.np.complexfloating) else self.np.float64


def _is_program(value: Any) -> bool:
    parts = value if isinstance(value, tuple | list) else (value,)
    return any(hasattr(getattr(part, "jaxpr", part), "eqns") for part in parts)
