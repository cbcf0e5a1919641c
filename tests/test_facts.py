"""What the files of a project tell of one another."""

import json
import textwrap
from dataclasses import replace

import pytest

from jaxfix.core.codec import from_json, to_json
from jaxfix.core.constancy import Constancy, constancy
from jaxfix.core.facts import Facts, Project, Surroundings
from jaxfix.core.finding import Confidence
from jaxfix.core.model import Module, Runs
from jaxfix.core.source import SourceFile
from jaxfix.engine.analyze import analyze
from jaxfix.engine.project import joined
from jaxfix_codemods import CODEMODS


def sources(files: dict[str, str]) -> list[tuple[SourceFile, Surroundings]]:
    """Files by path; the name of each follows from it."""
    found = []
    for path, text in files.items():
        parts = path.removesuffix(".py").split("/")
        around = Surroundings(".".join(p for p in parts if p != "__init__"), parts[-1] == "__init__")
        found.append((SourceFile.decode(path, textwrap.dedent(text).encode()), around))
    return found


def modules(**files: str) -> dict[str, Module]:
    """The modules of one project, each told of the others; `pkg__a` is `pkg/a.py`, and `pkg` then its `__init__.py`."""
    packages = {name.partition("__")[0] for name in files if "__" in name}
    paths = (f"{name}/__init__.py" if name in packages else f"{name.replace('__', '/')}.py" for name in files)
    given = sources(dict(zip(paths, files.values(), strict=True)))
    project = joined(given)
    named = zip(files, given, strict=True)
    return {name: Module.parse(source, replace(around, project=project)) for name, (source, around) in named}


def line(module: Module, text: str) -> object:
    """The statement that begins with `text`."""
    number = next(
        i for i, own in enumerate(module.source.text.decode().splitlines(), 1) if own.strip().startswith(text)
    )
    return module.statement_at(number)


OPS = """
    def step(x):
        inner = x
        return inner
"""


def runs(module: Module, text: str = "inner = x") -> Runs:
    node = line(module, text)
    return module.runs(node)  # type: ignore[arg-type]


def test_a_public_function_alone_runs_as_its_callers_decide() -> None:
    assert runs(modules(ops=OPS)["ops"]) is Runs.UNKNOWN


@pytest.mark.parametrize(
    ("caller", "way"),
    [
        ("from ops import step\nstep(1)", Runs.EAGER),
        ("import ops\nops.step(1)", Runs.EAGER),
        ("import ops as o\nfor i in range(9): o.step(i)", Runs.EAGER),
        ("import jax, ops\nfast = jax.jit(ops.step)\nfast(1)", Runs.TRACED),
        ("import jax\nfrom ops import step as s\n@jax.jit\ndef f(x): return s(x)\nf(1)", Runs.TRACED),
        ("from ops import step\nsomewhere.register(step)", Runs.UNKNOWN),
        ("from ops import step\ndef public(x): return step(x)", Runs.UNKNOWN),
        ("def f():\n    from ops import step\n    return step(1)\nf()", Runs.EAGER),
        ("from other import step\nstep(1)", Runs.UNKNOWN),
    ],
)
def test_a_caller_in_another_file_tells(caller: str, way: Runs) -> None:
    assert runs(modules(ops=OPS, main=caller)["ops"]) is way


def test_one_eager_caller_outweighs_a_traced_one() -> None:
    found = modules(ops=OPS, a="import jax, ops\nf = jax.jit(ops.step)\nf(1)", b="import ops\nops.step(2)")
    assert runs(found["ops"]) is Runs.EAGER


def test_a_chain_of_files_is_followed_to_its_end() -> None:
    middle = "from ops import step\ndef public(x): return step(x)"
    assert runs(modules(ops=OPS, mid=middle, main="import mid\nmid.public(1)")["ops"]) is Runs.EAGER
    jitted = "import jax, mid\nfast = jax.jit(mid.public)\nfast(1)"
    assert runs(modules(ops=OPS, mid=middle, main=jitted)["ops"]) is Runs.TRACED


def test_files_that_call_one_another_end() -> None:
    a = "import b\ndef f(x):\n    inner = x\n    return b.g(x)"
    found = modules(a=a, b="import a\ndef g(x): return a.f(x)")
    assert runs(found["a"]) is Runs.UNKNOWN
    assert not found["a"].repeats(line(found["a"], "inner"))  # type: ignore[arg-type]


def test_re_exports_are_followed() -> None:
    package = {"pkg": "from .ops import step", "pkg__ops": OPS}
    assert runs(modules(**package, main="import pkg\npkg.step(1)")["pkg__ops"]) is Runs.EAGER
    assert runs(modules(**package, main="from pkg import step\nstep(1)")["pkg__ops"]) is Runs.EAGER


def test_a_star_import_is_followed_for_what_is_jitted() -> None:
    jitted = "import jax\n@jax.jit\ndef fast(x): return x"
    found = modules(ops=jitted, api="from ops import *", main="import api\napi.fast(1)")
    (call,) = found["main"].all_calls()
    jit = found["main"].jit(call.func)
    assert jit is not None and jit.by == "jax.jit"


def test_tests_are_no_sign_of_how_a_program_runs() -> None:
    found = modules(ops=OPS, test_ops="import ops\nfor i in range(9): ops.step(i)")
    assert runs(found["ops"]) is Runs.UNKNOWN


def test_a_name_that_two_files_have_means_nothing() -> None:
    given = sources({"ops.py": OPS, "main.py": "import ops\nops.step(1)"})
    twice = joined([*given, given[0]])
    module = Module.parse(given[0][0], replace(given[0][1], project=twice))
    assert twice.jit("ops.step") is None
    assert runs(module) is Runs.EAGER  # whoever imports `ops` may well mean this one


def test_a_loop_in_another_file_repeats() -> None:
    called = "import ops\ndef main():\n    for i in range(9):\n        ops.step(i)\nmain()"
    found = modules(ops=OPS, main=called)["ops"]
    assert found.surely_repeats(line(found, "inner"))  # type: ignore[arg-type]
    once = modules(ops=OPS, main="import ops\nops.step(1)")["ops"]
    assert not once.repeats(line(once, "inner"))  # type: ignore[arg-type]
    perhaps = called.replace("        ops.step", "        if i: ops.step")
    module = modules(ops=OPS, main=perhaps)["ops"]
    assert module.repeats(line(module, "inner"))  # type: ignore[arg-type]
    assert not module.surely_repeats(line(module, "inner"))  # type: ignore[arg-type]


def test_a_loop_two_files_away_repeats() -> None:
    middle = "import ops\ndef update(x):\n    return ops.step(x)"
    main = (
        "import mid\ndef main():\n    for i in range(9):\n        mid.update(i)\nif __name__ == '__main__':\n    main()"
    )
    found = modules(ops=OPS, mid=middle, main=main)["ops"]
    assert found.surely_repeats(line(found, "inner"))  # type: ignore[arg-type]


def test_an_object_whose_class_is_elsewhere_is_followed() -> None:
    trainer = "class Trainer:\n    def step(self, x):\n        inner = x\n        return inner"
    main = "import lib\ntrainer = lib.Trainer()\nfor i in range(9):\n    trainer.step(i)"
    found = modules(lib=trainer, main=main)["lib"]
    assert runs(found) is Runs.EAGER
    assert found.surely_repeats(line(found, "inner"))  # type: ignore[arg-type]
    traced = "import jax, lib\ntrainer = lib.Trainer()\nf = jax.jit(trainer.step)\nf(1)"
    assert runs(modules(lib=trainer, main=traced)["lib"]) is Runs.UNKNOWN  # who else has a trainer is not known


def test_a_derivative_in_another_file_counts() -> None:
    found = modules(ops=OPS, main="import jax, ops\njax.grad(ops.step)(1.0)")["ops"]
    assert found.differentiated(line(found, "inner"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "stranger",
    [
        "import ops\nops.rate_ = 2",
        "import ops\nops.rate_ += 2",
        "import ops\nsetattr(ops, 'rate_', 3)",
        "from ops import table_\ntable_.append(3)",
        "from ops import table_\ntable_[0] = 3",
        "import ops\ndef fixture(monkeypatch):\n    monkeypatch.setattr(ops, 'rate_', 3)",
    ],
)
def test_a_variable_that_another_file_changes_is_not_constant(stranger: str) -> None:
    found = modules(ops="rate_ = 1\ntable_ = (1,)\n", main=stranger)["ops"]
    changed = "table_" if "table_" in stranger else "rate_"
    assert constancy(found, changed, found.tree) is Constancy.CHANGES
    other = "rate_" if changed == "table_" else "table_"
    assert constancy(found, other, found.tree) is not Constancy.CHANGES


def test_what_is_static_in_another_file_is_known() -> None:
    ops = "import jax, functools\n@functools.partial(jax.jit, static_argnums=1)\ndef f(x, n): return x * n"
    main = "from ops import f\nf(1, 2)"
    found = modules(ops=ops, main=main)["main"]
    (call,) = found.all_calls()
    jit = found.jit(call.func)
    assert jit is not None
    assert (jit.is_static(0), jit.is_static(1), jit.is_static("n"), jit.is_static("x")) == (False, True, True, False)


def test_facts_travel_as_json() -> None:
    main = "import ops\nops.rate = 2\ndef f(x):\n    for i in x: ops.step(i)"
    project = joined(sources({"ops.py": OPS, "main.py": main, "j.py": "import jax\ng = jax.jit(f, donate_argnums=0)"}))
    for facts in project.files:
        assert from_json(Facts, json.loads(json.dumps(to_json(facts)))) == facts
    assert len(project.files) == 2  # `ops` neither imports from the others nor jits anything


def test_a_file_that_cannot_be_parsed_tells_nothing() -> None:
    project = joined(sources({"ops.py": OPS, "broken.py": "import ops\ndef f(:"}))
    assert project == Project(unread=True)


LOCAL = """
    from jax import lax

    def decay(x):
        def body(i, value):
            return value * 0.5

        return lax.fori_loop(0, 10, body, x)
"""


def test_a_finding_is_certain_where_another_file_repeats_it_and_none_where_all_are_traced() -> None:
    def confidence(main: str) -> list[Confidence]:
        given = sources({"ops.py": LOCAL, "main.py": main})
        project = joined(given)
        analysis = analyze(given[0][0], CODEMODS, surroundings=replace(given[0][1], project=project))
        return [found.finding.confidence for found in analysis.found]

    assert confidence("import ops\nfor i in range(9):\n    ops.decay(i)") == [Confidence.CERTAIN]
    assert confidence("import ops, jax\nfast = jax.jit(ops.decay)\nfor i in range(9):\n    fast(i)") == []
    assert confidence("x = 1") == [Confidence.POSSIBLE]
