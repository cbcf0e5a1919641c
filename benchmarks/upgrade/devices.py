"""What a proof of `pmap` as `jit` of `shard_map` comes to, by the number of devices that the program has."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from jaxfix.testing import unmarked

ROOT = Path(__file__).resolve().parents[2]
_PROGRAM = ROOT / "golden" / "legacy_parallelism" / "program.py"
_COMMAND = "python program.py"
_LONGEST_S = 600


def asked() -> dict[str, str]:
    """By the number of devices, what `jaxfix upgrade --run` says of the fix."""
    return {f"{number} device{'s' * (number > 1)}": _told(number) for number in (1, 2, 8)}


def _told(devices: int) -> str:
    with tempfile.TemporaryDirectory() as folder:
        own = b'os.environ["XLA_FLAGS"] = '
        text = b"".join(line for line in unmarked(_PROGRAM.read_bytes()).splitlines(True) if not line.startswith(own))
        (Path(folder) / "program.py").write_bytes(text)
        command = [sys.executable, "-m", "jaxfix", "upgrade", "program.py", "--run", _COMMAND]
        flags = {"XLA_FLAGS": f"--xla_force_host_platform_device_count={devices}", "JAX_PLATFORMS": "cpu"}
        env = os.environ | flags
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=env, timeout=_LONGEST_S)
    said = [line.lstrip("# ") for line in done.stdout.splitlines() if " legacy-parallelism " in line]
    found = [line.split("  ") for line in said if line.startswith(("proven", "not compared", "different", "failed"))]
    return f"{found[0][0]}: {found[0][-1].partition(' (python')[0]}" if found else done.stderr[-200:]
