"""A project to review: twelve fixable problems in six files, of five codemods, in bytes of several kinds.

`train.py` runs in seconds, and reaches all of them but those of the last file, which nothing imports.
"""

import subprocess
from pathlib import Path

COMMAND = "python train.py"
FILES: dict[str, bytes] = {}

FILES["train.py"] = b'''\
"""Trains for a few steps, and prints where it came."""

import jax
import jax.numpy as jnp
from data import batches
from evaluate import drift, score, spread
from model import forward, halved, smooth
from optimizer import momentum


def main():
    weights = jnp.ones(8)
    init, update = momentum()
    state = init(weights)
    for batch in batches(6):
        gradient = jax.grad(lambda w: jnp.sum(forward(w, batch) ** 2))(weights)
        updates, state = update(gradient, state)
        weights = smooth(weights - 0.01 * updates)
        trend = drift(weights)
    print(score(weights), spread(weights), trend, halved(weights))


if __name__ == "__main__":
    main()
'''

FILES["model.py"] = b"""\
import jax.numpy as jnp
from jax import lax


def forward(weights, batch):
    return jnp.sum(batch * weights, axis=1)


def smooth(weights):
    # Pulls towards one half.
    def body(_, value):
        return value * 0.5 + 0.25

    return lax.fori_loop(0, 3, body, weights)


def halved(weights):
    for _ in range(4):
        weights = lax.cond(jnp.max(weights) > 0.5, lambda w: w / 2, lambda w: w, weights)
    return weights
"""

FILES["data.py"] = b"""\
import jax\r
import jax.numpy as jnp\r
\r
\r
def batches(number):\r
    for seed in range(number):\r
        yield jax.jit(lambda k: jnp.sin(k) / 8)(jnp.arange(24.0).reshape(3, 8) + seed)"""

FILES["optimizer.py"] = b"""\
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax


class State(NamedTuple):
    count: jax.Array
    best: jax.Array
    trace: jax.Array


def momentum(decay=0.9):
    def init(weights):
        return State(jnp.zeros([], jnp.int32), jnp.asarray(jnp.inf), jnp.zeros((4, *weights.shape)))

    def update(gradient, state):
        def add(total, row):
            return total + row * 0.1, None

        total, _ = lax.scan(add, gradient, state.trace)
        best = jnp.minimum(state.best, jnp.sum(total**2))
        trace = jnp.roll(state.trace, 1, axis=0).at[0].set(gradient)
        return total / (1 - decay ** (state.count + 1)), State(state.count + 1, best, trace)

    return init, update
"""

FILES["evaluate.py"] = (
    "# -*- coding: latin-1 -*-\n# Prüft, was gelernt wurde.\n".encode("latin-1")
    + b"""\
import jax
import jax.numpy as jnp
from jax import lax


def score(weights):
    totals = []
    for shift in range(4):
        totals.append(jax.jit(lambda w: jnp.sum(jnp.cos(w)))(weights + shift))
    return totals


def spread(weights):
    widths = []
    for scale in (1.0, 2.0, 3.0, 4.0):
        widths.append(jax.jit(lambda w: jnp.max(w) - jnp.min(w))(weights * scale))
    return widths


def drift(weights):
    def add(total, row):
        return total * 0.5 + row, None

    return lax.scan(add, 0.0, weights)[0]
"""
)

FILES["tools/plot größe.py"] = b"""\
import jax
import jax.numpy as jnp


def curve(points):
    values = []
    for point in points:
        values.append(jax.jit(lambda p: jnp.exp(-p))(point))
    return values


def area(points):
    total = 0.0
    for point in points:
        total = total + jax.jit(lambda p: p * p)(point)
    return total
"""


FIXES: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    (
        "data.py",
        (
            ("\r\ndef batches", "\r\n_batches_jitted = jax.jit(lambda k: jnp.sin(k) / 8)\r\n\r\n\r\ndef batches"),
            ("yield jax.jit(lambda k: jnp.sin(k) / 8)", "yield _batches_jitted"),
        ),
    ),
    (
        "evaluate.py",
        (
            ("def score", "_score_jitted = jax.jit(lambda w: jnp.sum(jnp.cos(w)))\n\n\ndef score"),
            ("append(jax.jit(lambda w: jnp.sum(jnp.cos(w)))", "append(_score_jitted"),
        ),
    ),
    (
        "evaluate.py",
        (
            ("def spread", "_spread_jitted = jax.jit(lambda w: jnp.max(w) - jnp.min(w))\n\n\ndef spread"),
            ("append(jax.jit(lambda w: jnp.max(w) - jnp.min(w))", "append(_spread_jitted"),
        ),
    ),
    (
        "evaluate.py",
        (
            ("    def add(total, row):\n        return total * 0.5 + row, None\n\n", ""),
            ("def drift", "def _drift_add(total, row):\n    return total * 0.5 + row, None\n\n\ndef drift"),
            ("scan(add", "scan(_drift_add"),
        ),
    ),
    (
        "model.py",
        (
            ("    # Pulls towards one half.\n    def body(_, value):\n        return value * 0.5 + 0.25\n\n", ""),
            (
                "def smooth",
                "# Pulls towards one half.\ndef _smooth_body(_, value):\n    return value * 0.5 + 0.25\n\n\ndef smooth",
            ),
            ("3, body", "3, _smooth_body"),
        ),
    ),
    (
        "model.py",
        (
            (
                "def halved",
                "def _halved_true(w):\n    return w / 2\n\n\ndef _halved_false(w):\n    return w\n\n\ndef halved",
            ),
            ("lambda w: w / 2, lambda w: w,", "_halved_true, _halved_false,"),
        ),
    ),
    (
        "optimizer.py",
        (
            (
                "State(jnp.zeros([], jnp.int32), jnp.asarray(jnp.inf), jnp.zeros((4, *weights.shape)))",
                "State(\n"
                "            jnp.zeros([], jnp.int32),\n"
                "            jnp.asarray(jnp.inf, dtype=jnp.finfo("
                "jnp.result_type(float, *jax.tree.leaves(weights))).dtype),\n"
                "            jnp.zeros((4, *weights.shape)),\n"
                "        )",
            ),
        ),
    ),
    (
        "optimizer.py",
        (
            ("        def add(total, row):\n            return total + row * 0.1, None\n\n", ""),
            ("def momentum", "def _update_add(total, row):\n    return total + row * 0.1, None\n\n\ndef momentum"),
            ("scan(add", "scan(_update_add"),
        ),
    ),
    (
        "optimizer.py",
        (
            (
                "        return total / (1 - decay ** (state.count + 1))",
                "        # A concrete integer exponent is compiled again for every value.\n"
                "        exponent = state.count + 1\n"
                "        if not isinstance(exponent, jax.core.Tracer):\n"
                "            exponent = exponent * 1.0\n"
                "        return total / (1 - decay ** (exponent))",
            ),
        ),
    ),
    (
        "tools/plot größe.py",
        (
            ("\n\n\ndef curve", "\n\n\n_curve_jitted = jax.jit(lambda p: jnp.exp(-p))\n\n\ndef curve"),
            ("append(jax.jit(lambda p: jnp.exp(-p))", "append(_curve_jitted"),
        ),
    ),
    (
        "tools/plot größe.py",
        (
            ("def area", "_area_jitted = jax.jit(lambda p: p * p)\n\n\ndef area"),
            ("total + jax.jit(lambda p: p * p)", "total + _area_jitted"),
        ),
    ),
    (
        "train.py",
        (
            (
                "def main",
                "@jax.jit\ndef train_step(batch, weights):\n"
                "    gradient = jax.grad(lambda w: jnp.sum(forward(w, batch) ** 2))(weights)\n"
                "    return gradient\n\n\ndef main",
            ),
            (
                "        gradient = jax.grad(lambda w: jnp.sum(forward(w, batch) ** 2))(weights)",
                "        gradient = train_step(batch, weights)",
            ),
        ),
    ),
)
"""Of each of the twelve, in the order of the files and lines, the file and what in its text becomes what."""


def fixed(*numbers: int) -> dict[str, bytes]:
    """All files with exactly these fixes, from 1."""
    found = dict(FILES)
    for number in numbers:
        name, changes = FIXES[number - 1]
        encoding = "latin-1" if name == "evaluate.py" else "utf-8"
        for before, after in changes:
            assert found[name].count(before.encode(encoding)) == 1, (number, before)
            found[name] = found[name].replace(before.encode(encoding), after.encode(encoding))
    return found


def contents(folder: Path) -> dict[str, bytes]:
    """The files of the project as they are now."""
    paths = {path.relative_to(folder): path for path in folder.rglob("*.py")}
    return {name.as_posix(): path.read_bytes() for name, path in paths.items()}


def make(folder: Path) -> Path:
    """Writes the project into `folder`, and commits it."""
    for name, raw in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(raw)
    git = (
        "git",
        "-C",
        str(folder),
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@example.com",
        "-c",
        "commit.gpgsign=false",
    )
    for arguments in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "start")):
        subprocess.run([*git, *arguments], check=True)
    return folder
