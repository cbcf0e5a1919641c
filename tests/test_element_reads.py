"""Elements that a run has read one by one, where no line of the file says that they are of a JAX array."""

from collections.abc import Callable
from textwrap import dedent

import pytest

from jaxfix.engine.analyze import analyze
from jaxfix.engine.plan import plan
from jaxfix.report.finding import Confidence
from jaxfix.report.trace.hot import Hot, Work
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.source.source_file import SourceFile
from jaxfix_codemods import CODEMODS

UNKNOWN = dedent("""\
    import jax
    import jax.numpy as jnp


    def first(x):
        return [float(v) for v in jnp.sin(x)]


    def shown(graph):
        def mark(cell):
            return "x" if cell == 1.0 else " "

        nodes = graph.nodes.copy()
        return "".join(mark(nodes[i][0]) for i in range(len(nodes)))
    """)


def hot(line: int, *, programs: int = 400) -> Surroundings:
    region = Hot(
        *(Work.TRANSFER, "a.py", None, "shown", line, line, 400, None, 1.0, 0.1),
        programs=programs,
        reads=400,
        puts=0,
        waits=0,
        lines=(),
        chain=(),
    )
    return Surroundings(hot=(region,))


def source(text: str) -> SourceFile:
    return SourceFile.decode("a.py", text.encode())


def test_a_run_says_what_is_an_array() -> None:
    alone = analyze(source(UNKNOWN), CODEMODS)
    assert [found.line for found in alone.diagnostics] == [6]
    *_, found = analyze(source(UNKNOWN), CODEMODS, surroundings=hot(14)).diagnostics
    assert (found.id, found.line, found.fixable, found.confidence) == ("element-reads", 14, True, Confidence.SEEN)


def test_what_only_reads_the_host_says_nothing_of_arrays() -> None:
    seen = analyze(source(UNKNOWN), CODEMODS, surroundings=hot(14, programs=0))
    assert [found.line for found in seen.diagnostics] == [6]


def test_the_fix_is_made_where_the_lines_are_after_other_fixes() -> None:
    patch = plan(source(UNKNOWN), CODEMODS, lambda fix: None, hot(14))
    after = patch.after.decode()
    assert len(patch.applied) == 2 and "import numpy as np" in after
    assert "nodes = np.asarray(graph.nodes.copy())" in after and "for v in np.asarray(jnp.sin(x))" in after
    again = plan(source(after), CODEMODS, lambda fix: None, hot(15))
    assert again.after == patch.after


def test_a_run_does_not_say_that_other_indices_lie_within() -> None:
    text = UNKNOWN.replace("nodes[i][0]", "nodes[2 * i][0]")
    assert (
        "nodes[min(2 * i, nodes.shape[0] - 1)][0]"
        in plan(source(text), CODEMODS, lambda fix: None, hot(14)).after.decode()
    )
    text = UNKNOWN.replace("nodes[i][0]", "nodes[graph.at[i]][0]")
    *_, found = analyze(source(text), CODEMODS, surroundings=hot(14)).diagnostics
    assert (found.id, found.fixable) == ("element-reads", False)
    assert str(found.declined) == "an index of `nodes[graph.at[i]][0]` may lie beyond the end, where NumPy raises"


CLAMPED = dedent("""\
    import jax.numpy as jnp

    def show(m):
        values, table = jnp.arange(5) * 2, jnp.arange(6).reshape(3, 2)
        found = []
        for i in range(m):
            for j in range(-4, m):
                found.append(int(values[i * m + j]))
                found.append(int(table[i - 4, 2 * j]))
                found.append(int(table[i // 2][j - i]))
        for row in jnp.arange(6).reshape(2, 3):
            found.append([int(row[i + 1]) for i in range(m)])
        return found, values + 1
    """)


def test_what_is_clamped_reads_what_jax_reads() -> None:
    after = plan(source(CLAMPED), CODEMODS, lambda fix: None, Surroundings()).after.decode()
    assert after.count("np.asarray") == 3 and "max(min(" in after
    found = []
    for text in (CLAMPED, after):
        names: dict[str, Callable[[int], tuple[object, object]]] = {}
        exec(text, names)
        found.append(names["show"](4)[0])
    assert found[0] == found[1]


def test_a_list_that_a_run_has_read_is_none() -> None:
    text = """\
    import jax

    def train(step, n):
        losses = []
        for i in range(n):
            losses.append(step(i))
        return [float(loss) for loss in losses]
    """
    assert not analyze(source(dedent(text)), CODEMODS, surroundings=hot(7)).diagnostics


@pytest.mark.parametrize(
    "line",
    [
        "return sum(float(x) for x in jax.tree.leaves(params))",  # a list of arrays
        "return [float(x) for x in jax.tree_util.tree_leaves(params)]",
        "return sum(x.size for x in params)",  # a shape, for which nothing waits
        "return [(n, x.shape, x.dtype) for n, x in enumerate(params)]",
    ],
)
def test_trees_and_shapes_are_no_reads_of_elements(line: str) -> None:
    text = f"import jax\n\n\ndef size(params):\n    {line}\n"
    assert not analyze(source(text), CODEMODS, surroundings=hot(5)).diagnostics


BOARD = dedent("""\
    import jax.numpy as jnp
    from elsewhere import Base


    class Board:
        def __init__(self, cells):
            self.cells = cells

        def shown(self):
            for i in range(self.cells.shape[0]):
                print(float(self.cells[i]))
                self.tick()

        def tick(self):
            pass
    """)


@pytest.mark.parametrize(
    ("old", "new", "is_fixed"),
    [
        ("class Board", "class Board", True),
        ("class Board", "class Board(Base)", False),
        ("class Board:\n    def __init__", "class Board(Base):\n    def __init__", False),
        ("            self.tick()\n", "", True),
    ],
)
def test_a_method_of_a_class_in_another_file_may_bind_the_array_anew(old: str, new: str, is_fixed: bool) -> None:
    text = BOARD.replace(old, new)
    line = next(number for number, words in enumerate(text.splitlines(), 1) if "float" in words)
    found = analyze(source(text), CODEMODS, surroundings=hot(line)).diagnostics
    assert any(entry.id == "element-reads" and entry.fixable for entry in found) is is_fixed
