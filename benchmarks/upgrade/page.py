"""The page of figures."""

from collections.abc import Iterator, Mapping
from typing import Any

from benchmarks.upgrade.table import LIBRARIES

_HEAD = """\
# What `jaxfix upgrade` comes to

Written by `python -m benchmarks.upgrade`: `table --python PATH ...` runs the rows of the [table](../changes.md) in
environments, `repositories --at DIR` measures the repositories that were unpacked there. What it finds is read, not
run, except for the imports.
"""
JUDGED = """\
The repositories were chosen before they were looked at: five at their newest stored state, five at the last commit of
2021, and four with tutorials, mostly notebooks. Each rewritten line was read once, by kind; two kinds were wrong at
first, and are left to a person since: `isinstance(x, KeyArray)`, where `jax.Array` would answer otherwise, and
`with mesh, logical_axis_rules(...)` of flax, which may look for that mesh itself. A line counts as wrong where it would
do something else than the old one did on the jax that had it. *Not written* are findings in f-strings. Modules are
imported with jax 0.10.2 and libraries of today.
"""


def page(figures: Mapping[str, Any]) -> str:
    """The whole page."""
    parts = (_table(figures.get("table")), _repositories(figures.get("repositories")))
    parts += (_users(figures.get("users")), _oracle(figures.get("oracle")))
    parts += (
        _drivers(figures.get("drivers")),
        _periods(figures.get("periods")),
        _tests(figures.get("tests")),
        _imports(figures.get("imports")),
        _script(figures.get("script")),
        _editor(figures.get("editor")),
        _devices(figures.get("devices")),
    )
    return "\n".join([_HEAD, *(line for part in parts for line in part)])


def _table(found: Mapping[str, Any] | None) -> Iterator[str]:
    if found is None:
        return
    versions = ", ".join(each["jax"] for each in found["environments"])
    around = ", ".join(LIBRARIES)
    yield f"## The table\n\nWith jax {versions}, and those of {around} that are installed there.\n"
    yield "| | |\n|---|---|"
    yield f"| rows | {found['rows']} |"
    yield f"| rows checked on two of these versions or more | {found['on_two']} |"
    yield f"| of these names | {found['names']} |"
    yield f"| names that some of these versions have, and some have not | {found['on_both_sides']} |"
    yield f"| names that none of them has any more: known of the changelog alone | {found['gone_only']} |"
    yield f"| names that are one object with what takes their place, where both are | {found['same_object']} |"
    yield f"| examples whose old code runs in one of them | {found['examples']} |"
    yield f"| of these, rewritten ones that print the same | {found['examples_equal']} |"
    yield f"| disagreements | {len(found['faults'])} |\n"
    yield from (f"- {fault}" for fault in found["faults"])
    yield ""


def _repositories(found: list[Mapping[str, Any]] | None) -> Iterator[str]:
    if not found:
        return
    yield f"## Repositories\n\n{JUDGED}"
    yield from _rows(found)
    yield "\n### What was rewritten\n"
    kinds: dict[str, int] = {}
    for each in found:
        for kind, number in each["kinds"].items():
            kinds[kind] = kinds.get(kind, 0) + number
    yield "| what | findings |\n|---|---|"
    yield from (f"| {kind} | {number} |" for kind, number in sorted(kinds.items(), key=lambda item: -item[1]))
    yield ""


def _rows(found: list[Mapping[str, Any]]) -> Iterator[str]:
    names = ("repository", "kind", "commit", "files", "findings", "safe", "with a run", "by hand", "not written")
    yield f"| {' | '.join((*names, 'lines written', 'wrong', 'modules imported'))} |"
    yield f"|{'---|' * 12}"
    for each in found:
        imported = each.get("imported")
        tried = f"{imported[1]} -> {imported[2]} of {imported[0]}" if imported and imported[0] else "notebooks alone"
        numbers = [each[name] for name in ("files", "found", "safe", "proving", "by_hand", "not_written", "lines")]
        name, commit, wrong = each["name"].replace("+", "/"), each.get("commit", ""), each.get("wrong", "")
        cells = " | ".join(map(str, (name, each.get("kind", ""), commit, *numbers, wrong, tried)))
        yield f"| {cells} |"


def _users(found: list[Mapping[str, Any]] | None) -> Iterator[str]:
    if not found:
        return
    yield "### As a user runs it\n"
    yield "`benchmarks.upgrade users` runs `jaxfix upgrade` in their folders, with all files in sight: the"
    yield "repositories above; eight that were chosen by name before they were looked at, four at their last commit"
    yield "of 2023 and four at their newest stored state; ten chosen by name for their age, at their last commit"
    yield "of 2021 or their newest; and the last twelve in the table, six and six, chosen by name after all others."
    yield "They are at their last commit before 15 June 2023. *Raise*, *only warn* and *differ* are lines, but"
    yield "for findings of dl-workshop, fedjax, t5x and jaxformer; *names* need no run. *Lines written* are those"
    yield "of `--unproven`: each was read, or is the old one except for the name of a function of trees. The wrong"
    yield "one: objax asks for `__args__` of a `Union` of which one member is left; such a line needs a run since."
    yield "What a version lacks that the project still names, is not written: fedjax runs with jax 0.4.4 too, by"
    yield "what it requires.\n"
    yield "Of the last six, a list was made before the first run: every name and keyword of them that today's jax,"
    yield "chex, flax, optax, haiku and orbax lack or warn of, by asking these packages, 415 lines. 395 were found."
    yield "Missed were 10 lines of coax below `hasattr(self, ...)`, 2 of vmoe below a test of the version of its own"
    yield "files, 6 of `jax.xla` and `orbax.checkpoint.lazy_utils`, which had no row, one private name and one line"
    yield "below `hasattr(array, ...)`. With the cures, of code that is seen now, 413 are found. In coax all names"
    yield "need a run: one of its files sets attributes of computed names, another passes modules on.\n"
    heads = ("repository", "kind", "commit", "from jax", "files", "raise", "only warn", "differ", "names", "with a run")
    yield f"| {' | '.join((*heads, 'by hand', 'lines written', 'wrong'))} |"
    yield f"|{'---|' * 13}"
    counted = ("files", "raises_today", "warns", "differs", "renames", "needs_evidence", "by_hand", "lines", "wrong")
    for each in found:
        named = (each["name"].replace("+", "/"), each["kind"], each["commit"], each["from"] or "")
        yield f"| {' | '.join(map(str, (*named, *(each[name] for name in counted))))} |"
    yield ""


def _oracle(found: Mapping[str, str] | None) -> Iterator[str]:
    if not found:
        return
    yield "## The oracle\n\nA program of 2023, untouched with jax 0.4.13, and what was made of it, with jax of today."
    yield "What the program does not show, as a bound that no gradient reaches, the oracle does not see.\n"
    yield "| what was made of it | answer |\n|---|---|"
    yield from (f"| {name} | {answer} |" for name, answer in found.items())
    yield ""


def _drivers(found: Mapping[str, str] | None) -> Iterator[str]:
    if not found:
        return
    yield "## Libraries under the oracle\n\nThe last commit before 15 June 2023 of libraries, each driven by a program"
    yield "of ours in `benchmarks/upgrade/drivers`: untouched with jax 0.4.13, fixed with today's. Those of evosax are"
    yield "steps of CMA-ES, which repeat an eigendecomposition: they are 1.3e-6 apart, and the bound is 1e-6. evojax,"
    yield "on four devices, and distrax were added for it, by name.\n"
    yield "| library | answer |\n|---|---|"
    yield from (f"| {name.replace('+', '/')} | {_short(answer)} |" for name, answer in found.items())
    yield ""


def _short(answer: str) -> str:
    """Without the lines that differ, which are long."""
    told, _, untouched = answer.partition("; untouched today")
    _, cause, period = told.rpartition("; no fix is the cause")
    return f"{told.partition(': `')[0]}{cause}{period if cause else ''}; untouched today{untouched}"


def _periods(found: Mapping[str, str] | None) -> Iterator[str]:
    if not found:
        return
    yield "## With `--oracle jax==0.4.30`\n"
    yield "The last commit before 18 June 2024, by `python -m benchmarks.upgrade periods`: untouched in the environment"
    yield "that `jaxfix upgrade --oracle jax==0.4.30` makes for each of them, of what it requires; fixed, with today's"
    yield "jax. evojax runs on four devices.\n"
    yield "| library | answer |\n|---|---|"
    yield from (f"| {name.replace('+', '/')} | {answer} |" for name, answer in found.items())
    yield ""


def _tests(found: Mapping[str, Mapping[str, Any]] | None) -> Iterator[str]:
    if not found:
        return
    yield "## Own tests, notebooks and programs\n"
    yield "By `python -m benchmarks.upgrade tests`: what each repository has that runs without a download, by"
    yield "`benchmarks/upgrade/own.toml`, untouched and with what `jaxfix upgrade --write --unproven` writes. Each"
    yield "is at its last commit before 15 June 2023, or its last one: the registry of pip has no older jaxlib than"
    yield "0.4.13, the *then* of all rows, so what needs a jax of 2021 or 2022 fails then too. *For both*: fixed as"
    yield "a project that says it runs with the jax of then too. *Broken*: what passes untouched and not fixed,"
    yield "with the same jax. Tests of all files are taken in turn; compared is what all four runs reach within"
    yield "the limit from the first one on. The rest is *not reached*: how much that is says how busy the machine"
    yield "was, too. flax and jaxton ran before there was a limit.\n"
    first, last = ("repository", "kind", "commit", "what"), ("broken then", "broken today", "limit, s", "not reached")
    heads = (*first, *_CONDITIONS, *last)
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    for name, each in found.items():
        told = (name.replace("+", "/"), *(each[key] for key in ("kind", "commit", "what", *_CONDITIONS)))
        broken = ("" if each[key] is None else len(each[key]) for key in ("broken then", "broken today"))
        yield f"| {' | '.join(map(str, (*told, *broken, each.get('limit', ''), each.get('unreached', ''))))} |"
    yield "\nWhat passes then and not fixed today, how much of it has the same error untouched, where that was counted;"
    yield "what fails then already, and what was left out. The tracer errors of optax are of its tests, which have a"
    yield "mock keep a tracer of `jax.grad` and compare it afterwards.\n"
    yield "| repository | left today | untouched too | fails then | left out |\n|---|---|---|---|---|"
    for name, each in found.items():
        left, never = (_errors(each[key]) for key in ("left", "never"))
        yield f"| {name.replace('+', '/')} | {left} | {each.get('alike', '')} | {never} | {each['left_out']} |"
    yield ""


def _imports(found: Mapping[str, Mapping[str, Any]] | None) -> Iterator[str]:
    if not found:
        return
    yield "## Modules that import\n"
    yield "By `python -m benchmarks.upgrade imports`: all modules but tests, in order in one process, in the four"
    yield "conditions of the own tests. What fails then too needs what is not installed, or an older jax. Two rows"
    yield "are of code that is seen now: jax-cfd stood at 0 and implicit_q_learning at 13 fixed modules today, which"
    yield "two new kinds of fixes cured.\n"
    heads = ("repository", *_CONDITIONS, "broken then", "broken today", "not reached")
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    for name, each in found.items():
        broken = (len(each[key]) for key in ("broken then", "broken today"))
        told = (name.replace("+", "/"), *(each[key] for key in _CONDITIONS), *broken, each["unreached"])
        yield f"| {' | '.join(map(str, told))} |"
    yield "\n| repository | then and not fixed today |\n|---|---|"
    yield from (
        f"| {name.replace('+', '/')} | {_errors(each['left'])} |" for name, each in found.items() if each["left"]
    )
    yield ""


_CONDITIONS = ("untouched, then", "fixed for both, then", "untouched, today", "fixed, today")
_MOST_ERRORS = 3
_UNMARKED = str.maketrans({"|": "/", "`": "'", "\n": " "})


def _errors(counts: Mapping[str, int]) -> str:
    """The most frequent errors, each with how often, safe in a table."""
    shown = list(counts.items())[:_MOST_ERRORS]
    return "; ".join(f"{number} of `{error[:110]}`".translate(_UNMARKED) for error, number in shown)


def _script(found: Mapping[str, str] | None) -> Iterator[str]:
    if not found:
        return
    yield "## A script of 2022\n\n`golden/_upgrade/script_of_2022.py`: `pmap`, `tree_multimap`, `index_update`,"
    yield "`flax.optim`, `host_callback`. Left to a person: the optimizer, by `optax`, and `id_print`.\n"
    yield "| | |\n|---|---|"
    yield from (f"| {name} | {answer} |" for name, answer in found.items())
    yield ""


def _editor(found: Mapping[str, str] | None) -> Iterator[str]:
    if not found:
        return
    yield "## The same script in an editor\n\nBy `python -m benchmarks.upgrade editor`: each quick fix is taken"
    yield "from the menu of code actions, and the file saved. Left are the two findings without a fix.\n"
    yield "| | |\n|---|---|"
    yield from (f"| {name} | {answer} |" for name, answer in found.items())
    yield ""


def _devices(found: Mapping[str, str] | None) -> Iterator[str]:
    if not found:
        return
    yield "## Devices of a proof\n\nBy `python -m benchmarks.upgrade devices`:"
    yield "a training loop by `pmap`, on virtual devices of a CPU.\n"
    yield "| | |\n|---|---|"
    yield from (f"| {name} | {answer} |" for name, answer in found.items())
    yield ""
