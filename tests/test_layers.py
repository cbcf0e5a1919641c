"""Who imports whom, read in the sources, and what a process really loads."""

import ast
import graphlib
import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
# they travel to the user's interpreter, where there is no jaxfix
PROBES = ("jaxfix.evidence.probe",)
# text that is put beside the user's code: nothing here imports it
GENERATED = ("jaxfix.rewrite.helpers",)

# the lowest first: each may import itself and those before it, for typing too
ROOMS = tuple(
    f"jaxfix.{name}"
    for name in (
        *("source", "library", "syntax", "report", "semantic"),
        *("staging", "dataflow", "effects", "motion", "summary"),
    )
)
BUDGET = "jaxfix.dataflow.budget"
SOLVER = "jaxfix.dataflow.solver"
"""Both know nothing of what is solved for, and so may be used below their room."""
# room: the prefixes of what it may import beside the standard library
TABLE = {
    **{room: (*ROOMS[: place + 1], SOLVER, BUDGET) for place, room in enumerate(ROOMS)},
    SOLVER: (BUDGET,),
    BUDGET: (),
    "jaxfix.rewrite": (*ROOMS, "jaxfix.rewrite", "libcst"),
    "jaxfix.rewrite.helpers": ("jax", "numpy"),
    "jaxfix.engine": (*ROOMS, "jaxfix.rewrite", "jaxfix.engine"),
    "jaxfix.evidence": (*ROOMS, "jaxfix.evidence"),
    "jaxfix.evidence.fleet": (*ROOMS, "jaxfix.evidence", "dask", "distributed"),
    "jaxfix.render": (*ROOMS, "jaxfix.render", "rich"),
    "jaxfix.drivers": ("jaxfix", "typer", "rich", "pathspec", "platformdirs", "pygls", "lsprotocol"),
    "jaxfix.drivers.review": ("jaxfix", "starlette", "uvicorn"),
    "jaxfix.drivers.mcp": ("jaxfix", "mcp", "pydantic", "anyio"),
    "jaxfix.drivers.workflow": ("jaxfix",),
    "jaxfix.api": ROOMS,
    "jaxfix.docs": (*ROOMS, "jaxfix.engine", "jaxfix.docs"),
    "jaxfix.docs.__main__": ("jaxfix",),
    "jaxfix.testing": (*ROOMS, "jaxfix.engine", "jaxfix.drivers.files"),
    "jaxfix.__main__": ("jaxfix",),
    "jaxfix.pytest_plugin": ("jaxfix", "pytest", "pluggy"),
    "jaxfix": (),
    "jaxfix_codemods": ("jaxfix.api",),
}
# these alone may import it
OWNERS = {
    "libcst": ("jaxfix.rewrite",),
    "typer": ("jaxfix.drivers.cli.app",),
    "pathspec": ("jaxfix.drivers.walking",),
    "platformdirs": ("jaxfix.drivers.trust", "jaxfix.drivers.shelf", "jaxfix.drivers.cli.cache"),
    "pygls": ("jaxfix.drivers.lsp",),
    "lsprotocol": ("jaxfix.drivers.lsp",),
    "starlette": ("jaxfix.drivers.review.server", "jaxfix.drivers.review.guard"),
    "dask": ("jaxfix.evidence.fleet.dask",),
    "distributed": ("jaxfix.evidence.fleet.dask",),
    "uvicorn": ("jaxfix.drivers.review.serving",),
    "mcp": ("jaxfix.drivers.mcp",),
    "pydantic": ("jaxfix.drivers.mcp",),
    "anyio": ("jaxfix.drivers.mcp",),
    "pytest": ("jaxfix.pytest_plugin",),
    "jax": (*PROBES, *GENERATED),
    "jaxlib": PROBES,
    "numpy": (*PROBES, *GENERATED),
    "optax": PROBES,
}


def sources() -> dict[str, Path]:
    found = {}
    for base in (ROOT / "jaxfix", ROOT / "codemods" / "jaxfix_codemods"):
        for path in sorted(base.rglob("*.py")):
            parts = path.relative_to(base.parent).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


SOURCES = sources()


def imports(name: str, *, for_types: bool = False) -> Iterator[str]:
    """Everything that the module imports, wherever in it, by full name; `for_types` counts `if TYPE_CHECKING:` too."""
    tree = ast.parse(SOURCES[name].read_bytes())
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (for_types or not is_for_types(node, tree)):
            module = origin(name, node)
            for alias in node.names:
                full = f"{module}.{alias.name}"
                yield full if full in SOURCES else module


def origin(name: str, node: ast.ImportFrom) -> str:
    """What is imported from; only the probe, which travels under another name, imports relatively."""
    if node.level == 0:
        return str(node.module)
    assert node.level == 1 and within(name, PROBES), f"{name} imports relatively"
    package = name if SOURCES[name].name == "__init__.py" else name.rpartition(".")[0]
    return f"{package}.{node.module}" if node.module else package


def is_for_types(node: ast.ImportFrom, tree: ast.Module) -> bool:
    """Whether the import is in an `if TYPE_CHECKING:` of the module, so that nothing runs it."""
    guards = (entry for entry in tree.body if isinstance(entry, ast.If) and ast.unparse(entry.test) == "TYPE_CHECKING")
    return any(node in guard.body for guard in guards)


def within(name: str, prefixes: tuple[str, ...]) -> bool:
    return any(name == prefix or name.startswith(f"{prefix}.") for prefix in prefixes)


def room(name: str) -> str:
    rooms = [entry for entry in TABLE if within(name, (entry,)) and (entry != "jaxfix" or name == "jaxfix")]
    assert rooms, f"{name} is in no room of the table"
    return max(rooms, key=len)


def is_standard(name: str) -> bool:
    return name.partition(".")[0] in sys.stdlib_module_names


@pytest.mark.parametrize("name", sorted(SOURCES))
def test_a_module_imports_what_its_room_may(name: str) -> None:
    allowed = TABLE[room(name)]
    if within(name, PROBES):
        allowed = (*PROBES, "jaxfix_probe", "jax", "jaxlib", "numpy")
    if name == "jaxfix_codemods":
        allowed = ("jaxfix_codemods", "jaxfix.api")
    elif within(name, ("jaxfix_codemods",)):
        own = ".".join(name.split(".")[:2])  # a codemod may be a package of its own
        shared = tuple(
            f"jaxfix_codemods.{each}" for each in ("jitting", "callers", "collecting", "following", "looping")
        )
        allowed = ("jaxfix.api", *shared, own)
    every = imports(name, for_types=within(name, ROOMS))
    wrong = [entry for entry in every if not is_standard(entry) and not within(entry, allowed)]
    assert not wrong, f"{name} imports {wrong}"


def test_no_modules_import_each_other_in_a_circle() -> None:
    def imported(name: str) -> set[str]:
        return {entry for entry in imports(name, for_types=True) if entry in SOURCES and entry != name}

    graph = {name: imported(name) for name in SOURCES}
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


@pytest.mark.parametrize("name", [name for name in SOURCES if within(name, ROOMS)])
def test_no_file_of_a_room_is_long(name: str) -> None:
    assert len(SOURCES[name].read_text().splitlines()) <= 400


API = ("jaxfix.api", "jaxfix.api.analysis")


@pytest.mark.parametrize("name", API)
def test_the_api_is_nothing_but_names_of_the_rooms(name: str) -> None:
    docstring, *imported, listed = ast.parse(SOURCES[name].read_bytes()).body
    assert isinstance(docstring, ast.Expr) and all(isinstance(node, ast.ImportFrom) for node in imported)
    names = [alias.name for node in imported if isinstance(node, ast.ImportFrom) for alias in node.names]
    assert isinstance(listed, ast.Assign) and sorted(names) == sorted(exported(name))


def exported(name: str) -> list[str]:
    found: list[str] = importlib.import_module(name).__all__
    return found


def test_a_name_of_the_api_stands_in_one_place_and_the_plain_ones_are_few() -> None:
    plain, deep = map(exported, API)
    assert not {*plain} & {*deep} and len(plain) <= 35


def test_nothing_imports_what_is_put_beside_the_users_code() -> None:
    users = [name for name in SOURCES if any(within(entry, GENERATED) for entry in imports(name))]
    assert users == []


@pytest.mark.parametrize("library", sorted(OWNERS))
def test_a_library_is_imported_where_it_belongs(library: str) -> None:
    users = [name for name in SOURCES if any(within(entry, (library,)) for entry in imports(name))]
    assert [name for name in users if not within(name, OWNERS[library])] == []


def test_front_ends_do_not_import_each_other_and_what_they_share_imports_none() -> None:
    rooms = [path.name for path in (ROOT / "jaxfix" / "drivers").iterdir() if (path / "__init__.py").exists()]
    for name in SOURCES:
        own = name.split(".")[2] if name.startswith("jaxfix.drivers.") else None
        started = ("review",) if own == "cli" else ()  # from there, with its options; never the other way round
        others = tuple(f"jaxfix.drivers.{entry}" for entry in rooms if entry not in (own, "workflow", *started))
        if own is not None:
            assert not [entry for entry in imports(name) if within(entry, others)], name


def test_no_function_of_a_front_end_takes_many_parameters() -> None:
    long = []
    tools = "jaxfix.drivers.mcp.serving"  # clients of the SDK see each parameter of a tool by its name
    for name in (name for name in SOURCES if within(name, ("jaxfix.drivers",)) and name != tools):
        for node in ast.walk(ast.parse(SOURCES[name].read_bytes())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                taken = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
                if sum(parameter.arg not in ("self", "cls") for parameter in taken) > 6:
                    long.append(f"{name}.{node.name}")
    assert long == [], "pass options as a value"


OPENERS = {"open", "read_text", "read_bytes", "write_text", "write_bytes", "fdopen", "unlink", "rename"}


@pytest.mark.parametrize("name", [name for name in SOURCES if not within(name, ("jaxfix.evidence",))])
def test_only_files_opens_files(name: str) -> None:
    if name == "jaxfix.drivers.files":
        return
    for node in ast.walk(ast.parse(SOURCES[name].read_bytes())):
        if isinstance(node, ast.Call):
            match node.func:
                case ast.Name(id=called) | ast.Attribute(attr=called) if called in OPENERS:
                    owner = ast.unparse(node.func).rpartition(".")[0]
                    assert owner in ("files", "os"), f"{name}:{node.lineno} calls `{ast.unparse(node.func)}`"


def loaded(code: str, *arguments: str, cwd: Path = ROOT) -> set[str]:
    """The modules that a fresh interpreter has loaded after `code`."""
    watch = "import sys, json, atexit\natexit.register(lambda: print(json.dumps(sorted(sys.modules)), file=sys.stderr))"
    places = (ROOT, ROOT / "codemods", ROOT / "tests" / "pack")
    env = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, places)), "NO_COLOR": "1"}
    command = [sys.executable, "-c", f"{watch}\n{code}", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=env, cwd=cwd)
    return set(json.loads(done.stderr.splitlines()[-1]))


SLOW = """\
import jax

def step(x):
    def body(c, _):
        return jax.tiny_safe(c), None
    return jax.lax.scan(body, x, None, 3)
"""
MAIN = "from jaxfix.__main__ import main\nsys.exit(main())"


@pytest.mark.parametrize(
    ("code", "arguments"),
    [
        ("import jaxfix", ()),
        ("import jaxfix, jaxfix.api, jaxfix.api.analysis", ()),
        (MAIN, ("--help",)),
        (MAIN, ("apply", "--help")),
        (MAIN, ("check", "slow.py")),
        (MAIN, ("check", "slow.py", "--output-format", "gitlab")),
    ],
)
def test_neither_libcst_nor_jax_is_loaded(tmp_path: Path, code: str, arguments: tuple[str, ...]) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    assert not loaded(code, *arguments, cwd=tmp_path) & {"libcst", "jax", "jaxlib", "numpy", "pygls"}


def test_check_finds_something_where_libcst_was_looked_for(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    assert "tiny_codemods" in loaded(MAIN, "check", "slow.py", cwd=tmp_path)


@pytest.mark.parametrize("word", ["--version", "--help"])
def test_the_version_and_the_help_cost_almost_nothing(word: str) -> None:
    heavy = {"typer", "rich", "libcst", "jax", "importlib.metadata", "argparse", "ast", "dataclasses", "re", "pathspec"}
    assert not (loaded(MAIN, word) - loaded("")) & {*heavy, "typing", "signal", "threading"}


def test_a_plain_check_does_without_typer(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    found = loaded(MAIN, "check", "--select=tiny-safe", "--exit-zero", "slow.py", cwd=tmp_path)
    assert not found & {"typer", "pydantic", "rich", "click", "pathspec"} and "tiny_codemods" in found
