"""What other files fill in place, under whatever name, of what a step reads: a jitted step would not see it."""

from pathlib import Path

import pytest

from jaxfix.drivers.cli import terminal
from jaxfix.drivers.workflow.looking import look
from jaxfix.drivers.workflow.request import Request
from jaxfix.drivers.workflow.targets import find_targets

LIB = """import jax
import jax.numpy as jnp
import numpy as np

TARGET = np.linspace(0, 1, 3)


class Layer:
    def __init__(self, flip):
        self.flip = flip

    def forward(self, w, x):
        return jnp.tanh(x * w) if self.flip else jnp.sin(x * w)


class Net:
    def __init__(self, count):
        self.layers = [Layer(i % 2 == 0) for i in range(count)]

    def loss(self, ws, x):
        for layer, w in zip(self.layers, ws):
            x = layer.forward(w, x)
        return jnp.mean((x - TARGET) ** 2)


net = Net(3)


def step(ws, x):
    slopes = jax.grad(net.loss)(ws, x)
    return [w - 0.1 * slope for w, slope in zip(ws, slopes)]


def train(ws, batches, hook):
    for count, x in enumerate(batches):
        ws = step(ws, x)
        hook(count)
    return ws
"""
READS = (
    "print(len(lib.net.layers), [layer.flip for layer in lib.net.layers], lib.net.layers[0].flip)",
    "print(lib.TARGET.sum(), lib.TARGET[0], lib.TARGET.shape, lib.TARGET + 1)",
    "alias = TARGET\n    print(alias.sum(), alias[0] + 1)",
    "kept = [layer.flip for layer in lib.net.layers if layer.flip]",
    "print(getattr(lib.net, 'loss')(3, 4))",
    "import jax.numpy as jnp\n    print(integrate(jnp, 3.0))",
)
FILLS = (
    "lib.net.layers[0] = lib.Layer(False)",
    "lib.net.layers.append(lib.Layer(False))",
    "mine = lib.net.layers\n    mine.reverse()",
    "operator.setitem(lib.net.layers, 0, 1)",
    "random.shuffle(lib.net.layers)",
    "vars(lib.net)['layers'].pop()",
    "getattr(lib.net, 'lay' + 'ers').pop()",
    "lib.net.layers[0].__dict__.update(flip=False)",
    "setattr(lib.net.layers[0], name, False)",
    "setattr(lib, name, None)",
    "lib.net.layers[0].__init__(False)",
    "list(map(functools.partial(object.__setattr__, lib.net.layers[0], 'flip'), [False]))",
    "exec('lib.net.layers[0].flip = False')",
    "fill(lib.TARGET)",
    "np.add(lib.TARGET, 1, out=lib.TARGET)",
    "np.add(lib.TARGET, 1, lib.TARGET)",
    "lib.TARGET.reshape(3, 1)[0] = 5",
    "lib.TARGET.flat[0] = 5",
    "memoryview(lib.TARGET)[0] = 5.0",
    "for row in [lib.TARGET[:2]]:\n        row[...] = 5",
    "held = [lib.TARGET]",
    "holder.rows = lib.TARGET",
    "TARGET[1:] += 1",
    "alias = TARGET\n    alias += 1",
    "alias = late and TARGET\n    alias[0] = 5",
    "operator.attrgetter('layers')(lib.net).pop()",
)


def fixable(folder: Path, hook: str, *names: str, lib: str = LIB, call: str = "lib.train(ws, batches, hook)") -> bool:
    """Whether the step gets a fix, where that hook is in another file."""
    main = f"import lib\nfrom lib import TARGET\n\n\ndef hook(name):\n    {hook}\n\n\n{call}\n"
    (folder / "pyproject.toml").write_text("")
    (folder / "lib.py").write_text(lib)
    (folder / "main.py").write_text(main)
    found = look(find_targets(Request(tuple(str(folder / name) for name in names))), terminal).findings
    assert found.errors == found.bugs == ()
    (step,) = [each for each in found.diagnostics if each.id == "unjitted-update"]
    return step.fixable


@pytest.mark.parametrize("names", [("lib.py", "main.py"), ("lib.py",)], ids=["named", "not named"])
@pytest.mark.parametrize("hook", READS)
def test_what_another_file_reads_stays(tmp_path: Path, hook: str, names: tuple[str, ...]) -> None:
    assert fixable(tmp_path, hook, *names)


@pytest.mark.parametrize("names", [("lib.py", "main.py"), ("lib.py",)], ids=["named", "not named"])
@pytest.mark.parametrize("hook", FILLS)
def test_a_step_is_left_whose_data_another_file_may_fill(tmp_path: Path, hook: str, names: tuple[str, ...]) -> None:
    assert not fixable(tmp_path, hook, *names)


HELD = "[Layer(i % 2 == 0) for i in range(count)]"
CALLED = LIB.replace("layer.forward(w, x)", "layer(w, x)").replace(
    "class Net:",
    """def made():
    calls = 0

    def forward(w, x):
        nonlocal calls
        calls += 1
        return jnp.tanh(x * w * calls)

    return forward


SCALE = 1.0


def rescale():
    global SCALE
    SCALE = 3.0


class Net:""",
)


@pytest.mark.parametrize("hook", FILLS)
def test_a_step_is_left_whose_data_its_own_file_may_fill(tmp_path: Path, hook: str) -> None:
    own = f"{LIB}\n\ndef hook(name):\n    {hook.replace('lib.', '')}\n\n\ntrain(ws, batches, hook)\n"
    assert not fixable(tmp_path, "pass", "lib.py", lib=own)


@pytest.mark.parametrize(
    ("lib", "held", "is_fixed"),
    [
        (LIB, "(Layer(i % 2 == 0) for i in range(count))", False),
        (LIB, "iter([Layer(i % 2 == 0) for i in range(count)])", False),
        (LIB, "map(Layer, range(count))", False),
        (CALLED, "[made() for i in range(count)]", False),
        (CALLED, "[lambda w, x: jnp.tanh(x * w * SCALE) for i in range(count)]", False),
        (CALLED, "[lambda w, x: jnp.tanh(x * w) for i in range(count)]", True),
    ],
)
def test_what_a_list_holds_is_read(tmp_path: Path, lib: str, held: str, *, is_fixed: bool) -> None:
    assert fixable(tmp_path, "pass", "lib.py", lib=lib.replace(HELD, held)) is is_fixed


def test_a_list_of_the_class_may_be_filled(tmp_path: Path) -> None:
    lib = LIB.replace("class Layer:\n", "class Layer:\n    scales = [1.0]\n\n").replace(
        "(x * w)", "(x * w * self.scales[-1])"
    )
    assert fixable(tmp_path, "pass", "lib.py", lib=lib)
    assert not fixable(tmp_path, "lib.Layer.scales.append(3.0)", "lib.py", "main.py", lib=lib)
    own = f"{lib}\n\ndef grow(count):\n    Layer.scales.append(3.0)\n\n\ntrain(ws, batches, grow)\n"
    assert not fixable(tmp_path, "pass", "lib.py", lib=own)


OPTIMIZERS = """import optax
import jax
import jax.numpy as jnp
import settings


def loss_of(params, batch):
    return jnp.mean((batch @ params) ** 2)


def fit(params, batches):
    optimizer = optax.adam(settings.RATE)
    state = optimizer.init(params)
    for batch in batches:
        slopes = jax.grad(loss_of)(params, batch)
        updates, state = optimizer.update(slopes, state)
        params = optax.apply_updates(params, updates)
    return params


def fits(batches):
    return [fit(jnp.ones(3) * member, batches) for member in range(1, 9)]


print(fits([jnp.ones((4, 3))] * 9))
"""


@pytest.mark.parametrize(
    ("change", "is_fixed"),
    [
        ("print(settings.RATE)", True),
        ("settings.RATE = 0.5", False),
        ("lib.settings.RATE = 0.5", False),
        ("setattr(settings, name, 0.5)", False),
        ("optax.adam = optax.sgd", False),
        ("mock.patch.object(lib.optax, 'adam', optax.sgd).start()", False),
    ],
)
def test_an_optimizer_is_made_once_only_if_no_file_rebinds_what_it_is_made_of(
    tmp_path: Path, change: str, *, is_fixed: bool
) -> None:
    (tmp_path / "settings.py").write_text("RATE = 0.05\n")
    imports = "import optax\n    import settings\n    from unittest import mock\n    "
    names = ("lib.py", "main.py", "settings.py")
    assert fixable(tmp_path, f"{imports}{change}", *names, lib=OPTIMIZERS) is is_fixed


PASSED = """import jax
import jax.numpy as jnp


def loss_of(w, x):
    return jnp.mean((x @ w) ** 2)


def train(w, batches, loss=loss_of):
    m = jnp.zeros_like(w)
    for x in batches:
        m = 0.9 * m + jax.grad(loss)(w, x)
        w = w - 0.1 * jnp.tanh(m)
    return w
"""


@pytest.mark.parametrize(
    ("call", "is_fixed"),
    [
        ("print(lib.train(w, batches))", True),
        ("print(lib.train(w, batches, counting))", False),
        ("print(lib.train(w, batches, loss=counting))", False),
        ("print(lib.train(w, batches, **options))", False),
        ("functools.partial(lib.train, loss=counting)(w, batches)", False),
        ("held.append(lib.train)", False),
    ],
)
def test_a_default_is_what_is_called_only_where_no_file_passes_another(
    tmp_path: Path, call: str, *, is_fixed: bool
) -> None:
    assert fixable(tmp_path, call, "lib.py", "main.py", lib=PASSED, call="hook(3)") is is_fixed


def test_a_base_of_another_file_may_change_its_objects(tmp_path: Path) -> None:
    assert fixable(tmp_path, "pass", "lib.py", "main.py")
    (tmp_path / "lib.py").write_text(LIB.replace("class Layer:", "import base\n\n\nclass Layer(base.Base):"))
    (tmp_path / "base.py").write_text("class Base:\n    def turn(self):\n        self.flip = not self.flip\n")
    found = look(find_targets(Request((str(tmp_path / "lib.py"),))), terminal).findings
    assert [each.fixable for each in found.diagnostics] == [False]
