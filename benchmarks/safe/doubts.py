"""Programs, by others and our own, written to tell what a proven fix changes; `benchmarks.trust` runs them all.

python -m benchmarks.safe.doubts NAME ...     what these print before and after, and whether it is the same

From the root of a clone, with `.[prove]` installed. A program proves with `python main.py`; what `python main.py late`
and `other.py` print, where there is one, is what a user does else. Files of `asked/` stand for the program that a user
asks for by an option, such as one that skips a shorter batch: what it prints is to be the same.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.safe.strangers import ROOT, Shown, shown

FILES = tuple(Path(__file__).with_name(name) for name in ("doubts.json", "own_doubts.json"))
"""Those of others, and our own."""
Told = Mapping[str, Any]
"""A trial as JSON: `name`, `fixes` and `is_told`."""
ASKED = "asked/"
_GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@b")


def main() -> None:
    for name in sys.argv[1:]:
        print(json.dumps(tried(name), indent=1))


@cache
def sets() -> list[dict[str, dict[str, str]]]:
    """Of each set the files of each program."""
    return [json.loads(path.read_text()) for path in FILES]


def programs() -> dict[str, dict[str, str]]:
    """The files of each program, of all sets."""
    return {name: files for each in sets() for name, files in each.items()}


def tried(name: str) -> dict[str, Any]:
    """Which fixes a program got that its own run has proven, and whether something that it prints is another then."""
    every = programs()[name]
    asked = {file.removeprefix(ASKED): text for file, text in every.items() if file.startswith(ASKED)}
    files = {file: text for file, text in every.items() if not file.startswith(ASKED)}
    with tempfile.TemporaryDirectory() as folder:
        _write(folder, files)
        for words in (["git", "init", "-q"], ["git", "add", "-A"], [*_GIT, "commit", "-qm", "first"]):
            subprocess.run(words, cwd=folder, check=True)
        search = os.pathsep.join(map(str, (ROOT, ROOT / "codemods")))
        command = ("-m", "jaxfix", "apply", ".", "--run", "python main.py", "--output-format", "json")
        applied = shown(folder, sys.executable, *command, *_chosen(name), PYTHONPATH=search)
        if applied[2] not in (0, 1):
            raise RuntimeError(f"{name}: {applied[1]}")
        is_changed = {file: Path(folder, file).read_text() for file in files} != files
        fixes = sorted(
            {entry["codemod"] for entry in json.loads(applied[0])["evidence"] if entry["verdict"] == "proven"}
        )
        if not is_changed:  # it prints what it did, and nothing that an option asks for
            return {"name": name, "fixes": [], "is_told": False, "by": []}
        after = _all(folder, files)
    with tempfile.TemporaryDirectory() as folder:
        _write(folder, files | asked)
        before = _all(folder, files)
    told = [words for words, one in before.items() if one != after[words]]
    return {"name": name, "fixes": fixes, "is_told": bool(told), "by": told}


def _chosen(name: str) -> tuple[str, ...]:
    """The codemod that a program of our own attacks, alone: another fix of it may move what it prints by rounding."""
    attacked = re.match(r"# attacks ([\w-]+)((?: [\w-]+)*):", sets()[1].get(name, {}).get("main.py", ""))
    return ("--select", attacked[1], *attacked[2].split()) if attacked is not None else ()


def _write(folder: str, files: Mapping[str, str]) -> None:
    for file, text in files.items():
        Path(folder, file).parent.mkdir(parents=True, exist_ok=True)
        Path(folder, file).write_text(text)


def _all(folder: str, files: Mapping[str, str]) -> dict[str, Shown]:
    ways = [("main.py",), ("main.py", "late"), *([("other.py",)] if "other.py" in files else [])]
    found = {" ".join(way): shown(folder, sys.executable, *way) for way in ways}
    return {way: (out, "" if code == 0 else error, code) for way, (out, error, code) in found.items()}


def lines(trials: Sequence[Told]) -> list[str]:
    """What is said of the trials."""
    fixed = [trial for trial in trials if trial["fixes"]]
    told = [trial for trial in trials if trial["is_told"]]
    return [
        "## Fixes that a run has proven, in another run",
        "",
        "Programs by further hands (`benchmarks/safe/doubts.json`), each with a run that proves and others in",
        "which a user does something else: the first 20 written from the documentation alone, the others later. Of",
        "the first 20, when only the one file was named, 6 got a fix, none without a run, and 2 of these differed.",
        "Of the 9 later ones one differed. These three are mended: that of `f06`; `f12` (a batch that holds a text",
        "in another run); and `g08` (an array that a callback passes on: a copy goes on where the original",
        "raises). *Our own* (`own_doubts.json`) are by the one who mended what they show, each against one of the",
        "newest codemods alone. Of the first 37 three raise in another run,",
        "as the page of their codemod or the receipt says: `b01` another error, `u02` on complex numbers, `p06` on",
        "fewer rows than devices. The 68 after these were written from the pages of eight codemods, before their",
        "code was read. When they were first run, a proven fix differed in six of them, silently in one (`n07`),",
        "and a fix without a proof in eight more, silently in three (`h09`, `v01`, `a02`). Six (`h17`, `h18`,",
        "`n10`, `c13`, `v04`, `v05`) were written when these were known, and run after the cure. What still",
        "differs is said on the pages: a text in a batch of another run (`n08`), a Python number that raised",
        "(`v03`), a call outside of the mesh that raised (`l03`), and, by introspection alone, `a05`; a weak number",
        "that overflowed (`a02`) and parts that do not fit (`a03`) get no wrong fix any more.",
        "The next 56 attack nine codemods, with the",
        "options `--ragged`, `--split-keys` and `--goal memory`: 45 written from their pages before their code was",
        "read, 11 when that of three was known. When first run, a proven fix differed silently in one (`d01`: a",
        "range that ends before the rows do), and with an error in three, as the pages say of types that a loop",
        "carries (`q01`, `u10`, `u11`). Of fixes without a proof six more differed silently: `r03`, `d03`, `m01` and",
        "`k05` are mended, as is `d01`; `r02` (targets of another rank) is a limit on the page, and `k01` (equal",
        "draws that a function of another file compares) is what a split of a key does. `k02` tells the key that",
        "comes back from the one that was passed. Thirteen more attack what came on the same day, steps of objects,",
        "batches of generators and errors that are taken: `y03` read an object after a step that raised, as did",
        "`n02`: a proven fix differed in both, silently, and is mended. The last 95 attack `unjitted-update`: 76",
        "written from its page before its code was read, 19 when it was. A proven fix differed silently in four:",
        "`o16_optimizer_swapped` and `o17_nested_object` (attributes set by their names) are mended;",
        "`m09_out_of_bounds` and `m10_integer_division`, where Python raises for a number that another run passes,",
        "are limits on the page. Of fixes without a proof nine more differed silently (`f10`, `f13`, `f26`,",
        "`b05_stop_iteration`, `x01` to `x04`, `m12`), and `o19` raised: all are mended.",
        "The last 235, against the newest forms of `unjitted-update` (objects, metrics",
        "and functions in lists, functions of callers, optimizers made once, lengths, arrays of NumPy), are by",
        "another hand than what they attack: 157 (`st_`) were written from its page and the goldens before its code",
        "was read, 78 (`sr_`, `se_`) when it was. Of the 157 when they were first run, a proven fix differed in 43,",
        "silently in 40: most change or rebind in another file what the step captures (items of a list under",
        "another name, arrays of NumPy in place, attributes set by computed names, the maker of an optimizer), or",
        "pass another function. Of the 78, run without a proof, a fix differed in 15. All are mended but one: a",
        "default argument that is filled through `__defaults__` (`st_h27`), which is introspection.",
        "",
        "The last 14 (`tr_`), of 90 that attack short inner loops, items, constants of scripts and results of mapped",
        "functions, are again by another hand than what they attack: what differed silently when it was first run,",
        "and some of the rest. Of the 90 a fix without a proof differed silently in 9, and loudly in 10. A proof was",
        "asked for 9 that differ silently, and given for 5: two differed in the very run that had proven them (what",
        "single precision loses, of large floats and of products of whole numbers), three in another run. All are",
        "mended but `tr_j01` and `tr_k36`, below.",
        "",
        "The last 8 (`tv_`), of 82 that attack lengths, constants of objects, short inner loops, methods in files",
        "beside the program, lists that are mapped and proofs by dispatches, are by another hand too. Of the 82 a fix",
        "without a proof differed in 8: four read settings of another module once, which that module changes itself",
        "(`tv_m06`, proven, `tv_x02`, `tv_x04`, `tv_x10`), all mended; a count that became an array is refused by the",
        "proof (`tv_l04`); no rows (`tv_v03`) and a division by zero (`tv_s05`) are below; one differed by rounding of",
        "what diverges. `check` did not end on one (`tv_l14`), where an attribute becomes a part of itself: mended.",
        "",
        "Of 65 training loops in forms that people write, by the one who mended what they show and not kept, a fix",
        "without a proof differed in 7: silently in 4 (integers that wrap in a method of the step, by functions of",
        "`operator`, or of a parameter that only some callers give integers; truth values that are added), without",
        "the error of the original in 1 (a field of a state), with an error in 2 (an attribute that only a subclass",
        "binds; a seed beyond 32 bits). All are mended but the seed, which raises.",
        "",
        "Of what still differed at some time, mended since: names that a star import takes in the place of its own",
        "(`st_m06`), an optimizer whose identity others see (`st_m15`), variables of a script that another file reads",
        "(`st_s03`, `st_s06`), truth values that are added (`m12`: the single steps of a run are judged with `True`",
        "in the place of 1), and a number that picks from a table of NumPy (`m09`: the item is passed). These differ",
        "in another run, and their receipts say on what:",
        "",
        "* `m10`, `tv_s05`: Python raises for a number (a division by zero), and not for the array that the step gets:",
        "  *`scale` as 0 raises no ZeroDivisionError*, *`j` as 7 raises no ZeroDivisionError*.",
        "* `tr_k36`, `tr_j01`: NumPy numbers beyond 2**24 that the step subtracts in single precision, and integers",
        "  whose product has more than 32 bits: *large numbers in `rows_k` and `base` have 32 bits instead of Python's",
        "  or NumPy's digits*. Compute with them before the step, or enable x64.",
        "* `n08`: *a text in `batch` raises*.",
        "* `v03`: not tried: *data that only the original refuses (a number for array 1: AttributeError)*.",
        "* `l03`: not tried: *a call outside of its mesh*. `r02`: not tried: *arrays of another rank* (`--ragged pad`",
        "  masks the rows of an array; use `--ragged drop`, or prove with a run that has such targets).",
        "* `tv_v03`: `jnp.stack` of no rows raises, and `jax.vmap` of none returns no rows: *runs where the original",
        "  raises, `given no rows`*.",
        "",
        "Open: `k01`, `k02` (draws that are compared, and the identity of a key: what `--split-keys` does),",
        "and `st_h27` (a default argument is filled through `__defaults__`, which is introspection).",
        "",
        "Of 44 wrong changes that were written by hand for `jaxfix prove`, 10 were run and 3 called proven: two",
        "of frozen classes of options, and an exploration that ends one step later. The other 34 were not run,",
        "and none were kept. Six written again, of these classes: five are refused (an exploration by a",
        "parameter, by an attribute; options of a frozen class, of a tuple; a period), one was proven: a gradient",
        "cut to the other side, where an option that is zero in the program asks for a cut, and where no gradient",
        "of the program is negative (now `h-clip-to-one-side` above, and refused). The next 40 are kept.",
        "",
        "| | by others | our own |",
        "|---|---|---|",
        f"| judged | {_counts(trials)} |",
        f"| with a fix | {_counts(fixed)} |",
        f"| differ from themselves | {_counts(told)} |",
        "",
        *(f"* told by `{trial['by'][0]}`: `{trial['name']}` ({', '.join(trial['fixes'])})" for trial in told),
    ]


def _counts(trials: Sequence[Told]) -> str:
    return " | ".join(str(sum(trial["name"] in each for trial in trials)) for each in sets())


if __name__ == "__main__":
    main()
