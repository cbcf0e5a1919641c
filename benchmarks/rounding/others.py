"""More programs: a transformer, a bias that converges to zero, and code that asks for dtypes of its own."""

from collections.abc import Iterator

from benchmarks.rounding.programs import ADAM, MLP, RETURNS, Rewrite, fixed
from jaxfix.report.finding import Equality

TRANSFORMER = """\
import jax
import jax.numpy as jnp
import optax

WIDTH, HEADS, VOCABULARY, LENGTH = 32, 4, 17, 12


def init(key):
    keys = iter(jax.random.split(key, 9))
    shapes = {
        "embed": (VOCABULARY, WIDTH), "place": (LENGTH, WIDTH), "query": (WIDTH, WIDTH), "key": (WIDTH, WIDTH),
        "value": (WIDTH, WIDTH), "out": (WIDTH, WIDTH), "up": (WIDTH, 4 * WIDTH), "down": (4 * WIDTH, WIDTH),
        "head": (WIDTH, VOCABULARY),
    }
    params = {name: jax.random.normal(next(keys), shape) * 0.1 for name, shape in shapes.items()}
    return params | {"scale1": jnp.ones(WIDTH), "scale2": jnp.ones(WIDTH)}


def norm(x, scale):
    mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return scale * (x - mean) / jnp.sqrt(variance + 1e-5)


def attention(params, x):
    def split(name):
        return (x @ params[name]).reshape(*x.shape[:-1], HEADS, WIDTH // HEADS)

    query, key, value = split("query"), split("key"), split("value")
    scores = jnp.einsum("bqhd,bkhd->bhqk", query, key) / jnp.sqrt(WIDTH / HEADS)
    mask = jnp.tril(jnp.ones((x.shape[1], x.shape[1]), bool))
    weights = jax.nn.softmax(jnp.where(mask, scores, -1e9))
    return jnp.einsum("bhqk,bkhd->bqhd", weights, value).reshape(x.shape) @ params["out"]


def predict(params, tokens):
    x = params["embed"][tokens] + params["place"]
    x = x + attention(params, norm(x, params["scale1"]))
    x = x + jax.nn.gelu(norm(x, params["scale2"]) @ params["up"]) @ params["down"]
    return x @ params["head"]


def loss_of(params, tokens, targets):
    return optax.softmax_cross_entropy_with_integer_labels(predict(params, tokens), targets).mean()


def train(steps):
    params = init(jax.random.PRNGKey(0))
    optimizer = optax.adamw(3e-3)
    state = optimizer.init(params)
    for number in range(steps):
        tokens = jax.random.randint(jax.random.PRNGKey(number), (8, LENGTH), 0, VOCABULARY)
        loss, gradients = jax.value_and_grad(loss_of)(params, tokens, jnp.roll(tokens, 1, 1))
        updates, state = optimizer.update(gradients, state, params)
        params = optax.apply_updates(params, updates)
        print(f"step {number}: loss {float(loss):.6f}")
    return params


train(40)
"""
LINE = """\
import jax
import jax.numpy as jnp


def loss_of(params, x, y):
    return jnp.mean((x @ params["w"] + params["b"] - y) ** 2)


def step(params, x, y):
    loss, gradients = jax.value_and_grad(loss_of)(params, x, y)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients), loss


def main():
    params = {"w": jnp.zeros(3), "b": jnp.zeros(())}
    x = jax.random.normal(jax.random.PRNGKey(0), (64, 3))
    y = x @ jnp.array([1.0, -2.0, 0.5])
    for number in range(120):
        params, loss = step(params, x, y)
    print("weights", params["w"], "loss", loss)
    return params


main()
"""
CAST = (
    ("def step(params, m, v, count, x, y):\n", "def step(params, m, v, count, x, y, decay):\n"),
    ("    loss, gradients", "    x = jnp.asarray(x, dtype=jnp.float32)\n    loss, gradients"),
    ("0.9 * m + 0.1 * g", "(decay * m + (1 - decay) * g).astype(jnp.float32)"),
    ("x, x[:, :2])", "x, x[:, :2], 0.9)"),
)
_JITTED = ("def step(", "@jax.jit\ndef step(")


FLAGGED = """
import jax
import jax.numpy as jnp


def step(w, x, on):
    slope = jnp.tanh(x @ w).mean() * 2 + 1
    return w - 0.01 * slope * jnp.cos(w) * (on + on)


w = jnp.ones(3)
for k in range(12):
    w = step(w, jnp.ones((4, 3)) * k / 80, 1)
print(w)
"""


def others() -> Iterator[Rewrite]:
    """All of them."""
    yield Rewrite("transformer, optax.adamw(3e-3)", TRANSFORMER, fixed(TRANSFORMER), "train", True)
    wrong = fixed(TRANSFORMER).replace("variance + 1e-5", "variance + 1.001e-5")
    yield Rewrite("transformer: epsilon of the norm times 1.001", TRANSFORMER, wrong, "train", False)
    yield Rewrite("a line whose bias converges to zero", LINE, LINE.replace(*_JITTED), "step", True)
    wrong = LINE.replace(*_JITTED).replace("p - 0.1 * g", "p - 0.1 * (g + 1e-9)")
    yield Rewrite("a line: gradients plus 1e-9", LINE, wrong, "step", False)
    for name in ("dadapt_adamw", "prodigy"):
        source = MLP.replace("OPTIMIZER", f"optax.contrib.{name}()").replace("import optax\n", "import optax.contrib\n")
        source = source.replace("* 0.1,", "* jnp.bfloat16(0.1),").replace(
            "jnp.zeros(width)", "jnp.zeros(width, jnp.bfloat16)"
        )
        yield Rewrite(f"MLP in bfloat16, optax.contrib.{name}", source, fixed(source), "train", True)
    wrong = FLAGGED.replace("def step", "@jax.jit\ndef step")
    yield Rewrite("two truth values that are added", FLAGGED, wrong, "step", False)
    yield from _casting()


def _casting() -> Iterator[Rewrite]:
    """Dtypes that the code asks for, beside Python numbers that become arrays."""
    source = ADAM
    for old, new in CAST:
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    yield Rewrite("Adam by hand, in float32 by name", source, source.replace(*_JITTED), "step", True)
    wrong = source.replace(*_JITTED).replace(
        "(1 - decay) * g", "(1 - decay) * (1 + 1e-6 * isinstance(x, jax.core.Tracer)) * g"
    )
    yield Rewrite("Adam by hand, in float32 by name: another decay under a trace", source, wrong, "step", False)
    source = RETURNS.replace("reward + gamma * total", "gamma * total + (1 - gamma) * reward.astype(jnp.float32)")
    source = source.replace("jnp.zeros(())", "jnp.zeros((), jnp.float32)")
    right = fixed(source, "local-loop-function")
    name = "moving average in float32 by name"
    yield Rewrite(name, source, right, "discounted", True, Equality.NUMBERS)
    for slip, old, new in (
        ("times 1 + 1e-6", "(1 - gamma) *", "(1 - gamma) * (1 + 1e-6) *"),
        ("rounded to bfloat16", "reward.astype(jnp.float32)", "reward.astype(jnp.bfloat16).astype(jnp.float32)"),
        ("the next reward's weight", "(1 - gamma)", "(1 - gamma * gamma)"),
    ):
        assert right.count(old) == 1, old
        yield Rewrite(f"{name}: {slip}", source, right.replace(old, new), "discounted", False, Equality.NUMBERS)
