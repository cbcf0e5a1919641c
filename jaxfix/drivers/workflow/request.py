"""What a front end is asked for: where to look, what may run, what may be written over."""

from jaxfix.report.finding import Change
from jaxfix.source.frozen import frozen


@frozen
class Ends:
    """From which version of jax a project is brought to which; None is what the project and its Python say.

    What is written has to run with `oldest` too; where that is None, with what the project admits from `came_from` on.
    """

    came_from: tuple[int, ...] | None = None
    to: tuple[int, ...] | None = None
    oldest: tuple[int, ...] | None = None

    def floor(self, admitted: tuple[int, ...] | None) -> tuple[int, ...] | None:
        """The oldest version that what is written has to run with, in a project that admits that one."""
        if self.oldest is not None or admitted is None:
            return self.oldest
        return max(admitted, self.came_from or admitted)

    @property
    def command(self) -> str:
        """`upgrade` with these versions, as it is typed."""
        versions = (("--from", self.came_from), ("--to", self.to))
        said = (f"{name} {'.'.join(map(str, version))}" for name, version in versions if version is not None)
        return " ".join(("upgrade", *said))


@frozen
class Request:
    """What the options of a command say about where to look and for what.

    `trace` is the file of a traced run; without paths, its files are analysed. `helper` is where the generated helper
    file is; None for beside the code, or where the configuration says. `ends` is there where the project is to be
    brought to another version. `asked` are the changes of results that may be made.
    """

    paths: tuple[str, ...]
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    stdin_filename: str | None = None
    python: str | None = None
    trace: str | None = None
    helper: str | None = None
    ends: Ends | None = None
    asked: tuple[Change, ...] = ()


@frozen
class Wish:
    """The options of `apply` that speak of running; an editor fills in `run` once it has shown that to the person."""

    prove: bool = False
    run: str | None = None
    no_prove: bool = False
    unproven: bool = False


@frozen
class Leave:
    """What the user allows to be written over."""

    dirty: bool = False
    no_vcs: bool = False
