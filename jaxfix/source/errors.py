"""The exceptions, as a tree.

    JaxfixError
    ├── UserError           the user can mend it: one line, exit code 2
    │   ├── SourceError     a file that cannot be read, decoded or parsed
    │   │   ├── ForeignNotebookError  a notebook in another language
    │   │   └── DepthError  a file nested too deeply for jaxfix, which Python may run
    │   ├── ConfigError     `[tool.jaxfix]` or an option says something unknown
    │   ├── PackError       a codemod pack that does not load
    │   ├── WriteError      a refusal or failure to write; nothing was half-written
    │   └── EvidenceError   a program that cannot be run or compared
    └── BugError            jaxfix broke one of its own rules: exit code 3

Anything else that escapes is a bug too, caught at one seam per driver.
"""


class JaxfixError(Exception):
    """A sentence for a person; `hint` is the next step, if there is one."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}; {self.hint}" if self.hint else self.message

    def __reduce__(self) -> tuple[object, ...]:
        return _remade, (type(self), self.args, vars(self))  # travels between processes, whatever makes one


def _remade(kind: type[JaxfixError], args: tuple[object, ...], state: dict[str, object]) -> JaxfixError:
    error = kind.__new__(kind, *args)
    vars(error).update(state)
    return error


class UserError(JaxfixError):
    """The user can mend it."""


class SourceError(UserError):
    """A source file cannot be read, decoded or parsed."""

    def __init__(self, path: str, message: str, *, hint: str | None = None) -> None:
        super().__init__(f"{path}: {message}", hint=hint)
        self.path = path


class ForeignNotebookError(SourceError):
    """A notebook without Python: there is nothing wrong with it, and nothing to look at."""


class DepthError(SourceError):
    """A file is nested too deeply for jaxfix. Python may run it, so it may do anything."""


class ConfigError(UserError):
    """An option or a configuration key says something unknown."""


class PackError(UserError):
    """A codemod pack does not load."""


class WriteError(UserError):
    """A file may not or cannot be written; nothing was half-written."""


class EvidenceError(UserError):
    """A program cannot be run or compared."""


class BugError(JaxfixError):
    """jaxfix broke one of its own rules."""


_CONFLICT = ("<<<<<<<", "=======", ">>>>>>>", "|||||||")


def no_python(error: SyntaxError) -> str:
    """What is wrong with a text and in which line; what git leaves where it could not merge has a name."""
    line = error.lineno or 1
    if (error.text or "").startswith(_CONFLICT):
        return f"line {line}: a merge conflict is not resolved"
    return f"line {line}: syntax error: {error.msg}"
