"""Measures the language server as an editor feels it, and writes the table down.

python -m benchmarks.editor                      `docs/evidence/editor.md`
python -m benchmarks.editor --edits 50 --print   fewer keystrokes, printed

From the root of a clone, with `.[bench,lsp,test]` installed. Best on a machine that does nothing else: the page says
how busy it was.
"""

import argparse
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "evidence" / "editor.md"
LINES = 1500
sys.path.insert(0, str(ROOT / "tests"))

from lsp_client import PULLS, Client, client  # noqa: E402  (the client of the tests)

FUNCTION = '''\
def solve_{n}(x, rate):
    """One of many, with a finding."""

    def body(carry, _):
        return carry * {n} + rate, None

    start = jnp.asarray(x) if x is not None else jnp.zeros(3)
    final, _ = jax.lax.scan(body, start, None, 3)
    return final


'''
HEAD = "import jax\nimport jax.numpy as jnp\n\n\n"


@dataclass(frozen=True, slots=True)
class Row:
    """What was measured, in ms (or MB, where `unit` says so), and the bar it is to be under."""

    what: str
    values: tuple[float, ...]
    bar: str
    unit: str = "ms"

    @property
    def cells(self) -> str:
        ordered = sorted(self.values)
        p95 = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
        shown = (statistics.median(ordered), p95, ordered[0])
        return " | ".join(f"{value:.0f}" for value in shown) + f" | {len(ordered)}"


def made(lines: int) -> str:
    """A source of so many lines, half of whose functions have a finding."""
    size = FUNCTION.count("\n") + 2
    number = (lines - HEAD.count("\n")) // size
    calls = "".join(f"for _ in range(3):\n    solve_{n}(1.0, 2.0)\n" for n in range(number))
    return HEAD + "".join(FUNCTION.format(n=n) for n in range(number)) + calls


def real() -> str:
    """The longest source of optax of more than `LINES` lines: what a person may well have open."""
    import optax

    folder = Path(optax.__file__).parent
    found = (path.read_text() for path in folder.rglob("*.py"))
    return min((text for text in found if text.count("\n") >= LINES), key=len)


def ready(rounds: int) -> Iterator[tuple[float, float]]:
    """How long, per round, `python -c pass` takes, and the answer to `initialize`."""
    for _ in range(rounds):
        plain = timed(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True))
        with folder() as root:
            begun = time.perf_counter()
            with client(root) as server:
                server.initialize(root, capabilities=PULLS)
                yield plain, (time.perf_counter() - begun) * 1e3


def cold(text: str, rounds: int) -> Iterator[float]:
    """From the start of the process to the diagnostics of its first file."""
    for _ in range(rounds):
        with folder() as root:
            begun = time.perf_counter()
            with client(root) as server:
                server.initialize(root, capabilities=PULLS)
                server.diagnostics(server.open((root / "cold.py").as_uri(), text))
                yield (time.perf_counter() - begun) * 1e3


def opened(server: Client, root: Path, text: str, rounds: int) -> Iterator[float]:
    """From `didOpen` to the diagnostics, in a server that runs."""
    for number in range(rounds):
        uri = (root / f"opened{number}.py").as_uri()
        yield timed(lambda uri=uri: server.diagnostics(server.open(uri, text)))
        server.notify("textDocument/didClose", textDocument={"uri": uri})


def typed(server: Client, uri: str, text: str, edits: int) -> Iterator[float]:
    """From a keystroke to the diagnostics of the text with it; letters in a comment, in code, and names that change."""
    draw = random.Random(3)
    lines = text.splitlines()
    for _ in range(edits):
        line = draw.randrange(4, len(lines))
        where = {"line": line, "character": len(lines[line])}
        new = draw.choice(["  # x", " ", "\n", "  # jit"])
        if not lines[line].strip() or '"""' in text.splitlines()[line]:
            new = "# y"

        def keystroke(where: dict[str, int] = where, new: str = new) -> None:
            server.change(uri, {"range": {"start": where, "end": where}, "text": new})
            server.diagnostics(uri)

        yield timed(keystroke)
        server.change(uri, {"text": text})
        server.diagnostics(uri)
        time.sleep(0.01)


def surveyed(files: int) -> tuple[float, float]:
    """How long until the first file of a project knows the others, and the MB of all processes then."""
    with folder() as root:
        for number in range(files):
            (root / f"part{number}.py").write_text(made(200).replace("solve_", f"part{number}_"))
        (root / "solver.py").write_text(HEAD + FUNCTION.format(n=0))
        (root / "train.py").write_text("import solver\n\nfor _ in range(9):\n    solver.solve_0(1.0, 2.0)\n")
        with client(root) as server:
            server.initialize(root, capabilities=PULLS)
            begun = time.perf_counter()
            server.until(server.open_file(root / "solver.py"), 1)
            took = (time.perf_counter() - begun) * 1e3
            return took, memory(server)


def grown(edits: int) -> Iterator[Row]:
    """What the server holds on to while a text is edited, a fifth of the way on and in the end."""
    with folder() as root, client(root) as server:
        server.initialize(root, capabilities=PULLS)
        uri = server.open((root / "grown.py").as_uri(), made(300))
        for number in range(1, edits + 1):
            line = {"line": number % 250, "character": 0}
            server.change(uri, {"range": {"start": line, "end": line}, "text": "#" if number % 2 else "\n"})
            if number % 100 == 0:
                server.change(uri, {"text": made(300)})
                server.diagnostics(uri)
            if number in (edits // 5, edits):
                size = psutil.Process(server.process.pid).memory_info().rss / 1e6
                yield Row(f"memory of the server after {number:,} edits", (size,), "", "MB")


def processor(server: Client) -> float:
    """Seconds that the server has used, its helpers apart."""
    times = psutil.Process(server.process.pid).cpu_times()
    return times.user + times.system


def memory(server: Client) -> float:
    process = psutil.Process(server.process.pid)
    return sum(each.memory_info().rss for each in (process, *process.children(recursive=True))) / 1e6


@contextmanager
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name) / "project"
        (root / ".git").mkdir(parents=True)
        yield root


def timed(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return (time.perf_counter() - begun) * 1e3


def measured(rounds: int, edits: int, files: int) -> Iterator[Row]:
    starts = list(ready(rounds))
    plain = statistics.median(start for start, _ in starts)
    yield Row("`python -c pass`", tuple(start for start, _ in starts), "")
    yield Row("server answers `initialize`, process start included", tuple(a for _, a in starts), f"{4 * plain:.0f}")
    dense = made(LINES)
    findings = dense.count("def solve_")
    texts = {
        f"optax, {real().count(chr(10))} lines": real(),
        f"made, {LINES} lines, {findings} findings": dense,
    }
    for name, text in texts.items():
        yield Row(f"first diagnostics, process start included ({name})", tuple(cold(text, rounds)), "")
        with folder() as root, client(root) as server:
            server.initialize(root, capabilities=PULLS)
            server.diagnostics(server.open((root / "warm.py").as_uri(), "import jax\n"))
            yield Row(f"diagnostics of a file that is opened ({name})", tuple(opened(server, root, text, 20)), "100")
            uri = server.open((root / "typed.py").as_uri(), text)
            server.diagnostics(uri)
            begun = processor(server)
            yield Row(f"diagnostics after a keystroke ({name})", tuple(typed(server, uri, text, edits)), "50 at p95")
            spent = (processor(server) - begun) / (2 * edits) * 1e3  # each is taken back
            yield Row(f"of that, time of the processor, on average ({name})", (spent,), "")
            yield Row(f"memory of all processes after that ({name})", (memory(server),), "", "MB")
    yield from grown(10_000)
    took, size = surveyed(files)
    yield Row(f"a finding that another of {files + 2} files decides, after opening", (took,), "")
    yield Row("memory of all processes then", (size,), "", "MB")


WINDOWS = """\
## In VS Code itself

VS Code 1.139 in the browser (code-server 4.139, from its npm package) with the packaged extension, driven in
Chromium as a person would: a finding and its hover, the quick-fix by the lightbulb, `Prove it`, a trace, fix on
save, notebooks, two folders in one workspace. `pytest -m slow tests/editors/test_vscode.py` does it and asserts
the bytes that are saved; `JAXFIX_SHOTS` names a folder for its pictures. Once before it, on Debian:

```sh
apt-get install chromium ripgrep libkrb5-dev g++ make
pip install -e '.[test]' playwright
(cd editors/vscode && npm ci && sh test/get-code-server.sh)
```

After `Prove it: rerun python train.py` the fix is `(proven)`, and the message says what the rerun measured:

![The menu of the lightbulb in VS Code after a proof: the fix, proven](../images/vscode-proof.png)
"""


def page(rows: Sequence[Row], before: float, after: float) -> str:
    table = "\n".join(f"| {row.what} | {row.cells} | {row.unit} | {row.bar} |" for row in rows)
    return f"""# The language server, as an editor feels it

Measured by `python -m benchmarks.editor`, with a client of its own over stdin and stdout. A keystroke is a `didChange`
and the diagnostics that are asked for after it; what is measured is the time until they are there, messages included.

| what | median | 95th percentile | least | times | unit | bar |
|---|---|---|---|---|---|---|
{table}

Python {platform.python_version()}, pygls {version("pygls")}, {os.cpu_count()} processors ({platform.machine()},
{platform.system()}); load {before:.1f} before and {after:.1f} after, of {os.cpu_count()} that the machine can bear.

{WINDOWS}"""


def main() -> None:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # what is installed is compiled
    parser = argparse.ArgumentParser(prog="python -m benchmarks.editor")
    parser.add_argument("--rounds", type=int, default=9, help="starts of the server")
    parser.add_argument("--edits", type=int, default=200, help="keystrokes in each file")
    parser.add_argument("--files", type=int, default=200, help="files of the project that is surveyed")
    parser.add_argument("--print", action="store_true", help="print the page, write nothing")
    options = parser.parse_args()
    before = os.getloadavg()[0]
    rows = []
    for row in measured(options.rounds, options.edits, options.files):
        print(row.what, row.cells, row.unit, file=sys.stderr, flush=True)
        rows.append(row)
    text = page(rows, before, os.getloadavg()[0])
    if options.print:
        print(text)
    else:
        PAGE.write_text(text)


if __name__ == "__main__":
    main()
