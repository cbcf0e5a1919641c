"""The probe in real programs: counts, places, causes, and that the program notices nothing."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from jaxfix.evidence import probe
from jaxfix.evidence.probe.causes import differences
from jaxfix.evidence.probe.signatures import Leaf, Signature
from jaxfix.evidence.program import ProgramRunner
from jaxfix.evidence.trace import trace
from jaxfix.report.measurement import Measurement

pytestmark = pytest.mark.evidence

PROGRAM = """\
import logging, sys
import jax, jax.numpy as jnp
from jax import lax

x = jnp.ones(3)

def local(x):
    def body(c, _):
        return c + 1.0, None
    return lax.scan(body, x, None, length=3)[0]

def main():
    for _ in range(3):
        local(x)
    stat = jax.jit(lambda v, n: v * n, static_argnums=1)
    for n in (2, 3):
        stat(x, n)
    ragged = jax.jit(lambda v: v * 2)
    for n in (4, 5):
        ragged(jax.device_put(__import__("numpy").ones(n, "float32")))
    drift = jax.jit(lambda s: s * x[0])
    drift(drift(jnp.asarray(0)))
    b = jnp.asarray(1)
    for k in (2, 3):
        0.5 ** jnp.asarray(k)

main()
print("done")
"""


def traced(folder: Path, program: str, *words: str) -> Measurement:
    (folder / "program.py").write_text(program)
    return trace((sys.executable, "program.py", *words), folder)


def test_each_compile_has_its_line_program_and_cause(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    measurement = traced(tmp_path, PROGRAM)
    found: dict[tuple[int, str], list[str | None]] = {}
    for entry in measurement.compiles:
        assert Path(entry.path) == tmp_path / "program.py"
        found.setdefault((entry.line, entry.program), []).append(entry.cause.words if entry.cause else None)
    scans = found[(10, "scan")]
    assert len(scans) == 3
    assert all(cause is not None and cause == "function object differs each call: `body`" for cause in scans[1:])
    (static,) = (causes for (line, _), causes in found.items() if line == 17)
    assert static[1:] == ["static argument `n` 2 -> 3"]
    (ragged,) = (causes for (line, _), causes in found.items() if line == 20)
    assert ragged[-1] == "shape of `v` float32[4] -> float32[5]"
    assert found[(25, "integer_pow")][1] == "`y` of `integer_pow` 2 -> 3"
    chain = next(entry for entry in measurement.compiles if entry.program == "scan").chain
    assert [step.rpartition(":")[2] for step in chain] == ["10 in local", "14 in main", "27 in <module>"]
    printed = capfd.readouterr()
    assert printed.out == "done\n"
    assert printed.err == ""


FILTERED = """
import equinox as eqx
import jax

@eqx.filter_jit
def scaled(model, x, rate, *, power=1):
    return model(x) * rate ** power

keys = jax.random.split(jax.random.PRNGKey(0), 2)
narrow, wide = (eqx.nn.Linear(size, 1, key=key) for size, key in zip((2, 3), keys))
bare = eqx.nn.Linear(2, 1, use_bias=False, key=keys[0])
cases = [(narrow, 2, 0.1, 1), (narrow, 2, 0.2, 1), (narrow, 2, 0.2, 2), (wide, 3, 0.2, 2), (bare, 2, 0.2, 2)]
for model, size, rate, power in cases:
    scaled(model, jax.numpy.ones(size), rate, power=power)
"""


def test_what_filter_jit_takes_apart_has_the_names_of_the_user(tmp_path: Path) -> None:
    found = [c.cause.words for c in traced(tmp_path, FILTERED).compiles if c.cause and c.program == "jit(scaled)"]
    assert found[1:4] == [
        "static argument `rate` 0.1 -> 0.2",
        "static argument `power` 1 -> 2",
        "shape of `model.weight` float32[1,2] -> float32[1,3], and 2 more",
    ]
    assert "`model" in found[4] and "static argument `static`" not in found[4]


STATIC_FIELDS = """
import equinox as eqx
import jax

class Net(eqx.Module):
    weight: jax.Array
    rate: float = eqx.field(static=True)

@eqx.filter_jit
def first(net, x):
    return net.rate * net.weight * x

@eqx.filter_jit
def other(x, *, net):
    return net.rate * net.weight * x

for step in range(3):
    net = Net(jax.numpy.ones(3), float(step))
    first(net, jax.numpy.ones(3))
    other(jax.numpy.ones(3), net=net)
"""


def test_a_static_field_under_filter_jit_is_named(tmp_path: Path) -> None:
    compiles = [entry for entry in traced(tmp_path, STATIC_FIELDS).compiles if entry.cause]
    for program in ("jit(first)", "jit(other)"):
        found = [entry.cause.words for entry in compiles if entry.program == program and entry.cause]
        assert found[1:] == ["static argument `net.rate` 0.0 -> 1.0", "static argument `net.rate` 1.0 -> 2.0"]


def test_a_program_that_fails_is_measured_all_the_same(tmp_path: Path) -> None:
    measurement = traced(tmp_path, "import jax.numpy as jnp\njnp.ones(3) + 1\nraise SystemExit(3)\n")
    assert measurement.failure == "exit status 3"
    assert measurement.compiles
    assert measurement.environment is not None


def test_the_peak_of_memory_is_of_the_program_and_not_of_what_started_it(tmp_path: Path) -> None:
    ask = "from jaxfix.evidence.probe.memory import peak_bytes; print(peak_bytes())"
    starter = f"import subprocess, sys; held = b'x' * 300_000_000; subprocess.run([sys.executable, '-c', {ask!r}])"
    said = subprocess.run([sys.executable, "-c", starter], capture_output=True, text=True, check=True).stdout
    assert 0 < int(said) < 100_000_000


def test_processes_that_a_program_starts_are_measured(tmp_path: Path) -> None:
    (tmp_path / "child.py").write_text("import jax.numpy as jnp\njnp.ones(3)\n")
    program = "import subprocess, sys\nsubprocess.run([sys.executable, 'child.py'], check=True)\n"
    measurement = traced(tmp_path, program)
    assert {Path(entry.path).name for entry in measurement.compiles} == {"child.py"}


def test_a_program_without_jax_does_not_get_it(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    measurement = traced(tmp_path, "import sys\nprint('jax' in sys.modules, 'numpy' in sys.modules)\n")
    assert capfd.readouterr().out == "False False\n"
    assert (measurement.compiles, measurement.environment) == ((), None)


def test_a_program_that_imports_jax_does_not_get_a_backend(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    program = "import jax\nfrom jax._src import xla_bridge\nprint(xla_bridge.backends_are_initialized())\n"
    measurement = traced(tmp_path, program)
    assert capfd.readouterr().out == "False\n"
    assert measurement.environment is None


def test_a_sitecustomize_of_the_environment_still_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "sitecustomize.py").write_text("print('mine')\n")
    monkeypatch.setenv("PYTHONPATH", str(own))
    traced(tmp_path, "import sitecustomize\nprint(sitecustomize.__file__)\n")
    assert capfd.readouterr().out == f"mine\n{own / 'sitecustomize.py'}\n"


def test_what_a_user_logs_still_reaches_the_user(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    program = "import jax\njax.config.update('jax_log_compiles', True)\njax.jit(lambda x: x + 1)(1.0)\n"
    traced(tmp_path, program)
    assert "Compiling jit(<lambda>)" in capfd.readouterr().err.replace("Compiling <lambda>", "Compiling jit(<lambda>)")


OBSERVED = """\
import jax, jax.numpy as jnp, numpy as np

def step(kind):
    if kind == "array":
        return {"w": jnp.arange(3.0), "n": 2}
    if kind == "bfloat16":
        return jnp.ones(2, jnp.bfloat16) * jnp.nan
    if kind == "key":
        return jax.random.key(0)
    if kind == "weak":
        return jnp.asarray(1.0)
    if kind == "object":
        return object()
    if kind == "raise":
        raise KeyError(kind)
    if kind == "numpy":
        return np.arange(3)

donating = jax.jit(lambda v: v + 1, donate_argnums=0)

@jax.jit
def jitted(v):
    step("array")
    return v

def main():
    for kind in ("array", "bfloat16", "key", "weak", "object", "none", "numpy"):
        step(kind)
    try:
        step("raise")
    except KeyError:
        pass
    jitted(1.0)
    w = step("array")["w"]
    donating(w)
    assert w.is_deleted()
    for number in drawn():
        print(number)

def drawn():
    key = yield jnp.ones(2)
    yield from (jnp.zeros(3), 4)
    yield 5.0
    return 6

main()
"""


@pytest.fixture(scope="module")
def observed(tmp_path_factory: pytest.TempPathFactory) -> Measurement:
    folder = tmp_path_factory.mktemp("observed")
    (folder / "program.py").write_text(OBSERVED)
    runner = ProgramRunner(folder, f"{sys.executable} program.py", (("program.py", "step"), ("program.py", "drawn")))
    (measurement,) = runner.measure({"program.py": OBSERVED.encode()})
    assert measurement.failure is None
    return measurement


def test_calls_are_digested_one_by_one(observed: Measurement) -> None:
    labels = [output.label for output in observed.outputs]
    assert labels[:9] == [f"program.py:step call {number}" for number in range(1, 10)]
    assert observed.calls == {"program.py:step": 9}
    assert len(observed.steps) == 9
    assert observed.functions == ("program.py:drawn", "program.py:step")


def test_a_call_under_a_trace_is_no_call(observed: Measurement) -> None:
    assert sum(" call " in output.label for output in observed.outputs) == 9  # the tenth was traced


def test_what_a_generator_yields_is_digested_and_what_it_returns_is_not(observed: Measurement) -> None:
    found = [(output.label, output.leaves[0].shape) for output in observed.outputs[9:]]
    shapes: list[tuple[int, ...]] = [(2,), (3,), (), ()]
    assert found == [(f"program.py:drawn yield {number}", shape) for number, shape in enumerate(shapes, 1)]


def test_the_parts_of_an_output_have_their_paths_types_and_values(observed: Measurement) -> None:
    number, array = observed.outputs[0].leaves
    assert (number.path, number.dtype) == ("['n']", "<int>")
    assert (array.path, array.dtype, array.shape, array.sample) == ("['w']", "float32", (3,), (0.0, 1.0, 2.0))
    assert array.digest == observed.outputs[8].leaves[1].digest


def test_half_precision_keys_and_weak_types_are_told(observed: Measurement) -> None:
    half, key, weak = (observed.outputs[index].leaves[0] for index in (1, 2, 3))
    assert (half.dtype, half.nans) == ("bfloat16", 2)
    assert key.dtype == "key<fry>" and key.digest is not None
    assert weak.weak_type and not half.weak_type


def test_what_is_opaque_has_no_digest(observed: Measurement) -> None:
    (leaf,) = observed.outputs[4].leaves
    assert (leaf.dtype, leaf.digest) == ("<object>", None)
    assert observed.outputs[5].leaves == ()
    assert observed.outputs[6].leaves[0].dtype.startswith("numpy int")


def test_an_exception_is_an_output(observed: Measurement) -> None:
    assert observed.outputs[7].treedef == "raised"


def test_the_patched_source_is_reported_as_loaded(observed: Measurement) -> None:
    assert list(observed.loaded) == ["program.py"]


def test_digesting_counts_nothing(tmp_path: Path) -> None:
    program = "import jax\ndef step(): return jax.random.key(0)\nfor _ in range(3): step()\n"
    (tmp_path / "program.py").write_text(program)
    command = f"{sys.executable} program.py"
    counts = [
        len(ProgramRunner(tmp_path, command, functions).measure({})[0].compiles)
        for functions in ((), (("program.py", "step"),))
    ]
    assert counts[0] == counts[1]


def test_a_module_run_by_name_and_a_test_run_by_pytest_are_observed(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").write_text("")
    (tmp_path / "pkg" / "__main__.py").write_text("def step():\n    return 1\nstep()\n")
    (tmp_path / "test_it.py").write_text("def step():\n    return 1\n\ndef test_step():\n    assert step() == 1\n")
    for command, path in (("-m pkg", "pkg/__main__.py"), ("-m pytest -q test_it.py", "test_it.py")):
        source = {path: (tmp_path / path).read_bytes()}
        (run,) = ProgramRunner(tmp_path, f"{sys.executable} {command}", ((path, "step"),)).measure(source)
        assert (run.failure, run.functions, list(run.loaded)) == (None, (f"{path}:step",), [path])


def test_a_source_that_an_editable_install_points_to_is_the_copy(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "lib.py").write_text("def step():\n    return 1\n")
    (tmp_path / "main.py").write_text("import lib\nlib.step()\n")
    command = f"PYTHONPATH={tmp_path / 'src'} {sys.executable} main.py"
    (run,) = ProgramRunner(tmp_path, command, (("src/lib.py", "step"),)).measure(
        {"src/lib.py": b"def step():\n  return 2\n"}
    )
    assert list(run.loaded) == ["src/lib.py"]


def signature(*leaves: Leaf, **static: str) -> Signature:
    paths = tuple(f"s[{number}]" for number in range(len(leaves)))
    return Signature(paths, leaves, {"s": "by position"}, {}, static, (), {}, {}, 0)


def test_a_difference_is_told_by_path() -> None:
    strong, weak, wide = Leaf("float32", (), False), Leaf("float32", (), True), Leaf("float32", (3,), False)
    told = {
        "weak_type of leaf `s[1]` differs": (signature(strong, weak), signature(strong, strong)),
        "shape of `s[0]` float32[] -> float32[3]": (signature(strong), signature(wide)),
        "dtype of `s[0]` float32[] -> int32[]": (signature(strong), signature(Leaf("int32", (), False))),
        "structure of `s` differs: `s[1]` is gone": (signature(strong, weak), signature(strong)),
        "static argument `n` 1 -> 2": (signature(n="1"), signature(n="2")),
    }
    for words, (before, after) in told.items():
        assert [difference.words for difference in differences(before, after, "f")] == [words]
    assert differences(signature(strong), signature(strong), "f") == []


def test_the_probe_is_one_folder_that_needs_nothing_but_python(tmp_path: Path) -> None:
    shutil.copytree(Path(probe.__file__).parent, tmp_path / "jaxfix_probe")
    shutil.move(tmp_path / "jaxfix_probe" / "sitecustomize.py", tmp_path)
    (tmp_path / "settings.json").write_text(json.dumps({"results": str(tmp_path / "results")}))
    (tmp_path / "results").mkdir()
    environment = {"PYTHONPATH": str(tmp_path), "JAXFIX_PROBE": str(tmp_path / "settings.json")}
    subprocess.run([sys.executable, "-c", "print(1)"], env=environment, check=True, capture_output=True)
    (written,) = (tmp_path / "results").glob("*.json")
    assert json.loads(written.read_text())["compiles"] == []
