"""What a program does not show of a wrong rewrite: other state, other data, and what is changed beside the result."""

from functools import partial
from pathlib import Path
from textwrap import dedent

import beside_program
import pytest
from beside_program import HEAD, differing

from jaxfix.evidence.outputs import FILE, Allowed, likeness
from jaxfix.report.measurement import Measurement

measured = partial(beside_program.measured, head="import contextvars\nimport dataclasses\nimport os\n" + HEAD)

pytestmark = pytest.mark.evidence


KEPT = """
KEPT = {}

def kept(name, value):
    return KEPT.setdefault(name, value)

def same(name, value):
    return value
"""


def either(folder: Path, text: str, *functions: str) -> Measurement:
    """A run in which `same("name", value)` has become `kept("name", value)`: what was read once is kept for ever."""
    return measured(folder, KEPT + dedent(text), KEPT + dedent(text).replace("same(", "kept("), *functions)


def test_what_is_nested_or_no_number_is_bound_anew(tmp_path: Path) -> None:
    text = """
    class Options:
        def __init__(self, rate):
            self.rate = rate

    @dataclasses.dataclass(frozen=True)
    class Frozen:
        rate: float = 2.0

    class Model:
        layers = [1.0, 2.0]
        __slots__ = ("options", "frozen", "config", "__weakref__")
        def __init__(self):
            self.options, self.frozen, self.config = Options(2.0), Frozen(), {"inner": {"rate": 2.0}}
        def nested(self, v):
            return v * same("nested", self.options.rate)
        def replaced(self, v):
            return v * same("replaced", self.frozen.rate)
        def entry(self, v):
            return v * same("entry", self.config["inner"]["rate"])
        def shared(self, v):
            return v * same("shared", sum(self.layers))
        def change(self):
            self.options.rate = 1.0
            self.frozen = dataclasses.replace(self.frozen, rate=1.0)
            self.config["inner"]["rate"] = 1.0
            self.layers.append(3.0)

    mode, activation, limit, pair, options = "train", jnp.tanh, None, (2.0, 3.0), Options(2.0)
    scales = np.ones(4, np.float32)
    rate = contextvars.ContextVar("rate", default=2.0)
    os.environ.setdefault("RATE", "2.0")

    def change(*values):
        global mode, activation, limit, pair, options
        mode, activation, limit, pair, options = values
        scales[:] = 2.0
        os.environ["RATE"] = "1.0"

    def text(v):
        return v * same("text", 0.5 if mode == "train" else 1.0)
    def function(v):
        return same("function", activation)(v)
    def nothing(v):
        return v * same("nothing", 2.0 if limit is None else limit)
    def several(v):
        return v * same("several", pair[0])
    def instance(v):
        return v * same("instance", options.rate)
    def buffer(v):
        return v * same("buffer", float(scales[0]))
    def variable(v):
        return v * same("variable", float(os.environ["RATE"]))
    def context(v):
        return v * same("context", rate.get())

    model = Model()
    for f in (model.nested, model.replaced, model.entry, model.shared, text, function, nothing, several, instance,
              buffer, variable, context):
        f(x)
    """
    methods = [f"Model.{name}" for name in ("nested", "replaced", "entry", "shared")]
    plain = ["text", "function", "nothing", "several", "instance", "buffer", "variable", "context"]
    found = differing(either(tmp_path, text, *methods, *plain))
    assert set(found) == {*methods, *plain}
    assert all(any(how.startswith("rebound") for how in hows) for hows in found.values())


def test_what_another_module_sets_is_bound_anew(tmp_path: Path) -> None:
    (tmp_path / "settings.py").write_text("RATE = 2.0\ndef slower():\n    global RATE\n    RATE = 1.0\n")
    text = """
    import settings
    def f(v):
        return v * same("rate", settings.RATE)
    f(x)
    """
    assert "rebound `settings.RATE`" in differing(either(tmp_path, text, "f"))["f"]


def test_what_is_bound_once_stays(tmp_path: Path) -> None:
    text = """
    class Options:
        def __init__(self, rate):
            self.rate, self.names = rate, {"a": {"b": 2.0}}

    options, mode, activation, pair = Options(2.0), "train", jnp.tanh, (2.0, 3.0)
    if len(mode) > 3:
        activation = jnp.sin
    scales = np.ones(4, np.float32)

    def f(v):
        rate = options.rate * options.names["a"]["b"] * (mode == "train") * pair[0] * float(scales[0])
        return same("activation", activation)(v * same("rate", rate))
    f(x)
    """
    found = either(tmp_path, text, "f")
    assert differing(found) == {}
    assert found.alone == {}


def test_other_keys_integers_rows_dtypes_texts_and_callables_are_tried(tmp_path: Path) -> None:
    text = """
    class Loss:
        def of(self, v):
            return jnp.sum(v ** 2)

    def keyed(v, key):
        return v + same("key", jax.random.normal(key))
    def counted(v, tokens):
        return v + same("tokens", tokens.sum())
    def long(v):
        return v / same("length", v.shape[0])
    def typed(v):
        return v.astype(same("dtype", v.dtype)) * 3
    def named(v, mode):
        return v * same("mode", 2.0 if mode == "double" else 0.5 if mode == "halve" else 1.0)
    def jitted(v, loss):
        return same("jitted", loss)(v)
    def bound(v, loss):
        return same("bound", loss)(v)

    keyed(x, jax.random.key(0))
    counted(x, jnp.array([3, 3]))
    long(x)
    typed(x)
    named(x, "double")
    jitted(x, jax.jit(lambda v: jnp.sum(v)))
    bound(x, Loss().of)
    """
    found = differing(either(tmp_path, text, "keyed", "counted", "long", "typed", "named", "jitted", "bound"))
    assert "perturbed, other keys" in found["keyed"]
    assert "perturbed, integers advanced" in found["counted"]
    assert "perturbed, one row less" in found["long"]
    assert "perturbed, in bfloat16" in found["typed"]
    assert "perturbed, 'double' as 'halve'" in found["named"]
    assert "perturbed, `<lambda>` doubled" in found["jitted"]
    assert "perturbed, `of` doubled" in found["bound"]


def test_values_that_are_not_finite_are_tried(tmp_path: Path) -> None:
    before = """
    def f(v):
        return jnp.maximum(v, 0.0)
    f(x)
    """
    found = measured(tmp_path, before, before.replace("jnp.maximum(v, 0.0)", "jnp.where(v > 0, v, 0.0)"), "f")
    assert "perturbed, not finite" in differing(found)["f"]


CHANGES = """
seen = 0
log = []

class Model:
    def __init__(self):
        self.calls, self.history = 0, []
    def count(self, v):
        self.calls += 1
        return v * 2
    def note(self, v):
        self.history.append(v)
        return v * 2

def total(v):
    global seen
    seen += 1
    return v * 2

def make():
    calls = 0
    def counting(v):
        nonlocal calls
        calls += 1
        return v * 2
    return counting

def fill(v, buffer):
    buffer[:] = np.asarray(v)
    return v * 2

def put(v, state):
    state["v"] = v * 2
    return v * 2

def warn(v):
    if v[0] < 0:
        print("negative")
    return v * 2

model = Model()
buffer, state, counting = np.zeros(4, np.float32), {"v": x}, make()
for _ in range(2):
    model.count(x), model.note(x), total(x), counting(x), fill(x, buffer), put(x, state), warn(x)
print(model.calls >= 0, len(model.history) >= 0, seen >= 0)
"""
FUNCTIONS = ("Model.count", "Model.note", "total", "make.<locals>.counting", "fill", "put", "warn")


def test_what_is_changed_beside_the_result_is_compared(tmp_path: Path) -> None:
    lost = CHANGES
    for line in ("self.calls += 1", "self.history.append(v)", "seen += 1", "calls += 1", 'state["v"] = v * 2'):
        lost = lost.replace(line, "pass")
    lost = lost.replace("buffer[:] =", "buffer =").replace('print("negative")', "pass")
    found = measured(tmp_path, CHANGES, lost, *FUNCTIONS)
    assert found.alone == {}
    assert set(differing(found)) == set(FUNCTIONS)


def test_the_same_changes_are_equal_and_undone(tmp_path: Path) -> None:
    ending = (
        "import atexit\natexit.register(lambda: print(model.calls, len(model.history), seen, buffer, state['v']))\n"
    )
    before = CHANGES.replace("\nmodel = Model()", ending + "\nmodel = Model()")
    found = measured(tmp_path, before, before.replace("v * 2", "2 * v"), *FUNCTIONS)
    assert (differing(found), found.alone) == ({}, {})
    assert "2 2 2 [1. 2. 3. 4.] [2. 4. 6. 8.]" in found.stdout


def test_what_is_called_back_and_written_is_compared_and_undone(tmp_path: Path) -> None:
    before = """
    import atexit
    alarms = []
    def noted(bad):
        if bad:
            alarms.append("nan")
    def alarm(v):
        jax.debug.callback(noted, jnp.isnan(v).any())
        return v * 2
    def write(v):
        with open("log.txt", "a") as log:
            log.write(str(float(v.sum())) + ";")
        return v * 2
    atexit.register(lambda: print(os.path.getsize("log.txt"), "bytes,", len(alarms), "alarms"))
    alarm(x), write(x)
    """
    lost = before.replace("jax.debug.callback(noted, jnp.isnan(v).any())", "pass").replace("log.write(", "str(")
    assert differing(measured(tmp_path, before, lost, "alarm", "write")).keys() == {"alarm", "write"}
    found = measured(tmp_path, before, before.replace("v * 2", "2 * v"), "alarm", "write")
    assert (differing(found), found.alone) == ({}, {})
    assert "5 bytes, 0 alarms" in found.stdout


def test_results_that_are_shared_between_calls_are_found_out(tmp_path: Path) -> None:
    text = """
    def array(v):
        return same("array", np.zeros(4))
    def mapping(v):
        return v, same("mapping", {"calls": 0})
    array(x), mapping(x)
    """
    found = differing(either(tmp_path, text, "array", "mapping"))
    assert set(found) == {"array", "mapping"}
    assert found["array"] == {"as called, after its results were changed in place"}


def test_what_an_object_holds_is_compared_but_for_durations(tmp_path: Path) -> None:
    before = """
    import time
    class Result:
        def __init__(self, value, norm):
            self.value, self.norm, self.elapsed = value, {"l1": norm}, time.perf_counter()
    def f(v):
        return v, Result(v, jnp.sum(v))
    def g(v):
        return v, Result(v, jnp.sum(v))
    f(x), g(x)
    """
    after = before.replace("return v, Result(v, jnp.sum(v))", "return v, Result(v, jnp.max(v))", 1)
    found = measured(tmp_path, before, after, "f", "g")
    assert "as called" in differing(found)["f"]
    assert "g" not in differing(found)


def test_files_that_a_program_writes_are_outputs(tmp_path: Path) -> None:
    program = """
    def f(v):
        return v * 2
    with open("losses.txt", "w") as log:
        print("loss", float(f(x)[0]) * 1, "in 12 ms", file=log)
    np.save("kept.npy", np.asarray(x))
    os.makedirs("runs", exist_ok=True)
    for number in range(2):
        np.save(f"runs/step{number}.npy", np.asarray(f(x)))
    """
    found = measured(tmp_path, program, program, "f")
    files = [output.label for output in found.outputs if output.label.startswith(FILE)]
    assert files == ["file kept.npy", "file losses.txt", "file runs/step#.npy", "file runs/step#.npy (2)"]
    other = measured(tmp_path, program, program.replace("* 1,", "* 2,"), "f")
    assert "`file losses.txt`" in str(likeness(found, other, Allowed()).difference)
    lost = measured(tmp_path, program, program.replace('np.save("kept.npy", np.asarray(x))', ""), "f")
    assert "happened only without the change" in str(likeness(found, lost, Allowed()).difference)
    again = measured(tmp_path, program, program.replace("12 ms", "13 ms"), "f")
    assert likeness(found, again, Allowed()).difference is None


def test_keys_and_trees_that_a_call_puts_in_the_place_of_others_are_compared(tmp_path: Path) -> None:
    before = """
    import enum
    from typing import NamedTuple
    def new():
        return jax.random.key(1)
    class Mode(enum.Enum):
        FIRST, LATER = 1, 2
    @dataclasses.dataclass
    class Open:
        key: jax.Array
    class Plain:
        def __init__(self, key):
            self.key = key
    class Item(Plain):
        pass
    @dataclasses.dataclass(frozen=True)
    class Frozen:
        key: jax.Array
    class Named(NamedTuple):
        key: jax.Array
    class Sampler:
        def __init__(self, noise):
            self.noise, self.mode, self.seen = noise, Mode.FIRST, frozenset()
            self.typed, self.raw, self.many = new(), jax.random.PRNGKey(1), jax.random.split(new())
            self.entries, self.items, self.pair = {"a": new()}, [new()], (new(), 1)
            self.open, self.frozen, self.named = Open(new()), Frozen(new()), Named(new())
            self.opened, self.plain, self.parts = Open(new()), Plain(new()), [{"first": Item(new())}]
    SHARED, TABLE = new(), {"k": (new(), 1)}
    def moved(key):
        return jax.random.split(key)[0]
    def around():
        inner = new()
        def draw(sampler, v):
            nonlocal inner
            global SHARED
            if sampler.noise < 9.0:
                sampler.mode = Mode.LATER if sampler.mode is Mode.FIRST else Mode.FIRST
                sampler.seen, inner, SHARED = sampler.seen | {len(sampler.seen)}, moved(inner), moved(SHARED)
                sampler.typed, sampler.raw = moved(sampler.typed), moved(sampler.raw)
                sampler.many = jax.random.split(sampler.many[0])
                sampler.entries["a"], sampler.items[0] = moved(sampler.entries["a"]), moved(sampler.items[0])
                sampler.pair, TABLE["k"] = (moved(sampler.pair[0]), 1), (moved(TABLE["k"][0]), 1)
                sampler.open.key, sampler.frozen = moved(sampler.open.key), Frozen(moved(sampler.frozen.key))
                sampler.named = Named(moved(sampler.named.key))
                sampler.opened, sampler.plain = Open(moved(sampler.opened.key)), Plain(moved(sampler.plain.key))
                sampler.parts[0]["first"].key = moved(sampler.parts[0]["first"].key)
            return v + sampler.noise if sampler.noise > 0.0 else v
        return draw
    draw, sampler = around(), Sampler(0.5)
    for k in range(3):
        draw(sampler, x + k)
    """
    found = measured(tmp_path, before, before.replace("noise < 9.0", "noise > 0.0"), "around.<locals>.draw")
    pair = next(pair for pair in found.beside if pair.how == "rebound `sampler.noise = 0.0`")
    old, new = ({leaf.path: leaf for leaf in side.leaves} for side in (pair.before, pair.after))
    apart = {path for path in old if old[path] != new.get(path)}
    places = "mode", "typed", "raw", "many", "pair", "named", "frozen", "seen", "entries", "items", "opened", "plain"
    for place in (*(f"Sampler.{name}" for name in places), "Open", "Item", "SHARED", "TABLE", "inner"):
        assert any(path.startswith(f"['changed']['{place}") for path in apart), place
    right = before.replace("return jax.random.split(key)[0]", "first, _ = jax.random.split(key); return first")
    assert not differing(measured(tmp_path, before, right, "around.<locals>.draw"))


def test_dictionaries_whose_keys_have_no_order_are_opened(tmp_path: Path) -> None:
    before = """
    MEMO = {0: 0, "a": x}
    def f(v):
        MEMO[0], MEMO["a"] = MEMO[0] + 1, v
        return jnp.abs(v) * 2
    def g(v):
        return {1: jnp.abs(v), "b": [v, {2: v + 1, "c": v}]}
    for k in range(3):
        f(x + k), g(x + k)
    """
    assert differing(measured(tmp_path, before, before.replace("jnp.abs(v) * 2", "v * 2"), "f"))
    assert differing(measured(tmp_path, before, before.replace("MEMO[0] + 1", "MEMO[0] + 1 * (v[0] > 0)"), "f"))
    assert differing(measured(tmp_path, before, before.replace("1: jnp.abs(v)", "1: v"), "g"))
    assert differing(measured(tmp_path, before, before.replace("2: v + 1", "2: v + jnp.sign(v)"), "g"))
    assert not differing(measured(tmp_path, before, before.replace("jnp.abs(v) * 2", "2 * jnp.abs(v)"), "f"))
    assert not differing(measured(tmp_path, before, before.replace("{1: jnp.abs(v), ", "{1: jnp.absolute(v), "), "g"))


OPTIONAL = """
@dataclasses.dataclass(frozen=True)
class Frozen:
    floor: float | None = None
@dataclasses.dataclass
class Open:
    floor: float | None = None
def by_parameter(v, floor=None):
    return v if floor is None else jnp.maximum(v, floor)
def by_frozen(v, options):
    return v if options.floor is None else jnp.maximum(v, options.floor)
def by_open(v, options):
    return v if options.floor is None else jnp.maximum(v, options.floor)
for k in range(3):
    by_parameter(x - k), by_frozen(x - k, Frozen()), by_open(x - k, Open())
"""


@pytest.mark.parametrize("function", ["by_parameter", "by_frozen", "by_open"])
def test_zero_in_the_place_of_none_is_tried(tmp_path: Path, function: str) -> None:
    name = "floor" if function == "by_parameter" else "options.floor"
    begin, head, rest = OPTIONAL.partition(f"def {function}(")
    after = begin + head + rest.replace(f"{name} is None", f"not {name}", 1)
    assert differing(measured(tmp_path, OPTIONAL, after, function))
    right = begin + head + rest.replace(f"{name} is None", f"not ({name} is not None)", 1)
    assert not differing(measured(tmp_path, OPTIONAL, right, function))
