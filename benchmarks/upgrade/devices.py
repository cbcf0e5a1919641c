"""What a proof of `pmap` as `jit` of `shard_map` comes to, by the number of devices that the program has."""

import os
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

_PROGRAM = """\
import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.pmap, axis_name="i")
def step(w, x):
    gradient = jax.grad(lambda w: jnp.mean((x @ w) ** 2))(w)
    return w - 0.1 * jax.lax.pmean(gradient, "i")


"""
_LOOP = """\
devices = jax.local_device_count()
w = jnp.stack([jnp.ones(3)] * devices)
x = jnp.arange(devices * 12.0).reshape(devices, 4, 3) / 10
for _ in range(3):
    w = step(w, x)
print(w[0])
"""
_IN_MAIN = f"def main():\n{textwrap.indent(_LOOP, '    ')}\n\nmain()\n"
_LONGEST_S = 600


def asked() -> dict[str, str]:
    """By the number of devices, what `jaxfix upgrade --run` says of the fix."""
    told = {f"{number} device{'s' * (number > 1)}": _told(number) for number in (1, 2, 8)}
    return told | {"8 devices, the loop in a function": _told(8, _IN_MAIN)}


def _told(devices: int, loop: str = _LOOP) -> str:
    flags = {"XLA_FLAGS": f"--xla_force_host_platform_device_count={devices}", "JAX_PLATFORMS": "cpu"}
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "program.py").write_text(_PROGRAM + loop)
        command = [sys.executable, "-m", "jaxfix", "upgrade", "program.py", "--run", "python program.py"]
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, env=os.environ | flags, timeout=_LONGEST_S
        )
    lines = (done.stdout + done.stderr).splitlines()
    told = next((line for line in lines if "  legacy-parallelism  " in line), "nothing").lstrip("# ")
    return f"{told.partition('  ')[0]}: {told.rpartition('  ')[2].partition(' (python')[0]}"
