"""The order in which files are analysed first: what a file imports comes before it.

So a user of a function is analysed after the questions about that function are known, and is read once.
"""

from collections.abc import Iterator, Mapping, Sequence

from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.source.source_file import SourceFile


def import_order(files: Sequence[tuple[SourceFile, Surroundings]]) -> list[int]:
    """The indices of `files`, each behind those that it imports, as far as they do not import one another."""
    places = {around.name: index for index, (_, around) in enumerate(files) if around.name is not None}
    found: dict[int, None] = {}
    begun: set[int] = set()
    for start in range(len(files)):
        waiting = [start]
        while waiting:
            index = waiting[-1]
            if index in begun:
                found[waiting.pop()] = None
            else:
                begun.add(index)
                waiting += [each for each in _imported(*files[index], places) if each not in begun][::-1]
    return [*found]


def _imported(source: SourceFile, around: Surroundings, places: Mapping[str, int]) -> Iterator[int]:
    for target in source.imports:
        name = around.absolute(target)
        while name and name not in places:
            name = name.rpartition(".")[0]
        if name:
            yield places[name]
