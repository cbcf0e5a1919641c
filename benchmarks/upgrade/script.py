"""A training script of 2022: what is automatic, what a person writes, and whether both together run on many devices."""

import os
import subprocess
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from jaxfix.engine.analyze import analyze
from jaxfix.engine.plan import plan
from jaxfix.library.changes.row import version
from jaxfix.report.finding import Change
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.source.source_file import SourceFile
from jaxfix.testing import unmarked
from jaxfix_codemods import CODEMODS

ROOT = Path(__file__).resolve().parents[2]
_SCRIPT = ROOT / "golden" / "_upgrade" / "script_of_2022.py"
_BOTH = ("removed-api", "legacy-parallelism")
_LONGEST_S = 300
BY_HAND = (
    (
        "from flax import jax_utils, optim",
        "import optax\nfrom flax import jax_utils\nfrom flax.training.train_state import TrainState",
    ),
    ("from jax.experimental import host_callback as hcb\n", ""),
    ("optimizer.apply_gradient(grads)", "optimizer.apply_gradients(grads=grads)"),
    ("optimizer.target", "optimizer.params"),
    ("(optimizer).target", "(optimizer).params"),
    (
        "optim.Momentum(learning_rate=0.1, beta=0.9).create(params)",
        "TrainState.create(apply_fn=None, params=params, tx=optax.sgd(0.1, momentum=0.9))",
    ),
    ('hcb.id_print(losses, what="losses")', 'jax.debug.print("losses: {}", losses)'),
)
"""What the steps of the findings without a fix come to in this script."""


def asked(pythons: Sequence[str], devices: int = 8) -> dict[str, str]:
    """What is found and rewritten, and whether `jit` of `shard_map` prints what `pmap` prints, by each interpreter."""
    text = unmarked(_SCRIPT.read_bytes())
    both = [codemod for codemod in CODEMODS if codemod.id in _BOTH]
    found = Counter(each.fixable for each in analyze(SourceFile.decode("a.py", text), both).diagnostics)
    automatic = _fixed(text, _BOTH)
    own = sum((Counter(_finished(automatic).splitlines()) - Counter(automatic.splitlines())).values())
    answers = {"findings": f"{found[True]} automatic, {found[False]} by hand", "lines written by hand": str(own)}
    for python in pythons:
        jax = _version(python)
        new, old = (_printed(python, _finished(_fixed(text, ids, jax)), devices) for ids in (_BOTH, _BOTH[:1]))
        name = f"`shard_map` against `pmap` on {devices} devices, jax {jax}"
        answers[name] = f"the same {len(new.splitlines())} lines" if new == old else "different"
    return answers


def _fixed(text: bytes, ids: Sequence[str], oldest: str = "") -> str:
    """The script with the fixes that hold for that jax too."""
    around = Surroundings(oldest_jax=version(oldest) if oldest else None, asked=(Change.NEWER_FORM,))
    codemods = [codemod for codemod in CODEMODS if codemod.id in ids]
    return plan(SourceFile.decode("script.py", text), codemods, lambda fix: None, around).after.decode()


def _finished(text: str) -> str:
    for old, new in BY_HAND:
        assert old in text, old
        text = text.replace(old, new)
    return text


def _printed(python: str, text: str, devices: int) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "script.py"
        path.write_text(text)
        flags = {"XLA_FLAGS": f"--xla_force_host_platform_device_count={devices}", "JAX_PLATFORMS": "cpu"}
        command = [python, "-W", "ignore", str(path)]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, env=os.environ | flags, check=False, timeout=_LONGEST_S
            )
        except subprocess.TimeoutExpired as late:
            told = (late.stderr or b"").decode(errors="replace")[-800:]
            raise SystemExit(f"{python}: not done within {_LONGEST_S} s: {told}") from None
    if done.returncode:
        raise SystemExit(f"{python}: {done.stderr[-800:]}")
    return done.stdout


def _version(python: str) -> str:
    code = "import importlib.metadata as m; print(m.version('jax'))"
    return subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
