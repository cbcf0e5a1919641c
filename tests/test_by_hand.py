"""The code of the page of steps by hand, on eight devices."""

import os
import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs" / "by-hand.md"
HEAD = """\
import functools

import jax
import jax.numpy as jnp
import numpy as np

x, devices = jnp.arange(16.0).reshape(8, 2), jax.devices()
"""


def test_the_steps_by_hand_do_what_they_say() -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert sum("assert" in block for block in blocks) == len(blocks) > 6
    env = os.environ | {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": "--xla_force_host_platform_device_count=8"}
    program = "\n".join([HEAD, *blocks])
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    assert "sum: 120" in done.stdout
