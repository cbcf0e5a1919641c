"""Programs that compile a step more than once, each for one cause, which the right finding cures.

Each is one or more files; `main.py` is run. The line of the cause ends in `# want: id`. The program compiles the
function `compiled` more than once.
"""

from textwrap import dedent

from jaxfix.source.frozen import frozen


@frozen
class Program:
    """One program.

    Attributes:
      compiled: the name of the function that is compiled more than once, as JAX logs it.
      files: the text of each file, by its name.
      needs: the packages beside jax that it imports.
      drift: the part that loses its weak type, as a run names it; None where the text alone tells.
    """

    name: str
    compiled: str
    files: dict[str, str]
    needs: tuple[str, ...] = ()
    drift: str | None = None


HEAD = "import jax\nimport jax.numpy as jnp\n"


def written(name: str, compiled: str, text: str, *needs: str, **others: str) -> Program:
    """A program of `main.py` and, by their names without the ending, other files."""
    files = {"main.py": HEAD + dedent(text)}
    files |= {f"{other}.py": HEAD + dedent(inner) for other, inner in others.items()}
    return Program(name, compiled, files, needs)


PROGRAMS = (
    written(
        "a reduction as a method",
        "tell",
        """
        def start(x):
            return {"x": x, "best": jnp.asarray(jnp.inf)}  # want: weak-state

        @jax.jit
        def tell(state, xs):
            f = jnp.sum(xs**2, axis=-1)
            return {"x": xs[f.argmin()], "best": jnp.minimum(state["best"], f.min())}

        state = start(jnp.ones(3))
        for i in range(5):
            state = tell(state, jnp.ones((4, 3)) * i)
        print(state["best"])
        """,
    ),
    written(
        "a Python float in a record",
        "update",
        """
        from typing import NamedTuple

        class State(NamedTuple):
            x: jax.Array
            best: jax.Array

        def init(x):
            return State(x, best=jnp.inf)  # want: weak-state

        @jax.jit
        def update(state):
            loss = jnp.sum(state.x**2)
            return State(0.9 * state.x, jnp.minimum(state.best, loss))

        state = init(jnp.ones(3))
        for _ in range(5):
            state = update(state)
        print(state.best)
        """,
    ),
    written(
        "a Python float in a variable",
        "step",
        """
        @jax.jit
        def step(x, best):
            return 0.9 * x, jnp.minimum(best, jnp.sum(x**2))

        def run(x, steps):
            best = jnp.inf  # want: weak-state
            for _ in range(steps):
                x, best = step(x, best)
            return x, best

        print(run(jnp.ones(3), 5))
        """,
    ),
    written(
        "strong arrays beside a weak scalar",
        "step",
        """
        def create(n):
            mean = jnp.zeros(n)
            return (mean, jnp.ones(n), jnp.array(1.0))  # want: weak-state

        @jax.jit
        def step(state, g):
            mean, var, scale = state
            mean = 0.9 * mean + 0.1 * g
            var = 0.9 * var + 0.1 * g**2
            return mean, var, scale * jnp.mean(var)

        state = create(3)
        for i in range(5):
            state = step(state, jnp.full(3, 1.0 * i))
        print(state)
        """,
    ),
    written(
        "value_and_grad of a loss",
        "advance",
        """
        def loss(p, x):
            return jnp.mean((p * x) ** 2)

        def begin(p):
            return {"p": p, "smooth": jnp.array(0.0)}  # want: weak-state

        @jax.jit
        def advance(s, x):
            value, grads = jax.value_and_grad(loss)(s["p"], x)
            return {"p": s["p"] - 0.1 * grads, "smooth": 0.9 * s["smooth"] + 0.1 * value}

        s = begin(jnp.ones(3))
        for i in range(5):
            s = advance(s, jnp.ones(3) * i)
        print(s)
        """,
    ),
    written(
        "a record of another file",
        "update",
        """
        from states import State

        def init(x):
            return State(x, jnp.asarray(jnp.inf))  # want: weak-state

        @jax.jit
        def update(state):
            return State(0.9 * state.x, jnp.minimum(state.best, jnp.sum(state.x**2)))

        state = init(jnp.ones(3))
        for _ in range(5):
            state = update(state)
        print(state.best)
        """,
        states="""
        from typing import NamedTuple

        class State(NamedTuple):
            x: jax.Array
            best: jax.Array
        """,
    ),
    written(
        "a registered dataclass of another file, replaced",
        "update",
        """
        from dataclasses import replace

        from states import State

        def init(x):
            return State(x=x, best=jnp.asarray(jnp.inf))  # want: weak-state

        @jax.jit
        def update(state):
            return replace(state, x=0.9 * state.x, best=jnp.minimum(state.best, jnp.sum(state.x**2)))

        state = init(jnp.ones(3))
        for _ in range(5):
            state = update(state)
        print(state.best)
        """,
        states="""
        from dataclasses import dataclass
        from functools import partial

        @partial(jax.tree_util.register_dataclass, data_fields=["x", "best"], meta_fields=[])
        @dataclass
        class State:
            x: jax.Array
            best: jax.Array
        """,
    ),
    written(
        "a field of an equinox module",
        "fit",
        """
        import equinox as eqx
        import optax

        class Model(eqx.Module):
            weight: jax.Array
            scale: jax.Array

            def __init__(self, key):
                self.weight = jax.random.normal(key, (3,))
                self.scale = jnp.array(1.0)  # want: weak-state

            def __call__(self, x):
                return self.scale * jnp.dot(self.weight, x)

        def loss(model, x):
            return model(x) ** 2

        optim = optax.adam(1e-2)

        @eqx.filter_jit
        def fit(model, opt_state, x):
            grads = eqx.filter_grad(loss)(model, x)
            updates, opt_state = optim.update(grads, opt_state)
            return eqx.apply_updates(model, updates), opt_state

        model = Model(jax.random.key(0))
        opt_state = optim.init(eqx.filter(model, eqx.is_array))
        for i in range(5):
            model, opt_state = fit(model, opt_state, jnp.ones(3))
        print(model.scale)
        """,
        "equinox",
        "optax",
    ),
    written(
        "private methods `_init` and `_tell`",
        "_tell",
        """
        from functools import partial

        class Search:
            def __init__(self, size):
                self.size = size

            def _init(self, key):
                return {"key": key, "mean": jnp.zeros(self.size), "best": jnp.asarray(jnp.inf)}  # want: weak-state

            @partial(jax.jit, static_argnums=0)
            def _tell(self, state, xs):
                f = jnp.sum(xs**2, axis=-1)
                return {**state, "mean": xs.mean(0), "best": jnp.minimum(state["best"], jnp.min(f))}

        search = Search(3)
        state = search._init(jax.random.key(0))
        for i in range(5):
            state = search._tell(state, jnp.ones((4, 3)))
        print(state["best"])
        """,
    ),
    written(
        "methods `init_state` and `update`",
        "update",
        """
        from functools import partial
        from typing import NamedTuple

        class State(NamedTuple):
            iter_num: jax.Array
            error: jax.Array

        class Solver:
            def init_state(self, params):
                return State(iter_num=jnp.asarray(0, dtype=jnp.int32), error=jnp.asarray(jnp.inf))  # want: weak-state

            @partial(jax.jit, static_argnums=0)
            def update(self, params, state):
                grads = jax.grad(lambda p: jnp.sum(p**2))(params)
                new = State(iter_num=state.iter_num + 1, error=jnp.linalg.norm(grads))
                return params - 0.1 * grads, new

        solver, params = Solver(), jnp.ones(3)
        state = solver.init_state(params)
        for _ in range(5):
            params, state = solver.update(params, state)
        print(state)
        """,
    ),
    written(
        "an environment with `reset` and `step`",
        "step",
        """
        from typing import NamedTuple

        class EnvState(NamedTuple):
            position: jax.Array
            reward: jax.Array

        def reset(key):
            return EnvState(jax.random.uniform(key, (2,)), jnp.array(0.0))  # want: weak-state

        @jax.jit
        def step(env, action):
            position = env.position + action
            return EnvState(position, -jnp.sum(position**2))

        env = reset(jax.random.key(0))
        for _ in range(5):
            env = step(env, jnp.ones(2))
        print(env)
        """,
    ),
    written(
        "two closures of a factory",
        "apply",
        """
        def momentum(rate):
            def prepare(p):
                return p * 0.0, jnp.asarray(1.0)  # want: weak-state

            def apply(g, state):
                mu, power = state
                power = power * jnp.max(jnp.abs(g))
                return 0.9 * mu + g, power

            return prepare, apply

        prepare, apply = momentum(0.1)
        apply = jax.jit(apply)
        state = prepare(jnp.ones(3))
        for _ in range(5):
            state = apply(jnp.ones(3), state)
        print(state)
        """,
    ),
    written(
        "a state in an attribute",
        "_step",
        """
        def _step(state, x):
            return {"total": state["total"] + x.sum(), "last": x}

        class Counter:
            def __init__(self, n):
                self.state = {"total": jnp.array(0.0), "last": jnp.zeros(n)}  # want: weak-state
                self._step = jax.jit(_step)

            def feed(self, x):
                self.state = self._step(self.state, x)

        counter = Counter(3)
        for i in range(5):
            counter.feed(jnp.ones(3))
        print(counter.state)
        """,
    ),
    written(
        "the better of two by `where`",
        "keep",
        """
        def first(n):
            return dict(at=jnp.zeros(n), value=jnp.full((), -jnp.inf))  # want: weak-state

        @jax.jit
        def keep(best, x):
            value = -jnp.sum(x**2)
            better = value > best["value"]
            return dict(at=jnp.where(better, x, best["at"]), value=jnp.where(better, value, best["value"]))

        best = first(3)
        for i in range(5):
            best = keep(best, jnp.ones(3) / (i + 1))
        print(best)
        """,
    ),
    written(
        "a carry of `scan`, epoch after epoch",
        "epoch",
        """
        def epoch(state, xs):
            def body(state, x):
                return {"w": state["w"] - 0.1 * x, "loss": 0.9 * state["loss"] + jnp.sum(x)}, None

            return jax.lax.scan(body, state, xs)[0]

        run = jax.jit(epoch)
        state = {"w": jnp.zeros(3), "loss": jnp.array(0.0)}  # want: weak-state
        for _ in range(5):
            state = run(state, jnp.ones((4, 3)))
        print(state)
        """,
    ),
    written(
        "wrapped in a second record",
        "learn",
        """
        from typing import NamedTuple

        class Stats(NamedTuple):
            count: jax.Array
            mean: jax.Array

        class Learner(NamedTuple):
            params: jax.Array
            stats: Stats

        def setup(params):
            stats = Stats(jnp.zeros(()), jnp.asarray(0.0))  # want: weak-state
            return Learner(params, stats)

        def _average(stats, x):
            count = stats.count + 1
            return Stats(count, stats.mean + (x.mean() - stats.mean) / count)

        @jax.jit
        def learn(learner, batch):
            return learner._replace(params=learner.params - 0.1 * batch, stats=_average(learner.stats, batch))

        learner = setup(jnp.ones(3))
        for _ in range(5):
            learner = learn(learner, jnp.ones(3))
        print(learner)
        """,
    ),
    written(
        "the pair in two files",
        "refine",
        """
        from model import make, refine

        state = make(jnp.ones(3))
        for _ in range(5):
            state = refine(state)
        print(state)
        """,
        model="""
        def make(x):
            return {"x": x, "radius": jnp.asarray(1.0)}  # want: weak-state

        @jax.jit
        def refine(state):
            norm = jnp.linalg.norm(state["x"])
            return {"x": 0.5 * state["x"], "radius": state["radius"] * norm}
        """,
    ),
    written(
        "an average of a metric, unpacked",
        "train_step",
        """
        def loss_fn(params, batch):
            x, y = batch
            return ((x @ params - y) ** 2).mean()

        @jax.jit
        def train_step(params, running, batch):
            loss, grads = jax.value_and_grad(loss_fn)(params, batch)
            return params - 0.1 * grads, 0.99 * running + 0.01 * loss

        def main():
            params = jnp.zeros(3)
            running = jnp.asarray(0.0)  # want: weak-state
            for i in range(5):
                batch = jnp.ones((4, 3)), jnp.ones(4)
                params, running = train_step(params, running, batch)
            print(params, running)

        main()
        """,
    ),
    written(
        "an alias of `scan`",
        "scan",
        """
        def plain_scan(f, init, xs):
            ys = []
            for x in xs:
                init, y = f(init, x)
                ys.append(y)
            return init, ys

        def simulate(x, rate, verbose=False):
            def body(c, x):
                return c * 0.5 + x, c

            scan = plain_scan if verbose else jax.lax.scan
            return scan(body, x, jnp.ones((4, 3)))[0]  # want: local-loop-function

        for i in range(5):
            x = simulate(jnp.ones(3), 0.5)
        print(x)
        """,
    ),
    written(
        "a body that is a conditional expression",
        "scan",
        """
        def simulate(x, damped):
            def free(c, x):
                return c + x, None

            def damp(c, x):
                return 0.5 * c + x, None

            return jax.lax.scan(damp if damped else free, x, jnp.ones((4, 3)))[0]  # want: local-loop-function

        for i in range(5):
            x = simulate(jnp.ones(3), True)
        print(x)
        """,
    ),
    written(
        "a body in an imported decorator",
        "scan",
        """
        from bars import progress_bar

        def sample(x, n):
            def body(c, i):
                return 0.5 * c + i, None

            return jax.lax.scan(progress_bar(n)(body), x, jnp.arange(n))[0]  # want: local-loop-function

        for i in range(5):
            x = sample(jnp.ones(3), 4)
        print(x)
        """,
        bars="""
        from functools import wraps

        def progress_bar(n):
            def decorate(body):
                @wraps(body)
                def reported(c, i):
                    jax.lax.cond(i == n, lambda: None, lambda: None)
                    return body(c, i)

                return reported

            return decorate
        """,
    ),
    written(
        "a loop in a lambda",
        "while",
        """
        def solve(tol):
            return lambda x: jax.lax.while_loop(  # want: local-loop-function
                lambda v: jnp.sum(v) > 0.01, lambda v: v * 0.5, x
            )

        solver = solve(0.1)
        for i in range(5):
            x = solver(jnp.ones(3) * (i + 1))
        print(x)
        """,
    ),
    written(
        "a counter modulo a number",
        "step",
        """
        from functools import partial

        @partial(jax.jit, static_argnums=1)
        def step(x, phase):
            return x * 0.9 + phase

        x = jnp.ones(3)
        for i in range(10):
            x = step(x, i % 7)  # want: python-counter
        print(x)
        """,
    ),
    written(
        "a counter in a dictionary",
        "step",
        """
        import equinox as eqx

        @eqx.filter_jit
        def step(x, t):
            return x * 0.9 + t

        x = jnp.ones(3)
        stats = {"t": 0}
        for _ in range(5):
            x = step(x, stats["t"])  # want: python-counter
            stats["t"] += 1
        print(x)
        """,
        "equinox",
    ),
)
