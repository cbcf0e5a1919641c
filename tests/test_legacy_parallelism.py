"""`legacy-parallelism` by the versions that a project admits, and where it places arrays."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import Cli

from jaxfix.engine.analyze import analyze
from jaxfix.engine.plan import cook, plan
from jaxfix.report.finding import Change, Proves
from jaxfix.report.reason import Code
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.source.source_file import SourceFile
from jaxfix_codemods import CODEMODS

CODEMOD = [codemod for codemod in CODEMODS if codemod.id == "legacy-parallelism"]
SOURCE = SourceFile.decode("a.py", b"import jax\n\nf = jax.pmap(abs)\n")
ASKED = Surroundings(asked=(Change.NEWER_FORM,))


@pytest.mark.parametrize(
    ("oldest", "written"),
    [
        (None, ("jax.shard_map(", "check_vma=False", "jax.tree.map(")),
        ((0, 6, 0), ("shard_map.shard_map(", "check_rep=False", "jax.tree.map(")),
    ],
)
def test_what_the_project_admits_decides_what_is_written(
    oldest: tuple[int, ...] | None, written: tuple[str, ...]
) -> None:
    after = plan(SOURCE, CODEMOD, lambda fix: None, replace(ASKED, oldest_jax=oldest)).after.decode()
    assert all(part in after for part in written)


def test_a_jax_that_refuses_what_pmap_returned_is_left() -> None:
    (found,) = analyze(SOURCE, CODEMOD, surroundings=replace(ASKED, oldest_jax=(0, 4, 13))).found
    assert found.finding.declined is not None and found.finding.declined.code is Code.OLDER_VERSION


@pytest.mark.parametrize("is_library", [False, True])
def test_a_pmap_that_runs_is_for_who_asks(tmp_path: Path, cli: Cli, is_library: bool) -> None:
    package = tmp_path / "model"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "step.py").write_bytes(SOURCE.text)
    if is_library:
        (tmp_path / "pyproject.toml").write_text("[build-system]\nrequires = []\n")
    for how in ((), ("--all",)):
        assert cli("check", *how, str(tmp_path)).code == 0
        assert "jax.pmap" not in cli("check", *how, str(tmp_path)).out
    assert "jax.pmap" not in cli("apply", "--diff", "--unproven", str(tmp_path)).out
    named = ("--select", "legacy-parallelism")
    for how in (
        ("check", "--all", *named),
        ("apply", "--diff", "--unproven", *named),
        ("upgrade", "--diff", "--unproven"),
    ):
        assert "jax.pmap" in cli(*how, str(tmp_path)).out


def test_a_configuration_asks_for_newer_forms_by_name(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "step.py").write_bytes(SOURCE.text)
    (tmp_path / "pyproject.toml").write_text('[tool.jaxfix]\nselect = ["legacy-parallelism"]\n')
    assert "jax.pmap" in cli("check", "--all", str(tmp_path)).out
    (tmp_path / "pyproject.toml").write_text('[tool.jaxfix]\nignore = ["removed-api"]\n')
    assert "jax.pmap" not in cli("check", "--all", str(tmp_path)).out


@pytest.mark.parametrize(
    ("text", "function"),
    [
        ("f = jax.pmap(abs)\n\ndef main(x):\n    y = f(x)\n", "main"),
        ("f = jax.pmap(abs)\n\ndef main(x):\n    y = f(x)\n\nz = f(1)\n", "<module>"),
        ("f = jax.pmap(abs)\n", "<module>"),
        ("@jax.pmap\ndef f(x):\n    return x\n\ndef main(x):\n    y = f(x)\n", "main"),
        ("def main(x):\n    f = jax.pmap(abs)\n    y = f(x)\n", "main"),
    ],
)
def test_a_run_compares_where_the_function_is_called(text: str, function: str) -> None:
    """A script leaves no array outside of its `main`."""
    found = analyze(SourceFile.decode("a.py", f"import jax\n\n{text}".encode()), CODEMOD, surroundings=ASKED)
    (fix,) = cook(found)
    assert fix.function == function


LAYOUTS = {
    "sharding.reshape(4, 2)": "ids.reshape(4, 2)",
    "sharding.reshape((2, 4)).T": "ids.reshape(2, 4).T",
    "sharding.reshape(4, 2).replicate(0)": "ids.reshape(4, 2).sum(0, keepdims=True)",
    "sharding.reshape(2, 4).replicate(axis=-1, keepdims=True)": "ids.reshape(2, 4).sum(-1, keepdims=True)",
    "sharding.reshape(2, 4).T.replicate(0)": "ids.reshape(2, 4).T.sum(0, keepdims=True)",
    "sharding.reshape(8, 1).replicate()": "ids.reshape(8, 1).sum(keepdims=True)",
    "grid": "ids.reshape(2, 2, 2)",
    "grid.replicate((0, 2))": "ids.reshape(2, 2, 2).sum((0, 2), keepdims=True)",
}
"""What a `PositionalSharding` was by its definition: sets of devices, in the place of what each of them holds."""
MADE = "import jax\nfrom jax.sharding import PositionalSharding\n\nsharding = PositionalSharding(jax.devices())\n"
PLACED = """\
import json, sys
import jax, numpy as np
class Sets(frozenset):
    __add__ = lambda one, other: Sets(one | other)
ids = np.array([None] * 8, dtype=object)
ids[:] = [Sets([n]) for n in range(8)]
asked, source = json.load(sys.stdin)
there = {}
exec(source, there)
said = []
for n, meant in enumerate(asked):
    sets, x = eval(meant), there[f"x{n}"]
    held = {s.device.id: tuple(i.indices(size)[:2] for i, size in zip(s.index, x.shape)) for s in x.addressable_shards}
    parts = [size // number for size, number in zip(x.shape, sets.shape)]
    said.append(held == {
        device: tuple((at * part, (at + 1) * part) for at, part in zip(place, parts))
        for place in np.ndindex(sets.shape) for device in sets[place]
    })
print(json.dumps(said))
"""


def test_a_named_mesh_holds_what_a_positional_sharding_held() -> None:
    lines = [
        f"x{n} = jax.device_put(jax.numpy.zeros((8,) * {3 if 'grid' in text else 2}), {text})"
        for n, text in enumerate(LAYOUTS)
    ]
    source = "\n".join([f"{MADE}grid = sharding.reshape(2, 2, 2)", *lines, ""])
    fixed = plan(SourceFile.decode("a.py", source.encode()), CODEMOD, lambda fix: None).after.decode()
    assert "Positional" not in fixed
    env = os.environ | {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": "--xla_force_host_platform_device_count=8"}
    asked = json.dumps([list(LAYOUTS.values()), fixed])
    done = subprocess.run(
        [sys.executable, "-c", PLACED], input=asked, capture_output=True, text=True, check=True, env=env
    )
    said = json.loads(done.stdout)
    assert [text for text, is_same in zip(LAYOUTS, said, strict=True) if not is_same] == []


def test_a_positional_sharding_is_proven_on_several_devices_alone() -> None:
    source = SourceFile.decode("a.py", MADE.encode())
    (found,) = analyze(source, CODEMOD, surroundings=Surroundings(jax=(0, 10, 2))).found
    (before,) = analyze(source, CODEMOD, surroundings=Surroundings(jax=(0, 6, 2))).found
    assert (found.finding.proves, before.finding.proves) == (Proves.CURED_ON_DEVICES, Proves.SAME_ON_DEVICES)
    assert analyze(source, CODEMOD, surroundings=Surroundings(jax=(0, 5, 3))).found == ()


def test_another_file_that_asks_which_process_it_is_keeps_pmap(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mapped.py").write_text("import jax\n\nf = jax.pmap(abs)\n")
    (tmp_path / "train.py").write_text("import jax\nimport mapped\n\nprint(mapped.f, jax.process_index())\n")
    for named in (".", "mapped.py"):
        assert "many hosts" in cli("upgrade", named).out
    (tmp_path / "train.py").write_text("import mapped\n\nprint(mapped.f)\n")
    assert "many hosts" not in cli("upgrade").out
