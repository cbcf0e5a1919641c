"""Other numbers and texts with which a step under an added `jit` is not what it is without: they are said."""

from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from beside_program import differing, measured

from jaxfix.evidence.probe import start
from jaxfix.evidence.probe.bare import bare
from jaxfix.evidence.probe.growing import Growing
from jaxfix.evidence.probe.muted import muted
from jaxfix.evidence.probe.razor import Call, reordered
from jaxfix.evidence.probe.unlike import unlike

jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")
np = pytest.importorskip("numpy")

pytestmark = pytest.mark.evidence


def said(step: Any, *args: Any, **options: Any) -> list[str]:
    return unlike(step, jax.jit(step, **options), Call(args, {}))


def test_errors_of_python_that_are_gone() -> None:
    def divided(w: Any, scale: Any) -> Any:
        return w * (1 / scale)

    def apart(w: Any, j: Any, off: Any) -> Any:
        return w / (1.0 / (j - off))

    assert said(divided, jnp.ones(3), 2) == ["`scale` as 0 raises no ZeroDivisionError"]
    assert said(divided, jnp.ones(3), jnp.ones(3)) == ["`scale` as 0 raises no ZeroDivisionError"]
    assert "`j` as 7 raises no ZeroDivisionError" in said(apart, jnp.ones(3), 1, 7)
    assert said(divided, jnp.ones(3), 2, static_argnums=1) == []


def test_digits_that_32_bits_have_not() -> None:
    def hashed(w: Any, number: Any) -> Any:
        return w + 0.001 * (number * 7919 % 97)

    def since(w: Any, row: Any, start: Any) -> Any:
        return w + jnp.sin(row - start)

    def adam(w: Any, g: Any, rate: Any, count: Any) -> Any:
        return w - rate * g / (1 - 0.9**count)

    for number in (200, 0):
        assert "large numbers in `number`" in said(hashed, jnp.ones(3), number)[0]
    assert "large numbers in `row` and `start`" in said(since, jnp.ones(3), np.arange(3.0), np.zeros(3))[0]
    assert said(adam, jnp.ones(3), jnp.ones(3), 0.1, 3) == []
    assert said(hashed, jnp.ones(3), 200, static_argnums=1) == []


def test_integers_that_32_bits_do_not_hold() -> None:
    def cubed(w: Any, info: Any) -> Any:
        return w - 0.01 / (info["t"] * info["t"] * info["t"])

    def summed(w: Any, number: Any) -> Any:
        return w - 0.01 / sum(each**3 for each in (number, number + 1))

    def differentiated(w: Any, number: Any) -> Any:
        return jax.grad(lambda w: w.sum() / (number + 1) ** 3)(w)

    words = "{} makes an integer overflow 32 bits"
    assert said(cubed, jnp.ones(3), {"t": 1})[-1] == words.format("`info['t']` as 1291")
    assert words.format("`number` as 1024") in said(summed, jnp.ones(3), 0)
    assert words.format("`number` as 1290") in said(differentiated, jnp.ones(3), 0)
    assert said(summed, jnp.ones(3), 7, static_argnums=1) == []


def test_integers_that_wrap_by_design() -> None:
    def of_key(w: Any, seed: Any) -> Any:
        return w + jax.random.normal(jax.random.PRNGKey(seed * 1_000_003), (3,))

    def of_arrays(w: Any, number: Any, rows: Any) -> Any:
        return w + (jnp.asarray(number) ** 5 % 97) + rows * rows * number

    def powers(w: Any, number: Any) -> Any:
        return w * number / (1 - 0.9 ** (number + 1))

    assert said(of_key, jnp.ones(3), 1) == []
    assert said(of_arrays, jnp.ones(3), 7, 100_000 * jnp.arange(3)) == []
    assert said(powers, jnp.ones(3), 7) == []


def grown(*numbers: Any) -> dict[int, Any]:
    """What a number is later that was this from call to call."""
    growing = Growing()
    for number in numbers:
        growing.saw((number,), {})
    return growing.later()


def test_numbers_that_grow_from_call_to_call() -> None:
    assert grown(0, 1, 2, 3) == {0: 10**6 + 3}
    assert grown(-1, -3, -5, -7) == {0: -2 * 10**6 - 7}
    assert grown(*(10**6 * k for k in range(5))) == {0: pytest.approx(2**31, rel=1e-2)}
    assert grown(*(0.5 * k for k in range(8))) == {0: 500003.5}
    rows = grown(*np.arange(40.0).reshape(10, 4))
    assert rows[0].tolist() == [4e6 + at for at in (36, 37, 38, 39)]
    for steady in (range(3), [1.0, 2.0, 3.0, 4.0], [0, 1, 2, 0, 1, 2], [1 / k for k in range(1, 20)], [3] * 9):
        assert grown(*steady) == {}
    assert grown(*(np.float32(k) for k in range(9))) == grown(*(k > 3 for k in range(9))) == {}


def ran(monkeypatch: pytest.MonkeyPatch, step: Any, numbers: Iterable[Any]) -> str | None:
    """What differs of an added `jit` in a program that calls `step` with these one after the other."""
    record = SimpleNamespace(razor={}, age=lambda: 1.0)
    settings = SimpleNamespace(user=[str(Path(__file__).parent)], compares_steps=True)
    calls = SimpleNamespace(finished=False, compiled=SimpleNamespace(keep=lambda: None))
    probe = SimpleNamespace(record=record, paused=muted, shadow_call=calls, settings=settings)
    monkeypatch.setattr(start, "PROBE", probe)
    w, called = jnp.arange(3.0), bare(jax.jit, "step")(step)
    for number in numbers:
        w = called(w, number)
    found: str | None = record.razor["step"]["difference"]
    return found


def test_an_error_that_a_caller_takes_refutes(monkeypatch: pytest.MonkeyPatch) -> None:
    def divided(w: Any, scale: Any) -> Any:
        return w * (1 / scale)

    found = []
    for _ in range(1):
        try:
            found.append(ran(monkeypatch, divided, [2, 3]))
        except ZeroDivisionError:
            continue
    try:
        found.append(ran(monkeypatch, divided, [2, 3]))
    except (OSError, ArithmeticError):
        raise
    for words in found:
        assert words is not None and "`scale` as 0 raises no ZeroDivisionError, which line" in words
    try:
        assert ran(monkeypatch, divided, [2, 3]) is None
    except (IndexError, OSError):
        raise


def test_a_longer_run_of_the_program_refutes(monkeypatch: pytest.MonkeyPatch) -> None:
    def hashed(w: Any, number: Any) -> Any:
        return jnp.tanh(w) + 0.001 * (number * 7919 % 97)

    def waved(w: Any, at: Any) -> Any:
        return 0.0 * w + jnp.sin(at % 1.0)

    def decayed(w: Any, number: Any) -> Any:
        return jnp.tanh(w) * (0.1 / (1 + 0.01 * number)) + jnp.cos(number * 0.01)

    words = ran(monkeypatch, hashed, range(10))
    assert words is not None and "numbers in `number` grow from call to call" in words
    assert ran(monkeypatch, hashed, [*range(8), *range(8)]) is None
    assert ran(monkeypatch, hashed, [3] * 10) is None
    assert ran(monkeypatch, decayed, range(40)) is None
    words = ran(monkeypatch, waved, [0.01 * k for k in range(10)])
    assert words is not None and "numbers in `at` grow" in words
    assert ran(monkeypatch, waved, [0.01 * (k % 6) for k in range(20)]) is None


def test_integers_that_wrap_in_the_run_or_in_a_longer_one_refute(monkeypatch: pytest.MonkeyPatch) -> None:
    def cubed(w: Any, number: Any) -> Any:
        return jnp.tanh(w) + 0.01 / (1 + number * number * number)

    def whole(w: Any, number: Any) -> Any:
        return jnp.tanh(w) + 0.01 / number

    own, later = ran(monkeypatch, cubed, [1300]), ran(monkeypatch, cubed, range(10))
    assert own == "step 1: `number` as 1300 makes an integer overflow 32 bits"
    assert later is not None and "grow from call to call: `number` as 1291 makes" in later
    assert ran(monkeypatch, cubed, [*range(8), *range(8)]) is None
    for fast in ([k**3 for k in range(1, 11)], [10_000 * k for k in range(1, 11)]):
        words = ran(monkeypatch, whole, fast)
        assert words is not None and "`number` grows until 32 bits do not hold it" in words
        assert ran(monkeypatch, whole, [*fast, 1]) is None
    assert ran(monkeypatch, whole, range(1, 20)) is None


def test_a_text_among_arrays() -> None:
    def step(w: Any, batch: Any) -> Any:
        return w - batch["x"].sum(0)

    def every(w: Any, batch: Any) -> Any:
        return w - sum(value.sum() for value in batch.values())

    batch = {"x": jnp.ones((4, 3))}
    assert said(step, jnp.ones(3), batch) == ["a text in `batch` raises"]
    assert said(every, jnp.ones(3), batch) == []


def test_numbers_that_may_decide_how_often_something_runs_are_left_alone() -> None:
    def step(w: Any, count: Any) -> Any:
        return jax.lax.fori_loop(0, count, lambda _, w: w / count, w)

    assert said(step, jnp.ones(3), 3) == []


def test_options_meet_data_of_both_signs_and_lengths(tmp_path: Path) -> None:
    before = """
    class Ring:
        def __init__(self, size):
            self.rows, self.count, self.limit = [0.0] * size, 0, 0.0
        def add(self, row):
            self.rows[self.count % len(self.rows)] = row
            self.count += 1
            return sum(self.rows)
        def cut(self, v):
            return jnp.clip(v, -self.limit, self.limit) if self.limit else v
        def better(self, loss):
            return loss < 2.0 - self.limit
    def cut(v, limit=0.0):
        return jnp.clip(v, -limit, limit) if limit else v
    ring = Ring(8)
    ring.add(1.0), ring.cut(x), ring.better(0.5), cut(x)
    """
    after = before.replace("self.count % len(self.rows)", "min(self.count, len(self.rows) - 1)")
    after = after.replace("-limit, limit", "0.0, limit").replace("-self.limit, self.limit", "0.0, self.limit")
    after = after.replace("2.0 - self.limit", "2.0")
    found = differing(measured(tmp_path, before, after, "Ring.add", "Ring.cut", "Ring.better", "cut"))
    assert "rebound `self.count = 9`" in found["Ring.add"]
    assert "rebound `self.limit`, signs mixed" in found["Ring.cut"]
    assert any("numbers below bound" in how for how in found["Ring.better"])
    assert "perturbed, signs mixed" in found["cut"]


def test_loops_end_sooner_and_keys_come_in_another_order(tmp_path: Path) -> None:
    before = """
    def solved(v, most=50):
        steps = 0
        while float(abs(v - jnp.cos(v)).max()) > 1e-2 and steps < most:
            v, steps = jnp.cos(v), steps + 1
        return v, steps
    def numbered(params):
        return [number * params[name] for number, name in enumerate(sorted(params))]
    solved(x), numbered({"a": x, "b": x + 1.0})
    """
    after = before.replace(" and steps < most", "").replace(
        "steps + 1\n", "steps + 1\n            if steps > most: break\n"
    )
    found = differing(measured(tmp_path, before, after.replace("sorted(params)", "params"), "solved", "numbered"))
    assert "perturbed, `most` as 2" in found["solved"]
    assert "given `params` in reverse order" in found["numbered"]


def test_what_the_original_alone_refuses_is_said(tmp_path: Path) -> None:
    before = """
    def sized(v):
        return v * 2.0 if v.size else v
    sized(x)
    """
    found = measured(tmp_path, before, before.replace("v.size", "np.size(v)"), "sized")
    assert (
        "data that only the original refuses (a number for array 1: AttributeError)"
        in found.untried["program.py:sized"]
    )


def test_keys_in_another_order() -> None:
    def noisy(params: Any, key: Any) -> Any:
        keys = jax.random.split(key, len(params))
        return {name: value + jax.random.normal(k) for (name, value), k in zip(params.items(), keys, strict=True)}

    def summed(params: Any, rate: Any) -> Any:
        return {name: value - rate * sum(each.sum() for each in params.values()) for name, value in params.items()}

    def named(params: Any, rate: Any) -> Any:
        first, second = params
        return params[first] / params[second] * rate

    params, words = {"a": jnp.ones(3), "b": 3.7 * jnp.ones(3)}, "the keys of a dictionary in another order"
    assert reordered(noisy, Call((params, jax.random.PRNGKey(0)), {})) == f"{words} give other results"
    assert reordered(named, Call((params,), {"rate": 0.1})) == f"{words} give other results"
    assert reordered(summed, Call((params,), {"rate": 0.1})) is None
    assert reordered(summed, Call(({"a": jnp.ones(3)}, 0.1), {})) is None


def test_wide_integers_of_numpy() -> None:
    def hashed(w: Any, ids: Any) -> Any:
        return w + 0.001 * (ids * 7919 % 31)

    def picked(w: Any, ids: Any) -> Any:
        return w[jnp.asarray(ids) % 3]

    assert said(hashed, jnp.ones(3), np.arange(3)) == [
        "large numbers in `ids` have 32 bits instead of Python's or NumPy's digits"
    ]
    assert said(hashed, jnp.ones(3), np.arange(3, dtype=np.int32)) == []
    assert said(picked, jnp.ones(3), np.arange(3)) == []


def test_a_jit_that_is_taken_out_sorts_keys_and_makes_containers_new() -> None:
    given, kept = {"w": 1.0, "b": [2.0]}, list[Any]()

    def step(params: Any) -> Any:
        kept.extend(params)
        params["b"].append(3.0)
        return {"w": params["w"], "b": params["b"]}

    probe = SimpleNamespace(
        record=SimpleNamespace(razor={}, age=lambda: 1.0),
        settings=SimpleNamespace(compares_steps=False),
        shadow_call=SimpleNamespace(finished=True, is_plain=False, compiled=SimpleNamespace(keep=lambda: None)),
    )
    before, start.PROBE = start.PROBE, probe  # type: ignore[assignment]
    try:
        returned = bare(jax.jit, "a.py:step")(step)(given)
    finally:
        start.PROBE = before
    assert given == {"w": 1.0, "b": [2.0]} and kept == ["b", "w"]
    assert returned == {"b": [2.0, 3.0], "w": 1.0} and [*returned] == ["b", "w"]
