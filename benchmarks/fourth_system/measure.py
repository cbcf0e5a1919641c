"""Runs a program as `benchmarks.five_systems.measure` does, and adds what its compiles cost and how large they are.

python -m benchmarks.fourth_system.measure RESULT PROGRAM ARGUMENT...
"""

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.five_systems.measure import COMPILE, run
from jaxfix.evidence.probe.program_size import program_size

STAGES = {
    "/jax/core/compile/jaxpr_trace_duration": "tracing",
    "/jax/core/compile/jaxpr_to_mlir_module_duration": "lowering",
    COMPILE: "compiling",
}


class Costs:
    """Seconds by stage, and the largest of the sizes that compiled programs have."""

    def __init__(self) -> None:
        self.seconds = Counter[str]()
        self.operations = self.temporary_bytes = 0

    def hear(self, event: str, seconds: float, **_: Any) -> None:
        if event in STAGES:
            self.seconds[STAGES[event]] += seconds
        if event == COMPILE:
            size = program_size(sys._getframe(1))
            self.operations += size.get("operations") or 0
            self.temporary_bytes = max(self.temporary_bytes, size.get("temporary_bytes") or 0)


def main() -> None:
    from jax import monitoring

    result, program, *arguments = sys.argv[1:]
    costs = Costs()
    monitoring.register_event_duration_secs_listener(costs.hear)
    found = run(program, arguments)
    Path(result).write_text(json.dumps(found | {name: getattr(costs, name) for name in vars(costs)}))


if __name__ == "__main__":
    main()
