"""Programs made of programs: each mutation is what an editor, a formatter or a person in a hurry does to a text."""

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from random import Random

from benchmarks.reliability.laws import reads

Mutation = Callable[[str, Random], str | None]
"""Another text (with `\\n`), which need not compile; None where there is nothing to change."""

_NAMES = ("jax", "jnp", "lax", "np", "body", "step", "state", "self", "x", "é", "ﬁx", "match", "type", "case", "_")
_NAMES += ("__name", "print", "partial", "opt_state", "init", "update")
_HEADS = (
    *("def wrapped():", "async def wrapped():", "class Wrapped:", "if x:", "for _ in range(3):", "while x:"),
    *("with open(x) as x, x:", "for _ in (0,):  # once", "if x: # \U0001f388", "def wrapped(self, *args, k=1, **kw):"),
    *("@staticmethod\ndef wrapped(x, /, y: 'int' = 2, *, z) -> None:", "while not x:", "async def wrapped[T](x: T):"),
    "class Wrapped[T](x):",
)
_TRIES = (("try:", "except x:"), ("try:", "finally:"), ("try:", "except* x as y:"), ("if x:", "elif y:"))
_AROUND = (
    *("({})", "(\n    {}  # why\n)", "(lambda: {})()", "[{}][0]", "({} if x else {})", "(x := {})", "f({})", "f(*{})"),
    *("(not {})", "{{**{}}}", "({}, )", "(yield {})", "(await {})", "f(k={})", "({} for _ in x)", "[{} for x in y]"),
    *("({}).at[0].set(1)", "jnp.asarray({})", "jax.jit({})", "partial({}, x)", "(({}))", "({}\n)", "f'{{{}}}'", "-{}"),
    *("f'{{x!r:{{{}}}}}'", "{} ** {}", "{}[{}]", "{}.shape", "(\\\n{})", "f'''{{\n{}}}'''", "t'{{{}}}'", "x[*{}]"),
)
_DECORATORS = (
    *("@jax.jit", "@partial(jax.jit, static_argnums=(0,))", "@x  # why", "@(\n  x\n)", "@staticmethod", "@x.y(1)"),
    *("@jax.jit  # \U0001f388", "@functools.wraps(x)", "@property"),
)
_LINES = (
    *("global x", "del x", "x = 1; y = 2", "import jax.numpy as jnp", "from jax import *", "import jax", "pass"),
    *("jax = x", "return", "x: int = 1", "x = y = 1", "x, *y = z", "type X = int", "'''a\n  b\n'''", "assert x, y"),
    *("match x:\n    case [1, *y] | {'a': y, **z}: pass\n    case x.y(a=b) if c: pass", "nonlocal x", "raise x from y"),
    *("if (n := 1): pass", "x = lambda *a, k=1: (yield)", "print(f'{x!r:>{y}}')", "from . import x", "exec(x)"),
    *("x[1:2, ...] = x.y", "async def f(): await x", "globals()['x'] = 1", "x = '#'", "x = 1 if y else 2  # \f"),
    *("for x in range(4): jax.jit(lambda x: x)(1)", "jax.lax.cond(x, lambda: 1, lambda: 2)", "def f(): ...", "..."),
)
_COMMENTS = ("# why", "#", "# \U0001f388 é", "# type: ignore", "#: x", "# noqa: E501", "#!x", "# %%", "# fmt: off")


def mutated(text: str, random: Random, others: Sequence[str], count: int) -> tuple[str, tuple[str, ...]]:
    """`text` after `count` mutations that leave a program, and their names."""
    done = []
    for _ in range(count):
        mutation = random.choice(MUTATIONS)
        try:
            found = splice(text, random, others) if random.random() < 0.1 and others else mutation(text, random)
        except (SyntaxError, tokenize.TokenError, RecursionError):
            found = None
        if found is not None and len(found) < 200_000 and reads(found.encode(errors="surrogatepass")):
            text = found
            done.append(mutation.__name__)
    return text, tuple(done)


# --- statements ---------------------------------------------------------------------------------------------------


def swap(text: str, random: Random) -> str | None:
    block = _some_block(text, random, at_least=2)
    if block is None:
        return None
    number = random.randrange(len(block) - 1)
    (a, b), (c, d) = block[number : number + 2]
    lines = _split(text)
    return "".join([*lines[:a], *lines[c:d], *lines[b:c], *lines[a:b], *lines[d:]])


def repeat(text: str, random: Random) -> str | None:
    found = _some_lines(text, random)
    if found is None:
        return None
    lines, (start, end) = found
    return "".join([*lines[:end], *lines[start:end] * random.choice((1, 1, 3)), *lines[end:]])


def remove(text: str, random: Random) -> str | None:
    found = _some_lines(text, random)
    if found is None:
        return None
    lines, (start, end) = found
    return "".join([*lines[:start], random.choice(("", _indent(lines[start]) + "pass\n")), *lines[end:]])


def insert(text: str, random: Random) -> str | None:
    found = _some_lines(text, random)
    if found is None:
        return None
    lines, (start, _) = found
    indent = _indent(lines[start])
    new = "".join(f"{indent}{line}\n" for line in random.choice(_LINES).split("\n"))
    return "".join([*lines[:start], new, *lines[start:]])


def splice(text: str, random: Random, others: Sequence[str]) -> str | None:
    """A statement of another program before one of this."""
    found, there = _some_lines(text, random), _some_lines(random.choice(others), random)
    if found is None or there is None:
        return None
    (lines, (start, _)), (theirs, (first, last)) = found, there
    was, indent = _indent(theirs[first]), _indent(lines[start])
    new = [indent + line.removeprefix(was) if line.strip() else line for line in theirs[first:last]]
    return "".join([*lines[:start], *new, *lines[start:]])


def wrap(text: str, random: Random) -> str | None:
    """Neighbouring statements in a block of their own."""
    block = _some_block(text, random, at_least=1)
    if block is None:
        return None
    first = random.randrange(len(block))
    last = random.randrange(first, len(block))
    lines, (start, end) = _split(text), (block[first][0], block[last][1])
    indent, unit = _indent(lines[start]), random.choice(("    ", "  ", "\t", " "))
    body = _shifted(text, lines, start, end, unit)
    head, tail = (random.choice(_HEADS), "") if random.random() < 0.8 else random.choice(_TRIES)
    opened = "".join(f"{indent}{line}\n" for line in head.split("\n"))
    closed = f"{indent}{tail}\n{indent}{unit}pass\n" if tail else ""
    return "".join([*lines[:start], opened, *body, closed, *lines[end:]])


def decorate(text: str, random: Random) -> str | None:
    definitions = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef | ast.ClassDef)]
    if not definitions:
        return None
    lines = _split(text)
    line = random.choice(definitions).lineno - 1
    new = "".join(f"{_indent(lines[line])}{part}\n" for part in random.choice(_DECORATORS).split("\n"))
    return "".join([*lines[:line], new, *lines[line:]])


def join(text: str, random: Random) -> str | None:
    """Two simple statements on one line, or a block behind its colon."""
    found = []
    lines = _split(text)
    for number, (line, below) in enumerate(pairwise(lines)):
        solid = line.rstrip("\n")
        if solid.strip() and "#" not in solid and below.strip() and not below.lstrip().startswith("#"):
            same = _indent(line) == _indent(below)
            if same or solid.endswith(":"):
                found.append((number, f"{solid}{random.choice((';', '; ', ' ;  ')) if same else ' '}{below.lstrip()}"))
    if not found:
        return None
    number, joined = random.choice(found)
    return "".join([*lines[:number], joined, *lines[number + 2 :]])


def asynchronous(text: str, random: Random) -> str | None:
    return _some_match(re.compile(r"(?m)^([ \t]*)(def|for|with) "), text, random, r"\1async \2 ")


# --- expressions --------------------------------------------------------------------------------------------------


def surround(text: str, random: Random) -> str | None:
    span = _some_expression(text, random)
    if span is None:
        return None
    own = text[span[0] : span[1]]
    around = random.choice(_AROUND)
    if len(own) > 10_000:
        return None
    return text[: span[0]] + around.replace("{}", own).replace("{{", "{").replace("}}", "}") + text[span[1] :]


def exchange(text: str, random: Random) -> str | None:
    one, other = sorted((_some_expression(text, random), _some_expression(text, random)), key=lambda s: s or (0, 0))
    if one is None or other is None or one[1] > other[0]:
        return None
    (a, b), (c, d) = one, other
    return text[:a] + text[c:d] + text[b:c] + text[a:b] + text[d:]


def nest(text: str, random: Random) -> str | None:
    """Brackets as deep as Python reads them."""
    span = _some_expression(text, random)
    if span is None:
        return None
    depth = random.choice((5, 40, 90))
    opening, closing = random.choice((("(", ")"), ("[", "]"), ("f(", ")"), ("-", ""), ("(lambda: ", ")")))
    return text[: span[0]] + opening * depth + text[span[0] : span[1]] + closing * depth + text[span[1] :]


def annotate(text: str, random: Random) -> str | None:
    pattern = re.compile(r"(?m)^([ \t]*[\w.]+) = (.*)$")
    new = random.choice((r"\1: 'int' = \2", r"\1 = \2  # type: int", r"\1 = _ = \2", r"(\1) = \2", r"\1 = \2;"))
    return _some_match(pattern, text, random, new)


def generic(text: str, random: Random) -> str | None:
    new = random.choice((r"def \1[T](", r"def \1[T: int, *A]( "))
    return _some_match(re.compile(r"\bdef (\w+)\("), text, random, new)


def rename(text: str, random: Random) -> str | None:
    names = sorted({token.string for token in _tokens(text) if token.type == tokenize.NAME})
    if not names:
        return None
    old, new = random.choice(names), random.choice(_NAMES)
    return _with_tokens(text, lambda token: new if token.type == tokenize.NAME and token.string == old else None)


def rename_once(text: str, random: Random) -> str | None:
    places = [token.start for token in _tokens(text) if token.type == tokenize.NAME]
    if not places:
        return None
    place, new = random.choice(places), random.choice(_NAMES)
    return _with_tokens(text, lambda token: new if token.start == place else None)


# --- layout -------------------------------------------------------------------------------------------------------


def reindent(text: str, random: Random) -> str | None:
    unit = random.choice(("\t", " ", "  ", "   ", "        "))
    inside = _inside_strings(text)
    levels = [""]
    starts = {}
    for token in _tokens(text):
        if token.type == tokenize.INDENT:
            levels.append(token.string)
        elif token.type == tokenize.DEDENT:
            levels.pop()
        starts.setdefault(token.start[0], (len(levels) - 1, levels[-1]))
    lines = _split(text)
    for number, (level, blanks) in starts.items():
        if number <= len(lines) and number not in inside and lines[number - 1].startswith(blanks):
            lines[number - 1] = unit * level + lines[number - 1][len(blanks) :]
    return "".join(lines)


def comment(text: str, random: Random) -> str | None:
    lines = _split(text)
    if not lines:
        return random.choice(_COMMENTS)
    for _ in range(random.choice((1, 5, 30))):
        number = random.randrange(len(lines))
        changed = lines.copy()
        if random.random() < 0.5:
            changed[number] = lines[number].rstrip("\n") + "  " + random.choice(_COMMENTS) + "\n"
        else:
            changed.insert(number, " " * random.choice((0, 2, 4, 8)) + random.choice(_COMMENTS) + "\n")
        if reads("".join(changed).encode()):
            lines = changed
    return "".join(lines)


def go_on(text: str, random: Random) -> str | None:
    """A line broken behind a backslash, or inside brackets with a comment."""
    blanks = [m.start() for m in re.finditer(r"(?<=\S) (?=\S)", text)]
    if not blanks:
        return None
    place = random.choice(blanks)
    new = random.choice((" \\\n  ", "\\\n", " \\\n\t\\\n ", "\n", "  # why\n  ", "\n\n   # why\n"))
    return text[:place] + new + text[place + 1 :]


def page(text: str, random: Random) -> str | None:
    """Form feeds, blanks behind lines, blank lines, none at the end."""
    lines = _split(text)
    if not lines:
        return None
    number = random.randrange(len(lines))
    solid = lines[number].rstrip("\n")
    odd = (f"\f{solid}", f"{solid} \t", f"\f\n{solid}", f"{solid}\n\n", f"{solid}\n ")
    lines[number] = random.choice(odd) + "\n"
    return "".join(lines).rstrip("\n") if random.random() < 0.3 else "".join(lines)


MUTATIONS: tuple[Mutation, ...] = (
    *(swap, repeat, remove, insert, insert, wrap, wrap, decorate, join, asynchronous, surround, surround, exchange),
    *(nest, annotate, generic, rename, rename_once, reindent, comment, go_on, page),
)


def encoded(text: str, random: Random) -> bytes:
    """The text in one of the newlines and encodings that Python reads."""
    newline = random.choice(("\n", "\n", "\n", "\r\n", "\r", "mixed"))
    if newline == "mixed":
        text = "".join(line.rstrip("\n") + random.choice(("\n", "\r\n")) for line in _split(text))
    else:
        text = text.replace("\n", newline)
    cookie = random.choice(("", "", "", "latin-1", "cp1252", "utf-8", "utf-8-sig", "bom", "shift_jis", "utf-7"))
    first = "\n" if newline == "mixed" else newline
    try:
        if cookie == "bom":
            return b"\xef\xbb\xbf" + text.encode()
        return (f"# coding: {cookie}{first}{text}" if cookie else text).encode(cookie or "utf-8")
    except UnicodeEncodeError:
        return text.encode(errors="replace")


# --- places in a text ---------------------------------------------------------------------------------------------


def _tokens(text: str) -> list[tokenize.TokenInfo]:
    return list(tokenize.generate_tokens(io.StringIO(text, newline="\n").readline))


def _with_tokens(text: str, new: Callable[[tokenize.TokenInfo], str | None]) -> str:
    lines = _split(text)
    for token in reversed(_tokens(text)):
        put = new(token)
        if put is not None:
            (row, start), (_, end) = token.start, token.end
            lines[row - 1] = lines[row - 1][:start] + put + lines[row - 1][end:]
    return "".join(lines)


def _inside_strings(text: str) -> set[int]:
    """The lines that begin inside a string, from 1."""
    found: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant | ast.JoinedStr) and node.end_lineno is not None:
            found.update(range(node.lineno + 1, node.end_lineno + 1))
    return found


def _shifted(text: str, lines: Sequence[str], start: int, end: int, unit: str) -> list[str]:
    inside = _inside_strings(text)
    return [
        line if number in inside or not line.strip() else _indent(line) + unit + line[len(_indent(line)) :]
        for number, line in enumerate(lines[start:end], start + 1)
    ]


def _blocks(text: str) -> Iterator[list[tuple[int, int]]]:
    """The lines `[start, end)`, from 0, of the statements of each block that share none with another."""
    for node in ast.walk(ast.parse(text)):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                places = [_lines_of(statement) for statement in block]
                if all(a[1] <= b[0] for a, b in pairwise(places)) and places[0][0] >= _head(node):
                    yield places


def _head(node: ast.AST) -> int:
    return 0 if isinstance(node, ast.Module) else int(getattr(node, "lineno", 0))


def _lines_of(statement: ast.stmt) -> tuple[int, int]:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(d.lineno for d in decorators)]) - 1, statement.end_lineno or statement.lineno


def _some_block(text: str, random: Random, at_least: int) -> list[tuple[int, int]] | None:
    found = [block for block in _blocks(text) if len(block) >= at_least]
    return random.choice(found) if found else None


def _some_lines(text: str, random: Random) -> tuple[list[str], tuple[int, int]] | None:
    block = _some_block(text, random, at_least=1)
    return None if block is None else (_split(text), random.choice(block))


def _some_expression(text: str, random: Random) -> tuple[int, int] | None:
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)

    def offset(line: int, column: int) -> int:
        return starts[line - 1] + len(lines[line - 1].encode()[:column].decode(errors="ignore"))

    found = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.expr) and node.end_lineno is not None]
    if not found:
        return None
    node = random.choice(found)
    assert node.end_lineno is not None and node.end_col_offset is not None
    return offset(node.lineno, node.col_offset), offset(node.end_lineno, node.end_col_offset)


def _some_match(pattern: re.Pattern[str], text: str, random: Random, new: str) -> str | None:
    found = list(pattern.finditer(text))
    if not found:
        return None
    match = random.choice(found)
    return text[: match.start()] + match.expand(new) + text[match.end() :]


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t\f"))]


def _split(text: str) -> list[str]:
    """The lines with their newlines; `str.splitlines` would end them at form feeds too."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)
