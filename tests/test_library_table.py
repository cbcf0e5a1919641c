"""The library table: its rows, and that no other file holds a list of names of libraries."""

import json
import subprocess
import sys

import pytest

from benchmarks.tables import ROOT, inline, tables
from jaxfix.engine.analyze import analyze
from jaxfix.library import facets
from jaxfix.library.facet import Facet
from jaxfix.library.facets import Dtype, Effect, Member, Result, Setting, Transform, WeakType
from jaxfix.library.table import CONTROL_FLOW, ROWS, dtype_positions, rows, short_names, unfiltered, where
from jaxfix.source.source_file import SourceFile
from jaxfix_codemods import local_jit, unjitted_update

# modules and functions that keep a list of their own, each with the reason
ALONE = {
    "codemods/jaxfix_codemods/jitting/ordered.py: _VIEWS": "methods of dictionaries, by their names alone",
    "codemods/jaxfix_codemods/jitting/ordered.py: _LISTS": "builtins that keep the order of what they go over",
    "codemods/jaxfix_codemods/jitting/ordered.py: _IN_ORDER": "builtins that go over all in order, for it alone",
    "codemods/jaxfix_codemods/jitting/ordered.py: _SUMS": "builtins whose result has no order, for it alone",
    "jaxfix/effects/accessors.py: _COMPUTING": "decorators and makers, by their names alone",
    "codemods/jaxfix_codemods/ragged_batch/loaders.py: _LOADERS": "loaders of torch, with their option, for it alone",
    "codemods/jaxfix_codemods/ragged_batch/loaders.py: _PASSING": "methods by their names, of any library",
    "codemods/jaxfix_codemods/ragged_batch/loaders.py: _SPLITS": "one function, in two packages",
    "codemods/jaxfix_codemods/captured_constant/__init__.py: _KINDS_OF": "two builtins, which it reads one by one",
    "codemods/jaxfix_codemods/captured_constant/__init__.py: _MAKERS": "packages, by the beginning of a name",
    "codemods/jaxfix_codemods/captured_constant/passing.py: _GIVEN": "attributes, some of which no class of jax names",
    "codemods/jaxfix_codemods/host_sync/deferring.py: _READERS": "builtins that keep nothing of a list of numbers",
    "jaxfix/effects/own_state.py: _KNOWN_DECORATORS": "decorators that it reads one by one",
    "jaxfix/effects/stability.py: _LAZY": "builtins whose result is an iterator, which a read uses up",
    "jaxfix/effects/taken_errors.py: _NO_DATA": "errors, by their names alone",
    "jaxfix/effects/liveness.py: KEY_PARAMETERS": "names of parameters",
    "jaxfix/evidence/optimizers.py: USUAL": "dtypes that a program is run with",
    "jaxfix/evidence/outputs.py: _MANTISSA": "numbers of bits, by dtype",
    "jaxfix/render/line_hunks.py: _Change": "the words of `difflib`",
    "jaxfix/motion/selection/elementwise.py: _OPERATIONS": "classes of `ast`, by the function that does the same",
    "codemods/jaxfix_codemods/legacy_parallelism/entering.py: _HARMLESS": "packages, by the beginning of a name",
    "codemods/jaxfix_codemods/legacy_parallelism/entering.py: _PLACES": "what takes no mesh that is entered",
    "codemods/jaxfix_codemods/legacy_parallelism/layouts.py: CONSTRAINTS": "those that place what is traced",
    "codemods/jaxfix_codemods/legacy_parallelism/layouts.py: _ARRAYS": "what makes one array of devices",
    "codemods/jaxfix_codemods/legacy_parallelism/layouts.py: _FLAT": "what lists devices",
    "codemods/jaxfix_codemods/legacy_parallelism/layouts.py: _PLACES": "what takes any sharding, for it alone",
    "codemods/jaxfix_codemods/legacy_parallelism/meshes.py: MESHES": "the names of one class, then and now",
    "codemods/jaxfix_codemods/legacy_parallelism/meshes.py: SHARDINGS": "the names of one class",
    "codemods/jaxfix_codemods/legacy_parallelism/meshes.py: SPECS": "the names of one class, then and now",
    "codemods/jaxfix_codemods/local_jit/__init__.py: _TRANSFORMATIONS": "its own triggers",
    "codemods/jaxfix_codemods/local_loop_function/judging.py: _CONSTANT_FROM": "versions, measured for it alone",
    "codemods/jaxfix_codemods/ragged_batch/changing.py: _EXTREMES": "reductions by their names alone",
    "codemods/jaxfix_codemods/ragged_batch/rows.py: _ABOUT_TYPES": "attributes, of whichever array",
    "codemods/jaxfix_codemods/ragged_batch/loops.py: _ABOUT_SIZES": "attributes, of whichever array",
    "codemods/jaxfix_codemods/ragged_batch/loops.py: _RESHAPES": "one function, in two packages",
    "codemods/jaxfix_codemods/ragged_batch/widths.py: _LONGEST": "one reduction, by its two names",
    "codemods/jaxfix_codemods/growing_array/on_host.py: _REAL": "builtins that refuse all but one real number",
    "codemods/jaxfix_codemods/ragged_batch/loops.py: _ORDERS": "what makes an order of rows, by its name alone",
    "codemods/jaxfix_codemods/ragged_batch/loops.py: _CONVERTING": "packages, by the beginning of a name",
    "codemods/jaxfix_codemods/ragged_batch/steps.py: _JOINING": "what joins lists, of whichever library",
    "codemods/jaxfix_codemods/ragged_batch/steps.py: _LOOPING": "what passes an iterable on, of whichever library",
    "codemods/jaxfix_codemods/remat_scan.py: _LOOPS": "its own triggers",
    "codemods/jaxfix_codemods/static_exponent/__init__.py: _POWERS": "its own triggers",
    "codemods/jaxfix_codemods/weak_state/typed.py: _DTYPES": "what it writes",
    "codemods/jaxfix_codemods/weak_state/told.py: _KIND_OF": "how names of dtypes begin",
    "jaxfix/drivers/surroundings.py: _BOUNDED": "packages, by the names of their distributions",
    "jaxfix/drivers/lsp/settings.py: _NULLABLE": "settings of an editor, one of which is called as a method is",
    "jaxfix/evidence/bare.py: _JITS": "what a fix writes",
    "jaxfix/report/trace/hot.py: _INDEXING": "names of primitives",
    "codemods/jaxfix_codemods/weak_state/typed.py: _CONSTRUCTORS": "its own triggers",
}
ALONE_INLINE = {
    "jaxfix/summary/by_key.py: _is_row_read": "two methods of lists, of which one keeps rows and one drops them",
    "codemods/jaxfix_codemods/host_sync/deferring.py: _may_be_named": "builtins that give numbers of a list of numbers",
    "jaxfix/effects/traceability.py: _callee": "methods of functional objects too",
    "jaxfix/dataflow/init_update_pairs.py: _couples_by_name": "the two methods of a pair, by their names alone",
    "jaxfix/effects/instance_state.py: _methods": "decorators that it reads one by one",
    "jaxfix/semantic/early_exit.py: _start": "the two that take a start as the first of several",
    "jaxfix/summary/rebinding.py: _changed": "the arguments stand in one order in these three",
    "jaxfix/summary/rebinding.py: _put_in_place": "what puts an entry into a dictionary, of all that changes one",
    "codemods/jaxfix_codemods/drifting_state_dtype/starts.py: _is_dtype": "one name, in two packages",
    "codemods/jaxfix_codemods/local_jit/rewriting.py: own_name": "words that make no good name",
    "codemods/jaxfix_codemods/unjitted_update/checks.py: check_called": "methods of loggers, by their names alone",
}
# not installed where the tests run: their names are checked where they are
ABSENT = frozenset(
    {
        *("chex", "diffrax", "flax", "haiku", "hydra", "jaxopt", "lineax", "matplotlib", "optimistix", "pandas"),
        *("tensorflow", "torch", "tqdm", "wandb"),
    }
)
RESOLVE = """
import collections, importlib, json, sys, warnings
import jax

warnings.simplefilter("ignore")
ARRAY = jax.numpy.zeros(1)
OWNERS = {
    "jax.Array": type(ARRAY),
    "jax.Array.at": type(ARRAY.at[0]),
    "collections.namedtuple": collections.namedtuple("Pair", "x"),
}

def exists(name):
    head, _, last = name.rpartition(".")
    if head in OWNERS:
        return hasattr(OWNERS[head], last)
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:cut]))
        except ImportError:
            continue
        for part in parts[cut:]:
            if part in getattr(found, "__dataclass_fields__", ()):
                return True
            if not hasattr(found, part):
                return False
            found = getattr(found, part)
        return True
    return None

print(json.dumps({name: exists(name) for name in json.load(sys.stdin)}))
"""

OPTIMIZED = """
import jax
import jax.numpy as jnp
import optax

tx = optax.adam(0.1)


def loss(x):
    return jnp.sum(x ** 2)


def train(x, steps):
    state = tx.init(x)
    for _ in range(steps):
        updates, state = tx.update(FUNCTION(loss)(x), state)
        x = optax.apply_updates(x, updates)
    return x
"""
MAPPED = """
import jax


def train(batches):
    for batch in batches:
        step = jax.jit(lambda v: v + 1)
        print(FUNCTION(step, batch))
"""


def every_facet() -> list[Facet]:
    groups = (group for group in vars(facets).values() if isinstance(group, type))
    return [facet for group in groups for facet in vars(group).values() if isinstance(facet, Facet)]


def test_a_name_has_one_row() -> None:
    names = [row.name for row in ROWS]
    assert sorted(names) == sorted(set(names))


def test_a_row_says_a_facet_once() -> None:
    assert [row.name for row in ROWS if len(row.facets) != len(set(row.facets))] == []


def test_every_name_exists() -> None:
    """In the installed releases, except what is marked as of others."""
    asked = json.dumps([row.name for row in ROWS if not row.versions])
    done = subprocess.run([sys.executable, "-c", RESOLVE], input=asked, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout.splitlines()[-1])
    assert [name for name, exists in found.items() if exists is False] == []
    assert {name.partition(".")[0] for name, exists in found.items() if exists is None} <= ABSENT


@pytest.mark.parametrize("facet", every_facet(), ids=str)
def test_something_has_each_facet(facet: Facet) -> None:
    later = (Setting.ENABLE_X64, Setting.MATMUL_PRECISION, Setting.DTYPE_PROMOTION)
    assert bool(rows(facet)) is (facet not in later)


def test_a_setting_is_named_as_jax_names_it() -> None:
    options = [facet.option for facet in vars(Setting).values() if isinstance(facet, Facet) and facet.option]
    read = f"import jax; print(sorted(o for o in {options!r} if hasattr(jax.config, o)))"
    done = subprocess.run([sys.executable, "-c", read], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(sorted(options))


def test_no_other_module_lists_names_of_libraries() -> None:
    """A list that is alone is forgotten when a function is added: a facet says what its names have in common."""
    assert {f"{table.path}: {table.name}" for table in tables(ROOT)} == ALONE.keys()


def test_no_other_function_lists_names_of_libraries() -> None:
    assert {f"{table.path}: {table.name}" for table in inline(ROOT)} == ALONE_INLINE.keys()


def test_names_of_builtins_are_bare() -> None:
    assert "functools.cache" in where(Effect.MEMOISES)
    assert {"int", "float"} <= where(Result.IMMUTABLE)


def test_last_parts_are_those_of_the_owners_asked_for() -> None:
    assert "astype" in short_names(WeakType.IGNORED)
    assert "astype" not in short_names(WeakType.IGNORED, "jax.numpy")
    assert {"float", "isnan"} <= short_names(WeakType.IGNORED, "jax.numpy", "builtins")


def test_a_method_is_no_attribute() -> None:
    assert "sum" in short_names(Dtype.KEPT, "jax.Array") - short_names(Member.ATTRIBUTE)
    assert "T" in short_names(Dtype.KEPT, "jax.Array") & short_names(Member.ATTRIBUTE)


def test_a_filtered_transformation_counts_as_the_other() -> None:
    assert unfiltered({"equinox.filter_grad", "jax.hessian"}) == {"grad", "hessian"}


def test_the_place_of_a_dtype() -> None:
    assert dtype_positions(Result.FILLED) == {"zeros": 1, "ones": 1, "empty": 1, "full": 2}


def test_control_flow_says_what_it_calls_and_carries() -> None:
    loops = {name: row.carry.initial.name for name, row in CONTROL_FLOW.items() if row.carry}
    assert loops == {"jax.lax.scan": "init", "jax.lax.while_loop": "init_val", "jax.lax.fori_loop": "init_val"}
    assert CONTROL_FLOW.keys() == where(Transform.CONTROL_FLOW)
    assert all(row.calls for row in CONTROL_FLOW.values())


@pytest.mark.parametrize(
    ("one", "other", "program"), [("jax.jacobian", "jax.jacrev", OPTIMIZED), ("jax.tree_map", "jax.tree.map", MAPPED)]
)
def test_two_names_of_one_function_are_found_alike(one: str, other: str, program: str) -> None:
    """Lists that were written apart knew one of the two."""
    told, expected = (messages(program.replace("FUNCTION", name), name) for name in (one, other))
    assert told == expected != []


def messages(program: str, name: str) -> list[str]:
    found = analyze(SourceFile.decode("a.py", program.encode()), (local_jit.CODEMOD, unjitted_update.CODEMOD)).found
    return [each.finding.message.replace(name, "it") for each in found]
