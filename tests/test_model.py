"""The model of a module: names, scopes, spans, and where code runs."""

import ast
import textwrap
import warnings

import pytest

from jaxfix.effects.invariance import Constancy, constancy
from jaxfix.effects.purity import Purity, purity
from jaxfix.report.trace.cause import Cause, Why
from jaxfix.report.trace.compiles import Compiled
from jaxfix.semantic.module import Module
from jaxfix.semantic.project.summary_types import Runs
from jaxfix.semantic.recompiles import recompiled
from jaxfix.source.errors import SourceError
from jaxfix.source.source_file import SourceFile
from jaxfix.staging.contexts import Staging
from jaxfix.syntax.captures import Scopes


def module_of(text: str) -> Module:
    return Module.parse(SourceFile.decode("example.py", textwrap.dedent(text).encode()))


def call_of(module: Module, name: str) -> ast.Call:
    """The one call of `mark_NAME`, which stands for the place that is asked about."""
    (call,) = (c for c in module.nodes(ast.Call) if isinstance(c.func, ast.Name) and c.func.id == f"mark_{name}")
    return call


@pytest.mark.parametrize(
    ("header", "expression", "qualname"),
    [
        ("import jax", "jax.lax.scan", "jax.lax.scan"),
        ("import jax.numpy as jnp", "jnp.array", "jax.numpy.array"),
        ("import jax.numpy", "jax.numpy.array", "jax.numpy.array"),
        ("from jax import lax", "lax.cond", "jax.lax.cond"),
        ("from jax.lax import scan as s", "s", "jax.lax.scan"),
        ("from jax import numpy as jnp", "jnp.array", "jax.numpy.array"),
        ("import jax\nloop = jax.lax.fori_loop", "loop", "jax.lax.fori_loop"),
        ("import jax\na = jax\nb = a.lax\nc = b\nd = c\ne = d\nf = e", "f.scan", "jax.lax.scan"),
        ("import jax\na = b.lax\nb = a.lax", "a.scan", None),
        ("from . import base", "base.init", ".base.init"),
        ("from ..core import base", "base.init", "..core.base.init"),
        ("try:\n    from jax import lax\nexcept ImportError:\n    from jax import lax", "lax.scan", "jax.lax.scan"),
        ("import jax\njax = None", "jax.lax", None),
        ("try:\n    import jax.numpy as np\nexcept ImportError:\n    import numpy as np", "np.array", None),
    ],
)
def test_names_resolve_to_what_was_imported(header: str, expression: str, qualname: str | None) -> None:
    module = module_of(f"{header}\n{expression}\n")
    last = module.tree.body[-1]
    assert isinstance(last, ast.Expr)
    assert module.qualname(last.value) == qualname


def test_a_local_name_hides_an_import() -> None:
    module = module_of(
        """
        from jax import lax

        def f(lax):
            return lax.scan()

        def g():
            return lax.scan()
        """
    )
    (call,) = module.calls("jax.lax.scan")
    assert module.path(call) == "g"


def test_a_class_body_does_not_hide_names_from_its_methods() -> None:
    module = module_of(
        """
        from jax import lax

        class C:
            lax = None

            def f(self):
                return lax.scan()
        """
    )
    assert len(list(module.calls("jax.lax.scan"))) == 1


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("mark_here()", Runs.EAGER),
        ("def f():\n    mark_here()", Runs.UNKNOWN),
        ("def _f():\n    mark_here()\n\n_f()", Runs.EAGER),
        ("@jax.jit\ndef f():\n    mark_here()", Runs.TRACED),
        ("@functools.partial(jax.jit, static_argnums=0)\ndef f():\n    mark_here()", Runs.TRACED),
        ("@jax.jit(static_argnums=0)\ndef f():\n    mark_here()", Runs.TRACED),
        ("@unknown\ndef _f():\n    mark_here()\n\n_f()", Runs.UNKNOWN),
        ("def _f():\n    mark_here()\n\nstep = jax.jit(_f)", Runs.TRACED),
        ("def _f():\n    mark_here()\n\nstep = jax.jit(jax.grad(_f))", Runs.TRACED),
        ("def _f():\n    mark_here()\n\n@jax.jit\ndef g():\n    _f()", Runs.TRACED),
        ("def _f():\n    mark_here()\n\n@jax.jit\ndef g():\n    _f()\n\n_f()", Runs.EAGER),
        ("def f():\n    def g():\n        mark_here()\n    return make(g)", Runs.UNKNOWN),
        ("def f(x):\n    def body(c, t):\n        mark_here()\n    return jax.lax.scan(body, x)", Runs.TRACED),
        ("def f(x):\n    return jax.lax.cond(x, lambda: mark_here(), lambda: 0)", Runs.TRACED),
        ("def f(x):\n    return jax.lax.switch(x, [lambda: mark_here(), g])", Runs.TRACED),
        ("def _f(x):\n    mark_here()\n\nfor x in y:\n    jax.vmap(_f)(x)", Runs.EAGER),
        (
            "class C:\n    @jax.jit\n    def f(self):\n        self._g()\n    def _g(self):\n        mark_here()",
            Runs.TRACED,
        ),
        (
            "class C:\n    @jax.jit\n    def f(s):\n        s._g()\n    def _g(self):\n        mark_here()\n\nc._g()",
            Runs.UNKNOWN,
        ),
        ("def _f(n):\n    mark_here()\n    _f(n - 1)\n\n@jax.jit\ndef g():\n    _f(3)", Runs.TRACED),
    ],
)
def test_where_code_runs(text: str, runs: Runs) -> None:
    module = module_of(f"import functools\nimport jax\n\n{text}\n")
    assert module.get(Staging).runs(call_of(module, "here")) is runs


@pytest.mark.parametrize(
    ("text", "repeats"),
    [
        ("mark_here()", False),
        ("for _ in range(3):\n    mark_here()", True),
        ("for _ in mark_here():\n    pass", False),
        ("while True:\n    mark_here()", True),
        ("x = [mark_here() for _ in range(3)]", True),
        ("def f():\n    mark_here()\n\nfor _ in range(3):\n    f()", True),
        ("def f():\n    mark_here()\n\ndef main():\n    for _ in range(3):\n        f()\n\nmain()", True),
        ("def f():\n    mark_here()\n\nf()", False),
        ("@jax.jit\ndef f():\n    mark_here()\n\nfor _ in range(3):\n    f()", False),
    ],
)
def test_what_repeats(text: str, repeats: bool) -> None:
    module = module_of(f"import jax\n\n{text}\n")
    assert module.get(Staging).repeats(call_of(module, "here")) is repeats
    assert module.get(Staging).surely_repeats(call_of(module, "here")) is repeats


@pytest.mark.parametrize(
    "text",
    [
        "for i in range(3):\n    if i == 0:\n        mark_here()",
        "for i in range(3):\n    i == 0 and mark_here()",
        "for i in range(3):\n    try:\n        f()\n    except ValueError:\n        mark_here()",
        "for i in range(3):\n    if i:\n        continue\n    mark_here()",
        "for _ in range(1):\n    mark_here()",
        "for _ in [3]:\n    mark_here()",
        "while True:\n    mark_here()\n    break",
        "while True:\n    mark_here()\n    if x:\n        break",
        "def f():\n    for i in range(3):\n        return mark_here()",
        "x = [mark_here() for i in range(3) if i == 0]",
        "import functools\n@functools.cache\ndef f():\n    mark_here()\n\nfor _ in range(3):\n    f()",
        "def f():\n    global X\n    if X is None:\n        X = mark_here()\n\nfor _ in range(3):\n    f()",
        "def f():\n    if X is not None:\n        return\n    mark_here()\n\nfor _ in range(3):\n    f()",
    ],
)
def test_what_may_run_once_does_not_surely_repeat(text: str) -> None:
    module = module_of(f"import jax\n\n{text}\n")
    assert not module.get(Staging).surely_repeats(call_of(module, "here"))


@pytest.mark.parametrize(
    "text",
    [
        "for i in range(3):\n    if mark_here():\n        f()",
        "for i in range(3):\n    try:\n        mark_here()\n    except ValueError:\n        f()",
        "def f(x):\n    if x < 0:\n        raise ValueError(x)\n    return mark_here()\n\nfor x in xs:\n    f(x)",
    ],
)
def test_what_surely_repeats(text: str) -> None:
    module = module_of(f"import jax\n\n{text}\n")
    assert module.get(Staging).surely_repeats(call_of(module, "here"))


def test_a_function_under_grad_is_differentiated_with_what_it_calls() -> None:
    module = module_of(
        """
        import jax

        def inner(x):
            return mark_inner(x)

        def loss(x):
            return inner(x)

        def other(x):
            return mark_other(x)

        gradient = jax.value_and_grad(lambda x: loss(x))
        """
    )
    assert module.get(Staging).differentiated(call_of(module, "inner"))
    assert not module.get(Staging).differentiated(call_of(module, "other"))


def test_a_text_that_parses_and_does_not_compile_has_no_captures() -> None:
    text = "from __future__ import annotations\n\n\ndef f(x: (y := float)):\n    return x\n"
    module = Module.parse(SourceFile.decode("a.py", text.encode()))
    assert module.captures(module.functions[0]) is None


def test_captures_count_functions_inside_and_not_own_names() -> None:
    module = module_of(
        """
        import jax.numpy as jnp

        def outer(a, b):
            def body(c):
                def inner(d):
                    return a + c + d + jnp.sin(SCALE)
                return inner(c)
            return body
        """
    )
    body = next(f for f in module.functions if isinstance(f, ast.FunctionDef) and f.name == "body")
    captures = module.captures(body)
    assert captures is not None
    assert captures.free == {"a"}
    assert captures.globals == {"jnp", "SCALE"}


def test_captures_are_those_of_the_whole_text_wherever_its_statement_stands() -> None:
    text = (
        "from __future__ import annotations; early = lambda: early\n"
        "note = '''\n'''; late = lambda a: (lambda: a + note)\n"
        "@wrap(lambda: note)\n"
        "class C:\n"
        "    @property\n"
        "    def __m(self) -> A:\n"
        "        x: B = 1\n"
        "        def inner(y: D = note): return (__class__, self.__n, x, y)\n"
        "        return inner\n"
        "if note:\n"
        "    def f():\n"
        "        global rate\n"
        "        rate = 2\n"
    )
    module = module_of(text)
    whole = Scopes(text, "whole.py")
    on_line = {line: [f for f in module.functions if f.lineno == line] for line in range(1, 14)}
    assert len(module.functions) == 7
    for function in module.functions:
        lambdas = [f for f in on_line[function.lineno] if isinstance(f, ast.Lambda)]
        expected = whole.captures(function, lambdas if isinstance(function, ast.Lambda) else ())
        assert module.captures(function) == expected is not None


def test_lambdas_on_one_line_are_told_apart_by_their_order() -> None:
    module = module_of("def f(a, b):\n    return (lambda: a), (lambda: b)\n")
    first, second = (module.captures(f) for f in module.functions if isinstance(f, ast.Lambda))
    assert first is not None and second is not None
    assert (set(first.free), set(second.free)) == ({"a"}, {"b"})


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("X = 1", "X", Constancy.CONSTANT),
        ("X = (1, -2.0)", "X", Constancy.CONSTANT),
        ("rate = 1", "rate", Constancy.UNSURE),
        ("_rate = 1", "_rate", Constancy.CONSTANT),
        ("X = {'a': 1}", "X", Constancy.UNSURE),
        ("X = {'a': 1}\ndef f():\n    X['a'] = 2", "X", Constancy.CHANGES),
        ("X = []\ndef f():\n    X.append(1)", "X", Constancy.CHANGES),
        ("X = 1\nX = 2", "X", Constancy.CHANGES),
        ("X = 1\ndef f():\n    global X\n    X = 2", "X", Constancy.CHANGES),
        ("for X in range(3):\n    pass", "X", Constancy.CHANGES),
        ("X = jnp.ones(3)", "X", Constancy.CONSTANT),
        ("X = np.ones(3)", "X", Constancy.UNSURE),
        ("X = np.random.rand(3)", "X", Constancy.CHANGES),
        ("X = Config()", "X", Constancy.CHANGES),
        ("from elsewhere import X", "X", Constancy.UNSURE),
        ("X = 1\nfrom elsewhere import *", "X", Constancy.CHANGES),
        ("X = 1\ndef f(X):\n    X[0] = 2", "X", Constancy.CONSTANT),
        ("X = 1\ndef f(ys):\n    global X\n    return [X for y in ys if (X := y)]", "X", Constancy.CHANGES),
        ("X = 1\ndef f():\n    globals()['X'] = 2", "X", Constancy.CHANGES),
        ("X = 1\ndef f(name):\n    globals()[name] = 2", "X", Constancy.UNSURE),
        ("X = 1\ndef f(name):\n    return globals()[name]", "X", Constancy.CONSTANT),
        ("X = 1\ndef f():\n    exec('X = 2')", "X", Constancy.UNSURE),
        ("X = 1\nfrom unittest import mock\nmock.patch('elsewhere.X', 2)", "X", Constancy.UNSURE),
        ("X = np.load('x.npy')", "X", Constancy.UNSURE),
        ("X = 1\nimport elsewhere\nelsewhere.X = 2", "X", Constancy.UNSURE),
        ("X = 1\ndef f(m, k):\n    setattr(m, 'X', k)", "X", Constancy.UNSURE),
        ("X = 1\ndef f(m, k):\n    setattr(m, 'Y', k)", "X", Constancy.CONSTANT),
        ("X = 1\ndef f(m, k):\n    vars(m)['X'] = k", "X", Constancy.UNSURE),
        ("X = 1\ndef f(m):\n    found = vars(m)\n    found['X'] = 2", "X", Constancy.UNSURE),
        ("X = 1\ndef f(m):\n    found = vars(m)\n    return change(found)", "X", Constancy.UNSURE),
        (
            "X = 1\ndef f(m):\n    found = vars(m)\n    return found['X'], dict(**found), {**vars(m)}",
            "X",
            Constancy.CONSTANT,
        ),
        ("X = 1\nfound = vars(open('x'))\ndef f(k):\n    found[k] = 2", "X", Constancy.UNSURE),
        ("X = 1\nclass C:\n    def f(self, k):\n        self.X = k", "X", Constancy.CONSTANT),
        ("import functools\nX = functools.partial(max, 1)", "X", Constancy.CHANGES),
        ("import functools\nX = functools.partial(jnp.maximum, 1)", "X", Constancy.CONSTANT),
    ],
)
def test_what_a_module_level_name_stays(text: str, name: str, expected: Constancy) -> None:
    module = module_of(f"import jax.numpy as jnp\nimport numpy as np\n\n{text}\n")
    assert constancy(module, name, module.tree) is expected


def purity_of_body(text: str) -> Purity:
    module = module_of(f"import functools\nimport typing\nimport jax\nimport elsewhere\nRATE = 1.0\n{text}\n")
    body = next(f for f in module.functions if isinstance(f, ast.FunctionDef) and f.name == "body")
    return purity(module, body)


CALLS_HELPER = "def body(x):\n    return helper(x)\n"
HELD = "class Held:\n    rate = 1.0\n"
CHANGES_RATE = "def change():\n    global RATE\n    RATE = 2.0\n"


@pytest.mark.parametrize(
    "text",
    [
        "COUNT = []\ndef helper(x):\n    COUNT.append(x)\n    return x\n" + CALLS_HELPER,
        CHANGES_RATE + "helper = lambda x: x * RATE\n" + CALLS_HELPER,
        CHANGES_RATE + "def first(x):\n    return x * RATE\nhelper = first\n" + CALLS_HELPER,
        CHANGES_RATE + "def first(x):\n    return x * RATE\nhelper = jax.vmap(first)\n" + CALLS_HELPER,
        CHANGES_RATE + "class Held:\n    def __init__(self, x):\n        self.x = x * RATE\n\n"
        "def body(x):\n    return Held(x).x",
        CHANGES_RATE + "class Held:\n    def twice(self):\n        return RATE\n\n"
        "def helper(x):\n    return x.twice()\n\ndef body(x):\n    return helper(Held())",
        "def count(f):\n    def counted(x):\n        LOG.append(x)\n        return f(x)\n    return counted\n"
        "LOG = []\n@count\ndef helper(x):\n    return x\n" + CALLS_HELPER,
        HELD + "\nother = Held\nother.rate = 2.0\ndef body(x):\n    return x * Held.rate",
        HELD + "\nsetattr(Held, 'rate', 2.0)\ndef body(x):\n    return x * Held.rate",
        HELD + "\ndef change(c, k, v):\n    setattr(c, k, v)\ndef body(x):\n    return x * Held.rate",
        HELD + "\ndef body(x):\n    held = Held\n    held.rate = held.rate + 1\n    return x * Held.rate",
        CHANGES_RATE + "def body(x, rate=RATE):\n    return x * rate",
        "import random\ndef body(x, rate=random.random()):\n    return x * rate",
        "import numpy as np\ndef body(x):\n    return x * np.load('x.npy')",
        CHANGES_RATE + "class Outer:\n    class Inner:\n        def rate(self):\n            return RATE\n\n"
        "def body(x):\n    return x * Outer.Inner().rate()",
        CHANGES_RATE + "class Held:\n    if True:\n        def rate(self):\n            return RATE\n\n"
        "def body(x):\n    return x * Held().rate()",
        CHANGES_RATE + "@jax.custom_jvp\ndef helper(x):\n    return x\n\n"
        "@helper.defjvp\ndef rule(x, t):\n    return x, t * RATE\n" + CALLS_HELPER,
        CHANGES_RATE + "@jax.custom_vjp\ndef helper(x):\n    return x\n\n"
        "def back(r, t):\n    return t * RATE\n\nhelper.defvjp(lambda x: (x, x), back)\n" + CALLS_HELPER,
        "def body(x):\n    yield x",
        "def body(x):\n    return x * __import__('elsewhere').rate",
    ],
)
def test_what_changes_is_found_behind_every_name(text: str) -> None:
    assert purity_of_body(text).reason is not None


@pytest.mark.parametrize(
    "text",
    [
        "@elsewhere.wrapped\ndef helper(x):\n    return x\n" + CALLS_HELPER,
        "class Held(elsewhere.Base):\n    rate = 1.0\n\ndef body(x):\n    return x * Held.rate",
        "class Held:\n    rates = [1.0]\n\ndef body(x):\n    return x * Held.rates[0]",
        "RATES = [1.0]\ndef body(x, rates=RATES):\n    return x * rates[0]",
        "from elsewhere import *\ndef body(x):\n    return abs(x)",
        "def body(x):\n    from elsewhere import rate\n    return x * rate",
        "def body(x):\n    import elsewhere\n    return x * elsewhere.rate",
        "@functools.cache\ndef helper(x):\n    return x * RATE\n" + CALLS_HELPER,
    ],
)
def test_what_other_code_could_change_is_a_doubt(text: str) -> None:
    found = purity_of_body(text)
    assert found.reason is None and found.is_doubted


@pytest.mark.parametrize(
    "text",
    [
        "@functools.partial(jax.jit, static_argnums=0)\ndef helper(x):\n    return x * RATE\n" + CALLS_HELPER,
        "class State(typing.NamedTuple):\n    x: float\n    rate: float = 1.0\n\n"
        "def body(x):\n    return State(x).rate",
        "class Held:\n    def __init__(self, x):\n        self.x = x\n\ndef body(x):\n    return Held(x).x",
        HELD + "    def log(self):\n        print(self)\n\ndef body(x):\n    return x * Held.rate",
        "def body(x):\n    import jax.numpy as jnp\n    from jax import nn\n    return nn.relu(jnp.sin(x))",
        "def helper(x):\n    yield x\n\ndef body(x):\n    return sum(helper(x))",
        "import jax.numpy as jnp\ndef body(x):\n    return jnp.add(jnp.sort(x), 1)",
        "def body(x, rate=RATE):\n    new = {}\n    new['x'] = x * rate\n    return new",
    ],
)
def test_what_stays_is_no_doubt(text: str) -> None:
    found = purity_of_body(text)
    assert found.reason is None and not found.is_doubted


def test_spans_count_bytes_and_begin_at_the_decorator() -> None:
    module = module_of('x = "é𝛼"; y = 1\n\n@d\ndef f(): pass\n')
    assign = module.tree.body[1]
    assert module.text(assign) == "y = 1"
    assert module.text(module.tree.body[2]).startswith("@d\ndef f")


def test_render_puts_parentheses_around_what_needs_them() -> None:
    module = module_of("y = x * 2\n")
    assign = module.tree.body[0]
    assert isinstance(assign, ast.Assign)
    assert module.render(assign.value, {"x": "a + b"}) == "(a + b) * 2"
    assert module.render(assign.value, {"x": "f(a)"}) == "f(a) * 2"


@pytest.mark.parametrize("text", [b"def f(:\n", b"\0", b"x = (\n", b"\xff\xfe"])
def test_what_is_not_python_is_named(text: bytes) -> None:
    with pytest.raises(SourceError, match=r"^bad\.py: "):
        Module.parse(SourceFile.decode("bad.py", text))


def test_a_function_in_a_default_runs_outside() -> None:
    module = module_of("def f(x=mark_here()):\n    mark_there()\n")
    assert module.path(call_of(module, "here")) == "<module>"
    assert module.path(call_of(module, "there")) == "f"


def seen(line: int, why: Why | None, program: str = "jit(step)") -> Compiled:
    cause = Cause(why, "it differs") if why else None
    return Compiled("example.py", line, "f", program, 3, 2, 0.3, 0.2, 0, cause, (), ())


@pytest.mark.parametrize(
    ("text", "line", "node"),
    [
        ("y = wrap(step(x), step)", 1, "step(x)"),
        ("y = wrap(other(x))", 1, "wrap(other(x))"),
        ("y = a + b", 1, "y = a + b"),
        ("y = (\n    a\n    + b\n)", 3, "y = (\n    a\n    + b\n)"),
        ("for row in rows:\n    pass", 1, "rows"),
        ("while a < b:\n    pass", 1, "a < b"),
        ("with first as f, second:\n    pass", 1, "first"),
        ("match a @ b:\n    case _:\n        pass", 1, "a @ b"),
        ("@one\n@two\ndef f():\n    pass", 2, "two"),
        ("@one\nclass C:\n    pass", 1, "one"),
    ],
)
def test_what_is_reported_of_a_line_that_compiled_again_is_no_block(text: str, line: int, node: str) -> None:
    module = module_of(text)
    module.recompiles = (seen(line, Why.SHAPE),)
    ((at, entry, cause),) = recompiled(module, Why.DTYPE, Why.SHAPE)
    assert module.text(at) == node
    assert (entry, cause.why) == (module.recompiles[0], Why.SHAPE)


def test_only_what_has_the_cause_and_stands_on_code_is_told() -> None:
    module = module_of("\ny = step(x)\n")
    module.recompiles = (seen(2, Why.SHAPE), seen(2, None), seen(1, Why.DTYPE))
    assert list(recompiled(module, Why.DTYPE, Why.UNKNOWN)) == []


def test_a_nonlocal_name_is_bound_where_its_owner_binds_it_later() -> None:
    module = module_of(
        "def outer():\n    def inner():\n        nonlocal x\n        x = 1\n    x = 0\n    return inner\n"
    )
    outer, inner = module.functions
    assert [node.lineno for node in (binding.node for binding in module.bindings("x", outer))] == [4, 5]  # type: ignore[attr-defined]
    assert module.bindings("x", inner) == ()


def test_a_global_statement_names_the_module_and_a_walrus_the_function() -> None:
    module = module_of("def f(y):\n    global x\n    x = [z := v for v in y]\n")
    (function,) = module.functions
    assert len(module.bindings("x")) == 1 and not module.bindings("x", function)
    assert len(module.bindings("z", function)) == 1


@pytest.mark.parametrize("text", ["x = 1if True else 2", "x = 1and 2", "x = '\\d'"])
def test_what_python_warns_of_in_a_file_is_not_repeated(text: str) -> None:
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        module_of(text)
    assert warned == []


def test_a_name_that_is_declared_global_and_bound_nowhere_has_no_place() -> None:
    module = module_of("def f():\n    global x\n    return x\n")
    assert not module.bindings("x", None)
