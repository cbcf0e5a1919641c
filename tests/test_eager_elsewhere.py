"""What loops of other files call eagerly."""

import pytest

from jaxfix.engine.analyze import analyze
from jaxfix.engine.project import joined
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.source.source_file import SourceFile
from jaxfix_codemods.unjitted_update import CODEMOD

LIBRARY = """
import jax
import jax.numpy as jnp
import numpy as np

def cells(states, table):
    where = jnp.floor(table.shape[0] * jnp.sin(states[:, 0])).astype(int)
    where = jnp.clip(where, 0, table.shape[0] - 1)
    return jnp.column_stack([where, jnp.clip(where, 0, 3)])

def looked_up(states, table):
    found = jnp.asarray(table)[jnp.clip(states[:, 0], 0, 3).astype(int)]
    return jnp.sum(jnp.sin(found) * jnp.cos(found)) + jnp.mean(found) + jnp.max(found) - jnp.min(found)

scored = jax.vmap(lambda state: jnp.sum(jnp.sin(state)) * jnp.max(state))
"""
LOOP = """
import numpy as np
import tables

def play(table):
    state = np.zeros((1, 2))
    for step in range(1000):
        print(tables.cells(state, table), tables.looked_up(state, table), tables.scored(state))
        table[0] = step

if __name__ == "__main__":
    play(np.zeros(20))
"""


def _found_in_tables(loop: str, library: str = LIBRARY) -> list[tuple[int, str | None]]:
    given = [
        (SourceFile.decode(f"{name}.py", text.encode()), name)
        for name, text in {"tables": library, "play": loop}.items()
    ]
    known = joined([(source, Surroundings(name)) for source, name in given])
    source, name = given[0]
    found = analyze(source, (CODEMOD,), surroundings=Surroundings(name, project=known)).diagnostics
    return [(each.line, None if each.declined is None else str(each.declined).split("`")[1]) for each in found]


def test_what_the_loop_of_another_file_calls_is_put_under_jit() -> None:
    """But for what may still read a buffer that is filled anew: its shape alone stays what it is."""
    assert _found_in_tables(LOOP) == [(6, None), (11, "table"), (15, None)]


def test_what_another_file_calls_once_is_left_alone() -> None:
    assert _found_in_tables(LOOP.replace("for step in range(1000):", "if (step := 1):")) == []


def test_what_a_function_calls_that_a_loop_of_its_file_calls_is_put_under_jit() -> None:
    shown = "def shown(state, table):\n    return tables.cells(state, table), tables.scored(state)\n\ndef play"
    loop = LOOP.replace("def play", shown).replace(
        "print(tables.cells(state, table), tables.looked_up(state, table), tables.scored(state))",
        "print(shown(state, state))",
    )
    assert _found_in_tables(loop) == [(6, None), (15, None)]
    assert _found_in_tables(loop.replace("for step in range(1000):", "if (step := 1):")) == []


TRAINING = """
import jax
import jax.numpy as jnp

def loss_of(w, batch):
    return jnp.mean((jnp.tanh(batch["x"] @ w) - batch["y"]) ** 2)

def train(w, batches):
    for batch in batches:
        g = jax.grad(loss_of)(w, batch)
        g = jnp.clip(g, -1.0, 1.0)
        w = w - 0.1 * g
    return w
"""
CALLER = """
import jax.numpy as jnp
from tables import train

def batches(n):
    for k in range(n):
        batch = {"x": jnp.full((6, 4), k), "y": jnp.ones(6)}
        if k > 2:
            batch["name"] = MORE
        yield batch

train(jnp.ones(4), batches(20))
"""


def test_a_batch_of_another_file_that_holds_a_text_stays_out_of_jit() -> None:
    def found(more: str) -> list[tuple[int, str | None]]:
        return _found_in_tables(CALLER.replace("MORE", more), TRAINING)

    assert found("jnp.ones(1)") == [(10, None)]
    assert found('f"batch {k}"') == [(10, "batch")]
    assert found("str(k)") == [(10, "batch")]


MODEL = """
import jax
import jax.numpy as jnp
import optax

class Agent:
    def __init__(self, rate):
        self.opt = optax.sgd(rate, momentum=0.9)
        self.w = jnp.ones(3)
        self.state = self.opt.init(self.w)

    def loss(self, w, x):
        return jnp.mean((x @ w - 1) ** 2)

    def step(self, x):
        g = jax.grad(self.loss)(self.w, x)
        updates, self.state = self.opt.update(g, self.state)
        self.w = optax.apply_updates(self.w, updates)

def fit(agent, batches):
    for x in batches:
        agent.step(x)
"""
FITTED = """
import jax.numpy as jnp
import optax
import tables

agent = tables.Agent(0.1)
for x in range(20):
    tables.fit(agent, [jnp.ones((4, 3)) * x])
for name, value in ADDED:
    SET
"""


@pytest.mark.parametrize(
    ("by", "left"),
    [
        ("print(name, value)", None),
        ("setattr(agent, name, value)", "loss"),
        ("agent.__dict__[name] = value", "loss"),
        ("vars(agent).update({name: value})", "loss"),
    ],
)
def test_an_attribute_that_another_file_sets_by_its_name_is_not_read_once(by: str, left: str | None) -> None:
    fitted = FITTED.replace("SET", by).replace("ADDED", '{"rate": optax.sgd(1.0)}.items()')
    assert _found_in_tables(fitted, MODEL) == [(22, left)]


TRAINER = """
import jax
import jax.numpy as jnp
import play

def own(w, x):
    return 2 * play.loss(w, x)

def train(w, batches):
    task, data = play.Task(1.0), play.loaded()
    loss = LOSS
    for x in batches:
        w = w - 0.001 * jax.grad(loss)(w, x) * jnp.cos(w)
        play.tick(task)
    return w

train(jnp.ones(3), [jnp.ones((4, 3)) * k for k in range(12)])
"""
PLAYED = """
import jax.numpy as jnp

weights = [1.0]
seen = []

class Task:
    def __init__(self, weight):
        self.weight = weight

    def move(self):
        self.weight = self.weight + 1

    def loss(self, w, x):
        return self.weight * square(w, x)

def square(w, x):
    return jnp.mean((x @ w - 1) ** 2)

def loss(w, x):
    BEFORE
    return jnp.mean((x @ w - 1) ** 2)

def make():
    def made(w, x):
        return weights[0] * square(w, x)

    return made

def loaded():
    print("loaded")
    return jnp.ones(3)

def tick(task):
    task.move()
    weights[0] += 1
"""


@pytest.mark.parametrize(
    ("loss", "before", "left"),
    [
        ("play.loss", "pass", None),
        ("own", "pass", None),
        ("lambda w, x: jnp.sum(data * w)", "pass", None),
        ("play.loss", "print(x)", "loss"),
        ("own", "seen.append(x)", "play.loss"),
        ("play.loss", "x = weights[0] * x", "loss"),
        ("task.loss", "pass", "loss"),
        ("play.make()", "pass", "loss"),
    ],
)
def test_a_function_of_another_file_that_does_more_than_compute_stays_out(
    loss: str, before: str, left: str | None
) -> None:
    trainer = TRAINER.replace("LOSS", loss)
    assert _found_in_tables(PLAYED.replace("BEFORE", before), trainer) == [(13, left)]


ARITHMETIC = """
import jax
import jax.numpy as jnp

def loss_of(w, x, y):
    return jnp.mean((jnp.tanh(x @ w) - y) ** 2)

def improved(w, x, y):
    slope = jax.grad(loss_of)(w, x, y)
    return w - 0.1 * jnp.clip(slope, -1.0, 1.0)
"""
AGENTS = """
import jax.numpy as jnp
import arithmetic

class Plain:
    def __init__(self, w):
        self.w = w
        self.seen = []

    def act(self, x):
        return int(jnp.argmax(jnp.tanh(x @ self.w) * 2.0 - jnp.max(x)))

    def update(self, x, y):
        self.seen.append(1)
        self.w = arithmetic.improved(self.w, x, y)

class Slow(Plain):
    def update(self, x, y):
        super().update(x, 0.5 * y)

def made(name):
    return Plain if name == "plain" else Slow
"""
PROGRAM = """
import jax.numpy as jnp
import agents

TABLE = {"plain": agents.Plain, "slow": agents.Slow}

def fit(agent, x, y):
    for _ in range(100):
        agent.act(x[0])
        agent.update(x, y)

if __name__ == "__main__":
    agent = MADE(jnp.ones(4))
    fit(agent, jnp.ones((6, 4)), jnp.ones(6))
"""


def _found_in(name: str, texts: dict[str, str]) -> list[int]:
    given = {name: SourceFile.decode(f"{name}.py", text.encode()) for name, text in texts.items()}
    known = joined([(source, Surroundings(name)) for name, source in given.items()])
    found = analyze(given[name], (CODEMOD,), surroundings=Surroundings(name, project=known)).diagnostics
    return [each.line for each in found]


def _program(made: str) -> dict[str, str]:
    return {"arithmetic": ARITHMETIC, "agents": AGENTS, "play": PROGRAM.replace("MADE", made)}


@pytest.mark.parametrize("made", ['TABLE["slow"]', 'getattr(agents, "Slow")', 'agents.made("slow")', "agents.Plain"])
def test_a_loop_calls_a_method_of_whatever_class_it_was_given_an_object_of(made: str) -> None:
    assert _found_in("agents", _program(made)) == [10]


def test_a_method_of_an_object_of_a_library_is_none_of_the_project() -> None:
    texts = _program("agents.Plain")
    texts["play"] = PROGRAM.replace("MADE(jnp.ones(4))", "tqdm.tqdm(jnp.ones(4))").replace(
        "import agents", "import tqdm"
    )
    texts["play"] = texts["play"].replace('TABLE = {"plain": agents.Plain, "slow": agents.Slow}\n', "")
    assert _found_in("arithmetic", texts) == [] and _found_in("agents", texts) == []


def test_an_object_that_no_other_file_can_meet_is_another_one() -> None:
    texts = _program("agents.Plain")
    act = AGENTS[AGENTS.index("class Plain") : AGENTS.index("    def update")].replace("Plain", "Lone")
    lone = f"import jax.numpy as jnp\n\n{act}\nprint(Lone(jnp.ones(4)).act(jnp.ones(4)))\n"
    assert _found_in("lone", texts | {"lone": lone}) == []
    assert _found_in("lone", texts | {"lone": f"import play\n{lone}play.fit(None, 1, 2)\n"}) != []


def test_a_method_that_takes_other_arguments_is_another_one() -> None:
    texts = _program('TABLE["slow"]')
    texts["play"] = (
        texts["play"].replace("agent.update(x, y)", "agent.update({})").replace("agent.act(x[0])", "agent.act()")
    )
    assert _found_in("agents", texts) == []


def test_a_method_that_is_called_once_is_left_alone() -> None:
    texts = _program('TABLE["slow"]')
    texts["play"] = texts["play"].replace("for _ in range(100):", "if len(x) > 3:")
    assert _found_in("arithmetic", texts) == [] and _found_in("agents", texts) == []


FITTING = """
import jax
import jax.numpy as jnp
import optax

def fit(points, optimizer, rounds=100, tolerance=1e-3):
    def loss_of(points):
        return jnp.mean(jnp.sin(points) ** 2)

    state = optimizer.init(points)
    for _ in range(rounds):
        loss, gradients = jax.value_and_grad(loss_of)(points)
        updates, state = optimizer.update(gradients, state)
        points = optax.apply_updates(points, updates)
        if loss < tolerance:
            break
    return points
"""
FITS = """
import jax.numpy as jnp
import optax
from tools.tables import fit

optimizer = optax.adam(1e-2)
points = fit(jnp.ones(8), optimizer)
for point in points:
    print(point)
"""


@pytest.mark.parametrize(
    ("written", "instead", "is_fixed"),
    [
        ("", "", True),
        ("fit(jnp.ones(8), optimizer)", "fit(jnp.ones(8), optimizer=optimizer)", True),
        ("fit(jnp.ones(8), optimizer)", "fit(jnp.ones(8), optax.adam(1e-2))", False),
        ("fit(jnp.ones(8), optimizer)", "fit(*(jnp.ones(8), optimizer))", False),
        ("points = fit", "print(fit)\npoints = fit", False),
        ("points = fit", "for optimizer in (optax.sgd(1e-2), optimizer):\n    points = fit", False),
    ],
)
def test_an_optimizer_that_another_file_passes_is_captured(written: str, instead: str, is_fixed: bool) -> None:
    """Only one that each caller has made once, under a name of its own."""
    texts = {"tools.tables": FITTING, "play": FITS.replace(written, instead)}
    given = [(SourceFile.decode(f"{name.replace('.', '/')}.py", text.encode()), name) for name, text in texts.items()]
    known = joined([(source, Surroundings(name)) for source, name in given])
    source, name = given[0]
    found = analyze(source, (CODEMOD,), surroundings=Surroundings(name, project=known)).diagnostics
    assert [each.declined is None for each in found] == [is_fixed]
