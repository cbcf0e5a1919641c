"""The quick fixes of a script of 2022, taken one by one in Neovim 0.11 or later."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from jaxfix.testing import unmarked

ROOT = Path(__file__).resolve().parents[2]
_SCRIPT = ROOT / "golden" / "_upgrade" / "script_of_2022.py"
_LONGEST_S = 300


def asked(neovim: str) -> dict[str, str]:
    """What was taken, and whether the file that the editor has written is the golden one."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "train.py"
        path.write_bytes(unmarked(_SCRIPT.read_bytes()))
        (Path(folder) / "pyproject.toml").write_text("")
        own = dict.fromkeys(("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"), folder)
        env = os.environ | own | {"FILE": str(path), "SERVER": f"{sys.executable} -m jaxfix lsp"}
        command = [neovim, "--clean", "--headless", "-c", f"luafile {Path(__file__).with_suffix('.lua')}"]
        done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=_LONGEST_S, check=True)
        is_golden = path.read_text() == _SCRIPT.with_suffix(".fixed.py").read_text()
    told = re.findall(r"\d+ taken, \d+ left", done.stdout + done.stderr)
    version = subprocess.run([neovim, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    answer = "the file is that of the command line, byte for byte" if is_golden else "another file"
    return {"editor": version, "quick fixes": told[-1] if told else "none", "saved": answer}
