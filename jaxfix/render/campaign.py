"""What proofs of many repositories have shown: a line for each, then one for all."""

from jaxfix.render.paint import Paint, counted, printable
from jaxfix.report.campaign import Campaign, Repository

_HEAD = ("repository", "commit", "found", "proven", "refuted", "compiles", "run", "seconds")
_COMMIT = 10


def campaign(found: Campaign, paint: Paint) -> str:
    """The table, followed by the failures."""
    rows = [_HEAD, *map(_row, found.repositories)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    failed = [entry for entry in found.repositories if entry.failed is not None]
    wrong = [
        f"{paint('bold red', 'failed')}  {printable(entry.name)}: {printable(entry.failed or '')}" for entry in failed
    ]
    return "\n".join([*lines, *wrong, _whole(found)]) + "\n"


def one(entry: Repository) -> str:
    """What was shown of a repository, in one line."""
    if entry.failed is not None:
        return f"{printable(entry.name)}: failed: {printable(entry.failed)}"
    figures = f", compiles {entry.compiles[0]} -> {entry.compiles[1]}" if entry.compiles else ""
    return f"{printable(entry.name)}: {entry.found} found, {entry.proven} proven{figures}, {entry.seconds:.0f} s"


def _row(entry: Repository) -> tuple[str, ...]:
    compiles = f"{entry.compiles[0]} -> {entry.compiles[1]}" if entry.compiles else ""
    run = f"{entry.run_s[0]:.1f} -> {entry.run_s[1]:.1f} s" if entry.run_s else ""
    figures = ("", "", "") if entry.failed else (str(entry.found), str(entry.proven), str(entry.refuted))
    commit = (entry.commit or "")[:_COMMIT]
    return printable(entry.name), commit, *figures, compiles, run, f"{entry.seconds:.0f}"


def _whole(found: Campaign) -> str:
    done = [entry for entry in found.repositories if entry.failed is None]
    findings, proven = (
        (sum(counts) for counts in zip(*((e.found, e.proven) for e in done), strict=True)) if done else (0, 0)
    )
    reused = f", {found.reused} of them known from before" if found.reused else ""
    said = f"{counted(findings, 'finding')}, {proven} proven, in {found.seconds:.0f} s"
    return f"done: {len(done)} of {len(found.repositories)}{reused}: {said}"
