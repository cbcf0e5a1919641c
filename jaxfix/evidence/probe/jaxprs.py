"""Whether two functions are the same program to jax.

Every value of a program gets a number: that of its operation on the numbers of its operands. Two values with the same
number are computed in the same way, so neither names nor the order of what does not depend on each other matter, nor
unused values. Calls are looked into, and what a loop only passes on is what it was before the loop.
"""

import dataclasses
import enum
import hashlib
import importlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

CALLS = {
    *("pjit", "jit", "closed_call", "core_call", "core_closed_call", "remat", "remat2", "checkpoint"),
    *("custom_jvp_call", "custom_vjp_call", "custom_vjp_call_jaxpr", "custom_lin"),
}
CALLED = ("jaxpr", "call_jaxpr", "fun_jaxpr")
_PLACED = ("in_shardings", "out_shardings", "in_layouts", "out_layouts", "compiler_options_kvs")
_IGNORED = {"name", "debug_info", "jaxpr_debug_info", "linear", "_split_transpose"}
_STATEFUL = {"rng_uniform", "infeed", "outfeed"}  # without telling jax that these have effects
_PLAIN = bool | int | float | complex | str | bytes | None
Numbers = list[int]
Part = tuple[tuple[int, ...], tuple[int, ...]]
"""What a part of a program returns and does."""


class Untraced(Exception):
    """A function is not a program to jax."""


def same_program(
    one: Callable[..., Any], other: Callable[..., Any], arguments: list[Any], *, donations: bool = False
) -> bool:
    """Whether both are the same program, of arrays or abstract values like these.

    Programs with callbacks are the same if these are the same objects. One that returns and does nothing is the same as
    none: what it computes is lost to jax, though a run may show it.

    Args:
      donations: whether what becomes of the arguments counts too, and not the results alone.

    Raises:
      Untraced: one of them cannot be traced.
    """
    numbering = Numbering(donations)
    found = numbering.of(one, arguments)
    return bool(found == numbering.of(other, arguments) and (found.returned or found.effects))


class _Program(NamedTuple):
    """What a function returns, and whether weakly typed, and does."""

    structure: str
    returned: tuple[int, ...]
    weak: tuple[bool, ...]
    effects: tuple[int, ...]


class _Turn(NamedTuple):
    """One turn of a loop: which places of its carry change, the carry, what a turn returns and what it does."""

    moving: list[int]
    carried: Numbers
    returned: tuple[int, ...]
    done: tuple[int, ...]

    def told(self, init: Numbers) -> Any:
        """For each value that changes in a loop: its initial, carried and returned numbers."""
        return tuple((init[place], self.carried[place], self.returned[place]) for place in self.moving)


class Numbering:
    """The numbers of values: equal for what is computed in the same way."""

    def __init__(self, donations: bool = False) -> None:
        self.donations = donations
        self.numbers: dict[Any, int] = {}
        self.kept: list[Any] = []  # what is compared by its identity
        self.effects: list[int] = []

    def of(self, function: Callable[..., Any], arguments: list[Any]) -> "_Program":
        """What the function returns and does: structure, values and effects."""
        jax = importlib.import_module("jax")
        structure: list[Any] = []

        def run(*arrays: Any) -> Any:
            leaves, treedef = jax.tree_util.tree_flatten(function(*arrays))
            structure[:] = [treedef]
            return leaves

        try:
            program = jax.make_jaxpr(run)(*arguments)
        except Exception as error:
            raise Untraced from error
        self.effects = []
        inputs = [self._new("argument", place, _type(var.aval)) for place, var in enumerate(program.jaxpr.invars)]
        returned = self._closed(program, inputs, 0)
        weak = [bool(getattr(var.aval, "weak_type", False)) for var in program.jaxpr.outvars]
        return _Program(str(structure[0]), tuple(returned), tuple(weak), tuple(self.effects))

    def _new(self, *key: Any) -> int:
        return self.numbers.setdefault(key, len(self.numbers))

    def _closed(self, program: Any, inputs: Numbers, depth: int) -> Numbers:
        if not hasattr(program, "consts"):
            return self._jaxpr(program, [], inputs, depth)
        pairs = zip(program.jaxpr.constvars, program.consts, strict=True)
        consts = [self._constant(var.aval, value) for var, value in pairs]
        return self._jaxpr(program.jaxpr, consts, inputs, depth)

    def _jaxpr(self, jaxpr: Any, consts: Numbers, inputs: Numbers, depth: int) -> Numbers:
        known = dict(zip((*jaxpr.constvars, *jaxpr.invars), (*consts, *inputs), strict=True))

        def read(atom: Any) -> int:
            return self._constant(atom.aval, atom.val) if hasattr(atom, "val") else known[atom]

        for equation in jaxpr.eqns:
            made = self._equation(equation, list(map(read, equation.invars)), depth)
            known.update(zip(equation.outvars, made, strict=True))
        return [read(atom) for atom in jaxpr.outvars]

    def _equation(self, equation: Any, inputs: Numbers, depth: int) -> Numbers:
        name, params = equation.primitive.name, equation.params
        called = next((params[key] for key in CALLED if key in params), None)
        if name in CALLS and called is not None and not any(map(_is_placed, map(params.get, _PLACED))):
            if self.donations and depth == 0:
                self.effects += [self._new("donated", given) for given in _donated(inputs, params)]
            return self._closed(called, inputs, depth)
        if name == "scan":
            return self._scan(equation, inputs, depth)
        if name == "while":
            return self._while(equation, inputs, depth)
        kinds = [_type(var.aval) for var in equation.outvars]
        if name == "cond":
            branches = [self._inside(branch, inputs[1:], depth) for branch in params["branches"]]
            return self._results(kinds, ("cond", inputs[0], tuple(branches)), any(done for _, done in branches))
        if name == "convert_element_type" and _type(equation.invars[0].aval) == _type(equation.outvars[0].aval):
            return inputs  # it is no longer weakly typed, or is so now
        told = tuple((key, self._value(params[key], depth)) for key in sorted(params) if key not in _IGNORED)
        has_effects = bool(equation.effects) or name in _STATEFUL
        return self._results(kinds, (name, told, tuple(inputs)), has_effects)

    def _results(self, kinds: list[Any], key: Any, has_effects: bool) -> Numbers:
        key = (key, len(self.effects)) if has_effects else key
        if has_effects:
            self.effects.append(self._new("effect", key))
        return [self._new(key, place, kind) for place, kind in enumerate(kinds)]

    def _inside(self, program: Any, inputs: Numbers, depth: int) -> Part:
        """What a part of a program returns and does."""
        held, self.effects = self.effects, []
        returned = self._closed(program, inputs, depth + 1)
        done, self.effects = tuple(self.effects), held
        return tuple(returned), done

    def _scan(self, equation: Any, inputs: Numbers, depth: int) -> Numbers:
        params, body = equation.params, equation.params["jaxpr"]
        first, count = scanned(params)
        consts, init, rows = inputs[:first], inputs[first : first + count], inputs[first + count :]
        types = [_type(var.aval) for var in body.jaxpr.invars[first:]]
        row = [self._new("row", depth, place, kind) for place, kind in enumerate(types[count:])]
        turn = self._turns(init, types, depth, lambda carried: self._inside(body, [*consts, *carried, *row], depth))
        how = tuple((key, self._value(params.get(key), depth)) for key in ("length", "reverse", "unroll"))
        collected = turn.returned[count:]
        key = ("scan", how, turn.told(init), tuple(zip(row, rows, strict=True)), collected, turn.done)
        return self._after(equation, init, turn.moving, key, bool(turn.done))

    def _while(self, equation: Any, inputs: Numbers, depth: int) -> Numbers:
        params, body = equation.params, equation.params["body_jaxpr"]
        first, second = params["cond_nconsts"], params["cond_nconsts"] + params["body_nconsts"]
        init, consts = inputs[second:], inputs[first:second]
        types = [_type(var.aval) for var in body.jaxpr.invars[len(consts) :]]
        turn = self._turns(init, types, depth, lambda carried: self._inside(body, [*consts, *carried], depth))
        asked, told = self._inside(params["cond_jaxpr"], [*inputs[:first], *turn.carried], depth)
        key = ("while", turn.told(init), asked, told, turn.done)
        return self._after(equation, init, turn.moving, key, bool(turn.done or told))

    def _turns(self, init: Numbers, types: list[Any], depth: int, run: Callable[[Numbers], Part]) -> "_Turn":
        """A turn of a loop in which all that it passes on is what it was at the start."""
        moving = list(range(len(init)))
        while True:
            carried = list(init)
            for rank, place in enumerate(moving):
                carried[place] = self._new("carry", depth, rank, types[place])
            returned, done = run(carried)
            still = [place for place in moving if returned[place] != carried[place]]
            if still == moving:
                return _Turn(moving, carried, returned, done)
            moving = still

    def _after(self, equation: Any, init: Numbers, moving: list[int], key: Any, has_effects: bool) -> Numbers:
        """The known values after a loop: loop-invariant values are those before it."""
        places = [*moving, *range(len(init), len(equation.outvars))]
        made = self._results([_type(equation.outvars[place].aval) for place in places], key, has_effects)
        known = dict(zip(places, made, strict=True))
        return [known[place] if place in known else init[place] for place in range(len(equation.outvars))]

    def _constant(self, aval: Any, value: Any) -> int:
        return self._new("constant", _type(aval), self._bits(value, getattr(aval, "dtype", None)))

    def _bits(self, value: Any, dtype: Any = None) -> Any:
        jax, np = importlib.import_module("jax"), importlib.import_module("numpy")
        if dtype is not None and jax.dtypes.issubdtype(dtype, jax.dtypes.extended):
            value, dtype = jax.random.key_data(value), None
        host = np.asarray(value) if dtype is None else np.asarray(value, dtype)
        if host.dtype == object:
            return self._identity(value)
        return str(host.dtype), host.shape, hashlib.sha256(host.tobytes()).hexdigest()

    def _value(self, value: Any, depth: int) -> Any:
        """A parameter of an operation as something that is equal for equal ones."""
        if hasattr(value, "eqns") or hasattr(value, "jaxpr"):
            invars = getattr(value, "jaxpr", value).invars
            return self._inside(value, [self._new("row", depth, *pair) for pair in _typed(invars)], depth)
        if isinstance(value, dict):
            return tuple((repr(key), self._value(value[key], depth)) for key in sorted(value, key=repr))
        if isinstance(value, tuple | list):
            return type(value).__qualname__, tuple(self._value(part, depth) for part in value)
        if isinstance(value, enum.Enum):
            return type(value).__qualname__, value.name
        if isinstance(value, _PLAIN):
            return type(value).__name__, repr(value)
        if hasattr(value, "tobytes"):
            return self._bits(value)
        return self._object(value, depth)

    def _object(self, value: Any, depth: int) -> Any:
        kind = type(value)
        if kind.__module__.partition(".")[0] not in ("jax", "jaxlib", "numpy") or callable(value):
            is_data = kind.__module__.startswith("jax.") and dataclasses.is_dataclass(kind)
            return self._fields(value, depth) if is_data else self._identity(value)
        if dataclasses.is_dataclass(value):
            return self._fields(value, depth)
        try:
            hash(value)
        except TypeError:
            return self._identity(value)
        return kind.__qualname__, value

    def _fields(self, value: Any, depth: int) -> Any:
        pairs = ((field.name, getattr(value, field.name)) for field in dataclasses.fields(value))
        return type(value).__qualname__, tuple((name, self._value(part, depth)) for name, part in pairs)

    def _identity(self, value: Any) -> Any:
        self.kept.append(value)
        return type(value).__qualname__, id(value)


def _donated(inputs: Numbers, params: dict[str, Any]) -> list[int]:
    """The arguments of a call that it may overwrite."""
    return [given for given, is_donated in zip(inputs, params.get("donated_invars", ()), strict=False) if is_donated]


def _typed(variables: Any) -> Iterator[tuple[int, Any]]:
    return ((place, _type(var.aval)) for place, var in enumerate(variables))


def _type(aval: Any) -> Any:
    """Dtype and shape: whether a value is weakly typed decides what is computed with it, and that has been decided."""
    shape = tuple(map(str, getattr(aval, "shape", ())))
    return str(getattr(aval, "dtype", aval)), shape


def _is_placed(value: Any) -> bool:
    """Whether a parameter of a nested `jit` asks for a place, a layout or an option."""
    parts = value if isinstance(value, tuple | list) else (value,)
    return any(part is not None and type(part).__name__ not in ("UnspecifiedValue", "AUTO") for part in parts)


def scanned(params: dict[str, Any]) -> tuple[int, int]:
    """How many operands of a `scan` are constants, and how many it carries; the rest are its rows."""
    if "ft_in" not in params:  # before jax 0.12
        return params["num_consts"], params["num_carry"]
    consts, carry, _ = params["ft_in"].unpack()
    return len(consts), len(carry)


def inner(equation: Any) -> Iterator[Any]:
    """The programs that an operation holds: bodies, branches, the calls of nested functions."""
    for value in equation.params.values():
        for part in value if isinstance(value, tuple | list) else [value]:
            program = getattr(part, "jaxpr", part)
            if hasattr(program, "eqns"):
                yield program
