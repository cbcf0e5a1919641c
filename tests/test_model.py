"""The model of a module: names, scopes, spans, and where code runs."""

import ast
import textwrap

import pytest

from jaxfix.core.errors import SourceError
from jaxfix.core.model import Module, Runs
from jaxfix.core.purity import Constancy, constancy, purity
from jaxfix.core.source import SourceFile


def module_of(text: str) -> Module:
    return Module.parse(SourceFile.decode("example.py", textwrap.dedent(text).encode()))


def call_of(module: Module, name: str) -> ast.Call:
    """The one call of `mark_NAME`, which stands for the place that is asked about."""
    (call,) = (c for c in module.all_calls() if isinstance(c.func, ast.Name) and c.func.id == f"mark_{name}")
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
        ("@unknown\ndef _f():\n    mark_here()\n\n_f()", Runs.EAGER),
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
    assert module.runs(call_of(module, "here")) is runs


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
    assert module.repeats(call_of(module, "here")) is repeats


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
    assert module.differentiated(call_of(module, "inner"))
    assert not module.differentiated(call_of(module, "other"))


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


def test_two_lambdas_on_one_line_are_not_told_apart() -> None:
    module = module_of("def f(a, b):\n    return (lambda: a), (lambda: b)\n")
    assert [module.captures(f) for f in module.functions if isinstance(f, ast.Lambda)] == [None, None]


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("X = 1", "X", Constancy.CONSTANT),
        ("X = (1, -2.0)", "X", Constancy.CONSTANT),
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
    ],
)
def test_what_a_module_level_name_stays(text: str, name: str, expected: Constancy) -> None:
    module = module_of(f"import jax.numpy as jnp\nimport numpy as np\n\n{text}\n")
    assert constancy(module, name, module.tree) is expected


def test_purity_follows_the_functions_that_are_called() -> None:
    module = module_of(
        """
        COUNT = []

        def helper(x):
            COUNT.append(x)
            return x

        def body(x):
            return helper(x)
        """
    )
    body = next(f for f in module.functions if isinstance(f, ast.FunctionDef) and f.name == "body")
    assert purity(module, body).reason is not None


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
