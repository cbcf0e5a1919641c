"""Who is measured, with what each of them needs, and in which order: all take turns, so that noise hits all alike."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.speed import corpus
from benchmarks.speed.running import Cost, run

HERE = Path(__file__).resolve().parent
TWICE = 1000
"""Trees with more files than this are measured once."""
STARTS = 4
"""Start-ups per round: they are short."""
Costs = dict[str, list[Cost]]


@dataclass(frozen=True, slots=True)
class Counted:
    """What `apply` has LibCST parse, and what it rewrites; `bytes` and `texts` are LibCST's share."""

    texts: int
    bytes: int
    files: int
    files_bytes: int


@dataclass(frozen=True, slots=True)
class Place:
    """Where everything stands.

    Attributes:
      site: holds the sources.
      fixit: None where nobody asks for it.
      select: the codemods that are on; None for all.
    """

    work: Path
    site: Path
    python: str
    ruff: str
    fixit: str | None
    select: str | None = None

    @property
    def jaxfix(self) -> str:
        return str(Path(self.python).with_name("jaxfix"))

    def tree(self, name: str) -> Path:
        return self.work / "trees" / name


@dataclass(slots=True)
class Contest:
    """Runs the contestants of the rows that are wanted, and keeps what each run cost."""

    place: Place
    say: Callable[[str], None]
    costs: Costs = field(default_factory=dict)
    loads: list[float] = field(default_factory=list)
    edits: int = 0

    def rounds(self, wanted: Collection[str], number: int) -> None:
        """Measures `number` rounds; a first one is not counted, it fills the caches of disk and bytecode."""
        turns = [turn for turn in self._turns() if turn[0] in wanted]
        for turn in range(number + 1):
            for name, measured in turns:
                self.say(f"round {turn} of {number}: {name}")
                self.loads.append(os.getloadavg()[0])
                found = measured()
                if turn:
                    self.costs.setdefault(name, []).extend(found)

    def fixit(self, number: int, files: int) -> None:
        """Measures Fixit, which takes minutes, on so many of the files; beside it a cold check of the same."""
        is_part = files < len(corpus.sources(self.place.site))
        tree = corpus.sized(self.place.site, files, self.place.tree(f"{files}")) if is_part else self.place.site
        for turn in range(number):
            self.say(f"fixit {turn + 1} of {number}")
            self.loads.append(os.getloadavg()[0])
            assert self.place.fixit is not None
            command = [self.place.fixit, "--quiet", "lint", str(tree)]
            self.costs.setdefault("fixit", []).append(run(command, self._home("fixit"), self._env("fixit")))
            self.costs.setdefault("cold beside fixit", []).append(self._cold(tree))

    def growth(self, sizes: Sequence[int]) -> dict[int, int]:
        """Measures trees with so many files, smaller ones twice, in turns; returns the bytes of each."""
        for turn in range(2):
            for number in sizes:
                tree = corpus.sized(self.place.site, number, self.place.tree(f"{number}"))
                if number <= TWICE or not turn:
                    self.say(f"{number} files")
                    self.loads.append(os.getloadavg()[0])
                    self.costs.setdefault(f"parse {number}", []).append(self._parse(tree))
                    self.costs.setdefault(f"check {number}", []).append(self._cold(tree, watched=True))
        return {number: corpus.size(self.place.tree(f"{number}")) for number in sizes}

    def libcst(self) -> Counted:
        """Counts what `apply` has LibCST parse, on a copy that it rewrites."""
        self.say("what apply parses with LibCST")
        tree = corpus.copied(self.place.site, self.place.tree("applied"))
        home = self._home("applied", anew=True)
        log = home / "libcst.log"
        log.touch()
        env = self._env("applied") | {"PYTHONPATH": str(HERE / "counting"), "JAXFIX_BENCHMARK_LOG": str(log)}
        words = ["apply", str(tree), "--unproven", "--allow-no-vcs", "--exit-zero"]
        run([self.place.jaxfix, *words], home, env)
        sizes = [int(line) for line in log.read_text().splitlines()]
        changed = [path for path in corpus.sources(self.place.site) if _is_changed(path, self.place.site, tree)]
        return Counted(len(sizes), sum(sizes), len(changed), sum(path.stat().st_size for path in changed))

    def _turns(self) -> Iterator[tuple[str, Callable[[], list[Cost]]]]:
        site, empty = self.place.site, self.place.tree("empty")
        yield "parse", lambda: [self._parse(site)]
        yield "cold", lambda: [self._cold(site)]
        yield "ruff", lambda: [self._ruff()]
        yield "warm", lambda: [self._check("warm", site)]
        yield "changed", lambda: [self._changed()]
        yield "pass", lambda: self._starts([self.place.python, "-c", "pass"])
        yield "version", lambda: self._starts([self.place.jaxfix, "--version"])
        yield "help", lambda: self._starts([self.place.jaxfix, "--help"])
        yield "start", lambda: self._starts([self.place.jaxfix, "check", str(_one_file(empty))])

    def _parse(self, tree: Path) -> Cost:
        command = [self.place.python, str(HERE / "parsing.py"), str(tree)]
        return run(command, self._home("parse"), self._env("parse"))

    def _ruff(self) -> Cost:
        command = [self.place.ruff, "check", "--isolated", "--no-cache", "--quiet", str(self.place.site)]
        return run(command, self._home("ruff"), self._env("ruff"))

    def _cold(self, tree: Path, *, watched: bool = False) -> Cost:
        """With no cache there is; what the check keeps for the next one is part of its cost."""
        self._home("cold", anew=True)
        return self._check("cold", tree, watched=watched)

    def _changed(self) -> Cost:
        """The tree of the warm check, in which one file has got another line since the last check."""
        tree = self.place.tree("edited")
        if not self.edits:
            corpus.copied(self.place.site, tree)
            self._home("changed", anew=True)
            self._check("changed", tree)
        self.edits += 1
        with corpus.edited(tree).open("a") as opened:
            opened.write(f"EDITS = {self.edits}\n")
        return self._check("changed", tree)

    def _check(self, home: str, tree: Path, *, watched: bool = False) -> Cost:
        chosen = [] if self.place.select is None else ["--select", self.place.select]
        command = [self.place.jaxfix, "check", *chosen, str(tree)]
        return run(command, self._home(home), self._env(home), watched=watched)

    def _starts(self, command: Sequence[str]) -> list[Cost]:
        return [run(command, self._home("start"), self._env("start")) for _ in range(STARTS)]

    def _home(self, name: str, *, anew: bool = False) -> Path:
        """The working folder of a contestant, with its caches."""
        home = self.place.work / "homes" / name
        if anew:
            shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True, exist_ok=True)
        return home

    def _env(self, home: str) -> dict[str, str]:
        """As after a complete installation: compiled once, with its own cache folder."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COLUMNS"))}
        caches = {"PYTHONPYCACHEPREFIX": self.place.work / "bytecode", "XDG_CACHE_HOME": self._home(home) / "cache"}
        return kept | {name: str(path) for name, path in caches.items()} | {"NO_COLOR": "1"}


def ruff_of(named: str | None, python: str) -> str:
    """The ruff to compare with: the one that is named, stands beside `python`, or is on the path.

    Raises:
      FileNotFoundError: there is none.
    """
    beside = Path(python).with_name("ruff")
    found = named or (str(beside) if beside.exists() else shutil.which("ruff"))
    if found is None:
        raise FileNotFoundError("there is no ruff to compare with; name one with `--ruff PATH`")
    return found


def fixit_of(named: str | None, work: Path) -> str:
    """The Fixit to compare with; in an environment of its own, unless one is named."""
    if named is not None:
        return named
    place = work / "fixit"
    if not (place / "complete").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(place)], check=True)
        subprocess.run([str(place / "bin" / "python"), "-m", "pip", "install", "--quiet", "fixit>=2"], check=True)
        (place / "complete").touch()
    return str(place / "bin" / "fixit")


def version_of(command: str) -> str:
    """What the program says of itself, such as `ruff 0.9.1`."""
    done = subprocess.run([command, "--version"], check=True, capture_output=True, text=True)
    return done.stdout.strip().replace(",", "").replace(" version", "")


def _is_changed(path: Path, site: Path, tree: Path) -> bool:
    return (tree / path.relative_to(site)).read_bytes() != path.read_bytes()


def _one_file(place: Path) -> Path:
    place.mkdir(parents=True, exist_ok=True)
    path = place / "one.py"
    path.write_text("import jax\n")
    return path
