"""A real `jaxfix apply` that is killed: every file is the old one or the new one, and what is left is mended."""

import os
import subprocess
import sys

import pytest
from command_line import ROOT

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no SIGKILL here")


@pytest.mark.parametrize(
    "options", [("--moments", "4", "--every", "30"), pytest.param((), marks=pytest.mark.slow)], ids=["some", "all"]
)
def test_a_killed_apply_leaves_whole_files_and_is_mended(options: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "benchmarks.reliability.kill", *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
