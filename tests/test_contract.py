"""What a codemod says of itself, and what the engine and the prover make of it."""

import json
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from jaxfix.drivers.cli.start import run as run_cli
from jaxfix.drivers.surroundings import until as bounds_around
from jaxfix.drivers.workflow.request import Request
from jaxfix.drivers.workflow.targets import find_targets
from jaxfix.engine.analyze import analyze
from jaxfix.engine.plan import cook, edited, plan
from jaxfix.engine.versions import admits, last_before, oldest, until
from jaxfix.report.finding import Equality, Finding, Fix, Proves, Safety
from jaxfix.semantic.codemod import Codemod
from jaxfix.semantic.module import Module
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.source.source_file import SourceFile
from jaxfix_codemods import CODEMODS

SOURCE = SourceFile.decode("a.py", b"x = 1\n")


def find(module: Module) -> Iterator[Finding]:
    (assignment,) = module.tree.body
    yield Finding(assignment, "`x` is one", "Make it two", lambda edit: edit.replace(assignment, "x = 2"))


CODEMOD = Codemod("one", ("x",), Safety.SAFE, None, find, proves=Proves.ERROR_CURED, jax=">=0.4.25,<0.9")


def fix(codemod: Codemod = CODEMOD) -> Fix:
    (made,) = cook(analyze(SOURCE, (codemod,)))
    return made


@pytest.mark.parametrize(
    ("jax", "is_found"),
    [
        ((0, 4, 24), False),
        ((0, 4, 25), True),
        ((0, 5), True),
        ((0, 9), False),
        ((0, 9, 0), False),
        ((0, 10, 2), False),
        (None, True),
    ],
)
def test_the_engine_leaves_out_what_is_for_another_jax(jax: tuple[int, ...] | None, is_found: bool) -> None:
    found = analyze(SOURCE, (CODEMOD,), surroundings=Surroundings(jax=jax)).found
    assert bool(found) is is_found


@pytest.mark.parametrize(
    ("condition", "is_admitted"),
    [(">0.7", False), ("<=0.7", True), ("==0.7", True), ("!= 0.7.0", False), (">=0.6, <0.8", True), ("<0.7", False)],
)
def test_versions_are_compared_number_by_number(condition: str, is_admitted: bool) -> None:
    assert admits(condition, (0, 7)) is is_admitted


@pytest.mark.parametrize("condition", ["", "0.7", ">=", ">=0.7;<1", "~=0.7", ">=0.7,"])
def test_what_is_no_condition_is_refused(condition: str) -> None:
    with pytest.raises(ValueError, match="is not a condition"):
        admits(condition, (0, 7))


def test_a_fix_has_the_claim_of_its_codemod() -> None:
    assert (fix().equality, fix().proves) == (None, Proves.ERROR_CURED)


def test_a_finding_may_claim_something_else() -> None:
    def other(module: Module) -> Iterator[Finding]:
        yield from (replace(found, proves=Proves.LESS_WORK, equality=Equality.CONVERGED) for found in find(module))

    made = fix(replace(CODEMOD, find=other))
    assert (made.equality, made.proves) == (Equality.CONVERGED, Proves.LESS_WORK)


def test_what_a_person_makes_of_a_fix_has_to_be_shown() -> None:
    assert edited(fix(), ()).equality is Equality.BITWISE


@pytest.mark.parametrize(
    ("equality", "proves", "words"),
    [
        (Equality.BITWISE, Proves.FEWER_COMPILES, "bitwise"),
        (Equality.BITWISE, Proves.LESS_MEMORY, "bitwise, with less memory"),
        (None, Proves.ERROR_CURED, "bitwise where the original runs; runs where it raises"),
    ],
)
def test_a_promise_in_words(equality: Equality | None, proves: Proves, words: str) -> None:
    assert replace(fix(), equality=equality, proves=proves).promise == words


PROGRAM = """\
import jax
import jax.numpy as jnp


def doubled(x):
    return jax.jit(lambda y: y * 2.0)(x)


x = {"a": jnp.ones(3)}
for _ in range(5):
    x = jax.tree_map(lambda leaf: leaf + 1.0, x)
    x["a"] = doubled(x["a"])
print(x["a"].sum())
"""


@pytest.mark.evidence
def test_a_name_that_is_gone_is_proven_beside_what_it_hides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The program raises without it, and so could prove nothing else."""
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text(PROGRAM)
    command = shlex.join([sys.executable, "train.py"])
    words = ["apply", "train.py", "--run", command, "--allow-no-vcs", "--output-format", "json"]
    run_cli(words)
    account = json.loads(capfd.readouterr().out)
    verdicts = {entry["codemod"]: entry["verdict"] for entry in account["evidence"]}
    assert verdicts == {"local-jit": "proven", "removed-api": "proven"}
    written = Path("train.py").read_text()
    assert "jax.tree.map(" in written and "jax.tree_map(" not in written
    assert subprocess.run([sys.executable, "train.py"], capture_output=True, check=False).returncode == 0


@pytest.mark.evidence
def test_another_name_is_proven_by_apply_and_asked_for_by_upgrade(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text("import jax\n\nprint(jax.tree_leaves({'a': 1}))\n")
    command = shlex.join([sys.executable, "train.py"])
    shared = ("--run", command, "--output-format", "json")
    code = run_cli(["apply", "train.py", "--diff", "--output-file", "proof.json", *shared])
    evidence = json.loads(Path("proof.json").read_text())["evidence"]
    assert [entry["verdict"] for entry in evidence] == ["proven"]
    capfd.readouterr()
    code = run_cli(["upgrade", "train.py", "--write", "--allow-no-vcs", *shared])
    assert (code, json.loads(capfd.readouterr().out)["evidence"]) == (0, [])
    assert "jax.tree.leaves" in Path("train.py").read_text()


@pytest.mark.parametrize(
    ("requirements", "found"),
    [
        ('dependencies = ["jax>=0.4.14", "flax>=0.3"]', (0, 4, 14)),
        ('dependencies = ["jax[cpu] >= 0.4.30", "jaxlib<0.7,>=0.4.20"]', (0, 4, 30)),
        ("jaxlib==0.3.15\njax==0.3.16", (0, 3, 16)),
        ('dependencies = ["jaxlib>=0.4.20"]', (0, 4, 20)),
        ('[tool.poetry.dependencies]\njax = "^0.4.1"\njaxtyping = ">=0.2"', (0, 4, 1)),
        ('dependencies = ["jaxtyping>=0.2", "jax", "jax-md>=0.1", "my_jax>=0.1"]', None),
    ],
)
def test_the_oldest_jax_is_what_a_project_says(requirements: str, found: tuple[int, ...] | None) -> None:
    assert oldest(requirements.encode()) == found


@pytest.mark.parametrize(
    ("bound", "last"), [((0, 5), (0, 4)), ((0, 5, 0), (0, 4)), ((0, 2, 10), (0, 2, 9)), ((1,), (0,)), ((0,), (0,))]
)
def test_the_newest_below_a_bound(bound: tuple[int, ...], last: tuple[int, ...]) -> None:
    assert last_before(bound) == last


@pytest.mark.parametrize(
    ("requirement", "bound"),
    [
        ("jax==0.4.13", (0, 4, 14)),
        ("jax[cuda12_pip]==0.4.13 ; python_version < '3.12'", (0, 4, 14)),
        ("jax==0.4.*", (0, 5)),
        ("jax>=0.4.1,<0.5", (0, 5)),
        ("jax<=0.4.30", (0, 4, 31)),
        ("jax~=0.4.14", (0, 5)),
        ("jax^0.4.1", (0, 5)),
        ("jax>=0.4.20,!=0.4.25", None),
        ("jax", None),
    ],
)
def test_a_requirement_says_which_versions_are_too_new(requirement: str, bound: tuple[int, ...] | None) -> None:
    assert until(requirement) == bound


@pytest.mark.parametrize(
    ("supported", "expected"),
    [
        (None, b"import jax\nfrom jax.tree import leaves as tree_leaves\nx = jax.tree.map(f, y)\n"),
        ((0, 4, 25), b"import jax\nfrom jax.tree import leaves as tree_leaves\nx = jax.tree.map(f, y)\n"),
        ((0, 4, 14), b"import jax\nfrom jax.tree_util import tree_leaves\nx = jax.tree_util.tree_map(f, y)\n"),
    ],
)
def test_a_name_is_written_that_every_jax_of_the_project_has(
    supported: tuple[int, ...] | None, expected: bytes
) -> None:
    source = SourceFile.decode("a.py", b"import jax\nfrom jax import tree_leaves\nx = jax.tree_map(f, y)\n")
    chosen = [codemod for codemod in CODEMODS if codemod.id == "removed-api"]
    assert plan(source, chosen, lambda fix: None, Surroundings(oldest_jax=supported)).after == expected


def test_what_a_project_supports_is_read_of_its_pyproject(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "a"\nversion = "1"\ndependencies = ["jax>=0.4.14"]\n')
    (tmp_path / "a.py").write_text("import jax\nx = jax.tree_map(f, y)\n")
    monkeypatch.chdir(tmp_path)
    (target,) = find_targets(Request((".",))).targets
    assert target.surroundings.oldest_jax == (0, 4, 14)


@pytest.mark.parametrize(
    ("name", "settings", "columns", "lines"),
    [
        ("pyproject.toml", "[tool.ruff]\nline-length = 100\n", 100, 1),
        ("pyproject.toml", "[tool.black]\nline_length = 96\n", 96, 3),
        ("pyproject.toml", "[tool.black]\ntarget-version = ['py311']\n", 88, 3),
        ("pyproject.toml", "[tool.ruff.lint]\nselect = ['E']\n", None, 3),
        ("ruff.toml", "line-length = 100\n", 100, 1),
        (".ruff.toml", "line-length = 100\n", 100, 1),
    ],
)
def test_the_line_length_is_that_of_the_formatter(
    name: str, settings: str, columns: int | None, lines: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / name).write_text(settings)
    (tmp_path / "a.py").write_text("import jax\n\nstep_of_the_ensemble = jax.pmap(abs, axis_name='devices')\n")
    monkeypatch.chdir(tmp_path)
    (target,) = find_targets(Request(("a.py",), select=("legacy-parallelism",))).targets
    assert target.surroundings.columns == columns
    chosen = [codemod for codemod in CODEMODS if codemod.id == "legacy-parallelism"]
    after = plan(target.source, chosen, lambda fix: None, target.surroundings).after.decode()
    call = after.partition("call = ")[2].partition("return")[0]
    assert len(call.splitlines()) - 1 == lines


@pytest.mark.parametrize(
    ("name", "text", "lines"),
    [
        ("requirements.txt", "jax==0.4.13\njaxlib==0.4.13\noptax==0.1.4\n", []),
        ("requirements.txt", "jax<0.5\n", [3, 4]),  # 0.4.36 is admitted, which warns of the first
        ("pyproject.toml", '[project]\ndependencies = ["jax>=0.4.1,<0.4.20", "optax"]\n', [4]),
        ("pyproject.toml", '[tool.poetry.dependencies]\njax = "0.4.13"\noptax = {version = "<0.1.6"}\n', []),
        ("setup.py", 'setup(install_requires=["jax==0.4.13"], extras_require={"new": ["jax>=0.4.30"]})\n', [3, 4]),
        ("environment.yml", "dependencies:\n  - python=3.9\n  - jax=0.4.13=py39\n  - conda-forge::optax=0.1.4\n", []),
        ("conda_env.yaml", "dependencies:\n- pip\n- pip:\n  - 'jax[cuda]==0.4.13'\n  - optax\n", [4]),
        ("requirements-gpu.txt", "jax==0.4.13\noptax==0.1.4\n", []),
        ("requirements/base.txt", "jax==0.4.13\n", [4]),
        ("Pipfile", '[packages]\njax = "==0.4.13"\noptax = "*"\n', [4]),
        ("Pipfile.lock", '{"default": {"jax": {"version": "==0.4.13"}, "optax": {"version": "==0.1.4"}}}', []),
        ("uv.lock", '[[package]]\nname = "jax"\nversion = "0.4.13"\n', [4]),
        ("poetry.lock", '[[package]]\nname = "optax"\nversion = "0.1.4"\n', [3]),
        ("pylock.toml", '[[packages]]\nname = "jax"\nversion = "0.4.13"\n', [4]),
        ("conda-lock.yml", "package:\n- name: jax\n  version: 0.4.13\n  manager: conda\n", [4]),
    ],
)
def test_what_no_version_of_the_project_is_without_is_not_reported(
    name: str,
    text: str,
    lines: list[int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(text)
    lines_of_code = ("import jax", "import optax", "x = jax.tree_map(f, y)", "z = optax.hvp(f)", "p = jax.pmap(f)", "")
    (tmp_path / "a.py").write_text("\n".join(lines_of_code))
    monkeypatch.chdir(tmp_path)
    run_cli(["check", "a.py", "--all", "--output-format", "json", "--no-cache"])
    told = capfd.readouterr()
    assert [each["line"] for each in json.loads(told.out)["findings"]] == lines
    assert ("`jaxfix upgrade` reports what" in told.err) == (name not in ("setup.py", "poetry.lock"))
    run_cli(["upgrade", "a.py", "--output-format", "json", "--no-cache"])
    assert {each["line"] for each in json.loads(capfd.readouterr().out)["findings"]} == {3, 4, 5}


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("setup.cfg", "[options]\ninstall_requires =\n    numpy\n    jax>=0.4.20\n", (0, 4, 20)),
        ("setup.py", 'setup(name="a", install_requires=["flax>=0.6", "jax[cpu]>=0.4.16"])\n', (0, 4, 16)),
        ("requirements.txt", "numpy==1.24\njax~=0.4.14\n", (0, 4, 14)),
        ("pyproject.toml", '[project]\ndependencies = ["jax==0.4.20"]\n', None),
        ("requirements.txt", "jax==0.3.25\njaxlib==0.3.25\n", None),  # what it was run with
        ("environment.yaml", "dependencies:\n  - jaxlib >=0.4.20\n  - jax >=0.4.18,<0.5\n", (0, 4, 18)),
        ("uv.lock", '[[package]]\nname = "jax"\nversion = "0.4.13"\n', None),
    ],
)
def test_other_files_say_it_too(
    name: str, text: str, found: tuple[int, ...] | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / name).write_text(text)
    (tmp_path / "a.py").write_text("import jax\nx = jax.tree_map(f, y)\n")
    monkeypatch.chdir(tmp_path)
    targets = [each for each in find_targets(Request(("a.py",))).targets if each.source.path == "a.py"]
    assert [each.surroundings.oldest_jax for each in targets] == [found]


def test_a_lock_says_what_it_is_run_with_where_nothing_else_sets_a_bound(tmp_path: Path) -> None:
    (tmp_path / "uv.lock").write_text('[[package]]\nname = "jax"\nversion = "0.4.13"\n')
    project = tmp_path / "pyproject.toml"
    project.write_text('[project]\ndependencies = ["jax>=0.4"]\n')
    assert bounds_around(tmp_path) == (("jax", (0, 4, 14)),)
    project.write_text('[project]\ndependencies = ["jax<0.7"]\n')
    assert bounds_around(tmp_path) == (("jax", (0, 7)),)


def test_a_file_of_requirements_takes_in_others(tmp_path: Path) -> None:
    (tmp_path / "pins").mkdir()
    (tmp_path / "requirements.txt").write_text("-r pins/all.txt\n-c requirements.txt\nnumpy\n")
    (tmp_path / "pins" / "all.txt").write_text("--constraint ../requirements.txt\njax==0.4.13\n")
    inner = tmp_path / "package" / "inner"
    inner.mkdir(parents=True)
    assert bounds_around(inner) == (("jax", (0, 4, 14)),)
