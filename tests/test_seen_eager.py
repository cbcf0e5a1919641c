"""Eager work that a run has seen to cost, of which the text shows too little."""

from textwrap import dedent

import pytest

from jaxfix.engine.analyze import analyze
from jaxfix.engine.plan import plan
from jaxfix.report.finding import Confidence
from jaxfix.report.trace.compiles import Place
from jaxfix.report.trace.hot import Hot, Work
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.source.source_file import SourceFile
from jaxfix_codemods import CODEMODS

REPORTING = dedent("""\
    import jax
    import jax.numpy as jnp
    from losses import mse


    def loss(params, x, y):
        return mse(y, jnp.tanh(x @ params) + 1.0)


    @jax.jit
    def update(params, x, y):
        return params - 0.1 * jax.grad(loss)(params, x, y)


    if __name__ == "__main__":
        x, y, params = jnp.ones((8, 3)), jnp.ones(8), jnp.ones(3)
        for step in range(1000):
            params = update(params, x, y)
            if step % 10 == 0:
                print(float(loss(params, x, y)))
    """)
CALL, LOSS = 20, 7


def hot(line: int, *chain: int, programs: int = 800) -> Surroundings:
    region = Hot(
        *(Work.EAGER, "a.py", None, "loss", line, line, programs, None, 1.0, 0.0),
        programs=programs,
        reads=0,
        puts=0,
        waits=0,
        lines=(),
        chain=tuple(Place("a.py", each, "<module>") for each in chain),
    )
    return Surroundings(hot=(region,))


def found(surroundings: Surroundings) -> list[tuple[str, int, bool]]:
    source = SourceFile.decode("a.py", REPORTING.encode())
    analysis = analyze(source, CODEMODS, surroundings=surroundings)
    assert all(each.confidence is Confidence.SEEN for each in analysis.diagnostics)
    return [(each.id, each.line, each.fixable) for each in analysis.diagnostics]


def test_what_seldom_runs_is_found_by_a_run_alone() -> None:
    assert found(Surroundings()) == []
    assert found(hot(LOSS, CALL)) == [("unjitted-update", CALL, True)]


def test_the_line_of_the_call_says_so() -> None:
    assert found(hot(CALL)) == [("unjitted-update", CALL, True)]


@pytest.mark.parametrize("surroundings", [hot(LOSS, CALL, programs=100), hot(14)])
def test_few_programs_and_other_lines_say_nothing(surroundings: Surroundings) -> None:
    assert found(surroundings) == []


PLAYING = dedent("""\
    import jax
    import jax.numpy as jnp


    class Drawing:
        def __init__(self, key):
            self.key = key
            self.means = jnp.zeros(5)

        def choose(self, x):
            self.key, sub = jax.random.split(self.key)
            sampled = self.means + jax.random.normal(sub, (5,))
            return int(jnp.argmax(sampled * x))


    class Greedy:
        def __init__(self):
            self.means = jnp.ones(5)

        def choose(self, x):
            return int(jnp.argmax(self.means * x))


    def play(agents, x):
        for agent in agents:
            for step in range(300):
                agent.choose(x)


    play([Drawing(jax.random.key(0)), Greedy()], jnp.ones(5))
    """)


def test_a_method_that_a_run_calls_is_fixed_whoever_calls_it() -> None:
    source = SourceFile.decode("a.py", PLAYING.encode())
    assert analyze(source, CODEMODS).diagnostics == ()
    around = Surroundings(hot=tuple(region for line in (12, 21) for region in hot(line).hot))
    shown = analyze(source, CODEMODS, surroundings=around).diagnostics
    assert [(each.line, each.fixable) for each in shown] == [(10, True), (20, True)]
    after = plan(source, CODEMODS, lambda fix: None, around).after.decode()
    assert "self.key, value = _choose(self.key, self.means, x)" in after
