"""The pytest that `jaxfix gate --write` writes: one program, one function of it, and how large that may be."""

import re
from collections.abc import Sequence

from jaxfix.report.trace.budget import Sized

MARK = "Written by `jaxfix gate --write`"
_MARGIN = "1.1"


def gate_test(sized: Sized, command: str, above: Sequence[str], made_with: str) -> str:
    """The text of the test.

    Args:
      command: of the program, as one line.
      above: the way from the folder of the test to that of the program, as `..` and names.
      made_with: versions and device, in words.
    """
    name = re.sub(r"\W+", "_", sized.name).strip("_").lower() or "step"
    times = "once" if sized.compiles == 1 else f"{sized.compiles} times"
    folder = "".join(".parent" if part == ".." else f' / "{part}"' for part in above)
    checks = [f"    assert step.compiles <= {sized.compiles}, step.told\n"]
    if sized.operations is not None:
        checks.append(f"    assert step.operations <= {_MARGIN} * {sized.operations:_}\n")
    if sized.temporary_bytes is not None:
        checks.append(f"    assert step.temporary_bytes <= {_MARGIN} * {sized.temporary_bytes:_}\n")
    return f'''"""`{sized.name}` compiles {times}, and its program does not grow by more than a tenth.

{MARK} with {made_with}: write it again where it should.
"""

from pathlib import Path

PROJECT = Path(__file__).resolve().parent{folder}


def test_{name}_compiles_{times.replace(" ", "_")}_and_does_not_grow(jaxfix_program):
    step = jaxfix_program({_quoted(command)}, function={_quoted(sized.name)}, folder=PROJECT)
{"".join(checks)}'''


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
