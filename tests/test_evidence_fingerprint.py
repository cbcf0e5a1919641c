"""Large arrays: digested where they are, made up where they are called with."""

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import pytest

from jaxfix.evidence.probe import fingerprint as device
from jaxfix.evidence.probe.fingerprint import every, fingerprint
from jaxfix.evidence.probe.memory import staged_bytes
from jaxfix.evidence.probe.precision import double_precision
from jaxfix.evidence.probe.record import Record
from jaxfix.evidence.probe.settings import Settings
from jaxfix.evidence.probe.values import Values
from jaxfix.evidence.program import ProgramRunner
from jaxfix.evidence.prove import prove
from jaxfix.report.evidence import Evidence, Verdict
from jaxfix.report.finding import Equality, Fix, Proves, Safety
from jaxfix.source.edits import Span

PROBE = Path(device.__file__).parent

jax = pytest.importorskip("jax")
jnp = jax.numpy
WHOLE = ("bool", "int4", "uint4", "int8", "uint8", "int16", "int32", "uint32")
DTYPES = (*WHOLE, "float16", "bfloat16", "float32", "complex64", "float8_e4m3fn", "float8_e5m2")

pytestmark = pytest.mark.evidence


@pytest.mark.parametrize("dtype", [name for name in DTYPES if hasattr(jnp, name)])
def test_a_value_that_changes_or_moves_is_seen(dtype: str) -> None:
    values = jnp.arange(12).reshape(3, 4) % 2
    array = values.astype(dtype)
    seen = fingerprint(array)
    assert seen == fingerprint(array + jnp.zeros_like(array))
    others = (values.at[1, 2].set(1 - values[1, 2]), values[:, ::-1], values[::-1], jnp.roll(values, 1))
    assert all(fingerprint(other.astype(dtype)) != seen for other in others if bool((other != values).any()))


def test_zeros_of_either_sign_differ_and_all_nans_are_one() -> None:
    bits = jnp.array([0x7FC00000, 0xFFC12345, 0x80000000], jnp.uint32)
    array = jax.lax.bitcast_convert_type(bits, jnp.float32)
    same, zero = (jnp.array([jnp.nan, jnp.nan, last]) for last in (-0.0, 0.0))
    assert fingerprint(array) == fingerprint(same) != fingerprint(zero)
    assert fingerprint(array)[1] == 2


def test_both_halves_of_wide_values_count() -> None:
    with double_precision():
        for dtype in (jnp.int64, jnp.float64, jnp.complex128):
            one, other = (jnp.array([1, value], dtype) for value in (2**40, 2**40 + 1))
            assert fingerprint(one) != fingerprint(other)


def test_a_sample_is_that_of_the_host() -> None:
    array = jnp.arange(24.0).reshape(2, 3, 4)
    assert every(array, 5).tolist() == [0, 5, 10, 15, 20]
    assert every(array.astype(jnp.bfloat16), 5).dtype == "float32"


def test_what_is_digested_there_is_told_as_on_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    value = {"a": jnp.array([1.0, jnp.nan, 3.0]), "b": jnp.zeros(0), "key": jax.random.key(0), "c": jnp.ones(2) + 1j}
    value["key"].block_until_ready()

    def told(value: object) -> list[dict[str, object]]:
        leaves = Values(Settings({"results": ""}), Record()).output("", value, True)["leaves"]
        return [{**leaf, "digest": None, "sample": str(leaf["sample"])} for leaf in leaves]

    here = told(value)
    monkeypatch.setattr(device, "LEAST_BYTES", 1)
    assert told(value) == here


@pytest.mark.slow
def test_what_is_digested_there_takes_no_memory(tmp_path: Path) -> None:
    text = """
    import jax, jax.numpy as jnp
    from jaxfix_probe.fingerprint import fingerprint
    from jaxfix_probe.memory import peak_bytes
    array = jnp.ones(300_000_000 // 4).block_until_ready()
    before = peak_bytes()
    fingerprint(array)
    print((peak_bytes() - before) // 1_000_000)
    """
    shutil.copytree(PROBE, tmp_path / "jaxfix_probe")
    done = subprocess.run(
        [sys.executable, "-c", dedent(text)], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 100


LOWERED = """
import sys
sys.modules["jaxfix_probe.samples"].MOST_BYTES = 100
sys.modules["jaxfix_probe.fingerprint"].LEAST_BYTES = 100
"""
DONATING = """
import functools, jax, jax.numpy as jnp
@jax.jit
def step(state, rate):
    return jax.tree.map(lambda leaf: leaf - rate * leaf, state)
state = {{"w": jnp.ones({size}), "b": jnp.ones(3)}}
for _ in range(6):
    state = step(state, 0.1)
print(float(state["w"][0]))
"""


def donating(folder: Path, before: str, after: str) -> Evidence:
    """What is said of a donation by a run of both texts."""
    (folder / "train.py").write_text(before)
    fix = Fix("f", "undonated-state", "Donate", Span(0, 1), (), Safety.NEEDS_EVIDENCE, Equality.BITWISE, None, "step")
    runner = ProgramRunner(folder, f"{sys.executable} train.py", [("train.py", "step")])
    fix = replace(fix, proves=Proves.LESS_MEMORY)
    proof = prove(
        [("train.py", fix, 1)], lambda fixes: {"train.py": after.encode()} if fixes else {}, runner, lambda phrase: None
    )
    return proof.receipts[0]


def donated(text: str) -> str:
    return text.replace("@jax.jit", "@functools.partial(jax.jit, donate_argnums=0)")


def test_arguments_above_the_limit_are_made_up_and_compared_there(tmp_path: Path) -> None:
    text = LOWERED + DONATING.format(size=100_000)
    good = donating(tmp_path, text, donated(text))
    assert (good.verdict, good.comparisons[0].beside) == (Verdict.NO_EFFECT, 2)  # so little memory says nothing
    assert any("its arguments hold more than" in words for words in good.comparisons[0].untried)
    wrong = donating(tmp_path, text, donated(text).replace("leaf - rate * leaf", "leaf - rate * jnp.roll(leaf, 1)"))
    assert (wrong.verdict, "beside the original" in wrong.reason) == (Verdict.DIFFERENT, True)


@pytest.mark.slow
def test_a_donation_of_300_megabytes_is_proven(tmp_path: Path) -> None:
    text = DONATING.format(size=75_000_000)
    found = donating(tmp_path, text, donated(text))
    assert (found.verdict, found.comparisons[0].beside >= 1) == (Verdict.PROVEN, True)


def test_what_is_staged_is_counted_unless_it_is_mapped() -> None:
    found: list[int | None] = []

    def doubled(x: jax.Array) -> jax.Array:
        found.append(staged_bytes({"doubled": 2 * x, "named": "x"}))
        return 2 * x

    jax.jit(doubled)(jnp.ones((3, 4), jnp.float32))
    jax.jit(jax.vmap(doubled))(jnp.ones((3, 4), jnp.float32))
    assert found == [48, None]
