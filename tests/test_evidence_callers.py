"""What callers may do that the program does not: raise, pass iterators, change what is returned, set variables."""

import contextlib
import io
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
from beside_program import HEAD, differing, measured

from jaxfix.evidence.probe import supplied, surroundings, trial
from jaxfix.evidence.probe.endless import DoesNotEnd, Limit
from jaxfix.evidence.probe.sharing import shared
from jaxfix.evidence.program import ProgramRunner

np = pytest.importorskip("numpy")


def codes(*functions: FunctionType) -> list[tuple[Any, dict[str, Any]]]:
    return [(function.__code__, function.__globals__) for function in functions]


class Owner:
    def __init__(self) -> None:
        self.held = np.zeros(4)


OWNER = Owner()


@pytest.mark.parametrize(
    ("made", "found"),
    [
        (lambda v, params: np.array(v), []),
        (lambda v, params: (np.asarray(v), v), ["result[0] is v", "result[1] is result[0]", "result[1] is v"]),
        (lambda v, params: v[1:], ["result is v"]),
        (lambda v, params: v[::2].reshape(1, -1).copy(), []),
        (lambda v, params: {"p": params}, ["result['p'] is params", "result['p']['w'] is params['w']"]),
        (lambda v, params: dict(params), ["result['w'] is params['w']"]),
        (lambda v, params: OWNER.held[:2], ["result is OWNER.held"]),
        (lambda v, params: [params["w"] * 0] * 2, ["result[1] is result[0]"]),
        (lambda v, params: [OWNER], ["result[0] is OWNER", "result[0].held is OWNER.held"]),
    ],
)
def test_what_a_result_shares_with_what_was_there_is_told(made: Callable[..., Any], found: list[str]) -> None:
    given = {"v": np.arange(4.0), "params": {"w": np.ones(2)}}
    others = [*given.items(), ("OWNER", OWNER)]
    assert shared(made(**given), others, lambda value: isinstance(value, Owner)) == found


def guarded(read: Callable[[], float]) -> float:
    try:
        return read()
    except (ValueError, KeyError):
        return 0.0


def test_a_callable_raises_what_handlers_name_and_what_nobody_expects() -> None:
    found = dict(supplied.raisings(codes(guarded)))
    words = ["raises Refused", "raises Ended", "raises ValueError", "raises KeyError", "raises at its second call"]
    assert list(found) == words
    with pytest.raises(supplied.Ended):
        guarded(found["raises Ended"](float))
    assert guarded(found["raises ValueError"](float)) == 0.0


def reading(batches: list[float], owner: Any, other: list[float]) -> list[float]:
    return [item for pair in zip(batches, owner.data, strict=False) for item in pair if item > len(other)]


def test_an_iterator_says_how_far_it_was_read() -> None:
    assert supplied.iterated(codes(reading)) >= {"batches", "data"}
    assert "other" not in supplied.iterated(codes(reading))
    stream = supplied.Stream([1, 2, 3], fails=False)
    assert (next(stream), stream.asked) == (1, 1)
    assert (list(stream), stream.asked) == ([2, 3], 4)
    with pytest.raises(supplied.Refused):
        list(supplied.Stream([1, 2], fails=True))


def test_a_bar_of_progress_tells_the_time_alone() -> None:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), trial._printed() as told:
        print("a step\nloss 0.5")
        print("\r 10%|#   | 1/10\r100%|####| 10/10\nsaved 3", file=sys.stderr)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        assert told() == "a step\nloss #\nsaved #\n"


def settings() -> object:
    first, second = os.environ.get("RATE", "0.5"), os.getenv("GAIN")
    return first, second, os.environ["HOME"], "DEBUG" in os.environ, {}.get("NOTHING")


def test_variables_of_the_environment_are_read_in_the_sources() -> None:
    assert surroundings.variables(codes(settings)) == {"RATE": "0.5", "GAIN": "", "HOME": "", "DEBUG": ""}


BEFORE = """
class Model:
    busy = False
    def run(self, v, check):
        self.busy = True
        try:
            check(v)
            return v * 2
        finally:
            self.busy = False
    def guarded(self, v, check):
        self.busy = True
        try:
            check(v)
        except BaseException:
            self.busy = False
            raise
        self.busy = False
        return v * 2
    def hooked(self, v):
        try:
            return self.hook(v) * 2
        except ValueError:
            return v
    def check(self, v):
        return v
    def stepped(self, v):
        self.busy = True
        made = self.check(v) * 2
        self.busy = False
        return made
    def batches(self, limit):
        for batch in self.data:
            if batch.sum() > limit:
                return batch * 2
        return None
def listed(v, checks):
    total = np.zeros(4)
    for check in checks:
        check(v)
        total += 1
    return v * total
def summed(batches, totals):
    for batch in batches:
        totals.append(batch * 2)
    return totals[-1]
def half(v):
    return np.where(np.ma.getmaskarray(v), 0.0, np.asarray(v)) / 2
def halved(v, rounds=2):
    made = np.array(v)
    for _ in range(rounds):
        made = np.array(made / 2)
    return made
def named(params):
    return {**params, "out": params["w"] * 2}
def decayed(v):
    return v * float(os.environ.get("DECAY_RATE", "0.5"))
def untouched(v, check, batches):
    check(v)
    return v * 2 + sum(batches)
model = Model()
model.hook, model.data = jnp.tanh, [x, x + 1]
model.run(x, lambda v: None), model.guarded(x, lambda v: None), model.hooked(x), model.stepped(x), model.batches(5.0)
listed(x, [lambda v: None] * 2), summed([x, x], []), half(x), halved(np.arange(4.0)), named({"w": x}), decayed(x)
untouched(x, lambda v: None, [x, x])
"""
CHANGES = (
    (
        "check(v)\n            return v * 2\n        finally:\n            self.busy = False",
        "check(v)\n            self.busy = False\n            return v * 2\n        finally:\n            pass",
    ),
    ("except BaseException:", "except Exception:"),
    ("except ValueError:\n            return v", "except KeyError:\n            return v"),
    (
        "self.busy = True\n        made = self.check(v) * 2",
        "self.busy = False\n        made = self.check(v) * 2",
    ),
    ("for batch in self.data:", "for batch in list(self.data):"),
    (
        "    for check in checks:\n        check(v)\n        total += 1\n    return v * total",
        "    for check in checks[:1]:\n        check(v)\n    return v * (total + len(checks))",
    ),
    ("for batch in batches:\n        totals", "for batch in list(batches):\n        totals"),
    ("np.where(np.ma.getmaskarray(v), 0.0, np.asarray(v))", "np.asarray(v)"),
    ("made = np.array(v)\n", "made = v\n"),
    ('{**params, "out": params["w"] * 2}', '{**params, "out": 2 * params["w"]}'),
    ('float(os.environ.get("DECAY_RATE", "0.5"))', "RATE"),
    ("v * 2 + sum(batches)", "2 * v + sum(batches)"),
)


@pytest.mark.evidence
@pytest.mark.slow
def test_what_callers_may_do_tells_a_rewrite_from_its_original(tmp_path: Path) -> None:
    after = BEFORE
    for old, new in CHANGES:
        assert after.count(old) == 1, old
        after = after.replace(old, new)
    after = 'RATE = float(os.environ.get("DECAY_RATE", "0.5"))\n' + after
    methods = [f"Model.{name}" for name in ("run", "guarded", "hooked", "stepped", "batches")]
    names = (*methods, "listed", "summed", "half", "halved", "named", "decayed", "untouched")
    found = differing(measured(tmp_path, BEFORE, after, *names, head=f"import os\n{HEAD}"))
    assert "given `check` that raises Refused" in found["Model.run"]
    assert found["Model.guarded"] == {"given `check` that raises Ended"}
    assert found["Model.hooked"] == {"given `self.hook` that raises ValueError"}
    assert found["Model.stepped"] == {"given an object of a subclass with a `check` that raises"}
    assert "given `self.data` as an iterator" in found["Model.batches"]
    assert "given `checks[1]` that raises Refused" in found["listed"]
    assert "given `batches` as an iterator that fails" in found["summed"]
    assert "given masked arrays" in found["half"]
    assert found["halved"] == {"perturbed, 2 as 0"}
    assert "rebound `environ['DECAY_RATE']`" in found["decayed"]
    assert not found.keys() & {"named", "untouched"}


@pytest.mark.evidence
def test_what_cannot_be_tried_is_named(tmp_path: Path) -> None:
    text = """
import os
RATE = float(os.environ.get("DECAY_RATE", "0.5"))
os.environ.get("JAX_PLATFORMS")
copied = {**os.environ}
def f(v, batches):
    return v * RATE * float(os.environ.get("GAIN", "1")) + next(batches)
print(f(x, iter([x, x])))
"""
    (tmp_path / "program.py").write_text(HEAD + text)
    runner = ProgramRunner(tmp_path, f"{sys.executable} program.py", [("program.py", "f")])
    (run,) = runner.measure({"program.py": (HEAD + text.replace("v * RATE", "RATE * v")).encode()})
    assert run.failure is None
    words = run.untried["program.py:f"]
    assert "how far the iterator `batches` is read" in words
    assert "other values of the environment variable `DECAY_RATE`" in words
    assert [word for word in words if "environment" in word] == [
        "other values of the environment variable `DECAY_RATE`"
    ]


def test_generators_are_sent_values_that_they_take(tmp_path: Path) -> None:
    before = """
    def schedule(rate, steps):
        for i in range(steps):
            new = yield rate * jnp.exp(-0.1 * i)
            if new is not None:
                rate = new
    def doubled(values):
        for value in values:
            yield value * 2
    list(schedule(0.5, 3)), list(doubled([x, x]))
    """
    taken = "            if new is not None:\n                rate = new\n"
    sent = f"            new = yield rate * jnp.exp(-0.1 * i)\n{taken}"
    each = "        for value in values:\n            yield value * 2\n"
    assert sent in before and each in before
    after = before.replace(sent, "            yield rate * jnp.exp(-0.1 * i)\n")
    after = after.replace(each, "        yield from (value * 2 for value in values)\n")
    found = differing(measured(tmp_path, before, after, "schedule", "doubled"))
    assert found == {"schedule": {"as called, and sent another value after its first"}}


def test_a_call_that_does_not_end_is_ended() -> None:
    limit = Limit(0.0)
    watching = threading.Event()

    def watch() -> None:
        while not watching.wait(0.01):
            limit.look()

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        with pytest.raises(DoesNotEnd):
            limit.begin()
            while True:
                time.sleep(0.001)
    finally:
        watching.set()
        watcher.join()
    limit.end()
    limit.look()
