"""`python -m benchmarks.upgrade table --python PATH ...`, or `repositories --at DIR`: docs/evidence/upgrade.md.

`--python` may be a command line, as of an interpreter in a container. `--make VERSION` makes an environment with that
jax by pip, in `--at`. `repositories` measures the folders in `--at`, one for each repository, and imports their modules
with `--python`. `oracle` runs a program of 2023 by `--python`,
and its fixed form by the interpreter of this command.
`drivers` runs libraries of 2023 in `--at` under the oracle, untouched by the first `--python` and fixed by the second;
`periods` those of 2024, untouched with jax 0.4.30 in environments that `jaxfix upgrade` makes, fixed by `--python`;
figures of others that were run before are kept.
`tests` runs what repositories in `--at` have, by `own.toml`: tests, notebooks or a program, by both. `imports` imports
the modules of all in `--at` by both. `script` brings
a script of 2022 to today's jax, and runs it by each `--python`, which needs flax and optax.
`users` runs `jaxfix upgrade` in the folders
of `--at`. `editor` takes the quick fixes of that script in Neovim.
`devices` proves a `pmap` on one device, which is refused, and on more.
"""

import argparse
import json
import shlex
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

from benchmarks.upgrade import as_user, devices, drivers, editor, oracles, own_tests, page, repositories, script, table

ROOT = Path(__file__).resolve().parents[2]
FIGURES = ROOT / "docs" / "evidence" / "upgrade.json"
PAGE = ROOT / "docs" / "evidence" / "upgrade.md"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "what",
        choices=(
            "table",
            "repositories",
            "oracle",
            "script",
            "drivers",
            "periods",
            "tests",
            "imports",
            "users",
            "editor",
            "devices",
            "page",
        ),
    )
    parser.add_argument("--python", action="append", default=[])
    parser.add_argument("--make", action="append", default=[], metavar="VERSION")
    parser.add_argument("--neovim", default="nvim")
    parser.add_argument("--at", type=Path, default=Path(".upgrade"))
    options = parser.parse_args()
    figures = json.loads(FIGURES.read_text()) if FIGURES.is_file() else {}
    if options.what == "table":
        commands = [shlex.split(each) for each in options.python] + [_made(each, options.at) for each in options.make]
        checked = table.check([table.asked_of(command) for command in commands or [[sys.executable]]])
        print("\n".join(checked.faults) or "no fault")
        figures["table"] = asdict(checked)
    elif options.what == "repositories":
        python = options.python[0] if options.python else None
        known = {each["name"]: each for each in figures.get(options.what, [])}
        found = [asdict(repositories.measured(each, python)) for each in sorted(options.at.iterdir())]
        kept = ("commit", "wrong", "kind")  # what a person has said
        told = [{name: known.get(each["name"], {}).get(name, "") for name in kept} for each in found]
        figures[options.what] = [each | more for each, more in zip(found, told, strict=True)]
    elif options.what == "oracle":
        figures["oracle"] = oracles.asked(options.python[0], sys.executable)
    elif options.what == "drivers":
        period, today = options.python
        figures["drivers"] = figures.get("drivers", {}) | drivers.asked(options.at, ("--oracle-python", period), today)
    elif options.what == "periods":
        (today,) = options.python or [sys.executable]
        figures["periods"] = figures.get("periods", {}) | drivers.asked(options.at, ("--oracle", "jax==0.4.30"), today)
    elif options.what == "tests":
        for name, told in own_tests.asked(options.at, *options.python):
            figures["tests"] = figures.get("tests", {}) | {name: told}
            FIGURES.write_text(json.dumps(figures, indent=1) + "\n")
    elif options.what == "imports":
        for name, told in own_tests.imported(options.at, *options.python):
            figures["imports"] = figures.get("imports", {}) | {name: told}
            FIGURES.write_text(json.dumps(figures, indent=1) + "\n")
    elif options.what == "users":
        known = {each["name"]: each for each in figures.get("users", [])}
        known |= {each["name"]: each for each in as_user.asked(options.at, known)}
        figures["users"] = [*known.values()]
    elif options.what == "devices":
        figures["devices"] = devices.asked()
    elif options.what == "editor":
        figures["editor"] = editor.asked(options.neovim)
    elif options.what == "script":
        figures["script"] = script.asked(options.python)
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n")
    PAGE.write_text(page.page(figures))
    return 0


def _made(version: str, place: Path) -> list[str]:
    """An interpreter that has that jax."""
    python = place / version / "bin" / "python"
    if not python.is_file():
        subprocess.run([sys.executable, "-m", "venv", str(place / version)], check=True)
        wanted = (f"jax=={version}", f"jaxlib=={version}")
        subprocess.run([str(python), "-m", "pip", "install", "-q", *wanted], check=True)
    return [str(python)]


if __name__ == "__main__":
    sys.exit(main())
