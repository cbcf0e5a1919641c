"""What is below a line that ends the program is nobody's finding."""

import pytest

from jaxfix.engine.analyze import analyze
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.source.source_file import SourceFile
from jaxfix_codemods.unjitted_update import CODEMOD

LOOP = """
for step in range(100):
    x = jnp.sin(x) * 2.0
    y = jnp.cos(x) + jnp.exp(x)
    z = jnp.tanh(y) - x
"""
HEAD = "import sys\n\nimport jax.numpy as jnp\n\nx = jnp.ones(3)\n"


def found(text: str, name: str = "train.py") -> int:
    return len(analyze(SourceFile.decode(name, text.encode()), (CODEMOD,)).diagnostics)


@pytest.mark.parametrize("end", ["raise SystemExit", "sys.exit()", "sys.exit(3)"])
def test_what_no_run_comes_to_is_not_found(end: str) -> None:
    assert found(HEAD + LOOP) == 1
    assert found(f"{HEAD}{end}\n{LOOP}") == 0


@pytest.mark.parametrize("end", ["if len(x) > 5:\n    sys.exit()", "def stop():\n    sys.exit()", "print(sys.exit)"])
def test_what_may_end_the_program_hides_nothing(end: str) -> None:
    assert found(f"{HEAD}{end}\n{LOOP}") == 1


def test_below_a_return_and_in_a_function_below_the_end_nothing_is_found() -> None:
    body = "".join(f"    {line}\n" if line else "\n" for line in LOOP.splitlines())
    assert found(f"{HEAD}def f(x):\n{body}    return z\n\nf(x)\n") == 1
    assert found(f"{HEAD}def f(x):\n    return x\n{body}    return z\n\nf(x)\n") == 0
    assert found(f"{HEAD}raise SystemExit\n\ndef f(x):\n{body}    return z\n\nf(x)\n") == 0


def test_a_program_that_nobody_can_import_ends_with_what_it_does_as_a_program() -> None:
    end = 'if __name__ == "__main__":\n    print(x)\n    raise SystemExit\n'
    assert found(f"{HEAD}{end}\n{LOOP}") == 0
    source = SourceFile.decode("train.py", f"{HEAD}{end}\n{LOOP}".encode())
    assert len(analyze(source, (CODEMOD,), surroundings=Surroundings("train")).diagnostics) == 1
