"""What the files of a project tell of one another."""

import ast
import json
import textwrap
from dataclasses import replace

import pytest

from jaxfix.effects.invariance import Constancy, constancy
from jaxfix.engine.analyze import analyze
from jaxfix.engine.project import joined
from jaxfix.report.finding import Confidence
from jaxfix.report.wire import from_json, to_json
from jaxfix.semantic.module import Module
from jaxfix.semantic.project.query import JIT, REBINDS, USERS
from jaxfix.semantic.project.summary_types import CHANGES, FILLS, Facts, Runs, Use
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.semantic.recompiles import statement_at
from jaxfix.source.source_file import SourceFile
from jaxfix.staging.contexts import Staging
from jaxfix.staging.jit import jit_of
from jaxfix.summary.rebinding import rebinding
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
    return statement_at(module, number)


OPS = """
    def step(x):
        inner = x
        return inner
"""


def runs(module: Module, text: str = "inner = x") -> Runs:
    node = line(module, text)
    return module.get(Staging).runs(node)  # type: ignore[arg-type]


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
    assert not found["a"].get(Staging).repeats(line(found["a"], "inner"))  # type: ignore[arg-type]


def test_re_exports_are_followed() -> None:
    package = {"pkg": "from .ops import step", "pkg__ops": OPS}
    assert runs(modules(**package, main="import pkg\npkg.step(1)")["pkg__ops"]) is Runs.EAGER
    assert runs(modules(**package, main="from pkg import step\nstep(1)")["pkg__ops"]) is Runs.EAGER


def test_a_star_import_is_followed_for_what_is_jitted() -> None:
    jitted = "import jax\n@jax.jit\ndef fast(x): return x"
    found = modules(ops=jitted, api="from ops import *", main="import api\napi.fast(1)")
    (call,) = found["main"].nodes(ast.Call)
    jit = jit_of(found["main"], call.func)
    assert jit is not None and jit.by == "jax.jit"


def test_tests_are_no_sign_of_how_a_program_runs() -> None:
    found = modules(ops=OPS, test_ops="import ops\nfor i in range(9): ops.step(i)")
    assert runs(found["ops"]) is Runs.UNKNOWN


def test_a_name_that_two_files_have_means_nothing() -> None:
    given = sources({"ops.py": OPS, "main.py": "import ops\nops.step(1)"})
    twice = joined([*given, given[0]])
    module = Module.parse(given[0][0], replace(given[0][1], project=twice))
    assert twice.ask(JIT, "ops.step") is None
    assert runs(module) is Runs.EAGER  # whoever imports `ops` may well mean this one


def test_a_loop_in_another_file_repeats() -> None:
    called = "import ops\ndef main():\n    for i in range(9):\n        ops.step(i)\nmain()"
    found = modules(ops=OPS, main=called)["ops"]
    assert found.get(Staging).surely_repeats(line(found, "inner"))  # type: ignore[arg-type]
    once = modules(ops=OPS, main="import ops\nops.step(1)")["ops"]
    assert not once.get(Staging).repeats(line(once, "inner"))  # type: ignore[arg-type]
    perhaps = called.replace("        ops.step", "        if i: ops.step")
    module = modules(ops=OPS, main=perhaps)["ops"]
    assert module.get(Staging).repeats(line(module, "inner"))  # type: ignore[arg-type]
    assert not module.get(Staging).surely_repeats(line(module, "inner"))  # type: ignore[arg-type]


def test_a_loop_two_files_away_repeats() -> None:
    middle = "import ops\ndef update(x):\n    return ops.step(x)"
    main = (
        "import mid\ndef main():\n    for i in range(9):\n        mid.update(i)\nif __name__ == '__main__':\n    main()"
    )
    found = modules(ops=OPS, mid=middle, main=main)["ops"]
    assert found.get(Staging).surely_repeats(line(found, "inner"))  # type: ignore[arg-type]


def test_an_object_whose_class_is_elsewhere_is_followed() -> None:
    trainer = "class Trainer:\n    def step(self, x):\n        inner = x\n        return inner"
    main = "import lib\ntrainer = lib.Trainer()\nfor i in range(9):\n    trainer.step(i)"
    found = modules(lib=trainer, main=main)["lib"]
    assert runs(found) is Runs.EAGER
    assert found.get(Staging).surely_repeats(line(found, "inner"))  # type: ignore[arg-type]
    traced = "import jax, lib\ntrainer = lib.Trainer()\nf = jax.jit(trainer.step)\nf(1)"
    assert runs(modules(lib=trainer, main=traced)["lib"]) is Runs.UNKNOWN  # who else has a trainer is not known


def test_a_derivative_in_another_file_counts() -> None:
    found = modules(ops=OPS, main="import jax, ops\njax.grad(ops.step)(1.0)")["ops"]
    assert found.get(Staging).differentiated(line(found, "inner"))  # type: ignore[arg-type]


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
    (call,) = found.nodes(ast.Call)
    jit = jit_of(found, call.func)
    assert jit is not None
    assert (jit.is_static(0), jit.is_static(1), jit.is_static("n"), jit.is_static("x")) == (False, True, True, False)


def test_facts_travel_as_json() -> None:
    main = "import ops\nops.rate = 2\ndef f(x):\n    for i in x: ops.step(i)"
    project = joined(sources({"ops.py": OPS, "main.py": main, "j.py": "import jax\ng = jax.jit(f, donate_argnums=0)"}))
    for facts in project.files:
        assert from_json(Facts, json.loads(json.dumps(to_json(facts)))) == facts
    assert len(project.files) == 3


def test_a_file_that_cannot_be_parsed_tells_nothing() -> None:
    project = joined(sources({"ops.py": OPS, "broken.py": "import ops\ndef f(:"}))
    assert project.unread and [facts.name for facts in project.files] == ["ops"]


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
        return [found.finding.confidence for found in analysis.found if not found.finding.moot]

    assert confidence("import ops\nfor i in range(9):\n    ops.decay(i)") == [Confidence.CERTAIN]
    assert confidence("import ops, jax\nfast = jax.jit(ops.decay)\nfor i in range(9):\n    fast(i)") == []
    assert confidence("x = 1") == [Confidence.POSSIBLE]


# --- what the calls of other files pass -------------------------------------------------------------------------------

STEP = """
    import jax
    import jax.numpy as jnp

    def loss(params, batch):
        return jnp.mean((batch @ params) ** 2)

    @jax.jit
    def step(params, batch):
        return params - 0.1 * jax.grad(loss)(params, batch)
"""
LOOP = """
    import jax.numpy as jnp
    import model

    def main():
        params = jnp.zeros((9, 9))
        for number in range(9):
            params = model.step(params, jnp.ones((3, 9)))
        print(params)

    if __name__ == "__main__":
        main()
"""
EAGER_STEP = STEP.replace("    @jax.jit\n", "")


def found_in(path: str, files: dict[str, str]) -> list[tuple[str, Confidence, str | None]]:
    """Of one file of a project: each finding, how certain it is, and why it has no fix."""
    given = sources(files)
    project = joined(given)
    source, around = next(pair for pair in given if pair[0].path == path)
    found = analyze(source, CODEMODS, surroundings=replace(around, project=project)).found
    return [
        (entry.codemod.id, entry.finding.confidence, entry.finding.declined and entry.finding.declined.text)
        for entry in found
    ]


def test_a_call_tells_what_it_passes() -> None:
    (use,) = joined(sources({"model.py": STEP, "train.py": LOOP})).ask(USERS, "model.step")
    assert use.at == "train.py:8"
    assert use.call is not None and use.call.looped and use.call.arguments is not None
    first, second = use.call.arguments
    assert (first.to, first.text, first.again, first.why_live) == (0, "params", True, None)
    assert (second.to, second.again, second.why_live) == (1, False, None)  # made for the call
    assert from_json(Use, json.loads(json.dumps(to_json(use)))) == use


def test_a_step_whose_callers_are_elsewhere_is_donated() -> None:
    assert found_in("model.py", {"model.py": STEP, "train.py": LOOP}) == [("undonated-state", Confidence.CERTAIN, None)]


@pytest.mark.parametrize(
    ("stranger", "reason"),
    [
        ("from model import step\ndef compare(p, b):\n    new = step(p, b)\n    return new - p", "uses it afterwards"),
        (
            "import model\nalias = model.step\ndef f(p, b):\n    new = alias(p, b)\n    return new - p",
            "uses it afterwards",
        ),
        ("from model import *\ndef f(p, b):\n    new = step(p, b)\n    return new - p", "uses it afterwards"),
        ("import model\nrun(model.step)", "passed on in other.py:2"),
        (
            "try:\n    from model import step\nexcept ImportError:\n    from slow import step\n"
            "def f(p, b):\n    new = step(p, b)\n    return new - p",
            "other.py:6 passes `p` and uses it afterwards",
        ),
        ("try:\n    import model\nexcept ImportError:\n    model = None\nmodel.step(1, 2)", "passed on in other.py:5"),
        ("import model, jax\nf = jax.vmap(model.step)\nf(1, 2)", "passed on"),
        ("import model\ninspect(model)", "passed on in other.py:2"),
        ("import model\nstep = getattr(model, 'step')", "passed on in other.py:2"),
        ("import model\ndef f(*given):\n    return model.step(*given)", "with `*` or `**`"),
        (
            "import model, jax.numpy as jnp\ndef f():\n    p = jnp.zeros(3)\n    best = p\n    for b in range(9):\n"
            "        p = model.step(p, b)\n        best = p\n    return best",
            "`best = p` in other.py:4",
        ),
        (
            "import model\ndef f(p):\n    for b in range(9):\n        p = model.step(p, b)\n    return p",
            "comes from the caller",
        ),
        (
            "import model, jax.numpy as jnp\ndef f():\n    p = jnp.zeros(3)\n    for b in range(9):\n        try:\n"
            "            p = model.step(p, b)\n        except ValueError:\n            print(p)\n",
            "after an exception",
        ),
    ],
)
@pytest.mark.parametrize("path", ["other.py", "tests/other.py"])
def test_one_caller_that_keeps_the_state_declines(stranger: str, reason: str, path: str) -> None:
    ((name, _, declined),) = found_in("model.py", {"model.py": STEP, "train.py": LOOP, path: stranger})
    assert name == "undonated-state"
    assert declined is not None and reason.replace("other.py", path) in declined


@pytest.mark.parametrize(
    "harmless",
    [
        "import model, jax.numpy as jnp\nprint(model.step(jnp.zeros((9, 9)), jnp.ones((3, 9))))",
        "from model import loss\nfrom other_model import step\nkept = step(1, 2)",
        "from model import loss\ndef step(a, b): return a\nkept = 1\nnew = step(kept, 2)\nprint(kept)",
    ],
)
def test_callers_that_keep_nothing_do_not_hinder(harmless: str) -> None:
    files = {"model.py": STEP, "train.py": LOOP, "other.py": harmless}
    assert found_in("model.py", files) == [("undonated-state", Confidence.CERTAIN, None)]


def test_a_file_that_cannot_be_read_may_call_everything() -> None:
    ((_, _, declined),) = found_in(
        "model.py", {"model.py": STEP, "train.py": LOOP, "broken.py": "import model\ndef f(:"}
    )
    assert declined is not None and "other files may call" in declined


def test_a_script_that_nobody_can_import_is_a_caller() -> None:
    keeping = "from model import step\nparams = 1\nnew = step(params, 2)\nprint(params)"
    given = sources({"model.py": STEP, "train.py": LOOP, "run-me.py": keeping})
    given[2] = (given[2][0], Surroundings(None))
    project = joined(given)
    found = analyze(given[0][0], CODEMODS, surroundings=replace(given[0][1], project=project)).found
    assert [str(entry.finding.declined) for entry in found] == ["run-me.py:3 passes `params` and uses it afterwards"]


def test_re_exports_lead_to_the_step() -> None:
    package = {"pkg/__init__.py": "from pkg.model import step", "pkg/model.py": STEP}
    loop = LOOP.replace("import model", "import pkg as model")
    assert found_in("pkg/model.py", {**package, "train.py": loop}) == [("undonated-state", Confidence.CERTAIN, None)]
    keeping = {"other.py": "import pkg\ndef f(p):\n    new = pkg.step(p, 1)\n    return new - p"}
    ((_, _, declined),) = found_in("pkg/model.py", {**package, "train.py": loop, **keeping})
    assert declined == "other.py:3 passes `p` and uses it afterwards"


def test_stars_lead_through_a_second_module() -> None:
    files = {"model.py": STEP, "train.py": LOOP, "api.py": "from model import *"}
    keeping = "import api\ndef f(p):\n    new = api.step(p, 1)\n    return new - p"
    ((_, _, declined),) = found_in("model.py", {**files, "other.py": keeping})
    assert declined == "other.py:3 passes `p` and uses it afterwards"
    own = {**files, "api.py": "from model import *\ndef step(a, b): return a", "other.py": keeping}
    assert found_in("model.py", own) == [("undonated-state", Confidence.CERTAIN, None)]


def test_a_method_may_be_called_of_objects_that_were_not_read() -> None:
    method = """
        import jax
        class Trainer:
            @jax.jit
            def step(self, params, batch):
                return params - batch
    """
    loop = LOOP.replace("import model", "from model import Trainer").replace(
        "        params = jnp", "        trainer = Trainer()\n        params = jnp"
    )
    ((_, _, declined),) = found_in(
        "model.py", {"model.py": method, "train.py": loop.replace("model.step", "trainer.step")}
    )
    assert declined is not None and "other files may call" in declined


def test_a_library_has_callers_elsewhere() -> None:
    public = LOOP.partition("    if __name__")[0]
    ((_, confidence, declined),) = found_in("model.py", {"model.py": STEP, "train.py": public})
    assert confidence is Confidence.POSSIBLE
    assert declined is not None and "other files may call" in declined


def test_an_eager_step_is_put_under_jit_where_it_is_defined() -> None:
    found = found_in("model.py", {"model.py": EAGER_STEP, "train.py": LOOP})
    assert found == [("unjitted-update", Confidence.CERTAIN, None)]


@pytest.mark.parametrize(
    ("step", "loop", "reason"),
    [
        (
            "def step(f, params, b):\n    return params - jax.grad(f)(params, b)",
            "params = model.step(lambda p, b: p.sum(), params, 1.0)",
            "a new function at every call",
        ),
        (
            "def step(params, n, b):\n    if n > 3:\n        return -params\n"
            "    return params - jax.grad(loss)(params, b)",
            "params = model.step(params, number, 1.0)",
            "its values are not in the code",
        ),
        (
            "def step(params, b):\n    return {'p': params - jax.grad(loss)(params, b), 'a': params}",
            "params = model.step(params, 1.0)\n            for key in params: print(key)",
            "keys in another order",
        ),
        (
            "def step(params, b):\n    return params - jax.grad(loss)(params, b)",
            "buffer[0] = number\n            params = model.step(params, buffer)",
            "changed in place",
        ),
        (
            "def step(params, b):\n    return params - jax.grad(loss)(params, b)",
            "params = list(map(model.step, [params], [1.0]))[0]",
            None,
        ),
    ],
)
def test_what_other_files_pass_decides_about_jit(step: str, loop: str, reason: str | None) -> None:
    model = "import jax\ndef loss(params, b):\n    return (params * b).sum()\n" + step
    train = LOOP.replace("params = model.step(params, jnp.ones((3, 9)))", loop).replace(
        "    def main():", "    import numpy as np\n    buffer = np.zeros(9)\n    def main():"
    )
    found = [
        entry for entry in found_in("model.py", {"model.py": model, "train.py": train}) if entry[0] == "unjitted-update"
    ]
    assert [declined for _, _, declined in found] == [] if reason is None else reason in (found[0][2] or "")


@pytest.mark.parametrize(
    ("step", "loop"),
    [
        (
            "def step(f, params, b):\n    return params - jax.grad(f)(params, b)",
            "params = model.step(loss, params, 1.0)",
        ),
        (
            "def step(params, mode, b):\n    if mode == 'slow':\n        return params\n"
            "    return params - jax.grad(loss)(params, b)",
            "params = model.step(params, 'fast', 1.0)",
        ),
        (
            "def step(params, b):\n    g = jax.grad(loss)(params, b)\n    return {'p': params - g, 'a': g}",
            "out = model.step(params, 1.0)\n            params = out['p']",
        ),
        (
            "def step(params, b, *, rate=0.1):\n    return params - rate * jax.grad(loss)(params, b)",
            "params = model.step(params, b=1.0, rate=0.2)",
        ),
    ],
)
def test_what_other_files_pass_soundly_is_put_under_jit(step: str, loop: str) -> None:
    model = "import jax\ndef loss(params, b):\n    return (params * b).sum()\n" + step
    train = LOOP.replace("params = model.step(params, jnp.ones((3, 9)))", loop).replace(
        "    def main():", "    def loss(params, b): return (params * b).sum()\n    def main():"
    )
    ((name, _, declined),) = found_in("model.py", {"model.py": model, "train.py": train})
    assert (name, declined) == ("unjitted-update", None)


UTILS = """
    def bias_correction(moment, decay, count):
        return moment / (1 - decay**count)
"""
OPT = """
    import jax.numpy as jnp
    from utils import bias_correction

    def run(moments, decay=0.9):
        count = jnp.zeros([], jnp.int32)
        for moment in moments:
            count = count + 1
            moment = bias_correction(moment, decay, count)

    if __name__ == "__main__":
        run([jnp.ones(3)] * 9)
"""


FACTORIES = """
    import functools
    import jax

    def make_step(rate, size=1):
        @jax.jit
        def step(params):
            return params - rate * params[:size]
        return step

    def make_loss(*, target):
        return jax.jit(lambda params: params - target)

    @functools.cache
    def make_cached(rate):
        return jax.jit(lambda params: params - rate)

    def given(step):
        return jax.jit(step)
"""


@pytest.mark.parametrize(
    ("made", "found"),
    [
        ("step = lib.make_step(0.1); x = step(x)", True),
        ("step = lib.make_step(rate=x); x = step(x)", True),
        ("x = lib.make_loss(target=x)(x)", True),
        ("step = lib.make_step(0.1, i); x = step(x)", False),
        ("step = lib.make_step(*x); x = step(x)", False),
        ("step = lib.make_cached(0.1); x = step(x)", False),
        ("step = lib.given(main); x = step(x)", False),
        ("step = lib.make_step(0.1); steps.append(step); x = step(x)", False),
        ("step = lib.make_step(0.1)", False),
        ("if i == 3: step = lib.make_step(0.1); x = step(x)", False),
    ],
)
def test_a_factory_of_another_file_is_told_of_where_a_loop_calls_it(made: str, found: bool) -> None:
    text = f"""
        import lib

        def main(x, steps):
            for i in range(9):
                {made}
            return x

        main(1.0, [])
    """
    reason = f"`{'lib.make_loss' if 'loss' in made else 'lib.make_step'}` reads and changes things in another file"
    expected = [("local-jit", Confidence.CERTAIN, reason)] if found else []
    assert found_in("main.py", {"lib.py": FACTORIES, "main.py": text}) == expected


def test_a_power_is_judged_by_what_other_files_pass() -> None:
    assert found_in("utils.py", {"utils.py": UTILS, "opt.py": OPT}) == [("static-exponent", Confidence.CERTAIN, None)]
    assert found_in("utils.py", {"utils.py": UTILS, "x.py": "x = 1"}) == []  # nothing is known


@pytest.mark.parametrize(
    "change",
    [
        ("bias_correction(moment, decay, count)", "bias_correction(moment, jnp.asarray(decay), count)"),
        ("bias_correction(moment, decay, count)", "bias_correction(moment, 2, count)"),
        ("jnp.zeros([], jnp.int32)", "jnp.zeros([])"),
        ("jnp.zeros([], jnp.int32)", "0"),
    ],
)
def test_other_powers_of_other_files_are_left(change: tuple[str, str]) -> None:
    found = found_in("utils.py", {"utils.py": UTILS, "opt.py": OPT.replace(*change)})
    assert [entry for entry in found if entry[2] is None] == []
    both = found_in("utils.py", {"utils.py": UTILS, "opt.py": OPT, "opt_2.py": OPT.replace(*change)})
    assert [entry for entry in both if entry[2] is None] == []


def test_a_power_is_found_through_another_name_of_its_function() -> None:
    package = {"pkg/__init__.py": "from pkg import utils\ncorrect = utils.bias_correction", "pkg/utils.py": UTILS}
    opt = OPT.replace("from utils import bias_correction", "import pkg").replace(" bias_correction(", " pkg.correct(")
    assert found_in("pkg/utils.py", {**package, "opt.py": opt}) == [("static-exponent", Confidence.CERTAIN, None)]


COUNTING = """
    import functools, jax

    @functools.partial(jax.jit, static_argnums=1)
    def shifted(x, number):
        return x + number

    if __name__ == "__main__":
        for number in range(9):
            print(shifted(1.0, number))
"""


def test_a_number_that_another_file_passes_too_stays_static() -> None:
    alone = found_in("main.py", {"main.py": COUNTING, "x.py": "import jax"})
    assert ("python-counter", None) in [(name, declined) for name, _, declined in alone]
    found = found_in("main.py", {"main.py": COUNTING, "x.py": "from main import shifted\nshifted(1.0, 'text')"})
    assert ("python-counter", "x.py:2 uses it too, and what that passes is unknown") in [
        (name, declined) for name, _, declined in found
    ]


@pytest.mark.parametrize(
    ("read", "change"),
    [
        ("RATE", "model.RATE = 0.3 / (1 + number)"),
        ("TABLE['rate']", "model.TABLE['rate'] = 0.3 / (1 + number)"),
        ("config.RATE", "config.RATE = 0.3 / (1 + number)"),
        ("config.deep['rate']", "config.deep.update(rate=number)"),
    ],
)
def test_what_another_file_changes_is_not_frozen_under_jit(read: str, change: str) -> None:
    model = EAGER_STEP.replace("0.1", read).replace("import jax\n", "import jax, config\n    RATE, TABLE = 1, {}\n", 1)
    config = "RATE = 0.1\ndeep = {'rate': 0.1}"
    train = LOOP.replace("import model", "import model, config")
    assert found_in("model.py", {"model.py": model, "config.py": config, "train.py": train})[0][2] is None
    changing = train.replace("            params =", f"            {change}\n            params =")
    found = found_in("model.py", {"model.py": model, "config.py": config, "train.py": changing})
    assert [name for name, _, _ in found] == ["unjitted-update"]
    assert "another file changes" in (found[0][2] or "")


def test_what_another_file_makes_of_nothing_may_be_kept_there() -> None:
    makers = "def init(): return INIT\n    def fresh(key): return jax.random.normal(key, (9, 9))\n"
    model = f"{STEP}\n    INIT = jnp.zeros((9, 9))\n    {makers}"
    train = LOOP.replace("jnp.zeros((9, 9))", "model.init()")
    ((_, _, declined),) = found_in("model.py", {"model.py": model, "train.py": train})
    assert declined is not None and "may return the same object each time" in declined
    drawn = LOOP.replace("jnp.zeros((9, 9))", "model.fresh(7)")
    assert found_in("model.py", {"model.py": model, "train.py": drawn}) == [
        ("undonated-state", Confidence.CERTAIN, None)
    ]


REMEMBERED = {
    "a memo": (
        "import functools, jax.numpy as jnp\n@functools.cache\ndef made(size):\n    return jnp.ones(size)",
        "from memo import made",
        "made(300)",
    ),
    "a dictionary": (
        "import jax.numpy as jnp\nKEPT = {}\ndef made(size):\n    if size not in KEPT:\n"
        "        KEPT[size] = jnp.ones(size)\n    found = KEPT[size]\n    return found",
        "from memo import made",
        "made(300)",
    ),
    "an attribute": (
        "import jax.numpy as jnp\nclass Store:\n    def __init__(self):\n        self.kept = jnp.ones(300)\n"
        "    def made(self, size):\n        return self.kept\nSTORE = Store()",
        "from memo import STORE",
        "STORE.made(300)",
    ),
    "a part": (
        "import functools, jax.numpy as jnp\n@functools.lru_cache(maxsize=None)\ndef shared(size):\n"
        "    return jnp.ones(size)\ndef init(size):\n    return {'w': shared(size), 'b': jnp.zeros(size)}",
        "import memo",
        "memo.init(300)",
    ),
}
TRAINING = """import jax
{imported}

@jax.jit
def step(state, batch):
    return jax.tree.map(lambda p: p - 0.1 * (p - batch), state)

def train(n):
    state = {made}
    for number in range(n):
        state = step(state, number)
    return state

if __name__ == "__main__":
    train(20)
"""


@pytest.mark.parametrize("kind", REMEMBERED)
def test_what_another_file_gives_again_is_not_donated(kind: str) -> None:
    memo, imported, made = REMEMBERED[kind]
    program = TRAINING.format(imported=imported, made=made)
    assert found_in("program.py", {"memo.py": memo, "program.py": program})[0][2] is not None
    anew = "import jax.numpy as jnp\ndef made(size):\n    return {'w': jnp.ones(size), 'b': jnp.zeros(size)}"
    program = TRAINING.format(imported="from memo import made", made="made(300)")
    assert found_in("program.py", {"memo.py": anew, "program.py": program})[0][2] is None


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("import jax.numpy as jnp\nprint(jnp.add(jnp.sort(x), 1))", ()),
        ("TEXT = 'import jax.numpy as jnp\\ndef f(x):\\n    return jnp.append(x, 1)'", ()),
        ("import jax.numpy as jnp\njnp.add = print", ("jax.numpy.add", "jax.numpy")),
        ("import lib\nlib.rows.append(1)", ("lib.rows",)),
        ("import lib\nlib.__setattr__('rate', 1)", ("lib.rate",)),
        ("import lib\ndef f(name):\n    lib.__setattr__(name, 1)", ("lib.*",)),
        ("def f(other, name):\n    other.__setattr__(name, 1)", ("?names",)),
        ("class A:\n    def __setitem__(self, name, x):\n        self.__setattr__(name, x)", ()),
        ("class A:\n    def __setattr__(self, name, x):\n        super().__setattr__(name, x)", ()),
        (
            "def made(cls, parts):\n    new = cls.__new__(cls)\n    for k in parts:\n        setattr(new, k, parts[k])",
            (),
        ),
        ("def f(other, parts):\n    for k in parts:\n        setattr(other, k, parts[k])", ("?names",)),
    ],
)
def test_a_function_of_arrays_changes_no_module_with_the_name_of_a_method(text: str, changed: tuple[str, ...]) -> None:
    module = Module.parse(SourceFile.decode("other.py", text.encode()), Surroundings("other"))
    told = rebinding(module, {"jax", "lib"}).rebinds
    assert tuple(name for name in told if not name.startswith((FILLS, CHANGES))) == changed


def test_who_lists_names_binds_none_of_a_library() -> None:
    finds = "import sys\ndef found(name):\n    return sys.modules[name]\n"
    lists = "def names(of):\n    return [each for each in dir(of)]\n"
    sets = "def put(of, name, value):\n    setattr(of, name, value)\n"
    uses = "import jax\nprint(jax.tree_map)\n"
    project = joined(sources({"a.py": finds, "b.py": lists, "c.py": uses}))
    assert project.ask(REBINDS, "a.*") and not project.ask(REBINDS, "jax.*")
    assert joined(sources({"a.py": finds, "b.py": sets, "c.py": uses})).ask(REBINDS, "jax.*")
