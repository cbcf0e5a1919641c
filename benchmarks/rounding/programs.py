"""Programs whose steps are put under `jit` or whose Python numbers are lifted, and careless rewrites of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from jaxfix.engine.plan import plan
from jaxfix.report.finding import Equality
from jaxfix.source.source_file import SourceFile
from jaxfix_codemods import CODEMODS

MLP = """\
import jax
import jax.numpy as jnp
import optax


def init(key, width):
    keys = jax.random.split(key, 3)
    return {
        "w1": jax.random.normal(keys[0], (16, width)) * 0.1,
        "b1": jnp.zeros(width),
        "w2": jax.random.normal(keys[1], (width, width)) * 0.1,
        "b2": jnp.zeros(width),
        "w3": jax.random.normal(keys[2], (width, 16)) * 0.1,
        "b3": jnp.zeros(16),
    }


def predict(params, x):
    h = jax.nn.relu(x @ params["w1"] + params["b1"])
    h = jax.nn.relu(h @ params["w2"] + params["b2"])
    return h @ params["w3"] + params["b3"]


def loss_of(params, x, y):
    return jnp.mean((predict(params, x) - y) ** 2)


def batch(number):
    x = jax.random.normal(jax.random.PRNGKey(1000 + number), (32, 16))
    return x, jnp.roll(x, 1, 1)


def train(steps):
    params = init(jax.random.PRNGKey(0), 64)
    optimizer = OPTIMIZER
    state = optimizer.init(params)
    for number in range(steps):
        x, y = batch(number)
        loss, gradients = jax.value_and_grad(loss_of)(params, x, y)
        updates, state = optimizer.update(gradients, state, params)
        params = optax.apply_updates(params, updates)
        print(f"step {number}: loss {float(loss):.6f}")
    return params


def main():
    params = train(25)
    x, y = batch(999)
    print(f"after all, loss {float(loss_of(params, x, y)):.6f}")


main()
"""
RNN = """\
import jax
import jax.numpy as jnp
import optax


def init(key):
    keys = jax.random.split(key, 3)
    shapes = {"wx": (8, 16), "wh": (16, 16), "wo": (16, 8)}
    return {name: jax.random.normal(k, shape) * 0.2 for k, (name, shape) in zip(keys, shapes.items())}


def loss_of(params, xs, y):
    def body(c, x):
        c = jnp.tanh(x @ params["wx"] + c @ params["wh"])
        return c, c @ params["wo"]
    _, out = jax.lax.scan(body, jnp.zeros((xs.shape[1], 16)), xs)
    return jnp.mean((out[-1] - y) ** 2)


optimizer = optax.adam(1e-3)


def step(params, state, xs, y):
    loss, gradients = jax.value_and_grad(loss_of)(params, xs, y)
    updates, state = optimizer.update(gradients, state, params)
    return optax.apply_updates(params, updates), state, loss


def main():
    params = init(jax.random.PRNGKey(0))
    state = optimizer.init(params)
    for number in range(25):
        xs = jax.random.normal(jax.random.PRNGKey(number), (12, 4, 8))
        params, state, loss = step(params, state, xs, xs[0])
        print("loss", loss)


main()
"""
ADAM = """\
import jax
import jax.numpy as jnp

rate = 0.01


def loss_of(params, x, y):
    return jnp.mean((jnp.tanh(x @ params["w"] + params["b"]) @ params["v"] - y) ** 2)


def step(params, m, v, count, x, y):
    loss, gradients = jax.value_and_grad(loss_of)(params, x, y)
    count = count + 1
    m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, gradients)
    v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, v, gradients)
    first, second = 1 - 0.9 ** count, 1 - 0.999 ** count
    params = jax.tree.map(
        lambda p, m, v: p - rate * (m / first) / (jnp.sqrt(v / second) + 1e-8), params, m, v
    )
    return params, m, v, count, loss


def main():
    keys = jax.random.split(jax.random.PRNGKey(0), 3)
    params = {
        "w": jax.random.normal(keys[0], (6, 8)) * 0.3,
        "b": jnp.zeros(8),
        "v": jax.random.normal(keys[1], (8, 2)) * 0.3,
    }
    m = v = jax.tree.map(jnp.zeros_like, params)
    count = jnp.zeros((), jnp.float32)
    for number in range(12):
        x = jax.random.normal(jax.random.PRNGKey(number), (16, 6))
        params, m, v, count, loss = step(params, m, v, count, x, x[:, :2])
        print(f"loss {float(loss):.6f}")


main()
"""
RETURNS = """\
import jax
import jax.numpy as jnp


def discounted(rewards, gamma):
    def body(total, reward):
        total = reward + gamma * total
        return total, total
    _, out = jax.lax.scan(body, jnp.zeros(()), rewards, reverse=True)
    return out


def main():
    for number in range(8):
        rewards = jax.random.normal(jax.random.PRNGKey(number), (32,))
        print("return", discounted(rewards, 0.99)[0])


main()
"""
SMOOTHED = """\
def smoothed(rewards, decay):
    def body(total, reward):
        total = decay * total + (1 - decay) * reward
        return total, total
    _, out = jax.lax.scan(body, jnp.zeros(()), rewards)
    return out


"""
THREE = (
    RETURNS.partition("def discounted")[0]
    + SMOOTHED
    + "def discounted"
    + RETURNS.partition("def discounted")[2].partition("def main")[0]
    + ADAM.partition("as jnp\n\n")[2]
)
THREE = THREE.replace("zeros(()), rewards, reverse", "zeros(()), smoothed(rewards, 0.9), reverse")
THREE = THREE.replace(
    'print(f"loss {float(loss):.6f}")', 'print(f"loss {float(loss):.6f}", discounted(x[:, 0], 0.5)[0])'
)
"""A step to be put under `jit`, a loop body whose number is lifted, and one that is moved and reads what that made."""
_JITTED = ("def step(", "@jax.jit\ndef step(")
_DECAYING = (
    ("def main():\n", "def main():\n    global rate\n"),
    ("        x = jax", "        rate = 0.01 / (1 + number)\n        x = jax"),
)
_TRACED = ("    count = count + 1\n", "    count = count + 1\n    if TOLD:\n        loss = loss * 1.0\n")


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A program and its rewrite, which is right or wrong.

    Attributes:
      function: the one that the fix is about.
      is_right: whether it has to be proven; if not, it has to be refused.
      origin: `measured` with the promise, or `ours`.
    """

    name: str
    source: str
    rewritten: str
    function: str
    is_right: bool
    equality: Equality = Equality.ROUNDING


def rewrites() -> Iterator[Rewrite]:
    """All of them."""
    yield from trainers()
    yield from by_hand()
    yield from lifted()


def trainers() -> Iterator[Rewrite]:
    optimizers = ("optax.adam(1e-3)", "optax.adamw(1e-3)", "optax.sgd(1e-2, momentum=0.9)", "optax.radam(1e-3)")
    for optimizer in optimizers:
        source = MLP.replace("OPTIMIZER", optimizer)
        yield Rewrite(f"MLP, {optimizer}", source, fixed(source), "train", True)
    yield Rewrite("RNN, adam", RNN, fixed(RNN), "step", True)
    source = MLP.replace("OPTIMIZER", "optax.radam(1e-3)")
    right = fixed(source)
    grown = "        params = optax.apply_updates(params, updates)\n"
    for name, old, new in (
        ("loss times 1.001", "jnp.mean(", "1.001 * jnp.mean("),
        ("loss times 1 + 1e-6", "jnp.mean(", "(1 + 1e-6) * jnp.mean("),
        ("updates times 1.001", grown, f"        updates = jax.tree.map(lambda u: u * 1.001, updates)\n{grown}"),
        (
            "weight decay of 1e-4",
            grown,
            f"        updates = jax.tree.map(lambda u, p: u - 1e-4 * p, updates, params)\n{grown}",
        ),
        ("state not advanced", "updates, state = optimizer", "updates, _ = optimizer"),
        (
            "parameters rounded to bfloat16",
            grown,
            f"{grown}        params = jax.tree.map(lambda p: p.astype(jnp.bfloat16).astype(p.dtype), params)\n",
        ),
    ):
        assert right.count(old) == 1, (name, right)
        yield Rewrite(f"MLP, radam: {name}", source, right.replace(old, new), "train", False)


def by_hand() -> Iterator[Rewrite]:
    """A trainer with an Adam of its own, whose parts can be wrong; and what is wrong only under `jit`."""
    right = ADAM.replace(*_JITTED)
    yield Rewrite("Adam by hand", ADAM, right, "step", True)
    for name, old, new in (
        ("bias correction off by one step", "0.9 ** count,", "0.9 ** (count + 1),"),
        ("epsilon inside the root", "(jnp.sqrt(v / second) + 1e-8)", "jnp.sqrt(v / second + 1e-8)"),
        ("loss times 1 + 1e-6", "jnp.mean((jnp.tanh", "(1 + 1e-6) * jnp.mean((jnp.tanh"),
    ):
        yield Rewrite(f"Adam by hand: {name}", ADAM, right.replace(old, new), "step", False)
    source = ADAM
    for old, new in _DECAYING:
        source = source.replace(old, new)
    yield Rewrite("a rate that decays, read once", source, source.replace(*_JITTED), "step", False)
    told = ADAM.replace(*_TRACED)
    source = told.replace("TOLD", "isinstance(x, jax.core.Tracer)").replace("loss * 1.0", "loss * (1 + 1e-6)")
    yield Rewrite("another loss under a trace", source, source.replace(*_JITTED), "step", False)
    source = told.replace(
        "if TOLD:\n        loss = loss * 1.0", "SEEN.append(1)\n    loss = loss * (1 + 1e-6 * len(SEEN))"
    )
    source = source.replace("rate = 0.01\n", "rate = 0.01\nSEEN = []\n")
    yield Rewrite("a list that grows at every step", source, source.replace(*_JITTED), "step", False)
    donated = "import functools\n" + ADAM.replace(*_JITTED).replace(
        "@jax.jit", "@functools.partial(jax.jit, donate_argnums=(1, 2))"
    )
    yield Rewrite("two arguments that are one buffer, donated", ADAM, donated, "step", False)


def lifted() -> Iterator[Rewrite]:
    """Loops whose bodies read a Python number, which moves into the carry."""
    moved = partial(Rewrite, function="discounted", is_right=True)
    yield moved("discounted returns", RETURNS, fixed(RETURNS, "local-loop-function"), equality=Equality.BITWISE)
    for name, number, new in (
        ("moving average with 1 - decay", "decay", "decay * total + (1 - decay) * reward"),
        ("gain * c + (1 - gain) * x", "gain", "gain * total + (1 - gain) * reward"),
    ):
        source = RETURNS.replace("reward + gamma * total", new).replace("gamma", number)
        right = fixed(source, "local-loop-function")
        yield moved(name, source, right, equality=Equality.NUMBERS)
        for wrong, old, slip in (
            ("times 1 + 1e-6", "* reward", "* (1 + 1e-6) * reward"),
            ("the next reward's weight", f"(1 - {number})", f"(1 - {number} * {number})"),
        ):
            texts = source, right.replace(old, slip)
            yield Rewrite(f"{name}: {wrong}", *texts, "discounted", is_right=False, equality=Equality.NUMBERS)


def fixed(source: str, codemod: str = "unjitted-update") -> str:
    """The program as the codemod rewrites it."""
    codemods = [entry for entry in CODEMODS if entry.id == codemod]
    found = plan(SourceFile.decode("train.py", source.encode()), codemods, lambda fix: None).after.decode()
    assert found != source
    return found
