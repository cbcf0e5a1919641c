"""Why a program was not found in a cache, in words."""

import operator
import re
from collections import OrderedDict, deque
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from .signatures import PROGRAM, Leaf, Signature

Key = tuple[Any, ...]
_MOST_KEYS = 2048
_MOST_KEPT = 12
_MANY_LEAVES = 2000
_MOST_OTHERS = 64
_OF_TYPES = ("weak type", "dtype")


class Difference(NamedTuple):
    """One way in which two signatures differ; `why` is a value of `Why`."""

    why: str
    words: str
    name: str | None = None
    before: str | None = None
    after: str | None = None


class Causes:
    """Remembers what each function and each line has compiled, to say what is different this time."""

    def __init__(self) -> None:
        self.history: OrderedDict[Key, deque[Signature]] = OrderedDict()

    def of(self, keys: list[Key], now: Signature, program: str) -> dict[str, Any]:
        """A `Cause`: the difference to the most similar earlier compile under one of `keys`.

        Args:
          keys: what it is compared within, such as its function and its line.
          program: the name of what is compiled.
        """
        seen = {id(old): old for key in keys for old in self.history.get(key, ())}
        self._remember(keys, now)
        if not seen:
            return _cause(Difference("first compile", "first compile of this line"))
        # The latest of equally similar ones.
        nearest = min(reversed(seen.values()), key=lambda old: _distance(old, now))
        found = differences(nearest, now, program) or [_unseen(now, program)]
        more = f", and {len(found) - 1} more" if len(found) > 1 else ""
        types = [each for each in found[1:_MOST_OTHERS] if each.why in _OF_TYPES]
        return {**_cause(found[0]._replace(words=found[0].words + more)), "others": [*map(_cause, types)]}

    def _remember(self, keys: list[Key], now: Signature) -> None:
        most = _MOST_KEPT if len(now.leaves) < _MANY_LEAVES else 2
        for key in keys:
            self.history.setdefault(key, deque(maxlen=most)).append(now)
            self.history.move_to_end(key)
        while len(self.history) > _MOST_KEYS:
            self.history.popitem(last=False)


def _cause(difference: Difference) -> dict[str, Any]:
    return difference._asdict()


def differences(old: Signature, now: Signature, program: str) -> list[Difference]:
    """How `now` differs from `old`, what says most about the cure first."""
    found = [*_structures(old, now)] or [*_leaves(old, now)]
    found += _static_values("static argument", old.static, now.static, "static argument")
    found += _named("parameter of a primitive", old.parameters, now.parameters, f"`{{}}` of `{program}`")
    found += _functions(old, now)
    found += _named("configuration or context", old.configuration, now.configuration, "`{}`")
    if not found:
        found += _hidden(old, now)
    return found


def _hidden(old: Signature, now: Signature) -> Iterator[Difference]:
    """Differences that cannot be looked into, or that are only in words."""
    if old.trees != now.trees:
        found = [*_static_values("structure", old.nodes, now.nodes, "static part of")]
        if found:
            yield from found
            return
    for name, token in now.trees.items():
        if old.trees.get(name, token) != token:
            yield Difference("structure", f"static part of {_quoted(name)} differs", name)
    if old.context != now.context:
        yield Difference("configuration or context", "mesh or another context differs")


def _distance(old: Signature, now: Signature) -> int:
    """How far apart two signatures are; trees that differ in structure are, for their leaves cannot be compared."""
    far = 0
    if old.paths is not now.paths and old.paths != now.paths:
        far += 8
    elif old.leaves is not now.leaves:
        far += sum(map(operator.ne, old.leaves, now.leaves))
    far += 4 * (old.passed != now.passed)
    far += sum(old.static.get(name) != value for name, value in now.static.items())
    far += sum(old.parameters.get(name) != value for name, value in now.parameters.items())
    far += not _same_functions(old, now)
    far += sum(before.captured != after.captured for before, after in zip(old.functions, now.functions, strict=False))
    far += old.configuration is not now.configuration
    return far + (old.trees != now.trees)


def _structures(old: Signature, now: Signature) -> Iterator[Difference]:
    if old.paths != now.paths:
        before, after = set(old.paths), set(now.paths)
        new = next((path for path in now.paths if path not in before), None)
        gone = next((path for path in old.paths if path not in after), None)
        path = new or gone or now.paths[0]
        name = re.split(r"[.\[]", path, maxsplit=1)[0]
        how = f"`{new}` is new" if new else f"`{gone}` is gone" if gone else "the order of its leaves"
        yield Difference("structure", f"structure of {_quoted(name)} differs: {how}", name, gone, new)
        return
    for name, how in now.passed.items():
        before_how = old.passed.get(name, how)
        if before_how != how:
            yield Difference("structure", f"`{name}` is passed {how}, before {before_how}", name, before_how, how)


def _leaves(old: Signature, now: Signature) -> list[Difference]:
    if old.leaves is now.leaves:
        return []
    pairs = zip(now.paths, old.leaves, now.leaves, strict=True)
    found = [_leaf(path, before, after) for path, before, after in pairs if before != after]
    order = ("shape", "dtype", "weak type", "sharding")
    return sorted(found, key=lambda difference: order.index(difference.why))


def _leaf(path: str, before: Leaf, after: Leaf) -> Difference:
    name = _quoted(path)
    types = before.type, after.type
    if before.shape != after.shape:
        return Difference("shape", f"shape of {name} {types[0]} -> {types[1]}", path, *types)
    if before.dtype != after.dtype:
        return Difference("dtype", f"dtype of {name} {types[0]} -> {types[1]}", path, *types)
    if before.weak != after.weak:
        how = [f"{'weak' if leaf.weak else 'strong'} {leaf.dtype}" for leaf in (before, after)]
        leaf = f"leaf {name}" if re.search(r"[.\[]", path) else name
        return Difference("weak type", f"weak_type of {leaf} differs", path, *how)
    places = [leaf.placed or "not committed" for leaf in (before, after)]
    return Difference("sharding", f"sharding of {name} {places[0]} -> {places[1]}", path, *places)


def _static_values(why: str, old: Mapping[str, str], now: Mapping[str, str], what: str) -> Iterator[Difference]:
    for difference in _named(why, old, now, f"{what} `{{}}`"):
        before, after = str(difference.before), str(difference.after)
        if "#" not in after and "#" not in before:
            yield difference
            continue
        before, after = before.partition("#")[0], after.partition("#")[0]
        how = f"is a different `{after}`" if before == after else f"{before} -> {after}"
        words = f"{what} `{difference.name}` {how}"
        yield difference._replace(words=words, before=before, after=after)


def _named(why: str, old: Mapping[str, Any], now: Mapping[str, Any], form: str) -> Iterator[Difference]:
    if old is now:
        return
    for name in [*now, *(name for name in old if name not in now)]:
        before, after = str(old.get(name, "absent")), str(now.get(name, "absent"))
        if before != after:
            yield Difference(why, f"{form.format(name)} {before} -> {after}", name, before, after)


def _functions(old: Signature, now: Signature) -> list[Difference]:
    if _same_functions(old, now):
        return []
    pairs = list(zip(old.functions, now.functions, strict=False))
    captured = [
        Difference("constant", f"captured `{name}` {was} -> {value}", name, was, value)
        for before, after in pairs
        for name, value in after.captured.items()
        if (was := before.captured.get(name, value)) != value
    ]
    name = next((after.name for before, after in pairs if not before.is_same(after)), None)
    name = name or (now.functions or old.functions)[0].name
    words = "function object differs each call"
    if captured:
        return [captured[0]._replace(words=f"{words}: {captured[0].words}")]
    return [Difference("function object", f"{words}: `{name.rpartition('.')[2]}`", name)]


def _same_functions(old: Signature, now: Signature) -> bool:
    if len(old.functions) != len(now.functions):
        return False
    return all(before.is_same(after) for before, after in zip(old.functions, now.functions, strict=True))


def _unseen(now: Signature, program: str) -> Difference:
    if PROGRAM in now.parameters.values():
        return Difference("function object", f"function object differs each call: `{program}` is traced again", program)
    return Difference("unknown", "no visible difference: evicted from a cache, or caches were cleared")


def _quoted(path: str) -> str:
    return path if path.startswith("argument ") else f"`{path}`"
