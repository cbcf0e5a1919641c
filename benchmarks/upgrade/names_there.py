"""Run by the Python of an environment: which names it has, which of them are one object, what examples print."""

import contextlib
import importlib
import importlib.metadata
import io
import json
import sys
import warnings


def resolve(name: str) -> tuple[bool, object]:
    """Whether the environment has what the name stands for, and that."""
    parts = name.split(".")
    found = None
    for cut in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:cut]))
        except Exception:
            continue
        try:
            for part in parts[cut:]:
                found = getattr(found, part)
        except Exception:
            continue  # `jax.config` has been a module and an object
        return True, found
    return False, None


def state(old: str, new: str) -> dict[str, object]:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        has_old, one = resolve(old)
    warns = any(issubclass(each.category, DeprecationWarning) for each in told)
    has_new, other = resolve(new) if new else (False, None)
    return {"old": has_old, "warns": warns, "new": has_new, "same": has_old and has_new and one is other}


def printed(source: str) -> str:
    """What a program prints; the name of the error that it ends with."""
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(source, "example.py", "exec"), {"__name__": "__main__"})
    except BaseException as error:
        return f"raises {type(error).__name__}"
    return out.getvalue()


def version(package: str, distribution: str) -> str:
    try:
        importlib.import_module(package)
        return importlib.metadata.version(distribution)
    except Exception:
        return ""


def main() -> None:
    warnings.simplefilter("ignore")
    asked = json.load(sys.stdin)
    versions = {package: version(package, name) for package, name in asked["packages"].items()}
    states = {old: state(old, new) for old, new in asked["names"]}
    results = {key: printed(source) for key, source in asked["examples"].items()}
    json.dump({"versions": versions, "states": states, "results": results}, sys.__stdout__)


if __name__ == "__main__":
    main()
