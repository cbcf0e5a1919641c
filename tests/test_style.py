"""What people read is in plain words: docs/style.md says which turns are out, and what is in their place."""

import io
import re
import subprocess
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
BE = r"(?:is|are|was|were|be|been|being)"
BANNED = {
    "anew": r"\banew\b",
    "told": rf"\b{BE} (?:(?:not|also|only|then|never|asked) )?told\b|\btold (?:apart|of|that|to)\b",
    "tell apart": r"\btells?\b[^.;:]{0,40}\bapart\b",
    "whoever": r"\bwhoever\b",
    "left as it is": r"\b(?:leaves?|left|stays?|stayed|runs?|ran) (?:(?:it|them|that) )?"
    r"as (?:it|they) (?:is|are|was|were)\b"
    r"(?! (?:named|shown|given|written|called))",
    "round of a loop": r"\b(?:each|every) round\b|\bround of (?:a|the) loop\b|\bfrom round to round\b",
    "goes round": r"\bgoes? round\b",
    "behind the loop": r"\bbehind (?:the|a|its) loop\b",
    "passed over": r"\bpassed over\b",
    "to be had": r"\bbe had\b",
    "but for": r"\bbut for\b",
    "handed on": r"\bhanded on\b",
    "was not read": r"\b(?:is|does|returns|holds|passes|defined|called) was not read\b|\bcode that was not read\b",
    "format string": r"\b(?:inside|in) (?:of )?(?:an? )?format strings?\b",
    "rounds otherwise": r"\bround(?:s|ed)? otherwise\b",
    "meanwhile": r"\bmeanwhile\b",
    "be it": r"\bbe it\b",
    "for who": r"\bfor who\b",
    "somebody": r"\bsomebody\b",
    "dearest": r"\bdear(?:er|est)?\b",
    "long in": r"\b(?:is|was|were) long in\b",
    "others than": r"\bare others\b|\bothers than\b",
    "without a word": r"\bwithout a word\b",
    "again and again": r"\bagain and again\b",
    "handed": r"\bhanded\b(?! (?:out|over|down|in)\b)",
    "where it stands": r"\bwhere (?:it|they) stands?\b(?! for)|\bstands in\b",
    "once for all": r"\bonce for all(?=[.,:;]|$)",
    "made once": r"\bto where (?:it is|they are) made\b",
    "as far as the text tells": r"\bas far as (?:its|their|the) texts? tells?\b",
    "nobody is here": r"\bnobody is here\b",
    "for its effect": r"\bfor (?:its|their) effects?\b",
    "of Python": r"\b(?:numbers?|lists?|ints?) of (?:Python|NumPy)\b",
    "hands on": r"\bhands? (?:it |them )?on\b",
    "takes along": r"\b(?:takes?|goes?|brings?) (?:it |them )?along\b",
    "gets hold of": r"\b(?:gets?|got) hold of\b",
    "given away": r"\bgives? (?:it )?away\b|\bgiven away\b",
    "lets go of": r"\blets? go of\b",
    "hangs on": r"\bhangs? on\b",
    "kin": r"\b(?:its|their) kin\b",
    "of its period": r"\b(?:of|in) its period\b",
    "for want of": r"\bfor want of\b",
    "let pass": r"\b(?:is|are) let pass\b",
    "in vain": r"\bin vain\b",
    "before any rewrite": r"\bfails before any rewrite\b",
    "is no array": r"\b(?:is|are) no (?:arrays?|dictionar\w+|targets|part|units|data|sign|plain)\b",
}
WORDS = re.compile("|".join(f"(?:{turn})" for turn in BANNED.values()), re.IGNORECASE)
QUOTED = re.compile(r"`[^`\n]*`")
TEXTS = ("*.md", "*.yml", "*.yaml", "*.ts", "*.tsx", "editors/vscode/package.json", "jaxfix/render/assets/trace.js")
EXEMPT = ("docs/style.md", "benchmarks/prover/", "tests/", "golden/", "jaxfix/rewrite/helpers/")
"""The helper is the same bytes in every project: its words change with its version alone."""


def listed(*patterns: str) -> list[str]:
    done = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in done.stdout.splitlines() if not name.startswith(EXEMPT)]


def of_python(text: str) -> Iterator[tuple[int, str]]:
    """The comments and strings of a module, with the line that each begins in; single words are left out."""
    strings = {tokenize.STRING, tokenize.COMMENT, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in strings and " " in token.string:
            yield token.start[0], token.string


def turns(name: str, text: str) -> list[str]:
    """Where `text`, of the file of that name, has a banned turn; what is quoted as code may have one."""
    parts = of_python(text) if name.endswith(".py") else [(1, re.sub(r"^ *```.*?^ *```", "", text, flags=re.M | re.S))]
    found = []
    for line, part in parts:
        plain = QUOTED.sub("`", part)
        found += [f"{name}:{line + plain[: turn.start()].count(chr(10))}: {turn[0]}" for turn in WORDS.finditer(plain)]
    return found


def test_what_people_read_has_no_banned_turn() -> None:
    names = [*listed(*TEXTS), *listed("jaxfix/*.py", "codemods/*.py", "benchmarks/*.py")]
    assert len(names) > 300
    assert [turn for name in names for turn in turns(name, (ROOT / name).read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.md", "Each file is told of the others."),
        ("a.md", "A file is\ntold to go."),
        ("a.py", '"""A jit that is made anew."""\n'),
        ("a.py", 'x = f"`{y}` changes in every round of it"\n'),
        ("a.py", "x = 1  # whoever asks\n"),
        ("a.ts", "// left as they are"),
        ("a.md", "All files, but for generated ones."),
        ("a.md", "as far as that can be had"),
        ("a.md", "It keeps the first value without a word."),
        ("a.py", '"""It is handed a state."""\n'),
    ],
)
def test_a_banned_turn_is_found(name: str, text: str) -> None:
    assert len(turns(name, text)) == 1


@pytest.mark.parametrize(
    "text", ["told = anew()\n", '"""Returns `told`."""\n', "print('anew')\n", "# the name as it is written\n"]
)
def test_names_and_code_are_not_held_to_it(text: str) -> None:
    assert turns("a.py", text) == []


def test_the_style_page_has_forty_pairs_and_names_every_banned_turn() -> None:
    page = (ROOT / "docs" / "style.md").read_text(encoding="utf-8")
    pairs = [row for row in page.splitlines() if row.startswith("| ") and not row.startswith(("| now", "|---"))]
    assert len(pairs) >= 40 and all(row.count(" | ") == 1 for row in pairs)
    assert [turn for turn, pattern in BANNED.items() if not re.search(pattern, page, re.IGNORECASE)] == []
