"""What another file can do to a step that is read late, to a captured array, and to the function that captures it."""

from dataclasses import replace

import pytest

from jaxfix.engine.analyze import analyze
from jaxfix.engine.plan import plan
from jaxfix.engine.project import joined
from jaxfix.report.trace.held import ANYTHING
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.source.source_file import SourceFile
from jaxfix_codemods import CODEMODS

LOOP = """\
import jax
import jax.numpy as jnp

from helper import noted


@jax.jit
def step(w, batch):
    loss = jnp.mean((batch @ w) ** 2)
    return w * 0.9, noted(loss)


def train(w, batches):
    losses = []
    for batch in batches:
        w, loss = step(w, batch)
        losses.append(float(loss))
    return losses
"""
TABLE = """\
import jax
import jax.numpy as jnp

table = jnp.sin(jnp.arange(600.0 * 600.0)).reshape(600, 600)


@jax.jit
def advance(x):
    return jnp.tanh(x + table)
"""


def declined(codemod: str, lib: str, **others: str) -> list[str | None]:
    """Why each place that one codemod finds in `lib` gets no fix, beside other files; None where it gets one."""
    files = [
        (SourceFile.decode(f"{name}.py", text.encode()), Surroundings(name))
        for name, text in {"lib": lib, **others}.items()
    ]
    around = replace(Surroundings("lib", project=joined(files)), held=(ANYTHING,))
    found = analyze(files[0][0], [each for each in CODEMODS if each.id == codemod], surroundings=around).found
    return [entry.finding.declined and entry.finding.declined.text for entry in found]


@pytest.mark.parametrize(
    ("helper", "why"),
    [
        ("def noted(x):\n    return x * 2", None),
        ("import lib\ndef noted(x):\n    return x\nprint([getattr(lib, name) for name in dir(lib)])", None),
        ("import jax\ndef noted(x):\n    jax.debug.print('{}', x)\n    return x", "call back to the host"),
        (
            "from jax.experimental import io_callback\ndef noted(x):\n    return io_callback(abs, x, x)",
            "call back to the host",
        ),
        ("import lib\ndef noted(x):\n    return x\nlib.step = lambda w, batch: (w, batch)", "replaces `step`"),
        ("from unittest import mock\ndef noted(x):\n    return x\nmock.patch('lib.step', print)", "replaces `step`"),
    ],
)
def test_a_step_is_read_late_only_where_no_file_can_tell(helper: str, why: str | None) -> None:
    (found,) = declined("host-sync", LOOP, helper=helper)
    assert found is None if why is None else why in (found or "")


def test_a_step_that_is_known_calls_nothing_back() -> None:
    known = LOOP.replace("noted(loss)", "jnp.sqrt(loss)").replace("from helper import noted\n", "")
    assert declined("host-sync", known, debug="import jax\njax.debug.print('{}', 1)") == [None]


@pytest.mark.parametrize(
    ("maker", "why"),
    [
        ("optax.adam(optax.cosine_decay_schedule(0.1, 10))", None),
        ("optax.adam(lambda count: 0.1)", "call back to the host"),
        ("made()", "call back to the host"),
    ],
)
def test_an_optimizer_of_a_library_calls_nothing_back(maker: str, why: str | None) -> None:
    text = LOOP.replace("from helper import noted\n", f"import optax\nfrom helper import made\n\noptimizer = {maker}\n")
    text = text.replace("noted(loss)", "optimizer.update(w, loss)[0]")
    (found,) = declined("host-sync", text, debug="import jax\njax.debug.print('{}', 1)")
    assert found is None if why is None else why in (found or "")


@pytest.mark.parametrize(
    ("main", "why"),
    [
        ("import lib\nprint(lib.advance(1.0))", None),
        ("import lib\nprint(lib.advance.lower(1.0))", "what `jit` gives `advance`"),
        ("import lib\nprint(hasattr(lib.advance, 'lower'))", "what `jit` gives `advance`"),
        ("import lib\nlib.table.delete()", "may delete or donate it"),
        ("import lib, jax\njax.jit(abs, donate_argnums=0)(lib.table)", "may delete or donate it"),
    ],
)
def test_a_constant_is_passed_only_where_no_file_can_tell(main: str, why: str | None) -> None:
    (found,) = declined("captured-constant", TABLE, main=main)
    assert found is None if why is None else why in (found or "")


SCAN = """\
import jax
import jax.numpy as jnp

from helper import layer


@jax.jit
def forward(x, stack):
    def body(h, w):
        return layer(h, w), None

    return jax.lax.scan(body, x, stack)[0]
"""


def test_a_body_whose_helper_calls_back_is_not_computed_again() -> None:
    quiet = "import jax.numpy as jnp\n\n\ndef layer(h, w):\n    return jnp.tanh(h @ w)\n"
    loud = quiet.replace("    return", "    jax.debug.callback(print, h)\n    return").replace(
        "import", "import jax\nimport", 1
    )
    assert ["--goal memory" in str(why) for why in declined("remat-scan", SCAN, helper=quiet)] == [True]
    assert ["call back to the host" in str(why) for why in declined("remat-scan", SCAN, helper=loud)] == [True]


BATCHES = """\
import jax
import jax.numpy as jnp


def batches(x, size):
    for i in range(0, len(x), size):
        yield x[i : i + size]


@jax.jit
def step(w, x):
    error = jnp.mean(x @ w)
    return w - error, error


def train(w, x):
    for each in batches(x, 32):
        w, loss = step(w, each)
    return w
"""


@pytest.mark.parametrize(
    ("other", "is_padded"),
    [
        ("from lib import train\n", True),
        ("from lib import batches\n\nprint([len(each) for each in batches([1, 2, 3], 2)])\n", False),
    ],
)
def test_no_mask_goes_along_with_batches_that_another_file_takes(other: str, is_padded: bool) -> None:
    (why,) = declined("ragged-batch", BATCHES, other=other)
    assert ("`--ragged pad`" in str(why)) is is_padded


TRAINER = """\
import jax
import jax.numpy as jnp


class Trainer:
    def __init__(self, w):
        self.w = w
        self.seen = jnp.zeros((), int)

    def loss(self, w, x):
        return jnp.mean((x @ w - 1) ** 2)

    def step(self, x):
        self.seen = self.seen + x.shape[0]
        g = jax.grad(self.loss)(self.w, x)
        self.w = self.w - 0.1 * g

    def fit(self, batches):
        for x in batches:
            self.step(x)
"""
PROGRAM = """\
import jax.numpy as jnp

from lib import Trainer

trainer = Trainer(jnp.ones(3))
{}
print(trainer.w, trainer.seen)
"""


@pytest.mark.parametrize(
    ("call", "is_taken"),
    [
        ("trainer.fit([jnp.ones((4, 3))] * 9)", False),
        ("try:\n    trainer.fit([jnp.ones((4, 3))] * 9)\nexcept KeyboardInterrupt:\n    print(1)", False),
        ("try:\n    trainer.fit([jnp.ones((4, 3))] * 9)\nexcept TypeError:\n    raise", False),
        ("try:\n    trainer.fit([jnp.ones((4, 3))] * 9)\nexcept TypeError:\n    print(1)", True),
        ("import contextlib\nwith contextlib.suppress(Exception):\n    trainer.fit([jnp.ones((4, 3))] * 9)", True),
    ],
)
def test_attributes_that_an_error_leaves_bound_stay_where_somebody_goes_on(call: str, is_taken: bool) -> None:
    files = [
        (SourceFile.decode(f"{name}.py", text.encode()), Surroundings(name))
        for name, text in {"lib": TRAINER, "main": PROGRAM.format(call)}.items()
    ]
    chosen = [each for each in CODEMODS if each.id == "unjitted-update"]
    after = plan(files[0][0], chosen, lambda fix: None, Surroundings("lib", project=joined(files))).after.decode()
    assert "_step(" in after
    assert ("        self.seen = self.seen + x.shape[0]" in after) is is_taken


LOADED = """\
import jax
import jax.numpy as jnp

from sizes import MOST


def step(x):
    rising = jax.nn.relu(jax.nn.sigmoid(x @ x.T) + jax.nn.softplus(x))
    return rising @ jnp.tanh(jnp.cos(x)) - jnp.mean(x) / jnp.max(jnp.abs(x)) + MOST


def run(x):
    for _ in range(100):
        x = step(x)
    return x


if __name__ == "__main__":
    run(jnp.ones((3, 3)))
"""
SIZES = "import jax\nfrom limits import MOST\n"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("from unittest import mock\nmock.patch('sizes.jax')", None),
        ("import sizes\nsizes.jax = print", None),
        ("from unittest import mock\nmock.patch('lib.jax')", "another file changes `jax`"),
        ("import lib\nlib.jax = print", "another file changes `jax`"),
        ("import sizes\nsizes.jax.nn = print", "another file changes `jax`"),
        ("from unittest import mock\nmock.patch('sizes.jax.nn.relu')", "another file changes `jax.nn.relu`"),
    ],
)
def test_a_name_that_is_bound_in_another_module_leaves_what_it_stands_for(change: str, why: str | None) -> None:
    (found,) = declined("unjitted-update", LOADED, sizes=SIZES, limits="MOST = 2.0", change=change)
    assert found is None if why is None else why in (found or "")
