"""What to watch and where to write."""

from typing import Any


class Settings:
    """The request of jaxfix to the probe, as JSON.

    Attributes:
      results: the folder for the JSON files.
      observe: (file, qualified name, name to report) of functions.
      named: (module, qualified name) of functions whose outputs the user asked to compare.
      sources: the name to report of each patched file.
      originals: the file with the original text of each patched file, by the patched one.
      user: folders whose files are the user's even though they lie among installed packages.
      moved: (folder of this run, folder to report instead), longest first.
      paths: (folder, folder to import from instead) for `sys.path` and editable installs.
      links: (copy of the tree, tree) in which links to large files are broken before they are written to.
      explain: whether to look for steps.
      cache: whether the persistent compilation cache stays as the program has it.
      spending: whether it is given which lines the time goes into.
      calls: outputs to digest per function; None to note only that it was called.
      stop_after: steps after which the program is ended; None lets it run.
      tells: whether to report the progress of the run.
      effects: whether what the program does beside its results is analysed.
      sizes: whether it is given how large each compiled program is.
      paced: whether a warm call of each rewritten function is timed beside its original.
      passing: names of functions that pass constants to what they call under `jit`.
      reads: whether files that are read are noted.
      ours: folders of which that is not noted: what is in them comes and goes with the proof.
      compares_steps: whether single steps without the `jit` that fixes have added are compared with those under it.
      keeps: whether the process keeps what it compiles, and compiles no program twice.
      parent: the process that this one ends with, however that ends, if that has started it.
      checks_keys: whether jax raises where a random key is used twice.
      step: the function whose calls are the steps, as `name` or `module:qualified name`; None finds them.
    """

    def __init__(self, said: dict[str, Any]) -> None:
        self.results: str = said["results"]
        self.observe: list[list[str]] = said.get("observe", [])
        self.named: list[list[str]] = said.get("named", [])
        self.sources: dict[str, str] = said.get("sources", {})
        self.originals: dict[str, str] = said.get("originals", {})
        self.user: list[str] = said.get("user", [])
        self.moved: list[list[str]] = said.get("moved", [])
        self.paths: list[list[str]] = said.get("paths", [])
        self.links: list[str] | None = said.get("links")
        self.explain: bool = said.get("explain", False)
        self.cache: bool = said.get("cache", False)
        self.spending: bool = said.get("spending", False)
        self.calls: int | None = said.get("calls", 200)
        self.stop_after: int | None = said.get("stop_after")
        self.tells: bool = said.get("tells", False)
        self.effects: bool = said.get("effects", False)
        self.reads: bool = said.get("reads", False)
        self.sizes: bool = said.get("sizes", False)
        self.paced: bool = said.get("paced", False)
        self.passing: list[str] = said.get("passing", [])
        self.ours: list[str] = said.get("ours", [])
        self.checks_keys: bool = said.get("checks_keys", False)
        self.compares_steps: bool = said.get("compares_steps", False)
        self.parent: int | None = said.get("parent")
        self.keeps: bool = said.get("keeps", False)
        self.step: str | None = said.get("step")


def shown(text: str, settings: Settings) -> str:
    """`text` with the folders of this run named as the user knows them."""
    for here, there in settings.moved:
        text = text.replace(here, there)
    return text
