"""What a trace says of real programs: causes by name, steps, the user's own cache, notebooks."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import jax
import pytest

from jaxfix.evidence.target import runnable
from jaxfix.evidence.trace import trace
from jaxfix.report.measurement import Compile, Measurement, Step
from jaxfix.report.trace.by_hand import todos
from jaxfix.report.trace.cause import Why
from jaxfix.source.errors import EvidenceError

pytestmark = pytest.mark.evidence

PREAMBLE = """\
import sys
from functools import partial
import jax, jax.numpy as jnp, numpy as np
from jax import lax
ones = lambda n: np.ones(n, "float32")
f = jax.jit(lambda x: x * 2)
"""
LINES = PREAMBLE.count("\n")


def traced(folder: Path, program: str, *, step: str | None = None) -> Measurement:
    (folder / "program.py").write_text(PREAMBLE + program)
    measurement = trace((sys.executable, "program.py"), folder, step=step)
    assert measurement.failure is None
    return measurement


def again(measurement: Measurement, program: str) -> list[tuple[Why, str]]:
    """Why `program` compiled after its first time."""
    causes = [entry.cause for entry in measurement.compiles if entry.program == program]
    return [(cause.why, cause.words) for cause in causes[1:] if cause is not None]


@pytest.mark.parametrize(
    ("calls", "why", "words"),
    [
        ("g(ones(3), 1)\ng(ones(3), 2)", Why.STATIC, "static argument `n` 1 -> 2"),
        ("g(ones(256), 1)\ng(ones(17), 1)", Why.SHAPE, "shape of `state` float32[256] -> float32[17]"),
        ("g({'a': [ones(3)]}, 1)\ng({'a': [ones(3) > 0]}, 1)", Why.DTYPE, None),
        (
            "g({'a': [1.0]}, 1)\ng({'a': [jnp.float32(1)]}, 1)",
            Why.WEAK_TYPE,
            "weak_type of leaf `state['a'][0]` differs",
        ),
        (
            "g({'a': 1.0}, 1)\ng({'a': 1.0, 'b': 1.0}, 1)",
            Why.STRUCTURE,
            "structure of `state` differs: `state['b']` is new",
        ),
        ("g(ones(3), 1)\ng(state=ones(3), n=1)", Why.STRUCTURE, "`state` is passed by keyword, before by position"),
        (
            "g(ones(3), 1)\nwith jax.default_matmul_precision('float32'): g(ones(3), 1)",
            Why.CONTEXT,
            "`jax_default_matmul_precision` None -> float32",
        ),
        ("class C: pass\ng(ones(3), C())\ng(ones(3), C())", Why.STATIC, "static argument `n` is a different `C`"),
        ("g(ones(3), 1)\njax.clear_caches()\ng(ones(3), 1)", Why.UNKNOWN, None),
    ],
    ids=["static", "shape", "dtype", "weak", "structure", "keyword", "configuration", "object", "cleared"],
)
def test_a_cause_names_the_argument_and_its_path(tmp_path: Path, calls: str, why: Why, words: str | None) -> None:
    program = f"@partial(jax.jit, static_argnums=1)\ndef g(state, n):\n    return state\n{calls}\n"
    ((found, said),) = again(traced(tmp_path, program), "jit(g)")
    assert found is why
    assert words is None or said == words


def test_a_cause_keeps_what_was_and_what_is(tmp_path: Path) -> None:
    program = "@jax.jit\ndef g(batch):\n    return batch\nfor n in (4, 5): g({'x': ones(n)})\n"
    cause = traced(tmp_path, program).compiles[-1].cause
    assert cause is not None
    assert (cause.name, cause.before, cause.after) == ("batch['x']", "float32[4]", "float32[5]")


def test_a_cause_names_every_part_whose_type_was_lost(tmp_path: Path) -> None:
    program = (
        "@jax.jit\ndef g(s, t):\n    return {k: v + ones(()) for k, v in s.items()}, t\n"
        "s = {k: jnp.asarray(0.0) for k in 'abc'}\nfor _ in range(3): s, t = g(s, jnp.asarray(1))\n"
    )
    cause = traced(tmp_path, program).compiles[-1].cause
    assert cause is not None
    assert [(each.why, each.name, each.before) for each in (cause, *cause.others)] == [
        (Why.WEAK_TYPE, f"s[{key!r}]", "weak float32") for key in "abc"
    ]


def test_fields_of_a_static_dataclass_are_told(tmp_path: Path) -> None:
    program = """\
from dataclasses import dataclass
@dataclass(frozen=True)
class Config:
    width: int
    lr: float
@partial(jax.jit, static_argnames="config")
def g(x, config): return x * config.lr
for lr in (0.1, 0.2): g(ones(3), config=Config(4, lr))
"""
    assert again(traced(tmp_path, program), "jit(g)") == [(Why.STATIC, "static argument `config.lr` 0.1 -> 0.2")]


def test_static_fields_of_a_node_are_told_by_path(tmp_path: Path) -> None:
    program = """\
@jax.tree_util.register_pytree_node_class
class Layer:
    def __init__(self, weight, name): self.weight, self.name = weight, name
    def tree_flatten(self): return (self.weight,), (self.name, 4)
    @classmethod
    def tree_unflatten(cls, static, children): return cls(*children, static[0])
@jax.jit
def g(model): return model
for name in ("a", "b"): g({"x": 1.0, "layers": [Layer(ones(3), "c"), Layer(ones(3), name)]})
"""
    ((why, words),) = again(traced(tmp_path, program), "jit(g)")
    assert (why, words) == (Why.STRUCTURE, "static part of `model['layers'][1]` 'a', 4 -> 'b', 4")


def test_under_an_eager_vmap_the_batched_types_are_told(tmp_path: Path) -> None:
    program = "g = lambda x: f(x)\nfor n in (2, 4): jax.vmap(g)(np.ones((n, 3), 'float32'))\n"
    assert again(traced(tmp_path, program), "jit(<lambda>)") == [
        (Why.SHAPE, "shape of `x` float32[2,3] -> float32[4,3]"),
    ]


def test_a_thread_without_a_line_of_the_users_is_told_by_its_function(tmp_path: Path) -> None:
    program = "import threading\nfor n in (1, 2):\n    t = threading.Thread(target=f, args=(ones(n),))\n"
    program += "    t.start()\n    t.join()\n"
    compiles = traced(tmp_path, program).compiles
    assert [entry.line for entry in compiles] == [LINES, LINES]
    assert [entry.cause.words for entry in compiles if entry.cause][1:] == ["shape of `x` float32[1] -> float32[2]"]


def test_pmap_is_told_by_its_types(tmp_path: Path) -> None:
    program = "g = jax.pmap(lambda x: x * 2)\nfor n in (1, 2): g(np.ones((1, n), 'float32'))\n"
    measurement = traced(tmp_path, program)
    ((why, words),) = again(measurement, measurement.compiles[0].program)
    assert why is Why.SHAPE
    assert words.startswith("shape of ") and words.endswith(",2]")


def test_a_function_made_anew_is_told_with_what_it_captured(tmp_path: Path) -> None:
    program = """\
def local(x, lr):
    def body(c, _):
        return c + lr, None
    return lax.scan(body, x, None, length=3)[0]
def partials(x, lr):
    return jax.jit(partial(lambda v, rate: v * rate, rate=lr))(x)
for lr in (0.1, 0.1, 0.2):
    local(ones(3), lr)
    partials(ones(3), lr)
"""
    measurement = traced(tmp_path, program)
    captured = "function object differs each call: captured `lr` 0.1 -> 0.2"
    assert again(measurement, "scan") == [
        (Why.FUNCTION, "function object differs each call: `body`"),
        (Why.CONSTANT, captured),
    ]
    (made,) = {entry.program for entry in measurement.compiles} - {"scan"}
    assert [why for why, _ in again(measurement, made)] == [Why.FUNCTION, Why.CONSTANT]
    assert again(measurement, made)[1][1] == captured.replace("lr", "rate")


def test_an_array_committed_to_a_device_is_told(tmp_path: Path) -> None:
    program = "f(jnp.ones(3))\nf(jax.device_put(ones(3), jax.devices()[0]))\n"
    ((why, words),) = again(traced(tmp_path, program), "jit(<lambda>)")
    assert why is Why.SHARDING
    assert words.startswith("sharding of `x` not committed -> ")


def test_nothing_of_the_program_is_kept_alive(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    program = """\
import gc, weakref
class Static: pass
@partial(jax.jit, static_argnums=1)
def g(x, n): return x
def once():
    made, static, array = (lambda v: v * 2), Static(), jnp.ones(3)
    jax.jit(made)(array)
    g(array, static)
    return [weakref.ref(each) for each in (made, static, array)]
dead = once()
jax.clear_caches()
gc.collect()
print([ref() is not None for ref in dead])
"""
    traced(tmp_path, program)
    kept = capfd.readouterr().out
    subprocess.run([sys.executable, "program.py"], cwd=tmp_path, check=True)
    assert kept == capfd.readouterr().out  # jax 0.4.30 keeps static arguments


def test_seconds_are_told_apart_and_compiles_follow_in_time(tmp_path: Path) -> None:
    compiles = traced(tmp_path, "for n in (1, 2, 3): f(ones(n))\n").compiles
    for entry in compiles:
        assert entry.seconds == pytest.approx(entry.tracing_s + entry.lowering_s + entry.compiling_s)
        assert entry.compiling_s > 0
    ends = [entry.at_s for entry in compiles]
    assert ends == sorted(ends) and ends[0] > 0


LOOPS = {
    "at the top": ("for i in range(4):\n    f(ones(i + 1))\n", 1, [1, 1, 1, 1], [1, 2, 3, 4]),
    "in main": ("def main():\n    for i in range(3):\n        f(ones(2))\nmain()\n", 2, [1, 0, 0], [1]),
    "in a called function": (
        "def step(x):\n    for k in range(2): f(ones(x + k))\nfor i in (1, 3, 5):\n    step(i)\n",
        3,
        [2, 2, 2],
        [1, 1, 2, 2, 3, 3],
    ),
    "epochs and batches": (
        "for epoch in range(2):\n    for b in range(3):\n        f(ones(3 * epoch + b + 1))\n    print()\n",
        2,
        [1] * 6,
        [1, 2, 3, 4, 5, 6],
    ),
    "one line": ("for b in range(4): f(ones(b + 1))\nf(ones(9))\n", 1, [1, 1, 1, 1], [1, 2, 3, 4, None]),
    "while": (
        "i = 0\nwhile i < 4:\n    i += 1\n    if i == 2: continue\n    f(ones(i))\n",
        2,
        [1, 0, 1, 1],
        [1, 3, 4],
    ),
    "while in one line": ("i = 0\nwhile i < 3: i += 1; f(ones(i))\n", 2, [1, 1, 1], [1, 2, 3]),
    "while true": (
        "i = 0\nwhile True:\n    f(ones(i + 1))\n    i += 1\n    if i == 3:\n        break\nf(ones(9))\n",
        2,
        [1, 1, 1],
        [1, 2, 3, None],
    ),
    "generator as a loader": (
        "def loader():\n    for i in range(3):\n        yield f(ones(i + 1))\nfor batch in loader():\n"
        "    for k in range(2): len(str(k))\n    batch.shape\n",
        4,
        [1, 1, 1],
        [1, 2, 3],
    ),
    "left by an exception": (
        "try:\n    for i in range(9):\n        f(ones(i + 1))\n        if i == 2: raise KeyError\n"
        "except KeyError: pass\nf(ones(99))\n",
        2,
        [1, 1, 1],
        [1, 2, 3, None],
    ),
    "after a loop that sets up": (
        "for i in range(3):\n    f(ones(i + 2))\nfor i in range(30):\n    f(ones(9)).block_until_ready()\n"
        "    sum(range(200000))\n",
        3,
        [1] + [0] * 29,
        [None, None, None, 1],
    ),
}


@pytest.mark.parametrize("name", LOOPS)
def test_iterations_of_the_loop_are_the_steps(tmp_path: Path, name: str) -> None:
    program, line, compiles, steps = LOOPS[name]
    measurement = traced(tmp_path, program)
    assert measurement.where_steps == f"{tmp_path / 'program.py'}:{LINES + line}"
    assert [step.compiles for step in measurement.steps] == compiles
    assert [entry.step for entry in measurement.compiles] == steps
    assert all(step.rss_bytes > 0 and step.live_arrays is not None for step in measurement.steps)
    assert [step.at_s for step in measurement.steps] == sorted(step.at_s for step in measurement.steps)


def test_a_loop_of_many_steps_is_thinned_and_loses_no_compile(tmp_path: Path) -> None:
    program = "for i in range(3000):\n    f(ones(max(1, i - 2498) if i < 2503 else 1))\n"
    measurement = traced(tmp_path, program)
    assert len(measurement.steps) <= 1000
    assert sum(step.iterations for step in measurement.steps) == 3000
    assert all(step.iterations == 1 for step in measurement.steps[:200])
    assert [entry.step for entry in measurement.compiles] == [1, 2501, 2502, 2503]
    assert sum(step.compiled for step in measurement.steps) == len(measurement.compiles) == 4
    assert measurement.steady_compiles == 1


def test_a_program_without_a_loop_has_no_steps(tmp_path: Path) -> None:
    measurement = traced(tmp_path, "f(ones(1))\nf(ones(2))\n")
    assert (measurement.steps, measurement.where_steps) == ((), None)


def test_without_a_loop_compiles_of_one_line_are_the_steps(tmp_path: Path) -> None:
    measurement = traced(tmp_path, "[f(ones(n)) for n in range(4)]\n")
    assert measurement.where_steps == f"each compile of {tmp_path / 'program.py'}:{LINES + 1}"
    assert [step.compiles for step in measurement.steps] == [1, 1, 1, 1]


@pytest.mark.parametrize("step", ["step", "program:step", "__main__:step"])
def test_calls_of_the_function_that_the_user_names_are_the_steps(tmp_path: Path, step: str) -> None:
    program = """\
def step(n):
    if n > 9:
        return step(n - 9)
    return f(ones(n))
for epoch in range(2):
    step(1)
    step(11)
try:
    step("no")
except TypeError:
    pass
f(ones(99))
"""
    measurement = traced(tmp_path, program, step=step)
    assert measurement.where_steps == step
    assert [entry.compiles for entry in measurement.steps] == [1, 1, 0, 0, 0]
    assert [entry.step for entry in measurement.compiles] == [1, 2, None]


def test_a_debugger_keeps_its_tracing(tmp_path: Path) -> None:
    program = """\
seen = []
def tracer(frame, event, value):
    seen.append(event)
    return tracer
sys.settrace(tracer)
def main():
    for i in range(3):
        f(ones(i + 1))
main()
assert sys.gettrace() is tracer
sys.settrace(None)
assert "line" in seen
"""
    assert len(traced(tmp_path, program).compiles) == 3


def test_steady_figures_begin_where_they_are_told() -> None:
    steps = tuple(Step(compiles, 0, 100 * number, 0.0) for number, compiles in enumerate((5, 4, 3, 1)))
    late = Step(0, 0, 1300, 0.0, iterations=10)

    def measured(steps_from: int) -> Measurement:
        empty: tuple[Compile, ...] = ()
        return Measurement("", None, empty, 0, (*steps, late), (), "", (), {}, 0, None, steps_from=steps_from)

    assert [measured(number).steady_compiles for number in (1, 2, 3, 4)] == [5, 4, 3, 1]
    assert measured(4).steady_rss_bytes == 100.0


def test_the_compilation_cache_of_the_user_is_used_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
    monkeypatch.setenv("JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES", "0")
    program = "f(ones(3))\n"
    cold, warm = (traced(tmp_path, program) for _ in range(2))
    assert [entry.cached for entry in cold.compiles] == [False]
    assert [entry.cached for entry in warm.compiles] == [True]


def notebook(path: Path, *cells: str) -> None:
    entries = [{"cell_type": "code", "metadata": {}, "source": cell.splitlines(keepends=True)} for cell in cells]
    text = {"cell_type": "markdown", "metadata": {}, "source": ["# Title"]}
    path.write_text(json.dumps({"cells": [text, *entries], "nbformat": 4, "nbformat_minor": 5, "metadata": {}}))


def test_a_notebook_is_traced_by_cell(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "sub").mkdir()
    path = tmp_path / "sub" / "train.ipynb"
    notebook(
        path,
        "import os, sys\nimport jax, numpy as np\nprint(__name__, sys.argv[1:], os.getcwd())",
        "def step(x):\n    return jax.jit(lambda v: v + 1)(x)",
        "x = np.ones(2, 'float32')\nfor i in range(3):\n    x = step(x)\nx.shape",
        "x.shape;",
    )
    measurement = trace((sys.executable, "sub/train.ipynb", "--lr", "1"), tmp_path)
    assert capfd.readouterr().out == f"__main__ ['--lr', '1'] {tmp_path / 'sub'}\n(2,)\n"
    assert measurement.failure is None
    assert {(entry.path, entry.cell, entry.line) for entry in measurement.compiles} == {(str(path), 2, 2)}
    assert measurement.compiles[0].where == f"{path}:cell 2:2"
    assert measurement.compiles[0].chain == (f"{path}:cell 2:2 in step", f"{path}:cell 3:3 in <module>")
    assert measurement.where_steps == f"{path}:cell 3:2"
    assert [step.compiles for step in measurement.steps] == [1, 1, 1]


def test_a_cell_that_fails_ends_the_notebook_with_its_lines(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    notebook(tmp_path / "n.ipynb", "x = 1", "def bad():\n    return x / 0\nbad()", "print('never')")
    measurement = trace((sys.executable, "n.ipynb"), tmp_path)
    printed = capfd.readouterr()
    assert measurement.failure == "exit status 1"
    assert printed.out == ""
    assert f'File "{tmp_path / "n.ipynb"}:cell 2", line 2, in bad\n    return x / 0' in printed.err
    assert "notebook.py" not in printed.err


def test_cells_await_and_run_under_a_time_magic(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    notebook(
        tmp_path / "n.ipynb",
        "%%time\ny = 2",
        "import asyncio\nasync def three():\n    await asyncio.sleep(0)\n    return 3",
        "y + await three()",
    )
    assert trace((sys.executable, "n.ipynb"), tmp_path).failure is None
    assert capfd.readouterr().out == "5\n"


def test_magics_run_through_ipython_or_are_skipped_with_a_word(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    notebook(tmp_path / "n.ipynb", "text = '''\n!no magic'''\nprint(text)", "for i in [1]:\n    !echo shell\nprint(i)")
    has_ipython = subprocess.run([sys.executable, "-c", "import IPython"], capture_output=True).returncode == 0
    assert trace((sys.executable, "n.ipynb"), tmp_path).failure is None
    printed = capfd.readouterr()
    shell = "shell\n" if has_ipython else ""
    assert printed.out == f"\n!no magic\n{shell}1\n"
    skipped = "n.ipynb: IPython is not installed, skipped: `!echo shell` of cell 2\n"
    assert printed.err == ("" if has_ipython else skipped)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"cells": []}'])
def test_what_is_no_notebook_is_told(tmp_path: Path, capfd: pytest.CaptureFixture[str], content: str) -> None:
    (tmp_path / "n.ipynb").write_text(content)
    assert trace((sys.executable, "n.ipynb"), tmp_path).failure == "exit status 2"
    printed = capfd.readouterr().err
    assert printed.startswith("n.ipynb: cannot be read as a notebook: ")
    assert printed.count("\n") == 1


def test_what_can_be_traced_gets_what_runs_it_in_front() -> None:
    cells = ("-m", "jaxfix_probe.notebook")
    assert runnable(["train.py", "-x"], Path.cwd()) == ("python", "train.py", "-x")
    assert runnable(["-m", "pkg"], Path.cwd()) == ("python", "-m", "pkg")
    assert runnable(["nb.ipynb", "-x"], Path.cwd()) == ("python", *cells, "nb.ipynb", "-x")
    assert runnable(["/usr/bin/python3.12", "nb.ipynb"], Path.cwd()) == ("/usr/bin/python3.12", *cells, "nb.ipynb")
    assert runnable(["pytest", "nb.ipynb"], Path.cwd()) == ("pytest", "nb.ipynb")


def test_an_empty_command_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EvidenceError):
        trace((), tmp_path)


def test_a_trace_that_is_ended_ends_all_that_it_started(tmp_path: Path) -> None:
    (tmp_path / "child.py").write_text(
        "import os, time, pathlib\npathlib.Path('pid').write_text(str(os.getpid()))\ntime.sleep(600)\n"
    )
    (tmp_path / "program.py").write_text("import subprocess, sys\nsubprocess.run([sys.executable, 'child.py'])\n")
    command = [sys.executable, "-m", "jaxfix", "trace", "--", sys.executable, "program.py"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL)
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
        assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    process.wait(30)
    with pytest.raises(ProcessLookupError):
        for _ in range(1000):
            os.kill(int((tmp_path / "pid").read_text()), 0)
            subprocess.run(["sleep", "0.01"], check=True)


def test_a_program_that_is_killed_has_told_what_it_compiled(tmp_path: Path) -> None:
    program = "import os, signal\nimport jax, numpy as np\nf = jax.jit(lambda x: x + 1)\n"
    program += "for n in (1, 2, 3):\n    f(np.ones(n))\nos.kill(os.getpid(), signal.SIGKILL)\n"
    (tmp_path / "killed.py").write_text(program)
    measurement = trace((sys.executable, "killed.py"), tmp_path)
    assert measurement.failure is not None
    assert [entry.line for entry in measurement.compiles] == [5, 5, 5]
    assert measurement.compiles[-1].cause is not None and measurement.compiles[-1].cause.why is Why.SHAPE


# --- what programs hold -------------------------------------------------------------------------------------------

HOLDING = """\
T = jnp.ones((600, 600))
H = ones(360_000).reshape(600, 600)
P = {'w': jnp.ones((600, 600)), 'n': 3}
S = jnp.ones((100, 100))
def of(x): return x @ T
"""


@pytest.mark.parametrize(
    ("body", "name", "is_host", "is_tree", "folded"),
    [
        ("x @ T", "T", False, True, None),
        ("x @ T.T", "T", False, True, None),
        ("x @ H", "H", True, False, None),
        ("x @ P['w']", "P['w']", False, False, None),
        ("of(x)", None, False, False, None),
        ("x @ jnp.exp(T)", "T", False, True, "exp"),
        ("lax.fori_loop(0, 3, lambda _, c: c @ jnp.exp(T), x)", "T", False, True, "exp"),
        ("lax.fori_loop(0, 3, lambda _, c: c @ T, x)", "T", False, True, None),
        ("jax.jit(lambda y: y @ T)(x)", "T", False, True, None),
    ],
)
def test_a_large_constant_has_its_line_its_size_and_its_variable(
    tmp_path: Path, body: str, name: str | None, is_host: bool, is_tree: bool, folded: str | None
) -> None:
    program = f"{HOLDING}@jax.jit\ndef g(x):\n    return {body}\ng(jnp.ones(600))\n"
    (noted,) = (each for entry in traced(tmp_path, program).compiles for each in entry.noted)
    line = LINES + HOLDING.count("\n") + (0 if name is None else 3)
    assert (noted.what, noted.bytes, noted.line) == ("float32[600,600]", 1_440_000, line)
    assert (noted.name, noted.is_host, noted.is_tree, noted.folded) == (name, is_host, is_tree, folded)


@pytest.mark.parametrize("body", ["x[:100] @ S", "x @ jnp.ones((600, 600))", "x * T.shape[0]"])
def test_a_small_constant_is_not_noted_nor_is_what_a_program_makes(tmp_path: Path, body: str) -> None:
    program = f"{HOLDING}@jax.jit\ndef g(x):\n    return {body}\ng(jnp.ones(600))\n"
    assert not any(entry.noted for entry in traced(tmp_path, program).compiles)


def test_data_that_jax_passes_as_arguments_is_no_constant(tmp_path: Path) -> None:
    program = f"{HOLDING}g = jax.jit(lambda x: x @ T)\ng(jnp.ones(600))\n"
    setting = "jax.config.update('jax_use_simplified_jaxpr_constants', True)\n"
    if not hasattr(jax.config, "jax_use_simplified_jaxpr_constants"):
        pytest.skip("this jax has no such setting")
    assert not any(entry.noted for entry in traced(tmp_path, setting + program).compiles)


@pytest.mark.parametrize(
    ("made", "called", "size"),
    [
        ("@jax.jit\ndef g(x): return x * 2", "g(S)", 1_600_000),
        ("@jax.jit\ndef g(x): return {'w': x['w'] * 2, 'b': x['b']}", "g({'w': S, 'b': S})", 3_200_000),
        ("@jax.jit\ndef g(x, y): return x + y, y.sum()", "g(S, S)", 1_600_000),
        ("@jax.jit\ndef g(x): return x.sum()", "g(S)", None),
        ("@jax.jit\ndef g(x): return x.astype(jnp.float16)", "g(S)", None),
        ("@jax.jit\ndef g(x): return x * 2", "g(S[:10])", None),
        (
            "class A:\n  def __init__(self): self.g = jax.jit(self._g)\n  def _g(self, x): return x * 2",
            "A().g(S)",
            1_600_000,
        ),
        ("def f(k, x): return x * k\ng = jax.jit(functools.partial(f, 2))", "g(S)", 1_600_000),
    ],
)
def test_the_size_of_what_a_function_returns_in_the_place_of_what_it_takes(
    tmp_path: Path, made: str, called: str, size: int | None
) -> None:
    program = f"import functools\nS = jnp.ones((400, 1000))\n{made}\n{called}\n"
    noted = [each for entry in traced(tmp_path, program).compiles for each in entry.noted]
    assert [(each.note.value, each.bytes) for each in noted] == ([] if size is None else [("state", size)])


# --- what programs do that is dear --------------------------------------------------------------------------------

DEAR = """\
W = jnp.ones((300, 300))
L = jnp.arange(2048) % 600
def scanned(w, body, length=10): return lax.scan(body, (0.0, w), None, length)[1]
def chosen(x, p): return lax.cond(p, lambda x: jnp.sin(jnp.sort(x)), lambda x: x * 2, x)
"""


@pytest.mark.parametrize(
    ("body", "note", "what"),
    [
        ("scanned(w, lambda c, _: (c, w)).sum()", "stacked", "float32[10,300,300]"),
        ("scanned(w, lambda c, _: ((c[0] + 1, c[1]), c[1])).sum()", "stacked", "float32[10,300,300]"),
        ("scanned(w, lambda c, _: ((c[0], c[1] + 1), c[1])).sum()", None, None),
        ("scanned(w, lambda c, _: (c, w), 2).sum()", None, None),
        ("scanned(w, lambda c, _: (c, None))", None, None),
        ("jax.debug.print('{}', w.sum())", "callback", "jax.debug.print"),
        ("(jax.nn.one_hot(L, 600) @ w[:1].repeat(600, 0)).sum()", "one-hot", "float32[2048,600]"),
        ("(jax.nn.one_hot(L, 600) * w[0, 0]).sum()", "one-hot", "float32[2048,600]"),
        ("jax.nn.one_hot(L, 600).sum()", None, None),
        ("(jax.nn.one_hot(L[:8], 600) @ w[:1].repeat(600, 0)).sum()", None, None),
        ("jax.vmap(chosen)(w[:2], w[:2, 0] > 0).sum()", "both-branches", "3 operations, `sort` among them"),
        ("jax.vmap(lambda x: chosen(x, w[0, 0] > 0))(w[:2]).sum()", None, None),
        ("chosen(w[0], w[0, 0] > 0).sum()", None, None),
        ("lax.map(lambda x: chosen(x, x[0] > 0), w[:2]).sum()", None, None),
        ("jax.vmap(lambda x: lax.cond(x[0] > 0, jnp.sin, jnp.cos, x))(w[:2]).sum()", None, None),
        ("jax.vmap(lambda x: jnp.where(x[0] > 0, jnp.sort(x), x))(w[:2]).sum()", None, None),
    ],
)
def test_what_a_program_does_that_is_dear_has_its_line(
    tmp_path: Path, body: str, note: str | None, what: str | None
) -> None:
    program = f"{DEAR}@jax.jit\ndef g(w):\n    return {body}\nfor _ in range(3): g(W)\n"
    measurement = traced(tmp_path, program)
    noted = [each for entry in measurement.compiles for each in entry.noted]
    found = {(each.note.value, each.what.replace("callback", "print")) for each in noted}  # by the version of jax
    assert found == (set() if note is None else {(note, what)})
    told = [todo.words for todo in todos(measurement, ()) if "`jit(g)`" in todo.words and "repeated" not in todo.words]
    assert len(told) == (note is not None)


UNROLLED = """\
W = jnp.ones((24, 3))
def over(rows):
    total = jnp.zeros(3)
    for row in rows:
        total = jnp.tanh(total + row)
    return total
def counted(rows, n):
    total = jnp.zeros(3)
    for i in range(n):
        total = total + rows[i] * rows[-1]
    return total
"""


@pytest.mark.parametrize(
    ("body", "noted"),
    [
        ("over(w)", {("unrolled", "24"), ("rows", "float32[24,3]")}),
        ("over([w[0] * n for n in range(24)])", {("unrolled", "24")}),
        ("over(w[:8])", set()),
        ("over(w[1:])", {("unrolled", "23"), ("rows", "float32[23,3]")}),
        ("counted(w, 20)", {("unrolled", "20")}),
        ("sum(x @ x for x in w)", {("unrolled", "24"), ("rows", "float32[24,3]")}),
        ("sum(x @ y for x, y in zip(w, 2 * w))", {("unrolled", "24"), ("rows", "float32[24,3] and float32[24,3]")}),
        (
            "(jax.debug.print('{}', w[0]), over(w))[1]",
            {("unrolled", "24"), ("rows", "float32[24,3]"), ("callback", "jax.debug.print")},
        ),
        ("lax.scan(lambda c, x: (c + x, None), w[0], w)[0]", set()),
        ("lax.scan(lambda c, x: (over(w) + x, None), w[0], w)[0]", {("unrolled", "24"), ("rows", "float32[24,3]")}),
    ],
)
def test_a_loop_that_a_trace_unrolls_has_its_lines(tmp_path: Path, body: str, noted: set[tuple[str, str]]) -> None:
    measurement = traced(tmp_path, f"{UNROLLED}g = jax.jit(lambda w: {body})\ng(W)\n")
    found = [each for entry in measurement.compiles for each in entry.noted]
    assert {(each.note.value, each.what.replace("callback", "print")) for each in found} == noted
    long = replace(measurement, compiles=tuple(replace(c, seconds=9.0) for c in measurement.compiles), seconds=20.0)
    told = [todo.words for todo in todos(long, ()) if "`jax.lax.scan`" in todo.words]
    assert bool(told) == bool(noted)


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("lax.scan(lambda c, _: (c @ c, None), w, None, 40)[0].sum()", "2.2 GFLOP a run, 100% of them here"),
        ("lax.scan(lambda c, _: (c @ c, None), w, None, 10)[0].sum()", None),
        ("lax.scan(lambda c, _: (c @ c, None), w.astype(jnp.bfloat16), None, 40)[0].sum()", None),
        ("lax.scan(lambda c, _: (jnp.dot(c, c, precision='highest'), None), w, None, 40)[0].sum()", None),
        (
            "lax.conv(w[None, None], jnp.ones((40, 1, 20, 20)), (1, 1), 'SAME').sum()",
            "2.9 GFLOP a run, 100% of them here",
        ),
    ],
)
def test_products_of_float32_are_candidates_for_bfloat16_elsewhere_than_on_a_cpu(
    tmp_path: Path, body: str, what: str | None
) -> None:
    program = f"{DEAR}@jax.jit\ndef g(w):\n    return {body}\nfor _ in range(3): g(W)\n"
    measurement = traced(tmp_path, program)
    found = [each.what for entry in measurement.compiles for each in entry.noted if each.note.value != "captured"]
    assert found == ([] if what is None else [what])
    assert measurement.environment is not None
    elsewhere = replace(measurement, environment=replace(measurement.environment, device="NVIDIA H100"))
    told = [[t.words for t in todos(each, ()) if "bfloat16" in t.words] for each in (measurement, elsewhere)]
    assert (told[0], len(told[1])) == ([], what is not None)
