"""Programs whose text does not tell of which step something is the state: a run does. Written before the analysis."""

from dataclasses import replace

from benchmarks.states.programs import written

SEEN = (
    replace(
        written(
            "a start in one file, the step in another",
            "advance",
            """
        from begin import start

        @jax.jit
        def advance(state, x):
            return {"mean": 0.9 * state["mean"] + x, "best": jnp.minimum(state["best"], jnp.sum(x**2))}

        state = start(jnp.ones(3))
        for i in range(5):
            state = advance(state, jnp.ones(3) * i)
        print(state["best"])
        """,
            begin="""
        def start(x):
            return {"mean": jnp.zeros_like(x), "best": jnp.asarray(jnp.inf)}  # want: weak-state
        """,
        ),
        drift="state['best']",
    ),
    replace(
        written(
            "a start, a step and a loop in three files",
            "tell",
            """
        from begin import fresh
        from follow import tell

        def main():
            s = fresh(3)
            for i in range(5):
                s = tell(s, jnp.ones(3) * i)
            return s

        print(main())
        """,
            begin="""
        from typing import NamedTuple

        class Track(NamedTuple):
            total: jax.Array
            low: jax.Array

        def fresh(n):
            return Track(jnp.zeros(n), jnp.asarray(jnp.inf))  # want: weak-state
        """,
            follow="""
        @jax.jit
        def tell(track, x):
            return track._replace(total=track.total + x, low=jnp.minimum(track.low, x.min()))
        """,
        ),
        drift="track.low",
    ),
    replace(
        written(
            "an attribute that another file's function starts",
            "_move",
            """
        from functools import partial
        from begin import blank

        class Walk:
            def __init__(self, size):
                self.state = blank(size)

            @partial(jax.jit, static_argnums=0)
            def _move(self, state, x):
                return state[0] + x, 0.5 * state[1] + jnp.mean(x)

            def go(self, x):
                self.state = self._move(self.state, x)

        walk = Walk(3)
        for i in range(5):
            walk.go(jnp.ones(3))
        print(walk.state)
        """,
            begin="""
        def blank(size):
            return jnp.zeros(size), jnp.array(0.0)  # want: weak-state
        """,
        ),
        drift="state[1]",
    ),
    replace(
        written(
            "a field with a `default_factory`",
            "step",
            """
        from dataclasses import dataclass, field
        from functools import partial

        @partial(jax.tree_util.register_dataclass, data_fields=["p", "norm"], meta_fields=[])
        @dataclass
        class Carry:
            p: jax.Array
            norm: jax.Array = field(default_factory=lambda: jnp.asarray(0.0))  # want: weak-state

        @jax.jit
        def step(c):
            return Carry(0.9 * c.p, jnp.linalg.norm(c.p))

        c = Carry(jnp.ones(3))
        for _ in range(5):
            c = step(c)
        print(c)
        """,
        ),
        drift="c.norm",
    ),
    replace(
        written(
            "two variables bound at once",
            "improve",
            """
        @jax.jit
        def improve(x, f):
            y = 0.9 * x
            return y, jnp.minimum(f, jnp.sum(y**2))

        def run(x):
            f, n = jnp.asarray(1e9), 0  # want: weak-state
            while n < 5:
                (x, f), n = improve(x, f), n + 1
            return x, f

        print(run(jnp.ones(3)))
        """,
        ),
        drift="f",
    ),
    written(
        "a parameter with a default",
        "smooth",
        """
        def make(n, level=jnp.asarray(1.0)):  # want: weak-state
            return {"w": jnp.zeros(n), "level": level}

        @jax.jit
        def smooth(s, x):
            return {"w": s["w"] + x, "level": 0.9 * s["level"] + 0.1 * x.std()}

        s = make(3)
        for i in range(5):
            s = smooth(s, jnp.ones(3) * i)
        print(s)
        """,
    ),
    replace(
        written(
            "`functools.reduce` over the data",
            "fold",
            """
        from functools import reduce

        @jax.jit
        def fold(acc, x):
            return acc[0] + x, jnp.maximum(acc[1], x.max())

        data = [jnp.ones(3) * i for i in range(5)]
        print(reduce(fold, data, (jnp.zeros(3), jnp.asarray(-jnp.inf))))  # want: weak-state
        """,
        ),
        drift="acc[1]",
    ),
    replace(
        written(
            "a list of states",
            "grow",
            """
        @jax.jit
        def grow(s, x):
            return {"v": s["v"] + x, "top": jnp.maximum(s["top"], jnp.max(x))}

        members = [{"v": jnp.zeros(3), "top": jnp.asarray(-jnp.inf)} for _ in range(4)]  # want: weak-state
        for i in range(3):
            members = [grow(m, jnp.ones(3) * i) for m in members]
        print(members[0])
        """,
        ),
        drift="s['top']",
    ),
)
