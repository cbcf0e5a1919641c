"""Watches what JAX does inside the user's interpreter. One file, standard library and jax, that travels.

Copied as `sitecustomize.py` into a folder on PYTHONPATH it starts with every Python of a run, before the program.
It waits for `jax` without importing it, counts and explains what is compiled, digests what named functions return,
and writes one JSON file per process at its end. `JAXFIX_PROBE` names the file with the settings.
"""

import atexit
import dis
import enum
import functools
import hashlib
import importlib.machinery
import importlib.util
import inspect
import json
import logging
import os
import re
import shutil
import sys
import sysconfig
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType, ModuleType
from typing import Any

SETTINGS_VARIABLE = "JAXFIX_PROBE"
SAMPLE = 4096
# All processes of a program write their samples down: 8 bytes each in memory, about 20 in the file.
SAMPLE_BUDGET = 1 << 20
COMPILE = "/jax/core/compile/backend_compile_duration"
LOWER = "/jax/core/compile/jaxpr_to_mlir_module_duration"
TRACE = "/jax/core/compile/jaxpr_trace_duration"
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_APPEND | os.O_TRUNC
_NO_CALLS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_ADDRESS = re.compile(r"(?<=\bat )0x[0-9a-f]+")


class Settings:
    """What to watch and where to write.

    Attributes:
      results: the folder for the JSON files.
      observe: (file, qualified name, name to report) of functions.
      sources: the name to report of each patched file.
      user: folders whose files are the user's even though they lie among installed packages.
      moved: (folder of this run, folder to report instead), longest first.
      paths: (folder, folder to import from instead) for `sys.path` and editable installs.
      links: (copy of the tree, tree) in which links to large files are broken before they are written to.
      explain: whether to ask jax for the reasons of cache misses.
      calls: outputs to digest per function; None to note only that it was called.
    """

    def __init__(self, said: dict[str, Any]) -> None:
        self.results: str = said["results"]
        self.observe: list[list[str]] = said.get("observe", [])
        self.sources: dict[str, str] = said.get("sources", {})
        self.user: list[str] = said.get("user", [])
        self.moved: list[list[str]] = said.get("moved", [])
        self.paths: list[list[str]] = said.get("paths", [])
        self.links: list[str] | None = said.get("links")
        self.explain: bool = said.get("explain", False)
        self.calls: int | None = said.get("calls", 200)


class _Thread(threading.local):
    def __init__(self) -> None:
        self.paused = 0
        self.uncounted = 0
        self.seconds: dict[str, float] = {}
        self.misses: list[str] = []
        self.compiling: tuple[str, tuple[Any, ...]] | None = None
        self.calls: list[_Call] = []


class _Call:
    def __init__(self, name: str, code: CodeType, traced: bool, compiles: int, traces: int) -> None:
        self.name, self.code, self.traced = name, code, traced
        self.compiles, self.traces, self.started = compiles, traces, time.perf_counter()


class Probe:
    """The record of one process."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.here = _real(os.path.dirname(__file__))
        self.thread = _Thread()
        self.wanted = {(_real(file), qualname): name for file, qualname, name in settings.observe}
        self.qualnames = {qualname for _, qualname in self.wanted}
        self.sources = {_real(file): name for file, name in settings.sources.items()}
        self.modules = {file for file, _ in self.wanted} | set(self.sources)
        self.loaded: dict[str, str] = {}
        self.executed: set[str] = set()
        self.attached = False
        self.silent = False
        self.without: str | None = None
        self.reset()

    def reset(self) -> None:
        """Forgets what happened, not what was loaded: a forked child inherits modules, not counts."""
        self.compiles: list[dict[str, Any]] = []
        self.traces = 0
        self.steps: list[dict[str, Any]] = []
        self.outputs: list[dict[str, Any]] = []
        self.calls: dict[str, int] = {}
        self.functions: set[str] = set(self.executed)
        self.history: dict[tuple[str, int, str], list[tuple[Any, Any]]] = {}
        self.environment: dict[str, str] | None = None
        self.budget = SAMPLE_BUDGET
        self.started = time.time()
        self.thread = _Thread()

    # Starting and ending.

    def start(self) -> None:
        """Hooks into the interpreter; jax is hooked into when the program imports it."""
        sys.addaudithook(self._audit)
        atexit.register(self.write)
        os.register_at_fork(after_in_child=self._forked)
        self._redirect_imports()
        if self.wanted:
            self._observe()
        if "jax" in sys.modules:
            self.attach()
        else:
            sys.meta_path.insert(0, _AwaitJax(self.attach))

    def attach(self) -> None:
        """Listens to jax, which has just been imported."""
        if self.attached:
            return
        self.attached = True
        jax = sys.modules["jax"]
        jax.config.update("jax_enable_compilation_cache", False)
        importlib.import_module("jax.monitoring").register_event_duration_secs_listener(self._timed)
        explained = bool(getattr(jax.config, "jax_explain_cache_misses", False))
        if self.settings.explain:
            jax.config.update("jax_explain_cache_misses", True)
        for name in ("jax._src.interpreters.pxla", "jax._src.interpreters.partial_eval", "jax._src.pjit"):
            logger = logging.getLogger(name)
            level = logger.level
            logger.addFilter(functools.partial(self._overheard, level=level, explained=explained))
            if name.endswith("pxla"):
                logger.setLevel(logging.DEBUG)

    def _forked(self) -> None:
        self.reset()
        util = sys.modules.get("multiprocessing.util")
        if util is not None:
            # A child of multiprocessing ends by `os._exit`; only its own finalizers run.
            util.register_after_fork(self, lambda probe: util.Finalize(None, probe.write, exitpriority=-100))

    def write(self) -> None:
        """Writes the record of this process, once and whole."""
        if self.silent:
            return
        self.silent = True
        record = self.record() | {"pid": os.getpid(), "argv": sys.argv, "started": self.started}
        write_json(os.path.join(self.settings.results, f"{os.getpid()}-{time.time_ns()}.json"), record)

    def record(self) -> dict[str, Any]:
        """Everything but the case, the failure and the standard output of a `Measurement`."""
        return {
            "compiles": self.compiles,
            "traces": self.traces,
            "steps": self.steps,
            "outputs": self.outputs,
            "calls": self.calls,
            "functions": sorted(self.functions),
            "loaded": self.loaded,
            "peak_bytes": peak_bytes(),
            "environment": self.environment,
        }

    # Which sources run.

    def _redirect_imports(self) -> None:
        finders = [module for name, module in sys.modules.items() if name.startswith("__editable__")]
        for old, new in self.settings.paths:
            sys.path[:] = [_moved(entry, old, new) for entry in sys.path]
            for finder in finders:
                mapping = getattr(finder, "MAPPING", {})
                mapping.update({name: _moved(place, old, new) for name, place in mapping.items()})

    def _audit(self, event: str, args: tuple[Any, ...]) -> None:
        if event == "exec" and isinstance(args[0], CodeType) and args[0].co_name == "<module>":
            self._module_runs(_real(args[0].co_filename))
        elif event == "open" and self.settings.links and isinstance(args[2], int) and args[2] & _WRITES:
            _break_link(args[0], self.settings.links)

    def _module_runs(self, file: str) -> None:
        if file not in self.modules:
            return
        if file in self.sources and self.sources[file] not in self.loaded:
            with open(file, "rb") as source:
                self.loaded[self.sources[file]] = hashlib.sha256(source.read()).hexdigest()
        name = self.wanted.get((file, "<module>"))
        if name is not None:
            self.executed.add(name)
            self.functions.add(name)

    # Calls of the observed functions.

    def _observe(self) -> None:
        if sys.version_info >= (3, 12):
            monitoring, events = sys.monitoring, sys.monitoring.events
            tool = next(number for number in (4, 3, 2, 1) if monitoring.get_tool(number) is None)
            monitoring.use_tool_id(tool, "jaxfix")

            def starts(code: CodeType, _: int) -> Any:
                name = self._name(code)
                if name is None:
                    return monitoring.DISABLE
                monitoring.set_local_events(tool, code, events.PY_RETURN)
                return self._enter(name, code)

            monitoring.register_callback(tool, events.PY_START, starts)
            monitoring.register_callback(tool, events.PY_RETURN, lambda code, _, value: self._leave(code, value, False))
            monitoring.register_callback(tool, events.PY_UNWIND, lambda code, _, error: self._leave(code, None, True))
            monitoring.set_events(tool, events.PY_START | events.PY_UNWIND)
        else:
            threading.setprofile(self._profile)
            sys.setprofile(self._profile)

    def _profile(self, frame: FrameType, event: str, value: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_qualname in self.qualnames:
            name = self._name(code)
            if name is not None:
                self._enter(name, code)
        elif event == "return" and self.thread.calls and self.thread.calls[-1].code is code:
            # The profiler says `None` of a frame that an exception leaves: the instruction tells.
            raised = value is None and dis.opname[code.co_code[frame.f_lasti]] != "RETURN_VALUE"
            self._leave(code, value, raised)

    def _name(self, code: CodeType) -> str | None:
        if code.co_qualname not in self.qualnames:
            return None
        return self.wanted.get((_real(code.co_filename), code.co_qualname))

    def _enter(self, name: str, code: CodeType) -> None:
        if self.thread.paused:
            return
        self.functions.add(name)
        if self.settings.calls is not None and not code.co_flags & _NO_CALLS:
            self.thread.calls.append(_Call(name, code, _tracing(), len(self.compiles), self.traces))

    def _leave(self, code: CodeType, value: Any, raised: bool) -> None:
        calls = self.thread.calls
        if self.thread.paused or not calls or calls[-1].code is not code:
            return
        call = calls.pop()
        if call.traced:
            return  # how often a function is traced is what a fix may change
        number = self.calls[call.name] = self.calls.get(call.name, 0) + 1
        if not calls:
            self.step(call.compiles, call.traces, time.perf_counter() - call.started)
        if number <= (self.settings.calls or 0):
            label = f"{os.path.basename(call.name)} call {number}"
            self.outputs.append(raised_output(label) if raised else self.digest(label, value))

    def step(self, compiles: int, traces: int, seconds: float) -> None:
        """Records a step that began when the counts were `compiles` and `traces`."""
        counts = {"compiles": len(self.compiles) - compiles, "traces": self.traces - traces}
        self.steps.append(counts | {"rss_bytes": rss_bytes(), "seconds": seconds})

    # Compiles.

    @contextmanager
    def uncounted(self) -> Iterator[None]:
        """Counts nothing that this thread compiles meanwhile."""
        self.thread.uncounted += 1
        try:
            yield
        finally:
            self.thread.uncounted -= 1
            self.thread.seconds, self.thread.misses, self.thread.compiling = {}, [], None

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Neither counts nor observes what this thread does meanwhile."""
        self.thread.paused += 1
        try:
            with self.uncounted():
                yield
        finally:
            self.thread.paused -= 1

    def _timed(self, event: str, seconds: float, **said: Any) -> None:
        thread = self.thread
        if thread.uncounted:
            return
        if event == TRACE:
            self.traces += 1
        if event in (TRACE, LOWER):
            thread.seconds[event] = seconds
        if event != COMPILE:
            return
        total = seconds + sum(thread.seconds.values())
        self.compiles.append(self._compile(total, said.get("fun_name"), sys._getframe(1)))
        thread.seconds, thread.misses, thread.compiling = {}, [], None
        self.environment = self.environment or environment(self.without)

    def _compile(self, seconds: float, name: str | None, frame: FrameType | None) -> dict[str, Any]:
        logged, avals = self.thread.compiling or (name or "unknown", ())
        primitive: Any = None
        parameters: dict[str, Any] | None = None
        lines: list[tuple[str, int, str]] = []
        others: list[tuple[str, int, str]] = []
        while frame is not None:
            file, function = frame.f_code.co_filename, frame.f_code.co_qualname
            if function == "apply_primitive" and primitive is None:
                primitive, parameters = frame.f_locals.get("prim"), frame.f_locals.get("params")
            (lines if self._is_user(file) else others).append((self._shown(file), frame.f_lineno, function))
            frame = frame.f_back
        named = re.sub(r"^jit\((.*)\)$", r"\1", name or logged)
        program = primitive.name if primitive is not None else f"jit({named})"
        path, line, function = (lines or [entry for entry in others if _is_foreign(entry[0])] or [_NOWHERE])[0]
        cause = self._cause((path, line, program), _signature(avals), parameters, named)
        chain = [f"{file}:{number} in {where}" for file, number, where in lines]
        place = {"path": path, "line": line, "function": function, "chain": chain}
        return place | {"program": program, "cause": cause, "seconds": seconds}

    def _is_user(self, file: str) -> bool:
        if file.startswith("<") or _real(os.path.dirname(file)) == self.here or file == _real(__file__):
            return False
        if any(_inside(file, folder) and not _PACKAGES.search(file[len(folder) :]) for folder in self.settings.user):
            return True  # but not the environment that lies in a project
        return not _is_installed(file)

    def _shown(self, file: str) -> str:
        if file.startswith("<"):
            return file
        return shown(os.path.abspath(file), self.settings)

    # Causes.

    def _overheard(self, record: logging.LogRecord, *, level: int, explained: bool) -> bool:
        """Keeps what the log says of a compile, and passes on what the user would have seen without us."""
        text = str(record.msg)
        if text.startswith("Compiling %s with global shapes") and isinstance(record.args, tuple):
            avals = record.args[1] if isinstance(record.args[1], tuple | list) else ()
            self.thread.compiling = (str(record.args[0]), tuple(avals))
        if text.startswith("TRACING CACHE MISS"):
            self.thread.misses.append(text)
            return explained
        if record.levelno > logging.DEBUG:
            return True
        parent = logging.getLogger("jax").getEffectiveLevel()
        return record.levelno >= (level or parent)

    def _cause(self, place: tuple[str, int, str], avals: Any, parameters: Any, name: str) -> str | None:
        seen = self.history.setdefault(place, [])
        known = None if parameters is None else {key: _parameter(value) for key, value in parameters.items()}
        alike = [old for types, old in seen if types == avals]
        before = seen[-1][0] if seen else None
        seen.append((avals, known))
        said = next((words for words in map(explanation, self._misses(name)) if words), None)
        if before is None:
            return said if said and "each call" not in said else "first compile of this line"
        if not alike:
            return difference(before, avals)
        same = alike[-1]
        if known and same and (changed := [key for key in known if same.get(key) != known[key]]):
            return f"`{changed[0]}` of `{name}` differs: {same.get(changed[0])} -> {known[changed[0]]}"
        if said:
            return said
        if known is not None:
            return "function object differs on each call: same shapes and types"
        return "same shapes and types: the function object or a static argument differs"

    def _misses(self, name: str) -> list[str]:
        mine = [miss for miss in self.thread.misses if re.search(rf"\b{re.escape(name)}\b", miss)]
        return mine + [miss for miss in self.thread.misses if miss not in mine]

    # Values.

    def digest(self, label: str, value: Any) -> dict[str, Any]:
        """What `value` is, as an `Output`; counts nothing, and keeps nothing of it alive."""
        with self.paused():
            leaves, treedef = _flatten(value)
            digested = [self._leaf(path, leaf) for path, leaf in leaves]
            return {"label": label, "treedef": self._stable(treedef), "leaves": digested}

    def _stable(self, text: str) -> str:
        return _ADDRESS.sub("0x", shown(text, self.settings))

    def _leaf(self, path: str, leaf: Any) -> dict[str, Any]:
        jax = sys.modules.get("jax")
        if jax is not None and self.attached and isinstance(leaf, jax.Array):
            return self._jax_leaf(path, leaf, jax)
        numpy = sys.modules.get("numpy")
        if numpy is not None and isinstance(leaf, numpy.ndarray | numpy.generic) and leaf.dtype != object:
            array = numpy.asarray(leaf)
            return _facts(path, f"numpy {array.dtype}", array.shape, False) | self._bits(array)
        # The `repr` of other types is the user's code, and need not tell what they hold.
        plain = isinstance(leaf, _PLAIN)
        digest = _sha(self._stable(repr(leaf)).encode()) if plain else None
        number = (float(leaf),) if isinstance(leaf, int | float) and abs(leaf) < 1e300 else ()
        return _facts(path, f"<{type(leaf).__qualname__}>", (), False) | {"digest": digest, "sample": number}

    def _jax_leaf(self, path: str, leaf: Any, jax: ModuleType) -> dict[str, Any]:
        weak = bool(getattr(leaf, "weak_type", False))
        facts = _facts(path, str(leaf.dtype), leaf.shape, weak)
        if isinstance(leaf, jax.core.Tracer) or leaf.is_deleted():
            return facts
        if jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
            leaf = jax.random.key_data(leaf)
        return facts | self._bits(_host(leaf), str(facts["dtype"]))

    def _bits(self, array: Any, dtype: str | None = None) -> dict[str, Any]:
        """Digest, sample and NaNs of a numpy array. All NaNs are one: their sign and payload mean nothing."""
        np = importlib.import_module("numpy")
        custom = array.dtype.kind == "V" and array.dtype.names is None and not array.dtype.name.startswith("void")
        numeric = array.dtype.kind in "fiubc" or custom
        inexact = array.dtype.kind in "fc" or (custom and "float" in array.dtype.name)
        mask = np.isnan(array) if inexact else None
        nans = int(mask.sum()) if mask is not None else 0
        if nans:
            array = np.where(mask, np.array(np.nan, array.dtype), array)
        head = f"{dtype or array.dtype}{array.shape}".encode()
        sample = self._sample(array) if numeric else []
        return {"digest": _sha(head + array.tobytes()), "sample": sample, "nans": nans}

    def _sample(self, array: Any) -> list[float]:
        np = importlib.import_module("numpy")
        room = SAMPLE if self.budget > 0 else 64
        flat = array.reshape(-1)[:: stride(array.size, room)]
        parts = [flat.real, flat.imag] if flat.dtype.kind == "c" else [flat]
        values = [float(value) for part in parts for value in part.astype(np.float64)]
        self.budget -= len(values)
        return values


class _AwaitJax:
    """A finder that lets others find `jax` and says when it has been imported."""

    def __init__(self, then: Callable[[], None]) -> None:
        self.then = then

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if name != "jax":
            return None
        finders = [finder for finder in sys.meta_path if finder is not self and hasattr(finder, "find_spec")]
        specs = (finder.find_spec(name, path, target) for finder in finders)
        spec = next((spec for spec in specs if spec is not None), None)
        if spec is not None and spec.loader is not None:
            spec.loader = _Announcing(spec.loader, self._imported)  # type: ignore[assignment]
        return spec

    def _imported(self) -> None:
        sys.meta_path[:] = [finder for finder in sys.meta_path if finder is not self]
        self.then()


class _Announcing:
    def __init__(self, loader: Any, then: Callable[[], None]) -> None:
        self.loader, self.then = loader, then

    def create_module(self, spec: Any) -> Any:
        return self.loader.create_module(spec)

    def exec_module(self, module: Any) -> None:
        module.__spec__.loader = module.__loader__ = self.loader
        self.loader.exec_module(module)
        self.then()


_PLAIN = (bool, int, float, complex, str, bytes, type, enum.Enum, range, slice)
_NOWHERE = ("<unknown>", 0, "<unknown>")


def stride(size: int, room: int = SAMPLE) -> int:
    """How far apart the sampled values of an array of `size` values lie."""
    return max(1, -(-size // room))


def shown(text: str, settings: Settings) -> str:
    """`text` with the folders of this run named as the user knows them."""
    for here, there in settings.moved:
        text = text.replace(here, there)
    return text


def raised_output(label: str) -> dict[str, Any]:
    """The output of a call that an exception left."""
    return {"label": label, "treedef": "raised", "leaves": []}


def explanation(miss: str) -> str | None:
    """What jax's explanation of a cache miss means, in our words."""
    if static := re.search(r"now .*Static\(val=(.*?)\) and before .*Static\(val=(.*?)\)", miss):
        return f"static argument differs ({static[2]} -> {static[1]})"
    if never := re.search(r"never seen function:\s+(\S+)", miss):
        again = "seen another function defined on the same line" in miss
        return f"function object differs on each call: `{never[1].rpartition('.')[2]}`" if again else None
    if types := re.search(r"\* at (.+?), now (\S+) and before (\S+)$", miss, re.MULTILINE):
        return _types_differ(types[1], types[3].partition("https:")[0], types[2])
    if types := re.search(r"\* at (.+?), seen (\S+?),? but now given (\S+?),?(?:\s|$)", miss):
        return _types_differ(types[1], types[2], types[3])
    if "racing context doesn't match" in miss:
        named = re.search(r"\* (jax_\w+) differs: now (.+) and before (.+)", miss)
        return f"`{named[1]}` differs: {named[3]} -> {named[2]}" if named else "configuration or context differs"
    if tree := re.search(r"at (?:input path )?(\S+?), (?:now|seen) ", miss):
        return f"structure of `{tree[1]}` differs"
    return None


def _types_differ(name: str, before: str, now: str) -> str:
    plain = [re.sub(r"\(\{[^}]*\}\)|\{[^}]*\}", "", text) for text in (before, now)]
    if plain[0] == plain[1]:
        return f"weak_type of `{name}` differs"
    return f"`{name}` differs: {plain[0]} -> {plain[1]}"


def difference(before: Any, now: Any) -> str:
    """How the argument types of two compiles differ, each as (dtype, shape, weak type) per argument."""
    if len(before) != len(now):
        return f"number of arrays differs: {len(before)} -> {len(now)}"
    number, old, new = next((i, a, b) for i, (a, b) in enumerate(zip(before, now, strict=True)) if a != b)
    if old[:2] == new[:2]:
        return f"weak_type of argument {number} differs"
    kind = "dtype" if old[1] == new[1] else "shape"
    texts = [f"{dtype}[{','.join(map(str, shape))}]" for dtype, shape, _ in (old, new)]
    return f"{kind} of argument {number} differs: {texts[0]} -> {texts[1]}"


def _signature(avals: Any) -> tuple[tuple[str, tuple[Any, ...], bool], ...]:
    return tuple(
        (str(getattr(aval, "dtype", aval)), tuple(getattr(aval, "shape", ())), bool(getattr(aval, "weak_type", False)))
        for aval in avals
    )


def _parameter(value: Any) -> str:
    """A parameter of a primitive, in one word; programs within it are left to `function object differs`."""
    kind = type(value).__name__
    nested = type(value[0]).__name__ if isinstance(value, tuple) and value else ""
    if "Jaxpr" in kind or "Jaxpr" in nested or callable(value):
        return "a program"
    return _ADDRESS.sub("0x", repr(value))[:60]


def _facts(path: str, dtype: str, shape: Any, weak: bool) -> dict[str, Any]:
    place = {"path": path, "dtype": dtype, "shape": list(shape), "weak_type": weak}
    return place | {"digest": None, "sample": [], "nans": 0}


def _flatten(value: Any) -> tuple[list[tuple[str, Any]], str]:
    jax = sys.modules.get("jax")
    if jax is None or not hasattr(jax, "tree_util"):
        return [("", value)], "*"
    try:
        pairs, treedef = jax.tree_util.tree_flatten_with_path(value)
    except (TypeError, ValueError):  # keys of a dict that cannot be ordered
        return [("", value)], "*"
    return [(jax.tree_util.keystr(path), leaf) for path, leaf in pairs], str(treedef)


def _host(leaf: Any) -> Any:
    """The values as numpy, through a view that dies: one kept by the array would forbid its donation."""
    np = importlib.import_module("numpy")
    if leaf.is_fully_addressable and len(leaf.sharding.device_set) == 1:
        return np.asarray(leaf.addressable_data(0))
    if leaf.is_fully_addressable:
        return np.asarray(leaf)
    return np.concatenate([np.asarray(shard.data).reshape(-1) for shard in leaf.addressable_shards])


def _tracing() -> bool:
    core = sys.modules.get("jax._src.core")
    clean = getattr(core, "trace_state_clean", None)
    return clean is not None and not clean()


def environment(without: str | None = None) -> dict[str, str]:
    """Where this process computes, and without what; asks for the devices, so only once a backend is up."""
    jax, jaxlib = importlib.import_module("jax"), importlib.import_module("jaxlib")
    device = jax.local_devices()[0]
    python = ".".join(map(str, sys.version_info[:3]))
    versions = {"python": python, "jax": jax.__version__, "jaxlib": jaxlib.__version__}
    kind = f"{device.device_kind} without {without}" if without and device.platform == "cpu" else device.device_kind
    return versions | {"device": kind, "platform": device.platform}


def rss_bytes() -> int:
    """Resident memory now; its peak where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as statm:
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return peak_bytes()


def peak_bytes() -> int:
    """The most memory that was ever resident in this process."""
    try:
        import resource
    except ImportError:  # Windows has none
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def write_json(path: str, record: object) -> None:
    """Writes the file whole, or not at all."""
    scratch = f"{path}.{os.getpid()}.part"
    with open(scratch, "w", encoding="utf-8") as file:
        json.dump(record, file)
    os.replace(scratch, path)


def _break_link(opened: object, links: list[str]) -> None:
    if not isinstance(opened, str | bytes | os.PathLike):
        return  # an open file descriptor
    path = os.fsdecode(opened)
    copy, tree = links
    if not _inside(os.path.abspath(path), copy) or not os.path.islink(path):
        return
    target = os.path.realpath(path)
    if not _inside(target, tree) or not os.path.isfile(target):
        return
    os.unlink(path)
    shutil.copy2(target, path)


def _sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@functools.cache
def _real(path: str) -> str:
    return os.path.realpath(path)


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + os.sep)


def _moved(path: str, old: str, new: str) -> str:
    return new + path[len(old) :] if _inside(path, old) else path


_LIBRARY = tuple({_real(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")})
_PACKAGES = re.compile(r"[\\/](?:site|dist)-packages[\\/]")
_JAX = re.compile(r"[\\/](?:jax|jaxlib)[\\/]")


@functools.cache
def _is_installed(file: str) -> bool:
    return bool(_PACKAGES.search(file)) or any(_inside(_real(file), folder) for folder in _LIBRARY)


def _is_foreign(file: str) -> bool:
    """Of a library that is neither jax nor Python."""
    return bool(_PACKAGES.search(file)) and not _JAX.search(file)


def _chain(here: str) -> None:
    """Runs the environment's own `sitecustomize`, which this file stands before."""
    sys.path[:] = [entry for entry in sys.path if _real(entry or os.curdir) != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", sys.path)
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


def activate() -> None:
    """Starts the probe that `JAXFIX_PROBE` describes; the module is known as `jaxfix_probe` from then on."""
    sys.modules["jaxfix_probe"] = sys.modules[__name__]
    with open(os.environ[SETTINGS_VARIABLE], encoding="utf-8") as file:
        global PROBE
        PROBE = Probe(Settings(json.load(file)))
    PROBE.start()
    _chain(PROBE.here)


PROBE: Probe | None = None

if __name__ == "sitecustomize" and SETTINGS_VARIABLE in os.environ:
    activate()
