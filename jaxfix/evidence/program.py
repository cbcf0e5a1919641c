"""Runs a program with other sources than those on the disk, and measures."""

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from jaxfix.evidence import progress, shadow
from jaxfix.evidence.outputs import is_plain_variable
from jaxfix.evidence.run import Places, Watched, digest_of, kept_originals, merged, probed, resolve, scratch, verified
from jaxfix.evidence.running import FUNCTIONS_ALONE, HERE, Running, Watching
from jaxfix.evidence.target import Finished, Job, command_words, runnable, with_interpreter
from jaxfix.evidence.unbound import without_counts, without_unbound
from jaxfix.evidence.written import files_of, written
from jaxfix.report.measurement import Measurement, Output

_CODE = (".py", ".ipynb")
"""How sources end; other files are only put in their place."""


class ProgramRunner:
    """Runs a command in shadow copies of a project.

    Args:
      root: the project; the command runs in the copy of it, with every path under it moved along.
      command: as one line; `VAR=value` in front is understood, shell syntax is not.
      functions: (path, qualified name) of the functions to observe; paths relative to `root` or to here.
    """

    def __init__(
        self,
        root: Path,
        command: str,
        functions: Sequence[tuple[str, str]] = (),
        how: Running = HERE,
        watching: Watching = FUNCTIONS_ALONE,
    ) -> None:
        self.repeats, self.calls_originals, self.room = False, True, 1
        self.command = command
        self._root, self._cwd = root.resolve(), (how.cwd or root).resolve()
        self._how, self._watching = how, watching
        self._originals = {self.file(path): content for path, content in how.originals.items()}
        self._functions = tuple(Watched(path, self.file(path), qualname) for path, qualname in functions)

    def file(self, path: str) -> Path:
        """Where `path`, as a candidate names it, is."""
        return resolve(path, self._root)

    def sha256(self, path: str) -> str:
        """Of the original; of nothing where there is none."""
        return hashlib.sha256(self.original(path) or b"").hexdigest()

    def original(self, path: str) -> bytes | None:
        """The file without any fix; None where there is none."""
        file = self.file(path)
        if file in self._originals:
            return self._originals[file]
        return file.read_bytes() if file.is_file() else None

    def cases(self) -> tuple[str, ...]:
        """The one that there is."""
        return (self.command,)

    def expected(self) -> Mapping[str, frozenset[str] | None]:
        """That the program may call anything."""
        return {self.command: None}

    def prepare(self, known: Callable[[Callable[[], Measurement]], Measurement]) -> None:
        """Nothing: what there is to run is known without a run."""

    def copied(self, sources: Mapping[str, bytes | None]) -> tuple[Path, ...]:
        """The folders and files that a run with these sources has copies of."""
        return (self._root, *sorted(self._packages({**self._originals, **dict.fromkeys(map(self.file, sources))})))

    def depends_on(self) -> Mapping[str, object]:
        """The inputs of a run other than sources and copies, as JSON."""
        words = runnable(command_words(self.command)[1], self._cwd)
        return {
            "command": self.command,
            "target": self._how.target.name,
            "folder": str(self._cwd),
            "interpreter": with_interpreter(words, self._root, self._how.python),
            "options": [
                self._how.timeout_s,
                self._watching.steps,
                tuple(self._watching.compared),
                *(["paced"] if self._watching.paced else []),
                *(["checks keys"] if self._watching.checks_keys else []),
                *sorted(self._watching.passing),
            ],
            "functions": [[function.path, str(function.file), function.qualname] for function in self._functions],
            "originals": [[str(path), digest_of(text)] for path, text in self._originals.items()],
        }

    def measure(
        self,
        sources: Mapping[str, bytes | None],
        cases: frozenset[str] | None = None,
        *,
        beside: bool = True,
        again: bool = False,
    ) -> tuple[Measurement, ...]:
        """One run of the program with `sources` (whole files, by path) in place of the originals.

        Args:
          sources: None for a file that is not to be there.
          beside: whether the originals are called beside the functions of `sources`; then single steps without an
            added `jit` are compared, too.
          again: whether it is run to be compared with an equal run: no program is compiled twice in it.

        Raises:
          EvidenceError: the program cannot be started.
        """
        changed = {**self._originals, **{self.file(path): content for path, content in sources.items()}}
        code = {path: text for path, text in sources.items() if text is not None and self._is_code(path)}
        with scratch() as folder:
            places = self._copies(folder, changed)
            tree = places.copies[self._root]
            files = files_of(tree)
            finished = self._run(folder, places, code, beside=beside, again=again)
            measurement = merged(self.command, finished, folder / "results", places.moved)
            kept = self._compared(measurement.outputs, code)
            measurement = replace(measurement, outputs=(*kept, *written(tree, files)))
        return (verified(measurement, code),)

    def batches(
        self,
        sources: Mapping[str, bytes | None],
        cases: frozenset[str],
        *,
        beside: bool = True,
        again: bool = False,
    ) -> Iterator[tuple[Measurement, ...]]:
        """The one run."""
        yield self.measure(sources, cases, beside=beside, again=again)

    def _copies(self, folder: Path, changed: Mapping[Path, bytes | None]) -> Places:
        tree = folder / "tree" / self._root.name
        mine = {path: content for path, content in changed.items() if self._is_mine(path)}
        shadow.copy_tree(self._root, tree, mine)
        copies = {self._root: tree}
        packages = self._packages(changed)
        for package in sorted(packages):
            inside = {path: content for path, content in changed.items() if path.is_relative_to(package)}
            copies[package] = shadow.copy_package(package, folder / "overlay", inside)
        return Places(copies, self._root, folder / "overlay" if packages else None)

    def _packages(self, changed: Iterable[Path]) -> set[Path]:
        """The packages outside of the project, or linked to in it, that hold these files."""
        return {shadow.package_of(path) for path in changed if not self._is_mine(path)}

    def _compared(self, outputs: tuple[Output, ...], code: Mapping[str, bytes]) -> tuple[Output, ...]:
        old = {path: text for path in code if (text := self.original(path)) is not None}
        if not self._watching.is_of_fixes:
            return without_counts(outputs, (*old.values(), *code.values()))
        kept = (output for output in outputs if not is_plain_variable(output))
        return without_unbound(kept, old, code, self._scripts(code))

    def _scripts(self, paths: Iterable[str]) -> frozenset[str]:
        """Those that the command names."""
        words = {self._cwd / word for word in command_words(self.command)[1]}
        return frozenset(path for path in paths if self.file(path) in words)

    def _is_code(self, path: str) -> bool:
        return path.endswith(_CODE) or any(function.path == path for function in self._functions)

    def _is_mine(self, path: Path) -> bool:
        return path.is_relative_to(self._root) and not shadow.is_linked(path, self._root)

    def _run(
        self, folder: Path, places: Places, sources: Mapping[str, bytes], *, beside: bool, again: bool
    ) -> Finished:
        tree = places.copies[self._root]
        originals = {path: self.original(path) for path in sources} if beside else {}
        placed = {path: places.place(self.file(path), mine=self._is_mine(self.file(path))) for path in sources}
        settings = {
            "observe": [
                [str(places.place(f.file, mine=self._is_mine(f.file))), f.qualname, f.name] for f in self._functions
            ],
            "sources": {str(place): path for path, place in placed.items()},
            "originals": kept_originals(folder, originals, placed),
            "user": [str(copy) for copy in places.copies.values()],
            "moved": places.moved,
            "paths": [[str(self._root), str(tree)]],
            "links": [str(tree), str(self._root)],
            "named": [list(entry) for entry in self._watching.compared],
            "stop_after": self._watching.steps,
            "effects": True,
            "sizes": True,
            "paced": self._watching.paced,
            "passing": sorted(self._watching.passing),
            "checks_keys": self._watching.checks_keys,
            "compares_steps": beside,
            "parent": os.getpid(),
            "keeps": again,
            "spending": True,
            "reads": True,
            "tells": self._how.told is not progress.ignore,
        }
        variables, words = command_words(self.command)
        environment = probed(folder, settings, {**os.environ, **variables}, places.overlay)
        moved = {name: _moved(value, self._root, tree) for name, value in environment.items() if name != "HOME"}
        words = with_interpreter(runnable(words, self._cwd), self._root, self._how.python)
        words = tuple(_moved(word, self._root, tree) for word in words)
        cwd = tree / self._cwd.relative_to(self._root)
        complete = {**environment, **moved, "PWD": str(cwd)}
        return self._how.target.run(
            Job(words, cwd, complete, self._how.timeout_s, variables=frozenset(variables), told=self._how.told)
        )


def _moved(text: str, root: Path, copy: Path) -> str:
    # The scratch folder may itself lie under `root`: what points there stays.
    scratch_folder = copy.parent.parent
    if str(scratch_folder) in text:
        return os.pathsep.join(
            part if str(scratch_folder) in part else _moved(part, root, copy) for part in text.split(os.pathsep)
        )
    return re.sub(rf"{re.escape(str(root))}(?=$|[/:\s'\"])", lambda _: str(copy), text)
