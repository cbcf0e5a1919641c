"""Programs that are kept while a probe calls functions again."""

import subprocess
import sys
from pathlib import Path

PROGRAM = """\
import jax
from jax import monitoring
from jaxfix.evidence.probe.compiled import Compiled

NAMES = ["jax_enable_compilation_cache", "jax_compilation_cache_dir", "jax_persistent_cache_min_compile_time_secs"]
events = []
monitoring.register_event_listener(lambda event, **_: events.append(event))
monitoring.register_event_duration_secs_listener(lambda event, seconds, **_: events.append(event))


def compiles(where):
    del events[:]
    jax.clear_caches()
    jax.jit(lambda x: x * 3 + 1)(2.0)
    asked = sum("backend_compile" in event for event in events)
    print(where, asked, sum(event.endswith("cache_hits") for event in events))


own = [getattr(jax.config, name) for name in NAMES]
compiles("before")
kept = Compiled(FOLDER)
kept.keep()
kept.keep()
compiles("first")
compiles("again")
kept.end()
compiles("after")
print([getattr(jax.config, name) for name in NAMES] == own)
"""


def test_a_program_is_compiled_once_and_asked_for_as_often(tmp_path: Path) -> None:
    text = PROGRAM.replace("FOLDER", repr(str(tmp_path)))
    run = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    before, first, again, after, settings = run.stdout.splitlines()
    assert [line.split() for line in (before, first, again, after)] == [
        ["before", "1", "0"],
        ["first", "1", "0"],
        ["again", "1", "1"],
        ["after", "1", "0"],
    ]
    assert settings == "True"
