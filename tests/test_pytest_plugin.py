"""The plugin of pytest, in runs of the real pytest: what fails, what is said, what is left alone."""

import os
import re
from pathlib import Path

import pytest

pytest_plugins = ("pytester",)
pytestmark = pytest.mark.evidence

ROOT = Path(__file__).resolve().parents[1]
LATE = """\
import sys

import pytest


def test_nothing_is_loaded_for_a_test_that_does_not_use_it():
    assert not {name for name in sys.modules if name.startswith(("jaxfix.semantic", "jaxfix.evidence", "jax."))}


@pytest.mark.jaxfix_max_compiles(1)
@pytest.mark.parametrize("n", [2, 3])
def test_jax_may_come_late(n):
    import jax
    import numpy as np

    f = jax.jit(lambda x: x + 1)
    f(np.ones(n)), f(np.ones(n + 2))
"""
TESTS = """\
import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest


@jax.jit
def step(state, x):
    return state + x


def smooth(x):
    def body(c, _):
        return c * 2, None

    return jax.lax.scan(body, x, None, 3)


def fresh():
    return jax.jit(lambda x: x * 3)


@pytest.fixture
def warm():
    f = fresh()
    f(np.ones(2)), f(np.ones(3)), f(np.ones(4))
    return f


@pytest.mark.jaxfix_max_compiles(1)
class TestOfAClass:
    @pytest.fixture(autouse=True)
    def cleared(self, request):
        if "cleared" in request.node.name:
            jax.monitoring.clear_event_listeners()

    def test_weak_type(self):
        state = step(jnp.float32(0), 1.0)
        step(state, 1)

    def test_made_anew(self, monkeypatch, tmp_path):
        monkeypatch.chdir(tmp_path)
        for _ in range(4):
            smooth(1.0)

    @pytest.mark.jaxfix_max_compiles(2)
    def test_the_nearest_marker_counts(self):
        f = fresh()
        f(np.ones(2)), f(np.ones(3))

    def test_fixtures_do_not_count_and_what_is_warm_does_not_compile(self, warm):
        warm(np.ones(2)), warm(np.ones(3)), warm(np.ones(4))

    def test_its_own_failure(self):
        f = fresh()
        f(np.ones(2)), f(np.ones(3))
        raise ValueError("mine")

    @pytest.mark.xfail(strict=True)
    def test_expected(self):
        f = fresh()
        f(np.ones(2)), f(np.ones(3))

    def test_after_the_listeners_were_cleared(self):
        f = fresh()
        f(np.ones(2)), f(np.ones(3))

    def test_in_threads(self):
        f = fresh()
        for n in (2, 3):
            thread = threading.Thread(target=f, args=(np.ones(n),))
            thread.start(), thread.join()


@pytest.mark.jaxfix_max_compiles(1, function="step")
def test_of_one_function():
    f = fresh()
    f(np.ones(2)), f(np.ones(3))


@pytest.mark.parametrize("n", [pytest.param(5, marks=pytest.mark.jaxfix_max_compiles(0)), 6])
def test_of_one_parameter(n):
    fresh()(np.ones(n))


@pytest.mark.jaxfix_max_compiles("1")
def test_wrong_marker():
    pass


def test_counting(jaxfix_compiles):
    f = fresh()
    with jaxfix_compiles() as outer:
        f(np.ones(2))
        with jaxfix_compiles() as inner:
            f(np.ones(3))
        f(np.ones(2))
    f(np.ones(4))
    assert (outer.total, inner.total) == (2, 1)
    assert outer.by_function == {"fresh.<locals>.<lambda>": 2}
    assert inner.functions[0].whole.path == __file__


def test_at_most(jaxfix_compiles):
    f = fresh()
    with jaxfix_compiles(at_most=1):
        f(np.ones(2)), f(np.ones(3))
"""
FAILED = {
    "TestOfAClass.test_weak_type": "`step` compiled twice, allowed once: dtype of `x` float32[] -> int32[]",
    "TestOfAClass.test_made_anew": "`scan` compiled 4 times, allowed once: function object differs each call: `body`; "
    "codemod: local-loop-function [*]",
    "TestOfAClass.test_its_own_failure": "ValueError: mine",
    "TestOfAClass.test_after_the_listeners_were_cleared": "compiled twice, allowed once",
    "TestOfAClass.test_in_threads": "compiled twice, allowed once",
    "test_of_one_parameter[5]": "compiled once, allowed never",
    "test_at_most": "compiled twice, allowed once",
}


@pytest.fixture
def pytester(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """With the plugin installed as pip would install it."""
    installed = pytester.path / "site" / "plugin_of_jaxfix-0.dist-info"
    installed.mkdir(parents=True)
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: plugin-of-jaxfix\nVersion: 0\n")
    (installed / "entry_points.txt").write_text("[pytest11]\njaxfix = jaxfix.pytest_plugin\n")
    places = map(str, (installed.parent, ROOT, ROOT / "codemods"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(places))
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    return pytester


def test_what_compiles_too_often_fails_with_its_line_and_its_cause(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it=TESTS)
    ran = pytester.runpytest_subprocess("--strict-markers", "-W", "error", "-p", "no:randomly", "-p", "no:xdist")
    ran.assert_outcomes(failed=len(FAILED), errors=1, xfailed=1, passed=5)
    sections = re.split(r"\n_{3,} (.+?) _{3,}\n", "\n".join(ran.outlines).partition("short test summary")[0])
    said = dict(zip(sections[1::2], sections[2::2], strict=True))
    assert set(said) == {*FAILED, "ERROR at setup of test_wrong_marker"}
    for name, words in FAILED.items():
        assert words in said[name]
    assert "compiled" not in said["TestOfAClass.test_its_own_failure"]
    assert "`jaxfix_max_compiles('1')` says no number of compiles" in said["ERROR at setup of test_wrong_marker"]
    assert re.search(r"^test_it.py:\d+: `step`", said["TestOfAClass.test_weak_type"], re.M)


def test_it_works_in_workers_where_jax_comes_late(pytester: pytest.Pytester) -> None:
    pytest.importorskip("xdist")
    pytester.makepyfile(LATE)
    pytester.runpytest_subprocess("-n", "1").assert_outcomes(failed=2, passed=1)


@pytest.mark.parametrize(("options", "is_there"), [((), True), (("-p", "no:jaxfix"), False)])
def test_it_can_be_switched_off(pytester: pytest.Pytester, options: tuple[str, ...], is_there: bool) -> None:
    assert ("jaxfix_max_compiles" in pytester.runpytest_subprocess("--markers", *options).stdout.str()) is is_there
