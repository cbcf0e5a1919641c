"""What `apply` says where a fix cures a part of its finding, and the rest is found again."""

import pytest

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
