"""The names of generated helpers."""


def is_retrace(qualname: str, helpers: str | None) -> bool:
    """Whether it is the generated helper that runs a function without compiling it again; `helpers` is its module."""
    return is_generated(qualname, "retrace", helpers)


def is_generated(qualname: str, name: str, helpers: str | None) -> bool:
    """Whether it is the generated helper of that name; `helpers` is its module."""
    return qualname.split(".")[-2:] == ["jaxfix_helpers", name] or qualname == f"{helpers}.{name}"
