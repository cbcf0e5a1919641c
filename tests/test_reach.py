"""Where code runs, and whether more than once: what programs, tests, bases in other files and decorators tell."""

import ast
import textwrap

import pytest

from jaxfix.engine.project import joined
from jaxfix.semantic.module import Module
from jaxfix.semantic.project.summary_types import Runs, Wrapping
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.source.source_file import SourceFile
from jaxfix.staging.contexts import Staging
from jaxfix.staging.decorators import wrapping_of


def project(**files: str) -> dict[str, Module]:
    """The modules of one project, by the last part of their path; `pkg__a` is `pkg/a.py`."""
    given = [
        (SourceFile.decode(f"{name.replace('__', '/')}.py", textwrap.dedent(text).encode()), name.replace("__", "."))
        for name, text in files.items()
    ]
    known = joined([(source, Surroundings(name)) for source, name in given])
    return {name.rpartition(".")[2]: Module.parse(source, Surroundings(name, project=known)) for source, name in given}


def runs(module: Module) -> Runs:
    """How the call of `here` runs."""
    (call,) = (call for call in module.nodes(ast.Call) if module.text(call) == "here()")
    return module.get(Staging).runs(call)


def may_repeat(module: Module) -> bool:
    (call,) = (call for call in module.nodes(ast.Call) if module.text(call) == "here()")
    return module.get(Staging).may_repeat(call)


# --- what the project tells of public functions ----------------------------------------------------------------


SCANNED = "def body(c, x):\n    step()\n    return c, None\ndef run(xs): return jax.lax.scan(body, 0, xs)\n"


_RETURNED = [
    ("def _make():\n    def step(): here()\n    return step\ndef run(): return jax.jit(_make())\n", True),
    ("def _make():\n    def step(): here()\n    return step\ndef run():\n    f = _make()\n    f()\n", False),
    ("def make():\n    def step(): here()\n    return step\nrun = jax.jit(make())\n", False),
]
_RETURNED_IDS = ["returned and jitted", "returned and called", "returned to anybody"]


def is_staged(module: Module) -> bool:
    (call,) = (call for call in module.nodes(ast.Call) if module.text(call) == "here()")
    return module.get(Staging).is_staged(call)


@pytest.mark.parametrize(
    ("files", "staged"),
    [
        ({}, True),
        ({"b": "from pkg import a\na.step()\n"}, False),
        ({"b": "from pkg import a\ndef outer(): a.step()\n"}, False),
        ({"b": "import jax\nfrom pkg import a\n@jax.jit\ndef outer(): a.step()\n"}, True),
        ({"b": "import jax\nfrom pkg import a\ndef inner(): a.step()\nouter = jax.jit(inner)\n"}, True),
        ({"b_test": "from pkg import a\ndef test(): a.step()\n"}, True),
        ({"": "from pkg.a import step\n"}, False),
        ({"": "from pkg.a import *\n"}, True),
    ],
    ids=["alone", "eager", "public", "jitted", "called here and jitted", "tested", "offered", "starred"],
)
def test_a_public_function_that_is_seen_under_a_trace_alone_is_staged(files: dict[str, str], staged: bool) -> None:
    of_package = {f"pkg__{name}".removesuffix("__"): text for name, text in files.items()}
    given = {"pkg__a": f"import jax\ndef step(): here()\n{SCANNED}", **of_package}
    assert is_staged(project(**given)["a"]) is staged


@pytest.mark.parametrize(
    ("text", "staged"),
    [
        ("def step(): here()\n", False),
        ("__all__ = ['step']\ndef step(): here()\n" + SCANNED, False),
        ("def _step(): here()\ndef _apply(f): return jax.lax.while_loop(f, f, 0)\ndef run(): _apply(_step)\n", True),
        ("def _step(): here()\ndef _apply(f): return f()\ndef run(): _apply(f=_step)\n", False),
        ("def _step(): here()\ndef _apply(f):\n    f = g\n    return f()\ndef run(): _apply(_step)\n", False),
        ("def _solve(): here()\ndef run(b): return jax.lax.custom_linear_solve(f, b, solve=_solve)\n", True),
        *_RETURNED,
    ],
    ids=["called by nobody", "listed", "passed on", "passed on and called", "bound again", "a solver", *_RETURNED_IDS],
)
def test_functions_are_followed_into_those_that_take_them(text: str, staged: bool) -> None:
    assert is_staged(project(pkg__a=f"import functools, jax\n{text}")["a"]) is staged


METHOD = """
    import jax
    class Search:
        def step(self, c, x):
            here()
            return c, None
        def run(self, xs):
            return jax.lax.scan(lambda c, x: self.step(c, x), 0, xs)
    """


@pytest.mark.parametrize(
    ("other", "staged"),
    [("def f(s): s.run(1)\n", True), ("def f(s): s.step(1, 2)\n", False), ("def f(s): return s.step\n", False)],
)
def test_a_public_method_is_staged_if_its_name_is_read_nowhere_else(other: str, staged: bool) -> None:
    assert is_staged(project(pkg__a=METHOD, pkg__b=f"from pkg import a\n{other}")["a"]) is staged


# --- what runs once -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("guarded", "again"),
    [
        ("main()", False),
        ("app.run(main)", False),
        ("fire.Fire(main)", False),
        ("app.run(main, flags_parser=parse)", False),
        ("for _ in range(3): app.run(main)", True),
        ("times = timeit.repeat(main)", True),
        ("pool.map(main, batches)", True),
        ("register(name, main)", True),
    ],
)
def test_a_program_that_is_handed_to_its_runner_runs_once(guarded: str, again: bool) -> None:
    text = f"def main(argv=None):\n    here()\nif __name__ == '__main__':\n    {guarded}\n"
    assert may_repeat(project(run=text)["run"]) is again


def test_a_loop_of_a_program_surely_repeats() -> None:
    text = "def main(argv):\n    for _ in range(9):\n        here()\nif __name__ == '__main__':\n    app.run(main)\n"
    module = project(run=text)["run"]
    assert any(map(module.get(Staging).surely_repeats, module.nodes(ast.Call)))


@pytest.mark.parametrize(
    ("text", "again"),
    [
        ("def main(): here()\nmain()", False),
        ("def main(argv): here()\napp.run(main)", False),
        ("def setup(): here()", True),
        ("def setup(): here()\nsetup()", False),
        ("def main(): here()\ndef run(): main()", True),
    ],
)
def test_a_file_that_runs_its_main_is_a_program_and_others_are_libraries(text: str, again: bool) -> None:
    assert may_repeat(project(run=text)["run"]) is again


@pytest.mark.parametrize(
    ("caller", "again"),
    [
        ("", False),
        ("import run\nclass Agent:\n    def train(self):\n        for _ in range(9): run.collect()", True),
        ("import run\ndef collect(): return run.collect()", True),
        ("import run\nrun.collect()", False),
    ],
)
def test_a_program_that_other_files_import_runs_as_they_call_it(caller: str, again: bool) -> None:
    text = "def collect(): here()\nif __name__ == '__main__':\n    collect()\n"
    assert may_repeat(project(run=text, other=caller)["run"]) is again


@pytest.mark.parametrize(
    ("test", "again"),
    [
        ("def test_it():\n    here()", False),
        ("@pytest.mark.parametrize('a', [1, 2])\ndef test_it(a):\n    here()", False),
        (
            "class ItTest(TestCase):\n    @parameterized.product(a=(1, 2))\n    def test_it(self, a):\n        here()",
            False,
        ),
        ("class ItTest(TestCase):\n    def setUp(self):\n        here()", False),
        ("def _help():\n    here()\ndef test_it():\n    _help()", False),
        ("def help_it():\n    here()\ndef test_it():\n    help_it()", False),
        ("def test_it():\n    for _ in range(9):\n        here()", True),
        ("def help_it():\n    here()\ndef test_it():\n    for _ in range(9):\n        help_it()", True),
        ("def help_it(run):\n    run(lambda: here())", True),
    ],
)
def test_a_test_runs_once_and_never_surely_repeats(test: str, again: bool) -> None:
    module = project(it_test=test)["it_test"]
    assert may_repeat(module) is again
    assert not any(map(module.get(Staging).surely_repeats, module.nodes(ast.Call)))


def test_a_test_by_its_name_alone_is_no_test() -> None:
    assert may_repeat(project(library="def test_it():\n    here()")["library"])


# --- decorators -----------------------------------------------------------------------------------------------

STAGED = """
    import functools, jax

    def staged(method, static=()):
        fast = jax.jit(method, static_argnums=static)
        @functools.wraps(method)
        def run(self, *args):
            return method(self, *args) if self.inside else fast(self, *args)
        return run
"""
SCOPED = """
    import functools, jax

    def scoped(method):
        @functools.wraps(method)
        def run(*args):
            with jax.named_scope(method.__name__):
                return method(*args)
        return run
"""
OPEN = """
    import jax

    def maybe(method):
        def run(*args):
            return choose(jax)(method)(*args)
        return run
"""


@pytest.mark.parametrize(
    ("decorator", "way"),
    [
        ("staging.staged", Runs.TRACED),
        ("functools.partial(staging.staged, static=1)", Runs.TRACED),
        ("scoping.scoped", Runs.EAGER),
        ("opening.maybe", Runs.UNKNOWN),
        ("elsewhere.wrapped", Runs.UNKNOWN),
    ],
)
def test_a_decorator_of_another_file_tells_how_its_function_runs(decorator: str, way: Runs) -> None:
    main = f"import functools\nfrom lib import staging, scoping, opening\n@{decorator}\ndef _f():\n    here()\n_f()"
    files = {"lib__staging": STAGED, "lib__scoping": SCOPED, "lib__opening": OPEN, "lib__main": main}
    assert runs(project(**files)["main"]) is way


def test_a_decorator_is_found_through_a_name_whose_module_is_deleted() -> None:
    names = "from lib import staging\nstaged = staging.staged\ndel staging"
    main = "from lib import names\n@names.staged\ndef f():\n    here()"
    files = {"lib__staging": STAGED, "lib__names": names, "lib__main": main}
    assert runs(project(**files)["main"]) is Runs.TRACED


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("def d(f): return jax.jit(f)", Wrapping.STAGES),
        ("def d(**options):\n    def wrap(f): return jax.jit(f, **options)\n    return wrap", Wrapping.STAGES),
        ("def d(f):\n    def g(x): return f(x)\n    return g", Wrapping.CALLS),
        ("def d(f):\n    @jax.jit\n    @functools.wraps(f)\n    def g(x): return f(x)\n    return g", Wrapping.STAGES),
        ("def d(f):\n    def g(x): return f(x)\n    def h(x): return jax.jit(g)(x)\n    return h", Wrapping.STAGES),
        ("def d(f):\n    @jax.jit\n    def g(x): return f(x)\n    f(0)\n    return g", None),
        ("def d(f):\n    @jax.jit\n    def g(x): return f(x)\n    keep(functools.wraps(f))\n    return g", None),
        ("def d(f):\n    def g(x): return f(x)\n    return g, jax.jit(g)", None),
        ("def d(f):\n    shape = jax.eval_shape(f, 1)\n    def g(x): return f(x)\n    return g", None),
        ("def d(f, other):\n    fast = jax.jit(other)\n    def g(x): return f(x)\n    return g", None),
    ],
)
def test_a_decorator_stages_what_it_takes_first(text: str, made: Wrapping | None) -> None:
    module = Module.parse(SourceFile.decode("d.py", f"import functools, jax\n{text}".encode()))
    assert wrapping_of(module, module.functions[0]) is made


@pytest.mark.parametrize(
    ("imports", "made"),
    [
        ("import jax.numpy", None),
        ("import jax as j, os as jax", Wrapping.CALLS),
        ("from a import jax", Wrapping.CALLS),
        ("from jax import jit as fast", Wrapping.CALLS),
    ],
)
def test_who_is_handed_all_of_jax_may_stage(imports: str, made: Wrapping | None) -> None:
    text = f"{imports}\ndef d(f):\n    prepare(jax, f)\n    def g(x): return f(x)\n    return g"
    module = Module.parse(SourceFile.decode("d.py", text.encode()))
    assert wrapping_of(module, module.functions[0]) is made


# --- methods that a base in another file calls ----------------------------------------------------------------

BASE = """
    from jax import lax

    class Env:
        def step(self, state):
            return {call}

        def _step(self, state):
            raise NotImplementedError
"""
GAME = """
    from lib.base import Env

    class Game(Env):
        def _step(self, state):
            return _moved(state)

    def _moved(state):
        here()
"""


@pytest.mark.parametrize(
    ("call", "way"),
    [
        ("lax.cond(state.over, lambda: state, lambda: self._step(state))", Runs.TRACED),
        ("self._step(state)", Runs.UNKNOWN),
        ("run(self._step, state)", Runs.UNKNOWN),
    ],
)
def test_a_private_method_runs_as_the_base_in_another_file_calls_it(call: str, way: Runs) -> None:
    files = project(lib__base=BASE.replace("{call}", call), lib__game=GAME)
    assert runs(files["game"]) is way


@pytest.mark.parametrize(
    ("decorator", "way"), [("@staticmethod", Runs.TRACED), ("@classmethod", Runs.UNKNOWN), ("", Runs.UNKNOWN)]
)
def test_a_static_method_is_called_by_the_name_of_its_class(decorator: str, way: Runs) -> None:
    text = f"class Rules:\n    {decorator}\n    def score(x):\n        here()"
    user = "import jax\nfrom lib.rules import Rules\n@jax.jit\ndef f(x):\n    return Rules.score(x)"
    assert runs(project(lib__rules=text, lib__user=user)["rules"]) is way


def test_a_method_of_the_same_name_that_runs_eagerly_leaves_it_open() -> None:
    traced = BASE.replace("{call}", "lax.cond(state.over, lambda: state, lambda: self._step(state))")
    other = "class Robot:\n    def _step(self): pass\nRobot()._step()"
    assert runs(project(lib__base=traced, lib__game=GAME, lib__other=other)["game"]) is Runs.UNKNOWN


# --- what is passed on ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "way"),
    [
        ("@jax.jit\ndef f(x):\n    def g(y):\n        here()\n    return solver.run(g, x)", Runs.TRACED),
        ("@jax.jit\ndef f(x):\n    return solver.run(lambda y: here(), x)", Runs.TRACED),
        ("def f(x):\n    def g(y):\n        here()\n    return solver.run(g, x)", Runs.UNKNOWN),
        ("def _f(x):\n    return solver.run(lambda y: here(), x)\n_f(1)", Runs.UNKNOWN),
    ],
)
def test_who_gets_a_function_under_a_trace_runs_it_there(text: str, way: Runs) -> None:
    assert runs(project(lib=f"import functools, jax\n{text}")["lib"]) is way


@pytest.mark.parametrize(
    "loop",
    [
        "loop = jax.named_call(lax.while_loop, name='fit')\n    return loop(going, body, x)",
        "return jax.named_call(lax.while_loop, name='fit')(going, body, x)",
        "return lax.while_loop(going, body, x)",
    ],
)
def test_a_loop_that_has_a_name_traces_its_functions(loop: str) -> None:
    text = f"import jax\nfrom jax import lax\ndef f(x):\n    def body(c):\n        return here()\n    {loop}"
    assert runs(project(lib=text)["lib"]) is Runs.TRACED


def test_a_name_that_something_may_replace_is_still_called_under_the_trace() -> None:
    text = "import jax\nglobals().update(settings)\ndef _f(): here()\n@jax.jit\ndef g(): return _f()"
    assert runs(project(lib=text)["lib"]) is Runs.TRACED


# --- tracers and derivative rules -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("if isinstance(x, jax.core.Tracer): here()", Runs.TRACED),
        ("if not isinstance(x, jax.core.Tracer): here()", Runs.UNKNOWN),
        ("if isinstance(x, jax.core.Tracer): return x\nelse: here()", Runs.UNKNOWN),
        ("if not isinstance(x, jax.core.Tracer): return x\nhere()", Runs.TRACED),
        ("if not isinstance(x, jax.core.Tracer):\n    if x: raise ValueError\nhere()", Runs.UNKNOWN),
        (
            "with y:\n    if not isinstance(x, jax.core.Tracer):\n        if x:\n"
            "            if not isinstance(y, jax.core.Tracer):\n                breakpoint()\n"
            "        else: return x\nhere()",
            Runs.TRACED,
        ),
        ("for y in x:\n    if not isinstance(y, jax.core.Tracer): continue\n    here()", Runs.UNKNOWN),
        ("here()\nif not isinstance(x, jax.core.Tracer): return x", Runs.UNKNOWN),
    ],
)
def test_what_is_left_to_tracers_runs_under_a_trace(lines: str, expected: Runs) -> None:
    text = "import jax\n\n\ndef check(x, y):\n" + textwrap.indent(lines, "    ") + "\n"
    assert runs(project(checks=text)["checks"]) is expected


RULED = """
import jax
from elsewhere import custom

@custom
def {name}(x):
    return here()

@{name}.def_jvp
def rule(primals, tangents):
    return {name}(*primals), tangents

@jax.jit
def step(x):
    return {name}(x)
{more}
"""


@pytest.mark.parametrize(
    ("name", "more", "expected"),
    [
        ("_error", "", Runs.TRACED),
        ("_error", "def other(x):\n    return _error(x)", Runs.UNKNOWN),
        ("_error", "register(_error)", Runs.UNKNOWN),
        ("error", "", Runs.UNKNOWN),
    ],
)
def test_a_rule_for_a_derivative_runs_where_its_function_does(name: str, more: str, expected: Runs) -> None:
    assert runs(project(ruled=RULED.format(name=name, more=more))["ruled"]) is expected


@pytest.mark.parametrize(("decorator", "eagerly"), [("", True), ("@jax.jit\n", False)])
def test_a_derivative_under_a_trace_is_no_eager_one(decorator: str, eagerly: bool) -> None:
    loss, step = "def _loss(x):\n    return here()\n", "def _step(x):\n    return jax.grad(_loss)(x)\n"
    text = f"import jax\n{loss}{decorator}{step}_step(1.0)\n"
    module = project(derived=text)["derived"]
    (call,) = (call for call in module.nodes(ast.Call) if module.text(call) == "here()")
    assert module.get(Staging).differentiated(call)
    assert module.get(Staging).differentiated(call, eagerly=True) is eagerly


# --- functions that are passed on -----------------------------------------------------------------------------


HANDED_ON = """
import functools
import equinox as eqx
import haiku as hk
import jax
from jax.tree_util import Partial
from other import compiled, logged

jit = functools.partial(jax.jit, static_argnums=())


def _network(x):
    here()
    return x


class Model:
    def __init__(self):
        INIT

    def _g(self, x):
        BODY
        return x

    def _step(self, x):
        return STEP


def main():
    model = Model()
    for _ in range(3):
        print(RUN)


if __name__ == "__main__":
    main()
"""
OTHER = """
import functools
import jax


def compiled(f):
    return jax.jit(f)


def logged(f):
    @functools.wraps(f)
    def inner(*args):
        print(f)
        return f(*args)

    return inner
"""


@pytest.mark.parametrize(
    ("init", "step", "run", "expected"),
    [
        ("self._run = eqx.filter_jit(eqx.Partial(self._g))", "x", "model._run(1)", Runs.TRACED),
        ("self._run = jax.jit(Partial(self._g))", "x", "model._run(1)", Runs.TRACED),
        ("self._f = jax.vmap(self._g)\n        self._run = jax.jit(self._f)", "x", "model._run(1)", Runs.TRACED),
        ("self._f = jax.vmap(self._g)\n        self._run = jax.jit(self._step)", "self._f(x)", "0", Runs.TRACED),
        ("self._f = jax.vmap(self._g)", "self._f(x)", "model._step(1)", Runs.EAGER),
        ("self._run = jit(self._g)", "x", "model._run(1)", Runs.TRACED),
        ("self._run = compiled(self._g)", "x", "model._run(1)", Runs.TRACED),
        ("self._run = jax.jit(logged(self._g))", "x", "model._run(1)", Runs.TRACED),
        ("self._f = logged(self._g)", "self._f(x)", "model._step(1)", Runs.EAGER),
        ("self._f = unknown(self._g)", "self._f(x)", "model._step(1)", Runs.UNKNOWN),
    ],
)
def test_a_method_that_is_handed_on_is_followed(init: str, step: str, run: str, expected: Runs) -> None:
    text = HANDED_ON.replace("INIT", init).replace("STEP", step).replace("RUN", run)
    text = text.replace("    here()\n", "").replace("BODY", "here()")
    assert runs(project(run=text, other=OTHER)["run"]) is expected


@pytest.mark.parametrize(
    ("made", "run", "expected"),
    [
        ("hk.transform(_network)", "jax.jit(net.apply)(1)", Runs.TRACED),
        ("hk.without_apply_rng(hk.transform(_network))", "jax.jit(net.apply)(1)", Runs.TRACED),
        ("hk.transform(_network)", "net.init(1)", Runs.EAGER),
        ("hk.transform(_network)", "net.rest(1)", Runs.UNKNOWN),
    ],
)
def test_a_function_that_becomes_an_object_runs_where_its_methods_do(made: str, run: str, expected: Runs) -> None:
    text = HANDED_ON.replace("INIT", "pass").replace("STEP", "x").replace("BODY", "pass").replace("RUN", run)
    text = text.replace("    model = Model()", f"    net = {made}")
    assert runs(project(run=text, other=OTHER)["run"]) is expected
