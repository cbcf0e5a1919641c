"""The oracle on a program of 2023: with all fixes, and with careless ones in their place."""

import tempfile
from pathlib import Path

from jaxfix.engine.plan import plan
from jaxfix.evidence.oracle import Side, ask
from jaxfix.library.changes.periods import alike
from jaxfix.source.source_file import SourceFile
from jaxfix.testing import unmarked
from jaxfix_codemods import CODEMODS

ROOT = Path(__file__).resolve().parents[2]
_PROGRAM = ROOT / "golden" / "removed_api" / "period.py"
CARELESS = {
    "keywords of `clip` by their order": ("max=1.0, min=-1.0", "min=1.0, max=-1.0"),
    "a bound of `clip` lost": ("max=1.0, min=-1.0", "max=1.0"),
    "`product` as a sum": ("jnp.prod(x, axis=1)", "jnp.sum(x, axis=1)"),
    "`shuffle` of the order left out": ("x[order], y[order]", "x, y"),
    "`NINF` without its sign": ("-jnp.inf", "jnp.inf"),
}


def asked(period: str, today: str) -> dict[str, str]:
    """The answers: of all fixes, of each careless one, and of draws that are not set alike."""
    text = unmarked(_PROGRAM.read_bytes())
    codemods = [codemod for codemod in CODEMODS if codemod.id == "removed-api"]
    fixed = plan(SourceFile.decode("period.py", text), codemods, lambda fix: None).after.decode()
    careless = {name: fixed.replace(*change) for name, change in CARELESS.items()}
    assert fixed not in careless.values()
    answers = {"all fixes": _answer(text, fixed, period, today)}
    answers |= {name: _answer(text, each, period, today) for name, each in careless.items()}
    return answers | {"draws not set alike": _answer(text, fixed, period, today, draws_alike=False)}


def _answer(text: bytes, fixed: str, period: str, today: str, *, draws_alike: bool = True) -> str:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "project"
        root.mkdir()
        (root / "period.py").write_bytes(text)
        sides = Side(period, {}), Side(today, {root / "period.py": fixed.encode()})
        found = ask(root, "python period.py", *sides, 600, alike(None) if draws_alike else {})
    reason = found.reason if found.answer.agrees else found.reason.partition(":")[0]
    return f"{found.answer.value}: {reason}"
