"""Containers and texts that a program never passes: other orders, types, parts and spaces."""

from pathlib import Path

import pytest
from beside_program import differing, measured

pytestmark = pytest.mark.evidence


def changed(folder: Path, before: str, changes: tuple[tuple[str, str], ...], *names: str) -> dict[str, set[str]]:
    """How each function was called where it differed from its original, after these changes."""
    after = before
    for old, new in changes:
        assert old in after
        after = after.replace(old, new)
    return differing(measured(folder, before, after, *names))


def test_orders_names_and_types_of_containers_are_tried(tmp_path: Path) -> None:
    before = """
    def leaves(tree):
        if isinstance(tree, (list, tuple)):
            return [leaf for child in tree for leaf in leaves(child)]
        return [tree]
    def within(table):
        return sum(float(v.sum()) for row in table["rows"] for v in (row if isinstance(row, list) else [row[0]]))
    def index(pairs):
        table = {}
        for name, value in pairs:
            table.setdefault(name, value)
        return table
    def rows(entries):
        found = {}
        for entry in entries:
            found[entry["name"]] = entry["score"]
        return found
    def longest(names):
        return max(names, key=len)
    def steps(numbers):
        return [b - a for a, b in zip(numbers, numbers[1:])]
    def popped(stack):
        last = stack.pop()
        return last, stack.pop() if stack else 0.0
    def sizes(tree):
        return [len(part) if isinstance(part, (list, tuple)) else 1 for part in tree]
    leaves([x, [x, x]]), within({"rows": [[x, x], [x]]}), index([("a", x), ("b", x + 1)])
    rows([{"name": "a", "score": 1.0}, {"name": "b", "score": 2.0}]), longest(["a", "bb", "cc"]), steps([1, 2, 4])
    sizes([x, [x, x]]), popped([1.0, 2.0])
    """
    changes = (
        ("isinstance(tree, (list, tuple))", "isinstance(tree, list)"),
        ("isinstance(row, list) else [row[0]]", "isinstance(row, (list, tuple)) else [row[0]]"),
        ("        table.setdefault(name, value)", "        table[name] = value"),
        ('        found[entry["name"]] = entry["score"]', '        found.setdefault(entry["name"], entry["score"])'),
        ("max(names, key=len)", "next(n for n in names if len(n) == max(map(len, names)) and n != 'cc')"),
        ("[b - a for a, b in zip(numbers, numbers[1:])]", "[abs(b - a) for a, b in zip(numbers, numbers[1:])]"),
        (
            "len(part) if isinstance(part, (list, tuple)) else 1",
            "1 if not isinstance(part, (tuple, list)) else len(part)",
        ),
        (
            "        last = stack.pop()\n        return last, stack.pop() if stack else 0.0",
            "        last = stack.pop()\n        return last, stack.pop(0) if stack else 0.0",
        ),
    )
    names = ("leaves", "within", "index", "rows", "longest", "steps", "popped")
    found = changed(tmp_path, before, changes, *names, "sizes")
    assert found.keys() == {*names}
    assert "given `tree` with tuples for lists" in found["leaves"]
    assert "given `table` with tuples for lists within it" in found["within"]
    assert "given `pairs` with two items of one name" in found["index"]


def test_texts_of_other_parts_spaces_and_paths_are_tried(tmp_path: Path) -> None:
    before = """
    import os
    def layer(name):
        return name.split("/")[1]
    def head(name):
        return name.partition(".")[0]
    def parse(text):
        out = {}
        for item in text.split(","):
            key, _, value = item.partition("=")
            out[key.strip()] = float(value)
        return out
    def checkpoint(root, step):
        return os.path.join(root, "model") + "-%d" % step
    def words(text):
        return text.split()
    def tail(name):
        return name.rpartition(".")[2]
    def pair(text):
        first, second = text.split(":")
        return second, first
    layer("net/dense"), head("a.b"), parse("lr=0.1,decay=0.5"), checkpoint("runs", 1), words("a b"), pair("a:b")
    tail("a.b")
    """
    changes = (
        ('name.split("/")[1]', 'name.split("/")[-1]'),
        ('name.partition(".")[0]', 'name.rpartition(".")[0]'),
        ("out[key.strip()]", "out[key]"),
        ('os.path.join(root, "model")', 'f"{root}/model"'),
        ("text.split()", 'text.split(" ")'),
        ('name.rpartition(".")[2]', 'name.rsplit(".", 1)[-1]'),
        ('first, second = text.split(":")\n        return second, first', 'return tuple(text.split(":")[::-1])'),
    )
    names = ("layer", "head", "parse", "checkpoint", "words", "pair")
    found = changed(tmp_path, before, changes, *names, "tail")
    assert found.keys() == {*names}
    assert "given `name` as 'net/dense/other'" in found["layer"]
    assert "given `root` as ''" in found["checkpoint"]
