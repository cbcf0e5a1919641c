"""What `apply` says where a fix cures a part of its finding, and the rest is found again."""

from pathlib import Path

import pytest
from command_line import Cli

from jaxfix.render.text import apply_summary


@pytest.mark.parametrize(
    ("fixed", "gone", "made", "held", "said"),
    [
        (0, 0, 0, 0, "no findings\n"),
        (0, 0, 0, 1, "nothing fixed; 1 fix held; 0 findings remain\n"),
        (0, 0, 1, 1, "1 fix made, of a part by this diff; 1 fix held; 0 findings remain\n"),
        (0, 2, 1, 0, "1 fix made, of a part, 2 gone with it by this diff; 0 findings remain\n"),
        (1, 0, 2, 0, "1 finding fixed by this diff; 0 findings remain\n"),
        (1, 2, 1, 0, "1 finding fixed, 2 gone with it by this diff; 0 findings remain\n"),
        (3, 1, 3, 0, "3 findings fixed, 1 gone with them by this diff; 0 findings remain\n"),
    ],
)
def test_only_what_its_own_fix_removes_counts_as_fixed(fixed: int, gone: int, made: int, held: int, said: str) -> None:
    assert apply_summary(fixed, gone, made, held, (), " by this diff", lambda style, words: words) == said


EPOCH = """\
import jax


def train_epoch(state, files, batch):
    @jax.jit
    def step(state, rows):
        return state + rows.sum()

    for x in files:
        for start in range(0, len(x), batch):
            state = step(state, x[start : start + batch])
    return state
"""


def test_what_is_found_again_in_other_words_is_not_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    """The short last batch calls the function by its new name."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(EPOCH)
    assert cli("check", "--all", "train.py").err.startswith("2 findings in 1 file")
    done = cli("apply", "--unproven", "--allow-no-vcs", "--exit-zero", "train.py")
    assert "_train_epoch_step(" in (tmp_path / "train.py").read_text()
    assert done.err.startswith("1 finding fixed; 1 finding remains, 1 without a fix\n")
