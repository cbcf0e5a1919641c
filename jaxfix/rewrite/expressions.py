"""Whether an expression can stand where it is put."""

import ast


def standing(text: str) -> str:
    """`text` in parentheses if it goes over lines that nothing else holds together."""
    if "\n" not in text.strip() or _parses(text.strip()) or not _parses(f"({text})"):
        return text
    return f"({text})"


def needs_parentheses(node: ast.expr, text: str) -> bool:
    """Whether `node` cannot be an argument as it is: `a, b` would be two."""
    match node:
        case ast.Tuple():
            return not (text.startswith("(") and text.endswith(")") and _parses(f"[{text[1:-1]}]"))
        case ast.GeneratorExp():
            return not text.startswith("(") or not _parses(text)
        case ast.NamedExpr() | ast.Yield() | ast.YieldFrom():
            return True
    return False


def is_word(character: str) -> bool:
    """Whether `character`, or none, would grow together with a word beside it."""
    return character.isalnum() or character in ("_", '"', "'", "\ufffd") if character else False


def _parses(text: str) -> bool:
    try:
        ast.parse(text, mode="eval")
    except SyntaxError:
        return False
    return True
