"""The laws of places, edits and files."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxfix.source.edits import Edit, LineIndex, Span, apply_edits
from jaxfix.source.errors import BugError, SourceError
from jaxfix.source.source_file import SourceFile
from jaxfix.source.tokens import comments, tokens

LINES = st.lists(st.text("aé🎈 \t\f#'\"\\", max_size=6), max_size=6)
NEWLINES = st.sampled_from(["\n", "\r\n", "\r"])
TEXTS = st.builds(lambda lines, newline: newline.join(lines), LINES, NEWLINES)
ANY_TEXT = st.text("aé🎈 \n\r\f", max_size=30)


@st.composite
def cut_texts(draw: st.DrawFn) -> tuple[bytes, list[Edit]]:
    """A text with edits that do not overlap."""
    data = draw(TEXTS).encode()
    places = sorted(draw(st.sets(st.integers(0, len(data)), max_size=8)))
    spans = [Span(*pair) for pair in zip(places[::2], places[1::2], strict=False)]
    return data, [Edit(span, draw(st.text("xé\n", max_size=3))) for span in spans]


@given(cut_texts(), st.randoms())
def test_order_of_edits_does_not_matter(cut: tuple[bytes, list[Edit]], random: object) -> None:
    data, edits = cut
    shuffled = list(edits)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert apply_edits(data, shuffled) == apply_edits(data, edits) == apply_edits(data, edits + shuffled)


@given(cut_texts())
def test_applying_is_slicing(cut: tuple[bytes, list[Edit]]) -> None:
    data, edits = cut
    expected = data
    for edit in reversed(edits):
        expected = expected[: edit.span.start] + edit.text.encode() + expected[edit.span.end :]
    assert apply_edits(data, edits) == expected


def test_overlapping_edits_are_refused() -> None:
    with pytest.raises(BugError):
        apply_edits(b"abcd", [Edit(Span(0, 2), "x"), Edit(Span(1, 3), "y")])


def test_two_insertions_at_one_place_are_refused() -> None:
    with pytest.raises(BugError):
        apply_edits(b"abcd", [Edit(Span(1, 1), "x"), Edit(Span(1, 1), "y")])


def test_edit_outside_of_the_text_is_refused() -> None:
    with pytest.raises(BugError):
        apply_edits(b"ab", [Edit(Span(1, 3), "x")])


@given(ANY_TEXT)
def test_every_offset_has_a_line_and_a_column(text: str) -> None:
    data = text.encode()
    lines = LineIndex(data)
    for offset in range(len(data) + 1):
        line = lines.line(offset)
        assert lines.offset(line, offset - lines.line_start(line)) == offset


@given(ANY_TEXT)
def test_columns_count_characters_and_code_units(text: str) -> None:
    data = text.encode()
    lines = LineIndex(data)
    offset = 0
    for character in text:
        before = data[lines.line_start(lines.line(offset)) : offset].decode()
        assert lines.column(offset) == len(before) + 1
        assert lines.utf16_column(offset) == len(before) + before.count("🎈")
        offset += len(character.encode())


@given(st.lists(st.sampled_from(["é = 1", "f('🎈')", "", "# é", "\fx = 2"]), max_size=6), NEWLINES)
def test_lines_are_those_of_ast(lines: list[str], newline: str) -> None:
    data = newline.join(lines).encode()
    index = LineIndex(data)
    for node in ast.walk(ast.parse(data.decode())):
        if isinstance(node, ast.stmt):
            assert data[index.offset(node.lineno, node.col_offset) :].startswith((b"\xc3\xa9 =", b"f(", b"x ="))


@given(TEXTS, st.booleans())
def test_source_round_trips_with_and_without_byte_order_mark(text: str, bom: bool) -> None:
    raw = (b"\xef\xbb\xbf" if bom else b"") + text.encode()
    source = SourceFile.decode("a.py", raw)
    assert source.text == text.encode()
    assert source.bom is bom
    assert source.encode(source.text) == raw


@given(st.lists(st.text("aé£ \t", max_size=5), max_size=4), st.sampled_from(["\n", "\r\n"]))
def test_latin_1_source_round_trips(lines: list[str], newline: str) -> None:
    text = newline.join(["# -*- coding: latin-1 -*-", *lines])
    source = SourceFile.decode("a.py", text.encode("latin-1"))
    assert source.text == text.encode()
    assert source.encode(source.text) == text.encode("latin-1")


def test_character_without_place_in_the_encoding_is_refused() -> None:
    source = SourceFile.decode("a.py", b"# coding: latin-1\nx = 1\n")
    with pytest.raises(SourceError, match="has no place in"):
        source.encode("# coding: latin-1\nx = '🎈'\n".encode())


@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("above", [b"", b"#!/usr/bin/python"])
def test_encoding_is_declared_in_the_first_two_lines_whatever_ends_them(newline: bytes, above: bytes) -> None:
    raw = newline.join([*([above] if above else []), b"# coding: cp1252", b"x = '\x80'", b""])
    source = SourceFile.decode("a.py", raw)
    assert "€" in source.text.decode()
    assert source.encode(source.text) == raw


def test_byte_order_mark_against_another_encoding_is_refused_as_python_does() -> None:
    raw = b"\xef\xbb\xbf# coding: latin-1\n"
    with pytest.raises(SyntaxError):
        compile(raw, "a.py", "exec")
    with pytest.raises(SourceError, match="cannot be decoded"):
        SourceFile.decode("a.py", raw)


def test_unknown_encoding_is_named() -> None:
    with pytest.raises(SourceError, match=r"a\.py: cannot be decoded"):
        SourceFile.decode("a.py", b"# coding: klingon\n")


@pytest.mark.parametrize(("text", "newline"), [(b"a\r\nb\r\nc\n", "\r\n"), (b"a\rb\r", "\r"), (b"", "\n")])
def test_newline_is_that_of_most_lines(text: bytes, newline: str) -> None:
    assert SourceFile.decode("a.py", text).newline == newline


@pytest.mark.parametrize(
    ("text", "indent"),
    [
        (b"if x:\n  y\n", "  "),
        (b"if x:\n\ty\n", "\t"),
        (b"x = 1\n", "    "),
        (b"if x:\r   y\r", "   "),
        (b"'''\n  a\n'''\nif x:\n    y\n", "    "),
    ],
)
def test_indent_is_that_of_most_blocks(text: bytes, indent: str) -> None:
    assert SourceFile.decode("a.py", text).indent == indent


@given(NEWLINES)
def test_tokens_are_slices(newline: str) -> None:
    text = newline.join(["é = f'a{1 + (2)}' # é", "def f():", "\f  s = '''", " # no", "'''", "  # yes", ""]).encode()
    for token in tokens(text):
        if token.kind in ("NAME", "OP", "STRING", "COMMENT", "NUMBER"):
            found = text[token.span.start : token.span.end].decode()
            assert found.replace("\r\n", "\n").replace("\r", "\n") == token.text


@given(NEWLINES)
def test_comments_are_found_with_their_lines_and_strings_hold_none(newline: str) -> None:
    text = newline.join(["x = '#'  # one ", "'''", "# no", "'''", "  # two", ""]).encode()
    assert [(comment.line, comment.text) for comment in comments(text)] == [(1, "# one"), (5, "# two")]
