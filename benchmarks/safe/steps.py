"""Whether random training loops compute something else with fixes that no run has proven.

python -m benchmarks.safe.steps --programs 300 --seed 1    runs them, and prints what came of it
python -m benchmarks.safe.steps --seed 1 --show 87         one of them, its fixes, and what both print

From the root of a clone, with `.[prove]` installed. A proof refuses what differs in its own run; this is what is
left where the run does not show it. Numbers may differ by rounding, and nothing else may.
"""

import argparse
import os
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random

os.environ["JAXFIX_WORKERS"] = "1"
os.environ.setdefault("JAX_PLATFORMS", "cpu")

from benchmarks.safe import page
from benchmarks.safe.drawing import Choices, Draw
from benchmarks.safe.grammar import Program
from benchmarks.safe.law import Judged, smallest
from benchmarks.safe.running import fixed, observed, write
from benchmarks.safe.templates import templates
from jaxfix.drivers.workflow.planning import whatever_can_be_written

PARTS = ("parameters", "update", "head", "rate", "report", "end", "calls", "place")
"""Of a loop."""
_SOME = {"array": ("m = 0.0",), "dictionary": ("kept, first = w, next(iter(w))",), "list": ("kept = w",)}
"""Other names of the parameters, which some updates use."""
_NUMBER = re.compile(r"-?\d+\.?\d*(?:e[+-]?\d+)?")
_NEAR = 2e-4
_HEAD = """import dataclasses
import functools
import itertools

import jax
import jax.numpy as jnp
import numpy as np

RATE = 0.1
OPTIONS = {"rate": 0.1, "decay": 0.9}
RATES = [0.1, 0.05, 0.2]


@dataclasses.dataclass
class Config:
    rate: float = 0.1
    half: float = 0.0

    def __post_init__(self):
        self.half = self.rate / 2


CONFIG = Config()


class Meter:
    def __init__(self):
        self.count, self.sum = 0, 0.0

    def add(self, value):
        self.count += 1
        self.sum = self.sum + value


FUNCTIONS = {"tanh": jnp.tanh, "sin": jnp.sin}


def noticed(number, loss):
    pass


def scheduled(number):
    return 0.1 / (1 + number)


@functools.cache
def known(number):
    return 0.1 * number


scaled = functools.partial(jnp.multiply, 0.5)


def batches(data):
    for x in data:
        yield x * 1.5
"""


def generated(seed: int, number: int) -> Program:
    return _program(Draw({}, Random(seed * 1_000_003 + number)))


def made_of(choices: Choices) -> Program:
    return _program(Draw(dict(choices)))


def _program(draw: Draw) -> Program:
    every = templates("steps.txt")
    parts = {part: _of(part, every) for part in PARTS}
    made, loss, kind = draw.hazard("parameters", parts["parameters"], calm=0.2).split("\n---\n")
    updates = {name: text for name, text in parts["update"].items() if name.startswith(kind)}
    update = draw.hazard("update", updates, calm=0.2)
    before, rate, after = _cut(draw.hazard("rate", parts["rate"], calm=0.3))
    opened, head, _ = _cut(draw.hazard("head", parts["head"], calm=0.3))
    reports = [draw.at(i).hazard("report", parts["report"], calm=0.2) for i in range(draw.one("count", (1, 2, 3)))]
    cut = [_cut(report) for report in reports]
    body = "\n".join([update.replace("{rate}", rate), after, *(told for _, told, _ in cut)]).splitlines()
    end = draw.hazard("end", parts["end"], calm=0.4)
    lines = "\n".join([before, made, *_SOME.get(kind, ()), opened, *(begun for begun, _, _ in cut)]).splitlines()
    lines += [*_within(head, body), *end.splitlines()]
    function = _placed(draw.hazard("place", parts["place"], calm=0.5), [line for line in lines if line])
    calls = draw.hazard("calls", parts["calls"], calm=0.3)
    imports = "import jax\nimport jax.numpy as jnp\nimport numpy as np\n\nimport case\nfrom near import near\n"
    files = {
        "case.py": f"{_HEAD}\n\n{loss}\n\n\n{function}\n",
        "main.py": f"{imports}\n{calls}\n",
        "near.py": Path(__file__).with_name("near.py").read_text(),
    }
    return Program(files, (".",), tuple(draw.marks), draw.choices)


def _of(part: str, every: Mapping[str, str]) -> dict[str, str]:
    return {name.removeprefix(f"{part}: "): text for name, text in every.items() if name.startswith(f"{part}: ")}


def _cut(text: str) -> tuple[str, str, str]:
    """The parts of a text between lines of `---`; those that are missing are empty."""
    first, second, third = (*text.split("\n---\n"), "", "")[:3]
    return first.removeprefix("pass"), second, third


def _placed(place: str, lines: list[str]) -> str:
    """The lines where the place says `BODY`; the variables that it names are attributes."""
    text, names, _ = _cut(place)
    before, _, after = text.partition("BODY")
    indent = " " * (len(before) - len(before.rstrip(" ")) + 4)
    body = "\n".join(indent + line for line in lines)
    for name in names.split():
        body = re.sub(rf"(?<![\w.\"']){name}(?![\w\"'=]|=[^=])(?! *=> )", f"self.{name}", body)
    return before.rstrip(" ") + body + after


def _within(head: str, body: list[str]) -> list[str]:
    """The lines of a loop: of its head the last is followed by the body."""
    lines = head.splitlines()
    indent = " " * (len(lines[-1]) - len(lines[-1].lstrip()) + 4 * lines[-1].endswith(":"))
    return [*lines, *(indent + line for line in body)]


# --- what both print --------------------------------------------------------------------------------------------


def judged(program: Program, folder: Path) -> Judged:
    """Fixes the program with all that is found, and runs both."""
    before, after = folder / "before", folder / "after"
    for place in (before, after):
        shutil.rmtree(place, ignore_errors=True)
    found = fixed(program, before, whatever_can_be_written)
    if not found.ids:
        return Judged(program, found)
    write(found.files, after)
    seen = observed(before), observed(after)
    return Judged(program, found, seen[0], seen[0] if _are_near(*seen) else seen[1])


def _are_near(one: str, other: str) -> bool:
    """Whether two texts are the same, except the last digits of their numbers."""
    if _NUMBER.sub("#", one) != _NUMBER.sub("#", other):
        return False
    pairs = zip(map(float, _NUMBER.findall(one)), map(float, _NUMBER.findall(other)), strict=True)
    return all(abs(a - b) <= _NEAR * max(1.0, abs(a)) for a, b in pairs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number of the first program")
    parser.add_argument("--show", type=int, help="the number of a program")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if options.show is not None:
            print(page.told(_smaller(judged(generated(options.seed, options.show), Path(folder)), Path(folder))))
            return
        broken = list(_breaches(options, Path(folder)))
    sys.exit(bool(broken))


def _breaches(options: argparse.Namespace, folder: Path) -> Iterator[Judged]:
    known, classes = 0, Counter[str]()
    for number in range(options.first, options.first + options.programs):
        found = judged(generated(options.seed, number), folder)
        known += found.after is not None
        if found.is_breach:
            least = _smaller(found, folder)
            classes.update(least.program.marks)
            print(f"{number}: {', '.join(least.program.marks)}", flush=True)
            yield least
    print(
        f"{options.programs} programs, {known} with a fix, {sum(classes.values())} marks of breaches: {dict(classes)}"
    )


def _smaller(found: Judged, folder: Path) -> Judged:
    def judge(program: Program, place: Path) -> Judged:
        return judged(made_of(program.choices), place)

    return smallest(found.program.choices, folder, judge) if found.is_breach else found


if __name__ == "__main__":
    main()
