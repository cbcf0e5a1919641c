"""Starts the probe with every Python of a run. Lies beside it in a folder of the PYTHONPATH."""

import os

if "JAXFIX_PROBE" in os.environ:
    from jaxfix_probe.start import activate  # pyright: ignore[reportMissingImports]

    activate()
