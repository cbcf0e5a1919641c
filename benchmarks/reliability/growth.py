"""Files of any size, and the work that they cost: twice the file is to cost twice the work."""

import ast
import io
import subprocess
import sys
import tempfile
import tokenize
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from jaxfix.engine.analyze import analyze
from jaxfix.semantic.codemod import Codemod
from jaxfix.source.source_file import SourceFile
from jaxfix.testing import BESIDE

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
SHAPES = ("in a module", "in a function", "in a loop")


@dataclass(frozen=True, slots=True)
class Example:
    """What one codemod finds and fixes: imports, and statements that can stand any number of times in one file."""

    codemod: str
    head: str
    body: str

    def times(self, count: int, shape: str) -> str:
        """A file that holds it `count` times."""
        copies = [self._copy(number) for number in range(count)]
        if shape == "in a module":
            return "\n".join([self.head, *copies])
        if shape == "in a loop":
            return "\n".join([self.head, "def everything():", "    while True:", *(_deeper(c, 2) for c in copies)])
        return "\n".join([self.head, "def everything():", *(_deeper(copy, 1) for copy in copies)])

    def _copy(self, number: int) -> str:
        names = set(_bound(ast.parse(self.body)))
        lines = self.body.splitlines(keepends=True)
        for token in reversed(list(tokenize.generate_tokens(io.StringIO(self.body).readline))):
            if token.type == tokenize.NAME and token.string in names:
                (row, start), (_, end) = token.start, token.end
                lines[row - 1] = f"{lines[row - 1][:start]}{token.string}_{number}{lines[row - 1][end:]}"
        return "".join(lines)


def examples(codemods: Sequence[Codemod]) -> Iterator[Example]:
    """Of each codemod its golden files."""
    for codemod in codemods:
        for path in sorted((GOLDEN / codemod.id.replace("-", "_")).glob("*.py")):
            if path.stem in ("basic", "lifts", "retraces", "states", "helpers", "declines"):
                yield example(f"{codemod.id}, {path.stem}", path.read_text())


def example(name: str, text: str) -> Example:
    """The file `text` as something that can be repeated."""
    statements = ast.parse(text).body
    imports = [s for s in statements if isinstance(s, ast.Import | ast.ImportFrom)]
    end = max((s.end_lineno or 0 for s in imports), default=0)
    lines = text.splitlines(keepends=True)
    return Example(name, "".join(lines[:end]), "".join(lines[end:]))


def calls(work: Callable[[], object]) -> int:
    """How many functions are called, those in C too: the same on every machine."""
    count = 0

    def note(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        if event in ("call", "c_call"):
            count += 1

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def _bound(tree: ast.Module) -> Iterator[str]:
    """The names that the statements bind at the top."""
    for statement in tree.body:
        match statement:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case _:
                for node in ast.walk(statement):
                    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                        yield node.id


def _deeper(text: str, levels: int) -> str:
    return "".join("    " * levels + line if line.strip() else line for line in text.splitlines(keepends=True))


# --- measured -----------------------------------------------------------------------------------------------------

_COUNTS = (8, 16, 32)
_HUGE_BYTES = 5_000_000
_CONDS = 20_000
_COMMAND_S = 900


def measured(codemods: Sequence[Codemod]) -> dict[str, object]:
    """The work for repeated examples, and what the command line needs for one huge file."""
    found = [
        {"example": each.codemod, "shape": shape, "calls": [work(each.times(n, shape), codemods) for n in _COUNTS]}
        for each in examples(codemods)
        for shape in SHAPES
        if each.codemod.endswith("basic")
    ]
    return {"repeated": found, "huge": [*_huge()]}


def work(text: str, codemods: Sequence[Codemod]) -> int:
    """The calls that looking at `text` takes."""
    source = SourceFile.decode("repeated.py", text.encode())
    return calls(lambda: analyze(source, codemods, surroundings=BESIDE))


def huge() -> Iterator[tuple[str, str]]:
    """Files of five megabytes, or 100,000 lines."""
    basic = example("loops", (GOLDEN / "local_loop_function" / "basic.py").read_text())
    count = _HUGE_BYTES // len(basic.body)
    yield "the examples of `local-loop-function`, repeatedly", basic.times(count, "in a module")
    rows = "\n".join(f"    'row {n}': ({n}, {n}.5, 'text {n}', None)," for n in range(_HUGE_BYTES // 45))
    yield "one dictionary, and one `lax.scan`", f"import jax\nTABLE = {{\n{rows}\n}}\n{_SCAN}"
    conds = "\n".join(f"    x = lax.cond(x > {n}, lambda v: v + {n}, lambda v: v - {n}, x)" for n in range(_CONDS))
    yield (
        f"{_CONDS:,} calls of `lax.cond` in one function",
        f"from jax import lax\n\n\ndef f(x):\n{conds}\n    return x\n",
    )


_SCAN = "\n\ndef f(xs):\n    return jax.lax.scan(lambda c, x: (c + x, x), 0.0, xs)\n"


def _huge() -> Iterator[dict[str, object]]:
    for name, text in huge():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "huge.py"
            path.write_text(text)
            for command in ("check --all", "apply --diff --unproven"):
                row = {"name": name, "size": len(text), "lines": text.count("\n"), "command": command}
                yield row | ran([*command.split(), "--exit-zero", str(path)])


def ran(words: Sequence[str]) -> dict[str, object]:
    """What `jaxfix` with these words, in a process of its own, took: CPU seconds, its peak of memory, how it ended."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", _MEASURED, *words], capture_output=True, text=True, timeout=_COMMAND_S
        )
    except subprocess.TimeoutExpired:
        return {"seconds": 0.0, "peak_mb": 0.0, "ends": f"ended after {_COMMAND_S} s"}
    seconds, peak = done.stderr.splitlines()[-1].split()
    return {"seconds": float(seconds), "peak_mb": int(peak) / 1e6, "ends": str(done.returncode)}


_MEASURED = """\
import sys, time
from jaxfix.__main__ import main
from jaxfix.evidence.probe.memory import peak_bytes
ends = main()
print(f"\\n{time.process_time()} {peak_bytes()}", file=sys.stderr)
sys.exit(ends)
"""
