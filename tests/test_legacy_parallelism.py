"""`legacy-parallelism` by the versions that a project admits."""

import pytest

from jaxfix.engine.analyze import analyze
from jaxfix.engine.plan import plan
from jaxfix.report.reason import Code
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.source.source_file import SourceFile
from jaxfix_codemods import CODEMODS

CODEMOD = [codemod for codemod in CODEMODS if codemod.id == "legacy-parallelism"]
SOURCE = SourceFile.decode("a.py", b"import jax\n\nf = jax.pmap(abs)\n")


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
    after = plan(SOURCE, CODEMOD, lambda fix: None, Surroundings(oldest_jax=oldest)).after.decode()
    assert all(part in after for part in written)


def test_a_jax_that_refuses_what_pmap_returned_is_left() -> None:
    (found,) = analyze(SOURCE, CODEMOD, surroundings=Surroundings(oldest_jax=(0, 4, 13))).found
    assert found.finding.declined is not None and found.finding.declined.code is Code.OLDER_VERSION
