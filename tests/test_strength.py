"""Who can tell a weakly typed scalar from a strongly typed one."""

import ast

import pytest

from jaxfix.semantic.module import Module
from jaxfix.source.source_file import SourceFile
from jaxfix_codemods.static_exponent.weak_types import weak_type_is_observable

PREAMBLE = "import jax\nimport jax.numpy as jnp\n\n"


def told(text: str) -> bool:
    """Whether anything can tell of the only power in `text`."""
    module = Module.parse(SourceFile.decode("strength.py", (PREAMBLE + text).encode()))
    (power,) = [n for n in ast.walk(module.tree) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Pow)]
    return weak_type_is_observable(module, power)


def in_function(*lines: str) -> str:
    return "\n    ".join(["def update(mean, count, b=0.9, eps=1e-8):", *lines]) + "\n"


@pytest.mark.parametrize(
    "lines",
    [
        ("return mean / (1 - b**count).astype(mean.dtype)",),
        ("return mean / jnp.asarray(1 - b**count, mean.dtype)",),
        ("return mean / jnp.array(1 - b**count, dtype=mean.dtype)",),
        ("power = b**count", "return mean / jnp.sqrt(1 - power + eps).astype(mean.dtype)"),
        ("if b**count > 0.5:", "    return mean", "return mean * 2"),
        ("return jnp.where(b**count > 0.5, mean, 2 * mean)",),
        ("return mean * float(b**count)",),
        ("print(b**count)",),
        ("return mean.reshape((b**count).shape)",),
        ("def inner(rate, mean):", "    return mean * rate.astype(mean.dtype)", "return inner(b**count, mean)"),
        ("def inner(mean, *, rate):", "    return mean * rate.item()", "return inner(mean, rate=b**count)"),
        ("def inner(n):", "    return 1 - b**n", "return mean * inner(count).astype(mean.dtype)"),
        ("return mean / jnp.maximum(b**count, eps).astype(mean.dtype)",),
        ("return mean / (-(b**count) if eps else 1.0).astype(mean.dtype)",),
    ],
)
def test_nobody_can_tell(lines: tuple[str, ...]) -> None:
    assert not told(in_function(*lines))


@pytest.mark.parametrize(
    "lines",
    [
        ("return mean / (1 - b**count)",),
        ("return b**count",),
        ("return jnp.asarray(b**count)",),
        ("power = b**count", "return jax.tree.map(lambda m: m / power, mean)"),
        ("power = b**count", "log(power)", "return mean * power.astype(mean.dtype)"),
        ("power = b**count", "power *= mean", "return power.astype(mean.dtype)"),
        ("return jnp.where(mean > 0, b**count, mean)",),
        ("return mean > b**count",),
        ("return jnp.maximum(mean, b**count)",),
        ("return {'power': b**count}",),
        ("return (b**count).weak_type",),
        ("return (b**count).sum()",),
        ("def inner(rate, mean):", "    return mean * rate", "return inner(b**count, mean)"),
        ("def inner(n):", "    return 1 - b**n", "return mean * inner(count)"),
        ("def inner(n):", "    return 1 - b**n", "return jax.vmap(inner)(mean)"),
        ("global shared", "shared = b**count"),
        ("return [b**count for _ in range(3)]",),
        ("return mean @ (b**count)",),
        ("return inner(*mean, b**count)",),
    ],
)
def test_something_can_tell(lines: tuple[str, ...]) -> None:
    assert told(in_function(*lines))


@pytest.mark.parametrize(
    "lines",
    [
        ("power = b**count", "power = (power * 2).astype(mean.dtype)", "return mean * power"),
        ("rate = 1.0", "rate = rate - b**count", "return mean * rate.astype(mean.dtype)"),
        ("def inner(rate):", "    return inner(rate - b**count)", "return mean * float(inner(1.0))"),
    ],
)
def test_what_is_bound_again_is_taken_to_tell(lines: tuple[str, ...]) -> None:
    assert told(in_function(*lines))
