"""What the generated `retrace` costs and saves per call: the original, retraced, and moved by hand.

python -m benchmarks.retrace [PYTHON ...]      `docs/evidence/retrace.md`, one table for each interpreter

Each program runs in a process of its own. Compiles are exact; milliseconds are the median of one run.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "evidence" / "retrace.md"
HELPERS = ROOT / "jaxfix" / "rewrite" / "helpers"

PROGRAMS = {
    "`while_loop`, small body": """
def local(r, x, k):
    return r(lax.while_loop)(lambda s: s[1] < 5, lambda s: (s[0] * k, s[1] + 1), (x, 0))

def going(s):
    return s[1] < 5

def body(s):
    return s[0] * s[2], s[1] + 1, s[2]

def by_hand(x, k):
    return lax.while_loop(going, body, (x, 0, k))
""",
    "`scan`, a layer with relu and softmax": """
W = jnp.ones((32, 32)) / 32

def layer(v, k):
    return jax.nn.softmax(jax.nn.relu(W @ v) * k)

def local(r, x, k):
    return r(lax.scan)(lambda c, _: (layer(c, k), c), x, None, length=10)

def step(c, _):
    return (layer(*c), c[1]), c[0]

def by_hand(x, k):
    return lax.scan(step, (x, k), None, length=10)
""",
    "`cond`, both branches local": """
def local(r, x, k):
    return r(lax.cond)(k > 0, lambda v: v * k, lambda v: v - k, x)

def yes(v, k):
    return v * k

def no(v, k):
    return v - k

def by_hand(x, k):
    return lax.cond(k > 0, yes, no, x, k)
""",
    "`grad` of a `scan`": """
def energy(x, k):
    return lax.scan(lambda c, v: (c + jnp.sin(v) * k, None), 0.0, x)[0]

def local(r, x, k):
    return r(jax.grad(energy))(x, k)

by_hand = jax.grad(jax.jit(energy))
""",
    "`vmap` of a local loop": """
def local(r, x, k):
    return r(jax.vmap(lambda v: lax.fori_loop(0, 5, lambda i, c: jnp.tanh(c) * k, v)))(jnp.outer(x, x))

@jax.jit
def by_hand(x, k):
    return jax.vmap(lambda v: lax.fori_loop(0, 5, lambda i, c: jnp.tanh(c) * k, v))(jnp.outer(x, x))
""",
    "a search along a line, the batch rebound": """
batch = None

def loss(w):
    return jnp.sum((batch * w - 1) ** 2)

def local(r, x, k):
    global batch
    batch = x * k
    def too_high(s):
        return (loss(s[0]) > 1e-3) & (s[1] < 20)
    def shorten(s):
        value, slope = jax.value_and_grad(loss)(s[0])
        return jnp.where(value > 1e-2, s[0] - 1e-3 * slope, s[0]), s[1] + 1
    return r(lax.while_loop)(too_high, shorten, (x * 0, 0))

@jax.jit
def _by_hand(x, batch):
    def loss(w):
        return jnp.sum((batch * w - 1) ** 2)
    def shorten(s):
        value, slope = jax.value_and_grad(loss)(s[0])
        return jnp.where(value > 1e-2, s[0] - 1e-3 * slope, s[0]), s[1] + 1
    return lax.while_loop(lambda s: (loss(s[0]) > 1e-3) & (s[1] < 20), shorten, (x * 0, 0))

def by_hand(x, k):
    return _by_hand(x, x * k)
""",
}

RUN = """
import json, resource, statistics, sys, time
import jax, jax.numpy as jnp
from jax import lax
sys.path.insert(0, sys.argv[1])
from jaxfix_helpers import retrace

compiles = []
event = "/jax/core/compile/backend_compile_duration"
jax.monitoring.register_event_duration_secs_listener(lambda name, *_, **__: compiles.extend([name] * (name == event)))
exec(sys.argv[2])
ways = {
    "original": (lambda x, k: local(lambda f: f, x, k), 12),
    "retraced": (lambda x, k: local(retrace, x, k), 60),
    "by hand": (by_hand, 60),
}
way, calls = ways[sys.argv[3]]
x, times = jnp.linspace(0.0, 1.0, 32), []
ks = [jnp.float32(k) for k in range(calls)]
for call, k in enumerate(ks):
    if call == 2:
        compiles.clear()
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    jax.block_until_ready(way(x, k))
    times.append(time.perf_counter() - start)
grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory) / 1024 / (calls - 2)
print(json.dumps([jax.__version__, len(compiles) / (calls - 2), 1000 * statistics.median(times[2:]), grown]))
"""


def measured(python: str, program: str, way: str) -> tuple[str, float, float, float]:
    """The version of jax, and per call after the second: compiles, milliseconds, megabytes."""
    command = [python, "-c", RUN, str(HELPERS), program, way]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    version, compiles, ms, megabytes = json.loads(done.stdout)
    return version, compiles, ms, megabytes


def lines(pythons: list[str]) -> Iterator[str]:
    yield "# What `retrace` costs"
    yield ""
    yield (
        "Written by `python -m benchmarks.retrace`. Each program hands functions that are new at every call to control "
        "flow, with other arrays at every call: as it is, through the generated `retrace`, and as a person would write "
        "it (lifted, or jitted as a whole where that is possible). Per call, after the second: compiles are exact, "
        "milliseconds are the median of one run on a shared machine, and memory is what the process grew by."
    )
    for python in pythons:
        table: list[str] = []
        version = ""
        for name, program in PROGRAMS.items():
            cells = [measured(python, program, way) for way in ("original", "retraced", "by hand")]
            version = cells[0][0]
            shown = [f"{compiles:g} | {ms:.2f} | {megabytes:.2f}" for _, compiles, ms, megabytes in cells]
            table.append(f"| {name} | {' | '.join(shown)} | {cells[1][2] / cells[2][2]:.0f} |")
            print(version, table[-1], file=sys.stderr, flush=True)
        yield ""
        yield f"## jax {version}"
        yield ""
        heads = " | ".join(f"{way}: compiles | ms | MB" for way in ("original", "retraced", "by hand"))
        yield f"| program | {heads} | retraced / by hand, ms |"
        yield "|" + "---|" * 11
        yield from table
    yield ""
    yield (
        "A retraced call pays for its trace at every time: it is far cheaper than a compile, and slower than a loop "
        "that moved, and so a fix moves or lifts where that is sound."
    )


def main() -> None:
    PAGE.write_text("\n".join([*lines(sys.argv[1:] or [sys.executable]), ""]))
    print(PAGE.relative_to(ROOT))


if __name__ == "__main__":
    main()
