"""Data of another size than the program's: larger values, wider arrays, numbers of objects that are zero or NaN."""

from pathlib import Path

import pytest
from beside_program import differing, measured

pytestmark = pytest.mark.evidence

BEFORE = """
import dataclasses
@dataclasses.dataclass(frozen=True)
class Options:
    floor: float | None = None
class Sampler:
    def __init__(self, noise):
        self.noise, self.count, self.total, self.kept = noise, 0, 0.0, x
    def draw(self, v):
        self.count += 1
        if self.noise > 0.0:
            v = v + self.noise * jnp.cos(v)
        return v
    def synced(self, v):
        if self.count % 4 == 0:
            self.kept = v
        return v + 1.0
    def add(self, v):
        self.total += float(v.sum())
    def reset(self):
        mean, self.total = self.total / 4, 0.0
        return mean
def energy(v):
    return jnp.sum(v**4 - v**2)
def descend(v):
    slope, now, step = jax.grad(energy)(v), energy(v), 1.0
    for _ in range(6):
        step = step / 2.0
        if energy(v - step * slope) < now:
            break
    return v - step * slope
def attend(v, wq, wk):
    q, k = v @ wq, v @ wk
    return jax.nn.softmax(q @ k.T / q.shape[-1] ** 0.5) @ v
def floored(v, options):
    return v if options.floor is None else jnp.maximum(v, options.floor)
sampler, v = Sampler(0.5), jnp.array([0.3, -0.4, 0.9])
for k in range(3):
    sampler.draw(x), sampler.add(x), sampler.reset(), sampler.synced(x)
    v = descend(v)
    attend(jnp.sin(jnp.arange(20.0)).reshape(5, 4) + k, jnp.eye(4), jnp.eye(4) * 0.5)
    floored(x, Options(floor=0.25))
"""
CHANGES = (
    (
        "        self.count += 1\n        if self.noise > 0.0:\n",
        "        if self.noise > 0.0:\n            self.count += 1\n",
    ),
    ("self.count % 4 == 0", "self.count and self.count % 4 == 0"),
    ("mean, self.total = self.total / 4, 0.0", "mean, self.total = self.total / 4, 0.0 * self.total"),
    ("    return v - step * slope", "    return v - (step if energy(v - step * slope) < now else 0.5) * slope"),
    ("/ q.shape[-1] ** 0.5", "* 0.5"),
    (
        "v if options.floor is None else jnp.maximum(v, options.floor)",
        "jnp.maximum(v, options.floor) if options.floor else v",
    ),
)
NAMES = ("Sampler.draw", "Sampler.reset", "Sampler.synced", "descend", "attend", "floored")


def test_data_of_other_sizes_are_tried(tmp_path: Path) -> None:
    after = BEFORE
    for old, new in CHANGES:
        assert old in after
        after = after.replace(old, new)
    found = differing(measured(tmp_path, BEFORE, after, *NAMES))
    assert set(NAMES) - found.keys() == set()


def test_halves_and_numbers_whose_squares_overflow_are_tried(tmp_path: Path) -> None:
    before = """
    def bucket(values, width):
        return [int(round(v / width)) for v in values]
    def rounded(v):
        return jnp.round(v)
    def half_up(rate):
        return int(rate + 0.5)
    def cells(v, size=0.25):
        return jnp.floor(jnp.abs(v) / size)
    def norm(v):
        return jnp.abs(v).max() * jnp.sqrt(jnp.sum((v / jnp.abs(v).max()) ** 2))
    def down(v):
        return jnp.floor(v)
    bucket([0.3, 1.2, 2.6], 1.0), rounded(x * 0.3), half_up(1.2), cells(x - 2.3), norm(jnp.ones(4)), down(x)
    """
    changes = (
        ("int(round(v / width))", "int(np.floor(v / width + 0.5))"),
        ("jnp.round(v)", "jnp.sign(v) * jnp.floor(jnp.abs(v) + 0.5)"),
        ("int(rate + 0.5)", "round(rate)"),
        ("jnp.abs(v) / size", "jnp.sqrt(v * v) / size"),
        ("jnp.abs(v).max() * jnp.sqrt(jnp.sum((v / jnp.abs(v).max()) ** 2))", "jnp.sqrt(jnp.sum(v**2))"),
        ("jnp.floor(v)", "-jnp.ceil(-v)"),
    )
    after = before
    for old, new in changes:
        assert old in after
        after = after.replace(old, new)
    names = ("bucket", "rounded", "half_up", "cells", "norm")
    found = differing(measured(tmp_path, before, after, *names, "down"))
    assert found.keys() == {*names}
    assert any(how.startswith("given halves") for how in found["bucket"])
    assert "given numbers, too large to square" in found["cells"]
