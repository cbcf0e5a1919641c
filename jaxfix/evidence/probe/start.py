"""Starts the probe that the environment variable `JAXFIX_PROBE` describes."""

import importlib.machinery
import importlib.util
import json
import os
import sys

from .files import real
from .settings import Settings
from .watch import Probe

PROBE: Probe | None = None


def activate() -> None:
    """Starts watching this process, then runs the environment's own `sitecustomize`."""
    global PROBE
    with open(os.environ["JAXFIX_PROBE"], encoding="utf-8") as file:
        PROBE = Probe(Settings(json.load(file)))
    PROBE.start()
    _chain(os.path.dirname(real(os.path.dirname(__file__))))


def _chain(here: str) -> None:
    """Runs the `sitecustomize` that ours is before."""
    sys.path[:] = [entry for entry in sys.path if real(entry or os.curdir) != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", sys.path)
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)
