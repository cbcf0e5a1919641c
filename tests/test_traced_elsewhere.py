"""Loops of a file that only ever run under a trace that another file begins are no findings; others stay."""

import pytest

from jaxfix.dataflow.budget import MOST_READERS
from jaxfix.engine.analyze import analyze
from jaxfix.engine.project import Reading, facts_of, joined, packages_of, project_of
from jaxfix.semantic.module import Module
from jaxfix.semantic.project.query import RUNS
from jaxfix.semantic.project.summary_types import Runs
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.source.source_file import SourceFile
from jaxfix_codemods.local_loop_function import CODEMOD

SAMPLER = """
import jax

class Sampler:
    def sample(self, x, steps):
        def body(x, t):
            return x - t, x
        return jax.lax.scan(body, x, steps)
"""
FACTORY = """
import jax
from functools import partial

def looped(x, scale):
    def body(x, t):
        return x - t * scale, x
    return jax.lax.scan(body, x, x)

def make_step(model):
    def step(state, batch):
        def body(carry, x):
            return carry + model(x), None
        return state + jax.lax.scan(body, 0.0, batch)[0]
    return step

def make_loss(scale):
    loss = partial(looped, scale=scale)
    return loss
"""
STAGING = """
import jax
from functools import partial

devices = jax.devices()
on_devices = partial(jax.pmap, devices=devices)

def use(devices):
    global on_devices
    on_devices = partial(jax.pmap, devices=devices)
"""
OBJECT = """
import jax
from functools import partial
from app import staging

class Operator:
    def __init__(self):
        self._summed = staging.on_devices(jax.vmap(self._sum))
        self._swept = staging.on_devices(partial(self._all, sweep=partial(self._sweep, scale=2.0)))
        self._loops = {}
        self._loops["a"] = staging.on_devices(partial(self._sweep, scale=3.0), in_axes=(0,))

    def _sum(self, x):
        def body(c, x):
            return c + x, None
        return jax.lax.scan(body, 0.0, x)[0]

    def _sweep(self, x, scale):
        def body(c, x):
            return c + x * scale, None
        return jax.lax.scan(body, 0.0, x)[0]

    def _all(self, x, sweep=None):
        def body(c, x):
            return c + sweep(x), None
        return jax.lax.scan(body, 0.0, x)[0]

    def run(self, x):
        return self._summed(x) + self._swept(x) + self._loops["a"](x)
"""


def found(about: str, *, is_distributed: bool = False, **texts: str) -> list[int]:
    """The lines of the module that is asked about."""
    given = [
        (SourceFile.decode(f"{name}.py", text.encode()), Surroundings(dotted, is_distributed=is_distributed))
        for name, text in texts.items()
        for dotted in [f"app.{name}" if name not in ("train", "evaluate") else None]
    ]
    whole = joined(given)
    source, _ = next(each for each in given if each[0].path == f"{about}.py")
    place = Surroundings(f"app.{about}", project=whole, is_distributed=is_distributed)
    return [each.line for each in analyze(source, (CODEMOD,), surroundings=place).diagnostics]


TRAIN = """
import jax
from app.build import build

def main(x, steps):
    sampler = build()
    @jax.jit
    def run(x):
        return sampler.sample(x, steps)
    return jax.pmap(run)(x)

main(1, 2)
"""
BUILD = "from app.sampler import Sampler\n\ndef build():\n    return Sampler()\n"


def test_a_method_of_whatever_object_runs_as_the_calls_of_its_name() -> None:
    assert found("sampler", sampler=SAMPLER, build=BUILD, train=TRAIN) == []
    eager = TRAIN.replace("jax.pmap(run)(x)", "sampler.sample(x, steps)")
    assert found("sampler", sampler=SAMPLER, build=BUILD, train=eager) == [8]
    assert found("sampler", sampler=SAMPLER, build=BUILD, train=eager.replace("    @jax.jit\n", "")) == [8]
    assert found("sampler", sampler=SAMPLER, build=BUILD) == [8]
    assert found("sampler", sampler=SAMPLER, build=BUILD, train=TRAIN, is_distributed=True) == [8]


RUN = """
import jax
from functools import partial
from app.factory import make_loss, make_step

def step_of(state, batch, loss):
    return loss(state) + batch

def main(batch, model):
    step = make_step(model)
    step = jax.jit(step, donate_argnums=0)
    loss = make_loss(2.0)
    trained = jax.pmap(partial(step_of, loss=loss))
    for _ in range(9):
        step(0.0, batch), trained(0.0, batch)

main(1, 2)
"""


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        ("", "", []),
        ("step = jax.jit(step, donate_argnums=0)", "pass", [14]),
        ("jax.pmap(partial(step_of, loss=loss))", "partial(step_of, loss=loss)", [8]),
        ("    loss = make_loss(2.0)\n", "    loss = make_loss(2.0)\n    [loss(each) for each in batch]\n", [8]),
        ("step = make_step(model)", "step = make_step(model)\n    register(make_step)", [14]),
        ("from functools", "from app.factory import looped\nfrom functools", []),
    ],
)
def test_what_a_factory_returns_runs_as_what_its_callers_make_of_it(before: str, after: str, lines: list[int]) -> None:
    assert found("factory", factory=FACTORY, train=RUN.replace(before, after, 1) if before else RUN) == lines
    assert found("factory", factory=FACTORY) == [8, 14]


def test_what_a_factory_hands_through_another_is_followed() -> None:
    between = "from app import factory\n\ndef made(model):\n    return factory.make_step(model)\n"
    run = "import jax\nfrom app.between import made\n\nstep = jax.jit(made(2))\nfor x in range(9):\n    step(0.0, x)\n"
    assert 14 not in found("factory", factory=FACTORY, between=between, train=run)
    assert 14 in found("factory", factory=FACTORY, between=between, train=run.replace("jax.jit(made(2))", "made(2)"))


def test_a_transformation_of_the_project_stages_what_it_is_given() -> None:
    assert found("object", object=OBJECT, staging=STAGING) == []
    plain = STAGING.replace("    on_devices = partial(jax.pmap, devices=devices)", "    on_devices = devices")
    assert found("object", object=OBJECT, staging=plain) == [16, 26]  # the scan of `_all` traces `_sweep` in any case
    eager = OBJECT.replace("return self._summed(x)", "return self._sum(x)")
    assert found("object", object=eager, staging=STAGING) == [16]


def test_a_transformation_of_the_file_itself_is_bound_more_than_once() -> None:
    own = STAGING + OBJECT.replace("from app import staging\n", "").replace("staging.on_devices", "on_devices")
    assert found("object", object=own) == []


def test_one_of_two_functions_of_a_name_runs_as_the_name_is_used() -> None:
    choice = """
    if model:
        def chosen(state, batch):
            return state
    else:
        chosen_of = model
        def chosen(state, batch):
            return state + jax.lax.scan(lambda carry, x: (carry + model(x), None), 0.0, batch)[0]
    return chosen
"""
    text = FACTORY.split("    def step")[0] + choice.lstrip("\n")
    assert found("factory", factory=text, train=RUN.replace("make_loss, ", "").replace("make_loss(2.0)", "abs")) == [8]
    assert found("factory", factory=text) == [8, 17]


def test_what_is_given_away_under_a_trace_that_another_file_begins_runs_under_it() -> None:
    steps = """
import jax

def step_of(state, batch, scaler):
    def loss(state):
        return jax.lax.scan(lambda c, x: (c + x * state, None), 0.0, batch)[0]
    grads = scaler.value_and_grad(loss)
    return grads(state)
"""
    run = """
import jax
from functools import partial
from app.steps import step_of

def main(batches, scaler):
    step = jax.pmap(partial(step_of, scaler=scaler))
    for batch in batches:
        step(0.0, batch)

main(1, 2)
"""
    assert found("steps", steps=steps, train=run) == []
    assert found("steps", steps=steps, train=run.replace("jax.pmap(partial", "(partial")) == [6]
    assert found("steps", steps=steps) == [6]


@pytest.mark.parametrize(("files", "lines"), [(MOST_READERS, []), (MOST_READERS + 1, [8])])
def test_a_method_whose_name_many_files_read_is_unknown(files: int, lines: list[int]) -> None:
    other = "import jax\n\n@jax.jit\ndef run(made, x):\n    return made.sample(x, x)\n"
    readers = {f"reader_{number}": other for number in range(files - 1)}
    assert found("sampler", sampler=SAMPLER, build=BUILD, train=TRAIN, **readers) == lines


def test_of_a_method_that_many_files_read_no_file_is_read() -> None:
    other = "def run(made, x):\n    return made.sample(x, x)\n"
    texts = {"sampler": SAMPLER} | {f"reader_{number}": other for number in range(MOST_READERS + 1)}
    given = [
        (SourceFile.decode(f"{name}.py", text.encode()), Surroundings(f"app.{name}")) for name, text in texts.items()
    ]
    reading = Reading(given)
    facts = [facts_of(Module.parse(source, place), packages_of(given)) for source, place in given]
    whole = project_of(given, facts, unread=False, read=reading)
    whole.look_up({(query, ".sample@app.sampler") for query in ("runs", "is traced", "seen", "differentiated")})
    assert whole.ask(RUNS, ".sample@app.sampler") is Runs.UNKNOWN
    assert not any(reading.known)
