"""What `apply` says where a fix cures a part of its finding, and the rest is found again."""

import pytest

from jaxfix.render.text import apply_summary


@pytest.mark.parametrize(
    ("fixed", "made", "held", "said"),
    [
        (0, 0, 0, "no findings\n"),
        (0, 0, 1, "nothing fixed; 1 fix held; 0 findings remain\n"),
        (0, 1, 1, "1 fix made, of a part by this diff; 1 fix held; 0 findings remain\n"),
        (1, 2, 0, "1 finding fixed by this diff; 0 findings remain\n"),
    ],
)
def test_a_fix_of_a_part_is_no_nothing(fixed: int, made: int, held: int, said: str) -> None:
    assert apply_summary(fixed, made, held, (), " by this diff", lambda style, words: words) == said
