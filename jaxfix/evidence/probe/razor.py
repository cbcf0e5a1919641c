"""Whether a jitted step differs from the plain one by more than rounding."""

import contextlib
import functools
import importlib
from collections.abc import Callable
from typing import Any, NamedTuple

from .clocks import clocks
from .digits import lost
from .drawn import drawn_once
from .jaxprs import inner
from .precision import IN_SINGLE, double_precision, farthest, is_inexact, moved_in_double, to_double, wide
from .samples import fresh, is_array, is_key
from .values import host_of
from .widen import Wide

Function = Callable[..., Any]
Of = Callable[[list[Any]], Any]
Change = Callable[[Any], Any]
LIMIT = 1e-10
"""Of the scale of a leaf, in double precision: right steps are within 5e-16, the least wrong one was 3e-7 away."""
DIFFERS = "the original differs from call to call on the same arguments"
_NUDGES = (2.0**-52, 2.0**-40, 2.0**-40)
"""Relative changes of the data: of one unit in the last place, which may be lost where they cancel, and of many."""


class Step(NamedTuple):
    """What one step of the plain and of the jitted function have shown.

    Attributes:
      leaves: that were compared.
      single: the largest difference as the program runs it, relative to the largest value of the leaf.
      double: the same in double precision, relative to the scale of what the leaf was computed from.
      way: `double`; where the code asks for dtypes of its own, `traced` if the operations of the jitted one were run
        one by one instead, and `widened` if both jaxprs were run with every float widened.
      difference: what may not differ, in words.
      counted: the attributes that hold a Python number in the plain one, and the same as an array in the jitted one.
    """

    leaves: int
    single: float
    double: float
    way: str
    difference: str | None
    counted: tuple[str, ...] = ()


class Call:
    """The arguments of a call, from before it."""

    def __init__(self, args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
        tree = importlib.import_module("jax").tree_util
        leaves, self.treedef = tree.tree_flatten((args, keywords))
        self.leaves = [leaf if is_array(leaf) else fresh(leaf) for leaf in leaves]
        self._orders = orders((args, [keywords[name] for name in sorted(keywords)]))

    def of(self, function: Function) -> Of:
        """The function of leaves in the place of these."""

        def called(leaves: list[Any]) -> Any:
            args, keywords = self.holding(leaves)
            return function(*args, **keywords)

        return called

    def passed(self, change: Callable[[Any], Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments, of leaves that were each changed."""
        return self.holding([change(leaf) for leaf in self.leaves])

    def holding(self, leaves: list[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments, with leaves in the place of these."""
        args, keywords = importlib.import_module("jax").tree_util.tree_unflatten(self.treedef, leaves)
        args, passed = ordered((args, [*keywords.values()]), self._orders)
        return args, dict(zip(keywords, passed, strict=True))


def orders(value: Any, is_part: Callable[[Any], bool] | None = None) -> Any:
    """The keys of its dictionaries in their order, which a pytree forgets; None where there are none.

    Args:
      is_part: what is not taken apart besides dictionaries.
    """
    tree = importlib.import_module("jax").tree_util
    parts = tree.tree_leaves(value, is_leaf=is_part or _is_dictionary)
    if not any(map(_is_dictionary, parts)):
        return None
    return [
        {key: orders(item, is_part) for key, item in part.items()} if _is_dictionary(part) else None for part in parts
    ]


def ordered(value: Any, found: Any, is_part: Callable[[Any], bool] | None = None) -> Any:
    """The value with its dictionaries in these orders, as the program passes them."""
    if found is None:
        return value
    tree = importlib.import_module("jax").tree_util
    parts, outer = tree.tree_flatten(value, is_leaf=is_part or _is_dictionary)
    made = [
        part if keys is None else {key: ordered(part[key], inner, is_part) for key, inner in keys.items()}
        for part, keys in zip(parts, found, strict=True)
    ]
    return tree.tree_unflatten(outer, made)


def as_pytree(value: Any) -> Any:
    """The value as `jit` passes and returns it: in new containers, the keys of dictionaries sorted."""
    tree = importlib.import_module("jax").tree_util
    try:
        leaves, treedef = tree.tree_flatten(value)
        return tree.tree_unflatten(treedef, leaves)
    except Exception:  # keys without an order, which `jit` refuses
        return value


def reordered(function: Function, call: Call) -> str | None:
    """What a function makes of dictionaries whose keys come in another order, if that is something else, in words.

    `jit` sorts them, whatever order a caller passes.
    """
    if _turned(*call.holding(call.leaves)) is None:
        return None

    def turned(leaves: list[Any]) -> Any:
        args, keywords = _turned(*call.holding(leaves)) or ((), {})
        return function(*args, **keywords)

    try:
        one, two = (in_double(of, list(map(copied, call.leaves))) for of in (call.of(function), turned))
        return None if _is_within(one, two, LIMIT) else "the keys of a dictionary in another order give other results"
    except Exception as error:
        return f"raises {_words(error)} where the keys of a dictionary come in another order"


def _turned(args: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
    """The arguments with the keys of their dictionaries from the last to the first; None where none has two."""
    value = args, [*keywords.values()]
    found = orders(value)
    if found is None or not _has_several(found):
        return None
    args, passed = ordered(value, _reversed(found))
    return args, dict(zip(keywords, passed, strict=True))


def _reversed(found: Any) -> Any:
    return [part and {key: part[key] and _reversed(part[key]) for key in reversed(part)} for part in found]


def _has_several(found: Any) -> bool:
    parts = [part for part in found if part is not None]
    return any(len(part) > 1 or any(inner and _has_several(inner) for inner in part.values()) for part in parts)


def _is_dictionary(value: Any) -> bool:
    return type(value) is dict


def _is_plain_part(value: Any) -> bool:
    """Whether it is a dictionary, or an object: one of `flax.nnx` stays the same object."""
    return not isinstance(value, list | tuple)


class InPlace(Call):
    """Arguments that the call changes, as it does objects of `flax.nnx`: what they held before it."""

    def __init__(self, args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
        tree = importlib.import_module("jax").tree_util
        self.graph, state = importlib.import_module("flax.nnx").split((args, keywords))
        leaves, self.treedef = tree.tree_flatten(state)
        self.leaves = [leaf if is_array(leaf) else fresh(leaf) for leaf in leaves]
        self._names = [*keywords]
        self._orders = orders((args, [*keywords.values()]), _is_plain_part)

    def holding(self, leaves: list[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        state = importlib.import_module("jax").tree_util.tree_unflatten(self.treedef, leaves)
        args, merged = importlib.import_module("flax.nnx").merge(self.graph, state)
        args, passed = ordered((args, [merged[name] for name in self._names]), self._orders, _is_plain_part)
        return args, dict(zip(self._names, passed, strict=True))


def changing(function: Function) -> Function:
    """The function, which returns with its result what its arguments hold then."""

    def called(*args: Any, **keywords: Any) -> Any:
        returned = function(*args, **keywords)
        return returned, held(args, keywords)

    return called


def held(args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """What the arguments of such a call hold."""
    return importlib.import_module("flax.nnx").split((args, keywords))[1]


def stepped(function: Function, jitted: Function, call: Call, returned: Any) -> Step:
    """Compares a step of both functions; `returned` is what the plain one has returned unchanged."""
    try:
        args, keywords = call.passed(copied)
        new = jitted(*args, **keywords)
        native = compared(returned, new)
    except Exception as error:
        return Step(0, 0.0, 0.0, "double", f"raises {_words(error)} under jit")
    if native.difference is not None:
        return native
    if (unsteady := _unsteady(function, jitted, call, returned)) is not None:
        return native._replace(difference=unsteady)
    double = _doubled(function, jitted, call)
    plain, compiled = call.of(function), call.of(jitted)
    if double.difference is None and double.double <= LIMIT:
        far = lost(returned, new, plain, call.leaves, lambda: in_double(plain, call.leaves))
        if far and not _is_as_traced(compiled, call.leaves, returned, _one_by_one):
            return native._replace(double=double.double, difference=f"{far:.1e} {IN_SINGLE}")
        return double._replace(single=native.single, counted=native.counted)
    narrows = _narrows(compiled, call.leaves)
    if narrows or not double.leaves:
        if narrows and _is_as_traced(compiled, call.leaves, returned, _one_by_one):
            return native._replace(way="traced", double=0.0)
        if _is_as_traced(plain, call.leaves, returned, _as_it_is):
            widened = _apart_widened(plain, compiled, call.leaves)
            if widened is not None and widened <= LIMIT:
                return native._replace(way="widened", double=widened)
    words = f"{double.double:.1e} of the largest value apart in double precision"
    return double._replace(single=native.single, difference=double.difference or words)


def _unsteady(function: Function, jitted: Function, call: Call, returned: Any) -> str | None:
    """Why steps of the same arguments say nothing of a `jit`, in words: it traces once.

    A random draw or a clock moves a result by itself, so that no nudge of the arguments tells how far it may move.
    """
    plain, compiled = call.of(function), call.of(jitted)
    again, clock = list[Any](), list[str]()

    def watched() -> None:
        with clocks() as read:
            again.append(plain(list(map(copied, call.leaves))))
        clock.extend(read())

    try:
        drawn = drawn_once(watched, lambda: compiled(list(map(copied, call.leaves))))
        is_same = _is_within(returned, again[0], 0.0)  # if not, a device may have added in another order
        is_same = is_same or _is_within(in_double(plain, call.leaves), in_double(plain, call.leaves), LIMIT)
    except Exception as error:
        return f"raises {_words(error)} when it is called again"
    if drawn is not None:
        return f"draws from {drawn} only when it is traced"
    if clock:
        return f"reads `{clock[0]}` only when it is traced"
    return None if is_same else DIFFERS


def _is_within(one: Any, two: Any, limit: float) -> bool:
    found = _compare(one, two)
    return found.difference is None and found.largest <= limit


class Compared(NamedTuple):
    """As `Step`, of one comparison; `apart` has the absolute difference of each leaf of floats."""

    leaves: int
    largest: float
    apart: list[float]
    difference: str | None
    counted: tuple[str, ...] = ()


def compared(old: Any, new: Any) -> Step:
    """Compares what both return as the program runs them: everything but the values of floats has to be the same."""
    found = _compare(old, new)
    return Step(found.leaves, found.largest, 0.0, "double", found.difference, found.counted)


def _compare(old: Any, new: Any, scales: "list[float] | None" = None) -> Compared:
    tree, np = importlib.import_module("jax").tree_util, importlib.import_module("numpy")
    pairs, structure = tree.tree_flatten_with_path(old)
    leaves, other = tree.tree_flatten(new)
    if structure != other:
        return Compared(0, 0.0, [], f"structure {structure} became {other}"[:200])
    largest, apart, counted = 0.0, list[float](), list[str]()
    for number, ((path, one), two) in enumerate(zip(pairs, leaves, strict=True)):
        if _are_values_of_the_host(one, two):
            one, two = np.asarray(one), np.asarray(two)
        elif not is_array(one) or not is_array(two):
            if _is_counted(path, one, two):
                counted.append(tree.keystr(path))
            elif one is not two and not _same(one, two):
                return Compared(0, 0.0, [], f"{tree.keystr(path)}: {type(one).__name__} became {type(two).__name__}")
            apart.append(0.0)
            continue
        types = [(str(leaf.dtype), leaf.shape, bool(getattr(leaf, "weak_type", False))) for leaf in (one, two)]
        if types[0] != types[1]:
            return Compared(0, 0.0, [], f"{tree.keystr(path)}: {_typed(types[0])} became {_typed(types[1])}")
        a, b = (_host(leaf) for leaf in (one, two))
        if not is_inexact(a):
            if a.tobytes() != b.tobytes():
                words = f"{tree.keystr(path)}: {types[0][0]} values differ: a discrete result depends on rounding"
                return Compared(0, 0.0, [], words)
            apart.append(0.0)
            continue
        odd = [np.where(np.isfinite(leaf), 0, leaf) for leaf in map(wide, (a, b))]
        if not np.array_equal(odd[0], odd[1], equal_nan=True):
            return Compared(0, 0.0, [], f"{tree.keystr(path)}: values that are not finite differ")
        away, most = farthest(a, b)
        scale = max(most, scales[number] if scales else 0.0)
        largest = max(largest, away / scale if scale else (away and float("inf")))
        apart.append(away)
    return Compared(len(leaves), largest, apart, None, tuple(counted))


def _are_values_of_the_host(one: Any, two: Any) -> bool:
    """Whether both are floating Python numbers, or both numbers or NumPy arrays, whose text omits digits."""
    if type(one) is not type(two):
        return False
    np = importlib.import_module("numpy")
    if isinstance(one, np.ndarray | np.generic):
        return all(each.dtype.kind != "O" for each in (one, two))
    return type(one) in (float, complex)


def _is_counted(path: tuple[Any, ...], one: Any, two: Any) -> bool:
    """Whether an attribute is an integer of Python, and then the same as an array, as `jit` returns it."""
    return bool(path) and type(path[-1]).__name__ == "GetAttrKey" and _is_number(one, two)


def _is_number(one: Any, two: Any) -> bool:
    """Whether one is an integer of Python, and the other the same as an array."""
    if type(one) is not int or not is_array(two) or is_key(two):
        return False
    is_whole = two.shape == () and str(two.dtype).startswith("int") and bool(getattr(two, "weak_type", False))
    return is_whole and int(two) == one


class Apart(NamedTuple):
    """How far two functions are apart in double precision.

    Attributes:
      double: the largest difference; None where it is not known.
      is_widened: whether their jaxprs were run with every float widened, as their code asks for dtypes of its own.
      lost: how far they are apart as the program runs them, where less than half of their digits agree.
    """

    double: float | None
    is_widened: bool = False
    lost: float = 0.0


def apart(one: Of, other: Of, leaves: list[Any], *, eagerly: bool) -> Apart:
    """How far what both return is apart in double precision.

    Args:
      one: the original, of leaves like these.
      eagerly: whether the program calls them outside of any trace, so that a trace has to be compared with that first.
    """
    double = None
    with contextlib.suppress(Exception), double_precision():
        wide = list(map(to_double, leaves))
        found = _scaled(one(wide), other(wide), lambda change: one(list(map(change, leaves))))
        double = found.largest if found.difference is None else None
    if double is not None and double <= LIMIT:
        far = 0.0
        with contextlib.suppress(Exception):
            old, new = (side(list(map(copied, leaves))) for side in (one, other))
            far = lost(old, new, one, leaves, lambda: in_double(one, leaves))
        return Apart(double, lost=far)
    if double is not None and not (_narrows(one, leaves) or _narrows(other, leaves)):
        return Apart(double)
    if eagerly and not (_is_faithful(one, leaves) and _is_faithful(other, leaves)):
        return Apart(double)
    widened = _apart_widened(one, other, leaves)
    return Apart(double) if widened is None else Apart(widened, is_widened=True)


def _apart_widened(one: Of, other: Of, leaves: list[Any]) -> float | None:
    """The same of their jaxprs with every float widened; traced in the first way that works and lets them agree.

    Python numbers are double only where jax is set to have these, and arguments of the dtypes that the program has fit
    the dtypes that its code asks for.
    """
    nearest: float | None = None
    for change, setting in (
        (to_double, double_precision),
        (copied, double_precision),
        (copied, contextlib.nullcontext),
    ):
        with contextlib.suppress(Exception):
            with setting():
                (old, arrays), (new, _) = (traced(side, list(map(change, leaves))) for side in (one, other))
            with double_precision():
                one_, other_ = (_run_wide(program, list(map(to_double, arrays))) for program in (old, new))
                nudged = functools.partial(_run_changed, old, arrays)
                found = _scaled(one_, other_, nudged)
            if found.difference is None:
                nearest = found.largest if nearest is None else min(nearest, found.largest)
                if nearest <= LIMIT:
                    break
    return nearest


def _run_changed(program: "Program", arrays: list[Any], change: Change) -> Any:
    return _run_wide(program, list(map(change, arrays)))


def _run_wide(program: "Program", arrays: list[Any]) -> Any:
    tree = importlib.import_module("jax").tree_util
    return tree.tree_unflatten(program.structure, Wide().closed(program.jaxpr, arrays))


def _scaled(old: Any, new: Any, changed: Callable[[Change], Any]) -> Compared:
    """Compares both; a difference of a leaf that nearly cancels is held to what it was computed from.

    Args:
      changed: what the original returns of the same data, each leaf of them changed.
    """
    found = _compare(old, new)
    if found.difference is not None or found.largest <= LIMIT:
        return found
    scales = [0.0] * len(found.apart)
    for seed, size in enumerate(_NUDGES):
        moved = _compare(old, changed(functools.partial(moved_in_double, seed, size)))
        if moved.difference is None:
            scales = [max(scale, away / size) for scale, away in zip(scales, moved.apart, strict=True)]
    return _compare(old, new, scales)


def _doubled(function: Function, jitted: Function, call: Call) -> Step:
    """Both in double precision."""
    try:
        with double_precision():
            old, new = (_called(side, call.passed(to_double)) for side in (function, jitted))
            found = _scaled(old, new, lambda change: _called(function, call.passed(change)))
    except Exception as error:
        return Step(0, 0.0, 0.0, "double", f"raises {_words(error)} in double precision")
    words = None if found.difference is None else f"{found.difference}, in double precision"
    return Step(found.leaves, 0.0, found.largest, "double", words)


def in_double(function: Of, leaves: list[Any]) -> Any:
    with double_precision():
        return function(list(map(to_double, leaves)))


def _narrows(function: Of, leaves: list[Any]) -> bool:
    """Whether it computes in less than double precision although it is given that, or cannot be given it."""
    try:
        with double_precision():
            return _has_narrow(traced(function, list(map(to_double, leaves)))[0].jaxpr.jaxpr)
    except Exception:
        return True


def _has_narrow(program: Any) -> bool:
    for equation in program.eqns:
        kinds = [str(getattr(var.aval, "dtype", "")) for var in equation.outvars]
        if any(kind in ("float32", "float16", "bfloat16", "complex64") or kind.startswith("float8") for kind in kinds):
            return True
        if any(map(_has_narrow, inner(equation))):
            return True
    return False


def _is_as_traced(function: Of, leaves: list[Any], returned: Any, run: Callable[[Any, list[Any]], Any]) -> bool:
    """Whether its program, run so, returns the bits that were returned."""
    tree = importlib.import_module("jax").tree_util
    try:
        program, arrays = traced(function, list(map(copied, leaves)))
        values = list(run(program.jaxpr, arrays))
    except Exception:
        return False
    old = tree.tree_leaves(returned)
    same = len(old) == len(values) and program.structure == tree.tree_structure(returned)
    return same and all(_bits(a) == _bits(b) or _is_number(a, b) for a, b in zip(old, values, strict=True))


def _is_faithful(function: Of, leaves: list[Any]) -> bool:
    """Whether it does eagerly what it does under a trace."""
    try:
        return _is_as_traced(function, leaves, function(list(map(copied, leaves))), _as_it_is)
    except Exception:
        return False


def _as_it_is(program: Any, arrays: list[Any]) -> Any:
    """What the program returns, each of its operations dispatched by itself."""
    return importlib.import_module("jax._src.core").eval_jaxpr(program.jaxpr, program.consts, *arrays)


def _one_by_one(program: Any, arrays: list[Any]) -> Any:
    """What the operations within its one `jit` return when they are dispatched one after the other."""
    core = importlib.import_module("jax._src.core")
    (equation,) = program.jaxpr.eqns
    inner = equation.params["jaxpr"]
    known = dict(zip(program.jaxpr.constvars, program.consts, strict=True))
    known |= dict(zip(program.jaxpr.invars, arrays, strict=True))

    def read(atom: Any) -> Any:
        return atom.val if isinstance(atom, core.Literal) else known[atom]

    made = core.eval_jaxpr(inner.jaxpr, inner.consts, *map(read, equation.invars))
    known.update(zip(equation.outvars, made, strict=True))
    return [read(atom) for atom in program.jaxpr.outvars]


class Program(NamedTuple):
    """A traced function: its jaxpr, and the structure of its result."""

    jaxpr: Any
    structure: Any


def traced(function: Of, leaves: list[Any]) -> tuple[Program, list[Any]]:
    """The function as a program of the arrays among the leaves, and these."""
    jax = importlib.import_module("jax")
    places = [place for place, leaf in enumerate(leaves) if is_array(leaf)]
    structure: list[Any] = []

    def run(*arrays: Any) -> Any:
        mine = list(leaves)
        for place, value in zip(places, arrays, strict=True):
            mine[place] = value
        returned, treedef = jax.tree_util.tree_flatten(function(mine))
        structure[:] = [treedef]
        return returned

    arrays = [leaves[place] for place in places]
    return Program(jax.make_jaxpr(run)(*arrays), structure[0]), arrays


def copied(leaf: Any) -> Any:
    """A copy on the same device: a jitted function may donate what it is given."""
    return leaf.copy() if is_array(leaf) and not is_key(leaf) else fresh(leaf)


def _host(leaf: Any) -> Any:
    if not is_array(leaf):
        return leaf
    jax = importlib.import_module("jax")
    return host_of(jax.random.key_data(leaf) if is_key(leaf) else leaf)


def _same(one: Any, two: Any) -> bool:
    return type(one) is type(two) and repr(one) == repr(two)


def _bits(leaf: Any) -> tuple[str, tuple[int, ...], bytes]:
    np = importlib.import_module("numpy")
    host = _host(leaf) if is_array(leaf) else np.asarray(leaf)
    return str(host.dtype), host.shape, host.tobytes()


def _typed(kind: tuple[str, tuple[int, ...], bool]) -> str:
    dtype, shape, weak = kind
    return f"{'weak ' if weak else ''}{dtype}[{','.join(map(str, shape))}]"


def _words(error: Exception) -> str:
    lines = str(error).splitlines()
    return f"{type(error).__name__}: {lines[0][:120] if lines else ''}"


def _called(side: Function, passed: tuple[tuple[Any, ...], dict[str, Any]]) -> Any:
    args, keywords = passed
    return side(*args, **keywords)
