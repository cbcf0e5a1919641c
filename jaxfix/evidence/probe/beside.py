"""Calls the original beside the rewritten function, of the same arguments, in the same process.

A rerun sees only the data that the program has. Here both functions also see other data, and what they read bound
anew: a rewritten function that remembers too much is found out by that. It all happens when the program has ended,
because caches of jax are shared: what is compiled beside the program would be missing from its counts
(docs/decisions/0006).
"""

import contextlib
import functools
import importlib
import io
import os
import random
import re
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from types import CellType, CodeType, FrameType, FunctionType
from typing import TYPE_CHECKING, Any

from .effects import Reach, effect, loops
from .files import real
from .jaxprs import same_program
from .memory import peak_bytes
from .originals import (
    Namespace,
    Text,
    Unmade,
    cells_of,
    is_jit,
    live_object,
    plain,
    same_code,
    text_of,
)
from .perturb import changed, clone, is_float, is_of_other_type, is_plain, variations
from .rebinding import Slots, Stores, stores_of
from .samples import Sample, Unkept, fresh, is_array, passed, spoil, written
from .state import State, assigns_globals, unplaced

if TYPE_CHECKING:
    from .watch import Probe

Leaves = list[Any]
_CONCRETE, _OTHERS = 2, 1
_EXAMINED = 20
_CALL_S, _FUNCTION_S, _PROCESS_S, _LEAST_S, _GIVE_UP_S = 5.0, 10.0, 60.0, 20.0, 30.0
_NUMBER = re.compile(r"[-+]?\d[\d.]*(?:e[-+]?\d+)?|\b(?:nan|inf)\b")
_ODD = {0x20: "a generator", 0x80: "a coroutine", 0x200: "an asynchronous generator"}


class Beside:
    """Keeps arguments of the first calls of each rewritten function; calls both functions at the end."""

    def __init__(self, probe: "Probe") -> None:
        self.probe, self.settings, self.record = probe, probe.settings, probe.record
        self.texts = {real(file): copy for file, copy in self.settings.originals.items()}
        self.files = {name: real(file) for file, _, name in self.settings.observe if real(file) in self.texts}
        self.reset()

    def reset(self) -> None:
        self.samples: dict[str, list[tuple[Sample, FunctionType | None]]] = {}
        self.examined: dict[str, int] = {}
        self.open = {name for name in self.files if not name.endswith(":<module>")}
        self.finished = False
        self.deadline: float | None = None
        self.stores: Stores | None = None
        self.main: str | None = None

    def saw(self, name: str, frame: FrameType, traced: bool) -> None:
        """Keeps the arguments of a call that begins, if they are of a kind that has not been kept yet."""
        if name not in self.open or self.finished or "jax" not in sys.modules:
            return
        kept = self.samples.setdefault(name, [])
        self.main = self.main or getattr(sys.modules.get("__main__"), "__file__", None)
        count = self.examined[name] = self.examined.get(name, 0) + 1
        if count > _EXAMINED or (len(kept) >= _CONCRETE and not traced):
            self.open -= {name} if count > _EXAMINED * 50 else set()
            return
        try:
            with self.probe.paused():
                self._keep(kept, frame)
        except (Unkept, Unmade) as reason:
            self.record.alone.setdefault(name, str(reason))
        except Exception as error:  # whatever it is, it must not be the program's
            self.record.alone.setdefault(name, _unforeseen(error))

    def _keep(self, kept: list[tuple[Sample, FunctionType | None]], frame: FrameType) -> None:
        odd = next((words for flag, words in _ODD.items() if frame.f_code.co_flags & flag), None)
        if odd is not None:
            raise Unmade(f"it is {odd}")
        sample = Sample(frame)
        most = _OTHERS if sample.traced or sample.differentiated else _CONCRETE
        if sum(other.kind == sample.kind for other, _ in kept) < most:
            kept.append((sample, _function_of(frame)))

    def finish(self) -> None:
        """Calls both functions, once, with everything that was kept."""
        if self.finished:
            return
        self.finished = True
        if not any(self.samples.values()):
            return
        self.record.peak_bytes = peak_bytes()
        done = threading.Event()
        try:
            threading.Thread(target=self._watch, args=(done,), daemon=True).start()
            used = time.process_time()
            until = used + min(_PROCESS_S, max(_LEAST_S, 2 * used))
            for left, name in zip(range(len(self.samples), 0, -1), sorted(self.samples), strict=True):
                self._function(name, (until - time.process_time()) / left)
        except Exception as error:
            for name in self.samples:
                self.record.alone.setdefault(name, _unforeseen(error))
        finally:
            done.set()

    def _watch(self, done: threading.Event) -> None:
        """Ends the process if a call beside the program never ends: nothing else can interrupt XLA."""
        while not done.wait(0.5):
            if self.deadline is not None and time.monotonic() > self.deadline:
                self.record.alone[self.current] = f"a call of it with other data took more than {_GIVE_UP_S:.0f} s"
                self.probe.write()
                for stream in (sys.__stdout__, sys.__stderr__):
                    if stream is not None:
                        stream.flush()
                os._exit(1 if hasattr(sys, "last_value") else 0)

    def _function(self, name: str, seconds: float) -> None:
        """Calls both functions for at most `seconds` of processor time, but for the call that is under way."""
        self.current = name
        self.until = time.process_time() + min(seconds, _FUNCTION_S)
        for sample, function in self.samples[name]:
            try:
                with _quiet(), self.probe.paused():
                    self._sample(name, sample, function)
            except (Unkept, Unmade) as reason:
                self.record.alone.setdefault(name, str(reason))
            except Exception as error:
                self.record.alone.setdefault(name, _unforeseen(error))
            finally:
                self.deadline = None
        compared = any(pair["function"] == name and pair["after"]["leaves"] for pair in self.record.beside)
        if self.samples[name] and not compared and self.files[name]:
            self.record.alone.setdefault(name, self.record.alone.get(name) or "no call of both had results")

    def _sample(self, name: str, sample: Sample, function: FunctionType | None) -> None:
        sides = Sides(sample, function, text_of(self.texts[self.files[name]]), self.settings.user)
        if sides.unchanged:
            self.record.alone.setdefault(name, "its own code is as it was")
            return
        if sides.effect is not None:
            raise Unmade(sides.effect)
        Trial(self, name, sample, sides).run()

    def stored(self) -> Stores:
        """What the program assigns to again; read once."""
        if self.stores is None:
            self.stores = stores_of(self.settings.user, self.texts, self.main)
        return self.stores

    def call_until(self) -> None:
        self.deadline = time.monotonic() + _GIVE_UP_S


class Sides:
    """The original and the rewritten function of one call.

    Raises:
      Unmade: the original cannot be had.
    """

    def __init__(self, sample: Sample, function: FunctionType | None, text: Text, user: list[str]) -> None:
        self.sample, self.text = sample, text
        code = sample.code
        self.original = text.code_of(code.co_qualname)
        patched = text_of(code.co_filename)
        old, new = (kind.decorators(code.co_qualname) for kind in (text, patched))
        same = [*map(_dumped, old)] == [*map(_dumped, new)]
        self.unchanged = same and same_code(self.original, code)
        if self.unchanged:
            return
        self.namespace = Namespace(sample.globals, text, patched)
        self.namespace.prepare(self.original)
        self.cells = cells_of([function] if function is not None else [])
        for name, value in sample.captured.items():
            self.cells.setdefault(name, CellType(value))
        self.given = [leaf for leaf in sample.leaves() if isinstance(leaf, FunctionType)]
        before = self.before_reach = Reach(user)
        self.reach = Reach(user)
        for reach in (before, self.reach):
            reach.add(self.original, self.namespace)
            for value in (*sample.captured.values(), *self.given):
                reach.add_value(value)
            for value in sample.objects:
                reach.add_value(value)
        self.reach.add(code, sample.globals)
        before.settle()
        self.reach.settle()
        self.plain_after = FunctionType(code, sample.globals, code.co_name, None, self._closure(code))
        self.plain_before = FunctionType(
            self.original, self._globals(), code.co_name, None, self._closure(self.original)
        )
        self.effect = effect(before.codes) or unplaced(before, self.cells)
        self.state = State(before, sample.captured, self.cells, sample.objects)
        self.before: Callable[..., Any] = self.plain_before
        self.after: Callable[..., Any] = self.plain_after
        if not same:
            self._decorate(old, new, function)

    def _decorate(self, old: list[Any], new: list[Any], function: FunctionType | None) -> None:
        """Takes the functions with their decorators, where the patch has changed these."""
        qualname = self.sample.code.co_qualname
        if not all(map(is_jit, old)):
            raise Unmade("the patch has changed its decorators")
        self.before = self.namespace.decorated(self.plain_before, old, qualname)
        live = live_object(self.sample.globals, qualname)
        if callable(live) and not isinstance(live, staticmethod | classmethod) and plain(live) is not None:
            self.after = live
        elif all(map(is_jit, new)):
            self.after = Namespace(self.sample.globals, self.text, self.text).decorated(self.plain_after, new, qualname)
        else:
            raise Unmade("the patch has changed its decorators")

    def _globals(self) -> dict[str, Any]:
        """The globals of the original: the live ones where it assigns to them, as others must see that."""
        if not assigns_globals(self.original):
            return self.namespace
        if self.namespace.made:
            raise Unmade("it assigns to globals, and calls what the patch has changed")
        return self.sample.globals

    def _closure(self, code: CodeType) -> tuple[CellType, ...]:
        return tuple(self._cell(name, code) for name in code.co_freevars)

    def _cell(self, name: str, code: CodeType) -> CellType:
        if name in self.cells:
            return self.cells[name]
        scope = code.co_qualname.rpartition(".")[0]
        if name == "__class__":
            made: Any = _class_of(self.sample.globals, scope)
        else:
            inner = self.text.codes.get(f"{scope}.{name}", [])
            if len(inner) != 1 or self.text.decorators(f"{scope}.{name}"):
                raise Unmade(f"it captures `{name}`, which only the original has")
            self.cells[name] = CellType()  # it may capture itself
            made = FunctionType(inner[0], self.namespace, name, None, self._closure(inner[0]))
        cell = self.cells.setdefault(name, CellType())
        cell.cell_contents = made
        return cell

    def over(self, cells: dict[str, CellType]) -> "tuple[FunctionType, FunctionType] | None":
        """Both functions over other cells, as if made anew; None where the rewritten one captures more."""
        code = self.sample.code
        if not code.co_freevars or not set(code.co_freevars) <= set(self.original.co_freevars):
            return None
        if self.before is not self.plain_before or self.after is not self.plain_after:
            return None
        made = []
        for old in (self.plain_before, self.plain_after):
            closure = tuple(cells.get(name) or self.cells[name] for name in old.__code__.co_freevars)
            made.append(FunctionType(old.__code__, old.__globals__, old.__name__, None, closure))
        return made[0], made[1]

    @functools.cached_property
    def hazardous(self) -> bool:
        """Whether a value may decide how long a loop runs."""
        return loops(self.reach.codes)


class Trial:
    """All the calls of one original and its rewritten function that one call of the program leads to."""

    def __init__(self, owner: Beside, name: str, sample: Sample, sides: Sides) -> None:
        self.owner, self.name, self.sample, self.sides = owner, name, sample, sides
        self.values, self.record = owner.probe.values, owner.record
        self.slow = False

    def run(self) -> None:
        leaves = self.sample.leaves()
        self._pair("as called", leaves)
        steps: list[Callable[[Leaves], Iterator[None]]] = [
            self._rebound,
            self._perturbed,
            self._recaptured,
            self._spoiled,
        ]
        if self.sample.differentiated:
            steps.insert(0, self._gradients)
        for step in (*steps, self._programs):
            for _ in step(leaves):
                if self.slow or time.process_time() > self.owner.until:
                    self.record.alone.setdefault(self.name, "not with all other data: its calls are slow")
                    return

    def _rebound(self, leaves: Leaves) -> Iterator[None]:
        slots = Slots(self.sides.before_reach, self.owner.stored(), self.sides.given)
        any_bound = False
        for slot in list(slots.of(self.sample.arguments(leaves), self.sides.cells)):
            any_bound = True
            with slot.rebound():
                self._pair(f"rebound `{slot.label}`", leaves)
            yield
        if any_bound:
            self._pair("as called, after what it reads was rebound", leaves)
        yield

    def _perturbed(self, leaves: Leaves) -> Iterator[None]:
        for how, other in variations(leaves, self.sides.hazardous, self.sides.before_reach.texts):
            self._pair(how, other)
            yield

    def _recaptured(self, leaves: Leaves) -> Iterator[None]:
        """Both functions as if what is around them had been called with other values."""
        held = {name: cell.cell_contents for name, cell in self.sides.cells.items() if _is_bound(cell)}
        numbers = {name: CellType(changed(value)) for name, value in held.items() if is_plain(value)}
        others = [("perturbed, other values captured", numbers)] if numbers else []
        for name, value in held.items():
            other = clone(value) if isinstance(value, FunctionType) else None
            if other is not None:
                others.append((f"perturbed, another `{name}` captured", {name: CellType(other)}))
        for how, cells in others:
            made = self.sides.over(cells)
            if made is not None:
                self._pair(how, leaves, made)
                yield

    def _spoiled(self, leaves: Leaves) -> Iterator[None]:
        """Both functions again, after the caller has changed in place what they returned."""
        undo: list[Callable[[], None]] = []
        for side in (self.sides.after, self.sides.before):
            held = self.sides.state.held()
            try:
                undo += spoil(self._call(side, leaves)) if not self.sample.traced else []
            except Exception:
                return
            finally:
                self.sides.state.put_back(held)
        if undo:
            try:
                self._pair("as called, after its results were changed in place", leaves)
            finally:
                for step in reversed(undo):
                    step()
            yield

    def _gradients(self, leaves: Leaves) -> Iterator[None]:
        sides = (self.sides.before, self.sides.after)
        for how, data in (("", leaves), *variations(leaves, self.sides.hazardous)):
            places = [place for place, leaf in enumerate(data) if is_float(leaf)]
            if places:
                label = f"gradient{how.replace('perturbed', ', perturbed', 1)}"
                made = tuple(functools.partial(self._pulled, side, places) for side in sides)
                self._compare(label, *(functools.partial(pull, data) for pull in made))
            yield

    def _pulled(self, side: Callable[..., Any], places: list[int], data: Leaves) -> Any:
        """The gradient of what the function returns, weighed at random, by its float arguments."""
        jax, np = importlib.import_module("jax"), importlib.import_module("numpy")

        def of(*floats: Any) -> Any:
            mine = list(data)
            for place, value in zip(places, floats, strict=True):
                mine[place] = value
            leaves = jax.tree_util.tree_leaves(self._call(side, mine))
            return [leaf for leaf in map(jax.numpy.asarray, leaves) if jax.numpy.issubdtype(leaf.dtype, np.floating)]

        returned, pull = jax.vjp(of, *(data[place] for place in places))
        draw = np.random.default_rng(0).standard_normal
        return pull([jax.numpy.asarray(draw(leaf.shape), leaf.dtype) for leaf in returned])

    def _programs(self, leaves: Leaves) -> Iterator[None]:
        places = [place for place, leaf in enumerate(leaves) if is_array(leaf)]

        def program(side: Callable[..., Any], *arrays: Any) -> Any:
            mine = list(leaves)
            for place, value in zip(places, arrays, strict=True):
                mine[place] = value
            return self._call(side, mine)

        before, after = (functools.partial(program, side) for side in (self.sides.before, self.sides.after))
        try:
            digest = same_program(before, after, [leaves[place] for place in places])
        except Exception:  # it cannot be traced as a whole
            return
        if digest is not None:
            leaf = {"path": "", "dtype": "<jaxpr>", "shape": [], "weak_type": False, "digest": digest}
            output = {"label": "jaxpr", "treedef": "program", "leaves": [leaf | {"sample": [], "nans": 0}]}
            self._add("jaxpr", output, output)
        yield

    def _pair(self, how: str, leaves: Leaves, sides: "tuple[FunctionType, FunctionType] | None" = None) -> None:
        before, after = sides or (self.sides.before, self.sides.after)
        self._compare(how, *(functools.partial(self._jitted, side, leaves) for side in (before, after)))

    def _compare(self, how: str, before: Callable[[], Any], after: Callable[[], Any]) -> None:
        """Adds what both return; not what the original itself returns differently the second time."""
        started = time.process_time()
        new, old = self._output(how, after), self._output(how, before)
        self.slow = self.slow or time.process_time() - started > 2 * _CALL_S
        if old["treedef"].startswith("raised") and is_of_other_type(how):
            return
        if _bare(new) != _bare(old):
            if not self.slow and _bare(self._output(how, before)) != _bare(old):
                raise Unmade("what the original returns differs from call to call")
        else:
            new, old = _bare(new), _bare(old)
        if old["leaves"] or new["leaves"] or old["treedef"] != new["treedef"]:
            self._add(how, old, new)

    def _add(self, how: str, before: dict[str, Any], after: dict[str, Any]) -> None:
        self.record.beside.append({"function": self.name, "how": how, "before": before, "after": after})

    def _output(self, how: str, call: Callable[[], Any]) -> dict[str, Any]:
        """What a call returns and changes, as an `Output`; its effects are undone."""
        self.owner.call_until()
        state, self.written = self.sides.state, dict[str, Any]()
        held = state.held()
        try:
            with _same_random(), _printed() as printed:
                value = call()
            told = {"changed": state.changes(), "arguments": self.written, "printed": printed()}
            if any(told.values()):
                value = {name: what for name, what in told.items() if what} | {"returned": value}
            return self.values.output(how, value, self.owner.probe.attached)
        except Unkept:
            raise
        except Exception as error:
            return {"label": how, "treedef": f"raised {type(error).__name__}", "leaves": []}
        finally:
            state.put_back(held)
            self.owner.deadline = None

    def _jitted(self, side: Callable[..., Any], leaves: Leaves) -> Any:
        """Calls it under `jit` where the program only ever did."""
        if not self.sample.traced:
            return self._call(side, leaves)
        jax = importlib.import_module("jax")
        tree, rest, places = jax.tree_util, list[Any](), sorted(self.sample.traced)

        def run(*arrays: Any) -> Any:
            mine = list(leaves)
            for place, value in zip(places, arrays, strict=True):
                mine[place] = value
            returned, treedef = tree.tree_flatten(self._call(side, mine))
            rest[:] = [treedef, [None if _is_value(leaf) else leaf for leaf in returned]]
            return [leaf if _is_value(leaf) else 0 for leaf in returned]

        arrays = jax.jit(run)(*(leaves[place] for place in places))
        treedef, others = rest
        merged = [new if old is None else old for new, old in zip(arrays, others, strict=True)]
        return tree.tree_unflatten(treedef, merged)

    def _call(self, side: Callable[..., Any], leaves: Leaves) -> Any:
        code = self.sides.original if side is self.sides.before or _code(side) is self.sides.original else None
        mine = [fresh(leaf) for leaf in leaves]
        arguments = self.sample.arguments(mine)
        args, keywords = passed(code or self.sample.code, arguments)
        returned = side(*args, **keywords)
        if not self.sample.traced:
            self.written = written(arguments, self.sample.arguments(mine), self.sample.arguments(leaves))
        return returned


def _code(side: Callable[..., Any]) -> CodeType | None:
    function = plain(side)
    return None if function is None else function.__code__


def _function_of(frame: FrameType) -> FunctionType | None:
    """The function that this frame runs, where it is needed: it alone has the cells of what it captures."""
    code = frame.f_code
    if not code.co_freevars:
        return None
    gc = importlib.import_module("gc")
    found = [value for value in gc.get_referrers(code) if isinstance(value, FunctionType) and value.__code__ is code]
    held = frame.f_locals

    def is_mine(function: FunctionType) -> bool:
        pairs = zip(code.co_freevars, function.__closure__ or (), strict=True)
        return all(not _is_bound(cell) or cell.cell_contents is held.get(name) for name, cell in pairs)

    return next(filter(is_mine, found), None)


def _class_of(globals_: dict[str, Any], qualname: str) -> type:
    found = live_object(globals_, qualname) if "." in qualname else globals_.get(qualname)
    if not isinstance(found, type):
        raise Unmade(f"its class `{qualname}` cannot be found")
    return found


def _is_bound(cell: CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


def _is_value(leaf: Any) -> bool:
    return isinstance(leaf, bool | int | float | complex) or hasattr(leaf, "dtype")


def _bare(output: dict[str, Any]) -> dict[str, Any]:
    """An output without the samples, which say nothing where the digests are equal."""
    return output | {"leaves": [leaf | {"sample": []} for leaf in output["leaves"]]}


def _dumped(node: Any) -> str:
    return str(importlib.import_module("ast").dump(node))


def _unforeseen(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).splitlines()[0][:120] if str(error) else 'no message'}"


@contextlib.contextmanager
def _same_random() -> Iterator[None]:
    """Leaves the global generators of random numbers as they were."""
    np = sys.modules.get("numpy")
    state, numbers = random.getstate(), np.random.get_state() if np is not None else None
    try:
        yield
    finally:
        random.setstate(state)
        if np is not None:
            np.random.set_state(numbers)


@contextlib.contextmanager
def _printed() -> Iterator[Callable[[], str]]:
    """Says what was printed since, without its numbers: these may differ as far as the results may."""
    stream = sys.stdout
    start = stream.tell() if isinstance(stream, io.StringIO) else 0
    yield lambda: _NUMBER.sub("#", stream.getvalue()[start:]) if isinstance(stream, io.StringIO) else ""


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Shows nothing of what is printed or warned of meanwhile."""
    stdout, stderr = contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO())
    with stdout, stderr, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
