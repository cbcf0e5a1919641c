"""The verbs of a recipe: what goes in, what comes out, and that nothing else changes."""

import ast
from collections import Counter
from collections.abc import Callable
from itertools import permutations
from typing import TypeVar

import pytest

from jaxfix.report.recipe import Rewriter
from jaxfix.rewrite.rewriter import EditRecorder
from jaxfix.semantic.module import Module
from jaxfix.source.edits import apply_edits
from jaxfix.source.errors import BugError, SourceError
from jaxfix.source.source_file import SourceFile
from jaxfix.source.tokens import comments

Recipe = Callable[[Rewriter, Module], None]
N = TypeVar("N", bound=ast.AST)


def rewritten(text: str, *recipes: Recipe, raw: bytes | None = None) -> str:
    """The text after the recipes, as one; it parses, and has every comment that was there."""
    module = Module.parse(SourceFile.decode("a.py", text.encode() if raw is None else raw))
    recorder = EditRecorder(module)
    for recipe in recipes:
        recipe(recorder, module)
    after = apply_edits(module.source.text, recorder.edits)
    ast.parse(after.decode())
    had, has = (Counter(comment.text for comment in comments(t)) for t in (module.source.text, after))
    assert not had - has
    return module.source.encode(after).decode(module.source.encoding)


def function(module: Module, name: str) -> ast.FunctionDef:
    return next(n for n in ast.walk(module.tree) if isinstance(n, ast.FunctionDef) and n.name == name)


def statement(module: Module, line: int) -> ast.stmt:
    return next(n for n in ast.walk(module.tree) if isinstance(n, ast.stmt) and n.lineno == line)


def node(module: Module, text: str, kind: type[N]) -> N:
    """The last `kind` that reads `text`."""
    found = [n for n in ast.walk(module.tree) if isinstance(n, kind) and module.text(n) == text]
    return max(found, key=lambda n: module.span(n))


def call(module: Module) -> ast.Call:
    return next(n for n in ast.walk(module.tree) if isinstance(n, ast.Call))


# --- replace and wrap -----------------------------------------------------------------------------------------


def replacing(old: str, new: str) -> Recipe:
    return lambda edit, module: edit.replace(node(module, old, ast.expr), new)


def wrapping(text: str, before: str = "jnp.asarray(", after: str = ")") -> Recipe:
    return lambda edit, module: edit.wrap(node(module, text, ast.expr), before, after)


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        ("é = 'ü'; y = a + b\n", "a + b", "c", "é = 'ü'; y = c\n"),
        ("y = (a +\n     b)\n", "a +\n     b", "c", "y = c\n"),
        ("y = (a +\n     b)\n", "a +\n     b", "c()", "y = (c())\n"),
        ("y = 2 ** ( (a) )\n", "a", "c", "y = 2 ** c\n"),
        ("y = f((a), b)\n", "a", "c", "y = f(c, b)\n"),
        ("y = f(a)(b)\n", "a", "c", "y = f(c)(b)\n"),
        ("y = f()(a)\n", "a", "c", "y = f()(c)\n"),
        ("y = f[0](a)\n", "a", "c", "y = f[0](c)\n"),
        ("y = (a, b)\n", "a", "c", "y = (c, b)\n"),
        ("y = (a,)\n", "a", "c", "y = (c,)\n"),
        ("y = (a).b\n", "a", "c", "y = c.b\n"),
        ("y = (  # why\n    a + b\n)\n", "a + b", "c", "y = (  # why\n    c\n)\n"),
        ("y = 1 if(a)else 2\n", "a", "c", "y = 1 if c else 2\n"),
        ("y = a + \\\n  b\n", "a + \\\n  b", "c", "y = c\n"),
        ("y = a\n", "a", "b +\nc", "y = (b +\nc)\n"),
        ("if x:\n    y = a\n", "a", "f(\n    b,\n)", "if x:\n    y = f(\n        b,\n    )\n"),
        ("if x:\n  y = a\n", "a", "f(\n    b,\n)", "if x:\n  y = f(\n    b,\n  )\n"),
        ("def f():\n    return[a]\n", "[a]", "b", "def f():\n    return b\n"),
        ("y = [a]if x else 2\n", "[a]", "b", "y = b if x else 2\n"),
        ("y = f(x for x in z)\n", "(x for x in z)", "[]", "y = f([])\n"),
        ("y = 'a', x\n", "x", 'g("b", "it\'s")', "y = 'a', g('b', \"it's\")\n"),
        ("y = a  # why\n", "a", "b", "y = b  # why\n"),
        ("y = f(g(\n    1,\n  2), z)\n", "f(g(\n    1,\n  2), z)", "h(g(\n    1,\n  2))", "y = h(g(\n    1,\n  2))\n"),
    ],
)
def test_replaced_expression(before: str, old: str, new: str, after: str) -> None:
    assert rewritten(before, replacing(old, new)) == after


def test_replaced_string_keeps_its_lines() -> None:
    text = "if x:\n    y = a\n"
    assert rewritten(text, replacing("a", 'f("""\nkeep\n""")')) == 'if x:\n    y = f("""\nkeep\n""")\n'


def test_replacement_takes_the_newlines_of_the_file() -> None:
    assert rewritten("x = 1\r\ny = a\r\n", replacing("a", "f(\n    b,\n)")) == "x = 1\r\ny = f(\r\n    b,\r\n)\r\n"


def test_same_replacement_twice_is_made_once() -> None:
    assert rewritten("y = a\n", replacing("a", "b"), replacing("a", "b")) == "y = b\n"


def test_two_replacements_of_one_place_are_a_bug() -> None:
    with pytest.raises(BugError, match="changes one place twice"):
        rewritten("y = a\n", replacing("a", "b"), replacing("a", "c"))


def test_replaced_statement_is_indented() -> None:
    text = "def f():\n  @d\n  def g():\n    pass\n  return g\n"
    after = rewritten(text, lambda e, m: e.replace(function(m, "g"), "if x:\n    g = 1\nelse:\n    g = 2"))
    assert after == "def f():\n  if x:\n    g = 1\n  else:\n    g = 2\n  return g\n"


def test_what_is_inserted_between_definitions_is_apart_from_both() -> None:
    after = rewritten("def f(): a\ndef g(): b\n", lambda e, m: e.insert_before(function(m, "g"), "x = 1"))
    assert after == "def f(): a\n\n\nx = 1\n\n\ndef g(): b\n"


def test_what_is_inserted_before_the_first_statement_of_a_cell_is_in_the_cell() -> None:
    text = "a\n# %% two\n# Why.\nb\n"
    after = rewritten(text, lambda e, m: e.insert_before(statement(m, 4), "c"))
    assert after == "a\n# %% two\nc\n# Why.\nb\n"


def test_inserted_lines_are_indented_by_the_tabs_that_they_have() -> None:
    text = "def f():\n\ta = g(\n\t\t1,\n\t)\n"
    after = rewritten(text, lambda e, m: e.insert_before(function(m, "f"), "b = h(\n\t1,\n)"))
    assert after == "b = h(\n\t1,\n)\n\n\n" + text


def test_replaced_statement_of_a_shared_line_gets_its_own() -> None:
    after = rewritten("if x: a; b; c\n", lambda e, m: e.replace(node(m, "b", ast.Expr), "for i in y:\n    b"))
    assert after == "if x:\n    a\n    for i in y:\n        b\n    c\n"


@pytest.mark.parametrize(
    ("before", "text", "after"),
    [
        ("y = a.b\n", "a.b", "y = jnp.asarray(a.b)\n"),
        ("y = a, b\n", "a, b", "y = jnp.asarray((a, b))\n"),
        ("y = (a), (b)\n", "(a), (b)", "y = jnp.asarray(((a), (b)))\n"),
        ("y = (a, b)\n", "(a, b)", "y = jnp.asarray((a, b))\n"),
        ("y = f(x for x in z)\n", "(x for x in z)", "y = f(jnp.asarray((x for x in z)))\n"),
        ("y = (z := 1)\n", "z := 1", "y = (jnp.asarray((z := 1)))\n"),
        ("def f():\n  return[a]\n", "[a]", "def f():\n  return jnp.asarray([a])\n"),
        ("y = f(\n  1,  # é\n)\n", "f(\n  1,  # é\n)", "y = jnp.asarray(f(\n  1,  # é\n))\n"),
    ],
)
def test_wrapped_expression(before: str, text: str, after: str) -> None:
    assert rewritten(before, wrapping(text)) == after


def test_second_wrap_goes_around_the_first() -> None:
    assert rewritten("y = a\n", wrapping("a", "f(", ")"), wrapping("a", "g(", ")")) == "y = g(f(a))\n"


def test_wraps_of_nested_expressions_nest() -> None:
    assert rewritten("y = a.b\n", wrapping("a.b", "f(", ")"), wrapping("a", "g(", ")")) == "y = f(g(a).b)\n"


def test_format_string_is_refused() -> None:
    with pytest.raises(SourceError, match="line 1 cannot be rewritten: it is in an f-string"):
        rewritten("y = f'{a}'\n", replacing("a", "b"))


# --- arguments ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f()", "f(p, q=1)"),
        ("f( )", "f(p, q=1 )"),
        ("f((a))", "f((a), p, q=1)"),
        ("f(a,)", "f(a, p, q=1,)"),
        ("f(a  # c\n  )", "f(a, p, q=1  # c\n  )"),
        ("f(a, # c\n b)", "f(a, # c\n b,\n p,\n q=1)"),
        ("f(\n  a,\n  b  # d\n)", "f(\n  a,\n  b,  # d\n  p,\n  q=1\n)"),
        ("f(\n  a,\n  b, # d\n)", "f(\n  a,\n  b, # d\n  p,\n  q=1,\n)"),
        ("f(\n  a,\n  b,)", "f(\n  a,\n  b,\n  p,\n  q=1,)"),
        ("f(\n  a,  # c\n  # d\n  **k,\n)", "f(\n  a,  # c\n  p,\n  q=1,\n  # d\n  **k,\n)"),
        ("f(a, k=1, **kw)", "f(a, p, k=1, q=1, **kw)"),
        ("f(*a, **k)", "f(*a, p, q=1, **k)"),
        ("f(x for x in y)", "f((x for x in y), p, q=1)"),
        ("f((x for x in y))", "f((x for x in y), p, q=1)"),
        ("f(\n  # just\n)", "f(p, q=1\n  # just\n)"),
        ("f('é', g(1))", "f('é', g(1), p, q=1)"),
        ("f(a, \\\n b)", "f(a, \\\n b,\n p,\n q=1)"),
        ("f(k=lambda: 0)", "f(p, k=lambda: 0, q=1)"),
    ],
)
def test_further_arguments(before: str, after: str) -> None:
    recipes: tuple[Recipe, Recipe] = (
        lambda e, m: e.set_keyword(call(m), "q", "1"),
        lambda e, m: e.insert_argument(call(m), "p"),
    )
    assert rewritten(before, *recipes) == after
    assert rewritten(before.replace("\n", "\r\n"), *recipes) == after.replace("\n", "\r\n")


def test_keyword_that_is_there_changes_its_value() -> None:
    assert rewritten("f(a, q=(2), r=3)\n", lambda e, m: e.set_keyword(call(m), "q", "1")) == "f(a, q=(1), r=3)\n"


def test_keyword_set_twice_has_the_last_value() -> None:
    after = rewritten("f()\n", *(lambda e, m, v=v: e.set_keyword(call(m), "q", v) for v in "12"))
    assert after == "f(q=2)\n"


def test_positional_argument_after_starred_one_behind_keyword_is_refused() -> None:
    with pytest.raises(SourceError, match="a positional argument follows a keyword"):
        rewritten("f(k=1, *a)\n", lambda e, m: e.insert_argument(call(m), "p"))


def test_argument_goes_behind_a_wrapped_one() -> None:
    after = rewritten("f(a)\n", lambda e, m: e.insert_argument(call(m), "p"), wrapping("a", "g(", ")"))
    assert after == "f(g(a), p)\n"


# --- line length ----------------------------------------------------------------------------------------------

LONG = "def init():\n  return State(count=jnp.asarray(0), rate=jnp.asarray(0.1), trace=jnp.zeros(()))\n"


def typing_all(edit: Rewriter, module: Module) -> None:
    for found in ast.walk(module.tree):
        if isinstance(found, ast.Call) and module.text(found.func) == "jnp.asarray":
            edit.set_keyword(found, "dtype", "jnp.float32")


SHORT = "first = some_function(\n    an_argument, another_argument, 'a text to be long', 17171717\n)\n"
"""Broken though it would fit into 88 columns: the file keeps to 79."""


def narrow(text: str, *recipes: Recipe) -> str:
    """As `rewritten`, in a file that keeps to 79 columns."""
    after = rewritten(text + SHORT, *recipes)
    assert after.endswith(SHORT)
    return after.removesuffix(SHORT)


def test_a_file_of_short_lines_is_formatted_as_formatters_do() -> None:
    text, long = "y = f(a)\n", "b" * 78
    assert rewritten(text, replacing("a", long)) == f"y = f({long})\n"
    assert narrow(text, replacing("a", long)) == f"y = f(\n    {long}\n)\n"


def test_line_that_becomes_too_long_is_broken_inside_brackets() -> None:
    text = LONG.replace(", trace=jnp.zeros(())", "").replace("count", "the_count")
    assert rewritten(text, typing_all) == (
        "def init():\n"
        "  return State(\n"
        "    the_count=jnp.asarray(0, dtype=jnp.float32), rate=jnp.asarray(0.1, dtype=jnp.float32)\n"
        "  )\n"
    ).replace(", rate", ",\n    rate").replace("32)\n", "32),\n")
    assert rewritten(text.replace("rate", "r").replace("the_count", "counts"), typing_all) == (
        "def init():\n"
        "  return State(\n"
        "    counts=jnp.asarray(0, dtype=jnp.float32), r=jnp.asarray(0.1, dtype=jnp.float32)\n"
        "  )\n"
    )


def test_line_far_too_long_is_broken_at_each_comma() -> None:
    assert rewritten(LONG, typing_all) == (
        "def init():\n"
        "  return State(\n"
        "    count=jnp.asarray(0, dtype=jnp.float32),\n"
        "    rate=jnp.asarray(0.1, dtype=jnp.float32),\n"
        "    trace=jnp.zeros(()),\n"
        "  )\n"
    )


def test_comprehension_far_too_long_is_broken_at_its_clauses() -> None:
    text = "losses.extend({'step': step, 'a': b} for step, a in fetched if a)\n"
    long = "float(the_first_value) * the_first_weight + float(the_second_value) * the_second_weight"
    assert rewritten(text, replacing("b", long)) == (
        f"losses.extend(\n    {{'step': step, 'a': {long}}}\n    for step, a in fetched\n    if a\n)\n"
    )


def test_broken_line_hangs_as_those_of_the_file() -> None:
    text = "x = f(\n    1\n)\n" + LONG
    assert "\n  return State(\n      count=jnp.asarray(0, dtype=jnp.float32),\n" in rewritten(text, typing_all)


def test_line_is_broken_in_the_last_brackets_that_hold_a_change() -> None:
    text = "    rate = ((1 - beta_two**count) ** 0.5) / (1 - beta_one**count)\n"
    recipes = [wrapping(power, "(", " * 1.0)") for power in ("beta_two**count", "beta_one**count")]
    assert narrow("if x:\n" + text, *recipes) == (
        "if x:\n    rate = ((1 - (beta_two**count * 1.0)) ** 0.5) / (\n        1 - (beta_one**count * 1.0)\n    )\n"
    )


def test_arguments_inserted_into_a_broken_call_are_broken_too() -> None:
    def adding(edit: Rewriter, module: Module) -> None:
        for name in ("first_operand", "second_operand", "third_operand"):
            edit.insert_argument(call(module), name)

    text = "y = cond(\n    predicate, branch_that_is_taken, branch_that_is_not_taken\n)\n"
    lines = ["predicate", "branch_that_is_taken", "branch_that_is_not_taken"]
    lines += ["first_operand", "second_operand", "third_operand"]
    assert rewritten(text, adding) == "y = cond(\n    " + ",\n    ".join(lines) + "\n)\n"


def test_lambda_is_not_broken_at_the_commas_of_its_parameters() -> None:
    text = "y = f(lambda first_parameter, second_parameter: first_parameter + value)\n"
    long = "function_with_a_long_name(second_parameter, second_parameter)"
    assert rewritten(text, replacing("value", long)) == f"y = f(\n    {text[6:-7]}{long}\n)\n"


def test_comments_and_docstrings_say_nothing_of_indentation_and_width() -> None:
    text = f"if x:\n    '''Doc.\n\n  {'far ' * 30}\n    '''\n    a\n"
    after = rewritten(text + LONG.replace("  return", "    return"), typing_all)
    assert "\n    return State(\n        count=jnp.asarray(0, dtype=jnp.float32),\n" in after


def test_replacement_too_long_is_broken_in_its_own_brackets() -> None:
    arguments = ", ".join(["argument"] * 7)
    after = rewritten("if x:\n    result = a\n", replacing("a", f"function({arguments})"))
    assert after == f"if x:\n    result = function(\n        {arguments}\n    )\n"


def test_replacement_far_too_long_has_an_item_on_each_line() -> None:
    after = rewritten("if x:\n    result = a\n", replacing("a", f"({', '.join(['argument'] * 12)})"))
    assert after == "if x:\n    result = (\n" + "        argument,\n" * 12 + "    )\n"


def test_line_that_was_too_long_is_left_in_one_piece() -> None:
    text = f"{'x' * 119} = 1\n" * 3 + "y = f(a)\n"
    assert rewritten(text, replacing("a", "b" * 130)) == text.replace("(a)", f"({'b' * 130})")


def test_comment_behind_the_code_does_not_excuse_its_width() -> None:
    text = f"y = f(a)  # {'why ' * 30}\n"
    assert narrow(text, replacing("a", "b" * 80)) == text.replace("(a)", f"(\n    {'b' * 80}\n)")


@pytest.mark.parametrize("comment", ["# type: ignore[arg-type]", "# noqa: E501", "# why  # pylint: disable=x"])
def test_line_that_a_tool_is_told_of_is_left_in_one_piece(comment: str) -> None:
    text = f"y = f(a)  {comment}\n"
    assert rewritten(text, replacing("a", "b" * 80)) == text.replace("(a)", f"({'b' * 80})")


# --- statements -----------------------------------------------------------------------------------------------


def before(line: int, text: str) -> Recipe:
    return lambda edit, module: edit.insert_before(statement(module, line), text)


def after(line: int, text: str) -> Recipe:
    return lambda edit, module: edit.insert_after(statement(module, line), text)


def deleting(line: int) -> Recipe:
    return lambda edit, module: edit.delete(statement(module, line))


@pytest.mark.parametrize(
    ("text", "recipe", "result"),
    [
        ("if x:\n  # c\n  a\n", before(3, "b = 1"), "if x:\n  b = 1\n  # c\n  a\n"),
        ("if x:\n\ta\n", before(2, "if y:\n    b"), "if x:\n\tif y:\n\t\tb\n\ta\n"),
        ("if x: a; b\n", lambda e, m: e.insert_before(node(m, "b", ast.Expr), "c"), "if x:\n    a\n    c\n    b\n"),
        ("a; b\n", lambda e, m: e.insert_after(node(m, "a", ast.Expr), "c"), "a\nc\nb\n"),
        ("x = 1  # c\ny = 2\n", after(1, "z = 3"), "x = 1  # c\nz = 3\ny = 2\n"),
        ("if x:\n    a\n    # c\nb\n", after(1, "z"), "if x:\n    a\n    # c\nz\nb\n"),
        ("import a\n\n\ndef f():\n  pass\n", before(4, "X = 1"), "import a\n\n\nX = 1\n\n\ndef f():\n  pass\n"),
        ("x = 1\ny = 2\n", before(2, "def f():\n    pass"), "x = 1\n\n\ndef f():\n    pass\n\n\ny = 2\n"),
        ("s = '''\n# no'''\nx = 1\n", before(3, "y = 2"), "s = '''\n# no'''\ny = 2\nx = 1\n"),
    ],
)
def test_inserted_statement(text: str, recipe: Recipe, result: str) -> None:
    assert rewritten(text, recipe) == result
    assert rewritten(text.replace("\n", "\r"), recipe) == result.replace("\n", "\r")


def test_statement_is_inserted_at_the_end_of_a_file_without_newline() -> None:
    assert rewritten("x = 1", after(1, "z = 3")) == "x = 1\nz = 3"


def test_nothing_stands_before_an_elif() -> None:
    with pytest.raises(SourceError, match="nothing can be inserted before an `elif`"):
        rewritten("if x:\n  a\nelif y:\n  b\n", before(3, "c"))


def test_inserted_line_too_long_is_broken() -> None:
    text = f"jitted = jax.jit({', '.join(['argument'] * 7)})"
    assert narrow("x = 1\n", before(1, text)).splitlines()[:2] == ["jitted = jax.jit(", "    " + text[17:-1]]


@pytest.mark.parametrize(
    ("text", "recipe", "result"),
    [
        ("if x:\n  a\n", deleting(2), "if x:\n  pass\n"),
        ("if x:\n  a  # c\n  b\n", deleting(2), "if x:\n  # c\n  b\n"),
        ("if x:\n  a = f(1,  # c\n  2)\n", deleting(2), "if x:\n  # c\n  pass\n"),
        ("a; b\n", lambda e, m: e.delete(node(m, "a", ast.Expr)), "b\n"),
        ("a; b  # c\n", lambda e, m: e.delete(node(m, "b", ast.Expr)), "a  # c\n"),
        ("if x: a\n", lambda e, m: e.delete(node(m, "a", ast.Expr)), "if x: pass\n"),
        ("a\n\nb\n\nc\n", deleting(3), "a\n\nc\n"),
        ("def f():\n  a\n\n  b\n\n\nc\n", deleting(4), "def f():\n  a\n\n\nc\n"),
    ],
)
def test_deleted_statement(text: str, recipe: Recipe, result: str) -> None:
    assert rewritten(text, recipe) == result


def test_of_many_statements_in_a_row_one_gap_is_left() -> None:
    text = "def f():\n  a\n\n  b\n  c\n  d\n\n  e\n"
    assert rewritten(text, deleting(4), deleting(5), deleting(6)) == "def f():\n  a\n\n  e\n"


def test_block_whose_statements_all_go_becomes_pass() -> None:
    assert rewritten("if x:\n  a\n\n  b\nc\n", deleting(2), deleting(4)) == "if x:\n  pass\nc\n"


def test_block_that_gets_another_statement_needs_no_pass() -> None:
    assert rewritten("if x:\n  a\nc\n", deleting(2), after(2, "b")) == "if x:\n  b\nc\n"


# --- hoist ----------------------------------------------------------------------------------------------------


def hoisting(name: str, above: str, new: str, *parameters: str) -> Recipe:
    return lambda edit, module: edit.hoist(function(module, name), function(module, above), new, parameters)


NESTED = '''import jax


@jax.jit
def outer(x):
    """Doc."""

    # adds one
    @jax.named_call
    def body(c):
        """Adds.

        Much.
        """
        s = """
      keep é
        """
        if c:
            return body(c - 1)  # again

        return f(c, 0,
            s)
        # tail

    return loop(body, x)
'''

HOISTED = '''import jax


# adds one
@jax.named_call
def _body(p, c):
    """Adds.

    Much.
    """
    s = """
      keep é
        """
    if c:
        return _body(c - 1)  # again

    return f(c, 0,
        s)
    # tail


@jax.jit
def outer(x):
    """Doc."""

    return loop(_body, x)
'''


def using(name: str, new: str) -> Recipe:
    return lambda edit, module: edit.replace(node(module, name, ast.Name), new)


def test_hoisted_function_moves_with_its_comments_and_calls_itself_by_its_new_name() -> None:
    assert rewritten(NESTED, hoisting("body", "outer", "_body", "p"), using("body", "_body")) == HOISTED


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_hoist_keeps_the_newlines(newline: str) -> None:
    after = rewritten(NESTED.replace("\n", newline), hoisting("body", "outer", "_body", "p"), using("body", "_body"))
    assert after == HOISTED.replace("\n", newline)


@pytest.mark.parametrize("unit", ["  ", "\t"])
def test_hoist_keeps_the_indentation_unit(unit: str) -> None:
    text = "def outer():\n    def body():\n        if x:\n            y\n    return body\n"
    result = "def _body():\n    if x:\n        y\n\n\ndef outer():\n    return _body\n"
    after = rewritten(text.replace("    ", unit), hoisting("body", "outer", "_body"), using("body", "_body"))
    assert after == result.replace("    ", unit)


@pytest.mark.parametrize(
    ("header", "result"),
    [
        ("def body():", "def _body(p, q):"),
        ("def body(a):", "def _body(p, q, a):"),
        ("def body(*, a):", "def _body(p, q, *, a):"),
        ("def body(a, /, b=(1, 2)):", "def _body(p, q, a, /, b=(1, 2)):"),
        ("def body(\n      a,  # c\n      b,\n  ):", "def _body(\n    p,\n    q,\n    a,  # c\n    b,\n):"),
        ("def body(  # c\n      a):", "def _body(  # c\n    p,\n    q,\n    a):"),
        ("def body(  # c\n  ):", "def _body(p, q  # c\n):"),
    ],
)
def test_parameters_go_in_front(header: str, result: str) -> None:
    text = f"def outer():\n  x = 1\n  {header}\n      return 1\n"
    after = rewritten(text, hoisting("body", "outer", "_body", "p", "q"))
    assert after.split("\n    return 1")[0] == result


def test_header_too_long_is_broken() -> None:
    text = "def outer():\n    def body(carry):\n        return 1\n    return 2\n"
    name = "_outer_body_with_a_name_that_is_rather_long"
    after = narrow(text, hoisting("body", "outer", name, "learning_rate", "momentum_decay"))
    assert after.startswith(f"def {name}(\n    learning_rate, momentum_decay, carry\n):\n    return 1\n")


def test_last_statement_of_a_block_leaves_pass() -> None:
    text = "def f():\n    def g(): return 1\n\n\ndef h(): pass\n"
    assert rewritten(text, hoisting("g", "f", "_g")) == (
        "def _g(): return 1\n\n\ndef f():\n    pass\n\n\ndef h(): pass\n"
    )


def test_hoist_within_a_function_leaves_one_blank_line() -> None:
    text = "def f():\n    x = 1\n    for i in y:\n        def g():\n            return 1\n        i(g)\n"
    after = rewritten(text, lambda e, m: e.hoist(function(m, "g"), statement(m, 3), "g"))
    assert after == "def f():\n    x = 1\n\n    def g():\n        return 1\n\n    for i in y:\n        i(g)\n"


def test_name_that_is_bound_anew_inside_is_not_renamed() -> None:
    text = "def f():\n  def g(x):\n    h = lambda g: g\n    return g(h)\n  return 1\n"
    assert "h = lambda g: g\n  return _g(h)" in rewritten(text, hoisting("g", "f", "_g"))


def test_changes_inside_move_along() -> None:
    text = "def f():\n    def g(x):\n        a = h(x)\n        b\n        return a\n    return g\n"
    after = rewritten(
        text,
        hoisting("g", "f", "_g"),
        lambda e, m: e.insert_argument(call(m), "1"),
        wrapping("h(x)", "k(", ")"),
        lambda e, m: e.insert_before(statement(m, 5), "if a:\n    c"),
        deleting(4),
        using("g", "_g"),
    )
    assert after == (
        "def _g(x):\n    a = k(h(x, 1))\n    if a:\n        c\n    return a\n\n\ndef f():\n    return _g\n"
    )


def test_two_functions_move_in_order() -> None:
    text = "def f():\n  def a(x):\n    return x + x\n\n  def b():\n    return 1\n\n  return a\n"
    assert rewritten(text, hoisting("a", "f", "_a"), hoisting("b", "f", "_b")) == (
        "def _a(x):\n  return x + x\n\n\ndef _b():\n  return 1\n\n\ndef f():\n  return a\n"
    )


def test_function_moves_out_of_one_that_moves() -> None:
    text = "def f():\n  def a():\n    def b():\n      return 1\n    return b\n  return a\n"
    assert rewritten(text, hoisting("b", "f", "_b"), hoisting("a", "f", "_a"), using("b", "_b")) == (
        "def _b():\n  return 1\n\n\ndef _a():\n  return _b\n\n\ndef f():\n  return a\n"
    )


def test_form_feed_and_continuations_survive() -> None:
    text = "x = 1\n\x0c\ndef f():\n    def g():\n        y = 1 + \\\n  2\n        return y\n    return g\n"
    after = rewritten(text, hoisting("g", "f", "_g"))
    assert after == ("x = 1\n\x0c\n\ndef _g():\n    y = 1 + \\\n  2\n    return y\n\n\ndef f():\n    return g\n")


def test_header_of_the_file_stays_on_top() -> None:
    text = "#!/usr/bin/env python\n# coding: utf-8\ndef f():\n    def g():\n        return 1\n    return g\n"
    after = rewritten(text, hoisting("g", "f", "_g"), importing("jax.numpy", "jnp"))
    assert after.startswith("#!/usr/bin/env python\n# coding: utf-8\nimport jax.numpy as jnp\n\n\ndef _g():\n")


# --- imports --------------------------------------------------------------------------------------------------


def importing(qualname: str, prefer: str, line: int | None = None) -> Recipe:
    def recipe(edit: Rewriter, module: Module) -> None:
        at = None if line is None else statement(module, line)
        edit.insert_after(module.tree.body[-1], edit.imported(qualname, prefer=prefer, at=at))

    return recipe


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("import jax.numpy as np\nx\n", "import jax.numpy as np\nx\nnp\n"),
        ("from jax import numpy as jn\nx\n", "from jax import numpy as jn\nx\njn\n"),
        ("import jax.numpy\nx\n", "import jax.numpy\nx\njax.numpy\n"),
        ("import jax\nx\n", "import jax\nimport jax.numpy as jnp\nx\njnp\n"),
        ("import jax\nfrom jax import lax\nx\n", "import jax\nimport jax.numpy as jnp\nfrom jax import lax\nx\njnp\n"),
        ("import os\n\nimport optax\nx\n", "import os\n\nimport jax.numpy as jnp\nimport optax\nx\njnp\n"),
        ("import os  # c\nx\n", "import os  # c\n\nimport jax.numpy as jnp\nx\njnp\n"),
        ("from . import a\nx\n", "import jax.numpy as jnp\n\nfrom . import a\nx\njnp\n"),
        ('"""Doc."""\nx\n', '"""Doc."""\n\nimport jax.numpy as jnp\nx\njnp\n'),
        (
            '"""Doc."""\nfrom __future__ import annotations\nx\n',
            '"""Doc."""\nfrom __future__ import annotations\n\nimport jax.numpy as jnp\nx\njnp\n',
        ),
        ("x\n", "import jax.numpy as jnp\n\nx\njnp\n"),
        ("import jax\njnp = 1\n", "import jax\nimport jax.numpy as jnp_2\njnp = 1\njnp_2\n"),
        (
            "import typing\nif typing.TYPE_CHECKING:\n  import jax.numpy as np\nx\n",
            "import typing\n\nimport jax.numpy as jnp\nif typing.TYPE_CHECKING:\n  import jax.numpy as np\nx\njnp\n",
        ),
    ],
)
def test_imported_module(text: str, result: str) -> None:
    assert rewritten(text, importing("jax.numpy", "jnp")) == result


@pytest.mark.parametrize("order", [*permutations((("functools", "functools"), ("jax", "jax"), ("numpy", "np")))])
@pytest.mark.parametrize(
    ("text", "result"),
    [
        (
            "import jax.numpy as jnp\nx\n",
            "import functools\n\nimport jax\nimport jax.numpy as jnp\nimport numpy as np\n",
        ),
        ("import os\nx\n", "import functools\nimport os\n\nimport jax\nimport numpy as np\n"),
        ("import optax\nx\n", "import functools\n\nimport jax\nimport numpy as np\nimport optax\n"),
        ('"""Doc."""\nx\n', '"""Doc."""\n\nimport functools\n\nimport jax\nimport numpy as np\n'),
        ("from . import a\nx\n", "import functools\n\nimport jax\nimport numpy as np\n\nfrom . import a\n"),
    ],
)
def test_imports_of_one_recipe_are_in_order(text: str, result: str, order: tuple[tuple[str, str], ...]) -> None:
    after = rewritten(text, *(importing(qualname, prefer) for qualname, prefer in order))
    assert after.startswith(f"{result}x\n")


def test_submodule_is_imported_by_its_own_name() -> None:
    assert rewritten("import jax\n", importing("jax.lax", "lax")) == "import jax\nfrom jax import lax\nlax\n"


def test_alias_that_is_shadowed_at_the_place_is_not_used() -> None:
    text = "import jax.numpy as np\ndef f(np):\n  return np\n"
    assert rewritten(text, importing("jax.numpy", "jnp", line=3)) == (
        "import jax.numpy as np\nimport jax.numpy as jnp\ndef f(np):\n  return np\n\n\njnp\n"
    )
    assert rewritten(text, importing("jax.numpy", "jnp", line=2)) == text + "\n\nnp\n"


def test_two_recipes_import_by_the_same_edit() -> None:
    module = Module.parse(SourceFile.decode("a.py", b"import jax\nx = 1\n"))
    first, second = EditRecorder(module), EditRecorder(module)
    for recorder in (first, second):
        recorder.imported("jax.numpy", prefer="jnp")
        recorder.imported("jax.numpy", prefer="jnp")
    assert first.edits == second.edits
    assert len(first.edits) == 1


def test_import_and_definition_at_one_place_both_stand() -> None:
    text = "def f():\n    def g():\n        return 1\n    return g\n"
    after = rewritten(text, hoisting("g", "f", "_g"), importing("jax.numpy", "jnp"))
    assert after.startswith("import jax.numpy as jnp\n\n\ndef _g():\n    return 1\n\n\ndef f():\n    return g\n")


# --- files ----------------------------------------------------------------------------------------------------


def test_byte_order_mark_and_encoding_are_kept() -> None:
    assert rewritten("", replacing("a", "b"), raw=b"\xef\xbb\xbfx = '\xc3\xa9', a\n") == "\ufeffx = 'é', b\n"
    text = "# coding: latin-1\nx = f('é', a)\n"
    after = rewritten("", lambda e, m: e.insert_argument(call(m), "b"), raw=text.encode("latin-1"))
    assert after == "# coding: latin-1\nx = f('é', a, b)\n"


@pytest.mark.parametrize("text", ["f(a)\n\n ", "\x0cf(a)\n", "x\n\x0c\nf(a)\n\x0c", "f(a)\r\n\rx\n", "f(a)\n# end"])
def test_text_that_libcst_loses_is_rewritten_all_the_same(text: str) -> None:
    after = rewritten(text, lambda e, m: e.insert_argument(call(m), "b"))
    assert after == text.replace("(a)", "(a, b)")


def test_only_the_edited_bytes_change() -> None:
    module = Module.parse(SourceFile.decode("a.py", NESTED.encode()))
    recorder = EditRecorder(module)
    hoisting("body", "outer", "_body", "p")(recorder, module)
    inside = [(edit.span.start, edit.span.end) for edit in recorder.edits]
    removed = module.source.text[slice(*inside[1])].decode()
    assert inside[0] == (NESTED.index("@jax.jit"),) * 2
    assert removed == NESTED[NESTED.index("    # adds one") : NESTED.index("    return loop")]


def test_what_stands_below_hoisted_functions_can_use_them() -> None:
    def recipe(edit: Rewriter, module: Module) -> None:
        edit.insert_before(function(module, "f"), "_g = wrap(_f_g)", below_hoisted=True)
        edit.hoist(function(module, "g"), function(module, "f"), "_f_g")

    text = "import a\n\n\ndef f():\n    def g():\n        return 1\n\n    return g\n"
    assert rewritten(text, recipe) == (
        "import a\n\n\ndef _f_g():\n    return 1\n\n\n_g = wrap(_f_g)\n\n\ndef f():\n    return g\n"
    )


# --- loops that become functions ------------------------------------------------------------------------------


def into_function(head: str = "def body(i, x):") -> Recipe:
    def recipe(edit: Rewriter, module: Module) -> None:
        loop = next(n for n in ast.walk(module.tree) if isinstance(n, ast.For))
        edit.into_function(loop, head, "return x", "x = run(body, x)")

    return recipe


def test_the_block_of_a_loop_stays_as_it_is() -> None:
    block = "        # a\n        x = f(\n            x)  # b\n        # c\n"
    text = f"def g(x):\n    y = 1\n    for i in h(a[1:2], lambda: 3):  # d\n{block}    # e\n    return x\n"
    tail = "        return x\n\n    x = run(body, x)\n    # e\n    return x\n"
    assert rewritten(text, into_function()) == f"def g(x):\n    y = 1\n\n    def body(i, x):  # d\n{block}{tail}"


def test_a_loop_that_shares_a_line_is_no_function() -> None:
    for text in (
        "def g(x):\n    for i in h: x = f(x)\n    return x\n",
        "def g(x):\n    y = 1; for_ = 2\n    for i in h: x = 1\n",
    ):
        with pytest.raises(SourceError, match="shares a line"):
            rewritten(text, into_function())


# --- decorate ---------------------------------------------------------------------------------------------------


def decorating(name: str, expression: str = "jax.jit") -> Recipe:
    return lambda edit, module: edit.decorate(function(module, name), expression)


def test_a_decorator_stands_below_the_comments_of_the_definition() -> None:
    text = "x = 1\n\n\n# what it does\ndef step(p):\n    return p\n"
    assert rewritten(text, decorating("step")) == text.replace("def step", "@jax.jit\ndef step")


def test_a_decorator_stands_outside_of_those_that_are_there() -> None:
    text = "class A:\n    @staticmethod\n    def step(p): return p\n"
    assert rewritten(text, decorating("step")) == text.replace("@static", "@jax.jit\n    @static")


def test_a_decorator_follows_what_is_put_before_the_definition() -> None:
    def before(edit: Rewriter, module: Module) -> None:
        edit.insert_before(function(module, "step"), "y = 2")

    text = "x = 1\n\n\ndef step(p):\n    return p\n"
    expected = "x = 1\n\n\ny = 2\n\n\n@jax.jit\ndef step(p):\n    return p\n"
    assert rewritten(text, decorating("step"), before) == expected
    assert rewritten(text, before, decorating("step")) == expected
